//! `hotloops hardround`: hard-to-round cases of elementary functions.
//!
//! The search itself is the crate hotloops-hardround.
//!
//! ```text
//! problem.rs  options  ->  the definition of a search, its header
//! search.rs   the command `hotloops hardround search`
//! estimate.rs its cost, before it starts
//! judge.rs    cases    ->  the verdict of this program or of MPFR (feature `mpfr`)
//! journal.rs  units    ->  checkpoint, from which an interrupted search continues
//! table.rs    cases    ->  lines, and back
//! lists.rs    lines    ->  merged, verified, compared
//! ```

mod estimate;
mod io;
mod journal;
mod judge;
mod lists;
#[cfg(test)]
mod mutations;
mod problem;
mod search;
mod table;

use std::path::PathBuf;

use clap::Subcommand;

use crate::cluster::Cluster;
use crate::failure::Failure;
use judge::Judge;

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
        /// Write to FILE [default: standard output, `-`]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Judge that recomputes the cases. Its verdict is in the header
        #[arg(long, value_enum, default_value = "own")]
        judge: Judge,
    },
    /// Recompute each case of a file at high precision and check its line
    #[command(after_help = "Example:\n  hotloops hardround verify all.tsv")]
    Verify {
        /// A file of `search` or `merge`
        file: PathBuf,
        /// Judge that recomputes the cases
        #[arg(long, value_enum, default_value = "own")]
        judge: Judge,
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

impl Arguments {
    /// Whether ranks share the job.
    pub fn are_shared(&self) -> bool {
        matches!(self.job, Job::Search(_))
    }
}

pub fn run(arguments: &Arguments, cluster: &Cluster) -> Result<(), Failure> {
    match &arguments.job {
        Job::Search(arguments) => search::run(arguments, cluster),
        Job::Merge { files, out, judge } => lists::merge(files, out.as_deref(), *judge),
        Job::Verify { file, judge } => lists::verify(file, *judge),
        Job::Compare { file, list } => lists::compare(file, list),
    }
}
