//! AVX-512: a vector is 8 words.

use core::arch::x86_64::*;

use super::blocks::visit;
use super::contract::export_visit;
use super::lanes::WordLogic;
use crate::math::vector::avx512::U64;
use crate::math::vector::lanes;

export_visit! { avx512 visit::<U64> }

lanes! { impl WordLogic for U64 {}
unsafe fn and(self, b: Self) -> Self { U64(_mm512_and_si512(self.0, b.0)) }
unsafe fn or(self, b: Self) -> Self { U64(_mm512_or_si512(self.0, b.0)) }
unsafe fn xor(self, b: Self) -> Self { U64(_mm512_xor_si512(self.0, b.0)) }
unsafe fn and_not(self, b: Self) -> Self { U64(_mm512_andnot_si512(b.0, self.0)) }
unsafe fn shl<const N: i32>(self) -> Self { U64(_mm512_sll_epi64(self.0, _mm_cvtsi32_si128(N))) }
unsafe fn shr<const N: i32>(self) -> Self { U64(_mm512_srl_epi64(self.0, _mm_cvtsi32_si128(N))) }
unsafe fn product(self, b: Self) -> Self { U64(_mm512_mul_epu32(self.0, b.0)) }
unsafe fn is_zero(self) -> bool { _mm512_test_epi64_mask(self.0, self.0) == 0 } }
