//! Symmetric and Hermitian products, of which one triangle is computed.

use super::super::export::prelude::*;
use super::super::flags::{CONJ_TRANS, LOWER, NO_TRANS, TRANS, min_stride, operand};
use super::super::report::{Illegal, check};
use super::super::view::View;
use super::triangle;

routines! { all:
    syr2k[layout](
        uplo: Uplo, trans: Trans, n: Int, k: Int, alpha: T, a: *const T, lda: Int, b: *const T, ldb: Int, beta: T,
        c: *mut T, ldc: Int
    );
}
routines! { real:
    syrk[layout](
        uplo: Uplo, trans: Trans, n: Int, k: Int, alpha: T, a: *const T, lda: Int, beta: T, c: *mut T, ldc: Int
    );
}
/// The complex routine has its own code.
mod complex {
    use super::*;

    routines! { complex:
        syrk[layout](
            uplo: Uplo, trans: Trans, n: Int, k: Int, alpha: T, a: *const T, lda: Int, beta: T, c: *mut T, ldc: Int
        );
        herk[layout](
            uplo: Uplo, trans: Trans, n: Int, k: Int, alpha: R, a: *const T, lda: Int, beta: R, c: *mut T, ldc: Int
        );
        her2k[layout](
            uplo: Uplo, trans: Trans, n: Int, k: Int, alpha: T, a: *const T, lda: Int, b: *const T, ldb: Int, beta: R,
            c: *mut T, ldc: Int
        );
    }

    /// # Safety
    /// As for [`super::syrk`].
    unsafe fn syrk<T: Number>(
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
        check_syrk(layout, uplo, trans, n, k, lda, ldc, TRANS)?;
        let [n, k] = [n, k].map(|size| size as usize);
        let a = operand(layout, trans, a, n, k, lda);
        let c = operand(layout, Trans(NO_TRANS), c, n, n, ldc);
        // SAFETY: the caller's contract.
        unsafe { triangle::product(alpha, a, a.transposed(), beta, c, uplo.0 == LOWER) }
        Ok(())
    }

    /// # Safety
    /// As for [`super::syrk`].
    unsafe fn herk<T: Number>(
        layout: Int,
        uplo: Uplo,
        trans: Trans,
        n: Int,
        k: Int,
        alpha: T::Real,
        a: *const T,
        lda: Int,
        beta: T::Real,
        c: *mut T,
        ldc: Int,
    ) -> Result<(), Illegal> {
        check_syrk(layout, uplo, trans, n, k, lda, ldc, CONJ_TRANS)?;
        let [n, k] = [n, k].map(|size| size as usize);
        let (alpha, beta) = (T::from_real(alpha), T::from_real(beta));
        let a = operand(layout, trans, a, n, k, lda);
        let c = operand(layout, Trans(NO_TRANS), c, n, n, ldc);
        if (alpha == T::zero() || k == 0) && beta == T::one() {
            return Ok(());
        }
        // SAFETY: the caller's contract.
        unsafe {
            if beta != T::zero() {
                real_diagonal(c);
            }
            triangle::product(alpha, a, a.transposed().conjugated(), beta, c, uplo.0 == LOWER);
            real_diagonal(c);
        }
        Ok(())
    }

    /// # Safety
    /// As for [`super::syr2k`].
    unsafe fn her2k<T: Number>(
        layout: Int,
        uplo: Uplo,
        trans: Trans,
        n: Int,
        k: Int,
        alpha: T,
        a: *const T,
        lda: Int,
        b: *const T,
        ldb: Int,
        beta: T::Real,
        c: *mut T,
        ldc: Int,
    ) -> Result<(), Illegal> {
        check_syr2k(layout, uplo, trans, n, k, lda, ldb, ldc, CONJ_TRANS)?;
        let [n, k] = [n, k].map(|size| size as usize);
        let beta = T::from_real(beta);
        let [a, b] = [(a, lda), (b, ldb)].map(|(at, stride)| operand(layout, trans, at, n, k, stride));
        let c = operand(layout, Trans(NO_TRANS), c, n, n, ldc);
        if (alpha == T::zero() || k == 0) && beta == T::one() {
            return Ok(());
        }
        // SAFETY: the caller's contract.
        unsafe {
            if beta != T::zero() {
                real_diagonal(c);
            }
            triangle::product(alpha, a, b.transposed().conjugated(), beta, c, uplo.0 == LOWER);
            triangle::product(alpha.conj(), b, a.transposed().conjugated(), T::one(), c, uplo.0 == LOWER);
            real_diagonal(c);
        }
        Ok(())
    }
}

