//! The models of an experiment: temperatures, starting spins, sweeps on several threads.

use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Instant;

use hotloops::isa::{self, Isa};
use hotloops::ising::Beta;

use crate::ladder::Effort;
use crate::levels::{Level, Make};
use crate::rungs::Rung;
use crate::workload::{FLIP_RATE, MODELS, Problem};

/// Models of a quick experiment.
const FEW_MODELS: usize = 16;

/// A model at its temperature.
pub struct Model {
    beta: Beta,
    rung: Box<dyn Rung>,
}

impl Model {
    pub fn sweep(&mut self, sweeps: usize) -> u64 {
        self.rung.sweep(self.beta, sweeps)
    }

    pub fn spins(&self) -> Vec<i8> {
        self.rung.spins()
    }
}

/// Temperatures and equilibrated spins, with which each level starts.
pub struct Setup {
    pub problem: Arc<Problem>,
    seed: u32,
    /// Inverse temperatures, hottest first.
    betas: Vec<Beta>,
    starts: Vec<Vec<i8>>,
    /// Sweeps of a check.
    pub check: usize,
}

impl Setup {
    /// As many models as in the paper; fewer if they are larger or time is short.
    pub fn new(problem: Arc<Problem>, seed: u32, effort: &Effort, levels: &[Level]) -> Self {
        let threads = effort.threads.iter().copied().max().unwrap_or(1);
        let fitting = (1 << 22) / problem.spins();
        let models = fitting.min(if effort.is_quick { FEW_MODELS } else { MODELS }).max(threads);
        let check = sweeps_within(if effort.is_quick { 1 << 19 } else { 1 << 21 }, &problem);
        let paper = levels.iter().find(|level| level.name == "A.2b").expect("a level of this name");
        let mut rung = (paper.model)(&problem.random_spins(seed), seed);
        let betas = temperatures(&mut *rung, &problem, models);
        let (_, starts) = anneal(&mut *rung, &betas, sweeps_within(1 << 20, &problem));
        Setup { problem, seed, betas, starts, check }
    }

    pub fn models(&self) -> usize {
        self.starts.len()
    }

    /// The hottest and the coldest temperature.
    pub fn temperatures(&self) -> [f32; 2] {
        [self.betas[0], self.betas[self.models() - 1]].map(|beta| 1.0 / beta.space)
    }

    /// All models, as one level sweeps them.
    pub fn make(&self, make: &Make) -> Vec<Model> {
        (0..self.models()).map(|k| self.model(make, k)).collect()
    }

    fn model(&self, make: &Make, k: usize) -> Model {
        Model { beta: self.betas[k], rung: make(&self.starts[k], self.seed_of(k)) }
    }

    pub fn beta(&self, k: usize) -> Beta {
        self.betas[k]
    }

    /// The spins with which a model starts.
    pub fn start(&self, k: usize) -> &[i8] {
        &self.starts[k]
    }

    /// The seed of a model's generator.
    pub fn seed_of(&self, k: usize) -> u32 {
        self.seed.wrapping_add(1000 * (1 + k as u32))
    }

    /// The models of a check: the hottest, the middle and the coldest one.
    pub fn checked(&self) -> [usize; 3] {
        [0, self.models() / 2, self.models() - 1]
    }

    /// Spins of the checked models after the sweeps of a check.
    pub fn end_spins(&self, make: &Make, isa: Isa, threads: usize) -> Vec<Vec<i8>> {
        isa::set(isa).expect("an instruction set of this CPU");
        let mut models = self.checked().map(|k| self.model(make, k));
        sweep(&mut models.each_mut(), self.check, threads);
        models.iter().map(Model::spins).collect()
    }
}

/// Inverse temperatures, hottest first: a geometric ladder over a factor of 10, shifted until the mean flip rate equals
/// the paper's.
fn temperatures(rung: &mut dyn Rung, problem: &Problem, models: usize) -> Vec<Beta> {
    let ladder = |coldest: f32, models: usize| -> Vec<Beta> {
        let step = |k: usize| ((k as f32 + 0.5) / models as f32 - 1.0) * 10f32.ln();
        (0..models).map(|k| coldest * step(k).exp()).map(|beta| Beta { space: beta, tau: beta }).collect()
    };
    let sweeps = sweeps_within(1 << 19, problem);
    // Bisect the base-2 logarithm of the coldest one.
    let (mut hot, mut cold) = (-30f32, 20f32);
    for _ in 0..14 {
        let middle = (hot + cold) / 2.0;
        let (flips, _) = anneal(rung, &ladder(middle.exp2(), models.min(2 * FEW_MODELS)), sweeps);
        match flips / problem.spins() as f64 > FLIP_RATE {
            true => hot = middle,
            false => cold = middle,
        }
    }
    ladder(((hot + cold) / 2.0).exp2(), models)
}

/// Sweeps one model through all temperatures, half of the sweeps at each to relax. Returns the flips of a sweep of the
/// other half, a mean, and the spins at the end of each temperature.
fn anneal(rung: &mut dyn Rung, betas: &[Beta], sweeps: usize) -> (f64, Vec<Vec<i8>>) {
    let half = sweeps.div_ceil(2);
    let mut flips = 0;
    let at = |&beta: &Beta| {
        rung.sweep(beta, half);
        flips += rung.sweep(beta, half);
        rung.spins()
    };
    let spins = betas.iter().map(at).collect();
    (flips as f64 / (half * betas.len()) as f64, spins)
}

/// Number of sweeps, 4 to 60, for about `updates` spin updates per model.
fn sweeps_within(updates: usize, problem: &Problem) -> usize {
    (updates / problem.spins()).clamp(4, 60)
}

/// Sweeps the models, on several threads one at a time each. Returns the number of flips and the nanoseconds, the start
/// of the threads left out.
pub fn sweep(models: &mut [&mut Model], sweeps: usize, threads: usize) -> (u64, f64) {
    if threads == 1 {
        let begin = Instant::now();
        let flips = models.iter_mut().map(|model| model.sweep(sweeps)).sum();
        return (flips, begin.elapsed().as_nanos() as f64);
    }
    let queue = Mutex::new(models.iter_mut());
    let start = Barrier::new(threads);
    let work = || {
        start.wait();
        let (begin, mut flips) = (Instant::now(), 0);
        loop {
            let next = queue.lock().expect("no thread panicked").next();
            let Some(model) = next else { break };
            flips += model.sweep(sweeps);
        }
        (flips, begin, Instant::now())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let done: Vec<_> = threads.into_iter().map(|thread| thread.join().expect("sweeps end")).collect();
        let begin = done.iter().map(|&(_, begin, _)| begin).min().expect("a thread");
        let end = done.iter().map(|&(.., end)| end).max().expect("a thread");
        (done.iter().map(|&(flips, ..)| flips).sum(), (end - begin).as_nanos() as f64)
    })
}
