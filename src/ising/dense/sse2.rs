//! SSE2: 8 words, 16 bytes.

use core::arch::x86_64::*;

use super::lanes::{self, Bytes, Words};
use super::quads::{self, Quads};
use crate::math::vector::lanes as methods;

lanes::decisions! { sse2 __m128i, __m128i }
lanes::kernels! { sse2 __m128, [__m128i, 4] }

methods! { impl Words for __m128i {}
unsafe fn splat(x: i16) -> Self { _mm_set1_epi16(x) }
unsafe fn load(from: *const i16) -> Self { _mm_loadu_si128(from.cast()) }
unsafe fn store(self, to: *mut i16) { _mm_storeu_si128(to.cast(), self) }
unsafe fn widen(from: *const i8) -> Self {
    let bytes = _mm_loadl_epi64(from.cast());
    _mm_srai_epi16::<8>(_mm_unpacklo_epi8(bytes, bytes))
}
unsafe fn add(self, b: Self) -> Self { _mm_add_epi16(self, b) }
unsafe fn sub(self, b: Self) -> Self { _mm_sub_epi16(self, b) }
unsafe fn mul(self, b: Self) -> Self { _mm_mullo_epi16(self, b) }
unsafe fn exceeds(self, b: Self) -> Self { _mm_cmpgt_epi16(self, b) }
unsafe fn and(self, b: Self) -> Self { _mm_and_si128(self, b) }
unsafe fn and_not(self, b: Self) -> Self { _mm_andnot_si128(b, self) }
unsafe fn repeat<const I: i32>(self) -> Self {
    let half = match I {
        0 => _mm_shufflelo_epi16::<0x00>(self),
        1 => _mm_shufflelo_epi16::<0x55>(self),
        2 => _mm_shufflelo_epi16::<0xaa>(self),
        3 => _mm_shufflelo_epi16::<0xff>(self),
        4 => _mm_shufflehi_epi16::<0x00>(self),
        5 => _mm_shufflehi_epi16::<0x55>(self),
        6 => _mm_shufflehi_epi16::<0xaa>(self),
        _ => _mm_shufflehi_epi16::<0xff>(self),
    };
    if I < 4 { _mm_unpacklo_epi64(half, half) } else { _mm_unpackhi_epi64(half, half) }
}
unsafe fn signs(self) -> u64 { _mm_movemask_epi8(_mm_packs_epi16(self, _mm_setzero_si128())) as u64 } }

methods! { impl Bytes for __m128i { const LANES: usize = 16; }
unsafe fn zero() -> Self { _mm_setzero_si128() }
unsafe fn load(from: *const i8) -> Self { _mm_loadu_si128(from.cast()) }
unsafe fn add(self, b: Self) -> Self { _mm_add_epi8(self, b) }
unsafe fn sub(self, b: Self) -> Self { _mm_sub_epi8(self, b) }
unsafe fn add_twice(self, to: *mut i16) {
    let zero = _mm_setzero_si128();
    // Twice the element: the byte in the upper half of a word, shifted down by 7.
    let halves = [_mm_unpacklo_epi8(zero, self), _mm_unpackhi_epi8(zero, self)];
    for (n, half) in halves.into_iter().enumerate() {
        let to = to.add(8 * n);
        _mm_storeu_si128(to.cast(), _mm_add_epi16(_mm_loadu_si128(to.cast()), _mm_srai_epi16::<7>(half)));
    }
} }

methods! { impl Quads for __m128i {}
unsafe fn splat(x: i32) -> Self { _mm_set1_epi32(x) }
unsafe fn load(from: *const i32) -> Self { _mm_loadu_si128(from.cast()) }
unsafe fn store(self, to: *mut i32) { _mm_storeu_si128(to.cast(), self) }
unsafe fn add(self, b: Self) -> Self { _mm_add_epi32(self, b) }
unsafe fn sub(self, b: Self) -> Self { _mm_sub_epi32(self, b) }
unsafe fn and(self, b: Self) -> Self { _mm_and_si128(self, b) }
unsafe fn xor(self, b: Self) -> Self { _mm_xor_si128(self, b) }
unsafe fn exceeds(self, b: Self) -> Self { _mm_cmpgt_epi32(self, b) }
unsafe fn repeat<const I: i32>(self) -> Self {
    match I {
        0 => _mm_shuffle_epi32::<0x00>(self),
        1 => _mm_shuffle_epi32::<0x55>(self),
        _ => _mm_shuffle_epi32::<0xaa>(self),
    }
}
unsafe fn signs(self) -> u64 { _mm_movemask_ps(_mm_castsi128_ps(self)) as u64 } }
