//! Functions of one number, and of letters.

use core::ffi::c_char;

use hotloops::Float;

use super::super::number::Number;
use super::super::{Int, report};

/// |re| + |im|.
#[inline(always)]
pub(super) fn cabs1<T: Number>(z: T) -> T::Real {
    if T::IS_COMPLEX { z.re().magnitude() + z.im().magnitude() } else { z.re().magnitude() }
}

/// Whether two letters are equal, in any case.
///
/// # Safety
/// Both are readable.
pub(super) unsafe fn lsame(a: *const c_char, b: *const c_char) -> Int {
    // SAFETY: the caller's contract.
    unsafe { (*a.cast::<u8>()).eq_ignore_ascii_case(&*b.cast::<u8>()).into() }
}

/// Calls `xerbla_` with a routine's name from an array, padded to 32 letters.
///
/// # Safety
/// `routine` points to `length` letters.
pub(super) unsafe fn xerbla_array(routine: *const c_char, length: Int, position: Int) {
    let mut name = [b' '; 32];
    for (i, letter) in name.iter_mut().enumerate().take(length.max(0) as usize) {
        // SAFETY: i < length, the letters of the name.
        *letter = unsafe { *routine.add(i).cast() };
    }
    report::by_name(&name, position);
}
