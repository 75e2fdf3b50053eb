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

/// Hard-to-round cases of elementary functions: arguments whose results are next to a breakpoint of rounding
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    job: Job,
}

#[derive(Subcommand)]
enum Job {
    Search(search::Arguments),
    /// Join the files of all shards of a search; refuses gaps and overlaps, and so the file that comes out is complete
    Merge {
        /// Files of `search --shard`, in any order
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Write the lines to a file in place of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Evaluate each case of a file anew, at high precision, and compare all that its line says
    Verify {
        /// A file of `search` or `merge`
        file: PathBuf,
    },
    /// Compare a file with a list of known cases: says what is missing on either side
    Compare {
        /// A file of `search` or `merge`
        file: PathBuf,
        /// Arguments in hexadecimal, the first word of each line; those outside of the search do not count
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
