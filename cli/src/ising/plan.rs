//! The plan of a run: the arguments, checked and completed.

use std::time::Duration;

use hotloops::ising::{Acceptance, Beta, Kind, LayeredIsing};

use super::statistics::MIN_COPIES;
use super::timed::Shape;
use super::{Arguments, Method, Spacing};
use crate::coo::Couplings;
use crate::failure::Failure;

/// Maximum number of spins in all models together.
const MAX_SPINS: usize = 1 << 26;

/// Maximum number of records of a series: measurements times models.
const MAX_RECORDS: u64 = 1 << 20;

/// The factor of the inverse temperature in the last step of an anneal that fills a time.
const DESCENT: f64 = 100.0;

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
}

/// A sequence of values.
#[derive(Clone, Debug, PartialEq)]
enum Ramp {
    Fixed(f64),
    List(Vec<f64>),
    Between {
        from: f64,
        to: f64,
        count: usize,
        spacing: Spacing,
    },
    /// The result of a pilot run.
    Adapted(Vec<f64>),
}

impl Ramp {
    /// The last of several values is exactly `to`.
    fn value(&self, index: usize) -> f64 {
        match self {
            Ramp::Fixed(value) => *value,
            Ramp::List(values) | Ramp::Adapted(values) => values[index],
            &Ramp::Between { to, count, .. } if index + 1 == count => to,
            &Ramp::Between { from, to, count, spacing } => {
                let part = index as f64 / (count - 1) as f64;
                match spacing {
                    // A pilot run begins with equal ratios.
                    Spacing::Geometric | Spacing::Auto => from * (to / from).powf(part),
                    Spacing::Linear => from + (to - from) * part,
                }
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Ramp::Fixed(value) => value.to_string(),
            Ramp::List(values) => values.iter().map(f64::to_string).collect::<Vec<_>>().join(","),
            Ramp::Adapted(values) => {
                format!("{} to {} in {} auto steps", values[0], values[values.len() - 1], values.len())
            }
            Ramp::Between { from, to, count, spacing } => format!("{from} to {to} in {count} {spacing} steps"),
        }
    }
}

/// Everything that determines the result, except the problem.
#[derive(Clone, Debug)]
pub struct Plan {
    pub method: Method,
    pub system: System,
    /// Number of runs, or of rungs of the ladder.
    pub models: usize,
    pub sweeps: u64,
    pub every: u64,
    /// Initial sweeps that the means of an exchange exclude.
    pub warm_up: u64,
    /// Whether an exchange measures overlaps and moments.
    pub observes: bool,
    /// Anneals are repeated for this time.
    pub time: Option<Duration>,
    /// The number of anneals that fill the time, unless the number of sweeps is given.
    pub anneals: Option<u32>,
    pub seed: u32,
    pub acceptance: Acceptance,
    pub kind: Kind,
    beta: Ramp,
    gamma: Ramp,
}

impl Plan {
    pub fn new(arguments: &Arguments, problem: &Couplings) -> Result<Self, Failure> {
        let a = arguments;
        let exchanges = a.method == Method::Exchange;
        let is_quantum = a.slices.is_some();
        check_use(a)?;
        let (sweeps, every) = (a.sweeps.unwrap_or(1000), a.every.unwrap_or(10));
        let steps = sweeps.div_ceil(every);
        let fills_time = a.time.is_some() && a.sweeps.is_none();
        let runs = if fills_time { rayon::current_num_threads() } else { 8 };
        let models = match (exchanges, &a.ladder) {
            (true, Some(ladder)) => ladder.len(),
            (true, None) => a.replicas.unwrap_or(16) as usize,
            (false, _) => a.runs.map_or(runs, |runs| runs as usize),
        };
        if steps.saturating_mul(models as u64) > MAX_RECORDS {
            let text = format!("{steps} measurements of {models} models are more than {MAX_RECORDS}; increase --every");
            return Err(Failure::Usage(format!("--every {every}: {text}")));
        }

        let needed = |option: &str, value: Option<f64>| {
            value.ok_or_else(|| {
                Failure::Usage(format!("{option} is missing: with --slices it has no default here; give it"))
            })
        };
        let between = |from: f64, to: f64| match exchanges && from == to {
            true => Err(Failure::Usage(format!(
                "a ladder from {from} to {to} has equal rungs; use --ladder {to} for a single one"
            ))),
            false => {
                let count = if exchanges { models } else { steps as usize };
                let usual = match (exchanges, is_quantum) {
                    (true, false) => Spacing::Auto,
                    (false, false) if fills_time => Spacing::Linear,
                    _ => Spacing::Geometric,
                };
                Ok(Ramp::Between { from, to, count, spacing: a.spacing.unwrap_or(usual) })
            }
        };
        let betas = || {
            let [hot, cold] = match exchanges || fills_time {
                true => [unit(problem) / 10.0, 10.0 * unit(problem)],
                false => range(problem)?,
            };
            let (from, to) = (a.beta_min.unwrap_or(hot), a.beta_max.unwrap_or(cold));
            match from <= to {
                true => between(from, to),
                false => Err(Failure::Usage(format!("--beta-min {from} exceeds --beta-max {to}; exchange the two"))),
            }
        };
        let gammas = || {
            let (from, to) = (needed("--gamma-max", a.gamma_max)?, needed("--gamma", a.gamma)?);
            match from >= to {
                true => between(from, to),
                false => Err(Failure::Usage(format!("--gamma {to} exceeds --gamma-max {from}; exchange the two"))),
            }
        };
        let or_list = |ramp: &dyn Fn() -> Result<Ramp, Failure>| match &a.ladder {
            None => ramp(),
            Some(list) if list.is_sorted_by(|a, b| a < b) || list.is_sorted_by(|a, b| a > b) => {
                Ok(Ramp::List(list.clone()))
            }
            Some(list) => Err(Failure::Usage(format!(
                "--ladder {}: must be strictly ascending or descending; sort it, without repeats",
                Ramp::List(list.clone()).text()
            ))),
        };
        let (beta, gamma) = match (is_quantum, exchanges, a.beta) {
            (false, ..) => (or_list(&betas)?, Ramp::Fixed(0.0)),
            (true, true, None) => (or_list(&betas)?, Ramp::Fixed(needed("--gamma", a.gamma)?)),
            (true, ..) => (Ramp::Fixed(needed("--beta", a.beta)?), or_list(&gammas)?),
        };

        let system = match a.slices {
            Some(slices) => System::Slices(slices as usize),
            None => System::Copies(a.copies.unwrap_or(128) as usize),
        };
        let mut plan = Plan {
            method: a.method,
            system,
            models,
            sweeps,
            every,
            warm_up: if exchanges { a.warm_up.unwrap_or(sweeps / 5) } else { 0 },
            observes: a.observes(),
            time: a.time,
            anneals: None,
            seed: a.seed,
            acceptance: a.acceptance.into(),
            kind: a.kind,
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
        let (layers, sites) = (plan.layers(), problem.fields.len());
        if models.saturating_mul(layers).saturating_mul(sites) > MAX_SPINS {
            let option = if is_quantum { "--slices" } else { "--copies" };
            let text = format!(
                "{models} models of {layers} layers of {sites} spins are more than {MAX_SPINS} spins; reduce {option}"
            );
            return Err(Failure::Usage(format!("{option} {layers}: {text}")));
        }
        Ok(plan)
    }

    /// Makes anneals fill a time.
    fn fill(&mut self, problem: &Couplings, time: Duration, copies: Option<usize>, has_target: bool) {
        let copies = if self.is_quantum() { Some(self.layers()) } else { copies };
        let shape = Shape::new(self, problem, time, copies, has_target);
        *self = Plan { sweeps: shape.steps, every: 1, anneals: Some(shape.anneals), ..self.with_copies(shape.copies) };
        for ramp in [&mut self.beta, &mut self.gamma] {
            if let Ramp::Between { count, .. } = ramp {
                *count = shape.steps as usize;
            }
        }
    }

    /// The plan with another number of copies, if it has copies.
    pub fn with_copies(&self, copies: usize) -> Plan {
        let system = match self.system {
            System::Copies(_) => System::Copies(copies),
            System::Slices(slices) => System::Slices(slices),
        };
        Plan { system, ..self.clone() }
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
    pub fn pilot(&self, steps: u64) -> Plan {
        let every = Self::PILOT_EVERY;
        Plan { sweeps: steps * every, every, warm_up: steps * every, observes: false, ..self.clone() }
    }

    /// Number of layers of a model.
    pub fn layers(&self) -> usize {
        match self.system {
            System::Copies(layers) | System::Slices(layers) => layers,
        }
    }

    /// Number of systems in a model.
    pub fn systems(&self) -> usize {
        match self.system {
            System::Copies(copies) => copies,
            System::Slices(_) => 1,
        }
    }

    pub fn is_quantum(&self) -> bool {
        matches!(self.system, System::Slices(_))
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
            Method::Exchange => model,
        };
        let ends = self.anneals.is_some() && !self.is_quantum() && step + 1 == self.steps();
        let descent = if ends { DESCENT } else { 1.0 };
        Point { beta: descent * self.beta.value(index), gamma: self.gamma.value(index) }
    }

    /// The largest inverse temperature, of a slice, without the descent at the end.
    pub fn coldest(&self) -> f64 {
        let count = match self.method {
            Method::Exchange => self.models,
            Method::Anneal => self.steps() as usize,
        };
        let beta = |index: usize| self.beta.value(index);
        beta(0).max(beta(count - 1)) / if self.is_quantum() { self.layers() as f64 } else { 1.0 }
    }

    /// The inverse temperatures of a point for the library.
    pub fn weights(&self, Point { beta, gamma }: Point) -> Beta {
        match self.system {
            System::Copies(_) => Beta { space: beta as f32, tau: 0.0 },
            System::Slices(slices) => {
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
            System::Slices(count) => ("slices", count),
        };
        let models = match self.method {
            Method::Anneal => "runs",
            Method::Exchange => "replicas",
        };
        let mut options = vec![
            ("method", self.method.to_string()),
            (layers, count.to_string()),
            (models, self.models.to_string()),
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

/// The name of an option, and whether it is given.
type Given = (&'static str, bool);

/// Rejects options that would have no effect.
fn check_use(a: &Arguments) -> Result<(), Failure> {
    let exchanges = a.method == Method::Exchange;
    let is_quantum = a.slices.is_some();
    let runs = ("--runs", a.runs.is_some());
    let copies = ("--copies", a.copies.is_some());
    let replicas = ("--replicas", a.replicas.is_some());
    let ladder = ("--ladder", a.ladder.is_some());
    let warm_up = ("--warm-up", a.warm_up.is_some());
    let time = ("--time", a.time.is_some());
    let observables = [
        ("--observables", a.observables),
        ("--rungs", a.rungs.is_some()),
        ("--rungs-svg", a.rungs_svg.is_some()),
        ("--overlaps", a.overlaps.is_some()),
    ];
    let spacing = ("--spacing", a.spacing.is_some());
    let is_auto = a.spacing == Some(Spacing::Auto);
    let every = ("--every", a.every.is_some());
    let beta = ("--beta", a.beta.is_some());
    let beta_min = ("--beta-min", a.beta_min.is_some());
    let beta_max = ("--beta-max", a.beta_max.is_some());
    let gamma = ("--gamma", a.gamma.is_some());
    let gamma_max = ("--gamma-max", a.gamma_max.is_some());
    let rules: [(bool, &str, &[Given]); _] = [
        (exchanges, "--method exchange has one run", &[runs]),
        (exchanges, "it repeats anneals, and --sweeps sets the length of an exchange", &[time]),
        (a.time.is_some() && a.sweeps.is_none(), "without --sweeps, --time sets the sweeps of a step", &[every]),
        (!exchanges && is_auto, "an anneal has no swaps", &[("--spacing auto", true)]),
        (!exchanges, "it requires --method exchange", &[ladder, replicas, warm_up]),
        (!is_quantum, "without --slices the systems are classical", &[beta, gamma, gamma_max]),
        (!exchanges, "it requires --method exchange", &observables),
        (is_quantum, "observables are those of classical copies", &observables),
        (a.copies == Some(1), "an overlap needs two copies", &observables),
        (is_quantum, "with --slices a model is one system", &[copies]),
        (is_quantum && (beta.1 || !exchanges), "only the transverse field changes", &[beta_min, beta_max]),
        (is_quantum && exchanges && !beta.1, "a ladder of fields needs --beta", &[gamma_max]),
        (ladder.1, "--ladder gives all values", &[replicas, spacing, beta_min, beta_max, gamma_max]),
        (ladder.1 && beta.1, "--ladder gives all values", &[gamma]),
    ];
    let vain = rules.into_iter().filter(|(holds, ..)| *holds).find_map(|(_, why, options)| {
        let (option, _) = options.iter().find(|(_, is_given)| *is_given)?;
        Some(format!("{option} has no effect: {why}; leave it out"))
    });
    vain.map_or(Ok(()), |text| Err(Failure::Usage(text)))
}

/// The library's default temperatures of an anneal, rounded to three digits.
fn range(problem: &Couplings) -> Result<[f64; 2], Failure> {
    let couplings = problem.couplings.iter().map(|&(i, j, coupling)| (i as usize, j as usize, coupling));
    let builder = LayeredIsing::builder(2, problem.fields.len()).couplings(couplings).fields(&problem.fields);
    Ok(builder.beta_range()?.map(|beta| format!("{beta:.2e}").parse().expect("a number")))
}

/// The inverse of the root mean square of the local fields for random spins, rounded to two digits;
/// 1 if all couplings and fields are 0.
fn unit(problem: &Couplings) -> f64 {
    let couplings: f64 = problem.couplings.iter().map(|(_, _, coupling)| 2.0 * coupling * coupling).sum();
    let fields: f64 = problem.fields.iter().map(|field| field * field).sum();
    let unit = ((couplings + fields) / problem.fields.len() as f64).sqrt().recip();
    // Outside this range, temperatures would overflow or underflow in f32.
    let unit = if (1e-30..1e30).contains(&unit) { unit } else { 1.0 };
    format!("{unit:.1e}").parse().expect("a number")
}
