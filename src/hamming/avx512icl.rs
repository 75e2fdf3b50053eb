//! AVX-512 with VPOPCNTDQ. It counts the ones of 64-bit words, so one full adder before it
//! suffices.

use core::arch::x86_64::*;

use super::adders::Carry;
use super::lanes::{self, Counter, Pairs, Single, export_hamming};
use super::row_lanes::export_rows;
use crate::frame::isa::avx512icl;
use crate::math::vector::avx512::U64;
use crate::math::vector::{Words, lanes};

export_hamming! { avx512icl Chain, 8, 1 }
export_rows! { avx512icl Chain }

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
