//! The original systems' ladders, naive to best: random numbers, exponentials, the Ising sweep, bit
//! planes, sums, products, Clifford layers, pairs of points, hard-to-round cases. Rows and a clock measurement are
//! interleaved, and ratios are within one run.
//!
//! `cargo bench --bench ladders -- exp` runs one of them. `-- devices` measures kernels on OpenCL devices beside the
//! rows of this CPU, in JSON with `--json`; it runs by this word only.

mod exp;
mod random;
mod rows;

use std::time::Duration;

use hotloops_bench_support::devices;
use hotloops_bench_support::ladder::{Effort, Sheet, void};
use hotloops_bench_support::sources::{SOURCES, Source};
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
    fn source(&self, source: &Source) {
        if self.wants(source.word) {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let threads = Effort::threads_up_to(cores);
            let effort = Effort { budget: 12 * self.budget, is_quick: !self.measured, threads };
            println!("{}: {}; {}\n", source.word, source.title, void());
            (source.run)(&effort, &mut |_| {}).iter().for_each(|part| println!("{}", Sheet::new(part)));
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|given| given == word);
    let measured = has("--bench") && !has("--test");
    if has("devices") {
        if let Err(error) = devices::print(measured, has("--json")) {
            eprintln!("{error}");
            std::process::exit(1);
        }
        return;
    }
    let budget = if measured { Duration::from_secs(8) } else { Duration::ZERO };
    let wanted = words.into_iter().find(|word| !word.starts_with('-'));
    let ladders = Ladders { wanted, measured, budget };
    ladders.run("random", "MT19937, per number", 1, random::random_rows);
    ladders.run("exp", "exponential, per value", 1, exp::exp_rows);
    SOURCES.iter().for_each(|source| ladders.source(source));
}
