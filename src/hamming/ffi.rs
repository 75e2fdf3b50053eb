//! The C functions of the family. They convert pointers for the safe API and its errors to a
//! status.

use core::ffi::c_void;

use super::rows::{self, BitRows, PackedRows};
use super::{Hit, Near, Neighbour, Part, Similarity};
use crate::frame::error::Error;
use crate::frame::error::extent;
use crate::frame::ffi::{Bytes, Status, non_null, non_null_mut, slice, slice_mut, status};

impl Part {
    fn from_value(value: u32) -> Result<Self, Error> {
        let known = [Part::Upper, Part::Full].into_iter().find(|part| *part as u32 == value);
        known.ok_or(Error::Option { argument: "flags", value: value as i32 })
    }
}

/// # Safety
/// `bytes` is null or points to `n` rows of `bits` bits, `stride` bytes apart, valid for `'a`.
pub(crate) unsafe fn bit_rows<'a>(
    bytes: *const u8,
    n: usize,
    bits: usize,
    stride: usize,
) -> Result<BitRows<'a>, Error> {
    // SAFETY: the caller's contract.
    unsafe { named_rows("rows", bytes, n, bits, stride) }
}

/// # Safety
/// Same as for [`bit_rows`].
unsafe fn named_rows<'a>(
    name: &'static str,
    bytes: *const u8,
    n: usize,
    bits: usize,
    stride: usize,
) -> Result<BitRows<'a>, Error> {
    let length = Bytes::of(bytes, rows::extent(n, bits, stride)?, name)?.len();
    // SAFETY: the caller's contract.
    BitRows::new(unsafe { slice(bytes, length, name) }?, n, bits, stride)
}

/// # Safety
/// `packed` is null or points to packed rows, valid for `'a`.
unsafe fn packed_rows<'a>(packed: *const c_void) -> Result<PackedRows<'a>, Error> {
    // SAFETY: the caller's contract: a header, then as many bytes as the header says.
    unsafe {
        let length = rows::packed_extent(non_null(packed.cast(), "packed")?)?;
        PackedRows::new(slice(packed.cast(), length, "packed")?)
    }
}

/// # Safety
/// `out` is null or points to `n` rows of `row` values, `stride` apart, that nothing else uses for
/// `'a`.
unsafe fn matrix<'a, T>(out: *mut T, n: usize, row: usize, stride: usize) -> Result<&'a mut [T], Error> {
    let length = extent("out_stride", n, row, stride)?;
    Bytes::of(out, length.saturating_mul(size_of::<T>()), "out")?;
    // SAFETY: the caller's contract.
    unsafe { slice_mut(out, length, "out") }
}

fn apart<T>(inputs: [&[u8]; 2], out: &[T]) -> Result<(), Error> {
    let out = Bytes::of(out.as_ptr(), size_of_val(out), "out")?;
    inputs.into_iter().try_for_each(|input| Bytes::of(input.as_ptr(), input.len(), "rows")?.apart(out))
}

/// Counts the ones of each row.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_hamming_popcount_rows(
    rows: *const u8,
    n_rows: usize,
    bits: usize,
    stride: usize,
    counts: *mut u32,
) -> Status {
    let count = || {
        // SAFETY: the caller's contract.
        let (rows, counts) = unsafe { (bit_rows(rows, n_rows, bits, stride)?, slice_mut(counts, n_rows, "counts")?) };
        apart([rows.bytes, &[]], counts)?;
        super::count_ones(rows, counts)
    };
    status(count())
}

/// Distances of the bit planes of a block of 2048 integers.
///
/// # Safety
/// `block` is null or points to 2048 integers, `distances` null or to 32 x 32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_hamming_slices_distance_u32x2048(block: *const u32, distances: *mut u32) -> Status {
    let measure = || {
        Bytes::of(block, 8192, "block")?.apart(Bytes::of(distances, 4096, "distances")?)?;
        // SAFETY: the caller's contract.
        unsafe { super::slices_distance(slice(block, 2048, "block")?, slice_mut(distances, 1024, "distances")?) }
    };
    status(measure())
}

