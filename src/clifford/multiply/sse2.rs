//! SSE2.

use core::arch::x86_64::*;

use super::lanes::{self, Transpose, export_products};
use crate::math::vector::lanes;

export_products! { sse2 multiply_f32 __m128 f32 multiply_f64 __m128d f64 }

lanes! { impl Transpose for __m128 { const FUSES: bool = false; }
unsafe fn load_parts(from: *const f32, _: usize) -> Self { _mm_loadu_ps(from) }
unsafe fn store_parts(self, to: *mut f32, _: usize) { _mm_storeu_ps(to, self) }
unsafe fn zeros(self) -> [bool; 2] {
    let zeros = _mm_movemask_ps(_mm_cmpeq_ps(self, _mm_setzero_ps()));
    [zeros == 0b1111, zeros == 0]
}
unsafe fn where_zero(self, a: Self, b: Self) -> Self {
    let zeros = _mm_cmpeq_ps(self, _mm_setzero_ps());
    _mm_or_ps(_mm_and_ps(zeros, a), _mm_andnot_ps(zeros, b))
}
unsafe fn low(self, b: Self) -> Self { _mm_unpacklo_ps(self, b) }
unsafe fn high(self, b: Self) -> Self { _mm_unpackhi_ps(self, b) }
unsafe fn low_half(self, b: Self) -> Self { _mm_movelh_ps(self, b) }
unsafe fn high_half(self, b: Self) -> Self { _mm_movehl_ps(b, self) } }

lanes! { impl Transpose for __m128d { const FUSES: bool = false; }
unsafe fn load_parts(from: *const f64, _: usize) -> Self { _mm_loadu_pd(from) }
unsafe fn store_parts(self, to: *mut f64, _: usize) { _mm_storeu_pd(to, self) }
unsafe fn zeros(self) -> [bool; 2] {
    let zeros = _mm_movemask_pd(_mm_cmpeq_pd(self, _mm_setzero_pd()));
    [zeros == 0b11, zeros == 0]
}
unsafe fn where_zero(self, a: Self, b: Self) -> Self {
    let zeros = _mm_cmpeq_pd(self, _mm_setzero_pd());
    _mm_or_pd(_mm_and_pd(zeros, a), _mm_andnot_pd(zeros, b))
}
unsafe fn low(self, b: Self) -> Self { _mm_unpacklo_pd(self, b) }
unsafe fn high(self, b: Self) -> Self { _mm_unpackhi_pd(self, b) }
unsafe fn low_half(self, b: Self) -> Self { _mm_unpacklo_pd(self, b) }
unsafe fn high_half(self, b: Self) -> Self { _mm_unpackhi_pd(self, b) } }
