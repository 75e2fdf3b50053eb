//! The search of a unit of work.

use std::ops::Range;

use hotloops::hardround::{self, MAX_WITHIN, Scan, Series, Test, exists};

use super::{Algorithm, SearchPlan};
use crate::dyadic::Dyadic;
use crate::error::{Error, MAX_CASES, ask, reserve};
use crate::found::{Found, MAX_RUN};
use crate::pointwise;
use crate::segment::Segment;
use crate::slow;
use crate::three_phase::{self, ThreePhase};

/// Base-2 logarithm of the shortest block. Over 2^8 arguments of binary64, a polynomial of degree 3 is precise enough
/// for every bound; arguments of binary32 are farther apart.
const MIN_LENGTH: u32 = 2;

/// Above this bound, in units of F, the length of a block is limited to 2^`LONGEST_OF_MANY`: a longer one could have
/// too many cases.
const MANY: f64 = 1.0 / (1_u64 << 30) as f64;
const LONGEST_OF_MANY: u32 = 24;

/// Number of blocks after which the search by arcs checks the number of cases, if these may be many.
const RUN: i64 = 64;

impl SearchPlan<'_> {
    /// The arguments of a unit that are within the bound.
    pub fn search(&self, unit: u64, algorithm: Algorithm) -> Result<Found, Error> {
        self.search_while(unit, algorithm, &|| true)
    }

    /// Like [`SearchPlan::search`]. Ends with [`Error::Ended`] soon after `go_on`, called often, returns false.
    pub fn search_while(&self, unit: u64, algorithm: Algorithm, go_on: &dyn Fn() -> bool) -> Result<Found, Error> {
        let (segment, range) = self.unit(unit);
        let mut found = self.search_part(segment, range, algorithm, go_on)?;
        let all = found.cases.iter_mut().chain(&mut found.exact);
        all.chain(found.streams.iter_mut().flat_map(|stream| [&mut stream.start, &mut stream.end]))
            .for_each(|k| *k += segment.first);
        Ok(found)
    }

    /// Searches a part of the arguments of a unit, for its time.
    pub fn rehearse(&self, unit: u64, part: Range<u64>, algorithm: Algorithm) -> Result<(), Error> {
        let (segment, range) = self.unit(unit);
        self.search_part(segment, range.start + part.start..range.start + part.end, algorithm, &|| true)?;
        Ok(())
    }

    /// The arguments of a part of a segment that are within the bound, by their numbers in it.
    fn search_part(
        &self,
        segment: &Segment,
        range: Range<u64>,
        algorithm: Algorithm,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Found, Error> {
        let mut found = Found::default();
        let mut candidates = Vec::new();
        if segment.is_pointwise() {
            pointwise::search(segment, range, self.problem.units(), &mut candidates, go_on)?;
        } else if let Some(run) = slow::search(segment, &range, self.problem.within)? {
            let (cases, mut rest) = (run.cases, Vec::new());
            let mut start = cases.start;
            for k in run.maybe_exact {
                ask(go_on)?;
                if segment.function.exact(segment.argument(k)).is_some() && segment.judge(k)?.exact {
                    rest.push(start..k);
                    found.add_exact(k)?;
                    start = k + 1;
                }
            }
            rest.push(start..cases.end);
            for part in rest {
                match part.end.saturating_sub(part.start) {
                    count if count > MAX_RUN => found.streams.push(part),
                    count => {
                        reserve(&mut found.cases, count as usize)?;
                        found.cases.extend(part);
                    }
                }
            }
        } else if segment.format.is_small() && slow::at_an_end(segment, &range) {
            let middle = range.start + (range.end - range.start) / 2;
            found = self.search_part(segment, range.start..middle, algorithm, go_on)?;
            found.extend(&self.search_part(segment, middle..range.end, algorithm, go_on)?)?;
        } else {
            self.search_range((segment, range), algorithm, &mut candidates, go_on)?;
        }
        for k in candidates {
            ask(go_on)?;
            let judged = segment.judge(k)?;
            if judged.exact {
                found.add_exact(k)?;
            } else if judged.distance_ulp.abs() < self.problem.within {
                reserve(&mut found.cases, 1)?;
                found.cases.push(k);
            }
        }
        Ok(found)
    }

    /// The arguments of a segment whose polynomials are within the bound plus their error. Uses one
    /// series, or one for each half.
    pub(crate) fn search_range(
        &self,
        (segment, range): (&Segment, Range<u64>),
        algorithm: Algorithm,
        found: &mut Vec<u64>,
        go_on: &dyn Fn() -> bool,
    ) -> Result<(), Error> {
        let count = range.end - range.start;
        let origin = range.start + count / 2;
        let reach = count - count / 2;
        let (taylor, truncation) = segment.taylor(origin, reach);
        let bound = self.problem.units();
        // The search checks the number of cases after each block.
        let (longest, run) = if bound > MANY { (LONGEST_OF_MANY, RUN) } else { (u32::MAX, i64::MAX >> 40) };
        let by = if algorithm == Algorithm::Dual { hardround::Algorithm::Dual } else { hardround::Algorithm::Farey };
        let (series, log2_length) = self.series(&taylor, reach, by, longest)?;
        let blocks = (reach >> log2_length) as i64 + 1;
        let lost = truncation + series.error(blocks as u64);
        if lost > 0.25 * bound && count > 1 << (MIN_LENGTH + 1) {
            self.search_range((segment, range.start..origin), algorithm, found, go_on)?;
            return self.search_range((segment, origin..range.end), algorithm, found, go_on);
        }

        let within = 1.000_001 * (bound + lost) * 18_446_744_073_709_551_616.0;
        let served = within <= MAX_WITHIN as f64;
        if !served {
            // The arguments are too far apart for a cubic even over a few of them: judge each one.
            reserve(found, count as usize)?;
            found.extend(range);
            return Ok(());
        }
        let within = within.ceil() as u64;
        let mut scan = Scan::new(within)?.algorithm(by);
        let mut phases = ThreePhase::new(test(algorithm), within).on(self.device);
        let mut list = Candidates { found, is_over: false, out_of_memory: false };
        let among = || [range.start, range.end - 1].map(|k| segment.argument(k));
        if algorithm == Algorithm::Dual {
            let [mut from, end] = [range.start, range.end].map(|k| k.wrapping_sub(origin) as i64);
            while from < end {
                ask(go_on)?;
                let to = (((from >> log2_length) + run) << log2_length).min(end);
                scan.series(&series, from..to, |x| list.push(origin.wrapping_add_signed(x)))?;
                list.check(among)?;
                from = to;
            }
            return Ok(());
        }
        let length = 1_i128 << log2_length;
        for j in -blocks..blocks {
            // Arguments of the block that belong to the range.
            let start = i128::from(origin) + (i128::from(j) << log2_length);
            let used = start.max(range.start.into())..(start + length).min(range.end.into());
            if used.is_empty() {
                continue;
            }
            ask(go_on)?;
            let block = series.block(j);
            let [first, end] = [used.start - start, used.end - start].map(|x| x as u64);
            let each = |x: u64| list.push((start + i128::from(x)) as u64);
            match algorithm {
                Algorithm::Dual | Algorithm::Farey => {
                    let mut each = each;
                    // The scan starts at the block's first argument; arguments before `first` are
                    // dropped.
                    scan.block(&block, end, |x| {
                        if x >= first {
                            each(x);
                        }
                    })?;
                }
                _ => phases.block(&block, first..end, each)?,
            }
            list.check(among)?;
        }
        Ok(())
    }

    /// The polynomials of blocks, and log2 of their length: the best length for a scan, or a shorter one where a cubic
    /// is not precise enough.
    fn series(
        &self,
        taylor: &[[u64; 4]],
        reach: u64,
        by: hardround::Algorithm,
        longest: u32,
    ) -> Result<(Series, u32), Error> {
        let bend = taylor.get(2).map_or(0.0, |c| fraction(c).abs());
        let mut log2_length = by.log2_length(bend).min(reach.max(2).ilog2()).min(longest);
        let mut series = Series::new(taylor, log2_length)?;
        while series.error(1) > 0.125 * self.problem.units() && log2_length > MIN_LENGTH {
            log2_length -= 1;
            series = Series::new(taylor, log2_length)?;
        }
        Ok((series, log2_length))
    }
}

