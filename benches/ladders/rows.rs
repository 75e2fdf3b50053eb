//! Rows of a ladder, and their measurement.

use std::time::{Duration, Instant};

use hotloops::isa;
use hotloops::kernel::Kernel;
use hotloops_bench_support::clock;

/// A row: its name, elements per call, the call.
pub type Row = (String, usize, Box<dyn FnMut()>);

/// The variants that this CPU can execute and `HOTLOOPS_ISA` allows, worst first.
pub fn usable<F: Copy>(kernel: &Kernel<F>) -> impl Iterator<Item = (String, F)> {
    let usable = kernel.variants.iter().rev().filter(|variant| isa::usable(variant.isa));
    usable.map(|variant| (variant.to_string(), variant.function))
}

/// Times the rows in turn. Prints medians per `unit` elements, and minima, which show how noisy the
/// machine is.
pub fn measure(title: &str, unit: usize, mut rows: Vec<Row>, budget: Duration) {
    let time = |(_, elements, call): &mut Row| {
        let calls = 1 + 200_000 / *elements;
        let begin = Instant::now();
        (0..calls).for_each(|_| call());
        begin.elapsed().as_nanos() as f64 / (calls * *elements) as f64
    };
    let count = rows.len();
    let job = |index| rows.get_mut(index).map_or_else(clock::gigahertz, time);
    let samples = clock::interleaved(count + 1, budget, job);
    let gigahertz = samples[count].median();
    let head = ["least", "cycles", "ns", "spread", "ratio"].map(|word| format!("{word:>9}")).join("");
    println!("{title} ({gigahertz:.2} GHz)\n{:34}{head}", "");
    for ((name, ..), time) in rows.iter().zip(&samples) {
        let (median, spread) = (unit as f64 * time.median(), 100.0 * time.spread());
        let (least, cycles) = (unit as f64 * time.least() * gigahertz, median * gigahertz);
        let ratio = unit as f64 * samples[0].median() / median;
        let digits = if least < 100.0 { 3 } else { 0 };
        println!("{name:34}{least:9.digits$}{cycles:9.digits$}{median:9.digits$}{spread:7.1} %{ratio:9.2}");
    }
    println!();
}
