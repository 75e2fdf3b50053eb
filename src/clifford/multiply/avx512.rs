//! AVX-512.

use core::arch::x86_64::*;

use super::lanes::{self, Transpose, export_products};
use crate::vector::lanes;

export_products! { avx512 multiply_f32 __m512 f32 multiply_f64 __m512d f64 }

lanes! { impl Transpose for __m512 {}
unsafe fn load_parts(from: *const f32, blades: usize) -> Self {
    let parts = _mm512_castps128_ps512(_mm_loadu_ps(from));
    let parts = _mm512_insertf32x4::<1>(parts, _mm_loadu_ps(from.add(4 * blades)));
    let parts = _mm512_insertf32x4::<2>(parts, _mm_loadu_ps(from.add(8 * blades)));
    _mm512_insertf32x4::<3>(parts, _mm_loadu_ps(from.add(12 * blades)))
}
unsafe fn store_parts(self, to: *mut f32, blades: usize) {
    _mm_storeu_ps(to, _mm512_castps512_ps128(self));
    _mm_storeu_ps(to.add(4 * blades), _mm512_extractf32x4_ps::<1>(self));
    _mm_storeu_ps(to.add(8 * blades), _mm512_extractf32x4_ps::<2>(self));
    _mm_storeu_ps(to.add(12 * blades), _mm512_extractf32x4_ps::<3>(self));
}
unsafe fn low(self, b: Self) -> Self { _mm512_unpacklo_ps(self, b) }
unsafe fn high(self, b: Self) -> Self { _mm512_unpackhi_ps(self, b) }
unsafe fn low_half(self, b: Self) -> Self { _mm512_shuffle_ps::<0b01_00_01_00>(self, b) }
unsafe fn high_half(self, b: Self) -> Self { _mm512_shuffle_ps::<0b11_10_11_10>(self, b) } }

lanes! { impl Transpose for __m512d {}
unsafe fn load_parts(from: *const f64, blades: usize) -> Self {
    let parts = _mm512_castpd128_pd512(_mm_loadu_pd(from));
    let parts = _mm512_insertf64x2::<1>(parts, _mm_loadu_pd(from.add(2 * blades)));
    let parts = _mm512_insertf64x2::<2>(parts, _mm_loadu_pd(from.add(4 * blades)));
    _mm512_insertf64x2::<3>(parts, _mm_loadu_pd(from.add(6 * blades)))
}
unsafe fn store_parts(self, to: *mut f64, blades: usize) {
    _mm_storeu_pd(to, _mm512_castpd512_pd128(self));
    _mm_storeu_pd(to.add(2 * blades), _mm512_extractf64x2_pd::<1>(self));
    _mm_storeu_pd(to.add(4 * blades), _mm512_extractf64x2_pd::<2>(self));
    _mm_storeu_pd(to.add(6 * blades), _mm512_extractf64x2_pd::<3>(self));
}
unsafe fn low(self, b: Self) -> Self { _mm512_unpacklo_pd(self, b) }
unsafe fn high(self, b: Self) -> Self { _mm512_unpackhi_pd(self, b) }
unsafe fn low_half(self, b: Self) -> Self { _mm512_unpacklo_pd(self, b) }
unsafe fn high_half(self, b: Self) -> Self { _mm512_unpackhi_pd(self, b) } }
