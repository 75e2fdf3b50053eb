//! Searches with one query on the planes, and by comparing rows.

use std::collections::BinaryHeap;

use hotloops::fingerprints::{Condition, Index, Match, Measure, Searcher};
use hotloops::hamming::{BitRows, shared};
use hotloops::isa::{self, Isa};

use super::data::{Kind, Rng, rows};
use super::now;

/// Rows compared by one call of the kernel.
const BATCH: usize = 64;
/// Rows for which a search for the best rows takes one bound.
const STEP: usize = 512;

/// A copy of the rows in the order of positions.
struct Sorted {
    bytes: Vec<u8>,
    bits: usize,
    stride: usize,
    /// The row and the number of ones at each position.
    rows: Vec<[u32; 2]>,
}

/// The similarity of a row with `a` ones and a query with `b`, `c` in common.
fn tanimoto(b: u32, a: u32, c: u32) -> f32 {
    if a | b == 0 { 0.0 } else { c as f32 / (a + b - c) as f32 }
}

impl Sorted {
    fn new(index: &Index, bytes: &[u8], stride: usize) -> Sorted {
        let order = || (0..index.len()).map(|position| index.row(position).unwrap());
        let row = |row: usize| &bytes[row * stride..][..stride];
        let ones = |number: usize| row(number).iter().map(|byte| byte.count_ones()).sum();
        let rows = order().map(|row| [row as u32, ones(row)]).collect();
        Sorted { bytes: order().flat_map(row).copied().collect(), bits: index.bits(), stride, rows }
    }

    /// Calls `visit` for the rows from `from` to `to`, with the ones they share with the query.
    fn scan(&self, query: &[u8], from: usize, to: usize, mut visit: impl FnMut(u32, u32, u32)) {
        let mut common = [0; BATCH];
        for first in (from..to).step_by(BATCH) {
            let batch = &self.rows[first..to.min(first + BATCH)];
            let rows = self.bytes[first * self.stride..].as_ptr();
            // SAFETY: `query` has the bits of a row, the rows exist, with a result for each.
            unsafe { shared(query.as_ptr(), rows, batch.len(), self.bits, self.stride, common.as_mut_ptr()) }
            for (&[row, ones], &common) in batch.iter().zip(&common) {
                visit(row, ones, common);
            }
        }
    }

    /// The rows with a similarity of `threshold` or more.
    fn search(&self, query: &[u8], threshold: f32, hits: &mut [Match]) -> usize {
        let b = query.iter().map(|byte| byte.count_ones()).sum();
        let low = self.rows.partition_point(|&[_, a]| a < b && tanimoto(b, a, a) < threshold);
        let high = self.rows.partition_point(|&[_, a]| a <= b || tanimoto(b, a, b) >= threshold);
        // The fewest common ones of a row with the number of ones of the row before.
        let (mut ones, mut least, mut found) = (0, 0, 0);
        self.scan(query, low, high, |row, a, common| {
            if a != ones {
                ones = a;
                while least < b && tanimoto(b, a, least) < threshold {
                    least += 1;
                }
            }
            if common >= least {
                let score = tanimoto(b, a, common);
                if score >= threshold {
                    hits[found] = Match { row: row.into(), common, ones: a, score };
                    found += 1;
                }
            }
        });
        found
    }

    /// The `k` most similar rows, unordered: the row and the similarity.
    fn top(&self, query: &[u8], k: usize) -> Vec<(u32, f32)> {
        let b = query.iter().map(|byte| byte.count_ones()).sum();
        let mut up = self.rows.partition_point(|&[_, a]| a < b);
        let (mut down, mut best) = (up, BinaryHeap::with_capacity(k + 1));
        loop {
            let worst: Option<&(u32, u32)> = best.peek().filter(|_| best.len() == k);
            let bound = worst.map_or(0.0, |&(flipped, _)| f32::from_bits(!flipped));
            let possible = |position: Option<&[u32; 2]>| position.map(|&[_, a]| tanimoto(b, a, a.min(b)));
            let above = possible(self.rows.get(up)).filter(|&score| score >= bound);
            let below = possible(self.rows[..down].last()).filter(|&score| score >= bound);
            let (from, to) = match (above, below) {
                (None, None) => {
                    return best.into_iter().map(|(flipped, row)| (row, f32::from_bits(!flipped))).collect();
                }
                (above, below) if above >= below => (up, self.rows.len().min(up + STEP)),
                _ => (down.saturating_sub(STEP), down),
            };
            (down, up) = if from == up { (down, to) } else { (from, up) };
            self.scan(query, from, to, |row, a, common| {
                let score = tanimoto(b, a, common);
                // The top of the heap is the worst hit: lowest similarity, then last row.
                if score >= bound && (best.len() < k || (!score.to_bits(), row) < *best.peek().unwrap()) {
                    best.push((!score.to_bits(), row));
                    if best.len() > k {
                        best.pop();
                    }
                }
            });
        }
    }
}

