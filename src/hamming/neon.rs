//! Advanced SIMD.

use core::arch::aarch64::*;

super::scalar::stamp! { cosine sqrt, #[target_feature(enable = "neon")] }

#[inline]
#[target_feature(enable = "neon")]
fn sqrt(p: f64) -> f64 {
    vget_lane_f64::<0>(vsqrt_f64(vdup_n_f64(p)))
}
