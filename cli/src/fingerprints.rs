//! `hotloops fingerprints`: jobs on binary fingerprints.

mod cluster;
mod database;
mod devices;
mod file;
mod fps;
mod header;
mod hex;
mod index;
mod journal;
mod matrix;
mod measure;
mod pairs;
mod pick;
mod report;
mod search;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use crate::cluster::Cluster;
use crate::device;
use crate::failure::{Failure, say};
use crate::memory;
use crate::output::NewFile;
use crate::whole::whole;
use database::Database;
use devices::Devices;
use fps::Fingerprints;
use search::{Search, Wanted};

/// Similarity search, clusters and picks of binary fingerprints of molecules (FPS files)
///
/// Files of fingerprints are FPS text, as written by chemfp and Open Babel, plain or compressed by
/// gzip or zstd, or `-` for standard input: optional header lines, then one line per fingerprint:
/// hexadecimal digits of either case, a tab, an id; a further tab and the text after it are ignored. Every
/// line ends in LF or CR LF, the last one too. As in chemfp, a blank line is an error.
///
/// Header lines are `#FPS1` and `#key=value`. `num_bits` and `num_bytes` are compared with the digits;
/// without `num_bits`, fingerprints have 4 bits for each digit, and fit others of as many bytes. If `type`
/// or `aromaticity` of two files differ, there is a warning. Other keys change nothing.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  hotloops fingerprints search queries.fps targets.fps --tanimoto 0.7 --top 10

RDKit makes fingerprints. In Python, after `from rdkit.Chem import MolFromSmiles`, `from rdkit.DataStructs
import BitVectToFPSText` and `from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator`, this prints
the line of a molecule:
  print(BitVectToFPSText(GetMorganGenerator().GetFingerprint(MolFromSmiles('CCO'))), 'ethanol', sep='\\t')")]
pub struct Arguments {
    #[command(subcommand)]
    job: Job,
}

#[derive(clap::Subcommand)]
enum Job {
    Search(Box<SearchArguments>),
    Index(index::Arguments),
    Verify(index::VerifyArguments),
    Matrix(matrix::Arguments),
    Cluster(cluster::Arguments),
    Pick(pick::Arguments),
}

/// Find the most similar targets of each query, on all cores
///
/// QUERY is FPS text (`hotloops fingerprints --help` describes it). DB is FPS text or a file by
/// `hotloops fingerprints index`, which is mapped instead of read.
///
/// Prints tab-separated lines of query, target and score, after a header line. Queries are in file
/// order; targets are sorted by score, ties in file order. Scores are printed so that they read
/// back as the same f32. The result does not depend on the number of threads, the instruction set
/// or the kind of DB.
///
/// Under mpirun (a command built with the feature `mpi`), each rank searches a part of the targets, and rank
/// 0 merges the hits. Of FPS text, a rank indexes its own part only; of an index file, it reads no more.
///
/// FPS text is kept in memory, the targets twice (as rows and as an index), plus a buffer for hits:
/// 128 MiB, or 80 bytes per target if that is more, however many hits there are.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops fingerprints search queries.fps targets.fps --tanimoto 0.7 --top 10")]
struct SearchArguments {
    /// The query fingerprints
    query: PathBuf,

    /// The target fingerprints, FPS text or an index file. FPS text may be the file of QUERY
    db: PathBuf,

    #[command(flatten)]
    measure: measure::Directed,

    /// Maximum number of targets per query
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "all",
        value_parser = whole::<u32>(1..=u32::MAX), allow_negative_numbers = true)]
    top: u32,

    /// Print all targets that reach the threshold
    #[arg(long)]
    all: bool,

    /// Refuse fingerprints whose #type or #aromaticity differ. Without it there is a warning on standard error
    #[arg(long)]
    strict_type: bool,

    /// Compare the checksums of DB first, which must be an index file
    #[arg(long)]
    verify: bool,

    /// Number of threads [default: one per core; under mpirun, one per rank]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024), allow_negative_numbers = true)]
    threads: Option<u16>,

    #[command(flatten)]
    device: device::Argument,

    /// Form of the output
    #[arg(long, value_enum, default_value = "tsv")]
    format: Form,

    /// Write to FILE [default: standard output, `-`]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print counts to standard error. By default only if it is a terminal
    #[arg(short, long)]
    verbose: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Form {
    /// A header, then a line for each hit
    Tsv,
    /// An object, which has queries without any hit too
    Json,
}

