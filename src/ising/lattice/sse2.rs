//! SSE2: a vector is 2 words.

use core::arch::x86_64::*;

use super::blocks::visit;
use super::contract::export_visit;
use super::lanes::WordLogic;
use crate::math::vector::lanes;
use crate::math::vector::sse2::U64;

export_visit! { sse2 visit::<U64> }

lanes! { impl WordLogic for U64 {}
unsafe fn and(self, b: Self) -> Self { U64(_mm_and_si128(self.0, b.0)) }
unsafe fn or(self, b: Self) -> Self { U64(_mm_or_si128(self.0, b.0)) }
unsafe fn xor(self, b: Self) -> Self { U64(_mm_xor_si128(self.0, b.0)) }
unsafe fn and_not(self, b: Self) -> Self { U64(_mm_andnot_si128(b.0, self.0)) }
unsafe fn shl<const N: i32>(self) -> Self { U64(_mm_slli_epi64::<N>(self.0)) }
unsafe fn shr<const N: i32>(self) -> Self { U64(_mm_srli_epi64::<N>(self.0)) }
unsafe fn product(self, b: Self) -> Self { U64(_mm_mul_epu32(self.0, b.0)) }
unsafe fn is_zero(self) -> bool { _mm_movemask_epi8(_mm_cmpeq_epi8(self.0, _mm_setzero_si128())) == 0xffff } }
