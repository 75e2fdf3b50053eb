//! AVX2: 8 values a vector.

use core::arch::x86_64::*;

use super::scalar::*;

kernels! { #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")] }

/// `y[i] = f(x[i])`: whole vectors, then one value at a time.
///
/// # Safety
/// `x` and `y` have `n` values.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
unsafe fn map(x: *const f32, y: *mut f32, n: usize, f: impl Fn(__m256) -> __m256) {
    let whole = n & !7;
    for i in (0..whole).step_by(8) {
        // SAFETY: i + 8 <= n.
        unsafe { _mm256_storeu_ps(y.add(i), f(_mm256_loadu_ps(x.add(i)))) }
    }
    for i in whole..n {
        // SAFETY: i < n.
        unsafe { y.add(i).write_unaligned(_mm256_cvtss_f32(f(_mm256_set1_ps(x.add(i).read_unaligned())))) }
    }
}

/// See [`linear`](super::scalar).
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn linear(t: __m256) -> __m256 {
    let bits = _mm256_add_epi32(_mm256_cvtps_epi32(t), _mm256_set1_epi32(ONE as i32));
    _mm256_mul_ps(_mm256_castsi256_ps(bits), _mm256_set1_ps(SCALE))
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn fast(x: __m256) -> __m256 {
    // As integers, the largest positive floats are the largest signed, the least negative ones the largest unsigned.
    let high = _mm256_set1_epi32(FAST_HIGH.to_bits() as i32);
    let low = _mm256_set1_epi32(FAST_LOW.to_bits() as i32);
    let inside = _mm256_min_epu32(_mm256_min_epi32(_mm256_castps_si256(x), high), low);
    let y = linear(_mm256_mul_ps(_mm256_castsi256_ps(inside), _mm256_set1_ps(FAST_FACTOR)));
    _mm256_or_ps(y, _mm256_cmp_ps::<_CMP_UNORD_Q>(x, x))
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn accurate(x: __m256) -> __m256 {
    let t = _mm256_mul_ps(_mm256_min_ps(x, _mm256_set1_ps(ACCURATE_HIGH)), _mm256_set1_ps(ACCURATE_FACTOR));
    let root = _mm256_sqrt_ps(_mm256_sqrt_ps(linear(t)));
    let positive = _mm256_cmp_ps::<_CMP_GT_OQ>(x, _mm256_setzero_ps());
    let least = _mm256_and_ps(positive, _mm256_set1_ps(1.0));
    let y = _mm256_and_ps(_mm256_max_ps(root, least), _mm256_cmp_ps::<_CMP_NLT_UQ>(x, _mm256_set1_ps(ACCURATE_LOW)));
    _mm256_or_ps(y, _mm256_cmp_ps::<_CMP_UNORD_Q>(x, x))
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn poly(x: __m256) -> __m256 {
    // A NaN passes: the minimum is its second operand where either is one.
    let t = _mm256_mul_ps(_mm256_min_ps(_mm256_set1_ps(POLY_HIGH), x), _mm256_set1_ps(LOG2_E));
    _mm256_and_ps(exp2(t, POLY_SCALE), _mm256_cmp_ps::<_CMP_NLT_UQ>(x, _mm256_set1_ps(POLY_LOW)))
}

/// `2^t` for -126 <= t <= 128.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
pub(crate) fn exp2(t: __m256, s: f32) -> __m256 {
    let [a, b, c, d] = POLY.map(|value| _mm256_set1_ps(value));
    let power = _mm256_slli_epi32::<23>(_mm256_cvtps_epi32(t));
    let f = _mm256_sub_ps(t, _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(t));
    let p = _mm256_add_ps(_mm256_mul_ps(_mm256_add_ps(f, a), f), b);
    let q = _mm256_add_ps(_mm256_mul_ps(_mm256_add_ps(f, c), f), d);
    let q = _mm256_mul_ps(p, q);
    let y = _mm256_mul_ps(_mm256_mul_ps(q, q), _mm256_set1_ps(s));
    _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(y), power))
}
