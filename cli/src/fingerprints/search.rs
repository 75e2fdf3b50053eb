//! The best targets of each query.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering as Atomic};
use std::time::{Duration, Instant};
use std::vec::IntoIter;

use hotloops::Error;
use hotloops::hamming::{Condition, Index, Match, Measure, PairMatch, Searcher};
use indicatif::ProgressBar;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::fps::Fingerprints;
use crate::output;

/// Maximum number of queries in a group. The hits of one group are in memory at a time.
const GROUP: usize = 1024;
/// Queries that the library searches for at once.
const BATCH: usize = 256;
/// Maximum number of hits per call of the library.
const ROOM: usize = 4096;
/// Maximum number of hits of a group: 64 MiB.
const MAX_HITS: usize = 1 << 21;

pub struct Wanted {
    pub condition: Condition,
    /// Maximum number of targets per query.
    pub top: usize,
}

/// The hits of each query, best first, in the order of the queries. Equal scores are in the order of
/// the targets. Only the hits of one group of queries are in memory at a time.
pub struct Search<'a> {
    pool: &'a ThreadPool,
    queries: &'a Fingerprints,
    targets: &'a [Index<'a>],
    /// Number of targets.
    rows: usize,
    wanted: &'a Wanted,
    bar: ProgressBar,
    /// Number of queries in the next group.
    group: usize,
    /// Number of queries that have been searched for.
    done: usize,
    /// Hits of the last group that have not been returned yet.
    found: IntoIter<Vec<Match>>,
    /// Hits so far.
    pub hits: usize,
    /// Time in the search so far.
    pub time: Duration,
}

/// Queries and a range of segments, which one thread searches.
type Unit = (Range<usize>, Range<usize>);

impl<'a> Search<'a> {
    pub fn new(pool: &'a ThreadPool, queries: &'a Fingerprints, targets: &'a [Index<'a>], wanted: &'a Wanted) -> Self {
        let rows = targets.iter().map(Index::len).sum();
        let bar = output::progress_at_rate((queries.len() * rows) as u64, "rows", queries.len() as f64);
        bar.set_message("searching");
        Search {
            pool,
            queries,
            targets,
            rows,
            wanted,
            bar,
            group: GROUP,
            done: 0,
            found: Vec::new().into_iter(),
            hits: 0,
            time: Duration::ZERO,
        }
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
                self.bar.set_position((self.done * self.rows) as u64);
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
    fn search(&self, group: Range<usize>, limit: usize, kept: &AtomicUsize) -> Result<Vec<Vec<Match>>, Error> {
        let threads = self.pool.current_num_threads();
        let is_few = self.wanted.top <= ROOM;
        // Single queries are fast enough if only their best rows are wanted.
        let size = if is_few { 1 } else { group.len().div_ceil(threads).min(BATCH) };
        let batches = group.len().div_ceil(size);
        // If there are fewer batches than threads, several threads share a batch's segments.
        let sharers = threads.div_ceil(batches).min(self.targets.len()).max(1);
        let segments = self.targets.len().div_ceil(sharers).max(1);
        let parts = |range: Range<usize>, size| {
            range.clone().step_by(size).map(move |first| first..range.end.min(first + size))
        };
        let units: Vec<Unit> = parts(group.clone(), size)
            .flat_map(|queries| parts(0..self.targets.len(), segments).map(move |part| (queries.clone(), part)))
            .collect();
        let work = |searcher: &mut Searcher, unit: &Unit| {
            if kept.load(Atomic::Relaxed) > limit {
                return Ok(Vec::new());
            }
            let hits = match is_few {
                true => self.best(searcher, unit, kept)?,
                false => self.all(searcher, unit, limit, kept)?,
            };
            let rows: usize = self.targets[unit.1.clone()].iter().map(Index::len).sum();
            self.bar.inc((unit.0.len() * rows) as u64);
            Ok(hits)
        };
        self.pool.install(|| {
            let found: Result<Vec<_>, Error> = units.par_iter().map_init(Searcher::new, work).collect();
            let mut hits = vec![Vec::new(); if kept.load(Atomic::Relaxed) > limit { 0 } else { group.len() }];
            for (unit, found) in units.iter().zip(found?) {
                for (query, mut found) in unit.0.clone().zip(found) {
                    match hits.get_mut(query - group.start) {
                        Some(hits) if hits.is_empty() => *hits = found,
                        Some(hits) => hits.append(&mut found),
                        None => {}
                    }
                }
            }
            hits.par_iter_mut().for_each(|hits| self.sort(hits));
            Ok(hits)
        })
    }

    /// The best rows for the query of a unit.
    fn best(&self, searcher: &mut Searcher, unit: &Unit, kept: &AtomicUsize) -> Result<Vec<Vec<Match>>, Error> {
        let (query, base) = (self.queries.row(unit.0.start), self.base(unit));
        let mut hits = vec![Match::default(); self.wanted.top.min(self.rows)];
        let found = searcher.top(&self.targets[unit.1.clone()], query, &self.wanted.condition, &mut hits)?;
        hits.truncate(found);
        hits.iter_mut().for_each(|hit| hit.row += base);
        kept.fetch_add(found, Atomic::Relaxed);
        Ok(vec![hits])
    }

    /// All hits of the queries of a unit. Stops early if there are more than `limit` of all units.
    fn all(
        &self,
        searcher: &mut Searcher,
        unit: &Unit,
        limit: usize,
        kept: &AtomicUsize,
    ) -> Result<Vec<Vec<Match>>, Error> {
        let (queries, targets) = (self.queries.rows(unit.0.clone())?, &self.targets[unit.1.clone()]);
        let base = self.base(unit);
        let pairs = targets.iter().map(|target| target.len() as u64).sum::<u64>() * queries.len() as u64;
        let mut all = vec![Vec::new(); queries.len()];
        let (mut cursor, mut room) = (0, vec![PairMatch::default(); ROOM]);
        while cursor < pairs && kept.load(Atomic::Relaxed) <= limit {
            let found = searcher.batch(targets, queries, &self.wanted.condition, &mut cursor, &mut room)?;
            kept.fetch_add(found, Atomic::Relaxed);
            for hit in &room[..found] {
                let &PairMatch { common, ones, score, .. } = hit;
                all[hit.query as usize].push(Match { row: base + hit.row, common, ones, score });
            }
        }
        Ok(all)
    }

    /// The number of targets before the segments of a unit.
    fn base(&self, unit: &Unit) -> u64 {
        self.targets[..unit.1.start].iter().map(|target| target.len() as u64).sum()
    }

    fn sort(&self, hits: &mut Vec<Match>) {
        // Scores are not negative, so their bits are in the order of their values.
        let flip = if self.wanted.condition.measure == Measure::Hamming { 0 } else { !0 };
        hits.sort_unstable_by_key(|hit| (hit.score.abs().to_bits() ^ flip, hit.row));
        hits.truncate(self.wanted.top);
    }
}

impl Iterator for Search<'_> {
    type Item = Result<Vec<Match>, Error>;

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
