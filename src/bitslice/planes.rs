//! Planes as rows of any length, a stride apart.

use core::mem::MaybeUninit;

use super::element::{Element, Place, Width, slice_chunks, unslice_chunks};
use super::{CHUNK, Layout, cut_tile, join_tile, tile_u8, untile_u8};
use crate::error::Error;
use crate::error::{self, at_least};

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
    let (chunks, bytes, unit) = (n / CHUNK, width.bytes(), unit(width));
    // SAFETY: whole chunks; then units of the rest, the last one from a zero-padded copy.
    unsafe {
        slice_chunks(width, src, chunks, planes, Place { layout: Layout::Rows2048, stride });
        for first in (chunks * CHUNK..n).step_by(unit) {
            let count = unit.min(n - first);
            let (mut elements, mut tiles) = (Unit::uninit(), Unit::uninit());
            let (padded, tiles) = (elements.as_mut_ptr().cast::<u8>(), tiles.as_mut_ptr().cast::<u8>());
            let mut src = src.add(first * bytes);
            if count < unit {
                padded.write_bytes(0, unit * bytes);
                padded.copy_from_nonoverlapping(src, count * bytes);
                src = padded;
            }
            match width {
                Width::One => tile_u8(src, 1, tiles, TILE),
                _ => cut_tile(src, bytes, tiles),
            }
            for at in (0..count.div_ceil(8)).step_by(8) {
                let (octets, planes) = (count.div_ceil(8) - at, planes.add(first / 8 + at));
                copy_words(octets.min(8), width.planes(), tiles.add(8 * at), 8, planes, stride);
            }
        }
    }
}

/// # Safety
/// The bytes of the planes are readable; `dst` points to `n` writable elements, at any alignment;
/// they do not overlap.
pub(super) unsafe fn unslice_at(width: Width, planes: *const u8, stride: usize, n: usize, dst: *mut u8) {
    let (chunks, bytes, unit) = (n / CHUNK, width.bytes(), unit(width));
    // SAFETY: whole chunks; then units of the rest, the last one by way of a copy.
    unsafe {
        unslice_chunks(width, planes, Place { layout: Layout::Rows2048, stride }, chunks, dst);
        for first in (chunks * CHUNK..n).step_by(unit) {
            let count = unit.min(n - first);
            let (mut elements, mut tiles) = (Unit::uninit(), Unit::uninit());
            let (whole, tiles) = (elements.as_mut_ptr().cast::<u8>(), tiles.as_mut_ptr().cast::<u8>());
            tiles.write_bytes(0, unit * bytes);
            for at in (0..count.div_ceil(8)).step_by(8) {
                let (octets, planes) = (count.div_ceil(8) - at, planes.add(first / 8 + at));
                copy_words(octets.min(8), width.planes(), planes, stride, tiles.add(8 * at), 8);
            }
            let dst = dst.add(first * bytes);
            let to = if count < unit { whole } else { dst };
            match width {
                Width::One => untile_u8(tiles, TILE, 1, to),
                _ => join_tile(tiles, bytes, to),
            }
            if count < unit {
                dst.copy_from_nonoverlapping(whole, count * bytes);
            }
        }
    }
}

/// Elements of a tile.
const TILE: usize = 64;

/// Room for a tile of the widest elements, or for a chunk of bytes.
type Unit = MaybeUninit<[u8; TILE * 8]>;

/// Elements that are converted at once past the last whole chunk: a tile, or a chunk of bytes.
fn unit(width: Width) -> usize {
    if width == Width::One { CHUNK } else { TILE }
}

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
