//! Products with a symmetric or a Hermitian matrix.

use super::super::export::prelude::*;
use super::super::flags::{LEFT, LOWER, NO_TRANS, min_stride, operand};
use super::super::report::{Illegal, check};
use super::mirror::Mirrored;
use super::packed;

routines! { all:
    symm[layout](
        side: Side, uplo: Uplo, m: Int, n: Int, alpha: T, a: *const T, lda: Int, b: *const T, ldb: Int, beta: T,
        c: *mut T, ldc: Int
    );
}
routines! { complex:
    hemm[layout](
        side: Side, uplo: Uplo, m: Int, n: Int, alpha: T, a: *const T, lda: Int, b: *const T, ldb: Int, beta: T,
        c: *mut T, ldc: Int
    );
}

/// # Safety
/// The pointers point to matrices of these sizes and strides, A to a triangle. C is writable and
/// overlaps neither A nor B.
unsafe fn symm<T: Number>(
    layout: Int,
    side: Side,
    uplo: Uplo,
    m: Int,
    n: Int,
    alpha: T,
    a: *const T,
    lda: Int,
    b: *const T,
    ldb: Int,
    beta: T,
    c: *mut T,
    ldc: Int,
) -> Result<(), Illegal> {
    // SAFETY: the caller's contract.
    unsafe { multiply(false, layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc) }
}

/// # Safety
/// As for [`symm`].
unsafe fn hemm<T: Number>(
    layout: Int,
    side: Side,
    uplo: Uplo,
    m: Int,
    n: Int,
    alpha: T,
    a: *const T,
    lda: Int,
    b: *const T,
    ldb: Int,
    beta: T,
    c: *mut T,
    ldc: Int,
) -> Result<(), Illegal> {
    // SAFETY: the caller's contract.
    unsafe { multiply(true, layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc) }
}

/// # Safety
/// As for [`symm`].
unsafe fn multiply<T: Number>(
    hermitian: bool,
    layout: Int,
    side: Side,
    uplo: Uplo,
    m: Int,
    n: Int,
    alpha: T,
    a: *const T,
    lda: Int,
    b: *const T,
    ldb: Int,
    beta: T,
    c: *mut T,
    ldc: Int,
) -> Result<(), Illegal> {
    let order = if side.0 == LEFT { m } else { n };
    let short = |stride: Int| stride < min_stride(layout, Trans(NO_TRANS), m, n);
    check(
        layout,
        [
            (2, 2, !side.is_legal(), c"side"),
            (3, 3, !uplo.is_legal(), c"uplo"),
            (4, 5, m < 0, c"m"),
            (5, 4, n < 0, c"n"),
            (8, 8, lda < order.max(1), c"lda"),
            (10, 10, short(ldb), c"ldb"),
            (13, 13, short(ldc), c"ldc"),
        ],
    )?;
    let [m, n, order] = [m, n, order].map(|size| size as usize);
    let a = operand(layout, Trans(NO_TRANS), a, order, order, lda);
    let a = Mirrored::new(a, uplo.0 == LOWER, hermitian);
    let b = operand(layout, Trans(NO_TRANS), b, m, n, ldb);
    let c = operand(layout, Trans(NO_TRANS), c, m, n, ldc);
    // A is not read for an empty C.
    if !c.is_empty() {
        // SAFETY: the caller's contract.
        unsafe {
            match side.0 == LEFT {
                true => packed::product(alpha, a, b.transposed(), beta, c),
                false => packed::product(alpha, b, a.transposed(), beta, c),
            }
        }
    }
    Ok(())
}
