//! The plan of a run, and the library's model for it.

mod arguments;
mod no_effect;
mod ramp;
mod schedule;
mod shape;
mod system;
mod temperatures;

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use hotloops::Error;
use hotloops::ising::{Acceptance, Beta, Builder, Kind, LayeredIsing};
use hotloops::random::Mt19937;

use super::choices::{Method, Spacing, kind_name};
use super::statistics::MIN_COPIES;
use crate::coo::Couplings;
use crate::failure::Failure;
use ramp::Ramp;
pub use temperatures::unit;

/// The factor of the inverse temperature in the last step of an anneal that fills a time.
const DESCENT: f64 = 100.0;

/// Time of a cluster sweep in units of that of a sweep.
const CLUSTER_COST: f64 = 3.0;

/// The inverse temperature and the transverse field, which is 0 for classical systems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub beta: f64,
    pub gamma: f64,
}

/// The meaning of a model's layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum System {
    /// Each layer is an independent system.
    Copies(usize),
    /// The Trotter slices of one system.
    Slices(usize),
    /// The same number of slices as worldlines, for which there are no layers in memory.
    Lines(usize),
}

/// Everything that determines the result, except the problem.
#[derive(Clone, Debug)]
pub struct RunPlan {
    pub method: Method,
    pub system: System,
    /// Number of runs, or of rungs of the ladder times copies of each.
    pub models: usize,
    /// Models of the only rung of a quantum exchange; else 1.
    pub copies: usize,
    pub sweeps: u64,
    pub every: u64,
    /// Initial sweeps that the means of an exchange exclude.
    pub warm_up: u64,
    /// Whether an exchange measures overlaps and moments.
    pub observes: bool,
    /// Whether it measures the correlation in imaginary time, too.
    pub correlates: bool,
    /// Cluster sweeps after each sweep of worldlines.
    pub clusters: u64,
    /// Anneals are repeated for this time.
    pub time: Option<Duration>,
    /// The number of anneals that fill the time, unless the number of sweeps is given.
    pub anneals: Option<u32>,
    pub seed: u32,
    pub acceptance: Acceptance,
    /// The kind of layers.
    pub kind: Kind,
    /// The slices of worldlines that are samples.
    pub read_out: Vec<usize>,
    beta: Ramp,
    gamma: Ramp,
}

impl RunPlan {
    /// The plan with another number of copies, if it has copies.
    pub fn with_copies(&self, copies: usize) -> RunPlan {
        let system = match self.system {
            System::Copies(_) => System::Copies(copies),
            quantum => quantum,
        };
        RunPlan { system, ..self.clone() }
    }

    /// The values of a ladder that a pilot run is to adapt, and `None` if there is none.
    pub fn automatic_ladder(&mut self) -> Option<Vec<f64>> {
        let is_automatic = |ramp: &&mut Ramp| matches!(ramp, Ramp::Between { spacing: Spacing::Auto, .. });
        let ramp = [&mut self.beta, &mut self.gamma].into_iter().find(is_automatic)?;
        let values: Vec<f64> = (0..self.models).map(|rung| ramp.value(rung)).collect();
        *ramp = Ramp::Adapted(values.clone());
        Some(values)
    }

    /// Replaces an automatic ladder.
    pub fn set_ladder(&mut self, values: Vec<f64>) {
        let is_adapted = |ramp: &&mut Ramp| matches!(ramp, Ramp::Adapted(_));
        if let Some(ramp) = [&mut self.beta, &mut self.gamma].into_iter().find(is_adapted) {
            *ramp = Ramp::Adapted(values);
        }
    }

    /// Sweeps between the measurements of a pilot run.
    pub const PILOT_EVERY: u64 = 2;

    /// A plan of `steps` steps that measures as little as possible.
    pub fn pilot(&self, steps: u64) -> RunPlan {
        let every = Self::PILOT_EVERY;
        RunPlan {
            sweeps: steps * every,
            every,
            warm_up: steps * every,
            observes: false,
            correlates: false,
            ..self.clone()
        }
    }

    /// Number of layers of a model.
    pub fn layers(&self) -> usize {
        match self.system {
            System::Copies(layers) | System::Slices(layers) | System::Lines(layers) => layers,
        }
    }

