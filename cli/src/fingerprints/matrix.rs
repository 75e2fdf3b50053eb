//! `hotloops fingerprints matrix`.

use std::io::{self, Write};
use std::path::PathBuf;

use rayon::ThreadPool;

use super::database::Database;
use super::journal::Journal;
use super::measure::Symmetric;
use super::out_file;
use super::pairs::{Pairs, Worker};
use crate::cluster::Cluster;
use crate::cluster::units::{Order, Take};
use crate::device;
use crate::failure::Failure;
use crate::job::progress;
use crate::memory;
use crate::whole::whole;

/// Bytes of lines of a unit in memory. The others are found when these are written.
const LIMIT: usize = 1 << 20;

/// Find all pairs of similar fingerprints of a set, on all cores
///
/// Prints the sparse upper triangle of the N x N matrix: tab-separated lines of row, column and
/// score, after a header line. Each pair appears once, the row that comes first in the file first.
/// Lines are in the order of the search, which goes by popcount within each segment of an index file.
/// They do not depend on the number of threads, the instruction set or the devices, each of which holds
/// all fingerprints.
///
/// Under mpirun (a command built with the feature `mpi`), all ranks search, and rank 0 writes.
///
/// The memory does not depend on the number of pairs.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  hotloops fingerprints matrix db.hlfp --tanimoto 0.7 --checkpoint db.work --out db.tsv"
)]
pub struct Arguments {
    /// The fingerprints, FPS text or an index file
    db: PathBuf,

    #[command(flatten)]
    measure: Symmetric,

    /// Print row numbers, from 0 on, instead of ids
    #[arg(long)]
    numbers: bool,

    /// Save finished work to FILE; continue from FILE if it exists
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Number of threads [default: one per core; under mpirun, one per rank]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024), allow_negative_numbers = true)]
    threads: Option<u16>,

    #[command(flatten)]
    device: device::Argument,

    /// Write to FILE [default: standard output, `-`]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub fn run(a: &Arguments, cluster: &Cluster) -> Result<(), Failure> {
    let pool = cluster.pool(a.threads)?;
    let checkpoint = a.checkpoint.iter().map(|path| ("--checkpoint", path.as_path()));
    let inputs: Vec<_> = [("DB", a.db.as_path())].into_iter().chain(checkpoint).collect();
    let file = out_file(a.out.as_deref().filter(|_| cluster.leads()), &inputs)?;
    cluster.check_input("DB", &a.db)?;
    let db = memory::needed_for(&"the fingerprints", || pool.install(|| Database::open_whole(&a.db)))?;
    let indexes = db.indexes()?;
    let queues = a.device.open(cluster)?;
    let pairs = Pairs::new(&db, &indexes, a.measure.condition())?;
    let pairs = memory::needed_for(&"the fingerprints", || pairs.on(queues))?;
    let matrix = Matrix { db: &db, pairs, numbers: a.numbers };
    if !cluster.leads() {
        return matrix.share(cluster, &pool, 0, &mut |_, _| Ok(()));
    }
    let head = b"row\tcolumn\tscore\n";
    let Some(path) = &a.checkpoint else {
        return file.write_with(|to| {
            to.write_all(head)?;
            matrix.write(cluster, &pool, 0, |_, lines| to.write_all(lines))
        });
    };
    let rows: Vec<_> = indexes.iter().map(|index| index.len()).collect();
    let job = [
        ("condition", format!("{:?}", a.measure.condition())),
        ("numbers", a.numbers.to_string()),
        ("bits", db.bits().to_string()),
        ("rows", format!("{rows:?}")),
        ("checksum", format!("{:08x}", pool.install(|| db.checksum())?)),
    ];
    let mut journal = Journal::open(path, &job, matrix.pairs.units() as u64)?;
    let done = journal.done() as usize;
    let append =
        |units, lines: &[u8]| journal.append(units as u64, lines).map_err(|failure| io::Error::other(failure.why()));
    matrix.write(cluster, &pool, done, append)?;
    file.write_with(|to| {
        to.write_all(head)?;
        journal.copy(to)
    })
}

struct Matrix<'a> {
    db: &'a Database,
    pairs: Pairs<'a>,
    numbers: bool,
}

/// The first lines of a unit, and the cursor if there are more.
type Begun = (Vec<u8>, Option<u64>);

impl Matrix<'_> {
    /// Writes the lines of the units from `first` on. `write` also receives the number of units that
    /// are done with these lines.
    fn write(
        &self,
        cluster: &Cluster,
        pool: &ThreadPool,
        first: usize,
        mut write: impl FnMut(usize, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let units = self.pairs.units();
        let bar = progress::bar(units as u64);
        bar.set_message("comparing");
        bar.set_position(first as u64);
        let mut worker = Worker::new();
        let mut error = None;
        let mut take = |unit: usize, (mut lines, mut more): Begun| {
            while let Some(cursor) = more {
                write(unit, &lines)?;
                (lines, more) = self.lines(&mut worker, unit, cursor)?;
            }
            bar.inc(1);
            write(unit + 1, &lines)
        };
        let shared = self.share(cluster, pool, first, &mut |unit, result| {
            let (more, lines) = postcard::take_from_bytes(&result).expect("a rank sends lines");
            take(unit as usize, (lines.to_vec(), more)).map_err(|failed| {
                error = Some(failed);
                Failure::Unread
            })
        });
        match (error, shared) {
            (Some(error), _) => return Err(error),
            (None, Err(Failure::Unread)) | (None, Ok(())) => {}
            (None, Err(failure)) => return Err(io::Error::other(failure.why())),
        }
        bar.finish_and_clear();
        Ok(())
    }

    /// Finds the first lines of the units from `first` on, for `take` in order: whether there are more, then
    /// the lines.
    fn share(&self, cluster: &Cluster, pool: &ThreadPool, first: usize, take: Take) -> Result<(), Failure> {
        let work = |worker: &mut Worker, unit: u64| {
            let (lines, more) = self.lines(worker, unit as usize, 0)?;
            let mut result = postcard::to_stdvec(&more).expect("plain data");
            result.extend(lines);
            Ok(result)
        };
        let mut units = (first..self.pairs.units()).map(|unit| unit as u64);
        cluster.share(pool, &mut units, Order::Ascending, Worker::new, work, take)
    }

    /// Lines of a unit from `cursor` on.
    fn lines(&self, worker: &mut Worker, unit: usize, mut cursor: u64) -> io::Result<Begun> {
        let mut lines = Vec::new();
        loop {
            let more = self.pairs.advance(worker, unit, &mut cursor, |[row, column], score| match self.numbers {
                true => writeln!(lines, "{row}\t{column}\t{score}"),
                false => writeln!(lines, "{}\t{}\t{score}", self.db.id(row)?, self.db.id(column)?),
            })?;
            if !more || lines.len() >= LIMIT {
                return Ok((lines, more.then_some(cursor)));
            }
        }
    }
}
