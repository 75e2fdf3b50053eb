//! The C functions of the family: pointers to the safe API, its errors to a status.

use super::{Test, exists};
use crate::Error;
use crate::ffi::{Bytes, Status, slice, slice_mut, status};

impl Test {
    fn from_value(value: u32) -> Result<Self, Error> {
        let known = [Test::Regular, Test::Lefevre].into_iter().find(|test| *test as u32 == value);
        known.ok_or(Error::Option { argument: "test", value: value as i32 })
    }
}

/// Tells which domains may hold a case: bit i mod 8 of `bits[i / 8]`.
///
/// # Safety
/// Each pointer is null or points to the values that the arguments tell.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_hardround_exists(
    test: u32,
    a: *const u64,
    b: *const u64,
    count: usize,
    n: u64,
    w: u64,
    bits: *mut u8,
) -> Status {
    status((|| {
        let test = Test::from_value(test)?;
        // SAFETY: the caller's contract.
        let (a, b) = unsafe { (slice(a, count, "a")?, slice(b, count, "b")?) };
        let written = Bytes::of(bits, count.div_ceil(8), "bits")?;
        for input in [a, b] {
            Bytes::of(input.as_ptr(), size_of_val(input), "a")?.apart(written)?;
        }
        // SAFETY: the caller's contract.
        exists(test, a, b, n, w, unsafe { slice_mut(bits, count.div_ceil(8), "bits") }?)
    })())
}
