//! Bit planes of `u32`, as [`hotloops::bitslice`] defines them.
//!
//! | function | result of |
//! |---|---|
//! | [`Slicer::slice`], [`Slicer::unslice`] | [`hotloops::bitslice::slice`], [`hotloops::bitslice::unslice`] |
//! | [`Slicer::count_ones`] | [`hotloops::bitslice::count_ones`] |
//! | [`Slicer::distances`] | [`hotloops::hamming::slices_distance`], of many blocks |
//!
//! # Source
//! Kuznetsov, Tolstoy, ["SSE2 vs CUDA in parallel bit stream transposition /
//! similarity"](http://bitmagic.io/bmcudasse2.html) (2009): the CUDA program of the article.

use hotloops::bitslice::BLOCK;

use crate::error::Error;
use crate::queue::{Kernel, Queue, arguments};

pub(crate) const SOURCE: &str = include_str!("../kernels/bits.cl");

/// Elements of a launch at most: 64 MiB.
const PIECE: usize = 1 << 24;
/// Items of a group.
const GROUP: usize = 64;

/// Slices on a device.
pub struct Slicer<'q> {
    queue: &'q Queue,
    slice: Kernel,
    unslice: Kernel,
    ones: Kernel,
    distances: Kernel,
}

impl<'q> Slicer<'q> {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// Fails if the driver does.
    pub fn new(queue: &'q Queue) -> Result<Self, Error> {
        let program = queue.program(SOURCE, "")?;
        let kernel = |name| queue.kernel(&program, name);
        Ok(Slicer {
            queue,
            slice: kernel("slice_u32")?,
            unslice: kernel("unslice_u32")?,
            ones: kernel("count_ones_u32")?,
            distances: kernel("slices_distance")?,
        })
    }

    /// Slices `elements` into 32 planes, `stride` bytes apart. Bytes between planes are not written.
    ///
    /// # Errors
    /// Fails with the errors of [`hotloops::bitslice::slice`], and if the device does.
    pub fn slice(&self, elements: &[u32], planes: &mut [u8], stride: usize) -> Result<(), Error> {
        check(elements.len(), planes.len(), stride)?;
        for (first, piece) in (0..).step_by(PIECE / 8).zip(elements.chunks(PIECE)) {
            let words = piece.len().div_ceil(32);
            let (mut from, to) = (self.queue.buffer::<u32>(32 * words)?, self.queue.buffer::<u32>(32 * words)?);
            self.queue.write(&mut from, 0, piece)?;
            self.queue.write(&mut from, piece.len(), &[0; 31][..32 * words - piece.len()])?;
            // SAFETY: there are 32 elements for each word, and 32 planes of words.
            unsafe {
                let given = arguments![&from, &to, words as u32];
                self.queue.launch(&self.slice, &[words.div_ceil(GROUP)], &[GROUP], &given)?;
            }
            let found = self.queue.download(&to)?;
            for (b, plane) in found.chunks(words).enumerate() {
                let to = &mut planes[b * stride + first..][..piece.len().div_ceil(8)];
                to.chunks_mut(4).zip(plane).for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()[..to.len()]));
            }
        }
        Ok(())
    }

    /// Puts elements together from 32 planes, `stride` bytes apart.
    ///
    /// # Errors
    /// Fails with the errors of [`hotloops::bitslice::unslice`], and if the device does.
    pub fn unslice(&self, planes: &[u8], stride: usize, elements: &mut [u32]) -> Result<(), Error> {
        check(elements.len(), planes.len(), stride)?;
        for (first, piece) in (0..).step_by(PIECE / 8).zip(elements.chunks_mut(PIECE)) {
            let words = piece.len().div_ceil(32);
            let mut all = vec![0; 32 * words];
            for (b, plane) in all.chunks_mut(words).enumerate() {
                let from = &planes[b * stride + first..][..piece.len().div_ceil(8)];
                for (word, bytes) in plane.iter_mut().zip(from.chunks(4)) {
                    let mut whole = [0; 4];
                    whole[..bytes.len()].copy_from_slice(bytes);
                    *word = u32::from_le_bytes(whole);
                }
            }
            let (from, to) = (self.queue.upload(&all)?, self.queue.buffer::<u32>(32 * words)?);
            // SAFETY: there are 32 elements for each word, and 32 planes of words.
            unsafe {
                let given = arguments![&from, &to, words as u32];
                self.queue.launch(&self.unslice, &[words.div_ceil(GROUP)], &[GROUP], &given)?;
            }
            self.queue.read(&to, 0, piece)?;
        }
        Ok(())
    }

    /// The number of ones of each of the 32 planes of `elements`.
    ///
    /// # Errors
    /// Fails if the device does.
    pub fn count_ones(&self, elements: &[u32]) -> Result<[u64; 32], Error> {
        let mut counts = [0; 32];
        for piece in elements.chunks(PIECE) {
            let (from, sums) = (self.queue.upload(piece)?, self.queue.zeros::<u32>(32)?);
            // SAFETY: an item reads its elements below `n`; there are 32 counts.
            unsafe {
                let given = arguments![&from, &sums, piece.len() as u32];
                self.queue.launch(&self.ones, &[piece.len().div_ceil(32 * GROUP)], &[GROUP], &given)?;
            }
            counts.iter_mut().zip(self.queue.download(&sums)?).for_each(|(count, sum)| *count += u64::from(sum));
        }
        Ok(counts)
    }

    /// The distances of the 32 planes of each block of 2048 elements: entry (i, j) of the 32 x 32 of a block is the
    /// distance of planes i < j, the diagonal counts ones, and entries below it are not written.
    ///
    /// # Errors
    /// Fails if the elements are no whole number of blocks, if there are not 1024 distances a block, and if the
    /// device fails.
    pub fn distances(&self, elements: &[u32], distances: &mut [u32]) -> Result<(), Error> {
        if !elements.len().is_multiple_of(BLOCK) {
            let why = format!("{} elements are no whole number of blocks of {BLOCK}", elements.len());
            return Err(Error::argument("elements", why));
        }
        if distances.len() != elements.len() / 2 {
            let why = format!("{} distances; {} blocks have 1024 each", distances.len(), elements.len() / BLOCK);
            return Err(Error::argument("distances", why));
        }
        for (piece, distances) in elements.chunks(PIECE).zip(distances.chunks_mut(PIECE / 2)) {
            let (from, to) = (self.queue.upload(piece)?, self.queue.buffer::<u32>(distances.len())?);
            // SAFETY: a group has a block of elements and 1024 distances.
            unsafe {
                self.queue.launch(&self.distances, &[piece.len() / BLOCK], &[GROUP], &arguments![&from, &to])?;
            }
            let found = self.queue.download(&to)?;
            for (i, (to, found)) in distances.chunks_mut(32).zip(found.chunks(32)).enumerate() {
                to[i % 32..].copy_from_slice(&found[i % 32..]);
            }
        }
        Ok(())
    }
}

