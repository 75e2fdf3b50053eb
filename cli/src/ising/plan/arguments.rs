//! The plan that the arguments describe: checked, and completed by the defaults.

use std::time::Duration;

use super::no_effect::check_use;
use super::ramp::Ramp;
use super::shape::Shape;
use super::system::{clusters, kind_of, read_out, system};
use super::temperatures::ramps;
use super::{RunPlan, System};
use crate::coo::Couplings;
use crate::failure::Failure;
use crate::ising::arguments::Arguments;
use crate::ising::choices::Method;

/// Maximum number of spins in all models together.
const MAX_SPINS: usize = 1 << 30;

/// Maximum number of records of a series: measurements times models.
const MAX_RECORDS: u64 = 1 << 20;

impl RunPlan {
    pub fn new(a: &Arguments, problem: &Couplings) -> Result<Self, Failure> {
        let exchanges = a.method == Method::Exchange;
        check_use(a)?;
        let (sweeps, every) = (a.sweeps.unwrap_or(1000), a.every.unwrap_or(10));
        let steps = sweeps.div_ceil(every);
        let fills_time = a.time.is_some() && a.sweeps.is_none();
        let runs = if fills_time { rayon::current_num_threads() } else { 8 };
        let copies = if exchanges && a.is_quantum() { a.copies.unwrap_or(1) as usize } else { 1 };
        let rungs = match (exchanges, &a.ladder) {
            (true, Some(ladder)) => ladder.len(),
            (true, None) => a.replicas.unwrap_or(16) as usize,
            (false, _) => a.runs.map_or(runs, |runs| runs as usize),
        };
        let models = rungs * copies;
        if steps.saturating_mul(models as u64) > MAX_RECORDS {
            let text = format!("{steps} measurements of {models} models are more than {MAX_RECORDS}; increase --every");
            return Err(Failure::Usage(format!("--every {every}: {text}")));
        }
        let count = if exchanges { rungs } else { steps as usize };
        let (beta, gamma) = ramps(a, problem, count, fills_time)?;

        let points = (0..count).map(|index| beta.value(index) * gamma.value(index));
        let system = system(a, points.fold(0.0, f64::max))?;
        let mut plan = RunPlan {
            method: a.method,
            system,
            models,
            copies,
            sweeps,
            every,
            warm_up: if exchanges { a.warm_up.unwrap_or(sweeps / 5) } else { 0 },
            observes: a.observes(),
            correlates: a.correlation.is_some(),
            clusters: clusters(a, system)?,
            time: a.time,
            anneals: None,
            seed: a.seed,
            acceptance: a.acceptance.into(),
            kind: kind_of(a.kind),
            read_out: read_out(a, system)?,
            beta,
            gamma,
        };
        if plan.warm_up >= plan.sweeps {
            return Err(Failure::Usage(format!(
                "--warm-up {}: must be less than --sweeps {}; reduce it, or increase --sweeps",
                plan.warm_up, plan.sweeps
            )));
        }
        if let (true, Some(time)) = (fills_time, a.time) {
            plan.fill(problem, time, a.copies.map(|copies| copies as usize), a.target.is_some());
        }
        let (layers, sites) = (plan.kept(), problem.fields.len());
        if models.saturating_mul(layers).saturating_mul(sites) > MAX_SPINS {
            let option = match plan.system {
                System::Copies(_) => "--copies",
                _ if copies > 1 => "--copies",
                System::Slices(_) => "--slices",
                System::Lines(_) if exchanges => "--replicas",
                System::Lines(_) => "--runs",
            };
            let number = match plan.system {
                _ if copies > 1 => copies,
                System::Lines(_) => models,
                _ => layers,
            };
            let text = format!(
                "{models} models of {layers} layers of {sites} spins are more than {MAX_SPINS} spins; reduce {option}"
            );
            return Err(Failure::Usage(format!("{option} {number}: {text}")));
        }
        Ok(plan)
    }

    /// Makes anneals fill a time.
    fn fill(&mut self, problem: &Couplings, time: Duration, copies: Option<usize>, has_target: bool) {
        let copies = if self.is_quantum() { Some(self.kept()) } else { copies };
        let shape = Shape::new(self, problem, time, copies, has_target);
        *self =
            RunPlan { sweeps: shape.steps, every: 1, anneals: Some(shape.anneals), ..self.with_copies(shape.copies) };
        for ramp in [&mut self.beta, &mut self.gamma] {
            if let Ramp::Between { count, .. } = ramp {
                *count = shape.steps as usize;
            }
        }
    }
}
