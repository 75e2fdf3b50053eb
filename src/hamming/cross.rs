//! Packed rows against rows: distances, similarities, and the search for similar ones.

use core::ptr;

use super::rows::{BitRows, PackedRows};
use super::{GROUP, cosine, dice, distances, intersections, tanimoto};
use crate::Error;
use crate::error::{at_least, exactly, extent};

/// A measure of likeness, from 0 to 1, of two rows with a and b ones, c of them in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Similarity {
    /// c / (a + b - c), also called Jaccard's.
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

/// Rows that are taken at once: their results are turned into distances while the first cache holds them.
const BATCH: usize = 32;

/// Ones that rows, at most a batch, have in common with the packed rows from group `group` on:
/// `count` integers for each row, at `out + i * stride`.
///
/// # Safety
/// The groups are there, their rows as long as the others, and `out` is writable as said.
unsafe fn common(packed: &PackedRows, group: usize, rows: BitRows, count: usize, out: *mut u32, stride: usize) {
    let tails = rows.tails::<BATCH>();
    let tails = tails.as_ref().map_or(ptr::null(), |tails| tails.as_ptr());
    let run = |group, groups, out, stride| {
        let (words, start, n) = (rows.bits / 64, rows.as_ptr(0), rows.len());
        // SAFETY: the caller's contract: whole groups, rows and, where there are any, tails.
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

/// The error, if any, of comparing `packed` with `rows` into `found` values, `out_stride` apart.
fn check(packed: &PackedRows, rows: BitRows, found: usize, out_stride: usize) -> Result<(), Error> {
    check_bits(packed, rows)?;
    let least = extent("out_stride", rows.len(), packed.len(), out_stride)?;
    at_least("out", least, found)
}

/// Results for the rows, batch by batch: the ones in common, then `finish(row's ones, its results)`.
fn walk(packed: &PackedRows, rows: BitRows, out: *mut u32, stride: usize, finish: impl Fn(u32, *mut u32)) {
    if packed.is_empty() {
        return;
    }
    for first in (0..rows.len()).step_by(BATCH) {
        let (batch, start) = (rows.part(first, BATCH), out.wrapping_add(first * stride));
        // SAFETY: groups that are there; callers have checked `out`.
        unsafe { common(packed, 0, batch, packed.len(), start, stride) };
        for (i, &ones) in batch.ones::<BATCH>().iter().enumerate().take(batch.len()) {
            finish(ones, start.wrapping_add(i * stride));
        }
    }
}

/// Hamming distances: `out[i * out_stride + j]` is the number of bits in which row i and packed row j differ.
///
/// Threads may share the packed rows, each with rows and an output of its own.
///
/// # Errors
/// [`Error::Length`] if the rows have not as many bits as the packed ones, or `out` does not hold a
/// value for each pair; [`Error::Stride`] if it does not hold a row of them.
pub fn cross(packed: &PackedRows, rows: BitRows, out: &mut [u32], out_stride: usize) -> Result<(), Error> {
    check(packed, rows, out.len(), out_stride)?;
    walk(packed, rows, out.as_mut_ptr(), out_stride, |ones, row| {
        // SAFETY: a result for each packed row.
        unsafe { distances(row, packed.counts(0), packed.len(), ones, row) }
    });
    Ok(())
}

/// Similarities: `out[i * out_stride + j]` is that of row i and packed row j, the nearest f32 to
/// the quotient, and `empty` where neither has a one. (RDKit calls two empty rows alike, 1; chemfp
/// calls them different, 0.)
///
/// # Errors
/// As for [`cross`], and [`Error::TooLarge`] from 2^30 bits on.
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
        // SAFETY: as above; the counts make room for their similarities, in place.
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
    /// How similar they are.
    pub similarity: f32,
}

/// Packed rows that are searched at once, in a scratch on the stack.
const SPAN: usize = 128;

/// Finds the pairs whose similarity is at least `threshold`, in the order of the rows and, for one
/// row, of the packed rows.
///
/// Writes as many as `hits` holds and returns their number. `cursor` is where the search is, 0 at
/// first; it goes on from there at the next call, and is [`len`](BitRows::len) times
/// [`len`](PackedRows::len) when all pairs have been seen. The hits of a batch of 32 rows and 128
/// packed ones are found together, so a call with few hits' room repeats some of that work; sets of
/// at most 128 packed rows are searched fastest.
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
/// [`Error::Threshold`] if `threshold` is not from 0 to 1, [`Error::Index`] if `cursor` is past the
/// end, [`Error::Length`] if `hits` is empty before the end or the rows have not as many bits as
/// the packed ones, [`Error::TooLarge`] from 2^30 bits on.
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
    // One row with a span of packed rows; or a batch of whole rows where a span holds them.
    while *cursor < pairs && found < hits.len() {
        let (row, column) = ((*cursor / m) as usize, (*cursor % m) as usize);
        let first = column / GROUP * GROUP;
        let width = SPAN.min(packed.len() - first);
        let batch = rows.part(row, if column == 0 && width == packed.len() { BATCH } else { 1 });
        // SAFETY: groups that are there, and as many scores.
        unsafe { common(packed, first / GROUP, batch, width, scores.as_mut_ptr().cast(), SPAN) };
        let ones = batch.ones::<BATCH>();
        for (i, scores) in scores.iter_mut().enumerate().take(batch.len()) {
            let counts = scores.as_ptr().cast();
            // SAFETY: as above, in place.
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
