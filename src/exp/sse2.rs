//! SSE2: 4 values a vector.

use core::arch::x86_64::*;

use super::scalar::*;

kernels! { #[target_feature(enable = "sse2")] }

/// `y[i] = f(x[i])`: whole vectors, then one value at a time.
///
/// # Safety
/// `x` and `y` have `n` values.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn map(x: *const f32, y: *mut f32, n: usize, f: impl Fn(__m128) -> __m128) {
    let whole = n & !3;
    for i in (0..whole).step_by(4) {
        // SAFETY: i + 4 <= n.
        unsafe { _mm_storeu_ps(y.add(i), f(_mm_loadu_ps(x.add(i)))) }
    }
    for i in whole..n {
        // SAFETY: i < n.
        unsafe { y.add(i).write_unaligned(_mm_cvtss_f32(f(_mm_set_ss(x.add(i).read_unaligned())))) }
    }
}

/// See [`linear`](super::scalar).
#[inline]
#[target_feature(enable = "sse2")]
fn linear(t: __m128) -> __m128 {
    let bits = _mm_add_epi32(_mm_cvtps_epi32(t), _mm_set1_epi32(ONE as i32));
    _mm_mul_ps(_mm_castsi128_ps(bits), _mm_set1_ps(SCALE))
}

#[inline]
#[target_feature(enable = "sse2")]
fn fast(x: __m128) -> __m128 {
    let inside = _mm_max_ps(_mm_min_ps(x, _mm_set1_ps(FAST_HIGH)), _mm_set1_ps(FAST_LOW));
    _mm_or_ps(linear(_mm_mul_ps(inside, _mm_set1_ps(FAST_FACTOR))), _mm_cmpunord_ps(x, x))
}

#[inline]
#[target_feature(enable = "sse2")]
fn accurate(x: __m128) -> __m128 {
    let t = _mm_mul_ps(_mm_min_ps(x, _mm_set1_ps(ACCURATE_HIGH)), _mm_set1_ps(ACCURATE_FACTOR));
    let root = _mm_sqrt_ps(_mm_sqrt_ps(linear(t)));
    let least = _mm_and_ps(_mm_cmpgt_ps(x, _mm_setzero_ps()), _mm_set1_ps(1.0));
    let y = _mm_and_ps(_mm_max_ps(root, least), _mm_cmpnlt_ps(x, _mm_set1_ps(ACCURATE_LOW)));
    _mm_or_ps(y, _mm_cmpunord_ps(x, x))
}

#[inline]
#[target_feature(enable = "sse2")]
fn poly(x: __m128) -> __m128 {
    // A NaN passes: the minimum is its second operand where either is one.
    let t = _mm_mul_ps(_mm_min_ps(_mm_set1_ps(POLY_HIGH), x), _mm_set1_ps(LOG2_E));
    _mm_and_ps(exp2(t, POLY_SCALE), _mm_cmpnlt_ps(x, _mm_set1_ps(POLY_LOW)))
}

/// `2^t` for -126 <= t <= 128.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn exp2(t: __m128, s: f32) -> __m128 {
    let [a, b, c, d] = POLY.map(|value| _mm_set1_ps(value));
    let n = _mm_cvtps_epi32(t);
    let f = _mm_sub_ps(t, _mm_cvtepi32_ps(n));
    let p = _mm_add_ps(_mm_mul_ps(_mm_add_ps(f, a), f), b);
    let q = _mm_add_ps(_mm_mul_ps(_mm_add_ps(f, c), f), d);
    let q = _mm_mul_ps(p, q);
    let y = _mm_mul_ps(_mm_mul_ps(q, q), _mm_set1_ps(s));
    _mm_castsi128_ps(_mm_add_epi32(_mm_castps_si128(y), _mm_slli_epi32::<23>(n)))
}
