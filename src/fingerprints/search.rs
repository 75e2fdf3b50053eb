//! Searches with one query: all rows above a threshold ([`Searcher::search`]), and the best rows ([`Searcher::top`]).
//!
//! `hotloops fingerprints search` calls `top`; with `--all`, or a large `--top`,
//! [`Searcher::batch`](Searcher::batch) (`batch.rs`).
//! [`hamming::search`](crate::hamming::search()) is another function: it compares all pairs and needs no index.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::engine::Engine;
use super::image::{GROUP, GROUPS, Index};
use super::measure::Condition;
use super::plan::Plans;
use super::plan::Query;
use super::tile::Tile;
use crate::frame::error::Error;
use crate::frame::error::at_least;

/// A row that a search found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Match {
    /// The row, as numbered in the [`BitRows`](crate::hamming::BitRows) of the index. With several
    /// indexes, the rows of each are numbered on from those of the ones before.
    pub row: u64,
    /// Ones in common with the query.
    pub common: u32,
    /// Ones of the row.
    pub ones: u32,
    /// The similarity, or the distance ([`Measure::Hamming`](super::Measure::Hamming)).
    pub score: f32,
}

/// Searches indexes. It holds memory that the searches use; the results do not depend on earlier
/// ones.
///
/// Every search takes a list of indexes, whose rows it treats as one set: the rows of an index are
/// numbered on from those of the indexes before it. Rows are appended to a set by building another
/// index. All indexes have the same number of bits. Threads may share indexes; each needs a searcher
/// of its own.
#[derive(Debug, Default)]
pub struct Searcher {
    pub(super) plans: Plans,
    pub(super) engine: Engine,
    /// Limits for the rows of a tile, in a search for the best rows.
    limits: Vec<u32>,
}

impl Searcher {
    /// A searcher. It allocates memory at its first search, about 100 KiB.
    #[must_use]
    pub fn new() -> Self {
        Searcher::default()
    }

    /// Finds the rows that satisfy `condition`, in the order of the indexes: index by index, by
    /// position.
    ///
    /// `query` is a row of the indexes' number of bits; bits after the last one and longer queries are
    /// cut off. Writes at most `hits.len()` matches and returns their number. `cursor` is the position
    /// of the search. Set it to 0 at first; each call continues from it and advances it. It is the
    /// number of rows when all have been compared. A call costs some microseconds, and repeats part of
    /// a block of 32,768 rows if `hits` was full before, so avoid small `hits`.
    ///
    /// ```
    /// use hotloops::fingerprints::{Condition, Index, Match, Measure, Searcher};
    /// use hotloops::hamming::BitRows;
    ///
    /// let mut memory = vec![0; Index::image_len(4, 8)?];
    /// let index = Index::build(BitRows::new(&[0xff, 0x1f, 0xf0, 0x0f], 4, 8, 1)?, &mut memory)?;
    /// let condition = Condition { measure: Measure::Hamming, threshold: 4.0, empty: 0.0 };
    /// let (mut searcher, mut cursor, mut hits) = (Searcher::new(), 0, [Match::default(); 1]);
    /// let mut all = Vec::new();
    /// while cursor < 4 {
    ///     let found = searcher.search(&[index], &[0x0f], &condition, &mut cursor, &mut hits)?;
    ///     all.extend(hits[..found].iter().map(|hit| (hit.row, hit.common, hit.ones, hit.score)));
    /// }
    /// assert_eq!(all, [(3, 4, 4, 0.0), (1, 4, 5, 1.0), (0, 4, 8, 4.0)]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Threshold`] if the threshold is outside 0 to 1 (or negative, for a distance),
    /// [`Error::Weight`] if a weight of [`Measure::Tversky`](super::Measure::Tversky) is negative or
    /// not finite, [`Error::Length`] if `query` is too short, the indexes differ in their number of
    /// bits, or `hits` is empty before the end, [`Error::Index`] if `cursor` is past the end,
    /// [`Error::NoMemory`].
    pub fn search(
        &mut self,
        indexes: &[Index],
        query: &[u8],
        condition: &Condition,
        cursor: &mut u64,
        hits: &mut [Match],
    ) -> Result<usize, Error> {
        condition.check()?;
        let total = self.check(indexes, query.len())?;
        if *cursor > total {
            return Err(past(*cursor, total));
        }
        if *cursor < total {
            at_least("hits", 1, hits.len())?;
        }
        let (mut base, mut found) = (0, 0);
        for index in indexes {
            let end = base + index.len() as u64;
            if *cursor < end {
                self.plans.begin(index)?;
                self.plans.push(index, query, Some(condition))?;
                let from = (*cursor - base) as usize;
                if let ControlFlow::Break(position) = self.positions(index, base, condition, from, hits, &mut found) {
                    *cursor = base + position as u64;
                    return Ok(found);
                }
                *cursor = end;
            }
            base = end;
        }
        Ok(found)
    }

