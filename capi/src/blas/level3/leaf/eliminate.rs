//! A step of a factorization: a column is scaled, and its products are subtracted from those after it.

use super::super::super::number::Real;
use super::super::super::simd::{Lanes, Task};

/// A step on a matrix in columns, [`PADDING`] elements longer than their rows: what is beyond the rows
/// is overwritten.
pub(in super::super::super) struct Step<R> {
    /// The element on the diagonal.
    pub at: *mut R,
    pub stride: usize,
    /// Rows and columns from the diagonal on.
    pub rows: usize,
    pub columns: usize,
    pub scale: Scale<R>,
    /// Whether the factors of the columns are the elements of this column, rather than those of this
    /// row, and only their elements from the diagonal on are needed.
    pub symmetric: bool,
}

/// How the elements below the diagonal are scaled.
#[derive(Clone, Copy, PartialEq)]
pub(in super::super::super) enum Scale<R> {
    None,
    Quotient(R),
    Product(R),
}

/// Elements that follow each column.
pub(in super::super::super) const PADDING: usize = 16;

/// The contract of running it: the elements and the padding are readable and writable.
impl<R: Real> Task<R> for Step<R> {
    #[inline(always)]
    unsafe fn run<V: Lanes<R>>(&self) {
        let Step { at, stride, rows, columns, scale, symmetric } = *self;
        // SAFETY: the caller's contract, throughout.
        unsafe {
            let mut i = 1;
            while i < rows && scale != Scale::None {
                let x = V::load(at.add(i));
                let x = match scale {
                    Scale::None => x,
                    Scale::Quotient(by) => x.over(V::splat(by)),
                    Scale::Product(by) => V::splat(by).times(x),
                };
                x.store(at.add(i));
                i += V::LANES;
            }
            for j in 1..columns {
                let column = at.add(j * stride);
                let factor = V::splat(-*if symmetric { at.add(j) } else { column });
                let mut i = if symmetric { j } else { 1 };
                while i < rows {
                    factor.fma(V::load(at.add(i)), V::load(column.add(i))).store(column.add(i));
                    i += V::LANES;
                }
            }
        }
    }
}
