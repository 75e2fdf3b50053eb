use hotloops::bitslice::*;

use super::{alike, noise, word};
use crate::harness::room::Room;
use crate::harness::sizes::{Sizes, Values};

type Cut<T> = unsafe extern "C" fn(*const T, usize, *mut u8, usize);
type Join<T> = unsafe extern "C" fn(*const u8, usize, usize, *mut T);

const CHUNKS: usize = 2;

fn byte(i: isize) -> u8 {
    noise(i) as u8
}

/// The planes of `chunks` chunks, or their tiles, and the stride, which may not be less than a plane.
fn planes(bytes: usize, tiled: bool, chunks: usize, stride: usize) -> Option<(Room<u8>, usize)> {
    let (count, width) = if tiled { (chunks * CHUNK / 64, 64 * bytes) } else { (8 * bytes, chunks * CHUNK / 8) };
    let stride = stride.max(width);
    Some((Room::rows(count, stride as isize, width, byte)?, stride))
}

fn base(bytes: usize, tiled: bool) -> [(&'static str, i64); 2] {
    let stride = if tiled { 64 * bytes } else { CHUNKS * CHUNK / 8 };
    [("chunks", CHUNKS as i64), ("stride", stride as i64 + 3)]
}

fn cut<T: Copy + 'static>(tiled: bool) -> Vec<Sizes<Cut<T>>> {
    let bytes = size_of::<T>();
    let call = move |kernel: Cut<T>, v: &Values| {
        let chunks = v.size("chunks");
        let from = Room::of(chunks * CHUNK * bytes, byte)?;
        let (planes, stride) = planes(bytes, tiled, chunks, v.size("stride"))?;
        // SAFETY: rooms of the sizes that the kernel wants.
        unsafe { kernel(from.ptr().cast(), chunks, planes.ptr(), stride) };
        Some(planes.contents())
    };
    vec![Sizes::new(&base(bytes, tiled), call)]
}

fn join<T: Copy + 'static>(tiled: bool) -> Vec<Sizes<Join<T>>> {
    let bytes = size_of::<T>();
    let call = move |kernel: Join<T>, v: &Values| {
        let chunks = v.size("chunks");
        let (planes, stride) = planes(bytes, tiled, chunks, v.size("stride"))?;
        let to = Room::of(chunks * CHUNK * bytes, byte)?;
        // SAFETY: rooms of the sizes that the kernel wants.
        unsafe { kernel(planes.ptr(), stride, chunks, to.ptr().cast()) };
        Some(to.contents())
    };
    vec![Sizes::new(&base(bytes, tiled), call)]
}

alike! { slice_u8::Function: slice_u8 = cut(false) }
alike! { slice_u16::Function: slice_u16 = cut(false) }
alike! { slice_u32::Function: slice_u32 = cut(false) }
alike! { slice_u64::Function: slice_u64 = cut(false) }
alike! { tile_u8::Function: tile_u8 = cut(true) }
alike! { tile_u16::Function: tile_u16 = cut(true) }
alike! { tile_u32::Function: tile_u32 = cut(true) }
alike! { tile_u64::Function: tile_u64 = cut(true) }
alike! { unslice_u8::Function: unslice_u8 = join(false) }
alike! { unslice_u16::Function: unslice_u16 = join(false) }
alike! { unslice_u32::Function: unslice_u32 = join(false) }
alike! { unslice_u64::Function: unslice_u64 = join(false) }
alike! { untile_u8::Function: untile_u8 = join(true) }
alike! { untile_u16::Function: untile_u16 = join(true) }
alike! { untile_u32::Function: untile_u32 = join(true) }
alike! { untile_u64::Function: untile_u64 = join(true) }

fn converted() -> Vec<Sizes<cut_tile::Function>> {
    let call = |kernel: cut_tile::Function, v: &Values| {
        let bytes = v.size("bytes");
        let (from, to) = (Room::of(64 * bytes, byte)?, Room::of(64 * bytes, |_| 0)?);
        // SAFETY: 64 elements and their tile.
        unsafe { kernel(from.ptr(), bytes, to.ptr()) };
        Some(to.contents())
    };
    vec![Sizes::new(&[("bytes", 2)], call).bound("bytes", 8)]
}
alike! { cut_tile::Function: cut_tile join_tile = converted() }
alike! { transpose_u64x32x32::Function: transpose_u64x32x32 = vec![] }

/// Elements of 5 planes in blocks of 64: in planes anywhere, and in tiles.
pub fn pick() -> Vec<Sizes<pick::Function>> {
    const ELEMENTS: usize = 192;
    let call = |kernel: pick::Function, v: &Values| {
        let [stride, count, bits, block, n] =
            ["stride", "count", "block_bits", "block_stride", "n"].map(|name| v.size(name));
        let places = (0..ELEMENTS).step_by(8).flat_map(|e| {
            let first = (e >> bits) * block + (e & ((1 << bits) - 1)) / 8;
            // The bytes of all 8 planes are readable in tiles.
            (0..count.max(8)).map(move |plane| (first + plane * stride) as isize)
        });
        let planes = Room::new(places.map(|place| place..place + 1), byte)?;
        let indices = Room::of(n, |i| noise(i) as usize % ELEMENTS)?;
        let bytes = count.div_ceil(8).next_power_of_two();
        let to = Room::of(n * bytes, |_| 0u8)?;
        // SAFETY: every index has its planes, and there is room for as many elements.
        unsafe { kernel(planes.ptr(), stride, count, bits, block, indices.ptr(), n, to.ptr()) };
        Some(to.contents())
    };
    let sizes = |stride, block| {
        let base = [("stride", stride), ("count", 5), ("block_bits", 6), ("block_stride", block), ("n", 27)];
        Sizes::new(&base, call).bound("count", 64).bound("block_bits", 63)
    };
    vec![sizes(9, 77), sizes(8, 512)]
}

pub fn count_positions() -> Vec<Sizes<count_positions::Function>> {
    let call = |kernel: count_positions::Function, v: &Values| {
        let n = v.size("n");
        let (from, counts) = (Room::of(n, word)?, Room::of(64, |i| (1 << 32) - 2 + i as u64)?);
        // SAFETY: n words and 64 counts.
        unsafe { kernel(from.ptr(), n, counts.ptr()) };
        Some(counts.contents())
    };
    vec![Sizes::new(&[("n", 7)], call)]
}

pub fn stream() -> Vec<Sizes<stream::Function>> {
    let call = |kernel: stream::Function, v: &Values| {
        let n = v.size("n");
        let (from, to) = (Room::of(n, byte)?, Room::of(n, |_| 0u8)?);
        // SAFETY: n bytes on both sides.
        unsafe { kernel(from.ptr(), to.ptr(), n) };
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        Some(to.contents())
    };
    vec![Sizes::new(&[("n", 7)], call)]
}

/// Only its time depends on `n`; it must end.
pub fn prefetch() -> Vec<Sizes<prefetch::Function>> {
    let call = |kernel: prefetch::Function, v: &Values| {
        let room = Room::of(1, byte)?;
        // SAFETY: any pointer is valid.
        unsafe { kernel(room.ptr(), v.size("n").min(1 << 20)) };
        Some(room.contents())
    };
    vec![Sizes::new(&[("n", 7)], call).unseen("n")]
}
