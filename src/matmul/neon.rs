//! NEON.

use core::arch::aarch64::*;

use super::strips::Spread;
use super::tiles::*;
use super::transpose::transpose;

export_products! {
    neon f32 float32x4_t
    [tiny_f32], outer_f32, [4 dots_f32], block_f32 [3: 8 4 3 2 1] [1: 16 8 4 3 2 1],
    4 vector_f32, columns_f32 [(1: 1 1 4 1) (2: 1 2 4 2) (3: 1 3 4 2) (4: 1 4 4 2) (6: 1 6 2 2) (8: 1 8 2 2)],
        transpose_f32
}
export_products! {
    neon f64 float64x2_t
    [tiny_f64], outer_f64, [4 dots_f64], block_f64 [3: 8 4 3 2 1] [1: 16 8 4 3 2 1],
    2 vector_f64, columns_f64 [(1: 1 1 4 1) (2: 1 2 4 2) (3: 1 3 4 2) (4: 1 4 4 2) (6: 1 6 2 2) (8: 1 8 2 2)],
        transpose_f64
}

// SAFETY: the contract of the trait, throughout.
#[allow(unsafe_op_in_unsafe_fn)]
impl Spread<1, 4> for float32x4_t {
    #[inline(always)]
    unsafe fn spread(from: *const f32, row: isize) -> [Self; 4] {
        let (a, b) = (vld1q_f32(from), vld1q_f32(from.offset(row)));
        let (c, d) = (vld1q_f32(from.offset(2 * row)), vld1q_f32(from.offset(3 * row)));
        let [even, odd] = [vtrn1q_f32(a, b), vtrn2q_f32(a, b)].map(|x| vreinterpretq_f64_f32(x));
        let [even_below, odd_below] = [vtrn1q_f32(c, d), vtrn2q_f32(c, d)].map(|x| vreinterpretq_f64_f32(x));
        [
            vreinterpretq_f32_f64(vtrn1q_f64(even, even_below)),
            vreinterpretq_f32_f64(vtrn1q_f64(odd, odd_below)),
            vreinterpretq_f32_f64(vtrn2q_f64(even, even_below)),
            vreinterpretq_f32_f64(vtrn2q_f64(odd, odd_below)),
        ]
    }
    #[inline(always)]
    unsafe fn repeat(from: *const f32) -> Self {
        vdupq_n_f32(from.read_unaligned())
    }
}

#[allow(unsafe_op_in_unsafe_fn)]
impl Spread<1, 2> for float64x2_t {
    #[inline(always)]
    unsafe fn spread(from: *const f64, row: isize) -> [Self; 2] {
        let (a, b) = (vld1q_f64(from), vld1q_f64(from.offset(row)));
        [vtrn1q_f64(a, b), vtrn2q_f64(a, b)]
    }
    #[inline(always)]
    unsafe fn repeat(from: *const f64) -> Self {
        vdupq_n_f64(from.read_unaligned())
    }
}
