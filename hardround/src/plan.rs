//! The definition of a search, and its units of work.

mod search;

use std::ops::Range;

use hotloops::hardround::MAX_WITHIN;

use crate::cut::{NEAREST_ZERO, segments};
use crate::dyadic::Dyadic;
use crate::error::Error;
use crate::format::Format;
use crate::function::Function;
use crate::judge::Judged;
use crate::segment::{Modes, Segment};
use crate::three_phase::Device;

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
    /// Search only multiples of 2^`grid` instead of every number of the format.
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
    /// The interval of a small format's finite numbers in the domain of a function.
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

/// A search as numbered units of work.
#[derive(Clone, Debug)]
pub struct SearchPlan<'f> {
    pub problem: Problem<'f>,
    pub segments: Vec<Segment<'f>>,
    /// Runs the first phase of [`Algorithm::ThreePhase`] and [`Algorithm::ThreePhaseLefevre`].
    device: Option<&'f dyn Device>,
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

impl<'f> SearchPlan<'f> {
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
        Ok(SearchPlan { problem: p.clone(), segments, device: None, before })
    }

    /// The same plan with the first phase of three on a device, whose test must be that of the algorithm. None for the
    /// CPU.
    pub fn on(self, device: Option<&'f dyn Device>) -> Self {
        SearchPlan { device, ..self }
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
    /// If the function's list of exact cases is wrong: [`SearchPlan::try_judge`] returns the error, as the
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

    /// Number of arguments of a unit.
    pub fn unit_len(&self, unit: u64) -> u64 {
        let (_, range) = self.unit(unit);
        range.end - range.start
    }
}
