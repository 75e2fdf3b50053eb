//! AVX-512.

use core::arch::x86_64::*;

use super::combine::Line;
use super::eliminate::Step;
use super::strips::{ComplexSystem, Product, System};
use super::vector::{Vector, kernels, vector};

vector! {
    __m512 f32 16 _mm512_loadu_ps _mm512_storeu_ps _mm512_set1_ps _mm512_fmadd_ps, _mm512_add_ps _mm512_sub_ps
    _mm512_mul_ps _mm512_div_ps,
    _mm512_permute_ps::<0xb1>
}
vector! {
    __m512d f64 8 _mm512_loadu_pd _mm512_storeu_pd _mm512_set1_pd _mm512_fmadd_pd, _mm512_add_pd _mm512_sub_pd
    _mm512_mul_pd _mm512_div_pd,
    _mm512_permute_pd::<0x55>
}
kernels! {
    "avx512f", 4,
    f32 __m512 solve_f32 multiply_f32 solve_complex_f32 combine_f32 step_f32,
    f64 __m512d solve_f64 multiply_f64 solve_complex_f64 combine_f64 step_f64
}
