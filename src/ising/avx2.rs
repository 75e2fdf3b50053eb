//! AVX2: a row in 2 vectors.

use core::arch::x86_64::*;
use core::array::from_fn;

use super::scalar::*;
use super::{LANES, Link};
use crate::exp::avx2::exp2;
use crate::exp::scalar::ONE;

type Vector = __m256;
type Mask = __m256;

rows! { 2, #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")] }

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn fast(v: Vector) -> Vector {
    // The minimum is its second operand where either is a NaN.
    let n = _mm256_cvtps_epi32(_mm256_min_ps(v, splat(FAST_MOST)));
    let bits = _mm256_add_epi32(n, _mm256_set1_epi32(ONE as i32));
    mul(_mm256_castsi256_ps(bits), splat(FAST_SCALE))
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn poly(v: Vector) -> Vector {
    let v = _mm256_max_ps(_mm256_min_ps(v, splat(POLY_MOST)), splat(POLY_LEAST));
    mul(exp2(v), splat(RANGE))
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn splat(value: f32) -> Vector {
    _mm256_set1_ps(value)
}

/// # Safety
/// 8 lanes can be read.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
unsafe fn load(lanes: *const f32) -> Vector {
    // SAFETY: the caller's lanes.
    unsafe { _mm256_loadu_ps(lanes) }
}

/// # Safety
/// 8 lanes can be written.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
unsafe fn store(lanes: *mut f32, values: Vector) {
    // SAFETY: the caller's lanes.
    unsafe { _mm256_storeu_ps(lanes, values) }
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn add(x: Vector, y: Vector) -> Vector {
    _mm256_add_ps(x, y)
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn mul(x: Vector, y: Vector) -> Vector {
    _mm256_mul_ps(x, y)
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn mul_add(x: Vector, y: Vector, z: Vector) -> Vector {
    _mm256_fmadd_ps(x, y, z)
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn signs(x: Vector) -> Vector {
    _mm256_or_ps(_mm256_and_ps(x, splat(-0.0)), splat(1.0))
}

/// # Safety
/// 8 lanes can be read.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
unsafe fn accepts(random: *const u32, probability: Vector) -> Mask {
    // SAFETY: the caller's lanes.
    let random = _mm256_srli_epi32::<8>(unsafe { _mm256_loadu_si256(random.cast()) });
    _mm256_cmp_ps::<_CMP_LT_OQ>(_mm256_cvtepi32_ps(random), probability)
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn flip(x: Vector, mask: Mask) -> Vector {
    _mm256_xor_ps(x, _mm256_and_ps(mask, splat(-0.0)))
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn keep(x: Vector, mask: Mask) -> Vector {
    _mm256_and_ps(x, mask)
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn count(n: Vector, mask: Mask) -> Vector {
    _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_castps_si256(n), _mm256_castps_si256(mask)))
}
