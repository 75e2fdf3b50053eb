//! Searches of an index: `cargo bench --bench fingerprints`.
//!
//! For five kinds of generated rows, prints the time of building the index, and the mean time of a query
//! at several thresholds and for the best rows, beside a comparison of every row. Then batches, and all
//! pairs of the first 20,000 rows. Times are CPU time. Arguments: the number of rows (default 1000000),
//! a kind (default all). With the argument `methods` it prints a table instead: one query at a time on
//! the planes, and comparing rows sorted by their number of ones.

mod data;
mod methods;

use std::hint::black_box;

use data::{KINDS, Kind, Rng, rows};

use hotloops::fingerprints::{Condition, Index, Match, Measure, PairMatch, Searcher};
use hotloops::hamming::BitRows;
use hotloops::hamming::{Hit, PackedRows, Similarity, pack, packed_len, search};

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

/// Milliseconds of a run, the minimum of several.
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
    let mut words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let compares = words.iter().position(|word| word == "methods").map(|at| words.remove(at)).is_some();
    let most = words.iter().find_map(|word| word.parse().ok()).unwrap_or(1_000_000usize);
    let wanted = |kind: &&Kind| words.iter().all(|word| word.parse::<usize>().is_ok() || word == kind.name);
    let kinds = KINDS.iter().filter(wanted).map(|kind| (kind, (most as f64 * kind.share) as usize));
    match compares {
        true => methods::compare(kinds),
        false => kinds.for_each(|(kind, n)| measure(kind, n)),
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
            search(&packed, all, Similarity::Tanimoto, 0.7, 0.0, &mut 0, &mut pairs).unwrap();
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
