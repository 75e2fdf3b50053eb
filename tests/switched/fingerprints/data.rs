//! Sets of rows, and their exact search row by row.

use hotloops::fingerprints::{Condition, Match, Measure, PairMatch};

use crate::harness::rng::Rng;

/// Rows of `bits` bits, each in whole bytes.
pub struct Rows {
    pub bytes: Vec<u8>,
    pub n: usize,
    pub bits: usize,
}

impl Rows {
    pub fn stride(&self) -> usize {
        self.bits.div_ceil(8)
    }

    pub fn row(&self, i: usize) -> &[u8] {
        &self.bytes[i * self.stride()..][..self.stride()]
    }

    pub fn view(&self) -> hotloops::hamming::BitRows<'_> {
        hotloops::hamming::BitRows::new(&self.bytes, self.n, self.bits, self.stride()).unwrap()
    }

    /// Rows whose bit `k` is `bit(i, k)`. Bits after the last one are random.
    pub fn of(n: usize, bits: usize, rng: &mut Rng, mut bit: impl FnMut(&mut Rng, usize, usize) -> bool) -> Self {
        let stride = bits.div_ceil(8);
        let mut bytes = vec![0; n * stride];
        for i in 0..n {
            for k in 0..8 * stride {
                let one = if k < bits { bit(rng, i, k) } else { rng.word().is_multiple_of(2) };
                bytes[i * stride + k / 8] |= u8::from(one) << (k % 8);
            }
        }
        Rows { bytes, n, bits }
    }

    /// Bits with the same chance everywhere.
    pub fn uniform(n: usize, bits: usize, share: f64, seed: u64) -> Self {
        Rows::of(n, bits, &mut Rng(seed), |rng, _, _| rng.real(1.0) < share)
    }

    /// Prototypes and their mutations. The chance of bit k falls like a power of its rank.
    pub fn clustered(n: usize, bits: usize, ones: f64, seed: u64) -> Self {
        let mut rng = Rng(seed);
        let rank: Vec<usize> = (0..bits).map(|k| k * 7919 % bits).collect();
        let sum: f64 = (0..bits).map(|k| ((k + 1) as f64).powf(-0.7)).sum();
        let share = |k: usize| (ones / sum * ((rank[k] + 1) as f64).powf(-0.7)).min(0.9);
        let members = 20;
        let mut prototype = vec![false; bits];
        Rows::of(n, bits, &mut rng, |rng, i, k| {
            let fresh = rng.real(1.0) < share(k);
            if i % members == 0 {
                prototype[k] = fresh;
            }
            if rng.real(1.0) < 0.1 { fresh } else { prototype[k] }
        })
    }

    /// Puts rows without ones, rows of ones only, and copies of rows between the others.
    pub fn with_extremes(mut self) -> Self {
        let stride = self.stride();
        for i in 0..self.n {
            match i % 37 {
                5 => self.bytes[i * stride..][..stride].fill(0),
                11 => self.bytes[i * stride..][..stride].fill(0xff),
                17 | 23 if i > 100 => self.bytes.copy_within((i - 60) * stride..(i - 59) * stride, i * stride),
                _ => (),
            }
        }
        self
    }
}

/// The bits of each byte that belong to the row.
fn mask(bits: usize) -> impl Iterator<Item = u8> + Clone {
    (0..bits.div_ceil(8)).map(move |i| if 8 * (i + 1) > bits { (1 << (bits % 8)) - 1 } else { 0xff })
}

fn ones(x: &[u8], bits: usize) -> u32 {
    x.iter().zip(mask(bits)).map(|(x, mask)| (x & mask).count_ones()).sum()
}

fn score(condition: &Condition, b: u32, a: u32, c: u32) -> f32 {
    let (x, y, z) = (f64::from(b), f64::from(a), f64::from(c));
    match condition.measure {
        Measure::Hamming => (a + b - 2 * c) as f32,
        _ if a == 0 && b == 0 => condition.empty,
        Measure::Containment if b == 0 => condition.empty,
        _ if c == 0 => 0.0,
        Measure::Tanimoto => (z / (x + y - z)) as f32,
        Measure::Dice => (2.0 * z / (x + y)) as f32,
        Measure::Cosine => (z / (x * y).sqrt()) as f32,
        Measure::Tversky { alpha, beta } => (1.0 / (1.0 + (alpha * (x - z) + beta * (y - z)) / z)) as f32,
        Measure::Containment => (z / x) as f32,
    }
}

fn meets(condition: &Condition, score: f32) -> bool {
    if condition.measure == Measure::Hamming { score <= condition.threshold } else { score >= condition.threshold }
}

/// Compares the query with each row.
pub fn brute(rows: &Rows, query: &[u8], condition: &Condition) -> Vec<Match> {
    let b = ones(query, rows.bits);
    let count = |i: usize| {
        let row = rows.row(i);
        let pairs = row.iter().zip(query).zip(mask(rows.bits));
        pairs.fold((0, 0), |(a, c), ((x, y), mask)| (a + (x & mask).count_ones(), c + (x & y & mask).count_ones()))
    };
    let all = (0..rows.n).map(|i| {
        let (a, c) = count(i);
        Match { row: i as u64, common: c, ones: a, score: score(condition, b, a, c) }
    });
    all.filter(|hit| meets(condition, hit.score)).collect()
}

/// The ones of row `i`.
pub fn brute_ones(rows: &Rows, i: usize) -> u32 {
    ones(rows.row(i), rows.bits)
}

/// All pairs i < j.
pub fn brute_pairs(rows: &Rows, condition: &Condition) -> Vec<PairMatch> {
    let mut pairs = Vec::new();
    for i in 0..rows.n {
        let query_ones = ones(rows.row(i), rows.bits);
        for hit in brute(rows, rows.row(i), condition) {
            if hit.row > i as u64 {
                let Match { row, common, ones, score } = hit;
                pairs.push(PairMatch { query: i as u64, row, common, query_ones, ones, score });
            }
        }
    }
    pairs
}

/// Sorts by score, best first, then by row.
pub fn sort(condition: &Condition, hits: &mut [Match]) {
    hits.sort_by(|x, y| {
        let scores = if condition.measure == Measure::Hamming { (x.score, y.score) } else { (y.score, x.score) };
        scores.0.partial_cmp(&scores.1).unwrap().then(x.row.cmp(&y.row))
    });
}
