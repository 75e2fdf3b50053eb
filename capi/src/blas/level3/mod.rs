//! Level 3: products of matrices.
#![allow(clippy::too_many_arguments)] // the arguments of BLAS

use hotloops::matmul::{self, MatMut, MatRef, Triangle};

use super::complete;
use super::export::prelude::*;
use super::flags::{LOWER, NO_TRANS, min_stride, operand, strides};
use super::report::{Illegal, check};

routines! { all:
    gemm[layout](
        transa: Trans, transb: Trans, m: Int, n: Int, k: Int, alpha: T, a: *const T, lda: Int, b: *const T, ldb: Int,
        beta: T, c: *mut T, ldc: Int
    );
}
routines! { real:
    syrk[layout](
        uplo: Uplo, trans: Trans, n: Int, k: Int, alpha: T, a: *const T, lda: Int, beta: T, c: *mut T, ldc: Int
    );
}

/// # Safety
/// The pointers point to matrices of these sizes and strides. C is writable and overlaps neither A
/// nor B.
#[inline(always)]
unsafe fn gemm<T: Number>(
    layout: Int,
    transa: Trans,
    transb: Trans,
    m: Int,
    n: Int,
    k: Int,
    alpha: T,
    a: *const T,
    lda: Int,
    b: *const T,
    ldb: Int,
    beta: T,
    c: *mut T,
    ldc: Int,
) -> Result<(), Illegal> {
    check(
        layout,
        [
            (2, 2, !transa.is_legal(), c"transa"),
            (3, 2, !transb.is_legal(), c"transb"),
            (4, 5, m < 0, c"m"),
            (5, 4, n < 0, c"n"),
            (6, 6, k < 0, c"k"),
            (9, 11, lda < min_stride(layout, transa, m, k), c"lda"),
            (11, 9, ldb < min_stride(layout, transb, k, n), c"ldb"),
            (14, 14, ldc < min_stride(layout, Trans(NO_TRANS), m, n), c"ldc"),
        ],
    )?;
    let [m, n, k] = [m, n, k].map(|size| size as usize);
    // SAFETY: the caller's contract.
    unsafe {
        T::product(
            alpha,
            operand(layout, transa, a, m, k, lda),
            operand(layout, transb, b, k, n, ldb),
            beta,
            operand(layout, Trans(NO_TRANS), c, m, n, ldc),
        );
    }
    Ok(())
}

/// # Safety
/// The pointers point to matrices of these sizes and strides. The triangle of C is writable and
/// does not overlap A.
unsafe fn syrk<T: Real>(
    layout: Int,
    uplo: Uplo,
    trans: Trans,
    n: Int,
    k: Int,
    alpha: T,
    a: *const T,
    lda: Int,
    beta: T,
    c: *mut T,
    ldc: Int,
) -> Result<(), Illegal> {
    check(
        layout,
        [
            (2, 3, !uplo.is_legal(), c"uplo"),
            (3, 3, !trans.is_legal(), c"trans"),
            (4, 4, n < 0, c"n"),
            (5, 5, k < 0, c"k"),
            (8, 8, lda < min_stride(layout, trans, n, k), c"lda"),
            (11, 11, ldc < n.max(1), c"ldc"),
        ],
    )?;
    if n == 0 || (alpha == T::zero() || k == 0) && beta == T::one() {
        return Ok(());
    }
    let (a_strides, c_strides) = (strides(layout, trans, lda), strides(layout, Trans(NO_TRANS), ldc));
    let triangle = if uplo.0 == LOWER { Triangle::Lower } else { Triangle::Upper };
    // SAFETY: the caller's contract.
    complete(unsafe {
        let a = MatRef::from_raw(a, n as usize, k as usize, a_strides);
        matmul::syrk(alpha, a, beta, MatMut::from_raw(c, n as usize, n as usize, c_strides), triangle)
    });
    Ok(())
}
