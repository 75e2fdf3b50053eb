//! `A = L L^T`, or `U^T U`.

use core::cmp::Ordering;

use super::super::export::prelude::*;
use super::super::flags::{COLUMN_MAJOR, LOWER};
use super::super::level3::{Diagonal, Structured, Triangular, substitute, triangle};
use super::super::report::{Illegal, check};
use super::super::view::View;
use hotloops::matmul::Strides;

macro_rules! names {
    ($($name:literal $type:ident)+) => {$(
        fortran_routine! { $name, $type: potrf::<$type>, (uplo: Uplo, n: Int, a: *mut T, lda: Int, info: *mut Int) }
    )+};
}
names! { "spotrf" f32 "dpotrf" f64 "spotrf2" f32 "dpotrf2" f64 }

/// Columns that are factored one by one.
const PANEL: usize = 32;

/// # Safety
/// `a` points to a matrix in columns, of which the triangle is writable; so is `info`.
unsafe fn potrf<T: Real + Structured>(uplo: Uplo, n: Int, a: *mut T, lda: Int, info: *mut Int) -> Result<(), Illegal> {
    let checks = [(2, 2, !uplo.is_legal(), c"uplo"), (3, 3, n < 0, c"n"), (5, 5, lda < n.max(1), c"lda")];
    // SAFETY: the caller's contract.
    check(COLUMN_MAJOR, checks).inspect_err(|illegal| unsafe { *info = illegal.of_lapack() })?;
    let a = View::new(a, n as usize, n as usize, Strides::column_major(lda as usize));
    // SAFETY: the caller's contract.
    unsafe { super::put(info, factor(if uplo.0 == LOWER { a } else { a.transposed() })) };
    Ok(())
}

/// Factors a lower triangle by halves. Returns the order of the first leading minor that is not
/// positive, or 0.
///
/// # Safety
/// The triangle is writable.
unsafe fn factor<T: Real + Structured>(a: View<T>) -> usize {
    let n = a.rows;
    // SAFETY: the caller's contract; the blocks are disjoint.
    unsafe {
        if n <= PANEL {
            return panel(a);
        }
        let middle = (n / 2).next_multiple_of(PANEL).min(n - 1);
        let (first, second) = (0..middle, middle..n);
        let [upper, lower] = [&first, &second].map(|range| a.block(range.clone(), range.clone()));
        let minor = factor(upper);
        if minor > 0 {
            return minor;
        }
        let below = a.block(second, first);
        substitute(Triangular { view: upper, lower: true, diagonal: Diagonal::Stored }, below.transposed());
        triangle::product(-T::one(), below, below.transposed(), T::one(), lower, true);
        match factor(lower) {
            0 => 0,
            minor => middle + minor,
        }
    }
}

/// At most [`PANEL`] columns.
///
/// # Safety
/// As for [`factor`].
unsafe fn panel<T: Real>(a: View<T>) -> usize {
    for j in 0..a.rows {
        // SAFETY: the caller's contract.
        unsafe {
            let column = a.block(j..a.rows, j..j + 1);
            let before = a.block(j..a.rows, 0..j);
            T::product_alone(-T::one(), before, a.block(j..j + 1, 0..j).transposed(), T::one(), column);
            let square = *column.at;
            // Not positive, or NaN.
            if square.partial_cmp(&T::zero()) != Some(Ordering::Greater) {
                return j + 1;
            }
            let root = square.root();
            *column.at = root;
            for i in 1..column.rows {
                let x = column.pointer(i, 0);
                *x = (*x).quotient(root);
            }
        }
    }
    0
}
