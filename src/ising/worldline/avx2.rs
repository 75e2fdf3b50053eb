//! AVX2: 8 boundaries in a vector.

use core::arch::x86_64::*;

use super::lanes::{CARRY, Lanes, Logarithm, export_worldline_kernels, power_of_2_by_bits};
use super::update::export_worldline_sweeps;
use crate::frame::isa::avx2;
use crate::math::vector::avx2::U32;
use crate::math::vector::lanes;

export_worldline_sweeps! { avx2 U32 [1 2 4 8] 2 }
export_worldline_kernels! { avx2 U32 2 }

/// For each set of lanes, their indices one after the other, a byte for each.
static INDICES: [u64; 256] = {
    let (mut all, mut set) = ([0; 256], 0);
    while set < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 != 0 {
                all[set] |= lane << (8 * count);
                count += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    all
};

lanes! { impl Lanes for U32 { type Floats = __m256; type Doubles = __m256d;
const RANGE: f32 = (1_u64 << 31) as f32; }
unsafe fn min(self, b: Self) -> Self { U32(_mm256_min_epi32(self.0, b.0)) }
unsafe fn max(self, b: Self) -> Self { U32(_mm256_max_epi32(self.0, b.0)) }
unsafe fn merge(self) -> Self {
    let x = self.0;
    let y = _mm256_permute2x128_si256::<1>(x, x);
    let x = _mm256_blend_epi32::<0xf0>(_mm256_min_epi32(x, y), _mm256_max_epi32(x, y));
    let y = _mm256_shuffle_epi32::<0x4e>(x);
    let x = _mm256_blend_epi32::<0xcc>(_mm256_min_epi32(x, y), _mm256_max_epi32(x, y));
    let y = _mm256_shuffle_epi32::<0xb1>(x);
    U32(_mm256_blend_epi32::<0xaa>(_mm256_min_epi32(x, y), _mm256_max_epi32(x, y)))
}
unsafe fn reverse(self) -> Self {
    U32(_mm256_permutevar8x32_epi32(self.0, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0)))
}
unsafe fn next(self, following: Self) -> Self {
    U32(_mm256_alignr_epi8::<4>(_mm256_permute2x128_si256::<0x21>(self.0, following.0), self.0))
}
unsafe fn lanes_of(bits: u32) -> __m256i {
    let lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits as i32), lanes), lanes)
}
unsafe fn sum(self) -> u32 {
    let x = _mm_add_epi32(_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0));
    let x = _mm_add_epi32(x, _mm_shuffle_epi32::<0x4e>(x));
    _mm_cvtsi128_si32(_mm_add_epi32(x, _mm_shuffle_epi32::<0xb1>(x))) as u32
}
unsafe fn widen(self) -> [__m256d; 2] {
    [
        _mm256_cvtepi32_pd(_mm256_castsi256_si128(self.0)),
        _mm256_cvtepi32_pd(_mm256_extracti128_si256::<1>(self.0)),
    ]
}
unsafe fn narrow([low, high]: [__m256d; 2]) -> __m256 { _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low)) }
unsafe fn first(self) -> Self { U32(_mm256_broadcastd_epi32(_mm256_castsi256_si128(self.0))) }
unsafe fn plus_product(a: __m256, b: __m256, c: __m256) -> __m256 { _mm256_fmadd_ps(a, b, c) }
unsafe fn power_of_2(y: __m256) -> __m256 { power_of_2_by_bits::<U32>(y) }
unsafe fn units(self) -> __m256 {
    _mm256_add_ps(_mm256_cvtepi32_ps(_mm256_srli_epi32::<1>(self.0)), _mm256_set1_ps(0.5))
}
unsafe fn truncate([low, high]: [__m256d; 2]) -> Self {
    U32(_mm256_set_m128i(_mm256_cvttpd_epi32(high), _mm256_cvttpd_epi32(low)))
}
unsafe fn capped(self) -> Self { U32(_mm256_min_epu32(self.0, _mm256_set1_epi32(i32::MAX))) }
unsafe fn running_sums(self) -> Self {
    let x = U32(_mm256_add_epi32(self.0, _mm256_slli_si256::<4>(self.0))).capped().0;
    let x = U32(_mm256_add_epi32(x, _mm256_slli_si256::<8>(x))).capped().0;
    let lower = _mm256_shuffle_epi32::<0xff>(_mm256_permute2x128_si256::<8>(x, x));
    U32(_mm256_add_epi32(x, lower)).capped()
}
unsafe fn last(self) -> Self { U32(_mm256_permutevar8x32_epi32(self.0, _mm256_set1_epi32(7))) }
unsafe fn compress(self, bits: u32, to: *mut u32) {
    let order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(INDICES[bits as usize & 255] as i64));
    _mm256_storeu_si256(to.cast(), _mm256_permutevar8x32_epi32(self.0, order));
} }
lanes! { impl Logarithm for __m256d {}
unsafe fn upper_52_above_1(words: *const u64) -> Self {
    let bits = _mm256_srli_epi64::<12>(_mm256_loadu_si256(words.cast()));
    _mm256_or_pd(_mm256_castsi256_pd(bits), _mm256_set1_pd(1.0))
}
unsafe fn split(self) -> (Self, Self) {
    let bits = _mm256_castpd_si256(self);
    let biased = _mm256_add_epi64(bits, _mm256_set1_epi64x(CARRY as i64));
    // A double with these as its last bits is 2^52 plus their value.
    let unit = _mm256_castpd_si256(_mm256_set1_pd((1_u64 << 52) as f64));
    let exponent = _mm256_castsi256_pd(_mm256_or_si256(_mm256_srli_epi64::<52>(biased), unit));
    let scale = _mm256_and_si256(biased, _mm256_set1_epi64x(!0 << 52));
    let mantissa = _mm256_sub_epi64(_mm256_add_epi64(bits, _mm256_set1_epi64x(1023 << 52)), scale);
    (_mm256_sub_pd(exponent, _mm256_set1_pd(((1_u64 << 52) + 1023) as f64)), _mm256_castsi256_pd(mantissa))
}
unsafe fn next(self, following: Self) -> Self {
    _mm256_shuffle_pd::<5>(self, _mm256_permute2f128_pd::<0x21>(self, following))
}
unsafe fn first(self) -> Self { _mm256_broadcastsd_pd(_mm256_castpd256_pd128(self)) }
unsafe fn lanes_of(bits: u32) -> __m256d {
    let lanes = _mm256_setr_epi64x(1, 2, 4, 8);
    _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(bits.into()), lanes), lanes))
} }
