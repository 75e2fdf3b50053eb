//! NEON: a vector is 2 words.

use core::arch::aarch64::*;

use super::blocks::visit;
use super::contract::export_visit;
use super::lanes::WordLogic;
use crate::math::vector::lanes;
use crate::math::vector::neon::U64;

export_visit! { neon visit::<U64> }

lanes! { impl WordLogic for U64 {}
unsafe fn and(self, b: Self) -> Self { U64(vandq_u64(self.0, b.0)) }
unsafe fn or(self, b: Self) -> Self { U64(vorrq_u64(self.0, b.0)) }
unsafe fn xor(self, b: Self) -> Self { U64(veorq_u64(self.0, b.0)) }
unsafe fn and_not(self, b: Self) -> Self { U64(vbicq_u64(self.0, b.0)) }
unsafe fn shl<const N: i32>(self) -> Self { U64(vshlq_n_u64::<N>(self.0)) }
unsafe fn shr<const N: i32>(self) -> Self { U64(vshrq_n_u64::<N>(self.0)) }
unsafe fn product(self, b: Self) -> Self { U64(vmull_u32(vmovn_u64(self.0), vmovn_u64(b.0))) }
unsafe fn is_zero(self) -> bool { vmaxvq_u32(vreinterpretq_u32_u64(self.0)) == 0 } }
