//! Sums after Huang, "Optimizing single-core CPU software" (2025): accumulators, compensated sums, the latencies behind
//! them, strength reduction.

mod instructions;

use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;

use hotloops::reduce;

use super::programs::{Build, checked, compiled, levels};
use crate::ladder::{Compared, Curves, Effort, Origin, Part, Rung, Scale, Table, curve, measure};

unsafe extern "C" {
    fn hotloops_bench_sum_plain(rung: usize, x: *const f32, n: usize) -> f32;
    fn hotloops_bench_sum_vectorised(rung: usize, x: *const f32, n: usize) -> f32;
    fn hotloops_bench_strength_plain(rung: usize, x: *const u32, n: usize, operand: u32) -> u32;
    fn hotloops_bench_strength_vectorised(rung: usize, x: *const u32, n: usize, operand: u32) -> u32;
    fn hotloops_bench_quotients_plain(rung: usize, x: *const f32, n: usize, divisor: f32, y: *mut f32);
    fn hotloops_bench_quotients_vectorised(rung: usize, x: *const f32, n: usize, divisor: f32, y: *mut f32);
}

/// The rungs of `reduce.c` in its order.
const SUMS: [&str; 7] = [
    "one accumulator",
    "unrolled by 4",
    "unrolled by 8",
    "2 accumulators",
    "4 accumulators",
    "8 accumulators",
    "16 accumulators",
];
const ONE: usize = 0;
const EIGHT: usize = 5;

/// Elements of the arrays.
struct Sizes {
    table: usize,
    curve: Vec<usize>,
    /// Integers of the strength reduction.
    integers: usize,
    /// Steps of a chain of instructions.
    steps: u64,
}

impl Sizes {
    fn new(effort: &Effort) -> Self {
        let kib: &[usize] = if effort.is_quick {
            &[1, 16, 256, 6 << 10, 64 << 10]
        } else {
            &[1, 4, 16, 24, 32, 64, 128, 256, 512, 1024, 2048, 6 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10]
        };
        Sizes { table: 4096, curve: kib.iter().map(|kib| kib * 256).collect(), integers: 4096, steps: 1000 }
    }
}

/// Runs the experiments of the article's first half.
pub fn run(effort: &Effort, step: &mut dyn FnMut(&str)) -> Vec<Part> {
    parts(&Sizes::new(effort), effort.budget, step)
}

fn parts(sizes: &Sizes, budget: Duration, step: &mut dyn FnMut(&str)) -> Vec<Part> {
    let mut parts = Vec::new();
    step("sums in the first cache");
    parts.push(Part::Table(sums(sizes.table, budget.mul_f64(0.25))));
    step("sums by length");
    parts.push(Part::Curves(lengths(&sizes.curve, budget.mul_f64(0.25))));
    step("exact and compensated sums");
    parts.push(Part::Table(kinds::<f32>("kinds_f32", sizes.table, budget.mul_f64(0.1))));
    parts.push(Part::Table(kinds::<f64>("kinds_f64", sizes.table / 2, budget.mul_f64(0.1))));
    step("latency and throughput of instructions");
    parts.extend(instructions::tables(sizes.steps, budget.mul_f64(0.15)).into_iter().map(Part::Table));
    step("strength reduction");
    parts.push(Part::Table(strength(sizes.integers, budget.mul_f64(0.15))));
    parts
}

/// Small integers, whose sums are exact in any order.
fn integers<T: reduce::Element>(n: usize) -> Rc<[T]> {
    (0..n).map(|i| T::from_f64((i % 7) as f64 - 3.0)).collect()
}

fn sum_of<T: reduce::Element>(x: &[T]) -> T {
    T::from_f64(x.iter().map(|&x| x.to_f64()).sum())
}

fn sum_in_c(x: &Rc<[f32]>, build: Build, rung: usize, units: f64) -> Rung {
    let (x, truth) = (x.clone(), sum_of(x));
    let work = move |sum: &mut [f32]| {
        let x = black_box(&x);
        // SAFETY: an array and its length; `rung` is an index of SUMS.
        sum[0] = unsafe {
            match build {
                Build::Plain => hotloops_bench_sum_plain(rung, x.as_ptr(), x.len()),
                Build::Vectorised => hotloops_bench_sum_vectorised(rung, x.as_ptr(), x.len()),
            }
        };
    };
    checked(build.name(SUMS[rung]), build.origin(), units, vec![0.0], work, move |sum| sum[0] == truth)
}

