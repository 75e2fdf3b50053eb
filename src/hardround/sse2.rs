//! SSE2.

use core::arch::x86_64::*;

use super::gaps::{self, Quotients};
use super::lanes::{self, Narrow, export_searches};
use super::runs::{self, Halves};
use crate::frame::isa::sse2;
use crate::math::vector::lanes;
use crate::math::vector::sse2::{U32, U64};

export_searches! { sse2 rows __m128; arcs __m128d; dual 2; regular lefevre: __m128d, Quotients, 8;
exhaust U32, 2, 32, 8, 2 }

// Comparisons are signed. Minima are those of 16-bit lanes; only the upper ones of each pair count.
lanes! { impl Halves for U32 { type Words = U64; const BIAS: u32 = 1 << 31; }
unsafe fn upper(a: U64, b: U64) -> U32 {
    U32(_mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(_mm_castsi128_ps(a.0), _mm_castsi128_ps(b.0))))
}
unsafe fn lane_min(self, b: U32) -> U32 { U32(_mm_min_epi16(self.0, b.0)) }
unsafe fn any_may_be(self, limit: U32) -> bool {
    _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi16(self.0, limit.0))) != 15
}
unsafe fn any_is(self, limit: U32) -> bool {
    _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi32(self.0, limit.0))) != 15
} }

lanes! { impl Narrow for __m128d {}
unsafe fn sqrt(self) -> Self { _mm_sqrt_pd(self) }
unsafe fn store_singles(self, to: *mut f32) { _mm_storel_pd(to.cast(), _mm_castps_pd(_mm_cvtpd_ps(self))) }
unsafe fn store_low(self, to: *mut u32) {
    _mm_storel_epi64(to.cast(), _mm_shuffle_epi32::<0b10_00_10_00>(_mm_castpd_si128(self)))
} }
