//! The C functions of worldlines.

use super::create::{IsingGraph, of_graph};
use crate::frame::error::at_least;
use crate::frame::ffi::{Status, create, destroy, non_null, non_null_mut, slice, slice_mut, status};
use crate::ising::shape::{Beta, Energy};
use crate::ising::worldline::{Transverse, Worldlines, correlation_gap};
use crate::random::Mt19937;

/// Creates worldlines with as many slices as the graph has layers, all spins +1.
///
/// # Safety
/// `graph` is null or holds pointers that are null or point to as many values as [`IsingGraph`] says; `lines` is null
/// or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_worldlines_create(graph: *const IsingGraph, lines: *mut *mut Worldlines) -> Status {
    // SAFETY: the caller's contract.
    unsafe { create(lines, "lines", || of_graph(non_null(graph, "graph")?)?.build_worldlines()) }
}

/// Frees worldlines; null is legal.
///
/// # Safety
/// `lines` is null or was created by this library, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_worldlines_destroy(lines: *mut Worldlines) {
    // SAFETY: the caller's contract.
    unsafe { destroy(lines) }
}

/// Sweeps `sweeps` times at each of `n` points of a schedule. Writes the number of segments unless `segments` is null.
///
/// # Safety
/// `lines` and `rng` are null or objects that nothing else uses during the call; `schedule` is null or points to `n`
/// values; `segments` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_worldlines_sweep(
    lines: *mut Worldlines,
    rng: *mut Mt19937,
    schedule: *const Transverse,
    n: usize,
    sweeps: u64,
    segments: *mut u64,
) -> Status {
    let sweep = || {
        // SAFETY: the caller's contract.
        let (lines, rng) = unsafe { (non_null_mut(lines, "lines")?, non_null_mut(rng, "rng")?) };
        // SAFETY: the caller's contract.
        let (schedule, segments) = unsafe { (slice(schedule, n, "schedule")?, segments.as_mut()) };
        let count = lines.anneal(rng, schedule, sweeps)?;
        if let Some(segments) = segments {
            *segments = count;
        }
        Ok(())
    };
    status(sweep())
}

/// Does `sweeps` cluster sweeps. Writes the number of clusters unless `clusters` is null.
///
/// # Safety
/// `lines` and `rng` are null or objects that nothing else uses during the call; `at` is null or readable; `clusters`
/// is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_worldlines_sweep_clusters(
    lines: *mut Worldlines,
    rng: *mut Mt19937,
    at: *const Transverse,
    sweeps: u64,
    clusters: *mut u64,
) -> Status {
    let sweep = || {
        // SAFETY: the caller's contract.
        let (lines, rng) = unsafe { (non_null_mut(lines, "lines")?, non_null_mut(rng, "rng")?) };
        // SAFETY: the caller's contract.
        let (at, clusters) = unsafe { (*non_null(at, "at")?, clusters.as_mut()) };
        let count = lines.sweep_clusters(rng, at, sweeps)?;
        if let Some(clusters) = clusters {
            *clusters = count;
        }
        Ok(())
    };
    status(sweep())
}

/// Writes 1 if no spins satisfy all couplings, otherwise 0.
///
/// # Safety
/// `lines` is null or worldlines that nothing changes during the call; `is_frustrated` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_worldlines_is_frustrated(
    lines: *const Worldlines,
    is_frustrated: *mut u32,
) -> Status {
    let write = || {
        // SAFETY: the caller's contract.
        let (lines, is_frustrated) =
            unsafe { (non_null(lines, "lines")?, non_null_mut(is_frustrated, "is_frustrated")?) };
        *is_frustrated = lines.is_frustrated()?.into();
        Ok(())
    };
    status(write())
}

/// Writes the correlation in imaginary time at each of `n` lags.
///
/// # Safety
/// `lines` is null or worldlines that nothing changes during the call; `lags` and `correlation` are null or point to
/// `n` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_worldlines_correlation(
    lines: *const Worldlines,
    lags: *const usize,
    n: usize,
    correlation: *mut f64,
) -> Status {
    let write = || {
        // SAFETY: the caller's contract.
        let (lines, lags) = unsafe { (non_null(lines, "lines")?, slice(lags, n, "lags")?) };
        // SAFETY: the caller's contract.
        lines.correlation(lags, unsafe { slice_mut(correlation, n, "correlation") }?)
    };
    status(write())
}

/// Writes the gap of three values of a correlation, or NaN.
///
/// # Safety
/// `taus` and `values` are null or point to 3 values; `gap` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_correlation_gap(
    beta: f64,
    taus: *const f64,
    values: *const f64,
    gap: *mut f64,
) -> Status {
    let write = || {
        // SAFETY: the caller's contract.
        let (taus, values) = unsafe { (slice(taus, 3, "taus")?, slice(values, 3, "values")?) };
        // SAFETY: the caller's contract.
        let gap = unsafe { non_null_mut(gap, "gap") }?;
        let three = |values: &[f64]| core::array::from_fn(|index| values[index]);
        *gap = correlation_gap(beta, three(taus), three(values))?.unwrap_or(f64::NAN);
        Ok(())
    };
    status(write())
}

