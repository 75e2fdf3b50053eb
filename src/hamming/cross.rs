//! Packed rows against rows: distances, similarities, and the search for similar pairs.

use core::ptr;

use super::rows::{BitRows, PackedRows};
use super::{GROUP, cosine, dice, distances, intersections, shared, tanimoto};
use crate::frame::error::Error;
use crate::frame::error::{at_least, exactly, extent};
use crate::frame::isa::{self, Isa};

/// A similarity measure, from 0 to 1, of two rows with a and b ones, c of them in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Similarity {
    /// c / (a + b - c), also called the Jaccard index.
    Tanimoto = 0,
    /// 2 c / (a + b).
    Dice = 1,
    /// c / sqrt(a b).
    Cosine = 2,
}

impl Similarity {
    pub(super) fn kernel(self) -> super::tanimoto::Function {
        match self {
            Similarity::Tanimoto => tanimoto,
            Similarity::Dice => dice,
            Similarity::Cosine => cosine,
        }
    }

    /// Replaces counts by the bits of similarities.
    fn finish(self, empty: f32) -> impl Fn(*mut u32, *const u32, usize, u32) {
        // SAFETY: `score` passes `n` counts, in place, and as many of the others.
        move |counts, others, n, ones| unsafe { self.kernel()(counts, others, n, ones, empty, counts.cast()) }
    }
}

/// Rows per batch. The counts of a batch become distances while they are still in L1.
const BATCH: usize = 32;
/// Maximum number of packed rows, after the whole groups, that are unpacked and compared one by one,
/// at least 3. A group takes as long as 4 of them with AVX-512, as 5 to 7 with AVX2.
fn few() -> usize {
    if isa::usable(Isa::avx512) { 3 } else { 5 }
}
/// Words of a packed row that are unpacked at a time.
const SEGMENT: usize = 64;

/// Computes a result for each row (at most [`BATCH`] rows) and each of `count` packed rows from
/// `first` on, a multiple of [`GROUP`]. The results of row i go to `out + i * stride`.
/// `finish(counts, others, n, ones)` replaces `n` counts of common ones by results; the measures
/// are symmetric, so the others are packed rows or rows.
///
/// # Safety
/// The packed rows exist and have as many bits as `rows`, and `out` has room for the results.
unsafe fn score(
    packed: &PackedRows,
    first: usize,
    rows: BitRows,
    count: usize,
    out: *mut u32,
    stride: usize,
    finish: impl Fn(*mut u32, *const u32, usize, u32),
) {
    let (ones, n) = (rows.ones::<BATCH>(), rows.len());
    let run = |first, count: usize, out: *mut u32, stride| {
        let tails = rows.tails::<BATCH>();
        let tails = tails.as_ref().map_or(ptr::null(), |tails| tails.as_ptr());
        let (start, groups, words) = (packed.group(first / GROUP), count.div_ceil(GROUP), rows.bits / 64);
        // SAFETY: the caller's contract; `tails` is null or has a word for each row.
        unsafe { intersections(start, groups, words, rows.as_ptr(0), rows.stride, tails, n, out, stride) }
        for (i, &ones) in ones.iter().enumerate().take(n) {
            finish(out.wrapping_add(i * stride), packed.counts(first), count, ones);
        }
    };
    let (whole, rest) = (count - count % GROUP, count % GROUP);
    if whole > 0 {
        run(first, whole, out, stride);
    }
    if rest > few() {
        let mut last = [[0; GROUP]; BATCH];
        run(first + whole, rest, last.as_mut_ptr().cast(), GROUP);
        for (i, last) in last.iter().enumerate().take(n) {
            let (last, out) = (last.as_ptr(), out.wrapping_add(i * stride + whole));
            // SAFETY: the caller's contract. The first four and the last four are all of 4 to 7 results.
            unsafe {
                last.copy_to_nonoverlapping(out, 4);
                last.add(rest - 4).copy_to_nonoverlapping(out.add(rest - 4), 4);
            }
        }
        return;
    }
    for column in whole..count {
        let mut results = common_with(packed, first + column, rows);
        // SAFETY: a count for each packed row.
        let of_packed = unsafe { packed.counts(first + column).read_unaligned() };
        finish(results.as_mut_ptr(), ones.as_ptr(), n, of_packed);
        for (i, result) in results.iter().enumerate().take(n) {
            // SAFETY: the caller's contract.
            unsafe { out.add(i * stride + column).write(*result) }
        }
    }
}

