//! Orientations: from numbers and angles, from neighbours and from bonds.

use alloc::vec::Vec;

use super::boundary;
use crate::correlation::{Boundary, Psi};
use crate::frame::error::Error;
use crate::frame::ffi::{Status, slice, slice_mut, status};

/// Orientations of the complex numbers `re[i]` + i `im[i]`, as `psi[2 i]` and `psi[2 i + 1]`.
///
/// # Safety
/// `re` and `im` are null or point to `n` readable values, `psi` to `2 n` writable ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_psi(re: *const f64, im: *const f64, n: usize, psi: *mut i16) -> Status {
    // SAFETY: the caller's contract.
    unsafe {
        let inputs = slice(re, n, "re").and_then(|re| Ok((re, slice(im, n, "im")?)));
        status(inputs.and_then(|(re, im)| write_psi(psi, n, |i| Psi::new(re[i], im[i]))))
    }
}

/// Orientations exp(i `fold` `theta[i]`), as `psi[2 i]` and `psi[2 i + 1]`.
///
/// # Safety
/// `theta` is null or points to `n` readable values, `psi` to `2 n` writable ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_psi_from_angles(
    theta: *const f64,
    n: usize,
    fold: u32,
    psi: *mut i16,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe {
        let theta = slice(theta, n, "theta");
        status(theta.and_then(|theta| write_psi(psi, n, |i| Psi::from_angle(theta[i], fold))))
    }
}

/// The bond-orientational order of points from their `k` nearest neighbours, as `psi[2 i]` and
/// `psi[2 i + 1]`. The plane is open if `periods` is null, otherwise periodic with these two
/// lengths.
///
/// # Safety
/// `x` and `y` are null or point to `n` readable values, `periods` to two, `psi` to `2 n` writable
/// ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_psi_of_neighbours(
    x: *const f64,
    y: *const f64,
    n: usize,
    periods: *const f64,
    k: usize,
    fold: u32,
    psi: *mut i16,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { write_order([x, y], n, periods, psi, |x, y, plane| Psi::of_neighbours(x, y, plane, k, fold)) }
}

/// The same from all others at a distance of at most `radius`.
///
/// # Safety
/// As for [`hl_correlation_psi_of_neighbours`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_psi_of_neighbours_within(
    x: *const f64,
    y: *const f64,
    n: usize,
    periods: *const f64,
    radius: f64,
    fold: u32,
    psi: *mut i16,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { write_order([x, y], n, periods, psi, |x, y, plane| Psi::of_neighbours_within(x, y, plane, radius, fold)) }
}

/// The same from given bonds: pair `bonds[2 b]`, `bonds[2 b + 1]` is a point and its neighbour.
///
/// # Safety
/// As for [`hl_correlation_psi_of_neighbours`]; `bonds` is null or points to `2 count` readable values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_psi_of_bonds(
    x: *const f64,
    y: *const f64,
    n: usize,
    periods: *const f64,
    bonds: *const usize,
    count: usize,
    fold: u32,
    psi: *mut i16,
) -> Status {
    // SAFETY: the caller's contract, throughout.
    unsafe {
        write_order([x, y], n, periods, psi, |x, y, plane| {
            Psi::of_bonds(x, y, plane, slice(bonds.cast::<[usize; 2]>(), count, "bonds")?, fold)
        })
    }
}

/// The same with a weight for each bond.
///
/// # Safety
/// As for [`hl_correlation_psi_of_bonds`]; `weights` is null or points to `count` readable values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_psi_of_weighted_bonds(
    x: *const f64,
    y: *const f64,
    n: usize,
    periods: *const f64,
    bonds: *const usize,
    weights: *const f64,
    count: usize,
    fold: u32,
    psi: *mut i16,
) -> Status {
    // SAFETY: the caller's contract, throughout.
    unsafe {
        write_order([x, y], n, periods, psi, |x, y, plane| {
            let bonds = slice(bonds.cast::<[usize; 2]>(), count, "bonds")?;
            Psi::of_weighted_bonds(x, y, plane, bonds, slice(weights, count, "weights")?, fold)
        })
    }
}

/// The same from bonds to given images of the neighbours: bond b leads to the image closest to the displacement
/// (`displacements[2 b]`, `displacements[2 b + 1]`). Each bond counts once if `weights` is null.
///
/// # Safety
/// As for [`hl_correlation_psi_of_bonds`]; `displacements` is null or points to `2 count` readable values, `weights`
/// to `count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_psi_of_bonds_to_images(
    x: *const f64,
    y: *const f64,
    n: usize,
    periods: *const f64,
    bonds: *const usize,
    displacements: *const f64,
    weights: *const f64,
    count: usize,
    fold: u32,
    psi: *mut i16,
) -> Status {
    // SAFETY: the caller's contract, throughout.
    unsafe {
        write_order([x, y], n, periods, psi, |x, y, plane| {
            let bonds = slice(bonds.cast::<[usize; 2]>(), count, "bonds")?;
            let displacements = slice(displacements.cast::<[f64; 2]>(), count, "displacements")?;
            let weights = if weights.is_null() { None } else { Some(slice(weights, count, "weights")?) };
            Psi::of_bonds_to_images(x, y, plane, bonds, displacements, weights, fold)
        })
    }
}

/// Writes the orientations that `order` computes.
///
/// # Safety
/// As for [`hl_correlation_psi_of_neighbours`].
unsafe fn write_order(
    [x, y]: [*const f64; 2],
    n: usize,
    periods: *const f64,
    psi: *mut i16,
    order: impl FnOnce(&[f64], &[f64], Boundary) -> Result<Vec<Psi>, Error>,
) -> Status {
    let write = || {
        // SAFETY: the caller's contract, throughout.
        let (x, y, psi, plane) = unsafe {
            let psi = slice_mut(psi.cast::<Psi>(), n, "psi");
            (slice(x, n, "x")?, slice(y, n, "y")?, psi?, boundary(periods))
        };
        psi.copy_from_slice(&order(x, y, plane)?);
        Ok(())
    };
    status(write())
}

/// # Safety
/// `psi` is null or points to `2 n` writable integers.
unsafe fn write_psi(psi: *mut i16, n: usize, make: impl Fn(usize) -> Result<Psi, Error>) -> Result<(), Error> {
    // SAFETY: the caller's contract.
    let psi = unsafe { slice_mut(psi.cast::<Psi>(), n, "psi") }?;
    // Check every value before writing the first.
    if let Some(index) = (0..n).find(|&index| make(index).is_err()) {
        return Err(Error::Orientation { index });
    }
    psi.iter_mut().enumerate().try_for_each(|(index, psi)| make(index).map(|made| *psi = made))
}
