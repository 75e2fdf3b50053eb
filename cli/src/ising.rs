//! `hotloops ising`: samples a spin-glass problem, or searches its ground state.

mod checkpoint;
mod explain;
mod model;
mod observables;
mod pilot;
mod plan;
mod problem;
mod report;
mod results;
mod rungs;
mod sampler;
mod samples;
mod saved;
mod statistics;
mod tally;
mod timed;
mod valleys;
mod worldlines;

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use hotloops::ising::{Acceptance, Kind};
use serde::{Deserialize, Serialize};

use crate::cluster::Cluster;
use crate::failure::{Failure, say};
use crate::interrupt;
use crate::memory;
use crate::output::{self, NewFile};
use crate::plot::curves;
use crate::whole::whole;
use plan::Plan;
use problem::{Format, Problem};
use report::Target;
use sampler::Sampler;
use samples::Form;
use timed::Pace;

/// Sample an Ising problem, or search its ground state: annealing or replica exchange, on all cores
///
/// MODEL is a file, or `-` for standard input, compressed by gzip or not, in one of seven formats,
/// known by its extension or first line (--format). COO: lines `i j J` (coupling) and `i i h`
/// (field), spins numbered from 0, `#` for comments. A COO header of dimod counts: with
/// `# vartype=SPIN` the energy is the sum of J s s and h s, with `# vartype=BINARY` the file is a
/// QUBO, and `# offset=C` adds a constant. G-set: Max-Cut, J = -w. QUBO (.qubo, or .mtx of Matrix
/// Market): the minimum of sum Q_ij x_i x_j over x = (1 + s) / 2. QPLIB (.qplib): unconstrained
/// problems of binary variables. The energy is
/// E = - sum J s s - sum h s, so J > 0 favours equal spins; a configuration has weight
/// exp(-beta E). Results are reported in the units of the problem: energy, cut or objective.
///
/// By default the systems are classical and run as independent copies. With --slices L each system
/// is a quantum system in a transverse field gamma, H = E(sigma^z) - gamma sum sigma^x, simulated
/// by L Trotter slices; energy and magnetisation then refer to sigma^z.
///
/// --method anneal lowers the temperature from --beta-min to --beta-max (with --slices, the field
/// from --gamma-max to --gamma), by one step after every measurement. --method exchange simulates a
/// ladder of temperatures (with --slices and --beta, a ladder of fields); after every measurement
/// adjacent rungs may swap, and a quantum system may flip whole worldlines. A pilot run (a tenth of the work of the run, at least 216 sweeps) places
/// the rungs so that all pairs swap equally often (--spacing auto). Each classical copy has a ladder
/// of its own; the table shows means over all copies.
///
/// With 32 copies or more, standard errors come from the spread of the copies' means; otherwise
/// from the autocorrelation of the series (window of Wolff 2004). A mean without a reliable error
/// is reported as not converged, with the reason.
///
/// Under mpirun (a command built with the feature `mpi`), ranks share the runs of an anneal or the rungs of an
/// exchange; rank 0 writes the files.
///
/// Results and files depend only on the arguments, not on the number of ranks, not on the number of threads, the instruction
/// set or interruptions. Only with --time they depend on the speed of the machine, and with --target
/// the reported seconds do.
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub struct Arguments {
    /// File of the problem
    model: PathBuf,

    /// Format of MODEL [default: by extension (.coo, .gset, .rud, .mc, .qubo, .mtx), else by the
    /// first line]
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// Report cuts: the weight of the edges between + and -, with w = -J in COO. A Matrix Market
    /// file is then the weight matrix of a graph. Implied for G-set
    #[arg(long)]
    maxcut: bool,

    /// Algorithm
    #[arg(long, value_enum, default_value_t = Method::Anneal)]
    method: Method,

    /// Independent copies per run of a classical system; fastest if a multiple of 64 and at least
    /// 128. Only some kinds (--kind) take 1 [default: 128; with --time and no --sweeps, by the size
    /// of the problem]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=65536), allow_negative_numbers = true)]
    copies: Option<u32>,

    /// Number of annealing runs, each on one thread [default: 8; with --time and no --sweeps, one a
    /// thread]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=65536), allow_negative_numbers = true)]
    runs: Option<u32>,

    /// Number of sweeps (visits of each spin) [default: 1000; with --time, as many as fit]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=1u64 << 40), allow_negative_numbers = true)]
    sweeps: Option<u64>,

    /// Sweeps between measurements; the end is measured as well [default: 10]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=1u64 << 40), allow_negative_numbers = true)]
    every: Option<u64>,

    /// Search for this time, such as 10s, 5m or 1h. A short anneal, then a long one fill it; small
    /// problems and runs with --target have more, each as long as all before it. The last step of an anneal, at 100 times
    /// --beta-max, is a descent. With --sweeps, anneals of this length are repeated until the time is
    /// over; an incomplete one at the end counts for the best spins only
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true,
        conflicts_with_all = ["checkpoint", "resume"])]
    time: Option<Duration>,

    /// Stop as soon as a measurement finds this energy or less (a cut: or more), and report the time
    #[arg(long, value_name = "E", value_parser = finite, allow_negative_numbers = true)]
    target: Option<f64>,

    /// Number of threads [default: one per core; under mpirun, one per rank]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024), allow_negative_numbers = true)]
    threads: Option<u16>,

    /// Equilibration: initial sweeps of an exchange that the means exclude [default: a fifth of
    /// --sweeps]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(0..=1u64 << 40), allow_negative_numbers = true)]
    warm_up: Option<u64>,

    /// Smallest inverse temperature [default: of an anneal, where the stiffest spin accepts half of its
    /// proposals: ln 2 / 2 / the largest sum of magnitudes at a site; of an exchange, and with --time and no
    /// --sweeps, 0.1 / rms local field]
    #[arg(long, value_name = "BETA", value_parser = positive, allow_negative_numbers = true)]
    beta_min: Option<f64>,

    /// Largest inverse temperature [default: of an anneal, where one excitation is left in the system in a
    /// hundred reads: ln (100 n) / 2 / the smallest magnitude, which n sites have; of an exchange, and with
    /// --time and no --sweeps, 10 / rms local field]
    #[arg(long, value_name = "BETA", value_parser = positive, allow_negative_numbers = true)]
    beta_max: Option<f64>,

    /// Spacing of the values between the smallest and the largest one [default: auto for a classical
    /// exchange, linear for a classical anneal with --time and no --sweeps, else geometric]
    #[arg(long, value_enum)]
    spacing: Option<Spacing>,

    /// Explicit ladder of an exchange, ascending or descending: of beta, or of gamma if --beta is
    /// given. A single value is allowed
    #[arg(long, value_name = "X1,X2,..", value_delimiter = ',', value_parser = positive, allow_negative_numbers = true)]
    ladder: Option<Vec<f64>>,

    /// Number of rungs of an exchange [default: 16]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(2..=65536), allow_negative_numbers = true)]
    replicas: Option<u32>,

    /// Number of Trotter slices; makes the system a quantum system
    #[arg(long, value_name = "L", value_parser = whole::<u32>(2..=65536), allow_negative_numbers = true)]
    slices: Option<u32>,

    /// Transverse field, with --slices; the final one if the field changes
    #[arg(long, value_name = "GAMMA", value_parser = positive, allow_negative_numbers = true)]
    gamma: Option<f64>,

    /// Initial transverse field
    #[arg(long, value_name = "GAMMA", value_parser = positive, allow_negative_numbers = true)]
    gamma_max: Option<f64>,

    /// Inverse temperature, with --slices, if the field changes
    #[arg(long, value_name = "BETA", value_parser = positive, allow_negative_numbers = true)]
    beta: Option<f64>,

    /// Acceptance probability of a spin flip
    #[arg(long, value_enum, default_value_t)]
    acceptance: FlipRule,

    /// Arithmetic of the sweeps: f32 or exact integers, see hotloops::ising::Kind; each kind follows
    /// its own trajectory. auto: the fastest accurate one
    #[arg(long, value_name = "KIND", value_parser = kinds(), default_value = "auto")]
    kind: Kind,

    /// Print the measures of the problem, the kinds that can run it and the one that is chosen, and
    /// do nothing else
    #[arg(long, conflicts_with_all = ["spins", "samples", "csv", "observables", "rungs", "rungs_svg", "overlaps", "svg",
        "checkpoint", "checkpoint_seconds", "resume"])]
    explain: bool,

    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = whole::<u32>(0..=u32::MAX), allow_negative_numbers = true)]
    seed: u32,

    /// Print all results and the best spins as JSON
    #[arg(long)]
    json: bool,

    /// Write the best spins, one line `i s` per site, numbered as in MODEL; in a QUBO s is 0 or 1
    #[arg(long, value_name = "FILE")]
    spins: Option<PathBuf>,

    /// Write the final spins of all systems, one line each: energy (cut, objective), then the spins
    /// as + and -, in a QUBO as 1 and 0. Run by run, or rung by rung; of a quantum system all
    /// slices. A name in .npy makes a structured array for numpy, with the fields `energy` (`cut`,
    /// `objective`) and `spins`
    #[arg(long, value_name = "FILE")]
    samples: Option<PathBuf>,

    /// Write the time series, one line per measurement and model, with the mean and the best
    /// energy, cut or objective of its systems
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Measure and print more observables of an exchange at each rung, defined below. Means and
    /// errors come from the measurements after the warm-up
    #[arg(long)]
    observables: bool,

    /// Write the rungs of an exchange, one line each, with all observables, errors and swap rates
    #[arg(long, value_name = "FILE")]
    rungs: Option<PathBuf>,

    /// Plot all observables against beta
    #[arg(long, value_name = "FILE")]
    rungs_svg: Option<PathBuf>,

    /// Write the distribution P(q) of the overlap, one line per rung and bin
    #[arg(long, value_name = "FILE")]
    overlaps: Option<PathBuf>,

    /// Plot energy against sweeps
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Save the state of the run periodically, when interrupted, and at the end; replaces FILE (a
    /// killed run may leave a temporary file `.FILE.<digits>` beside it, which can be deleted)
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Seconds between checkpoints [default: 60]
    #[arg(long, value_name = "SECONDS", requires = "checkpoint", conflicts_with = "time",
        value_parser = whole::<u32>(0..=1_000_000), allow_negative_numbers = true)]
    checkpoint_seconds: Option<u32>,

    /// Continue from a checkpoint of a run with the same options; may be the same file as
    /// --checkpoint. An exchange may continue with more --sweeps; its means still begin after the
    /// first run's warm-up. An anneal cannot, since its temperatures depend on --sweeps
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

