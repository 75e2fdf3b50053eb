//! `hotloops fingerprints pick`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use hotloops::Error;
use hotloops::fingerprints::{Condition, Index, Match, Measure, Searcher};
use hotloops::hamming::{self, Similarity};
use hotloops::random::Mt19937;
use rayon::prelude::*;

use super::database::Database;
use super::{fps, out_file};
use crate::failure::Failure;
use crate::job::{progress, threads};
use crate::memory;
use crate::whole::whole;

/// Rows of which a thread finds the best.
const PART: usize = 4096;
/// Picks that a row is compared with at once.
const STEP: usize = 16;
/// Candidates per thread whose spheres are searched for at once.
const AHEAD: usize = 8;
/// Maximum number of hits per call of the library.
const ROOM: usize = 4096;

/// Pick fingerprints that differ from each other, on all cores
///
/// --tanimoto selects sphere exclusion: rows are visited in file order, and a row is picked if its
/// similarity to all earlier picks is less than T, until there are --count picks. RDKit's LeaderPicker
/// returns the same rows.
///
/// --count alone selects MaxMin: the first pick is random. Each further pick is the row whose maximum
/// similarity to the picks is the lowest, the first one in the file if there are several. RDKit's
/// MaxMinPicker returns the same rows if it begins with the same one.
///
/// Prints tab-separated lines of row number, from 0 on, and id, after a header line, in the order of
/// picking.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  hotloops fingerprints pick db.hlfp --count 100 --seed 7
  hotloops fingerprints pick db.hlfp --tanimoto 0.4")]
pub struct Arguments {
    /// The fingerprints, FPS text or an index file
    db: PathBuf,

    /// Number of picks
    #[arg(long, value_name = "N", required_unless_present = "tanimoto",
        value_parser = whole::<u32>(1..=u32::MAX), allow_negative_numbers = true)]
    count: Option<u32>,

    /// Tanimoto similarity (Jaccard's) from which on fingerprints are similar. A row similar to a pick is excluded
    #[arg(long, value_name = "T", value_parser = super::measure::threshold, allow_negative_numbers = true)]
    tanimoto: Option<f32>,

    /// Seed of the random numbers. They decide the first pick of MaxMin
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "tanimoto",
        value_parser = whole::<u32>(0..=u32::MAX), allow_negative_numbers = true)]
    seed: u32,

    /// Similarity of two all-zero fingerprints: 0 as in chemfp, 1 as in RDKit
    #[arg(long, value_name = "0|1", default_value = "0", value_parser = ["0", "1"])]
    empty: String,

    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024), allow_negative_numbers = true)]
    threads: Option<u16>,

    /// Write to FILE [default: standard output, `-`]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub fn run(a: &Arguments) -> Result<(), Failure> {
    let pool = threads::pool(a.threads)?;
    let file = out_file(a.out.as_deref(), &[("DB", &a.db)])?;
    let db = memory::needed_for(&"the fingerprints", || pool.install(|| Database::open_whole(&a.db)))?;
    let count = a.count.map_or(db.len(), |count| db.len().min(count as usize));
    let empty = if a.empty == "1" { 1.0 } else { 0.0 };
    let picks = pool.install(|| match a.tanimoto {
        Some(threshold) => spheres(&db, &Condition { measure: Measure::Tanimoto, threshold, empty }, count),
        None => Ok(max_min(&db, empty, count, a.seed)?),
    })?;
    file.write_with(|to| {
        to.write_all(b"row\tid\n")?;
        picks.iter().try_for_each(|&row| writeln!(to, "{row}\t{}", db.id(row)?))
    })
}

fn row(db: &Database, row: usize) -> &[u8] {
    let length = db.bits().div_ceil(8);
    &db.bytes()[length * row..][..length]
}

