//! SSE2: 4 boundaries in a vector. Positions are compared as floats, which are in the order of their bits.

use core::arch::x86_64::*;

use super::lanes::{CARRY, Lanes, Logarithm, export_worldline_kernels, power_of_2_by_bits};
use super::update::export_worldline_sweeps;
use crate::frame::isa::sse2;
use crate::math::vector::lanes;
use crate::math::vector::sse2::U32;

export_worldline_sweeps! { sse2 U32 [2 4 8 16] 2 }
export_worldline_kernels! { sse2 U32 2 }

lanes! { impl Lanes for U32 { type Floats = __m128; type Doubles = __m128d;
const RANGE: f32 = (1_u64 << 31) as f32; }
unsafe fn min(self, b: Self) -> Self {
    U32(_mm_castps_si128(_mm_min_ps(_mm_castsi128_ps(self.0), _mm_castsi128_ps(b.0))))
}
unsafe fn max(self, b: Self) -> Self {
    U32(_mm_castps_si128(_mm_max_ps(_mm_castsi128_ps(self.0), _mm_castsi128_ps(b.0))))
}
unsafe fn merge(self) -> Self {
    let x = _mm_castsi128_ps(self.0);
    let y = _mm_shuffle_ps::<0x4e>(x, x);
    let x = _mm_shuffle_ps::<0xe4>(_mm_min_ps(x, y), _mm_max_ps(x, y));
    let y = _mm_shuffle_ps::<0xb1>(x, x);
    let x = _mm_shuffle_ps::<0xd8>(_mm_min_ps(x, y), _mm_max_ps(x, y));
    U32(_mm_castps_si128(_mm_shuffle_ps::<0xd8>(x, x)))
}
unsafe fn reverse(self) -> Self { U32(_mm_shuffle_epi32::<0x1b>(self.0)) }
unsafe fn next(self, following: Self) -> Self {
    let first = _mm_move_ss(_mm_castsi128_ps(self.0), _mm_castsi128_ps(following.0));
    U32(_mm_shuffle_epi32::<0x39>(_mm_castps_si128(first)))
}
unsafe fn lanes_of(bits: u32) -> __m128i {
    let lanes = _mm_setr_epi32(1, 2, 4, 8);
    _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32(bits as i32), lanes), lanes)
}
unsafe fn sum(self) -> u32 {
    let x = _mm_add_epi32(self.0, _mm_shuffle_epi32::<0x4e>(self.0));
    _mm_cvtsi128_si32(_mm_add_epi32(x, _mm_shuffle_epi32::<0xb1>(x))) as u32
}
unsafe fn widen(self) -> [__m128d; 2] {
    [_mm_cvtepi32_pd(self.0), _mm_cvtepi32_pd(_mm_shuffle_epi32::<0x4e>(self.0))]
}
unsafe fn narrow([low, high]: [__m128d; 2]) -> __m128 { _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high)) }
unsafe fn first(self) -> Self { U32(_mm_shuffle_epi32::<0>(self.0)) }
unsafe fn plus_product(a: __m128, b: __m128, c: __m128) -> __m128 { _mm_add_ps(_mm_mul_ps(a, b), c) }
unsafe fn power_of_2(y: __m128) -> __m128 { power_of_2_by_bits::<U32>(y) }
unsafe fn units(self) -> __m128 { _mm_add_ps(_mm_cvtepi32_ps(_mm_srli_epi32::<1>(self.0)), _mm_set1_ps(0.5)) }
unsafe fn truncate([low, high]: [__m128d; 2]) -> Self {
    U32(_mm_unpacklo_epi64(_mm_cvttpd_epi32(low), _mm_cvttpd_epi32(high)))
}
unsafe fn capped(self) -> Self {
    // All bits of 2^31 and more are set, then the highest one is cleared.
    U32(_mm_and_si128(_mm_or_si128(self.0, _mm_srai_epi32::<31>(self.0)), _mm_set1_epi32(i32::MAX)))
}
unsafe fn running_sums(self) -> Self {
    let x = U32(_mm_add_epi32(self.0, _mm_slli_si128::<4>(self.0))).capped().0;
    U32(_mm_add_epi32(x, _mm_slli_si128::<8>(x))).capped()
}
unsafe fn last(self) -> Self { U32(_mm_shuffle_epi32::<0xff>(self.0)) }
unsafe fn compress(self, bits: u32, mut to: *mut u32) {
    let mut lanes = [0u32; 4];
    _mm_storeu_si128(lanes.as_mut_ptr().cast(), self.0);
    for (lane, &value) in lanes.iter().enumerate() {
        to.write_unaligned(value);
        to = to.add((bits >> lane & 1) as usize);
    }
} }
lanes! { impl Logarithm for __m128d {}
unsafe fn upper_52_above_1(words: *const u64) -> Self {
    let bits = _mm_srli_epi64::<12>(_mm_loadu_si128(words.cast()));
    _mm_or_pd(_mm_castsi128_pd(bits), _mm_set1_pd(1.0))
}
unsafe fn split(self) -> (Self, Self) {
    let bits = _mm_castpd_si128(self);
    let biased = _mm_add_epi64(bits, _mm_set1_epi64x(CARRY as i64));
    // A double with these as its last bits is 2^52 plus their value.
    let unit = _mm_castpd_si128(_mm_set1_pd((1_u64 << 52) as f64));
    let exponent = _mm_castsi128_pd(_mm_or_si128(_mm_srli_epi64::<52>(biased), unit));
    let scale = _mm_and_si128(biased, _mm_set1_epi64x(!0 << 52));
    let mantissa = _mm_sub_epi64(_mm_add_epi64(bits, _mm_set1_epi64x(1023 << 52)), scale);
    (_mm_sub_pd(exponent, _mm_set1_pd(((1_u64 << 52) + 1023) as f64)), _mm_castsi128_pd(mantissa))
}
unsafe fn next(self, following: Self) -> Self { _mm_shuffle_pd::<1>(self, following) }
unsafe fn first(self) -> Self { _mm_unpacklo_pd(self, self) }
unsafe fn lanes_of(bits: u32) -> __m128d {
    let lanes = _mm_setr_epi32(1, 1, 2, 2);
    _mm_castsi128_pd(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32(bits as i32), lanes), lanes))
} }
