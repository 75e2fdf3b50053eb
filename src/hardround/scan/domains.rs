//! The search of blocks by domains, and argument by argument where domains do not pay.

use super::super::block::{evaluate, moved};
use super::super::{exhaust_first, exhaust_from, rows};
use super::basis::Basis;
use super::cell::cell;
use super::lines::Lines;
use super::part::{Part, number};
use super::{CELLS, Scan, inflection, is_case};
use crate::frame::error::Error;
use crate::frame::memory;

/// Number of domains after which the polynomial's origin moves. The coefficients of lines are
/// rounded to 2^-64, and then multiplied by a domain's index and its square, which limits this
/// number.
const DOMAINS: u64 = 1024;

/// Number of arguments after which a search argument by argument recomputes the differences, whose
/// errors grow with the cube of this.
const STRETCH: u64 = 1 << 12;

impl Scan {
    /// Calls `each` for the cases of a range of a block.
    pub(super) fn farey(&mut self, c: [u128; 4], length: u64, each: &mut dyn FnMut(u64)) -> Result<(), Error> {
        let high = inflection(&c, length);
        self.part(c, high, each)?;
        if high < length { self.part(moved(c, high), length - high, &mut |x| each(high + x)) } else { Ok(()) }
    }

    /// Like [`Self::block()`], for a range on which c2 keeps its sign, except possibly at the end.
    fn part(&mut self, c: [u128; 4], length: u64, each: &mut dyn FnMut(u64)) -> Result<(), Error> {
        let c = upright(c, length);
        let [first, last] = [c[2], moved(c, length)[2]].map(number);
        match Part::new(c, length, first.abs().max(last.abs()), self.within, self.domain) {
            Some(part) => self.search(&part, each),
            None => self.exhaust(c, length, each),
        }
    }

    /// Searches argument by argument.
    fn exhaust(&mut self, mut c: [u128; 4], length: u64, each: &mut dyn FnMut(u64)) -> Result<(), Error> {
        // The differences of the polynomial at 0 have errors of less than a unit each, and so
        // values of less than 1 + x + x^2 + x^3.
        let wide = self.within.saturating_add(2 * STRETCH.pow(3));
        for begin in (0..length).step_by(STRETCH as usize) {
            let n = STRETCH.min(length - begin);
            let [c0, c1, c2, c3] = c;
            let third = c3.wrapping_mul(6);
            let mut d = [
                (c0 >> 64) as u64,
                (c1.wrapping_add(c2).wrapping_add(c3) >> 64) as u64,
                (c2.wrapping_mul(2).wrapping_add(third) >> 64) as u64,
                (third >> 64) as u64,
            ];
            d[0] = d[0].wrapping_add(wide);
            let mut at = 0;
            while let Some(x) = exhaust_first(&d, n - at, 2 * wide) {
                if is_case(&c, at + x, self.within) {
                    each(begin + at + x);
                }
                d = exhaust_from(&d, x + 1);
                at += x + 1;
            }
            c = moved(c, STRETCH);
        }
        Ok(())
    }

    fn search(&mut self, part: &Part, each: &mut dyn FnMut(u64)) -> Result<(), Error> {
        // A search that ran out of memory may have left cells behind.
        self.cells.clear();
        self.exact_cells.clear();
        if !self.basis.is_of(part.order) {
            self.basis = Basis::around(self.basis.a, part.order);
        }
        let stretch = DOMAINS * part.n;
        let mut c = part.c;
        for begin in (0..part.length).step_by(stretch as usize) {
            let length = stretch.min(part.length - begin);
            let lines = Lines::new(&c, part.n);
            let domains = length.div_ceil(part.n);
            let mut i = 0;
            while i < domains {
                while i < domains && self.cells.len() < CELLS {
                    let (cell, exact) = cell(&lines, part, &mut self.basis, i, domains - i);
                    i += u64::from(cell.count);
                    self.cells.push(cell);
                    self.exact_cells.push(exact);
                }
                self.try_cells(part, &c, length, &mut |x| each(begin + x))?;
            }
            c = moved(c, stretch);
        }
        Ok(())
    }

    fn try_cells(&mut self, part: &Part, c: &[u128; 4], length: u64, each: &mut dyn FnMut(u64)) -> Result<(), Error> {
        // SAFETY: `cells` are as many as their length says, each as the kernel requires; `hits` has
        // two words for each.
        unsafe { rows(self.cells.as_ptr(), self.cells.len(), self.hits.as_mut_ptr()) };
        // Collect the words that have hits, without a branch: one in ten has some.
        let (mut found, mut count) = ([0_usize; 2 * CELLS], 0);
        for (at, &word) in self.hits[..2 * self.exact_cells.len()].iter().enumerate() {
            found[count] = at;
            count += usize::from(word != 0);
        }
        for &at in &found[..count] {
            let (exact, mut word) = (self.exact_cells[at / 2], self.hits[at]);
            while word != 0 {
                let i = 64 * (at as u64 % 2) + u64::from(word.trailing_zeros());
                word &= word - 1;
                let start = (exact.first + i) * part.n;
                let n = part.n.min(length - start);
                self.candidates.clear();
                let (within, candidates) = (u128::from(self.within) << 64, &mut self.candidates);
                exact.points(i, n, |x| {
                    if (evaluate(c, start + x) as i128).unsigned_abs() < within {
                        memory::push(candidates, start + x)?;
                    }
                    Ok(())
                })?;
                self.candidates.sort_unstable();
                self.candidates.dedup();
                self.candidates.iter().for_each(|&x| each(x));
            }
        }
        self.cells.clear();
        self.exact_cells.clear();
        Ok(())
    }
}

/// The coefficients of F or -F, whichever is convex on a range on which c2 keeps its sign.
fn upright(c: [u128; 4], length: u64) -> [u128; 4] {
    let [first, last] = [c[2], moved(c, length)[2]].map(number);
    if first + last < 0.0 { c.map(u128::wrapping_neg) } else { c }
}
