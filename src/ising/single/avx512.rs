//! AVX-512: a block in one vector.

use core::arch::x86_64::*;

use super::lanes::{Bytes, FromFixed, sweep, sweep_fixed, sweep_floats};
use super::scalar::{block_kernels, fixed_block_kernels, float_block_kernels};

block_kernels! { avx512 [sweep __m512i, 1,] }
float_block_kernels! { avx512 [sweep_floats __m512, 4,] }
fixed_block_kernels! { avx512 [sweep_fixed __m512,] }

// SAFETY: the contract of the trait, throughout.
#[allow(unsafe_op_in_unsafe_fn)]
impl Bytes for __m512i {
    type Mask = __mmask64;
    const LANES: usize = 64;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        _mm512_loadu_si512(from.cast())
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        _mm512_storeu_si512(to.cast(), self)
    }
    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        _mm512_sub_epi8(self, b)
    }
    #[inline(always)]
    unsafe fn and(self, b: Self) -> Self {
        _mm512_and_si512(self, b)
    }
    #[inline(always)]
    unsafe fn xor(self, b: Self) -> Self {
        _mm512_xor_si512(self, b)
    }
    #[inline(always)]
    unsafe fn positive(self) -> Self {
        _mm512_max_epi8(self, _mm512_setzero_si512())
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        _mm512_abs_epi8(self)
    }
    #[inline(always)]
    unsafe fn negative(self) -> u64 {
        _mm512_movepi8_mask(self)
    }
    #[inline(always)]
    unsafe fn complement(self, mask: u64) -> Self {
        _mm512_mask_sub_epi8(self, mask, _mm512_set1_epi8(-1), self)
    }
    /// Sixteen thresholds at a time; an index outside of these selects 0.
    #[inline(always)]
    unsafe fn look_up(self, thresholds: *const i8, levels: usize) -> [Self; 2] {
        let mut index = self;
        let mut found = [_mm512_setzero_si512(); 2];
        for level in 0..levels {
            let selected = _mm512_adds_epu8(index, _mm512_set1_epi8(0x70));
            for (plane, found) in found.iter_mut().enumerate() {
                let table = _mm_loadu_si128(thresholds.add(128 * plane + 16 * level).cast());
                let values = _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), selected);
                *found = _mm512_or_si512(*found, values);
            }
            index = _mm512_sub_epi8(index, _mm512_set1_epi8(16));
        }
        found
    }
    #[inline(always)]
    unsafe fn compare(a: [Self; 2], b: [Self; 2]) -> (u64, u64) {
        let equal = _mm512_cmpeq_epi8_mask(a[0], b[0]);
        let less = _mm512_cmplt_epi8_mask(a[0], b[0]) | _mm512_mask_cmplt_epi8_mask(equal, a[1], b[1]);
        (less, _mm512_mask_cmpeq_epi8_mask(equal, a[1], b[1]))
    }
    #[inline(always)]
    unsafe fn differ(a: u64, b: u64) -> u64 {
        a ^ b
    }
    #[inline(always)]
    unsafe fn bits(mask: u64) -> u64 {
        mask
    }
}

// SAFETY: the contract of the trait, throughout.
#[allow(unsafe_op_in_unsafe_fn)]
impl FromFixed for __m512 {
    type Sum = [__m512i; 2];

    #[inline(always)]
    unsafe fn load_sums(from: *const i64) -> Self::Sum {
        [_mm512_loadu_si512(from.cast()), _mm512_loadu_si512(from.add(8).cast())]
    }
    #[inline(always)]
    unsafe fn store_sums(sum: Self::Sum, to: *mut i64) {
        _mm512_storeu_si512(to.cast(), sum[0]);
        _mm512_storeu_si512(to.add(8).cast(), sum[1]);
    }
    #[inline(always)]
    unsafe fn subtract(sum: Self::Sum, values: *const i64, spins: *const i64) -> Self::Sum {
        let ([a, b], [masks, more]) = (Self::load_sums(values), Self::load_sums(spins));
        [_mm512_sub_epi64(sum[0], _mm512_and_si512(a, masks)), _mm512_sub_epi64(sum[1], _mm512_and_si512(b, more))]
    }
    #[inline(always)]
    unsafe fn exponents(sum: Self::Sum, units: *const f64, space: f64, spins: *const i64) -> Self {
        let spins = Self::load_sums(spins);
        let mut halves = [_mm256_setzero_ps(); 2];
        for n in 0..2 {
            let field = _mm512_mul_pd(_mm512_cvtepi64_pd(sum[n]), _mm512_loadu_pd(units.add(8 * n)));
            let v = _mm512_mul_pd(field, _mm512_set1_pd(space));
            let signs = _mm512_castsi512_pd(_mm512_slli_epi64::<63>(spins[n]));
            halves[n] = _mm512_cvtpd_ps(_mm512_xor_pd(v, signs));
        }
        _mm512_insertf32x8::<1>(_mm512_castps256_ps512(halves[0]), halves[1])
    }
    #[inline(always)]
    unsafe fn flip(self, spins: *mut i64) {
        let flipped = _mm512_movepi32_mask(_mm512_castps_si512(self));
        let [a, b] = Self::load_sums(spins);
        let ones = _mm512_set1_epi64(-1);
        let low = _mm512_mask_xor_epi64(a, flipped as u8, a, ones);
        let high = _mm512_mask_xor_epi64(b, (flipped >> 8) as u8, b, ones);
        Self::store_sums([low, high], spins);
    }
}
