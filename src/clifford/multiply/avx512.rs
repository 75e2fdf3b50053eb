//! AVX-512.

use core::arch::x86_64::*;

use super::lanes::{self, Transpose, export_products};
use crate::math::vector::lanes;

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
unsafe fn by_multivector<const N: usize>(self) -> Self {
    let order = if N == 8 {
        _mm512_setr_epi32(0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15)
    } else {
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)
    };
    _mm512_permutexvar_ps(order, self)
}
unsafe fn zeros(self) -> [bool; 2] {
    let zeros = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(self, _mm512_setzero_ps());
    [zeros == u16::MAX, zeros == 0]
}
unsafe fn where_zero(self, a: Self, b: Self) -> Self {
    _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_EQ_OQ>(self, _mm512_setzero_ps()), b, a)
}
unsafe fn plus_product(self, a: Self, b: Self) -> Self { _mm512_fmadd_ps(a, b, self) }
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
unsafe fn by_multivector<const N: usize>(self) -> Self {
    let order = if N == 4 {
        _mm512_setr_epi64(0, 4, 2, 6, 1, 5, 3, 7)
    } else {
        _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7)
    };
    _mm512_permutexvar_pd(order, self)
}
unsafe fn zeros(self) -> [bool; 2] {
    let zeros = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(self, _mm512_setzero_pd());
    [zeros == u8::MAX, zeros == 0]
}
unsafe fn where_zero(self, a: Self, b: Self) -> Self {
    _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_EQ_OQ>(self, _mm512_setzero_pd()), b, a)
}
unsafe fn plus_product(self, a: Self, b: Self) -> Self { _mm512_fmadd_pd(a, b, self) }
unsafe fn low(self, b: Self) -> Self { _mm512_unpacklo_pd(self, b) }
unsafe fn high(self, b: Self) -> Self { _mm512_unpackhi_pd(self, b) }
unsafe fn low_half(self, b: Self) -> Self { _mm512_unpacklo_pd(self, b) }
unsafe fn high_half(self, b: Self) -> Self { _mm512_unpackhi_pd(self, b) } }

/// [`Transpose::load_all()`] by whole vectors: the parts of vector i of a set are of multivectors 4 i to
/// 4 i + 3. Masked loads and stores exchange parts, because shuffles bound the kernels.
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
                let at = from.add(16 * i);
                [all[i], all[in_part + i]] = load_pair(at, at.add(8));
            } else {
                let vectors = parts / 4;
                for h in 0..vectors {
                    let at = from.add(8 * (4 * i * vectors + h));
                    let [a, b] = load_pair(at, at.add(8 * vectors));
                    let [c, d] = load_pair(at.add(16 * vectors), at.add(24 * vectors));
                    let set = 4 * h * in_part + i;
                    [all[set], all[set + 2 * in_part]] = halves(a, c);
                    [all[set + in_part], all[set + 3 * in_part]] = halves(b, d);
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
                let at = to.add(16 * i);
                store_pair([all[i], all[in_part + i]], at, at.add(8));
            } else {
                let vectors = parts / 4;
                for h in 0..vectors {
                    let (at, set) = (to.add(8 * (4 * i * vectors + h)), 4 * h * in_part + i);
                    let [a, c] = halves(all[set], all[set + 2 * in_part]);
                    let [b, d] = halves(all[set + in_part], all[set + 3 * in_part]);
                    store_pair([a, b], at, at.add(8 * vectors));
                    store_pair([c, d], at.add(16 * vectors), at.add(24 * vectors));
                }
            }
        }
    }
}

/// The first parts of two vectors with the first halves of their pairs of parts, and the second ones:
/// a0 b0 a2 b2 and a1 b1 a3 b3.
///
/// # Safety
/// The vectors are readable, the second one behind the first; as for [`Transpose`].
#[inline(always)]
unsafe fn load_pair(a: *const f64, b: *const f64) -> [__m512d; 2] {
    // SAFETY: the caller's contract.
    unsafe {
        [
            _mm512_mask_loadu_pd(_mm512_loadu_pd(a), 0b1100_1100, b.sub(2)),
            _mm512_mask_loadu_pd(_mm512_loadu_pd(b), 0b0011_0011, a.add(2)),
        ]
    }
}

/// The inverse of [`load_pair()`].
///
/// # Safety
/// The vectors are writable, the second one behind the first; as for [`Transpose`].
#[inline(always)]
unsafe fn store_pair([first, second]: [__m512d; 2], a: *mut f64, b: *mut f64) {
    // SAFETY: the caller's contract.
    unsafe {
        _mm512_mask_storeu_pd(a, 0b0011_0011, first);
        _mm512_mask_storeu_pd(a.add(2), 0b0011_0011, second);
        _mm512_mask_storeu_pd(b.sub(2), 0b1100_1100, first);
        _mm512_mask_storeu_pd(b, 0b1100_1100, second);
    }
}

/// The first halves of two vectors, and the second ones.
///
/// # Safety
/// As for [`Transpose`].
#[inline(always)]
unsafe fn halves(a: __m512d, b: __m512d) -> [__m512d; 2] {
    // SAFETY: the caller's contract.
    unsafe { [_mm512_shuffle_f64x2::<0b01_00_01_00>(a, b), _mm512_shuffle_f64x2::<0b11_10_11_10>(a, b)] }
}