/// The checks of the library.
fn check(n: usize, planes: usize, stride: usize) -> Result<(), Error> {
    let row = n.div_ceil(8);
    if n > 0 && stride < row {
        return Err(hotloops::Error::Stride { argument: "stride", min: row, found: stride }.into());
    }
    let needed = if n == 0 { Some(0) } else { stride.checked_mul(31).and_then(|last| last.checked_add(row)) };
    match needed {
        Some(needed) if needed <= planes => Ok(()),
        _ => Err(hotloops::Error::Length { argument: "planes", expected: needed.unwrap_or(usize::MAX), found: planes }
            .into()),
    }
}

/// Compares all kernels with the library's on a few blocks.
pub(crate) fn self_test(queue: &Queue) -> Result<bool, Error> {
    let elements: Vec<u32> = (0..2 * BLOCK as u32).map(|i| i.wrapping_mul(0x9e37_79b9) ^ i >> 3).collect();
    let slicer = Slicer::new(queue)?;
    let some = &elements[..BLOCK + 77];
    let stride = some.len().div_ceil(8);
    let (mut planes, mut expected) = (vec![0; 32 * stride], vec![0; 32 * stride]);
    slicer.slice(some, &mut planes, stride)?;
    hotloops::bitslice::slice(some, &mut expected, stride)?;
    let mut back = vec![0; some.len()];
    slicer.unslice(&expected, stride, &mut back)?;
    let (mut distances, mut wanted) = (vec![0; 2048], vec![0; 2048]);
    slicer.distances(&elements, &mut distances)?;
    for (block, wanted) in elements.chunks(BLOCK).zip(wanted.chunks_mut(1024)) {
        hotloops::hamming::slices_distance(block, wanted)?;
    }
    let ones = slicer.count_ones(some)?;
    let mut counted = [0; 32];
    hotloops::bitslice::count_ones(some, &mut counted)?;
    Ok(planes == expected && back == some && distances == wanted && ones == counted)
}
