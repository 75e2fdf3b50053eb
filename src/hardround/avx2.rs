//! AVX2.

use core::arch::x86_64::*;

use super::gaps::{self, Inverses};
use super::lanes::{self, Narrow, export_searches};
use super::runs::{self, Halves};
use crate::frame::isa::avx2;
use crate::math::vector::avx2::{U32, U64};
use crate::math::vector::lanes;

export_searches! { avx2 rows __m256; arcs __m256d; dual 1; regular lefevre: __m256d, Inverses, 8;
exhaust U32, 4, 64, 8, 2 }

lanes! { impl Halves for U32 { type Words = U64; }
unsafe fn upper(a: U64, b: U64) -> U32 {
    U32(_mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(_mm256_castsi256_ps(a.0), _mm256_castsi256_ps(b.0))))
}
unsafe fn lane_min(self, b: U32) -> U32 { U32(_mm256_min_epu32(self.0, b.0)) }
unsafe fn any_may_be(self, limit: U32) -> bool {
    let low = _mm256_cmpeq_epi32(self.lane_min(limit).0, self.0);
    _mm256_testz_si256(low, low) == 0
} }

lanes! { impl Narrow for __m256d {}
unsafe fn sqrt(self) -> Self { _mm256_sqrt_pd(self) }
unsafe fn store_singles(self, to: *mut f32) { _mm_storeu_ps(to, _mm256_cvtpd_ps(self)) }
unsafe fn store_low(self, to: *mut u32) {
    let (low, high) = (_mm256_castpd256_pd128(self), _mm256_extractf128_pd::<1>(self));
    _mm_storeu_ps(to.cast(), _mm_shuffle_ps::<0b10_00_10_00>(_mm_castpd_ps(low), _mm_castpd_ps(high)))
} }
