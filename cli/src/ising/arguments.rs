//! The arguments of the job.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use hotloops::ising::Kind;

use super::choices::{FlipRule, KindChoice, Method, Slices, Spacing, kind_name};
use super::observables::quantities::definitions;
use super::problem::Format;
use crate::device;
use crate::form::Form;
use crate::whole::whole;

/// Sample an Ising problem, or search its ground state: annealing or replica exchange, on all cores
///
/// MODEL is a file, or `-` for standard input, compressed by gzip or not, in one of seven formats,
/// known by its extension or first line (--model-format). COO: lines `i j J` (coupling) and `i i h`
/// (field), spins numbered from 0, `#` for comments. A COO header of dimod counts: with
/// `# vartype=SPIN` the energy is the sum of J s s and h s, with `# vartype=BINARY` the file is a
/// QUBO, and `# offset=C` adds a constant. G-set: Max-Cut, J = -w. QUBO (.qubo, or .mtx of Matrix
/// Market): the minimum of sum Q_ij x_i x_j over x = (1 + s) / 2. QPLIB (.qplib): unconstrained
/// problems of binary variables. The energy is
/// E = - sum J s s - sum h s, so J > 0 favours equal spins; a configuration has weight
/// exp(-beta E). Results are reported in the units of the problem: energy, cut or objective.
///
/// For one large square lattice, see `hotloops lattice`.
///
/// By default the systems are classical and run as independent copies. With --slices L each system
/// is a quantum system in a transverse field gamma, H = E(sigma^z) - gamma sum sigma^x, simulated
/// by L Trotter slices; energy and magnetisation then refer to sigma^z. With --kind worldline, or more slices than
/// 8 beta gamma, a sweep redraws each spin's line of imaginary time by its kinks: 2^16 slices, the default then, cost
/// as much as 64, and 2^30 (--slices continuous) little more.
///
/// --method anneal lowers the temperature from --beta-min to --beta-max (of a quantum system, the field
/// from --gamma-max to --gamma), by one step after every measurement. --method exchange simulates a
/// ladder of temperatures (of a quantum system with --beta, a ladder of fields); after every measurement
/// adjacent rungs may swap, and layers of a quantum system may flip whole worldlines. A single run is an exchange with
/// one rung, such as --ladder 0.5. A pilot run (a tenth of
/// the work of the run, at least 216 sweeps) places the rungs so that all pairs swap equally often
/// (--spacing auto). Each classical copy has a ladder of its own; the table shows means over all copies.
///
/// With 32 copies or more, standard errors come from the spread of the copies' means; otherwise
/// from the autocorrelation of the series (window of Wolff 2004). A mean without a reliable error
/// is reported as not converged, with the reason.
///
/// Under mpirun (a command built with the feature `mpi`), ranks share the runs of an anneal or the rungs of an
/// exchange; rank 0 writes the files.
///
/// Results and files depend only on the arguments, not on the number of ranks, not on the number of
/// threads, the instruction set or interruptions. Only with --time they depend on the speed of the
/// machine, and with --target the reported seconds do.
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub struct Arguments {
    /// File of the problem
    pub(super) model: PathBuf,

    /// Format of MODEL [default: by extension (.coo, .gset, .rud, .mc, .qubo, .mtx), else by the
    /// first line]
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(super) model_format: Option<Format>,

    /// Report cuts: the weight of the edges between + and -, with w = -J in COO. A Matrix Market
    /// file is then the weight matrix of a graph. Implied for G-set
    #[arg(long)]
    pub(super) maxcut: bool,

    /// Algorithm
    #[arg(long, value_enum, default_value_t = Method::Anneal)]
    pub(super) method: Method,

    /// Independent copies per run of a classical system; fastest if a multiple of 64 and at least
    /// 128. Only some kinds (--kind) take 1 [default: 128; with --time and no --sweeps, by the size
    /// of the problem]. Of a quantum system at a single rung, such as --ladder 1: copies that end in different
    /// valleys give no errors but the energies of the valleys [default: 1]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=65536), allow_negative_numbers = true)]
    pub(super) copies: Option<u32>,

    /// Number of annealing runs, each on one thread [default: 8; with --time and no --sweeps, one a
    /// thread]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=65536), allow_negative_numbers = true)]
    pub(super) runs: Option<u32>,

    /// Number of sweeps (visits of each spin) [default: 1000; with --time, as many as fit]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=1u64 << 40), allow_negative_numbers = true)]
    pub(super) sweeps: Option<u64>,

    /// Sweeps between measurements; the end is measured as well [default: 10]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=1u64 << 40), allow_negative_numbers = true)]
    pub(super) every: Option<u64>,

    /// Search for this time, such as 10s, 5m or 1h. Reading MODEL counts, up to half of it. A short, then a long
    /// anneal fill it; small problems and runs with --target have more, each as long as all before it. Each
    /// anneal ends with a zero-temperature descent, at 100 times --beta-max. With --sweeps, anneals of this
    /// length are repeated until the time is over; an incomplete one at the end counts for the best spins only
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true,
        conflicts_with = "checkpoint")]
    pub(super) time: Option<Duration>,

    /// Stop as soon as a measurement finds this energy or less (a cut: or more), and report the time
    #[arg(long, value_name = "E", value_parser = finite, allow_negative_numbers = true)]
    pub(super) target: Option<f64>,

    /// Number of threads [default: one per core; under mpirun, one per rank]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024), allow_negative_numbers = true)]
    pub(super) threads: Option<u16>,

    #[command(flatten)]
    pub(super) device: device::Argument,

    /// Equilibration: initial sweeps that the means exclude. Those of an exchange [default: a fifth of
    /// --sweeps]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(0..=1u64 << 40), allow_negative_numbers = true)]
    pub(super) warm_up: Option<u64>,

    /// Smallest inverse temperature [default: of an anneal, where the stiffest spin accepts half of its
    /// proposals: ln 2 / 2 / the largest sum of magnitudes at a site; of an exchange, and with --time and no
    /// --sweeps, 0.1 / rms local field]
    #[arg(long, value_name = "BETA", value_parser = positive, allow_negative_numbers = true)]
    pub(super) beta_min: Option<f64>,

    /// Largest inverse temperature [default: of an anneal, where one excitation is left in the system in a
    /// hundred reads: ln (100 n) / 2 / the smallest magnitude, which n sites have; of an exchange, and with
    /// --time and no --sweeps, 10 / rms local field]
    #[arg(long, value_name = "BETA", value_parser = positive, allow_negative_numbers = true)]
    pub(super) beta_max: Option<f64>,

    /// Spacing of the values between the smallest and the largest one [default: auto for a classical
    /// exchange, linear for a classical anneal with --time and no --sweeps, else geometric]
    #[arg(long, value_enum)]
    pub(super) spacing: Option<Spacing>,

    /// Explicit ladder of an exchange, ascending or descending: of beta, or of gamma if --beta is
    /// given. A single value is allowed
    #[arg(long, value_name = "X1,X2,..", value_delimiter = ',', value_parser = positive, allow_negative_numbers = true)]
    pub(super) ladder: Option<Vec<f64>>,

    /// Number of rungs of an exchange [default: 16]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(2..=65536), allow_negative_numbers = true)]
    pub(super) replicas: Option<u32>,

    /// Number of Trotter slices, 2 to 2^30, or `continuous` for 2^30; makes the system a quantum system. Kinds other
    /// than worldline take at most 65536 [default: with --gamma or --kind worldline 65536]
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub(super) slices: Option<Slices>,

    /// Slices whose spins --samples writes; of worldlines only [default: 0]
    #[arg(long, value_name = "S1,S2,..", value_delimiter = ',', value_parser = whole::<u32>(0..=(1 << 30) - 1),
        allow_negative_numbers = true)]
    pub(super) read_out: Option<Vec<u32>>,

    /// Cluster sweeps in space and imaginary time (Swendsen-Wang) after each sweep of worldlines. They shorten the
    /// autocorrelation near a transition of a problem whose couplings are not frustrated [default: 0]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(0..=1000), allow_negative_numbers = true)]
    pub(super) clusters: Option<u32>,

    /// Transverse field of a quantum system; the final one if the field changes
    #[arg(long, value_name = "GAMMA", value_parser = positive, allow_negative_numbers = true)]
    pub(super) gamma: Option<f64>,

    /// Initial transverse field
    #[arg(long, value_name = "GAMMA", value_parser = positive, allow_negative_numbers = true)]
    pub(super) gamma_max: Option<f64>,

    /// Inverse temperature of a quantum system, if the field changes
    #[arg(long, value_name = "BETA", value_parser = positive, allow_negative_numbers = true)]
    pub(super) beta: Option<f64>,

    /// Table of the fields of an anneal, interpolated over its steps: columns named gamma, or beta and gamma, or A(s)
    /// and B(s) of a quantum annealer, with H = -A/2 sum sigma^x + B/2 E and --beta in inverse units of A and B.
    /// Optional columns s or t place the rows, else they have equal distances. Separated by commas, semicolons, tabs
    /// or spaces
    #[arg(long, value_name = "FILE")]
    pub(super) schedule: Option<PathBuf>,

    /// Acceptance probability of a spin flip
    #[arg(long, value_enum, default_value_t)]
    pub(super) acceptance: FlipRule,

    /// Arithmetic of the sweeps: f32 or exact integers, see hotloops::ising::Kind; each kind follows
    /// its own trajectory. worldline: quantum systems as lists of kinks, at a cost that does not depend
    /// on --slices. auto: the fastest accurate one; worldline for more slices than 8 beta gamma
    #[arg(long, value_name = "KIND", value_parser = kinds(), default_value = "auto")]
    pub(super) kind: KindChoice,

    /// Print the measures of the problem, the kinds that can run it and the one that is chosen, and
    /// do nothing else
    #[arg(long, conflicts_with_all = ["spins", "samples", "series", "observables", "rungs", "rungs_svg", "overlaps",
        "svg", "checkpoint", "checkpoint_seconds", "seed", "warm_up", "correlation", "clusters"])]
    pub(super) explain: bool,

    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = whole::<u32>(0..=u32::MAX), allow_negative_numbers = true)]
    pub(super) seed: u32,

    /// Form of the output. JSON has the best spins too
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Form,

    /// Write to FILE [default: standard output, `-`]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,

    /// Write the best spins, one line `i s` per site, numbered as in MODEL; in a QUBO s is 0 or 1
    #[arg(long, value_name = "FILE")]
    pub(super) spins: Option<PathBuf>,

    /// Write the final spins of all systems, one line each: energy (cut, objective), then the spins
    /// as + and -, in a QUBO as 1 and 0. Run by run, or rung by rung; of a quantum system all
    /// slices. A name in .npy makes a structured array for numpy, with the fields `energy` (`cut`,
    /// `objective`) and `spins`
    #[arg(long, value_name = "FILE")]
    pub(super) samples: Option<PathBuf>,

    /// Write the time series, one line per measurement and model. A line has the mean and the best
    /// energy, cut or objective of its systems
    #[arg(long, value_name = "FILE")]
    pub(super) series: Option<PathBuf>,

    /// Measure and print more observables of an exchange at each rung, defined below. Means and
    /// errors come from the measurements after the warm-up
    #[arg(long)]
    pub(super) observables: bool,

    /// Write the rungs of an exchange, one line each, with all observables, errors and swap rates
    #[arg(long, value_name = "FILE")]
    pub(super) rungs: Option<PathBuf>,

    /// Plot all observables against beta
    #[arg(long, value_name = "FILE")]
    pub(super) rungs_svg: Option<PathBuf>,

    /// Write the distribution P(q) of the overlap, one line per rung and bin
    #[arg(long, value_name = "FILE")]
    pub(super) overlaps: Option<PathBuf>,

    /// Write the correlation of spins in imaginary time, C(tau) = sum <s_i(0) s_i(tau)> / N of worldlines, from tau = 0
    /// to beta / 2, one line per rung and lag; the report then has the gap of its decay
    #[arg(long, value_name = "FILE")]
    pub(super) correlation: Option<PathBuf>,

    /// Plot to FILE, as SVG. It shows energy against sweeps
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,

    /// Save finished work to FILE; continue from FILE if it exists. It is saved periodically, when interrupted, and
    /// at the end (a killed run may leave a temporary file `.FILE.<digits>` beside it, which can be deleted). A run
    /// continues with the same options. An exchange may continue with more --sweeps; its means still begin after the
    /// first run's warm-up. An anneal cannot, since its temperatures depend on --sweeps
    #[arg(long, value_name = "FILE")]
    pub(super) checkpoint: Option<PathBuf>,

    /// Seconds between checkpoints [default: 60]
    #[arg(long, value_name = "SECONDS", requires = "checkpoint", conflicts_with = "time",
        value_parser = whole::<u32>(0..=1_000_000), allow_negative_numbers = true)]
    pub(super) checkpoint_seconds: Option<u32>,
}