    /// Searches an index from position `from` on. If `hits` becomes full before the end, breaks with
    /// the position to continue from.
    fn positions(
        &mut self,
        index: &Index,
        base: u64,
        condition: &Condition,
        from: usize,
        hits: &mut [Match],
        found: &mut usize,
    ) -> ControlFlow<usize> {
        let plan = self.plans.plans[0];
        let mut within = from.max(plan.start)..plan.end;
        let mut ones = self.plans.counts[0];
        while within.start < within.end {
            if *found == hits.len() {
                return ControlFlow::Break(within.start);
            }
            let tile = Tile::new(index, index.groups(&within).start, GROUPS, ones);
            self.plans.set_stride(tile.stride(index));
            let query = self.plans.query(&plan);
            let mut stopped = None;
            let _ = self.engine.scan(index, &tile, &query, &within, |survivor| {
                let score = condition.score(plan.ones, survivor.ones, survivor.common);
                if condition.meets(score, condition.threshold) {
                    let Some(hit) = hits.get_mut(*found) else {
                        stopped = Some(survivor.position);
                        return ControlFlow::Break(());
                    };
                    *hit = Match {
                        row: base + u64::from(index.row_at(survivor.position)),
                        common: survivor.common,
                        ones: survivor.ones,
                        score,
                    };
                    *found += 1;
                }
                ControlFlow::Continue(())
            });
            if let Some(position) = stopped {
                return ControlFlow::Break(position);
            }
            ones = tile.counts()[1];
            within.start = tile.positions(index).end;
        }
        ControlFlow::Continue(())
    }

    /// Finds the `hits.len()` best rows that satisfy `condition`, or fewer if there are fewer. Returns
    /// their number. Matches are ordered by score, best first, equal scores by row: exactly the first
    /// ones of the sorted list of all matches.
    ///
    /// A threshold of 0 (for a distance: infinity) excludes no row. (Similarities below 0 and NaN,
    /// which [`Condition::empty`] may be, are never found.)
    ///
    /// # Errors
    /// The errors of [`Searcher::search`], except those of a cursor.
    pub fn top(
        &mut self,
        indexes: &[Index],
        query: &[u8],
        condition: &Condition,
        hits: &mut [Match],
    ) -> Result<usize, Error> {
        condition.check()?;
        self.check(indexes, query.len())?;
        let mut best = Best { condition, hits, found: 0 };
        let mut base = 0;
        for index in indexes {
            if !index.is_empty() && !best.hits.is_empty() {
                self.outward(index, query, base, &mut best)?;
            }
            base += index.len() as u64;
        }
        let found = best.found;
        sort(condition, &mut hits[..found]);
        Ok(found)
    }

    /// Searches an index from the query's number of ones outward, in both directions, for as long as
    /// rows there may be among the best.
    fn outward(&mut self, index: &Index, query: &[u8], base: u64, best: &mut Best) -> Result<(), Error> {
        let condition = best.condition;
        self.plans.begin(index)?;
        self.plans.push(index, query, None)?;
        let plan = self.plans.plans[0];
        // The groups from `down` to `up` are searched.
        let mut down = (index.start(plan.ones).min(index.len() - 1)) / GROUP;
        let mut up = down;
        let all = index.groups(&(0..index.len())).end;
        let mut size = FIRST;
        loop {
            let above = (up < all).then(|| index.ones_at(up * GROUP, 0).max(plan.ones));
            let below = (down > 0).then(|| index.ones_at(down * GROUP - 1, 0));
            let score = |ones: Option<u32>| {
                let score = condition.best(plan.ones, ones?);
                condition.meets(score, best.bound()).then_some(score)
            };
            let (first, most) = match (score(above), score(below)) {
                (None, None) => return Ok(()),
                (Some(above), below) if below.is_none_or(|below| condition.meets(above, below)) => {
                    let most = size.min(GROUPS);
                    (up, most)
                }
                _ => {
                    // Within the block of the last group.
                    let first = ((down - 1) / GROUPS * GROUPS).max(down.saturating_sub(size));
                    (first, down - first)
                }
            };
            let ones = index.ones_at(first * GROUP, 0);
            let tile = Tile::new(index, first, most, ones);
            let positions = tile.positions(index);
            let end = index.groups(&positions).end;
            if first >= up {
                up = end;
            } else {
                down = first;
            }
            size = (2 * size).min(GROUPS);
            let [low, high] = tile.counts();
            let width = (high - low) as usize + 1;
            self.limits.clear();
            self.limits.try_reserve(width).map_err(|_| Error::NoMemory)?;
            self.limits.resize(width, 0);
            condition.least_common(plan.ones, best.bound(), low, &mut self.limits);
            self.plans.set_stride(tile.stride(index));
            let query = Query { plans: &self.plans, plan: &plan, least: &self.limits, first: low };
            let _ = self.engine.scan(index, &tile, &query, &positions, |survivor| {
                let score = condition.score(plan.ones, survivor.ones, survivor.common);
                if condition.meets(score, best.bound()) {
                    best.push(Match {
                        row: base + u64::from(index.row_at(survivor.position)),
                        common: survivor.common,
                        ones: survivor.ones,
                        score,
                    });
                }
                ControlFlow::Continue(())
            });
        }
    }

