//! Products with factors of operands and of C.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::super::number::{Number, Real};
use super::super::simd::{Vectors, vectors};
use super::super::threads::{self, Product};
use super::super::view::View;
use super::leaf::{self, Rows};
use super::packed;
use super::split::Part;
use super::tiny::{Places, Tiny};
use hotloops::matmul::Strides;

/// Multiply-adds for which operands are packed.
const WORTH: Range<usize> = 100 * 100 * 100..400 * 400 * 400;
/// Elements of a copy on the stack.
const SMALL: usize = 4096;

/// `C = alpha A B + beta C`, as [`Product::product`], which copies an operand of real numbers for an alpha
/// that is not 1 and then reads the other one in place, if its rows are contiguous. This packs both, if
/// the work is worth it, and scales small matrices in vectors.
///
/// # Safety
/// As for [`Product::product`].
pub(in super::super) unsafe fn product<T: Number>(alpha: T, a: View<T>, b: View<T>, beta: T, c: View<T>) {
    let (one, is_line) = (T::one(), c.strides.row == 1 || c.strides.column == 1);
    let is_plain = alpha == one && (beta == one || beta == T::zero());
    // SAFETY: the caller's contract.
    unsafe {
        if !T::IS_COMPLEX
            && !is_plain
            && is_line
            && let Some(vectors) = vectors()
        {
            let work = threads::terms::<T>([c.rows, c.columns], a.columns);
            let (left, right) = if c.strides.row == 1 { (b.transposed(), a.transposed()) } else { (a, b) };
            let are_in_rows = left.strides.column.abs() == 1 && right.strides.column.abs() == 1;
            let is_large = WORTH.contains(&work) && c.rows.min(c.columns).min(a.columns) >= 16;
            if alpha != one && is_large && are_in_rows {
                return packed::product(alpha, a, b.transposed(), beta, c);
            }
            let is_line = a.strides.row == 1 || a.strides.column == 1;
            if work < WORTH.start && alpha != T::zero() && is_line && a.rows * a.columns <= SMALL {
                let [a, b, c] = [a, b, c].map(|x| View::new(x.at.cast::<T::Real>(), x.rows, x.columns, x.strides));
                return small(vectors, alpha.re(), a, b, beta.re(), c);
            }
        }
        T::product(alpha, a, b, beta, c);
    }
}

/// [`product`] for an A of at most [`SMALL`] elements, whose rows or columns are contiguous, as those of C.
unsafe fn small<R: Real>(vectors: Vectors, alpha: R, a: View<R>, b: View<R>, beta: R, c: View<R>) {
    let (zero, one) = (R::zero(), R::one());
    let operand = |of: View<R>| (Places::Strided(of.at, 0), of.strides);
    let sizes = [c.rows, c.columns, a.columns];
    let tiny = Tiny { count: 1, sizes, alpha, a: operand(a), b: operand(b), beta, c: operand(c) };
    if tiny.is_tiny() {
        // SAFETY: the caller's contract.
        return unsafe { R::run_in(vectors, &tiny) };
    }
    let mut copy = MaybeUninit::<[R; SMALL]>::uninit();
    let copy: *mut R = copy.as_mut_ptr().cast();
    let mut scaled = a;
    // SAFETY: the caller's contract, throughout.
    unsafe {
        if beta != zero {
            leaf::scale(Some(vectors), beta, c, Part::Whole, 0);
        }
        if alpha != one {
            // In lines as the kernel reads them fastest: columns for a C in columns.
            let in_columns = if c.strides.column == 1 { a.strides.column != 1 } else { true };
            let lines = if in_columns { a.transposed() } else { a };
            let size = [lines.rows, lines.columns];
            let to = (copy, size[1] as isize);
            if lines.strides.column == 1 {
                let from = (lines.at.cast_const(), lines.strides.row);
                Rows { factor: alpha, from, to, size, part: Part::Whole, diagonal: 0 }.copy(Some(vectors));
            } else {
                R::transpose([size[1], size[0]], (lines.at.cast_const(), lines.strides.column), to);
                (R::VECTORS.scal)(alpha, copy, size[0] * size[1]);
            }
            let strides = if in_columns { Strides::column_major(a.rows) } else { Strides::row_major(a.columns) };
            scaled = View::new(copy, a.rows, a.columns, strides);
        }
        R::product_alone(one, scaled, b, if beta == zero { zero } else { one }, c);
    }
}
