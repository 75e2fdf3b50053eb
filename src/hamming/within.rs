//! Distances within one set of rows, and among the planes of a block.

use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr;

use super::rows::{BitRows, interleave};
use super::{GROUP, differing, distances, intersections, slices};
use crate::bitslice::{BLOCK, CHUNK, tile_u32, transpose_u64x32x32};
use crate::frame::error::Error;
use crate::frame::error::{at_least, exactly, extent};
use crate::frame::isa::{self, Isa};

/// Which entries of the distance matrix are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Part {
    /// The diagonal and the entries to its right; the others are left as they were.
    Upper = 0,
    /// Whole rows.
    Full = 1,
}

/// Maximum number of columns per batch: other rows, packed on the stack.
const COLUMNS: usize = 16 * GROUP;
/// Words per row that are packed at a time, for one group of columns; short rows leave room for
/// several groups.
const SEGMENT: usize = 256;
type Packed = [[u8; 8]; GROUP * SEGMENT];
/// Minimum number of rows for which packed columns pay. A triangle of few rows takes less time row by
/// row: its blocks on the diagonal are computed whole.
fn min_packed(part: Part, words: usize) -> usize {
    match part {
        Part::Full => 2 * GROUP,
        Part::Upper if isa::usable(Isa::avx512) => 4 * GROUP,
        Part::Upper if words > 4 => 7 * GROUP,
        Part::Upper => 9 * GROUP,
    }
}
/// The counts of a batch of rows.
type Counts = [[u32; COLUMNS]; GROUP];

/// Hamming distances within a set of rows: `out[(i - range.start) * out_stride + j]`, for i in
/// `range`, is the number of bits in which rows i and j differ; 0 on the diagonal.
///
/// Threads may share the rows; each needs its own range and its own output.
///
/// # Errors
/// [`Error::Index`] if `range` is not a range of row indices, [`Error::Stride`] if `out_stride` is
/// less than the number of rows, [`Error::Length`] if `out` is too short for the rows of `range`.
pub fn within(rows: BitRows, range: Range<usize>, part: Part, out: &mut [u32], out_stride: usize) -> Result<(), Error> {
    check_range(&range, rows.len())?;
    let needed = extent("out_stride", range.len(), rows.len(), out_stride)?;
    at_least("out", needed, out.len())?;
    let words = rows.words();
    let full = part == Part::Full;
    let min_packed = min_packed(part, words);
    let step = if range.len() < min_packed {
        rows.len().max(1)
    } else {
        GROUP * (SEGMENT / words.max(1)).clamp(1, COLUMNS / GROUP)
    };
    let (mut packed, mut common) = (MaybeUninit::<Packed>::uninit(), MaybeUninit::<Counts>::uninit());
    let (packed, common) = (packed.as_mut_ptr().cast(), common.as_mut_ptr().cast());
    for first in (0..rows.len()).step_by(step) {
        let columns = first..rows.len().min(first + step);
        let end = if full { range.end } else { range.end.min(columns.end) };
        if end.saturating_sub(range.start) < min_packed {
            for i in range.start..end {
                let columns = columns.start.max(if full { 0 } else { i })..columns.end;
                one_row(rows, i, &columns, &mut out[(i - range.start) * out_stride..]);
            }
            continue;
        }
        let of_columns = rows.part(first, step).ones::<COLUMNS>();
        if words <= SEGMENT {
            // SAFETY: a step of columns fits.
            unsafe { pack(rows, &columns, 0..words, packed) }
        }
        let mut batch = range.start..range.start;
        while batch.end < end {
            // Rows of which all columns are wanted, or the rows of one group of columns with this
            // group and those after it.
            let before = if full { end } else { columns.start };
            let group = batch.end.saturating_sub(columns.start) / GROUP;
            let (limit, from) = match batch.end < before {
                true => (before.min(batch.end + GROUP), 0),
                false => (columns.start + GROUP * (group + 1), GROUP * group),
            };
            batch = batch.end..end.min(limit);
            let some = rows.part(batch.start, batch.len());
            let ones = match columns.contains(&batch.start) && columns.contains(&(batch.end - 1)) {
                true => core::array::from_fn(|i| of_columns[(batch.start - columns.start + i).min(COLUMNS - 1)]),
                false => some.ones::<GROUP>(),
            };
            // SAFETY: the columns are packed if they fit; a batch has at most 8 rows.
            unsafe { count_common(rows, &columns, from, some, packed, common) }
            for ((i, common), ones) in batch.clone().zip((0..).map(|i| common.wrapping_add(COLUMNS * i))).zip(ones) {
                let out = &mut out[(i - range.start) * out_stride..];
                let first = from.max(if full { 0 } else { i.saturating_sub(columns.start) });
                let (row, others) = (&mut out[columns.clone()][first..], &of_columns[first..]);
                // SAFETY: the counts of row i from column `from` on, as many ones, and room for the distances.
                unsafe { distances(common.add(first - from), others.as_ptr(), row.len(), ones, row.as_mut_ptr()) }
            }
        }
    }
    Ok(())
}

/// Distances of row i from the rows of `columns`, which are not packed.
fn one_row(rows: BitRows, i: usize, columns: &Range<usize>, out: &mut [u32]) {
    let out = &mut out[columns.clone()];
    // SAFETY: the rows exist, with a distance for each of the others.
    unsafe {
        differing(rows.as_ptr(i), rows.as_ptr(columns.start), out.len(), rows.bits, rows.stride, out.as_mut_ptr());
    }
}

