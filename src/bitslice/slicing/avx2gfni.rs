//! AVX2 with GFNI.

use core::arch::x86_64::*;

use crate::frame::isa::avx2gfni;

// Bits e8 .. e0 number an element in its chunk, bits b a byte of the element, bits k a bit of the
// byte. Bit e7 numbers the lanes of a vector. Brackets give the bits that number the bytes of a
// lane, highest first: [b0 e2 e1 e0]. Unpacking two vectors appends the bit in which they differ as
// the lowest; the highest bit leaves the lane and numbers the two results.

/// Half of a chunk, cut as far as the layouts agree: vectors `[b k2][e6 e5]`, with lanes [k1 k0 e4
/// e3]. Only the first two for each byte of an element are set.
type Cut = [[__m256i; 4]; 16];

avx2gfni! {
    /// Within 8 bytes, moves bit k of byte 7 - e to bit e of byte k.
    #[inline]
    fn transpose(bytes: __m256i) -> __m256i {
        _mm256_gf2p8affine_epi64_epi8::<0>(_mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64), bytes)
    }

    /// From vectors for `[e4 e3]`, with lanes [t k2 k1 k0], to vectors for `[t k2]`, with lanes
    /// [k1 k0 e4 e3].
    #[inline]
    fn exchange([x, y, z, w]: [__m256i; 4]) -> [__m256i; 4] {
        let (x, y) = (_mm256_unpacklo_epi8(x, y), _mm256_unpackhi_epi8(x, y));
        let (z, w) = (_mm256_unpacklo_epi8(z, w), _mm256_unpackhi_epi8(z, w));
        [
            _mm256_unpacklo_epi16(x, z),
            _mm256_unpackhi_epi16(x, z),
            _mm256_unpacklo_epi16(y, w),
            _mm256_unpackhi_epi16(y, w),
        ]
    }

    /// Cuts half of a chunk of elements of `BYTES` bytes.
    ///
    /// # Safety
    /// `src` points to 256 elements.
    #[inline]
    unsafe fn cut<const BYTES: usize>(src: *const u8) -> Cut {
        let load = |element: usize, order: __m128i| {
            // SAFETY: element + 128 + 16 / BYTES <= 256.
            let (near, far) = unsafe {
                let near = src.add(element * BYTES);
                (_mm256_loadu_si256(near.cast()), _mm_loadu_si128(near.add(128 * BYTES).cast()))
            };
            let both = _mm256_blend_epi32::<0x0f>(_mm256_broadcastsi128_si256(far), near);
            _mm256_shuffle_epi8(both, _mm256_broadcastsi128_si256(order))
        };
        let mut cut = [[_mm256_setzero_si256(); 4]; 16];
        for (e, element) in [0, 32, 64, 96].into_iter().enumerate() {
            if BYTES == 1 {
                // [e3 k2 k1 k0], for both e4; then [k2 k1 k0 e4], for both e3.
                let reverse = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
                let [x, y] = [0, 16].map(|i| transpose(load(element + i, reverse)));
                let (x, y) = (_mm256_unpacklo_epi8(x, y), _mm256_unpackhi_epi8(x, y));
                cut[0][e] = _mm256_unpacklo_epi8(x, y);
                cut[1][e] = _mm256_unpackhi_epi8(x, y);
            } else if BYTES == 2 {
                // [b0 e2 e1 e0], the larger elements first; then [b0 k2 k1 k0], for all [e4 e3].
                let order = _mm_set_epi8(1, 3, 5, 7, 9, 11, 13, 15, 0, 2, 4, 6, 8, 10, 12, 14);
                let bytes = exchange([0, 8, 16, 24].map(|i| transpose(load(element + i, order))));
                for (i, bytes) in bytes.into_iter().enumerate() {
                    cut[i][e] = bytes;
                }
            } else if BYTES == 4 {
                // [b1 b0 e1 e0] for both e2, the larger first; then [b0 k2 k1 k0], for both b1 and
                // all [e4 e3].
                let order = _mm_set_epi8(3, 7, 11, 15, 2, 6, 10, 14, 1, 5, 9, 13, 0, 4, 8, 12);
                let bytes = [0, 8, 16, 24].map(|i| {
                    let (x, y) = (load(element + i + 4, order), load(element + i, order));
                    [transpose(_mm256_unpacklo_epi32(x, y)), transpose(_mm256_unpackhi_epi32(x, y))]
                });
                for i in 0..8 {
                    cut[i][e] = exchange(bytes.map(|bytes| bytes[i / 4]))[i % 4];
                }
            } else {
                // [b2 b1 b0 e0] for all [e2 e1], the larger first; then [b0 k2 k1 k0], for all
                // [b2 b1] and all [e4 e3].
                let order = _mm_set_epi8(7, 15, 6, 14, 5, 13, 4, 12, 3, 11, 2, 10, 1, 9, 0, 8);
                let bytes = [0, 8, 16, 24].map(|i| {
                    let [x, y, z, w] = [6, 4, 2, 0].map(|j| load(element + i + j, order));
                    let (x, y) = (_mm256_unpacklo_epi16(x, y), _mm256_unpackhi_epi16(x, y));
                    let (z, w) = (_mm256_unpacklo_epi16(z, w), _mm256_unpackhi_epi16(z, w));
                    let fours = [
                        _mm256_unpacklo_epi32(x, z),
                        _mm256_unpackhi_epi32(x, z),
                        _mm256_unpacklo_epi32(y, w),
                        _mm256_unpackhi_epi32(y, w),
                    ];
                    fours.map(|bytes| transpose(bytes))
                });
                for i in 0..16 {
                    cut[i][e] = exchange(bytes.map(|bytes| bytes[i / 4]))[i % 4];
                }
            }
        }
        cut
    }

    /// # Safety
    /// The contract of the kernels for elements of `BYTES` bytes.
    #[inline]
    unsafe fn slice<const BYTES: usize>(src: *const u8, chunks: usize, planes: *mut u8, stride: usize) {
        for half in 0..2 * chunks {
            // SAFETY: 256 elements of the source.
            let cut = unsafe { cut::<BYTES>(src.add(256 * BYTES * half)) };
            for (q, &[x, y, z, w]) in cut[..2 * BYTES].iter().enumerate() {
                let (x, y) = (_mm256_unpacklo_epi32(x, y), _mm256_unpackhi_epi32(x, y));
                let (z, w) = (_mm256_unpacklo_epi32(z, w), _mm256_unpackhi_epi32(z, w));
                let rows = [
                    _mm256_unpacklo_epi64(x, z),
                    _mm256_unpackhi_epi64(x, z),
                    _mm256_unpacklo_epi64(y, w),
                    _mm256_unpackhi_epi64(y, w),
                ];
                for (r, row) in rows.into_iter().enumerate() {
                    // SAFETY: 32 bytes of plane 4 q + r.
                    unsafe { _mm256_storeu_si256(planes.add((4 * q + r) * stride + 32 * half).cast(), row) }
                }
            }
        }
    }

    /// # Safety
    /// The contract of the kernels for elements of `BYTES` bytes.
    #[inline]
    unsafe fn tile<const BYTES: usize>(src: *const u8, chunks: usize, tiles: *mut u8, stride: usize) {
        for half in 0..2 * chunks {
            // SAFETY: 256 elements of the source.
            let cut = unsafe { cut::<BYTES>(src.add(256 * BYTES * half)) };
            for (q, cut) in cut[..2 * BYTES].iter().enumerate() {
                for e in 0..2 {
                    let (x, y) = (cut[2 * e], cut[2 * e + 1]);
                    let (x, y) = (_mm256_unpacklo_epi32(x, y), _mm256_unpackhi_epi32(x, y));
                    // SAFETY: 32 bytes of the tiles e and e + 2 of the four.
                    unsafe {
                        let near = tiles.add((4 * half + e) * stride + 32 * q);
                        _mm256_storeu_si256(near.cast(), _mm256_permute2x128_si256::<0x20>(x, y));
                        _mm256_storeu_si256(near.add(2 * stride).cast(), _mm256_permute2x128_si256::<0x31>(x, y));
                    }
                }
            }
        }
    }

    /// Puts byte b of half of a chunk together: from `[e6][k1 k0]` with lanes [e5 e4 e3 k2] to `[e6
    /// e5 e4]` with lanes [e3 e2 e1 e0]. Bits of k are in descending order.
    #[inline]
    fn join(halves: [[__m256i; 4]; 2]) -> [__m256i; 8] {
        let mut bytes = [_mm256_setzero_si256(); 8];
        for (e, [x, y, z, w]) in halves.into_iter().enumerate() {
            let (x, z) = (_mm256_unpacklo_epi8(z, x), _mm256_unpackhi_epi8(z, x));
            let (y, w) = (_mm256_unpacklo_epi8(w, y), _mm256_unpackhi_epi8(w, y));
            bytes[4 * e] = transpose(_mm256_unpacklo_epi8(y, x));
            bytes[4 * e + 1] = transpose(_mm256_unpackhi_epi8(y, x));
            bytes[4 * e + 2] = transpose(_mm256_unpacklo_epi8(w, z));
            bytes[4 * e + 3] = transpose(_mm256_unpackhi_epi8(w, z));
        }
        bytes
    }

    /// Writes half of a chunk, whose bytes come from [`join`].
    ///
    /// # Safety
    /// `dst` points to 256 elements.
    #[inline]
    unsafe fn put<const BYTES: usize>(bytes: [[__m256i; 8]; BYTES], dst: *mut u8) {
        // For each e7, stores 16 bytes of `x`, then 16 bytes of `y`.
        let store = |element: usize, x: __m256i, y: __m256i| {
            // SAFETY: element + 128 + 32 / BYTES <= 256.
            unsafe {
                let near = dst.add(element * BYTES);
                _mm256_storeu_si256(near.cast(), _mm256_permute2x128_si256::<0x20>(x, y));
                _mm256_storeu_si256(near.add(128 * BYTES).cast(), _mm256_permute2x128_si256::<0x31>(x, y));
            }
        };
        if BYTES == 1 {
            for e in 0..4 {
                store(32 * e, bytes[0][2 * e], bytes[0][2 * e + 1]);
            }
        } else if BYTES == 2 {
            for (e, element) in (0..128).step_by(16).enumerate() {
                let (x, y) = (bytes[0][e], bytes[1][e]);
                store(element, _mm256_unpacklo_epi8(x, y), _mm256_unpackhi_epi8(x, y));
            }
        } else if BYTES == 8 {
            for (e, element) in (0..128).step_by(16).enumerate() {
                // [e2 e1 e0 b0], for both e3 and all [b2 b1].
                let twos: [[__m256i; 2]; 4] = core::array::from_fn(|b| {
                    let (x, y) = (bytes[2 * b][e], bytes[2 * b + 1][e]);
                    [_mm256_unpacklo_epi8(x, y), _mm256_unpackhi_epi8(x, y)]
                });
                for e3 in 0..2 {
                    let [x, y, z, w] = twos.map(|twos| twos[e3]);
                    let (x, y) = (_mm256_unpacklo_epi16(x, y), _mm256_unpackhi_epi16(x, y));
                    let (z, w) = (_mm256_unpacklo_epi16(z, w), _mm256_unpackhi_epi16(z, w));
                    let element = element + 8 * e3;
                    store(element, _mm256_unpacklo_epi32(x, z), _mm256_unpackhi_epi32(x, z));
                    store(element + 4, _mm256_unpacklo_epi32(y, w), _mm256_unpackhi_epi32(y, w));
                }
            }
        } else {
            for (e, element) in (0..128).step_by(16).enumerate() {
                let [x, y, z, w] = [0, 1, 2, 3].map(|b| bytes[b][e]);
                let (x, y) = (_mm256_unpacklo_epi8(x, y), _mm256_unpackhi_epi8(x, y));
                let (z, w) = (_mm256_unpacklo_epi8(z, w), _mm256_unpackhi_epi8(z, w));
                store(element, _mm256_unpacklo_epi16(x, z), _mm256_unpackhi_epi16(x, z));
                store(element + 8, _mm256_unpacklo_epi16(y, w), _mm256_unpackhi_epi16(y, w));
            }
        }
    }

    /// # Safety
    /// The contract of the kernels for elements of `BYTES` bytes.
    #[inline]
    unsafe fn unslice<const BYTES: usize>(planes: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
        for half in 0..2 * chunks {
            // SAFETY: 32 bytes of plane j.
            let load = |j: usize| unsafe { _mm256_loadu_si256(planes.add(j * stride + 32 * half).cast()) };
            let bytes = core::array::from_fn(|b| {
                let rows = [0, 1, 2, 3].map(|k| (load(8 * b + k), load(8 * b + 4 + k)));
                join([rows.map(|(x, y)| _mm256_unpacklo_epi8(y, x)), rows.map(|(x, y)| _mm256_unpackhi_epi8(y, x))])
            });
            // SAFETY: 256 elements of the destination.
            unsafe { put::<BYTES>(bytes, dst.add(256 * BYTES * half)) }
        }
    }

    /// # Safety
    /// The contract of the kernels for elements of `BYTES` bytes.
    #[inline]
    unsafe fn untile<const BYTES: usize>(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
        for half in 0..2 * chunks {
            let bytes = core::array::from_fn(|b| {
                join([0, 1].map(|e| {
                    // [k0 e5 e4 e3] for both k1.
                    let load = |k2: usize| {
                        // SAFETY: 32 bytes of the tiles e and e + 2 of the four.
                        let (x, y) = unsafe {
                            let near = tiles.add((4 * half + e) * stride + 64 * b + 32 * k2);
                            (_mm256_loadu_si256(near.cast()), _mm256_loadu_si256(near.add(2 * stride).cast()))
                        };
                        (_mm256_permute2x128_si256::<0x20>(x, y), _mm256_permute2x128_si256::<0x31>(x, y))
                    };
                    let ((x, z), (y, w)) = (load(0), load(1));
                    [
                        _mm256_unpacklo_epi8(y, x),
                        _mm256_unpackhi_epi8(y, x),
                        _mm256_unpacklo_epi8(w, z),
                        _mm256_unpackhi_epi8(w, z),
                    ]
                }))
            });
            // SAFETY: 256 elements of the destination.
            unsafe { put::<BYTES>(bytes, dst.add(256 * BYTES * half)) }
        }
    }
}

