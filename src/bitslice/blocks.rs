//! Long arrays in blocks of 2048 elements, in rows or in tiles.

use core::mem::MaybeUninit;
use core::sync::atomic::{Ordering::SeqCst, fence};

use super::element::{Element, Place, Width, slice_chunks, unslice_chunks};
use super::{BLOCK, CHUNK, prefetch, stream};
use crate::frame::error::Error;
use crate::frame::error::exactly;

/// How the planes of a long array are arranged. Both layouts hold the same bytes, in different
/// orders. P is the number of planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Layout {
    /// Blocks of 2048 elements, P rows of 256 bytes each: the format of bitshuffle and Blosc at
    /// this block size. A short last block is padded with zeros to its full size.
    Rows2048 = 0,
    /// Tiles of 64 elements, P words of 8 bytes each: bit i of byte o of word j is bit j of element
    /// 8 o + i of the tile. Tiles are written and read in order, and the bits of an element are
    /// close together. A short last tile is padded with zeros to its full size.
    Tiles64 = 1,
}

impl Layout {
    /// Elements per unit. A short last unit is padded to its full size.
    const fn unit(self) -> usize {
        match self {
            Layout::Rows2048 => BLOCK,
            Layout::Tiles64 => 64,
        }
    }
}

/// How large results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Store {
    /// `Stream` for outputs of 16 MiB or more, otherwise `Cached`.
    Auto = 0,
    /// Bypassing the caches: for results that are larger than the last-level cache and are not read
    /// again soon.
    Stream = 1,
    /// Through the caches.
    Cached = 2,
}

/// Size of an output in bytes from which [`Store::Auto`] bypasses the caches.
const STREAM_FROM: usize = 16 << 20;

/// Room for a block of the widest elements.
type Scratch = MaybeUninit<[u8; BLOCK * 8]>;

impl Store {
    fn streams(self, bytes: usize) -> bool {
        self == Store::Stream || self == Store::Auto && bytes >= STREAM_FROM
    }
}

/// Size in bytes of `n` elements of type `T` in `layout`.
///
/// # Errors
/// [`Error::TooLarge`] if the size exceeds `usize::MAX`.
pub fn blocks_len<T: Element>(n: usize, layout: Layout) -> Result<usize, Error> {
    len(T::WIDTH, n, layout)
}

pub(super) fn len(width: Width, n: usize, layout: Layout) -> Result<usize, Error> {
    let elements = n.checked_next_multiple_of(layout.unit());
    elements.and_then(|n| n.checked_mul(width.bytes())).ok_or(Error::TooLarge { argument: "n_elems" })
}

/// Cuts a long array into planes, block by block.
///
/// ```
/// use hotloops::bitslice::{Layout, Store, blocks_len, slice_blocks, unslice_blocks};
///
/// let samples: Vec<u16> = (0..5000).collect();
/// let mut planes = vec![0; blocks_len::<u16>(samples.len(), Layout::Tiles64)?];
/// slice_blocks(&samples, Layout::Tiles64, Store::Auto, &mut planes)?;
/// assert_eq!(planes[..8], [0xaa; 8]);
/// let mut back = vec![0; samples.len()];
/// unslice_blocks(&planes, Layout::Tiles64, Store::Auto, &mut back)?;
/// assert_eq!(back, samples);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if `dst` is not [`blocks_len`] bytes long.
pub fn slice_blocks<T: Element>(src: &[T], layout: Layout, store: Store, dst: &mut [u8]) -> Result<(), Error> {
    let expected = blocks_len::<T>(src.len(), layout)?;
    exactly("dst", expected, dst.len())?;
    // SAFETY: a slice of elements, and as many bytes as they take.
    unsafe { slice_blocks_at(T::WIDTH, src.as_ptr().cast(), src.len(), dst.as_mut_ptr(), layout, store) };
    Ok(())
}

/// Puts a long array together from its planes: the inverse of [`slice_blocks`].
///
/// # Errors
/// [`Error::Length`] if the length of `src` is not the [`blocks_len`] of `dst`.
pub fn unslice_blocks<T: Element>(src: &[u8], layout: Layout, store: Store, dst: &mut [T]) -> Result<(), Error> {
    let expected = blocks_len::<T>(dst.len(), layout)?;
    exactly("src", expected, src.len())?;
    // SAFETY: as many bytes as the elements take; any bits are an element.
    unsafe { unslice_blocks_at(T::WIDTH, src.as_ptr(), dst.len(), dst.as_mut_ptr().cast(), layout, store) };
    Ok(())
}

/// # Safety
/// `src` points to `n` readable elements, at any alignment, `dst` to `len(width, n, layout)`
/// writable bytes; they do not overlap.
pub(super) unsafe fn slice_blocks_at(
    width: Width,
    src: *const u8,
    n: usize,
    dst: *mut u8,
    layout: Layout,
    store: Store,
) {
    let (place, bytes) = (Place::of_block(layout, width), BLOCK * width.bytes());
    let (blocks, rest) = (n / BLOCK, n % BLOCK);
    // SAFETY: whole blocks; then the rest, copied to a zero-padded block, and its planes.
    unsafe {
        if store.streams(n * width.bytes()) {
            stream_blocks(width, src, blocks, dst, place);
        } else {
            for block in 0..blocks {
                slice_chunks(width, src.add(block * bytes), BLOCK / CHUNK, dst.add(block * bytes), place);
            }
        }
        if rest > 0 {
            let (mut elements, mut planes) = (Scratch::zeroed(), Scratch::uninit());
            let (elements, planes) = (elements.as_mut_ptr().cast::<u8>(), planes.as_mut_ptr().cast::<u8>());
            elements.copy_from_nonoverlapping(src.add(blocks * bytes), rest * width.bytes());
            slice_chunks(width, elements, BLOCK / CHUNK, planes, place);
            let used = rest.next_multiple_of(layout.unit()) * width.bytes();
            dst.add(blocks * bytes).copy_from_nonoverlapping(planes, used);
        }
    }
}

