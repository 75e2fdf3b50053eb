//! SSE2.

use core::arch::x86_64::*;

use crate::bitslice::CHUNK;
use crate::frame::isa::sse2;

sse2! {
    /// In every byte, exchanges the bits of `a` whose position has the bit `SHIFT` (1, 2 or 4) with
    /// the bits of `b` whose position does not.
    #[inline]
    fn exchange<const SHIFT: i32>(a: __m128i, b: __m128i) -> (__m128i, __m128i) {
        let mask = _mm_set1_epi8((0xff / (1 + (1 << SHIFT))) as i8);
        let differ = _mm_and_si128(_mm_xor_si128(_mm_srli_epi16::<SHIFT>(a), b), mask);
        (_mm_xor_si128(a, _mm_slli_epi16::<SHIFT>(differ)), _mm_xor_si128(b, differ))
    }

    /// Interleaves the bytes of `a` and `b`.
    #[inline]
    fn interleave_bytes(a: __m128i, b: __m128i) -> (__m128i, __m128i) {
        (_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b))
    }

    /// Interleaves the 16-bit words of `a` and `b`.
    #[inline]
    fn interleave_words(a: __m128i, b: __m128i) -> (__m128i, __m128i) {
        (_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b))
    }

    /// Interleaves the 32-bit words of `a` and `b`.
    #[inline]
    fn interleave_dwords(a: __m128i, b: __m128i) -> (__m128i, __m128i) {
        (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b))
    }

    /// A step of the network: exchanges a bit of the registers' index with a bit of the position in
    /// a register. Applies `step` to every two registers whose indices differ by `distance`, a
    /// power of two. Byte steps and bit steps alternate, since shuffles and shifts have only two
    /// ports each.
    #[inline]
    fn pairs<const N: usize>(
        x: &mut [__m128i; N],
        distance: usize,
        step: impl Fn(__m128i, __m128i) -> (__m128i, __m128i),
    ) {
        for i in (0..N).filter(|i| i & distance == 0) {
            // The remainder shows the compiler that both indices are in bounds.
            let partner = (i + distance) % N;
            (x[i], x[partner]) = step(x[i], x[partner]);
        }
    }

    /// A step of slicing: interleaves bytes, and exchanges the bit that leaves the byte position
    /// with a bit of the bit position.
    #[inline]
    fn cut<const SHIFT: i32>(a: __m128i, b: __m128i) -> (__m128i, __m128i) {
        let (a, b) = interleave_bytes(a, b);
        exchange::<SHIFT>(a, b)
    }

    /// # Safety
    /// 8 bytes are readable.
    #[inline]
    unsafe fn load_half(from: *const u8) -> __m128i {
        // SAFETY: the caller's contract.
        unsafe { _mm_loadl_epi64(from.cast()) }
    }

    /// Writes the lower half of `x` to `low` and the upper half to `high`.
    ///
    /// # Safety
    /// 8 bytes are writable at each.
    #[inline]
    unsafe fn store_halves(x: __m128i, low: *mut u8, high: *mut u8) {
        // SAFETY: the caller's contract.
        unsafe {
            _mm_storel_epi64(low.cast(), x);
            _mm_storel_epi64(high.cast(), _mm_unpackhi_epi64(x, x));
        }
    }

    /// Slices bytes, 128 at a time; `put(block, k, bits)` stores the bits of plane k of a block.
    ///
    /// # Safety
    /// The elements are readable.
    #[inline]
    unsafe fn slice_bytes(src: *const u8, chunks: usize, put: impl Fn(usize, usize, __m128i)) {
        for block in 0..chunks * CHUNK / 128 {
            // SAFETY: 128 elements of the source.
            let load = |i: usize| unsafe { _mm_loadu_si128(src.add(128 * block + 16 * i).cast()) };
            let mut x: [_; 8] = core::array::from_fn(load);
            // Bits 6 .. 3 of the element number become the byte position. Bits 0, 2, 1 become the
            // register index, and are exchanged with the bit position at once.
            pairs(&mut x, 4, |a, b| interleave_bytes(a, b));
            pairs(&mut x, 2, |a, b| cut::<4>(a, b));
            pairs(&mut x, 1, |a, b| cut::<2>(a, b));
            pairs(&mut x, 4, |a, b| cut::<1>(a, b));
            for (i, bits) in x.into_iter().enumerate() {
                put(block, 2 * (i % 4) + i / 4, bits);
            }
        }
    }

    /// The inverse of [`slice_bytes`]; `bits(block, k)` loads the bits of plane k of a block.
    ///
    /// # Safety
    /// The elements are writable.
    #[inline]
    unsafe fn unslice_bytes(bits: impl Fn(usize, usize) -> __m128i, chunks: usize, dst: *mut u8) {
        for block in 0..chunks * CHUNK / 128 {
            let mut x: [_; 8] = core::array::from_fn(|k| bits(block, k));
            let step = |(a, b)| interleave_bytes(a, b);
            pairs(&mut x, 4, |a, b| step(exchange::<4>(a, b)));
            pairs(&mut x, 2, |a, b| step(exchange::<2>(a, b)));
            pairs(&mut x, 1, |a, b| step(exchange::<1>(a, b)));
            for (i, elements) in x.into_iter().enumerate() {
                // SAFETY: elements of this block.
                unsafe { _mm_storeu_si128(dst.add(128 * block + 16 * i).cast(), elements) }
            }
        }
    }

    /// Slices words, 64 at a time; `place(tile, j)` is where the 8 bytes of plane j of a tile go.
    ///
    /// # Safety
    /// The elements are readable, the places writable.
    #[inline]
    unsafe fn slice_words(src: *const u8, tiles: usize, place: impl Fn(usize, usize) -> *mut u8) {
        for tile in 0..tiles {
            // Register i holds elements 8 i + 4 half .. + 4. In the end the register index is the
            // lower two bits of the bit position, then the upper bit of the byte's position in its
            // element.
            let interleaved = |half: usize| {
                let from = |i: usize| src.wrapping_add(256 * tile + 32 * i + 16 * half);
                // SAFETY: 64 elements of the source.
                let mut x: [_; 8] = core::array::from_fn(|i| unsafe { _mm_loadu_si128(from(i).cast()) });
                pairs(&mut x, 4, |a, b| cut::<2>(a, b));
                pairs(&mut x, 2, |a, b| cut::<1>(a, b));
                pairs(&mut x, 1, |a, b| interleave_bytes(a, b));
                x
            };
            let halves = [interleaved(0), interleaved(1)];
            for upper in 0..2 {
                let mut x: [_; 8] = core::array::from_fn(|i| halves[i / 4][2 * (i % 4) + upper]);
                pairs(&mut x, 4, |a, b| exchange::<4>(a, b));
                for (k, bits) in x.into_iter().enumerate() {
                    // SAFETY: the caller's contract.
                    unsafe { store_halves(bits, place(tile, 16 * upper + k), place(tile, 16 * upper + 8 + k)) }
                }
            }
        }
    }

    /// The inverse of [`slice_words`].
    ///
    /// # Safety
    /// The places are readable, the elements writable.
    #[inline]
    unsafe fn unslice_words(place: impl Fn(usize, usize) -> *const u8, tiles: usize, dst: *mut u8) {
        for tile in 0..tiles {
            // Two bytes of element [e5 .. e0] are word [e3 e1 e0] of register [e2 e5 e4].
            let half = |upper: usize| {
                // SAFETY: the caller's contract.
                let bits = |j: usize| unsafe { load_half(place(tile, 16 * upper + j)) };
                let mut x: [_; 8] = core::array::from_fn(|k| _mm_unpacklo_epi8(bits(k), bits(8 + k)));
                pairs(&mut x, 4, |a, b| exchange::<4>(a, b));
                x
            };
            let step = |(a, b)| interleave_words(a, b);
            let mut lower = half(0);
            pairs(&mut lower, 2, |a, b| step(exchange::<2>(a, b)));
            pairs(&mut lower, 1, |a, b| step(exchange::<1>(a, b)));
            let mut upper = half(1);
            pairs(&mut upper, 2, |a, b| step(exchange::<2>(a, b)));
            pairs(&mut upper, 1, |a, b| step(exchange::<1>(a, b)));
            for i in 0..8 {
                let (first, second) = interleave_words(lower[i], upper[i]);
                let at = dst.wrapping_add(256 * tile + 64 * (i % 4) + 16 * (i / 4));
                // SAFETY: 16 bytes each of this tile.
                unsafe {
                    _mm_storeu_si128(at.cast(), first);
                    _mm_storeu_si128(at.add(32).cast(), second);
                }
            }
        }
    }

    /// Slices 64 bytes into a tile.
    ///
    /// # Safety
    /// 64 bytes are readable and writable.
    #[inline]
    unsafe fn cut_bytes(src: *const u8, tile: *mut u8) {
        // The register index is [e5 e4], then [e3 e2], [e1 k2] and [k0 k2].
        // SAFETY: the caller's contract, here and below.
        let mut x: [_; 4] = core::array::from_fn(|i| unsafe { _mm_loadu_si128(src.add(16 * i).cast()) });
        pairs(&mut x, 2, |a, b| interleave_bytes(a, b));
        pairs(&mut x, 1, |a, b| cut::<4>(a, b));
        pairs(&mut x, 2, |a, b| cut::<2>(a, b));
        pairs(&mut x, 2, |a, b| exchange::<1>(_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)));
        for (i, bits) in x.into_iter().enumerate() {
            let k = 4 * (i % 2) + i / 2;
            // SAFETY: as above.
            unsafe { store_halves(bits, tile.add(8 * k), tile.add(8 * k + 16)) }
        }
    }

    /// The inverse of [`cut_bytes`].
    ///
    /// # Safety
    /// Same as there.
    #[inline]
    unsafe fn join_bytes(tile: *const u8, dst: *mut u8) {
        // The register index is [k2 k1], then [k0 e1], [e0 e5] and [e4 e5].
        // SAFETY: the caller's contract, here and below.
        let mut x: [_; 4] = core::array::from_fn(|i| unsafe { _mm_loadu_si128(tile.add(16 * i).cast()) });
        let step = |(a, b)| interleave_bytes(a, b);
        pairs(&mut x, 1, |a, b| exchange::<2>(a, b));
        pairs(&mut x, 2, |a, b| step(exchange::<4>(a, b)));
        pairs(&mut x, 2, |a, b| exchange::<1>(a, b));
        pairs(&mut x, 1, |a, b| interleave_bytes(a, b));
        pairs(&mut x, 2, |a, b| interleave_bytes(a, b));
        for (i, elements) in x.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { _mm_storeu_si128(dst.add(32 * (i % 2) + 16 * (i / 2)).cast(), elements) }
        }
    }

    /// Slices elements of two bytes, 64 at a time; `place(tile, j)` is where the 8 bytes of plane j of
    /// a tile go.
    ///
    /// # Safety
    /// The elements are readable, the places writable.
    #[inline]
    unsafe fn slice_pairs(src: *const u8, tiles: usize, place: impl Fn(usize, usize) -> *mut u8) {
        for tile in 0..tiles {
            // SAFETY: 64 elements of the source.
            let load = |i: usize| unsafe { _mm_loadu_si128(src.add(128 * tile + 16 * i).cast()) };
            let mut x: [_; 8] = core::array::from_fn(load);
            pairs(&mut x, 4, |a, b| cut::<4>(a, b));
            pairs(&mut x, 2, |a, b| cut::<2>(a, b));
            pairs(&mut x, 1, |a, b| cut::<1>(a, b));
            for (k, bits) in x.into_iter().enumerate() {
                // SAFETY: the caller's contract.
                unsafe { store_halves(bits, place(tile, k), place(tile, 8 + k)) }
            }
        }
    }

    /// The inverse of [`slice_pairs`].
    ///
    /// # Safety
    /// The places are readable, the elements writable.
    #[inline]
    unsafe fn unslice_pairs(place: impl Fn(usize, usize) -> *const u8, tiles: usize, dst: *mut u8) {
        let step = |(a, b)| interleave_words(a, b);
        for tile in 0..tiles {
            // SAFETY: the caller's contract.
            let bits = |j: usize| unsafe { load_half(place(tile, j)) };
            let mut x: [_; 8] = core::array::from_fn(|k| _mm_unpacklo_epi8(bits(k), bits(8 + k)));
            pairs(&mut x, 4, |a, b| step(exchange::<4>(a, b)));
            pairs(&mut x, 2, |a, b| step(exchange::<2>(a, b)));
            pairs(&mut x, 1, |a, b| step(exchange::<1>(a, b)));
            for (i, elements) in x.into_iter().enumerate() {
                // SAFETY: 16 of the 128 bytes of this tile.
                unsafe { _mm_storeu_si128(dst.add(128 * tile + 16 * i).cast(), elements) }
            }
        }
    }

    /// Slices elements of eight bytes like [`slice_pairs`]: four groups of 16 elements, then the
    /// vectors of one bit position from all groups.
    ///
    /// # Safety
    /// The elements are readable, the places writable.
    #[inline]
    unsafe fn slice_longs(src: *const u8, tiles: usize, place: impl Fn(usize, usize) -> *mut u8) {
        for tile in 0..tiles {
            let group = |group: usize| {
                // Register [e2 e1 e3] holds two elements.
                let from = |i: usize| 512 * tile + 128 * group + 32 * (i / 4) + 16 * (i / 2 % 2) + 64 * (i % 2);
                // SAFETY: 64 elements of the source.
                let mut x: [_; 8] = core::array::from_fn(|i| unsafe { _mm_loadu_si128(src.add(from(i)).cast()) });
                pairs(&mut x, 4, |a, b| exchange::<4>(a, b));
                pairs(&mut x, 2, |a, b| exchange::<2>(a, b));
                pairs(&mut x, 1, |a, b| cut::<1>(a, b));
                x
            };
            let groups = [group(0), group(1), group(2), group(3)];
            for k in 0..8 {
                // The bytes of elements that e5 e4 number, then planes 16 i + k and 16 i + 8 + k.
                let [x, y, z, w] = groups.map(|x| x[k]);
                let ((x, y), (z, w)) = (interleave_words(x, y), interleave_words(z, w));
                let ((x, z), (y, w)) = (interleave_dwords(x, z), interleave_dwords(y, w));
                for (i, bits) in [x, z, y, w].into_iter().enumerate() {
                    // SAFETY: the caller's contract.
                    unsafe { store_halves(bits, place(tile, 16 * i + k), place(tile, 16 * i + 8 + k)) }
                }
            }
        }
    }

    /// The inverse of [`slice_longs`].
    ///
    /// # Safety
    /// The places are readable, the elements writable.
    #[inline]
    unsafe fn unslice_longs(place: impl Fn(usize, usize) -> *const u8, tiles: usize, dst: *mut u8) {
        for tile in 0..tiles {
            let bytes = |k: usize| {
                // SAFETY: the caller's contract.
                let bits = |j: usize| unsafe { load_half(place(tile, j)) };
                let [x, y, z, w] = [0, 16, 32, 48].map(|j| _mm_unpacklo_epi8(bits(j + k), bits(j + 8 + k)));
                let ((x, y), (z, w)) = (interleave_words(x, y), interleave_words(z, w));
                let ((x, z), (y, w)) = (interleave_dwords(x, z), interleave_dwords(y, w));
                [x, z, y, w]
            };
            let bytes = [bytes(0), bytes(1), bytes(2), bytes(3), bytes(4), bytes(5), bytes(6), bytes(7)];
            for group in 0..4 {
                let mut x = bytes.map(|x| x[group]);
                pairs(&mut x, 4, |a, b| exchange::<4>(a, b));
                pairs(&mut x, 2, |a, b| exchange::<2>(a, b));
                pairs(&mut x, 1, |a, b| {
                    let (a, b) = exchange::<1>(a, b);
                    (_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b))
                });
                for (i, elements) in x.into_iter().enumerate() {
                    let to = 512 * tile + 128 * group + 32 * (i / 4) + 16 * (i / 2 % 2) + 64 * (i % 2);
                    // SAFETY: 16 of the 512 bytes of this tile.
                    unsafe { _mm_storeu_si128(dst.add(to).cast(), elements) }
                }
            }
        }
    }

    pub unsafe extern "C" fn slice_u8(src: *const u8, chunks: usize, planes: *mut u8, stride: usize) {
        // SAFETY: 16 bytes of a plane; the caller's contract.
        let put = |block, k, bits| unsafe { _mm_storeu_si128(planes.add(k * stride + 16 * block).cast(), bits) };
        // SAFETY: `slice_bytes` reads the source's 512 bytes for each chunk, and `put` writes as
        // above.
        unsafe { slice_bytes(src, chunks, put) }
    }

    pub unsafe extern "C" fn unslice_u8(planes: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
        // SAFETY: as in `slice_u8`.
        let bits = |block, k| unsafe { _mm_loadu_si128(planes.add(k * stride + 16 * block).cast()) };
        // SAFETY: `unslice_bytes` writes 512 bytes for each chunk, and `bits` reads as above.
        unsafe { unslice_bytes(bits, chunks, dst) }
    }

    pub unsafe extern "C" fn tile_u8(src: *const u8, chunks: usize, tiles: *mut u8, stride: usize) {
        let place = |tile, k| tiles.wrapping_add(tile * stride + 8 * k);
        // SAFETY: 8 bytes of a plane in each of two tiles; the caller's contract.
        let put = |block, k, bits| unsafe { store_halves(bits, place(2 * block, k), place(2 * block + 1, k)) };
        // SAFETY: `slice_bytes` reads the source's 512 bytes for each chunk, and `put` writes as
        // above.
        unsafe { slice_bytes(src, chunks, put) }
    }

    pub unsafe extern "C" fn untile_u8(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
        // SAFETY: as in `tile_u8`.
        let half = |tile, k| unsafe { load_half(tiles.add(tile * stride + 8 * k)) };
        let bits = |block, k| _mm_unpacklo_epi64(half(2 * block, k), half(2 * block + 1, k));
        // SAFETY: `unslice_bytes` writes 512 bytes for each chunk, and `half` reads 8 bytes of a
        // tile's row.
        unsafe { unslice_bytes(bits, chunks, dst) }
    }
}

