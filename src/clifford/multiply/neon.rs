//! NEON.

use core::arch::aarch64::*;

use super::lanes::{self, Transpose, export_products};
use crate::math::vector::lanes;

export_products! { neon multiply_f32 float32x4_t f32 multiply_f64 float64x2_t f64 }

lanes! { impl Transpose for float32x4_t {}
unsafe fn load_parts(from: *const f32, _: usize) -> Self { vld1q_f32(from) }
unsafe fn store_parts(self, to: *mut f32, _: usize) { vst1q_f32(to, self) }
unsafe fn zeros(self) -> [bool; 2] {
    let zeros = vceqzq_f32(self);
    [vminvq_u32(zeros) != 0, vmaxvq_u32(zeros) == 0]
}
unsafe fn where_zero(self, a: Self, b: Self) -> Self { vbslq_f32(vceqzq_f32(self), a, b) }
unsafe fn plus_product(self, a: Self, b: Self) -> Self { vfmaq_f32(self, a, b) }
unsafe fn low(self, b: Self) -> Self { vzip1q_f32(self, b) }
unsafe fn high(self, b: Self) -> Self { vzip2q_f32(self, b) }
unsafe fn low_half(self, b: Self) -> Self {
    vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(self), vreinterpretq_f64_f32(b)))
}
unsafe fn high_half(self, b: Self) -> Self {
    vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(self), vreinterpretq_f64_f32(b)))
} }

lanes! { impl Transpose for float64x2_t {}
unsafe fn load_parts(from: *const f64, _: usize) -> Self { vld1q_f64(from) }
unsafe fn store_parts(self, to: *mut f64, _: usize) { vst1q_f64(to, self) }
unsafe fn zeros(self) -> [bool; 2] {
    let zeros = vreinterpretq_u32_u64(vceqzq_f64(self));
    [vminvq_u32(zeros) != 0, vmaxvq_u32(zeros) == 0]
}
unsafe fn where_zero(self, a: Self, b: Self) -> Self { vbslq_f64(vceqzq_f64(self), a, b) }
unsafe fn plus_product(self, a: Self, b: Self) -> Self { vfmaq_f64(self, a, b) }
unsafe fn low(self, b: Self) -> Self { vzip1q_f64(self, b) }
unsafe fn high(self, b: Self) -> Self { vzip2q_f64(self, b) }
unsafe fn low_half(self, b: Self) -> Self { vzip1q_f64(self, b) }
unsafe fn high_half(self, b: Self) -> Self { vzip2q_f64(self, b) } }
