//! Hard-to-round cases.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hotloops::hardround::{self, Algorithm, Block, Scan, Series};
use hotloops::isa;
use hotloops_bench_support::clock;
use hotloops_bench_support::hardround as original;

use crate::rows::{Row, cap, keep, levels, under, usable};
use crate::three_phase::{self, Lines, Strip, ThreePhase, coefficients};

/// Arguments of a block of exp.
const LOG2_BLOCK: u32 = 26;

/// The bound 2^-32 ulp, as half ulps in units of 2^-64.
const WITHIN: u64 = 1 << 33;

/// A search of a block of exp for all breakpoints, calling back with its cases.
type Search = Box<dyn FnMut(&Block, &mut dyn FnMut(u64))>;

/// Searches for the CASES hard cases of exp among the first 2^LOG2 arguments from 1 on: by the
/// published scalar code, by the library with the same method, by Farey cells and by dual rows.
pub fn search_rows<const LOG2: u32, const CASES: usize>() -> Vec<Row> {
    let series = Arc::new(Series::new(&original::EXP, LOG2_BLOCK).unwrap());
    let blocks = 1 << (LOG2 - LOG2_BLOCK);
    // The omitted terms, e 2^(52 - 52 k) x^k / k! for k >= 6, are below 2^-50 for 2^36 arguments.
    let lost = series.error(blocks) + 2_f64.powi(-50);
    let within = WITHIN + (lost * 2_f64.powi(64)) as u64 + 1;
    let three_phase = |test: three_phase::Test| -> Search {
        let mut search = ThreePhase::new(test, within);
        Box::new(move |block, each| search.block(block, 0..1 << LOG2_BLOCK, each).unwrap())
    };
    let mut truth: Option<Vec<u64>> = None;
    let mut rows: Vec<Row> = Vec::new();
    let mut row = |name: String, isa: isa::Isa, mut cases: Box<dyn FnMut() -> Vec<u64>>| {
        cap(isa);
        let found = cases();
        assert_eq!(found.len(), CASES, "{name}");
        assert_eq!(&found, truth.get_or_insert_with(|| found.clone()), "{name}");
        rows.push((name, 1 << LOG2, under(isa, move || keep(cases()))));
    };
    let by_blocks = |mut search: Search| -> Box<dyn FnMut() -> Vec<u64>> {
        let series = Arc::clone(&series);
        Box::new(move || {
            let mut cases = Vec::new();
            for j in 0..blocks {
                search(&series.block(j as i64), &mut |x| cases.push(j << LOG2_BLOCK | x));
            }
            cases
        })
    };
    let lefevre = |a: &[u64], b: &[u64], n, w, bits: &mut [u8]| {
        original::all(original::lefevre, a, b, n, w, bits);
        Ok(())
    };
    let regular = |a: &[u64], b: &[u64], n, w, bits: &mut [u8]| {
        original::all(original::regular, a, b, n, w, bits);
        Ok(())
    };
    row("three phases, Lefevre".to_owned(), isa::Isa::scalar, by_blocks(three_phase(lefevre)));
    row("three phases, regular".to_owned(), isa::Isa::scalar, by_blocks(three_phase(regular)));
    for isa in levels() {
        let exists =
            |a: &[u64], b: &[u64], n, w, bits: &mut [u8]| hardround::exists(a, b, n, w, hardround::Test::Regular, bits);
        row(format!("three phases, {}", isa.word()), isa, by_blocks(three_phase(exists)));
    }
    for isa in levels() {
        let mut scan = Scan::new(within).unwrap().algorithm(Algorithm::Farey);
        let search = move |block: &Block, each: &mut dyn FnMut(u64)| scan.block(block, 1 << LOG2_BLOCK, each).unwrap();
        row(format!("Farey cells, {}", isa.word()), isa, by_blocks(Box::new(search)));
    }
    for isa in levels() {
        let (mut scan, series) = (Scan::new(within).unwrap(), Arc::clone(&series));
        let search = move || {
            let mut cases = Vec::new();
            scan.series(&series, 0..1 << LOG2, |x| cases.push(x as u64)).unwrap();
            cases
        };
        row(format!("dual rows, {}", isa.word()), isa, Box::new(search));
    }
    rows
}

/// A test of lines that writes one bit per line.
type FirstPhase = Box<dyn FnMut(&Lines, &mut [u8])>;

