//! Levels 2 and 3: matrices. Every product is one of hotloops' gemm.
#![allow(clippy::too_many_arguments)] // the arguments of BLAS

use core::ffi::c_int;

use hotloops::Error;
use hotloops::matmul::{self, MatMut, MatRef, Strides, Triangle};

use super::report::{Illegal, check};
use super::vectors::Vector;
use super::{CONJ_TRANS, Flag, LOWER, NO_TRANS, ROW_MAJOR, TRANS, UPPER};

impl Flag {
    fn is_trans(self) -> bool {
        [NO_TRANS, TRANS, CONJ_TRANS].contains(&self.0)
    }

    fn transposes(self) -> bool {
        self.0 != NO_TRANS
    }
}

/// Whether rows of op(A) are contiguous, rather than columns.
fn in_rows(layout: c_int, trans: Flag) -> bool {
    (layout == ROW_MAJOR) != trans.transposes()
}

/// Minimum stride of A, with the sizes of op(A).
fn min_stride(layout: c_int, trans: Flag, rows: c_int, columns: c_int) -> c_int {
    if in_rows(layout, trans) { columns.max(1) } else { rows.max(1) }
}

/// The strides of op(A).
fn strides(layout: c_int, trans: Flag, stride: c_int) -> Strides {
    match in_rows(layout, trans) {
        true => Strides::row_major(stride as usize),
        false => Strides::column_major(stride as usize),
    }
}

/// Ends the process if there is no memory for packed blocks: BLAS has no error code for it.
#[inline]
fn complete(done: Result<(), Error>) {
    if done.is_err() {
        // SAFETY: no precondition.
        unsafe { libc::abort() }
    }
}

/// # Safety
/// The pointers point to matrices of these sizes and strides. C is writable and overlaps neither A
/// nor B.
#[inline(always)]
pub(super) unsafe fn gemm<T: matmul::Element>(
    layout: c_int,
    transa: Flag,
    transb: Flag,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: T,
    a: *const T,
    lda: c_int,
    b: *const T,
    ldb: c_int,
    beta: T,
    c: *mut T,
    ldc: c_int,
) -> Result<(), Illegal> {
    check(
        layout,
        [
            (2, 2, !transa.is_trans(), c"transa"),
            (3, 2, !transb.is_trans(), c"transb"),
            (4, 5, m < 0, c"m"),
            (5, 4, n < 0, c"n"),
            (6, 6, k < 0, c"k"),
            (9, 11, lda < min_stride(layout, transa, m, k), c"lda"),
            (11, 9, ldb < min_stride(layout, transb, k, n), c"ldb"),
            (14, 14, ldc < min_stride(layout, Flag(NO_TRANS), m, n), c"ldc"),
        ],
    )?;
    let [m, n, k] = [m, n, k].map(|size| size as usize);
    // SAFETY: the caller's contract.
    complete(unsafe {
        matmul::gemm(
            alpha,
            MatRef::from_raw(a, m, k, strides(layout, transa, lda)),
            MatRef::from_raw(b, k, n, strides(layout, transb, ldb)),
            beta,
            MatMut::from_raw(c, m, n, strides(layout, Flag(NO_TRANS), ldc)),
        )
    });
    Ok(())
}

