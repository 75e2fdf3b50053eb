//! The original systems' ladders, naive to best: random numbers, exponentials, the Ising sweep. Ratios of one run, the
//! rows in turn; cycles by a clock that takes its turn among them.
//!
//! `cargo bench --bench ladders -- exp` runs one of them.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hotloops::isa;
use hotloops::ising::Beta;
use hotloops::kernel::Kernel;
use hotloops::{exp, random};
use hotloops_bench_support::clock;
use hotloops_bench_support::levels;
use hotloops_bench_support::mersenne::{Interlaced, Textbook};
use hotloops_bench_support::workload::Problem;

/// A row: its name, elements per call, the call.
type Row = (String, usize, Box<dyn FnMut()>);

/// Random numbers of one sweep of the paper's model.
const NUMBERS: usize = 256 * 96;

fn random_rows() -> Vec<Row> {
    let mut one = Textbook::new(1);
    let mut four = Interlaced::new(1);
    let (mut first, mut second) = (vec![0; NUMBERS], vec![0; NUMBERS]);
    let mut rows: Vec<Row> = vec![
        ("scalar".to_owned(), NUMBERS, Box::new(move || first.iter_mut().for_each(|word| *word = one.next_u32()))),
        ("4 interlaced".to_owned(), NUMBERS, Box::new(move || four.fill(&mut second))),
    ];
    for variant in usable(&random::mt19937_u32::KERNEL) {
        let mut seed = Textbook::new(1);
        let mut state: Vec<u32> = (0..624 * 16).map(|_| seed.next_u32()).collect();
        let (mut numbers, mut position) = (vec![0; NUMBERS], 0);
        let call = move || {
            // SAFETY: a state of 16 lanes, a position in it, room for the numbers.
            unsafe { (variant.1)(state.as_mut_ptr(), 16, &mut position, numbers.as_mut_ptr(), NUMBERS) }
        };
        rows.push((format!("mt19937_u32 {}", variant.0), NUMBERS, Box::new(call)));
    }
    rows
}

fn exp_rows() -> Vec<Row> {
    const N: usize = 2048;
    let x: Vec<f32> = (0..N).map(|i| i as f32 * -16.0 / N as f32).collect();
    let mut y = vec![0f32; N];
    let input = x.clone();
    let libm = move || y.iter_mut().zip(black_box(&input)).for_each(|(y, x)| *y = x.exp());
    let mut rows: Vec<Row> = vec![("f32::exp".to_owned(), N, Box::new(libm))];
    for (name, kernel) in [
        ("fast_f32", &exp::fast_f32::KERNEL),
        ("accurate_f32", &exp::accurate_f32::KERNEL),
        ("poly_f32", &exp::poly_f32::KERNEL),
    ] {
        for (variant, function) in usable(kernel) {
            let (x, mut y) = (x.clone(), vec![0f32; N]);
            // SAFETY: two arrays of N values.
            let call = move || unsafe { function(x.as_ptr(), y.as_mut_ptr(), N) };
            rows.push((format!("{name} {variant}"), N, Box::new(call)));
        }
    }
    rows
}

/// Sweeps of a call.
const SWEEPS: usize = 4;

/// One model of the paper's size at the temperature where its flip rate is the paper's.
fn ising_rows() -> Vec<Row> {
    let problem = Arc::new(Problem::paper(1));
    let spins = problem.random_spins(1);
    let beta = Beta { space: 0.4, tau: 0.4 };
    let mut rows: Vec<Row> = Vec::new();
    for level in levels::levels(&problem) {
        for &(isa, form) in &level.rows {
            let mut model = (level.model)(&spins, 1);
            let mut call = move || {
                isa::set(isa).expect("an instruction set of this CPU");
                black_box(model.sweep(beta, SWEEPS));
            };
            (0..5).for_each(|_| call());
            rows.push((format!("{} {}_{form}", level.name, isa.word()), SWEEPS * problem.spins(), Box::new(call)));
        }
    }
    rows
}

/// The variants, worst first, that this CPU can execute.
fn usable<F: Copy>(kernel: &Kernel<F>) -> impl Iterator<Item = (String, F)> {
    let usable = kernel.variants.iter().rev().filter(|variant| isa::detected(variant.isa));
    usable.map(|variant| (variant.to_string(), variant.function))
}

/// Times the rows in turn and prints the medians, and the least number of cycles, which tells how noisy the machine is.
fn measure(title: &str, mut rows: Vec<Row>, budget: Duration) {
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
        let (median, spread) = (time.median(), 100.0 * time.spread());
        let (least, cycles) = (time.least() * gigahertz, median * gigahertz);
        let ratio = samples[0].median() / median;
        println!("{name:34}{least:9.3}{cycles:9.3}{median:9.3}{spread:7.1} %{ratio:9.2}");
    }
    println!();
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let measured = words.iter().any(|word| word == "--bench") && !words.iter().any(|word| word == "--test");
    let budget = if measured { Duration::from_secs(8) } else { Duration::ZERO };
    let wanted = words.iter().find(|word| !word.starts_with('-'));
    let ladder = |name: &str, title: &str, rows: fn() -> Vec<Row>| {
        if wanted.is_none_or(|word| name.contains(word.as_str())) {
            measure(&format!("{name}: {title}"), rows(), budget);
        }
    };
    ladder("random", "MT19937, per number", random_rows);
    ladder("exp", "exponential, per value", exp_rows);
    ladder("ising", "Metropolis sweep, per attempted update", ising_rows);
}
