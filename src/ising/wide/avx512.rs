//! AVX-512: a row in 1 vector; a permutation looks up the factors of a digit.

use core::arch::x86_64::*;

use super::factors::DIGITS;
use super::lanes::{row, sweep};
use super::scalar::export_wide_sweeps;
use crate::frame::isa::avx512;

export_wide_sweeps! { avx512 [Words,] }

row! { Words([__m512i; 1]);
    // A permutation reads 5 bits of an index, so each table is repeated.
    digits(factors) -> [__m512i; 4] {
        let mut digits = [_mm512_setzero_si512(); 4];
        for (digit, table) in digits.iter_mut().enumerate() {
            *table = _mm512_broadcast_i64x4(_mm256_loadu_si256(factors.add(DIGITS + 16 * digit).cast()));
        }
        digits
    }
    product(row, tables) {
        let [d] = row;
        let a = _mm512_permutexvar_epi16(d, tables[0]);
        let b = _mm512_permutexvar_epi16(_mm512_srli_epi16::<4>(d), tables[1]);
        let c = _mm512_permutexvar_epi16(_mm512_srli_epi16::<8>(d), tables[2]);
        let d = _mm512_permutexvar_epi16(_mm512_srli_epi16::<12>(d), tables[3]);
        Words([_mm512_mulhi_epu16(_mm512_mulhi_epu16(a, b), _mm512_mulhi_epu16(c, d))])
    }
    load(from) { _mm512_loadu_si512(from.cast()) }
    store(value, to) { _mm512_storeu_si512(to.cast(), value) }
    splat(pair) { _mm512_set1_epi32(pair as i32) }
    bits(mask) { _mm512_movepi16_mask(mask[0]) }
    and _mm512_and_si512
    and_not _mm512_andnot_si512
    or _mm512_or_si512
    xor _mm512_xor_si512
    add _mm512_add_epi16
    sub _mm512_sub_epi16
    excess _mm512_subs_epu16
    times _mm512_mulhi_epu16
    equals equals
    exceeds exceeds
}

avx512! {
    #[inline]
    fn equals(a: __m512i, b: __m512i) -> __m512i {
        _mm512_movm_epi16(_mm512_cmpeq_epi16_mask(a, b))
    }

    #[inline]
    fn exceeds(a: __m512i, b: __m512i) -> __m512i {
        _mm512_movm_epi16(_mm512_cmpgt_epi16_mask(a, b))
    }
}