/// Only the first phase, on domains of exp.
pub fn test_rows() -> Vec<Row> {
    const N: u64 = 1 << 15;
    const DOMAINS: usize = 2048;
    let block = Series::new(&original::EXP, LOG2_BLOCK).unwrap().block(1);
    let c = coefficients(&block);
    let strip = Strip::new(&c, &(0..1 << LOG2_BLOCK), WITHIN, N);
    let mut lines = Lines::default();
    lines.extend(c, N, DOMAINS as u64, &strip);
    let lines = Arc::new(lines);
    let mut rows: Vec<Row> = Vec::new();
    // Every domain that passes the exact test must pass the others.
    let mut exact = vec![0; DOMAINS / 8];
    original::all(original::lefevre, &lines.a, &lines.b, N, strip.width, &mut exact);
    let mut row = |name: String, mut test: FirstPhase| {
        let mut bits = vec![0; DOMAINS / 8];
        test(&lines, &mut bits);
        assert!(exact.iter().zip(&bits).all(|(exact, bits)| exact & !bits == 0), "{name}");
        let passed = bits.iter().map(|byte| byte.count_ones()).sum::<u32>();
        let lines = Arc::clone(&lines);
        rows.push((format!("{name} ({passed} pass)"), DOMAINS, Box::new(move || test(black_box(&lines), &mut bits))));
    };
    for (name, test) in [("Lefevre", original::lefevre as original::Test), ("regular", original::regular)] {
        let all = move |lines: &Lines, bits: &mut [u8]| original::all(test, &lines.a, &lines.b, N, strip.width, bits);
        row(name.to_owned(), Box::new(all));
    }
    for (name, kernel) in [("lefevre", &hardround::lefevre::KERNEL), ("regular", &hardround::regular::KERNEL)] {
        for (variant, function) in usable(kernel) {
            let all = move |lines: &Lines, bits: &mut [u8]| {
                // SAFETY: arrays of as many lines, and a bit for each.
                unsafe { function(lines.a.as_ptr(), lines.b.as_ptr(), DOMAINS, N, strip.width, bits.as_mut_ptr()) }
            };
            row(format!("{name} {variant}"), Box::new(all));
        }
    }
    rows
}

/// Argument by argument, without any hits; with or without third differences.
pub fn argument_rows<const THIRD: u64>() -> Vec<Row> {
    const N: u64 = 4096;
    let d = [1 << 60, 0x9e37_79b9_7f4a_7c15, 1 << 30, THIRD];
    let mut rows: Vec<Row> = Vec::new();
    let mut row = |name: String, mut first: Box<dyn FnMut(u64) -> u64>| {
        for w in [0, 1 << 40, 1 << 54, 1 << 58] {
            assert_eq!(first(w), original::exhaust(&d, N, w), "{name}");
        }
        rows.push((name, N as usize, Box::new(move || keep(first(black_box(1 << 18))))));
    };
    row("original".to_owned(), Box::new(move |w| original::exhaust(black_box(&d), N, w)));
    for (variant, function) in usable(&hardround::exhaust::KERNEL) {
        // SAFETY: four integers.
        row(format!("exhaust {variant}"), Box::new(move |w| unsafe { function(d.as_ptr(), N, w) }));
    }
    rows
}

/// Times searches in turn, scaled to 2^40 arguments.
pub fn measure_searches(title: &str, mut rows: Vec<Row>, budget: Duration) {
    let time = |(_, elements, call): &mut Row| {
        let begin = Instant::now();
        call();
        begin.elapsed().as_secs_f64() / *elements as f64
    };
    let count = rows.len();
    let samples =
        clock::interleaved(count + 1, budget, |index| rows.get_mut(index).map_or_else(clock::gigahertz, time));
    let gigahertz = samples[count].median();
    println!("{title} ({gigahertz:.2} GHz)");
    println!("published for directed roundings alone: 0.081 s on a GPU (Tesla C2070), 0.244 s or more on 16 cores");
    println!("{:34}{:>9}{:>9}{:>10}{:>16}{:>9}", "", "least s", "s", "spread", "cycles / 32768", "ratio");
    for ((name, ..), time) in rows.iter().zip(&samples) {
        let [least, median] = [time.least(), time.median()].map(|time| time * 2_f64.powi(40));
        let (cycles, spread) = (time.least() * 32768e9 * gigahertz, 100.0 * time.spread());
        let ratio = samples[0].median() / time.median();
        println!("{name:34}{least:9.4}{median:9.4}{spread:8.1} %{cycles:16.1}{ratio:9.2}");
    }
    println!();
}
