//! AVX-512 with VBMI and GFNI: rows, and the steps that rows and tiles share.

use core::arch::x86_64::*;

use crate::frame::isa::avx512icl;

mod tiles;
pub use tiles::*;

// Bits e8 .. e0 number an element in its chunk. Bits b1 b0 (byte of the element) and k2 k1 k0 (bit
// of the byte) number a plane. A step exchanges a bit that numbers vectors with a bit that numbers
// the bytes of a vector.

/// The indices of a byte permutation that is affine over GF(2): position 0 takes byte `first`, and
/// a 1 in bit 5 - j of the position flips the bits `weights[j]` of the index. Indices from 64 on
/// select bytes of a second vector.
const fn index(first: u8, weights: [u8; 6]) -> [u8; 64] {
    let mut bytes = [first; 64];
    let mut at = 0;
    while at < 6 * 64 {
        let (place, j) = (at / 6, at % 6);
        if place >> (5 - j) & 1 != 0 {
            bytes[place] ^= weights[j];
        }
        at += 1;
    }
    bytes
}

/// Brings e4 in and b1 out: the bytes of one b1 and either b0, from two vectors of elements. The
/// order in each octet suits [`diagonal`].
const SPLIT: [[u8; 64]; 2] = [index(28, [64, 32, 1, 16, 8, 4]), index(30, [64, 32, 1, 16, 8, 4])];

/// The inverse of [`SPLIT`], after [`diagonal`]: brings b1 in and e4 out.
const JOIN: [[u8; 64]; 2] = [index(0, [8, 4, 2, 1, 64, 32]), index(16, [8, 4, 2, 1, 64, 32])];

/// For elements of two bytes, [`SPLIT_PAIR`] brings e5 in and b0 out, [`JOIN_PAIR`] b0 in and e5 out.
const SPLIT_PAIR: [[u8; 64]; 2] = [index(14, [64, 32, 16, 8, 4, 2]), index(15, [64, 32, 16, 8, 4, 2])];
const JOIN_PAIR: [[u8; 64]; 2] = [index(0, [16, 8, 4, 2, 1, 64]), index(32, [16, 8, 4, 2, 1, 64])];

/// For each i, `index(first ^ i * weight, weights)`.
const fn indices(first: u8, weight: u8, weights: [u8; 6]) -> [[u8; 64]; 8] {
    let mut all = [[0; 64]; 8];
    let mut i = 0;
    while i < 8 {
        all[i] = index(first ^ (i as u8 * weight), weights);
        i += 1;
    }
    all
}

