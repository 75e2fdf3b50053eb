//! Searches with many queries, and all pairs within a set of rows.

use core::ops::{ControlFlow, Range};

use super::image::{BLOCK, GROUP, GROUPS, Index, LINE};
use super::measure::Condition;
use super::plan::QueryPlan;
use super::search::{Searcher, past};
use super::tile::Tile;
use crate::frame::cache::prefetch;
use crate::frame::error::Error;
use crate::frame::error::{at_least, exactly};
use crate::hamming::BitRows;

/// A query and a row that it found, or two rows of a set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct PairMatch {
    /// The query; in a search for pairs, the row with the smaller number.
    pub query: u64,
    /// The row.
    pub row: u64,
    /// Ones in common.
    pub common: u32,
    /// Ones of the query.
    pub query_ones: u32,
    /// Ones of the row.
    pub ones: u32,
    /// The similarity, or the distance.
    pub score: f32,
}

/// Queries that go over a tile in turn, if they use many planes and if they use few. The planes of an
/// index are read once for each such set, and the offsets of the set's planes should fit in the cache.
const QUERIES: [usize; 2] = [256, 1024];
/// The largest median of planes, and the largest number of bits, of rows that use few planes.
const FEW: [usize; 2] = [128, 4096];
/// Number of queries between the prefetch of a row and its use.
const AHEAD: usize = 4;
/// Bytes of planes of a tile, which stay in the second cache while the queries go over it, if queries
/// use many of the planes, and if they use less than an eighth of them.
const TILE_BYTES: [usize; 2] = [1 << 19, 1 << 21];
/// Planes of a smaller index are not prefetched.
const CACHED_BYTES: usize = 1 << 22;

/// The way of [`Searcher::pairs`] over an index, from [`Searcher::pair_tiles`].
#[derive(Clone, Debug, PartialEq)]
pub struct PairTiles {
    /// The positions of the index that are compared. No other row is in a pair.
    pub positions: Range<usize>,
    /// The maximum number of rows of a tile.
    pub rows: usize,
}

impl PairTiles {
    /// The positions of the tile that holds a position. The last tile of an index may end after its rows.
    #[must_use]
    pub fn tile(&self, position: usize) -> Range<usize> {
        let (block, at) = (position - position % BLOCK, position % BLOCK);
        let start = at - at % self.rows.max(1);
        block + start..block + (start + self.rows.max(1)).min(BLOCK)
    }
}

