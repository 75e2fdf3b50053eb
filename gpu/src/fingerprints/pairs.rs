//! All pairs of similar rows of a set, in the order of [`hotloops::fingerprints::Searcher::pairs`].
//!
//! A device holds the rows in the order of positions. The pairs of a range of positions are found in parts that have at
//! most [`MOST`] of them, and put in order on the host.

use std::ops::Range;

use hotloops::fingerprints::{Condition, Index, Match, PairMatch, PairTiles, Searcher as Host};
use hotloops::hamming::BitRows;

use super::Searcher;
use crate::error::Error;
use crate::queue::Queue;
use crate::shared::Shared;

/// Pairs of a part, at most: as many as a query may have in a tile, of 32,768 rows at most.
const MOST: usize = 1 << 15;
/// Comparisons of the first part, and of any part, at most. They are divided by two until a part's pairs fit.
const COMPARISONS: [u64; 2] = [1 << 24, 1 << 34];

/// Rows with their indexes, and when two of them are a pair.
#[derive(Clone, Copy)]
pub struct Set<'a> {
    pub indexes: &'a [Index<'a>],
    /// The rows that the indexes were built from, in one set.
    pub rows: BitRows<'a>,
    pub condition: Condition,
}

impl Set<'_> {
    /// Copies the rows to a device in the order of positions.
    ///
    /// # Errors
    /// Fails unless the indexes have as many rows, if the device lacks the memory, and if the driver fails.
    pub fn searcher(&self, queue: Queue) -> Result<Searcher, Error> {
        let [expected, found] = [self.indexes.iter().map(Index::len).sum(), self.rows.len()];
        if expected != found {
            return Err(hotloops::Error::Length { argument: "rows", expected, found }.into());
        }
        Searcher::with_order(queue, self.rows, |position| self.row(position))
    }

    /// The row at a position. A corrupt index may name rows that do not exist.
    fn row(&self, position: usize) -> usize {
        let mut base = 0;
        for index in self.indexes {
            if let Some(row) = index.row(position - base) {
                return (base + row).min(self.rows.len() - 1);
            }
            base += index.len();
        }
        0
    }
}

/// A search for pairs: what a thread keeps from call to call.
pub struct Pairs {
    host: Host,
    /// Comparisons of the next part.
    comparisons: u64,
    /// The tiles of a range in an index of this number.
    tiles: Option<(Range<usize>, usize, PairTiles)>,
}

impl Default for Pairs {
    fn default() -> Self {
        Pairs::new()
    }
}

impl Pairs {
    pub fn new() -> Self {
        Pairs { host: Host::new(), comparisons: COMPARISONS[0], tiles: None }
    }

    /// Finds the next pairs of a range of at most 256 positions: those that [`Host::pairs`] finds from the same
    /// `cursor` on, in the same order, some of them at a time. The cursor is 0 at first and `range.len()` times the
    /// number of rows at the end; the library can continue from it. A call may find none. `searchers` are
    /// of [`Set::searcher`]; a call takes one of them.
    ///
    /// # Errors
    /// The errors of [`Host::pair_tiles`], and those of the device.
    pub fn advance(
        &mut self,
        searchers: &Shared<Searcher>,
        set: &Set,
        range: Range<usize>,
        cursor: &mut u64,
    ) -> Result<Vec<PairMatch>, Error> {
        let (count, mut base) = (range.len() as u64, 0);
        for (number, index) in set.indexes.iter().enumerate() {
            let end = (base + index.len()) as u64 * count;
            if *cursor < end {
                let tiles = self.tiles(set, &range, number)?;
                let at = (*cursor / count) as usize - base;
                let begin = tiles.tile(at.max(tiles.positions.start)).start;
                if at < tiles.positions.end {
                    *cursor = (*cursor).max((base + begin) as u64 * count);
                    return self.part(searchers, set, range, (index.len(), base), &tiles, cursor);
                }
                *cursor = end;
            }
            base += index.len();
        }
        Ok(Vec::new())
    }

