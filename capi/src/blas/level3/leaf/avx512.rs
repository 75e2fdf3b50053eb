//! AVX-512.

use core::arch::x86_64::*;

use super::combine::Line;
use super::eliminate::Step;
use super::kernels::kernels;
use super::strips::{ComplexSystem, Product, System};

kernels! {
    "avx512f", 4,
    f32 __m512 solve_f32 multiply_f32 solve_complex_f32 combine_f32 step_f32,
    f64 __m512d solve_f64 multiply_f64 solve_complex_f64 combine_f64 step_f64
}
