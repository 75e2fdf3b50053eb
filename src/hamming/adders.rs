//! Counts of ones where these take long to count: full adders first.

use super::lanes::{Counter, Pairs, Popcount};

/// Words that are added.
///
/// # Safety
/// As for [`Popcount`].
pub(super) trait Carry: Popcount {
    /// What two words carry, from their parity with `self`: `u` after the first of them, `s` after both.
    unsafe fn carry(self, u: Self, s: Self) -> Self;
}

/// Full adders turn 16 words into one before its ones are counted: 1, 2, 4 and 8 for those of
/// `sums`, 16 for each of `sixteens`, and bytes that hold the ones of single words.
#[derive(Clone, Copy)]
pub(super) struct Adders<W> {
    sums: [W; 4],
    sixteens: W,
    few: W,
}

impl<W: Carry> Adders<W> {
    /// Adds four words and returns the carry, as the next ones for 8 and 16.
    ///
    /// # Safety
    /// As for [`Pairs`], here and below.
    #[inline(always)]
    unsafe fn four(&mut self, pairs: impl Pairs<W>, k: usize) -> W {
        // SAFETY: the caller's contract, here and below.
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

    /// # Safety
    /// As above.
    #[inline(always)]
    unsafe fn eight(&mut self, pairs: impl Pairs<W>, k: usize) -> W {
        // SAFETY: the caller's contract.
        unsafe {
            let carries = [self.four(pairs, k), self.four(pairs, k + 2)];
            self.full(2, carries)
        }
    }

    /// # Safety
    /// As above.
    #[inline(always)]
    unsafe fn full(&mut self, level: usize, [a, b]: [W; 2]) -> W {
        // SAFETY: the caller's contract.
        unsafe {
            let x = self.sums[level];
            let u = x.xor(a);
            let s = u.xor(b);
            self.sums[level] = s;
            x.carry(u, s)
        }
    }
}

impl<W: Carry> Counter for Adders<W> {
    type Words = W;
    const PAIRS: usize = 8;

    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the contract of the trait, here and below.
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

    /// A byte holds 15 times 8 at most.
    #[inline(always)]
    unsafe fn sum(&self) -> W {
        // SAFETY: the contract of the trait.
        unsafe {
            let (mut bytes, mut sixteens) = (W::splat(0), self.sixteens);
            for sum in self.sums.into_iter().rev() {
                bytes = bytes.add_bytes(bytes).add_bytes(sum.ones());
                sixteens = sixteens.add(sixteens);
            }
            sixteens.add(bytes.across()).add(self.few.across())
        }
    }
}