/// The test of domains of a three-phase search.
fn test(algorithm: Algorithm) -> three_phase::Test {
    match algorithm {
        Algorithm::ThreePhaseLefevre => |a, b, n, w, bits| exists(a, b, n, w, Test::Lefevre, bits),
        _ => |a, b, n, w, bits| exists(a, b, n, w, Test::Regular, bits),
    }
}

/// The arguments that a search finds, up to the maximum number of cases.
struct Candidates<'a> {
    found: &'a mut Vec<u64>,
    is_over: bool,
    out_of_memory: bool,
}

impl Candidates<'_> {
    fn push(&mut self, k: u64) {
        self.is_over |= self.found.len() == MAX_CASES;
        if !self.is_over {
            self.out_of_memory |= self.found.try_reserve(1).is_err();
            if !self.out_of_memory {
                self.found.push(k);
            }
        }
    }

    fn check(&self, among: impl Fn() -> [Dyadic; 2]) -> Result<(), Error> {
        if self.out_of_memory {
            return Err(hotloops::Error::NoMemory.into());
        }
        if self.is_over {
            return Err(Error::TooManyCases { among: among() });
        }
        Ok(())
    }
}

/// A fraction in units of 2^-256, as a number from -1/2 to 1/2.
fn fraction(words: &[u64; 4]) -> f64 {
    let upper = u128::from(words[3]) << 64 | u128::from(words[2]);
    upper as i128 as f64 * (-128_f64).exp2()
}
