//! AVX2.

use core::arch::x86_64::*;

use super::lanes::{self, Spread, export_gate};

export_gate! { avx2 __m256 }

impl Spread for __m256 {
    #[inline(always)]
    unsafe fn spread<const N: usize, const VECTOR: usize>(self) -> Self {
        let (low, high) = ((VECTOR * 8 / N) as i32, ((VECTOR * 8 + 4) / N) as i32);
        // SAFETY: the CPU has the instruction set.
        unsafe { _mm256_permutevar8x32_ps(self, _mm256_setr_epi32(low, low, low, low, high, high, high, high)) }
    }
}