/// Counts the ones that each row (at most [`BATCH`] rows) has in common with one packed row.
fn common_with(packed: &PackedRows, index: usize, rows: BitRows) -> [u32; BATCH] {
    let (mut all, mut part, mut query) = ([0; BATCH], [0; BATCH], [[0; 8]; SEGMENT]);
    let words = packed.group(index / GROUP).wrapping_add(8 * (index % GROUP));
    for start in (0..rows.words()).step_by(SEGMENT) {
        for (word, place) in (start..rows.words()).zip(&mut query) {
            // SAFETY: word `word` of the packed row.
            *place = unsafe { words.add(8 * GROUP * word).cast::<[u8; 8]>().read() };
        }
        let bits = (rows.bits - 64 * start).min(64 * SEGMENT);
        let (query, rows_from) = (query.as_ptr().cast(), rows.as_ptr(0).wrapping_add(8 * start));
        // SAFETY: a segment of the query and of the rows, and a count for each row.
        unsafe { shared(query, rows_from, rows.len(), bits, rows.stride, part.as_mut_ptr()) }
        for (all, part) in all.iter_mut().zip(part) {
            *all += part;
        }
    }
    all
}

fn check_bits(packed: &PackedRows, rows: BitRows) -> Result<(), Error> {
    match packed.bits() == rows.bits || packed.is_empty() || rows.is_empty() {
        true => Ok(()),
        false => exactly("bits", packed.bits(), rows.bits),
    }
}

/// Checks that `packed` and `rows` have equally many bits, and that an output of `found` values
/// holds a result for each pair, `out_stride` values from row to row.
fn check(packed: &PackedRows, rows: BitRows, found: usize, out_stride: usize) -> Result<(), Error> {
    check_bits(packed, rows)?;
    let needed = extent("out_stride", rows.len(), packed.len(), out_stride)?;
    at_least("out", needed, found)
}

/// Computes the results for all pairs, batch by batch.
fn walk(
    packed: &PackedRows,
    rows: BitRows,
    out: *mut u32,
    stride: usize,
    finish: impl Fn(*mut u32, *const u32, usize, u32),
) {
    for first in (0..if packed.is_empty() { 0 } else { rows.len() }).step_by(BATCH) {
        // SAFETY: the packed rows exist; callers have checked `out`.
        unsafe { score(packed, 0, rows.part(first, BATCH), packed.len(), out.add(first * stride), stride, &finish) };
    }
}

/// Replaces counts by distances.
fn to_distances(counts: *mut u32, others: *const u32, n: usize, ones: u32) {
    // SAFETY: `score` passes `n` counts, in place, and as many of the others.
    unsafe { distances(counts, others, n, ones, counts) }
}

/// Hamming distances: `out[i * out_stride + j]` is the number of bits in which row i and packed row
/// j differ.
///
/// Threads may share the packed rows; each needs its own rows and its own output.
///
/// # Errors
/// [`Error::Length`] if rows and packed rows differ in their number of bits or `out` is too short
/// for a value per pair; [`Error::Stride`] if `out_stride` is less than the number of packed rows.
pub fn cross(packed: &PackedRows, rows: BitRows, out: &mut [u32], out_stride: usize) -> Result<(), Error> {
    check(packed, rows, out.len(), out_stride)?;
    walk(packed, rows, out.as_mut_ptr(), out_stride, to_distances);
    Ok(())
}

/// Similarities: `out[i * out_stride + j]` is the similarity of row i and packed row j, rounded to
/// f32, or `empty` if neither row has a one. (For two empty rows the command and the
/// Python package use 0 by default, as chemfp does; RDKit uses 1.)
///
/// # Errors
/// The errors of [`cross`], and [`Error::TooLarge`] if a row has 2^30 bits or more.
pub fn similarities(
    packed: &PackedRows,
    rows: BitRows,
    measure: Similarity,
    empty: f32,
    out: &mut [f32],
    out_stride: usize,
) -> Result<(), Error> {
    check_similarity(packed.bits())?;
    check(packed, rows, out.len(), out_stride)?;
    walk(packed, rows, out.as_mut_ptr().cast(), out_stride, measure.finish(empty));
    Ok(())
}

pub(super) fn check_similarity(bits: usize) -> Result<(), Error> {
    if bits < 1 << 30 { Ok(()) } else { Err(Error::TooLarge { argument: "bits" }) }
}

/// A pair that is similar enough.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Hit {
    /// The index of the row.
    pub row: u64,
    /// The index of the packed row.
    pub packed_row: u32,
    /// Their similarity.
    pub similarity: f32,
}

/// Packed rows per step of a search. The results of a step are on the stack.
const SPAN: usize = 128;

