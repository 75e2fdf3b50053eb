//! Anneals that fill a given time: the number of copies, and the sweeps of each step.
//!
//! Suppose that an anneal of S sweeps leaves a Poisson number of excitations with mean
//! m = (S* / S)^a / a. Then the best of K copies has none with a probability of about K exp(-m). In a fixed
//! time S is inversely proportional to K, and this probability is largest at S = S*. Until an anneal can
//! have S* sweeps, a large system has one copy.

use std::time::{Duration, Instant};

use super::plan::Plan;
use super::sampler::builder;
use crate::coo::Couplings;

/// The exponent a, as for spin glasses of 1000 to 10,000 spins.
const EXPONENT: f64 = 0.4;
/// S* for one spin; it grows with the square of their number. Measured as the exponent was.
const BEST_SWEEPS: f64 = 0.02;
/// Maximum number of steps of an anneal, and the minimum number of sweeps of one, for measurements to take little time.
const MAX_STEPS: u64 = 200;
const MIN_SWEEPS: f64 = 8.0;
/// Maximum number of sweeps of a step.
const MAX_SWEEPS: u64 = 1 << 40;
/// The weight of a step relative to the next one.
const MEMORY: f64 = 0.8;
/// Share of the time for the first anneal, which gives a first result.
const FIRST: f64 = 0.04;
/// Share of the time that is used, so that the last anneal ends before it is over.
const USED: f64 = 0.99;

/// The number of copies in a model, steps of an anneal, and anneals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    pub copies: usize,
    pub steps: u64,
    pub anneals: u32,
}

impl Shape {
    /// The shape for a time. If a target ends the run, the first anneals are as short as possible.
    pub fn new(plan: &Plan, problem: &Couplings, time: Duration, copies: Option<usize>, has_target: bool) -> Shape {
        let sites = problem.fields.len() as f64;
        let cost = |layers: usize| builder(&plan.with_copies(layers), problem).cost(plan.kind).unwrap_or(f64::INFINITY);
        let sweeps = |(copies, cost): (usize, f64)| time.as_secs_f64() * 1e9 / (sites * copies as f64 * cost);
        let best = BEST_SWEEPS * sites * sites;
        let score = |shape: &(usize, f64)| (shape.0 as f64).ln() - (best / sweeps(*shape)).powf(EXPONENT) / EXPONENT;
        let chosen = match copies {
            Some(copies) => (copies, cost(copies)),
            None => {
                let one = cost(1);
                let few = [1, 2, 4, 8, 16, 32].map(|copies| (copies, one));
                let all = few.into_iter().chain([64, 128, 512].map(|copies| (copies, cost(copies))));
                all.max_by(|a, b| score(a).total_cmp(&score(b))).expect("not empty")
            }
        };
        let sweeps = sweeps(chosen);
        let steps = (sweeps / MIN_SWEEPS).clamp(16.0, MAX_STEPS as f64);
        let shortest = if has_target { steps * MIN_SWEEPS } else { best };
        let anneals = 2 + (sweeps / shortest).max(1.0).log2().min(20.0) as u32;
        Shape { copies: chosen.0, steps: steps as u64, anneals }
    }
}

/// Chooses the sweeps of each step such that the anneals fill the time.
pub struct Pace {
    begin: Instant,
    time: f64,
    anneals: u32,
    anneal: u32,
    /// Seconds and sweeps of the steps, the recent ones with more weight.
    recent: [f64; 2],
}

impl Pace {
    pub fn new(time: Duration, anneals: u32) -> Self {
        Pace { begin: Instant::now(), time: USED * time.as_secs_f64(), anneals, anneal: 0, recent: [0.0; 2] }
    }

    /// Seconds from the start of the run to the end of the current anneal. An anneal takes as long as all before it,
    /// except the last of two.
    fn end(&self) -> f64 {
        match (self.anneals.saturating_sub(self.anneal + 1), self.anneals) {
            (0, _) => self.time,
            (_, 2) => FIRST * self.time,
            (later, _) => self.time / (later as f64).exp2(),
        }
    }

    /// The sweeps of the next step, if `steps` are left with it.
    pub fn sweeps(&self, steps: u64) -> u64 {
        self.sweeps_at(self.begin.elapsed().as_secs_f64(), steps)
    }

    fn sweeps_at(&self, now: f64, steps: u64) -> u64 {
        let [seconds, sweeps] = self.recent;
        let step = (self.end() - now).max(0.0) / steps as f64;
        if seconds > 0.0 { ((step * sweeps / seconds) as u64).clamp(1, MAX_SWEEPS) } else { 1 }
    }

    /// Notes that a step of `sweeps` took `time`.
    pub fn note(&mut self, sweeps: u64, time: Duration) {
        let step = [time.as_secs_f64(), sweeps as f64];
        self.recent = [0, 1].map(|k| MEMORY * self.recent[k] + step[k]);
    }

    /// Whether no anneal follows.
    pub fn is_last(&self) -> bool {
        self.anneal + 1 >= self.anneals
    }

    /// Begins the next anneal.
    pub fn restart(&mut self) {
        self.anneal += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(anneals: u32) -> Pace {
        Pace::new(Duration::from_secs(100), anneals)
    }

    #[test]
    fn anneals_end_when_the_time_is_over() {
        let ends = |anneals| {
            let mut pace = pace(anneals);
            let ends = (0..anneals).map(|_| {
                let end = (pace.end(), pace.is_last());
                pace.restart();
                end
            });
            ends.collect::<Vec<_>>()
        };
        assert_eq!(ends(1), [(99.0, true)]);
        assert_eq!(ends(2), [(3.96, false), (99.0, true)]);
        assert_eq!(ends(4), [(12.375, false), (24.75, false), (49.5, false), (99.0, true)]);
    }

    #[test]
    fn steps_have_the_sweeps_that_fit() {
        let mut pace = pace(1);
        assert_eq!(pace.sweeps_at(0.0, 10), 1);
        pace.note(1, Duration::from_millis(10));
        assert_eq!(pace.sweeps_at(9.0, 9), 1000);
        // Twice as slow: more and more of the steps are.
        for _ in 0..40 {
            pace.note(1000, Duration::from_secs(20));
        }
        assert_eq!(pace.sweeps_at(9.0, 9), 500);
        // No time is left, but the anneal goes on to its end.
        assert_eq!(pace.sweeps_at(99.5, 9), 1);
    }
}
