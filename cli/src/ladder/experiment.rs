//! The runs: temperatures, checks, interleaved timing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hotloops::isa::{self, Isa};
use hotloops::ising::Beta;
use hotloops_bench_support::clock::{self, Samples};
use hotloops_bench_support::levels::{self, Level};
use hotloops_bench_support::rungs::Rung;
use hotloops_bench_support::workload::{FLIP_RATE, Problem};
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::failure::Failure;
use crate::job::{progress, threads};

pub struct LadderPlan {
    pub problem: Arc<Problem>,
    pub models: usize,
    pub threads: usize,
    pub seed: u32,
    /// Total time, checks included.
    pub total: Duration,
}

/// The figures of one level under one instruction set.
pub struct Row {
    pub level: &'static str,
    pub isa: &'static str,
    pub form: &'static str,
    pub threads: usize,
    /// Median of the nanoseconds per attempted update, all threads together.
    pub time: f64,
    /// Interquartile range divided by the median.
    pub spread: f64,
    /// Accepted divided by attempted updates.
    pub flip_rate: f64,
    pub verified: bool,
}

/// Spread above which a time means nothing: other load on the machine decided it.
const MAX_SPREAD: f64 = 0.3;

impl Row {
    pub fn is_void(&self) -> bool {
        self.spread.is_nan() || self.spread > MAX_SPREAD
    }

    /// The time unless it is void.
    pub fn valid_time(&self) -> Option<f64> {
        (!self.is_void()).then_some(self.time)
    }
}

pub struct Outcome {
    pub rows: Vec<Row>,
    /// Gigahertz before, during (the median) and after the timing.
    pub clock: [f64; 3],
    pub models: usize,
    pub threads: usize,
    /// Hottest and coldest.
    pub temperatures: [f32; 2],
}

impl Outcome {
    /// The names of the levels, in order.
    pub fn levels(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.rows.iter().map(|row| row.level).collect();
        names.dedup();
        names
    }

    /// Speed-up over `level` on one thread; `None` if one of the times is void.
    pub fn speed_up(&self, row: &Row, level: &str) -> Option<f64> {
        Some(self.best(level, 1)?.valid_time()? / row.valid_time()?)
    }

    /// The row of a level under the best instruction set.
    pub fn best(&self, level: &str, threads: usize) -> Option<&Row> {
        self.rows.iter().rfind(|row| row.level == level && row.threads == threads)
    }
}

/// A model at its temperature.
struct Model {
    beta: Beta,
    rung: Box<dyn Rung>,
}

impl Model {
    fn sweep(&mut self, sweeps: usize) -> u64 {
        self.rung.sweep(self.beta, sweeps)
    }
}

/// A level and an instruction set, on one thread or on all.
struct Job {
    level: usize,
    isa: Isa,
    form: &'static str,
    threads: usize,
    sweeps: usize,
    /// Nanoseconds per attempted update: for each model on one thread, for all models together on
    /// all threads. A short measurement is rarely disturbed.
    times: Vec<Samples>,
    flips: u64,
    attempts: usize,
    verified: bool,
}

impl Job {
    /// Sweeps all models and records the times. Returns the nanoseconds of the whole turn.
    fn turn(&mut self, models: &mut [Model], spins: usize, pool: &ThreadPool) -> f64 {
        isa::set(self.isa).expect("an instruction set of this CPU");
        let together = if self.threads == 1 { 1 } else { models.len() };
        let pool = (self.threads > 1).then_some(pool);
        let mut total = 0.0;
        self.times.resize_with(models.len() / together, Samples::default);
        for (models, times) in models.chunks_mut(together).zip(&mut self.times) {
            let begin = Instant::now();
            self.flips += sweep(models, self.sweeps, pool);
            let nanoseconds = begin.elapsed().as_nanos() as f64;
            let attempts = models.len() * self.sweeps * spins;
            self.attempts += attempts;
            times.push(nanoseconds / attempts as f64);
            total += nanoseconds;
        }
        total
    }

