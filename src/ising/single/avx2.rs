//! AVX2: a block in 2 vectors.

use core::arch::x86_64::*;

use super::lanes::{Bytes, FromFixed, TWO_52, TWO_84_63, TWO_84_63_52, sweep, sweep_fixed, sweep_floats};
use super::scalar::{block_kernels, fixed_block_kernels, float_block_kernels};

block_kernels! { avx2 [sweep __m256i, 2,] }
float_block_kernels! { avx2 [sweep_floats __m256, 8,] }
fixed_block_kernels! { avx2 [sweep_fixed __m256,] }

// SAFETY: the contract of the trait, throughout.
#[allow(unsafe_op_in_unsafe_fn)]
impl Bytes for __m256i {
    type Mask = __m256i;
    const LANES: usize = 32;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        _mm256_loadu_si256(from.cast())
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        _mm256_storeu_si256(to.cast(), self)
    }
    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        _mm256_sub_epi8(self, b)
    }
    #[inline(always)]
    unsafe fn and(self, b: Self) -> Self {
        _mm256_and_si256(self, b)
    }
    #[inline(always)]
    unsafe fn xor(self, b: Self) -> Self {
        _mm256_xor_si256(self, b)
    }
    #[inline(always)]
    unsafe fn positive(self) -> Self {
        _mm256_max_epi8(self, _mm256_setzero_si256())
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        _mm256_abs_epi8(self)
    }
    #[inline(always)]
    unsafe fn negative(self) -> Self {
        _mm256_cmpgt_epi8(_mm256_setzero_si256(), self)
    }
    #[inline(always)]
    unsafe fn complement(self, mask: Self) -> Self {
        _mm256_xor_si256(self, mask)
    }
    /// Sixteen thresholds at a time; an index outside of these selects 0.
    #[inline(always)]
    unsafe fn look_up(self, thresholds: *const i8, levels: usize) -> [Self; 2] {
        let mut index = self;
        let mut found = [_mm256_setzero_si256(); 2];
        for level in 0..levels {
            let selected = _mm256_adds_epu8(index, _mm256_set1_epi8(0x70));
            for (plane, found) in found.iter_mut().enumerate() {
                let table = _mm_loadu_si128(thresholds.add(128 * plane + 16 * level).cast());
                let values = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), selected);
                *found = _mm256_or_si256(*found, values);
            }
            index = _mm256_sub_epi8(index, _mm256_set1_epi8(16));
        }
        found
    }
    #[inline(always)]
    unsafe fn compare(a: [Self; 2], b: [Self; 2]) -> (Self, Self) {
        let equal = _mm256_cmpeq_epi8(a[0], b[0]);
        let lower = _mm256_and_si256(equal, _mm256_cmpgt_epi8(b[1], a[1]));
        let less = _mm256_or_si256(_mm256_cmpgt_epi8(b[0], a[0]), lower);
        (less, _mm256_and_si256(equal, _mm256_cmpeq_epi8(a[1], b[1])))
    }
    #[inline(always)]
    unsafe fn differ(a: Self, b: Self) -> Self {
        _mm256_xor_si256(a, b)
    }
    #[inline(always)]
    unsafe fn bits(mask: Self) -> u64 {
        u64::from(_mm256_movemask_epi8(mask) as u32)
    }
}

// SAFETY: the contract of the trait, throughout.
#[allow(unsafe_op_in_unsafe_fn)]
impl FromFixed for __m256 {
    type Sum = [__m256i; 2];

    #[inline(always)]
    unsafe fn load_sums(from: *const i64) -> Self::Sum {
        [_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(4).cast())]
    }
    #[inline(always)]
    unsafe fn store_sums(sum: Self::Sum, to: *mut i64) {
        _mm256_storeu_si256(to.cast(), sum[0]);
        _mm256_storeu_si256(to.add(4).cast(), sum[1]);
    }
    #[inline(always)]
    unsafe fn subtract(sum: Self::Sum, values: *const i64, spins: *const i64) -> Self::Sum {
        let ([a, b], [masks, more]) = (Self::load_sums(values), Self::load_sums(spins));
        [_mm256_sub_epi64(sum[0], _mm256_and_si256(a, masks)), _mm256_sub_epi64(sum[1], _mm256_and_si256(b, more))]
    }
    #[inline(always)]
    unsafe fn exponents(sum: Self::Sum, units: *const f64, space: f64, spins: *const i64) -> Self {
        let spins = Self::load_sums(spins);
        let mut halves = [_mm_setzero_ps(); 2];
        for n in 0..2 {
            // The upper half times 2^32 minus 2^52, which is exact, and the lower half plus 2^52.
            let low = _mm256_blend_epi32::<0b01010101>(_mm256_set1_epi64x(TWO_52), sum[n]);
            let high = _mm256_xor_si256(_mm256_srli_epi64::<32>(sum[n]), _mm256_set1_epi64x(TWO_84_63));
            let high = _mm256_sub_pd(_mm256_castsi256_pd(high), _mm256_set1_pd(f64::from_bits(TWO_84_63_52)));
            let sum = _mm256_add_pd(high, _mm256_castsi256_pd(low));
            let field = _mm256_mul_pd(sum, _mm256_loadu_pd(units.add(4 * n)));
            let v = _mm256_mul_pd(field, _mm256_set1_pd(space));
            let signs = _mm256_castsi256_pd(_mm256_slli_epi64::<63>(spins[n]));
            halves[n] = _mm256_cvtpd_ps(_mm256_xor_pd(v, signs));
        }
        _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(halves[0]), halves[1])
    }
    #[inline(always)]
    unsafe fn flip(self, spins: *mut i64) {
        let signs = _mm256_srai_epi32::<31>(_mm256_castps_si256(self));
        let [a, b] = Self::load_sums(spins);
        let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(signs));
        let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(signs));
        Self::store_sums([_mm256_xor_si256(a, low), _mm256_xor_si256(b, high)], spins);
    }
}
