//! The search of blocks and series by arcs. Parts of them are searched by domains.

use core::mem;
use core::ops::Range;

use super::super::block::{Quartic, Series, moved, power};
use super::dual::Method;
use super::lines::TURN;
use super::part::{cube_root, number};
use super::{Scan, inflection, is_case};
use crate::frame::error::Error;
use crate::frame::memory;

/// The longest part of a series that is one quartic, log2.
const LOG2_LONGEST: u32 = 32;

/// The error of a quartic that hardly widens rows, divided by the cube root of c2. A row of an arc of
/// the largest denominator then moves by 2^-18 of it.
const MAX_WIDER: f64 = 1.0 / (1 << 19) as f64;

impl Scan {
    /// The search of a series by arcs. Parts longer than a block are quartics. Cases are those of
    /// the blocks.
    pub(super) fn long(
        &mut self,
        series: &Series,
        arguments: Range<i64>,
        each: &mut dyn FnMut(i64),
    ) -> Result<(), Error> {
        self.dual.clear();
        let bits = series.log2_length();
        let blocks = (arguments.start.unsigned_abs().max(arguments.end.unsigned_abs()) >> bits) + 1;
        let (longer, error) = self.longer(series, blocks);
        let mut start = arguments.start;
        while start < arguments.end {
            let end = (start | ((1 << longer) - 1)).saturating_add(1).min(arguments.end);
            self.stretch(series, error, start..end)?;
            start = end;
            if self.dual.is_full() || start == arguments.end {
                let (within, mut last) = (self.within, None);
                let is_case = |x: i64| {
                    let j = x >> bits;
                    let c = match last {
                        Some((block, c)) if block == j => c,
                        _ => series.block(j).coefficients(),
                    };
                    last = Some((j, c));
                    is_case(&c, (x - (j << bits)) as u64, within)
                };
                self.dual.finish(is_case)?.iter().for_each(|&x| each(x));
                self.dual.clear();
            }
        }
        Ok(())
    }

    /// The length, log2, of a part: that of a block, or longer if a quartic does not widen rows
    /// much. Its middle is within half a block of the middle of the arguments. Also the quartic's
    /// error.
    pub(super) fn longer(&self, series: &Series, blocks: u64) -> (u32, f64) {
        let within = self.within as f64 / TURN;
        let bend = number(series.block(0).coefficients()[2]).abs();
        let most = (0.125 * within).max(MAX_WIDER * cube_root(bend));
        let first = series.log2_length();
        let error = |bits: u32| series.bent(0.75 * power(bits as i32), blocks);
        let bits = (first + 1..=LOG2_LONGEST).take_while(|&bits| error(bits) < most).last().unwrap_or(first);
        (bits, error(bits))
    }

    /// Collects the arcs of arguments of a series, given the error of quartics.
    fn stretch(&mut self, series: &Series, error: f64, arguments: Range<i64>) -> Result<(), Error> {
        let bits = series.log2_length();
        let Range { start, end } = arguments;
        let j = start >> bits;
        if (end - 1) >> bits == j {
            let c = series.block(j).coefficients();
            return self.arcs(moved(c, (start - (j << bits)) as u64), start, (end - start) as u64);
        }
        // The beginning of a block that is nearest to the middle.
        let length = 1 << bits;
        let j = j + (((start & (length - 1)) + (end - start + length) / 2) >> bits);
        let middle = j << bits;
        match self.dual.part(&series.quartic(j, error), middle, start..end)? {
            Method::Rows(ranges) => ranges.into_iter().try_for_each(|range| self.blocks(series, range)),
            Method::Domains | Method::Halves => {
                self.stretch(series, error, start..middle)?;
                self.stretch(series, error, middle..end)
            }
        }
    }

    /// Searches arguments of a series by domains.
    fn blocks(&mut self, series: &Series, arguments: Range<i64>) -> Result<(), Error> {
        let bits = series.log2_length();
        for j in arguments.start >> bits..=(arguments.end - 1) >> bits {
            let block = j << bits;
            let start = block.max(arguments.start);
            let end = (block | ((1 << bits) - 1)).min(arguments.end - 1) + 1;
            let c = moved(series.block(j).coefficients(), (start - block) as u64);
            self.domains(c, start, (end - start) as u64)?;
        }
        Ok(())
    }

    /// Searches a part of a block by arcs, from argument `first` on: collects those it has not
    /// tested yet.
    pub(super) fn arcs(&mut self, c: [u128; 4], first: i64, length: u64) -> Result<(), Error> {
        let high = inflection(&c, length);
        for (from, to) in [(0, high), (high, length)] {
            if from < to {
                self.bent(moved(c, from), first + from as i64, to - from)?;
            }
        }
        Ok(())
    }

    /// Like [`Self::arcs()`], for a range on which c2 keeps its sign.
    fn bent(&mut self, c: [u128; 4], first: i64, length: u64) -> Result<(), Error> {
        let half = length / 2;
        let [c0, c1, c2, c3] = moved(c, half);
        let polynomial = Quartic { c: [c0, c1, c2], c3: number(c3), c4: 0.0, error: 0.0 };
        match self.dual.part(&polynomial, first + half as i64, first..first + length as i64)? {
            Method::Rows(ranges) => ranges.into_iter().try_for_each(|range| {
                self.domains(moved(c, (range.start - first) as u64), range.start, (range.end - range.start) as u64)
            }),
            Method::Domains => self.domains(c, first, length),
            Method::Halves => {
                self.bent(c, first, half)?;
                self.bent(moved(c, half), first + half as i64, length - half)
            }
        }
    }

    /// Searches a part of a block by domains, from argument `first` on.
    fn domains(&mut self, c: [u128; 4], first: i64, length: u64) -> Result<(), Error> {
        let mut found = mem::take(&mut self.in_domains);
        let mut failure = Ok(());
        let searched = self.farey(c, length, &mut |x| {
            if failure.is_ok() {
                failure = memory::push(&mut found, x);
            }
        });
        let all = searched.and(failure);
        let all = all.and_then(|()| found.iter().try_for_each(|&x| self.dual.push(first + x as i64)));
        found.clear();
        self.in_domains = found;
        all
    }
}
