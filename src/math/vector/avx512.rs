//! AVX-512: 16 floats, 8 doubles, 16 integers; partial vectors by masks.

use core::arch::x86_64::*;

use crate::math::vector::{
    Fractional, Fused, IntProduct, Integral, Mask, Vector, Words, exact, fused, int, lanes, single, vector,
};

vector! { __m512 f32 16 _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps
|x| _mm512_abs_ps(x),
|x, half| match half {
    8 => _mm512_shuffle_f32x4::<0xe>(x, x),
    4 => _mm512_shuffle_f32x4::<1>(x, x),
    2 => _mm512_permute_ps::<0xe>(x),
    _ => _mm512_movehdup_ps(x),
};
|from, n| _mm512_maskz_loadu_ps((1 << n) - 1, from);
|value, to, n| _mm512_mask_storeu_ps(to, (1 << n) - 1, value);
unsafe fn first_then(self, others: Self, n: usize) -> Self {
    _mm512_mask_blend_ps((1 << n) - 1, others, self)
} }
vector! { __m512d f64 8 _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd
|x| _mm512_abs_pd(x),
|x, half| match half {
    4 => _mm512_shuffle_f64x2::<0xe>(x, x),
    2 => _mm512_shuffle_f64x2::<1>(x, x),
    _ => _mm512_permute_pd::<0x55>(x),
};
|from, n| _mm512_maskz_loadu_pd((1 << n) - 1, from);
|value, to, n| _mm512_mask_storeu_pd(to, (1 << n) - 1, value);
unsafe fn first_then(self, others: Self, n: usize) -> Self {
    _mm512_mask_blend_pd((1 << n) - 1, others, self)
} }
fused! { __m512 |a, b, c| _mm512_fmadd_ps(a, b, c), __m512d |a, b, c| _mm512_fmadd_pd(a, b, c) }
exact! { __m512 _mm512_fmadd_ps _mm512_fnmadd_ps, __m512d _mm512_fmadd_pd _mm512_fnmadd_pd
|from| _mm512_cvtps_pd(_mm256_loadu_ps(from)),
|a, b, so_far| {
    let high = _mm512_shuffle_ps::<0xdd>(_mm512_castpd_ps(a), _mm512_castpd_ps(b)).magnitude();
    _mm512_castsi512_pd(_mm512_max_epi16(_mm512_castps_si512(high), _mm512_castpd_si512(so_far)))
},
|x| U64(_mm512_castpd_si512(x)) }
int! { U32(__m512i) u32 16 __mmask16;
splat(x) { _mm512_set1_epi32(x as i32) }
load(from) { _mm512_loadu_epi32(from.cast()) }
store(value, to) { _mm512_storeu_epi32(to.cast(), value) }
load_first(from, n) { _mm512_maskz_loadu_epi32((1 << n) - 1, from.cast()) }
store_first(value, to, n) { _mm512_mask_storeu_epi32(to.cast(), (1 << n) - 1, value) }
add _mm512_add_epi32 sub _mm512_sub_epi32 and _mm512_and_si512 or _mm512_or_si512 xor _mm512_xor_si512
shl::<N>(x) { _mm512_sll_epi32(x, _mm_cvtsi32_si128(N)) }
shr::<N>(x) { _mm512_srl_epi32(x, _mm_cvtsi32_si128(N)) }
equals _mm512_cmpeq_epi32_mask exceeds(a, b) { _mm512_cmpgt_epi32_mask(a, b) }
select(mask, a, b) { _mm512_mask_blend_epi32(mask, b, a) } }
single! { __m512 __mmask16 U32
bits |x| _mm512_castps_si512(x), _mm512_castsi512_ps(x); integers |x| _mm512_cvtps_epi32(x), _mm512_cvtepi32_ps(x);
_mm512_sqrt_ps |a, b, c| _mm512_fmadd_ps(a, b, c); _mm512_min_ps _mm512_max_ps
masks |a, b| _mm512_min_ps(b, a), _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b), _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(a, b);
|x| _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
|n, x| {
    // The permutation uses the two lowest bits: it takes an element of x if they are odd, else a 0.
    let pairs = _mm512_and_si512(x, _mm512_set1_epi64(!0 << 32));
    _mm512_castps_si512(_mm512_permutevar_ps(_mm512_castsi512_ps(pairs), n))
};
|n, mask| _mm512_mask_sub_epi32(n, mask, n, _mm512_set1_epi32(-1));
unsafe fn integral(self) -> Self {
    _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self)
}
unsafe fn scale(self, t: Self) -> Self {
    _mm512_scalef_ps(self, t.integral())
}
unsafe fn merge(mask: U32, a: U32, b: U32) -> U32 {
    U32(_mm512_ternarylogic_epi32::<0xca>(mask.0, a.0, b.0))
} }
lanes! { impl Mask for __mmask16 {}
unsafe fn none() -> Self { 0 }
unsafe fn and(self, b: Self) -> Self { self & b }
unsafe fn or(self, b: Self) -> Self { self | b }
unsafe fn and_not(self, b: Self) -> Self { self & !b }
unsafe fn bits(self) -> u32 { self.into() } }
lanes! { impl Mask for __mmask8 {}
unsafe fn none() -> Self { 0 }
unsafe fn and(self, b: Self) -> Self { self & b }
unsafe fn or(self, b: Self) -> Self { self | b }
unsafe fn and_not(self, b: Self) -> Self { self & !b }
unsafe fn bits(self) -> u32 { self.into() } }
lanes! { impl Fractional for __m512 {}
unsafe fn div(self, b: Self) -> Self { _mm512_div_ps(self, b) }
unsafe fn fraction(self) -> Self { _mm512_reduce_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(self) } }
lanes! { impl IntProduct for U32 {}
unsafe fn mul(self, b: Self) -> Self { U32(_mm512_mullo_epi32(self.0, b.0)) } }
lanes! { impl Integral for __m512d { type Mask = __mmask8; }
unsafe fn less(self, b: Self) -> __mmask8 { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self, b) }
unsafe fn at_most(self, b: Self) -> __mmask8 { _mm512_cmp_pd_mask::<_CMP_LE_OQ>(self, b) }
unsafe fn select(mask: __mmask8, a: Self, b: Self) -> Self { _mm512_mask_blend_pd(mask, b, a) }
unsafe fn keep(self, mask: __mmask8) -> Self { _mm512_maskz_mov_pd(mask, self) }
unsafe fn clear(self, mask: __mmask8) -> Self { _mm512_maskz_mov_pd(!mask, self) }
unsafe fn min(self, b: Self) -> Self { _mm512_min_pd(self, b) }
unsafe fn max(self, b: Self) -> Self { _mm512_max_pd(self, b) }
unsafe fn div(self, b: Self) -> Self { _mm512_div_pd(self, b) }
unsafe fn upper_52(from: *const u64) -> Self {
    _mm512_cvtepu64_pd(_mm512_srli_epi64::<12>(_mm512_loadu_si512(from.cast())))
}
unsafe fn plus_product(self, a: Self, b: Self) -> Self { _mm512_fmadd_pd(a, b, self) }
unsafe fn less_product(self, a: Self, b: Self) -> Self { _mm512_fnmadd_pd(a, b, self) } }

#[derive(Clone, Copy)]
pub(crate) struct U64(pub(crate) __m512i);
lanes! { impl Words for U64 { const LANES: usize = 8; }
unsafe fn splat(x: u64) -> Self { U64(_mm512_set1_epi64(x as i64)) }
unsafe fn load(from: *const u64) -> Self { U64(_mm512_loadu_si512(from.cast())) }
unsafe fn store(self, to: *mut u64) { _mm512_storeu_si512(to.cast(), self.0) }
unsafe fn add(self, b: Self) -> Self { U64(_mm512_add_epi64(self.0, b.0)) }
unsafe fn sub(self, b: Self) -> Self { U64(_mm512_sub_epi64(self.0, b.0)) } }
