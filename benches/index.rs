//! Searches of an index, and the choice of a method: `cargo bench --bench index`.
//!
//! For five kinds of generated rows, prints the time of building the index, and the mean time of a query
//! at several thresholds and for the best rows, beside a comparison of every row. Then batches, and all
//! pairs of the first 20,000 rows. Times are CPU time. Arguments: the number of rows (default 1000000),
//! a kind (default all).

use std::hint::black_box;

use hotloops::hamming::{BitRows, Condition, Index, Match, Measure, PairMatch, Searcher};
use hotloops::hamming::{Hit, PackedRows, Similarity, pack, packed_len, search};

struct Rng(u64);

impl Rng {
    /// SplitMix64.
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn real(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.word()) * bound as u128) >> 64) as usize
    }
}

/// How rows are made.
struct Kind {
    name: &'static str,
    bits: usize,
    /// Mean number of ones, and its standard deviation.
    ones: [f64; 2],
    /// The chance of the bit of rank k falls like (k + 1)^-power.
    power: f64,
    /// Rows made from a prototype, and the share of ones that differ from it.
    members: usize,
    mutated: f64,
    /// The share of the given number of rows.
    share: f64,
}

const KINDS: [Kind; 5] = [
    Kind { name: "morgan", bits: 2048, ones: [48.0, 12.0], power: 0.9, members: 30, mutated: 0.3, share: 1.0 },
    Kind { name: "maccs", bits: 166, ones: [45.0, 12.0], power: 0.5, members: 30, mutated: 0.2, share: 1.0 },
    Kind { name: "path", bits: 2048, ones: [690.0, 200.0], power: 0.25, members: 30, mutated: 0.15, share: 0.2 },
    Kind { name: "clustered", bits: 1024, ones: [512.0, 16.0], power: 0.0, members: 50, mutated: 0.1, share: 0.3 },
    Kind { name: "uniform", bits: 1024, ones: [512.0, 16.0], power: 0.0, members: 1, mutated: 1.0, share: 0.3 },
];

/// `n` rows of a kind, each in whole bytes.
fn rows(kind: &Kind, n: usize) -> Vec<u8> {
    let mut rng = Rng(kind.bits as u64);
    let stride = kind.bits.div_ceil(8);
    let mut sums: Vec<f64> = Vec::new();
    for k in 0..kind.bits {
        sums.push(sums.last().unwrap_or(&0.0) + ((k + 1) as f64).powf(-kind.power));
    }
    // A table of 2^16 equal chances, so that a bit is drawn by one look.
    let table: Vec<usize> = (0..1 << 16)
        .map(|i| sums.partition_point(|&sum| sum < (f64::from(i) + 0.5) / 65536.0 * sums[kind.bits - 1]))
        .map(|rank| rank * 7919 % kind.bits)
        .collect();
    let mut bytes = vec![0u8; n * stride];
    let mut prototype = vec![0u8; stride];
    for i in 0..n {
        let row = &mut bytes[i * stride..][..stride];
        let fresh = i % kind.members == 0;
        if !fresh {
            row.copy_from_slice(&prototype);
        }
        let normal: f64 = (0..12).map(|_| rng.real()).sum::<f64>() - 6.0;
        let size = (kind.ones[0] + kind.ones[1] * normal).clamp(1.0, 0.9 * kind.bits as f64);
        let mut count: u32 = row.iter().map(|byte| byte.count_ones()).sum();
        // A mutation takes ones away, then others are drawn.
        if !fresh {
            let target = f64::from(count);
            let gone = (rng.real() * 2.0 * kind.mutated * target) as u32;
            let mut left = gone;
            while left > 0 && count > 0 {
                let bit = rng.below(kind.bits);
                if row[bit / 8] >> (bit % 8) & 1 == 1 {
                    row[bit / 8] ^= 1 << (bit % 8);
                    (left, count) = (left - 1, count - 1);
                }
            }
        }
        let size =
            if fresh { size as u32 } else { count + (rng.real() * 2.0 * kind.mutated * f64::from(count)) as u32 };
        let size = size.min((kind.bits * 9 / 10) as u32);
        while count < size {
            let word = rng.word();
            for shift in [0, 16, 32, 48] {
                let bit = table[(word >> shift) as usize & 0xffff];
                if count < size && row[bit / 8] >> (bit % 8) & 1 == 0 {
                    row[bit / 8] |= 1 << (bit % 8);
                    count += 1;
                }
            }
        }
        if fresh {
            prototype.copy_from_slice(row);
        }
    }
    // Rows of a cluster are not neighbours.
    for i in (1..n).rev() {
        let j = rng.below(i + 1);
        if i != j {
            let (first, second) = bytes.split_at_mut(i * stride);
            first[j * stride..][..stride].swap_with_slice(&mut second[..stride]);
        }
    }
    bytes
}

/// CPU time of this thread in milliseconds; other load on the machine is left out.
#[cfg(unix)]
fn now() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is writable.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 * 1e-6
}

