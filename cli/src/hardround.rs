//! `hotloops hardround`: hard-to-round cases of elementary functions.
//!
//! ```text
//! function, interval, grid  ->  segments       segment.rs   arguments of one step, results of one ulp, no inflection
//! segments                  ->  units of work  plan.rs      numbered, so that threads, shards and files share them
//! unit                      ->  cases          search.rs    Taylor series, blocks, a search of them, judgement
//! block                     ->  arguments      three_phase.rs   as older programs find them, by tests of lines
//! units                     ->  ranks of MPI   cluster.rs   with the feature `mpi`
//! units                     ->  their number   chance.rs    of cases, by chance
//! units done                ->  a file         journal.rs   so that a search that was stopped goes on
//! cases                     ->  lines          table.rs     and back
//! segment, argument         ->  judgement      judge.rs     result, breakpoint and distance, whatever precision it takes
//! lines                     ->  joined, verified, compared   lists.rs
//! values and derivatives                       function.rs  on numbers of fixed point, fixed.rs
//! ```

mod chance;
#[cfg(feature = "mpi")]
mod cluster;
#[cfg(test)]
mod counts;
mod fixed;
mod function;
mod io;
mod journal;
mod judge;
mod lists;
#[cfg(test)]
mod mutations;
mod plan;
mod search;
mod segment;
mod table;
#[cfg(test)]
mod tests;
mod three_phase;

use std::path::PathBuf;

use clap::Subcommand;

use crate::failure::Failure;

/// Search hard-to-round cases of elementary functions: arguments whose results are very close to a
/// rounding breakpoint
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops hardround search --func exp --from 1 --to 0x1.001p0 --within 0x1p-38")]
pub struct Arguments {
    #[command(subcommand)]
    job: Job,
}

#[derive(Subcommand)]
enum Job {
    Search(search::Arguments),
    /// Join the files of all shards of a search; refuses gaps and overlaps, so the result is complete
    #[command(after_help = "Example:\n  hotloops hardround merge part1.tsv part2.tsv --out all.tsv")]
    Merge {
        /// Files of `search --shard`, in any order
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Write to FILE instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Recompute each case of a file at high precision and check its line
    #[command(after_help = "Example:\n  hotloops hardround verify all.tsv")]
    Verify {
        /// A file of `search` or `merge`
        file: PathBuf,
    },
    /// Compare a file with a list of known cases and report what is missing on either side
    #[command(after_help = "Example:\n  hotloops hardround compare exp.tsv exp.wc")]
    Compare {
        /// A file of `search` or `merge`
        file: PathBuf,
        /// List of hexadecimal arguments, the first word of each line; those outside the search are ignored
        list: PathBuf,
    },
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.job {
        Job::Search(arguments) => search::run(arguments),
        Job::Merge { files, out } => lists::merge(files, out.as_deref()),
        Job::Verify { file } => lists::verify(file),
        Job::Compare { file, list } => lists::compare(file, list),
    }
}
