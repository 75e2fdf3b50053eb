//! SSE2.

use core::arch::x86_64::*;

use crate::frame::isa::sse2;

sse2! {
    pub unsafe extern "C" fn transpose_u64x32x32(src: *const u64, dst: *mut u64) {
        // 2 x 2 words at a time.
        for i in (0..32).step_by(2) {
            for j in (0..32).step_by(2) {
                // SAFETY: two words in each of two rows of either matrix.
                unsafe {
                    let [even, odd] = [0, 1].map(|r| _mm_loadu_si128(src.add(32 * (i + r) + j).cast()));
                    let to = dst.add(32 * j + i);
                    _mm_storeu_si128(to.cast(), _mm_unpacklo_epi64(even, odd));
                    _mm_storeu_si128(to.add(32).cast(), _mm_unpackhi_epi64(even, odd));
                }
            }
        }
    }
}

super::scalar::pick_from_tiles! { sse2 octet, super::scalar::pick }

sse2! {
    /// Bit `place` of each of 8 words.
    ///
    /// # Safety
    /// The words are readable.
    #[inline]
    unsafe fn octet(words: *const u8, place: usize) -> u8 {
        let to_sign = _mm_cvtsi32_si128(63 - place as i32);
        // SAFETY: 2 of the words.
        let pair = |i: usize| unsafe { words.add(16 * i).cast::<__m128i>().read_unaligned() };
        let shifted = |i: usize| _mm_castsi128_ps(_mm_sll_epi64(pair(i), to_sign));
        let quad = |i: usize| _mm_castps_si128(_mm_shuffle_ps::<0xdd>(shifted(i), shifted(i + 1)));
        let signs = _mm_packs_epi32(quad(0), quad(2));
        _mm_movemask_epi8(_mm_packs_epi16(signs, signs)) as u8
    }
}

super::scalar::position_counts! {
    sse2 __m128i, 2,
    _mm_setzero_si128(), _mm_set1_epi8(1), carry, _mm_and_si128, _mm_add_epi8, _mm_srli_epi16
}

sse2! {
    /// Adds x and y to the bits of `sum`; returns the carries.
    #[inline]
    fn carry(sum: &mut __m128i, x: __m128i, y: __m128i) -> __m128i {
        let half = _mm_xor_si128(*sum, x);
        let carry = _mm_or_si128(_mm_and_si128(*sum, x), _mm_and_si128(half, y));
        *sum = _mm_xor_si128(half, y);
        carry
    }
}

super::scalar::past_caches! { sse2 __m128i, _mm_stream_si128 }

sse2! {
    pub unsafe extern "C" fn prefetch(src: *const u8, n: usize) {
        for at in (0..n).step_by(64) {
            crate::frame::cache::prefetch(src.wrapping_add(at));
        }
    }
}