fn after_help() -> String {
    format!(
        "Observables (--observables, --rungs, --rungs-svg, --overlaps), with N spins:\n{}  \
         Errors are jackknife errors: from blocks of copies with 32 copies or more, else from blocks of time.\n\n\
         Example:\n  hotloops ising model.coo --method exchange --sweeps 10000 --svg energy.svg",
        observables::definitions()
    )
}

impl Arguments {
    /// Whether the observables of an exchange are measured.
    fn observes(&self) -> bool {
        self.observables || self.rungs.is_some() || self.rungs_svg.is_some() || self.overlaps.is_some()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum Method {
    /// Simulated annealing, from hot to cold
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
    /// Equal swap rates of all pairs of rungs, by a short pilot run
    Auto,
}

impl fmt::Display for Spacing {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Spacing::Geometric => "geometric",
            Spacing::Linear => "linear",
            Spacing::Auto => "auto",
        })
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, clap::ValueEnum)]
enum FlipRule {
    /// Heat bath at high temperatures, where Metropolis would flip nearly every spin in every
    /// sweep, and for rings and small parts of a problem in which it may go round in circles; else Metropolis
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

/// A number within the range of f32, with room for products and quotients.
fn positive(word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(value) if (1e-30..=1e30).contains(&value) => Ok(value),
        _ => Err("expected a positive number from 1e-30 to 1e30, such as 0.5".to_owned()),
    }
}

