//! Pairs of points.

use core::arch::x86_64::*;
use core::array::from_fn;

use super::ONE_PAIR;

/// The second of two rows, and the words of its pairs.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub x: *const i32,
    pub psi: *const i16,
    pub len: usize,
    pub words: *mut i64,
}

impl Row {
    /// The words of other x = 0, for each of some points.
    ///
    /// # Safety
    /// `x` points to `WIDTH` points.
    #[inline(always)]
    pub unsafe fn origins<const WIDTH: usize>(&self, x: *const i32) -> [*mut i64; WIDTH] {
        // SAFETY: k < WIDTH.
        from_fn(|k| self.words.wrapping_offset(-(unsafe { x.add(k).read_unaligned() } as isize)))
    }

    /// x and the orientation of point `j`.
    ///
    /// # Safety
    /// `j` < `self.len`.
    #[inline(always)]
    pub unsafe fn point(&self, j: usize) -> (isize, i32) {
        // SAFETY: the caller's contract.
        unsafe { (self.x.add(j).read_unaligned() as isize, self.psi.cast::<i32>().add(j).read_unaligned()) }
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
            let word = second.wrapping_offset(at).cast();
            _mm_storel_epi64(word, _mm_add_epi64(_mm_loadl_epi64(word), _mm_unpackhi_epi64(values, values)));
        }
    }
}

/// The pairs of `WIDTH` points, 8 at most, with a row.
///
/// # Safety
/// `x` and `psi` point to as many points, and their words with the row can be read and written.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn pairs<const WIDTH: usize>(x: *const i32, psi: *const i16, row: Row) {
    let mut own = [_mm_setzero_si128(); 2];
    // SAFETY: 4 WIDTH bytes, and the caller's contract.
    let origins: [_; WIDTH] = unsafe {
        psi.cast::<u8>().copy_to_nonoverlapping(own.as_mut_ptr().cast(), 4 * WIDTH);
        row.origins(x)
    };
    for j in 0..row.len {
        // SAFETY: j < row.len.
        let (at, psi) = unsafe { row.point(j) };
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
    let row = Row { x: other_x, psi: other_psi, len: m, words };
    // SAFETY: each block is within n points, and the caller's contract.
    unsafe {
        for i in (0..n & !7).step_by(8) {
            pairs::<8>(x.add(i), psi.add(2 * i), row);
        }
        if n & 4 != 0 {
            pairs::<4>(x.add(n & !7), psi.add(2 * (n & !7)), row);
        }
        if n & 2 != 0 {
            pairs::<2>(x.add(n & !3), psi.add(2 * (n & !3)), row);
        }
        if n & 1 != 0 {
            pairs::<1>(x.add(n - 1), psi.add(2 * (n - 1)), row);
        }
    }
}
