//! Advanced SIMD.

// An index of a loop is that of a vector of each of the eight bytes.
#![allow(clippy::needless_range_loop)]

use core::arch::aarch64::*;

use crate::frame::isa::neon;

/// A vector of 16 bytes.
///
/// Bit i of an element's number is called e`i`, bit i of a plane's number k`i`. Four vectors hold
/// one byte of each of 64 elements: bits e3 .. e0 number the lanes, e5 e4 the vectors. In planes,
/// bits e6 .. e3 number the lanes; in tiles, bits k0 e5 e4 e3.
type U8x16 = uint8x16_t;

neon! {
    /// Brings e5 and e4 into the lanes; e1 e0 then number the vectors.
    #[inline]
    fn split([a, b, c, d]: [U8x16; 4]) -> [U8x16; 4] {
        let [[a, b], [c, d]] = [[vuzp1q_u8(a, b), vuzp2q_u8(a, b)], [vuzp1q_u8(c, d), vuzp2q_u8(c, d)]];
        [vuzp1q_u8(a, c), vuzp1q_u8(b, d), vuzp2q_u8(a, c), vuzp2q_u8(b, d)]
    }

    /// The inverse of [`split`].
    #[inline]
    fn join([a, b, c, d]: [U8x16; 4]) -> [U8x16; 4] {
        let [a, b, c, d] = [vzip1q_u8(a, c), vzip1q_u8(b, d), vzip2q_u8(a, c), vzip2q_u8(b, d)];
        [vzip1q_u8(a, b), vzip2q_u8(a, b), vzip1q_u8(c, d), vzip2q_u8(c, d)]
    }

    /// Exchanges the bit `N` (1 or 2) of a bit's position in its byte with the number of the
    /// vector. `mask` has ones at the positions where that bit is 0.
    #[inline]
    fn exchange<const N: i32>([a, b]: [U8x16; 2], mask: u8) -> [U8x16; 2] {
        let mask = vdupq_n_u8(mask);
        [vbslq_u8(mask, a, vshlq_n_u8::<N>(b)), vbslq_u8(mask, vshrq_n_u8::<N>(a), b)]
    }

    /// [`exchange`] for bit 4 of the position.
    #[inline]
    fn exchange_halves([a, b]: [U8x16; 2]) -> [U8x16; 2] {
        [vsliq_n_u8::<4>(a, b), vsriq_n_u8::<4>(b, a)]
    }

    /// Exchanges e1 e0 with k1 k0.
    #[inline]
    fn exchange_low([a, b, c, d]: [U8x16; 4]) -> [U8x16; 4] {
        let [[a, b], [c, d]] = [exchange::<1>([a, b], 0x55), exchange::<1>([c, d], 0x55)];
        let [[a, c], [b, d]] = [exchange::<2>([a, c], 0x33), exchange::<2>([b, d], 0x33)];
        [a, b, c, d]
    }

    /// The bit that numbers the two vectors replaces e2 in the lanes, e2 replaces k2 in the bit
    /// position, and k2 then numbers the vectors.
    #[inline]
    fn close(a: U8x16, b: U8x16) -> [U8x16; 2] {
        exchange_halves([vuzp1q_u8(a, b), vuzp2q_u8(a, b)])
    }

    /// The inverse of [`close`].
    #[inline]
    fn open(a: U8x16, b: U8x16) -> [U8x16; 2] {
        let [a, b] = exchange_halves([a, b]);
        [vzip1q_u8(a, b), vzip2q_u8(a, b)]
    }

    /// Loads 64 elements of one byte.
    ///
    /// # Safety
    /// The elements are readable.
    #[inline]
    unsafe fn load_u8(src: *const u8) -> [[U8x16; 4]; 1] {
        // SAFETY: the caller's contract.
        [[0, 16, 32, 48].map(|at| unsafe { vld1q_u8(src.add(at)) })]
    }

    /// The inverse of [`load_u8`].
    ///
    /// # Safety
    /// The elements are writable.
    #[inline]
    unsafe fn store_u8(dst: *mut u8, [bytes]: [[U8x16; 4]; 1]) {
        for (i, bytes) in bytes.into_iter().enumerate() {
            // SAFETY: the caller's contract.
            unsafe { vst1q_u8(dst.add(16 * i), bytes) }
        }
    }

    /// Loads 64 elements of two bytes and separates their bytes.
    ///
    /// # Safety
    /// The elements are readable.
    #[inline]
    unsafe fn load_u16(src: *const u8) -> [[U8x16; 4]; 2] {
        // SAFETY: the caller's contract.
        let [a, b, c, d] = [0, 32, 64, 96].map(|at| unsafe { vld2q_u8(src.add(at)) });
        [[a.0, b.0, c.0, d.0], [a.1, b.1, c.1, d.1]]
    }

    /// The inverse of [`load_u16`].
    ///
    /// # Safety
    /// The elements are writable.
    #[inline]
    unsafe fn store_u16(dst: *mut u8, [a, b]: [[U8x16; 4]; 2]) {
        for (i, a) in a.into_iter().enumerate() {
            // SAFETY: the caller's contract.
            unsafe { vst2q_u8(dst.add(32 * i), uint8x16x2_t(a, b[i])) }
        }
    }

    /// Loads 64 elements of four bytes and separates their bytes.
    ///
    /// # Safety
    /// The elements are readable.
    #[inline]
    unsafe fn load_u32(src: *const u8) -> [[U8x16; 4]; 4] {
        // SAFETY: the caller's contract.
        let [a, b, c, d] = [0, 64, 128, 192].map(|at| unsafe { vld4q_u8(src.add(at)) });
        [[a.0, b.0, c.0, d.0], [a.1, b.1, c.1, d.1], [a.2, b.2, c.2, d.2], [a.3, b.3, c.3, d.3]]
    }

    /// The inverse of [`load_u32`].
    ///
    /// # Safety
    /// The elements are writable.
    #[inline]
    unsafe fn store_u32(dst: *mut u8, [a, b, c, d]: [[U8x16; 4]; 4]) {
        for (i, a) in a.into_iter().enumerate() {
            // SAFETY: the caller's contract.
            unsafe { vst4q_u8(dst.add(64 * i), uint8x16x4_t(a, b[i], c[i], d[i])) }
        }
    }

    /// Loads 64 elements of eight bytes and separates their bytes.
    ///
    /// # Safety
    /// The elements are readable.
    #[inline]
    unsafe fn load_u64(src: *const u8) -> [[U8x16; 4]; 8] {
        let mut bytes = [[vdupq_n_u8(0); 4]; 8];
        for i in 0..4 {
            // SAFETY: the caller's contract.
            let (x, y) = unsafe { (vld4q_u8(src.add(128 * i)), vld4q_u8(src.add(128 * i + 64))) };
            for (b, (x, y)) in [(x.0, y.0), (x.1, y.1), (x.2, y.2), (x.3, y.3)].into_iter().enumerate() {
                (bytes[b][i], bytes[b + 4][i]) = (vuzp1q_u8(x, y), vuzp2q_u8(x, y));
            }
        }
        bytes
    }

    /// The inverse of [`load_u64`].
    ///
    /// # Safety
    /// The elements are writable.
    #[inline]
    unsafe fn store_u64(dst: *mut u8, bytes: [[U8x16; 4]; 8]) {
        for i in 0..4 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|b| (bytes[b][i], bytes[b + 4][i]));
            let zip = |(x, y)| (vzip1q_u8(x, y), vzip2q_u8(x, y));
            let (a, b, c, d) = (zip(a), zip(b), zip(c), zip(d));
            // SAFETY: the caller's contract.
            unsafe {
                vst4q_u8(dst.add(128 * i), uint8x16x4_t(a.0, b.0, c.0, d.0));
                vst4q_u8(dst.add(128 * i + 64), uint8x16x4_t(a.1, b.1, c.1, d.1));
            }
        }
    }

    /// Slices `chunks` times 512 elements, 128 per step. `place(step, byte, low, high)` writes the
    /// planes of a byte. `low` and `high` are vectors numbered k1 k0, of the lower and of the upper
    /// 64 elements.
    #[inline]
    fn cut<const BYTES: usize>(
        chunks: usize,
        load: impl Fn(usize) -> [[U8x16; 4]; BYTES],
        place: impl Fn(usize, usize, [U8x16; 4], [U8x16; 4]),
    ) {
        for step in 0..4 * chunks {
            let [low, high] = [2 * step, 2 * step + 1].map(|part| load(part).map(|bytes| exchange_low(split(bytes))));
            for (byte, (low, high)) in low.into_iter().zip(high).enumerate() {
                place(step, byte, low, high);
            }
        }
    }

    /// The inverse of [`cut`].
    #[inline]
    fn uncut<const BYTES: usize>(
        chunks: usize,
        fetch: impl Fn(usize, usize) -> [[U8x16; 4]; 2],
        store: impl Fn(usize, [[U8x16; 4]; BYTES]),
    ) {
        for step in 0..4 * chunks {
            let parts: [_; BYTES] = core::array::from_fn(|byte| fetch(step, byte));
            for half in 0..2 {
                store(2 * step + half, parts.map(|part| join(exchange_low(part[half]))));
            }
        }
    }

    /// Stores planes 8 `byte` .. of 128 elements, 16 bytes of each.
    ///
    /// # Safety
    /// The planes are writable.
    #[inline]
    unsafe fn to_planes(planes: *mut u8, stride: usize, step: usize, byte: usize, low: [U8x16; 4], high: [U8x16; 4]) {
        for (j, (low, high)) in low.into_iter().zip(high).enumerate() {
            for (k2, bits) in close(low, high).into_iter().enumerate() {
                // SAFETY: the caller's contract.
                unsafe { vst1q_u8(planes.add((8 * byte + 4 * k2 + j) * stride + 16 * step), bits) }
            }
        }
    }

    /// The inverse of [`to_planes`].
    ///
    /// # Safety
    /// The planes are readable.
    #[inline]
    unsafe fn from_planes(planes: *const u8, stride: usize, step: usize, byte: usize) -> [[U8x16; 4]; 2] {
        // SAFETY: the caller's contract.
        let plane = |j: usize| unsafe { vld1q_u8(planes.add((8 * byte + j) * stride + 16 * step)) };
        let [[a, e], [b, f], [c, g], [d, h]] = [0, 1, 2, 3].map(|j| open(plane(j), plane(j + 4)));
        [[a, b, c, d], [e, f, g, h]]
    }

    /// Stores planes 8 `byte` .. of a tile.
    ///
    /// # Safety
    /// The tile is writable.
    #[inline]
    unsafe fn to_tile(tile: *mut u8, byte: usize, [a, b, c, d]: [U8x16; 4]) {
        let [[a, c], [b, d]] = [close(a, b), close(c, d)];
        for (i, bits) in [a, b, c, d].into_iter().enumerate() {
            // SAFETY: the caller's contract.
            unsafe { vst1q_u8(tile.add(64 * byte + 16 * i), bits) }
        }
    }

    /// The inverse of [`to_tile`].
    ///
    /// # Safety
    /// The tile is readable.
    #[inline]
    unsafe fn from_tile(tile: *const u8, byte: usize) -> [U8x16; 4] {
        // SAFETY: the caller's contract.
        let pair = |i: usize| unsafe { vld1q_u8(tile.add(64 * byte + 16 * i)) };
        let [[a, b], [c, d]] = [0, 1].map(|i| open(pair(i), pair(i + 2)));
        [a, b, c, d]
    }

    /// Stores planes 8 `byte` .. of two tiles.
    ///
    /// # Safety
    /// The tiles are writable.
    #[inline]
    unsafe fn to_tiles(tiles: *mut u8, stride: usize, step: usize, byte: usize, low: [U8x16; 4], high: [U8x16; 4]) {
        for (half, bits) in [low, high].into_iter().enumerate() {
            // SAFETY: the caller's contract.
            unsafe { to_tile(tiles.add((2 * step + half) * stride), byte, bits) }
        }
    }

    /// The inverse of [`to_tiles`].
    ///
    /// # Safety
    /// The tiles are readable.
    #[inline]
    unsafe fn from_tiles(tiles: *const u8, stride: usize, step: usize, byte: usize) -> [[U8x16; 4]; 2] {
        // SAFETY: the caller's contract.
        [2 * step, 2 * step + 1].map(|tile| unsafe { from_tile(tiles.add(tile * stride), byte) })
    }

    /// Cuts a tile, of which `bytes` are the elements.
    ///
    /// # Safety
    /// The tile is writable.
    #[inline]
    unsafe fn cut_one<const BYTES: usize>(bytes: [[U8x16; 4]; BYTES], tile: *mut u8) {
        for (byte, elements) in bytes.into_iter().enumerate() {
            // SAFETY: the caller's contract.
            unsafe { to_tile(tile, byte, exchange_low(split(elements))) }
        }
    }

    /// The inverse of [`cut_one`].
    ///
    /// # Safety
    /// The tile is readable.
    #[inline]
    unsafe fn join_one<const BYTES: usize>(tile: *const u8) -> [[U8x16; 4]; BYTES] {
        // SAFETY: the caller's contract.
        core::array::from_fn(|byte| join(exchange_low(unsafe { from_tile(tile, byte) })))
    }

    pub unsafe extern "C" fn cut_tile(src: *const u8, bytes: usize, tile: *mut u8) {
        // SAFETY: the caller's contract.
        unsafe {
            match bytes {
                1 => cut_one(load_u8(src), tile),
                2 => cut_one(load_u16(src), tile),
                4 => cut_one(load_u32(src), tile),
                _ => cut_one(load_u64(src), tile),
            }
        }
    }

    pub unsafe extern "C" fn join_tile(tile: *const u8, bytes: usize, dst: *mut u8) {
        // SAFETY: the caller's contract.
        unsafe {
            match bytes {
                1 => store_u8(dst, join_one(tile)),
                2 => store_u16(dst, join_one(tile)),
                4 => store_u32(dst, join_one(tile)),
                _ => store_u64(dst, join_one(tile)),
            }
        }
    }
}

