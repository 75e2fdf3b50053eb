//! AVX-512.

use core::arch::x86_64::*;

use super::lanes::{self, Spread, export_gate};

export_gate! { avx512 __m512 }

/// The lanes of multivectors of 8 numbers, and of 4 or 16.
const OF_8: [i32; 16] = [0, 8, 4, 12, 1, 9, 5, 13, 2, 10, 6, 14, 3, 11, 7, 15];
const OF_OTHERS: [i32; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

impl Spread for __m512 {
    #[inline(always)]
    unsafe fn spread<const N: usize, const VECTOR: usize>(self) -> Self {
        let lanes = if N == 8 { &OF_8 } else { &OF_OTHERS };
        let [a, b] = [lanes[VECTOR * 16 / N], lanes[(VECTOR * 16 + 4) / N]];
        let [c, d] = [lanes[(VECTOR * 16 + 8) / N], lanes[(VECTOR * 16 + 12) / N]];
        // SAFETY: the CPU has the instruction set.
        unsafe { _mm512_permutexvar_ps(_mm512_setr_epi32(a, a, a, a, b, b, b, b, c, c, c, c, d, d, d, d), self) }
    }
}
