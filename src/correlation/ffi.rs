//! The C functions of the family. They convert pointers for the safe API and its errors to a
//! status.

mod points;
mod psi;

use super::{Accumulator, Bins, Boundary, Image, Psi};
use crate::frame::error::{Error, exactly};
use crate::frame::ffi::{Status, create, destroy, non_null, non_null_mut, slice, slice_mut, status};
use crate::frame::memory;

/// `hl_correlation_pairs_bin`: [`Bin`](super::Bin) with its sum in two words.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PairsBin {
    /// Lower edge, included.
    pub lo: f64,
    /// Upper edge, excluded.
    pub hi: f64,
    /// The mean of the products; NaN if there is no pair.
    pub g: f64,
    /// Number of pairs.
    pub count: u64,
    /// The sum of the products is `sum_hi` 2^64 + `sum_lo`, in units of 2^-28.
    pub sum_hi: i64,
    /// The lower word of the sum.
    pub sum_lo: u64,
}

/// # Safety
/// `psi` is null or points to `2 n` readable integers.
unsafe fn orientations<'a>(psi: *const i16, n: usize) -> Result<&'a [Psi], Error> {
    // SAFETY: the caller's contract; an orientation is a pair of integers, whose range is checked
    // first.
    unsafe {
        let parts = slice(psi.cast::<[i16; 2]>(), n, "psi")?;
        match parts.iter().position(|parts| parts.iter().any(|part| part.unsigned_abs() > 16384)) {
            Some(index) => Err(Error::Orientation { index }),
            None => slice(psi.cast(), n, "psi"),
        }
    }
}

/// # Safety
/// `pairs` is null or an accumulator that nothing else uses meanwhile.
unsafe fn change(pairs: *mut Accumulator, change: impl FnOnce(&mut Accumulator) -> Result<(), Error>) -> Status {
    // SAFETY: the caller's contract.
    status(unsafe { non_null_mut(pairs, "pairs") }.and_then(change))
}

/// # Safety
/// `periods` is null or points to two readable values.
unsafe fn boundary(periods: *const f64) -> Boundary {
    // SAFETY: the caller's contract.
    match unsafe { periods.cast::<[f64; 2]>().as_ref() } {
        Some(&periods) => Boundary::Periodic(periods),
        None => Boundary::Open,
    }
}

/// Creates an accumulator of bins between `edges`. Destroy it with [`hl_correlation_pairs_destroy`].
///
/// # Safety
/// `edges` is null or points to `n` readable values; `pairs` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_pairs_create(
    edges: *const f64,
    n: usize,
    pairs: *mut *mut Accumulator,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { create(pairs, "pairs", || Accumulator::new(Bins::from_edges(slice(edges, n, "edges")?)?)) }
}

/// Creates an accumulator of bins of one width from `lo` to `hi`. Destroy it with
/// [`hl_correlation_pairs_destroy`].
///
/// # Safety
/// `pairs` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_pairs_create_uniform(
    lo: f64,
    hi: f64,
    width: f64,
    pairs: *mut *mut Accumulator,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { create(pairs, "pairs", || Accumulator::new(Bins::uniform(lo, hi, width)?)) }
}

/// Frees an accumulator; null is legal.
///
/// # Safety
/// `pairs` is null or comes from [`hl_correlation_pairs_create`] or [`hl_correlation_pairs_create_uniform`], and is not
/// used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_pairs_destroy(pairs: *mut Accumulator) {
    // SAFETY: the caller's contract.
    unsafe { destroy(pairs) }
}

/// Writes the number of bins.
///
/// # Safety
/// `pairs` is null or an accumulator that nothing changes meanwhile; `bins` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_pairs_len(pairs: *const Accumulator, bins: *mut usize) -> Status {
    let get = || {
        // SAFETY: the caller's contract.
        let (pairs, bins) = unsafe { (non_null(pairs, "pairs")?, non_null_mut(bins, "bins")?) };
        *bins = pairs.bins().len();
        Ok(())
    };
    status(get())
}

