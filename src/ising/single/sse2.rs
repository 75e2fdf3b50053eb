//! SSE2: a block in 4 vectors.

use core::arch::x86_64::*;

use super::lanes::{Bytes, FromFixed, TWO_52, TWO_84_63, TWO_84_63_52, sweep, sweep_fixed, sweep_floats};
use super::scalar::{block_kernels, fixed_block_kernels, float_block_kernels};

block_kernels! { sse2 [sweep __m128i, 4,] }
float_block_kernels! { sse2 [sweep_floats __m128, 16,] }
fixed_block_kernels! { sse2 [sweep_fixed __m128,] }

// SAFETY: the contract of the trait, throughout.
#[allow(unsafe_op_in_unsafe_fn)]
impl Bytes for __m128i {
    type Mask = __m128i;
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        _mm_loadu_si128(from.cast())
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        _mm_storeu_si128(to.cast(), self)
    }
    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        _mm_sub_epi8(self, b)
    }
    #[inline(always)]
    unsafe fn and(self, b: Self) -> Self {
        _mm_and_si128(self, b)
    }
    #[inline(always)]
    unsafe fn xor(self, b: Self) -> Self {
        _mm_xor_si128(self, b)
    }
    #[inline(always)]
    unsafe fn positive(self) -> Self {
        _mm_andnot_si128(self.negative(), self)
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        let negative = self.negative();
        self.xor(negative).sub(negative)
    }
    #[inline(always)]
    unsafe fn negative(self) -> Self {
        _mm_cmpgt_epi8(_mm_setzero_si128(), self)
    }
    #[inline(always)]
    unsafe fn complement(self, mask: Self) -> Self {
        self.xor(mask)
    }
    /// One lane at a time through memory: SSE2 has no look-up.
    #[inline(always)]
    unsafe fn look_up(self, thresholds: *const i8, _: usize) -> [Self; 2] {
        let (mut index, mut found) = ([0u8; 16], [[0u8; 16]; 2]);
        self.store(index.as_mut_ptr());
        for lane in 0..16 {
            let threshold = thresholds.add(usize::from(index[lane])).cast::<u8>();
            found[0][lane] = threshold.read();
            found[1][lane] = threshold.add(128).read();
        }
        [Self::load(found[0].as_ptr()), Self::load(found[1].as_ptr())]
    }
    #[inline(always)]
    unsafe fn compare(a: [Self; 2], b: [Self; 2]) -> (Self, Self) {
        let equal = _mm_cmpeq_epi8(a[0], b[0]);
        let lower = _mm_and_si128(equal, _mm_cmplt_epi8(a[1], b[1]));
        let less = _mm_or_si128(_mm_cmplt_epi8(a[0], b[0]), lower);
        (less, _mm_and_si128(equal, _mm_cmpeq_epi8(a[1], b[1])))
    }
    #[inline(always)]
    unsafe fn differ(a: Self, b: Self) -> Self {
        a.xor(b)
    }
    #[inline(always)]
    unsafe fn bits(mask: Self) -> u64 {
        _mm_movemask_epi8(mask) as u64
    }
}

// SAFETY: the contract of the trait, throughout.
#[allow(unsafe_op_in_unsafe_fn)]
impl FromFixed for __m128 {
    type Sum = [__m128i; 2];

    #[inline(always)]
    unsafe fn load_sums(from: *const i64) -> Self::Sum {
        [_mm_loadu_si128(from.cast()), _mm_loadu_si128(from.add(2).cast())]
    }
    #[inline(always)]
    unsafe fn store_sums(sum: Self::Sum, to: *mut i64) {
        _mm_storeu_si128(to.cast(), sum[0]);
        _mm_storeu_si128(to.add(2).cast(), sum[1]);
    }
    #[inline(always)]
    unsafe fn subtract(sum: Self::Sum, values: *const i64, spins: *const i64) -> Self::Sum {
        let ([a, b], [masks, more]) = (Self::load_sums(values), Self::load_sums(spins));
        [_mm_sub_epi64(sum[0], _mm_and_si128(a, masks)), _mm_sub_epi64(sum[1], _mm_and_si128(b, more))]
    }
    #[inline(always)]
    unsafe fn exponents(sum: Self::Sum, units: *const f64, space: f64, spins: *const i64) -> Self {
        let spins = Self::load_sums(spins);
        let mut halves = [_mm_setzero_ps(); 2];
        for n in 0..2 {
            // The upper half times 2^32 minus 2^52, which is exact, and the lower half plus 2^52.
            let low = _mm_or_si128(_mm_and_si128(sum[n], _mm_set1_epi64x(0xffff_ffff)), _mm_set1_epi64x(TWO_52));
            let high = _mm_xor_si128(_mm_srli_epi64::<32>(sum[n]), _mm_set1_epi64x(TWO_84_63));
            let high = _mm_sub_pd(_mm_castsi128_pd(high), _mm_set1_pd(f64::from_bits(TWO_84_63_52)));
            let sum = _mm_add_pd(high, _mm_castsi128_pd(low));
            let field = _mm_mul_pd(sum, _mm_loadu_pd(units.add(2 * n)));
            let v = _mm_mul_pd(field, _mm_set1_pd(space));
            halves[n] = _mm_cvtpd_ps(_mm_xor_pd(v, _mm_castsi128_pd(_mm_slli_epi64::<63>(spins[n]))));
        }
        _mm_movelh_ps(halves[0], halves[1])
    }
    #[inline(always)]
    unsafe fn flip(self, spins: *mut i64) {
        let signs = _mm_srai_epi32::<31>(_mm_castps_si128(self));
        let [a, b] = Self::load_sums(spins);
        let (low, high) = (_mm_unpacklo_epi32(signs, signs), _mm_unpackhi_epi32(signs, signs));
        Self::store_sums([_mm_xor_si128(a, low), _mm_xor_si128(b, high)], spins);
    }
}