/// Distances of the 32 bit planes of a block that is already sliced: 32 planes of 256 bytes.
///
/// # Safety
/// `planes` is null or points to 8192 bytes, `distances` null or to 32 x 32 integers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_hamming_planes_distance_u32x2048(planes: *const u8, distances: *mut u32) -> Status {
    let measure = || {
        Bytes::of(planes, 8192, "planes")?.apart(Bytes::of(distances, 4096, "distances")?)?;
        // SAFETY: the caller's contract.
        unsafe { super::planes_distance(slice(planes, 8192, "planes")?, slice_mut(distances, 1024, "distances")?) }
    };
    status(measure())
}

/// Hamming distances within a set of rows.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say. `out` points to the
/// results of the first row of the range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_hamming_self(
    rows: *const u8,
    n_rows: usize,
    bits: usize,
    stride: usize,
    row_begin: usize,
    row_count: usize,
    flags: u32,
    out: *mut u32,
    out_stride: usize,
) -> Status {
    let measure = || {
        let part = Part::from_value(flags)?;
        let rest = n_rows.checked_sub(row_begin);
        let rest = rest.ok_or(Error::Index { argument: "row_begin", index: row_begin, count: n_rows })?;
        if row_count > rest {
            return Err(Error::Index { argument: "row_count", index: row_count, count: rest });
        }
        // SAFETY: the caller's contract.
        let (rows, out) =
            unsafe { (bit_rows(rows, n_rows, bits, stride)?, matrix(out, row_count, n_rows, out_stride)?) };
        apart([rows.bytes, &[]], out)?;
        super::within(rows, row_begin..row_begin + row_count, part, out, out_stride)
    };
    status(measure())
}

/// Size in bytes of `n_rows` packed rows of `bits` bits; 0 if no such rows can exist.
#[unsafe(no_mangle)]
pub extern "C" fn hl_hamming_packed_bytes(n_rows: usize, bits: usize) -> usize {
    rows::packed_len(n_rows, bits).unwrap_or(0)
}

/// Packs rows for repeated use.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say. `packed` points to
/// [`hl_hamming_packed_bytes`] bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_hamming_pack(
    rows: *const u8,
    n_rows: usize,
    bits: usize,
    stride: usize,
    packed: *mut c_void,
) -> Status {
    let pack = || {
        // SAFETY: the caller's contract.
        let rows = unsafe { bit_rows(rows, n_rows, bits, stride) }?;
        let length = rows::packed_len(n_rows, bits)?;
        Bytes::of(rows.bytes.as_ptr(), rows.bytes.len(), "rows")?.apart(Bytes::of(packed, length, "packed")?)?;
        // SAFETY: the caller's contract.
        rows::pack(rows, unsafe { slice_mut(packed.cast(), length, "packed") }?)
    };
    status(pack())
}

/// Hamming distances of rows from packed rows.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments and the packed rows say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_hamming_cross(
    packed: *const c_void,
    rows: *const u8,
    n_rows: usize,
    stride: usize,
    out: *mut u32,
    out_stride: usize,
) -> Status {
    let measure = || {
        // SAFETY: the caller's contract.
        let (packed, rows, out) = unsafe { operands(packed, rows, n_rows, stride, out, out_stride) }?;
        super::cross(&packed, rows, out, out_stride)
    };
    status(measure())
}

type Operands<'a, T> = Result<(PackedRows<'a>, BitRows<'a>, &'a mut [T]), Error>;

