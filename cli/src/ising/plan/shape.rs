//! Anneals that fill a given time: the number of copies, of steps and of anneals.
//!
//! Suppose that an anneal of S sweeps leaves a Poisson number of excitations with mean
//! m = (S* / S)^a / a. Then the best of K copies has none with a probability of about K exp(-m). In a fixed
//! time S is inversely proportional to K, and this probability is largest at S = S*. Until an anneal can
//! have S* sweeps, a large system has one copy.

use std::time::Duration;

use super::{RunPlan, builder};
use crate::coo::Couplings;

/// The exponent a, as for spin glasses of 1000 to 10,000 spins.
const EXPONENT: f64 = 0.4;
/// S* for one spin; it grows with the square of their number. Measured as the exponent was.
const BEST_SWEEPS: f64 = 0.02;
/// Nanoseconds: no kind visits a spin faster.
const MIN_COST: f64 = 0.07;
/// Maximum number of steps of an anneal, and the minimum number of sweeps of one, for measurements to take little time.
const MAX_STEPS: u64 = 200;
const MIN_SWEEPS: f64 = 8.0;

/// The number of copies in a model, steps of an anneal, and anneals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    pub copies: usize,
    pub steps: u64,
    pub anneals: u32,
}

impl Shape {
    /// The shape for a time. If a target ends the run, the first anneals are as short as possible.
    pub fn new(plan: &RunPlan, problem: &Couplings, time: Duration, copies: Option<usize>, has_target: bool) -> Shape {
        let sites = problem.fields.len() as f64;
        let cost = |layers: usize| match plan.has_lines() {
            true => plan.line_cost(problem),
            false => builder(&plan.with_copies(layers), problem).cost(plan.kind).unwrap_or(f64::INFINITY),
        };
        let sweeps = |(copies, cost): (usize, f64)| time.as_secs_f64() * 1e9 / (sites * copies as f64 * cost);
        let best = BEST_SWEEPS * sites * sites;
        let score = |shape: &(usize, f64)| (shape.0 as f64).ln() - (best / sweeps(*shape)).powf(EXPONENT) / EXPONENT;
        let chosen = match copies {
            Some(copies) => (copies, cost(copies)),
            None => {
                let one = cost(1);
                let few = [1, 2, 4, 8, 16, 32].map(|copies| (copies, one));
                let few = few.into_iter().max_by(|a, b| score(a).total_cmp(&score(b))).expect("not empty");
                // Large systems have few copies however fast many are; their costs take long to estimate.
                let many = [64, 128, 512].into_iter().filter(|&copies| score(&(copies, MIN_COST)) > score(&few));
                let all = many.map(|copies| (copies, cost(copies)));
                all.fold(few, |best, shape| if score(&shape) > score(&best) { shape } else { best })
            }
        };
        let sweeps = sweeps(chosen);
        let steps = (sweeps / MIN_SWEEPS).clamp(16.0, MAX_STEPS as f64);
        let shortest = if has_target { steps * MIN_SWEEPS } else { best };
        let anneals = 2 + (sweeps / shortest).max(1.0).log2().min(20.0) as u32;
        Shape { copies: chosen.0, steps: steps as u64, anneals }
    }
}