/// Exports the kernels of an element type, from functions that slice tiles and put them together.
macro_rules! export_slicings {
    ($element:ty, $cut:ident, $join:ident, $slice:ident, $unslice:ident, $tile:ident, $untile:ident) => {
        sse2! {
            pub unsafe extern "C" fn $slice(src: *const $element, chunks: usize, planes: *mut u8, stride: usize) {
                // SAFETY: the caller's contract.
                unsafe { $cut(src.cast(), 8 * chunks, |tile, j| planes.add(j * stride + 8 * tile)) }
            }

            pub unsafe extern "C" fn $unslice(planes: *const u8, stride: usize, chunks: usize, dst: *mut $element) {
                // SAFETY: the caller's contract.
                unsafe { $join(|tile, j| planes.add(j * stride + 8 * tile), 8 * chunks, dst.cast()) }
            }

            pub unsafe extern "C" fn $tile(src: *const $element, chunks: usize, tiles: *mut u8, stride: usize) {
                // SAFETY: the caller's contract.
                unsafe { $cut(src.cast(), 8 * chunks, |tile, j| tiles.add(tile * stride + 8 * j)) }
            }

            pub unsafe extern "C" fn $untile(tiles: *const u8, stride: usize, chunks: usize, dst: *mut $element) {
                // SAFETY: the caller's contract.
                unsafe { $join(|tile, j| tiles.add(tile * stride + 8 * j), 8 * chunks, dst.cast()) }
            }
        }
    };
}

