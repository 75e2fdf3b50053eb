//! Exact searches in bit rows, with the matches of [`hotloops::fingerprints`].
//!
//! Every query is compared with every row. A device decides by integers alone: the host tabulates for each query and
//! each number of ones of a row how many ones in common the score takes, by the library's own rounding.
//!
//! ```no_run
//! use hotloops::fingerprints::{Condition, Measure};
//! use hotloops::hamming::BitRows;
//! use hotloops_gpu::{Device, fingerprints::Searcher, selftest};
//!
//! let rows = BitRows::new(&[0xff, 0x1f, 0xf0, 0x0f], 4, 8, 1)?;
//! let mut searcher = Searcher::new(selftest::open(&Device::numbered(0)?)?, rows)?;
//! let condition = Condition { measure: Measure::Tanimoto, threshold: 0.6, empty: 0.0 };
//! let best = searcher.top(BitRows::new(&[0x0f], 1, 8, 1)?, &condition, 3)?;
//! assert_eq!(best[0][0].row, 3);
//! # Ok::<(), hotloops_gpu::Error>(())
//! ```

mod pairs;

use std::cmp::Ordering;
use std::ops::Range;

use hotloops::fingerprints::{Condition, Match};
use hotloops::hamming::BitRows;

use crate::append::List;
use crate::bitslice::SOURCE;
use crate::error::Error;
use crate::pace::Pace;
use crate::queue::{Buffer, Kernel, Queue, arguments};
pub use pairs::{Pairs, Set};

/// Rows of a group.
const GROUP: usize = 64;
/// Queries of an item, and the words that it reads at a time.
const EACH: usize = 4;
/// Queries that are searched for at once, at most.
const QUERIES: usize = 1024;
/// Entries of their tables, at most, unless a single query has more.
const ENTRIES: usize = 1 << 22;
/// Rows of the first launch.
const FIRST: usize = 1 << 10;
/// Pairs of a launch, at most: all may be hits, of 12 bytes each.
const PAIRS: usize = 1 << 24;
/// Hits that there is room for at first.
const ROOM: usize = 1 << 18;

/// Rows in one buffer.
struct Segment {
    /// The number of rows before.
    before: usize,
    n: usize,
    /// Word w of row r is word `w * stride + r`.
    rows: Buffer<u64>,
    stride: usize,
    ones: Buffer<u32>,
    counts: Vec<u32>,
}

/// Searches in rows that are on a device.
pub struct Searcher {
    queue: Queue,
    search: Kernel,
    segments: Vec<Segment>,
    bits: usize,
    pace: Pace,
    hits: List,
}

impl Searcher {
    /// The queue of its device.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Copies the rows to the device and compiles the kernel.
    ///
    /// # Errors
    /// Fails if the device lacks the memory, or the driver fails.
    pub fn new(queue: Queue, rows: BitRows) -> Result<Self, Error> {
        Searcher::with_order(queue, rows, |row| row)
    }

