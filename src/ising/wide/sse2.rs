//! SSE2: a row in 4 vectors; factors are loaded one by one, each for two digits.

use core::arch::x86_64::*;

use super::factors::DIGITS;
use super::lanes::{row, sweep};
use super::scalar::export_wide_sweeps;
use crate::frame::isa::sse2;

export_wide_sweeps! { sse2 [Words,] }

row! { Words([__m128i; 4]);
    // The products for the lower and for the upper byte.
    digits(factors) -> [[u16; 256]; 2] {
        let mut bytes = [[0; 256]; 2];
        for (byte, products) in bytes.iter_mut().enumerate() {
            let low = factors.add(DIGITS + 32 * byte);
            for upper in 0..16 {
                let high = _mm_set1_epi16(low.add(16 + upper).read_unaligned() as i16);
                for half in [0, 8] {
                    let product = _mm_mulhi_epu16(_mm_loadu_si128(low.add(half).cast()), high);
                    _mm_storeu_si128(products.as_mut_ptr().add(16 * upper + half).cast(), product);
                }
            }
        }
        bytes
    }
    product(row, bytes) {
        let mut indices = [[0u8; 16]; 4];
        for n in 0..4 {
            _mm_storeu_si128(indices[n].as_mut_ptr().cast(), row[n]);
        }
        let mut product = [_mm_setzero_si128(); 4];
        for n in 0..4 {
            product[n] = _mm_mulhi_epu16(look_up::<0>(&bytes[0], &indices[n]), look_up::<1>(&bytes[1], &indices[n]));
        }
        Words(product)
    }
    load(from) { _mm_loadu_si128(from.cast()) }
    store(value, to) { _mm_storeu_si128(to.cast(), value) }
    splat(pair) { _mm_set1_epi32(pair as i32) }
    bits(mask) {
        let low = _mm_movemask_epi8(_mm_packs_epi16(mask[0], mask[1])) as u32;
        low | (_mm_movemask_epi8(_mm_packs_epi16(mask[2], mask[3])) as u32) << 16
    }
    and _mm_and_si128
    and_not _mm_andnot_si128
    or _mm_or_si128
    xor _mm_xor_si128
    add _mm_add_epi16
    sub _mm_sub_epi16
    excess _mm_subs_epu16
    times _mm_mulhi_epu16
    equals _mm_cmpeq_epi16
    exceeds _mm_cmpgt_epi16
}

sse2! {
    /// The products of 8 words, at their lower (0) or upper bytes.
    #[inline]
    fn look_up<const BYTE: usize>(products: &[u16; 256], indices: &[u8; 16]) -> __m128i {
        let mut words = [0; 8];
        for (n, word) in words.iter_mut().enumerate() {
            *word = products[usize::from(indices[2 * n + BYTE])] as i16;
        }
        let [a, b, c, d, e, f, g, h] = words;
        _mm_setr_epi16(a, b, c, d, e, f, g, h)
    }
}