    /// Number of configurations of a model in memory: one of worldlines, and their kinks.
    pub fn kept(&self) -> usize {
        if self.has_lines() { 1 } else { self.layers() }
    }

    /// Number of configurations of a model that are samples.
    pub fn sampled(&self) -> usize {
        if self.has_lines() { self.read_out.len() } else { self.layers() }
    }

    /// Number of systems in a model.
    pub fn systems(&self) -> usize {
        match self.system {
            System::Copies(copies) => copies,
            System::Slices(_) | System::Lines(_) => 1,
        }
    }

    pub fn is_quantum(&self) -> bool {
        !matches!(self.system, System::Copies(_))
    }

    pub fn has_lines(&self) -> bool {
        matches!(self.system, System::Lines(_))
    }

    /// Number of temperatures and fields.
    fn points(&self) -> usize {
        match self.method {
            Method::Exchange => self.rungs(),
            Method::Anneal => self.steps() as usize,
        }
    }

    /// Number of rungs of an exchange.
    pub fn rungs(&self) -> usize {
        self.models / self.copies
    }

    /// The models of a rung.
    pub fn members(&self, rung: usize) -> Range<usize> {
        rung * self.copies..(rung + 1) * self.copies
    }

    /// Estimated nanoseconds to redraw a worldline, as measured on rings, lattices and Chimera graphs.
    pub fn line_cost(&self, problem: &Couplings) -> f64 {
        let breaks = (0..self.points()).map(|index| self.beta.value(index) * self.gamma.value(index));
        let degree = 2.0 * problem.couplings.len() as f64 / problem.fields.len() as f64;
        let sweep = 15.0 + 2.0 * breaks.fold(0.0, f64::max) * (1.0 + 0.35 * degree);
        sweep * (1.0 + CLUSTER_COST * self.clusters as f64)
    }

    /// Number of steps. A step consists of the sweeps up to a measurement.
    pub fn steps(&self) -> u64 {
        self.sweeps.div_ceil(self.every)
    }

    /// Number of sweeps after `steps` steps.
    pub fn sweeps_after(&self, steps: u64) -> u64 {
        self.sweeps.min(steps * self.every)
    }

    /// Whether the measurement of a step is part of an exchange's means.
    pub fn counts(&self, step: u64) -> bool {
        self.method == Method::Exchange && step >= self.first_counted()
    }

    /// The first step whose measurement is not part of the warm-up.
    pub fn first_counted(&self) -> u64 {
        self.warm_up / self.every
    }

    /// Whether an exchange has enough copies to compute errors from their spread.
    pub fn has_many_copies(&self) -> bool {
        self.method == Method::Exchange && self.systems() >= MIN_COPIES
    }

    /// Temperature and field of a model during a step.
    pub fn point(&self, model: usize, step: u64) -> Point {
        let index = match self.method {
            Method::Anneal => step as usize,
            Method::Exchange => model / self.copies,
        };
        let ends = self.anneals.is_some() && !self.is_quantum() && step + 1 == self.steps();
        let descent = if ends { DESCENT } else { 1.0 };
        Point { beta: descent * self.beta.value(index), gamma: self.gamma.value(index) }
    }

    /// The largest inverse temperature, of a slice, without the descent at the end.
    pub fn coldest(&self) -> f64 {
        let beta = |index: usize| self.beta.value(index);
        beta(0).max(beta(self.points() - 1)) / if self.is_quantum() { self.layers() as f64 } else { 1.0 }
    }

    /// The inverse temperatures of a point for the library.
    pub fn weights(&self, Point { beta, gamma }: Point) -> Beta {
        match self.system {
            System::Copies(_) => Beta { space: beta as f32, tau: 0.0 },
            System::Slices(slices) | System::Lines(slices) => {
                let slice = beta / slices as f64;
                Beta { space: slice as f32, tau: (-0.5 * (slice * gamma).tanh().ln()) as f32 }
            }
        }
    }

