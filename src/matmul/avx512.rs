//! AVX-512.

use core::arch::x86_64::*;

use super::tiles::*;

kernels! {
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    f32 __m512 4
    block_f32 [2: 14 10 7 5 3 2 1] [1: 14 10 7 5 3 2 1]
    columns_f32 (1: 1 1 4 1) (2: 1 2 4 2) (3: 1 3 4 2) (4: 1 4 2 2) (6: 1 6 2 2) (8: 1 8 2 2), transpose_f32
}
kernels! {
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    f64 __m512d 2
    block_f64 [2: 14 10 7 5 3 2 1] [1: 14 10 7 5 3 2 1]
    columns_f64 (1: 1 1 8 1) (2: 1 2 4 2) (3: 1 3 4 2) (4: 1 4 2 2) (6: 1 6 2 2) (8: 1 8 2 2), transpose_f64
}

/// 4 elements from each of 4 rows, `step` apart.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
unsafe fn rows_f32(from: *const f32, step: isize) -> __m512 {
    // SAFETY: the caller's contract.
    unsafe {
        let rows = _mm512_castps128_ps512(_mm_loadu_ps(from));
        let rows = _mm512_insertf32x4::<1>(rows, _mm_loadu_ps(from.offset(step)));
        let rows = _mm512_insertf32x4::<2>(rows, _mm_loadu_ps(from.offset(2 * step)));
        _mm512_insertf32x4::<3>(rows, _mm_loadu_ps(from.offset(3 * step)))
    }
}

/// 2 elements from each of 4 rows, `step` apart.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
unsafe fn rows_f64(from: *const f64, step: isize) -> __m512d {
    // SAFETY: the caller's contract.
    unsafe {
        let rows = _mm512_castpd128_pd512(_mm_loadu_pd(from));
        let rows = _mm512_insertf64x2::<1>(rows, _mm_loadu_pd(from.offset(step)));
        let rows = _mm512_insertf64x2::<2>(rows, _mm_loadu_pd(from.offset(2 * step)));
        _mm512_insertf64x2::<3>(rows, _mm_loadu_pd(from.offset(3 * step)))
    }
}

// SAFETY: the contract of the trait, throughout.
#[allow(unsafe_op_in_unsafe_fn)]
impl Spread<1, 4> for __m512 {
    #[inline(always)]
    unsafe fn spread(from: *const f32, row: isize) -> [Self; 4] {
        let (a, b) = (rows_f32(from, 4 * row), rows_f32(from.offset(row), 4 * row));
        let (c, d) = (rows_f32(from.offset(2 * row), 4 * row), rows_f32(from.offset(3 * row), 4 * row));
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
        let (a, b) = (rows_f64(from, 2 * row), rows_f64(from.offset(row), 2 * row));
        [_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)]
    }
    #[inline(always)]
    unsafe fn repeat(from: *const f64) -> Self {
        _mm512_set1_pd(from.read_unaligned())
    }
}
