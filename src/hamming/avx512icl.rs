//! AVX-512 with VPOPCNTDQ. It counts the ones of 64-bit words, so one full adder before it
//! suffices.

use core::arch::x86_64::*;
use core::array::from_fn;

use super::adders::Carry;
use super::lanes::{self, Counter, Pairs, Single, export_hamming};
use crate::isa::avx512icl;
use crate::vector::avx512::U64;
use crate::vector::{Words, lanes};

export_hamming! { avx512icl Chain, 8, 1 }

/// A chain of full adders: its sum output, which is the parity of all words, and the number of its
/// carries.
#[derive(Clone, Copy)]
struct Chain {
    parity: U64,
    carries: U64,
}

lanes! { impl Counter for Chain { type Words = U64; const PAIRS: usize = 1; }
unsafe fn new() -> Self { Chain { parity: U64::splat(0), carries: U64::splat(0) } }
unsafe fn take(&mut self, pairs: impl Pairs<U64>) {
    let [between, parity] = pairs.two(0, self.parity);
    self.carries = self.carries.add(U64(_mm512_popcnt_epi64(self.parity.carry(between, parity).0)));
    self.parity = parity;
}
unsafe fn one(&mut self, word: U64) { self.take(Single(word)) }
unsafe fn sum(&self) -> U64 { self.carries.add(self.carries).add(U64(_mm512_popcnt_epi64(self.parity.0))) } }

avx512icl! {
    pub(super) unsafe extern "C" fn counts(rows: *const u8, n: usize, bits: usize, stride: usize, counts: *mut u32) {
        // Masks of the bytes and of the bits in a row's last, partial vector (possibly empty).
        let (vectors, rest) = (bits / 512, bits % 512);
        let last_bytes = _bzhi_u64(!0, rest.div_ceil(8) as u32);
        let whole = _mm512_movm_epi8(_bzhi_u64(!0, rest as u32 / 8));
        let last_bits = _mm512_mask_set1_epi8(whole, 1 << (rest / 8), (1i16 << (rest % 8)).wrapping_sub(1) as i8);
        for i in (0..n & !7).step_by(8) {
            // SAFETY: rows i to i + 7 exist.
            let rows: [_; 8] = from_fn(|j| unsafe { rows.add((i + j) * stride) });
            let mut sums = [_mm512_setzero_si512(); 8];
            for vector in 0..vectors {
                for (sum, row) in sums.iter_mut().zip(rows) {
                    // SAFETY: a whole vector of a row.
                    let bits = unsafe { _mm512_loadu_si512(row.add(64 * vector).cast()) };
                    *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(bits));
                }
            }
            if rest != 0 {
                for (sum, row) in sums.iter_mut().zip(rows) {
                    // SAFETY: the mask selects the remaining bytes of a row.
                    let bytes = unsafe { _mm512_maskz_loadu_epi8(last_bytes, row.add(64 * vectors).cast()) };
                    *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(_mm512_and_si512(bytes, last_bits)));
                }
            }
            // Adds the 8 words of each sum: neighbouring words, then quarters, then halves.
            let [a, b, c, d] = from_fn(|j| {
                let (x, y) = (sums[2 * j], sums[2 * j + 1]);
                _mm512_add_epi64(_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y))
            });
            let fold = |x, y| _mm512_add_epi64(_mm512_shuffle_i64x2::<0x88>(x, y), _mm512_shuffle_i64x2::<0xdd>(x, y));
            let sums = _mm512_cvtepi64_epi32(fold(fold(a, b), fold(c, d)));
            // SAFETY: counts i to i + 7 exist.
            unsafe { _mm256_storeu_si256(counts.add(i).cast(), sums) }
        }
        for i in n & !7..n {
            // SAFETY: row i exists.
            unsafe { counts.add(i).write_unaligned(super::scalar::ones(rows.add(i * stride), bits)) }
        }
    }
}