/// The name of a kind on the command line, such as `i8-exact` of `I8Exact`.
fn kind_name(kind: Kind) -> String {
    let name = format!("{kind:?}");
    let dash = |(index, letter): (usize, char)| {
        let dash = if index > 0 && letter.is_uppercase() { "-" } else { "" };
        format!("{dash}{}", letter.to_ascii_lowercase())
    };
    name.char_indices().map(dash).collect()
}

fn kinds() -> impl TypedValueParser<Value = Kind> {
    let kind = |name: String| Kind::ALL.into_iter().find(|&kind| kind_name(kind) == name).expect("one of the names");
    PossibleValuesParser::new(Kind::ALL.map(|kind| &*kind_name(kind).leak())).map(kind)
}

fn finite(word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("expected a finite number, such as -12.5".to_owned()),
    }
}

/// A time of at most a year: a number of seconds, or with a unit.
fn duration(word: &str) -> Result<Duration, String> {
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86400.0)];
    let (number, unit) =
        units.into_iter().find_map(|(name, unit)| Some((word.strip_suffix(name)?, unit))).unwrap_or((word, 1.0));
    match number.parse::<f64>().map(|number| number * unit) {
        Ok(seconds) if (1e-3..=3.2e7).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("expected a time from 1ms to 370d, such as 10s, 5m or 1h".to_owned()),
    }
}

