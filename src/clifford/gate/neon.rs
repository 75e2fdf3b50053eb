//! NEON.

use core::arch::aarch64::*;

use super::lanes::{self, Spread, export_gate};

export_gate! { neon float32x4_t }

impl Spread for float32x4_t {
    #[inline(always)]
    unsafe fn spread<const N: usize, const VECTOR: usize>(self) -> Self {
        // SAFETY: the CPU has the instruction set.
        unsafe {
            match VECTOR * 4 / N {
                0 => vdupq_laneq_f32::<0>(self),
                1 => vdupq_laneq_f32::<1>(self),
                2 => vdupq_laneq_f32::<2>(self),
                _ => vdupq_laneq_f32::<3>(self),
            }
        }
    }
}
