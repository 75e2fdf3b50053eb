//! `hotloops hardround`: hard-to-round cases of elementary functions.
//!
//! The search itself is the crate hotloops-hardround.
//!
//! ```text
//! problem.rs  options  ->  the definition of a search, its header
//! search.rs   the command `hotloops hardround search`
//! estimate.rs its cost, before it starts
//! cluster.rs  units    ->  ranks of MPI (feature `mpi`)
//! journal.rs  units    ->  checkpoint, from which an interrupted search continues
//! table.rs    cases    ->  lines, and back
//! lists.rs    lines    ->  merged, verified, compared
//! ```

#[cfg(feature = "mpi")]
mod cluster;
mod estimate;
mod io;
mod journal;
mod lists;
#[cfg(test)]
mod mutations;
mod problem;
mod search;
mod table;

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
    /// Join the files of all shards of a search; refuses gaps and overlaps, so the result is
    /// complete
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
    /// Compare a file with a list of known cases and report the cases that only one of them has
    #[command(after_help = "Example:\n  hotloops hardround compare exp.tsv exp.wc")]
    Compare {
        /// A file of `search` or `merge`
        file: PathBuf,
        /// List of hexadecimal arguments, the first word of each line; those outside the search are
        /// ignored
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
