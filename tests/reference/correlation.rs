//! Pair correlations against integer sums over all pairs, and against worked examples.

mod examples;
mod images;
mod methods;
mod points;
mod words;

use std::f64::consts::TAU;

use crate::harness::rng::Rng;
use hotloops::correlation::{Accumulator, Bins, Image, Method, PairPlan, Psi};

impl Rng {
    fn integers(&mut self, n: usize, bound: u64) -> Vec<i32> {
        (0..n).map(|_| self.below(bound) as i32 - 7).collect()
    }

    fn psi(&mut self, n: usize) -> Vec<Psi> {
        (0..n).map(|_| Psi::from_angle(self.real(TAU), 6).unwrap()).collect()
    }
}

fn product(a: Psi, b: Psi) -> i128 {
    a.parts().iter().zip(b.parts()).map(|(&a, b)| i128::from(a) * i128::from(b)).sum()
}

fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)))
}

/// Pairs and sums of each bin, from the bin and product of each pair.
fn tally(bins: &Bins, of_pairs: impl Iterator<Item = (Option<usize>, i128)>) -> Vec<(u64, i128)> {
    let mut all = vec![(0, 0); bins.len()];
    for (bin, product) in of_pairs {
        if let Some(bin) = bin {
            all[bin].0 += 1;
            all[bin].1 += product;
        }
    }
    all
}

fn found(accumulator: &Accumulator) -> Vec<(u64, i128)> {
    accumulator.bins().map(|bin| (bin.count, bin.sum)).collect()
}

/// The bin of an integer squared distance, by edges that are multiples of 1/8.
fn integer_bin(bins: &Bins, r2: i128) -> Option<usize> {
    let beyond = |edge: f64| 64 * r2 >= (edge * 8.0) as i128 * (edge * 8.0) as i128;
    (0..bins.len()).find(|&bin| beyond(bins.edges()[bin]) && !beyond(bins.edges()[bin + 1]))
}

fn of_image(image: &Image, bins: &Bins) -> Accumulator {
    let mut accumulator = Accumulator::new(bins.clone()).unwrap();
    accumulator.add_image(image).unwrap();
    accumulator
}

/// The pairs by one method, part by part.
fn by(method: Method, image: &Image, bins: &Bins) -> Option<Accumulator> {
    let plan = PairPlan::by(method, image, bins).unwrap()?;
    assert_eq!(plan.method(), method);
    let mut pairs = Accumulator::new(bins.clone()).unwrap();
    (0..plan.parts()).for_each(|part| pairs.add_part(&plan, part).unwrap());
    Some(pairs)
}

/// All pairs, by arithmetic that shares nothing with the library.
fn one_by_one(x: &[i32], y: &[i32], psi: &[Psi], bins: &Bins) -> Vec<(u64, i128)> {
    let each = pairs(x.len()).map(|(i, j)| {
        let (dx, dy) = (i128::from(x[i]) - i128::from(x[j]), i128::from(y[i]) - i128::from(y[j]));
        (integer_bin(bins, dx * dx + dy * dy), product(psi[i], psi[j]))
    });
    tally(bins, each)
}
