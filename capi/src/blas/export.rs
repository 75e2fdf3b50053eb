//! The C and the Fortran names of a routine.

use core::ffi::c_char;

use super::Int;
use super::flags::{Diag, Layout, Mapping, Side, Trans, Uplo};
use super::number::Complex;
use super::report::Illegal;

/// Names that the macros use.
pub(super) mod prelude {
    pub(in super::super) use super::super::flags::{COLUMN_MAJOR, Diag, Side, Trans, Uplo};
    pub(in super::super) use super::super::number::{Complex, Number, Real};
    pub(in super::super) use super::super::threads::Product;
    pub(in super::super) use super::super::{Int, report};
    pub(in super::super) use super::{Argument, Outcome};
}

/// An argument, and how C and Fortran pass it.
pub(super) trait Argument: Copy {
    type InC;
    type InFortran;

    /// # Safety
    /// A pointer to a number or a flag is readable.
    unsafe fn from_c(argument: Self::InC) -> Self;
    /// # Safety
    /// As for [`from_c`](Self::from_c).
    unsafe fn from_fortran(argument: Self::InFortran) -> Self;
}

/// Arguments that C passes as they are, Fortran by a pointer.
macro_rules! passed_by_pointer {
    ($($type:ty)+) => {$(
        impl Argument for $type {
            type InC = $type;
            type InFortran = *const $type;

            unsafe fn from_c(argument: $type) -> $type {
                argument
            }

            unsafe fn from_fortran(argument: *const $type) -> $type {
                // SAFETY: the caller's contract.
                unsafe { *argument }
            }
        }
    )+};
}
passed_by_pointer! { Int f32 f64 }

/// C passes a complex number by a pointer too.
impl<R: Copy> Argument for Complex<R> {
    type InC = *const Complex<R>;
    type InFortran = *const Complex<R>;

    unsafe fn from_c(argument: *const Complex<R>) -> Complex<R> {
        // SAFETY: the caller's contract.
        unsafe { *argument }
    }

    unsafe fn from_fortran(argument: *const Complex<R>) -> Complex<R> {
        // SAFETY: the caller's contract.
        unsafe { *argument }
    }
}

/// Fortran passes a letter; its length follows all arguments and is ignored.
macro_rules! flag_arguments {
    ($($type:ident)+) => {$(
        impl Argument for $type {
            type InC = $type;
            type InFortran = *const c_char;

            unsafe fn from_c(argument: $type) -> $type {
                argument
            }

            unsafe fn from_fortran(letter: *const c_char) -> $type {
                // SAFETY: the caller's contract.
                $type::from_letter(unsafe { *letter.cast::<u8>() })
            }
        }
    )+};
}
flag_arguments! { Trans Uplo Diag Side Layout Mapping }

macro_rules! pointers {
    ($($type:ty)+) => {$(
        impl<T> Argument for $type {
            type InC = $type;
            type InFortran = $type;

            unsafe fn from_c(argument: $type) -> $type {
                argument
            }

            unsafe fn from_fortran(argument: $type) -> $type {
                argument
            }
        }
    )+};
}
pointers! { *const T *mut T }

/// The value of a routine for its caller. A routine of matrices may return an illegal argument
/// instead.
pub(super) trait Outcome {
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
legal! { () f32 f64 Complex<f32> Complex<f64> Int usize }

impl Outcome for Result<(), Illegal> {
    type Value = ();

    #[inline]
    fn value(self, routine: &'static str, report: fn(&'static str, Illegal)) {
        if let Err(illegal) = self {
            report(routine, illegal);
        }
    }
}

/// Exports a function under the C name `cblas_<name>`. `T` in the arguments stands for the type,
/// `R` for that of its parts.
macro_rules! c_routine {
    ($name:expr, $type:ty: $code:expr, $([$layout:ident])?
     ($($argument:ident: $kind:ty),+) $(-> $value:ty)?) => {
        const _: () = {
            #[allow(dead_code)] // not every routine names its type
            type T = $type;
            #[allow(dead_code)] // nor that of real factors and results
            type R = <T as Number>::Real;

            /// # Safety
            /// The contract of the routine's code.
            #[unsafe(export_name = concat!("cblas_", $name))]
            unsafe extern "C" fn c(
                $($layout: Int,)?
                $($argument: <$kind as Argument>::InC),+
            ) $(-> $value)? {
                const NAME: &str = concat!("cblas_", $name, "\0");
                // SAFETY: the caller's contract.
                unsafe { $code($($layout,)? $(<$kind>::from_c($argument)),+) }.value(NAME, report::to_c)
            }
        };
    };
}

/// Exports a function under the Fortran name `<name>_`, with column-major layout if it takes one.
macro_rules! fortran_routine {
    ($name:expr, $type:ty: $code:expr, $([$layout:ident])?
     ($($argument:ident: $kind:ty),+) $(-> $value:ty)?) => {
        const _: () = {
            #[allow(dead_code)] // not every routine names its type
            type T = $type;
            #[allow(dead_code)] // nor that of real factors and results
            type R = <T as Number>::Real;

            /// # Safety
            /// The contract of the routine's code; the arguments are readable.
            #[unsafe(export_name = concat!($name, "_"))]
            unsafe extern "C" fn fortran(
                $($argument: <$kind as Argument>::InFortran),+
            ) $(-> $value)? {
                $(let $layout = COLUMN_MAJOR;)?
                // SAFETY: the caller's contract.
                unsafe { $code($($layout,)? $(<$kind>::from_fortran($argument)),+) }
                    .value($name, report::to_fortran)
            }
        };
    };
}

/// Exports both names.
macro_rules! routine {
    ($name:expr, $($rest:tt)+) => {
        c_routine! { $name, $($rest)+ }
        fortran_routine! { $name, $($rest)+ }
    };
}

/// Exports both names of routines of the real types, of the complex ones, or of all four. A name
/// begins with the letter of the type.
macro_rules! routines {
    (real: $($name:ident $([$layout:ident])? ($($arguments:tt)+) $(-> $value:ty)?;)+) => {$(
        routine! { concat!("s", stringify!($name)), f32: $name::<f32>, $([$layout])? ($($arguments)+) $(-> $value)? }
        routine! { concat!("d", stringify!($name)), f64: $name::<f64>, $([$layout])? ($($arguments)+) $(-> $value)? }
    )+};
    (complex: $($name:ident $([$layout:ident])? ($($arguments:tt)+) $(-> $value:ty)?;)+) => {$(
        routine! {
            concat!("c", stringify!($name)), Complex<f32>:
            $name::<Complex<f32>>, $([$layout])? ($($arguments)+) $(-> $value)?
        }
        routine! {
            concat!("z", stringify!($name)), Complex<f64>:
            $name::<Complex<f64>>, $([$layout])? ($($arguments)+) $(-> $value)?
        }
    )+};
    (all: $($routine:tt)+) => {
        routines! { real: $($routine)+ }
        routines! { complex: $($routine)+ }
    };
}