#[cfg(not(unix))]
fn now() -> f64 {
    static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(std::time::Instant::now).elapsed().as_secs_f64() * 1e3
}

/// Milliseconds of a run, the least of several.
fn milliseconds(mut run: impl FnMut()) -> f64 {
    let (mut least, mut all, mut runs) = (f64::INFINITY, 0.0, 0);
    while runs < 3 || (runs < 30 && all < 1000.0) {
        let begin = now();
        run();
        let time = now() - begin;
        (least, all, runs) = (least.min(time), all + time, runs + 1);
    }
    least
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let most = words.iter().find_map(|word| word.parse().ok()).unwrap_or(1_000_000usize);
    let wanted = |kind: &&Kind| words.iter().all(|word| word.parse::<usize>().is_ok() || word == kind.name);
    for kind in KINDS.iter().filter(wanted) {
        measure(kind, (most as f64 * kind.share) as usize);
    }
}

fn measure(kind: &Kind, n: usize) {
    let bytes = rows(kind, n);
    let stride = kind.bits.div_ceil(8);
    let all = BitRows::new(&bytes, n, kind.bits, stride).unwrap();
    let mut memory = vec![0; Index::image_len(n, kind.bits).unwrap()];
    let build = milliseconds(|| {
        Index::build(all, &mut memory).unwrap();
    });
    let index = Index::new(&memory).unwrap();
    println!(
        "{}: {n} rows of {} bits; index built in {build:.0} ms, {:.2} of the rows' bytes",
        kind.name,
        kind.bits,
        memory.len() as f64 / bytes.len() as f64
    );
    let mut rng = Rng(1);
    let queries: Vec<&[u8]> = (0..50).map(|_| &bytes[rng.below(n) * stride..][..stride]).collect();
    let mut searcher = Searcher::new();
    let mut hits = vec![Match::default(); 1 << 20];
    for threshold in [0.4, 0.7, 0.85] {
        let condition = Condition { measure: Measure::Tanimoto, threshold, empty: 0.0 };
        let mut found = 0;
        let time = milliseconds(|| {
            found = 0;
            for query in &queries {
                found += searcher.search(&[index], query, &condition, &mut 0, &mut hits).unwrap();
            }
        });
        println!("  Tanimoto {threshold:4}  {:8.3} ms, {:.1} found", time / 50.0, found as f64 / 50.0);
    }
    // Every row, by the search without an index: a few queries, one at a time.
    let mut pairs = vec![Hit::default(); 1 << 20];
    let time = milliseconds(|| {
        for query in &queries[..3] {
            let mut packed = vec![0; packed_len(1, kind.bits).unwrap()];
            pack(BitRows::new(query, 1, kind.bits, stride).unwrap(), &mut packed).unwrap();
            let packed = PackedRows::new(&packed).unwrap();
            search(Similarity::Tanimoto, &packed, all, 0.7, 0.0, &mut 0, &mut pairs).unwrap();
        }
    });
    println!("  every row      {:8.3} ms", time / 3.0);
    for k in [10, 100] {
        let condition = Condition { measure: Measure::Tanimoto, threshold: 0.0, empty: 0.0 };
        let time = milliseconds(|| {
            for query in &queries {
                black_box(searcher.top(&[index], query, &condition, &mut hits[..k]).unwrap());
            }
        });
        println!("  top {k:3}        {:8.3} ms", time / 50.0);
    }
    let hundred: Vec<u8> = (0..100).flat_map(|_| &bytes[rng.below(n) * stride..][..stride]).copied().collect();
    let hundred = BitRows::new(&hundred, 100, kind.bits, stride).unwrap();
    let mut pairs = vec![PairMatch::default(); 1 << 20];
    for threshold in [0.4, 0.7, 0.85] {
        let condition = Condition { measure: Measure::Tanimoto, threshold, empty: 0.0 };
        let time = milliseconds(|| {
            let mut cursor = 0;
            while cursor < (n * 100) as u64 {
                searcher.batch(&[index], hundred, &condition, &mut cursor, &mut pairs).unwrap();
            }
        });
        println!("  batch {threshold:4}     {:8.3} ms a query", time / 100.0);
    }
    let few = n.min(20_000);
    let some = BitRows::new(&bytes, few, kind.bits, stride).unwrap();
    let mut memory = vec![0; Index::image_len(few, kind.bits).unwrap()];
    let index = Index::build(some, &mut memory).unwrap();
    for threshold in [0.7, 0.85] {
        let condition = Condition { measure: Measure::Tanimoto, threshold, empty: 0.0 };
        let mut found = 0;
        let time = milliseconds(|| {
            let mut cursor = 0;
            found = 0;
            while cursor < (few * few) as u64 {
                found += searcher.pairs(&[index], some, 0..few, &condition, &mut cursor, &mut pairs).unwrap();
            }
        });
        println!("  {few} x {few} at {threshold:4}: {:8.1} ms, {found} pairs", time);
    }
}
