//! `hotloops ising`: samples a spin-glass problem, or looks for its ground state.

mod checkpoint;
mod plan;
mod report;
mod sampler;
mod statistics;

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hotloops::ising::Acceptance;

use crate::coo::{self, Couplings};
use crate::failure::Failure;
use crate::memory;
use crate::output::{self, NewFile};
use crate::plot::curves;
use plan::Plan;
use sampler::Sampler;

/// Samples a problem of your own, or looks for its ground state: annealing or replica exchange, on all cores
///
/// MODEL is text with lines `i j J` (coupling) and `i i h` (field), spins from 0, `#` for comments. The energy is
/// E = - sum J s s - sum h s, so that J > 0 favours equal spins, and a configuration has the weight exp(-beta E). All
/// energies printed are this E; the library's own sums have the opposite sign.
///
/// Classical systems (the default) run as independent copies, many in one model of the library. --slices makes each
/// model one system in a transverse field of strength gamma, H = E(sigma^z) - gamma sum sigma^x, as that many Trotter slices; then
/// energy and magnetisation are those of a slice, whose mean is that of sigma^z.
///
/// --method anneal: every run goes from --beta-min to --beta-max, or with --slices from --gamma-max to --gamma, and the
/// value changes after every measurement. --method exchange: a ladder of temperatures, or with --slices and --beta one of
/// transverse fields; after every measurement neighbours on the ladder may swap. Each copy of a classical system is a
/// ladder of its own, which swaps with the same copy elsewhere; the table shows the means over all copies.
///
/// Standard errors come from the spread of the copies' means, if there are 32 copies or more; else from the autocorrelation of
/// the series (window of Wolff 2004). A mean whose error cannot be estimated is reported as not converged, with the reason.
///
/// Result and files depend on the arguments alone: not on the number of threads, the instruction set or an interruption.
#[derive(clap::Args)]
pub struct Arguments {
    /// The problem
    model: PathBuf,

    /// What the run does
    #[arg(long, value_enum, default_value_t = Method::Anneal)]
    method: Method,

    /// Independent copies of a classical system in each model; fastest where a multiple of 64, 128 at least [default: 128]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=65536))]
    copies: Option<u32>,

    /// Models to anneal, each the work of one thread [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    runs: Option<u32>,

    /// Visits of each spin
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    sweeps: u64,

    /// Sweeps from one measurement to the next; also measured at the end
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    every: u64,

    /// Sweeps before those of which an exchange takes means [default: a fifth of --sweeps]
    #[arg(long, value_name = "N")]
    warm_up: Option<u64>,

    /// Least inverse temperature [default: 0.1 over the root mean square of the sites' local fields]
    #[arg(long, value_name = "BETA", value_parser = positive, allow_negative_numbers = true)]
    beta_min: Option<f64>,

    /// Greatest inverse temperature [default: 10 over the same]
    #[arg(long, value_name = "BETA", value_parser = positive, allow_negative_numbers = true)]
    beta_max: Option<f64>,

    /// How the values between the least and the greatest follow each other [default: geometric]
    #[arg(long, value_enum)]
    spacing: Option<Spacing>,

    /// Values of an exchange, rising or falling: of beta, or of gamma if --beta is given; a single one is sampled alone
    #[arg(long, value_name = "X1,X2,..", value_delimiter = ',', value_parser = positive, allow_negative_numbers = true)]
    ladder: Option<Vec<f64>>,

    /// Values of an exchange from the least to the greatest [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=65536))]
    replicas: Option<u32>,

    /// Trotter slices: makes the systems quantum ones
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u32).range(2..=65536))]
    slices: Option<u32>,

    /// Transverse field, with --slices; the last one where the field changes
    #[arg(long, value_name = "GAMMA", value_parser = positive, allow_negative_numbers = true)]
    gamma: Option<f64>,

    /// Transverse field at the beginning
    #[arg(long, value_name = "GAMMA", value_parser = positive, allow_negative_numbers = true)]
    gamma_max: Option<f64>,

    /// The inverse temperature, with --slices, where the field changes
    #[arg(long, value_name = "BETA", value_parser = positive, allow_negative_numbers = true)]
    beta: Option<f64>,

    /// Probability of a spin flip
    #[arg(long, value_enum, default_value_t)]
    acceptance: FlipRule,

    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u32,

    /// Print all figures and the best spins as JSON
    #[arg(long)]
    json: bool,

    /// Write the best spins, a line `i s` for each
    #[arg(long, value_name = "FILE")]
    spins: Option<PathBuf>,

    /// Write the series: a line for each measurement of each model
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Draw energy against sweep
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Write the state of the run now and then, at the end, and when the run is interrupted; replaces the file (a run that
    /// is killed may leave a draft beside it, `.FILE.` and digits, which nothing needs)
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Seconds from one checkpoint to the next [default: 60]
    #[arg(long, value_name = "SECONDS", requires = "checkpoint", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    checkpoint_seconds: Option<u32>,

    /// Go on from a checkpoint of a run with the same options; may be the file of --checkpoint
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum Method {
    /// From hot to cold
    Anneal,
    /// Replica exchange (parallel tempering)
    Exchange,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Method::Anneal => "anneal",
            Method::Exchange => "exchange",
        })
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, clap::ValueEnum)]
enum Spacing {
    /// Equal ratios
    #[default]
    Geometric,
    /// Equal differences
    Linear,
}

