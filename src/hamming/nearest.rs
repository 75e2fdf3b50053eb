//! The rows that are nearest to queries by Hamming distance.

use super::columns::{self, Columns};
use super::differing;
use super::rows::BitRows;
use crate::bitslice::prefetch;
use crate::frame::error::{Error, at_least, exactly};

/// One of the rows nearest to a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Neighbour {
    /// The index of the row.
    pub row: u64,
    /// Its Hamming distance from the query.
    pub distance: u32,
}

impl Neighbour {
    fn key(&self) -> (u32, u64) {
        (self.distance, self.row)
    }
}

/// Maximum number of rows in a tile. Their distances are on the stack.
const TILE: usize = 512;
/// Bytes of a tile, which all queries read from the cache.
const TILE_BYTES: usize = 24 << 10;
/// Bytes of a tile if there is one query, which reads each row once, from memory. The rows `AHEAD`
/// bytes further are prefetched.
const SINGLE_BYTES: usize = 2 << 10;
const AHEAD: usize = 512;
/// Maximum queries that share the planes of a block of rows, and the minimum for which making planes pays.
const BATCH: usize = 128;
const MIN_BATCH: usize = 8;
/// Distances that are compared with the bound at a time.
const RUN: usize = 16;

/// Finds the `k` rows nearest to each query: `out[q * k ..][.. found]`, where `found`, the smaller
/// of `k` and the number of rows, is returned. They are ordered by distance, then by row, and of
/// rows with equal distances the first are taken. Other values of `out` are not written.
///
/// ```
/// use hotloops::hamming::{BitRows, Neighbour, nearest};
///
/// let rows = BitRows::new(&[0b0000, 0b1111, 0b0111, 0b0101], 4, 4, 1)?;
/// let queries = BitRows::new(&[0b0110, 0b1111], 2, 4, 1)?;
/// let mut out = [Neighbour::default(); 2 * 2];
/// assert_eq!(nearest(queries, rows, 2, &mut out)?, 2);
/// assert_eq!(out.map(|near| (near.row, near.distance)), [(2, 1), (0, 2), (1, 0), (2, 1)]);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// Threads may share the rows; each takes some of the queries. Eight queries or more share the bit
/// planes of the rows, made of 512 rows at a time in memory that is allocated: 64 bytes for each bit of
/// a row, and 2 for each bit of at most 128 queries. Where that is refused, as for fewer queries, few
/// rows or rows of more than 2^14 bits, each query is compared with each row, which gives the same lists.
///
/// # Errors
/// [`Error::Length`] if queries and rows differ in their number of bits or `out` is shorter than
/// `k` values per query; [`Error::TooLarge`] if rows have 2^31 bits or more.
pub fn nearest(queries: BitRows, rows: BitRows, k: usize, out: &mut [Neighbour]) -> Result<usize, Error> {
    if !queries.is_empty() && !rows.is_empty() {
        exactly("bits", rows.bits, queries.bits)?;
    }
    if rows.bits >= 1 << 31 {
        return Err(Error::TooLarge { argument: "bits" });
    }
    let needed = queries.len().checked_mul(k).ok_or(Error::TooLarge { argument: "k" })?;
    at_least("out", needed, out.len())?;
    let found = k.min(rows.len());
    if needed == 0 || found == 0 {
        return Ok(found);
    }
    let few = rows.len() < 2 * (columns::BLOCK + found) || rows.bits > columns::MAX_BITS;
    for first in (0..queries.len()).step_by(BATCH) {
        let queries = queries.part(first, BATCH);
        let out = &mut out[first * k..][..queries.len() * k];
        match (!few && queries.len() >= MIN_BATCH).then(|| Columns::new(queries)) {
            Some(Ok(mut columns)) => {
                let whole = found.next_multiple_of(columns::BLOCK);
                row_by_row(queries, rows.part(0, whole), 0, k, found, out);
                let end = rows.len() - rows.len() % columns::BLOCK;
                for first in (whole..end).step_by(columns::BLOCK) {
                    columns.load(rows.part(first, columns::BLOCK));
                    for (query, list) in out.chunks_exact_mut(k).enumerate() {
                        let closer = columns.closer(query, list[0].distance);
                        retest(queries.as_ptr(query), rows, first, closer, &mut list[..found]);
                    }
                }
                row_by_row(queries, rows.part(end, columns::BLOCK), end, k, found, out);
            }
            _ => row_by_row(queries, rows, 0, k, found, out),
        }
    }
    for list in out.chunks_exact_mut(k).take(queries.len()) {
        list[..found].sort_unstable_by_key(Neighbour::key);
    }
    Ok(found)
}