/// Writes counts and sums, bin by bin.
///
/// # Safety
/// `pairs` is null or an accumulator that nothing changes meanwhile; `bins` is null or points to
/// `n` writable values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_pairs_get(pairs: *const Accumulator, bins: *mut PairsBin, n: usize) -> Status {
    let get = || {
        // SAFETY: the caller's contract.
        let (pairs, bins) = unsafe { (non_null(pairs, "pairs")?, slice_mut(bins, n, "bins")?) };
        exactly("bins", pairs.bins().len(), n)?;
        for (slot, bin) in bins.iter_mut().zip(pairs.bins()) {
            let (sum_hi, sum_lo) = ((bin.sum >> 64) as i64, bin.sum as u64);
            *slot =
                PairsBin { lo: bin.lo, hi: bin.hi, g: bin.g().unwrap_or(f64::NAN), count: bin.count, sum_hi, sum_lo };
        }
        Ok(())
    };
    status(get())
}

/// Adds the counts and sums of another accumulator with the same bins.
///
/// # Safety
/// `pairs` is null or an accumulator that nothing else uses meanwhile; `other` is null or an
/// accumulator that nothing changes meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_pairs_merge(pairs: *mut Accumulator, other: *const Accumulator) -> Status {
    if core::ptr::eq(pairs, other) && !other.is_null() {
        return status(Err(Error::Overlap { argument: "other" }));
    }
    // SAFETY: the caller's contract.
    unsafe { change(pairs, |pairs| pairs.merge(non_null(other, "other")?)) }
}

/// Adds counts and sums, bin by bin, of another accumulator with the same bins, as
/// [`hl_correlation_pairs_get`] writes them.
///
/// # Safety
/// `pairs` is null or an accumulator that nothing else uses meanwhile; `bins` is null or points to
/// `n` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_pairs_add_bins(
    pairs: *mut Accumulator,
    bins: *const PairsBin,
    n: usize,
) -> Status {
    let add = |pairs: &mut Accumulator| {
        // SAFETY: the caller's contract.
        let bins = unsafe { slice(bins, n, "bins") }?;
        exactly("bins", pairs.bins().len(), n)?;
        // Of an edge that two bins have, both values are checked.
        let edges = pairs.bins().zip(bins);
        let index = edges.enumerate().find_map(|(index, (own, bin))| match (own.lo == bin.lo, own.hi == bin.hi) {
            (false, _) => Some(index),
            (true, false) => Some(index + 1),
            (true, true) => None,
        });
        if let Some(index) = index {
            return Err(Error::Bins { index });
        }
        let sum = |bin: &PairsBin| i128::from(bin.sum_hi) << 64 | i128::from(bin.sum_lo);
        bins.iter().enumerate().for_each(|(index, bin)| pairs.add(index, bin.count, sum(bin)));
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { change(pairs, add) }
}

/// Sorts the points of an image. Destroy it with [`hl_correlation_image_destroy`]. If `psi` is null, pairs are
/// only counted.
///
/// # Safety
/// `x` and `y` are null or point to `n` readable values, `psi` to `2 n`; `image` is null or
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_image_create(
    x: *const i32,
    y: *const i32,
    psi: *const i16,
    n: usize,
    image: *mut *mut Image,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe {
        create(image, "image", || {
            let (x, y) = (slice(x, n, "x")?, slice(y, n, "y")?);
            if psi.is_null() { Image::of_positions(x, y) } else { Image::new(x, y, orientations(psi, n)?) }
        })
    }
}

/// Frees an image; null is legal.
///
/// # Safety
/// `image` is null or comes from [`hl_correlation_image_create`], and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_image_destroy(image: *mut Image) {
    // SAFETY: the caller's contract.
    unsafe { destroy(image) }
}

