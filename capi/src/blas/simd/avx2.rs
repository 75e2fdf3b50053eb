//! AVX2.
#![allow(unsafe_op_in_unsafe_fn)] // intrinsics

use core::arch::x86_64::*;

use super::Task;
use super::lanes::{Lanes, MAX_LANES, basics, transposition_of_halves, transpositions_by_pairs};

/// # Safety
/// The CPU has AVX2 and FMA; the contract of the task.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn f32<T: Task<f32>>(task: &T) {
    task.run::<__m256>();
}

/// # Safety
/// As for [`f32`](self::f32).
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn f64<T: Task<f64>>(task: &T) {
    task.run::<__m256d>();
}

/// The lanes from `begin` on are set in the vector at `LANES - begin`, those before `end` in the one at
/// `2 LANES - end`.
static MASKS_32: [i32; 24] = [0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
static MASKS_64: [i64; 12] = [0, 0, 0, 0, -1, -1, -1, -1, 0, 0, 0, 0];

// SAFETY: the methods need AVX2 and FMA.
unsafe impl Lanes<f32> for __m256 {
    type Mask = __m256i;

    basics! {
        f32 8 16 _mm256_loadu_ps _mm256_storeu_ps _mm256_set1_ps _mm256_fmadd_ps, _mm256_add_ps _mm256_sub_ps
        _mm256_mul_ps _mm256_div_ps
    }

    #[inline(always)]
    unsafe fn mask(begin: usize, end: usize) -> __m256i {
        let at = |offset: usize| MASKS_32.as_ptr().wrapping_add(offset).cast::<__m256i>();
        _mm256_and_si256(_mm256_loadu_si256(at(8 - begin.min(8))), _mm256_loadu_si256(at(16 - end.min(8))))
    }

    #[inline(always)]
    unsafe fn load_masked(at: *const f32, mask: __m256i) -> Self {
        _mm256_maskload_ps(at, mask)
    }

    #[inline(always)]
    unsafe fn store_masked(self, at: *mut f32, mask: __m256i) {
        _mm256_maskstore_ps(at, mask, self)
    }

    #[inline(always)]
    unsafe fn select(self, other: Self, mask: __m256i) -> Self {
        _mm256_blendv_ps(other, self, _mm256_castsi256_ps(mask))
    }

    #[inline(always)]
    unsafe fn broadcast(self, i: usize) -> Self {
        _mm256_permutevar8x32_ps(self, _mm256_set1_epi32(i as i32))
    }

    #[inline(always)]
    unsafe fn first(self) -> f32 {
        _mm256_cvtss_f32(self)
    }

    #[inline(always)]
    unsafe fn with_odd(self, odd: Self) -> Self {
        _mm256_blend_ps::<0xaa>(self, odd)
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        _mm256_permute_ps::<0b10_11_00_01>(self)
    }

    #[inline(always)]
    unsafe fn conjugated(self) -> Self {
        _mm256_xor_ps(self, _mm256_castsi256_ps(_mm256_set1_epi64x(i64::MIN)))
    }

    transpositions_by_pairs! {
        __m256d 8 _mm256_unpacklo_ps _mm256_unpackhi_ps _mm256_castps_pd _mm256_castpd_ps
    }
}

// SAFETY: the methods need AVX2 and FMA.
unsafe impl Lanes<f64> for __m256d {
    type Mask = __m256i;

    basics! {
        f64 4 16 _mm256_loadu_pd _mm256_storeu_pd _mm256_set1_pd _mm256_fmadd_pd, _mm256_add_pd _mm256_sub_pd
        _mm256_mul_pd _mm256_div_pd
    }

    #[inline(always)]
    unsafe fn mask(begin: usize, end: usize) -> __m256i {
        let at = |offset: usize| MASKS_64.as_ptr().wrapping_add(offset).cast::<__m256i>();
        _mm256_and_si256(_mm256_loadu_si256(at(4 - begin.min(4))), _mm256_loadu_si256(at(8 - end.min(4))))
    }

    #[inline(always)]
    unsafe fn load_masked(at: *const f64, mask: __m256i) -> Self {
        _mm256_maskload_pd(at, mask)
    }

    #[inline(always)]
    unsafe fn store_masked(self, at: *mut f64, mask: __m256i) {
        _mm256_maskstore_pd(at, mask, self)
    }

    #[inline(always)]
    unsafe fn select(self, other: Self, mask: __m256i) -> Self {
        _mm256_blendv_pd(other, self, _mm256_castsi256_pd(mask))
    }

    #[inline(always)]
    unsafe fn broadcast(self, i: usize) -> Self {
        let halves = _mm256_set1_epi64x((((2 * i + 1) << 32) | (2 * i)) as i64);
        _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(self), halves))
    }

    #[inline(always)]
    unsafe fn first(self) -> f64 {
        _mm256_cvtsd_f64(self)
    }

    #[inline(always)]
    unsafe fn with_odd(self, odd: Self) -> Self {
        _mm256_blend_pd::<0xa>(self, odd)
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        _mm256_permute_pd::<0b0101>(self)
    }

    #[inline(always)]
    unsafe fn conjugated(self) -> Self {
        _mm256_xor_pd(self, _mm256_castsi256_pd(_mm256_set_epi64x(i64::MIN, 0, i64::MIN, 0)))
    }

    transposition_of_halves! { 4 _mm256_unpacklo_pd _mm256_unpackhi_pd }

    #[inline(always)]
    unsafe fn transpose_pairs(rows: &mut [Self; MAX_LANES]) {
        let (a, b) = (rows[0], rows[1]);
        rows[0] = _mm256_permute2f128_pd::<0x20>(a, b);
        rows[1] = _mm256_permute2f128_pd::<0x31>(a, b);
    }
}
