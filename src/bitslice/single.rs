//! Gathering of single elements from planes, and counts of ones by bit position.

use super::blocks::{Layout, len};
use super::element::{Element, Place, Width};
use super::planes::extent;
use super::{BLOCK, count_positions, gathered_bytes, pick};
use crate::frame::error::Error;
use crate::frame::error::{at_least, exactly};

/// Gathers elements from planes that [`slice`](super::slice) wrote: `dst[i]` is element
/// `indices[i]`, from the first `count` planes. Its higher bits are 0.
///
/// The time does not depend on the order of the indices or on the bits.
///
/// ```
/// let mut planes = [0; 8];
/// hotloops::bitslice::slice(&[7u8, 65, 200], &mut planes, 1)?;
/// let mut dst = [0u8; 2];
/// hotloops::bitslice::gather_planes(&planes, 8, 1, &[2, 0], &mut dst)?;
/// assert_eq!(dst, [200, 7]);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Planes`] if `T` is not the smallest type that `count` planes fit in, [`Error::Length`]
/// if `dst` is not as long as `indices` or `planes` does not hold `count` planes up to the largest
/// index, [`Error::Index`] for an index that is not less than `8 * stride`.
pub fn gather_planes<T: Element>(
    planes: &[u8],
    count: usize,
    stride: usize,
    indices: &[usize],
    dst: &mut [T],
) -> Result<(), Error> {
    check_count(count)?;
    if gathered_bytes(count) != T::WIDTH.bytes() {
        return Err(Error::Planes { planes: count });
    }
    exactly("dst", indices.len(), dst.len())?;
    let needed = extent(check_indices(indices, stride.saturating_mul(8))?, count, stride)?;
    at_least("planes", needed, planes.len())?;
    // SAFETY: the planes hold every index; `dst` is as long as the indices.
    unsafe { gather_at(planes.as_ptr(), stride, count, indices, dst.as_mut_ptr().cast()) };
    Ok(())
}

pub(super) fn check_count(count: usize) -> Result<(), Error> {
    match count {
        1..=64 => Ok(()),
        _ => Err(Error::Planes { planes: count }),
    }
}

/// The number of elements that these indices require; each index must be less than `count`.
pub(super) fn check_indices(indices: &[usize], count: usize) -> Result<usize, Error> {
    match indices.iter().find(|&&index| index >= count) {
        Some(&index) => Err(Error::Index { argument: "indices", index, count }),
        None => Ok(indices.iter().max().map_or(0, |&index| index + 1)),
    }
}

/// # Safety
/// `count` is 1 to 64, the planes hold every index, and `dst` has room for an element per index.
pub(super) unsafe fn gather_at(planes: *const u8, stride: usize, count: usize, indices: &[usize], dst: *mut u8) {
    const ONE_BLOCK: usize = usize::BITS as usize - 1;
    // SAFETY: the caller's contract; all elements are in one block.
    unsafe { pick(planes, stride, count, ONE_BLOCK, 0, indices.as_ptr(), indices.len(), dst) }
}

/// Gathers elements from the planes of `n` elements that [`slice_blocks`](super::slice_blocks)
/// wrote: `dst[i]` is element `indices[i]`. The vector variants take less than half the time on
/// [`Tiles64`](Layout::Tiles64).
///
/// # Errors
/// [`Error::Length`] if `blocks` does not have the size of `n` elements, or `dst` is not as long as
/// `indices`; [`Error::Index`] for an index that is not less than `n`.
pub fn gather_blocks<T: Element>(
    blocks: &[u8],
    n: usize,
    indices: &[usize],
    layout: Layout,
    dst: &mut [T],
) -> Result<(), Error> {
    let expected = len(T::WIDTH, n, layout)?;
    exactly("blocks", expected, blocks.len())?;
    exactly("dst", indices.len(), dst.len())?;
    check_indices(indices, n)?;
    // SAFETY: whole blocks, indices below `n`, an output as long as the indices.
    unsafe { gather_blocks_at(T::WIDTH, blocks.as_ptr(), layout, indices, dst.as_mut_ptr().cast()) };
    Ok(())
}

/// # Safety
/// The blocks hold every index, and `dst` is as long as the indices.
pub(super) unsafe fn gather_blocks_at(
    width: Width,
    blocks: *const u8,
    layout: Layout,
    indices: &[usize],
    dst: *mut u8,
) {
    let place = Place::of_block(layout, width);
    let (bits, stride, block_stride) = match layout {
        Layout::Rows2048 => (BLOCK.ilog2(), place.stride, BLOCK * width.bytes()),
        Layout::Tiles64 => (6, 8, place.stride),
    };
    // SAFETY: the caller's contract.
    unsafe { pick(blocks, stride, width.planes(), bits as usize, block_stride, indices.as_ptr(), indices.len(), dst) }
}

/// Counts ones by bit position: `counts[j]` is the number of elements whose bit j is 1.
///
/// ```
/// let mut counts = [0; 8];
/// hotloops::bitslice::count_ones(&[1u8, 3, 0x81], &mut counts)?;
/// assert_eq!(counts, [3, 1, 0, 0, 0, 0, 0, 1]);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if `counts` does not have one entry for each bit of `T`.
pub fn count_ones<T: Element>(src: &[T], counts: &mut [u64]) -> Result<(), Error> {
    let expected = T::WIDTH.planes();
    exactly("counts", expected, counts.len())?;
    // SAFETY: a slice of elements.
    unsafe { count_ones_at(src.as_ptr().cast(), size_of_val(src), counts) };
    Ok(())
}

/// # Safety
/// `src` points to `bytes` readable bytes, whole elements of as many bits as there are counts.
pub(super) unsafe fn count_ones_at(src: *const u8, bytes: usize, counts: &mut [u64]) {
    let (mut places, mut last) = ([0; 64], 0u64);
    let (words, rest) = (bytes / 8, bytes % 8);
    // SAFETY: whole words, then the remaining bytes in a zero-padded word.
    unsafe {
        count_positions(src.cast(), words, places.as_mut_ptr());
        (&raw mut last).cast::<u8>().copy_from_nonoverlapping(src.add(8 * words), rest);
        count_positions(&last, 1, places.as_mut_ptr());
    }
    // A word holds whole elements, so bit positions repeat in it.
    counts.fill(0);
    for places in places.chunks_exact(counts.len()) {
        counts.iter_mut().zip(places).for_each(|(count, place)| *count += place);
    }
}