    /// The sum of the transverse magnetisations of all `sites` sites. `aligned` is the sum, over
    /// all bonds between adjacent slices, of the products of their spins.
    pub fn transverse(&self, point: Point, sites: usize, aligned: f64) -> f64 {
        let slices = self.layers() as f64;
        let bonds = slices * sites as f64;
        let equal = (point.beta * point.gamma / slices).tanh();
        ((bonds + aligned) / 2.0 * equal + (bonds - aligned) / 2.0 / equal) / slices
    }

    /// Names and values of all options that determine the result.
    pub fn options(&self) -> Vec<(String, String)> {
        let (layers, count) = match self.system {
            System::Copies(count) => ("copies", count),
            System::Slices(count) | System::Lines(count) => ("slices", count),
        };
        let models = match self.method {
            Method::Anneal => "runs",
            Method::Exchange => "replicas",
        };
        let mut options = vec![
            ("method", self.method.to_string()),
            (layers, count.to_string()),
            (models, self.rungs().to_string()),
            ("sweeps", if self.anneals.is_some() { "by time".to_owned() } else { self.sweeps.to_string() }),
            ("every", if self.anneals.is_some() { "by time".to_owned() } else { self.every.to_string() }),
            ("seed", self.seed.to_string()),
            ("acceptance", acceptance_name(self.acceptance).to_owned()),
            ("beta", self.beta.text()),
        ];
        if self.is_quantum() {
            options.push(("gamma", self.gamma.text()));
        }
        if self.method == Method::Exchange {
            options.push(("warm-up", self.warm_up.to_string()));
        }
        if self.observes {
            options.push(("observables", "on".to_owned()));
        }
        if self.correlates {
            options.push(("correlation", "on".to_owned()));
        }
        if self.copies > 1 {
            options.push(("copies", self.copies.to_string()));
        }
        if self.clusters > 0 {
            options.push(("clusters", self.clusters.to_string()));
        }
        if let Some(time) = self.time {
            options.push(("time", format!("{} s", time.as_secs_f64())));
        }
        options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// The value of --acceptance.
pub fn acceptance_name(acceptance: Acceptance) -> &'static str {
    match acceptance {
        Acceptance::Auto => "auto",
        Acceptance::Metropolis => "metropolis",
        Acceptance::HeatBath => "heat-bath",
    }
}

/// The library's model of a plan.
pub fn build(plan: &RunPlan, problem: &Couplings, kind: Kind) -> Result<LayeredIsing, Error> {
    let mut ising = builder(plan, problem).build(kind)?;
    // Not every kind takes every coupling between layers.
    ising.sweep(&mut generator(plan.seed, 0)?, plan.weights(plan.point(0, 0)), 0)?;
    Ok(ising)
}

/// The description of a model.
pub fn builder(plan: &RunPlan, problem: &Couplings) -> Builder {
    let couplings = problem.couplings.iter().map(|&(i, j, coupling)| (i as usize, j as usize, coupling));
    LayeredIsing::builder(plan.layers(), problem.fields.len())
        .couplings(couplings)
        .fields(&problem.fields)
        .tau_coupling(if plan.is_quantum() { 1.0 } else { 0.0 })
        .acceptance(plan.acceptance)
}

/// A generator of 16 lanes, different for every seed and index.
pub fn generator(seed: u32, index: u32) -> Result<Mt19937, Error> {
    let keys: [_; 16] = std::array::from_fn(|lane| [seed, index, lane as u32]);
    Mt19937::from_arrays(&keys.each_ref().map(|key| key.as_slice()))
}

/// The failure of a kind that cannot run the problem of a file. Magnitudes that no kind can sum are the file's.
pub fn unfit(plan: &RunPlan, model: &Path, error: hotloops::Error) -> Failure {
    let option = match (plan.kind, plan.layers()) {
        _ if plan.has_lines() => "--kind worldline".to_owned(),
        (Kind::Auto, _) if matches!(error, hotloops::Error::Unequal { .. }) => {
            return Failure::Input(format!("{}: {error}", model.display()));
        }
        (Kind::Auto, layers) => format!("--copies {layers}"),
        (kind, _) => format!("--kind {}", kind_name(kind)),
    };
    Failure::Usage(format!("{option}: {error}; choose another value"))
}
