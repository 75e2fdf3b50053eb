//! The best targets of each query.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering as Atomic};
use std::time::{Duration, Instant};
use std::vec::IntoIter;

use hotloops::Error;
use hotloops::hamming::{self, PackedRows, Similarity, pack, packed_len};
use indicatif::ProgressBar;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::fps::Fingerprints;
use crate::output;

/// Queries per pack: as many as the library's search processes at once.
const PACK: usize = 128;
/// Maximum number of queries in a group. Each thread keeps the hits of one group.
const GROUP: usize = 8 * PACK;
/// Targets that a thread searches at once; they fit in its cache.
const RANGE: usize = 2048;
/// Maximum number of hits per call of the library.
const ROOM: usize = 4096;
/// Maximum number of hits that all threads together keep for a group: 32 MiB.
const MAX_HITS: usize = 1 << 21;

pub struct Wanted {
    pub measure: Similarity,
    /// Minimum similarity.
    pub threshold: f32,
    /// The similarity of empty fingerprints.
    pub empty: f32,
    /// Maximum number of targets per query.
    pub top: usize,
}

/// A target that reaches the threshold. Hits are ordered by descending similarity, then by position
/// in the file.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    pub score: f32,
    pub target: usize,
}

impl Ord for Hit {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.target.cmp(&other.target))
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Hit {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Hit {}

/// A heap with the worst hit on top.
type Heap = BinaryHeap<Hit>;

/// The hits of each query, best first, in the order of the queries. Only the hits of one group of
/// queries are in memory at a time.
pub struct Search<'a> {
    pool: &'a ThreadPool,
    queries: &'a Fingerprints,
    targets: &'a Fingerprints,
    wanted: &'a Wanted,
    bar: ProgressBar,
    /// Number of queries in the next group.
    group: usize,
    /// Number of queries that have been searched for.
    done: usize,
    /// Hits of the last group that have not been returned yet.
    found: IntoIter<Vec<Hit>>,
    /// Hits so far.
    pub hits: usize,
    /// Time in the search so far.
    pub time: Duration,
}

impl<'a> Search<'a> {
    pub fn new(pool: &'a ThreadPool, queries: &'a Fingerprints, targets: &'a Fingerprints, wanted: &'a Wanted) -> Self {
        let bar = output::progress_at_rate((queries.len() * targets.len()) as u64, "rows", queries.len() as f64);
        bar.set_message("searching");
        let found = Vec::new().into_iter();
        Search { pool, queries, targets, wanted, bar, group: GROUP, done: 0, found, hits: 0, time: Duration::ZERO }
    }

    /// Searches for a group of queries with at most [`MAX_HITS`] hits, or for a single query.
    fn advance(&mut self) -> Result<(), Error> {
        loop {
            let group = self.done..self.queries.len().min(self.done + self.group);
            let kept = AtomicUsize::new(0);
            let limit = if group.len() == 1 { usize::MAX } else { MAX_HITS };
            let found = self.search(group.clone(), limit, &kept)?;
            let kept = kept.into_inner();
            if kept > limit {
                self.group = group.len() / 2;
                self.bar.set_position((self.done * self.targets.len()) as u64);
                continue;
            }
            if kept < MAX_HITS / 4 {
                self.group = GROUP.min(2 * self.group);
            }
            self.hits += found.iter().map(Vec::len).sum::<usize>();
            self.done = group.end;
            self.found = found.into_iter();
            return Ok(());
        }
    }

    /// The hits of some queries. Counts them in `kept`, and stops early if there are more than
    /// `limit`.
    fn search(&self, group: Range<usize>, limit: usize, kept: &AtomicUsize) -> Result<Vec<Vec<Hit>>, Error> {
        let Search { queries, targets, wanted, bar, .. } = self;
        let pack = |first| packed(queries, first..group.end.min(first + PACK));
        let packs = group.clone().step_by(PACK).map(pack).collect::<Result<Vec<_>, _>>()?;
        let next = AtomicUsize::new(0);
        let heaps = self.pool.broadcast(|_| work(&packs, targets, wanted, &next, limit, kept, bar));
        let heaps = heaps.into_iter().collect::<Result<Vec<_>, _>>()?;
        match kept.load(Atomic::Relaxed) > limit {
            true => Ok(Vec::new()),
            false => Ok(self.pool.install(|| merged(heaps, wanted.top))),
        }
    }
}

