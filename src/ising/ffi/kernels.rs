//! The C functions that write tables for kernels. They are declared in `hotloops_kernels.h`, as the
//! functions of every file of this name.

use crate::frame::error::Error;
use crate::frame::ffi::{Status, slice_mut, status};
use crate::ising::thresholds::{heat_thresholds, thresholds};
use crate::ising::wide::{factors, heat_factors};

/// Writes the [`THRESHOLDS`](crate::ising::THRESHOLDS) values of [`thresholds()`]. Fails if `space` is negative or not
/// finite, or if `tau` is not finite.
///
/// # Safety
/// `thresholds` is null or points to 864 values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_thresholds(space: f64, tau: f64, thresholds: *mut u16) -> Status {
    // SAFETY: the caller's contract.
    unsafe { write_table(self::thresholds, "thresholds", space, tau, thresholds) }
}

/// Like [`hl_ising_thresholds`], with the values of [`heat_thresholds()`].
///
/// # Safety
/// As for [`hl_ising_thresholds`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_heat_thresholds(space: f64, tau: f64, thresholds: *mut u16) -> Status {
    // SAFETY: the caller's contract.
    unsafe { write_table(heat_thresholds, "thresholds", space, tau, thresholds) }
}

/// Writes the [`FACTORS`](crate::ising::FACTORS) values of [`factors()`]. Fails if `space` is
/// negative or not finite, or if `tau` is not finite.
///
/// # Safety
/// `factors` is null or points to 72 values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_factors(space: f64, tau: f64, factors: *mut u16) -> Status {
    // SAFETY: the caller's contract.
    unsafe { write_table(self::factors, "factors", space, tau, factors) }
}

/// Like [`hl_ising_factors`], with the values of [`heat_factors()`].
///
/// # Safety
/// As for [`hl_ising_factors`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_heat_factors(space: f64, tau: f64, factors: *mut u16) -> Status {
    // SAFETY: the caller's contract.
    unsafe { write_table(heat_factors, "factors", space, tau, factors) }
}

/// # Safety
/// `table` is null or points to `N` values.
unsafe fn write_table<const N: usize>(
    tabulate: fn(f64, f64) -> [u16; N],
    argument: &'static str,
    space: f64,
    tau: f64,
    table: *mut u16,
) -> Status {
    let write = || {
        // SAFETY: the caller's contract.
        let slots = unsafe { slice_mut(table, N, argument) }?;
        for (argument, value, is_legal) in
            [("space", space, space.is_finite() && space >= 0.0), ("tau", tau, tau.is_finite())]
        {
            if !is_legal {
                return Err(Error::Beta { argument, value: value as f32 });
            }
        }
        slots.copy_from_slice(&tabulate(space, tau));
        Ok(())
    };
    status(write())
}
