//! Carry-save adders, for instruction sets without a vector popcount: they reduce 16 words to one
//! before its ones are counted.

use super::lanes::{Counter, Pairs, Popcount};

/// Words with the carry of a full adder.
///
/// # Safety
/// Same as for [`Popcount`].
pub(super) trait Carry: Popcount {
    /// The carry of `self`, a and b, where `u` is `self ^ a` and `s` is `u ^ b`.
    unsafe fn carry(self, u: Self, s: Self) -> Self;

    /// The carry and the sum of a full adder.
    #[inline(always)]
    unsafe fn full(self, a: Self, b: Self) -> [Self; 2] {
        // SAFETY: the contract of the trait.
        unsafe {
            let u = self.xor(a);
            let s = u.xor(b);
            [self.carry(u, s), s]
        }
    }

    /// In each byte, the ones of `words[i]` times 2^i.
    #[inline(always)]
    unsafe fn weigh(words: [Self; 4]) -> Self {
        // SAFETY: the contract of the trait.
        unsafe {
            let mut bytes = Self::splat(0);
            for word in words.into_iter().rev() {
                bytes = bytes.add_bytes(bytes).add_bytes(word.ones());
            }
            bytes
        }
    }
}

/// A counter made of full adders. A one of `sums[i]` counts 2^i, each lane of `sixteens` counts in
/// units of 16, and each byte of `few` holds the ones of words that were taken singly.
#[derive(Clone, Copy)]
pub(super) struct Adders<W> {
    sums: [W; 4],
    sixteens: W,
    few: W,
}

impl<W: Carry> Adders<W> {
    /// Adds four words from pair `k` on; a one of the returned carry counts 4.
    ///
    /// # Safety
    /// Same as for [`Pairs`].
    #[inline(always)]
    unsafe fn four(&mut self, pairs: impl Pairs<W>, k: usize) -> W {
        // SAFETY: the caller's contract.
        unsafe {
            let mut carries = [self.sums[0]; 2];
            for (i, carry) in carries.iter_mut().enumerate() {
                let [u, s] = pairs.two(k + i, self.sums[0]);
                *carry = self.sums[0].carry(u, s);
                self.sums[0] = s;
            }
            self.full(1, carries)
        }
    }

    /// Adds eight words from pair `k` on; a one of the returned carry counts 8.
    ///
    /// # Safety
    /// Same as for [`Pairs`].
    #[inline(always)]
    unsafe fn eight(&mut self, pairs: impl Pairs<W>, k: usize) -> W {
        // SAFETY: the caller's contract.
        unsafe {
            let carries = [self.four(pairs, k), self.four(pairs, k + 2)];
            self.full(2, carries)
        }
    }

    /// Adds two words to `sums[level]` and returns the carry.
    ///
    /// # Safety
    /// Same as for [`Popcount`].
    #[inline(always)]
    unsafe fn full(&mut self, level: usize, [a, b]: [W; 2]) -> W {
        // SAFETY: the caller's contract.
        unsafe {
            let [carry, sum] = self.sums[level].full(a, b);
            self.sums[level] = sum;
            carry
        }
    }
}

impl<W: Carry> Counter for Adders<W> {
    type Words = W;
    const PAIRS: usize = 8;

    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the contract of the trait.
        let zero = unsafe { W::splat(0) };
        Adders { sums: [zero; 4], sixteens: zero, few: zero }
    }

    #[inline(always)]
    unsafe fn take(&mut self, pairs: impl Pairs<W>) {
        // SAFETY: the contract of the trait.
        unsafe {
            let carries = [self.eight(pairs, 0), self.eight(pairs, 4)];
            let carry = self.full(3, carries);
            self.sixteens = self.sixteens.add(carry.ones().across());
        }
    }

    #[inline(always)]
    unsafe fn one(&mut self, word: W) {
        // SAFETY: the contract of the trait.
        self.few = unsafe { self.few.add_bytes(word.ones()) };
    }

    /// No byte overflows: its 8 bits count at most 15 each.
    #[inline(always)]
    unsafe fn sum(&self) -> W {
        // SAFETY: the contract of the trait.
        unsafe {
            let mut sum = self.sixteens;
            for _ in 0..4 {
                sum = sum.add(sum);
            }
            sum.add(W::weigh(self.sums).across()).add(self.few.across())
        }
    }
}
