//! AVX2.

use core::arch::x86_64::*;

use super::scalar::pick_octets;
use crate::isa::avx2;

/// Eight vectors, 2048 bits. The address of a bit has 11 bits: three are the number of the vector,
/// eight the position inside it. A level exchanges a bit of the number with a bit of the position.
type Eight = [__m256i; 8];

avx2! {
    /// One level: applies `exchange` to every two vectors whose numbers differ in the bit `at`.
    #[inline]
    fn level(x: &mut [__m256i], at: usize, exchange: impl Fn(__m256i, __m256i) -> (__m256i, __m256i)) {
        for i in 0..x.len() {
            if i & at == 0 {
                (x[i], x[i | at]) = exchange(x[i], x[i | at]);
            }
        }
    }

    /// In every byte, exchanges the bits of `b` at `MASK` with the bits of `a` that are `SHIFT`
    /// places higher.
    #[inline]
    fn bits<const SHIFT: i32, const MASK: i8>(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        let differ = _mm256_xor_si256(_mm256_srli_epi16::<SHIFT>(a), b);
        let differ = _mm256_and_si256(differ, _mm256_set1_epi8(MASK));
        (_mm256_xor_si256(a, _mm256_slli_epi16::<SHIFT>(differ)), _mm256_xor_si256(b, differ))
    }

    /// Exchanges bit 0 of the position (of a bit in its byte) with the bit `at` of the number.
    /// `bits2` and `bits4` exchange bits 1 and 2 of the position.
    #[inline]
    fn bits1(x: &mut Eight, at: usize) {
        level(x, at, |a, b| bits::<1, 0x55>(a, b));
    }

    #[inline]
    fn bits2(x: &mut Eight, at: usize) {
        level(x, at, |a, b| bits::<2, 0x33>(a, b));
    }

    #[inline]
    fn bits4(x: &mut Eight, at: usize) {
        level(x, at, |a, b| bits::<4, 0x0f>(a, b));
    }

    /// Interleaves bytes: the bit `at` of the number becomes the lowest bit of the byte's position
    /// in its half, and the highest bit of that position becomes the bit `at`. `words`, `dwords`
    /// and `qwords` insert it one, two and three bits higher.
    #[inline]
    fn bytes(x: &mut [__m256i], at: usize) {
        level(x, at, |a, b| (_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b)));
    }

    #[inline]
    fn words(x: &mut [__m256i], at: usize) {
        level(x, at, |a, b| (_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)));
    }

    #[inline]
    fn dwords(x: &mut [__m256i], at: usize) {
        level(x, at, |a, b| (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)));
    }

    #[inline]
    fn qwords(x: &mut [__m256i], at: usize) {
        level(x, at, |a, b| (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)));
    }

    /// Exchanges the bit `at` of the number with the bit that selects the half of a vector.
    #[inline]
    fn halves(x: &mut Eight, at: usize) {
        level(x, at, |a, b| (_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b)));
    }

    /// # Safety
    /// `from` points to 32 readable bytes.
    #[inline]
    unsafe fn load(from: *const u8) -> __m256i {
        // SAFETY: the caller's contract.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    /// # Safety
    /// `low` and `high` point to 16 readable bytes each.
    #[inline]
    unsafe fn load_halves(low: *const u8, high: *const u8) -> __m256i {
        // SAFETY: the caller's contract.
        unsafe { _mm256_loadu2_m128i(high.cast(), low.cast()) }
    }

    /// # Safety
    /// `to` points to 32 writable bytes.
    #[inline]
    unsafe fn store(to: *mut u8, x: __m256i) {
        // SAFETY: the caller's contract.
        unsafe { _mm256_storeu_si256(to.cast(), x) }
    }
}

/// The sum of the weights of the 1 bits of `i`: `a` for bit 2, `b` for bit 1, `c` for bit 0.
fn place(i: usize, a: usize, b: usize, c: usize) -> usize {
    (i >> 2) * a + (i >> 1 & 1) * b + (i & 1) * c
}