fn our_sums(x: &Rc<[f32]>, units: f64) -> impl Iterator<Item = Rung> {
    let truth = sum_of(x);
    levels().map(move |isa| {
        let x = x.clone();
        let work = move |sum: &mut [f32]| sum[0] = reduce::sum(&**black_box(&x));
        checked("hotloops sum", Origin::Ours, units, vec![0.0], work, move |sum| sum[0] == truth).under(isa)
    })
}

fn sums(n: usize, budget: Duration) -> Table {
    let (x, units) = (integers::<f32>(n), n as f64);
    let mut rungs = Vec::new();
    for (rung, _) in SUMS.iter().enumerate() {
        rungs.extend(Build::usable().map(|build| sum_in_c(&x, build, rung, units)));
    }
    rungs.extend(our_sums(&x, units));
    let title = format!("Sum of {n} floats");
    let scale = (Scale::PerCycle, "additions a cycle");
    let mut table = measure("sum", title, scale, Compared::Value, rungs, budget);
    table.notes.push(compiled());
    table.notes.push(
        "Unrolling alone leaves one chain of additions; accumulators and the lanes of vectors make chains that overlap."
            .to_owned(),
    );
    table
}

fn lengths(lengths: &[usize], budget: Duration) -> Curves {
    let each = budget.div_f64(lengths.len() as f64);
    let tables: Vec<(f64, Table)> = lengths
        .iter()
        .map(|&n| {
            let (x, bytes) = (integers::<f32>(n), 4.0 * n as f64);
            let mut rungs = vec![sum_in_c(&x, Build::Plain, ONE, bytes)];
            rungs.extend(Build::usable().map(|build| sum_in_c(&x, build, EIGHT, bytes)));
            rungs.extend(our_sums(&x, bytes));
            let scale = (Scale::PerCycle, "bytes a cycle");
            (bytes, measure("sum", String::new(), scale, Compared::Value, rungs, each))
        })
        .collect();
    Curves {
        name: "lengths",
        title: "Sum of floats by length".to_owned(),
        axes: ["bytes", "bytes a cycle"],
        logarithmic: [true, true],
        lines: curve(&tables),
        notes: vec![compiled()],
    }
}

