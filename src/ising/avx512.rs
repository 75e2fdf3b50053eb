//! AVX-512: a row in 1 vector.

use core::arch::x86_64::*;
use core::array::from_fn;

use super::scalar::*;
use super::{LANES, Link};
use crate::exp::lanes::exp2;
use crate::exp::scalar::ONE;

type Vector = __m512;
type Mask = __mmask16;

rows! { 1, #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")] }

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn fast(v: Vector) -> Vector {
    // The minimum is its second operand where either is a NaN.
    let n = _mm512_cvtps_epi32(_mm512_min_ps(v, splat(FAST_MOST)));
    let bits = _mm512_add_epi32(n, _mm512_set1_epi32(ONE as i32));
    mul(_mm512_castsi512_ps(bits), splat(FAST_SCALE))
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn poly(v: Vector) -> Vector {
    let v = _mm512_max_ps(_mm512_min_ps(v, splat(POLY_MOST)), splat(POLY_LEAST));
    mul(unsafe { exp2(v) }, splat(RANGE))
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn splat(value: f32) -> Vector {
    _mm512_set1_ps(value)
}

/// # Safety
/// 16 lanes can be read.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
unsafe fn load(lanes: *const f32) -> Vector {
    // SAFETY: the caller's lanes.
    unsafe { _mm512_loadu_ps(lanes) }
}

/// # Safety
/// 16 lanes can be written.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
unsafe fn store(lanes: *mut f32, values: Vector) {
    // SAFETY: the caller's lanes.
    unsafe { _mm512_storeu_ps(lanes, values) }
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn add(x: Vector, y: Vector) -> Vector {
    _mm512_add_ps(x, y)
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn mul(x: Vector, y: Vector) -> Vector {
    _mm512_mul_ps(x, y)
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn mul_add(x: Vector, y: Vector, z: Vector) -> Vector {
    _mm512_fmadd_ps(x, y, z)
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn signs(x: Vector) -> Vector {
    _mm512_or_ps(_mm512_and_ps(x, splat(-0.0)), splat(1.0))
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn sub(x: Vector, y: Vector) -> Vector {
    _mm512_sub_ps(x, y)
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn cut(v: Vector, most: f32) -> Vector {
    _mm512_max_ps(_mm512_min_ps(v, splat(most)), splat(-most))
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn sides(v: Vector) -> [Vector; 2] {
    let (n, one) = (_mm512_cvtps_epi32(v), _mm512_set1_epi32(ONE as i32));
    [_mm512_castsi512_ps(_mm512_sub_epi32(one, n)), _mm512_castsi512_ps(_mm512_add_epi32(one, n))]
}

/// # Safety
/// 16 lanes can be read.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
unsafe fn uniform(random: *const u32) -> Vector {
    // SAFETY: the caller's lanes.
    _mm512_cvtepi32_ps(_mm512_srli_epi32::<8>(unsafe { _mm512_loadu_si512(random.cast()) }))
}

/// # Safety
/// 16 lanes can be read.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
unsafe fn odd(random: *const u32) -> Vector {
    // SAFETY: the caller's lanes.
    let upper = _mm512_srli_epi32::<8>(unsafe { _mm512_loadu_si512(random.cast()) });
    _mm512_cvtepi32_ps(_mm512_or_si512(upper, _mm512_set1_epi32(1)))
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn within(v: Vector, bound: f32) -> Mask {
    _mm512_cmp_ps_mask::<_CMP_LT_OQ>(_mm512_abs_ps(v), splat(bound))
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn less(x: Vector, y: Vector) -> Mask {
    _mm512_cmp_ps_mask::<_CMP_LT_OQ>(x, y)
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn select(mask: Mask, x: Vector, y: Vector) -> Vector {
    _mm512_mask_blend_ps(mask, y, x)
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn flip(x: Vector, mask: Mask) -> Vector {
    _mm512_mask_xor_ps(x, mask, x, splat(-0.0))
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn keep(x: Vector, mask: Mask) -> Vector {
    _mm512_maskz_mov_ps(mask, x)
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn count(n: Vector, mask: Mask) -> Vector {
    let n = _mm512_castps_si512(n);
    _mm512_castsi512_ps(_mm512_mask_sub_epi32(n, mask, n, _mm512_set1_epi32(-1)))
}
