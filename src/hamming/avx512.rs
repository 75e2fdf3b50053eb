//! AVX-512 BW.

use core::arch::x86_64::*;

use super::adders::{Adders, Carry};
use super::lanes::misses::{Rows, export_misses};
use super::lanes::{self, Popcount, export_hamming};
use super::row_lanes::export_rows;
use crate::frame::isa::avx512;
use crate::math::vector::avx512::U64;
use crate::math::vector::lanes;

export_hamming! { avx512 Adders<U64>, 2, 1 }
export_rows! { avx512 Adders<U64> }
export_misses! { avx512 U64 }

lanes! { impl Carry for U64 {}
unsafe fn carry(self, u: Self, s: Self) -> Self { U64(_mm512_ternarylogic_epi64::<0b0111_0100>(self.0, u.0, s.0)) }
unsafe fn full(self, a: Self, b: Self) -> [Self; 2] {
    let carry = _mm512_ternarylogic_epi64::<0b1110_1000>(self.0, a.0, b.0);
    [carry, _mm512_ternarylogic_epi64::<0b1001_0110>(self.0, a.0, b.0)].map(U64)
} }
lanes! { impl Popcount for U64 {}
unsafe fn and(self, b: Self) -> Self { U64(_mm512_and_si512(self.0, b.0)) }
unsafe fn xor(self, b: Self) -> Self { U64(_mm512_xor_si512(self.0, b.0)) }
unsafe fn ones(self) -> Self {
    let table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    let nibble = _mm512_set1_epi8(15);
    let low = _mm512_shuffle_epi8(table, _mm512_and_si512(self.0, nibble));
    let high = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16::<4>(self.0), nibble));
    U64(_mm512_add_epi8(low, high))
}
unsafe fn add_bytes(self, b: Self) -> Self { U64(_mm512_add_epi8(self.0, b.0)) }
unsafe fn across(self) -> Self { U64(_mm512_sad_epu8(self.0, _mm512_setzero_si512())) }
unsafe fn store_narrow(self, to: *mut u32) { _mm256_storeu_si256(to.cast(), _mm512_cvtepi64_epi32(self.0)) } }

lanes! { impl Rows for U64 {}
unsafe fn adder(self, a: Self, b: Self) -> [Self; 2] { self.full(a, b) }
unsafe fn half_adder(self, b: Self) -> [Self; 2] { [self.and(b), self.xor(b)] }
unsafe fn exclusive(self, b: Self) -> Self { self.xor(b) }
unsafe fn either(self, b: Self) -> Self { U64(_mm512_or_si512(self.0, b.0)) }
unsafe fn is_full(self) -> bool { _mm512_cmpneq_epi64_mask(self.0, _mm512_set1_epi64(-1)) == 0 } }
