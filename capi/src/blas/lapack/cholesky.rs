//! `A = L L^T`, or `U^T U`.

use core::cmp::Ordering;
use core::mem::MaybeUninit;

use super::super::export::prelude::*;
use super::super::flags::{COLUMN_MAJOR, LOWER};
use super::super::level3::leaf::{PADDING, Scale, Step};
use super::super::level3::{Diagonal, Structured, Triangular, substitute, triangle};
use super::super::report::{Illegal, check};
use super::super::simd::vectors;
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

/// Order of a matrix that is factored in a buffer, and its length.
const SMALL: usize = 64;
const LENGTH: usize = SMALL * (SMALL + PADDING);

/// Columns that are transposed together.
const TOGETHER: usize = 8;

/// Factors a lower triangle of at most [`SMALL`] rows in vectors. If it returns false, nothing was
/// written: there are no vectors, or a minor is not positive.
///
/// # Safety
/// As for [`factor`].
unsafe fn small<T: Real>(a: View<T>) -> bool {
    let Some(vectors) = vectors() else { return false };
    let (n, stride) = (a.rows, a.rows + PADDING);
    let mut buffer = MaybeUninit::<[T; LENGTH]>::uninit();
    let buffer: View<T> = View::new(buffer.as_mut_ptr().cast(), n, n, Strides::column_major(stride));
    // SAFETY: the caller's contract; the buffer has room for the padded columns.
    unsafe {
        for j in 0..n {
            buffer.pointer(n, j).write_bytes(0, PADDING);
        }
        copy_triangle(a, buffer);
        for j in 0..n {
            let at = buffer.pointer(j, j);
            let square = *at;
            // Not positive, or NaN.
            if square.partial_cmp(&T::zero()) != Some(Ordering::Greater) {
                return false;
            }
            *at = square.root();
            let scale = Scale::Quotient(*at);
            let step = Step { at, stride, rows: n - j, columns: n - j, scale, symmetric: true };
            T::run_in(vectors, &step);
        }
        copy_triangle(buffer, a);
    }
    true
}

/// Copies a lower triangle. One of the two has contiguous columns.
///
/// # Safety
/// The triangles are readable and writable and do not overlap.
unsafe fn copy_triangle<T: Real>(from: View<T>, to: View<T>) {
    let n = from.rows;
    // SAFETY: the caller's contract, throughout.
    unsafe {
        if from.strides.row == 1 && to.strides.row == 1 {
            return (0..n).for_each(|j| from.pointer(j, j).copy_to_nonoverlapping(to.pointer(j, j), n - j));
        }
        for j in (0..n).step_by(TOGETHER) {
            let end = n.min(j + TOGETHER);
            for j in j..end {
                (j..end).for_each(|i| *to.pointer(i, j) = *from.pointer(i, j));
            }
            let (source, target) = (from.pointer(end, j), to.pointer(end, j));
            match from.strides.column == 1 {
                true => T::transpose([n - end, end - j], (source, from.strides.row), (target, to.strides.column)),
                false => T::transpose([end - j, n - end], (source, from.strides.column), (target, to.strides.row)),
            }
        }
    }
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
        if n <= SMALL && small(a) {
            return 0;
        }
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
