//! Pairs of points.

use core::arch::x86_64::*;
use core::array::from_fn;

use super::ONE_PAIR;

/// A row of points.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub x: *const i32,
    pub psi: *const i16,
    pub len: usize,
}

impl Row {
    /// x and the orientation of point `i`.
    ///
    /// # Safety
    /// `i` < `self.len`.
    #[inline(always)]
    pub unsafe fn point(self, i: usize) -> (isize, i32) {
        // SAFETY: the caller's contract.
        unsafe { (self.x.add(i).read_unaligned() as isize, self.psi.cast::<i32>().add(i).read_unaligned()) }
    }

    /// The words of other x = 0, for points `i` and on; their orientations go to `psi`.
    ///
    /// # Safety
    /// `i` + `WIDTH` <= `self.len`; `psi` has 4 `WIDTH` bytes.
    #[inline(always)]
    pub unsafe fn block<const WIDTH: usize>(self, i: usize, words: *mut i64, psi: *mut u8) -> [*mut i64; WIDTH] {
        // SAFETY: the caller's contract; k < WIDTH.
        unsafe {
            self.psi.cast::<u8>().add(4 * i).copy_to_nonoverlapping(psi, 4 * WIDTH);
            from_fn(|k| words.wrapping_offset(-self.point(i + k).0))
        }
    }
}

/// Adds two values to the words `at` of two points, or one to that of one. Half of them are added in vectors, as neither the
/// operations on integers nor the way to their registers are enough for one pair a cycle.
///
/// # Safety
/// The words can be read and written.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) unsafe fn add(origins: &[*mut i64], at: isize, values: __m128i) {
    // SAFETY: the caller's contract.
    unsafe {
        if let [first, ..] = origins {
            let word = first.wrapping_offset(at);
            word.write_unaligned(word.read_unaligned().wrapping_add(_mm_cvtsi128_si64(values)));
        }
        if let [_, second] = origins {
            let word = second.wrapping_offset(at);
            let sum = _mm_add_epi64(_mm_loadl_epi64(word.cast()), _mm_unpackhi_epi64(values, values));
            // As a float, which compilers leave in the vector.
            word.cast::<f64>().write_unaligned(_mm_cvtsd_f64(_mm_castsi128_pd(sum)));
        }
    }
}

/// The pairs of `WIDTH` points of a row from `i` on, 8 at most, with another row.
///
/// # Safety
/// `i` + `WIDTH` <= `row.len`; the words of the pairs can be read and written.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn pairs<const WIDTH: usize>(row: Row, i: usize, other: Row, words: *mut i64) {
    let mut own = [_mm_setzero_si128(); 2];
    // SAFETY: the caller's contract.
    let origins = unsafe { row.block::<WIDTH>(i, words, own.as_mut_ptr().cast()) };
    for j in 0..other.len {
        // SAFETY: j < other.len.
        let (at, psi) = unsafe { other.point(j) };
        for (origins, own) in origins.chunks(4).zip(own) {
            let products = _mm_madd_epi16(own, _mm_set1_epi32(psi));
            // The upper halves of 2^47 and the products.
            let upper = _mm_add_epi32(_mm_srai_epi32::<31>(products), _mm_set1_epi32((ONE_PAIR >> 32) as i32));
            let values = [_mm_unpacklo_epi32(products, upper), _mm_unpackhi_epi32(products, upper)];
            for (origins, values) in origins.chunks(2).zip(values) {
                // SAFETY: the caller's contract.
                unsafe { add(origins, at, values) }
            }
        }
    }
}

#[target_feature(enable = "sse2")]
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