/// Exports the kernels of an element type, from functions that load and store 64 elements.
macro_rules! export_slicings {
    ($element:ty, $load:ident, $store:ident, $slice:ident, $unslice:ident, $tile:ident, $untile:ident) => {
        export_slicings! { @into $element, $load, $slice, to_planes }
        export_slicings! { @into $element, $load, $tile, to_tiles }
        export_slicings! { @from $element, $store, $unslice, from_planes }
        export_slicings! { @from $element, $store, $untile, from_tiles }
    };
    (@into $element:ty, $load:ident, $name:ident, $place:ident) => {
        neon! {
            pub unsafe extern "C" fn $name(src: *const $element, chunks: usize, planes: *mut u8, stride: usize) {
                cut(
                    chunks,
                    // SAFETY: `cut` asks for the parts of 64 elements that the source has.
                    |part| unsafe { $load(src.add(64 * part).cast()) },
                    // SAFETY: `cut` asks for the steps of the chunks, whose places the planes have.
                    |step, byte, low, high| unsafe { $place(planes, stride, step, byte, low, high) },
                );
            }
        }
    };
    (@from $element:ty, $store:ident, $name:ident, $fetch:ident) => {
        neon! {
            pub unsafe extern "C" fn $name(planes: *const u8, stride: usize, chunks: usize, dst: *mut $element) {
                uncut(
                    chunks,
                    // SAFETY: `uncut` asks for the steps of the chunks, whose places the planes
                    // have.
                    |step, byte| unsafe { $fetch(planes, stride, step, byte) },
                    // SAFETY: `uncut` gives the parts of 64 elements that the destination has.
                    |part, bytes| unsafe { $store(dst.add(64 * part).cast(), bytes) },
                );
            }
        }
    };
}

export_slicings! { u8, load_u8, store_u8, slice_u8, unslice_u8, tile_u8, untile_u8 }
export_slicings! { u16, load_u16, store_u16, slice_u16, unslice_u16, tile_u16, untile_u16 }
export_slicings! { u32, load_u32, store_u32, slice_u32, unslice_u32, tile_u32, untile_u32 }
export_slicings! { u64, load_u64, store_u64, slice_u64, unslice_u64, tile_u64, untile_u64 }
