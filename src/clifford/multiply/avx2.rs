//! AVX2.

use core::arch::x86_64::*;

use super::lanes::{self, Transpose, export_products};
use crate::math::vector::lanes;

export_products! { avx2 multiply_f32 __m256 f32 multiply_f64 __m256d f64 }

lanes! { impl Transpose for __m256 {}
unsafe fn load_parts(from: *const f32, blades: usize) -> Self {
    _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(_mm_loadu_ps(from)), _mm_loadu_ps(from.add(4 * blades)))
}
unsafe fn store_parts(self, to: *mut f32, blades: usize) {
    _mm_storeu_ps(to, _mm256_castps256_ps128(self));
    _mm_storeu_ps(to.add(4 * blades), _mm256_extractf128_ps::<1>(self));
}
unsafe fn store_pairs(self, b: Self, to: *mut f32, blades: usize) {
    _mm256_storeu_ps(to, _mm256_permute2f128_ps::<0x20>(self, b));
    _mm256_storeu_ps(to.add(4 * blades), _mm256_permute2f128_ps::<0x31>(self, b));
}
unsafe fn zeros(self) -> [bool; 2] {
    let zeros = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(self, _mm256_setzero_ps()));
    [zeros == 0b11111111, zeros == 0]
}
unsafe fn where_zero(self, a: Self, b: Self) -> Self {
    _mm256_blendv_ps(b, a, _mm256_cmp_ps::<_CMP_EQ_OQ>(self, _mm256_setzero_ps()))
}
unsafe fn plus_product(self, a: Self, b: Self) -> Self { _mm256_fmadd_ps(a, b, self) }
unsafe fn low(self, b: Self) -> Self { _mm256_unpacklo_ps(self, b) }
unsafe fn high(self, b: Self) -> Self { _mm256_unpackhi_ps(self, b) }
unsafe fn low_half(self, b: Self) -> Self { _mm256_shuffle_ps::<0b01_00_01_00>(self, b) }
unsafe fn high_half(self, b: Self) -> Self { _mm256_shuffle_ps::<0b11_10_11_10>(self, b) } }

lanes! { impl Transpose for __m256d {}
unsafe fn load_parts(from: *const f64, blades: usize) -> Self {
    _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(_mm_loadu_pd(from)), _mm_loadu_pd(from.add(2 * blades)))
}
unsafe fn store_parts(self, to: *mut f64, blades: usize) {
    _mm_storeu_pd(to, _mm256_castpd256_pd128(self));
    _mm_storeu_pd(to.add(2 * blades), _mm256_extractf128_pd::<1>(self));
}
unsafe fn store_pairs(self, b: Self, to: *mut f64, blades: usize) {
    _mm256_storeu_pd(to, _mm256_permute2f128_pd::<0x20>(self, b));
    _mm256_storeu_pd(to.add(2 * blades), _mm256_permute2f128_pd::<0x31>(self, b));
}
unsafe fn zeros(self) -> [bool; 2] {
    let zeros = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_EQ_OQ>(self, _mm256_setzero_pd()));
    [zeros == 0b1111, zeros == 0]
}
unsafe fn where_zero(self, a: Self, b: Self) -> Self {
    _mm256_blendv_pd(b, a, _mm256_cmp_pd::<_CMP_EQ_OQ>(self, _mm256_setzero_pd()))
}
unsafe fn plus_product(self, a: Self, b: Self) -> Self { _mm256_fmadd_pd(a, b, self) }
unsafe fn low(self, b: Self) -> Self { _mm256_unpacklo_pd(self, b) }
unsafe fn high(self, b: Self) -> Self { _mm256_unpackhi_pd(self, b) }
unsafe fn low_half(self, b: Self) -> Self { _mm256_unpacklo_pd(self, b) }
unsafe fn high_half(self, b: Self) -> Self { _mm256_unpackhi_pd(self, b) } }
