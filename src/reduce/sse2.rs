//! SSE2.

use core::arch::x86_64::*;

use super::lanes::{self, export_reductions};
use super::scalar;

export_reductions! {
    sse2 f32 __m128 __m128d
    sum_f32 asum_f32 dot_f32 [8 64; LANES_F32] sum2_f32 [4 16] dot2_f32 [2 16; PAIRS_F32] kahan_f32 [4 4; KAHAN_F32] binned_f32 [8]
}
export_reductions! {
    sse2 f64 __m128d __m128d
    sum_f64 asum_f64 dot_f64 [8 64; LANES_F64] sum2_f64 [4 16] dot2_f64 [2 16; PAIRS_F64] kahan_f64 [4 4; KAHAN_F64] binned_f64 [8]
}
