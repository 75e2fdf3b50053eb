//! SSE2.

use core::arch::x86_64::*;

super::scalar::stamp! { cosine sqrt, #[target_feature(enable = "sse2")] }

#[inline]
#[target_feature(enable = "sse2")]
fn sqrt(p: f64) -> f64 {
    let p = _mm_set_sd(p);
    _mm_cvtsd_f64(_mm_sqrt_sd(p, p))
}
