//! The number of cases that a search should find.
//!
//! If the values F mod 1 behave like uniform random numbers, n arguments have about 2 e n cases
//! with bound e (in units of breakpoints), with a standard deviation of sqrt(2 e n). This fails
//! where the function is too close to a line, or to a parabola with short coefficients: there cases
//! come in runs, or not at all.

use std::ops::Range;

use crate::error::Error;
use crate::error::MAX_CASES;
use crate::found::MAX_RUN;
use crate::plan::{SearchPlan, UNIT};
use crate::segment::Segment;
use crate::slow;

/// Minimum distance from 0 (from 1 for `log`). At smaller distances the first Taylor coefficients
/// have so few bits that results repeat.
const SHORT: f64 = 1.0 / (1 << 12) as f64;

/// Units sampled per segment to estimate its number of cases.
const SAMPLES: u64 = 64;

/// Segments with at most this many arguments are not sampled.
const FEW: u64 = 1 << 14;

/// Whether F mod 1 behaves like random numbers for `count` arguments from number k on.
///
/// With c = |F''| / 2, the slope grows by 2 c n and F by c n^2 beyond a line. Near a slope p / q
/// with a small q, cases come in runs of up to sqrt(8 e / c) / q arguments, where the slope is
/// within 2 e / q of it. Summed over all p / q, runs make the variance 1 + 27 e^(3/2) / sqrt(c)
/// times that of single cases. So the slope must change enough to leave such runs, and F must
/// deviate from a line by several units.
fn spread(segment: &Segment, k: u64, count: u64, e: f64) -> bool {
    let ends = [k, k + count - 1];
    let rational = segment.function.rational_at();
    if rational.is_some_and(|point| ends.iter().any(|&k| (segment.argument(k).to_f64() - point).abs() < SHORT)) {
        return false;
    }
    let c = ends.map(|k| segment.bend(k)).into_iter().fold(f64::INFINITY, f64::min);
    let n = count as f64;
    c * n * n >= 16.0 && 2.0 * c * n >= 64.0 * e && 27.0 * e.powf(1.5) <= c.sqrt()
}

impl<'f> SearchPlan<'f> {
    /// The parts of segments that some units cover: the segment, the number of the first argument
    /// in it, and the number of arguments.
    fn parts(&self, units: &Range<u64>) -> impl Iterator<Item = (&Segment<'f>, u64, u64)> {
        let range = self.range(units);
        self.segments.iter().filter_map(move |segment| {
            let start = range.start.max(segment.first);
            let end = range.end.min(segment.first + segment.count);
            (start < end).then(|| (segment, start - segment.first, end - start))
        })
    }

    /// Expected number of cases if F mod 1 is random.
    fn by_chance(&self, arguments: u64) -> f64 {
        2.0 * self.problem.units() * arguments as f64
    }

    /// The number of cases where values behave like random numbers, and the number expected there.
    /// `None` if they do so nowhere.
    pub fn chance(&self, units: &Range<u64>, cases: &[u64]) -> Option<(usize, f64)> {
        let e = self.problem.units();
        let (mut found, mut arguments) = (0, 0);
        for (segment, k, count) in self.parts(units).filter(|&(segment, k, count)| spread(segment, k, count, e)) {
            let first = segment.first + k;
            found += cases.partition_point(|&case| case < first + count) - cases.partition_point(|&case| case < first);
            arguments += count;
        }
        (arguments > 0).then(|| (found, self.by_chance(arguments)))
    }

    /// Estimated number of stored cases of a part of a segment, by chance and by samples.
    fn expected_in(&self, segment: &Segment, k: u64, count: u64) -> f64 {
        let e = self.problem.units();
        let cases = self.by_chance(count);
        if count <= FEW || segment.is_pointwise() || spread(segment, k, count, e) {
            return cases;
        }
        let units = count.div_ceil(UNIT);
        let stored = |unit: u64| {
            let range = k + unit * UNIT..k + count.min((unit + 1) * UNIT);
            let length = range.end - range.start;
            match slow::search(segment, &range, self.problem.within) {
                Ok(Some(run)) => match run.cases.end.saturating_sub(run.cases.start) {
                    listed @ ..=MAX_RUN => listed as f64,
                    _ => 1.0,
                },
                _ => self.by_chance(length),
            }
        };
        // Where results are not random, cases gather at the ends of a binade: the first and the last
        // unit speak for themselves alone.
        let ends = stored(0) + if units > 1 { stored(units - 1) } else { 0.0 };
        let inner = units.saturating_sub(2);
        let samples = inner.min(SAMPLES);
        let sum: f64 = (0..samples)
            .map(|i| {
                // Equal distances between samples could be multiples of the distance between cases.
                let at = (u128::from(inner) * u128::from(i) / u128::from(samples)) as u64;
                stored(1 + at + (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) % (inner / samples))
            })
            .sum();
        ends + if samples > 0 { sum * inner as f64 / samples as f64 } else { 0.0 }
    }

    /// Estimated number of stored cases of some units, by chance and by samples.
    pub fn expected(&self, units: &Range<u64>) -> f64 {
        self.parts(units).map(|(segment, k, count)| self.expected_in(segment, k, count)).sum()
    }

    /// Rejects a search of some units that would find more than [`MAX_CASES`] cases.
    pub fn check_size(&self, units: &Range<u64>) -> Result<(), Error> {
        let (mut all, mut most, mut densest, mut place) = (0.0, -1.0, 0.0, None);
        for (segment, k, count) in self.parts(units) {
            let cases = self.expected_in(segment, k, count);
            all += cases;
            densest = f64::max(densest, cases / count as f64);
            if cases > most {
                (most, place) = (cases, Some([k, k + count - 1].map(|k| segment.argument(k))));
            }
        }
        let Some(among) = place.filter(|_| all > MAX_CASES as f64) else { return Ok(()) };
        let parts =
            (2.0 * densest * UNIT as f64 <= MAX_CASES as f64).then(|| (2.0 * all / MAX_CASES as f64).ceil() as u64);
        Err(Error::ExpectedCases { expected: all, among, parts })
    }
}
