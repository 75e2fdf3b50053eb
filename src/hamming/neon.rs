//! Advanced SIMD. One instruction counts the ones of each byte, so carry-save adders would be
//! slower.

use core::arch::aarch64::*;

use super::lanes::misses::{Rows, export_misses};
use super::lanes::scores::Quotient;
use super::lanes::{self, Counter, Pairs, Popcount, Single, export_hamming};
use super::row_lanes::export_rows;
use crate::frame::isa::neon;
use crate::math::vector::neon::{U32, U64};
use crate::math::vector::{Words, lanes};

export_hamming! { neon ByteCounter, 4, 2; U32 }
export_rows! { neon ByteCounter }
export_misses! { neon U64 }

/// Counts per byte, with room for `free` more pairs of words, and counts per word.
#[derive(Clone, Copy)]
struct ByteCounter {
    bytes: U64,
    free: u32,
    words: U64,
}

lanes! { impl Counter for ByteCounter { type Words = U64; const PAIRS: usize = 1; const PARITIES: bool = false; }
unsafe fn new() -> Self { ByteCounter { bytes: U64::splat(0), free: FREE, words: U64::splat(0) } }
unsafe fn take(&mut self, pairs: impl Pairs<U64>) {
    let [first, both] = pairs.two(0, U64::splat(0));
    self.bytes = self.bytes.add_bytes(first.ones()).add_bytes(first.xor(both).ones());
    self.free -= 1;
    if self.free == 0 {
        *self = ByteCounter { bytes: U64::splat(0), free: FREE, words: self.sum() };
    }
}
unsafe fn one(&mut self, word: U64) { self.take(Single(word)) }
unsafe fn sum(&self) -> U64 { self.words.add(self.bytes.across()) } }

/// Pairs of words after which a byte may overflow: each adds up to 16.
const FREE: u32 = 255 / 16;

lanes! { impl Popcount for U64 {}
unsafe fn and(self, b: Self) -> Self { U64(vandq_u64(self.0, b.0)) }
unsafe fn xor(self, b: Self) -> Self { U64(veorq_u64(self.0, b.0)) }
unsafe fn ones(self) -> Self { U64(vreinterpretq_u64_u8(vcntq_u8(vreinterpretq_u8_u64(self.0)))) }
unsafe fn add_bytes(self, b: Self) -> Self {
    U64(vreinterpretq_u64_u8(vaddq_u8(vreinterpretq_u8_u64(self.0), vreinterpretq_u8_u64(b.0))))
}
unsafe fn across(self) -> Self { U64(vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(vreinterpretq_u8_u64(self.0))))) }
unsafe fn store_narrow(self, to: *mut u32) { vst1_u32(to, vmovn_u64(self.0)) } }

lanes! { impl Quotient for U32 {}
unsafe fn quotient(self, y: Self) -> Self {
    U32(vreinterpretq_u32_f32(vdivq_f32(vcvtq_f32_u32(self.0), vcvtq_f32_u32(y.0))))
}
unsafe fn per_mean(self, a: Self, b: Self) -> Self {
    let half = |a, b, c| {
        let [a, b, c] = [a, b, c].map(|x| vcvtq_f64_u64(vmovl_u32(x)));
        vdivq_f64(c, vsqrtq_f64(vmulq_f64(a, b)))
    };
    let low = half(vget_low_u32(a.0), vget_low_u32(b.0), vget_low_u32(self.0));
    let high = half(vget_high_u32(a.0), vget_high_u32(b.0), vget_high_u32(self.0));
    U32(vreinterpretq_u32_f32(vcvt_high_f32_f64(vcvt_f32_f64(low), high)))
} }

lanes! { impl Rows for U64 {}
unsafe fn adder(self, a: Self, b: Self) -> [Self; 2] {
    let either = veorq_u64(self.0, a.0);
    [vbslq_u64(either, b.0, self.0), veorq_u64(either, b.0)].map(U64)
}
unsafe fn half_adder(self, b: Self) -> [Self; 2] { [self.and(b), self.xor(b)] }
unsafe fn exclusive(self, b: Self) -> Self { self.xor(b) }
unsafe fn either(self, b: Self) -> Self { U64(vorrq_u64(self.0, b.0)) }
unsafe fn is_full(self) -> bool { vminvq_u32(vreinterpretq_u32_u64(self.0)) == u32::MAX } }
