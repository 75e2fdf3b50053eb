//! The original systems' ladders, naive to best: random numbers, exponentials, the Ising sweep, bit
//! planes, sums, products, pairs of points, hard-to-round cases. Rows and a clock measurement are
//! interleaved, and ratios are within one run.
//!
//! `cargo bench --bench ladders -- exp` runs one of them.

mod exp;
mod hardround;
mod ising;
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
    ladders.run("ising", "Metropolis sweep, per attempted update", 1, ising::ising_rows);
    ladders.source("bits", sources::bits::run);
    sums(&ladders);
    ladders.source("correlation", sources::correlation::run);
    hard_cases(&ladders);
    products(&ladders);
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
