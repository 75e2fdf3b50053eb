//! The C functions of the family. They check pointers, call the layer below, and convert its errors
//! to a status.

use core::ffi::c_void;

use super::blocks::{self, Layout, Store};
use super::element::Width;
use super::planes::{extent, slice_at, unslice_at};
use super::{classes, dna, single};
use crate::frame::error::Error;
use crate::frame::ffi::{Bytes, Status, slice, slice_mut, status};

impl Layout {
    fn from_value(value: u32) -> Result<Self, Error> {
        let all = [Layout::Rows2048, Layout::Tiles64];
        let known = all.into_iter().find(|layout| *layout as u32 == value);
        known.ok_or(Error::Option { argument: "layout", value: value as i32 })
    }
}

impl Store {
    fn from_value(value: u32) -> Result<Self, Error> {
        let all = [Store::Auto, Store::Stream, Store::Cached];
        let known = all.into_iter().find(|store| *store as u32 == value);
        known.ok_or(Error::Option { argument: "flags", value: value as i32 })
    }
}

/// Size in bytes of `n` elements.
fn elements(width: Width, n: usize) -> Result<usize, Error> {
    n.checked_mul(width.bytes()).ok_or(Error::TooLarge { argument: "n_elems" })
}

/// Cuts `n_elems` elements of `elem_bytes` bytes into planes.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_slice(
    src: *const c_void,
    n_elems: usize,
    elem_bytes: u32,
    planes: *mut u8,
    stride: usize,
) -> Status {
    let cut = || {
        let width = Width::from_bytes(elem_bytes as usize)?;
        let from = Bytes::of(src, elements(width, n_elems)?, "src")?;
        let to = Bytes::of(planes, extent(n_elems, width.planes(), stride)?, "planes")?;
        from.apart(to)?;
        // SAFETY: the caller's contract; no pointer is null unless there are no elements, and the
        // bytes do not overlap.
        unsafe { slice_at(width, src.cast(), n_elems, planes, stride) };
        Ok(())
    };
    status(cut())
}

/// Puts `n_elems` elements of `elem_bytes` bytes together from planes.
///
/// # Safety
/// Same as for [`hl_bitslice_slice`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_unslice(
    planes: *const u8,
    n_elems: usize,
    elem_bytes: u32,
    stride: usize,
    dst: *mut c_void,
) -> Status {
    let join = || {
        let width = Width::from_bytes(elem_bytes as usize)?;
        let from = Bytes::of(planes, extent(n_elems, width.planes(), stride)?, "planes")?;
        let to = Bytes::of(dst, elements(width, n_elems)?, "dst")?;
        from.apart(to)?;
        // SAFETY: the caller's contract, and the checks above.
        unsafe { unslice_at(width, planes, stride, n_elems, dst.cast()) };
        Ok(())
    };
    status(join())
}

/// Writes the size in bytes of `n_elems` elements of `elem_bytes` bytes in a layout.
///
/// # Safety
/// `bytes` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_blocks_size(
    n_elems: usize,
    elem_bytes: u32,
    layout: u32,
    bytes: *mut usize,
) -> Status {
    let measure = || {
        // SAFETY: the caller's contract.
        let bytes = unsafe { crate::frame::ffi::non_null_mut(bytes, "bytes") }?;
        *bytes = blocks::len(Width::from_bytes(elem_bytes as usize)?, n_elems, Layout::from_value(layout)?)?;
        Ok(())
    };
    status(measure())
}

/// Cuts a long array into planes, block by block.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_slice_blocks(
    src: *const c_void,
    n_elems: usize,
    elem_bytes: u32,
    layout: u32,
    flags: u32,
    dst: *mut u8,
) -> Status {
    let cut = || {
        let (width, layout) = (Width::from_bytes(elem_bytes as usize)?, Layout::from_value(layout)?);
        let store = Store::from_value(flags)?;
        let from = Bytes::of(src, elements(width, n_elems)?, "src")?;
        from.apart(Bytes::of(dst, blocks::len(width, n_elems, layout)?, "dst")?)?;
        // SAFETY: the caller's contract, and the checks above.
        unsafe { blocks::slice_blocks_at(width, src.cast(), n_elems, dst, layout, store) };
        Ok(())
    };
    status(cut())
}

