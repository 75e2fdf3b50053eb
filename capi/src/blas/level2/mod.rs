//! Level 2: a matrix and vectors. Every product is one of hotloops' gemm.
#![allow(clippy::too_many_arguments)] // the arguments of BLAS

use hotloops::matmul::{self, MatMut, MatRef, Strides};

use super::complete;
use super::export::prelude::*;
use super::flags::{NO_TRANS, ROW_MAJOR, min_stride, strides};
use super::report::{Illegal, check};
use super::vector::Vector;

routines! { real:
    gemv[layout](
        trans: Trans, m: Int, n: Int, alpha: T, a: *const T, lda: Int, x: *const T, incx: Int, beta: T, y: *mut T,
        incy: Int
    );
    ger[layout](m: Int, n: Int, alpha: T, x: *const T, incx: Int, y: *const T, incy: Int, a: *mut T, lda: Int);
}

/// A product with `alpha x`, because scaling the vector is less work than scaling the matrix.
///
/// # Safety
/// The pointers point to a matrix and vectors of these sizes and strides. The elements of `y` are
/// writable and overlap nothing else.
unsafe fn gemv<T: Real>(
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
    if m == 0 || n == 0 || (alpha == T::zero() && beta == T::one()) {
        return Ok(());
    }
    let (rows, columns) = if trans.transposes() { (n, m) } else { (m, n) };
    let (x, y) = (Vector::new(columns, x, incx), Vector::new(rows, y, incy));
    let (strides, single) = (strides(layout, trans, lda), Strides { row: 1, column: 1 });
    // SAFETY: the caller's contract, throughout.
    unsafe {
        if alpha == T::zero() && beta == T::zero() {
            y.clear();
        } else if beta != T::zero() && beta != T::one() {
            y.scale(beta);
        }
        if alpha == T::zero() {
            return Ok(());
        }
        x.pieces(alpha, |begin, x, k| {
            let a = MatRef::from_raw(a.wrapping_offset(begin as isize * strides.column), y.n, k, strides);
            let beta = if begin == 0 && beta == T::zero() { T::zero() } else { T::one() };
            // A in rows, as A or as its transpose.
            complete(if strides.column == 1 {
                let y = MatMut::from_raw(y.first, y.n, 1, Strides { row: y.stride, ..single });
                matmul::gemm(T::one(), a, MatRef::from_raw(x, k, 1, single), beta, y)
            } else {
                let y = MatMut::from_raw(y.first, 1, y.n, Strides { column: y.stride, ..single });
                matmul::gemm(T::one(), MatRef::from_raw(x, 1, k, single), a.transposed(), beta, y)
            });
        });
    }
    Ok(())
}

/// Computes `A = (alpha x) y^T + A`, a product with k = 1.
///
/// # Safety
/// The pointers point to a matrix and vectors of these sizes and strides. The elements of `a` are
/// writable and overlap nothing else.
unsafe fn ger<T: Real>(
    layout: Int,
    m: Int,
    n: Int,
    alpha: T,
    x: *const T,
    incx: Int,
    y: *const T,
    incy: Int,
    a: *mut T,
    lda: Int,
) -> Result<(), Illegal> {
    check(
        layout,
        [
            (2, 3, m < 0, c"m"),
            (3, 2, n < 0, c"n"),
            (6, 8, incx == 0, c"incx"),
            (8, 6, incy == 0, c"incy"),
            (10, 10, lda < min_stride(layout, Trans(NO_TRANS), m, n), c"lda"),
        ],
    )?;
    if m == 0 || n == 0 || alpha == T::zero() {
        return Ok(());
    }
    let (x, y) = ((Vector::new(m, x, incx), alpha), (Vector::new(n, y, incy), T::one()));
    // A in rows: A itself or its transpose.
    let ((x, x_factor), (y, y_factor)) = if layout == ROW_MAJOR { (x, y) } else { (y, x) };
    let (rows, single) = (Strides::row_major(lda as usize), Strides { row: 1, column: 1 });
    // SAFETY: the caller's contract.
    unsafe {
        x.pieces(x_factor, |i, x, m| {
            y.pieces(y_factor, |j, y, n| {
                let a = MatMut::from_raw(a.wrapping_offset(i as isize * rows.row).wrapping_add(j), m, n, rows);
                let (x, y) = (MatRef::from_raw(x, m, 1, single), MatRef::from_raw(y, 1, n, single));
                complete(matmul::gemm(T::one(), x, y, T::one(), a));
            });
        });
    }
    Ok(())
}