    /// All rows that satisfy `condition`, ordered by score, best first, equal scores by row.
    ///
    /// # Errors
    /// The errors of [`Searcher::search`], except those of a cursor.
    pub fn all(&mut self, indexes: &[Index], query: &[u8], condition: &Condition) -> Result<Vec<Match>, Error> {
        let (mut cursor, mut all) = (0, Vec::new());
        let total = self.check(indexes, query.len())?;
        let mut room = 1024;
        loop {
            let before = all.len();
            all.try_reserve(room).map_err(|_| Error::NoMemory)?;
            all.resize(before + room, Match::default());
            let found = self.search(indexes, query, condition, &mut cursor, &mut all[before..])?;
            all.truncate(before + found);
            if cursor == total {
                break;
            }
            room = (2 * room).min(1 << 20);
        }
        sort(condition, &mut all);
        Ok(all)
    }

    /// Checks that the indexes have the same number of bits and the query as many; allocates. Returns
    /// the number of rows.
    pub(super) fn check(&mut self, indexes: &[Index], query: usize) -> Result<u64, Error> {
        let bits = indexes.first().map_or(0, Index::bits);
        for index in indexes {
            crate::frame::error::exactly("bits", bits, index.bits())?;
        }
        at_least("query", bits.div_ceil(8), query)?;
        self.engine.begin(bits)?;
        Ok(indexes.iter().map(|index| index.len() as u64).sum())
    }
}

/// Groups of the first tile of a search for the best rows. Each tile has twice as many groups as the
/// one before.
const FIRST: usize = 4;

/// The best matches so far: a heap with the last one in its root.
struct Best<'a> {
    condition: &'a Condition,
    hits: &'a mut [Match],
    found: usize,
}

impl Best<'_> {
    /// The score that a further match must meet.
    fn bound(&self) -> f32 {
        if self.found < self.hits.len() { self.condition.threshold } else { self.hits[0].score }
    }

    fn push(&mut self, hit: Match) {
        if self.found < self.hits.len() {
            let mut at = self.found;
            self.found += 1;
            while at > 0 && self.condition.precedes(&self.hits[(at - 1) / 2], &hit) {
                self.hits[at] = self.hits[(at - 1) / 2];
                at = (at - 1) / 2;
            }
            self.hits[at] = hit;
        } else if self.condition.precedes(&hit, &self.hits[0]) {
            let mut at = 0;
            while let Some(left) = self.hits.get(2 * at + 1) {
                let right = self.hits.get(2 * at + 2).filter(|right| self.condition.precedes(left, right));
                let (child, later) = right.map_or((2 * at + 1, *left), |right| (2 * at + 2, *right));
                if !self.condition.precedes(&hit, &later) {
                    break;
                }
                self.hits[at] = later;
                at = child;
            }
            self.hits[at] = hit;
        }
    }
}

/// Sorts matches by score, best first, then by row.
fn sort(condition: &Condition, hits: &mut [Match]) {
    // Scores are not negative, so their bits are in the order of their values.
    let flip = if condition.measure == super::Measure::Hamming { 0 } else { !0 };
    hits.sort_unstable_by_key(|hit| (hit.score.abs().to_bits() ^ flip, hit.row));
}

pub(super) fn past(cursor: u64, total: u64) -> Error {
    let [index, count] = [cursor, total.saturating_add(1)].map(|value| usize::try_from(value).unwrap_or(usize::MAX));
    Error::Index { argument: "cursor", index, count }
}