/// Thresholds, or how many best rows.
const SEARCHES: [(f32, usize); 8] =
    [(0.1, 0), (0.2, 0), (0.3, 0), (0.4, 0), (0.7, 0), (0.85, 0), (0.0, 10), (0.0, 100)];

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Prints a table of the milliseconds of a query by both methods, for several instruction sets.
pub fn compare<'a>(kinds: impl Iterator<Item = (&'a Kind, usize)>) {
    let isas = ["avx512icl", "avx2", "sse2", "neon"].map(|word| Isa::from_word(word.as_bytes()));
    let isas: Vec<Isa> = isas.into_iter().flatten().filter(|&isa| isa::usable(isa)).collect();
    let titles: Vec<String> = isas.iter().map(|isa| format!("{}: columns, rows", isa.word())).collect();
    println!("| rows | Tanimoto | found | {} |", titles.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(isas.len()));
    // The greatest time of a method over that of the other.
    let mut worst = [0f64; 2];
    for (kind, n) in kinds {
        let (bytes, stride) = (rows(kind, n), kind.bits.div_ceil(8));
        let all = BitRows::new(&bytes, n, kind.bits, stride).unwrap();
        let mut memory = vec![0; Index::image_len(n, kind.bits).unwrap()];
        let index = Index::build(all, &mut memory).unwrap();
        let sorted = Sorted::new(&index, &bytes, stride);
        let mut rng = Rng(1);
        let queries: Vec<&[u8]> = (0..20).map(|_| &bytes[rng.below(n) * stride..][..stride]).collect();
        let (mut searcher, mut hits) = (Searcher::new(), vec![Match::default(); n]);
        for (threshold, k) in SEARCHES {
            let condition = Condition { measure: Measure::Tanimoto, threshold, empty: 0.0 };
            let mut cells = Vec::new();
            let mut found = [0; 2];
            for &isa in &isas {
                isa::set(isa).unwrap();
                let mut times = [const { Vec::new() }; 2];
                let begin = now();
                while times[0].len() < 5 || times[0].len() < 25 && now() - begin < 2000.0 {
                    for method in 0..2 {
                        let begin = now();
                        let count = |query: &&[u8]| match (method, k) {
                            (0, 0) => searcher.search(&[index], query, &condition, &mut 0, &mut hits).unwrap(),
                            (0, k) => searcher.top(&[index], query, &condition, &mut hits[..k]).unwrap(),
                            (_, 0) => sorted.search(query, threshold, &mut hits),
                            (_, k) => sorted.top(query, k).len(),
                        };
                        found[method] = queries.iter().map(count).sum();
                        times[method].push((now() - begin) / queries.len() as f64);
                    }
                }
                assert_eq!(found[0], found[1]);
                let [columns, rows] = times.map(median);
                worst = [worst[0].max(columns / rows), worst[1].max(rows / columns)];
                cells.push(format!("{columns:.3}, {rows:.3}"));
            }
            let name = if k == 0 { format!("{threshold}") } else { format!("best {k}") };
            let found = found[0] as f64 / queries.len() as f64;
            println!("| {}, {n} of {} bits | {name} | {found:.1} | {} |", kind.name, kind.bits, cells.join(" | "));
        }
    }
    let [columns, rows] = worst.map(|worst| ((worst - 1.0) * 100.0).max(0.0));
    println!("\nGreatest regret: {columns:.0} % for columns always, {rows:.0} % for rows always.");
}
