//! SSE2.

use core::arch::x86_64::*;

use super::adders::{Adders, Carry};
use super::lanes::misses::{Rows, export_misses};
use super::lanes::scores::Quotient;
use super::lanes::{self, Popcount, export_hamming};
use super::row_lanes::export_rows;
use crate::frame::isa::sse2;
use crate::math::vector::lanes;
use crate::math::vector::sse2::{U32, U64};

export_hamming! { sse2 Adders<U64>, 1, 2; U32 }
export_rows! { sse2 Adders<U64> }
export_misses! { sse2 U64 }

lanes! { impl Carry for U64 {}
unsafe fn carry(self, u: Self, s: Self) -> Self {
    U64(_mm_xor_si128(_mm_or_si128(self.0, u.0), _mm_and_si128(u.0, s.0)))
}
// Nibbles of two words, at most 4 + 2 * 4, are made bytes together.
unsafe fn weigh(words: [Self; 4]) -> Self {
    let [a, b, c, d] = words.map(|word| nibbles(word.0));
    let [lower, upper] = [(a, b), (c, d)].map(|(a, b)| bytes(_mm_add_epi8(a, _mm_add_epi8(b, b))));
    let twice = _mm_add_epi8(upper, upper);
    U64(_mm_add_epi8(lower, _mm_add_epi8(twice, twice)))
} }

sse2! {
    /// The ones of each nibble. A table lookup would need `pshufb`, which is SSSE3.
    #[inline]
    fn nibbles(word: __m128i) -> __m128i {
        let (ones, twos) = (_mm_set1_epi8(0x55), _mm_set1_epi8(0x33));
        let pairs = _mm_sub_epi8(word, _mm_and_si128(_mm_srli_epi16::<1>(word), ones));
        _mm_add_epi8(_mm_and_si128(pairs, twos), _mm_and_si128(_mm_srli_epi16::<2>(pairs), twos))
    }

    /// The sums of the two nibbles of each byte.
    #[inline]
    fn bytes(nibbles: __m128i) -> __m128i {
        let low = _mm_set1_epi8(0x0f);
        _mm_add_epi8(_mm_and_si128(nibbles, low), _mm_and_si128(_mm_srli_epi16::<4>(nibbles), low))
    }
}
lanes! { impl Popcount for U64 {}
unsafe fn and(self, b: Self) -> Self { U64(_mm_and_si128(self.0, b.0)) }
unsafe fn xor(self, b: Self) -> Self { U64(_mm_xor_si128(self.0, b.0)) }
unsafe fn ones(self) -> Self { U64(bytes(nibbles(self.0))) }
unsafe fn add_bytes(self, b: Self) -> Self { U64(_mm_add_epi8(self.0, b.0)) }
unsafe fn across(self) -> Self { U64(_mm_sad_epu8(self.0, _mm_setzero_si128())) }
unsafe fn store_narrow(self, to: *mut u32) { _mm_storel_epi64(to.cast(), _mm_shuffle_epi32::<0x08>(self.0)) } }

lanes! { impl Quotient for U32 {}
unsafe fn quotient(self, y: Self) -> Self {
    U32(_mm_castps_si128(_mm_div_ps(_mm_cvtepi32_ps(self.0), _mm_cvtepi32_ps(y.0))))
}
unsafe fn per_mean(self, a: Self, b: Self) -> Self {
    let half = |a, b, c| {
        let product = _mm_mul_pd(_mm_cvtepi32_pd(a), _mm_cvtepi32_pd(b));
        _mm_cvtpd_ps(_mm_div_pd(_mm_cvtepi32_pd(c), _mm_sqrt_pd(product)))
    };
    let [upper_a, upper_b, upper_c] = [a.0, b.0, self.0].map(|x| _mm_unpackhi_epi64(x, x));
    U32(_mm_castps_si128(_mm_movelh_ps(half(a.0, b.0, self.0), half(upper_a, upper_b, upper_c))))
} }

lanes! { impl Rows for U64 {}
unsafe fn adder(self, a: Self, b: Self) -> [Self; 2] { self.full(a, b) }
unsafe fn half_adder(self, b: Self) -> [Self; 2] { [self.and(b), self.xor(b)] }
unsafe fn exclusive(self, b: Self) -> Self { self.xor(b) }
unsafe fn either(self, b: Self) -> Self { U64(_mm_or_si128(self.0, b.0)) }
unsafe fn is_full(self) -> bool { _mm_movemask_epi8(_mm_cmpeq_epi8(self.0, _mm_set1_epi8(-1))) == 0xffff } }
