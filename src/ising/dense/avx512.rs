//! AVX-512: 64 bytes. AVX2 decides: a comparison into a mask register has a longer latency.

use core::arch::x86_64::*;

use super::lanes::{self, Bytes};
use crate::math::vector::lanes as methods;

lanes::kernels! { avx512 __m512, [__m512i, 1] }

methods! { impl Bytes for __m512i { const LANES: usize = 64; }
unsafe fn zero() -> Self { _mm512_setzero_si512() }
unsafe fn load(from: *const i8) -> Self { _mm512_loadu_si512(from.cast()) }
unsafe fn add(self, b: Self) -> Self { _mm512_add_epi8(self, b) }
unsafe fn sub(self, b: Self) -> Self { _mm512_sub_epi8(self, b) }
unsafe fn add_twice(self, to: *mut i16) {
    let halves = [_mm512_castsi512_si256(self), _mm512_extracti64x4_epi64::<1>(self)];
    for (n, half) in halves.into_iter().enumerate() {
        let (to, half) = (to.add(32 * n), _mm512_cvtepi8_epi16(half));
        let sum = _mm512_add_epi16(_mm512_loadu_si512(to.cast()), _mm512_add_epi16(half, half));
        _mm512_storeu_si512(to.cast(), sum);
    }
} }