/// Converts and checks the arguments of the `hl_hamming_*_cross` functions.
///
/// # Safety
/// Same as for [`hl_hamming_cross`].
unsafe fn operands<'a, T>(
    packed: *const c_void,
    rows: *const u8,
    n_rows: usize,
    stride: usize,
    out: *mut T,
    out_stride: usize,
) -> Operands<'a, T> {
    // SAFETY: the caller's contract.
    unsafe {
        let packed = packed_rows(packed)?;
        let rows = bit_rows(rows, if packed.is_empty() { 0 } else { n_rows }, packed.bits(), stride)?;
        let out = matrix(out, rows.len(), packed.len(), out_stride)?;
        apart([rows.bytes, packed.as_bytes()], out)?;
        Ok((packed, rows, out))
    }
}

/// The arguments of the `hl_hamming_*_threshold` functions, then the search itself.
///
/// # Safety
/// Same as for [`hl_hamming_cross`]. `cursor` and `found` are null or writable; `hits` is null or
/// points to `capacity` hits.
#[allow(clippy::too_many_arguments)]
unsafe fn find_pairs<H>(
    packed: *const c_void,
    rows: *const u8,
    n_rows: usize,
    stride: usize,
    cursor: *mut u64,
    hits: *mut H,
    capacity: usize,
    found: *mut usize,
    search: impl Fn(&PackedRows, BitRows, &mut u64, &mut [H]) -> Result<usize, Error>,
) -> Status {
    let find = || {
        // SAFETY: the caller's contract.
        let (packed, cursor, found) =
            unsafe { (packed_rows(packed)?, non_null_mut(cursor, "cursor")?, non_null_mut(found, "found")?) };
        // SAFETY: the caller's contract.
        let (rows, hits) = unsafe {
            let rows = bit_rows(rows, if packed.is_empty() { 0 } else { n_rows }, packed.bits(), stride)?;
            (rows, slice_mut(hits, capacity, "hits")?)
        };
        apart([rows.bytes, packed.as_bytes()], hits)?;
        *found = search(&packed, rows, cursor, hits)?;
        Ok(())
    };
    status(find())
}

/// Exports the functions of a measure.
macro_rules! export_for_type {
    ($measure:ident $cross:ident $threshold:ident $to:ident) => {
        #[doc = concat!(stringify!($measure), " similarities of rows and packed rows.")]
        ///
        /// # Safety
        /// Same as for [`hl_hamming_cross`].
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $cross(
            packed: *const c_void,
            rows: *const u8,
            n_rows: usize,
            stride: usize,
            empty: f32,
            out: *mut f32,
            out_stride: usize,
        ) -> Status {
            // SAFETY: the caller's contract.
            let operands = unsafe { operands(packed, rows, n_rows, stride, out, out_stride) };
            let measure =
                |(packed, rows, out)| super::similarities(&packed, rows, Similarity::$measure, empty, out, out_stride);
            status(operands.and_then(measure))
        }

        #[doc = concat!("Finds the pairs whose ", stringify!($measure), " similarity is at least `threshold`.")]
        ///
        /// # Safety
        /// Same as for [`hl_hamming_cross`]. `cursor` and `found` are null or writable; `hits` is
        /// null or points to `capacity` hits.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $threshold(
            packed: *const c_void,
            rows: *const u8,
            n_rows: usize,
            stride: usize,
            threshold: f32,
            empty: f32,
            cursor: *mut u64,
            hits: *mut Hit,
            capacity: usize,
            found: *mut usize,
        ) -> Status {
            let search = |packed: &PackedRows, rows: BitRows, cursor: &mut u64, hits: &mut [Hit]| {
                super::search(packed, rows, Similarity::$measure, threshold, empty, cursor, hits)
            };
            // SAFETY: the caller's contract.
            unsafe { find_pairs(packed, rows, n_rows, stride, cursor, hits, capacity, found, search) }
        }

        #[doc = concat!(stringify!($measure), " similarities of one row and others.")]
        ///
        /// # Safety
        /// Same as for [`hl_hamming_distances_to`].
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $to(
            query: *const u8,
            rows: *const u8,
            n_rows: usize,
            bits: usize,
            stride: usize,
            empty: f32,
            out: *mut f32,
        ) -> Status {
            let measure = |(query, rows, out)| super::similarities_to(query, rows, Similarity::$measure, empty, out);
            // SAFETY: the caller's contract.
            status(unsafe { with_query(query, rows, n_rows, bits, stride, out) }.and_then(measure))
        }
    };
}
export_for_type! { Tanimoto hl_hamming_tanimoto_cross hl_hamming_tanimoto_threshold hl_hamming_tanimoto_to }
export_for_type! { Dice hl_hamming_dice_cross hl_hamming_dice_threshold hl_hamming_dice_to }
export_for_type! { Cosine hl_hamming_cosine_cross hl_hamming_cosine_threshold hl_hamming_cosine_to }

