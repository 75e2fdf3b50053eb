//! The best targets of each query.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering as Atomic};
use std::time::{Duration, Instant};
use std::vec::IntoIter;

use hotloops::fingerprints::{Condition, Index, Match, Measure, PairMatch, Searcher};
use hotloops_gpu::Error;
use indicatif::ProgressBar;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::devices::Devices;
use super::fps::Fingerprints;
use crate::cluster::Cluster;
use crate::job::progress;

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
    cluster: &'a Cluster,
    pool: &'a ThreadPool,
    queries: &'a Fingerprints,
    targets: &'a [Index<'a>],
    /// Number of the targets in these indexes.
    rows: usize,
    /// The first of these targets, if other ranks have the rest.
    first: Option<usize>,
    /// Search in place of the indexes.
    devices: Option<&'a Devices>,
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

/// Queries and a range of segments to search.
type Unit = (Range<usize>, Range<usize>);

impl<'a> Search<'a> {
    pub fn new(
        cluster: &'a Cluster,
        pool: &'a ThreadPool,
        queries: &'a Fingerprints,
        targets: &'a [Index<'a>],
        first: Option<usize>,
        devices: Option<&'a Devices>,
        wanted: &'a Wanted,
    ) -> Self {
        let rows = devices.map_or_else(|| targets.iter().map(Index::len).sum(), Devices::rows);
        let bar = progress::bar_at_rate((queries.len() * rows) as u64, "rows", queries.len() as f64);
        bar.set_message("searching");
        Search {
            cluster,
            pool,
            queries,
            targets,
            rows,
            first,
            devices,
            wanted,
            bar,
            group: GROUP * cluster.ranks(),
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
            let limit = limit(&group);
            self.cluster.broadcast(postcard::to_stdvec(&group).expect("plain data"));
            let (mut found, mut kept) = self.search(group.clone())?;
            // Rank 0 has its own hits already.
            for part in self.cluster.gather(Vec::new()).iter().skip(1) {
                let (hits, more) = decoded(part);
                kept += more;
                found.iter_mut().zip(hits).for_each(|(found, more)| found.extend(more));
            }
            if kept > limit {
                self.group = group.len() / 2;
                self.bar.set_position((self.done * self.rows) as u64);
                continue;
            }
            if kept < MAX_HITS / 4 {
                self.group = (GROUP * self.cluster.ranks()).min(2 * self.group);
            }
            self.pool.install(|| found.par_iter_mut().for_each(|hits| self.sort(hits)));
            self.hits += found.iter().map(Vec::len).sum::<usize>();
            self.done = group.end;
            self.found = found.into_iter();
            return Ok(());
        }
    }

    /// Searches this rank's part of the targets, for the queries that rank 0 names.
    pub fn follow(&self) -> Result<(), Error> {
        loop {
            let group: Range<usize> = postcard::from_bytes(&self.cluster.broadcast(Vec::new())).expect("plain data");
            if group.is_empty() {
                return Ok(());
            }
            let (mut hits, kept) = self.search(group)?;
            self.pool.install(|| hits.par_iter_mut().for_each(|hits| self.sort(hits)));
            self.cluster.gather(encoded(&hits, kept));
        }
    }

    /// Ends the other ranks' part.
    pub fn finish(&self) {
        self.cluster.broadcast(postcard::to_stdvec(&(0..0_usize)).expect("plain data"));
    }

    /// This rank's part of the work, of `queries` queries for all targets: ranges of queries, each with
    /// a range of segments. If all ranks have all targets, they compare as many pairs, and each of them few
    /// segments.
    fn blocks(&self, queries: usize) -> Vec<Unit> {
        if self.cluster.ranks() == 1 || self.first.is_some() {
            return vec![(0..queries, 0..self.targets.len())];
        }
        // Segment by segment; each query takes as long as the segment has rows.
        let pairs = self.cluster.part(queries * self.rows);
        let (mut before, mut blocks) = (0, Vec::<Unit>::new());
        for (segment, rows) in self.targets.iter().map(Index::len).enumerate() {
            let query = |pair: usize| pair.saturating_sub(before).div_ceil(rows.max(1)).min(queries);
            let own = query(pairs.start)..query(pairs.end);
            before += queries * rows;
            match blocks.last_mut().filter(|(last, segments)| *last == own && segments.end == segment) {
                Some((_, segments)) => segments.end += 1,
                None if own.is_empty() => {}
                None => blocks.push((own, segment..segment + 1)),
            }
        }
        blocks
    }

    /// The hits of some queries in this rank's part of the targets, and their number. Stops early if
    /// there are too many.
    fn search(&self, group: Range<usize>) -> Result<(Vec<Vec<Match>>, usize), Error> {
        let (limit, kept) = (limit(&group), AtomicUsize::new(0));
        if let Some(devices) = self.devices {
            let pairs = (group.len() * self.rows) as u64;
            let top = Some(self.wanted.top).filter(|&top| top <= ROOM);
            let found = devices.search(self.queries.rows(group)?, &self.wanted.condition, top, limit)?;
            self.bar.inc(pairs);
            return Ok(found);
        }
        let mut hits = vec![Vec::new(); group.len()];
        for (queries, segments) in self.blocks(group.len()) {
            let own = group.start + queries.start..group.start + queries.end;
            self.search_block((own, segments), limit, &kept, &mut hits[queries])?;
        }
        Ok((hits, kept.into_inner()))
    }

    /// Adds the hits of some queries in some segments to `hits`, and their number to `kept`.
    fn search_block(
        &self,
        (group, own): Unit,
        limit: usize,
        kept: &AtomicUsize,
        hits: &mut [Vec<Match>],
    ) -> Result<(), Error> {
        let threads = self.pool.current_num_threads();
        let is_few = self.wanted.top <= ROOM;
        // Single queries are fast enough if only their best rows are wanted.
        let size = if is_few { 1 } else { group.len().div_ceil(threads).min(BATCH) };
        let batches = group.len().div_ceil(size);
        // If there are fewer batches than threads, several threads share a batch's segments.
        let sharers = threads.div_ceil(batches).min(own.len()).max(1);
        let segments = own.len().div_ceil(sharers).max(1);
        let parts = |range: Range<usize>, size| {
            range.clone().step_by(size).map(move |first| first..range.end.min(first + size))
        };
        let units: Vec<Unit> = parts(group.clone(), size)
            .flat_map(|queries| parts(own.clone(), segments).map(move |part| (queries.clone(), part)))
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
            for (unit, found) in units.iter().zip(found?) {
                for (query, mut found) in unit.0.clone().zip(found) {
                    match &mut hits[query - group.start] {
                        hits if hits.is_empty() => *hits = found,
                        hits => hits.append(&mut found),
                    }
                }
            }
            Ok(())
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
        let before: usize = self.targets[..unit.1.start].iter().map(Index::len).sum();
        (self.first.unwrap_or(0) + before) as u64
    }

    fn sort(&self, hits: &mut Vec<Match>) {
        // Scores are not negative, so their bits are in the order of their values.
        let flip = if self.wanted.condition.measure == Measure::Hamming { 0 } else { !0 };
        hits.sort_unstable_by_key(|hit| (hit.score.abs().to_bits() ^ flip, hit.row));
        hits.truncate(self.wanted.top);
    }
}

/// Hits of a group above which it is searched for in smaller ones.
fn limit(group: &Range<usize>) -> usize {
    if group.len() == 1 { usize::MAX } else { MAX_HITS }
}

/// A hit in a message: row, common bits, all bits, the bits of the score.
type Sent = (u64, u32, u32, u32);

/// The hits of each query, and the number of all.
fn encoded(hits: &[Vec<Match>], kept: usize) -> Vec<u8> {
    let sent = |&Match { row, common, ones, score }: &Match| -> Sent { (row, common, ones, score.to_bits()) };
    let hits: Vec<Vec<Sent>> = hits.iter().map(|hits| hits.iter().map(sent).collect()).collect();
    postcard::to_stdvec(&(kept, hits)).expect("plain data")
}

fn decoded(message: &[u8]) -> (Vec<Vec<Match>>, usize) {
    let hit = |(row, common, ones, score): Sent| Match { row, common, ones, score: f32::from_bits(score) };
    let (kept, hits): (usize, Vec<Vec<Sent>>) = postcard::from_bytes(message).expect("a rank sends hits");
    (hits.into_iter().map(|hits| hits.into_iter().map(hit).collect()).collect(), kept)
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
