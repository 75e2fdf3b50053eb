//! The automatic ladder: a pilot run moves the rungs until all pairs swap equally often.
//!
//! For energies with normal distributions, a pair swaps with probability `erfc(z)`, where `z` is
//! proportional to the distance of its temperatures and adds up along the ladder. Each round of the
//! pilot run estimates `z` of every pair from the mean probability of its swaps, and moves the rungs
//! to equal distances in `z`, the values between two rungs being interpolated geometrically.
//!
//! The pilot run does at most a tenth of the work of the run, but at least [`MIN_STEPS`] steps a round.

use std::f64::consts::{FRAC_2_PI, FRAC_2_SQRT_PI};

use super::plan::RunPlan;
use super::sampler::Sampler;
use crate::cluster::Cluster;
use crate::coo::Couplings;
use crate::failure::Failure;

const ROUNDS: u64 = 4;
/// Minimum number of steps of a round: with fewer, cold rungs are far from equilibrium, and the swap rates of the
/// result differ by more than a tenth.
const MIN_STEPS: u64 = 27;
/// Measured systems for each pair in a round above which more steps are of no use.
const MAX_SYSTEMS: u64 = 2048;

/// Energies of systems that ranks send rank 0 at once.
const MAX_ENERGIES: u64 = 1 << 20;

/// Work in units of a sweep: the swaps and the measurement of a step take about as long as two sweeps.
fn work(sweeps: u64, steps: u64) -> u64 {
    sweeps.saturating_add(steps.saturating_mul(2))
}

/// Steps of a round, half of which are counted, before a run of the given sweeps and steps.
fn steps(sweeps: u64, steps: u64, systems: u64) -> u64 {
    let fitting = work(sweeps, steps) / 10 / (ROUNDS * work(RunPlan::PILOT_EVERY, 1));
    let useful = (2 * MAX_SYSTEMS).div_ceil(systems);
    fitting.min(useful).max(MIN_STEPS)
}

/// Replaces the ladder of a plan if it is to be automatic. The result depends on the plan and the
/// problem only, and is the same on all ranks.
pub fn adapt(cluster: &Cluster, plan: &mut RunPlan, problem: &Couplings) -> Result<(), Failure> {
    let Some(mut ladder) = plan.automatic_ladder() else { return Ok(()) };
    let steps = steps(plan.sweeps, plan.steps(), plan.systems() as u64);
    let mut spins = Vec::new();
    for _ in 0..ROUNDS {
        plan.set_ladder(ladder.clone());
        let pilot = plan.pilot(steps);
        let mut sampler = Sampler::new(cluster, &pilot, problem)?;
        sampler.set_spins(&spins)?;
        let mut sums = vec![0.0; ladder.len() - 1];
        sampler.advance(steps / 2)?;
        let batch = MAX_ENERGIES / (plan.models * plan.systems()) as u64;
        while !sampler.is_done() {
            sampler.advance_visited(batch.max(1), &mut |rates| {
                sums.iter_mut().zip(rates).for_each(|(sum, rate)| *sum += rate);
            })?;
        }
        sums = cluster.broadcast_value(sums);
        let systems = plan.systems() as f64;
        let count = (steps - steps / 2) as f64 * systems;
        // Neither 0 nor 1, so that the distance is positive and finite.
        let rates: Vec<f64> = sums.iter().map(|sum| (sum * systems + 0.5) / (count + 1.0)).collect();
        ladder = equalised(&ladder, &rates);
        spins = sampler.own_spins();
    }
    plan.set_ladder(rounded(ladder));
    Ok(())
}

/// Approximately the `z` of which `rate` is `erfc(z)`, from
/// `ln erfc(z) = -2 z / sqrt(pi) - 2 z^2 / pi + ..`
fn distance(rate: f64) -> f64 {
    let [linear, square] = [FRAC_2_SQRT_PI, FRAC_2_PI];
    (-linear + (linear * linear - 4.0 * square * rate.ln()).sqrt()) / (2.0 * square)
}

