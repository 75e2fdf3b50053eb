//! Advanced SIMD of AArch64.

use core::arch::aarch64::*;

use super::combine::Line;
use super::eliminate::Step;
use super::strips::{ComplexSystem, Product, System};
use super::vector::{Vector, kernels, vector};

vector! {
    float32x4_t f32 4 vld1q_f32 vst1q_f32 vdupq_n_f32 |a, b, c| vfmaq_f32(c, a, b), vaddq_f32 vsubq_f32
    vmulq_f32 vdivq_f32,
    vrev64q_f32
}
vector! {
    float64x2_t f64 2 vld1q_f64 vst1q_f64 vdupq_n_f64 |a, b, c| vfmaq_f64(c, a, b), vaddq_f64 vsubq_f64
    vmulq_f64 vdivq_f64,
    |x| vextq_f64::<1>(x, x)
}
kernels! {
    "neon", 4,
    f32 float32x4_t solve_f32 multiply_f32 solve_complex_f32 combine_f32 step_f32,
    f64 float64x2_t solve_f64 multiply_f64 solve_complex_f64 combine_f64 step_f64
}