pub fn run(a: &Arguments, cluster: &Cluster) -> Result<(), Failure> {
    cluster.check_input("MODEL", &a.model)?;
    if cluster.ranks() > 1 && a.time.is_some() {
        let why = "--time: the ranks of mpirun do not share a run whose sweeps depend on the time; give --sweeps";
        return Err(Failure::Usage(why.to_owned()));
    }
    memory::start_threads(cluster.threads(a.threads))?;
    let problem = Problem::read(&a.model, a.format, a.maxcut)?;
    let Problem { model, objective, .. } = &problem;
    let mut plan = Plan::new(a, model)?;
    if a.explain {
        if cluster.leads() {
            output::print(&explain::run(&plan, &problem, &a.model, a.json)?)?;
        }
        return Ok(());
    }
    match plan.kind != Kind::Auto || plan.layers() == 1 {
        true => drop(plan::build(&plan, model, plan.kind).map_err(|error| unfit(&plan, error))?),
        false => _ = plan::builder(&plan, model).cost(plan.kind).map_err(|error| unfit(&plan, error))?,
    }
    let _report = output::keep_for_report()?;
    let create = |option: &'static str, path: &Option<PathBuf>| {
        let path = path.as_deref().filter(|_| cluster.leads());
        path.map(|path| NewFile::create(option, path).map(|file| (option, file))).transpose()
    };
    let spins = create("--spins", &a.spins)?;
    let samples = create("--samples", &a.samples)?;
    let table = create("--csv", &a.csv)?;
    let picture = create("--svg", &a.svg)?;
    let rungs = create("--rungs", &a.rungs)?;
    let rungs_picture = create("--rungs-svg", &a.rungs_svg)?;
    let overlaps = create("--overlaps", &a.overlaps)?;
    let checkpoint = create("--checkpoint", &a.checkpoint)?;
    let files = [&spins, &samples, &table, &picture, &rungs, &rungs_picture, &overlaps, &checkpoint];
    files.into_iter().flatten().try_for_each(|file| keep_inputs(a, file))?;

    let read = |path| checkpoint::read(path).map(|saved| (path, saved));
    let saved = a.resume.as_deref().map(read).transpose()?;
    if let Some((path, saved)) = &saved {
        checkpoint::extend(&mut plan, saved, path, a.warm_up.is_some())?;
    }
    // In the pool, so that a step wakes up one thread less.
    rayon::scope(|_| pilot::adapt(cluster, &mut plan, model))?;
    let mut sampler = Sampler::new(cluster, &plan, model)?;
    if let Some(text) = explain::caution(&plan, sampler.kind(), sampler.rounding()) {
        say(format_args!("hotloops: {text}"));
    }
    if let Some(text) = explain::trap(&plan, &sampler) {
        say(format_args!("hotloops: {text}"));
    }
    if let Some((path, saved)) = saved {
        checkpoint::resume(&mut sampler, model, saved, path)?;
    }
    let (begin, first) = (Instant::now(), sampler.sweeps());
    let seconds = Duration::from_secs(a.checkpoint_seconds.unwrap_or(60).into());
    let file = checkpoint.map(|(_, file)| file);
    a.checkpoint.is_some().then(interrupt::end_by_request).transpose()?;
    if !cluster.leads() {
        return rayon::scope(|_| follow(cluster, &mut sampler));
    }
    rayon::scope(|_| sample(cluster, &mut sampler, &problem, a.target, file, seconds))?;
    let time = begin.elapsed();
    let target = a.target.map(|value| Target {
        value,
        is_reached: sampler.reaches(objective.energy_of(value)),
        seconds: time.as_secs_f64(),
    });
    let sweeps = sampler.sweeps() - first;
    if target.is_none_or(|target| !target.is_reached) {
        sampler.drop_incomplete()?;
    }
    let updates = sweeps as f64 * (plan.models * plan.layers() * model.fields.len()) as f64;

    let title = format!("{}: {}, model {:?}", a.model.display(), problem.size(), sampler.kind());
    if let Some((_, file)) = spins {
        file.write(report::spins(&sampler.best_spins(), &problem).as_bytes())?;
    }
    if let Some((_, file)) = samples {
        let is_npy = file.target().extension().is_some_and(|extension| extension == "npy");
        let form = if is_npy { Form::Npy } else { Form::Text };
        file.write_with(|file| samples::write(file, form, &sampler, &problem))?;
    }
    if let Some((_, file)) = table {
        file.write(&report::csv(&sampler, objective))?;
    }
    if let Some((_, file)) = picture {
        let name = objective.name();
        let heading = format!("{}{} against sweep", name[..1].to_uppercase(), &name[1..]);
        let curves = report::curves(&sampler, objective);
        file.write(curves::svg(&curves, &heading, &title, ["sweep", name])?.as_bytes())?;
    }
    let is_wanted = rungs.is_some() || rungs_picture.is_some() || overlaps.is_some();
    let ladder = if is_wanted && sampler.has_means() { rungs::ladder(&sampler, &problem) } else { Vec::new() };
    if let Some((_, file)) = rungs {
        file.write(&rungs::csv(&ladder, objective))?;
    }
    if let Some((_, file)) = rungs_picture {
        file.write(rungs::picture(&ladder, objective, &title)?.as_bytes())?;
    }
    if let Some((_, file)) = overlaps {
        file.write(&rungs::overlaps(&ladder))?;
    }
    output::print(&match a.json {
        true => report::json(&sampler, &problem, target),
        false => report::text(&sampler, &problem, &title, updates, time, target),
    })
}

