//! `hotloops ladder`: the experiment of Dickson, Karimi and Hamze (J. Comput. Phys. 230, 2011) on
//! this machine.

mod experiment;
mod report;

use std::num::NonZero;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hotloops_bench_support::workload::{LAYERS, MODELS, Problem};

use crate::coo;
use crate::failure::Failure;
use crate::form::Form;
use crate::job::threads;
use crate::output::NewFile;
use crate::whole::whole;
use experiment::LadderPlan;

/// Maximum number of spins in all layers of a model.
const MAX_SPINS: usize = 1 << 22;

/// Valid range of the largest coupling or field of a model. Temperatures are searched in this
/// range.
const STRENGTHS: RangeInclusive<f32> = 1e-5..=1e6;

/// Repeat the paper's measurement: the Ising sweep at each level of optimisation, from the original
/// code to this library's best
///
/// Sweeps 115 models of 256 layers x 96 spins, on one thread and on all cores, in about a minute.
/// A.1a and A.2a are unoptimised builds, in C; the paper's own speed-ups stand beside ours. The
/// levels are measured alternately; figures are medians, and void if the interquartile range
/// exceeds 30 % of the median. Each level is also checked against its
/// reference; a difference ends with status 1.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops ladder --quick --svg ladder.svg")]
pub struct Arguments {
    /// Problem of one layer: lines `i j J` (coupling) and `i i h` (field), spins from 0, `#` for
    /// comments [default: the problem of the paper, 4 x 3 Chimera cells]
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,

    /// Number of layers per model
    #[arg(long, value_name = "L", default_value_t = LAYERS as u32,
        value_parser = whole::<u32>(2..=65536), allow_negative_numbers = true)]
    layers: u32,

    /// Seed of the random numbers. They decide the starting spins and the built-in problem too
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = whole::<u32>(0..=u32::MAX), allow_negative_numbers = true)]
    seed: u32,

    /// Measure for a few seconds only; figures are less accurate
    #[arg(long)]
    quick: bool,

    /// Total time instead; tests need no figures
    #[arg(long, value_name = "S", hide = true)]
    seconds: Option<u64>,

    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    format: Form,

    /// Write to FILE [default: standard output, `-`]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Plot to FILE, as SVG. It is a bar chart of the speed-ups
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let (problem, title) = problem(&arguments)?;
    let out = NewFile::or_standard_output("--out", arguments.out.as_deref())?;
    out.check_inputs("--out", arguments.model.as_deref().map(|path| ("--model", path)))?;
    let picture = arguments.svg.as_deref().map(|path| NewFile::create("--svg", path)).transpose()?;
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    // As many models as in the paper, fewer if they are larger.
    let fitting = (1 << 22) / problem.spins();
    let plan = LadderPlan {
        models: fitting.min(if arguments.quick { 16 } else { MODELS }).max(threads),
        threads,
        seed: arguments.seed,
        total: Duration::from_secs(arguments.seconds.unwrap_or(if arguments.quick { 8 } else { 55 })),
        problem: Arc::new(problem),
    };
    threads::start(None)?;
    let outcome = experiment::run(&plan)?;
    let text = match arguments.format {
        Form::Json => report::json(&outcome),
        Form::Text => report::text(&outcome, &title),
    };
    out.write(text.as_bytes())?;
    if let Some(file) = picture {
        file.write(report::picture(&outcome, &title)?.as_bytes())?;
    }
    match outcome.rows.iter().find(|row| !row.verified) {
        Some(row) => Err(Failure::Job(format!("{} on {} differs from its reference", row.level, row.isa))),
        None => Ok(()),
    }
}

/// The chosen problem, rounded so that f32 adds its values exactly, and a line that describes it.
fn problem(arguments: &Arguments) -> Result<(Problem, String), Failure> {
    let layers = arguments.layers as usize;
    let (mut problem, name) = match &arguments.model {
        None => (Problem { layers, ..Problem::paper(arguments.seed) }, "the paper's problem".to_owned()),
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
    let change = problem.round_to_exact_sums();
    let mut title = format!("{name}: {layers} layers of {sites} spins, {} couplings", problem.couplings.len());
    if change > 0.0 {
        title += &format!(", rounded by at most {change:.1e} so that all sums are exact");
    }
    Ok((problem, title))
}