/// Slices whole blocks, bypassing the caches. The planes of a block take as many bytes as its
/// elements. Slicing writes `8 * width` rows at once: fast in caches, slow in memory. So each block
/// goes to a scratch first. While a chunk is sliced, a part of the previous block is stored to
/// memory, and a part of the next block is prefetched.
///
/// # Safety
/// `src` points to `blocks` readable blocks, `dst` to as many writable bytes; they do not overlap.
unsafe fn stream_blocks(width: Width, src: *const u8, blocks: usize, dst: *mut u8, place: Place) {
    let mut rooms = [Scratch::uninit(), Scratch::uninit()];
    let rooms = rooms.each_mut().map(|room| room.as_mut_ptr().cast::<u8>());
    const PARTS: usize = BLOCK / CHUNK;
    let part = CHUNK * width.bytes();
    for number in 0..(blocks + 1) * PARTS {
        let (block, chunk) = (number / PARTS, number % PARTS);
        // SAFETY: a chunk of a block, and a part of the planes of the previous block.
        unsafe {
            if block < blocks {
                let src = src.add(number * part);
                prefetch(src.wrapping_add(PARTS * part), part);
                slice_chunks(width, src, 1, rooms[block % 2].add(chunk * place.chunk_step()), place);
            }
            if block > 0 {
                stream(rooms[1 - block % 2].add(chunk * part), dst.add((number - PARTS) * part), part);
            }
        }
    }
    fence(SeqCst);
}

/// # Safety
/// `src` points to `len(width, n, layout)` readable bytes, `dst` to `n` writable elements, at any
/// alignment; they do not overlap.
pub(super) unsafe fn unslice_blocks_at(
    width: Width,
    src: *const u8,
    n: usize,
    dst: *mut u8,
    layout: Layout,
    store: Store,
) {
    let (place, bytes) = (Place::of_block(layout, width), BLOCK * width.bytes());
    let (blocks, rest) = (n / BLOCK, n % BLOCK);
    // SAFETY: whole blocks; then the planes of the rest, copied to a zero-padded block, and its
    // elements.
    unsafe {
        if store.streams(n * width.bytes()) {
            // Reading many rows side by side from memory is slow. So prefetch them in order, a
            // block ahead.
            let part = CHUNK * width.bytes();
            for number in 0..blocks * (BLOCK / CHUNK) {
                let (block, chunk) = (number / (BLOCK / CHUNK), number % (BLOCK / CHUNK));
                prefetch(src.wrapping_add(number * part + bytes), part);
                let planes = src.add(block * bytes + chunk * place.chunk_step());
                unslice_chunks(width, planes, place, 1, dst.add(number * part));
            }
        } else {
            for block in 0..blocks {
                unslice_chunks(width, src.add(block * bytes), place, BLOCK / CHUNK, dst.add(block * bytes));
            }
        }
        if rest > 0 {
            let (mut elements, mut planes) = (Scratch::uninit(), Scratch::zeroed());
            let (elements, planes) = (elements.as_mut_ptr().cast::<u8>(), planes.as_mut_ptr().cast::<u8>());
            let used = rest.next_multiple_of(layout.unit()) * width.bytes();
            planes.copy_from_nonoverlapping(src.add(blocks * bytes), used);
            unslice_chunks(width, planes, place, BLOCK / CHUNK, elements);
            dst.add(blocks * bytes).copy_from_nonoverlapping(elements, rest * width.bytes());
        }
    }
}

/// Replaces each block of 2048 integers by its 32 rows of 256 bytes.
///
/// # Errors
/// [`Error::Length`] if the length is not a multiple of [`BLOCK`].
pub fn slice_in_place(blocks: &mut [u32]) -> Result<(), Error> {
    in_place(blocks, |block, scratch| {
        // SAFETY: a block, and room for its planes.
        unsafe { super::slice_u32(block.as_ptr(), BLOCK / CHUNK, scratch.as_mut_ptr().cast(), 256) }
    })
}

/// Replaces each block of 32 rows of 256 bytes by its 2048 integers.
///
/// # Errors
/// [`Error::Length`] if the length is not a multiple of [`BLOCK`].
pub fn unslice_in_place(blocks: &mut [u32]) -> Result<(), Error> {
    in_place(blocks, |block, scratch| {
        // SAFETY: the planes of a block, and room for its elements.
        unsafe { super::unslice_u32(block.as_ptr().cast(), 256, BLOCK / CHUNK, scratch.as_mut_ptr()) }
    })
}

fn in_place(blocks: &mut [u32], convert: impl Fn(&[u32], &mut [u32; BLOCK])) -> Result<(), Error> {
    let expected = blocks.len() / BLOCK * BLOCK;
    exactly("blocks", expected, blocks.len())?;
    let mut scratch = [0; BLOCK];
    for block in blocks.chunks_exact_mut(BLOCK) {
        convert(block, &mut scratch);
        block.copy_from_slice(&scratch);
    }
    Ok(())
}
