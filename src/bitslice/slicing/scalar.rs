//! The reference: 8 bits of 8 elements at a time.

use crate::bitslice::scalar::in_memory;

/// Transposes an 8 x 8 matrix of bits. Row i is byte i, column j is bit j of each byte.
fn transpose(mut x: u64) -> u64 {
    for (mask, shift) in [(0x00aa_00aa_00aa_00aa, 7), (0x0000_cccc_0000_cccc, 14), (0x0000_0000_f0f0_f0f0, 28)] {
        let differ = (x ^ x >> shift) & mask;
        x ^= differ ^ differ << shift;
    }
    x
}

/// Slices 64 `tiles` elements of `BYTES` bytes; `place(j, octet)` is where the 8 bits of
/// plane j of elements `8 octet ..` go.
///
/// # Safety
/// The elements are readable, the places writable.
unsafe fn slice<const BYTES: usize>(src: *const u8, tiles: usize, place: impl Fn(usize, usize) -> *mut u8) {
    for octet in 0..8 * tiles {
        for byte in 0..BYTES {
            // SAFETY: an element of the source.
            let element = |i: usize| unsafe { src.add((8 * octet + i) * BYTES + in_memory(BYTES, byte)).read() };
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
unsafe fn unslice<const BYTES: usize>(place: impl Fn(usize, usize) -> *const u8, tiles: usize, dst: *mut u8) {
    for octet in 0..8 * tiles {
        for byte in 0..BYTES {
            // SAFETY: the caller's contract.
            let plane = |j: usize| unsafe { place(8 * byte + j, octet).read() };
            let bytes = transpose(u64::from_le_bytes(core::array::from_fn(plane)));
            for (i, value) in bytes.to_le_bytes().into_iter().enumerate() {
                // SAFETY: an element of the destination.
                unsafe { dst.add((8 * octet + i) * BYTES + in_memory(BYTES, byte)).write(value) }
            }
        }
    }
}

/// Offset, in tiles, of the bits of plane j of elements `8 octet ..`.
fn in_tile(j: usize, octet: usize, stride: usize) -> usize {
    octet / 8 * stride + 8 * j + octet % 8
}

/// Exports the kernels of an element type.
macro_rules! export_slicings {
    ($element:ty, $slice:ident, $unslice:ident, $tile:ident, $untile:ident) => {
        pub unsafe extern "C" fn $slice(src: *const $element, chunks: usize, planes: *mut u8, stride: usize) {
            // SAFETY: the caller's contract.
            unsafe {
                slice::<{ size_of::<$element>() }>(src.cast(), 8 * chunks, |j, octet| planes.add(j * stride + octet))
            }
        }

        pub unsafe extern "C" fn $unslice(planes: *const u8, stride: usize, chunks: usize, dst: *mut $element) {
            // SAFETY: the caller's contract.
            unsafe {
                unslice::<{ size_of::<$element>() }>(|j, octet| planes.add(j * stride + octet), 8 * chunks, dst.cast())
            }
        }

        pub unsafe extern "C" fn $tile(src: *const $element, chunks: usize, tiles: *mut u8, stride: usize) {
            let place = |j, octet| tiles.wrapping_add(in_tile(j, octet, stride));
            // SAFETY: the caller's contract.
            unsafe { slice::<{ size_of::<$element>() }>(src.cast(), 8 * chunks, place) }
        }

        pub unsafe extern "C" fn $untile(tiles: *const u8, stride: usize, chunks: usize, dst: *mut $element) {
            let place = |j, octet| tiles.wrapping_add(in_tile(j, octet, stride));
            // SAFETY: the caller's contract.
            unsafe { unslice::<{ size_of::<$element>() }>(place, 8 * chunks, dst.cast()) }
        }
    };
}

export_slicings! { u8, slice_u8, unslice_u8, tile_u8, untile_u8 }
export_slicings! { u16, slice_u16, unslice_u16, tile_u16, untile_u16 }
export_slicings! { u32, slice_u32, unslice_u32, tile_u32, untile_u32 }
export_slicings! { u64, slice_u64, unslice_u64, tile_u64, untile_u64 }

pub unsafe extern "C" fn cut_tile(src: *const u8, bytes: usize, tile: *mut u8) {
    let place = |j, octet| tile.wrapping_add(in_tile(j, octet, 0));
    // SAFETY: the caller's contract.
    unsafe {
        match bytes {
            1 => slice::<1>(src, 1, place),
            2 => slice::<2>(src, 1, place),
            4 => slice::<4>(src, 1, place),
            _ => slice::<8>(src, 1, place),
        }
    }
}

pub unsafe extern "C" fn join_tile(tile: *const u8, bytes: usize, dst: *mut u8) {
    let place = |j, octet| tile.wrapping_add(in_tile(j, octet, 0));
    // SAFETY: the caller's contract.
    unsafe {
        match bytes {
            1 => unslice::<1>(place, 1, dst),
            2 => unslice::<2>(place, 1, dst),
            4 => unslice::<4>(place, 1, dst),
            _ => unslice::<8>(place, 1, dst),
        }
    }
}
