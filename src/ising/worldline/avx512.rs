//! AVX-512: 16 boundaries in a vector.

use core::arch::x86_64::*;

use super::lanes::{Lanes, Logarithm, export_worldline_kernels};
use super::scalar::export_worldline_sweeps;
use super::update::sweep;
use crate::frame::isa::avx512;
use crate::math::vector::avx512::U32;
use crate::math::vector::lanes;

export_worldline_sweeps! { avx512 [U32, _, 1, 2, 4] }
export_worldline_kernels! { avx512 U32 __m512d 1 }

lanes! { impl Lanes for U32 { type Floats = __m512; type Doubles = __m512d; }
unsafe fn min(self, b: Self) -> Self { U32(_mm512_min_epi32(self.0, b.0)) }
unsafe fn max(self, b: Self) -> Self { U32(_mm512_max_epi32(self.0, b.0)) }
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
unsafe fn compress(self, bits: u32, to: *mut u32) {
    _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi32(bits as u16, self.0));
} }
lanes! { impl Logarithm for __m512d {}
unsafe fn exponent(self) -> Self { _mm512_getexp_pd(self) }
unsafe fn mantissa(self) -> Self { _mm512_getmant_pd::<_MM_MANT_NORM_1_2, _MM_MANT_SIGN_ZERO>(self) }
unsafe fn store_integers(self, to: *mut u32) { _mm256_storeu_si256(to.cast(), _mm512_cvttpd_epi32(self)) } }

avx512! {
    /// The maximum with the partner in the lanes of `upper`, the minimum in the others.
    #[inline]
    fn ordered(x: __m512i, partner: __m512i, upper: __mmask16) -> __m512i {
        _mm512_mask_max_epi32(_mm512_min_epi32(x, partner), upper, x, partner)
    }
}
