//! NEON: a row in 4 vectors.

use core::arch::aarch64::*;
use core::array::from_fn;

use super::scalar::*;
use super::{LANES, Link};
use crate::exp::neon::exp2;
use crate::exp::scalar::ONE;

type Vector = float32x4_t;
type Mask = uint32x4_t;

rows! { 4, #[target_feature(enable = "neon")] }

#[inline]
#[target_feature(enable = "neon")]
fn fast(v: Vector) -> Vector {
    // The minimum is the number where the other is a NaN.
    let n = vcvtnq_s32_f32(vminnmq_f32(v, splat(FAST_MOST)));
    let bits = vaddq_s32(n, vdupq_n_s32(ONE as i32));
    mul(vreinterpretq_f32_s32(bits), splat(FAST_SCALE))
}

#[inline]
#[target_feature(enable = "neon")]
fn poly(v: Vector) -> Vector {
    let v = vmaxq_f32(vminnmq_f32(v, splat(POLY_MOST)), splat(POLY_LEAST));
    mul(exp2(v), splat(RANGE))
}

#[inline]
#[target_feature(enable = "neon")]
fn splat(value: f32) -> Vector {
    vdupq_n_f32(value)
}

/// # Safety
/// 4 lanes can be read.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load(lanes: *const f32) -> Vector {
    // SAFETY: the caller's lanes.
    unsafe { vld1q_f32(lanes) }
}

/// # Safety
/// 4 lanes can be written.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn store(lanes: *mut f32, values: Vector) {
    // SAFETY: the caller's lanes.
    unsafe { vst1q_f32(lanes, values) }
}

#[inline]
#[target_feature(enable = "neon")]
fn add(x: Vector, y: Vector) -> Vector {
    vaddq_f32(x, y)
}

#[inline]
#[target_feature(enable = "neon")]
fn mul(x: Vector, y: Vector) -> Vector {
    vmulq_f32(x, y)
}

#[inline]
#[target_feature(enable = "neon")]
fn mul_add(x: Vector, y: Vector, z: Vector) -> Vector {
    vfmaq_f32(z, x, y)
}

#[inline]
#[target_feature(enable = "neon")]
fn signs(x: Vector) -> Vector {
    vbslq_f32(vdupq_n_u32(1 << 31), x, splat(1.0))
}

/// # Safety
/// 4 lanes can be read.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn accepts(random: *const u32, probability: Vector) -> Mask {
    // SAFETY: the caller's lanes.
    let random = vshrq_n_u32::<8>(unsafe { vld1q_u32(random) });
    vcltq_f32(vcvtq_f32_u32(random), probability)
}

#[inline]
#[target_feature(enable = "neon")]
fn flip(x: Vector, mask: Mask) -> Vector {
    let sign = vshlq_n_u32::<31>(mask);
    vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(x), sign))
}

#[inline]
#[target_feature(enable = "neon")]
fn keep(x: Vector, mask: Mask) -> Vector {
    vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(x), mask))
}

#[inline]
#[target_feature(enable = "neon")]
fn count(n: Vector, mask: Mask) -> Vector {
    vreinterpretq_f32_u32(vsubq_u32(vreinterpretq_u32_f32(n), mask))
}
