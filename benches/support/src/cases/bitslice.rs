//! Blocks of 2048 elements in the L1 cache.

use super::*;
use hotloops::bitslice as kernels;
use hotloops::bitslice::CHUNK;

const BLOCK: usize = 2048;

fn bytes(n: usize) -> Vec<u8> {
    words(n).iter().map(|&word| (word >> 24) as u8).collect()
}

/// The cases of an element type.
macro_rules! cases_of_slicing {
    ($element:ty, $slice:ident, $unslice:ident, $tile:ident, $untile:ident) => {
        pub fn $slice(function: kernels::$slice::Function) -> Work {
            sliced::<$element>(BLOCK / 8, function)
        }

        pub fn $unslice(function: kernels::$unslice::Function) -> Work {
            joined::<$element>(BLOCK / 8, function)
        }

        pub fn $tile(function: kernels::$tile::Function) -> Work {
            sliced::<$element>(64 * size_of::<$element>(), function)
        }

        pub fn $untile(function: kernels::$untile::Function) -> Work {
            joined::<$element>(64 * size_of::<$element>(), function)
        }
    };
}

fn sliced<T: 'static>(stride: usize, function: unsafe extern "C" fn(*const T, usize, *mut u8, usize)) -> Work {
    let (src, mut dst) = (bytes(BLOCK * size_of::<T>()), vec![0u8; BLOCK * size_of::<T>()]);
    // SAFETY: a block, at any alignment, and its planes.
    work("integer", BLOCK, move || unsafe { function(src.as_ptr().cast(), BLOCK / CHUNK, dst.as_mut_ptr(), stride) })
}

fn joined<T: 'static>(stride: usize, function: unsafe extern "C" fn(*const u8, usize, usize, *mut T)) -> Work {
    let (src, mut dst) = (bytes(BLOCK * size_of::<T>()), vec![0u8; BLOCK * size_of::<T>()]);
    // SAFETY: the planes of a block, and room for it at any alignment.
    work("integer", BLOCK, move || unsafe { function(src.as_ptr(), stride, BLOCK / CHUNK, dst.as_mut_ptr().cast()) })
}

cases_of_slicing! { u8, slice_u8, unslice_u8, tile_u8, untile_u8 }
cases_of_slicing! { u16, slice_u16, unslice_u16, tile_u16, untile_u16 }
cases_of_slicing! { u32, slice_u32, unslice_u32, tile_u32, untile_u32 }
cases_of_slicing! { u64, slice_u64, unslice_u64, tile_u64, untile_u64 }

/// Of 64-bit elements.
pub fn cut_tile(function: kernels::cut_tile::Function) -> Work {
    let (src, mut tile) = (bytes(512), vec![0u8; 512]);
    // SAFETY: 64 elements and their tile.
    work("integer", 64, move || unsafe { function(src.as_ptr(), 8, tile.as_mut_ptr()) })
}

pub fn join_tile(function: kernels::join_tile::Function) -> Work {
    cut_tile(function)
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
