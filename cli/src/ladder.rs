//! `hotloops ladder`: the experiments of the sources on this machine.

mod document;
mod report;

use std::fs;
use std::num::NonZero;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser};
use hotloops_bench_support::ladder::{Effort, Part};
use hotloops_bench_support::sources::{self, SOURCES, Source};
use hotloops_bench_support::workload::{LAYERS, Problem};
use hotloops_gpu::ising::paper::Layers;
use hotloops_gpu::{Choice, Queue};

use crate::cluster::Cluster;
use crate::coo;
use crate::device;
use crate::failure::Failure;
use crate::job::progress;
use crate::output::{self, NewFile};
use crate::whole::whole;

/// The words of the source that takes a problem, and of all sources.
const ISING: &str = "ising";
const ALL: &str = "all";

/// Maximum number of spins in all layers of a model.
const MAX_SPINS: usize = 1 << 22;

/// Valid range of the largest coupling or field of a model. Temperatures are searched in this
/// range.
const STRENGTHS: RangeInclusive<f32> = 1e-5..=1e6;

/// Repeat the experiments of a published system: each step from its original program to this library's best
///
/// Prints the source's figure, ours on this machine and why they differ, then our rows for each instruction set. The
/// rungs of a table are measured alternately; figures are medians, and void if the interquartile range exceeds 30 % of
/// the median. Each result is compared with its reference; a difference ends with status 1.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops ladder ising --quick --svg ladder.svg")]
pub struct Arguments {
    /// Source whose experiments are repeated
    #[arg(value_name = "SOURCE", default_value = ISING, value_parser = words())]
    source: String,

    /// Problem of one layer, for ising: lines `i j J` (coupling) and `i i h` (field), spins from 0, `#` for comments
    /// [default: the problem of the paper, 4 x 3 Chimera cells]
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,

    /// Number of layers per model, for ising [default: 256]
    #[arg(long, value_name = "L", value_parser = whole::<u32>(2..=65536), allow_negative_numbers = true)]
    layers: Option<u32>,

    /// Seed of the random numbers. Those of ising, which decide the starting spins and the built-in problem too
    /// [default: 1]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(0..=u32::MAX), allow_negative_numbers = true)]
    seed: Option<u32>,

    /// Number of threads. Experiments that scale run on 1, 2, 4, .. and this many [default: one per core]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024), allow_negative_numbers = true)]
    threads: Option<u16>,

    /// Run the kernels on OpenCL devices: cpu, auto, all, or a number of `hotloops devices`. Here the source's programs
    /// for GPUs, beside the others; only ising has such programs. `auto` takes all GPUs, or none if there is none
    #[arg(long, value_name = "DEVICE", default_value = "cpu", allow_negative_numbers = true)]
    device: Choice,

    /// Measure for a few seconds only; figures are less accurate. Each source takes some 15 seconds
    #[arg(long)]
    quick: bool,

    /// Total time of a source instead; tests need no figures
    #[arg(long, value_name = "S", hide = true)]
    budget: Option<u64>,

    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    format: Form,

    /// Write to FILE [default: standard output, `-`]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Plot to FILE, as SVG. It is a bar chart of the speed-ups in all tables
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Plot to files in this folder. They are the curves, one in each file; clifford and bits have none
    #[arg(long, value_name = "DIR")]
    svg_dir: Option<PathBuf>,
}

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
enum Form {
    /// Tables to read
    #[default]
    Text,
    /// All figures as JSON
    Json,
    /// A document
    Markdown,
}

/// The results of one source.
struct Outcome {
    source: &'static Source,
    parts: Vec<Part>,
}

pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let problem = problem(&arguments)?;
    let devices = devices(&arguments, &problem)?;
    let out = NewFile::or_standard_output("--out", arguments.out.as_deref())?;
    out.check_inputs("--out", arguments.model.as_deref().map(|path| ("--model", path)))?;
    let picture = arguments.svg.as_deref().map(|path| NewFile::create("--svg", path)).transpose()?;
    let chosen = |source: &&Source| [ALL, source.word].contains(&arguments.source.as_str());
    let sources: Vec<_> = SOURCES.iter().filter(chosen).collect();
    let folder = arguments.svg_dir.as_deref();
    folder.map(|folder| create_folder(folder, &sources)).transpose()?;
    let effort = effort(&arguments);
    let outcomes = sources.into_iter().map(|source| measure(source, &problem, &devices, &effort));
    let outcomes = outcomes.collect::<Result<Vec<_>, _>>()?;
    let text = match arguments.format {
        Form::Json => report::json(&outcomes),
        Form::Text => report::text(&outcomes),
        Form::Markdown => document::markdown(&outcomes),
    };
    // A reader that is gone does not take the pictures away.
    let shown = out.write(text.as_bytes());
    if let Some(file) = picture {
        file.write(report::picture(&outcomes)?.as_bytes())?;
    }
    if let Some(folder) = folder {
        for (name, picture) in report::curves(&outcomes)? {
            NewFile::create("--svg-dir", &folder.join(name))?.write(picture.as_bytes())?;
        }
    }
    shown?;
    report::wrong(&outcomes).map_or(Ok(()), |what| Err(Failure::Job(format!("{what} differs from its reference"))))
}

