//! The kernel `offsets`: the loop over two rows of points, which all x86-64 instruction sets share.

use core::arch::x86_64::*;
use core::array::from_fn;

/// Orientations of 8 points of a row.
///
/// # Safety
/// The CPU has the instruction set, and the caller is compiled for it; methods are inlined there.
pub(super) trait OrientationBlock: Copy {
    unsafe fn load(psi: &[i32; 8]) -> Self;
    /// The values that the pairs with an orientation add to words, two per vector.
    unsafe fn values(self, psi: i32) -> [__m128i; 4];
}

/// A row of points.
#[derive(Clone, Copy)]
struct PointRow {
    x: *const i32,
    psi: *const i16,
    len: usize,
}

impl PointRow {
    /// x and the orientation of point `i`.
    ///
    /// # Safety
    /// `i` < `self.len`.
    #[inline(always)]
    unsafe fn point(self, i: usize) -> (isize, i32) {
        // SAFETY: the caller's contract.
        unsafe { (self.x.add(i).read_unaligned() as isize, self.psi.cast::<i32>().add(i).read_unaligned()) }
    }
}

/// For each of one or two points, adds its value to word `at` from its origin. The second value is
/// added in a vector register: one pair per cycle would need more integer additions, and more moves
/// to integer registers, than the ports allow.
///
/// # Safety
/// The words can be read and written.
#[inline(always)]
unsafe fn add(origins: &[*mut i64], at: isize, values: __m128i) {
    // SAFETY: the caller's contract.
    unsafe {
        if let [first, ..] = origins {
            let word = first.wrapping_offset(at);
            word.write_unaligned(word.read_unaligned().wrapping_add(_mm_cvtsi128_si64(values)));
        }
        if let [_, second] = origins {
            let word = second.wrapping_offset(at);
            let sum = _mm_add_epi64(_mm_loadl_epi64(word.cast()), _mm_unpackhi_epi64(values, values));
            // Stored as a float, so that compilers keep it in the vector register.
            word.cast::<f64>().write_unaligned(_mm_cvtsd_f64(_mm_castsi128_pd(sum)));
        }
    }
}

/// Adds the pairs of `WIDTH` (at most 8) points of `row`, from `i` on, with all points of `other`.
///
/// # Safety
/// `i` + `WIDTH` <= `row.len`; the words of the pairs can be read and written.
#[inline(always)]
unsafe fn pairs<B: OrientationBlock, const WIDTH: usize>(row: PointRow, i: usize, other: PointRow, words: *mut i64) {
    // SAFETY: points i + k < row.len and j < other.len, and the caller's contract.
    unsafe {
        let own = B::load(&from_fn(|k| if k < WIDTH { row.point(i + k).1 } else { 0 }));
        // For each point, its word for other x = 0.
        let origins: [_; WIDTH] = from_fn(|k| words.wrapping_offset(-row.point(i + k).0));
        for j in 0..other.len {
            let (at, psi) = other.point(j);
            for (origins, values) in origins.chunks(2).zip(own.values(psi)) {
                add(origins, at, values);
            }
        }
    }
}

/// The kernel.
///
/// # Safety
/// Same as for [`offsets`](super::offsets()).
#[inline(always)]
pub(super) unsafe fn offsets<B: OrientationBlock>(
    x: *const i32,
    psi: *const i16,
    n: usize,
    other_x: *const i32,
    other_psi: *const i16,
    m: usize,
    words: *mut i64,
) {
    let (row, other) = (PointRow { x, psi, len: n }, PointRow { x: other_x, psi: other_psi, len: m });
    let rest = n & !7;
    // SAFETY: each block is within n points, and the caller's contract.
    unsafe {
        for i in (0..rest).step_by(8) {
            pairs::<B, 8>(row, i, other, words);
        }
        match n & 7 {
            1 => pairs::<B, 1>(row, rest, other, words),
            2 => pairs::<B, 2>(row, rest, other, words),
            3 => pairs::<B, 3>(row, rest, other, words),
            4 => pairs::<B, 4>(row, rest, other, words),
            5 => pairs::<B, 5>(row, rest, other, words),
            6 => pairs::<B, 6>(row, rest, other, words),
            7 => pairs::<B, 7>(row, rest, other, words),
            _ => {}
        }
    }
}