/// Where queries come from.
#[derive(Clone, Copy)]
enum Queries<'a> {
    /// Rows of their own.
    Given(BitRows<'a>),
    /// The rows of the indexes in the order of positions, from this one on.
    Own(BitRows<'a>, usize),
}

impl Searcher {
    /// Finds, for each query, the rows that satisfy `condition`: the same rows as
    /// [`Searcher::search`], several times as fast for many queries.
    ///
    /// Works in sets of up to 1024 queries: for each set, tile by tile of an index, for each query of
    /// the set. So matches of a query are not adjacent, but they are in the order of
    /// [`Searcher::search`]. Writes at most `hits.len()` matches and returns their number. `cursor` is
    /// the position of the search. Set it to 0 at first; each call continues from it and advances it.
    /// It is the number of queries times the number of rows when all have been compared. A call
    /// prepares up to 1024 queries, so avoid small `hits`.
    ///
    /// Threads may each take a part of the queries.
    ///
    /// ```
    /// use hotloops::fingerprints::{Condition, Index, Measure, PairMatch, Searcher};
    /// use hotloops::hamming::BitRows;
    ///
    /// let rows = BitRows::new(&[0xff, 0x1f, 0xf0, 0x0f], 4, 8, 1)?;
    /// let mut memory = vec![0; Index::image_len(4, 8)?];
    /// let index = Index::build(rows, &mut memory)?;
    /// let queries = BitRows::new(&[0x0f, 0xff], 2, 8, 1)?;
    /// let condition = Condition { measure: Measure::Tanimoto, threshold: 0.8, empty: 0.0 };
    /// let (mut cursor, mut hits) = (0, [PairMatch::default(); 8]);
    /// let found = Searcher::new().batch(&[index], queries, &condition, &mut cursor, &mut hits)?;
    /// let hits: Vec<_> = hits[..found].iter().map(|hit| (hit.query, hit.row, hit.score)).collect();
    /// assert_eq!((cursor, hits), (8, vec![(0, 3, 1.0), (0, 1, 0.8), (1, 0, 1.0)]));
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Searcher::search`], and [`Error::TooLarge`] for 2^64 pairs or more.
    pub fn batch(
        &mut self,
        indexes: &[Index],
        queries: BitRows,
        condition: &Condition,
        cursor: &mut u64,
        hits: &mut [PairMatch],
    ) -> Result<usize, Error> {
        if !queries.is_empty() && !indexes.is_empty() {
            exactly("bits", indexes[0].bits(), queries.bits())?;
        }
        self.tiled(indexes, Queries::Given(queries), queries.len(), condition, cursor, hits)
    }

    /// Finds the pairs of rows that satisfy `condition`, each once, with `query` less than `row`.
    ///
    /// `rows` are the rows that the indexes were built from, in one set; other rows give wrong pairs.
    /// `range` is a range of positions, numbered on from index to index: pairs are returned whose first
    /// row in the order of positions is in it. `0..rows.len()` is all of them; threads may each take
    /// ranges. `cursor` and `hits` are those of [`Searcher::batch`], with the rows of the range as
    /// queries: the cursor ends at `range.len() * rows.len()`.
    ///
    /// ```
    /// use hotloops::fingerprints::{Condition, Index, Measure, PairMatch, Searcher};
    /// use hotloops::hamming::BitRows;
    ///
    /// let rows = BitRows::new(&[0xff, 0x1f, 0xf0, 0x0f], 4, 8, 1)?;
    /// let mut memory = vec![0; Index::image_len(4, 8)?];
    /// let index = Index::build(rows, &mut memory)?;
    /// let condition = Condition { measure: Measure::Tanimoto, threshold: 0.6, empty: 0.0 };
    /// let (mut cursor, mut hits) = (0, [PairMatch::default(); 8]);
    /// let found = Searcher::new().pairs(&[index], rows, 0..4, &condition, &mut cursor, &mut hits)?;
    /// let hits: Vec<_> = hits[..found].iter().map(|hit| (hit.query, hit.row, hit.score)).collect();
    /// assert_eq!((cursor, hits), (16, vec![(1, 3, 0.8), (0, 1, 0.625)]));
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Searcher::batch`]; [`Error::Option`] if the measure isn't symmetric
    /// ([`Measure::Containment`](super::Measure::Containment), or
    /// [`Measure::Tversky`](super::Measure::Tversky) with different weights; use [`Searcher::batch`]),
    /// [`Error::Length`] if `rows` and the indexes differ in their number of rows, [`Error::Index`] if
    /// `range` is not a range of positions.
    pub fn pairs(
        &mut self,
        indexes: &[Index],
        rows: BitRows,
        range: Range<usize>,
        condition: &Condition,
        cursor: &mut u64,
        hits: &mut [PairMatch],
    ) -> Result<usize, Error> {
        check_pairs(indexes, &rows, &range, condition)?;
        self.tiled(indexes, Queries::Own(rows, range.start), range.len(), condition, cursor, hits)
    }

    /// The order in which [`Searcher::pairs`] finds the pairs of a `range` of at most 256 positions in the index of
    /// this `number`: for whoever searches for the same pairs by other means, as devices do.
    ///
    /// The indexes are searched one after the other. In an index, pairs are ordered by the tile that holds the row of
    /// the higher position, in a tile by the lower position, and then by the higher one. `cursor` ascends in the same
    /// order: from `range.len()` times the position of a tile's first row (all indexes counted) by one for each row of
    /// the tile, for each position of the range.
    ///
    /// ```
    /// use hotloops::fingerprints::{Condition, Index, Measure, Searcher};
    /// use hotloops::hamming::BitRows;
    ///
    /// let rows = BitRows::new(&[0xff, 0x1f, 0xf0, 0x0f], 4, 8, 1)?;
    /// let mut memory = vec![0; Index::image_len(4, 8)?];
    /// let index = Index::build(rows, &mut memory)?;
    /// let condition = Condition { measure: Measure::Tanimoto, threshold: 0.6, empty: 0.0 };
    /// let tiles = Searcher::new().pair_tiles(&[index], rows, 0..4, &condition, 0)?;
    /// // Position 0 is in no pair as the higher one.
    /// assert_eq!((tiles.positions.clone(), tiles.tile(3).start), (1..4, 0));
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Searcher::pairs`], [`Error::TooLarge`] for more than 256 positions, and [`Error::Index`] if
    /// there is no index of this number.
    pub fn pair_tiles(
        &mut self,
        indexes: &[Index],
        rows: BitRows,
        range: Range<usize>,
        condition: &Condition,
        number: usize,
    ) -> Result<PairTiles, Error> {
        check_pairs(indexes, &rows, &range, condition)?;
        if range.len() > QUERIES[0] {
            return Err(Error::TooLarge { argument: "range" });
        }
        let index =
            indexes.get(number).ok_or(Error::Index { argument: "index", index: number, count: indexes.len() })?;
        condition.check()?;
        self.check(indexes, usize::MAX)?;
        let base = indexes[..number].iter().map(|index| index.len() as u64).sum();
        let queries = Queries::Own(rows, range.start);
        let step = Step { index, base, queries, set: 0..range.len(), condition, start: 0 };
        self.prepare(indexes, &step)?;
        let positions = self.needed(&step).unwrap_or(0..0);
        Ok(PairTiles { positions, rows: GROUP * tile_groups(index, self.is_sparse(&step)) })
    }

    fn tiled(
        &mut self,
        indexes: &[Index],
        queries: Queries,
        n: usize,
        condition: &Condition,
        cursor: &mut u64,
        hits: &mut [PairMatch],
    ) -> Result<usize, Error> {
        condition.check()?;
        let rows = self.check(indexes, usize::MAX)?;
        let all = (n as u64).checked_mul(rows).ok_or(Error::TooLarge { argument: "n_rows" })?;
        if *cursor > all {
            return Err(past(*cursor, all));
        }
        if *cursor < all {
            at_least("hits", 1, hits.len())?;
        }
        let mut found = 0;
        let few = |index: &Index| {
            let (ones, bits) = (index.ones_at(index.len() / 2, 0) as usize, index.bits());
            ones.min(bits - ones) <= FEW[0] && bits <= FEW[1]
        };
        let size = QUERIES[usize::from(indexes.iter().all(few))];
        // A set of q queries takes q units of the cursor for each row: tiles in turn, in a tile of t
        // rows t units for each query.
        while *cursor < all {
            let first = (*cursor / (rows * size as u64)) as usize * size;
            let set = first..n.min(first + size);
            let start = first as u64 * rows;
            let mut base = 0;
            for index in indexes {
                let end = start + (base + index.len() as u64) * set.len() as u64;
                if *cursor < end {
                    let step = Step { index, base, queries, set: set.clone(), condition, start };
                    if self.tiles(indexes, &step, cursor, hits, &mut found)?.is_break() {
                        return Ok(found);
                    }
                }
                *cursor = end.max(*cursor);
                base += index.len() as u64;
            }
        }
        Ok(found)
    }

    /// Prepares a set of queries.
    fn prepare(&mut self, indexes: &[Index], step: &Step) -> Result<(), Error> {
        let &Step { index, queries, ref set, condition, .. } = step;
        self.plans.begin(index)?;
        for query in set.clone() {
            let row = match queries {
                Queries::Given(rows) => rows.row(query),
                Queries::Own(rows, first) => {
                    let ahead = (query + AHEAD).min(set.end - 1);
                    let next = rows.row(own(indexes, first + ahead, rows.len()));
                    next.chunks(LINE)
                        .chain(next.last_chunk::<1>().map(|last| &last[..]))
                        .for_each(|line| prefetch(line.as_ptr()));
                    rows.row(own(indexes, first + query, rows.len()))
                }
            };
            self.plans.push(index, row, Some(condition))?;
        }
        Ok(())
    }

    /// The positions from the first to the last that a query of a prepared set is compared with.
    fn needed(&self, step: &Step) -> Option<Range<usize>> {
        let windows = self.plans.plans.iter().zip(step.set.clone()).map(|(plan, query)| step.window(plan, query));
        let needed = windows.filter(|window| !window.is_empty());
        let from = needed.clone().map(|window| window.start).min()?;
        Some(from..needed.map(|window| window.end).max().unwrap_or(from))
    }

    /// Whether a prepared set of queries uses few of the planes.
    fn is_sparse(&self, step: &Step) -> bool {
        let used: usize = self.plans.plans.iter().map(|plan| 8 * plan.chunks).sum();
        8 * used < step.set.len() * step.index.bits()
    }

    /// Searches the tiles of an index with a set of queries.
    fn tiles(
        &mut self,
        indexes: &[Index],
        step: &Step,
        cursor: &mut u64,
        hits: &mut [PairMatch],
        found: &mut usize,
    ) -> Result<ControlFlow<()>, Error> {
        let &Step { index, base, queries, ref set, condition, start } = step;
        let count = set.len() as u64;
        self.prepare(indexes, step)?;
        let Some(needed) = self.needed(step) else {
            return Ok(ControlFlow::Continue(()));
        };
        let sparse = self.is_sparse(step);
        // Given queries are often few and share few planes, which come from memory.
        let from_memory = sparse && matches!(queries, Queries::Given(_)) && index.bytes.len() > CACHED_BYTES;
        let most = tile_groups(index, sparse);
        let reached = ((*cursor - start) / count).saturating_sub(base) as usize;
        // Tiles begin at multiples of their size in each block, whatever the cursor.
        let mut group = reached.max(needed.start) / GROUP;
        group -= group % GROUPS % most;
        let mut ones = self.plans.counts[0];
        while group * GROUP < needed.end {
            let tile = Tile::new(index, group, most, ones);
            let positions = tile.positions(index);
            self.plans.set_stride(tile.stride(index));
            let origin = start + (base + positions.start as u64) * count;
            let done = cursor.saturating_sub(origin);
            let rows = positions.len() as u64;
            for at in (done / rows) as usize..set.len() {
                let (plan, query) = (self.plans.plans[at], set.start + at);
                let mut within = step.window(&plan, query);
                let skipped = done.saturating_sub(at as u64 * rows) as usize;
                within.start = within.start.max(positions.start + skipped);
                within.end = within.end.min(positions.end);
                if within.start >= within.end {
                    continue;
                }
                if *found == hits.len() {
                    *cursor = origin + at as u64 * rows + (within.start - positions.start) as u64;
                    return Ok(ControlFlow::Break(()));
                }
                let name = step.name(indexes, query);
                let sought = self.plans.query(&plan);
                if let Some(next) = self.plans.plans.get(at + 1).filter(|_| from_memory) {
                    self.plans.query(next).prefetch(index, &tile);
                }
                let mut stopped = None;
                let _ = self.engine.scan(index, &tile, &sought, &within, |survivor| {
                    let score = condition.score(plan.ones, survivor.ones, survivor.common);
                    if condition.meets(score, condition.threshold) {
                        let Some(hit) = hits.get_mut(*found) else {
                            stopped = Some(survivor.position);
                            return ControlFlow::Break(());
                        };
                        let row = base + u64::from(index.row_at(survivor.position));
                        let mut pair = [(name as u64, plan.ones), (row, survivor.ones)];
                        if matches!(queries, Queries::Own(..)) {
                            pair.sort_unstable();
                        }
                        let [(query, query_ones), (row, ones)] = pair;
                        *hit = PairMatch { query, row, common: survivor.common, query_ones, ones, score };
                        *found += 1;
                    }
                    ControlFlow::Continue(())
                });
                if let Some(stopped) = stopped {
                    *cursor = origin + at as u64 * rows + (stopped - positions.start) as u64;
                    return Ok(ControlFlow::Break(()));
                }
            }
            ones = tile.counts()[1];
            group = index.groups(&positions).end;
            *cursor = origin + count * rows;
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// One index and one set of queries.
struct Step<'a, 'b> {
    index: &'a Index<'a>,
    /// Rows of the indexes before it.
    base: u64,
    queries: Queries<'b>,
    set: Range<usize>,
    condition: &'a Condition,
    /// The cursor at which the set begins.
    start: u64,
}

impl Step<'_, '_> {
    /// The positions that a query is compared with: for one of the index's own rows, only those after it.
    #[inline]
    fn window(&self, plan: &QueryPlan, query: usize) -> Range<usize> {
        let later = match self.queries {
            Queries::Given(_) => 0,
            Queries::Own(_, first) => {
                ((first + query + 1) as u64).saturating_sub(self.base).min(self.index.len() as u64) as usize
            }
        };
        plan.start.max(later)..plan.end
    }

    /// The number of a query in its matches.
    #[inline]
    fn name(&self, indexes: &[Index], query: usize) -> usize {
        match self.queries {
            Queries::Given(_) => query,
            Queries::Own(rows, first) => own(indexes, first + query, rows.len()),
        }
    }
}

/// Checks the arguments of a search for pairs.
fn check_pairs(indexes: &[Index], rows: &BitRows, range: &Range<usize>, condition: &Condition) -> Result<(), Error> {
    if !condition.is_symmetric() {
        return Err(Error::Option { argument: "measure", value: condition.measure.number() });
    }
    exactly("rows", indexes.iter().map(Index::len).sum(), rows.len())?;
    if !rows.is_empty() {
        exactly("bits", indexes[0].bits(), rows.bits())?;
    }
    if range.start > range.end || range.end > rows.len() {
        let index = range.end.max(range.start);
        return Err(Error::Index { argument: "range", index, count: rows.len() });
    }
    Ok(())
}

/// Groups of a tile whose planes stay in the cache. Tiles of a block have about the same size.
fn tile_groups(index: &Index, sparse: bool) -> usize {
    let bytes = TILE_BYTES[usize::from(sparse)];
    let most = (bytes / (LINE * (index.bits() + 1))).clamp(1, GROUPS);
    GROUPS.div_ceil(GROUPS.div_ceil(most))
}

/// The row at a position of all indexes together, less than `n`.
fn own(indexes: &[Index], position: usize, n: usize) -> usize {
    let (mut base, mut at) = (0, position);
    for index in indexes {
        match index.row(at) {
            // Rows of a corrupt image may be too large.
            Some(row) => return (base + row).min(n.saturating_sub(1)),
            None => at -= index.len(),
        }
        base += index.len();
    }
    0
}
