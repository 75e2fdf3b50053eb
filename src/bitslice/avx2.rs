//! AVX2.

use core::arch::x86_64::*;

use super::scalar::pick_octets;
use crate::frame::isa::avx2;

avx2! {
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
            _mm_set_epi8(0, 0, 0, 0, 0, 0, 0, 0, byte(7), byte(6), byte(5), byte(4), byte(3), byte(2), byte(1),
            byte(0));
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
