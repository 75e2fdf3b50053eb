//! Products of general matrices, whole or one triangle of them.

use super::super::export::prelude::*;
use super::super::flags::{LOWER, NO_TRANS, min_stride, operand};
use super::super::report::{Illegal, check};
use super::{scaled, triangle};
use gemmt as gemmtr; // netlib's name

routines! { all:
    gemm[layout](
        transa: Trans, transb: Trans, m: Int, n: Int, k: Int, alpha: T, a: *const T, lda: Int, b: *const T, ldb: Int,
        beta: T, c: *mut T, ldc: Int
    );
    gemmt[layout](
        uplo: Uplo, transa: Trans, transb: Trans, n: Int, k: Int, alpha: T, a: *const T, lda: Int, b: *const T,
        ldb: Int, beta: T, c: *mut T, ldc: Int
    );
    gemmtr[layout](
        uplo: Uplo, transa: Trans, transb: Trans, n: Int, k: Int, alpha: T, a: *const T, lda: Int, b: *const T,
        ldb: Int, beta: T, c: *mut T, ldc: Int
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
        scaled::product(
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
/// overlaps neither A nor B.
unsafe fn gemmt<T: Number>(
    layout: Int,
    uplo: Uplo,
    transa: Trans,
    transb: Trans,
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
            (2, 2, !uplo.is_legal(), c"uplo"),
            (3, 3, !transa.is_legal(), c"transa"),
            (4, 4, !transb.is_legal(), c"transb"),
            (5, 5, n < 0, c"n"),
            (6, 6, k < 0, c"k"),
            (9, 11, lda < min_stride(layout, transa, n, k), c"lda"),
            (11, 9, ldb < min_stride(layout, transb, k, n), c"ldb"),
            (14, 14, ldc < n.max(1), c"ldc"),
        ],
    )?;
    let [n, k] = [n, k].map(|size| size as usize);
    // SAFETY: the caller's contract.
    unsafe {
        triangle::product(
            alpha,
            operand(layout, transa, a, n, k, lda),
            operand(layout, transb, b, k, n, ldb),
            beta,
            operand(layout, Trans(NO_TRANS), c, n, n, ldc),
            uplo.0 == LOWER,
        );
    }
    Ok(())
}
