//! The C functions of the index. They convert pointers for the safe API and its errors to a status.

use alloc::vec::Vec;
use core::ffi::c_void;

use super::{Condition, Index, Match, Measure, PairMatch, Searcher};
use crate::frame::error::Error;
use crate::frame::ffi::{Bytes, Status, non_null, non_null_mut, slice, slice_mut, status};
use crate::frame::memory;
use crate::hamming::ffi::bit_rows;
use crate::hamming::rows;

/// `hl_fingerprints_condition`: which rows a search returns.
#[repr(C)]
pub struct IndexCondition {
    measure: i32,
    threshold: f32,
    empty: f32,
    alpha: f64,
    beta: f64,
}

/// `hl_fingerprints_image`: the image of an index.
#[repr(C)]
pub struct IndexImage {
    memory: *const c_void,
    size: usize,
}

/// # Safety
/// `condition` is null or readable.
unsafe fn condition(condition: *const IndexCondition) -> Result<Condition, Error> {
    // SAFETY: the caller's contract.
    let &IndexCondition { measure: number, threshold, empty, alpha, beta } =
        unsafe { non_null(condition, "condition") }?;
    let measures = [
        Measure::Hamming,
        Measure::Tanimoto,
        Measure::Dice,
        Measure::Cosine,
        Measure::Tversky { alpha, beta },
        Measure::Containment,
    ];
    let measure = measures.into_iter().find(|known| known.number() == number);
    let measure = measure.ok_or(Error::Option { argument: "measure", value: number })?;
    Ok(Condition { measure, threshold, empty })
}

/// The indexes of some images. Their memory and the images themselves do not overlap `out`.
///
/// # Safety
/// `images` is null or points to `n` images, valid for `'a`, whose memory has as many bytes as they
/// say.
unsafe fn indexes<'a>(images: *const IndexImage, n: usize, out: Bytes) -> Result<Vec<Index<'a>>, Error> {
    // SAFETY: the caller's contract.
    let images = unsafe { slice(images, n, "images") }?;
    Bytes::of(images.as_ptr(), size_of_val(images), "images")?.apart(out)?;
    let mut indexes = memory::with_capacity(n)?;
    for image in images {
        let bytes = Bytes::of(image.memory, image.size, "memory")?;
        bytes.apart(out)?;
        // SAFETY: the caller's contract.
        indexes.push(Index::new(unsafe { bytes.as_slice() })?);
    }
    Ok(indexes)
}

/// Size in bytes of the image of an index; 0 if no such index can exist.
#[unsafe(no_mangle)]
pub extern "C" fn hl_fingerprints_bytes(n_rows: usize, bits: usize) -> usize {
    Index::image_len(n_rows, bits).unwrap_or(0)
}

/// Writes the image of an index.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_fingerprints_build(
    rows: *const u8,
    n_rows: usize,
    bits: usize,
    stride: usize,
    memory: *mut c_void,
    size: usize,
) -> Status {
    let build = || {
        // SAFETY: the caller's contract.
        let rows = unsafe { bit_rows(rows, n_rows, bits, stride) }?;
        let bytes = Bytes::of(memory, size, "memory")?;
        Bytes::of(rows.bytes.as_ptr(), rows.bytes.len(), "rows")?.apart(bytes)?;
        // SAFETY: the caller's contract.
        Index::build(rows, unsafe { slice_mut(memory.cast(), size, "memory") }?)?;
        Ok(())
    };
    status(build())
}

/// Checks an image and reports its shape.
///
/// # Safety
/// `memory` is null or points to `size` bytes; `n_rows` and `bits` are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_fingerprints_check(
    memory: *const c_void,
    size: usize,
    n_rows: *mut usize,
    bits: *mut usize,
) -> Status {
    let check = || {
        // SAFETY: the caller's contract.
        let (index, n_rows, bits) = unsafe {
            let index = Index::new(slice(memory.cast(), size, "memory")?)?;
            (index, non_null_mut(n_rows, "n_rows")?, non_null_mut(bits, "bits")?)
        };
        (*n_rows, *bits) = (index.len(), index.bits());
        Ok(())
    };
    status(check())
}

/// Finds the rows that satisfy a condition.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments and the images say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_fingerprints_search(
    images: *const IndexImage,
    n_images: usize,
    query: *const u8,
    condition: *const IndexCondition,
    cursor: *mut u64,
    hits: *mut Match,
    capacity: usize,
    found: *mut usize,
) -> Status {
    let search = || {
        // SAFETY: the caller's contract.
        unsafe {
            let condition = self::condition(condition)?;
            let (hits, out) = results(hits, capacity)?;
            let indexes = indexes(images, n_images, out)?;
            let query = self::query(query, &indexes, out)?;
            let (cursor, found) = (non_null_mut(cursor, "cursor")?, non_null_mut(found, "found")?);
            *found = Searcher::new().search(&indexes, query, &condition, cursor, hits)?;
        }
        Ok(())
    };
    status(search())
}

