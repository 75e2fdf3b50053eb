//! NEON: 4 values a vector.

use core::arch::aarch64::*;

use super::scalar::*;

kernels! { #[target_feature(enable = "neon")] }

/// `y[i] = f(x[i])`: whole vectors, then one value at a time.
///
/// # Safety
/// `x` and `y` have `n` values.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn map(x: *const f32, y: *mut f32, n: usize, f: impl Fn(float32x4_t) -> float32x4_t) {
    let whole = n & !3;
    for i in (0..whole).step_by(4) {
        // SAFETY: i + 4 <= n.
        unsafe { vst1q_f32(y.add(i), f(vld1q_f32(x.add(i)))) }
    }
    for i in whole..n {
        // SAFETY: i < n.
        unsafe { y.add(i).write_unaligned(vgetq_lane_f32::<0>(f(vdupq_n_f32(x.add(i).read_unaligned())))) }
    }
}

/// See [`linear`](super::scalar).
#[inline]
#[target_feature(enable = "neon")]
fn linear(t: float32x4_t) -> float32x4_t {
    let bits = vaddq_s32(vcvtnq_s32_f32(t), vdupq_n_s32(ONE as i32));
    vmulq_f32(vreinterpretq_f32_s32(bits), vdupq_n_f32(SCALE))
}

/// `y`, with all bits set where `x` is a NaN.
#[inline]
#[target_feature(enable = "neon")]
fn mark_nan(y: float32x4_t, x: float32x4_t) -> float32x4_t {
    vreinterpretq_f32_u32(vornq_u32(vreinterpretq_u32_f32(y), vceqq_f32(x, x)))
}

/// `y`, with 0 where `x` is less than `low`.
#[inline]
#[target_feature(enable = "neon")]
fn cut(y: float32x4_t, x: float32x4_t, low: f32) -> float32x4_t {
    vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(y), vcltq_f32(x, vdupq_n_f32(low))))
}

#[inline]
#[target_feature(enable = "neon")]
fn fast(x: float32x4_t) -> float32x4_t {
    let inside = vmaxq_f32(vminq_f32(x, vdupq_n_f32(FAST_HIGH)), vdupq_n_f32(FAST_LOW));
    mark_nan(linear(vmulq_f32(inside, vdupq_n_f32(FAST_FACTOR))), x)
}

#[inline]
#[target_feature(enable = "neon")]
fn accurate(x: float32x4_t) -> float32x4_t {
    let t = vmulq_f32(vminq_f32(x, vdupq_n_f32(ACCURATE_HIGH)), vdupq_n_f32(ACCURATE_FACTOR));
    let root = vsqrtq_f32(vsqrtq_f32(linear(t)));
    let least = vandq_u32(vcgtzq_f32(x), vdupq_n_u32(ONE));
    let y = vmaxq_f32(root, vreinterpretq_f32_u32(least));
    mark_nan(cut(y, x, ACCURATE_LOW), x)
}

#[inline]
#[target_feature(enable = "neon")]
fn poly(x: float32x4_t) -> float32x4_t {
    cut(exp2(vmulq_f32(vminq_f32(x, vdupq_n_f32(POLY_HIGH)), vdupq_n_f32(LOG2_E)), POLY_SCALE), x, POLY_LOW)
}

/// `2^t` for -126 <= t <= 128.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn exp2(t: float32x4_t, s: f32) -> float32x4_t {
    let [a, b, c, d] = POLY.map(|value| vdupq_n_f32(value));
    let n = vcvtnq_s32_f32(t);
    let f = vsubq_f32(t, vcvtq_f32_s32(n));
    let p = vaddq_f32(vmulq_f32(vaddq_f32(f, a), f), b);
    let q = vaddq_f32(vmulq_f32(vaddq_f32(f, c), f), d);
    let q = vmulq_f32(p, q);
    let y = vmulq_f32(vmulq_f32(q, q), vdupq_n_f32(s));
    vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(y), vshlq_n_s32::<23>(n)))
}
