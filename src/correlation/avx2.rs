//! Pairs of points.

use core::arch::x86_64::*;

use super::ONE_PAIR;
use super::sse2::{Row, add};

/// The pairs of `WIDTH` points of a row from `i` on, 8 at most, with another row.
///
/// # Safety
/// `i` + `WIDTH` <= `row.len`; the words of the pairs can be read and written.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
unsafe fn pairs<const WIDTH: usize>(row: Row, i: usize, other: Row, words: *mut i64) {
    let mut own = _mm256_setzero_si256();
    // SAFETY: the caller's contract.
    let origins = unsafe { row.block::<WIDTH>(i, words, (&raw mut own).cast()) };
    for j in 0..other.len {
        // SAFETY: j < other.len.
        let (at, psi) = unsafe { other.point(j) };
        let products = _mm256_madd_epi16(own, _mm256_set1_epi32(psi));
        // The upper halves of 2^47 and the products.
        let upper = _mm256_add_epi32(_mm256_srai_epi32::<31>(products), _mm256_set1_epi32((ONE_PAIR >> 32) as i32));
        let [even, odd] = [_mm256_unpacklo_epi32(products, upper), _mm256_unpackhi_epi32(products, upper)];
        let [first, second] = [_mm256_castsi256_si128(even), _mm256_castsi256_si128(odd)];
        let values = [first, second, _mm256_extracti128_si256::<1>(even), _mm256_extracti128_si256::<1>(odd)];
        for (origins, values) in origins.chunks(2).zip(values) {
            // SAFETY: the caller's contract.
            unsafe { add(origins, at, values) }
        }
    }
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
pub(super) unsafe extern "C" fn offsets(
    x: *const i32,
    psi: *const i16,
    n: usize,
    other_x: *const i32,
    other_psi: *const i16,
    m: usize,
    words: *mut i64,
) {
    let (row, other) = (Row { x, psi, len: n }, Row { x: other_x, psi: other_psi, len: m });
    // SAFETY: each block is within n points, and the caller's contract.
    unsafe {
        for i in (0..n & !7).step_by(8) {
            pairs::<8>(row, i, other, words);
        }
        if n & 4 != 0 {
            pairs::<4>(row, n & !7, other, words);
        }
        if n & 2 != 0 {
            pairs::<2>(row, n & !3, other, words);
        }
        if n & 1 != 0 {
            pairs::<1>(row, n & !1, other, words);
        }
    }
}