impl Iterator for Search<'_> {
    type Item = Result<Vec<Hit>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.found.len() == 0 && self.done < self.queries.len() {
            let begin = Instant::now();
            let advanced = self.advance();
            self.time += begin.elapsed();
            if let Err(error) = advanced {
                return Some(Err(error));
            }
        }
        let hits = self.found.next();
        if hits.is_none() {
            self.bar.finish_and_clear();
        }
        hits.map(Ok)
    }
}

fn packed(queries: &Fingerprints, range: Range<usize>) -> Result<Vec<u8>, Error> {
    let rows = queries.rows(range)?;
    let mut memory = vec![0; packed_len(rows.len(), rows.bits())?];
    pack(rows, &mut memory)?;
    Ok(memory)
}

/// Searches units, each a range of targets and a pack of queries, until none are left. Returns the
/// hits of each query.
fn work(
    packs: &[Vec<u8>],
    targets: &Fingerprints,
    wanted: &Wanted,
    next: &AtomicUsize,
    limit: usize,
    kept: &AtomicUsize,
    bar: &ProgressBar,
) -> Result<Vec<Heap>, Error> {
    let packs = packs.iter().map(|memory| PackedRows::new(memory)).collect::<Result<Vec<_>, _>>()?;
    let mut heaps = vec![Heap::new(); packs.iter().map(PackedRows::len).sum()];
    let mut room = vec![hamming::Hit::default(); ROOM];
    loop {
        let unit = next.fetch_add(1, Atomic::Relaxed);
        let (first, pack) = (unit / packs.len() * RANGE, unit % packs.len());
        if first >= targets.len() || kept.load(Atomic::Relaxed) > limit {
            return Ok(heaps);
        }
        let (rows, packed) = (targets.rows(first..targets.len().min(first + RANGE))?, &packs[pack]);
        let heaps = &mut heaps[pack * PACK..][..packed.len()];
        let length = |heaps: &[Heap]| heaps.iter().map(Heap::len).sum::<usize>();
        let before = length(heaps);
        let (pairs, mut cursor) = ((rows.len() * packed.len()) as u64, 0);
        while cursor < pairs {
            // A query with `top` hits only needs hits better than its worst one.
            let worst = |heap: &Heap| {
                heap.peek().filter(|_| heap.len() == wanted.top).map_or(wanted.threshold, |hit| hit.score)
            };
            let least = heaps.iter().map(worst).fold(1.0, f32::min);
            let found = hamming::search(wanted.measure, packed, rows, least, wanted.empty, &mut cursor, &mut room)?;
            for hit in &room[..found] {
                let target = first + hit.row as usize;
                keep(&mut heaps[hit.packed_row as usize], Hit { score: hit.similarity, target }, wanted.top);
            }
        }
        kept.fetch_add(length(heaps) - before, Atomic::Relaxed);
        bar.inc(pairs);
    }
}

fn keep(heap: &mut Heap, hit: Hit, top: usize) {
    if heap.len() < top {
        heap.push(hit);
    } else if let Some(mut worst) = heap.peek_mut()
        && hit < *worst
    {
        *worst = hit;
    }
}

/// The best of all threads' hits, query by query.
fn merged(heaps: Vec<Vec<Heap>>, top: usize) -> Vec<Vec<Hit>> {
    let mut threads: Vec<_> = heaps.into_iter().map(Vec::into_iter).collect();
    let queries = threads.first().map_or(0, |heaps| heaps.len());
    let mut next = || {
        let heaps: Vec<Heap> = threads.iter_mut().filter_map(Iterator::next).collect();
        let mut all = Vec::with_capacity(heaps.iter().map(Heap::len).sum());
        heaps.into_iter().for_each(|heap| all.extend(heap));
        all
    };
    let mut merged: Vec<Vec<Hit>> = (0..queries).map(|_| next()).collect();
    merged.par_iter_mut().for_each(|hits| {
        hits.sort_unstable();
        hits.truncate(top);
    });
    merged
}
