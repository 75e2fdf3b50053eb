//! SSE2.

use core::arch::x86_64::*;

super::scalar::finish! {
    #[target_feature(enable = "sse2")] __m128i, 4,
    _mm_set1_epi32, _mm_add_epi32, _mm_sub_epi32, _mm_or_si128, quotient, ratio, choose
}

/// `x / y`.
#[inline]
#[target_feature(enable = "sse2")]
fn quotient(x: __m128i, y: __m128i) -> __m128i {
    _mm_castps_si128(_mm_div_ps(_mm_cvtepi32_ps(x), _mm_cvtepi32_ps(y)))
}

/// `c / sqrt(a b)`.
#[inline]
#[target_feature(enable = "sse2")]
fn ratio(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    let half = |a, b, c| {
        let product = _mm_mul_pd(_mm_cvtepi32_pd(a), _mm_cvtepi32_pd(b));
        _mm_cvtpd_ps(_mm_div_pd(_mm_cvtepi32_pd(c), _mm_sqrt_pd(product)))
    };
    let low = half(a, b, c);
    let [a, b, c] = [a, b, c].map(|x| _mm_unpackhi_epi64(x, x));
    _mm_castps_si128(_mm_movelh_ps(low, half(a, b, c)))
}

/// `x` where the test is not 0, else `y`.
#[inline]
#[target_feature(enable = "sse2")]
fn choose(test: __m128i, x: __m128i, y: __m128i) -> __m128i {
    let zero = _mm_cmpeq_epi32(test, _mm_setzero_si128());
    _mm_or_si128(_mm_and_si128(zero, y), _mm_andnot_si128(zero, x))
}