/// Writes the estimates of the energy and of the mean of `sx`.
///
/// # Safety
/// `lines` is null or worldlines that nothing changes during the call; `at` is null or readable; `energy` and
/// `transverse` are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_worldlines_energy(
    lines: *const Worldlines,
    at: *const Transverse,
    energy: *mut f64,
    transverse: *mut f64,
) -> Status {
    let measure = || {
        // SAFETY: the caller's contract.
        let (lines, at) = unsafe { (non_null(lines, "lines")?, *non_null(at, "at")?) };
        // SAFETY: the caller's contract.
        let (energy, transverse) =
            unsafe { (non_null_mut(energy, "energy")?, non_null_mut(transverse, "transverse")?) };
        (*energy, *transverse) = (lines.energy(at)?, lines.transverse_magnetisation(at)?);
        Ok(())
    };
    status(measure())
}

/// Writes the sums of all slices that [`hl_ising_worldlines_weights`] multiplies.
///
/// # Safety
/// `lines` is null or worldlines that nothing changes during the call; `energies` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_worldlines_energies(lines: *const Worldlines, energies: *mut Energy) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(lines, energies, "energies", Worldlines::sums) }
}

/// Writes the inverse temperatures of the sums.
///
/// # Safety
/// `lines` is null or worldlines that nothing changes during the call; `at` is null or readable; `beta` is null or
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_worldlines_weights(
    lines: *const Worldlines,
    at: *const Transverse,
    beta: *mut Beta,
) -> Status {
    let write = || {
        // SAFETY: the caller's contract.
        let (lines, at) = unsafe { (non_null(lines, "lines")?, non_null(at, "at")?) };
        // SAFETY: the caller's contract.
        let beta = unsafe { non_null_mut(beta, "beta") }?;
        *beta = at.weights(lines.slices())?;
        Ok(())
    };
    status(write())
}

/// Writes the sum of the spins of all sites and slices.
///
/// # Safety
/// `lines` is null or worldlines that nothing changes during the call; `magnetisation` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_worldlines_magnetisation(
    lines: *const Worldlines,
    magnetisation: *mut i64,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(lines, magnetisation, "magnetisation", Worldlines::magnetisation) }
}

/// Writes the number of kinks of all lines.
///
/// # Safety
/// `lines` is null or worldlines that nothing changes during the call; `kinks` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_worldlines_kinks(lines: *const Worldlines, kinks: *mut u64) -> Status {
    // SAFETY: the caller's contract.
    unsafe { get(lines, kinks, "kinks", Worldlines::kinks) }
}

/// # Safety
/// `lines` is null or worldlines that nothing changes during the call; `value` is null or writable.
unsafe fn get<T>(
    lines: *const Worldlines,
    value: *mut T,
    argument: &'static str,
    read: impl FnOnce(&Worldlines) -> T,
) -> Status {
    let get = || {
        // SAFETY: the caller's contract.
        let (lines, value) = unsafe { (non_null(lines, "lines")?, non_null_mut(value, argument)?) };
        *value = read(lines);
        Ok(())
    };
    status(get())
}

/// Writes the spins of a slice.
///
/// # Safety
/// `lines` is null or worldlines that nothing changes during the call; `spins` is null or points to `sites` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_worldlines_get_spins(
    lines: *const Worldlines,
    slice: usize,
    spins: *mut i8,
) -> Status {
    let get = || {
        // SAFETY: the caller's contract.
        let lines = unsafe { non_null(lines, "lines") }?;
        // SAFETY: the caller's contract.
        lines.spins(slice, unsafe { slice_mut(spins, lines.sites(), "spins") }?)
    };
    status(get())
}

/// Sets all slices to the same spins.
///
/// # Safety
/// `lines` is null or worldlines that nothing else uses during the call; `spins` is null or points to `sites` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_worldlines_set_spins(lines: *mut Worldlines, spins: *const i8) -> Status {
    let set = || {
        // SAFETY: the caller's contract.
        let lines = unsafe { non_null_mut(lines, "lines") }?;
        // SAFETY: the caller's contract.
        lines.set_spins(unsafe { slice(spins, lines.sites(), "spins") }?)
    };
    status(set())
}

/// Writes the spin of a site in slice 0 and the number of its kinks, and the kinks if `kinks` is not null.
///
/// # Safety
/// `lines` is null or worldlines that nothing changes during the call; `kinks` is null or points to `n` values; `spin`
/// and `count` are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_worldlines_get_line(
    lines: *const Worldlines,
    site: usize,
    spin: *mut i8,
    kinks: *mut i32,
    n: usize,
    count: *mut usize,
) -> Status {
    let get = || {
        // SAFETY: the caller's contract.
        let (lines, spin) = unsafe { (non_null(lines, "lines")?, non_null_mut(spin, "spin")?) };
        // SAFETY: the caller's contract.
        let count = unsafe { non_null_mut(count, "count") }?;
        let (first, found) = lines.line(site)?;
        if !kinks.is_null() {
            at_least("n", found.len(), n)?;
            // SAFETY: the caller's contract.
            unsafe { slice_mut(kinks, n, "kinks") }?[..found.len()].copy_from_slice(found);
        }
        (*spin, *count) = (first, found.len());
        Ok(())
    };
    status(get())
}

/// Sets a line as [`hl_ising_worldlines_get_line`] wrote it.
///
/// # Safety
/// `lines` is null or worldlines that nothing else uses during the call; `kinks` is null or points to `n` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_worldlines_set_line(
    lines: *mut Worldlines,
    site: usize,
    spin: i8,
    kinks: *const i32,
    n: usize,
) -> Status {
    let set = || {
        // SAFETY: the caller's contract.
        let (lines, kinks) = unsafe { (non_null_mut(lines, "lines")?, slice(kinks, n, "kinks")?) };
        lines.set_line(site, spin, kinks)
    };
    status(set())
}