/// Exports the kernels of an element type.
macro_rules! export_slicings {
    ($element:ty, $slice:ident, $unslice:ident, $tile:ident, $untile:ident) => {
        avx2gfni! {
            pub unsafe extern "C" fn $slice(src: *const $element, chunks: usize, planes: *mut u8, stride: usize) {
                // SAFETY: the caller's contract, here and below.
                unsafe { slice::<{ size_of::<$element>() }>(src.cast(), chunks, planes, stride) }
            }

            pub unsafe extern "C" fn $unslice(planes: *const u8, stride: usize, chunks: usize, dst: *mut $element) {
                // SAFETY: as above.
                unsafe { unslice::<{ size_of::<$element>() }>(planes, stride, chunks, dst.cast()) }
            }

            pub unsafe extern "C" fn $tile(src: *const $element, chunks: usize, tiles: *mut u8, stride: usize) {
                // SAFETY: as above.
                unsafe { tile::<{ size_of::<$element>() }>(src.cast(), chunks, tiles, stride) }
            }

            pub unsafe extern "C" fn $untile(tiles: *const u8, stride: usize, chunks: usize, dst: *mut $element) {
                // SAFETY: as above.
                unsafe { untile::<{ size_of::<$element>() }>(tiles, stride, chunks, dst.cast()) }
            }
        }
    };
}

export_slicings! { u8, slice_u8, unslice_u8, tile_u8, untile_u8 }
export_slicings! { u16, slice_u16, unslice_u16, tile_u16, untile_u16 }
export_slicings! { u32, slice_u32, unslice_u32, tile_u32, untile_u32 }
export_slicings! { u64, slice_u64, unslice_u64, tile_u64, untile_u64 }
