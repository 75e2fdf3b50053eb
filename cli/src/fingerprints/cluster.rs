//! `hotloops fingerprints cluster`.

use std::cmp::Reverse;
use std::path::PathBuf;

use rayon::ThreadPool;

use super::database::Database;
use super::measure::Symmetric;
use super::out_file;
use super::pairs::{Pairs, Worker};
use crate::cluster::Cluster;
use crate::cluster::units::Order;
use crate::failure::Failure;
use crate::job::progress;
use crate::memory;
use crate::whole::whole;

/// Cluster fingerprints by the method of Taylor and Butina, on all cores
///
/// Each row has a count: the number of rows that are similar to it. Rows are visited by descending
/// count, equal counts in file order. A row that is in no cluster yet becomes the centre of a new one,
/// with all rows similar to it that are in no cluster yet. The counts are not updated. (RDKit's
/// Butina.ClusterData visits equal counts in reverse order: it returns the same clusters for the
/// reversed file.)
///
/// Under mpirun (a command built with the feature `mpi`), all ranks search for similar rows; rank 0 makes
/// the clusters.
///
/// Prints tab-separated lines of cluster, id and role after a header line. Clusters are numbered from
/// 1 on. Each begins with its centre; the members are in file order. Needs about 20 bytes of memory
/// for each pair of similar rows.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops fingerprints cluster db.hlfp --tanimoto 0.7 --out clusters.tsv")]
pub struct Arguments {
    /// The fingerprints, FPS text or an index file
    db: PathBuf,

    #[command(flatten)]
    measure: Symmetric,

    /// Number of threads [default: one per core; under mpirun, one per rank]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024), allow_negative_numbers = true)]
    threads: Option<u16>,

    /// Write to FILE [default: standard output, `-`]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub fn run(a: &Arguments, cluster: &Cluster) -> Result<(), Failure> {
    let pool = cluster.pool(a.threads)?;
    let file = out_file(a.out.as_deref().filter(|_| cluster.leads()), &[("DB", &a.db)])?;
    cluster.check_input("DB", &a.db)?;
    let db = memory::needed_for(&"the fingerprints", || pool.install(|| Database::open_whole(&a.db)))?;
    if u32::try_from(db.len()).is_err() {
        return Err(Failure::Input(format!("{}: has 2^32 fingerprints or more", a.db.display())));
    }
    let indexes = db.indexes()?;
    let pairs = Pairs::new(&db, &indexes, a.measure.condition())?;
    let clusters = memory::needed_for(&"the similar pairs", || {
        let similar = similar(cluster, &pool, &pairs)?;
        Ok::<_, Failure>(if cluster.leads() { butina(&Neighbours::new(db.len(), similar)) } else { Vec::new() })
    })?;
    if !cluster.leads() {
        return Ok(());
    }
    file.write_with(|to| {
        to.write_all(b"cluster\tid\trole\n")?;
        for (number, cluster) in clusters.iter().enumerate() {
            for (index, &row) in cluster.iter().enumerate() {
                let role = if index == 0 { "centre" } else { "member" };
                writeln!(to, "{}\t{}\t{role}", number + 1, db.id(row as usize)?)?;
            }
        }
        Ok(())
    })
}

/// The pairs of similar rows, for each unit; on rank 0.
fn similar(cluster: &Cluster, pool: &ThreadPool, pairs: &Pairs) -> Result<Vec<Vec<[u32; 2]>>, Failure> {
    let bar = progress::bar(pairs.units() as u64);
    bar.set_message("comparing");
    let work = |worker: &mut Worker, unit: u64| {
        let (mut similar, mut cursor) = (Vec::new(), 0);
        let mut push = |pair: [usize; 2], _| {
            similar.extend(pair.map(|row| (row as u32).to_le_bytes()).as_flattened());
            Ok(())
        };
        while pairs.advance(worker, unit as usize, &mut cursor, &mut push)? {}
        Ok(similar)
    };
    let mut similar = vec![Vec::new(); pairs.units()];
    cluster.share(pool, &mut (0..pairs.units() as u64), Order::Any, Worker::new, work, &mut |unit, bytes| {
        let words = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
        similar[unit as usize] = words.collect::<Vec<_>>().as_chunks().0.to_vec();
        bar.inc(1);
        Ok(())
    })?;
    bar.finish_and_clear();
    Ok(similar)
}

/// The similar rows of each row.
struct Neighbours {
    /// Where those of each row begin, and where the last ones end.
    starts: Vec<usize>,
    rows: Vec<u32>,
}

impl Neighbours {
    fn new(count: usize, pairs: Vec<Vec<[u32; 2]>>) -> Self {
        let mut starts = vec![0; count + 1];
        pairs.iter().flatten().flatten().for_each(|&row| starts[row as usize] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut rows = vec![0; sum];
        for [a, b] in pairs.into_iter().flatten() {
            for (row, other) in [(a, b), (b, a)] {
                starts[row as usize] -= 1;
                rows[starts[row as usize]] = other;
            }
        }
        Neighbours { starts, rows }
    }

    fn of(&self, row: u32) -> &[u32] {
        &self.rows[self.starts[row as usize]..self.starts[row as usize + 1]]
    }
}

/// The clusters, each with its centre first.
fn butina(neighbours: &Neighbours) -> Vec<Vec<u32>> {
    let count = neighbours.starts.len() - 1;
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by_key(|&row| Reverse(neighbours.of(row).len()));
    let mut is_free = vec![true; count];
    let mut clusters = Vec::new();
    for centre in order {
        if !std::mem::take(&mut is_free[centre as usize]) {
            continue;
        }
        let is_member = |row: &u32| std::mem::take(&mut is_free[*row as usize]);
        let mut cluster = vec![centre];
        cluster.extend(neighbours.of(centre).iter().copied().filter(is_member));
        cluster[1..].sort_unstable();
        clusters.push(cluster);
    }
    clusters
}
