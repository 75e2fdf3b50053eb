//! One row against rows that are not packed.

use super::cross::check_similarity;
use super::rows::BitRows;
use super::{Similarity, differing, shared};
use crate::frame::error::{Error, exactly};

/// Rows per batch. Their counts are on the stack.
const BATCH: usize = 256;

/// Checks that `query` is one row, with as many bits as the rows, and that there is a result for
/// each row.
fn check(query: BitRows, rows: BitRows, found: usize) -> Result<(), Error> {
    exactly("query", 1, query.len())?;
    if !rows.is_empty() {
        exactly("bits", rows.bits, query.bits)?;
    }
    exactly("out", rows.len(), found)
}

/// Hamming distances of one row from others: `out[i]` is the number of bits in which row i and the
/// query differ.
///
/// ```
/// use hotloops::hamming::{BitRows, distances_to};
///
/// let rows = BitRows::new(&[0b0000, 0b1111, 0b0111], 3, 4, 1)?;
/// let mut distances = [0; 3];
/// distances_to(BitRows::new(&[0b0110], 1, 4, 1)?, rows, &mut distances)?;
/// assert_eq!(distances, [2, 2, 1]);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if `query` is not one row, if it has not as many bits as the rows, or if `out`
/// does not have one value per row.
pub fn distances_to(query: BitRows, rows: BitRows, out: &mut [u32]) -> Result<(), Error> {
    check(query, rows, out.len())?;
    // SAFETY: the query and the rows exist, with a result for each row.
    unsafe { differing(query.as_ptr(0), rows.as_ptr(0), rows.len(), rows.bits, rows.stride, out.as_mut_ptr()) }
    Ok(())
}

/// Similarities of one row and others: `out[i]` is the similarity of row i and the query, or
/// `empty` if neither has a one.
///
/// # Errors
/// The errors of [`distances_to`], and [`Error::TooLarge`] if a row has 2^30 bits or more.
pub fn similarities_to(
    query: BitRows,
    rows: BitRows,
    measure: Similarity,
    empty: f32,
    out: &mut [f32],
) -> Result<(), Error> {
    check_similarity(query.bits)?;
    check(query, rows, out.len())?;
    let [ones] = query.ones();
    for (first, out) in (0..).step_by(BATCH).zip(out.chunks_mut(BATCH)) {
        let (batch, out) = (rows.part(first, BATCH), out.as_mut_ptr());
        let of_rows = batch.ones::<BATCH>();
        // SAFETY: the query and the rows exist; each count is replaced by its similarity in place.
        unsafe {
            shared(query.as_ptr(0), batch.as_ptr(0), batch.len(), rows.bits, rows.stride, out.cast());
            measure.kernel()(out.cast(), of_rows.as_ptr(), batch.len(), ones, empty, out);
        }
    }
    Ok(())
}