/// The failure of a kind that cannot run the problem.
fn unfit(plan: &Plan, error: hotloops::Error) -> Failure {
    let option = match (plan.kind, plan.layers()) {
        (Kind::Auto, _) if matches!(error, hotloops::Error::Unequal { .. }) => "--kind auto".to_owned(),
        (Kind::Auto, layers) => format!("--copies {layers}"),
        (kind, _) => format!("--kind {}", kind_name(kind)),
    };
    Failure::Usage(format!("{option}: {error}; choose another value"))
}

/// Rejects an output file that replaces the model or the checkpoint to resume.
fn keep_inputs(a: &Arguments, (option, file): &(&'static str, NewFile)) -> Result<(), Failure> {
    let resume = a.resume.as_deref().filter(|_| *option != "--checkpoint").map(|path| ("--resume", path));
    file.check_inputs(option, [("MODEL", a.model.as_path())].into_iter().chain(resume))
}

/// Steps are done together until they take this time.
const BATCH: Duration = Duration::from_millis(100);

/// An order of rank 0 to the other ranks.
#[derive(Serialize, Deserialize)]
enum Order {
    /// At most so many steps.
    Advance(u64),
    Meet,
    Collect,
    End,
}

/// Advances this rank's models as rank 0 says.
fn follow(cluster: &Cluster, sampler: &mut Sampler) -> Result<(), Failure> {
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
/// run after the current step.
fn sample(
    cluster: &Cluster,
    sampler: &mut Sampler,
    problem: &Problem,
    target: Option<f64>,
    checkpoint: Option<NewFile>,
    seconds: Duration,
) -> Result<(), Failure> {
    let order = |order: Order| cluster.broadcast(postcard::to_stdvec(&order).expect("plain data"));
    let Problem { model, objective, .. } = problem;
    let plan = sampler.plan;
    let begin = Instant::now();
    let mut pace = plan.anneals.zip(plan.time).map(|(anneals, time)| Pace::new(time, anneals));
    let bar = output::progress(plan.time.map_or(plan.steps(), |time| time.as_millis() as u64));
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
                    "interrupted after sweep {sweep}; continue with --resume {path}"
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
