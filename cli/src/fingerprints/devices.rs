//! Searches on devices.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use hotloops::fingerprints::{Condition, Match};
use hotloops::hamming::BitRows;
use hotloops_gpu::fingerprints::Searcher;
use hotloops_gpu::{Error, Queue};

use super::database::Database;
use crate::cluster::Cluster;
use crate::failure::Failure;

/// Devices, each with a part of the targets.
pub struct Devices {
    /// Each with the number of its first row.
    searchers: Vec<(Mutex<Searcher>, usize)>,
    /// Rows of all devices of this rank.
    rows: usize,
}

impl Devices {
    /// Copies this rank's part of the targets to devices. None if there is no device.
    pub fn new(queues: Vec<Queue>, cluster: &Cluster, db: &Database) -> Result<Option<Self>, Failure> {
        if queues.is_empty() {
            return Ok(None);
        }
        let (part, count) = (cluster.part(db.len()), queues.len());
        let mut searchers = Vec::new();
        for (i, queue) in queues.into_iter().enumerate() {
            let [first, end] = [i, i + 1].map(|i| part.start + part.len() * i / count);
            let searcher = Searcher::new(queue, db.rows(first..end)?)?;
            searchers.push((Mutex::new(searcher), first));
        }
        Ok(Some(Devices { searchers, rows: part.len() }))
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The matches of each query, or the best ones, and their number. Of all matches, stops early if there are more
    /// than `limit`.
    pub fn search(
        &self,
        queries: BitRows,
        condition: &Condition,
        top: Option<usize>,
        limit: usize,
    ) -> Result<(Vec<Vec<Match>>, usize), Error> {
        let kept = AtomicUsize::new(0);
        let go_on = |more| top.is_some() || kept.fetch_add(more, Ordering::Relaxed) + more <= limit;
        let work = |(searcher, first): &(Mutex<Searcher>, usize)| {
            let mut searcher = searcher.lock().expect("no panic in a search");
            let mut found = searcher.find_while(queries, condition, top, go_on)?;
            found.iter_mut().flatten().flatten().for_each(|hit| hit.row += *first as u64);
            Ok(found)
        };
        let parts: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = self.searchers.iter().map(|searcher| scope.spawn(move || work(searcher))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic in a search")).collect()
        });
        let mut all = vec![Vec::new(); queries.len()];
        for part in parts {
            let part: Result<Option<Vec<Vec<Match>>>, Error> = part;
            all.iter_mut().zip(part?.unwrap_or_default()).for_each(|(all, mut more)| all.append(&mut more));
        }
        let found = all.iter().map(Vec::len).sum::<usize>();
        Ok((all, found.max(kept.into_inner())))
    }
}
