//! AVX2.

use core::arch::x86_64::*;

super::scalar::stamp! { counts, #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")] }
super::scalar::stamp! { distances, #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")] }
super::scalar::stamp! { tanimoto, #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")] }
super::scalar::stamp! { dice, #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")] }
super::scalar::stamp! { cosine sqrt, #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")] }

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn sqrt(p: f64) -> f64 {
    let p = _mm_set_sd(p);
    _mm_cvtsd_f64(_mm_sqrt_sd(p, p))
}
