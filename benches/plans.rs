//! The choice of a method for images: `cargo bench --bench plans`.
//!
//! For inputs of many shapes, prints the time of each method, the one that [`PairPlan::new`] chooses, and its
//! regret: how much longer it takes than the fastest. Methods that would take much longer than the fastest
//! are left out. Arguments: the largest number of points (default 100000).

use std::hint::black_box;
use std::time::Instant;

use hotloops::correlation::{Accumulator, Bins, Image, Method, PairPlan, Psi};

const METHODS: [Method; 4] = [Method::Rows, Method::Cells, Method::Pairs, Method::Transform];

/// Limit of the memory of transforms.
const MEMORY: usize = 2 << 30;

/// No method runs for longer than this many times the fastest so far.
const PATIENCE: f64 = 20.0;

struct Input {
    name: String,
    image: Image,
    bins: Bins,
}

/// Points by a generator of numbers below 1.
fn points(n: usize, side: f64, shape: &str) -> (Vec<i32>, Vec<i32>) {
    let mut state = 1u64;
    let mut number = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let clusters: Vec<[f64; 2]> = (0..(n / 200).max(1)).map(|_| [number(), number()]).collect();
    let point = |i: usize| {
        let [x, y] = [number(), number()];
        let at = match shape {
            "clustered" => {
                let [a, b] = clusters[i % clusters.len()];
                let near = |x: f64, y: f64| (x + 0.01 * (y - 0.5)).clamp(0.0, 1.0);
                [near(a, x), near(b, y)]
            }
            "strip" => [x, 0.05 * y],
            _ => [x, y],
        };
        ((at[0] * side) as i32, (at[1] * side) as i32)
    };
    (0..n).map(point).unzip()
}

fn inputs(largest: usize) -> Vec<Input> {
    let mut inputs = Vec::new();
    for n in [1000, 10_000, 100_000] {
        for (density, spacing) in [("dense", 3.0), ("pixels", 7.5), ("sparse", 100.0)] {
            for shape in ["uniform", "clustered", "strip"] {
                for (range, r) in [("short", 5.0), ("middle", 40.0), ("full", 0.0)] {
                    let side = (n as f64).sqrt() * spacing;
                    let r = if r > 0.0 { (r * spacing).min(side) } else { 1.5 * side };
                    // All pairs of a large sparse image are work for minutes by any method.
                    if n > largest || side > 20_000.0 && range == "full" {
                        continue;
                    }
                    let (x, y) = points(n, side, shape);
                    let psi: Vec<Psi> = (0..n).map(|i| Psi::from_angle(i as f64, 6).unwrap()).collect();
                    let bins = if n == 10_000 { 20.0 } else { 300.0 };
                    inputs.push(Input {
                        name: format!("{n:6} {density:6} {shape:9} {range:6}"),
                        image: Image::new(&x, &y, &psi).unwrap(),
                        bins: Bins::uniform(0.0, r, r / bins).unwrap(),
                    });
                }
            }
        }
    }
    inputs
}

/// Seconds of a method, the minimum of several runs; `None` if it isn't exact or takes too long.
fn seconds(input: &Input, method: Option<Method>, limit: f64) -> Option<f64> {
    let (mut least, mut all) = (f64::INFINITY, 0.0);
    let mut runs = 0;
    while runs < 2 || (runs < 20 && all < 0.1) {
        let begin = Instant::now();
        let plan = match method {
            Some(method) => PairPlan::by(method, &input.image, &input.bins).unwrap()?,
            None => PairPlan::new(&input.image, &input.bins, MEMORY, 1).unwrap(),
        };
        if plan.bytes() > MEMORY {
            return None;
        }
        let mut pairs = Accumulator::new(input.bins.clone()).unwrap();
        for part in 0..plan.parts() {
            pairs.add_part(&plan, part).unwrap();
            if begin.elapsed().as_secs_f64() > limit {
                return None;
            }
        }
        black_box(&pairs);
        let time = begin.elapsed().as_secs_f64();
        (least, all, runs) = (least.min(time), all + time, runs + 1);
    }
    Some(least)
}

fn main() {
    let largest = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(100_000);
    let inputs = inputs(largest);
    println!("{:32} {:>9} {:>9} {:>9} {:>9}  chosen      regret", "input", "rows", "cells", "pairs", "transform");
    let mut regrets = Vec::new();
    for input in &inputs {
        let chosen = PairPlan::new(&input.image, &input.bins, MEMORY, 1).unwrap().method();
        // The chosen one first: it limits the others.
        let own = seconds(input, None, f64::INFINITY).unwrap();
        let times = METHODS.map(|method| match method == chosen {
            true => Some(own),
            false => seconds(input, Some(method), PATIENCE * own),
        });
        let best = times.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        regrets.push(own / best - 1.0);
        print!("{:32}", input.name);
        times.iter().for_each(|time| match time {
            Some(time) => print!(" {:7.3}ms", time * 1e3),
            None => print!(" {:>9}", "-"),
        });
        println!("  {:10} {:6.0} %", format!("{chosen:?}"), 100.0 * (own / best - 1.0));
    }
    regrets.sort_unstable_by(f64::total_cmp);
    let above = regrets.iter().filter(|regret| **regret > 0.2).count();
    println!(
        "{} inputs: median regret {:.0} %, largest {:.0} %, above 20 %: {above}",
        inputs.len(),
        100.0 * regrets[regrets.len() / 2],
        100.0 * regrets[regrets.len() - 1]
    );
}