/// Finds the pairs whose similarity is at least `threshold`, ordered by row, then by packed row.
///
/// Writes at most `hits.len()` pairs and returns their number. `cursor` is the position of the
/// search. Set it to 0 at first; each call continues from it and advances it. It is
/// [`len`](BitRows::len) times [`len`](PackedRows::len) when all pairs have been compared.
///
/// One step compares one row with 128 packed rows, or 32 rows with all packed rows if there are at
/// most 128; such small sets are searched fastest. If `hits` is full before a step ends, the next
/// call repeats part of that step, so avoid small `hits`.
///
/// ```
/// use hotloops::hamming::{BitRows, Hit, PackedRows, Similarity, pack, packed_len, search};
///
/// let bytes = [0x0f, 0x1f, 0xf0, 0x0e];
/// let rows = BitRows::new(&bytes, 4, 8, 1)?;
/// let mut memory = vec![0; packed_len(4, 8)?];
/// pack(rows, &mut memory)?;
/// let packed = PackedRows::new(&memory)?;
/// let (mut cursor, mut hits) = (0, [Hit::default(); 3]);
/// let mut pairs = Vec::new();
/// while cursor < 16 {
///     let found = search(&packed, rows, Similarity::Tanimoto, 0.75, 1.0, &mut cursor, &mut hits)?;
///     pairs.extend(hits[..found].iter().map(|hit| (hit.row, hit.packed_row)));
/// }
/// assert_eq!(pairs, [(0, 0), (0, 1), (0, 3), (1, 0), (1, 1), (2, 2), (3, 0), (3, 3)]);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Threshold`] if `threshold` is outside 0 to 1, [`Error::Index`] if `cursor` is past the
/// end, [`Error::Length`] if `hits` is empty before the end or rows and packed rows differ in their
/// number of bits, [`Error::TooLarge`] if a row has 2^30 bits or more, if there are 2^32 packed
/// rows or more, or 2^64 pairs or more.
pub fn search(
    packed: &PackedRows,
    rows: BitRows,
    measure: Similarity,
    threshold: f32,
    empty: f32,
    cursor: &mut u64,
    hits: &mut [Hit],
) -> Result<usize, Error> {
    check_similarity(packed.bits())?;
    check_bits(packed, rows)?;
    if !(0.0..=1.0).contains(&threshold) {
        return Err(Error::Threshold { value: threshold });
    }
    find(packed, rows, cursor, hits, measure.finish(empty), |row, packed_row, result| {
        let similarity = f32::from_bits(result);
        (similarity >= threshold).then_some(Hit { row, packed_row, similarity })
    })
}

/// A pair that is close enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Near {
    /// The index of the row.
    pub row: u64,
    /// The index of the packed row.
    pub packed_row: u32,
    /// Their Hamming distance.
    pub distance: u32,
}

/// Finds the pairs whose Hamming distance is at most `max_distance`. Everything else is as for
/// [`search`].
///
/// # Errors
/// The errors of [`search`] that do not belong to a similarity.
pub fn search_near(
    packed: &PackedRows,
    rows: BitRows,
    max_distance: u32,
    cursor: &mut u64,
    hits: &mut [Near],
) -> Result<usize, Error> {
    check_bits(packed, rows)?;
    find(packed, rows, cursor, hits, to_distances, |row, packed_row, distance| {
        (distance <= max_distance).then_some(Near { row, packed_row, distance })
    })
}

/// Finds the pairs for whose result `hit(row, packed row, result)` is not `None`.
fn find<H>(
    packed: &PackedRows,
    rows: BitRows,
    cursor: &mut u64,
    hits: &mut [H],
    finish: impl Fn(*mut u32, *const u32, usize, u32),
    hit: impl Fn(u64, u32, u32) -> Option<H>,
) -> Result<usize, Error> {
    let (n, m) = (rows.len() as u64, packed.len() as u64);
    let pairs = n.checked_mul(m).filter(|_| u32::try_from(m).is_ok()).ok_or(Error::TooLarge { argument: "n_rows" })?;
    if *cursor > pairs {
        let [index, count] =
            [*cursor, pairs.saturating_add(1)].map(|value| usize::try_from(value).unwrap_or(usize::MAX));
        return Err(Error::Index { argument: "cursor", index, count });
    }
    if *cursor < pairs {
        at_least("hits", 1, hits.len())?;
    }
    let mut found = 0;
    let mut results = [[0; SPAN]; BATCH];
    // Each step takes one row and a span of packed rows, or a batch of rows if a span holds all
    // packed rows.
    while *cursor < pairs && found < hits.len() {
        let (row, column) = ((*cursor / m) as usize, (*cursor % m) as usize);
        let first = column / GROUP * GROUP;
        let width = SPAN.min(packed.len() - first);
        let batch = rows.part(row, if column == 0 && width == packed.len() { BATCH } else { 1 });
        // SAFETY: the packed rows exist, and `results` has an entry for each pair.
        unsafe { score(packed, first, batch, width, results.as_mut_ptr().cast(), SPAN, &finish) };
        for (i, results) in results.iter().enumerate().take(batch.len()) {
            for (j, &result) in results[..width].iter().enumerate().skip(column - first) {
                if let Some(hit) = hit((row + i) as u64, (first + j) as u32, result) {
                    let Some(place) = hits.get_mut(found) else {
                        *cursor = (row + i) as u64 * m + (first + j) as u64;
                        return Ok(found);
                    };
                    *place = hit;
                    found += 1;
                }
            }
        }
        *cursor = (row + batch.len() - 1) as u64 * m + (first + width) as u64;
    }
    Ok(found)
}
