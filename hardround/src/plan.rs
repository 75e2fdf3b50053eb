//! The definition of a search, and its units of work.

use std::ops::Range;

use hotloops::hardround::{self, MAX_WITHIN, Scan, Series, Test, exists};

use crate::cut::{NEAREST_ZERO, segments};
use crate::dyadic::Dyadic;
use crate::error::{Error, MAX_CASES, ask, reserve};
use crate::format::Format;
use crate::found::{Found, MAX_RUN};
use crate::function::Function;
use crate::judge::Judged;
use crate::pointwise;
use crate::segment::{Modes, Segment};
use crate::slow;
use crate::three_phase::{self, ThreePhase};

/// Everything that determines the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem<'f> {
    pub function: &'f dyn Function,
    /// Format of arguments and results.
    pub format: Format,
    /// First argument of the interval.
    pub from: f64,
    /// End of the interval (excluded).
    pub to: f64,
    /// Search only multiples of 2^`grid` instead of all numbers of the format.
    pub grid: Option<i32>,
    /// Rounding modes whose breakpoints count.
    pub modes: Modes,
    /// Find arguments whose results are closer to a breakpoint than this, in ulps of the result.
    pub within: f64,
}

/// The smallest and the largest bound, in units of breakpoints.
const MIN_BOUND: f64 = 1.0 / (1_u64 << 58) as f64;
const MAX_BOUND: f64 = MAX_WITHIN as f64 / 18_446_744_073_709_551_616.0 / 2.0;

impl<'f> Problem<'f> {
    /// The interval of all finite numbers of a small format in the domain of a function.
    pub fn whole(function: &dyn Function, format: Format) -> Option<[f64; 2]> {
        let (least, most) = function.domain();
        let end = format.end();
        format.is_small().then(|| [least.max(-end), most.next_up().min(end)])
    }

    /// Breakpoints per ulp.
    fn breakpoints(modes: Modes) -> f64 {
        if modes == Modes::All { 2.0 } else { 1.0 }
    }

    /// The smallest and the largest bound that can be searched, in ulps of the result.
    pub fn bounds(modes: Modes) -> [f64; 2] {
        [MIN_BOUND, MAX_BOUND].map(|bound| bound / Problem::breakpoints(modes))
    }

    /// The bound in units of F, whose breakpoints are the integers.
    pub fn units(&self) -> f64 {
        self.within * Problem::breakpoints(self.modes)
    }
}

/// How blocks are searched. All algorithms find the same cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Test the rows of arcs on which the slope is near a fraction; domains elsewhere
    #[default]
    Dual,
    /// Test domains in groups that share the neighbours of a Farey sequence
    Farey,
    /// Test domains by the regular algorithm, subdivide those that pass, then tabulate differences
    ThreePhase,
    /// The same with Lefevre's algorithm
    ThreePhaseLefevre,
}

/// Maximum arguments per unit of work, and per Taylor series.
pub const UNIT: u64 = 1 << 34;

/// Base-2 logarithm of the shortest block. Over 2^8 arguments of binary64, a polynomial of degree 3 is precise enough for
/// every bound; arguments of binary32 are farther apart.
const MIN_LENGTH: u32 = 2;

/// Above this bound, in units of F, a block may have so many cases that its length is limited to
/// 2^`LONGEST_OF_MANY`.
const MANY: f64 = 1.0 / (1_u64 << 30) as f64;
const LONGEST_OF_MANY: u32 = 24;

/// A search as numbered units of work.
#[derive(Clone, Debug)]
pub struct Plan<'f> {
    pub problem: Problem<'f>,
    pub segments: Vec<Segment<'f>>,
    /// Number of units before each segment, then the total.
    before: Vec<u64>,
}

/// Why an argument is not searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outside {
    /// It is not a number of the format, or not a multiple of the grid's step.
    Format,
    /// It is too close to zero.
    TooSmall,
    /// It is outside of the function's domain here.
    Domain,
    /// It is before or after the interval.
    Interval,
    /// The result exceeds the largest number.
    Overflow,
    /// The result is below a quarter of the smallest number.
    Underflow,
}

impl<'f> Plan<'f> {
    pub fn new(problem: &Problem<'f>) -> Result<Self, Error> {
        let p = problem;
        if !(MIN_BOUND..=MAX_BOUND).contains(&p.units()) {
            let [least, most] = Problem::bounds(p.modes).map(Dyadic::of);
            return Err(Error::argument(&["within"], format!("the bound must be from {least} to {most} ulp")));
        }
        let segments = segments(p.function, p.format, p.modes, p.from, p.to, p.grid)?;
        let mut before = vec![0];
        before.extend(segments.iter().scan(0, |units, segment| {
            *units += segment.count.div_ceil(UNIT);
            Some(*units)
        }));
        Ok(Plan { problem: p.clone(), segments, before })
    }

    pub fn units(&self) -> u64 {
        self.before[self.segments.len()]
    }

    /// The segment of a unit, and the unit's arguments in it.
    pub(crate) fn unit(&self, unit: u64) -> (&Segment<'f>, Range<u64>) {
        let at = self.before.partition_point(|&before| before <= unit) - 1;
        let segment = &self.segments[at];
        let start = (unit - self.before[at]) * UNIT;
        (segment, start..segment.count.min(start + UNIT))
    }

