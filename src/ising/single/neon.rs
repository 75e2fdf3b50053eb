//! NEON: a block in 4 vectors.

use core::arch::aarch64::*;

use super::lanes::{Bytes, FromFixed, sweep, sweep_fixed, sweep_floats};
use super::scalar::{block_kernels, fixed_block_kernels, float_block_kernels};

block_kernels! { neon [sweep uint8x16_t, 4,] }
float_block_kernels! { neon [sweep_floats float32x4_t, 16,] }
fixed_block_kernels! { neon [sweep_fixed float32x4_t,] }

// SAFETY: the contract of the trait, throughout.
#[allow(unsafe_op_in_unsafe_fn)]
impl Bytes for uint8x16_t {
    type Mask = uint8x16_t;
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        vld1q_u8(from)
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        vst1q_u8(to, self)
    }
    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        vsubq_u8(self, b)
    }
    #[inline(always)]
    unsafe fn and(self, b: Self) -> Self {
        vandq_u8(self, b)
    }
    #[inline(always)]
    unsafe fn xor(self, b: Self) -> Self {
        veorq_u8(self, b)
    }
    #[inline(always)]
    unsafe fn positive(self) -> Self {
        vreinterpretq_u8_s8(vmaxq_s8(vreinterpretq_s8_u8(self), vdupq_n_s8(0)))
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        vreinterpretq_u8_s8(vabsq_s8(vreinterpretq_s8_u8(self)))
    }
    #[inline(always)]
    unsafe fn negative(self) -> Self {
        vcltzq_s8(vreinterpretq_s8_u8(self))
    }
    #[inline(always)]
    unsafe fn complement(self, mask: Self) -> Self {
        self.xor(mask)
    }
    /// Sixteen thresholds at a time; an index outside of these leaves what was found.
    #[inline(always)]
    unsafe fn look_up(self, thresholds: *const i8, levels: usize) -> [Self; 2] {
        let mut index = self;
        let mut found = [vdupq_n_u8(0); 2];
        for level in 0..levels {
            for (plane, found) in found.iter_mut().enumerate() {
                *found = vqtbx1q_u8(*found, vld1q_u8(thresholds.add(128 * plane + 16 * level).cast()), index);
            }
            index = vsubq_u8(index, vdupq_n_u8(16));
        }
        found
    }
    #[inline(always)]
    unsafe fn compare(a: [Self; 2], b: [Self; 2]) -> (Self, Self) {
        let upper = (vreinterpretq_s8_u8(a[0]), vreinterpretq_s8_u8(b[0]));
        let lower = (vreinterpretq_s8_u8(a[1]), vreinterpretq_s8_u8(b[1]));
        let equal = vceqq_s8(upper.0, upper.1);
        let less = vorrq_u8(vcltq_s8(upper.0, upper.1), vandq_u8(equal, vcltq_s8(lower.0, lower.1)));
        (less, vandq_u8(equal, vceqq_s8(lower.0, lower.1)))
    }
    #[inline(always)]
    unsafe fn differ(a: Self, b: Self) -> Self {
        a.xor(b)
    }
    #[inline(always)]
    unsafe fn bits(mask: Self) -> u64 {
        let bits = vandq_u8(mask, vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201)));
        u64::from(vaddv_u8(vget_low_u8(bits))) | u64::from(vaddv_u8(vget_high_u8(bits))) << 8
    }
}

// SAFETY: the contract of the trait, throughout.
#[allow(unsafe_op_in_unsafe_fn)]
impl FromFixed for float32x4_t {
    type Sum = [int64x2_t; 2];

    #[inline(always)]
    unsafe fn load_sums(from: *const i64) -> Self::Sum {
        [vld1q_s64(from), vld1q_s64(from.add(2))]
    }
    #[inline(always)]
    unsafe fn store_sums(sum: Self::Sum, to: *mut i64) {
        vst1q_s64(to, sum[0]);
        vst1q_s64(to.add(2), sum[1]);
    }
    #[inline(always)]
    unsafe fn subtract(sum: Self::Sum, values: *const i64, spins: *const i64) -> Self::Sum {
        let ([a, b], [masks, more]) = (Self::load_sums(values), Self::load_sums(spins));
        [vsubq_s64(sum[0], vandq_s64(a, masks)), vsubq_s64(sum[1], vandq_s64(b, more))]
    }
    #[inline(always)]
    unsafe fn exponents([a, b]: Self::Sum, units: *const f64, space: f64, spins: *const i64) -> Self {
        let (space, spins) = (vdupq_n_f64(space), Self::load_sums(spins));
        let a = vmulq_f64(vmulq_f64(vcvtq_f64_s64(a), vld1q_f64(units)), space);
        let b = vmulq_f64(vmulq_f64(vcvtq_f64_s64(b), vld1q_f64(units.add(2))), space);
        let signed = |v, spins| vreinterpretq_f64_s64(veorq_s64(vreinterpretq_s64_f64(v), vshlq_n_s64::<63>(spins)));
        vcvt_high_f32_f64(vcvt_f32_f64(signed(a, spins[0])), signed(b, spins[1]))
    }
    #[inline(always)]
    unsafe fn flip(self, spins: *mut i64) {
        let signs = vshrq_n_s32::<31>(vreinterpretq_s32_f32(self));
        let [a, b] = Self::load_sums(spins);
        let low = vmovl_s32(vget_low_s32(signs));
        Self::store_sums([veorq_s64(a, low), veorq_s64(b, vmovl_high_s32(signs))], spins);
    }
}
