//! NEON: 8 words, 16 bytes.

use core::arch::aarch64::*;

use super::lanes::{self, Bytes, Words};
use super::quads::{self, Quads};
use crate::math::vector::lanes as methods;

lanes::decisions! { neon int16x8_t, int32x4_t }
lanes::kernels! { neon float32x4_t, [int8x16_t, 4], 16 }

methods! { impl Words for int16x8_t {}
unsafe fn splat(x: i16) -> Self { vdupq_n_s16(x) }
unsafe fn load(from: *const i16) -> Self { vreinterpretq_s16_u8(vld1q_u8(from.cast())) }
unsafe fn store(self, to: *mut i16) { vst1q_u8(to.cast(), vreinterpretq_u8_s16(self)) }
unsafe fn widen(from: *const i8) -> Self { vmovl_s8(vld1_s8(from)) }
unsafe fn add(self, b: Self) -> Self { vaddq_s16(self, b) }
unsafe fn sub(self, b: Self) -> Self { vsubq_s16(self, b) }
unsafe fn mul(self, b: Self) -> Self { vmulq_s16(self, b) }
unsafe fn exceeds(self, b: Self) -> Self { vreinterpretq_s16_u16(vcgtq_s16(self, b)) }
unsafe fn and(self, b: Self) -> Self { vandq_s16(self, b) }
unsafe fn and_not(self, b: Self) -> Self { vbicq_s16(self, b) }
unsafe fn repeat<const I: i32>(self) -> Self { vdupq_laneq_s16::<I>(self) }
unsafe fn signs(self) -> u64 {
    let places = vld1_u8([1, 2, 4, 8, 16, 32, 64, 128].as_ptr());
    u64::from(vaddv_u8(vand_u8(vreinterpret_u8_s8(vmovn_s16(vshrq_n_s16::<15>(self))), places)))
} }

methods! { impl Bytes for int8x16_t { const LANES: usize = 16; }
unsafe fn zero() -> Self { vdupq_n_s8(0) }
unsafe fn load(from: *const i8) -> Self { vld1q_s8(from) }
unsafe fn add(self, b: Self) -> Self { vaddq_s8(self, b) }
unsafe fn sub(self, b: Self) -> Self { vsubq_s8(self, b) }
unsafe fn add_twice(self, to: *mut i16) {
    let halves = [vshll_n_s8::<1>(vget_low_s8(self)), vshll_high_n_s8::<1>(self)];
    for (n, half) in halves.into_iter().enumerate() {
        let to = to.add(8 * n);
        let sum = vaddq_s16(<int16x8_t as Words>::load(to), half);
        Words::store(sum, to);
    }
} }

methods! { impl Quads for int32x4_t {}
unsafe fn splat(x: i32) -> Self { vdupq_n_s32(x) }
unsafe fn load(from: *const i32) -> Self { vreinterpretq_s32_u8(vld1q_u8(from.cast())) }
unsafe fn store(self, to: *mut i32) { vst1q_u8(to.cast(), vreinterpretq_u8_s32(self)) }
unsafe fn add(self, b: Self) -> Self { vaddq_s32(self, b) }
unsafe fn sub(self, b: Self) -> Self { vsubq_s32(self, b) }
unsafe fn and(self, b: Self) -> Self { vandq_s32(self, b) }
unsafe fn xor(self, b: Self) -> Self { veorq_s32(self, b) }
unsafe fn exceeds(self, b: Self) -> Self { vreinterpretq_s32_u32(vcgtq_s32(self, b)) }
unsafe fn repeat<const I: i32>(self) -> Self { vdupq_laneq_s32::<I>(self) }
unsafe fn signs(self) -> u64 {
    let bits = vandq_s32(self, vreinterpretq_s32_u8(vld1q_u8([1i32, 2, 4, 8].as_ptr().cast())));
    vaddvq_s32(bits) as u64
} }
