//! The best targets of each query.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicUsize, Ordering as Atomic};

use hotloops::Error;
use hotloops::hamming::{self, PackedRows, Similarity, pack, packed_len};
use indicatif::ProgressBar;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::fps::Fingerprints;
use crate::output;

/// Queries that are packed together: as many as the library's search takes at once.
const PACK: usize = 128;
/// Queries that are searched for together: each thread keeps hits of these.
const GROUP: usize = 8 * PACK;
/// Targets that a thread takes at once, which its cache holds.
const RANGE: usize = 2048;
/// Hits that the library finds in a call.
const ROOM: usize = 4096;

pub struct Wanted {
    pub measure: Similarity,
    /// The threshold.
    pub least: f32,
    /// The similarity of empty fingerprints.
    pub empty: f32,
    /// Targets of each query.
    pub top: usize,
}

/// A target that is similar enough. Better ones are less: more similar, or as similar and earlier.
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

/// The worst hit first.
type Heap = BinaryHeap<Hit>;

/// The hits of each query, best first.
pub fn search(
    pool: &ThreadPool,
    queries: &Fingerprints,
    targets: &Fingerprints,
    wanted: &Wanted,
) -> Result<Vec<Vec<Hit>>, Error> {
    let bar = output::progress_at_rate((queries.len() * targets.len()) as u64, "rows", queries.len() as f64);
    bar.set_message("searching");
    let mut hits = Vec::with_capacity(queries.len());
    for first in (0..queries.len()).step_by(GROUP) {
        let group = first..queries.len().min(first + GROUP);
        let packs = group.step_by(PACK).map(|first| packed(queries, first)).collect::<Result<Vec<_>, _>>()?;
        let next = AtomicUsize::new(0);
        let kept = pool.broadcast(|_| work(&packs, targets, wanted, &next, &bar));
        let kept = kept.into_iter().collect::<Result<Vec<_>, _>>()?;
        hits.extend(pool.install(|| merged(kept, wanted.top)));
    }
    bar.finish_and_clear();
    Ok(hits)
}

fn packed(queries: &Fingerprints, first: usize) -> Result<Vec<u8>, Error> {
    let rows = queries.rows(first..queries.len().min(first + PACK))?;
    let mut memory = vec![0; packed_len(rows.len(), rows.bits())?];
    pack(rows, &mut memory)?;
    Ok(memory)
}

/// Takes ranges of targets with packs of queries while there are any; the hits of each query.
fn work(
    packs: &[Vec<u8>],
    targets: &Fingerprints,
    wanted: &Wanted,
    next: &AtomicUsize,
    bar: &ProgressBar,
) -> Result<Vec<Heap>, Error> {
    let packs = packs.iter().map(|memory| PackedRows::new(memory)).collect::<Result<Vec<_>, _>>()?;
    let mut heaps = vec![Heap::new(); packs.iter().map(PackedRows::len).sum()];
    let mut room = vec![hamming::Hit::default(); ROOM];
    loop {
        let unit = next.fetch_add(1, Atomic::Relaxed);
        let (first, pack) = (unit / packs.len() * RANGE, unit % packs.len());
        if first >= targets.len() {
            return Ok(heaps);
        }
        let (rows, packed) = (targets.rows(first..targets.len().min(first + RANGE))?, &packs[pack]);
        let heaps = &mut heaps[pack * PACK..][..packed.len()];
        let (pairs, mut cursor) = ((rows.len() * packed.len()) as u64, 0);
        while cursor < pairs {
            // Where all have as many as wanted, the rest must be better than the worst of them.
            let worst =
                |heap: &Heap| heap.peek().filter(|_| heap.len() == wanted.top).map_or(wanted.least, |hit| hit.score);
            let least = heaps.iter().map(worst).fold(1.0, f32::min);
            let found = hamming::search(wanted.measure, packed, rows, least, wanted.empty, &mut cursor, &mut room)?;
            for hit in &room[..found] {
                let target = first + hit.row as usize;
                keep(&mut heaps[hit.packed_row as usize], Hit { score: hit.similarity, target }, wanted.top);
            }
        }
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
fn merged(kept: Vec<Vec<Heap>>, top: usize) -> Vec<Vec<Hit>> {
    let mut kept = kept.into_iter();
    let mut merged: Vec<Vec<Hit>> = kept.next().unwrap_or_default().into_iter().map(Heap::into_vec).collect();
    for heaps in kept {
        merged.iter_mut().zip(heaps).for_each(|(all, heap)| all.extend(heap));
    }
    merged.par_iter_mut().for_each(|hits| {
        hits.sort_unstable();
        hits.truncate(top);
    });
    merged
}
