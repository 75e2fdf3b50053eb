//! Scaled copies of rows, whole or one triangle of them.

use core::ops::Range;

use super::super::super::number::{Number, Real};
use super::super::super::simd::{Lanes, Task, Vectors};
use super::super::super::view::View;
use super::super::split::Part;

/// `to = factor from` in the part, row by row; both may be the same rows.
pub(in super::super::super) struct Rows<R> {
    pub factor: R,
    /// Element (0, 0) and the distance of rows.
    pub from: (*const R, isize),
    pub to: (*mut R, isize),
    pub size: [usize; 2],
    pub part: Part,
    /// The column of row 0 that is on the diagonal of the part.
    pub diagonal: isize,
}

impl<R: Real> Rows<R> {
    #[inline(always)]
    fn columns(&self, i: usize) -> Range<usize> {
        self.part.columns_at(i as isize + self.diagonal, self.size[1])
    }

    /// Copies in vectors, if there are.
    ///
    /// # Safety
    /// The elements of the part are readable at `from` and writable at `to`; either the matrices are the same or they
    /// do not overlap.
    pub(in super::super::super) unsafe fn copy(&self, vectors: Option<Vectors>) {
        // SAFETY: the caller's contract.
        unsafe {
            match vectors {
                Some(vectors) => R::run_in(vectors, self),
                None => {
                    for i in 0..self.size[0] {
                        let (from, to) = self.row(i);
                        self.columns(i).for_each(|j| *to.add(j) = self.factor * *from.add(j));
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn row(&self, i: usize) -> (*const R, *mut R) {
        let at = |stride: isize| (i as isize).wrapping_mul(stride);
        (self.from.0.wrapping_offset(at(self.from.1)), self.to.0.wrapping_offset(at(self.to.1)))
    }
}

/// The contract of running it: that of [`copy`](Rows::copy).
impl<R: Real> Task<R> for Rows<R> {
    #[inline(always)]
    unsafe fn run<V: Lanes<R>>(&self) {
        // SAFETY: the caller's contract, throughout.
        unsafe {
            let factor = V::splat(self.factor);
            for i in 0..self.size[0] {
                let ((from, to), columns) = (self.row(i), self.columns(i));
                let mut j = columns.start;
                while j + V::LANES <= columns.end {
                    factor.times(V::load(from.add(j))).store(to.add(j));
                    j += V::LANES;
                }
                if j < columns.end {
                    let mask = V::mask(0, columns.end - j);
                    factor.times(V::load_masked(from.add(j), mask)).store_masked(to.add(j), mask);
                }
            }
        }
    }
}

/// `C = factor C` in the part, with `diagonal` as in [`Rows`]. If the factor is 0, C is not read.
///
/// # Safety
/// The elements of the part are readable and writable.
pub(in super::super::super) unsafe fn scale<T: Number>(
    vectors: Option<Vectors>,
    factor: T,
    c: View<T>,
    part: Part,
    diagonal: isize,
) {
    if factor == T::one() {
        return;
    }
    // Along contiguous lines.
    let (c, part, diagonal) = match c.strides.row.abs() == 1 && c.strides.column != 1 {
        true => (c.transposed(), part.transposed(), -diagonal),
        false => (c, part, diagonal),
    };
    // SAFETY: the caller's contract, throughout.
    unsafe {
        if !T::IS_COMPLEX && c.strides.column == 1 && factor != T::zero() {
            let (at, size) = (c.at.cast::<T::Real>(), [c.rows, c.columns]);
            let (from, to) = ((at.cast_const(), c.strides.row), (at, c.strides.row));
            return Rows { factor: factor.re(), from, to, size, part, diagonal }.copy(vectors);
        }
        for i in 0..c.rows {
            for j in part.columns_at(i as isize + diagonal, c.columns) {
                let at = c.pointer(i, j);
                *at = if factor == T::zero() { T::zero() } else { factor * *at };
            }
        }
    }
}
