//! AVX2.

use core::arch::x86_64::*;

use super::combine::Line;
use super::eliminate::Step;
use super::strips::{ComplexSystem, Product, System};
use super::vector::{Vector, kernels, vector};

vector! {
    __m256 f32 8 _mm256_loadu_ps _mm256_storeu_ps _mm256_set1_ps _mm256_fmadd_ps, _mm256_add_ps _mm256_sub_ps
    _mm256_mul_ps _mm256_div_ps,
    _mm256_permute_ps::<0xb1>
}
vector! {
    __m256d f64 4 _mm256_loadu_pd _mm256_storeu_pd _mm256_set1_pd _mm256_fmadd_pd, _mm256_add_pd _mm256_sub_pd
    _mm256_mul_pd _mm256_div_pd,
    _mm256_permute_pd::<5>
}
kernels! {
    "avx2,fma", 2,
    f32 __m256 solve_f32 multiply_f32 solve_complex_f32 combine_f32 step_f32,
    f64 __m256d solve_f64 multiply_f64 solve_complex_f64 combine_f64 step_f64
}
