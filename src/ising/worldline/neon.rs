//! NEON: 4 boundaries in a vector.

use core::arch::aarch64::*;

use super::lanes::{Lanes, Logarithm, export_worldline_kernels};
use super::scalar::export_worldline_sweeps;
use super::update::sweep;
use crate::frame::isa::neon;
use crate::math::vector::lanes;
use crate::math::vector::neon::U32;

export_worldline_sweeps! { neon [U32, _, 4, 8, 16] }
export_worldline_kernels! { neon U32 float64x2_t 4 }

lanes! { impl Lanes for U32 { type Floats = float32x4_t; type Doubles = float64x2_t; }
unsafe fn min(self, b: Self) -> Self { U32(vminq_u32(self.0, b.0)) }
unsafe fn max(self, b: Self) -> Self { U32(vmaxq_u32(self.0, b.0)) }
unsafe fn merge(self) -> Self {
    let x = self.0;
    let y = vextq_u32::<2>(x, x);
    let x = vcombine_u32(vget_low_u32(vminq_u32(x, y)), vget_high_u32(vmaxq_u32(x, y)));
    let y = vrev64q_u32(x);
    U32(vtrn1q_u32(vminq_u32(x, y), vmaxq_u32(x, y)))
}
unsafe fn reverse(self) -> Self {
    let x = vrev64q_u32(self.0);
    U32(vextq_u32::<2>(x, x))
}
unsafe fn next(self, following: Self) -> Self { U32(vextq_u32::<1>(self.0, following.0)) }
unsafe fn lanes_of(bits: u32) -> uint32x4_t { vtstq_u32(vdupq_n_u32(bits), vld1q_u32([1, 2, 4, 8].as_ptr())) }
unsafe fn sum(self) -> u32 { vaddvq_u32(self.0) }
unsafe fn widen(self) -> [float64x2_t; 2] {
    let x = vreinterpretq_s32_u32(self.0);
    [vcvtq_f64_s64(vmovl_s32(vget_low_s32(x))), vcvtq_f64_s64(vmovl_high_s32(x))]
}
unsafe fn narrow([low, high]: [float64x2_t; 2]) -> float32x4_t { vcvt_high_f32_f64(vcvt_f32_f64(low), high) }
unsafe fn compress(self, mut bits: u32, mut to: *mut u32) {
    let mut lanes = [0u32; 4];
    vst1q_u32(lanes.as_mut_ptr(), self.0);
    while bits != 0 {
        to.write_unaligned(lanes[bits.trailing_zeros() as usize & 3]);
        to = to.add(1);
        bits &= bits - 1;
    }
} }
lanes! { impl Logarithm for float64x2_t {}
unsafe fn exponent(self) -> Self {
    vsubq_f64(vcvtq_f64_u64(vshrq_n_u64::<52>(vreinterpretq_u64_f64(self))), vdupq_n_f64(1023.0))
}
unsafe fn mantissa(self) -> Self {
    let bits = vandq_u64(vreinterpretq_u64_f64(self), vdupq_n_u64((1 << 52) - 1));
    vreinterpretq_f64_u64(vorrq_u64(bits, vreinterpretq_u64_f64(vdupq_n_f64(1.0))))
}
unsafe fn store_integers(self, to: *mut u32) { vst1_u32(to, vmovn_u64(vcvtq_u64_f64(self))) } }