/// Finds the pairs whose Hamming distance is at most `max_distance`.
///
/// # Safety
/// Same as for [`hl_hamming_tanimoto_threshold`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_hamming_distance_threshold(
    packed: *const c_void,
    rows: *const u8,
    n_rows: usize,
    stride: usize,
    max_distance: u32,
    cursor: *mut u64,
    hits: *mut Near,
    capacity: usize,
    found: *mut usize,
) -> Status {
    let search = |packed: &PackedRows, rows: BitRows, cursor: &mut u64, hits: &mut [Near]| {
        super::search_near(packed, rows, max_distance, cursor, hits)
    };
    // SAFETY: the caller's contract.
    unsafe { find_pairs(packed, rows, n_rows, stride, cursor, hits, capacity, found, search) }
}

type OneToMany<'a, T> = Result<(BitRows<'a>, BitRows<'a>, &'a mut [T]), Error>;

/// Converts and checks the arguments of the `hl_hamming_*_to` functions.
///
/// # Safety
/// Same as for [`hl_hamming_distances_to`].
unsafe fn with_query<'a, T>(
    query: *const u8,
    rows: *const u8,
    n_rows: usize,
    bits: usize,
    stride: usize,
    out: *mut T,
) -> OneToMany<'a, T> {
    // SAFETY: the caller's contract.
    unsafe {
        let query = named_rows("query", query, 1, bits, bits.div_ceil(8))?;
        let rows = bit_rows(rows, n_rows, bits, stride)?;
        let out = slice_mut(out, n_rows, "out")?;
        apart([query.bytes, rows.bytes], out)?;
        Ok((query, rows, out))
    }
}

/// Hamming distances of one row from others.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_hamming_distances_to(
    query: *const u8,
    rows: *const u8,
    n_rows: usize,
    bits: usize,
    stride: usize,
    out: *mut u32,
) -> Status {
    let measure = |(query, rows, out)| super::distances_to(query, rows, out);
    // SAFETY: the caller's contract.
    status(unsafe { with_query(query, rows, n_rows, bits, stride, out) }.and_then(measure))
}

/// Finds the `k` rows nearest to each query.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say; `out` to `n_queries` `k`
/// values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_hamming_nearest(
    queries: *const u8,
    n_queries: usize,
    query_stride: usize,
    rows: *const u8,
    n_rows: usize,
    bits: usize,
    stride: usize,
    k: usize,
    out: *mut Neighbour,
    found: *mut usize,
) -> Status {
    let find = || {
        let needed = n_queries.checked_mul(k).ok_or(Error::TooLarge { argument: "k" })?;
        Bytes::of(out, needed.saturating_mul(size_of::<Neighbour>()), "out")?;
        // SAFETY: the caller's contract.
        let (found, queries, rows, out) = unsafe {
            let queries = named_rows("queries", queries, n_queries, bits, query_stride)?;
            let rows = bit_rows(rows, n_rows, bits, stride)?;
            (non_null_mut(found, "found")?, queries, rows, slice_mut(out, needed, "out")?)
        };
        apart([queries.bytes, rows.bytes], out)?;
        *found = super::nearest(queries, rows, k, out)?;
        Ok(())
    };
    status(find())
}
