//! Products of vectors that are added to a matrix.

use super::super::export::prelude::*;
use super::super::flags::{NO_TRANS, min_stride};
use super::super::report::{Check, Illegal, check};
use super::super::vector::Vector;
use super::lines::Lines;
use super::triangular::is_upper;
use super::update::{Term, update, update_triangle};

routines! { real:
    ger[layout](m: Int, n: Int, alpha: T, x: *const T, incx: Int, y: *const T, incy: Int, a: *mut T, lda: Int);
}
routines! { complex:
    geru[layout](m: Int, n: Int, alpha: T, x: *const T, incx: Int, y: *const T, incy: Int, a: *mut T, lda: Int);
    gerc[layout](m: Int, n: Int, alpha: T, x: *const T, incx: Int, y: *const T, incy: Int, a: *mut T, lda: Int);
}

macro_rules! products {
    ($($(#[$doc:meta])* $name:ident: $number:ident, $conjugates:literal;)+) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// The pointers point to a matrix and vectors of these sizes and strides. The elements of `a` are
        /// writable and overlap nothing else.
        unsafe fn $name<T: $number>(
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
            let (count, length) = if layout == COLUMN_MAJOR { (n, m) } else { (m, n) };
            let lines = Lines::dense(a, count as usize, length as usize, lda as usize);
            let term = Term { alpha, x: Vector::new(m, x, incx), y: Vector::new(n, y, incy) };
            // SAFETY: the caller's contract.
            unsafe { update(&lines, layout == COLUMN_MAJOR, $conjugates, term) }
            Ok(())
        }
    )+};
}
products! {
    /// `A = alpha x y^T + A`.
    ger: Real, false;
    /// `A = alpha x y^T + A`.
    geru: Number, false;
    /// `A = alpha x y^H + A`.
    gerc: Number, true;
}

/// Symmetric and Hermitian updates, dense and packed. `$scalar` is the type of alpha for one vector,
/// `$steps` are the positions of incx and incy for two.
macro_rules! triangles {
    (
        $kind:ident $number:ident $scalar:ident $steps:expr;
        $one:ident $two:ident $one_packed:ident $two_packed:ident
    ) => {
        routines! { $kind:
            $one[layout](uplo: Uplo, n: Int, alpha: $scalar, x: *const T, incx: Int, a: *mut T, lda: Int);
            $two[layout](
                uplo: Uplo, n: Int, alpha: T, x: *const T, incx: Int, y: *const T, incy: Int, a: *mut T, lda: Int
            );
            $one_packed[layout](uplo: Uplo, n: Int, alpha: $scalar, x: *const T, incx: Int, ap: *mut T);
            $two_packed[layout](
                uplo: Uplo, n: Int, alpha: T, x: *const T, incx: Int, y: *const T, incy: Int, ap: *mut T
            );
        }

        /// # Safety
        /// The pointers point to a triangle and a vector of these sizes and strides. The elements of `a`
        /// are writable and overlap nothing else.
        unsafe fn $one<T: $number>(
            layout: Int,
            uplo: Uplo,
            n: Int,
            alpha: T::Real,
            x: *const T,
            incx: Int,
            a: *mut T,
            lda: Int,
        ) -> Result<(), Illegal> {
            let [uplo_check, n_check, incx_check] = flag_checks(uplo, n, incx);
            check(layout, [uplo_check, n_check, incx_check, (8, 8, lda < n.max(1), c"lda")])?;
            let lines = Lines::triangle(a, n as usize, lda as usize, is_upper(layout, uplo));
            // SAFETY: the caller's contract.
            unsafe { one(lines, layout, alpha, Vector::new(n, x, incx)) }
            Ok(())
        }

        /// # Safety
        #[doc = concat!("As for [`", stringify!($one), "`].")]
        unsafe fn $two<T: $number>(
            layout: Int,
            uplo: Uplo,
            n: Int,
            alpha: T,
            x: *const T,
            incx: Int,
            y: *const T,
            incy: Int,
            a: *mut T,
            lda: Int,
        ) -> Result<(), Illegal> {
            let [uplo_check, n_check, _] = flag_checks(uplo, n, incx);
            let [row_x, row_y]: [Int; 2] = $steps;
            let steps = [(6, row_x, incx == 0, c"incx"), (8, row_y, incy == 0, c"incy")];
            check(layout, [uplo_check, n_check, steps[0], steps[1], (10, 10, lda < n.max(1), c"lda")])?;
            let lines = Lines::triangle(a, n as usize, lda as usize, is_upper(layout, uplo));
            // SAFETY: the caller's contract.
            unsafe { two(lines, layout, alpha, Vector::new(n, x, incx), Vector::new(n, y, incy)) }
            Ok(())
        }

        /// # Safety
        #[doc = concat!("As for [`", stringify!($one), "`].")]
        unsafe fn $one_packed<T: $number>(
            layout: Int,
            uplo: Uplo,
            n: Int,
            alpha: T::Real,
            x: *const T,
            incx: Int,
            ap: *mut T,
        ) -> Result<(), Illegal> {
            check(layout, flag_checks(uplo, n, incx))?;
            let lines = Lines::packed(ap, n as usize, is_upper(layout, uplo));
            // SAFETY: the caller's contract.
            unsafe { one(lines, layout, alpha, Vector::new(n, x, incx)) }
            Ok(())
        }

        /// # Safety
        #[doc = concat!("As for [`", stringify!($one), "`].")]
        unsafe fn $two_packed<T: $number>(
            layout: Int,
            uplo: Uplo,
            n: Int,
            alpha: T,
            x: *const T,
            incx: Int,
            y: *const T,
            incy: Int,
            ap: *mut T,
        ) -> Result<(), Illegal> {
            let [uplo_check, n_check, _] = flag_checks(uplo, n, incx);
            let [row_x, row_y]: [Int; 2] = $steps;
            let steps = [(6, row_x, incx == 0, c"incx"), (8, row_y, incy == 0, c"incy")];
            check(layout, [uplo_check, n_check, steps[0], steps[1]])?;
            let lines = Lines::packed(ap, n as usize, is_upper(layout, uplo));
            // SAFETY: the caller's contract.
            unsafe { two(lines, layout, alpha, Vector::new(n, x, incx), Vector::new(n, y, incy)) }
            Ok(())
        }
    };
}
triangles! { real Real T [6, 8]; syr syr2 spr spr2 }
// netlib's her2 exchanges x and y of a row-major call.
triangles! { complex Number R [8, 6]; her her2 hpr hpr2 }

fn flag_checks(uplo: Uplo, n: Int, incx: Int) -> [Check; 3] {
    [(2, 2, !uplo.is_legal(), c"uplo"), (3, 3, n < 0, c"n"), (6, 6, incx == 0, c"incx")]
}

/// `A = alpha x x^H + A` in a triangle.
///
/// # Safety
/// The lines are readable and writable, x is readable and does not overlap them.
unsafe fn one<T: Number>(lines: Lines<T>, layout: Int, alpha: T::Real, x: Vector<T>) {
    let alpha = T::from_real(alpha);
    // SAFETY: the caller's contract.
    unsafe { update_triangle(&lines, layout == COLUMN_MAJOR, [Term { alpha, x, y: x }]) }
}

/// `A = alpha x y^H + conj(alpha) y x^H + A` in a triangle, the first product first.
///
/// # Safety
/// As for [`one`].
unsafe fn two<T: Number>(lines: Lines<T>, layout: Int, alpha: T, x: Vector<T>, y: Vector<T>) {
    let terms = [Term { alpha, x, y }, Term { alpha: alpha.conj(), x: y, y: x }];
    // SAFETY: the caller's contract.
    unsafe { update_triangle(&lines, layout == COLUMN_MAJOR, terms) }
}
