//! Advances the samplers of all ranks, step by step, as rank 0 says.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::checkpoint;
use super::problem::Problem;
use super::sampler::Sampler;
use super::timed::Pace;
use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::interrupt;
use crate::job::progress;
use crate::output::NewFile;

/// Steps are done together until they take this time.
const BATCH: Duration = Duration::from_millis(100);

/// An order of rank 0 to the other ranks.
#[derive(Serialize, Deserialize)]
enum Order {
    /// At most this number of steps.
    Advance(u64),
    Meet,
    Collect,
    End,
}

/// Advances this rank's models as rank 0 says.
pub fn follow(cluster: &Cluster, sampler: &mut Sampler) -> Result<(), Failure> {
    loop {
        match postcard::from_bytes(&cluster.broadcast(Vec::new())).expect("rank 0 sends an order") {
            Order::Advance(steps) => sampler.advance(steps)?,
            Order::Meet => sampler.meet(),
            Order::Collect => sampler.collect(),
            Order::End => return Ok(()),
        }
    }
}

/// Runs to the end, to the target, or until the time is over. With a checkpoint, a signal ends the
/// run after the current step. The time is counted from `begin`.
pub fn sample(
    cluster: &Cluster,
    sampler: &mut Sampler,
    problem: &Problem,
    target: Option<f64>,
    checkpoint: Option<NewFile>,
    seconds: Duration,
    begin: Instant,
) -> Result<(), Failure> {
    let order = |order: Order| cluster.broadcast(postcard::to_stdvec(&order).expect("plain data"));
    let Problem { model, objective, .. } = problem;
    let plan = sampler.plan;
    let mut pace = plan.anneals.zip(plan.time).map(|(anneals, time)| Pace::new(begin, time, anneals));
    let bar = progress::bar(plan.time.map_or(plan.steps(), |time| time.as_millis() as u64));
    let energy = target.map(|value| objective.energy_of(value));
    let has_reached = |sampler: &Sampler| energy.is_some_and(|energy| sampler.reaches(energy));
    let mut written = Instant::now();
    let mut steps = 1;
    while !sampler.is_done() && !has_reached(sampler) {
        let start = Instant::now();
        match &mut pace {
            None => {
                order(Order::Advance(steps));
                sampler.advance(steps)?;
                if energy.is_some() {
                    order(Order::Meet);
                    sampler.meet();
                }
            }
            Some(pace) => {
                let sweeps = pace.sweeps(plan.steps() - sampler.step);
                sampler.advance_by(sweeps)?;
                pace.note(sweeps, start.elapsed());
            }
        }
        // A target and a time are checked after every measurement.
        if energy.is_none() && plan.time.is_none() && start.elapsed() < BATCH {
            steps = steps.saturating_mul(2);
        }
        bar.set_position(plan.time.map_or(sampler.step, |_| begin.elapsed().as_millis() as u64));
        let (scale, offset) = objective.of_energy();
        bar.set_message(format!("{}: best {:.10}", plan.method, scale * sampler.best().energy + offset));
        let is_over = plan.time.is_some_and(|time| begin.elapsed() >= time);
        let is_stopped = interrupt::is_requested();
        if let Some(file) = &checkpoint {
            let ends = sampler.is_done() || has_reached(sampler);
            if written.elapsed() >= seconds || is_stopped || ends {
                order(Order::Collect);
                sampler.collect();
                file.write(&checkpoint::save(sampler, model))?;
                written = Instant::now();
            }
            if is_stopped && !ends {
                bar.finish_and_clear();
                let sweep = plan.sweeps_after(sampler.step);
                let path = file.target().display();
                return Err(Failure::Interrupted(format!(
                    "interrupted after sweep {sweep}; the same command continues from {path}"
                )));
            }
        }
        if is_over {
            break;
        }
        let repeats = plan.time.is_some() && pace.as_ref().is_none_or(|pace| !pace.is_last());
        if repeats && sampler.is_done() && !has_reached(sampler) {
            sampler.restart()?;
            pace.iter_mut().for_each(Pace::restart);
        }
    }
    order(Order::Collect);
    sampler.collect();
    order(Order::End);
    bar.finish_and_clear();
    Ok(())
}