/// Finds the best rows that satisfy a condition.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments and the images say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_fingerprints_top(
    images: *const IndexImage,
    n_images: usize,
    query: *const u8,
    condition: *const IndexCondition,
    hits: *mut Match,
    capacity: usize,
    found: *mut usize,
) -> Status {
    let search = || {
        // SAFETY: the caller's contract.
        unsafe {
            let condition = self::condition(condition)?;
            let (hits, out) = results(hits, capacity)?;
            let indexes = indexes(images, n_images, out)?;
            let query = self::query(query, &indexes, out)?;
            let found = non_null_mut(found, "found")?;
            *found = Searcher::new().top(&indexes, query, &condition, hits)?;
        }
        Ok(())
    };
    status(search())
}

/// Finds, for many queries, the rows that satisfy a condition.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments and the images say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_fingerprints_batch(
    images: *const IndexImage,
    n_images: usize,
    queries: *const u8,
    n_queries: usize,
    stride: usize,
    condition: *const IndexCondition,
    cursor: *mut u64,
    hits: *mut PairMatch,
    capacity: usize,
    found: *mut usize,
) -> Status {
    let search = || {
        // SAFETY: the caller's contract.
        unsafe {
            let condition = self::condition(condition)?;
            let (hits, out) = results(hits, capacity)?;
            let indexes = indexes(images, n_images, out)?;
            let bits = indexes.first().map_or(1, Index::bits);
            let n_queries = if bits == 0 { 0 } else { n_queries };
            Bytes::of(queries, rows::extent(n_queries, bits, stride)?, "queries")?;
            let queries = bit_rows(queries, n_queries, bits, stride)?;
            Bytes::of(queries.bytes.as_ptr(), queries.bytes.len(), "queries")?.apart(out)?;
            let (cursor, found) = (non_null_mut(cursor, "cursor")?, non_null_mut(found, "found")?);
            *found = Searcher::new().batch(&indexes, queries, &condition, cursor, hits)?;
        }
        Ok(())
    };
    status(search())
}

/// Finds the pairs of rows that satisfy a condition.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments and the images say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_fingerprints_pairs(
    images: *const IndexImage,
    n_images: usize,
    rows: *const u8,
    n_rows: usize,
    stride: usize,
    row_begin: usize,
    row_count: usize,
    condition: *const IndexCondition,
    cursor: *mut u64,
    hits: *mut PairMatch,
    capacity: usize,
    found: *mut usize,
) -> Status {
    let search = || {
        // SAFETY: the caller's contract.
        unsafe {
            let condition = self::condition(condition)?;
            let (hits, out) = results(hits, capacity)?;
            let indexes = indexes(images, n_images, out)?;
            let rows = bit_rows(rows, n_rows, indexes.first().map_or(1, Index::bits), stride)?;
            Bytes::of(rows.bytes.as_ptr(), rows.bytes.len(), "rows")?.apart(out)?;
            let (cursor, found) = (non_null_mut(cursor, "cursor")?, non_null_mut(found, "found")?);
            let rest = n_rows.checked_sub(row_begin);
            let rest = rest.ok_or(Error::Index { argument: "row_begin", index: row_begin, count: n_rows })?;
            if row_count > rest {
                return Err(Error::Index { argument: "row_count", index: row_count, count: rest });
            }
            let range = row_begin..row_begin + row_count;
            *found = Searcher::new().pairs(&indexes, rows, range, &condition, cursor, hits)?;
        }
        Ok(())
    };
    status(search())
}

/// Results, and their bytes.
///
/// # Safety
/// `hits` is null or points to `capacity` values that nothing else uses for `'a`.
unsafe fn results<'a, T>(hits: *mut T, capacity: usize) -> Result<(&'a mut [T], Bytes), Error> {
    // SAFETY: the caller's contract.
    let hits = unsafe { slice_mut(hits, capacity, "hits") }?;
    let bytes = Bytes::of(hits.as_ptr(), size_of_val(hits), "hits")?;
    Ok((hits, bytes))
}

/// A query with as many bits as the rows of the indexes; it does not overlap `out`.
///
/// # Safety
/// `query` is null or points to a row, valid for `'a`.
unsafe fn query<'a>(query: *const u8, indexes: &[Index], out: Bytes) -> Result<&'a [u8], Error> {
    let bytes = Bytes::of(query, indexes.first().map_or(0, Index::bits).div_ceil(8), "query")?;
    bytes.apart(out)?;
    // SAFETY: the caller's contract.
    Ok(unsafe { bytes.as_slice() })
}
