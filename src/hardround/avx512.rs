//! AVX-512.

use core::arch::x86_64::*;

use super::gaps::{self, Divide};
use super::lanes::{self, Narrow, export_searches};
use super::runs::{self, Halves};
use crate::frame::isa::avx512;
use crate::math::vector::avx512::{U32, U64};
use crate::math::vector::lanes;

export_searches! { avx512 rows __m512; arcs __m512d; dual 2; regular lefevre: __m512d, Upwards, 4;
exhaust U32, 8, 64, 4, 2 }

lanes! { impl Halves for U32 { type Words = U64; }
unsafe fn upper(a: U64, b: U64) -> U32 {
    U32(_mm512_castps_si512(_mm512_shuffle_ps::<0b11_01_11_01>(_mm512_castsi512_ps(a.0), _mm512_castsi512_ps(b.0))))
}
unsafe fn lane_min(self, b: U32) -> U32 { U32(_mm512_min_epu32(self.0, b.0)) }
unsafe fn any_may_be(self, limit: U32) -> bool { _mm512_cmple_epu32_mask(self.0, limit.0) != 0 } }

lanes! { impl Narrow for __m512d {}
unsafe fn sqrt(self) -> Self { _mm512_sqrt_pd(self) }
unsafe fn store_singles(self, to: *mut f32) { _mm256_storeu_ps(to, _mm512_cvtpd_ps(self)) }
unsafe fn store_low(self, to: *mut u32) {
    _mm256_storeu_si256(to.cast(), _mm512_cvtepi64_epi32(_mm512_castpd_si512(self)))
} }

/// Quotients by inverses that are rounded up. An inverse exceeds `1 / y` by less than 2^-52 of it,
/// and so a quotient by less than the `1 / y` that separates it from the next integer. Then the
/// quotient is rounded down. Unlike with rounding to nearest, no middle is subtracted.
struct Upwards;

lanes! { impl Divide<__m512d> for Upwards { type By = __m512d; }
unsafe fn by(y: __m512d) -> __m512d {
    _mm512_div_round_pd::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(_mm512_set1_pd(1.0), y)
}
unsafe fn quotient(x: __m512d, inverse: __m512d) -> __m512d {
    let unit = _mm512_set1_pd(super::UNIT);
    _mm512_sub_pd(_mm512_fmadd_round_pd::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(x, inverse, unit), unit)
} }
