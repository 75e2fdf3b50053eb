//! Packed rows against rows: distances, similarities, and the search for similar pairs.

use core::ptr;

use super::rows::{BitRows, PackedRows};
use super::{GROUP, cosine, dice, distances, intersections, tanimoto};
use crate::error::Error;
use crate::error::{at_least, exactly, extent};

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
    fn kernel(self) -> super::tanimoto::Function {
        match self {
            Similarity::Tanimoto => tanimoto,
            Similarity::Dice => dice,
            Similarity::Cosine => cosine,
        }
    }
}

/// Rows per batch. The counts of a batch become distances while they are still in L1.
const BATCH: usize = 32;

/// Counts the ones that each row (at most [`BATCH`] rows) has in common with the `count` packed
/// rows from group `group` on. The counts of row i go to `out + i * stride`.
///
/// # Safety
/// The groups exist, packed rows have as many bits as `rows`, and `out` has room for the counts.
unsafe fn common(packed: &PackedRows, group: usize, rows: BitRows, count: usize, out: *mut u32, stride: usize) {
    let tails = rows.tails::<BATCH>();
    let tails = tails.as_ref().map_or(ptr::null(), |tails| tails.as_ptr());
    let run = |group, groups, out, stride| {
        let (words, start, n) = (rows.bits / 64, rows.as_ptr(0), rows.len());
        // SAFETY: the caller's contract; `tails` is null or has a word for each row.
        unsafe { intersections(packed.group(group), groups, words, start, rows.stride, tails, n, out, stride) }
    };
    let (whole, rest) = (count / GROUP, count % GROUP);
    run(group, whole, out, stride);
    if rest > 0 {
        let mut last = [[0; GROUP]; BATCH];
        run(group + whole, 1, last.as_mut_ptr().cast(), GROUP);
        for (i, last) in last.iter().enumerate().take(rows.len()) {
            // SAFETY: the caller's contract.
            unsafe { last.as_ptr().copy_to_nonoverlapping(out.add(i * stride + whole * GROUP), rest) }
        }
    }
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

/// Counts the common ones, batch by batch. Then calls `finish(ones, counts)` for each row, which
/// replaces the counts by results.
fn walk(packed: &PackedRows, rows: BitRows, out: *mut u32, stride: usize, finish: impl Fn(u32, *mut u32)) {
    if packed.is_empty() {
        return;
    }
    for first in (0..rows.len()).step_by(BATCH) {
        let (batch, start) = (rows.part(first, BATCH), out.wrapping_add(first * stride));
        // SAFETY: the groups exist; callers have checked `out`.
        unsafe { common(packed, 0, batch, packed.len(), start, stride) };
        for (i, &ones) in batch.ones::<BATCH>().iter().enumerate().take(batch.len()) {
            finish(ones, start.wrapping_add(i * stride));
        }
    }
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
    walk(packed, rows, out.as_mut_ptr(), out_stride, |ones, row| {
        // SAFETY: `row` holds a result for each packed row.
        unsafe { distances(row, packed.counts(0), packed.len(), ones, row) }
    });
    Ok(())
}

/// Similarities: `out[i * out_stride + j]` is the similarity of row i and packed row j, rounded to
/// f32, or `empty` if neither row has a one. (For two empty rows RDKit returns 1, chemfp 0.)
///
/// # Errors
/// The errors of [`cross`], and [`Error::TooLarge`] if a row has 2^30 bits or more.
pub fn similarities(
    measure: Similarity,
    packed: &PackedRows,
    rows: BitRows,
    empty: f32,
    out: &mut [f32],
    out_stride: usize,
) -> Result<(), Error> {
    check_similarity(packed)?;
    check(packed, rows, out.len(), out_stride)?;
    walk(packed, rows, out.as_mut_ptr().cast(), out_stride, |ones, row| {
        // SAFETY: `row` holds a count for each packed row; its similarity replaces it in place.
        unsafe { measure.kernel()(row, packed.counts(0), packed.len(), ones, empty, row.cast()) }
    });
    Ok(())
}

fn check_similarity(packed: &PackedRows) -> Result<(), Error> {
    if packed.bits() < 1 << 30 { Ok(()) } else { Err(Error::TooLarge { argument: "bits" }) }
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

/// Packed rows per step of a search. The scores of a step are on the stack.
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
///     let found = search(Similarity::Tanimoto, &packed, rows, 0.75, 1.0, &mut cursor, &mut hits)?;
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
    measure: Similarity,
    packed: &PackedRows,
    rows: BitRows,
    threshold: f32,
    empty: f32,
    cursor: &mut u64,
    hits: &mut [Hit],
) -> Result<usize, Error> {
    check_similarity(packed)?;
    check_bits(packed, rows)?;
    if !(0.0..=1.0).contains(&threshold) {
        return Err(Error::Threshold { value: threshold });
    }
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
    let mut scores = [[0f32; SPAN]; BATCH];
    // Each step takes one row and a span of packed rows, or a batch of rows if a span holds all
    // packed rows.
    while *cursor < pairs && found < hits.len() {
        let (row, column) = ((*cursor / m) as usize, (*cursor % m) as usize);
        let first = column / GROUP * GROUP;
        let width = SPAN.min(packed.len() - first);
        let batch = rows.part(row, if column == 0 && width == packed.len() { BATCH } else { 1 });
        // SAFETY: the groups exist, and `scores` has an entry for each pair.
        unsafe { common(packed, first / GROUP, batch, width, scores.as_mut_ptr().cast(), SPAN) };
        let ones = batch.ones::<BATCH>();
        for (i, scores) in scores.iter_mut().enumerate().take(batch.len()) {
            let counts = scores.as_ptr().cast();
            // SAFETY: `width` counts, each replaced by its score in place.
            unsafe { measure.kernel()(counts, packed.counts(first), width, ones[i], empty, scores.as_mut_ptr()) };
            for (j, &similarity) in scores[..width].iter().enumerate().skip(column - first) {
                if similarity >= threshold {
                    let Some(hit) = hits.get_mut(found) else {
                        *cursor = (row + i) as u64 * m + (first + j) as u64;
                        return Ok(found);
                    };
                    *hit = Hit { row: (row + i) as u64, packed_row: (first + j) as u32, similarity };
                    found += 1;
                }
            }
        }
        *cursor = (row + batch.len() - 1) as u64 * m + (first + width) as u64;
    }
    Ok(found)
}
