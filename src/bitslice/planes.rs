//! Planes as rows of any length, a stride apart.

use super::element::{Element, Place, Width, slice_chunks, unslice_chunks};
use super::{CHUNK, Layout};
use crate::error::Error;
use crate::error::{self, at_least};

/// Bytes of a chunk in each plane.
const PIECE: usize = CHUNK / 8;
/// Bytes of a chunk of the widest elements, and of its planes.
const SCRATCH: usize = CHUNK * 8;

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
    let (chunks, rest) = (n / CHUNK, n % CHUNK);
    // SAFETY: whole chunks; then the rest, copied to a zero-padded chunk, and its planes.
    unsafe {
        slice_chunks(width, src, chunks, planes, Place { layout: Layout::Rows2048, stride });
        if rest > 0 {
            let (mut elements, mut pieces) = ([0u8; SCRATCH], [0u8; SCRATCH]);
            let bytes = rest * width.bytes();
            elements.as_mut_ptr().copy_from_nonoverlapping(src.add(chunks * CHUNK * width.bytes()), bytes);
            slice_chunks(width, elements.as_ptr(), 1, pieces.as_mut_ptr(), PIECES);
            for (j, piece) in pieces.chunks_exact(PIECE).take(width.planes()).enumerate() {
                let plane = planes.add(j * stride + chunks * PIECE);
                plane.copy_from_nonoverlapping(piece.as_ptr(), rest.div_ceil(8));
            }
        }
    }
}

/// # Safety
/// The bytes of the planes are readable; `dst` points to `n` writable elements, at any alignment;
/// they do not overlap.
pub(super) unsafe fn unslice_at(width: Width, planes: *const u8, stride: usize, n: usize, dst: *mut u8) {
    let (chunks, rest) = (n / CHUNK, n % CHUNK);
    // SAFETY: whole chunks; then the planes of the rest, copied to zero-padded ones, and its
    // elements.
    unsafe {
        unslice_chunks(width, planes, Place { layout: Layout::Rows2048, stride }, chunks, dst);
        if rest > 0 {
            let (mut elements, mut pieces) = ([0u8; SCRATCH], [0u8; SCRATCH]);
            for (j, piece) in pieces.chunks_exact_mut(PIECE).take(width.planes()).enumerate() {
                let plane = planes.add(j * stride + chunks * PIECE);
                piece.as_mut_ptr().copy_from_nonoverlapping(plane, rest.div_ceil(8));
            }
            unslice_chunks(width, pieces.as_ptr(), PIECES, 1, elements.as_mut_ptr());
            let bytes = rest * width.bytes();
            dst.add(chunks * CHUNK * width.bytes()).copy_from_nonoverlapping(elements.as_ptr(), bytes);
        }
    }
}

/// The place of the planes of a single chunk.
const PIECES: Place = Place { layout: Layout::Rows2048, stride: PIECE };
