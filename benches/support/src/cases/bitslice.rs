//! Blocks of 2048 elements in the L1 cache.

use super::*;
use hotloops::bitslice::CHUNK;

const BLOCK: usize = 2048;

fn bytes(n: usize) -> Vec<u8> {
    words(n).iter().map(|&word| (word >> 24) as u8).collect()
}

pub fn slice_u8(function: hotloops::bitslice::slice_u8::Function) -> Work {
    let (src, mut dst) = (bytes(BLOCK), vec![0u8; BLOCK]);
    // SAFETY: a block and its planes.
    work("integer", BLOCK, move || unsafe { function(src.as_ptr(), BLOCK / CHUNK, dst.as_mut_ptr(), BLOCK / 8) })
}

pub fn unslice_u8(function: hotloops::bitslice::unslice_u8::Function) -> Work {
    let (src, mut dst) = (bytes(BLOCK), vec![0u8; BLOCK]);
    // SAFETY: a block and its planes.
    work("integer", BLOCK, move || unsafe { function(src.as_ptr(), BLOCK / 8, BLOCK / CHUNK, dst.as_mut_ptr()) })
}

pub fn tile_u8(function: hotloops::bitslice::tile_u8::Function) -> Work {
    let (src, mut dst) = (bytes(BLOCK), vec![0u8; BLOCK]);
    // SAFETY: a block and its tiles.
    work("integer", BLOCK, move || unsafe { function(src.as_ptr(), BLOCK / CHUNK, dst.as_mut_ptr(), 64) })
}

pub fn untile_u8(function: hotloops::bitslice::untile_u8::Function) -> Work {
    let (src, mut dst) = (bytes(BLOCK), vec![0u8; BLOCK]);
    // SAFETY: a block and its tiles.
    work("integer", BLOCK, move || unsafe { function(src.as_ptr(), 64, BLOCK / CHUNK, dst.as_mut_ptr()) })
}

pub fn slice_u32(function: hotloops::bitslice::slice_u32::Function) -> Work {
    let (src, mut dst) = (words(BLOCK), vec![0u8; 4 * BLOCK]);
    // SAFETY: a block and its planes.
    work("integer", BLOCK, move || unsafe { function(src.as_ptr(), BLOCK / CHUNK, dst.as_mut_ptr(), BLOCK / 8) })
}

pub fn unslice_u32(function: hotloops::bitslice::unslice_u32::Function) -> Work {
    let (src, mut dst) = (bytes(4 * BLOCK), vec![0u32; BLOCK]);
    // SAFETY: a block and its planes.
    work("integer", BLOCK, move || unsafe { function(src.as_ptr(), BLOCK / 8, BLOCK / CHUNK, dst.as_mut_ptr()) })
}

pub fn tile_u32(function: hotloops::bitslice::tile_u32::Function) -> Work {
    let (src, mut dst) = (words(BLOCK), vec![0u8; 4 * BLOCK]);
    // SAFETY: a block and its tiles.
    work("integer", BLOCK, move || unsafe { function(src.as_ptr(), BLOCK / CHUNK, dst.as_mut_ptr(), 256) })
}

pub fn untile_u32(function: hotloops::bitslice::untile_u32::Function) -> Work {
    let (src, mut dst) = (bytes(4 * BLOCK), vec![0u32; BLOCK]);
    // SAFETY: a block and its tiles.
    work("integer", BLOCK, move || unsafe { function(src.as_ptr(), 256, BLOCK / CHUNK, dst.as_mut_ptr()) })
}

pub fn transpose_u64x32x32(function: hotloops::bitslice::transpose_u64x32x32::Function) -> Work {
    let (src, mut dst) = (vec![1u64; 1024], vec![0u64; 1024]);
    // SAFETY: 1024 words on both sides.
    work("word", 1024, move || unsafe { function(src.as_ptr(), dst.as_mut_ptr()) })
}

/// From tiles.
pub fn pick(function: hotloops::bitslice::pick::Function) -> Work {
    let (tiles, mut out) = (bytes(4 * BLOCK), vec![0u32; 256]);
    let indices: Vec<usize> = words(256).iter().map(|&word| word as usize % BLOCK).collect();
    // SAFETY: the indices are below 2048.
    work("integer", 256, move || unsafe {
        function(tiles.as_ptr(), 8, 32, 6, 256, indices.as_ptr(), 256, out.as_mut_ptr().cast())
    })
}

pub fn count_positions(function: hotloops::bitslice::count_positions::Function) -> Work {
    let (src, mut counts) = (vec![0x0123_4567_89ab_cdef_u64; 1024], vec![0u64; 64]);
    // SAFETY: 1024 words, 64 counts.
    work("word", 1024, move || unsafe { function(src.as_ptr(), 1024, counts.as_mut_ptr()) })
}

/// Prefetches data that is already in the L1 cache.
pub fn prefetch(function: hotloops::bitslice::prefetch::Function) -> Work {
    let src = bytes(4 * BLOCK);
    // SAFETY: any pointer is legal.
    work("byte", 4 * BLOCK, move || unsafe { function(src.as_ptr(), 4 * BLOCK) })
}

/// More than any cache holds.
pub fn stream(function: hotloops::bitslice::stream::Function) -> Work {
    const N: usize = 64 << 20;
    let (src, mut dst) = (vec![1u8; N], vec![2u8; N]);
    // SAFETY: N bytes on both sides.
    work("byte", N, move || unsafe { function(src.as_ptr(), dst.as_mut_ptr(), N) })
}