/// Puts a long array together from its planes.
///
/// # Safety
/// Same as for [`hl_bitslice_slice_blocks`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_unslice_blocks(
    src: *const u8,
    n_elems: usize,
    elem_bytes: u32,
    layout: u32,
    flags: u32,
    dst: *mut c_void,
) -> Status {
    let join = || {
        let (width, layout) = (Width::from_bytes(elem_bytes as usize)?, Layout::from_value(layout)?);
        let store = Store::from_value(flags)?;
        let from = Bytes::of(src, blocks::len(width, n_elems, layout)?, "src")?;
        from.apart(Bytes::of(dst, elements(width, n_elems)?, "dst")?)?;
        // SAFETY: the caller's contract, and the checks above.
        unsafe { blocks::unslice_blocks_at(width, src, n_elems, dst.cast(), layout, store) };
        Ok(())
    };
    status(join())
}

/// Replaces each block of 2048 integers by its 32 rows of 256 bytes.
///
/// # Safety
/// `block` is null or points to `n_blocks` blocks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_slice_inplace_u32x2048(block: *mut u32, n_blocks: usize) -> Status {
    // SAFETY: the caller's contract.
    status(unsafe { whole_blocks(block, n_blocks) }.and_then(blocks::slice_in_place))
}

/// Replaces each block of 32 rows of 256 bytes by its 2048 integers.
///
/// # Safety
/// Same as for [`hl_bitslice_slice_inplace_u32x2048`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_unslice_inplace_u32x2048(block: *mut u32, n_blocks: usize) -> Status {
    // SAFETY: the caller's contract.
    status(unsafe { whole_blocks(block, n_blocks) }.and_then(blocks::unslice_in_place))
}

/// # Safety
/// `block` is null or points to `n_blocks` blocks that nothing else uses for `'a`.
unsafe fn whole_blocks<'a>(block: *mut u32, n_blocks: usize) -> Result<&'a mut [u32], Error> {
    let length = n_blocks.checked_mul(super::BLOCK).ok_or(Error::TooLarge { argument: "n_blocks" })?;
    // SAFETY: the caller's contract.
    unsafe { slice_mut(block, length, "block") }
}

/// Gathers single elements from `n_planes` planes.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_gather(
    planes: *const u8,
    n_planes: u32,
    stride: usize,
    indices: *const usize,
    n: usize,
    dst: *mut c_void,
) -> Status {
    let gather = || {
        let count = n_planes as usize;
        single::check_count(count)?;
        // SAFETY: the caller's contract.
        let indices = unsafe { slice(indices, n, "indices") }?;
        let elements = single::check_indices(indices, stride.saturating_mul(8))?;
        let from = Bytes::of(planes, extent(elements, count, stride)?, "planes")?;
        let to = Bytes::of(dst, n.saturating_mul(super::gathered_bytes(count)), "dst")?;
        from.apart(to)?;
        Bytes::of(indices.as_ptr(), size_of_val(indices), "indices")?.apart(to)?;
        // SAFETY: the planes hold every index, and the output is as long as the indices.
        unsafe { single::gather_at(planes, stride, count, indices, dst.cast()) };
        Ok(())
    };
    status(gather())
}

/// Gathers single elements from the blocks or tiles of `n_elems` elements.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_gather_blocks(
    blocks: *const u8,
    n_elems: usize,
    elem_bytes: u32,
    indices: *const usize,
    n: usize,
    layout: u32,
    dst: *mut c_void,
) -> Status {
    let gather = || {
        let (width, layout) = (Width::from_bytes(elem_bytes as usize)?, Layout::from_value(layout)?);
        // SAFETY: the caller's contract.
        let indices = unsafe { slice(indices, n, "indices") }?;
        single::check_indices(indices, n_elems)?;
        let from = Bytes::of(blocks, blocks::len(width, n_elems, layout)?, "blocks")?;
        let to = Bytes::of(dst, n.saturating_mul(width.bytes()), "dst")?;
        from.apart(to)?;
        Bytes::of(indices.as_ptr(), size_of_val(indices), "indices")?.apart(to)?;
        // SAFETY: the caller's contract, and the checks above.
        unsafe { single::gather_blocks_at(width, blocks, layout, indices, dst.cast()) };
        Ok(())
    };
    status(gather())
}

/// Counts the ones at each bit position of the elements.
///
/// # Safety
/// `src` is null or points to the elements; `counts` is null or points to `8 * elem_bytes`
/// integers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_positional_popcount(
    src: *const c_void,
    n_elems: usize,
    elem_bytes: u32,
    counts: *mut u64,
) -> Status {
    let count = || {
        let width = Width::from_bytes(elem_bytes as usize)?;
        let bytes = elements(width, n_elems)?;
        // SAFETY: the caller's contract.
        let counts = unsafe { slice_mut(counts, width.planes(), "counts") }?;
        Bytes::of(src, bytes, "src")?.apart(Bytes::of(counts.as_ptr(), size_of_val(counts), "counts")?)?;
        // SAFETY: the caller's contract.
        unsafe { single::count_ones_at(src.cast(), bytes, counts) };
        Ok(())
    };
    status(count())
}

