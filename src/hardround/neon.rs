//! NEON.

use core::arch::aarch64::*;

use super::gaps::{self, Inverses};
use super::lanes::{self, Narrow, export_searches};
use super::runs::{self, Halves};
use crate::frame::isa::neon;
use crate::math::vector::lanes;
use crate::math::vector::neon::{U32, U64};

export_searches! { neon rows float32x4_t; arcs float64x2_t; dual 2; regular lefevre: float64x2_t, Inverses, 4;
exhaust U32, 2, 32, 8, 4 }

lanes! { impl Halves for U32 { type Words = U64; }
unsafe fn upper(a: U64, b: U64) -> U32 { U32(vuzp2q_u32(vreinterpretq_u32_u64(a.0), vreinterpretq_u32_u64(b.0))) }
unsafe fn lane_min(self, b: U32) -> U32 { U32(vminq_u32(self.0, b.0)) }
unsafe fn any_may_be(self, limit: U32) -> bool { vmaxvq_u32(vcleq_u32(self.0, limit.0)) != 0 } }

lanes! { impl Narrow for float64x2_t {}
unsafe fn sqrt(self) -> Self { vsqrtq_f64(self) }
unsafe fn store_singles(self, to: *mut f32) { vst1_f32(to, vcvt_f32_f64(self)) }
unsafe fn store_low(self, to: *mut u32) { vst1_u32(to, vmovn_u64(vreinterpretq_u64_f64(self))) } }