    /// The arguments of some units, by their numbers.
    pub fn range(&self, units: &Range<u64>) -> Range<u64> {
        let begin = |unit: u64| {
            if unit >= self.units() {
                return self.segments.last().map_or(0, |segment| segment.first + segment.count);
            }
            let (segment, range) = self.unit(unit);
            segment.first + range.start
        };
        begin(units.start)..begin(units.end)
    }

    fn locate(&self, index: u64) -> (&Segment<'f>, u64) {
        let segment = &self.segments[self.segments.partition_point(|segment| segment.first <= index) - 1];
        (segment, index - segment.first)
    }

    /// Classifies an argument.
    ///
    /// # Panics
    /// If the function's list of exact cases is wrong: [`Plan::try_judge`] returns the error, as the
    /// search of the argument does.
    pub fn judge(&self, index: u64) -> Judged {
        self.try_judge(index).unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn try_judge(&self, index: u64) -> Result<Judged, Error> {
        let (segment, k) = self.locate(index);
        segment.judge(k)
    }

    /// Whether an argument is within the bound: a case or an exact case.
    pub fn is_found(&self, index: u64) -> Result<bool, Error> {
        Ok(self.try_judge(index)?.distance_ulp.abs() < self.problem.within)
    }

    /// Whether the result is a breakpoint.
    pub fn is_exact(&self, index: u64) -> bool {
        let (segment, k) = self.locate(index);
        segment.function.exact(segment.argument(k)).is_some() && segment.judge(k).is_ok_and(|judged| judged.exact)
    }

    /// Whether an argument begins a segment.
    pub fn begins_segment(&self, index: u64) -> bool {
        self.segments.binary_search_by_key(&index, |segment| segment.first).is_ok()
    }

    /// The reason why an argument without a number is not searched.
    pub fn outside(&self, x: Dyadic) -> Outside {
        let Problem { function, format, from, to, grid, .. } = self.problem;
        let on_grid = grid.is_none_or(|e| x.m == 0 || x.odd().e >= e);
        let (least, most) = function.domain();
        let value = x.to_f64();
        match value {
            _ if !on_grid || grid.is_none() && !format.holds(x) => Outside::Format,
            value if !format.is_small() && value.abs() < NEAREST_ZERO && least < 0.0 => Outside::TooSmall,
            value if value < least || value > most => Outside::Domain,
            value if value < from || value >= to => Outside::Interval,
            _ => match crate::function::exponent(function, x) {
                Ok(Some(exponent)) if exponent > format.max_exponent => Outside::Overflow,
                _ => Outside::Underflow,
            },
        }
    }

    /// The number of an argument.
    pub fn index(&self, x: Dyadic) -> Option<u64> {
        self.segments.iter().find_map(|segment| {
            let shift = x.e - segment.e;
            let m = match shift {
                0..=62 => x.m << shift,
                -126..0 if x.m == 0 || x.m.trailing_zeros() as i32 >= -shift => x.m >> -shift,
                _ if x.m == 0 => 0,
                _ => return None,
            };
            let k = u64::try_from(m - segment.start).ok()?;
            (k < segment.count).then(|| segment.first + k)
        })
    }

    /// The arguments of a unit that are within the bound.
    pub fn search(&self, unit: u64, algorithm: Algorithm) -> Result<Found, Error> {
        self.search_while(unit, algorithm, &|| true)
    }

    /// Like [`Plan::search`]. Ends with [`Error::Ended`] soon after `go_on`, called often, returns false.
    pub fn search_while(&self, unit: u64, algorithm: Algorithm, go_on: &dyn Fn() -> bool) -> Result<Found, Error> {
        let (segment, range) = self.unit(unit);
        let mut found = self.search_part(segment, range, algorithm, go_on)?;
        let all = found.cases.iter_mut().chain(&mut found.exact);
        all.chain(found.streams.iter_mut().flat_map(|stream| [&mut stream.start, &mut stream.end]))
            .for_each(|k| *k += segment.first);
        Ok(found)
    }

    /// Number of arguments of a unit.
    pub fn unit_len(&self, unit: u64) -> u64 {
        let (_, range) = self.unit(unit);
        range.end - range.start
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

        // Blocks have the best length for a scan, or are shorter where a cubic is not precise
        // enough.
        let bend = taylor.get(2).map_or(0.0, |c| fraction(c).abs());
        // The search checks the number of cases after each block.
        let (longest, run) = if bound > MANY { (LONGEST_OF_MANY, RUN) } else { (u32::MAX, i64::MAX >> 40) };
        let by = if algorithm == Algorithm::Dual { hardround::Algorithm::Dual } else { hardround::Algorithm::Farey };
        let mut log2_length = by.log2_length(bend).min(reach.max(2).ilog2()).min(longest);
        let mut series = Series::new(&taylor, log2_length)?;
        while series.error(1) > 0.125 * bound && log2_length > MIN_LENGTH {
            log2_length -= 1;
            series = Series::new(&taylor, log2_length)?;
        }
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
        let test: three_phase::Test = match algorithm {
            Algorithm::ThreePhaseLefevre => |a, b, n, w, bits| exists(Test::Lefevre, a, b, n, w, bits),
            _ => |a, b, n, w, bits| exists(Test::Regular, a, b, n, w, bits),
        };
        let mut phases = ThreePhase::new(test, within);
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
}

/// Number of blocks after which the search by arcs checks the number of cases, if these may be many.
const RUN: i64 = 64;

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
