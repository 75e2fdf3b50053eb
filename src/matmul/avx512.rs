//! AVX-512. It has no kernels for transposition and for few columns of `f64`. These are bound by shuffles,
//! which have one port for 512 bits and two for 256, so AVX2 is at least as fast. The kernels for a
//! vector and for few columns of `f32` are bound by chains of additions, and longer vectors need fewer.

use core::arch::x86_64::*;

use super::avx2;
use super::strips::Spread;
use super::tiles::*;
use crate::frame::isa::avx512;

export_products! {
    avx512 f32 __m512
    [], outer_f32, [4 dots_f32], block_f32 (2: 8: 2 1) (4: 4: 4 3 2 1)
    [2: 14 12 10 8 7 6 5 4 3 2 1] [1: 14 12 10 8 7 6 5 4 3 2 1],
    4 vector_f32
}
export_products! {
    avx512 f64 __m512d
    [tiny_f64], outer_f64, [], block_f64 (2: 8: 2 1) (4: 4: 4 3 2 1)
    [2: 14 12 10 8 7 6 5 4 3 2 1] [1: 14 12 10 8 7 6 5 4 3 2 1],
    2 vector_f64
}

avx512! {
    #[allow(clippy::too_many_arguments)]
    pub(in crate::matmul) unsafe extern "C" fn columns_f32(
        m: usize,
        n: usize,
        k: usize,
        a: *const f32,
        a_row: isize,
        b: *const f32,
        b_row: isize,
        c: *mut f32,
        c_row: isize,
        accumulate: u32,
    ) {
        if m < 16 || k < 4 {
            // SAFETY: the same contract; a CPU with AVX-512 has AVX2.
            return unsafe { avx2::columns_f32(m, n, k, a, a_row, b, b_row, c, c_row, accumulate) };
        }
        let product = BlockArguments { m, n, k, a, a_row, a_column: 1, b, b_row, c, c_row, accumulate };
        let mut j = 0;
        while j < n {
            let mut width = n - j;
            // SAFETY: the contract of the kernel; strips lie in C.
            unsafe {
                export_products! {
                    @strips __m512 4 product j width
                        [(1: 1 1 4 1) (2: 1 2 4 1) (3: 1 3 4 1) (4: 1 4 4 1) (5: 1 5 2 1) (6: 1 6 2 1) (8: 1 8 2 1)]
                }
            }
            j += width;
        }
    }
}

avx512! {
    /// 4 elements of each of 4 rows, `row` apart.
    #[inline]
    unsafe fn rows_f32(from: *const f32, row: isize) -> __m512 {
        // SAFETY: the caller's contract.
        unsafe {
            let at = |r: isize| _mm_loadu_ps(from.offset(r * row));
            let rows = _mm512_castps128_ps512(at(0));
            let rows = _mm512_mask_broadcast_f32x4(rows, 0x00f0, at(1));
            let rows = _mm512_mask_broadcast_f32x4(rows, 0x0f00, at(2));
            _mm512_mask_broadcast_f32x4(rows, 0xf000, at(3))
        }
    }
}

// SAFETY: the contract of the trait, throughout.
#[allow(unsafe_op_in_unsafe_fn)]
impl Spread<1, 4> for __m512 {
    #[inline(always)]
    unsafe fn spread(from: *const f32, row: isize) -> [Self; 4] {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| rows_f32(from.offset(i * row), 4 * row));
        let (low, high) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
        let (low_below, high_below) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
        [
            _mm512_shuffle_ps::<0x44>(low, low_below),
            _mm512_shuffle_ps::<0xee>(low, low_below),
            _mm512_shuffle_ps::<0x44>(high, high_below),
            _mm512_shuffle_ps::<0xee>(high, high_below),
        ]
    }
    #[inline(always)]
    unsafe fn repeat(from: *const f32) -> Self {
        _mm512_set1_ps(from.read_unaligned())
    }
}

#[allow(unsafe_op_in_unsafe_fn)]
impl Spread<1, 2> for __m512d {
    #[inline(always)]
    unsafe fn spread(from: *const f64, row: isize) -> [Self; 2] {
        let rows = |from: *const f64| _mm512_castps_pd(rows_f32(from.cast(), 4 * row));
        let (a, b) = (rows(from), rows(from.offset(row)));
        [_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)]
    }
    #[inline(always)]
    unsafe fn repeat(from: *const f64) -> Self {
        _mm512_set1_pd(from.read_unaligned())
    }
}
