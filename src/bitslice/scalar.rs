//! The reference: 8 bits of 8 elements at a time.

use super::CHUNK;

/// The bits of an 8 x 8 matrix exchanged across its diagonal; row i is byte i, column j its bit j.
fn transpose(mut x: u64) -> u64 {
    for (mask, shift) in [(0x00aa_00aa_00aa_00aa, 7), (0x0000_cccc_0000_cccc, 14), (0x0000_0000_f0f0_f0f0, 28)] {
        let differ = (x ^ x >> shift) & mask;
        x ^= differ ^ differ << shift;
    }
    x
}

/// Where this machine keeps the byte of bits `8 byte ..` of an element.
fn in_memory<const BYTES: usize>(byte: usize) -> usize {
    if cfg!(target_endian = "big") { BYTES - 1 - byte } else { byte }
}

/// Slices `chunks` times 512 elements of `BYTES` bytes; `place(j, octet)` is where the 8 bits of plane j of elements
/// `8 octet ..` go.
///
/// # Safety
/// The elements are readable, the places writable.
unsafe fn slice<const BYTES: usize>(src: *const u8, chunks: usize, place: impl Fn(usize, usize) -> *mut u8) {
    for octet in 0..chunks * CHUNK / 8 {
        for byte in 0..BYTES {
            // SAFETY: an element of the source.
            let element = |i: usize| unsafe { src.add((8 * octet + i) * BYTES + in_memory::<BYTES>(byte)).read() };
            let bits = transpose(u64::from_le_bytes(core::array::from_fn(element)));
            for (j, bits) in bits.to_le_bytes().into_iter().enumerate() {
                // SAFETY: the caller's contract.
                unsafe { place(8 * byte + j, octet).write(bits) }
            }
        }
    }
}

/// The inverse of [`slice`].
///
/// # Safety
/// The places are readable, the elements writable.
unsafe fn unslice<const BYTES: usize>(place: impl Fn(usize, usize) -> *const u8, chunks: usize, dst: *mut u8) {
    for octet in 0..chunks * CHUNK / 8 {
        for byte in 0..BYTES {
            // SAFETY: the caller's contract.
            let plane = |j: usize| unsafe { place(8 * byte + j, octet).read() };
            let bytes = transpose(u64::from_le_bytes(core::array::from_fn(plane)));
            for (i, value) in bytes.to_le_bytes().into_iter().enumerate() {
                // SAFETY: an element of the destination.
                unsafe { dst.add((8 * octet + i) * BYTES + in_memory::<BYTES>(byte)).write(value) }
            }
        }
    }
}

/// Where the bits of plane j of elements `8 octet ..` are in tiles.
fn in_tile(j: usize, octet: usize, stride: usize) -> usize {
    octet / 8 * stride + 8 * j + octet % 8
}

pub unsafe extern "C" fn slice_u8(src: *const u8, chunks: usize, planes: *mut u8, stride: usize) {
    // SAFETY: the caller's contract.
    unsafe { slice::<1>(src, chunks, |j, octet| planes.add(j * stride + octet)) }
}

pub unsafe extern "C" fn unslice_u8(planes: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
    // SAFETY: the caller's contract.
    unsafe { unslice::<1>(|j, octet| planes.add(j * stride + octet), chunks, dst) }
}

pub unsafe extern "C" fn tile_u8(src: *const u8, chunks: usize, tiles: *mut u8, stride: usize) {
    // SAFETY: the caller's contract.
    unsafe { slice::<1>(src, chunks, |j, octet| tiles.add(in_tile(j, octet, stride))) }
}

pub unsafe extern "C" fn untile_u8(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
    // SAFETY: the caller's contract.
    unsafe { unslice::<1>(|j, octet| tiles.add(in_tile(j, octet, stride)), chunks, dst) }
}

pub unsafe extern "C" fn slice_u32(src: *const u32, chunks: usize, planes: *mut u8, stride: usize) {
    // SAFETY: the caller's contract.
    unsafe { slice::<4>(src.cast(), chunks, |j, octet| planes.add(j * stride + octet)) }
}

pub unsafe extern "C" fn unslice_u32(planes: *const u8, stride: usize, chunks: usize, dst: *mut u32) {
    // SAFETY: the caller's contract.
    unsafe { unslice::<4>(|j, octet| planes.add(j * stride + octet), chunks, dst.cast()) }
}

pub unsafe extern "C" fn tile_u32(src: *const u32, chunks: usize, tiles: *mut u8, stride: usize) {
    // SAFETY: the caller's contract.
    unsafe { slice::<4>(src.cast(), chunks, |j, octet| tiles.add(in_tile(j, octet, stride))) }
}

pub unsafe extern "C" fn untile_u32(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u32) {
    // SAFETY: the caller's contract.
    unsafe { unslice::<4>(|j, octet| tiles.add(in_tile(j, octet, stride)), chunks, dst.cast()) }
}

pub unsafe extern "C" fn transpose_u64x32x32(src: *const u64, dst: *mut u64) {
    for i in 0..32 {
        for j in 0..32 {
            // SAFETY: the caller's contract.
            unsafe { dst.add(32 * j + i).write_unaligned(src.add(32 * i + j).read_unaligned()) }
        }
    }
}

pub unsafe extern "C" fn pick(
    planes: *const u8,
    stride: usize,
    count: usize,
    block_bits: usize,
    block_stride: usize,
    indices: *const usize,
    n: usize,
    out: *mut u8,
) {
    let bytes = super::gathered_bytes(count);
    for i in 0..n {
        // SAFETY: the caller's contract, here and below.
        let index = unsafe { indices.add(i).read_unaligned() };
        let place = index & ((1 << block_bits) - 1);
        let column = unsafe { planes.add((index >> block_bits) * block_stride + place / 8) };
        let bit = |j: usize| u64::from(unsafe { column.add(j * stride).read() } >> (place % 8) & 1) << j;
        let element = (0..count).fold(0, |element, j| element | bit(j));
        unsafe {
            match bytes {
                1 => out.add(i).write(element as u8),
                2 => out.cast::<u16>().add(i).write_unaligned(element as u16),
                4 => out.cast::<u32>().add(i).write_unaligned(element as u32),
                _ => out.cast::<u64>().add(i).write_unaligned(element),
            }
        }
    }
}

pub unsafe extern "C" fn count_positions(src: *const u64, n: usize, counts: *mut u64) {
    for i in 0..n {
        // SAFETY: the caller's contract, here and below.
        let word = unsafe { src.add(i).read_unaligned() };
        for j in 0..64 {
            let count = unsafe { counts.add(j) };
            unsafe { count.write_unaligned(count.read_unaligned().wrapping_add(word >> j & 1)) }
        }
    }
}

pub unsafe extern "C" fn stream(src: *const u8, dst: *mut u8, n: usize) {
    // SAFETY: the caller's contract.
    unsafe { src.copy_to_nonoverlapping(dst, n) }
}
