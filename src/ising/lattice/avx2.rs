//! AVX2: a vector is 4 words.

use core::arch::x86_64::*;

use super::blocks::visit;
use super::contract::export_visit;
use super::lanes::WordLogic;
use crate::math::vector::avx2::U64;
use crate::math::vector::lanes;

export_visit! { avx2 visit::<U64> }

lanes! { impl WordLogic for U64 {}
unsafe fn and(self, b: Self) -> Self { U64(_mm256_and_si256(self.0, b.0)) }
unsafe fn or(self, b: Self) -> Self { U64(_mm256_or_si256(self.0, b.0)) }
unsafe fn xor(self, b: Self) -> Self { U64(_mm256_xor_si256(self.0, b.0)) }
unsafe fn and_not(self, b: Self) -> Self { U64(_mm256_andnot_si256(b.0, self.0)) }
unsafe fn shl<const N: i32>(self) -> Self { U64(_mm256_slli_epi64::<N>(self.0)) }
unsafe fn shr<const N: i32>(self) -> Self { U64(_mm256_srli_epi64::<N>(self.0)) }
unsafe fn product(self, b: Self) -> Self { U64(_mm256_mul_epu32(self.0, b.0)) }
unsafe fn is_zero(self) -> bool { _mm256_testz_si256(self.0, self.0) == 1 } }
