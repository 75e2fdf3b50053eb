//! NEON: 4 floats, 2 doubles.

use core::arch::aarch64::*;

use crate::vector::{fused, vector};

vector! { float32x4_t f32 4 vdupq_n_f32 vld1q_f32 vst1q_f32 vaddq_f32 vsubq_f32 vmulq_f32 |x| vabsq_f32(x) }
vector! { float64x2_t f64 2 vdupq_n_f64 vld1q_f64 vst1q_f64 vaddq_f64 vsubq_f64 vmulq_f64 |x| vabsq_f64(x) }
fused! { float32x4_t |a, b, c| vfmaq_f32(c, a, b), float64x2_t |a, b, c| vfmaq_f64(c, a, b) }