impl fmt::Display for Spacing {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Spacing::Geometric => "geometric",
            Spacing::Linear => "linear",
        })
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, clap::ValueEnum)]
enum FlipRule {
    /// Heat bath where Metropolis would flip nearly every spin in every sweep (high temperatures), else Metropolis
    #[default]
    Auto,
    /// min(1, exp(-beta dE))
    Metropolis,
    /// 1 / (1 + exp(beta dE))
    HeatBath,
}

impl From<FlipRule> for Acceptance {
    fn from(rule: FlipRule) -> Self {
        match rule {
            FlipRule::Auto => Acceptance::Auto,
            FlipRule::Metropolis => Acceptance::Metropolis,
            FlipRule::HeatBath => Acceptance::HeatBath,
        }
    }
}

/// A number that single precision holds, with room to multiply and divide.
fn positive(word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(value) if (1e-30..=1e30).contains(&value) => Ok(value),
        _ => Err("not a positive number (1e-30 to 1e30)".to_owned()),
    }
}

pub fn run(a: &Arguments) -> Result<(), Failure> {
    memory::start_threads()?;
    let problem = coo::read("", &a.model)?;
    let plan = Plan::new(a, &problem)?;
    let create = |option: &'static str, path: &Option<PathBuf>| {
        path.as_deref().map(|path| NewFile::create(option, path).map(|file| (option, file))).transpose()
    };
    let spins = create("--spins", &a.spins)?;
    let table = create("--csv", &a.csv)?;
    let picture = create("--svg", &a.svg)?;
    let checkpoint = create("--checkpoint", &a.checkpoint)?;
    check_names(a, [&spins, &table, &picture, &checkpoint].into_iter().flatten())?;

    let mut sampler = Sampler::new(&plan, &problem)?;
    if let Some(path) = &a.resume {
        checkpoint::resume(&mut sampler, &problem, path)?;
    }
    let (begin, first) = (Instant::now(), sampler.step);
    let seconds = Duration::from_secs(a.checkpoint_seconds.unwrap_or(60).into());
    sample(&mut sampler, &problem, checkpoint.map(|(_, file)| file), seconds)?;
    let sweeps = plan.sweeps_after(sampler.step) - plan.sweeps_after(first);
    let updates = sweeps as f64 * (plan.models * plan.layers() * problem.fields.len()) as f64;

    let title = format!(
        "{}: {} spins, {} couplings, model {:?}",
        a.model.display(),
        problem.fields.len(),
        problem.couplings.len(),
        sampler.kind(),
    );
    if let Some((_, file)) = spins {
        file.write(report::spins(sampler.best()).as_bytes())?;
    }
    if let Some((_, file)) = table {
        file.write(&report::csv(&sampler))?;
    }
    if let Some((_, file)) = picture {
        let axes = ["sweep", "energy"];
        file.write(curves::svg(&report::curves(&sampler), "Energy against sweep", &title, axes)?.as_bytes())?;
    }
    output::print(&match a.json {
        true => report::json(&sampler, &problem),
        false => report::text(&sampler, &problem, &title, updates, begin.elapsed()),
    })
}

/// No file is written in the place of another one of this command.
fn check_names<'a>(
    arguments: &Arguments,
    files: impl Iterator<Item = &'a (&'static str, NewFile)>,
) -> Result<(), Failure> {
    let mut seen = vec![("MODEL", fs::canonicalize(&arguments.model).unwrap_or_default())];
    if let Some(resume) = arguments.resume.as_deref().and_then(|path| fs::canonicalize(path).ok()) {
        seen.push(("--resume", resume));
    }
    for (option, file) in files {
        let target = file.target().to_owned();
        if let Some((other, _)) =
            seen.iter().find(|(other, path)| *path == target && (*option, *other) != ("--checkpoint", "--resume"))
        {
            return Err(Failure::Usage(format!("{option} {}: is the file of {other}", target.display())));
        }
        seen.push((option, target));
    }
    Ok(())
}

/// Goes on to the end. With a checkpoint, a signal ends the run after the step.
fn sample(
    sampler: &mut Sampler,
    problem: &Couplings,
    checkpoint: Option<NewFile>,
    seconds: Duration,
) -> Result<(), Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    if checkpoint.is_some() {
        let stop = Arc::clone(&stop);
        // The second signal does not wait.
        let handler = move || {
            if stop.swap(true, Ordering::Relaxed) {
                process::exit(1)
            }
        };
        ctrlc::set_handler(handler).map_err(|error| match error {
            ctrlc::Error::System(cause) => memory::no_thread(&cause),
            error => Failure::Job(format!("signals: {error}")),
        })?;
    }
    let bar = output::progress(sampler.plan.steps());
    bar.set_message(sampler.plan.method.to_string());
    let mut written = Instant::now();
    while !sampler.is_done() {
        sampler.advance()?;
        bar.set_position(sampler.step);
        let is_stopped = stop.load(Ordering::Relaxed);
        if let Some(file) = &checkpoint {
            if written.elapsed() >= seconds || is_stopped || sampler.is_done() {
                file.write(&checkpoint::save(sampler, problem))?;
                written = Instant::now();
            }
            if is_stopped && !sampler.is_done() {
                bar.finish_and_clear();
                let sweep = sampler.plan.sweeps_after(sampler.step);
                let path = file.target().display();
                return Err(Failure::Job(format!("interrupted after sweep {sweep}; go on with --resume {path}")));
            }
        }
    }
    bar.finish_and_clear();
    Ok(())
}
