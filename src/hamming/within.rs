//! Distances within one set of rows, and among the planes of a block.

use core::ops::Range;
use core::ptr;

use super::rows::{BitRows, interleave};
use super::{GROUP, counts, distances, intersections, slices};
use crate::Error;
use crate::bitslice::{BLOCK, CHUNK, tile_u32, transpose_u64x32x32};
use crate::error::{at_least, exactly};

/// What of the matrix of distances is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Part {
    /// What is right of the diagonal, and the diagonal; the rest is left as it was.
    Upper = 0,
    /// Whole rows.
    Full = 1,
}

/// Rows whose results are in a scratch on the stack at once.
const BATCH: usize = 32;
/// Words of a row that are packed at once, in another.
const SEGMENT: usize = 128;

/// Hamming distances within a set of rows: `out[(i - range.start) * out_stride + j]`, for i in `range`, is the number of bits in which
/// rows i and j differ; 0 on the diagonal.
///
/// Threads may each take a range, with an output of its own.
///
/// # Errors
/// [`Error::Index`] if `range` is not one of rows, [`Error::Length`] or [`Error::Stride`] if `out` does not hold a row of distances, as long as
/// there are rows, for each row of the range.
pub fn within(rows: BitRows, range: Range<usize>, out: &mut [u32], out_stride: usize, part: Part) -> Result<(), Error> {
    check_range(&range, rows.len())?;
    let least = super::cross::out_extent(range.len(), rows.len(), out_stride)?;
    at_least("out", least, out.len())?;
    for first in (0..rows.len()).step_by(GROUP) {
        let columns = first..rows.len().min(first + GROUP);
        let end = if part == Part::Full { range.end } else { range.end.min(columns.end) };
        for batch in (range.start..end).step_by(BATCH) {
            let batch = batch..end.min(batch + BATCH);
            let of_batch = differences(rows, columns.clone(), batch.clone());
            for (i, lane) in batch.zip(of_batch) {
                let row = &mut out[(i - range.start) * out_stride..];
                let from = if part == Part::Full { columns.start } else { i.clamp(columns.start, columns.end) };
                let lane = &lane[from - columns.start..columns.len()];
                row[from..columns.end].copy_from_slice(lane);
            }
        }
    }
    Ok(())
}

pub(super) fn check_range(range: &Range<usize>, count: usize) -> Result<(), Error> {
    match range.start <= range.end && range.end <= count {
        true => Ok(()),
        false => Err(Error::Index { argument: "range", index: range.end.max(range.start), count }),
    }
}

/// The distances of up to a batch of rows from up to 8 columns.
fn differences(rows: BitRows, columns: Range<usize>, batch: Range<usize>) -> [[u32; GROUP]; BATCH] {
    let mut packed = [0u8; 8 * GROUP * SEGMENT];
    let mut all = [[0; GROUP]; BATCH];
    let (words, whole) = (rows.words(), rows.bits / 64);
    for start in (0..words).step_by(SEGMENT) {
        let segment = start..words.min(start + SEGMENT);
        interleave(rows, columns.clone(), segment.clone(), &mut packed[..8 * GROUP * segment.len()]);
        let mut tails = [0; BATCH];
        let tailed = segment.end > whole;
        if tailed {
            let tail = |i| u64::from_ne_bytes(rows.word(i, whole));
            tails.iter_mut().zip(batch.clone()).for_each(|(word, i)| *word = tail(i));
        }
        let mut part = [[0; GROUP]; BATCH];
        // SAFETY: a group, rows that have these words, tails for them where the last word is not whole, and room.
        unsafe {
            intersections(
                packed.as_ptr(),
                1,
                segment.len() - usize::from(tailed),
                rows.as_ptr(batch.start).wrapping_add(8 * start),
                rows.stride,
                if tailed { tails.as_ptr() } else { ptr::null() },
                batch.len(),
                part.as_mut_ptr().cast(),
                GROUP,
            );
        }
        for (all, part) in all.as_flattened_mut().iter_mut().zip(part.as_flattened()) {
            *all += part;
        }
    }
    let ones = |of: Range<usize>, ones: &mut [u32]| {
        // SAFETY: rows that are there, and a count for each.
        unsafe { counts(rows.as_ptr(of.start), of.len(), rows.bits, rows.stride, ones.as_mut_ptr()) }
    };
    let (mut of_columns, mut of_rows) = ([0; GROUP], [0; BATCH]);
    ones(columns, &mut of_columns);
    ones(batch, &mut of_rows);
    for (row, ones) in all.iter_mut().zip(of_rows) {
        let row = row.as_mut_ptr();
        // SAFETY: 8 integers on both sides, in place.
        unsafe { distances(row, of_columns.as_ptr(), GROUP, ones, row) }
    }
    all
}

/// The ones of each row.
///
/// # Errors
/// [`Error::Length`] if `out` has not a value for each row.
pub fn count_ones(rows: BitRows, out: &mut [u32]) -> Result<(), Error> {
    exactly("out", rows.len(), out.len())?;
    // SAFETY: the rows are there, and a count for each.
    unsafe { counts(rows.bytes.as_ptr(), rows.n, rows.bits, rows.stride, out.as_mut_ptr()) };
    Ok(())
}

/// Distances of the 32 bit planes of a block of 2048 integers: `distances[32 i + j]` for i < j is the number of integers whose bits i and j
/// differ, and `distances[33 i]` the number of those whose bit i is 1. What is below the diagonal is not written.
///
/// ```
/// let block: Vec<u32> = (0..2048).collect();
/// let mut distances = [0; 1024];
/// hotloops::hamming::slices_distance(&block, &mut distances)?;
/// assert_eq!(distances[..3], [1024; 3]);
/// assert_eq!(distances[33 * 31], 0);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if there are not 2048 integers and 1024 distances.
pub fn slices_distance(block: &[u32], distances: &mut [u32]) -> Result<(), Error> {
    of_block("block", BLOCK, block.len(), distances, |tiles| {
        // SAFETY: a block, and room for its tiles.
        unsafe { tile_u32(block.as_ptr(), BLOCK / CHUNK, tiles.cast(), 256) }
    })
}

/// As [`slices_distance`], from the planes of a block that was cut before: 32 rows of 256 bytes.
///
/// # Errors
/// [`Error::Length`] if there are not 8192 bytes and 1024 distances.
pub fn planes_distance(planes: &[u8], distances: &mut [u32]) -> Result<(), Error> {
    of_block("planes", 4 * BLOCK, planes.len(), distances, |tiles| {
        // SAFETY: 1024 words, and room for as many.
        unsafe { transpose_u64x32x32(planes.as_ptr().cast(), tiles) }
    })
}

/// Checks, and then the distances of the tiles that `fill` writes.
fn of_block(
    argument: &'static str,
    expected: usize,
    found: usize,
    distances: &mut [u32],
    fill: impl FnOnce(*mut u64),
) -> Result<(), Error> {
    for (argument, expected, found) in [(argument, expected, found), ("distances", 1024, distances.len())] {
        exactly(argument, expected, found)?;
    }
    let mut tiles = core::mem::MaybeUninit::<[u64; 1024]>::uninit();
    fill(tiles.as_mut_ptr().cast());
    // SAFETY: 32 tiles, which `fill` has written, and 1024 distances.
    unsafe { slices(tiles.as_ptr().cast(), distances.as_mut_ptr()) };
    Ok(())
}
