//! AVX-512.

use core::arch::x86_64::*;

use super::lanes::{self, export_reductions};
use super::scalar;

export_reductions! {
    avx512 f32 __m512 __m512d
    sum_f32 asum_f32 dot_f32 [4 1; LANES_F32] sum2_f32 [2 1] dot2_f32 [2 1; PAIRS_F32] kahan_f32 [8 1; KAHAN_F32] binned_f32 [32]
}
export_reductions! {
    avx512 f64 __m512d __m512d
    sum_f64 asum_f64 dot_f64 [4 1; LANES_F64] sum2_f64 [2 1] dot2_f64 [2 1; PAIRS_F64] kahan_f64 [8 1; KAHAN_F64] binned_f64 [32]
}