/// The ladder with equal distances between its rungs. The ends stay.
fn equalised(ladder: &[f64], rates: &[f64]) -> Vec<f64> {
    let distances: Vec<f64> = rates.iter().map(|&rate| distance(rate)).collect();
    let step = distances.iter().sum::<f64>() / distances.len() as f64;
    let mut result = ladder.to_vec();
    let (mut pair, mut passed) = (0, 0.0);
    for (rung, value) in result.iter_mut().enumerate().skip(1).take(ladder.len() - 2) {
        let place = rung as f64 * step;
        while pair + 1 < distances.len() && passed + distances[pair] < place {
            passed += distances[pair];
            pair += 1;
        }
        let part = ((place - passed) / distances[pair]).min(1.0);
        *value = ladder[pair] * (ladder[pair + 1] / ladder[pair]).powf(part);
    }
    result
}

/// Rounds to five digits all but the ends, which stay, unless rungs would become equal.
fn rounded(ladder: Vec<f64>) -> Vec<f64> {
    let mut short = ladder.clone();
    let last = ladder.len() - 1;
    for value in &mut short[1..last] {
        *value = format!("{value:.4e}").parse().expect("a number");
    }
    let is_strict = short.is_sorted_by(|a, b| a < b) || short.is_sorted_by(|a, b| a > b);
    if is_strict { short } else { ladder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pilot_does_at_most_a_tenth_of_the_work() {
        for (sweeps, every) in [(1000, 10), (1000, 1), (20_000, 10), (1 << 40, 1 << 30)] {
            for systems in [1, 128, 65_536] {
                let (steps, run) = (steps(sweeps, sweeps / every, systems), work(sweeps, sweeps / every));
                let part = ROUNDS * work(steps * RunPlan::PILOT_EVERY, steps);
                assert!((10 * part <= run || steps == MIN_STEPS) && steps >= MIN_STEPS, "{sweeps}, {systems}: {steps}");
                assert!(steps == MIN_STEPS || 10 * part > run * 8 / 10 || steps * systems >= MAX_SYSTEMS);
            }
        }
        assert_eq!((steps(1000, 100, 128), steps(1, 1, 1), steps(1 << 40, 1, 128)), (27, 27, 32));
    }

    #[test]
    fn rungs_move_to_equal_distances() {
        assert!([0.9, 0.5, 0.2, 0.05].windows(2).all(|rates| distance(rates[0]) < distance(rates[1])));
        // erfc(0.3) and erfc(1).
        assert!((distance(0.671_373) - 0.3).abs() < 0.01 && (distance(0.157_299) - 1.0).abs() < 0.1);
        assert_eq!(equalised(&[1.0, 2.0], &[0.3]), [1.0, 2.0]);
        let equal = equalised(&[1.0, 2.0, 4.0], &[0.3, 0.3]);
        assert!((equal[1] - 2.0).abs() < 1e-12);
        let [near, far] = [0.9, 0.2].map(distance);
        let found = equalised(&[1.0, 2.0, 4.0], &[0.9, 0.2]);
        let part = ((near + far) / 2.0 - near) / far;
        assert!((found[1] - 2.0 * 2f64.powf(part)).abs() < 1e-12 && found[0] == 1.0 && found[2] == 4.0);
        let down = equalised(&[4.0, 2.0, 1.0], &[0.2, 0.9]);
        assert!((down[1] - found[1]).abs() < 1e-12);
    }

    #[test]
    fn rounding_keeps_rungs_apart() {
        assert_eq!(rounded(vec![0.123_456_78, 1.234_567_8, 2.0]), [0.123_456_78, 1.2346, 2.0]);
        let close = vec![1.0, 1.000_001, 1.000_002, 2.0];
        assert_eq!(rounded(close.clone()), close);
    }
}