/// A product with `alpha x`, because scaling the vector is less work than scaling the matrix.
///
/// # Safety
/// The pointers point to a matrix and vectors of these sizes and strides. The elements of `y` are
/// writable and overlap nothing else.
pub(super) unsafe fn gemv<T: matmul::Element>(
    layout: c_int,
    trans: Flag,
    m: c_int,
    n: c_int,
    alpha: T,
    a: *const T,
    lda: c_int,
    x: *const T,
    incx: c_int,
    beta: T,
    y: *mut T,
    incy: c_int,
) -> Result<(), Illegal> {
    check(
        layout,
        [
            (2, 2, !trans.is_trans(), c"trans"),
            (3, 4, m < 0, c"m"),
            (4, 3, n < 0, c"n"),
            (7, 7, lda < min_stride(layout, Flag(NO_TRANS), m, n), c"lda"),
            (9, 9, incx == 0, c"incx"),
            (12, 12, incy == 0, c"incy"),
        ],
    )?;
    if m == 0 || n == 0 || (alpha == T::ZERO && beta == T::ONE) {
        return Ok(());
    }
    let (rows, columns) = if trans.transposes() { (n, m) } else { (m, n) };
    let (x, y) = (Vector::new(columns, x, incx), Vector::new(rows, y, incy));
    let (strides, single) = (strides(layout, trans, lda), Strides { row: 1, column: 1 });
    // SAFETY: the caller's contract, throughout.
    unsafe {
        if alpha == T::ZERO && beta == T::ZERO {
            y.clear();
        } else if beta != T::ZERO && beta != T::ONE {
            y.scale(beta);
        }
        if alpha == T::ZERO {
            return Ok(());
        }
        x.pieces(alpha, |begin, x, k| {
            let a = MatRef::from_raw(a.wrapping_offset(begin as isize * strides.column), y.n, k, strides);
            let beta = if begin == 0 && beta == T::ZERO { T::ZERO } else { T::ONE };
            // A in rows, as A or as its transpose.
            complete(if strides.column == 1 {
                let y = MatMut::from_raw(y.first, y.n, 1, Strides { row: y.stride, ..single });
                matmul::gemm(T::ONE, a, MatRef::from_raw(x, k, 1, single), beta, y)
            } else {
                let y = MatMut::from_raw(y.first, 1, y.n, Strides { column: y.stride, ..single });
                matmul::gemm(T::ONE, MatRef::from_raw(x, 1, k, single), a.transposed(), beta, y)
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
pub(super) unsafe fn ger<T: matmul::Element>(
    layout: c_int,
    m: c_int,
    n: c_int,
    alpha: T,
    x: *const T,
    incx: c_int,
    y: *const T,
    incy: c_int,
    a: *mut T,
    lda: c_int,
) -> Result<(), Illegal> {
    check(
        layout,
        [
            (2, 3, m < 0, c"m"),
            (3, 2, n < 0, c"n"),
            (6, 8, incx == 0, c"incx"),
            (8, 6, incy == 0, c"incy"),
            (10, 10, lda < min_stride(layout, Flag(NO_TRANS), m, n), c"lda"),
        ],
    )?;
    if m == 0 || n == 0 || alpha == T::ZERO {
        return Ok(());
    }
    let (x, y) = ((Vector::new(m, x, incx), alpha), (Vector::new(n, y, incy), T::ONE));
    // A in rows: A itself or its transpose.
    let ((x, x_factor), (y, y_factor)) = if layout == ROW_MAJOR { (x, y) } else { (y, x) };
    let (rows, single) = (Strides::row_major(lda as usize), Strides { row: 1, column: 1 });
    // SAFETY: the caller's contract.
    unsafe {
        x.pieces(x_factor, |i, x, m| {
            y.pieces(y_factor, |j, y, n| {
                let a = MatMut::from_raw(a.wrapping_offset(i as isize * rows.row).wrapping_add(j), m, n, rows);
                let (x, y) = (MatRef::from_raw(x, m, 1, single), MatRef::from_raw(y, 1, n, single));
                complete(matmul::gemm(T::ONE, x, y, T::ONE, a));
            });
        });
    }
    Ok(())
}

/// # Safety
/// The pointers point to matrices of these sizes and strides. The triangle of C is writable and
/// does not overlap A.
pub(super) unsafe fn syrk<T: matmul::Element>(
    layout: c_int,
    uplo: Flag,
    trans: Flag,
    n: c_int,
    k: c_int,
    alpha: T,
    a: *const T,
    lda: c_int,
    beta: T,
    c: *mut T,
    ldc: c_int,
) -> Result<(), Illegal> {
    check(
        layout,
        [
            (2, 3, ![UPPER, LOWER].contains(&uplo.0), c"uplo"),
            (3, 3, !trans.is_trans(), c"trans"),
            (4, 4, n < 0, c"n"),
            (5, 5, k < 0, c"k"),
            (8, 8, lda < min_stride(layout, trans, n, k), c"lda"),
            (11, 11, ldc < n.max(1), c"ldc"),
        ],
    )?;
    if n == 0 || (alpha == T::ZERO || k == 0) && beta == T::ONE {
        return Ok(());
    }
    let (a_strides, c_strides) = (strides(layout, trans, lda), strides(layout, Flag(NO_TRANS), ldc));
    let triangle = if uplo.0 == LOWER { Triangle::Lower } else { Triangle::Upper };
    // SAFETY: the caller's contract.
    complete(unsafe {
        let a = MatRef::from_raw(a, n as usize, k as usize, a_strides);
        matmul::syrk(alpha, a, beta, MatMut::from_raw(c, n as usize, n as usize, c_strides), triangle)
    });
    Ok(())
}
