//! NEON: 4 boundaries in a vector.

use core::arch::aarch64::*;

use super::lanes::{CARRY, Lanes, Logarithm, export_worldline_kernels, power_of_2_by_bits};
use super::update::export_worldline_sweeps;
use crate::frame::isa::neon;
use crate::math::vector::lanes;
use crate::math::vector::neon::U32;

export_worldline_sweeps! { neon U32 [2 4 8 16] 2 }
export_worldline_kernels! { neon U32 2 }

lanes! { impl Lanes for U32 { type Floats = float32x4_t; type Doubles = float64x2_t;
const RANGE: f32 = (1_u64 << 32) as f32; }
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
unsafe fn first(self) -> Self { U32(vdupq_laneq_u32::<0>(self.0)) }
unsafe fn plus_product(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t { vfmaq_f32(c, a, b) }
unsafe fn power_of_2(y: float32x4_t) -> float32x4_t { power_of_2_by_bits::<U32>(y) }
unsafe fn units(self) -> float32x4_t { vcvtq_f32_u32(self.0) }
unsafe fn truncate([low, high]: [float64x2_t; 2]) -> Self {
    U32(vmovn_high_u64(vmovn_u64(vcvtq_u64_f64(low)), vcvtq_u64_f64(high)))
}
unsafe fn capped(self) -> Self { U32(vminq_u32(self.0, vdupq_n_u32(u32::MAX >> 1))) }
unsafe fn running_sums(self) -> Self {
    let zero = vdupq_n_u32(0);
    let x = U32(vaddq_u32(self.0, vextq_u32::<3>(zero, self.0))).capped().0;
    U32(vaddq_u32(x, vextq_u32::<2>(zero, x))).capped()
}
unsafe fn last(self) -> Self { U32(vdupq_laneq_u32::<3>(self.0)) }
unsafe fn compress(self, bits: u32, mut to: *mut u32) {
    let mut lanes = [0u32; 4];
    vst1q_u32(lanes.as_mut_ptr(), self.0);
    for (lane, &value) in lanes.iter().enumerate() {
        to.write_unaligned(value);
        to = to.add((bits >> lane & 1) as usize);
    }
} }
lanes! { impl Logarithm for float64x2_t {}
unsafe fn upper_52_above_1(words: *const u64) -> Self {
    vreinterpretq_f64_u64(vorrq_u64(vshrq_n_u64::<12>(vld1q_u64(words)), vdupq_n_u64(1023 << 52)))
}
unsafe fn split(self) -> (Self, Self) {
    let bits = vreinterpretq_s64_f64(self);
    let exponent = vaddq_s64(bits, vdupq_n_s64(CARRY as i64 - (1023 << 52)));
    let scale = vandq_s64(exponent, vdupq_n_s64(!0 << 52));
    (vcvtq_f64_s64(vshrq_n_s64::<52>(exponent)), vreinterpretq_f64_s64(vsubq_s64(bits, scale)))
}
unsafe fn next(self, following: Self) -> Self { vextq_f64::<1>(self, following) }
unsafe fn first(self) -> Self { vdupq_laneq_f64::<0>(self) }
unsafe fn lanes_of(bits: u32) -> uint64x2_t { vtstq_u64(vdupq_n_u64(bits.into()), vld1q_u64([1, 2].as_ptr())) } }
