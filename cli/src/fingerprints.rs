//! `hotloops fingerprints`: jobs on binary fingerprints.

mod fps;
mod report;
mod search;

use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;

use hotloops::hamming::Similarity;

use crate::failure::{Failure, say};
use crate::memory;
use crate::output::NewFile;
use fps::Fingerprints;
use search::{Search, Wanted};

/// Similarity search in binary fingerprints of molecules (FPS files)
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops fingerprints search queries.fps targets.fps --tanimoto 0.7 --top 10")]
pub struct Arguments {
    #[command(subcommand)]
    job: Job,
}

#[derive(clap::Subcommand)]
enum Job {
    Search(SearchArguments),
}

/// Find the most similar targets of each query, on all cores
///
/// Both files are FPS text, as written by chemfp and Open Babel: optional header lines `#FPS1` and
/// `#num_bits=N`, then one line per fingerprint: hexadecimal digits, a tab, an id. Every line ends
/// in LF or CR LF, the last one too. As in chemfp, a blank line is an error.
///
/// Prints tab-separated lines of query, target and score, after a header line. Queries are in file
/// order; targets are sorted by score, ties in file order. Scores are printed so that they read
/// back as the same f32. The result does not depend on the number of threads or the instruction
/// set.
///
/// Both files are kept in memory, plus a buffer for hits: 128 MiB, or 48 bytes per target if that
/// is more, however many hits there are.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops fingerprints search queries.fps targets.fps --tanimoto 0.7 --top 10")]
struct SearchArguments {
    /// The query fingerprints
    query: PathBuf,

    /// The target fingerprints; may be the same file
    db: PathBuf,

    #[command(flatten)]
    measure: Measure,

    /// Maximum number of targets per query
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "all", value_parser = clap::value_parser!(u32).range(1..))]
    top: u32,

    /// Print all targets that reach the threshold
    #[arg(long)]
    all: bool,

    /// Similarity of two all-zero fingerprints: 1 as in RDKit, 0 as in chemfp
    #[arg(long, value_name = "0|1", default_value = "1", value_parser = ["0", "1"])]
    empty: String,

    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Print JSON, including queries without any hit
    #[arg(long)]
    json: bool,

    /// Write to FILE instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print counts and times to standard error, even if it is not a terminal
    #[arg(short, long)]
    verbose: bool,
}

/// A measure with its threshold.
#[derive(clap::Args)]
#[group(multiple = false)]
struct Measure {
    /// Minimum Tanimoto similarity (Jaccard's), c / (a + b - c), for popcounts a and b and c common
    /// bits [default: 0.7]
    #[arg(long, value_name = "T", value_parser = threshold, allow_negative_numbers = true)]
    tanimoto: Option<f32>,

    /// Minimum Dice similarity, 2 c / (a + b)
    #[arg(long, value_name = "T", value_parser = threshold, allow_negative_numbers = true)]
    dice: Option<f32>,

    /// Minimum cosine similarity, c / sqrt(a b)
    #[arg(long, value_name = "T", value_parser = threshold, allow_negative_numbers = true)]
    cosine: Option<f32>,
}

fn threshold(word: &str) -> Result<f32, String> {
    match word.parse::<f32>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0 to 1".to_owned()),
    }
}

impl Measure {
    fn choice(&self) -> (Similarity, f32) {
        match (self.dice, self.cosine) {
            (Some(threshold), _) => (Similarity::Dice, threshold),
            (_, Some(threshold)) => (Similarity::Cosine, threshold),
            _ => (Similarity::Tanimoto, self.tanimoto.unwrap_or(0.7)),
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Job::Search(a) = &arguments.job;
    let pool = memory::pool(a.threads)?;
    let file = a.out.as_deref().map(|path| NewFile::create("--out", path)).transpose()?;
    check_name(a, file.as_ref())?;

    let queries = memory::needed_for(&"the queries", || pool.install(|| fps::read(&a.query)))?;
    let targets = memory::needed_for(&"the targets", || pool.install(|| fps::read(&a.db)))?;
    check_bits(a, &queries, &targets)?;
    let (measure, threshold) = a.measure.choice();
    let top = if a.all { usize::MAX } else { a.top as usize };
    let wanted = Wanted { measure, threshold, empty: if a.empty == "1" { 1.0 } else { 0.0 }, top };
    let mut search = Search::new(&pool, &queries, &targets, &wanted);
    let mut write = |to: &mut dyn Write| match a.json {
        true => report::json(to, &queries, &targets, &wanted, &mut search),
        false => report::lines(to, &queries, &targets, &mut search),
    };
    memory::needed_for(&"the hits", || match file {
        Some(file) => file.write_with(write),
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            Ok(write(&mut out).and_then(|()| out.flush())?)
        }
    })?;
    if a.verbose || io::stderr().is_terminal() {
        let pairs = queries.len() as f64 * targets.len() as f64;
        let seconds = search.time.as_secs_f64();
        say(format_args!(
            "{} queries, {} targets, {} bits: {} hits; {pairs:.3e} pairs in {seconds:.2} s, {:.3e} pairs/s",
            queries.len(),
            targets.len(),
            queries.bits(),
            search.hits,
            pairs / seconds,
        ));
    }
    Ok(())
}

/// Rejects an --out that is one of the input files.
fn check_name(a: &SearchArguments, file: Option<&NewFile>) -> Result<(), Failure> {
    let Some(target) = file.map(NewFile::target) else { return Ok(()) };
    for (name, path) in [("QUERY", &a.query), ("DB", &a.db)] {
        if fs::canonicalize(path).is_ok_and(|path| path == target) {
            return Err(Failure::Usage(format!("--out {}: is the file of {name}; choose another", target.display())));
        }
    }
    Ok(())
}

fn check_bits(a: &SearchArguments, queries: &Fingerprints, targets: &Fingerprints) -> Result<(), Failure> {
    let (expected, found) = (queries.bits(), targets.bits());
    match expected == found {
        true => Ok(()),
        false => {
            let (db, query) = (a.db.display(), a.query.display());
            Err(Failure::Usage(format!("{db}: the fingerprints have {found} bits, but {query} has {expected}")))
        }
    }
}
