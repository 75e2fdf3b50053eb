//! AVX2: 8 floats, 4 doubles, 8 integers; partial vectors by masks.

use core::arch::x86_64::*;

use crate::frame::isa::avx2;
use crate::math::vector::{
    Fractional, Fused, IntProduct, Integral, Mask, Vector, Words, exact, fused, int, lanes, single, vector,
};

vector! { __m256 f32 8 _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps
|x| _mm256_andnot_ps(_mm256_set1_ps(-0.0), x),
|x, half| match half {
    4 => _mm256_castps128_ps256(_mm256_extractf128_ps::<1>(x)),
    2 => _mm256_permute_ps::<0xe>(x),
    _ => _mm256_movehdup_ps(x),
};
|from, n| _mm256_maskload_ps(from, first_of_8(n));
|value, to, n| _mm256_maskstore_ps(to, first_of_8(n), value);
unsafe fn first_then(self, others: Self, n: usize) -> Self {
    _mm256_blendv_ps(others, self, _mm256_castsi256_ps(first_of_8(n)))
} }
vector! { __m256d f64 4 _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd
|x| _mm256_andnot_pd(_mm256_set1_pd(-0.0), x),
|x, half| match half {
    2 => _mm256_castpd128_pd256(_mm256_extractf128_pd::<1>(x)),
    _ => _mm256_permute_pd::<5>(x),
};
|from, n| _mm256_maskload_pd(from, first_of_4(n));
|value, to, n| _mm256_maskstore_pd(to, first_of_4(n), value);
unsafe fn first_then(self, others: Self, n: usize) -> Self {
    _mm256_blendv_pd(others, self, _mm256_castsi256_pd(first_of_4(n)))
} }
fused! { __m256 |a, b, c| _mm256_fmadd_ps(a, b, c), __m256d |a, b, c| _mm256_fmadd_pd(a, b, c) }
exact! { __m256 _mm256_fmadd_ps _mm256_fnmadd_ps, __m256d _mm256_fmadd_pd _mm256_fnmadd_pd
|from| _mm256_cvtps_pd(_mm_loadu_ps(from)),
|a, b, so_far| {
    let high = _mm256_shuffle_ps::<0xdd>(_mm256_castpd_ps(a), _mm256_castpd_ps(b)).magnitude();
    _mm256_castsi256_pd(_mm256_max_epi16(_mm256_castps_si256(high), _mm256_castpd_si256(so_far)))
},
|x| U64(_mm256_castpd_si256(x)) }
int! { U32(__m256i) u32 8 __m256i;
splat(x) { _mm256_set1_epi32(x as i32) }
load(from) { _mm256_loadu_si256(from.cast()) }
store(value, to) { _mm256_storeu_si256(to.cast(), value) }
load_first(from, n) { _mm256_maskload_epi32(from.cast(), first_of_8(n)) }
store_first(value, to, n) { _mm256_maskstore_epi32(to.cast(), first_of_8(n), value) }
add _mm256_add_epi32 sub _mm256_sub_epi32 and _mm256_and_si256 or _mm256_or_si256 xor _mm256_xor_si256
shl::<N>(x) { _mm256_slli_epi32::<N>(x) }
shr::<N>(x) { _mm256_srli_epi32::<N>(x) }
equals _mm256_cmpeq_epi32 exceeds(a, b) { _mm256_cmpgt_epi32(a, b) }
// The compiler turns this into a blend. The blend intrinsic would first extract the signs of the
// mask.
select(mask, a, b) { _mm256_or_si256(_mm256_and_si256(mask, a), _mm256_andnot_si256(mask, b)) } }
single! { __m256 __m256i U32
bits |x| _mm256_castps_si256(x), _mm256_castsi256_ps(x); integers |x| _mm256_cvtps_epi32(x), _mm256_cvtepi32_ps(x);
_mm256_sqrt_ps |a, b, c| _mm256_fmadd_ps(a, b, c); _mm256_min_ps _mm256_max_ps
masks |a, b| _mm256_min_ps(b, a), _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b)),
_mm256_castps_si256(_mm256_cmp_ps::<_CMP_NLT_UQ>(a, b)); |x| _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(x, x));
|n, x| {
    // The permutation uses the two lowest bits: it takes an element of x if they are odd, else a 0.
    let pairs = _mm256_and_si256(x, _mm256_set1_epi64x(!0 << 32));
    _mm256_castps_si256(_mm256_permutevar_ps(_mm256_castsi256_ps(pairs), n))
};
|n, mask| _mm256_sub_epi32(n, mask);
unsafe fn integral(self) -> Self {
    _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self)
} }
lanes! { impl Mask for __m256i {}
unsafe fn none() -> Self { _mm256_setzero_si256() }
unsafe fn and(self, b: Self) -> Self { _mm256_and_si256(self, b) }
unsafe fn or(self, b: Self) -> Self { _mm256_or_si256(self, b) }
unsafe fn and_not(self, b: Self) -> Self { _mm256_andnot_si256(b, self) }
// For 32-bit lanes.
unsafe fn bits(self) -> u32 { _mm256_movemask_ps(_mm256_castsi256_ps(self)) as u32 } }
lanes! { impl Mask for __m256d {}
unsafe fn none() -> Self { _mm256_setzero_pd() }
unsafe fn and(self, b: Self) -> Self { _mm256_and_pd(self, b) }
unsafe fn or(self, b: Self) -> Self { _mm256_or_pd(self, b) }
unsafe fn and_not(self, b: Self) -> Self { _mm256_andnot_pd(b, self) }
unsafe fn bits(self) -> u32 { _mm256_movemask_pd(self) as u32 } }
lanes! { impl Fractional for __m256 {}
unsafe fn div(self, b: Self) -> Self { _mm256_div_ps(self, b) }
unsafe fn fraction(self) -> Self {
    _mm256_sub_ps(self, _mm256_round_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(self))
} }
lanes! { impl IntProduct for U32 {}
unsafe fn mul(self, b: Self) -> Self { U32(_mm256_mullo_epi32(self.0, b.0)) } }
lanes! { impl Integral for __m256d { type Mask = Self; }
unsafe fn less(self, b: Self) -> Self { _mm256_cmp_pd::<_CMP_LT_OQ>(self, b) }
unsafe fn at_most(self, b: Self) -> Self { _mm256_cmp_pd::<_CMP_LE_OQ>(self, b) }
unsafe fn select(mask: Self, a: Self, b: Self) -> Self { _mm256_blendv_pd(b, a, mask) }
unsafe fn keep(self, mask: Self) -> Self { _mm256_and_pd(mask, self) }
unsafe fn clear(self, mask: Self) -> Self { _mm256_andnot_pd(mask, self) }
unsafe fn min(self, b: Self) -> Self { _mm256_min_pd(self, b) }
unsafe fn max(self, b: Self) -> Self { _mm256_max_pd(self, b) }
unsafe fn div(self, b: Self) -> Self { _mm256_div_pd(self, b) }
unsafe fn upper_52(from: *const u64) -> Self {
    // A double with these as its last bits is 2^52 plus their value.
    let unit = _mm256_set1_pd((1_u64 << 52) as f64);
    let bits = _mm256_srli_epi64::<12>(_mm256_loadu_si256(from.cast()));
    _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(bits), unit), unit)
}
unsafe fn plus_product(self, a: Self, b: Self) -> Self { _mm256_fmadd_pd(a, b, self) }
unsafe fn less_product(self, a: Self, b: Self) -> Self { _mm256_fnmadd_pd(a, b, self) } }

#[derive(Clone, Copy)]
pub(crate) struct U64(pub(crate) __m256i);
lanes! { impl Words for U64 { const LANES: usize = 4; }
unsafe fn splat(x: u64) -> Self { U64(_mm256_set1_epi64x(x as i64)) }
unsafe fn load(from: *const u64) -> Self { U64(_mm256_loadu_si256(from.cast())) }
unsafe fn store(self, to: *mut u64) { _mm256_storeu_si256(to.cast(), self.0) }
unsafe fn add(self, b: Self) -> Self { U64(_mm256_add_epi64(self.0, b.0)) }
unsafe fn sub(self, b: Self) -> Self { U64(_mm256_sub_epi64(self.0, b.0)) } }

avx2! {
    /// A mask of the first `n` of 8 lanes.
    #[inline]
    fn first_of_8(n: usize) -> __m256i {
        _mm256_cmpgt_epi32(_mm256_set1_epi32(n as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
    }

    /// A mask of the first `n` of 4 lanes.
    #[inline]
    fn first_of_4(n: usize) -> __m256i {
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(n as i64), _mm256_setr_epi64x(0, 1, 2, 3))
    }
}
