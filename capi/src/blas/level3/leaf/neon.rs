//! Advanced SIMD of AArch64.

use core::arch::aarch64::*;

use super::combine::Line;
use super::eliminate::Step;
use super::kernels::kernels;
use super::strips::{ComplexSystem, Product, System};

kernels! {
    "neon", 4,
    f32 float32x4_t solve_f32 multiply_f32 solve_complex_f32 combine_f32 step_f32,
    f64 float64x2_t solve_f64 multiply_f64 solve_complex_f64 combine_f64 step_f64
}
