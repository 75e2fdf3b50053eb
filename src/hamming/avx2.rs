//! AVX2.

use core::arch::x86_64::*;

use super::adders::{Adders, Carry};
use super::lanes::misses::{Rows, export_misses};
use super::lanes::scores::Quotient;
use super::lanes::{self, Popcount, export_hamming};
use super::row_lanes::export_rows;
use crate::frame::isa::avx2;
use crate::math::vector::avx2::{U32, U64};
use crate::math::vector::lanes;

export_hamming! { avx2 Adders<U64>, 1, 1; U32 }
export_rows! { avx2 Adders<U64> }
export_misses! { avx2 U64 }

lanes! { impl Carry for U64 {}
unsafe fn carry(self, u: Self, s: Self) -> Self {
    U64(_mm256_xor_si256(_mm256_or_si256(self.0, u.0), _mm256_and_si256(u.0, s.0)))
} }
lanes! { impl Popcount for U64 {}
unsafe fn and(self, b: Self) -> Self { U64(_mm256_and_si256(self.0, b.0)) }
unsafe fn xor(self, b: Self) -> Self { U64(_mm256_xor_si256(self.0, b.0)) }
unsafe fn ones(self) -> Self {
    let table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    let nibble = _mm256_set1_epi8(15);
    let low = _mm256_shuffle_epi8(table, _mm256_and_si256(self.0, nibble));
    let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(self.0), nibble));
    U64(_mm256_add_epi8(low, high))
}
unsafe fn add_bytes(self, b: Self) -> Self { U64(_mm256_add_epi8(self.0, b.0)) }
unsafe fn across(self) -> Self { U64(_mm256_sad_epu8(self.0, _mm256_setzero_si256())) }
unsafe fn store_narrow(self, to: *mut u32) {
    let low = _mm256_castsi256_ps(self.0);
    let high = _mm256_castsi256_ps(_mm256_permute2x128_si256::<0x11>(self.0, self.0));
    _mm_storeu_ps(to.cast(), _mm_shuffle_ps::<0x88>(_mm256_castps256_ps128(low), _mm256_castps256_ps128(high)))
} }

lanes! { impl Quotient for U32 {}
unsafe fn quotient(self, y: Self) -> Self {
    U32(_mm256_castps_si256(_mm256_div_ps(_mm256_cvtepi32_ps(self.0), _mm256_cvtepi32_ps(y.0))))
}
unsafe fn per_mean(self, a: Self, b: Self) -> Self {
    let half = |a, b, c| {
        let product = _mm256_mul_pd(_mm256_cvtepi32_pd(a), _mm256_cvtepi32_pd(b));
        _mm256_cvtpd_ps(_mm256_div_pd(_mm256_cvtepi32_pd(c), _mm256_sqrt_pd(product)))
    };
    let low = half(_mm256_castsi256_si128(a.0), _mm256_castsi256_si128(b.0), _mm256_castsi256_si128(self.0));
    let upper = |x: Self| _mm256_extracti128_si256::<1>(x.0);
    U32(_mm256_castps_si256(_mm256_set_m128(half(upper(a), upper(b), upper(self)), low)))
} }

lanes! { impl Rows for U64 {}
unsafe fn adder(self, a: Self, b: Self) -> [Self; 2] { self.full(a, b) }
unsafe fn half_adder(self, b: Self) -> [Self; 2] { [self.and(b), self.xor(b)] }
unsafe fn exclusive(self, b: Self) -> Self { self.xor(b) }
unsafe fn either(self, b: Self) -> Self { U64(_mm256_or_si256(self.0, b.0)) }
unsafe fn is_full(self) -> bool { _mm256_testc_si256(self.0, _mm256_set1_epi8(-1)) != 0 } }
