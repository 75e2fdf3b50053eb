//! AVX2: 4 or 8 words, 32 bytes.

use core::arch::x86_64::*;

use super::lanes::{self, Bytes};
use super::quads;
use crate::math::vector::lanes as methods;

lanes::decisions! { avx2 __m128i }
lanes::kernels! { avx2 __m256, [__m256i, 2], 8 }

methods! { impl Bytes for __m256i { const LANES: usize = 32; }
unsafe fn zero() -> Self { _mm256_setzero_si256() }
unsafe fn load(from: *const i8) -> Self { _mm256_loadu_si256(from.cast()) }
unsafe fn add(self, b: Self) -> Self { _mm256_add_epi8(self, b) }
unsafe fn sub(self, b: Self) -> Self { _mm256_sub_epi8(self, b) }
unsafe fn add_twice(self, to: *mut i16) {
    let halves = [_mm256_castsi256_si128(self), _mm256_extracti128_si256::<1>(self)];
    for (n, half) in halves.into_iter().enumerate() {
        let (to, half) = (to.add(16 * n), _mm256_cvtepi8_epi16(half));
        let sum = _mm256_add_epi16(_mm256_loadu_si256(to.cast()), _mm256_add_epi16(half, half));
        _mm256_storeu_si256(to.cast(), sum);
    }
} }
