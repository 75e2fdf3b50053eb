//! The original systems' ladders, naive to best: random numbers, exponentials, the Ising sweep, bit
//! planes, sums, products, pairs of points, hard-to-round cases. Rows and a clock measurement are
//! interleaved, and ratios are within one run.
//!
//! `cargo bench --bench ladders -- exp` runs one of them.

mod bits;
mod correlation;
mod exp;
mod hardround;
mod matmul;
mod parts;
mod random;
mod reduce;
mod rows;
#[path = "../../hardround/src/three_phase.rs"]
mod three_phase;

use std::time::Duration;

use hotloops_bench_support::ladder::Effort;
use hotloops_bench_support::sources::{self, Source};
use rows::{Row, measure};

/// The selection of ladders and their time limit.
struct Ladders {
    /// A part of the names of the ladders that run.
    wanted: Option<String>,
    /// False in a test, which runs each row once.
    measured: bool,
    budget: Duration,
}

impl Ladders {
    fn wants(&self, name: &str) -> bool {
        self.wanted.as_ref().is_none_or(|word| name.contains(word.as_str()))
    }

    fn run(&self, name: &str, title: &str, unit: usize, rows: fn() -> Vec<Row>) {
        if self.wants(name) {
            measure(&format!("{name}: {title}"), unit, rows(), self.budget);
        }
    }

    /// Runs and prints the experiments of a source.
    fn source(&self, name: &str, run: Source) {
        if self.wants(name) {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let threads = std::iter::successors(Some(1), |threads| Some(2 * threads)).take_while(|&n| n <= cores);
            let effort = Effort { budget: 12 * self.budget, is_quick: !self.measured, threads: threads.collect() };
            parts::print(name, &run(&effort, &mut |_| {}));
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let measured = words.iter().any(|word| word == "--bench") && !words.iter().any(|word| word == "--test");
    let budget = if measured { Duration::from_secs(8) } else { Duration::ZERO };
    let wanted = words.into_iter().find(|word| !word.starts_with('-'));
    let ladders = Ladders { wanted, measured, budget };
    ladders.run("random", "MT19937, per number", 1, random::random_rows);
    ladders.run("exp", "exponential, per value", 1, exp::exp_rows);
    ladders.source("ising", sources::ising::run);
    bit_planes(&ladders);
    sums(&ladders);
    pairs(&ladders);
    hard_cases(&ladders);
    products(&ladders);
}

fn bit_planes(ladders: &Ladders) {
    ladders.run("bits/slice", "2048 integers of 32 bits in the first cache, per block", bits::BLOCK, bits::slice_rows);
    ladders.run("bits/width", "32 KiB of other elements, per 8 KiB", bits::BLOCK, bits::width_rows);
    ladders.run("bits/memory", "128 MiB, per block of 8 KiB", bits::BLOCK, bits::memory_rows);
    ladders.run("bits/distance", "32 planes of 2048 bits, per block", bits::BLOCK, bits::distance_rows);
    ladders.run("bits/pairs", "rows of 2048 bits, per pair", 1, bits::pair_rows);
    ladders.run("bits/gather", "single integers of 32 bits, per integer", 1, bits::gather_rows);
}

fn sums(ladders: &Ladders) {
    ladders.run("reduce/f32/1K", "1 KiB, per 64 bytes", 16, reduce::reduce_rows::<f32, { 1 << 10 }>);
    ladders.run("reduce/f32/16K", "16 KiB, per 64 bytes", 16, reduce::reduce_rows::<f32, { 16 << 10 }>);
    ladders.run("reduce/f32/256K", "256 KiB, per 64 bytes", 16, reduce::reduce_rows::<f32, { 256 << 10 }>);
    ladders.run("reduce/f32/6M", "6 MiB, per 64 bytes", 16, reduce::reduce_rows::<f32, { 6 << 20 }>);
    ladders.run("reduce/f64/16K", "16 KiB, per 64 bytes", 8, reduce::reduce_rows::<f64, { 16 << 10 }>);
    ladders.run("reduce/f64/256K", "256 KiB, per 64 bytes", 8, reduce::reduce_rows::<f64, { 256 << 10 }>);
    ladders.run("reduce/f64/6M", "6 MiB, per 64 bytes", 8, reduce::reduce_rows::<f64, { 6 << 20 }>);
}

fn pairs(ladders: &Ladders) {
    ladders.run("correlation/image/5K", "an image of 5 000 points, per pair", 1, correlation::image_rows::<5_000>);
    ladders.run("correlation/points/5K", "5 000 points, 300 bins, per pair", 1, correlation::point_rows::<5_000, 300>);
    ladders.run(
        "correlation/threads/image/5K",
        "an image of 5 000 points, per pair",
        1,
        correlation::image_threads::<5_000>,
    );
    ladders.run(
        "correlation/threads/points/5K",
        "5 000 points, 300 bins, per pair",
        1,
        correlation::point_threads::<5_000>,
    );
    if ladders.measured {
        ladders.run(
            "correlation/threads/image/100K",
            "an image of 100 000 points, per pair",
            1,
            correlation::image_threads::<100_000>,
        );
        ladders.run(
            "correlation/threads/points/50K",
            "50 000 points, 300 bins, per pair",
            1,
            correlation::point_threads::<50_000>,
        );
        ladders.run(
            "correlation/image/100K",
            "an image of 100 000 points, per pair",
            1,
            correlation::image_rows::<100_000>,
        );
        ladders.run(
            "correlation/points/100K/300",
            "100 000 points, 300 bins, per pair",
            1,
            correlation::point_rows::<100_000, 300>,
        );
        ladders.run(
            "correlation/points/100K/20",
            "100 000 points, 20 bins, per pair",
            1,
            correlation::point_rows::<100_000, 20>,
        );
    }
}

fn hard_cases(ladders: &Ladders) {
    ladders.run("hardround/tests", "domains of 2^15 arguments, per domain", 1, hardround::test_rows);
    ladders.run(
        "hardround/arguments/2",
        "by differences of degree 2, per 4096 arguments",
        4096,
        hardround::argument_rows::<0>,
    );
    ladders.run(
        "hardround/arguments/3",
        "by differences of degree 3, per 4096 arguments",
        4096,
        hardround::argument_rows::<1>,
    );
    if ladders.wants("hardround/search") {
        let rows =
            if ladders.measured { hardround::search_rows::<34, 17>() } else { hardround::search_rows::<32, 5>() };
        hardround::measure_searches(
            "hardround/search: exp, all breakpoints, 2^-32 ulp, 2^40 arguments",
            rows,
            ladders.budget,
        );
    }
}

fn products(ladders: &Ladders) {
    for n in [8, 16, 32, 64, 128, 256, 512, 1000, 1024] {
        for cold in [false, true] {
            let name = format!("matmul/{n}/{}", if cold { "cold" } else { "warm" });
            if ladders.wants(&name) && !(cold && n < 64) && (ladders.measured || n <= 64) {
                matmul::measure_products::<f32>(&format!("{name}: f32"), n, cold, ladders.budget);
                matmul::measure_products::<f64>(&format!("{name}: f64"), n, cold, ladders.budget);
            }
        }
    }
}
