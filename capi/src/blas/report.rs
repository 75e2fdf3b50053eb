//! Illegal arguments, reported to `cblas_xerbla` or `xerbla_` if the program has one.

use core::ffi::{CStr, c_char};

use super::Int;
use super::flags::{COLUMN_MAJOR, ROW_MAJOR};

/// An illegal argument of a CBLAS function.
pub(super) struct Illegal {
    position: Int,
    name: &'static CStr,
}

/// A check of an argument: its position in column-major and in row-major order, whether it is
/// illegal, and its name.
pub(super) type Check = (Int, Int, bool, &'static CStr);

/// The illegal argument with the lowest position.
///
/// Positions count the layout, as in CBLAS. A row-major call is the column-major one with operands
/// exchanged, so the positions of their sizes and strides are exchanged too, as netlib's handlers
/// expect.
#[inline]
pub(super) fn check<const N: usize>(layout: Int, checks: [Check; N]) -> Result<(), Illegal> {
    if (layout == ROW_MAJOR || layout == COLUMN_MAJOR) && !checks.iter().any(|check| check.2) {
        return Ok(());
    }
    Err(first(layout, &checks))
}

#[cold]
fn first(layout: Int, checks: &[Check]) -> Illegal {
    let position = |check: &Check| if layout == ROW_MAJOR { check.1 } else { check.0 };
    let illegal = checks.iter().filter(|check| check.2).min_by_key(|check| position(check));
    match illegal {
        Some(check) if layout == ROW_MAJOR || layout == COLUMN_MAJOR => {
            Illegal { position: position(check), name: check.3 }
        }
        _ => Illegal { position: 1, name: c"layout" },
    }
}

/// `cblas_xerbla` of C.
type CHandler = unsafe extern "C" fn(Int, *const c_char, *const c_char, ...);
/// `xerbla_` of Fortran; the length of the name comes last.
type FortranHandler = unsafe extern "C" fn(*const c_char, *const Int, usize);

mod linked {
    use core::ffi::c_char;

    use super::Int;
    unsafe extern "C" {
        pub fn cblas_xerbla(position: Int, routine: *const c_char, format: *const c_char, ...);
        pub fn xerbla_(routine: *const c_char, position: *const Int, length: usize);
    }
}

// Weak references: null where neither the program nor another library defines the handler. A
// definition here would take the place of another library's if this one is preloaded. A test that
// includes this module defines both, and no unit of code may have both kinds of a symbol.
#[cfg(not(test))]
core::arch::global_asm!(".weak cblas_xerbla", ".weak xerbla_");
static C_HANDLER: Option<CHandler> = Some(linked::cblas_xerbla);
static FORTRAN_HANDLER: Option<FortranHandler> = Some(linked::xerbla_);

/// Reads a handler. The volatile read hides from the compiler that a function is never null.
fn handler<T: Copy>(handler: &'static Option<T>) -> Option<T> {
    // SAFETY: a reference is readable, and null is the `None` of a function.
    unsafe { (&raw const *handler).read_volatile() }
}

/// Reports to `cblas_xerbla`. The name ends with a zero byte.
#[cold]
pub(super) fn to_c(routine: &'static str, Illegal { position, name }: Illegal) {
    match handler(&C_HANDLER) {
        // SAFETY: the handler takes C strings, and its format one more.
        Some(handler) => unsafe {
            handler(position, routine.as_ptr().cast(), c"the value of %s is illegal\n".as_ptr(), name.as_ptr());
        },
        None => print(routine.trim_end_matches('\0').as_bytes(), name),
    }
}

/// Reports to `xerbla_`, by the position without the layout and the name in six capital letters.
#[cold]
pub(super) fn to_fortran(routine: &'static str, Illegal { position, name }: Illegal) {
    let mut padded = [b' '; 6];
    for (to, letter) in padded.iter_mut().zip(routine.bytes()) {
        *to = letter.to_ascii_uppercase();
    }
    match handler(&FORTRAN_HANDLER) {
        // SAFETY: the handler reads a name of this length and an integer.
        Some(handler) => unsafe { handler(padded.as_ptr().cast(), &(position - 1), padded.len()) },
        None => print(padded.trim_ascii_end(), name),
    }
}

/// Prints a line to the standard error output.
fn print(routine: &[u8], name: &CStr) {
    for text in [routine, b": the value of ", name.to_bytes(), b" is illegal\n"] {
        // SAFETY: the pointer and the length are those of one slice. There is nothing to do if writing fails.
        let _ = unsafe { libc::write(2, text.as_ptr().cast(), text.len() as _) };
    }
}
