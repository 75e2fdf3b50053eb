//! Interleaved timing of all models under all levels.

use std::time::{Duration, Instant};

use hotloops::isa::{self, Isa};
use hotloops_gpu::Error;

use super::devices::DeviceRung;
use super::setup::{Model, Setup, sweep};
use crate::clock::{self, Samples};
use crate::ladder::Row;
use crate::levels::Level;

pub struct Measured {
    /// For each level the instruction sets on one thread, then the best one on more; then the devices.
    pub rows: Vec<Row>,
    /// Accepted divided by attempted updates, for each level.
    pub flip_rates: Vec<f64>,
    /// Gigahertz before, during (the median) and after the timing.
    pub gigahertz: [f64; 3],
}

/// A level under an instruction set, on a number of threads.
struct Job {
    level: usize,
    isa: Isa,
    form: &'static str,
    threads: usize,
    sweeps: usize,
    /// Nanoseconds per attempted update: for each model on one thread, for all models together on
    /// several threads. A short measurement is rarely disturbed.
    times: Vec<Samples>,
    flips: u64,
    attempts: usize,
    is_verified: bool,
}

impl Job {
    /// Sweeps all models, or as many as the threads share evenly, and records the times. Returns the nanoseconds of the
    /// whole turn.
    fn turn(&mut self, models: &mut [Model], spins: usize) -> f64 {
        isa::set(self.isa).expect("an instruction set of this CPU");
        let mut models = evenly(models, self.threads);
        let together = if self.threads == 1 { 1 } else { models.len() };
        let mut total = 0.0;
        self.times.resize_with(models.len() / together, Samples::default);
        for (models, times) in models.chunks_mut(together).zip(&mut self.times) {
            let (flips, nanoseconds) = sweep(models, self.sweeps, self.threads);
            let attempts = models.len() * self.sweeps * spins;
            self.flips += flips;
            self.attempts += attempts;
            times.push(nanoseconds / attempts as f64);
            total += nanoseconds;
        }
        total
    }

    fn row(&self, level: &Level) -> Row {
        let mean = |of: fn(&Samples) -> f64| self.times.iter().map(of).sum::<f64>() / self.times.len() as f64;
        Row {
            name: level.name.to_owned(),
            isa: if matches!(self.form, "C" | "Rust") { "" } else { self.isa.word() },
            origin: level.origin,
            threads: self.threads,
            value: mean(Samples::median),
            spread: mean(Samples::spread),
            printed: None,
            is_verified: self.is_verified,
        }
    }
}

/// The greatest number of models that the threads share evenly, spread over all temperatures.
fn evenly(models: &mut [Model], threads: usize) -> Vec<&mut Model> {
    let all = models.len();
    let count = all - all % threads;
    models.iter_mut().enumerate().filter(|(k, _)| k * count / all != (k + 1) * count / all).map(|(_, m)| m).collect()
}

/// Checks all levels, and makes a job of each that can run.
fn jobs(setup: &Setup, levels: &[Level], threads: &[usize], step: &mut dyn FnMut(&str)) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (index, level) in levels.iter().enumerate() {
        step(&format!("checking {}", level.name));
        let expected = setup.end_spins(&level.reference, Isa::scalar, 1);
        for (rank, &(isa, form)) in (1..).zip(&level.rows) {
            // Several threads only under the best instruction set.
            let more = threads.iter().filter(|&&count| rank == level.rows.len() && count > 1);
            for threads in [1].into_iter().chain(more.copied()) {
                let is_verified = setup.end_spins(&level.model, isa, threads.min(3)) == expected;
                let times = Vec::new();
                jobs.push(Job {
                    level: index,
                    isa,
                    form,
                    threads,
                    sweeps: 1,
                    times,
                    flips: 0,
                    attempts: 0,
                    is_verified,
                });
            }
        }
    }
    jobs
}

/// Checks all levels, then times them in turn, and programs on devices with them. `budget` includes the checks.
///
/// # Errors
/// Fails if a device does.
pub fn measure(
    setup: &Setup,
    levels: &[Level],
    devices: &mut [DeviceRung],
    threads: &[usize],
    budget: Duration,
    step: &mut dyn FnMut(&str),
) -> Result<Measured, Error> {
    let (begin, in_force) = (Instant::now(), isa::active());
    let mut models: Vec<Vec<Model>> = levels.iter().map(|level| setup.make(&level.model)).collect();
    let mut jobs = jobs(setup, levels, threads, step);

    // Every job gets an equal part of a round, and there are about 15 rounds.
    step("timing");
    let spins = setup.problem.spins();
    let budget = budget.saturating_sub(begin.elapsed()).max(budget / 4);
    let slot = budget.as_nanos() as f64 / 15.0 / (jobs.len() + devices.len()) as f64;
    for job in &mut jobs {
        let nanoseconds = job.turn(&mut models[job.level], spins);
        *job = Job { sweeps: ((slot / nanoseconds) as usize).clamp(2, 1000), times: Vec::new(), ..*job };
    }
    for device in &mut *devices {
        let nanoseconds = device.turn()?;
        device.restart(((slot / nanoseconds) as usize).clamp(1, 1000));
    }
    let timing = Instant::now();
    let before = clock::gigahertz();
    let mut during = Samples::default();
    let mut rounds = 0;
    while rounds < 3 || timing.elapsed() < budget {
        for job in &mut jobs {
            job.turn(&mut models[job.level], spins);
        }
        devices.iter_mut().try_for_each(|device| device.turn().map(drop))?;
        during.push(clock::gigahertz());
        rounds += 1;
    }
    let gigahertz = [before, during.median(), clock::gigahertz()];
    isa::set(in_force).expect("it was in force before");
    let rate = |level| {
        let jobs = || jobs.iter().filter(|job| job.level == level && job.threads == 1);
        jobs().map(|job| job.flips).sum::<u64>() as f64 / jobs().map(|job| job.attempts).sum::<usize>() as f64
    };
    let rows = jobs.iter().map(|job| job.row(&levels[job.level]));
    Ok(Measured {
        rows: rows.chain(devices.iter().map(DeviceRung::row)).collect(),
        flip_rates: (0..levels.len()).map(rate).collect(),
        gigahertz,
    })
}