    fn row(&self, level: &'static str) -> Row {
        let mean = |of: fn(&Samples) -> f64| self.times.iter().map(of).sum::<f64>() / self.times.len() as f64;
        Row {
            level,
            isa: self.isa.word(),
            form: self.form,
            threads: self.threads,
            time: mean(Samples::median),
            spread: mean(Samples::spread),
            flip_rate: self.flips as f64 / self.attempts as f64,
            verified: self.verified,
        }
    }
}

pub fn run(plan: &LadderPlan) -> Result<Outcome, Failure> {
    let begin = Instant::now();
    let pool = threads::pool(plan.threads.try_into().ok())?;
    let in_force = isa::active();
    let levels = levels::levels(&plan.problem);
    // In milliseconds.
    let bar = progress::bar(plan.total.as_millis() as u64);
    bar.set_message("temperatures");
    let betas = temperatures(plan, &levels);
    let starts = equilibrate(plan, &levels, &betas);

    let mut models: Vec<Vec<Model>> = levels.iter().map(|level| set_up(plan, &level.model, &betas, &starts)).collect();
    let mut jobs = Vec::new();
    for (index, level) in levels.iter().enumerate() {
        bar.set_message(format!("checking {}", level.name));
        bar.set_position(begin.elapsed().as_millis() as u64);
        let expected = end_spins(plan, &level.reference, &betas, &starts, Isa::scalar, None);
        for (rank, &(isa, form)) in (1..).zip(&level.rows) {
            // All cores only under the best instruction set.
            let all = (rank == level.rows.len() && plan.threads > 1).then_some(plan.threads);
            for threads in [1].into_iter().chain(all) {
                let pool = (threads > 1).then_some(&pool);
                let verified = end_spins(plan, &level.model, &betas, &starts, isa, pool) == expected;
                let times = Vec::new();
                jobs.push(Job { level: index, isa, form, threads, sweeps: 1, times, flips: 0, attempts: 0, verified });
            }
        }
    }

    // Every job gets an equal part of a round, and there are about 15 rounds.
    let spins = plan.problem.spins();
    let budget = plan.total.saturating_sub(begin.elapsed()).max(plan.total / 4);
    let slot = budget.as_nanos() as f64 / 15.0 / jobs.len() as f64;
    for job in &mut jobs {
        let nanoseconds = job.turn(&mut models[job.level], spins, &pool);
        *job = Job { sweeps: ((slot / nanoseconds) as usize).clamp(2, 1000), times: Vec::new(), ..*job };
    }
    bar.set_message("timing");
    let timing = Instant::now();
    let before = clock::gigahertz();
    let mut during = Samples::default();
    let mut rounds = 0;
    while rounds < 3 || timing.elapsed() < budget {
        for job in &mut jobs {
            job.turn(&mut models[job.level], spins, &pool);
            bar.set_position(begin.elapsed().as_millis() as u64);
        }
        during.push(clock::gigahertz());
        rounds += 1;
    }
    let clock = [before, during.median(), clock::gigahertz()];
    bar.finish_and_clear();
    isa::set(in_force)?;
    Ok(Outcome {
        rows: jobs.iter().map(|job| job.row(levels[job.level].name)).collect(),
        clock,
        models: plan.models,
        threads: plan.threads,
        temperatures: [betas[0], betas[plan.models - 1]].map(|beta| 1.0 / beta.space),
    })
}

fn seed(plan: &LadderPlan, model: usize) -> u32 {
    plan.seed.wrapping_add(1000 * (1 + model as u32))
}

fn set_up(plan: &LadderPlan, make: &levels::Make, betas: &[Beta], starts: &[Vec<i8>]) -> Vec<Model> {
    let models = betas.iter().zip(starts).enumerate();
    models.map(|(index, (&beta, spins))| Model { beta, rung: make(spins, seed(plan, index)) }).collect()
}

