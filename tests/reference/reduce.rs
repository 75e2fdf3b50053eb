//! Sums and dot products against exact integers, and against loops that spell out the order.

mod order;
mod products;
mod repro;
mod rounding;
mod vectors;

use crate::exact::Exact;
use crate::harness::rng::Rng;
use hotloops::reduce::Element;

fn exact_dot(pairs: impl IntoIterator<Item = (f64, f64)>) -> Exact {
    let mut sum = Exact::new();
    pairs.into_iter().for_each(|(x, y)| sum.add(x, y));
    sum
}

fn exact_sum(x: impl IntoIterator<Item = f64>) -> Exact {
    exact_dot(x.into_iter().map(|x| (x, 1.0)))
}

impl Rng {
    /// Numbers between -1 and 1, times powers of two of up to `spread` either way.
    fn spread_numbers<T: Element>(&mut self, n: usize, spread: u64) -> Vec<T> {
        let mut number = || {
            let unit = (self.word() >> 11) as f64 * (-52f64).exp2() - 1.0;
            unit * ((self.word() % (2 * spread + 1)) as f64 - spread as f64).exp2()
        };
        (0..n).map(|_| T::from_f64(number())).collect()
    }
}

fn wide<T: Element>(x: &[T]) -> Vec<f64> {
    x.iter().map(|x| x.to_f64()).collect()
}

/// Half a unit in the last place of 1.
fn unit<T>() -> f64 {
    if size_of::<T>() == 4 { (-24f64).exp2() } else { (-53f64).exp2() }
}

fn same<T: Element>(expected: T, found: T, n: usize) {
    assert_eq!(expected.to_f64().to_bits(), found.to_f64().to_bits(), "{n}: {expected:?}, {found:?}");
}
