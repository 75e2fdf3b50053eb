//! The original systems' ladders, naive to best: random numbers, exponentials, the Ising sweep, bit
//! planes, sums, products, Clifford layers, pairs of points, hard-to-round cases. Rows and a clock measurement are
//! interleaved, and ratios are within one run.
//!
//! `cargo bench --bench ladders -- exp` runs one of them.

mod bits;
mod correlation;
mod exp;
mod hardround;
mod ising;
mod parts;
mod random;
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
    bit_planes(&ladders);
    sources(&ladders);
    pairs(&ladders);
    hard_cases(&ladders);
}

fn bit_planes(ladders: &Ladders) {
    ladders.run("bits/slice", "2048 integers of 32 bits in the first cache, per block", bits::BLOCK, bits::slice_rows);
    ladders.run("bits/width", "32 KiB of other elements, per 8 KiB", bits::BLOCK, bits::width_rows);
    ladders.run("bits/memory", "128 MiB, per block of 8 KiB", bits::BLOCK, bits::memory_rows);
    ladders.run("bits/distance", "32 planes of 2048 bits, per block", bits::BLOCK, bits::distance_rows);
    ladders.run("bits/pairs", "rows of 2048 bits, per pair", 1, bits::pair_rows);
    ladders.run("bits/gather", "single integers of 32 bits, per integer", 1, bits::gather_rows);
}

/// The sources whose experiments the command shares.
fn sources(ladders: &Ladders) {
    let effort = Effort { budget: 8 * ladders.budget, is_quick: !ladders.measured, threads: vec![1] };
    let all: [(&str, Source); 3] =
        [("reduce", sources::reduce::run), ("matmul", sources::matmul::run), ("clifford", sources::clifford::run)];
    for (name, source) in all {
        if ladders.wants(name) {
            parts::print(name, &source(&effort, &mut |_| ()));
        }
    }
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
