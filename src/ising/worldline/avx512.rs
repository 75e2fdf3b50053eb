//! AVX-512: 16 boundaries in a vector.

use core::arch::x86_64::*;

use super::lanes::{CARRY, Lanes, Logarithm, export_worldline_kernels, powers};
use super::update::export_worldline_sweeps;
use crate::frame::isa::avx512;
use crate::math::vector::avx512::U32;
use crate::math::vector::lanes;

export_worldline_sweeps! { avx512 U32 [1 1 2 4] 1 }
export_worldline_kernels! { avx512 U32 1 }

lanes! { impl Lanes for U32 { type Floats = __m512; type Doubles = __m512d;
const RANGE: f32 = (1_u64 << 32) as f32; }
unsafe fn min(self, b: Self) -> Self { U32(_mm512_min_epi32(self.0, b.0)) }
unsafe fn max(self, b: Self) -> Self { U32(_mm512_max_epi32(self.0, b.0)) }
unsafe fn clamp(self, begin: Self, end: Self) -> Self {
    // As floats, which are in the order of their bits: Intel's CPUs have two ports for these, and one for integers.
    let (x, begin, end) = (_mm512_castsi512_ps(self.0), _mm512_castsi512_ps(begin.0), _mm512_castsi512_ps(end.0));
    U32(_mm512_castps_si512(_mm512_min_ps(_mm512_max_ps(x, begin), end)))
}
unsafe fn merge(self) -> Self {
    let x = self.0;
    let x = ordered(x, _mm512_shuffle_i64x2::<0x4e>(x, x), 0xff00);
    let x = ordered(x, _mm512_shuffle_i64x2::<0xb1>(x, x), 0xf0f0);
    let x = ordered(x, _mm512_shuffle_epi32::<0x4e>(x), 0xcccc);
    U32(ordered(x, _mm512_shuffle_epi32::<0xb1>(x), 0xaaaa))
}
unsafe fn reverse(self) -> Self {
    let order = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    U32(_mm512_permutexvar_epi32(order, self.0))
}
unsafe fn next(self, following: Self) -> Self { U32(_mm512_alignr_epi32::<1>(following.0, self.0)) }
unsafe fn lanes_of(bits: u32) -> __mmask16 { bits as u16 }
unsafe fn sum(self) -> u32 { _mm512_reduce_add_epi32(self.0) as u32 }
unsafe fn widen(self) -> [__m512d; 2] {
    [
        _mm512_cvtepi32_pd(_mm512_castsi512_si256(self.0)),
        _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64::<1>(self.0)),
    ]
}
unsafe fn narrow([low, high]: [__m512d; 2]) -> __m512 {
    _mm512_insertf32x8::<1>(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high))
}
unsafe fn first(self) -> Self { U32(_mm512_broadcastd_epi32(_mm512_castsi512_si128(self.0))) }
unsafe fn plus_product(a: __m512, b: __m512, c: __m512) -> __m512 { _mm512_fmadd_ps(a, b, c) }
unsafe fn power_of_2(y: __m512) -> __m512 {
    let above = _mm512_reduce_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(y);
    _mm512_scalef_ps(powers::<U32>(above), y)
}
unsafe fn units(self) -> __m512 { _mm512_cvtepu32_ps(self.0) }
unsafe fn truncate([low, high]: [__m512d; 2]) -> Self {
    U32(_mm512_inserti64x4::<1>(_mm512_castsi256_si512(_mm512_cvttpd_epi32(low)), _mm512_cvttpd_epi32(high)))
}
unsafe fn capped(self) -> Self { U32(_mm512_min_epu32(self.0, _mm512_set1_epi32(i32::MAX))) }
unsafe fn running_sums(self) -> Self {
    let zero = _mm512_setzero_si512();
    let x = U32(_mm512_add_epi32(self.0, _mm512_alignr_epi32::<15>(self.0, zero))).capped().0;
    let x = U32(_mm512_add_epi32(x, _mm512_alignr_epi32::<14>(x, zero))).capped().0;
    let x = U32(_mm512_add_epi32(x, _mm512_alignr_epi32::<12>(x, zero))).capped().0;
    U32(_mm512_add_epi32(x, _mm512_alignr_epi32::<8>(x, zero))).capped()
}
unsafe fn last(self) -> Self { U32(_mm512_permutexvar_epi32(_mm512_set1_epi32(15), self.0)) }
unsafe fn compress(self, bits: u32, to: *mut u32) {
    _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi32(bits as u16, self.0));
} }
lanes! { impl Logarithm for __m512d {}
unsafe fn upper_52_above_1(words: *const u64) -> Self {
    let bits = _mm512_srli_epi64::<12>(_mm512_loadu_si512(words.cast()));
    _mm512_castsi512_pd(_mm512_or_si512(bits, _mm512_set1_epi64(1023 << 52)))
}
unsafe fn split(self) -> (Self, Self) {
    let bits = _mm512_castpd_si512(self);
    let exponent = _mm512_add_epi64(bits, _mm512_set1_epi64(CARRY as i64 - (1023 << 52)));
    let scale = _mm512_and_si512(exponent, _mm512_set1_epi64(!0 << 52));
    (
        _mm512_cvtepi64_pd(_mm512_srai_epi64::<52>(exponent)),
        _mm512_castsi512_pd(_mm512_sub_epi64(bits, scale)),
    )
}
unsafe fn next(self, following: Self) -> Self {
    let (x, y) = (_mm512_castpd_si512(self), _mm512_castpd_si512(following));
    _mm512_castsi512_pd(_mm512_alignr_epi64::<1>(y, x))
}
unsafe fn first(self) -> Self { _mm512_broadcastsd_pd(_mm512_castpd512_pd128(self)) }
unsafe fn lanes_of(bits: u32) -> __mmask8 { bits as u8 } }

avx512! {
    /// The maximum with the partner in the lanes of `upper`, the minimum in the others.
    #[inline]
    fn ordered(x: __m512i, partner: __m512i, upper: __mmask16) -> __m512i {
        _mm512_mask_max_epi32(_mm512_min_epi32(x, partner), upper, x, partner)
    }
}
