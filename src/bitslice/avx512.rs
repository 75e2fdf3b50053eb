//! AVX-512 BW.

use core::arch::x86_64::*;

use crate::frame::isa::avx512;

super::scalar::pick_from_tiles! { avx512 octet, super::avx2::pick }

avx512! {
    /// Bit `place` of each of 8 words.
    ///
    /// # Safety
    /// The words are readable.
    #[inline]
    unsafe fn octet(words: *const u8, place: usize) -> u8 {
        // SAFETY: the words.
        let words = unsafe { _mm512_loadu_si512(words.cast()) };
        _mm512_test_epi64_mask(words, _mm512_set1_epi64(1 << place))
    }
}

super::scalar::position_counts! {
    avx512 __m512i, 8,
    _mm512_setzero_si512(), _mm512_set1_epi8(1), carry, _mm512_and_si512, _mm512_add_epi8, _mm512_srli_epi16
}

avx512! {
    /// Adds x and y to the bits of `sum`; returns the carries.
    #[inline]
    fn carry(sum: &mut __m512i, x: __m512i, y: __m512i) -> __m512i {
        // Ternary logic: 0xe8 is the majority, 0x96 a ^ b ^ c.
        let carry = _mm512_ternarylogic_epi64::<0xe8>(*sum, x, y);
        *sum = _mm512_ternarylogic_epi64::<0x96>(*sum, x, y);
        carry
    }
}
