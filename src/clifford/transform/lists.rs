//! A list of sums, decoded once for all tiles.

use core::mem::MaybeUninit;

use super::scalar::{Matrices, take};
use super::{MAX_SUMS, MAX_TERMS};

/// A term of a sum: the place of its vector, the vectors from there to that of the next row, and 1 if it is
/// subtracted, else 0.
#[derive(Clone, Copy)]
pub(super) struct Term {
    pub(super) at: usize,
    pub(super) of_row: u32,
    pub(super) sign: u32,
}

/// A sum: the place of its vector, the vectors from there to that of the next row, and the number of its terms.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub(super) at: usize,
    pub(super) of_row: u32,
    pub(super) terms: u32,
}

/// A list, decoded once for all tiles.
pub(super) struct List {
    sums: [MaybeUninit<Sum>; MAX_SUMS],
    terms: [MaybeUninit<Term>; MAX_TERMS],
}

impl List {
    /// The sums, as many as were decoded, and their terms, sum after sum.
    #[inline(always)]
    pub(super) fn begin(&self) -> (*const Sum, *const Term) {
        (self.sums.as_ptr().cast(), self.terms.as_ptr().cast())
    }

    #[inline(always)]
    pub(super) fn new() -> Self {
        List { sums: [MaybeUninit::uninit(); MAX_SUMS], terms: [MaybeUninit::uninit(); MAX_TERMS] }
    }

    /// The sums of forms, whose terms are blades, and their number.
    ///
    /// # Safety
    /// The contract of the kernel.
    #[inline(always)]
    pub(super) unsafe fn forms(&mut self, n: usize, all: Matrices, mut list: *const u32) -> usize {
        let (sums, mut terms) = (self.sums.as_mut_ptr().cast::<Sum>(), self.terms.as_mut_ptr().cast::<Term>());
        // SAFETY: the caller's contract.
        unsafe {
            let count = take(&mut list);
            for f in 0..count {
                let n_terms = take(&mut list);
                let [before, of_row, place] = [take(&mut list), take(&mut list), take(&mut list)];
                let at = (before * all.rows + of_row * all.first + place) * n;
                sums.add(f).write(Sum { at, of_row: of_row as u32, terms: n_terms as u32 });
                for _ in 0..n_terms {
                    let term = take(&mut list);
                    terms.write(Term { at: term / 2, of_row: 0, sign: term as u32 % 2 });
                    terms = terms.add(1);
                }
            }
            count
        }
    }

    /// The sums that are blades.
    ///
    /// # Safety
    /// The contract of the kernel.
    #[inline(always)]
    pub(super) unsafe fn blades(&mut self, blades: usize, n: usize, all: Matrices, mut list: *const u32) {
        let (sums, mut terms) = (self.sums.as_mut_ptr().cast::<Sum>(), self.terms.as_mut_ptr().cast::<Term>());
        // SAFETY: the caller's contract.
        unsafe {
            for j in 0..blades {
                let n_terms = take(&mut list);
                sums.add(j).write(Sum { at: j * n, of_row: 0, terms: n_terms as u32 });
                for _ in 0..n_terms {
                    let [before, of_row, place] = [take(&mut list), take(&mut list), take(&mut list)];
                    let at = (before * all.rows + of_row * all.first + place / 2) * n;
                    terms.write(Term { at, of_row: of_row as u32, sign: place as u32 % 2 });
                    terms = terms.add(1);
                }
            }
        }
    }
}