    /// The same with the rows in another order: row `order(i)` of `rows` is row i.
    fn with_order(queue: Queue, rows: BitRows, order: impl Fn(usize) -> usize) -> Result<Self, Error> {
        let program = queue.program(SOURCE, "")?;
        let search = queue.kernel(&program, "search")?;
        let words = padded_words(rows.bits());
        let most = (queue.device().max_buffer / (8 * words as u64)).clamp(2 * GROUP as u64, 1 << 26) as usize - GROUP;
        let (mut segments, mut before) = (Vec::new(), 0);
        while before < rows.len() {
            let n = most.min(rows.len() - before);
            // A launch may begin at any row, and its last group goes beyond its last row.
            let stride = n + GROUP;
            let (mut data, mut counts) = (vec![0; stride * words], vec![0; stride]);
            for r in 0..n {
                for (w, word) in words_of(&rows, order(before + r)).enumerate() {
                    data[w * stride + r] = word;
                    counts[r] += word.count_ones();
                }
            }
            let (rows, ones) = (queue.upload(&data)?, queue.upload(&counts)?);
            segments.push(Segment { before, n, rows, stride, ones, counts });
            before += n;
        }
        let hits = List::new(&queue, 3, ROOM)?;
        Ok(Searcher { queue, search, segments, bits: rows.bits(), pace: Pace::new(FIRST, PAIRS), hits })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.segments.iter().map(|segment| segment.n).sum()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Calls `each` with every match of every query, the query's number first, in no order. Stops when it returns
    /// false.
    ///
    /// # Errors
    /// Fails if the queries have another number of bits, if the condition is wrong
    /// ([`Condition::check`]), and if the device fails.
    pub fn search(
        &mut self,
        queries: BitRows,
        condition: &Condition,
        mut each: impl FnMut(usize, Match) -> bool,
    ) -> Result<(), Error> {
        self.check(&queries, condition)?;
        let mut goes_on = true;
        for (first, count) in self.batches(&queries) {
            let mut batch = Batch::new(&self.queue, &queries, first, count, condition)?;
            self.scan(&mut batch, condition, 0..usize::MAX, usize::MAX, |_, hits| {
                for (query, hit) in hits {
                    goes_on = goes_on && each(first + query, hit);
                }
                goes_on
            })?;
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    /// The matches of every query in some of the rows, in no order, or None if there are more than `most`. Rows after
    /// the last one are ignored.
    ///
    /// # Errors
    /// As for [`search`](Self::search).
    pub fn search_within(
        &mut self,
        queries: BitRows,
        rows: Range<usize>,
        condition: &Condition,
        most: usize,
    ) -> Result<Option<Vec<(usize, Match)>>, Error> {
        self.check(&queries, condition)?;
        let mut found = Vec::new();
        for (first, count) in self.batches(&queries) {
            let mut batch = Batch::new(&self.queue, &queries, first, count, condition)?;
            let left = most - found.len();
            let is_whole = self.scan(&mut batch, condition, rows.clone(), left, |_, hits| {
                found.extend(hits.into_iter().map(|(query, hit)| (first + query, hit)));
                found.len() <= most
            })?;
            if !is_whole {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// The best `k` rows of each query that meet the condition: by score, best first, then by row.
    ///
    /// # Errors
    /// As for [`search`](Self::search).
    pub fn top(&mut self, queries: BitRows, condition: &Condition, k: usize) -> Result<Vec<Vec<Match>>, Error> {
        Ok(self.find_while(queries, condition, Some(k), |_| true)?.unwrap_or_default())
    }

    /// The best rows of each query as [`top`](Self::top) has them, or else all matches in no order. None as soon as
    /// `go_on`, called after each launch with the number of matches that it found, returns false.
    ///
    /// # Errors
    /// As for [`search`](Self::search).
    pub fn find_while(
        &mut self,
        queries: BitRows,
        condition: &Condition,
        top: Option<usize>,
        mut go_on: impl FnMut(usize) -> bool,
    ) -> Result<Option<Vec<Vec<Match>>>, Error> {
        self.check(&queries, condition)?;
        let mut all = Vec::new();
        if top == Some(0) {
            all.resize(queries.len(), Vec::new());
            return Ok(Some(all));
        }
        for (first, count) in self.batches(&queries) {
            let mut batch = Batch::new(&self.queue, &queries, first, count, condition)?;
            let mut best = vec![Vec::new(); count];
            let is_whole = self.scan(&mut batch, condition, 0..usize::MAX, usize::MAX, |batch, hits| {
                let found = hits.len();
                for (query, hit) in hits {
                    best[query].push(hit);
                }
                let k = top.unwrap_or(usize::MAX);
                for (query, best) in best.iter_mut().enumerate().filter(|(_, best)| best.len() > k) {
                    keep(best, k, condition);
                    batch.tabulate(query, condition, best[k - 1].score);
                }
                go_on(found)
            })?;
            if !is_whole {
                return Ok(None);
            }
            if let Some(k) = top {
                best.iter_mut().for_each(|best| keep(best, k, condition));
            }
            all.append(&mut best);
        }
        Ok(Some(all))
    }

    fn check(&self, queries: &BitRows, condition: &Condition) -> Result<(), Error> {
        condition.check()?;
        if queries.bits() != self.bits && !queries.is_empty() && !self.is_empty() {
            let why = format!("{} bits; the rows have {}", queries.bits(), self.bits);
            return Err(Error::argument("queries", why));
        }
        Ok(())
    }

    /// The first query and the number of each batch.
    fn batches(&self, queries: &BitRows) -> Vec<(usize, usize)> {
        let size = (ENTRIES / (self.bits + 1)).clamp(1, QUERIES);
        (0..queries.len()).step_by(size).map(|first| (first, size.min(queries.len() - first))).collect()
    }

    /// Compares a batch of queries with a range of the rows, some rows a launch. `each` gets the matches of a launch;
    /// it may raise the bounds of queries, and returns whether to go on. Returns false if it stopped early, or because
    /// a launch has found more than `most`.
    fn scan(
        &mut self,
        batch: &mut Batch,
        condition: &Condition,
        rows: Range<usize>,
        most: usize,
        mut each: impl FnMut(&mut Batch, Vec<(usize, Match)>) -> bool,
    ) -> Result<bool, Error> {
        let Searcher { queue, search, segments, bits, pace, hits } = self;
        let words = padded_words(*bits) as u32;
        pace.limit(PAIRS / batch.ones.len());
        let mut goes_on = true;
        for segment in segments.iter() {
            let [begin, end] = [rows.start, rows.end].map(|row| row.saturating_sub(segment.before).min(segment.n));
            pace.run(end.saturating_sub(begin), |first, n| {
                if !goes_on {
                    return Ok(());
                }
                let first = begin + first;
                batch.write(queue)?;
                let groups = [n.div_ceil(GROUP), batch.ones.len().div_ceil(EACH)];
                let [nq, from, nr, columns] = [batch.ones.len(), first, n, *bits + 1].map(|size| size as u32);
                let launch = |room: u32, hits: &Buffer<u32>, found: &Buffer<u32>| {
                    let given = arguments![
                        &batch.queries,
                        &segment.rows,
                        &segment.ones,
                        &batch.least,
                        nq,
                        from,
                        nr,
                        segment.stride as u32,
                        words,
                        columns,
                        room,
                        hits,
                        found,
                    ];
                    // SAFETY: the buffers have whole groups of queries and rows, the tables of all queries, and room
                    // for as many hits as it may write.
                    unsafe { queue.launch(search, &groups, &[GROUP, 1], &given) }
                };
                let Some(triples) = hits.collect_within(queue, most, launch)? else {
                    goes_on = false;
                    return Ok(());
                };
                let matches = triples.as_chunks::<3>().0.iter().map(|&[query, row, common]| {
                    let ones = segment.counts[row as usize];
                    let score = condition.score(batch.ones[query as usize], ones, common);
                    (query as usize, Match { row: (segment.before + row as usize) as u64, common, ones, score })
                });
                goes_on = each(batch, matches.collect());
                Ok::<(), Error>(())
            })?;
        }
        Ok(goes_on)
    }
}

/// Queries on the device, each with a table: for each number of ones of a row, the number of ones in common that meets
/// the query's bound.
struct Batch {
    queries: Buffer<u64>,
    ones: Vec<u32>,
    least: Buffer<u32>,
    table: Vec<u32>,
    columns: usize,
    /// Whether the device lacks the tables as they are.
    is_stale: bool,
}

impl Batch {
    fn new(queue: &Queue, queries: &BitRows, first: usize, n: usize, condition: &Condition) -> Result<Self, Error> {
        let words = padded_words(queries.bits());
        let mut data = vec![0; n.next_multiple_of(EACH) * words];
        for (row, to) in (first..first + n).zip(data.chunks_mut(words)) {
            words_of(queries, row).zip(to).for_each(|(word, to)| *to = word);
        }
        let counts = data.chunks(words).take(n).map(|row| row.iter().map(|word| word.count_ones()).sum()).collect();
        let columns = queries.bits() + 1;
        let (queries, least) = (queue.upload(&data)?, queue.buffer(n * columns)?);
        let mut batch = Batch { queries, ones: counts, least, table: vec![0; n * columns], columns, is_stale: true };
        (0..n).for_each(|query| batch.tabulate(query, condition, condition.threshold));
        Ok(batch)
    }

    /// Sets the bound of a query.
    fn tabulate(&mut self, query: usize, condition: &Condition, bound: f32) {
        let table = &mut self.table[query * self.columns..][..self.columns];
        condition.least_common(self.ones[query], bound, 0, table);
        self.is_stale = true;
    }

    fn write(&mut self, queue: &Queue) -> Result<(), Error> {
        if std::mem::take(&mut self.is_stale) {
            queue.write(&mut self.least, 0, &self.table)?;
        }
        Ok(())
    }
}

/// Sorts the matches of a query, best first, and keeps the first `k`.
fn keep(best: &mut Vec<Match>, k: usize, condition: &Condition) {
    best.sort_unstable_by(|x, y| if condition.precedes(x, y) { Ordering::Less } else { Ordering::Greater });
    best.truncate(k);
}

/// Words of a row on a device.
fn padded_words(bits: usize) -> usize {
    bits.div_ceil(64).max(1).next_multiple_of(EACH)
}

/// The words of a row, with zeros after its last bit.
fn words_of(rows: &BitRows, row: usize) -> impl Iterator<Item = u64> {
    let (bytes, bits) = (rows.row(row), rows.bits());
    let last = if bits.is_multiple_of(64) { u64::MAX } else { (1 << (bits % 64)) - 1 };
    let words = bits.div_ceil(64);
    (0..words).map(move |w| {
        let mut word = [0; 8];
        let part = &bytes[8 * w..bytes.len().min(8 * w + 8)];
        word[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(word) & if w + 1 == words { last } else { u64::MAX }
    })
}

/// Compares a small search with the library's counts.
pub(crate) fn self_test(queue: &Queue) -> Result<bool, Error> {
    let bytes: Vec<u8> = (0..40 * 12_u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
    let rows = BitRows::new(&bytes, 40, 90, 12)?;
    let mut expected = vec![0; 40 * 40];
    hotloops::hamming::within(rows, 0..40, hotloops::hamming::Part::Full, &mut expected, 40)?;
    let condition = Condition { measure: hotloops::fingerprints::Measure::Hamming, threshold: 40.0, empty: 0.0 };
    let mut found = vec![f32::INFINITY; 40 * 40];
    Searcher::new(Queue::open(queue.device())?, rows)?.search(rows, &condition, |query, hit| {
        found[40 * query + hit.row as usize] = hit.score;
        true
    })?;
    Ok(found.iter().zip(expected).all(|(&found, d)| found == if d <= 40 { d as f32 } else { f32::INFINITY }))
}