/// Writes the largest difference of y.
///
/// # Safety
/// `image` is null or an image; `height` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_image_height(image: *const Image, height: *mut u32) -> Status {
    let get = || {
        // SAFETY: the caller's contract.
        let (image, height) = unsafe { (non_null(image, "image")?, non_null_mut(height, "height")?) };
        *height = image.height();
        Ok(())
    };
    status(get())
}

/// Counts the pairs of points `dy` apart in y, by their difference in x from `-reach` to `reach`.
///
/// # Safety
/// `image` is null or an image; `counts` and `sums` are null or point to `2 reach + 1` writable
/// values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_image_map_row(
    image: *const Image,
    dy: u32,
    reach: usize,
    counts: *mut u64,
    sums: *mut i64,
) -> Status {
    let map = || {
        let n = reach.checked_mul(2).and_then(|n| n.checked_add(1)).ok_or(Error::TooLarge { argument: "reach" })?;
        // SAFETY: the caller's contract.
        let (image, counts, sums) =
            unsafe { (non_null(image, "image")?, slice_mut(counts, n, "counts")?, slice_mut(sums, n, "sums")?) };
        let mut wide = memory::filled(n, (0u64, 0i128))?;
        image.map_row(dy, &mut wide)?;
        if wide.iter().any(|(_, sum)| i64::try_from(*sum).is_err()) {
            return Err(Error::TooLarge { argument: "sums" });
        }
        for ((count, sum), (pairs, wide)) in counts.iter_mut().zip(sums).zip(wide) {
            (*count, *sum) = (pairs, wide as i64);
        }
        Ok(())
    };
    status(map())
}

/// Adds the pairs of an image, each once.
///
/// # Safety
/// `pairs` is null or an accumulator that nothing else uses meanwhile; `image` is null or an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_pairs_add_image(pairs: *mut Accumulator, image: *const Image) -> Status {
    // SAFETY: the caller's contract.
    unsafe { change(pairs, |pairs| pairs.add_image(non_null(image, "image")?)) }
}

/// Adds the pairs of an image, each once, by the fastest method that needs at most `memory` bytes besides the
/// points.
///
/// # Safety
/// Same as for [`hl_correlation_pairs_add_image`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_pairs_add_image_within(
    pairs: *mut Accumulator,
    image: *const Image,
    memory: usize,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { change(pairs, |pairs| pairs.add_image_within(non_null(image, "image")?, memory)) }
}

/// Adds the pairs of an image whose difference of y is at least `begin` and less than `end`.
///
/// # Safety
/// Same as for [`hl_correlation_pairs_add_image`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_pairs_add_image_rows(
    pairs: *mut Accumulator,
    image: *const Image,
    begin: u32,
    end: u32,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { change(pairs, |pairs| pairs.add_image_rows(non_null(image, "image")?, begin..end)) }
}

/// Adds the pairs of one point of `image` and one of `other`.
///
/// # Safety
/// Same as for [`hl_correlation_pairs_add_image`]; `other` is null or an image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_pairs_add_image_cross(
    pairs: *mut Accumulator,
    image: *const Image,
    other: *const Image,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { change(pairs, |pairs| pairs.add_image_cross(non_null(image, "image")?, non_null(other, "other")?)) }
}

/// Adds the pairs of one point of `image` and one of `other`, by the fastest method that needs at most `memory`
/// bytes besides the points.
///
/// # Safety
/// Same as for [`hl_correlation_pairs_add_image_cross`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_correlation_pairs_add_image_cross_within(
    pairs: *mut Accumulator,
    image: *const Image,
    other: *const Image,
    memory: usize,
) -> Status {
    let add = |pairs: &mut Accumulator| {
        // SAFETY: the caller's contract.
        let (image, other) = unsafe { (non_null(image, "image")?, non_null(other, "other")?) };
        pairs.add_image_cross_within(image, other, memory)
    };
    // SAFETY: the caller's contract.
    unsafe { change(pairs, add) }
}
