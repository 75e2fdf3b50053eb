//! AVX2.

use core::arch::x86_64::*;

use super::strips::Spread;
use super::tiles::*;
use super::transpose::transpose;
use crate::frame::isa::avx2;

export_products! {
    avx2 f32 __m256
    [tiny_f32], outer_f32, [4 dots_f32], block_f32 [2: 6 5 4 3 2 1] [1: 12 8 6 4 3 2 1],
    4 vector_f32, columns_f32 [(1: 1 1 4 1) (2: 2 1 4 2) (4: 2 2 3 3) (6: 2 3 2 2) (8: 2 4 2 2)], transpose_f32
}
export_products! {
    avx2 f64 __m256d
    [tiny_f64], outer_f64, [4 dots_f64], block_f64 [2: 6 5 4 3 2 1] [1: 12 8 6 4 3 2 1],
    2 vector_f64, columns_f64 [(1: 1 1 4 1) (2: 1 2 3 3) (3: 1 3 2 2) (4: 1 4 2 2) (6: 2 3 2 2) (8: 2 4 2 2)],
        transpose_f64
}

avx2! {
    /// 4 elements of one row and 4 elements of another.
    #[inline]
    unsafe fn rows_f32(low: *const f32, high: *const f32) -> __m256 {
        // SAFETY: the caller's contract; the `asm!` block holds no instruction.
        unsafe {
            #[cfg_attr(miri, allow(unused_mut))]
            let mut low = _mm256_castps128_ps256(_mm_loadu_ps(low));
            #[cfg_attr(miri, allow(unused_mut))]
            let mut both = _mm256_broadcast_ps(&high.cast::<__m128>().read_unaligned());
            // A blend runs on any port. The compiler would turn it into an insertion, which runs on
            // a single port on Zen, one that multiplications need.
            #[cfg(not(miri))]
            core::arch::asm!(
                "/* {0} {1} */",
                inout(ymm_reg) low,
                inout(ymm_reg) both,
                options(pure, nomem, nostack, preserves_flags),
            );
            _mm256_blend_ps::<0xf0>(low, both)
        }
    }

    /// 2 elements of one row and 2 elements of another.
    #[inline]
    unsafe fn rows_f64(low: *const f64, high: *const f64) -> __m256d {
        // SAFETY: the same contract.
        unsafe { _mm256_castps_pd(rows_f32(low.cast(), high.cast())) }
    }
}

// SAFETY: the contract of the trait, throughout.
#[allow(unsafe_op_in_unsafe_fn)]
impl Spread<1, 4> for __m256 {
    #[inline(always)]
    unsafe fn spread(from: *const f32, row: isize) -> [Self; 4] {
        let below = from.offset(4 * row);
        let (a, b) = (rows_f32(from, below), rows_f32(from.offset(row), below.offset(row)));
        let (c, d) = (
            rows_f32(from.offset(2 * row), below.offset(2 * row)),
            rows_f32(from.offset(3 * row), below.offset(3 * row)),
        );
        let (low, high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (low_below, high_below) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<0x44>(low, low_below),
            _mm256_shuffle_ps::<0xee>(low, low_below),
            _mm256_shuffle_ps::<0x44>(high, high_below),
            _mm256_shuffle_ps::<0xee>(high, high_below),
        ]
    }
    #[inline(always)]
    unsafe fn repeat(from: *const f32) -> Self {
        _mm256_set1_ps(from.read_unaligned())
    }
}

#[allow(unsafe_op_in_unsafe_fn)]
impl Spread<2, 4> for __m256 {
    #[inline(always)]
    unsafe fn spread(from: *const f32, row: isize) -> [Self; 4] {
        let (a, b) = (rows_f32(from, from.offset(2 * row)), rows_f32(from.offset(row), from.offset(3 * row)));
        [
            _mm256_shuffle_ps::<0x00>(a, b),
            _mm256_shuffle_ps::<0x55>(a, b),
            _mm256_shuffle_ps::<0xaa>(a, b),
            _mm256_shuffle_ps::<0xff>(a, b),
        ]
    }
    #[inline(always)]
    unsafe fn repeat(from: *const f32) -> Self {
        _mm256_castpd_ps(_mm256_set1_pd(from.cast::<f64>().read_unaligned()))
    }
}

#[allow(unsafe_op_in_unsafe_fn)]
impl Spread<1, 2> for __m256d {
    #[inline(always)]
    unsafe fn spread(from: *const f64, row: isize) -> [Self; 2] {
        let below = from.offset(2 * row);
        let (a, b) = (rows_f64(from, below), rows_f64(from.offset(row), below.offset(row)));
        [_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)]
    }
    #[inline(always)]
    unsafe fn repeat(from: *const f64) -> Self {
        _mm256_set1_pd(from.read_unaligned())
    }
}

#[allow(unsafe_op_in_unsafe_fn)]
impl Spread<2, 2> for __m256d {
    #[inline(always)]
    unsafe fn spread(from: *const f64, row: isize) -> [Self; 2] {
        let rows = rows_f64(from, from.offset(row));
        [_mm256_unpacklo_pd(rows, rows), _mm256_unpackhi_pd(rows, rows)]
    }
    #[inline(always)]
    unsafe fn repeat(from: *const f64) -> Self {
        _mm256_broadcast_pd(&from.cast::<__m128d>().read_unaligned())
    }
}
