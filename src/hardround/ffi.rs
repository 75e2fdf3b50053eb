//! The C functions of the family: they convert pointers for the safe API and its errors to a
//! status.

use super::{Algorithm, Block, MAX_DEGREE, Scan, Series, Test, exists};
use crate::frame::error::Error;
use crate::frame::ffi::{Bytes, Status, non_null, non_null_mut, slice, slice_mut, status};

impl Test {
    fn from_value(value: u32) -> Result<Self, Error> {
        let known = [Test::Regular, Test::Lefevre].into_iter().find(|test| *test as u32 == value);
        known.ok_or(Error::Option { argument: "test", value: value as i32 })
    }
}

impl Algorithm {
    fn from_value(value: u32) -> Result<Self, Error> {
        let known = [Algorithm::Dual, Algorithm::Farey].into_iter().find(|algorithm| *algorithm as u32 == value);
        known.ok_or(Error::Option { argument: "algorithm", value: value as i32 })
    }
}

/// Reports which domains may hold a case: bit i mod 8 of `bits[i / 8]`.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_hardround_exists(
    a: *const u64,
    b: *const u64,
    count: usize,
    n: u64,
    w: u64,
    test: u32,
    bits: *mut u8,
) -> Status {
    let test = || {
        let test = Test::from_value(test)?;
        // SAFETY: the caller's contract.
        let (a, b) = unsafe { (slice(a, count, "a")?, slice(b, count, "b")?) };
        let written = Bytes::of(bits, count.div_ceil(8), "bits")?;
        for input in [a, b] {
            Bytes::of(input.as_ptr(), size_of_val(input), "a")?.apart(written)?;
        }
        // SAFETY: the caller's contract.
        exists(a, b, n, w, test, unsafe { slice_mut(bits, count.div_ceil(8), "bits") }?)
    };
    status(test())
}

/// Computes the polynomials of consecutive blocks from Taylor coefficients.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_hardround_blocks(
    taylor: *const u64,
    degree: usize,
    log2_length: u32,
    first: i64,
    count: usize,
    blocks: *mut Block,
) -> Status {
    let make = || {
        if degree > MAX_DEGREE {
            return Err(Error::Proof { argument: "degree" });
        }
        // SAFETY: the caller's contract.
        let (taylor, blocks) =
            unsafe { (slice(taylor, 4 * (degree + 1), "taylor")?, slice_mut(blocks, count, "blocks")?) };
        let mut coefficients = [[0; 4]; MAX_DEGREE + 1];
        coefficients.iter_mut().zip(taylor.chunks_exact(4)).for_each(|(to, from)| to.copy_from_slice(from));
        let series = Series::new(&coefficients[..=degree], log2_length)?;
        (first..).zip(blocks).for_each(|(j, block)| *block = series.block(j));
        Ok(())
    };
    status(make())
}

/// Finds the arguments x < `length` of a block with |F(x) mod 1| < `within` 2^-64 by an algorithm:
/// writes the first `capacity` of them in ascending order, and their total number.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_hardround_scan(
    block: *const Block,
    length: u64,
    within: u64,
    algorithm: u32,
    found: *mut u64,
    capacity: usize,
    count: *mut usize,
) -> Status {
    let scan = || {
        let algorithm = Algorithm::from_value(algorithm)?;
        // SAFETY: the caller's contract.
        let (block, count) = unsafe { (non_null(block, "block")?, non_null_mut(count, "count")?) };
        // SAFETY: the caller's contract.
        let found = unsafe { slice_mut(found, capacity, "found") }?;
        let (mut scan, mut number) = (Scan::new(within)?.algorithm(algorithm), 0);
        scan.block(block, length, |x| {
            if let Some(slot) = found.get_mut(number) {
                *slot = x;
            }
            number += 1;
        })?;
        *count = number;
        Ok(())
    };
    status(scan())
}
