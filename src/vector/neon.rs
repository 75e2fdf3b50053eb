//! NEON: 4 floats, 2 doubles; parts of a vector by lanes.

use core::arch::aarch64::*;

use crate::vector::{fused, vector};

vector! { float32x4_t f32 4 vdupq_n_f32 vld1q_f32 vst1q_f32 vaddq_f32 vsubq_f32 vmulq_f32 |x| vabsq_f32(x);
|from, n| {
    let low = if n == 1 { vld1_lane_f32::<0>(from, vdup_n_f32(0.0)) } else { vld1_f32(from) };
    let high = if n == 3 { vld1_lane_f32::<0>(from.add(2), vdup_n_f32(0.0)) } else { vdup_n_f32(0.0) };
    vcombine_f32(low, high)
};
|value, to, n| {
    if n == 1 { vst1q_lane_f32::<0>(to, value) } else { vst1_f32(to, vget_low_f32(value)) }
    if n == 3 { vst1q_lane_f32::<2>(to.add(2), value) }
} }
vector! { float64x2_t f64 2 vdupq_n_f64 vld1q_f64 vst1q_f64 vaddq_f64 vsubq_f64 vmulq_f64 |x| vabsq_f64(x);
|from, _n| vcombine_f64(vld1_f64(from), vdup_n_f64(0.0));
|value, to, _n| vst1_f64(to, vget_low_f64(value)) }
fused! { float32x4_t |a, b, c| vfmaq_f32(c, a, b), float64x2_t |a, b, c| vfmaq_f64(c, a, b) }
