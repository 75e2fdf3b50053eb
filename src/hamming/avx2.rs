//! AVX2.

use core::arch::x86_64::*;

super::scalar::finish! {
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")] __m256i, 8,
    _mm256_set1_epi32, _mm256_add_epi32, _mm256_sub_epi32, _mm256_or_si256, quotient, ratio, choose
}

/// `x / y`.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn quotient(x: __m256i, y: __m256i) -> __m256i {
    _mm256_castps_si256(_mm256_div_ps(_mm256_cvtepi32_ps(x), _mm256_cvtepi32_ps(y)))
}

/// `c / sqrt(a b)`.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn ratio(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    let half = |a, b, c| {
        let product = _mm256_mul_pd(_mm256_cvtepi32_pd(a), _mm256_cvtepi32_pd(b));
        _mm256_cvtpd_ps(_mm256_div_pd(_mm256_cvtepi32_pd(c), _mm256_sqrt_pd(product)))
    };
    let low = half(_mm256_castsi256_si128(a), _mm256_castsi256_si128(b), _mm256_castsi256_si128(c));
    let [a, b, c] = [a, b, c].map(|x| _mm256_extracti128_si256::<1>(x));
    _mm256_castps_si256(_mm256_set_m128(half(a, b, c), low))
}

/// `x` where the test is not 0, else `y`.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn choose(test: __m256i, x: __m256i, y: __m256i) -> __m256i {
    _mm256_blendv_epi8(x, y, _mm256_cmpeq_epi32(test, _mm256_setzero_si256()))
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
pub unsafe extern "C" fn counts(rows: *const u8, n: usize, bits: usize, stride: usize, counts: *mut u32) {
    for i in 0..n {
        // SAFETY: the caller's contract.
        unsafe { counts.add(i).write_unaligned(super::scalar::ones(rows.add(i * stride), bits)) }
    }
}
