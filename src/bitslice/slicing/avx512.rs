//! AVX-512 BW.

use core::arch::x86_64::*;

use crate::frame::isa::avx512;

mod wide;
pub use wide::*;

// Bits e8 .. e0 number an element in its chunk, b1 b0 a byte of the element, k2 k1 k0 a bit of the
// byte. Bits e8 e7 number the lanes of a vector unless another order is given. Brackets give the
// bits that number the bytes of a lane, highest first: [e6 e5 e4 e3]. Unpacking two vectors appends
// the bit in which they differ as the lowest; the highest bit leaves the lane and numbers the two
// results.

avx512! {
    /// Interleaves the bytes of vectors whose numbers differ in the highest bit. The bit that
    /// leaves the byte position becomes the lowest bit of the number.
    #[inline]
    fn interleave(x: [__m512i; 8]) -> [__m512i; 8] {
        core::array::from_fn(|i| {
            let (x, y) = (x[i / 2], x[i / 2 + 4]);
            if i % 2 == 0 { _mm512_unpacklo_epi8(x, y) } else { _mm512_unpackhi_epi8(x, y) }
        })
    }

    /// Exchanges the number of a vector with the position of a bit in its byte: bit k of vector e
    /// becomes bit e of vector k.
    #[inline]
    fn transpose_bits(mut x: [__m512i; 8]) -> [__m512i; 8] {
        let choose = |mask, x, y| _mm512_ternarylogic_epi32::<0xca>(_mm512_set1_epi8(mask), x, y);
        for i in [0, 2, 4, 6] {
            let (a, b) = (x[i], x[i + 1]);
            x[i] = choose(0x55, a, _mm512_add_epi8(b, b));
            x[i + 1] = choose(0x55, _mm512_srli_epi16::<1>(a), b);
        }
        for i in [0, 1, 4, 5] {
            let (a, b) = (x[i], x[i + 2]);
            x[i] = choose(0x33, a, _mm512_slli_epi16::<2>(b));
            x[i + 2] = choose(0x33, _mm512_srli_epi16::<2>(a), b);
        }
        for i in [0, 1, 2, 3] {
            let (a, b) = (x[i], x[i + 4]);
            x[i] = choose(0x0f, a, _mm512_slli_epi16::<4>(b));
            x[i + 4] = choose(0x0f, _mm512_srli_epi16::<4>(a), b);
        }
        x
    }

    /// Exchanges vectors and lanes: lane j of vector i becomes lane i of vector j.
    #[inline]
    fn transpose_lanes([x, y, z, w]: [__m512i; 4]) -> [__m512i; 4] {
        let (a, b) = (_mm512_shuffle_i32x4::<0x44>(x, y), _mm512_shuffle_i32x4::<0x44>(z, w));
        let (c, d) = (_mm512_shuffle_i32x4::<0xee>(x, y), _mm512_shuffle_i32x4::<0xee>(z, w));
        [
            _mm512_shuffle_i32x4::<0x88>(a, b),
            _mm512_shuffle_i32x4::<0xdd>(a, b),
            _mm512_shuffle_i32x4::<0x88>(c, d),
            _mm512_shuffle_i32x4::<0xdd>(c, d),
        ]
    }

    /// Loads 32 bytes for each lane from each of four places, as two vectors per place. Lanes are
    /// `128 * BYTES` bytes apart.
    ///
    /// # Safety
    /// The 32 bytes of each lane are readable at each place.
    #[inline]
    unsafe fn load<const BYTES: usize>(places: [*const u8; 4]) -> [__m512i; 8] {
        let mut x = [_mm512_setzero_si512(); 8];
        for (i, place) in places.into_iter().enumerate() {
            // SAFETY: the caller's contract.
            let lane = |lane: usize| unsafe { _mm256_loadu_si256(place.add(128 * BYTES * lane).cast()) };
            let low = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(lane(0)), lane(1));
            let high = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(lane(2)), lane(3));
            x[2 * i] = _mm512_shuffle_i32x4::<0x88>(low, high);
            x[2 * i + 1] = _mm512_shuffle_i32x4::<0xdd>(low, high);
        }
        x
    }

    /// Cuts a chunk of bytes into rows of bits, `[k2 k1 k0]`, with lanes [e6 e5 e4 e3].
    ///
    /// # Safety
    /// `src` points to 512 elements.
    #[inline]
    unsafe fn cut_u8(src: *const u8) -> [__m512i; 8] {
        // SAFETY: 384 + 96 + 32 = 512.
        let x = unsafe { load::<1>([0, 32, 64, 96].map(|i| src.add(i))) };
        transpose_bits(interleave(interleave(interleave(interleave(x)))))
    }

    /// Cuts a chunk of 32-bit elements into `[e6][b1][k2 k1 k0]`, with lanes [b0 e5 e4 e3].
    ///
    /// # Safety
    /// `src` points to 512 elements of 4 bytes.
    #[inline]
    unsafe fn cut_u32(src: *const u8) -> [[[__m512i; 8]; 2]; 2] {
        // [b1 b0 e4 e3] of group [e6 e5].
        let group = |g: usize| {
            // SAFETY: 1536 + 384 + 96 + 32 = 2048.
            let x = unsafe { load::<4>([0, 32, 64, 96].map(|i| src.add(128 * g + i))) };
            transpose_bits(interleave(interleave(x)))
        };
        [0, 1].map(|h| {
            let (x, y) = (group(2 * h), group(2 * h + 1));
            [
                core::array::from_fn(|k| _mm512_unpacklo_epi32(x[k], y[k])),
                core::array::from_fn(|k| _mm512_unpackhi_epi32(x[k], y[k])),
            ]
        })
    }

    /// Stores the rows `8 b ..` of a chunk.
    ///
    /// # Safety
    /// 64 bytes of these rows are writable.
    #[inline]
    unsafe fn put_rows(rows: [__m512i; 8], b: usize, planes: *mut u8, stride: usize) {
        for (k, row) in rows.into_iter().enumerate() {
            // SAFETY: the caller's contract.
            unsafe { _mm512_storeu_si512(planes.add((8 * b + k) * stride).cast(), row) }
        }
    }

    /// Converts rows with lanes [t e5 e4 e3] to pieces of tiles: for each t, four vectors `[e8 e7]`
    /// of bytes [k2 k1][k0 e5 e4 e3].
    #[inline]
    fn tiled(x: [__m512i; 8]) -> [[__m512i; 4]; 2] {
        [
            transpose_lanes(core::array::from_fn(|k| _mm512_unpacklo_epi64(x[2 * k], x[2 * k + 1]))),
            transpose_lanes(core::array::from_fn(|k| _mm512_unpackhi_epi64(x[2 * k], x[2 * k + 1]))),
        ]
    }

    /// Stores rows `8 b ..` of the tiles of one e6, which begin at `tiles`.
    ///
    /// # Safety
    /// 64 bytes of these rows are writable.
    #[inline]
    unsafe fn put_tiles(pieces: [__m512i; 4], b: usize, tiles: *mut u8, stride: usize) {
        for (t, piece) in pieces.into_iter().enumerate() {
            // SAFETY: the caller's contract.
            unsafe { _mm512_storeu_si512(tiles.add(2 * t * stride + 64 * b).cast(), piece) }
        }
    }

    /// Loads the rows `8 b ..` of a chunk.
    ///
    /// # Safety
    /// 64 bytes of these rows are readable.
    #[inline]
    unsafe fn rows(b: usize, planes: *const u8, stride: usize) -> [__m512i; 8] {
        // SAFETY: the caller's contract.
        core::array::from_fn(|k| unsafe { _mm512_loadu_si512(planes.add((8 * b + k) * stride).cast()) })
    }

    /// Loads the rows `8 b ..` of a chunk from its tiles: the inverse of [`tiled`], where t is e6.
    ///
    /// # Safety
    /// 64 bytes of these rows are readable.
    #[inline]
    unsafe fn untiled(b: usize, tiles: *const u8, stride: usize) -> [__m512i; 8] {
        let half = |e: usize| {
            // SAFETY: the caller's contract.
            let piece = |t: usize| unsafe { _mm512_loadu_si512(tiles.add((2 * t + e) * stride + 64 * b).cast()) };
            transpose_lanes(core::array::from_fn(piece))
        };
        let (x, y) = (half(0), half(1));
        core::array::from_fn(|k| {
            let (x, y) = (x[k / 2], y[k / 2]);
            if k % 2 == 0 { _mm512_unpacklo_epi64(x, y) } else { _mm512_unpackhi_epi64(x, y) }
        })
    }

    /// Stores 64 bytes for each lane. Lanes are `apart` bytes apart.
    ///
    /// # Safety
    /// These bytes are writable.
    #[inline]
    unsafe fn put_lanes(x: [__m512i; 4], dst: *mut u8, apart: usize) {
        for (i, x) in transpose_lanes(x).into_iter().enumerate() {
            // SAFETY: the caller's contract.
            unsafe { _mm512_storeu_si512(dst.add(i * apart).cast(), x) }
        }
    }

    /// Puts a chunk of bytes together from its rows.
    ///
    /// # Safety
    /// `dst` points to 512 elements.
    #[inline]
    unsafe fn join_u8(rows: [__m512i; 8], dst: *mut u8) {
        let x = interleave(interleave(interleave(transpose_bits(rows))));
        for e in 0..2 {
            // SAFETY: 384 + 64 + 64 = 512.
            unsafe { put_lanes(core::array::from_fn(|i| x[4 * e + i]), dst.add(64 * e), 128) }
        }
    }

    /// Puts a chunk of 32-bit elements together; `rows(b)` are its rows `8 b ..`.
    ///
    /// # Safety
    /// `dst` points to 512 elements of 4 bytes.
    #[inline]
    unsafe fn join_u32(rows: impl Fn(usize) -> [__m512i; 8], dst: *mut u8) {
        // [e2 e6 e5] with lanes [e4 e3 e1 e0], from the order [e1 e0 e2].
        let byte = |b: usize| {
            let x = transpose_bits(rows(b));
            interleave(interleave([0, 4, 1, 5, 2, 6, 3, 7].map(|e| x[e])))
        };
        // [e2 e6 e5][e4] with lanes [e3 e1 e0 b0].
        let half = |b: usize| {
            let (x, y) = (byte(b), byte(b + 1));
            core::array::from_fn::<_, 8, _>(|i| [_mm512_unpacklo_epi8(x[i], y[i]), _mm512_unpackhi_epi8(x[i], y[i])])
        };
        let (x, y) = (half(0), half(2));
        for e in 0..8 {
            let (i, e4) = (e / 2, e % 2);
            let pieces = [
                _mm512_unpacklo_epi16(x[i][e4], y[i][e4]),
                _mm512_unpacklo_epi16(x[i + 4][e4], y[i + 4][e4]),
                _mm512_unpackhi_epi16(x[i][e4], y[i][e4]),
                _mm512_unpackhi_epi16(x[i + 4][e4], y[i + 4][e4]),
            ];
            // SAFETY: 1536 + 448 + 64 = 2048.
            unsafe { put_lanes(pieces, dst.add(64 * e), 512) }
        }
    }

    pub unsafe extern "C" fn slice_u8(src: *const u8, chunks: usize, planes: *mut u8, stride: usize) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and 64 bytes of each plane.
            unsafe { put_rows(cut_u8(src.add(512 * chunk)), 0, planes.add(64 * chunk), stride) }
        }
    }

    pub unsafe extern "C" fn unslice_u8(planes: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and 64 bytes of each plane.
            unsafe { join_u8(rows(0, planes.add(64 * chunk), stride), dst.add(512 * chunk)) }
        }
    }

    pub unsafe extern "C" fn tile_u8(src: *const u8, chunks: usize, tiles: *mut u8, stride: usize) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and its 8 tiles.
            unsafe {
                for (e, pieces) in tiled(cut_u8(src.add(512 * chunk))).into_iter().enumerate() {
                    put_tiles(pieces, 0, tiles.add((8 * chunk + e) * stride), stride);
                }
            }
        }
    }

    pub unsafe extern "C" fn untile_u8(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and its 8 tiles.
            unsafe { join_u8(untiled(0, tiles.add(8 * chunk * stride), stride), dst.add(512 * chunk)) }
        }
    }

    pub unsafe extern "C" fn slice_u32(src: *const u32, chunks: usize, planes: *mut u8, stride: usize) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and 64 bytes of each plane.
            unsafe {
                let planes = planes.add(64 * chunk);
                let [x, y] = cut_u32(src.add(512 * chunk).cast());
                for (b, (x, y)) in x.into_iter().zip(y).enumerate() {
                    put_rows(core::array::from_fn(|k| _mm512_unpacklo_epi64(x[k], y[k])), 2 * b, planes, stride);
                    put_rows(core::array::from_fn(|k| _mm512_unpackhi_epi64(x[k], y[k])), 2 * b + 1, planes, stride);
                }
            }
        }
    }

    pub unsafe extern "C" fn unslice_u32(planes: *const u8, stride: usize, chunks: usize, dst: *mut u32) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and 64 bytes of each plane.
            unsafe { join_u32(|b| rows(b, planes.add(64 * chunk), stride), dst.add(512 * chunk).cast()) }
        }
    }

    pub unsafe extern "C" fn tile_u32(src: *const u32, chunks: usize, tiles: *mut u8, stride: usize) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and its 8 tiles.
            unsafe {
                for (e, halves) in cut_u32(src.add(512 * chunk).cast()).into_iter().enumerate() {
                    let tiles = tiles.add((8 * chunk + e) * stride);
                    for (b, pieces) in halves.into_iter().flat_map(|x| tiled(x)).enumerate() {
                        put_tiles(pieces, b, tiles, stride);
                    }
                }
            }
        }
    }

    pub unsafe extern "C" fn untile_u32(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u32) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and its 8 tiles.
            unsafe { join_u32(|b| untiled(b, tiles.add(8 * chunk * stride), stride), dst.add(512 * chunk).cast()) }
        }
    }
}
