//! Points with real coordinates, and their pairs.

use super::{boundary, change, orientations};
use crate::correlation::{Accumulator, Points};
use crate::frame::ffi::{Status, create, destroy, non_null, non_null_mut, slice, status};

/// Sorts points into cells. Destroy them with [`hl_correlation_points_destroy`]. If `psi` is null, pairs are
/// only counted. The plane is open if `periods` is null, otherwise periodic with these two lengths.
///
/// # Safety
/// `x` and `y` are null or point to `n` readable values; `psi` is null or points to `2 n`, `periods`
/// to two; `points` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_points_create(
    x: *const f64,
    y: *const f64,
    psi: *const i16,
    n: usize,
    periods: *const f64,
    r_max: f64,
    points: *mut *mut Points,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe {
        create(points, "points", || {
            let (x, y, boundary) = (slice(x, n, "x")?, slice(y, n, "y")?, boundary(periods));
            match psi.is_null() {
                true => Points::of_positions(x, y, boundary, r_max),
                false => Points::new(x, y, orientations(psi, n)?, boundary, r_max),
            }
        })
    }
}

/// Sorts another set of points into the cells of `points`. Destroy it with [`hl_correlation_points_destroy`].
///
/// # Safety
/// Same as for [`hl_correlation_points_create`]; `points` is null or comes from there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_points_create_others(
    points: *const Points,
    x: *const f64,
    y: *const f64,
    psi: *const i16,
    n: usize,
    others: *mut *mut Points,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe {
        create(others, "others", || {
            let points = non_null(points, "points")?;
            let (x, y) = (slice(x, n, "x")?, slice(y, n, "y")?);
            if psi.is_null() { points.others_of_positions(x, y) } else { points.others(x, y, orientations(psi, n)?) }
        })
    }
}

/// Frees points; null is legal.
///
/// # Safety
/// `points` is null or comes from [`hl_correlation_points_create`] or
/// [`hl_correlation_points_create_others`], and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_points_destroy(points: *mut Points) {
    // SAFETY: the caller's contract.
    unsafe { destroy(points) }
}

/// Writes the number of cells.
///
/// # Safety
/// `points` is null or a set of points; `cells` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_points_cells(points: *const Points, cells: *mut usize) -> Status {
    let get = || {
        // SAFETY: the caller's contract.
        let (points, cells) = unsafe { (non_null(points, "points")?, non_null_mut(cells, "cells")?) };
        *cells = points.cells();
        Ok(())
    };
    status(get())
}

/// Adds the pairs of points, each once.
///
/// # Safety
/// `pairs` is null or an accumulator that nothing else uses meanwhile; `points` is null or a set of
/// points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_pairs_add_points(pairs: *mut Accumulator, points: *const Points) -> Status {
    // SAFETY: the caller's contract.
    unsafe { change(pairs, |pairs| pairs.add_points(non_null(points, "points")?)) }
}

/// Adds the pairs that belong to the cells from `begin` to `end - 1`.
///
/// # Safety
/// Same as for [`hl_correlation_pairs_add_points`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_pairs_add_points_of_cells(
    pairs: *mut Accumulator,
    points: *const Points,
    begin: usize,
    end: usize,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { change(pairs, |pairs| pairs.add_points_of_cells(non_null(points, "points")?, begin..end)) }
}

/// Adds the pairs of one point of `points` and one of `others`, which [`hl_correlation_points_create_others`]
/// made from `points`.
///
/// # Safety
/// Same as for [`hl_correlation_pairs_add_points`]; `others` is null or a set of points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_pairs_add_points_cross(
    pairs: *mut Accumulator,
    points: *const Points,
    others: *const Points,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { change(pairs, |pairs| pairs.add_points_cross(non_null(points, "points")?, non_null(others, "others")?)) }
}