impl Arguments {
    /// Whether ranks share the job.
    pub fn are_shared(&self) -> bool {
        matches!(self.job, Job::Search(_) | Job::Matrix(_) | Job::Cluster(_))
    }
}

pub fn run(arguments: &Arguments, cluster: &Cluster) -> Result<(), Failure> {
    match &arguments.job {
        Job::Search(arguments) => search(arguments, cluster),
        Job::Index(arguments) => index::run(arguments),
        Job::Verify(arguments) => index::verify(arguments),
        Job::Matrix(arguments) => matrix::run(arguments, cluster),
        Job::Cluster(arguments) => cluster::run(arguments, cluster),
        Job::Pick(arguments) => pick::run(arguments),
    }
}

fn search(a: &SearchArguments, cluster: &Cluster) -> Result<(), Failure> {
    let pool = cluster.pool(a.threads)?;
    let out = a.out.as_deref().filter(|_| cluster.leads());
    let file = out_file(out, &[("QUERY", &a.query), ("DB", &a.db)])?;
    cluster.check_input("QUERY", &a.query)?;
    cluster.check_input("DB", &a.db)?;
    if [&a.query, &a.db].iter().all(|path| path.as_os_str() == "-") {
        return Err(Failure::Usage(
            "QUERY and DB cannot both be standard input; give a file for one of them".to_owned(),
        ));
    }
    let mut queries = memory::needed_for(&"the queries", || pool.install(|| fps::read(&a.query)))?;
    // Devices compare all rows: they need no index.
    let queues = a.device.open(cluster)?;
    let has_devices = !queues.is_empty();
    let part = |rows| if has_devices { 0..0 } else { cluster.part(rows) };
    let open = || pool.install(|| Database::open_part(&a.db, part));
    let targets = memory::needed_for(&"the targets", open)?;
    fit(&mut queries, &a.query, &targets, &a.db, a.strict_type)?;
    if a.verify {
        if targets.first().is_some() {
            let why = "DB is FPS text, which has no checksums; leave it out, or make an index by `fingerprints index`";
            return Err(Failure::Usage(format!("--verify: {}: {why}", a.db.display())));
        }
        pool.install(|| targets.verify())?;
    }
    let devices = memory::needed_for(&"the targets", || Devices::new(queues, cluster, &targets))?;
    let indexes = targets.indexes()?;
    let top = if a.all { usize::MAX } else { a.top as usize };
    let wanted = Wanted { condition: a.measure.condition(), top };
    let mut search = Search::new(cluster, &pool, &queries, &indexes, targets.first(), devices.as_ref(), &wanted);
    if !cluster.leads() {
        return Ok(search.follow()?);
    }
    memory::needed_for(&"the hits", || {
        file.write_with(|to| match a.format {
            Form::Json => report::json(to, &queries, &targets, &wanted, &mut search),
            Form::Tsv => report::lines(to, &queries, &targets, &mut search),
        })
    })?;
    search.finish();
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

/// The file of --out, or standard output, which none of the input files may be.
fn out_file(out: Option<&Path>, inputs: &[(&str, &Path)]) -> Result<NewFile, Failure> {
    let file = NewFile::or_standard_output("--out", out)?;
    file.check_inputs("--out", inputs.iter().copied())?;
    Ok(file)
}

/// Gives `set`, read from `path`, the width of `other`. Rejects fingerprints of other widths, and with
/// `is_strict` those of another type; without it, that is a warning.
fn fit(
    set: &mut Fingerprints,
    path: &Path,
    other: &Database,
    other_path: &Path,
    is_strict: bool,
) -> Result<(), Failure> {
    let [name, other_name] = [path, other_path].map(|path| path.display().to_string());
    let wrong = |why: String| Failure::Input(format!("{name}: the fingerprints {why}"));
    set.adopt(other.width(), &other_name).map_err(wrong)?;
    other.header().check_kind(&other_name, set.header(), &name, is_strict)
}