fn after_help() -> String {
    format!(
        "Observables (--observables, --rungs, --rungs-svg, --overlaps), with N spins:\n{}\
         Of worldlines (without --overlaps), with E the energy with the transverse field:\n{}  \
         Errors are jackknife errors: from blocks of copies with 32 copies or more, else from blocks of time.\n\n\
         Example:\n  hotloops ising model.coo --method exchange --sweeps 10000 --svg energy.svg",
        definitions(false),
        definitions(true)
    )
}

impl Arguments {
    /// The input files and their names.
    pub(super) fn inputs(&self) -> impl Iterator<Item = (&str, &Path)> {
        let schedule = self.schedule.as_deref().map(|path| ("--schedule", path));
        [("MODEL", self.model.as_path())].into_iter().chain(schedule)
    }

    pub(super) fn is_quantum(&self) -> bool {
        self.slices.is_some() || self.gamma.is_some() || self.schedule.is_some() || self.kind == KindChoice::Worldline
    }

    /// Whether the observables of an exchange are measured.
    pub(super) fn observes(&self) -> bool {
        let files = [&self.rungs, &self.rungs_svg, &self.overlaps, &self.correlation];
        self.observables || files.into_iter().any(|file| file.is_some())
    }
}

/// A number within the range of f32, with room for products and quotients.
fn positive(word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(value) if (1e-30..=1e30).contains(&value) => Ok(value),
        _ => Err("expected a positive number from 1e-30 to 1e30, such as 0.5".to_owned()),
    }
}

fn kinds() -> impl TypedValueParser<Value = KindChoice> {
    let kind = |name: String| {
        let layers = Kind::ALL.into_iter().find(|&kind| kind_name(kind) == name);
        layers.map_or(KindChoice::Worldline, KindChoice::Layers)
    };
    let names = Kind::ALL.map(|kind| &*kind_name(kind).leak()).into_iter().chain(["worldline"]);
    PossibleValuesParser::new(names).map(kind)
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