/// Inverse temperatures, hottest first: a geometric ladder over a factor of 10, shifted until the
/// mean flip rate equals the paper's.
fn temperatures(plan: &LadderPlan, levels: &[Level]) -> Vec<Beta> {
    let ladder = |coldest: f32, models: usize| -> Vec<Beta> {
        let step = |k: usize| ((k as f32 + 0.5) / models as f32 - 1.0) * 10f32.ln();
        (0..models).map(|k| coldest * step(k).exp()).map(|beta| Beta { space: beta, tau: beta }).collect()
    };
    let few = plan.models.min(12);
    let spins: Vec<_> = (0..few).map(|model| plan.problem.random_spins(seed(plan, model))).collect();
    let mut models = set_up(plan, &gather(levels).model, &ladder(1.0, few), &spins);
    let sweeps = sweeps_within(1 << 19, plan);
    let mut rate = |coldest: f32| {
        models.iter_mut().zip(ladder(coldest, few)).for_each(|(model, beta)| model.beta = beta);
        sweep(&mut models, sweeps, None);
        sweep(&mut models, sweeps, None) as f64 / (few * sweeps * plan.problem.spins()) as f64
    };
    // Bisect the base-2 logarithm of the coldest one.
    let (mut hot, mut cold) = (-30f32, 20f32);
    for _ in 0..12 {
        let middle = (hot + cold) / 2.0;
        match rate(middle.exp2()) > FLIP_RATE {
            true => hot = middle,
            false => cold = middle,
        }
    }
    ladder(((hot + cold) / 2.0).exp2(), plan.models)
}

/// Spins of every model after some sweeps at its temperature.
fn equilibrate(plan: &LadderPlan, levels: &[Level], betas: &[Beta]) -> Vec<Vec<i8>> {
    let random: Vec<_> = (0..plan.models).map(|model| plan.problem.random_spins(seed(plan, model))).collect();
    let mut models = set_up(plan, &gather(levels).model, betas, &random);
    let sweeps = sweeps_within(1 << 21, plan);
    models.par_iter_mut().for_each(|model| _ = model.sweep(sweeps));
    models.iter().map(|model| model.rung.spins()).collect()
}

/// The library's level; all others sample the same distribution.
fn gather(levels: &[Level]) -> &Level {
    levels.iter().find(|level| level.name == "gather").expect("a level of this name")
}

/// Number of sweeps, 4 to 60, for about `updates` spin updates per model.
fn sweeps_within(updates: usize, plan: &LadderPlan) -> usize {
    (updates / plan.problem.spins()).clamp(4, 60)
}

/// Spins of the hottest, the middle and the coldest model after some sweeps.
fn end_spins(
    plan: &LadderPlan,
    make: &levels::Make,
    betas: &[Beta],
    starts: &[Vec<i8>],
    isa: Isa,
    pool: Option<&ThreadPool>,
) -> Vec<Vec<i8>> {
    isa::set(isa).expect("an instruction set of this CPU");
    let model = |index: usize| Model { beta: betas[index], rung: make(&starts[index], seed(plan, index)) };
    let mut models: Vec<Model> = [0, plan.models / 2, plan.models - 1].map(model).into();
    let sweeps = sweeps_within(1 << 21, plan);
    sweep(&mut models, sweeps, pool);
    models.iter().map(|model| model.rung.spins()).collect()
}

/// Sweeps all models and returns the number of flips.
fn sweep(models: &mut [Model], sweeps: usize, pool: Option<&ThreadPool>) -> u64 {
    match pool {
        None => models.iter_mut().map(|model| model.sweep(sweeps)).sum(),
        Some(pool) => pool.install(|| models.par_iter_mut().map(|model| model.sweep(sweeps)).sum()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(level: &'static str, time: f64, spread: f64) -> Row {
        let (isa, form, threads, flip_rate, verified) = ("scalar", "", 1, 0.3, true);
        Row { level, isa, form, threads, time, spread, flip_rate, verified }
    }

    #[test]
    fn a_spread_that_is_too_large_makes_ratios_void() {
        let rows = vec![row("A.1", 30.0, 0.01), row("A.2", 10.0, 0.02), row("A.4", 0.1, 2.0)];
        let outcome = Outcome { rows, clock: [1.0; 3], models: 1, threads: 1, temperatures: [1.0; 2] };
        let speed_up = |row: usize, level| outcome.speed_up(&outcome.rows[row], level);
        assert_eq!((speed_up(1, "A.1"), speed_up(0, "A.1")), (Some(3.0), Some(1.0)));
        assert_eq!((speed_up(2, "A.1"), speed_up(0, "A.4")), (None, None));
        assert!(row("A.1", 1.0, f64::NAN).is_void());
    }
}