/// Compares each row with each query. The first row of `rows` is row `offset`.
fn row_by_row(queries: BitRows, rows: BitRows, offset: usize, k: usize, found: usize, out: &mut [Neighbour]) {
    let single = queries.len() == 1;
    let bytes = if single { SINGLE_BYTES } else { TILE_BYTES };
    let tile = (bytes / rows.stride.max(1)).clamp(RUN / 2, TILE);
    let mut distances = [0; TILE];
    for first in (0..rows.len()).step_by(tile) {
        let part = rows.part(first, tile);
        let distances = &mut distances[..part.len()];
        if single {
            // SAFETY: any address will do.
            unsafe {
                prefetch(part.as_ptr(0).wrapping_add(AHEAD), tile.saturating_mul(rows.stride).min(2 * SINGLE_BYTES))
            }
        }
        for (query, list) in out.chunks_exact_mut(k).enumerate().take(queries.len()) {
            let (query, start) = (queries.as_ptr(query), part.as_ptr(0));
            // SAFETY: the query and the rows exist, with a distance for each row.
            unsafe { differing(query, start, part.len(), rows.bits, rows.stride, distances.as_mut_ptr()) }
            merge(&mut list[..found], offset + first, distances);
        }
    }
}

/// Puts those rows of the block from `first` on whose bits in `closer` are 1 into the full list, if they
/// are closer than its last row.
fn retest(query: *const u8, rows: BitRows, first: usize, closer: [u64; columns::BLOCK / 64], list: &mut [Neighbour]) {
    for (first, mut word) in (first..).step_by(64).zip(closer) {
        while word != 0 {
            let row = first + word.trailing_zeros() as usize;
            word &= word - 1;
            let mut distance = 0;
            // SAFETY: the query and the row exist, with a distance for the row.
            unsafe { differing(query, rows.as_ptr(row), 1, rows.bits, rows.stride, &mut distance) }
            if distance < list[0].distance {
                replace(list, Neighbour { row: row as u64, distance });
            }
        }
    }
}

/// Merges the rows from `first` on into the list. A full list is a heap with its last row on top.
fn merge(list: &mut [Neighbour], first: usize, distances: &[u32]) {
    let start = list.len().saturating_sub(first).min(distances.len());
    if start > 0 {
        for ((row, place), &distance) in (first as u64..).zip(&mut list[first..]).zip(distances) {
            *place = Neighbour { row, distance };
        }
        if first + start < list.len() {
            return;
        }
        // A list in descending order is a heap.
        list.sort_unstable_by_key(|near| core::cmp::Reverse(near.key()));
    }
    let mut bound = list[0].distance;
    let mut row = (first + start) as u64;
    for run in distances[start..].chunks(RUN) {
        if any_below(run, bound) {
            for (row, &distance) in (row..).zip(run) {
                // Later rows lose a tie.
                if distance < bound {
                    replace(list, Neighbour { row, distance });
                    bound = list[0].distance;
                }
            }
        }
        row += run.len() as u64;
    }
}

/// Whether a distance is less than `bound`. All are less than 2^31, so the sign of a difference
/// tells; the compiler makes vectors of whole runs.
fn any_below(run: &[u32], bound: u32) -> bool {
    let signs = |run: &[u32]| run.iter().fold(0, |signs, &distance| signs | distance.wrapping_sub(bound) as i32);
    match <&[u32; RUN]>::try_from(run) {
        Ok(run) => signs(run) < 0,
        Err(_) => signs(run) < 0,
    }
}

/// Replaces the top of the heap.
fn replace(heap: &mut [Neighbour], new: Neighbour) {
    let (mut at, mut child) = (0, 1);
    while child < heap.len() {
        if child + 1 < heap.len() && heap[child + 1].key() > heap[child].key() {
            child += 1;
        }
        if heap[child].key() <= new.key() {
            break;
        }
        heap[at] = heap[child];
        (at, child) = (child, 2 * child + 1);
    }
    heap[at] = new;
}
