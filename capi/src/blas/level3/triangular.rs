//! Products with a triangular matrix, and systems of one.

use super::super::export::prelude::*;
use super::super::flags::{LEFT, LOWER, NO_TRANS, UNIT, min_stride, operand};
use super::super::report::{Illegal, check};
use super::super::view::View;
use super::solve;
use super::structured::Structured;
use super::triangular_view::{Diagonal, Triangular};

routines! { all:
    trmm[layout](
        side: Side, uplo: Uplo, trans: Trans, diag: Diag, m: Int, n: Int, alpha: T, a: *const T, lda: Int, b: *mut T,
        ldb: Int
    );
    trsm[layout](
        side: Side, uplo: Uplo, trans: Trans, diag: Diag, m: Int, n: Int, alpha: T, a: *const T, lda: Int, b: *mut T,
        ldb: Int
    );
}

/// The operands by the left: op(A) or its transpose, and B or its transpose.
fn operands<T: Number>(
    layout: Int,
    [side, uplo, trans, diag]: [Int; 4],
    [m, n]: [Int; 2],
    (a, lda): (*const T, Int),
    (b, ldb): (*mut T, Int),
) -> Result<(Triangular<T>, View<T>), Illegal> {
    let order = if side == LEFT { m } else { n };
    check(
        layout,
        [
            (2, 2, !Side(side).is_legal(), c"side"),
            (3, 3, !Uplo(uplo).is_legal(), c"uplo"),
            (4, 4, !Trans(trans).is_legal(), c"trans"),
            (5, 5, !Diag(diag).is_legal(), c"diag"),
            (6, 7, m < 0, c"m"),
            (7, 6, n < 0, c"n"),
            (10, 10, lda < order.max(1), c"lda"),
            (12, 12, ldb < min_stride(layout, Trans(NO_TRANS), m, n), c"ldb"),
        ],
    )?;
    let [m, n, order] = [m, n, order].map(|size| size as usize);
    let a = operand(layout, Trans(trans), a, order, order, lda);
    let b = operand(layout, Trans(NO_TRANS), b, m, n, ldb);
    let lower = (uplo == LOWER) != Trans(trans).transposes();
    let diagonal = if diag == UNIT { Diagonal::Ones } else { Diagonal::Stored };
    let a = Triangular { view: a, lower, diagonal };
    Ok(if side == LEFT { (a, b) } else { (a.transposed(), b.transposed()) })
}

/// # Safety
/// The pointers point to matrices of these sizes and strides, A to a triangle. B is writable and
/// does not overlap A.
unsafe fn trmm<T: Structured>(
    layout: Int,
    side: Side,
    uplo: Uplo,
    trans: Trans,
    diag: Diag,
    m: Int,
    n: Int,
    alpha: T,
    a: *const T,
    lda: Int,
    b: *mut T,
    ldb: Int,
) -> Result<(), Illegal> {
    let (a, b) = operands(layout, [side.0, uplo.0, trans.0, diag.0], [m, n], (a, lda), (b, ldb))?;
    // A is not read for an empty B.
    if !b.is_empty() {
        // SAFETY: the caller's contract.
        unsafe { T::multiply_triangular(alpha, a, b, side.0 == LEFT) }
    }
    Ok(())
}

/// # Safety
/// As for [`trmm`].
unsafe fn trsm<T: Structured>(
    layout: Int,
    side: Side,
    uplo: Uplo,
    trans: Trans,
    diag: Diag,
    m: Int,
    n: Int,
    alpha: T,
    a: *const T,
    lda: Int,
    b: *mut T,
    ldb: Int,
) -> Result<(), Illegal> {
    let (a, b) = operands(layout, [side.0, uplo.0, trans.0, diag.0], [m, n], (a, lda), (b, ldb))?;
    if !b.is_empty() {
        // SAFETY: the caller's contract.
        unsafe { solve::in_place(alpha, a, b) }
    }
    Ok(())
}