avx512icl! {
    #[inline]
    fn vector(bytes: &[u8; 64]) -> __m512i {
        // SAFETY: 64 bytes.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    /// Two permutations of the bytes of two vectors.
    #[inline]
    fn choose(a: __m512i, b: __m512i, indices: &[[u8; 64]; 2]) -> [__m512i; 2] {
        [_mm512_permutex2var_epi8(a, vector(&indices[0]), b), _mm512_permutex2var_epi8(a, vector(&indices[1]), b)]
    }

    /// Bit j of byte i of each qword becomes bit 7 - i of its byte `j ^ rotation`.
    #[inline]
    fn diagonal(x: __m512i, rotation: usize) -> __m512i {
        const IDENTITY: u64 = 0x8040_2010_0804_0201;
        // Byte i is 1 << (i ^ rotation).
        let unit = match rotation {
            0 => IDENTITY,
            1 => 0x4080_1020_0408_0102,
            2 => 0x2010_8040_0201_0804,
            3 => 0x1020_4080_0102_0408,
            4 => IDENTITY.rotate_left(32),
            5 => 0x0408_0102_4080_1020,
            6 => 0x0201_0804_2010_8040,
            _ => IDENTITY.swap_bytes(),
        };
        _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(unit as i64), x)
    }

    /// Exchanges the bytes where the mask is 1 between vectors whose numbers differ in `bit`.
    #[inline]
    fn exchange<const N: usize>(z: &mut [__m512i; N], bit: usize, mask: __mmask64) {
        for pairs in z.chunks_exact_mut(2 * bit) {
            let (first, second) = pairs.split_at_mut(bit);
            for (a, b) in first.iter_mut().zip(second) {
                (*a, *b) = (_mm512_mask_blend_epi8(mask, *a, *b), _mm512_mask_blend_epi8(mask, *b, *a));
            }
        }
    }

    /// Interleaves vectors whose numbers differ in `bit`. That bit becomes bit 0 of a byte's
    /// position in its 16 bytes, bits 0 .. 2 of the position move up, and bit 3 becomes `bit` of
    /// the number.
    #[inline]
    fn interleave<const N: usize>(z: &mut [__m512i; N], bit: usize) {
        for pairs in z.chunks_exact_mut(2 * bit) {
            let (first, second) = pairs.split_at_mut(bit);
            for (a, b) in first.iter_mut().zip(second) {
                (*a, *b) = (_mm512_unpacklo_epi8(*a, *b), _mm512_unpackhi_epi8(*a, *b));
            }
        }
    }

    /// Slices a byte of 512 elements: `load(i)` are its bits in elements 64 i .., in the order of
    /// `index(7, [32, 16, 8, 4, 2, 1])`.
    ///
    /// # Safety
    /// 64 bytes of each plane are writable.
    #[inline]
    unsafe fn slice_bytes(load: impl Fn(usize) -> __m512i, planes: *mut u8, stride: usize) {
        const GATHER: [[u8; 64]; 8] = indices(0, 1, [64, 2, 1, 32, 16, 8]);
        let mut z = core::array::from_fn::<_, 8, _>(|i| diagonal(load(i), i % 4));
        exchange(&mut z, 2, 0xcccc_cccc_cccc_cccc);
        exchange(&mut z, 1, 0xaaaa_aaaa_aaaa_aaaa);
        for k in 0..8 {
            let x = _mm512_permutex2var_epi8(z[k % 4], vector(&GATHER[k]), z[k % 4 + 4]);
            // SAFETY: 64 bytes of a plane.
            unsafe { _mm512_storeu_si512(planes.add(k * stride).cast(), x) }
        }
    }

    /// See [`super::slice_u8()`].
    ///
    /// # Safety
    /// Same as there.
    pub unsafe extern "C" fn slice_u8(src: *const u8, chunks: usize, planes: *mut u8, stride: usize) {
        const TURN: [u8; 64] = index(7, [32, 16, 8, 4, 2, 1]);
        for chunk in 0..chunks {
            let load = |i| {
                // SAFETY: 64 elements of the chunk.
                let x = unsafe { _mm512_loadu_si512(src.add(512 * chunk + 64 * i).cast()) };
                _mm512_permutexvar_epi8(vector(&TURN), x)
            };
            // SAFETY: 64 bytes of each plane.
            unsafe { slice_bytes(load, planes.add(64 * chunk), stride) }
        }
    }

    /// See [`super::slice_u16()`].
    ///
    /// # Safety
    /// Same as there.
    pub unsafe extern "C" fn slice_u16(src: *const u16, chunks: usize, planes: *mut u8, stride: usize) {
        for chunk in 0..chunks {
            for (byte, split) in SPLIT_PAIR.iter().enumerate() {
                let load = |i| {
                    // SAFETY: 64 elements of the chunk.
                    let (a, b) = unsafe {
                        let x = src.add(512 * chunk + 64 * i);
                        (_mm512_loadu_si512(x.cast()), _mm512_loadu_si512(x.add(32).cast()))
                    };
                    _mm512_permutex2var_epi8(a, vector(split), b)
                };
                // SAFETY: 64 bytes of each plane.
                unsafe { slice_bytes(load, planes.add(8 * byte * stride + 64 * chunk), stride) }
            }
        }
    }

    /// See [`super::slice_u32()`]. Makes the planes of the lower 16 bits, then those of the upper
    /// 16 bits. This doubles the loads, but the vectors fit into registers.
    ///
    /// # Safety
    /// Same as there.
    pub unsafe extern "C" fn slice_u32(src: *const u32, chunks: usize, planes: *mut u8, stride: usize) {
        const GATHER: [[u8; 64]; 8] = indices(0, 2, [64, 4, 2, 1, 32, 16]);
        for chunk in 0..chunks {
            for (half, split) in SPLIT.iter().enumerate() {
                let mut z = [_mm512_setzero_si512(); 16];
                for (i, z) in z.iter_mut().enumerate() {
                    // SAFETY: 32 elements of the chunk.
                    let (a, b) = unsafe {
                        let x = src.add(512 * chunk + 32 * i);
                        (_mm512_loadu_si512(x.cast()), _mm512_loadu_si512(x.add(16).cast()))
                    };
                    *z = diagonal(_mm512_permutex2var_epi8(a, vector(split), b), i / 2 % 4);
                }
                exchange(&mut z, 4, 0xcccc_cccc_cccc_cccc);
                exchange(&mut z, 2, 0xaaaa_aaaa_aaaa_aaaa);
                interleave(&mut z, 1);
                for j in 0..16 {
                    let i = j % 4 * 2 + j / 8;
                    let x = _mm512_permutex2var_epi8(z[i], vector(&GATHER[j % 8]), z[i + 8]);
                    // SAFETY: 64 bytes of a plane.
                    unsafe { _mm512_storeu_si512(planes.add((16 * half + j) * stride + 64 * chunk).cast(), x) }
                }
            }
        }
    }

    /// Transposes a matrix of 64 x 64 bits: 64 elements of 8 bytes to their tile, or back. Flips the
    /// bits `rotation` of the index of a row in its eight rows. Blends exchange
    /// the number of a vector with the upper bits of the position of a byte; bytes to exchange have
    /// the same position, since these bits are `i ^ number` instead of `i`.
    #[inline]
    fn transpose(rows: [__m512i; 8], rotation: usize) -> [__m512i; 8] {
        const BEFORE: [[u8; 64]; 8] = indices(56, 1, [4, 2, 1, 32, 16, 8]);
        const AFTER: [[u8; 64]; 8] = indices(0, 8, [4, 2, 1, 32, 16, 8]);
        let mut z: [_; 8] =
            core::array::from_fn(|i| diagonal(_mm512_permutexvar_epi8(vector(&BEFORE[i]), rows[i]), rotation));
        exchange_upper(&mut z);
        core::array::from_fn(|i| _mm512_permutexvar_epi8(vector(&AFTER[i]), z[i]))
    }

    /// Exchanges the number of a vector with bits 5 to 3 of the position of a byte.
    #[inline]
    fn exchange_upper(z: &mut [__m512i; 8]) {
        exchange(z, 4, 0xffff_ffff_0000_0000);
        exchange(z, 2, 0xffff_0000_ffff_0000);
        exchange(z, 1, 0xff00_ff00_ff00_ff00);
    }

    /// Swaps the 8-byte words whose numbers differ by `flips`.
    #[inline]
    fn flip_words(x: __m512i, flips: usize) -> __m512i {
        let numbers = _mm512_xor_si512(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(flips as i64));
        _mm512_permutexvar_epi64(numbers, x)
    }

    /// See [`super::slice_u64()`].
    ///
    /// # Safety
    /// Same as there.
    pub unsafe extern "C" fn slice_u64(src: *const u64, chunks: usize, planes: *mut u8, stride: usize) {
        for chunk in 0..chunks {
            let mut tiles = [[_mm512_setzero_si512(); 8]; 8];
            for (t, tile) in tiles.iter_mut().enumerate() {
                // SAFETY: 64 elements of the chunk.
                let rows = unsafe { src.add(512 * chunk + 64 * t).cast::<[__m512i; 8]>().read_unaligned() };
                *tile = transpose(rows, t);
            }
            for b in 0..8 {
                let mut z = tiles.map(|tile| tile[b]);
                exchange_upper(&mut z);
                for (k, z) in z.into_iter().enumerate() {
                    // SAFETY: 64 bytes of a plane.
                    unsafe {
                        let plane = planes.add((8 * b + k) * stride + 64 * chunk);
                        _mm512_storeu_si512(plane.cast(), flip_words(z, k))
                    }
                }
            }
        }
    }

    /// Puts one byte of each of 256 elements together from the 8 planes at `planes`, 64 in a
    /// vector. Bits e7 e6 number the vectors. The position of a byte is e5 e4 e3 e2 e1 e0 for the
    /// first order, the same with e5 flipped for the second, e4 e3 e5 e2 e1 e0 for the third.
    ///
    /// # Safety
    /// 32 bytes of each plane are readable.
    #[inline]
    unsafe fn bytes_of_planes(planes: *const u8, stride: usize, order: usize) -> [__m512i; 4] {
        const PAIR: [[u8; 64]; 3] = [
            index(64, [4, 2, 16, 8, 1, 64]),
            index(68, [4, 2, 16, 8, 1, 64]),
            index(64, [2, 1, 16, 8, 4, 64]),
        ];
        let mut z = [_mm512_setzero_si512(); 4];
        for (i, z) in z.iter_mut().enumerate() {
            // SAFETY: the caller's contract.
            let half = |k: usize| _mm512_castsi256_si512(unsafe { _mm256_loadu_si256(planes.add(k * stride).cast()) });
            *z = _mm512_permutex2var_epi8(half(3 - i), vector(&PAIR[order]), half(7 - i));
        }
        interleave(&mut z, 2);
        interleave(&mut z, 1);
        z.map(|z| diagonal(z, 0))
    }

    /// See [`super::unslice_u8()`].
    ///
    /// # Safety
    /// Same as there.
    pub unsafe extern "C" fn unslice_u8(planes: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
        for half in 0..2 * chunks {
            // SAFETY: half a chunk of each plane, and of the elements.
            unsafe {
                let z = bytes_of_planes(planes.add(32 * half), stride, 0);
                for (i, z) in z.into_iter().enumerate() {
                    _mm512_storeu_si512(dst.add(256 * half + 64 * i).cast(), z);
                }
            }
        }
    }

    /// See [`super::unslice_u16()`].
    ///
    /// # Safety
    /// Same as there.
    pub unsafe extern "C" fn unslice_u16(planes: *const u8, stride: usize, chunks: usize, dst: *mut u16) {
        for half in 0..2 * chunks {
            // SAFETY: half a chunk of each plane.
            let bytes = |b: usize| unsafe { bytes_of_planes(planes.add(8 * b * stride + 32 * half), stride, 2) };
            let (low, high) = (bytes(0), bytes(1));
            for i in 0..4 {
                let pair = [_mm512_unpacklo_epi8(low[i], high[i]), _mm512_unpackhi_epi8(low[i], high[i])];
                for (e5, x) in pair.into_iter().enumerate() {
                    // SAFETY: 32 elements of half a chunk.
                    unsafe { _mm512_storeu_si512(dst.add(256 * half + 64 * i + 32 * e5).cast(), x) }
                }
            }
        }
    }

    /// See [`super::unslice_u32()`].
    ///
    /// # Safety
    /// Same as there.
    pub unsafe extern "C" fn unslice_u32(planes: *const u8, stride: usize, chunks: usize, dst: *mut u32) {
        const ODD: [[u8; 64]; 2] = [index(32, [8, 4, 2, 1, 64, 32]), index(48, [8, 4, 2, 1, 64, 32])];
        for half in 0..2 * chunks {
            let mut z = [_mm512_setzero_si512(); 16];
            for (b, z) in z.chunks_exact_mut(4).enumerate() {
                // SAFETY: half a chunk of each plane.
                z.copy_from_slice(&unsafe { bytes_of_planes(planes.add(8 * b * stride + 32 * half), stride, b % 2) });
            }
            exchange(&mut z, 4, 0xffff_ffff_0000_0000);
            for i in 0..8 {
                let pair = choose(z[i], z[i + 8], if i < 4 { &JOIN } else { &ODD });
                for (e4, x) in pair.into_iter().enumerate() {
                    // SAFETY: 16 elements of half a chunk.
                    unsafe { _mm512_storeu_si512(dst.add(256 * half + 16 * (i % 4 * 4 + i / 4 * 2 + e4)).cast(), x) }
                }
            }
        }
    }
}
