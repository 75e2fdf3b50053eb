//! SSE2.

use core::arch::x86_64::*;

use super::lanes::{self, Spread, export_gate};

export_gate! { sse2 __m128 }

impl Spread for __m128 {
    #[inline(always)]
    unsafe fn spread<const N: usize, const VECTOR: usize>(self) -> Self {
        // SAFETY: the CPU has the instruction set.
        unsafe {
            match VECTOR * 4 / N {
                0 => _mm_shuffle_ps::<0b00_00_00_00>(self, self),
                1 => _mm_shuffle_ps::<0b01_01_01_01>(self, self),
                2 => _mm_shuffle_ps::<0b10_10_10_10>(self, self),
                _ => _mm_shuffle_ps::<0b11_11_11_11>(self, self),
            }
        }
    }
}
