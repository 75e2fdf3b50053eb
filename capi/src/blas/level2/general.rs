//! Any matrix, dense or a band, times a vector.

use super::super::export::prelude::*;
use super::super::flags::{CONJ_TRANS, NO_TRANS, min_stride};
use super::super::report::{Illegal, check};
use super::super::vector::Vector;
use super::collect::collect_in_vectors;
use super::lines::{Lines, Order};
use super::spread::spread_in_vectors;
use super::sums::Sums;
use super::vectors::{Contiguous, Output, scale};

routines! { all:
    gemv[layout](
        trans: Trans, m: Int, n: Int, alpha: T, a: *const T, lda: Int, x: *const T, incx: Int, beta: T, y: *mut T,
        incy: Int
    );
    gbmv[layout](
        trans: Trans, m: Int, n: Int, kl: Int, ku: Int, alpha: T, a: *const T, lda: Int, x: *const T, incx: Int,
        beta: T, y: *mut T, incy: Int
    );
}

/// # Safety
/// The pointers point to a matrix and vectors of these sizes and strides. The elements of `y` are
/// writable and overlap nothing else.
unsafe fn gemv<T: Number>(
    layout: Int,
    trans: Trans,
    m: Int,
    n: Int,
    alpha: T,
    a: *const T,
    lda: Int,
    x: *const T,
    incx: Int,
    beta: T,
    y: *mut T,
    incy: Int,
) -> Result<(), Illegal> {
    check(
        layout,
        [
            (2, 2, !trans.is_legal(), c"trans"),
            (3, 4, m < 0, c"m"),
            (4, 3, n < 0, c"n"),
            (7, 7, lda < min_stride(layout, Trans(NO_TRANS), m, n), c"lda"),
            (9, 9, incx == 0, c"incx"),
            (12, 12, incy == 0, c"incy"),
        ],
    )?;
    let (count, length) = if layout == COLUMN_MAJOR { (n, m) } else { (m, n) };
    let lines = Lines::dense(a, count as usize, length as usize, lda as usize);
    // SAFETY: the caller's contract.
    unsafe { product(lines, layout, trans, alpha, (x, incx), beta, (y, incy)) }
    Ok(())
}

/// # Safety
/// As for [`gemv`].
unsafe fn gbmv<T: Number>(
    layout: Int,
    trans: Trans,
    m: Int,
    n: Int,
    kl: Int,
    ku: Int,
    alpha: T,
    a: *const T,
    lda: Int,
    x: *const T,
    incx: Int,
    beta: T,
    y: *mut T,
    incy: Int,
) -> Result<(), Illegal> {
    check(
        layout,
        [
            (2, 2, !trans.is_legal(), c"trans"),
            (3, 4, m < 0, c"m"),
            (4, 3, n < 0, c"n"),
            (5, 6, kl < 0, c"kl"),
            (6, 5, ku < 0, c"ku"),
            (9, 9, lda <= kl.saturating_add(ku), c"lda"),
            (11, 11, incx == 0, c"incx"),
            (14, 14, incy == 0, c"incy"),
        ],
    )?;
    let is_column_major = layout == COLUMN_MAJOR;
    let size = if is_column_major { [n, m] } else { [m, n] };
    let (before, after) = if is_column_major { (ku, kl) } else { (kl, ku) };
    let lines = Lines::band(a, size.map(|size| size as usize), lda as usize, before as usize, after as usize);
    // SAFETY: the caller's contract.
    unsafe { product(lines, layout, trans, alpha, (x, incx), beta, (y, incy)) }
    Ok(())
}

/// `y = alpha op(A) x + beta y`; nothing if A has no element.
///
/// # Safety
/// As for [`gemv`].
unsafe fn product<T: Number>(
    lines: Lines<T>,
    layout: Int,
    trans: Trans,
    alpha: T,
    (x, incx): (*const T, Int),
    beta: T,
    (y, incy): (*mut T, Int),
) {
    if lines.count == 0 || lines.length == 0 || alpha == T::zero() && beta == T::one() {
        return;
    }
    let by_columns = (layout == COLUMN_MAJOR) != trans.transposes();
    let (from, to) = if by_columns { (lines.count, lines.length) } else { (lines.length, lines.count) };
    let (x, y) = (Vector::new(from as Int, x, incx), Vector::new(to as Int, y, incy));
    // SAFETY: the caller's contract.
    unsafe {
        if alpha == T::zero() {
            return scale(y, beta);
        }
        let x = Contiguous::new(x, if T::IS_COMPLEX { T::one() } else { alpha });
        let output = Output::begin(y, beta);
        multiply(&lines, by_columns, x.at, output.sums);
        output.end(alpha, T::IS_COMPLEX && trans.0 == CONJ_TRANS, beta);
    }
}

/// Lines that are spread at a time where they differ in their elements.
const SPREAD: usize = 64;

/// Lines that are collected at a time where they differ in their elements.
const COLLECTED: usize = 16;

/// Adds A x to the sums, where the lines are the columns or else the rows of A; a diagonal of ones is
/// not part of it.
///
/// # Safety
/// The lines and x are readable, the sums are writable and overlap neither.
pub(super) unsafe fn multiply<T: Number>(lines: &Lines<T>, by_columns: bool, x: *const T, sums: Sums<T>) {
    let (block, clip, order) = (0..lines.count, 0..lines.length, Order::Ascending);
    let in_vectors = (!lines.is_full() || T::IS_COMPLEX && !by_columns && lines.count >= COLLECTED)
        // SAFETY: the caller's contract.
        && unsafe {
            match by_columns {
                true => spread_in_vectors(sums, lines, block, clip, order, x),
                false => collect_in_vectors(sums, lines, block, clip, order, x),
            }
        };
    if in_vectors {
        return;
    }
    let size = match (lines.is_full(), by_columns) {
        (true, _) => lines.count,
        (false, true) => SPREAD,
        (false, false) => COLLECTED.min(lines.width()),
    };
    for block in Order::Ascending.blocks(0..lines.count, size) {
        // SAFETY: the caller's contract.
        unsafe {
            if by_columns {
                sums.spread(lines, block, 0..lines.length, Order::Ascending, x);
            } else {
                sums.collect(lines, block, 0..lines.length, (Order::Ascending, false), x);
            }
        }
    }
}
