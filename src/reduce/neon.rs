//! NEON.

use core::arch::aarch64::*;

use super::lanes::{self, export_reductions};
use super::scalar;

export_reductions! {
    neon f32 float32x4_t float64x2_t
    sum_f32 asum_f32 dot_f32 [16 1; LANES_F32] sum2_f32 [4 16] dot2_f32 [4 16; PAIRS_F32] kahan_f32 [8 8; KAHAN_F32] binned_f32 [8]
}
export_reductions! {
    neon f64 float64x2_t float64x2_t
    sum_f64 asum_f64 dot_f64 [16 1; LANES_F64] sum2_f64 [4 16] dot2_f64 [4 16; PAIRS_F64] kahan_f64 [8 8; KAHAN_F64] binned_f64 [8]
}
