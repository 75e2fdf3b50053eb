//! The C functions of square lattices.

use super::create::ACCEPTANCES;
use crate::frame::error::Error;
use crate::frame::ffi::{Status, create, destroy, non_null, non_null_mut, slice, slice_mut, status};
use crate::ising::lattice::{LatticeRule, SquareLattice};
use crate::ising::shape::Acceptance;

fn acceptance_of(value: i32) -> Result<Acceptance, Error> {
    let known = usize::try_from(value).ok().and_then(|index| ACCEPTANCES.get(index));
    known.copied().ok_or(Error::Option { argument: "acceptance", value })
}

/// Creates a square lattice.
///
/// # Safety
/// `lattice` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_square_create(
    rows: usize,
    columns: usize,
    seed: u64,
    lattice: *mut *mut SquareLattice,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { create(lattice, "lattice", || SquareLattice::new(rows, columns, seed)) }
}

/// Frees a lattice; null is legal.
///
/// # Safety
/// `lattice` is null or was created by this library, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_square_destroy(lattice: *mut SquareLattice) {
    // SAFETY: the caller's contract.
    unsafe { destroy(lattice) }
}

/// Visits every spin `sweeps` times. Writes the number of flips unless `flips` is null.
///
/// # Safety
/// `lattice` is null or a lattice that nothing else uses during the call; `flips` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_square_sweep(
    lattice: *mut SquareLattice,
    beta: f64,
    acceptance: i32,
    sweeps: u64,
    flips: *mut u64,
) -> Status {
    let sweep = || {
        // SAFETY: the caller's contract.
        let (lattice, flips) = unsafe { (non_null_mut(lattice, "lattice")?, flips.as_mut()) };
        let count = lattice.sweep(beta, acceptance_of(acceptance)?, sweeps)?;
        if let Some(flips) = flips {
            *flips = count;
        }
        Ok(())
    };
    status(sweep())
}

/// Visits the spins of one colour in some rows, as the next sweep does. Writes the number of flips unless
/// `flips` is null.
///
/// # Safety
/// `lattice` is null or a lattice that other calls use during this one only as visits of the same colour in
/// other rows; `flips` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_square_visit(
    lattice: *const SquareLattice,
    beta: f64,
    acceptance: i32,
    colour: usize,
    row_begin: usize,
    row_count: usize,
    flips: *mut u64,
) -> Status {
    let visit = || {
        // SAFETY: the caller's contract.
        let (lattice, flips) = unsafe { (non_null(lattice, "lattice")?, flips.as_mut()) };
        let rule = LatticeRule::new(beta, acceptance_of(acceptance)?)?;
        if colour > 1 {
            return Err(Error::Index { argument: "colour", index: colour, count: 2 });
        }
        let rows = lattice.rows();
        if !row_begin.is_multiple_of(8) || row_begin > rows {
            return Err(Error::Index { argument: "row_begin", index: row_begin, count: rows });
        }
        if row_count > rows - row_begin || !row_count.is_multiple_of(8) && row_begin + row_count != rows {
            return Err(Error::Index { argument: "row_count", index: row_count, count: rows });
        }
        // SAFETY: the caller's contract, and the ranges.
        let count = unsafe { lattice.visit(rule, colour, row_begin, row_count) };
        if let Some(flips) = flips {
            *flips = count;
        }
        Ok(())
    };
    status(visit())
}

/// Writes the number of the next sweep.
///
/// # Safety
/// `lattice` is null or a lattice that nothing changes during the call; `sweeps` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_square_get_sweeps(lattice: *const SquareLattice, sweeps: *mut u64) -> Status {
    let get = || {
        // SAFETY: the caller's contract.
        let (lattice, sweeps) = unsafe { (non_null(lattice, "lattice")?, non_null_mut(sweeps, "sweeps")?) };
        *sweeps = lattice.sweeps();
        Ok(())
    };
    status(get())
}

/// Sets the number of the next sweep.
///
/// # Safety
/// `lattice` is null or a lattice that nothing else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_square_set_sweeps(lattice: *mut SquareLattice, sweeps: u64) -> Status {
    // SAFETY: the caller's contract.
    status(unsafe { non_null_mut(lattice, "lattice") }.map(|lattice| lattice.set_sweeps(sweeps)))
}

/// Writes all spins, row by row.
///
/// # Safety
/// `lattice` is null or a lattice that nothing changes during the call; `spins` is null or points to
/// `rows * columns` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_square_get_spins(lattice: *const SquareLattice, spins: *mut i8) -> Status {
    let get = || {
        // SAFETY: the caller's contract.
        let lattice = unsafe { non_null(lattice, "lattice") }?;
        // SAFETY: the caller's contract.
        lattice.spins(unsafe { slice_mut(spins, lattice.rows() * lattice.columns(), "spins") }?)
    };
    status(get())
}

/// Sets all spins, row by row.
///
/// # Safety
/// `lattice` is null or a lattice that nothing else uses during the call; `spins` is null or points to
/// `rows * columns` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_square_set_spins(lattice: *mut SquareLattice, spins: *const i8) -> Status {
    let set = || {
        // SAFETY: the caller's contract.
        let lattice = unsafe { non_null_mut(lattice, "lattice") }?;
        // SAFETY: the caller's contract.
        lattice.set_spins(unsafe { slice(spins, lattice.rows() * lattice.columns(), "spins") }?)
    };
    status(set())
}

/// Writes all spins as `n` words, a bit for each.
///
/// # Safety
/// `lattice` is null or a lattice that nothing changes during the call; `words` is null or points to `n` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_square_copy_words(
    lattice: *const SquareLattice,
    words: *mut u64,
    n: usize,
) -> Status {
    let copy = || {
        // SAFETY: the caller's contract.
        let lattice = unsafe { non_null(lattice, "lattice") }?;
        // SAFETY: the caller's contract.
        lattice.words(unsafe { slice_mut(words, n, "words") }?)
    };
    status(copy())
}

/// Sets all spins from the words of [`hl_ising_square_copy_words`].
///
/// # Safety
/// `lattice` is null or a lattice that nothing else uses during the call; `words` is null or points to `n` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_square_set_words(lattice: *mut SquareLattice, words: *const u64, n: usize) -> Status {
    let set = || {
        // SAFETY: the caller's contract.
        let lattice = unsafe { non_null_mut(lattice, "lattice") }?;
        // SAFETY: the caller's contract.
        lattice.set_words(unsafe { slice(words, n, "words") }?)
    };
    status(set())
}

/// Writes the sum of the products of adjacent spins, and the sum of all spins.
///
/// # Safety
/// `lattice` is null or a lattice that nothing changes during the call; `energy` and `magnetisation` are null
/// or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_ising_square_measure(
    lattice: *const SquareLattice,
    energy: *mut i64,
    magnetisation: *mut i64,
) -> Status {
    let measure = || {
        // SAFETY: the caller's contract.
        let lattice = unsafe { non_null(lattice, "lattice") }?;
        // SAFETY: the caller's contract.
        let (energy, sum) = unsafe { (non_null_mut(energy, "energy")?, non_null_mut(magnetisation, "magnetisation")?) };
        (*energy, *sum) = (lattice.energy(), lattice.magnetisation());
        Ok(())
    };
    status(measure())
}
