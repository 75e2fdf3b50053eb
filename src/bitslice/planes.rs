//! Planes as rows of any length, a stride apart.

use core::mem::MaybeUninit;

use super::element::{Element, Place, Width, slice_chunks, unslice_chunks};
use super::{CHUNK, Layout, cut_tile, join_tile};
use crate::frame::error::Error;
use crate::frame::error::{self, at_least};

/// Cuts `src` into its planes: bit i of byte o of plane j, `planes[j * stride + o]`, is bit j of
/// `src[8 o + i]`.
///
/// There is a plane for each bit of `T`, of `src.len().div_ceil(8)` bytes. The unused high bits of
/// its last byte are set to 0. Bytes between planes are not written. The order of bits and bytes is
/// the same on every machine.
///
/// ```
/// let mut planes = [0xaa; 8 * 2];
/// hotloops::bitslice::slice(&[1u8, 3, 0x83], &mut planes, 2)?;
/// assert_eq!(planes[..4], [0b111, 0xaa, 0b110, 0xaa]);
/// assert_eq!(planes[14], 0b100);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Stride`] if a plane is longer than `stride`, [`Error::Length`] if `planes` is too
/// short.
pub fn slice<T: Element>(src: &[T], planes: &mut [u8], stride: usize) -> Result<(), Error> {
    let needed = extent(src.len(), T::WIDTH.planes(), stride)?;
    at_least("planes", needed, planes.len())?;
    // SAFETY: a slice of elements, planes of the length just checked.
    unsafe { slice_at(T::WIDTH, src.as_ptr().cast(), src.len(), planes.as_mut_ptr(), stride) };
    Ok(())
}

/// Puts elements together from their planes: the inverse of [`slice()`].
///
/// Bits of a plane's last byte past the last element are ignored.
///
/// # Errors
/// [`Error::Stride`] if a plane is longer than `stride`, [`Error::Length`] if `planes` is too
/// short.
pub fn unslice<T: Element>(planes: &[u8], stride: usize, dst: &mut [T]) -> Result<(), Error> {
    let needed = extent(dst.len(), T::WIDTH.planes(), stride)?;
    at_least("planes", needed, planes.len())?;
    // SAFETY: planes of the length just checked, a slice of elements; any bits are an element.
    unsafe { unslice_at(T::WIDTH, planes.as_ptr(), stride, dst.len(), dst.as_mut_ptr().cast()) };
    Ok(())
}

/// Bytes from the start of the first plane to the end of the last. Each plane has `n` bits.
pub(super) fn extent(n: usize, planes: usize, stride: usize) -> Result<usize, Error> {
    error::extent("stride", planes, n.div_ceil(8), stride)
}

/// # Safety
/// `src` points to `n` readable elements, at any alignment; the bytes of the planes are writable
/// and do not overlap them.
pub(super) unsafe fn slice_at(width: Width, src: *const u8, n: usize, planes: *mut u8, stride: usize) {
    let (chunks, bytes) = (n / CHUNK, width.bytes());
    // SAFETY: whole chunks; then tiles, the last one from a zero-padded copy.
    unsafe {
        slice_chunks(width, src, chunks, planes, Place { layout: Layout::Rows2048, stride });
        for first in (chunks * CHUNK..n).step_by(TILE) {
            let count = TILE.min(n - first);
            let (mut elements, mut tile) = (Tile::uninit(), Tile::uninit());
            let (padded, tile) = (elements.as_mut_ptr().cast::<u8>(), tile.as_mut_ptr().cast::<u8>());
            let mut src = src.add(first * bytes);
            if count < TILE {
                padded.copy_from_nonoverlapping(src, count * bytes);
                padded.add(count * bytes).write_bytes(0, (TILE - count) * bytes);
                src = padded;
            }
            cut_tile(src, bytes, tile);
            copy_words(count.div_ceil(8), width.planes(), tile, 8, planes.add(first / 8), stride);
        }
    }
}

/// # Safety
/// The bytes of the planes are readable; `dst` points to `n` writable elements, at any alignment;
/// they do not overlap.
pub(super) unsafe fn unslice_at(width: Width, planes: *const u8, stride: usize, n: usize, dst: *mut u8) {
    let (chunks, bytes) = (n / CHUNK, width.bytes());
    // SAFETY: whole chunks; then tiles, the last one by way of a copy. All tiles are copied before
    // they are read: a vector that was just written as words would stall.
    unsafe {
        unslice_chunks(width, planes, Place { layout: Layout::Rows2048, stride }, chunks, dst);
        let (mut elements, mut tiles) = (Tile::uninit(), [Tile::uninit(); CHUNK / TILE]);
        let firsts = || (chunks * CHUNK..n).step_by(TILE);
        for (first, tile) in firsts().zip(&mut tiles) {
            let (octets, tile) = (TILE.min(n - first).div_ceil(8), tile.as_mut_ptr().cast::<u8>());
            if octets < 8 {
                tile.write_bytes(0, TILE * bytes);
            }
            copy_words(octets, width.planes(), planes.add(first / 8), stride, tile, 8);
        }
        for (first, tile) in firsts().zip(&tiles) {
            let (count, tile, dst) = (TILE.min(n - first), tile.as_ptr().cast(), dst.add(first * bytes));
            if count == TILE {
                join_tile(tile, bytes, dst);
            } else {
                join_tile(tile, bytes, elements.as_mut_ptr().cast());
                dst.copy_from_nonoverlapping(elements.as_ptr().cast(), count * bytes);
            }
        }
    }
}

/// Elements of a tile.
const TILE: usize = 64;

/// Room for a tile of the widest elements.
type Tile = MaybeUninit<[u8; TILE * 8]>;

/// Copies `bytes` bytes (1 to 8) `count` times, from stride to stride.
///
/// # Safety
/// These bytes are readable and writable; they do not overlap.
unsafe fn copy_words(bytes: usize, count: usize, from: *const u8, from_stride: usize, to: *mut u8, to_stride: usize) {
    /// With a constant number of bytes, a copy is one or two moves.
    unsafe fn copy<const BYTES: usize>(count: usize, from: *const u8, from_step: usize, to: *mut u8, to_step: usize) {
        for i in 0..count {
            // SAFETY: the caller's contract.
            unsafe { to.add(i * to_step).copy_from_nonoverlapping(from.add(i * from_step), BYTES) }
        }
    }
    let copy = match bytes {
        1 => copy::<1>,
        2 => copy::<2>,
        3 => copy::<3>,
        4 => copy::<4>,
        5 => copy::<5>,
        6 => copy::<6>,
        7 => copy::<7>,
        _ => copy::<8>,
    };
    // SAFETY: the caller's contract.
    unsafe { copy(count, from, from_stride, to, to_stride) }
}
