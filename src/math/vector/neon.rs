//! NEON: 4 floats, 2 doubles, 4 integers; partial vectors by lanes.

use core::arch::aarch64::*;

use crate::math::vector::{
    Exact, Fractional, Fused, IntProduct, Integral, Mask, Vector, Words, fused, int, lanes, single, vector, wide,
};

vector! { float32x4_t f32 4 vdupq_n_f32 vld1q_f32 vst1q_f32 vaddq_f32 vsubq_f32 vmulq_f32 |x| vabsq_f32(x),
|x, half| if half == 2 { vextq_f32::<2>(x, x) } else { vextq_f32::<1>(x, x) };
|from, n| {
    let low = if n == 1 { vld1_lane_f32::<0>(from, vdup_n_f32(0.0)) } else { vld1_f32(from) };
    let high = if n == 3 { vld1_lane_f32::<0>(from.add(2), vdup_n_f32(0.0)) } else { vdup_n_f32(0.0) };
    vcombine_f32(low, high)
};
|value, to, n| {
    if n == 1 { vst1q_lane_f32::<0>(to, value) } else { vst1_f32(to, vget_low_f32(value)) }
    if n == 3 { vst1q_lane_f32::<2>(to.add(2), value) }
} }
vector! { float64x2_t f64 2 vdupq_n_f64 vld1q_f64 vst1q_f64 vaddq_f64 vsubq_f64 vmulq_f64
|x| vabsq_f64(x), |x, _half| vextq_f64::<1>(x, x);
|from, _n| vcombine_f64(vld1_f64(from), vdup_n_f64(0.0));
|value, to, _n| vst1_f64(to, vget_low_f64(value)) }
fused! { float32x4_t |a, b, c| vfmaq_f32(c, a, b), float64x2_t |a, b, c| vfmaq_f64(c, a, b) }
wide! { float64x2_t |from| vcvt_f64_f32(vld1_f32(from)),
|a, b, so_far| {
    let high = vuzp2q_f32(vreinterpretq_f32_f64(a), vreinterpretq_f32_f64(b)).magnitude();
    vreinterpretq_f64_s16(vmaxq_s16(vreinterpretq_s16_f32(high), vreinterpretq_s16_f64(so_far)))
},
|x| U64(vreinterpretq_u64_f64(x)) }
int! { U32(uint32x4_t) u32 4 uint32x4_t;
splat(x) { vdupq_n_u32(x) }
load(from) { vld1q_u32(from) }
store(value, to) { vst1q_u32(to, value) }
add vaddq_u32 sub vsubq_u32 and vandq_u32 or vorrq_u32 xor veorq_u32
shl::<N>(x) { vshlq_n_u32::<N>(x) }
shr::<N>(x) { vshrq_n_u32::<N>(x) }
equals vceqq_u32 exceeds(a, b) { vcgtq_s32(vreinterpretq_s32_u32(a), vreinterpretq_s32_u32(b)) }
select(mask, a, b) { vbslq_u32(mask, a, b) } }
single! { float32x4_t uint32x4_t U32
bits |x| vreinterpretq_u32_f32(x), vreinterpretq_f32_u32(x);
integers |x| vreinterpretq_u32_s32(vcvtnq_s32_f32(x)), vcvtq_f32_s32(vreinterpretq_s32_u32(x));
vsqrtq_f32 |a, b, c| vfmaq_f32(c, a, b); vminnmq_f32 vmaxq_f32
masks |a, b| vminq_f32(a, b), vcltq_f32(a, b), vmvnq_u32(vcltq_f32(a, b)); |x| vmvnq_u32(vceqq_f32(x, x));
|n, x| vandq_u32(x, vtstq_u32(n, vdupq_n_u32(1)));
|n, mask| vsubq_u32(n, mask);
unsafe fn merge(mask: U32, a: U32, b: U32) -> U32 {
    U32(vbslq_u32(mask.0, a.0, b.0))
} }
lanes! { impl Mask for uint32x4_t {}
unsafe fn none() -> Self { vdupq_n_u32(0) }
unsafe fn and(self, b: Self) -> Self { vandq_u32(self, b) }
unsafe fn or(self, b: Self) -> Self { vorrq_u32(self, b) }
unsafe fn and_not(self, b: Self) -> Self { vbicq_u32(self, b) }
unsafe fn bits(self) -> u32 { vaddvq_u32(vandq_u32(self, vld1q_u32([1, 2, 4, 8].as_ptr()))) }
unsafe fn any(self) -> bool { vmaxvq_u32(self) != 0 } }
lanes! { impl Mask for uint64x2_t {}
unsafe fn none() -> Self { vdupq_n_u64(0) }
unsafe fn and(self, b: Self) -> Self { vandq_u64(self, b) }
unsafe fn or(self, b: Self) -> Self { vorrq_u64(self, b) }
unsafe fn and_not(self, b: Self) -> Self { vbicq_u64(self, b) }
unsafe fn bits(self) -> u32 { vgetq_lane_u64::<0>(self) as u32 & 1 | vgetq_lane_u64::<1>(self) as u32 & 2 }
unsafe fn any(self) -> bool { vmaxvq_u32(vreinterpretq_u32_u64(self)) != 0 } }
lanes! { impl Fractional for float32x4_t {}
unsafe fn div(self, b: Self) -> Self { vdivq_f32(self, b) }
unsafe fn fraction(self) -> Self { vsubq_f32(self, vrndq_f32(self)) } }
lanes! { impl IntProduct for U32 {}
unsafe fn mul(self, b: Self) -> Self { U32(vmulq_u32(self.0, b.0)) } }
lanes! { impl Integral for float64x2_t { type Mask = uint64x2_t; }
unsafe fn less(self, b: Self) -> uint64x2_t { vcltq_f64(self, b) }
unsafe fn at_most(self, b: Self) -> uint64x2_t { vcleq_f64(self, b) }
unsafe fn select(mask: uint64x2_t, a: Self, b: Self) -> Self { vbslq_f64(mask, a, b) }
unsafe fn keep(self, mask: uint64x2_t) -> Self { vreinterpretq_f64_u64(vandq_u64(mask, vreinterpretq_u64_f64(self))) }
unsafe fn clear(self, mask: uint64x2_t) -> Self { vreinterpretq_f64_u64(vbicq_u64(vreinterpretq_u64_f64(self), mask)) }
unsafe fn min(self, b: Self) -> Self { vminq_f64(self, b) }
unsafe fn max(self, b: Self) -> Self { vmaxnmq_f64(self, b) }
unsafe fn div(self, b: Self) -> Self { vdivq_f64(self, b) }
unsafe fn upper_52(from: *const u64) -> Self { vcvtq_f64_u64(vshrq_n_u64::<12>(vld1q_u64(from))) }
unsafe fn plus_product(self, a: Self, b: Self) -> Self { vfmaq_f64(self, a, b) }
unsafe fn less_product(self, a: Self, b: Self) -> Self { vfmsq_f64(self, a, b) } }

#[derive(Clone, Copy)]
pub(crate) struct U64(pub(crate) uint64x2_t);
lanes! { impl Words for U64 { const LANES: usize = 2; }
unsafe fn splat(x: u64) -> Self { U64(vdupq_n_u64(x)) }
unsafe fn load(from: *const u64) -> Self { U64(vld1q_u64(from)) }
unsafe fn store(self, to: *mut u64) { vst1q_u64(to, self.0) }
unsafe fn add(self, b: Self) -> Self { U64(vaddq_u64(self.0, b.0)) }
unsafe fn sub(self, b: Self) -> Self { U64(vsubq_u64(self.0, b.0)) } }

macro_rules! exact {
    ($($vector:ident $fms:ident)+) => {$(
        impl Exact for $vector {
            #[inline(always)]
            unsafe fn two_product(self, b: Self) -> (Self, Self) {
                // SAFETY: the contract of the trait.
                unsafe {
                    let product = self.mul(b);
                    (product, $fms(product, self, b))
                }
            }
        }
    )+};
}
exact! { float32x4_t vfmsq_f32 float64x2_t vfmsq_f64 }
