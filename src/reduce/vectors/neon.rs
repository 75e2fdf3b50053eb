//! NEON.

use core::arch::aarch64::*;

use super::{lanes, maxima, pairs, updates};
use crate::math::vector::Vector;

lanes::export_vectors! { neon float32x4_t float64x2_t [32] }
lanes::lanes! {
    float32x4_t f32 uint32x4_t |x| vrev64q_f32(x), |a, b| vcltq_f32(a, b), |a, b| vandq_u32(a, b),
    |mask| vminvq_u32(mask) != 0;
    float64x2_t f64 uint64x2_t |x| vextq_f64::<1>(x, x), |a, b| vcltq_f64(a, b), |a, b| vandq_u64(a, b),
    |mask| vminvq_u32(vreinterpretq_u32_u64(mask)) != 0;
}