/// The sources by name, and `all`.
fn words() -> PossibleValuesParser {
    let words = SOURCES.iter().map(|source| PossibleValue::new(source.word).help(source.title));
    PossibleValuesParser::new(words.chain([PossibleValue::new(ALL).help("All of them")]))
}

/// Creates the folder of the curves, and tries to create a file there: an unusable folder is reported before the work.
fn create_folder(folder: &Path, sources: &[&Source]) -> Result<(), Failure> {
    output::check_folder("--svg-dir ", folder)?;
    if !sources.iter().any(|source| source.has_curves) {
        let word = sources.first().map_or(ALL, |source| source.word);
        return Err(Failure::Usage(format!("--svg-dir has no effect: {word} has no curves; leave it out")));
    }
    fs::create_dir_all(folder)
        .map_err(|error| Failure::Usage(format!("--svg-dir {}: {error}; choose another folder", folder.display())))?;
    NewFile::create("--svg-dir", &folder.join("curves.svg")).map(drop)
}

fn effort(arguments: &Arguments) -> Effort {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let most = arguments.threads.map_or(cores, usize::from);
    let threads = Effort::threads_up_to(most);
    let seconds = arguments.budget.unwrap_or(if arguments.quick { 15 } else { 60 });
    Effort { budget: Duration::from_secs(seconds), is_quick: arguments.quick, threads }
}

/// The devices of the programs for GPUs. None for the CPU alone.
fn devices(arguments: &Arguments, problem: &Chosen) -> Result<Vec<Queue>, Failure> {
    let layers = problem.as_ref().map_or(LAYERS, |(problem, _)| problem.layers);
    let unfit = match arguments.source.as_str() {
        ISING | ALL => Layers::unfit(layers),
        source => Some(format!("{source} has no programs for devices; ising has")),
    };
    device::Argument::of(arguments.device).open_if(&Cluster::of_one(), unfit)
}

fn measure(source: &'static Source, problem: &Chosen, devices: &[Queue], effort: &Effort) -> Result<Outcome, Failure> {
    let in_force = hotloops::isa::active();
    let bar = progress::bar(effort.budget.as_millis() as u64);
    let begin = std::time::Instant::now();
    let mut step = |what: &str| {
        bar.set_message(format!("{}: {what}", source.word));
        bar.set_position(begin.elapsed().as_millis() as u64);
    };
    let parts = match problem {
        None if source.word != ISING => Ok((source.run)(effort, &mut step)),
        chosen => {
            let (problem, seed) = chosen.clone().unwrap_or_else(|| (Arc::new(Problem::paper(1)), 1));
            sources::ising::on_devices(effort, problem, seed, devices, &mut step)
        }
    };
    hotloops::isa::set(in_force).expect("it was in force");
    bar.finish_and_clear();
    Ok(Outcome { source, parts: parts? })
}

/// The problem of ising and the seed, unless they are the paper's and 1.
type Chosen = Option<(Arc<Problem>, u32)>;

/// The chosen problem, rounded so that f32 adds its values exactly.
fn problem(arguments: &Arguments) -> Result<Chosen, Failure> {
    let given = [
        ("--model", arguments.model.is_some()),
        ("--layers", arguments.layers.is_some()),
        ("--seed", arguments.seed.is_some()),
    ];
    let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given) else { return Ok(None) };
    if arguments.source != ISING {
        let found = &arguments.source;
        return Err(Failure::Usage(format!("{option} has no effect: {found} is not ising; leave it out")));
    }
    let layers = arguments.layers.map_or(LAYERS, |layers| layers as usize);
    let seed = arguments.seed.unwrap_or(1);
    let (mut problem, name) = match &arguments.model {
        None => (Problem { layers, ..Problem::paper(seed) }, "the paper's problem".to_owned()),
        Some(path) => {
            let coo::Couplings { couplings, fields } = coo::read("--model ", path)?;
            let couplings = couplings.into_iter().map(|(i, j, value)| (i, j, value as f32)).collect();
            let fields = fields.into_iter().map(|field| field as f32).collect();
            (Problem { layers, couplings, fields }, path.display().to_string())
        }
    };
    let (sites, spins) = (problem.sites(), problem.spins());
    if spins > MAX_SPINS {
        let text = format!("--layers {layers}: {layers} layers of {sites} spins are more than {MAX_SPINS} spins");
        return Err(Failure::Usage(text));
    }
    let values = problem.couplings.iter().map(|(_, _, coupling)| coupling).chain(&problem.fields);
    let largest = values.fold(0f32, |largest, value| largest.max(value.abs()));
    if largest != 0.0 && !STRENGTHS.contains(&largest) {
        let (min, max) = (STRENGTHS.start(), STRENGTHS.end());
        let text = format!(
            "the largest coupling or field is {largest:e}; scale the model so that it is from {min:e} to {max:e}"
        );
        return Err(Failure::Input(format!("--model {name}: {text}")));
    }
    problem.round_to_exact_sums();
    Ok(Some((Arc::new(problem), seed)))
}
