//! SSE2.

use core::arch::x86_64::*;

use super::{lanes, maxima, pairs, updates};
use crate::math::vector::Vector;

lanes::export_vectors! { sse2 __m128 __m128d [32] }
lanes::lanes! {
    __m128 f32 __m128 |x| _mm_shuffle_ps::<0xb1>(x, x), |a, b| _mm_cmplt_ps(a, b), |a, b| _mm_and_ps(a, b),
    |mask| _mm_movemask_ps(mask) == 0xf;
    __m128d f64 __m128d |x| _mm_shuffle_pd::<1>(x, x), |a, b| _mm_cmplt_pd(a, b), |a, b| _mm_and_pd(a, b),
    |mask| _mm_movemask_pd(mask) == 3;
}