/// Sphere exclusion. Threads search for the spheres of several candidates at once, in vain for a
/// candidate in the sphere of another one.
fn spheres(db: &Database, condition: &Condition, count: usize) -> Result<Vec<usize>, Failure> {
    let indexes = db.indexes()?;
    let bar = progress::bar(db.len() as u64);
    bar.set_message("picking");
    let mut is_free = vec![true; db.len()];
    let (mut picks, mut next) = (Vec::new(), 0);
    while picks.len() < count && next < db.len() {
        let mut candidates = Vec::new();
        while next < db.len() && candidates.len() < AHEAD * rayon::current_num_threads() {
            if is_free[next] {
                candidates.push(next);
            }
            next += 1;
        }
        let sphere = |searcher: &mut Searcher, &centre: &usize| sphere(searcher, &indexes, db, centre, condition);
        let spheres = candidates.par_iter().map_init(Searcher::new, sphere).collect::<Result<Vec<_>, Failure>>()?;
        for (centre, sphere) in candidates.into_iter().zip(spheres) {
            if is_free[centre] && picks.len() < count {
                picks.push(centre);
                sphere.into_iter().for_each(|row| is_free[row] = false);
            }
        }
        bar.set_position(next as u64);
    }
    bar.finish_and_clear();
    Ok(picks)
}

/// The rows that satisfy a condition with the row `centre`.
fn sphere(
    searcher: &mut Searcher,
    indexes: &[Index],
    db: &Database,
    centre: usize,
    condition: &Condition,
) -> Result<Vec<usize>, Failure> {
    let rows: u64 = indexes.iter().map(|index| index.len() as u64).sum();
    let (mut cursor, mut room, mut sphere) = (0, vec![Match::default(); ROOM], Vec::new());
    while cursor < rows {
        let found = searcher.search(indexes, row(db, centre), condition, &mut cursor, &mut room)?;
        for hit in &room[..found] {
            sphere.push(db.found(hit.row)?);
        }
    }
    Ok(sphere)
}

/// The maximum similarity of a row to the first `seen` picks; infinite for a pick.
#[derive(Clone, Copy)]
struct Nearest {
    similarity: f32,
    seen: u32,
}

/// MaxMin. A row's maximum similarity to some of the picks is a lower bound of that to all of them, so
/// rows are compared with further picks only while the bound is lower than the best row's.
fn max_min(db: &Database, empty: f32, count: usize, seed: u32) -> Result<Vec<usize>, Error> {
    let bar = progress::bar(count as u64);
    bar.set_message("picking");
    let mut random = [0; 4];
    Mt19937::seeded(4, seed)?.fill_u32(&mut random);
    let mut pick = ((u64::from(random[0]) * db.len() as u64) >> 32) as usize;
    let mut nearest = vec![Nearest { similarity: 0.0, seen: 0 }; db.len()];
    let (mut picks, mut bytes) = (Vec::new(), Vec::new());
    loop {
        picks.push(pick);
        bytes.extend_from_slice(row(db, pick));
        nearest[pick].similarity = f32::INFINITY;
        bar.inc(1);
        if picks.len() == count {
            bar.finish_and_clear();
            return Ok(picks);
        }
        // The lowest similarity among the rows compared with all picks, and its part; the order of
        // keys is that of both.
        let key = |similarity: f32, part: usize| u64::from(similarity.to_bits()) << 32 | part as u64;
        let best = AtomicU64::new(key(f32::INFINITY, 0));
        // The lowest similarity of each part and its row.
        let part = |(part, nearest): (usize, &mut [Nearest])| {
            let (mut lowest, mut similarities) = ((f32::INFINITY, usize::MAX), [0.0; STEP]);
            for (row, nearest) in (part * PART..).zip(nearest) {
                let may_win =
                    |similarity| similarity < lowest.0 && key(similarity, part) <= best.load(Ordering::Relaxed);
                while may_win(nearest.similarity) && (nearest.seen as usize) < picks.len() {
                    let first = nearest.seen as usize;
                    let end = picks.len().min(first + STEP);
                    let (query, some) = (db.rows(row..row + 1)?, fps::rows(&bytes, db.bits(), first..end)?);
                    let similarities = &mut similarities[..end - first];
                    hamming::similarities_to(query, some, Similarity::Tanimoto, empty, similarities)?;
                    nearest.similarity = similarities.iter().copied().fold(nearest.similarity, f32::max);
                    nearest.seen = end as u32;
                }
                if may_win(nearest.similarity) {
                    lowest = (nearest.similarity, row);
                    best.fetch_min(key(nearest.similarity, part), Ordering::Relaxed);
                }
            }
            Ok(lowest)
        };
        let parts = nearest.par_chunks_mut(PART).enumerate().map(part).collect::<Result<Vec<_>, Error>>()?;
        let before = |x: (f32, usize), y: (f32, usize)| if y.0 < x.0 { y } else { x };
        pick = parts.into_iter().reduce(before).expect("at least one row").1;
    }
}
