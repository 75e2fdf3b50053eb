//! AVX-512.
#![allow(unsafe_op_in_unsafe_fn)] // intrinsics

use core::arch::x86_64::*;

use super::Task;
use super::lanes::{Lanes, MAX_LANES, basics, transposition_of_halves, transpositions_by_pairs};

/// # Safety
/// The CPU has AVX-512; the contract of the task.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn f32<T: Task<f32>>(task: &T) {
    task.run::<__m512>();
}

/// # Safety
/// As for [`f32`](self::f32).
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn f64<T: Task<f64>>(task: &T) {
    task.run::<__m512d>();
}

// SAFETY: the methods need AVX-512.
unsafe impl Lanes<f32> for __m512 {
    type Mask = __mmask16;

    basics! {
        f32 16 32 _mm512_loadu_ps _mm512_storeu_ps _mm512_set1_ps _mm512_fmadd_ps, _mm512_add_ps _mm512_sub_ps
        _mm512_mul_ps _mm512_div_ps
    }

    #[inline(always)]
    unsafe fn mask(begin: usize, end: usize) -> __mmask16 {
        let (begin, end) = (begin.min(16), end.min(16));
        ((1u32 << end).wrapping_sub(1 << begin) & ((1u32 << end) - 1)) as __mmask16
    }

    #[inline(always)]
    unsafe fn load_masked(at: *const f32, mask: __mmask16) -> Self {
        _mm512_maskz_loadu_ps(mask, at)
    }

    #[inline(always)]
    unsafe fn store_masked(self, at: *mut f32, mask: __mmask16) {
        _mm512_mask_storeu_ps(at, mask, self)
    }

    #[inline(always)]
    unsafe fn select(self, other: Self, mask: __mmask16) -> Self {
        _mm512_mask_blend_ps(mask, other, self)
    }

    #[inline(always)]
    unsafe fn broadcast(self, i: usize) -> Self {
        _mm512_permutexvar_ps(_mm512_set1_epi32(i as i32), self)
    }

    #[inline(always)]
    unsafe fn first(self) -> f32 {
        _mm512_cvtss_f32(self)
    }

    #[inline(always)]
    unsafe fn with_odd(self, odd: Self) -> Self {
        _mm512_mask_blend_ps(0xaaaa, self, odd)
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        _mm512_permute_ps::<0b10_11_00_01>(self)
    }

    #[inline(always)]
    unsafe fn conjugated(self) -> Self {
        let signs = _mm512_set1_epi64(i64::MIN);
        _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(self), signs))
    }

    transpositions_by_pairs! {
        __m512d 16 _mm512_unpacklo_ps _mm512_unpackhi_ps _mm512_castps_pd _mm512_castpd_ps
    }
}

// SAFETY: the methods need AVX-512.
unsafe impl Lanes<f64> for __m512d {
    type Mask = __mmask8;

    basics! {
        f64 8 32 _mm512_loadu_pd _mm512_storeu_pd _mm512_set1_pd _mm512_fmadd_pd, _mm512_add_pd _mm512_sub_pd
        _mm512_mul_pd _mm512_div_pd
    }

    #[inline(always)]
    unsafe fn mask(begin: usize, end: usize) -> __mmask8 {
        let (begin, end) = (begin.min(8), end.min(8));
        ((1u32 << end).wrapping_sub(1 << begin) & ((1u32 << end) - 1)) as __mmask8
    }

    #[inline(always)]
    unsafe fn load_masked(at: *const f64, mask: __mmask8) -> Self {
        _mm512_maskz_loadu_pd(mask, at)
    }

    #[inline(always)]
    unsafe fn store_masked(self, at: *mut f64, mask: __mmask8) {
        _mm512_mask_storeu_pd(at, mask, self)
    }

    #[inline(always)]
    unsafe fn select(self, other: Self, mask: __mmask8) -> Self {
        _mm512_mask_blend_pd(mask, other, self)
    }

    #[inline(always)]
    unsafe fn broadcast(self, i: usize) -> Self {
        _mm512_permutexvar_pd(_mm512_set1_epi64(i as i64), self)
    }

    #[inline(always)]
    unsafe fn first(self) -> f64 {
        _mm512_cvtsd_f64(self)
    }

    #[inline(always)]
    unsafe fn with_odd(self, odd: Self) -> Self {
        _mm512_mask_blend_pd(0xaa, self, odd)
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        _mm512_permute_pd::<0b0101_0101>(self)
    }

    #[inline(always)]
    unsafe fn conjugated(self) -> Self {
        let signs = _mm512_set_epi64(i64::MIN, 0, i64::MIN, 0, i64::MIN, 0, i64::MIN, 0);
        _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(self), signs))
    }

    transposition_of_halves! { 8 _mm512_unpacklo_pd _mm512_unpackhi_pd }

    #[inline(always)]
    unsafe fn transpose_pairs(rows: &mut [Self; MAX_LANES]) {
        let low = _mm512_shuffle_f64x2::<0b10_00_10_00>(rows[0], rows[1]);
        let high = _mm512_shuffle_f64x2::<0b11_01_11_01>(rows[0], rows[1]);
        let low_2 = _mm512_shuffle_f64x2::<0b10_00_10_00>(rows[2], rows[3]);
        let high_2 = _mm512_shuffle_f64x2::<0b11_01_11_01>(rows[2], rows[3]);
        rows[0] = _mm512_shuffle_f64x2::<0b10_00_10_00>(low, low_2);
        rows[1] = _mm512_shuffle_f64x2::<0b10_00_10_00>(high, high_2);
        rows[2] = _mm512_shuffle_f64x2::<0b11_01_11_01>(low, low_2);
        rows[3] = _mm512_shuffle_f64x2::<0b11_01_11_01>(high, high_2);
    }
}
