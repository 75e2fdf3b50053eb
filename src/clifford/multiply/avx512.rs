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
unsafe fn load_all<const N: usize>(from: *const f32) -> [Self; N] {
    let parts = load_all::<N>(from.cast(), Self::IN_PART);
    let mut all = [_mm512_setzero_ps(); N];
    for (vector, part) in all.iter_mut().zip(parts) {
        *vector = _mm512_castpd_ps(part);
    }
    all
}
unsafe fn store_all<const N: usize>(all: [Self; N], to: *mut f32) {
    let mut parts = [_mm512_setzero_pd(); N];
    for (part, vector) in parts.iter_mut().zip(all) {
        *part = _mm512_castps_pd(vector);
    }
    store_all(parts, to.cast(), Self::IN_PART);
}
unsafe fn by_multivector(self) -> Self {
    _mm512_permutexvar_ps(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), self)
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
unsafe fn load_all<const N: usize>(from: *const f64) -> [Self; N] { load_all(from, Self::IN_PART) }
unsafe fn store_all<const N: usize>(all: [Self; N], to: *mut f64) { store_all(all, to, Self::IN_PART) }
unsafe fn by_multivector(self) -> Self { _mm512_permutexvar_pd(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), self) }
unsafe fn low(self, b: Self) -> Self { _mm512_unpacklo_pd(self, b) }
unsafe fn high(self, b: Self) -> Self { _mm512_unpackhi_pd(self, b) }
unsafe fn low_half(self, b: Self) -> Self { _mm512_unpacklo_pd(self, b) }
unsafe fn high_half(self, b: Self) -> Self { _mm512_unpackhi_pd(self, b) } }

/// [`Transpose::load_all()`] by whole vectors: part k of vector i of a set is of multivector 4 i + k.
///
/// # Safety
/// `N` vectors are readable; as for [`Transpose`].
#[inline(always)]
unsafe fn load_all<const N: usize>(from: *const f64, in_part: usize) -> [__m512d; N] {
    // SAFETY: the caller's contract.
    unsafe {
        let mut all = [_mm512_setzero_pd(); N];
        let parts = N / in_part;
        for i in 0..in_part {
            if parts == 1 {
                all[i] = _mm512_loadu_pd(from.add(8 * i));
            } else if parts == 2 {
                let (a, b) = (_mm512_loadu_pd(from.add(16 * i)), _mm512_loadu_pd(from.add(16 * i + 8)));
                all[i] = _mm512_shuffle_f64x2::<0b10_00_10_00>(a, b);
                all[in_part + i] = _mm512_shuffle_f64x2::<0b11_01_11_01>(a, b);
            } else {
                let vectors = parts / 4;
                for h in 0..vectors {
                    let from = from.add(8 * (4 * i * vectors + h));
                    let [a, b] = [_mm512_loadu_pd(from), _mm512_loadu_pd(from.add(8 * vectors))];
                    let [c, d] = [_mm512_loadu_pd(from.add(16 * vectors)), _mm512_loadu_pd(from.add(24 * vectors))];
                    let columns = transposed_parts([a, b, c, d]);
                    for (k, column) in columns.into_iter().enumerate() {
                        all[(4 * h + k) * in_part + i] = column;
                    }
                }
            }
        }
        all
    }
}

/// The inverse of [`load_all()`].
///
/// # Safety
/// `N` vectors are writable; as for [`Transpose`].
#[inline(always)]
unsafe fn store_all<const N: usize>(all: [__m512d; N], to: *mut f64, in_part: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        let parts = N / in_part;
        for i in 0..in_part {
            if parts == 1 {
                _mm512_storeu_pd(to.add(8 * i), all[i]);
            } else if parts == 2 {
                let (low, high) = (all[i], all[in_part + i]);
                let (first, second) =
                    (_mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15));
                _mm512_storeu_pd(to.add(16 * i), _mm512_permutex2var_pd(low, first, high));
                _mm512_storeu_pd(to.add(16 * i + 8), _mm512_permutex2var_pd(low, second, high));
            } else {
                let vectors = parts / 4;
                for h in 0..vectors {
                    let mut columns = [all[0]; 4];
                    for (k, column) in columns.iter_mut().enumerate() {
                        *column = all[(4 * h + k) * in_part + i];
                    }
                    for (k, row) in transposed_parts(columns).into_iter().enumerate() {
                        _mm512_storeu_pd(to.add(8 * ((4 * i + k) * vectors + h)), row);
                    }
                }
            }
        }
    }
}

/// Transposes four vectors of four parts of 128 bits.
///
/// # Safety
/// As for [`Transpose`].
#[inline(always)]
unsafe fn transposed_parts([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
    // SAFETY: the caller's contract.
    unsafe {
        let (first, second) =
            (_mm512_shuffle_f64x2::<0b01_00_01_00>(a, b), _mm512_shuffle_f64x2::<0b01_00_01_00>(c, d));
        let (third, fourth) =
            (_mm512_shuffle_f64x2::<0b11_10_11_10>(a, b), _mm512_shuffle_f64x2::<0b11_10_11_10>(c, d));
        [
            _mm512_shuffle_f64x2::<0b10_00_10_00>(first, second),
            _mm512_shuffle_f64x2::<0b11_01_11_01>(first, second),
            _mm512_shuffle_f64x2::<0b10_00_10_00>(third, fourth),
            _mm512_shuffle_f64x2::<0b11_01_11_01>(third, fourth),
        ]
    }
}