/// Packs words `words` of the columns, group by group.
///
/// # Safety
/// `packed` has room for them: it is a [`Packed`].
unsafe fn pack(rows: BitRows, columns: &Range<usize>, words: Range<usize>, packed: *mut [u8; 8]) {
    for (index, first) in columns.clone().step_by(GROUP).enumerate() {
        let group = packed.wrapping_add(GROUP * words.len() * index);
        // SAFETY: the caller's contract.
        unsafe { interleave(rows, first..columns.end.min(first + GROUP), words.clone(), group) }
    }
}

fn check_range(range: &Range<usize>, count: usize) -> Result<(), Error> {
    match range.start <= range.end && range.end <= count {
        true => Ok(()),
        false => Err(Error::Index { argument: "range", index: range.end.max(range.start), count }),
    }
}

/// Counts the ones that each row of `some` (at most [`GROUP`] rows) has in common with each column,
/// from column `from` on, a multiple of [`GROUP`]. If one segment holds all words of a row, the columns
/// are packed already. The counts of a row begin [`COLUMNS`] after those of the row before.
///
/// # Safety
/// `packed` is a [`Packed`], `common` a [`Counts`].
unsafe fn count_common(
    rows: BitRows,
    columns: &Range<usize>,
    from: usize,
    some: BitRows,
    packed: *mut [u8; 8],
    common: *mut u32,
) {
    let (words, whole, tails) = (rows.words(), rows.bits / 64, some.tails::<GROUP>());
    for start in (0..words).step_by(SEGMENT) {
        let segment = start..words.min(start + SEGMENT);
        if words > SEGMENT {
            // SAFETY: a segment of one group.
            unsafe { pack(rows, columns, segment.clone(), packed) }
        }
        let tails = tails.as_ref().filter(|_| segment.end > whole);
        let count = |counts: *mut u32, stride| {
            // SAFETY: the groups are packed, the rows have these words, the tails hold a partial
            // last word, and `counts` has room.
            unsafe {
                intersections(
                    packed.add(segment.len() * from).cast(),
                    (columns.len() - from).div_ceil(GROUP),
                    segment.end.min(whole) - start,
                    some.as_ptr(0).wrapping_add(8 * start),
                    some.stride,
                    tails.map_or(ptr::null(), |tails| tails.as_ptr()),
                    some.len(),
                    counts,
                    stride,
                );
            }
        };
        if start == 0 {
            count(common, COLUMNS);
            continue;
        }
        let mut part = [[0; GROUP]; GROUP];
        count(part.as_mut_ptr().cast(), GROUP);
        for (i, part) in part.iter().enumerate().take(some.len()) {
            for (j, part) in part.iter().enumerate() {
                // SAFETY: a count of the first segment, of one group of columns.
                unsafe { *common.add(COLUMNS * i + j) += part }
            }
        }
    }
}

/// Counts the ones of each row.
///
/// # Errors
/// [`Error::Length`] if `counts` does not have one value per row.
pub fn count_ones(rows: BitRows, counts: &mut [u32]) -> Result<(), Error> {
    exactly("counts", rows.len(), counts.len())?;
    // SAFETY: the rows exist, with a count for each.
    unsafe { super::counts(rows.bytes.as_ptr(), rows.n, rows.bits, rows.stride, counts.as_mut_ptr()) };
    Ok(())
}

/// Distances of the 32 bit planes of a block of 2048 integers: `distances[32 i + j]` for i < j is
/// the number of integers whose bits i and j differ, and `distances[33 i]` the number of integers
/// whose bit i is 1. Entries below the diagonal are not written.
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
/// [`Error::Length`] unless there are 2048 integers and 1024 distances.
pub fn slices_distance(block: &[u32], distances: &mut [u32]) -> Result<(), Error> {
    of_block("block", BLOCK, block.len(), distances, |tiles| {
        // SAFETY: a block, and room for its tiles.
        unsafe { tile_u32(block.as_ptr(), BLOCK / CHUNK, tiles.cast(), 256) }
    })
}

/// Like [`slices_distance`], for a block that is already sliced: 32 planes of 256 bytes.
///
/// # Errors
/// [`Error::Length`] unless there are 8192 bytes and 1024 distances.
pub fn planes_distance(planes: &[u8], distances: &mut [u32]) -> Result<(), Error> {
    of_block("planes", 4 * BLOCK, planes.len(), distances, |tiles| {
        // SAFETY: 1024 words, and room for as many.
        unsafe { transpose_u64x32x32(planes.as_ptr().cast(), tiles) }
    })
}

/// Checks the lengths, then computes the distances of the tiles that `fill` writes.
fn of_block(
    argument: &'static str,
    expected: usize,
    found: usize,
    distances: &mut [u32],
    fill: impl FnOnce(*mut u64),
) -> Result<(), Error> {
    exactly(argument, expected, found)?;
    exactly("distances", 1024, distances.len())?;
    let mut tiles = core::mem::MaybeUninit::<[u64; 1024]>::uninit();
    fill(tiles.as_mut_ptr().cast());
    // SAFETY: 32 tiles, which `fill` has written, and 1024 distances.
    unsafe { slices(tiles.as_ptr().cast(), distances.as_mut_ptr()) };
    Ok(())
}
