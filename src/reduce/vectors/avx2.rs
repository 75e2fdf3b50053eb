//! AVX2.

use core::arch::x86_64::*;

use super::{lanes, maxima, pairs, updates};
use crate::math::vector::Vector;

lanes::export_vectors! { avx2 __m256 __m256d [16] }
lanes::lanes! {
    __m256 f32 __m256 |x| _mm256_permute_ps::<0xb1>(x), |a, b| _mm256_cmp_ps::<_CMP_LT_OQ>(a, b),
    |a, b| _mm256_and_ps(a, b), |mask| _mm256_movemask_ps(mask) == 0xff;
    __m256d f64 __m256d |x| _mm256_permute_pd::<5>(x), |a, b| _mm256_cmp_pd::<_CMP_LT_OQ>(a, b),
    |a, b| _mm256_and_pd(a, b), |mask| _mm256_movemask_pd(mask) == 0xf;
}
