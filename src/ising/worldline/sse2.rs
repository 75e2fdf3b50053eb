//! SSE2: 4 boundaries in a vector. Positions are compared as floats, which are in the order of their bits.

use core::arch::x86_64::*;

use super::lanes::{Lanes, Logarithm, export_worldline_kernels};
use super::scalar::export_worldline_sweeps;
use super::update::sweep;
use crate::frame::isa::sse2;
use crate::math::vector::lanes;
use crate::math::vector::sse2::U32;

export_worldline_sweeps! { sse2 [U32, _, 4, 8, 16] }
export_worldline_kernels! { sse2 U32 __m128d 4 }

lanes! { impl Lanes for U32 { type Floats = __m128; type Doubles = __m128d; }
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
unsafe fn compress(self, mut bits: u32, mut to: *mut u32) {
    let mut lanes = [0u32; 4];
    _mm_storeu_si128(lanes.as_mut_ptr().cast(), self.0);
    while bits != 0 {
        to.write_unaligned(lanes[bits.trailing_zeros() as usize & 3]);
        to = to.add(1);
        bits &= bits - 1;
    }
} }
lanes! { impl Logarithm for __m128d {}
unsafe fn exponent(self) -> Self {
    // A double with these as its last bits is 2^52 plus their value.
    let unit = _mm_castpd_si128(_mm_set1_pd((1_u64 << 52) as f64));
    let bits = _mm_or_si128(_mm_srli_epi64::<52>(_mm_castpd_si128(self)), unit);
    _mm_sub_pd(_mm_castsi128_pd(bits), _mm_set1_pd(((1_u64 << 52) + 1023) as f64))
}
unsafe fn mantissa(self) -> Self {
    let bits = _mm_and_pd(self, _mm_castsi128_pd(_mm_set1_epi64x((1 << 52) - 1)));
    _mm_or_pd(bits, _mm_set1_pd(1.0))
}
unsafe fn store_integers(self, to: *mut u32) { _mm_storel_epi64(to.cast(), _mm_cvttpd_epi32(self)) } }
