//! The C functions of the family. They convert pointers for the safe API and its errors to a
//! status.

use super::Mt19937;
use crate::frame::ffi::{Status, create, destroy, non_null, non_null_mut, slice, slice_mut, status};

/// Creates a generator of 4, 8 or 16 lanes, one for each seed. Destroy it with
/// [`hl_random_mt19937_destroy`].
///
/// # Safety
/// `lane_seeds` is null or points to `lanes` values; `generator` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_random_mt19937_create(
    lane_seeds: *const u32,
    lanes: u32,
    generator: *mut *mut Mt19937,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { create(generator, "generator", || Mt19937::new(slice(lane_seeds, lanes as usize, "lane_seeds")?)) }
}

/// Creates a generator from a saved state. Destroy it with [`hl_random_mt19937_destroy`].
///
/// # Safety
/// `bytes` is null or points to `size` bytes; `generator` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_random_mt19937_create_from_state(
    bytes: *const u8,
    size: usize,
    generator: *mut *mut Mt19937,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { create(generator, "generator", || Mt19937::from_state_bytes(slice(bytes, size, "bytes")?)) }
}

/// Frees a generator; null is legal.
///
/// # Safety
/// `generator` is null or comes from [`hl_random_mt19937_create`] or [`hl_random_mt19937_create_from_state`], and
/// is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_random_mt19937_destroy(generator: *mut Mt19937) {
    // SAFETY: the caller's contract.
    unsafe { destroy(generator) }
}

/// Fills `dst[0..n]` with 32-bit integers.
///
/// # Safety
/// `generator` is null or a generator that nothing else uses meanwhile; `dst` is null or points to
/// `n` writable values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_random_mt19937_fill_u32(generator: *mut Mt19937, dst: *mut u32, n: usize) -> Status {
    let fill = || {
        // SAFETY: the caller's contract.
        let (generator, dst) = unsafe { (non_null_mut(generator, "generator")?, slice_mut(dst, n, "dst")?) };
        generator.fill_u32(dst);
        Ok(())
    };
    status(fill())
}

/// Fills `dst[0..n]` with multiples of 2^-24 in [0, 1).
///
/// # Safety
/// Same as for [`hl_random_mt19937_fill_u32`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_random_mt19937_fill_f32(generator: *mut Mt19937, dst: *mut f32, n: usize) -> Status {
    let fill = || {
        // SAFETY: the caller's contract.
        let (generator, dst) = unsafe { (non_null_mut(generator, "generator")?, slice_mut(dst, n, "dst")?) };
        generator.fill_f32(dst);
        Ok(())
    };
    status(fill())
}

/// Writes the size in bytes of the generator's saved state.
///
/// # Safety
/// `generator` is null or a generator; `size` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_random_mt19937_state_size(generator: *const Mt19937, size: *mut usize) -> Status {
    let measure = || {
        // SAFETY: the caller's contract.
        let (generator, size) = unsafe { (non_null(generator, "generator")?, non_null_mut(size, "size")?) };
        *size = generator.state_len();
        Ok(())
    };
    status(measure())
}

/// Saves the state as `size` bytes, identical on every machine. `size` is the value from
/// [`hl_random_mt19937_state_size`].
///
/// # Safety
/// `generator` is null or a generator that nothing changes meanwhile; `bytes` is null or points to
/// `size` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_random_mt19937_get_state(generator: *const Mt19937, bytes: *mut u8, size: usize) -> Status {
    let get = || {
        // SAFETY: the caller's contract.
        let (generator, bytes) = unsafe { (non_null(generator, "generator")?, slice_mut(bytes, size, "bytes")?) };
        generator.state_bytes(bytes)
    };
    status(get())
}

/// Restores a saved state, including its number of lanes. After an error the generator is
/// unchanged.
///
/// # Safety
/// `generator` is null or a generator that nothing else uses meanwhile; `bytes` is null or points
/// to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_random_mt19937_set_state(generator: *mut Mt19937, bytes: *const u8, size: usize) -> Status {
    let set = || {
        // SAFETY: the caller's contract.
        let (generator, bytes) = unsafe { (non_null_mut(generator, "generator")?, slice(bytes, size, "bytes")?) };
        generator.set_state(bytes)
    };
    status(set())
}
