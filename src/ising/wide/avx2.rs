//! AVX2: a row in 2 vectors; shuffles of bytes look up the factors of a digit.

use core::arch::x86_64::*;

use super::factors::DIGITS;
use super::lanes::{row, sweep};
use super::scalar::export_wide_sweeps;
use crate::frame::isa::avx2;

export_wide_sweeps! { avx2 [Words,] }

/// The lower bytes and the upper bytes of 16 factors, each repeated in both halves.
type Planes = [__m256i; 2];

row! { Words([__m256i; 2]);
    digits(factors) -> [Planes; 4] {
        let mut digits = [[_mm256_setzero_si256(); 2]; 4];
        for (digit, table) in digits.iter_mut().enumerate() {
            *table = planes(_mm256_loadu_si256(factors.add(DIGITS + 16 * digit).cast()));
        }
        digits
    }
    product(row, tables) {
        let [low, high] = bytes(row);
        let a = look_up(tables[0], lower(low));
        let b = look_up(tables[1], upper(low));
        let c = look_up(tables[2], lower(high));
        let d = look_up(tables[3], upper(high));
        times(times(a, b), times(c, d))
    }
    load(from) { _mm256_loadu_si256(from.cast()) }
    store(value, to) { _mm256_storeu_si256(to.cast(), value) }
    splat(pair) { _mm256_set1_epi32(pair as i32) }
    bits(mask) {
        let bytes = _mm256_packs_epi16(mask[0], mask[1]);
        _mm256_movemask_epi8(_mm256_permute4x64_epi64::<0xd8>(bytes)) as u32
    }
    and _mm256_and_si256
    and_not _mm256_andnot_si256
    or _mm256_or_si256
    xor _mm256_xor_si256
    add _mm256_add_epi16
    sub _mm256_sub_epi16
    excess _mm256_subs_epu16
    times _mm256_mulhi_epu16
    equals _mm256_cmpeq_epi16
    exceeds _mm256_cmpgt_epi16
}

avx2! {
    #[inline]
    fn planes(values: __m256i) -> Planes {
        let [low, high] = bytes([values, _mm256_permute2x128_si256::<1>(values, values)]);
        // Each half has 8 values, then the 8 values of the other half.
        [_mm256_permute4x64_epi64::<0x44>(low), _mm256_permute4x64_epi64::<0x44>(high)]
    }

    /// The lower bytes and the upper bytes of the words; in each half, those of the first vector
    /// come first.
    #[inline]
    fn bytes([a, b]: [__m256i; 2]) -> [__m256i; 2] {
        let low = _mm256_set1_epi16(0xff);
        [
            _mm256_packus_epi16(_mm256_and_si256(a, low), _mm256_and_si256(b, low)),
            _mm256_packus_epi16(_mm256_srli_epi16::<8>(a), _mm256_srli_epi16::<8>(b)),
        ]
    }

    #[inline]
    fn lower(bytes: __m256i) -> __m256i {
        _mm256_and_si256(bytes, _mm256_set1_epi8(15))
    }

    #[inline]
    fn upper(bytes: __m256i) -> __m256i {
        lower(_mm256_srli_epi16::<4>(bytes))
    }

    /// The factors at indices ordered as by [`bytes()`].
    #[inline]
    fn look_up([low, high]: Planes, index: __m256i) -> Words {
        let (low, high) = (_mm256_shuffle_epi8(low, index), _mm256_shuffle_epi8(high, index));
        Words([_mm256_unpacklo_epi8(low, high), _mm256_unpackhi_epi8(low, high)])
    }

    #[inline]
    fn times(a: Words, b: Words) -> Words {
        Words([_mm256_mulhi_epu16(a.0[0], b.0[0]), _mm256_mulhi_epu16(a.0[1], b.0[1])])
    }
}