/// Reductions of one array and of two, by name.
type Sum<T> = (&'static str, fn(&[T]) -> T);
type Dot<T> = (&'static str, fn(&[T], &[T]) -> T);

/// The library's reductions of arrays of `n` elements in total.
fn kinds<T: reduce::Element>(name: &'static str, n: usize, budget: Duration) -> Table {
    let (x, half) = (integers::<T>(n), integers::<T>(n / 2));
    let bytes = (n * size_of::<T>()) as f64;
    let sum = x.iter().map(|x| x.to_f64()).sum::<f64>();
    let magnitudes = x.iter().map(|x| x.to_f64().abs()).sum::<f64>();
    let squares = half.iter().map(|x| x.to_f64() * x.to_f64()).sum::<f64>();
    let sums: [(Sum<T>, f64); 5] = [
        (("sum", |x| reduce::sum(x)), sum),
        (("asum", |x| reduce::asum(x)), magnitudes),
        (("kahan", reduce::kahan), sum),
        (("sum2", reduce::sum2), sum),
        (("sum_repro", reduce::sum_repro), sum),
    ];
    let dots: [Dot<T>; 3] = [
        ("dot", |x, y| reduce::dot(x, y).unwrap()),
        ("dot2", |x, y| reduce::dot2(x, y).unwrap()),
        ("dot_repro", |x, y| reduce::dot_repro(x, y).unwrap()),
    ];
    let mut rungs = Vec::new();
    let mut rung = |name, isa, mut reduction: Box<dyn FnMut() -> T>, truth: f64| {
        let work = move |result: &mut [T]| result[0] = reduction();
        let check = move |result: &[T]| result[0].to_f64() == truth;
        rungs.push(checked(name, Origin::Ours, bytes, vec![T::ZERO], work, check).under(isa));
    };
    for ((name, sum), truth) in sums {
        for isa in levels() {
            let x = x.clone();
            rung(name, isa, Box::new(move || sum(black_box(&x))), truth);
        }
    }
    for (name, dot) in dots {
        for isa in levels() {
            let half = half.clone();
            rung(name, isa, Box::new(move || dot(black_box(&half), black_box(&half))), squares);
        }
    }
    let element = std::any::type_name::<T>();
    let title = format!("Kinds of sums, {bytes} bytes of {element}");
    let mut table = measure(name, title, (Scale::PerCycle, "bytes a cycle"), Compared::Value, rungs, budget);
    table.notes.push(
        "kahan and sum2 carry compensation terms; sum_repro has the same bits in any order. Dot products read their \
         array twice."
            .to_owned(),
    );
    table
}

/// An operation: its name, its operand, its definition.
type Operation = (&'static str, u32, fn(u32, u32) -> u32);

/// Operations, each before its reduced form, in the order of `reduce.c`.
const REDUCED: [Operation; 6] = [
    ("x / d", 12_345, |x, d| x / d),
    ("x / d by a reciprocal", 12_345, |x, d| x / d),
    ("x % 2^k", 64, |x, power| x % power),
    ("x & (2^k - 1)", 64, |x, power| x % power),
    ("x * 2^k", 64, u32::wrapping_mul),
    ("x << k", 64, u32::wrapping_mul),
];
/// From this rung on the results are combined by exclusive or.
const BY_XOR: usize = 4;

fn strength(n: usize, budget: Duration) -> Table {
    let x: Rc<[u32]> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 1).collect();
    let mut rungs = Vec::new();
    for (rung, (name, operand, function)) in REDUCED.into_iter().enumerate() {
        let results = x.iter().map(|&x| function(x, operand));
        let truth = if rung < BY_XOR { results.fold(0, u32::wrapping_add) } else { results.fold(0, |a, b| a ^ b) };
        for build in Build::usable() {
            let x = x.clone();
            let work = move |sum: &mut [u32]| {
                let (x, operand) = (black_box(&x), black_box(operand));
                // SAFETY: an array and its length; `rung` is an index of REDUCED, whose operands are valid.
                sum[0] = unsafe {
                    match build {
                        Build::Plain => hotloops_bench_strength_plain(rung, x.as_ptr(), x.len(), operand),
                        Build::Vectorised => hotloops_bench_strength_vectorised(rung, x.as_ptr(), x.len(), operand),
                    }
                };
            };
            let check = move |sum: &[u32]| sum[0] == truth;
            rungs.push(checked(build.name(name), build.origin(), n as f64, vec![0], work, check));
        }
    }
    rungs.extend(quotients(n));
    let title = format!("Strength reduction, {n} elements");
    let mut table = measure("strength", title, (Scale::Cycles, "cycles an element"), Compared::Value, rungs, budget);
    table.notes.push(compiled());
    table.notes.push(
        "Each operation is followed by its reduced form. Operands are variables, because a compiler reduces constants \
         itself."
            .to_owned(),
    );
    table
}

fn quotients(n: usize) -> impl Iterator<Item = Rung> {
    // The reciprocal of a power of 2 is exact.
    const DIVISOR: f32 = 8.0;
    let x: Rc<[f32]> = (0..n).map(|i| i as f32).collect();
    let truth: Rc<[f32]> = x.iter().map(|x| x / DIVISOR).collect();
    let rung = move |(name, rung, build): (&str, usize, Build)| {
        let (x, truth) = (x.clone(), truth.clone());
        let work = move |y: &mut [f32]| {
            let (x, divisor, n) = (black_box(&x), black_box(DIVISOR), y.len());
            // SAFETY: arrays of the same length; there are two rungs.
            unsafe {
                match build {
                    Build::Plain => hotloops_bench_quotients_plain(rung, x.as_ptr(), n, divisor, y.as_mut_ptr()),
                    Build::Vectorised => {
                        hotloops_bench_quotients_vectorised(rung, x.as_ptr(), n, divisor, y.as_mut_ptr());
                    }
                }
            }
        };
        checked(build.name(name), build.origin(), n as f64, vec![0.0; n], work, move |y| *y == *truth)
    };
    let names = [("x / d, floats", 0), ("x * (1 / d), floats", 1)];
    names.into_iter().flat_map(|(name, rung)| Build::usable().map(move |build| (name, rung, build))).map(rung)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::programs::unverified;

    #[test]
    fn every_rung_has_the_result_of_the_reference() {
        // Odd lengths end in tails; the second array has few elements.
        let sizes = Sizes { table: 1003, curve: vec![1, 77], integers: 515, steps: 1 };
        let parts = parts(&sizes, Duration::ZERO, &mut |_| ());
        assert_eq!(parts.len(), 7);
        assert_eq!(unverified(&parts), Vec::<String>::new());
    }
}