export_slicings! { u16, slice_pairs, unslice_pairs, slice_u16, unslice_u16, tile_u16, untile_u16 }
export_slicings! { u32, slice_words, unslice_words, slice_u32, unslice_u32, tile_u32, untile_u32 }
export_slicings! { u64, slice_longs, unslice_longs, slice_u64, unslice_u64, tile_u64, untile_u64 }

sse2! {
    pub unsafe extern "C" fn cut_tile(src: *const u8, bytes: usize, tile: *mut u8) {
        let place = |_, j| tile.wrapping_add(8 * j);
        // SAFETY: the caller's contract.
        unsafe {
            match bytes {
                1 => cut_bytes(src, tile),
                2 => slice_pairs(src, 1, place),
                4 => slice_words(src, 1, place),
                _ => slice_longs(src, 1, place),
            }
        }
    }

    pub unsafe extern "C" fn join_tile(tile: *const u8, bytes: usize, dst: *mut u8) {
        let place = |_, j| tile.wrapping_add(8 * j);
        // SAFETY: the caller's contract.
        unsafe {
            match bytes {
                1 => join_bytes(tile, dst),
                2 => unslice_pairs(place, 1, dst),
                4 => unslice_words(place, 1, dst),
                _ => unslice_longs(place, 1, dst),
            }
        }
    }
}
