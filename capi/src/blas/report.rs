//! Illegal arguments, reported to `cblas_xerbla` or `xerbla_`, which a program may define, but not on
//! Windows.

use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicPtr, Ordering};

use super::Int;
use super::flags::{COLUMN_MAJOR, ROW_MAJOR};

/// An illegal argument of a CBLAS function.
pub(super) struct Illegal {
    position: Int,
    name: &'static CStr,
}

impl Illegal {
    /// The value of LAPACK's `info`.
    pub(super) fn of_lapack(&self) -> Int {
        1 - self.position
    }
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

/// The format for `cblas_xerbla`; the name of the argument follows.
const FORMAT: &CStr = c"the value of %s is illegal\n";

// Weak symbols of COFF are not found in an archive: there, the library calls its own handlers.
#[cfg(windows)]
mod linked {
    pub(super) use super::{print_c as cblas_xerbla, print_fortran as xerbla_};
}
#[cfg(not(windows))]
mod linked {
    use core::ffi::c_char;

    use super::Int;
    unsafe extern "C" {
        pub fn cblas_xerbla(position: Int, routine: *const c_char, format: *const c_char, ...);
        pub fn xerbla_(routine: *const c_char, position: *const Int, length: usize);
    }
}

// The handlers are weak: those of the program or of a library before this one take their place. A
// test that includes this module defines both, and no unit of code may have both kinds of a symbol.
#[cfg(not(test))]
macro_rules! weak {
    ($name:literal, $jump:literal, $code:path) => {
        #[cfg(not(any(windows, target_vendor = "apple")))]
        core::arch::global_asm!(
            concat!(".pushsection .text.", $name, ", \"ax\", @progbits"),
            concat!(".weak ", $name, "\n.type ", $name, ", @function\n", $name, ": ", $jump, " {}"),
            ".popsection",
            sym $code,
        );
        #[cfg(windows)]
        core::arch::global_asm!(".text", concat!(".weak ", $name, "\n", $name, ": ", $jump, " {}"), sym $code);
        #[cfg(target_vendor = "apple")]
        core::arch::global_asm!(
            concat!(".text\n.globl _", $name, "\n.weak_definition _", $name, "\n_", $name, ": ", $jump, " {}"),
            sym $code,
        );
    };
}
#[cfg(all(not(test), target_arch = "x86_64"))]
mod handlers {
    weak! { "cblas_xerbla", "jmp", super::print_c }
    weak! { "xerbla_", "jmp", super::print_fortran }
}
#[cfg(all(not(test), target_arch = "aarch64"))]
mod handlers {
    weak! { "cblas_xerbla", "b", super::print_c }
    weak! { "xerbla_", "b", super::print_fortran }
}

/// The name of the argument that [`to_fortran`] reports, for the library's own handler.
static ARGUMENT: AtomicPtr<c_char> = AtomicPtr::new(core::ptr::null_mut());

/// Reports to `cblas_xerbla`. The name ends with a zero byte.
#[cold]
pub(super) fn to_c(routine: &'static str, Illegal { position, name }: Illegal) {
    // SAFETY: the handler takes C strings, and its format one more.
    unsafe { linked::cblas_xerbla(position, routine.as_ptr().cast(), FORMAT.as_ptr(), name.as_ptr()) }
}

/// Reports to `xerbla_`, by the position without the layout and the name in capital letters, at least six.
#[cold]
pub(super) fn to_fortran(routine: &'static str, Illegal { position, name }: Illegal) {
    let mut padded = [b' '; 24];
    for (to, letter) in padded.iter_mut().zip(routine.bytes()) {
        *to = letter.to_ascii_uppercase();
    }
    ARGUMENT.store(name.as_ptr().cast_mut(), Ordering::Relaxed);
    // SAFETY: the handler reads a name of this length and an integer.
    unsafe { linked::xerbla_(padded.as_ptr().cast(), &(position - 1), routine.len().max(6)) }
    ARGUMENT.store(core::ptr::null_mut(), Ordering::Relaxed);
}

/// Calls `xerbla_` with a routine's name, which may end with spaces, and the position of an argument.
#[cold]
pub(super) fn by_name(routine: &[u8], position: Int) {
    // SAFETY: the handler reads a name of this length and an integer.
    unsafe { linked::xerbla_(routine.as_ptr().cast(), &position, routine.len()) }
}

/// `cblas_xerbla` of this library. In the ABIs of the supported systems, an argument after the third is passed
/// like one of a variadic function.
///
/// # Safety
/// `routine` is a C string, and so is `argument` if the format is [`FORMAT`].
unsafe extern "C" fn print_c(position: Int, routine: *const c_char, format: *const c_char, argument: *const c_char) {
    // SAFETY: the caller's contract.
    unsafe {
        let argument = (format == FORMAT.as_ptr()).then(|| CStr::from_ptr(argument));
        print(CStr::from_ptr(routine).to_bytes(), position, argument);
    }
}

/// `xerbla_` of this library. Unlike netlib's, it returns.
///
/// # Safety
/// `routine` points to a name of this length, `position` to an integer.
unsafe extern "C" fn print_fortran(routine: *const u8, position: *const Int, length: usize) {
    let argument = ARGUMENT.load(Ordering::Relaxed);
    // SAFETY: the caller's contract; the argument is null or a C string that is never freed.
    unsafe {
        let routine = core::slice::from_raw_parts(routine, length);
        print(routine.trim_ascii_end(), *position, (!argument.is_null()).then(|| CStr::from_ptr(argument)));
    }
}

/// Prints a line to the standard error output. There is nothing to do if writing fails.
fn print(routine: &[u8], position: Int, argument: Option<&CStr>) {
    let mut digits = [0; 20];
    let mut rest = position.unsigned_abs();
    let mut begin = digits.len();
    while begin == digits.len() || rest > 0 {
        begin -= 1;
        digits[begin] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let (what, which) = match argument {
        Some(name) => (&b": the value of "[..], name.to_bytes()),
        None => (&b": the value of argument "[..], &digits[begin..]),
    };
    for text in [routine, what, which, b" is illegal\n"] {
        // SAFETY: the pointer and the length are those of one slice.
        let _ = unsafe { libc::write(2, text.as_ptr().cast(), text.len() as _) };
    }
}
