//! Kernels with a fused multiply-add for each vector, in any range. Blocks take them where
//! [`blocks`](super::blocks) cannot.

use core::arch::x86_64::*;

use crate::matmul::strips::Spread;
use crate::matmul::tiles::*;

export_products! { sse2 f32 __m128 [], outer_f32, [4 dots_f32], block_f32 [1: 2 1] [1: 2 1], 4 vector_f32 }
export_products! { sse2 f64 __m128d [], outer_f64, [4 dots_f64], block_f64 [1: 2 1] [1: 2 1], 2 vector_f64 }

// SAFETY: the contract of the trait, throughout.
#[allow(unsafe_op_in_unsafe_fn)]
impl Spread<1, 4> for __m128 {
    #[inline(always)]
    unsafe fn spread(from: *const f32, row: isize) -> [Self; 4] {
        let [mut w, mut x, mut y, mut z] = [0, 1, 2, 3].map(|i| _mm_loadu_ps(from.offset(i * row)));
        _MM_TRANSPOSE4_PS(&mut w, &mut x, &mut y, &mut z);
        [w, x, y, z]
    }
    #[inline(always)]
    unsafe fn repeat(from: *const f32) -> Self {
        _mm_set1_ps(from.read_unaligned())
    }
}

#[allow(unsafe_op_in_unsafe_fn)]
impl Spread<1, 2> for __m128d {
    #[inline(always)]
    unsafe fn spread(from: *const f64, row: isize) -> [Self; 2] {
        let (x, y) = (_mm_loadu_pd(from), _mm_loadu_pd(from.offset(row)));
        [_mm_unpacklo_pd(x, y), _mm_unpackhi_pd(x, y)]
    }
    #[inline(always)]
    unsafe fn repeat(from: *const f64) -> Self {
        _mm_set1_pd(from.read_unaligned())
    }
}