/// Checks the arguments of a product with one operand, for which `transposed` is the other legal
/// transposition. Real routines take both.
fn check_syrk(
    layout: Int,
    uplo: Uplo,
    trans: Trans,
    n: Int,
    k: Int,
    lda: Int,
    ldc: Int,
    transposed: Int,
) -> Result<(), Illegal> {
    check(
        layout,
        [
            (2, 3, !uplo.is_legal(), c"uplo"),
            (3, 3, trans.0 != NO_TRANS && trans.0 != transposed, c"trans"),
            (4, 4, n < 0, c"n"),
            (5, 5, k < 0, c"k"),
            (8, 8, lda < min_stride(layout, trans, n, k), c"lda"),
            (11, 11, ldc < n.max(1), c"ldc"),
        ],
    )
}

/// As [`check_syrk`], for a product with two operands.
fn check_syr2k(
    layout: Int,
    uplo: Uplo,
    trans: Trans,
    n: Int,
    k: Int,
    lda: Int,
    ldb: Int,
    ldc: Int,
    transposed: Int,
) -> Result<(), Illegal> {
    check(
        layout,
        [
            (2, 2, !uplo.is_legal(), c"uplo"),
            (3, 3, trans.0 != NO_TRANS && trans.0 != transposed, c"trans"),
            (4, 4, n < 0, c"n"),
            (5, 5, k < 0, c"k"),
            (8, 8, lda < min_stride(layout, trans, n, k), c"lda"),
            (10, 10, ldb < min_stride(layout, trans, n, k), c"ldb"),
            (13, 13, ldc < n.max(1), c"ldc"),
        ],
    )
}

/// Sets the imaginary parts of the diagonal to 0.
///
/// # Safety
/// The diagonal is writable.
unsafe fn real_diagonal<T: Number>(c: View<T>) {
    for i in 0..c.rows {
        let at = c.pointer(i, i);
        // SAFETY: the caller's contract.
        unsafe { *at = T::from_real((*at).re()) }
    }
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
    check_syrk(layout, uplo, trans, n, k, lda, ldc, if trans.0 == CONJ_TRANS { CONJ_TRANS } else { TRANS })?;
    if n == 0 || (alpha == T::zero() || k == 0) && beta == T::one() {
        return Ok(());
    }
    let [n, k] = [n, k].map(|size| size as usize);
    let a = operand(layout, trans, a, n, k, lda);
    let c = operand(layout, Trans(NO_TRANS), c, n, n, ldc);
    // SAFETY: the caller's contract.
    unsafe { triangle::product(alpha, a, a.transposed(), beta, c, uplo.0 == LOWER) }
    Ok(())
}

/// Two products, the second added to the first.
///
/// # Safety
/// As for [`syrk`]; C does not overlap B either.
unsafe fn syr2k<T: Number>(
    layout: Int,
    uplo: Uplo,
    trans: Trans,
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
    let is_other = !T::IS_COMPLEX && trans.0 == CONJ_TRANS;
    check_syr2k(layout, uplo, trans, n, k, lda, ldb, ldc, if is_other { CONJ_TRANS } else { TRANS })?;
    let [n, k] = [n, k].map(|size| size as usize);
    let [a, b] = [(a, lda), (b, ldb)].map(|(at, stride)| operand(layout, trans, at, n, k, stride));
    let c = operand(layout, Trans(NO_TRANS), c, n, n, ldc);
    // SAFETY: the caller's contract.
    unsafe { triangle::both_products(alpha, a, b, beta, c, uplo.0 == LOWER) }
    Ok(())
}
