//! SSE2: a row in 4 vectors.

use core::arch::x86_64::*;
use core::array::from_fn;

use super::scalar::*;
use super::{LANES, Link};
use crate::exp::scalar::ONE;
use crate::exp::sse2::exp2;

type Vector = __m128;
type Mask = __m128;

rows! { 4, #[target_feature(enable = "sse2")] }

#[inline]
#[target_feature(enable = "sse2")]
fn fast(v: Vector) -> Vector {
    // The minimum is its second operand where either is a NaN.
    let n = _mm_cvtps_epi32(_mm_min_ps(v, splat(FAST_MOST)));
    let bits = _mm_add_epi32(n, _mm_set1_epi32(ONE as i32));
    mul(_mm_castsi128_ps(bits), splat(FAST_SCALE))
}

#[inline]
#[target_feature(enable = "sse2")]
fn poly(v: Vector) -> Vector {
    let v = _mm_max_ps(_mm_min_ps(v, splat(POLY_MOST)), splat(POLY_LEAST));
    mul(exp2(v), splat(RANGE))
}

#[inline]
#[target_feature(enable = "sse2")]
fn splat(value: f32) -> Vector {
    _mm_set1_ps(value)
}

/// # Safety
/// 4 lanes can be read.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn load(lanes: *const f32) -> Vector {
    // SAFETY: the caller's lanes.
    unsafe { _mm_loadu_ps(lanes) }
}

/// # Safety
/// 4 lanes can be written.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn store(lanes: *mut f32, values: Vector) {
    // SAFETY: the caller's lanes.
    unsafe { _mm_storeu_ps(lanes, values) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn add(x: Vector, y: Vector) -> Vector {
    _mm_add_ps(x, y)
}

#[inline]
#[target_feature(enable = "sse2")]
fn mul(x: Vector, y: Vector) -> Vector {
    _mm_mul_ps(x, y)
}

#[inline]
#[target_feature(enable = "sse2")]
fn mul_add(x: Vector, y: Vector, z: Vector) -> Vector {
    add(mul(x, y), z)
}

#[inline]
#[target_feature(enable = "sse2")]
fn signs(x: Vector) -> Vector {
    _mm_or_ps(_mm_and_ps(x, splat(-0.0)), splat(1.0))
}

/// # Safety
/// 4 lanes can be read.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn accepts(random: *const u32, probability: Vector) -> Mask {
    // SAFETY: the caller's lanes.
    let random = _mm_srli_epi32::<8>(unsafe { _mm_loadu_si128(random.cast()) });
    _mm_cmplt_ps(_mm_cvtepi32_ps(random), probability)
}

#[inline]
#[target_feature(enable = "sse2")]
fn flip(x: Vector, mask: Mask) -> Vector {
    _mm_xor_ps(x, _mm_and_ps(mask, splat(-0.0)))
}

#[inline]
#[target_feature(enable = "sse2")]
fn keep(x: Vector, mask: Mask) -> Vector {
    _mm_and_ps(x, mask)
}

#[inline]
#[target_feature(enable = "sse2")]
fn count(n: Vector, mask: Mask) -> Vector {
    _mm_castsi128_ps(_mm_sub_epi32(_mm_castps_si128(n), _mm_castps_si128(mask)))
}