    /// The tiles of the range in an index.
    fn tiles(&mut self, set: &Set, range: &Range<usize>, number: usize) -> Result<PairTiles, Error> {
        if let Some((of, at, tiles)) = &self.tiles
            && (of, *at) == (range, number)
        {
            return Ok(tiles.clone());
        }
        let tiles = self.host.pair_tiles(set.indexes, set.rows, range.clone(), &set.condition, number)?;
        self.tiles = Some((range.clone(), number, tiles.clone()));
        Ok(tiles)
    }

    /// The pairs from `cursor` on, which lies in a tile of an index of `len` rows, after `base` rows: those of some
    /// tiles, or of some positions of the range in one tile.
    fn part(
        &mut self,
        searchers: &Shared<Searcher>,
        set: &Set,
        range: Range<usize>,
        (len, base): (usize, usize),
        tiles: &PairTiles,
        cursor: &mut u64,
    ) -> Result<Vec<PairMatch>, Error> {
        let count = range.len() as u64;
        let cut = |tile: Range<usize>| tile.start..tile.end.min(len);
        let tile = cut(tiles.tile((*cursor / count) as usize - base));
        let (origin, rows) = ((base + tile.start) as u64 * count, tile.len() as u64);
        let (first, skipped) = ((*cursor - origin) / rows, (*cursor - origin) % rows);
        loop {
            let whole = (self.comparisons / rows).max(1);
            // The rest of a row that was begun is a part.
            let queries = first..if skipped > 0 { first + 1 } else { count.min(first.saturating_add(whole)) };
            let mut end = tile.end;
            while queries == (0..count) && end < tiles.positions.end {
                let next = cut(tiles.tile(end)).end;
                if (next - tile.start) as u64 * count > self.comparisons {
                    break;
                }
                end = next;
            }
            let begin = base + tile.start + skipped as usize;
            let compared = begin.max(range.start + first as usize + 1)..base + end;
            let asked = range.start + queries.start as usize..range.start + queries.end as usize;
            let Some(mut found) = search(searchers, set, asked.clone(), compared.clone())? else {
                self.comparisons = (compared.len() as u64 * asked.len() as u64 / 2).max(1);
                continue;
            };
            if found.len() < MOST / 4 {
                self.comparisons = (2 * self.comparisons).min(COMPARISONS[1]);
            }
            found.retain(|(query, hit)| hit.row as usize > asked.start + query);
            found.sort_unstable_by_key(|(query, hit)| (tiles.tile(hit.row as usize - base).start, *query, hit.row));
            let pair = |(query, hit): (usize, Match)| set.pair(asked.start + query, &hit);
            let found = found.into_iter().map(pair).collect();
            *cursor = if queries.end == count { (base + end) as u64 * count } else { origin + queries.end * rows };
            return Ok(found);
        }
    }
}

impl Set<'_> {
    /// A position and another one that it found as a pair of rows.
    fn pair(&self, position: usize, &Match { row, common, ones, score }: &Match) -> PairMatch {
        let own = self.row(position);
        let own_ones = super::words_of(&self.rows, own).map(u64::count_ones).sum();
        let mut pair = [(own as u64, own_ones), (self.row(row as usize) as u64, ones)];
        pair.sort_unstable();
        let [(query, query_ones), (row, ones)] = pair;
        PairMatch { query, row, common, query_ones, ones, score }
    }
}

/// The matches of the rows at some positions among those at others, or None if there are more than [`MOST`].
fn search(
    searchers: &Shared<Searcher>,
    set: &Set,
    asked: Range<usize>,
    compared: Range<usize>,
) -> Result<Option<Vec<(usize, Match)>>, Error> {
    if compared.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let bits = set.rows.bits();
    let bytes: Vec<u8> = asked.clone().flat_map(|position| set.rows.row(set.row(position))).copied().collect();
    let queries = BitRows::new(&bytes, asked.len(), bits, bits.div_ceil(8))?;
    searchers.free().search_within(queries, compared, &set.condition, MOST)
}
