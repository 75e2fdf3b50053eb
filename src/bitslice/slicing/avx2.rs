//! AVX2: rows, and the levels that rows and tiles share.

use core::arch::x86_64::*;

use crate::frame::isa::avx2;

mod tiles;
pub use tiles::*;

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
    fn bits1(x: &mut [__m256i], at: usize) {
        level(x, at, |a, b| bits::<1, 0x55>(a, b));
    }

    #[inline]
    fn bits2(x: &mut [__m256i], at: usize) {
        level(x, at, |a, b| bits::<2, 0x33>(a, b));
    }

    #[inline]
    fn bits4(x: &mut [__m256i], at: usize) {
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
    fn halves(x: &mut [__m256i], at: usize) {
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
    ///
    /// Cuts `128 / BYTES` elements at `src` and as many `far` bytes on, the halves of the vectors,
    /// as far as they determine planes: k2 k1 k0: half|b e|e2 e1 e0.
    ///
    /// # Safety
    /// `src` and `src + far` point to 128 readable bytes each.
    #[inline]
    unsafe fn cut<const BYTES: usize>(src: *const u8, far: usize) -> Eight {
        let from = |i| match BYTES {
            1 => place(i, 32, 16, 64),
            2 => place(i, 64, 32, 16),
            4 => place(i, 16, 64, 32),
            _ => place(i, 32, 16, 64),
        };
        // SAFETY: `place` gives the 8 times 16 bytes at `src`.
        let mut x: Eight = core::array::from_fn(|i| unsafe { load_halves(src.add(from(i)), src.add(far + from(i))) });
        match BYTES {
            1 => {
                // e5 e4 e6: |e3 e2 e1 e0
                bytes(&mut x, 1); // e5 e4 e3: |e2 e1 e0 e6
                bytes(&mut x, 4); // e2 e4 e3: |e1 e0 e6 e5
                bytes(&mut x, 2); // e2 e1 e3: |e0 e6 e5 e4
                bytes(&mut x, 1); // e2 e1 e0: |e6 e5 e4 e3
            }
            2 => {
                // e5 e4 e3: |e2 e1 e0 b0
                bytes(&mut x, 4); // e2 e4 e3: |e1 e0 b0 e5
                bytes(&mut x, 2); // e2 e1 e3: |e0 b0 e5 e4
                bytes(&mut x, 1); // e2 e1 e0: |b0 e5 e4 e3
            }
            4 => {
                // e2 e4 e3: |e1 e0 b1 b0
                bytes(&mut x, 2); // e2 e1 e3: |e0 b1 b0 e4
                bytes(&mut x, 1); // e2 e1 e0: |b1 b0 e4 e3
            }
            _ => bytes(&mut x, 1), // from e2 e1 e3: |e0 b2 b1 b0 to e2 e1 e0: |b2 b1 b0 e3
        }
        bits1(&mut x, 1);
        bits2(&mut x, 2);
        bits4(&mut x, 4);
        x
    }

    /// 256 elements at a time: as many groups as an element has bytes, then the vectors of one
    /// number from all groups.
    ///
    /// # Safety
    /// The contract of the kernels for elements of `BYTES` bytes.
    #[inline]
    unsafe fn slice<const BYTES: usize>(src: *const u8, chunks: usize, planes: *mut u8, stride: usize) {
        for half in 0..2 * chunks {
            // SAFETY: 256 elements of the source, 32 bytes of each plane.
            let (src, planes) = unsafe { (src.add(256 * BYTES * half), planes.add(32 * half)) };
            // SAFETY: 128 bytes in each half of the elements.
            let groups: [Eight; BYTES] =
                core::array::from_fn(|group| unsafe { cut::<BYTES>(src.add(128 * group), 128 * BYTES) });
            for k in 0..8 {
                let mut x = groups.map(|x| x[k]); // 8 bytes: e6 e5 e4: e7|b2 b1 b0 e3
                if BYTES == 8 {
                    words(&mut x, 1); // e6 e5 b2: e7|b1 b0 e4 e3
                }
                if BYTES >= 4 {
                    dwords(&mut x, BYTES / 4); // e6 b1 b2: e7|b0 e5 e4 e3
                }
                if BYTES >= 2 {
                    qwords(&mut x, BYTES / 2); // b0 b1 b2: e7|e6 e5 e4 e3
                }
                for (i, &x) in x.iter().enumerate() {
                    let byte = place(i, 1, 2, 4) * BYTES / 8;
                    // SAFETY: a plane, which has 32 bytes for this half.
                    unsafe { store(planes.add((8 * byte + k) * stride), x) }
                }
            }
        }
    }

    /// The inverse of [`slice`].
    ///
    /// # Safety
    /// The contract of the kernels for elements of `BYTES` bytes.
    #[inline]
    unsafe fn unslice<const BYTES: usize>(planes: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
        for half in 0..2 * chunks {
            // SAFETY: 32 bytes of each plane, 256 elements of the destination.
            let (planes, dst) = unsafe { (planes.add(32 * half), dst.add(256 * BYTES * half)) };
            let groups: [[__m256i; BYTES]; 8] = core::array::from_fn(|k| {
                // SAFETY: planes 8 b + k have 32 bytes for this half.
                let plane = |b: usize| unsafe { load(planes.add((8 * b + k) * stride)) };
                let mut x = core::array::from_fn(plane); // b2 b1 b0: e7|e6 e5 e4 e3
                for at in [4, 2, 1] {
                    if at < BYTES {
                        bytes(&mut x, at); // e6 e5 e4: e7|e3 b2 b1 b0
                    }
                }
                x
            });
            for group in 0..BYTES {
                let mut x = groups.map(|x| x[group]);
                bits1(&mut x, 1);
                bits2(&mut x, 2);
                bits4(&mut x, 4); // e2 e1 e0: e7|e b|k2 k1 k0
                let near = match BYTES {
                    1 => {
                        bytes(&mut x, 4);
                        bytes(&mut x, 2);
                        bytes(&mut x, 1); // e6 e5 e4: e7|e3 e2 e1 e0
                        halves(&mut x, 1); // e6 e5 e7: e4
                        [64, 32, 128]
                    }
                    2 => {
                        words(&mut x, 4);
                        words(&mut x, 2);
                        words(&mut x, 1); // e5 e4 e3: e7|e2 e1 e0 b0
                        halves(&mut x, 1); // e5 e4 e7: e3
                        [64, 32, 256]
                    }
                    4 => {
                        dwords(&mut x, 2);
                        dwords(&mut x, 1); // e2 e4 e3: e7|e1 e0 b1 b0
                        halves(&mut x, 4); // e7 e4 e3: e2
                        [512, 64, 32]
                    }
                    _ => {
                        qwords(&mut x, 1); // e2 e1 e3: e7|e0 b2 b1 b0
                        halves(&mut x, 2); // e2 e7 e3: e1
                        [32, 1024, 64]
                    }
                };
                for (i, &x) in x.iter().enumerate() {
                    // SAFETY: `near` gives 32 bytes of a group, in either half of the elements.
                    unsafe { store(dst.add(128 * group + place(i, near[0], near[1], near[2])), x) }
                }
            }
        }
    }
}

/// Exports the kernels for rows of an element type.
macro_rules! export_rows {
    ($($element:ty, $slice:ident, $unslice:ident;)+) => {
        avx2! {
            $(
                pub unsafe extern "C" fn $slice(src: *const $element, chunks: usize, planes: *mut u8, stride: usize) {
                    // SAFETY: the caller's contract.
                    unsafe { slice::<{ size_of::<$element>() }>(src.cast(), chunks, planes, stride) }
                }

                pub unsafe extern "C" fn $unslice(planes: *const u8, stride: usize, chunks: usize, dst: *mut $element) {
                    // SAFETY: the caller's contract.
                    unsafe { unslice::<{ size_of::<$element>() }>(planes, stride, chunks, dst.cast()) }
                }
            )+
        }
    };
}

export_rows! {
    u8, slice_u8, unslice_u8;
    u16, slice_u16, unslice_u16;
    u32, slice_u32, unslice_u32;
    u64, slice_u64, unslice_u64;
}
