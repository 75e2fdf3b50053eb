//! AVX2.

use core::arch::x86_64::*;

use super::lanes::{self, export_reductions};
use super::scalar;

export_reductions! {
    avx2 f32 __m256 __m256d
    sum_f32 asum_f32 dot_f32 [8 1; LANES_F32] sum2_f32 [4 1] dot2_f32 [4 1; PAIRS_F32] kahan_f32 [4 2; KAHAN_F32] binned_f32 [16]
}
export_reductions! {
    avx2 f64 __m256d __m256d
    sum_f64 asum_f64 dot_f64 [8 1; LANES_F64] sum2_f64 [4 1] dot2_f64 [4 1; PAIRS_F64] kahan_f64 [4 2; KAHAN_F64] binned_f64 [16]
}
