//! AVX-512: 16 values a vector.

use core::arch::x86_64::*;

use super::scalar::*;

kernels! { #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")] }

/// `y[i] = f(x[i])`: whole vectors, then one under a mask.
///
/// # Safety
/// `x` and `y` have `n` values.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
unsafe fn map(x: *const f32, y: *mut f32, n: usize, f: impl Fn(__m512) -> __m512) {
    let whole = n & !15;
    for i in (0..whole).step_by(16) {
        // SAFETY: i + 16 <= n.
        unsafe { _mm512_storeu_ps(y.add(i), f(_mm512_loadu_ps(x.add(i)))) }
    }
    if whole < n {
        let mask = (1 << (n - whole)) - 1;
        // SAFETY: the mask holds the lanes below n - whole.
        unsafe { _mm512_mask_storeu_ps(y.add(whole), mask, f(_mm512_maskz_loadu_ps(mask, x.add(whole)))) }
    }
}

/// See [`linear`](super::scalar); all bits set in the lanes outside `mask`.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn linear(mask: __mmask16, t: __m512) -> __m512 {
    let bits = _mm512_add_epi32(_mm512_cvtps_epi32(t), _mm512_set1_epi32(ONE as i32));
    let ones = _mm512_castsi512_ps(_mm512_set1_epi32(!0));
    _mm512_mask_mul_ps(ones, mask, _mm512_castsi512_ps(bits), _mm512_set1_ps(SCALE))
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn fast(x: __m512) -> __m512 {
    // As integers, the largest positive floats are the largest signed, the least negative ones the largest unsigned.
    let high = _mm512_set1_epi32(FAST_HIGH.to_bits() as i32);
    let low = _mm512_set1_epi32(FAST_LOW.to_bits() as i32);
    let inside = _mm512_min_epu32(_mm512_min_epi32(_mm512_castps_si512(x), high), low);
    let t = _mm512_mul_ps(_mm512_castsi512_ps(inside), _mm512_set1_ps(FAST_FACTOR));
    linear(_mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x), t)
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn accurate(x: __m512) -> __m512 {
    let t = _mm512_mul_ps(_mm512_min_ps(x, _mm512_set1_ps(ACCURATE_HIGH)), _mm512_set1_ps(ACCURATE_FACTOR));
    let root = _mm512_sqrt_ps(_mm512_sqrt_ps(linear(!0, t)));
    let positive = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(x, _mm512_setzero_ps());
    let y = _mm512_mask_max_ps(root, positive, root, _mm512_set1_ps(1.0));
    let y = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_GE_OQ>(x, _mm512_set1_ps(ACCURATE_LOW)), y);
    let ones = _mm512_castsi512_ps(_mm512_set1_epi32(!0));
    _mm512_mask_mov_ps(y, _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x), ones)
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn poly(x: __m512) -> __m512 {
    // A NaN passes: the minimum is its second operand where either is one.
    let t = _mm512_mul_ps(_mm512_min_ps(_mm512_set1_ps(POLY_HIGH), x), _mm512_set1_ps(LOG2_E));
    _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_NLT_UQ>(x, _mm512_set1_ps(POLY_LOW)), exp2(t, POLY_SCALE))
}

/// `2^t` for -126 <= t <= 128.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
pub(crate) fn exp2(t: __m512, s: f32) -> __m512 {
    let [a, b, c, d] = POLY.map(|value| _mm512_set1_ps(value));
    let n = _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(t);
    let f = _mm512_sub_ps(t, n);
    let p = _mm512_add_ps(_mm512_mul_ps(_mm512_add_ps(f, a), f), b);
    let q = _mm512_add_ps(_mm512_mul_ps(_mm512_add_ps(f, c), f), d);
    let q = _mm512_mul_ps(p, q);
    _mm512_scalef_ps(_mm512_mul_ps(_mm512_mul_ps(q, q), _mm512_set1_ps(s)), n)
}