/// Classifies the planes of a block of `n` elements by their distances.
///
/// # Safety
/// `distances` is null or points to 32 x 32 distances; `code` is null or points to 32 codes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_classify_planes(distances: *const u32, n: usize, code: *mut u16) -> Status {
    let classify = || {
        // SAFETY: the caller's contract.
        let (distances, codes) = unsafe { (slice(distances, 1024, "distances")?, slice_mut(code, 32, "code")?) };
        classes::classify(distances, n, codes)
    };
    status(classify())
}

/// Writes the number of bytes that `hl_bitslice_reduce_planes` keeps of `n_planes` planes of `n`
/// bits.
///
/// # Safety
/// `code` is null or points to `n_planes` codes; `bytes` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_reduced_size(
    n: usize,
    n_planes: u32,
    code: *const u16,
    bytes: *mut usize,
) -> Status {
    let measure = || {
        // SAFETY: the caller's contract.
        let (codes, bytes) = unsafe {
            (slice(code, check_planes(n_planes)?, "code")?, crate::frame::ffi::non_null_mut(bytes, "bytes")?)
        };
        *bytes = classes::reduced_len(n, codes)?;
        Ok(())
    };
    status(measure())
}

/// Stores the planes that must be kept, by their codes, contiguously.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_reduce_planes(
    planes: *const u8,
    n: usize,
    n_planes: u32,
    stride: usize,
    code: *const u16,
    reduced: *mut u8,
    size: usize,
) -> Status {
    let reduce = || {
        // SAFETY: the caller's contract.
        unsafe {
            let codes = slice(code, check_planes(n_planes)?, "code")?;
            let from = Bytes::of(planes, extent(n, codes.len(), stride)?, "planes")?;
            from.apart(Bytes::of(reduced, size, "reduced")?)?;
            classes::reduce(from.as_slice(), n, stride, codes, slice_mut(reduced, size, "reduced")?)
        }
    };
    status(reduce())
}

/// Restores all planes from the bytes that `hl_bitslice_reduce_planes` kept.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_restore_planes(
    reduced: *const u8,
    size: usize,
    n: usize,
    n_planes: u32,
    code: *const u16,
    planes: *mut u8,
    stride: usize,
) -> Status {
    let restore = || {
        // SAFETY: the caller's contract.
        unsafe {
            let codes = slice(code, check_planes(n_planes)?, "code")?;
            let to = Bytes::of(planes, extent(n, codes.len(), stride)?, "planes")?;
            Bytes::of(reduced, size, "reduced")?.apart(to)?;
            classes::restore(slice(reduced, size, "reduced")?, n, codes, slice_mut(planes, to.len(), "planes")?, stride)
        }
    };
    status(restore())
}

/// Checks that there are 1 to 64 planes.
fn check_planes(n_planes: u32) -> Result<usize, Error> {
    single::check_count(n_planes as usize).map(|()| n_planes as usize)
}

/// Writes the three planes of a sequence of letters A C G T U N.
///
/// # Safety
/// Every pointer is null or points to as many values as the arguments say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_encode_dna(
    letters: *const u8,
    n: usize,
    planes: *mut u8,
    stride: usize,
) -> Status {
    let encode = || {
        let to = Bytes::of(planes, extent(n, dna::PLANES, stride)?, "planes")?;
        Bytes::of(letters, n, "letters")?.apart(to)?;
        // SAFETY: the caller's contract.
        unsafe { dna::encode(slice(letters, n, "letters")?, slice_mut(planes, to.len(), "planes")?, stride) }
    };
    status(encode())
}

/// Writes the letters of three planes.
///
/// # Safety
/// Same as for [`hl_bitslice_encode_dna`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_bitslice_decode_dna(
    planes: *const u8,
    n: usize,
    stride: usize,
    letters: *mut u8,
) -> Status {
    let decode = || {
        let from = Bytes::of(planes, extent(n, dna::PLANES, stride)?, "planes")?;
        from.apart(Bytes::of(letters, n, "letters")?)?;
        // SAFETY: the caller's contract.
        unsafe { dna::decode(from.as_slice(), stride, slice_mut(letters, n, "letters")?) }
    };
    status(decode())
}
