//! The arguments of the job.

use std::path::PathBuf;

use clap::ValueEnum;
use hotloops_hardround::Algorithm;

use super::super::judge::Judge;
use super::super::problem;
use crate::device;
use crate::failure::Failure;
use crate::whole::whole;

/// Find all hard cases of an interval
///
/// The interval --from <= x < --to is split automatically at every power of two of the argument or
/// the result. Each case found is verified at high precision before it is written. The output does
/// not depend on the number of threads, the instruction set, the algorithm or the shards.
///
/// Under mpirun (a command built with the feature `mpi`), all ranks search, each with one thread or
/// --threads; rank 0 also distributes the work and writes the files. If a rank dies, mpirun reports it
/// and ends all ranks; the same command continues from its --checkpoint.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  hotloops hardround search --func log --from 1.5 --to 1.5001 --bits 44 --out log.tsv"
)]
pub struct Arguments {
    #[command(flatten)]
    pub(super) problem: problem::Definition,

    /// Search algorithm; all find the same cases [default: dual; three-phase on a device]
    #[arg(long, value_parser = problem::algorithm())]
    algorithm: Option<Algorithm>,

    #[command(flatten)]
    pub(super) device: device::Argument,

    /// Number of threads [default: one per core; under mpirun, one per rank]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024), allow_negative_numbers = true)]
    pub(super) threads: Option<u16>,

    /// Search only part I of N (I from 1 to N); `hardround merge` joins the parts
    #[arg(long, value_name = "I/N", value_parser = shard, allow_hyphen_values = true)]
    pub(super) shard: Option<Shard>,

    /// Print the expected cases and core-hours of each binade, from a few timed units; search
    /// nothing
    #[arg(long, conflicts_with_all = ["device", "checkpoint", "out", "format", "progress", "every_line", "judge"])]
    pub(super) estimate: bool,

    /// Save finished work to FILE; continue from FILE if it exists. A kill loses at most the
    /// last 0.1 s of finished work, a power failure the last second
    #[arg(long, value_name = "FILE")]
    pub(super) checkpoint: Option<PathBuf>,

    /// Write to FILE [default: standard output, `-`]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,

    /// Form of the output
    #[arg(long, value_enum, default_value = "tsv")]
    pub(super) format: Lines,

    /// Judge that recomputes the cases. Its verdict is in the header
    #[arg(long, value_enum, default_value = "own")]
    pub(super) judge: Judge,

    /// Write a line for every case. By default, a run of more than 65536 arguments that are all
    /// cases is one line of the header
    #[arg(long)]
    pub(super) every_line: bool,

    /// Seconds between lines of progress, if standard error is not a terminal
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
        value_parser = whole::<u64>(0..=1_000_000), allow_negative_numbers = true)]
    pub(super) progress: u64,
}

impl Arguments {
    /// The algorithm on the CPU, or on devices, which run the first phase of three.
    pub(super) fn algorithm(&self, on_devices: bool) -> Result<Algorithm, Failure> {
        match self.algorithm {
            None if on_devices => Ok(Algorithm::ThreePhase),
            None => Ok(Algorithm::Dual),
            Some(Algorithm::Dual | Algorithm::Farey) if on_devices => Err(Failure::Usage(
                "--algorithm: devices run three-phase and three-phase-lefevre; use one of these, or --device cpu"
                    .to_owned(),
            )),
            Some(algorithm) => Ok(algorithm),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(super) enum Lines {
    /// A header, then one line per case: argument, result, identical bits, breakpoint, side,
    /// distance
    Tsv,
    /// The argument of each case, in the format of published lists of worst cases
    Wc,
    /// The index of each case's argument, counted from --from
    Index,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Shard {
    pub(super) part: u64,
    pub(super) parts: u64,
}

fn shard(word: &str) -> Result<Shard, String> {
    let number = |word: &str| word.parse::<u64>().ok().filter(|number| (1..1 << 32).contains(number));
    let numbers = word.split_once('/').and_then(|(part, parts)| Some((number(part)?, number(parts)?)));
    match numbers {
        Some((part, parts)) if part <= parts => Ok(Shard { part, parts }),
        _ => Err("expected I/N with I from 1 to N, such as 3/64".to_owned()),
    }
}
