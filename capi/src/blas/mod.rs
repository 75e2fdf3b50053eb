//! Routines of BLAS under their C and Fortran names, in a separate library, `libhotloops_blas`.
//! Results are hotloops' own: the same bits on every CPU.
//!
//! [`routine!`] turns one declaration into both names of one type; [`routines!`] does so for `f32`
//! and `f64`. `include/hotloops_cblas.h` says what each routine computes; `matrices` and `vectors`
//! hold the code.

mod matrices;
mod report;
mod vectors;

use core::ffi::{c_char, c_int};

use report::Illegal;

const ROW_MAJOR: c_int = 101;
const COLUMN_MAJOR: c_int = 102;
const NO_TRANS: c_int = 111;
const TRANS: c_int = 112;
/// The conjugate transpose; for real numbers the same as `TRANS`.
const CONJ_TRANS: c_int = 113;
const UPPER: c_int = 121;
const LOWER: c_int = 122;

/// A transposition or a triangle, by CBLAS's number.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Flag(c_int);

/// An argument, and how Fortran passes it.
trait Argument: Copy {
    type InFortran;

    /// # Safety
    /// A pointer to a number or a flag is readable.
    unsafe fn from_fortran(argument: Self::InFortran) -> Self;
}

macro_rules! passed_by_pointer {
    ($($type:ty)+) => {$(
        impl Argument for $type {
            type InFortran = *const $type;

            unsafe fn from_fortran(argument: *const $type) -> $type {
                // SAFETY: the caller's contract.
                unsafe { *argument }
            }
        }
    )+};
}
passed_by_pointer! { c_int f32 f64 }

impl Argument for Flag {
    type InFortran = *const c_char;

    /// Fortran passes a letter; its length follows all arguments and is ignored.
    unsafe fn from_fortran(letter: *const c_char) -> Flag {
        // SAFETY: the caller's contract.
        Flag(match unsafe { *letter.cast::<u8>() }.to_ascii_uppercase() {
            b'N' => NO_TRANS,
            b'T' => TRANS,
            b'C' => CONJ_TRANS,
            b'U' => UPPER,
            b'L' => LOWER,
            _ => 0,
        })
    }
}

impl<T> Argument for *const T {
    type InFortran = *const T;

    unsafe fn from_fortran(argument: *const T) -> *const T {
        argument
    }
}

impl<T> Argument for *mut T {
    type InFortran = *mut T;

    unsafe fn from_fortran(argument: *mut T) -> *mut T {
        argument
    }
}

/// The value of a routine for its caller. A routine of matrices may return an illegal argument
/// instead.
trait Outcome {
    type Value;

    /// Reports an illegal argument to the handler of C or of Fortran.
    fn value(self, routine: &'static str, report: fn(&'static str, Illegal)) -> Self::Value;
}

macro_rules! legal {
    ($($type:ty)+) => {$(
        impl Outcome for $type {
            type Value = $type;

            fn value(self, _: &'static str, _: fn(&'static str, Illegal)) -> $type {
                self
            }
        }
    )+};
}
legal! { () f32 f64 }

impl Outcome for Result<(), Illegal> {
    type Value = ();

    #[inline]
    fn value(self, routine: &'static str, report: fn(&'static str, Illegal)) {
        if let Err(illegal) = self {
            report(routine, illegal);
        }
    }
}

/// Exports `cblas_<type><name>` and `<type><name>_`. Both call the function `<code>`, Fortran with
/// column-major layout if the routine takes one. `T` in the arguments stands for the type.
macro_rules! routine {
    ($letter:literal $type:ty: $code:path, $name:ident $([$layout:ident])?
     ($($argument:ident: $kind:ty),+) $(-> $value:ty)?) => {
        const _: () = {
            #[allow(dead_code)] // routines of one type do not use it
            type T = $type;

            /// # Safety
            /// The contract of the routine's code.
            #[unsafe(export_name = concat!("cblas_", $letter, stringify!($name)))]
            unsafe extern "C" fn c($($layout: c_int,)? $($argument: $kind),+) $(-> $value)? {
                const NAME: &str = concat!("cblas_", $letter, stringify!($name), "\0");
                // SAFETY: the caller's contract.
                unsafe { $code($($layout,)? $($argument),+) }.value(NAME, report::to_c)
            }

            /// # Safety
            /// The contract of the routine's code; the arguments are readable.
            #[unsafe(export_name = concat!($letter, stringify!($name), "_"))]
            unsafe extern "C" fn fortran($($argument: <$kind as Argument>::InFortran),+) $(-> $value)? {
                const NAME: &str = concat!($letter, stringify!($name));
                $(let $layout = COLUMN_MAJOR;)?
                // SAFETY: the caller's contract.
                unsafe { $code($($layout,)? $(<$kind>::from_fortran($argument)),+) }.value(NAME, report::to_fortran)
            }
        };
    };
}

/// Exports routines for both types.
macro_rules! routines {
    ($($module:ident: $name:ident $([$layout:ident])? ($($arguments:tt)+) $(-> $value:ty)?;)+) => {$(
        routine! { "s" f32: $module::$name::<f32>, $name $([$layout])? ($($arguments)+) $(-> $value)? }
        routine! { "d" f64: $module::$name::<f64>, $name $([$layout])? ($($arguments)+) $(-> $value)? }
    )+};
}

routines! {
    matrices: gemm[layout](
        transa: Flag, transb: Flag, m: c_int, n: c_int, k: c_int, alpha: T, a: *const T, lda: c_int, b: *const T,
        ldb: c_int, beta: T, c: *mut T, ldc: c_int
    );
    matrices: syrk[layout](
        uplo: Flag, trans: Flag, n: c_int, k: c_int, alpha: T, a: *const T, lda: c_int, beta: T, c: *mut T, ldc: c_int
    );
    matrices: gemv[layout](
        trans: Flag, m: c_int, n: c_int, alpha: T, a: *const T, lda: c_int, x: *const T, incx: c_int, beta: T,
        y: *mut T, incy: c_int
    );
    matrices: ger[layout](
        m: c_int, n: c_int, alpha: T, x: *const T, incx: c_int, y: *const T, incy: c_int, a: *mut T, lda: c_int
    );
    vectors: dot(n: c_int, x: *const T, incx: c_int, y: *const T, incy: c_int) -> T;
    vectors: asum(n: c_int, x: *const T, incx: c_int) -> T;
    vectors: nrm2(n: c_int, x: *const T, incx: c_int) -> T;
    vectors: axpy(n: c_int, alpha: T, x: *const T, incx: c_int, y: *mut T, incy: c_int);
    vectors: scal(n: c_int, alpha: T, x: *mut T, incx: c_int);
    vectors: copy(n: c_int, x: *const T, incx: c_int, y: *mut T, incy: c_int);
    vectors: swap(n: c_int, x: *mut T, incx: c_int, y: *mut T, incy: c_int);
}
routine! { "" f32: vectors::dsdot, dsdot(n: c_int, x: *const f32, incx: c_int, y: *const f32, incy: c_int) -> f64 }
routine! {
    "" f32: vectors::sdsdot, sdsdot(
        n: c_int, alpha: f32, x: *const f32, incx: c_int, y: *const f32, incy: c_int
    ) -> f32
}