avx2! {
    /// Here and below, a comment beside each level names the address bits after it, highest first:
    /// the number of the vector, then `half|byte in the half|bit in the byte`. Bits e number the
    /// element, bits b the byte of an element, bits k the bit of a byte.
    pub unsafe extern "C" fn tile_u32(src: *const u32, chunks: usize, tiles: *mut u8, stride: usize) {
        for t in 0..8 * chunks {
            // SAFETY: 64 elements of the source, one tile.
            let (src, tile) = unsafe { (src.cast::<u8>().add(256 * t), tiles.add(t * stride)) };
            // SAFETY: each i reads 32 of the 256 bytes of these 64 elements.
            let mut x: Eight = core::array::from_fn(|i| unsafe { load(src.add(32 * i)) }); // e5 e4 e3: e2|e1 e0 b1 b0|k2 k1 k0
            bytes(&mut x, 2); // e5 e1 e3: e2|e0 b1 b0 e4|k2 k1 k0
            bytes(&mut x, 1); // e5 e1 e0: e2|b1 b0 e4 e3|k2 k1 k0
            bits1(&mut x, 1); // e5 e1 k0: e2|b1 b0 e4 e3|k2 k1 e0
            bits2(&mut x, 2); // e5 k1 k0: e2|b1 b0 e4 e3|k2 e1 e0
            halves(&mut x, 2); // e5 e2 k0: k1|b1 b0 e4 e3|k2 e1 e0
            dwords(&mut x, 4); // b1 e2 k0: k1|b0 e5 e4 e3|k2 e1 e0
            bits4(&mut x, 2); // b1 k2 k0: k1|b0 e5 e4 e3|e2 e1 e0
            qwords(&mut x, 1); // b1 k2 b0: k1|k0 e5 e4 e3|e2 e1 e0
            for (i, &x) in x.iter().enumerate() {
                // SAFETY: `place` gives the 8 words of 32 bytes of this tile, each once.
                unsafe { store(tile.add(place(i, 128, 32, 64)), x) }
            }
        }
    }

    pub unsafe extern "C" fn untile_u32(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u32) {
        for t in 0..8 * chunks {
            // SAFETY: one tile, 64 elements of the destination.
            let (tile, dst) = unsafe { (tiles.add(t * stride), dst.cast::<u8>().add(256 * t)) };
            // SAFETY: `place` gives the 8 words of 32 bytes of this tile.
            let mut x: Eight = core::array::from_fn(|i| unsafe { load(tile.add(place(i, 32, 128, 64))) });
            bytes(&mut x, 2); // k2 k0 b0: k1|e5 e4 e3 b1|e2 e1 e0
            bytes(&mut x, 1); // k2 k0 e5: k1|e4 e3 b1 b0|e2 e1 e0
            bits4(&mut x, 4); // e2 k0 e5: k1|e4 e3 b1 b0|k2 e1 e0
            halves(&mut x, 4); // k1 k0 e5: e2|e4 e3 b1 b0|k2 e1 e0
            bits2(&mut x, 4); // e1 k0 e5: e2|e4 e3 b1 b0|k2 k1 e0
            bits1(&mut x, 2); // e1 e0 e5: e2|e4 e3 b1 b0|k2 k1 k0
            dwords(&mut x, 4); // e4 e0 e5: e2|e3 e1 b1 b0|k2 k1 k0
            dwords(&mut x, 2); // e4 e3 e5: e2|e1 e0 b1 b0|k2 k1 k0
            for (i, &x) in x.iter().enumerate() {
                // SAFETY: `place` gives 8 times 32 of the 256 bytes of these 64 elements, each
                // once.
                unsafe { store(dst.add(place(i, 64, 32, 128)), x) }
            }
        }
    }

    /// 256 elements at a time: four groups of eight vectors, each as in a tile, then the vectors of
    /// one number from all four groups.
    pub unsafe extern "C" fn slice_u32(src: *const u32, chunks: usize, planes: *mut u8, stride: usize) {
        for half in 0..2 * chunks {
            // SAFETY: 256 elements of the source, 32 bytes of each plane.
            let (src, planes) = unsafe { (src.cast::<u8>().add(1024 * half), planes.add(32 * half)) };
            let quarters: [Eight; 4] = core::array::from_fn(|quarter| {
                let from = |i| 128 * quarter + place(i, 16, 64, 32);
                // SAFETY: 16 bytes at `from(i)` and 16 at 512 more lie in the 1024 bytes of this
                // half.
                let mut x: Eight =
                    core::array::from_fn(|i| unsafe { load_halves(src.add(from(i)), src.add(512 + from(i))) }); // e2 e4 e3: e7|e1 e0 b1 b0|k2 k1 k0
                bytes(&mut x, 2); // e2 e1 e3: e7|e0 b1 b0 e4|k2 k1 k0
                bytes(&mut x, 1); // e2 e1 e0: e7|b1 b0 e4 e3|k2 k1 k0
                bits1(&mut x, 1);
                bits2(&mut x, 2);
                bits4(&mut x, 4); // k2 k1 k0: e7|b1 b0 e4 e3|e2 e1 e0
                x
            });
            for k in 0..8 {
                let mut x = quarters.map(|x| x[k]); // e6 e5: e7|b1 b0 e4 e3|e2 e1 e0
                dwords(&mut x, 1); // e6 b1: e7|b0 e5 e4 e3|e2 e1 e0
                qwords(&mut x, 2); // b0 b1: e7|e6 e5 e4 e3|e2 e1 e0
                for (i, &x) in x.iter().enumerate() {
                    // SAFETY: plane `place` + k is one of the 32, which have 32 bytes for this
                    // half.
                    unsafe { store(planes.add((place(i, 0, 8, 16) + k) * stride), x) }
                }
            }
        }
    }

    pub unsafe extern "C" fn unslice_u32(planes: *const u8, stride: usize, chunks: usize, dst: *mut u32) {
        for half in 0..2 * chunks {
            // SAFETY: 32 bytes of each plane, 256 elements of the destination.
            let (planes, dst) = unsafe { (planes.add(32 * half), dst.cast::<u8>().add(1024 * half)) };
            let groups: [[__m256i; 4]; 8] = core::array::from_fn(|k| {
                // SAFETY: planes 8 b + k have 32 bytes for this half.
                let mut x: [__m256i; 4] = core::array::from_fn(|b| unsafe { load(planes.add((8 * b + k) * stride)) });
                bytes(&mut x, 2); // e6 b0: e7|e5 e4 e3 b1|e2 e1 e0
                bytes(&mut x, 1); // e6 e5: e7|e4 e3 b1 b0|e2 e1 e0
                x
            });
            for quarter in 0..4 {
                let mut x = groups.map(|x| x[quarter]);
                bits1(&mut x, 1);
                bits2(&mut x, 2);
                bits4(&mut x, 4); // e2 e1 e0: e7|e4 e3 b1 b0|k2 k1 k0
                dwords(&mut x, 2); // e2 e4 e0: e7|e3 e1 b1 b0|k2 k1 k0
                dwords(&mut x, 1); // e2 e4 e3: e7|e1 e0 b1 b0|k2 k1 k0
                halves(&mut x, 4); // e7 e4 e3: e2|e1 e0 b1 b0|k2 k1 k0
                for (i, &x) in x.iter().enumerate() {
                    // SAFETY: `place` gives 32 bytes in a quarter of the 1024 bytes of this half.
                    unsafe { store(dst.add(128 * quarter + place(i, 512, 64, 32)), x) }
                }
            }
        }
    }

    /// Loads 256 elements. Each vector takes 16 from either half of them.
    ///
    /// # Safety
    /// `src` points to 256 readable bytes.
    #[inline]
    unsafe fn load_bytes(src: *const u8) -> Eight {
        // SAFETY: the caller's contract.
        core::array::from_fn(|i| unsafe { load_halves(src.add(16 * i), src.add(128 + 16 * i)) })
    }

    pub unsafe extern "C" fn slice_u8(src: *const u8, chunks: usize, planes: *mut u8, stride: usize) {
        for half in 0..2 * chunks {
            // SAFETY: 256 elements of the source, 32 bytes of each plane.
            let (src, planes) = unsafe { (src.add(256 * half), planes.add(32 * half)) };
            // SAFETY: `load_bytes` reads the 256 bytes of these elements.
            let mut x = unsafe { load_bytes(src) }; // e6 e5 e4: e7|e3 e2 e1 e0|k2 k1 k0
            bytes(&mut x, 4); // e3 e5 e4: e7|e2 e1 e0 e6|k2 k1 k0
            bytes(&mut x, 2); // e3 e2 e4: e7|e1 e0 e6 e5|k2 k1 k0
            bytes(&mut x, 1); // e3 e2 e1: e7|e0 e6 e5 e4|k2 k1 k0
            bytes(&mut x, 4); // e0 e2 e1: e7|e6 e5 e4 e3|k2 k1 k0
            bits1(&mut x, 4);
            bits2(&mut x, 1);
            bits4(&mut x, 2); // k0 k2 k1: e7|e6 e5 e4 e3|e2 e1 e0
            for (i, &x) in x.iter().enumerate() {
                // SAFETY: `place` gives the 8 planes, which have 32 bytes for this half.
                unsafe { store(planes.add(place(i, 1, 4, 2) * stride), x) }
            }
        }
    }

    pub unsafe extern "C" fn tile_u8(src: *const u8, chunks: usize, tiles: *mut u8, stride: usize) {
        // Moves bytes from positions e3 e2 e1 e0 to positions e2 e0 e1 e3.
        let order = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 8, 2, 10, 1, 9, 3, 11, 4, 12, 6, 14, 5, 13, 7, 15));
        for half in 0..2 * chunks {
            // SAFETY: 256 elements of the source, four tiles.
            let (src, tiles) = unsafe { (src.add(256 * half), tiles.add(4 * half * stride)) };
            // SAFETY: `load_bytes` reads the 256 bytes of these elements.
            let mut x = unsafe { load_bytes(src) }.map(|x| _mm256_shuffle_epi8(x, order)); // e6 e5 e4: e7|e2 e0 e1 e3|k2 k1 k0
            words(&mut x, 2); // e6 e2 e4: e7|e0 e1 e5 e3|k2 k1 k0
            words(&mut x, 1); // e6 e2 e0: e7|e1 e5 e4 e3|k2 k1 k0
            bits1(&mut x, 1); // e6 e2 k0: e7|e1 e5 e4 e3|k2 k1 e0
            qwords(&mut x, 1); // e6 e2 e1: e7|k0 e5 e4 e3|k2 k1 e0
            bits2(&mut x, 1); // e6 e2 k1: e7|k0 e5 e4 e3|k2 e1 e0
            bits4(&mut x, 2); // e6 k2 k1: e7|k0 e5 e4 e3|e2 e1 e0
            halves(&mut x, 1); // e6 k2 e7: k1|k0 e5 e4 e3|e2 e1 e0
            for (i, &x) in x.iter().enumerate() {
                // SAFETY: `place` gives 32 of the 64 bytes of each of the four tiles, each once.
                unsafe { store(tiles.add(place(i, 1, 0, 2) * stride + place(i, 0, 32, 0)), x) }
            }
        }
    }

    /// The inverse of [`load_bytes`], for vectors numbered e4 e5 e6.
    ///
    /// # Safety
    /// `dst` points to 256 writable bytes.
    #[inline]
    unsafe fn store_bytes(dst: *mut u8, mut x: Eight) {
        halves(&mut x, 4); // e7 e5 e6: e4|e3 e2 e1 e0|k2 k1 k0
        for (i, &x) in x.iter().enumerate() {
            // SAFETY: the caller's contract.
            unsafe { store(dst.add(place(i, 128, 32, 64)), x) }
        }
    }

    pub unsafe extern "C" fn unslice_u8(planes: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
        for half in 0..2 * chunks {
            // SAFETY: 32 bytes of each plane, 256 elements of the destination.
            let (planes, dst) = unsafe { (planes.add(32 * half), dst.add(256 * half)) };
            // SAFETY: `place` gives the 8 planes, which have 32 bytes for this half.
            let mut x: Eight = core::array::from_fn(|i| unsafe { load(planes.add(place(i, 1, 4, 2) * stride)) }); // k0 k2 k1: e7|e6 e5 e4 e3|e2 e1 e0
            bits2(&mut x, 1); // k0 k2 e1: e7|e6 e5 e4 e3|e2 k1 e0
            bytes(&mut x, 1); // k0 k2 e6: e7|e5 e4 e3 e1|e2 k1 e0
            bits4(&mut x, 2); // k0 e2 e6: e7|e5 e4 e3 e1|k2 k1 e0
            words(&mut x, 2); // k0 e5 e6: e7|e4 e3 e2 e1|k2 k1 e0
            bits1(&mut x, 4); // e0 e5 e6: e7|e4 e3 e2 e1|k2 k1 k0
            bytes(&mut x, 4); // e4 e5 e6: e7|e3 e2 e1 e0|k2 k1 k0
            // SAFETY: `store_bytes` writes the 256 bytes of these elements.
            unsafe { store_bytes(dst, x) }
        }
    }

    pub unsafe extern "C" fn untile_u8(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
        for half in 0..2 * chunks {
            // SAFETY: four tiles, 256 elements of the destination.
            let (tiles, dst) = unsafe { (tiles.add(4 * half * stride), dst.add(256 * half)) };
            let mut x: Eight = core::array::from_fn(|i| {
                let from = place(i, 0, 0, 1) * stride + place(i, 16, 32, 0);
                // SAFETY: 16 bytes of one tile and 16 of the tile two later, of the four of this
                // half.
                unsafe { load_halves(tiles.add(from), tiles.add(from + 2 * stride)) }
            }); // k1 k2 e6: e7|k0 e5 e4 e3|e2 e1 e0
            bits2(&mut x, 4); // e1 k2 e6: e7|k0 e5 e4 e3|e2 k1 e0
            bytes(&mut x, 4); // k0 k2 e6: e7|e5 e4 e3 e1|e2 k1 e0
            bits4(&mut x, 2); // k0 e2 e6: e7|e5 e4 e3 e1|k2 k1 e0
            words(&mut x, 2); // k0 e5 e6: e7|e4 e3 e2 e1|k2 k1 e0
            bits1(&mut x, 4); // e0 e5 e6: e7|e4 e3 e2 e1|k2 k1 k0
            bytes(&mut x, 4); // e4 e5 e6: e7|e3 e2 e1 e0|k2 k1 k0
            // SAFETY: `store_bytes` writes the 256 bytes of these elements.
            unsafe { store_bytes(dst, x) }
        }
    }

    pub unsafe extern "C" fn transpose_u64x32x32(src: *const u64, dst: *mut u64) {
        // 4 x 4 words at a time.
        for i in (0..32).step_by(4) {
            for j in (0..32).step_by(4) {
                for half in [0, 2] {
                    // SAFETY: two words in a row of the source.
                    let row = |r: usize| unsafe { src.add(32 * (i + r) + j + half).cast::<__m128i>().read_unaligned() };
                    let (even, odd) = (_mm256_set_m128i(row(2), row(0)), _mm256_set_m128i(row(3), row(1)));
                    // SAFETY: four words in each of two rows of the destination.
                    unsafe {
                        let to = dst.add(32 * (j + half) + i);
                        _mm256_storeu_si256(to.cast(), _mm256_unpacklo_epi64(even, odd));
                        _mm256_storeu_si256(to.add(32).cast(), _mm256_unpackhi_epi64(even, odd));
                    }
                }
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
        dst: *mut u8,
    ) {
        // SAFETY: the caller's contract.
        unsafe {
            if stride == 8 && block_bits == 6 && count == 32 {
                for i in 0..n {
                    let index = indices.add(i).read_unaligned();
                    let word = word_of_tile(planes.add((index >> 6) * block_stride), index % 64);
                    dst.cast::<u32>().add(i).write_unaligned(word);
                }
            } else if stride == 8 && block_bits == 6 {
                pick_octets(planes, stride, count, block_bits, block_stride, indices, n, dst, |planes, place| {
                    octet(planes, place)
                })
            } else {
                pick_octets(planes, stride, count, block_bits, block_stride, indices, n, dst, |planes, place| {
                    octet_of_bytes(planes, stride, place)
                })
            }
        }
    }

    /// Bit `place` of each of the 32 words of a tile. A shift moves it to the sign, and packing
    /// with saturation to bytes keeps the sign.
    ///
    /// # Safety
    /// The words are readable.
    #[inline]
    unsafe fn word_of_tile(words: *const u8, place: usize) -> u32 {
        let to_sign = _mm_cvtsi32_si128(63 - place as i32);
        // SAFETY: 4 of the words.
        let four = |i: usize| unsafe { words.add(32 * i).cast::<__m256i>().read_unaligned() };
        let upper = |i: usize| _mm256_castsi256_ps(_mm256_sll_epi64(four(i), to_sign));
        let eight = |i: usize| _mm256_castps_si256(_mm256_shuffle_ps::<0xdd>(upper(i), upper(i + 1)));
        let sixteen = |i: usize| _mm256_packs_epi32(eight(i), eight(i + 2));
        // The lower half holds words 0, 1, 4, 5, 8, 9 .., the upper half 2, 3, 6, 7 ..: put the
        // pairs in order.
        let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(sixteen(0), sixteen(4)));
        let (first, second) = (0x0b0a_0302_0908_0100, 0x0f0e_0706_0d0c_0504);
        let order = _mm256_set_epi64x(second, first, second, first);
        _mm256_movemask_epi8(_mm256_shuffle_epi8(bytes, order)) as u32
    }

    /// Bit `place` of each of 8 words.
    ///
    /// # Safety
    /// The words are readable.
    #[inline]
    unsafe fn octet(words: *const u8, place: usize) -> u8 {
        let to_sign = _mm_cvtsi32_si128(63 - place as i32);
        // SAFETY: 2 of the words.
        let pair = |i: usize| unsafe { words.add(16 * i).cast::<__m128i>().read_unaligned() };
        let quad = |i: usize| _mm256_castsi256_ps(_mm256_sll_epi64(_mm256_set_m128i(pair(i + 2), pair(i)), to_sign));
        _mm256_movemask_ps(_mm256_shuffle_ps::<0xdd>(quad(0), quad(1))) as u8
    }

    /// Bit `place` of each of 8 planes.
    ///
    /// # Safety
    /// The bytes of these bits are readable.
    #[inline]
    unsafe fn octet_of_bytes(planes: *const u8, stride: usize, place: usize) -> u8 {
        // SAFETY: the byte of a plane.
        let byte = |j: usize| unsafe { planes.add(j * stride + place / 8).read() } as i8;
        let bytes =
            _mm_set_epi8(0, 0, 0, 0, 0, 0, 0, 0, byte(7), byte(6), byte(5), byte(4), byte(3), byte(2), byte(1), byte(0));
        _mm_movemask_epi8(_mm_sll_epi16(bytes, _mm_cvtsi32_si128(7 - (place % 8) as i32))) as u8
    }
}

super::scalar::position_counts! {
    avx2 __m256i, 4,
    _mm256_setzero_si256(), _mm256_set1_epi8(1), carry, _mm256_and_si256, _mm256_add_epi8, _mm256_srli_epi16
}

avx2! {
    /// Adds x and y to the bits of `sum`; returns the carries.
    #[inline]
    fn carry(sum: &mut __m256i, x: __m256i, y: __m256i) -> __m256i {
        let half = _mm256_xor_si256(*sum, x);
        let carry = _mm256_or_si256(_mm256_and_si256(*sum, x), _mm256_and_si256(half, y));
        *sum = _mm256_xor_si256(half, y);
        carry
    }
}

super::scalar::past_caches! { avx2 __m256i, _mm256_stream_si256 }
