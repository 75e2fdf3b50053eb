//! AVX-512 with VBMI and GFNI.

use core::arch::x86_64::*;

use crate::isa::avx512icl;

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
        const UNITS: [u64; 4] =
            [0x8040_2010_0804_0201, 0x4080_1020_0408_0102, 0x2010_8040_0201_0804, 0x1020_4080_0102_0408];
        _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(UNITS[rotation] as i64), x)
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

    /// See [`super::slice_u8()`].
    ///
    /// # Safety
    /// Same as there.
    pub unsafe extern "C" fn slice_u8(src: *const u8, chunks: usize, planes: *mut u8, stride: usize) {
        const TURN: [u8; 64] = index(7, [32, 16, 8, 4, 2, 1]);
        const GATHER: [[u8; 64]; 8] = {
            let mut indices = [[0; 64]; 8];
            let mut k = 0;
            while k < 8 {
                indices[k] = index(k as u8, [64, 2, 1, 32, 16, 8]);
                k += 1;
            }
            indices
        };
        for chunk in 0..chunks {
            let mut z = [_mm512_setzero_si512(); 8];
            for (i, z) in z.iter_mut().enumerate() {
                // SAFETY: 64 elements of the chunk.
                let x = unsafe { _mm512_loadu_si512(src.add(512 * chunk + 64 * i).cast()) };
                *z = diagonal(_mm512_permutexvar_epi8(vector(&TURN), x), i % 4);
            }
            exchange(&mut z, 2, 0xcccc_cccc_cccc_cccc);
            exchange(&mut z, 1, 0xaaaa_aaaa_aaaa_aaaa);
            for k in 0..8 {
                let x = _mm512_permutex2var_epi8(z[k % 4], vector(&GATHER[k]), z[k % 4 + 4]);
                // SAFETY: 64 bytes of a plane.
                unsafe { _mm512_storeu_si512(planes.add(k * stride + 64 * chunk).cast(), x) }
            }
        }
    }

    /// See [`super::slice_u32()`]. Makes the planes of the lower 16 bits, then those of the upper
    /// 16 bits. This doubles the loads, but the vectors fit into registers.
    ///
    /// # Safety
    /// Same as there.
    pub unsafe extern "C" fn slice_u32(src: *const u32, chunks: usize, planes: *mut u8, stride: usize) {
        const GATHER: [[u8; 64]; 8] = {
            let mut indices = [[0; 64]; 8];
            let mut k = 0;
            while k < 8 {
                indices[k] = index(2 * k as u8, [64, 4, 2, 1, 32, 16]);
                k += 1;
            }
            indices
        };
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

    /// Puts one byte of each of 256 elements together from the 8 planes at `planes`, 64 in a
    /// vector. Bits e7 e6 number the vectors. The position of a byte is e5 e4 e3 e2 e1 e0, with e5
    /// flipped if `odd` is 1.
    ///
    /// # Safety
    /// 32 bytes of each plane are readable.
    #[inline]
    unsafe fn bytes_of_planes(planes: *const u8, stride: usize, odd: usize) -> [__m512i; 4] {
        const PAIR: [[u8; 64]; 2] = [index(64, [4, 2, 16, 8, 1, 64]), index(68, [4, 2, 16, 8, 1, 64])];
        let mut z = [_mm512_setzero_si512(); 4];
        for (i, z) in z.iter_mut().enumerate() {
            // SAFETY: the caller's contract.
            let half = |k: usize| _mm512_castsi256_si512(unsafe { _mm256_loadu_si256(planes.add(k * stride).cast()) });
            *z = _mm512_permutex2var_epi8(half(3 - i), vector(&PAIR[odd]), half(7 - i));
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

    /// See [`super::tile_u8()`].
    ///
    /// # Safety
    /// Same as there.
    pub unsafe extern "C" fn tile_u8(src: *const u8, chunks: usize, tiles: *mut u8, stride: usize) {
        let turn = vector(&const { index(7, [32, 16, 8, 4, 2, 1]) });
        let order = vector(&const { index(0, [4, 2, 1, 32, 16, 8]) });
        for tile in 0..8 * chunks {
            // SAFETY: 64 elements, and a tile.
            unsafe {
                let x = _mm512_loadu_si512(src.add(64 * tile).cast());
                let x = diagonal(_mm512_permutexvar_epi8(turn, x), 0);
                _mm512_storeu_si512(tiles.add(tile * stride).cast(), _mm512_permutexvar_epi8(order, x));
            }
        }
    }

    /// See [`super::untile_u8()`].
    ///
    /// # Safety
    /// Same as there.
    pub unsafe extern "C" fn untile_u8(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
        let order = vector(&const { index(56, [4, 2, 1, 32, 16, 8]) });
        for tile in 0..8 * chunks {
            // SAFETY: a tile, and 64 elements.
            unsafe {
                let x = _mm512_loadu_si512(tiles.add(tile * stride).cast());
                _mm512_storeu_si512(dst.add(64 * tile).cast(), diagonal(_mm512_permutexvar_epi8(order, x), 0));
            }
        }
    }

    /// Cuts tiles or puts them together, 4 vectors at a time. Both bits of the vector number are
    /// exchanged with bits of the byte position: bit 0 before the octets are transposed, bit 1
    /// after. The bit that replaced bit 0 becomes bit 1.
    ///
    /// # Safety
    /// `src` points to `tiles` times 256 readable bytes, `src_stride` bytes apart, `dst` to as many
    /// writable ones, `dst_stride` bytes apart.
    #[inline]
    unsafe fn tiles_u32(
        (src, src_stride): (*const u8, usize),
        (dst, dst_stride): (*mut u8, usize),
        tiles: usize,
        before: &[[u8; 64]; 2],
        after: &[[u8; 64]; 2],
    ) {
        for tile in 0..tiles {
            // SAFETY: the vectors of a tile.
            let z: [__m512i; 4] = unsafe { src.add(tile * src_stride).cast::<[__m512i; 4]>().read_unaligned() };
            let [a, b] = choose(z[0], z[1], before);
            let [c, d] = choose(z[2], z[3], before);
            let [p, q] = choose(diagonal(a, 0), diagonal(c, 0), after);
            let [r, s] = choose(diagonal(b, 0), diagonal(d, 0), after);
            // SAFETY: the four vectors of a tile.
            unsafe { dst.add(tile * dst_stride).cast::<[__m512i; 4]>().write_unaligned([p, q, r, s]) }
        }
    }

    /// See [`super::tile_u32()`].
    ///
    /// # Safety
    /// Same as there.
    pub unsafe extern "C" fn tile_u32(src: *const u32, chunks: usize, tiles: *mut u8, stride: usize) {
        const AFTER: [[u8; 64]; 2] = [index(0, [4, 2, 1, 64, 32, 16]), index(8, [4, 2, 1, 64, 32, 16])];
        // SAFETY: the caller's contract.
        unsafe { tiles_u32((src.cast(), 256), (tiles, stride), 8 * chunks, &SPLIT, &AFTER) }
    }

    /// See [`super::untile_u32()`].
    ///
    /// # Safety
    /// Same as there.
    pub unsafe extern "C" fn untile_u32(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u32) {
        const BEFORE: [[u8; 64]; 2] = [index(56, [64, 2, 1, 32, 16, 8]), index(60, [64, 2, 1, 32, 16, 8])];
        // SAFETY: the caller's contract.
        unsafe { tiles_u32((tiles, stride), (dst.cast(), 256), 8 * chunks, &BEFORE, &JOIN) }
    }
}
