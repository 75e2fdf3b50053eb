//! The error bounds of reproducible sums that the documents state, at inputs that come close to them.

use crate::exact::Exact;
use crate::harness::rng::Rng;
use hotloops::reduce::{self, Element, Repro};

/// The error of `found` as the dot product of two arrays.
fn error<T: Element>(x: &[T], y: &[T], found: f64) -> f64 {
    let mut exact = Exact::new();
    x.iter().zip(y).for_each(|(x, y)| exact.add(x.to_f64(), y.to_f64()));
    exact.error_of(found).abs()
}

fn largest<T: Element>(x: &[T], y: &[T]) -> f64 {
    x.iter().zip(y).fold(0.0, |most, (x, y)| (x.to_f64() * y.to_f64()).abs().max(most))
}

/// The bound of a sum: n 2^-80 of the largest magnitude, and the rounding of the result.
fn sum_is_within<T: Element>(x: &[T]) -> f64 {
    let ones = vec![T::from_f64(1.0); x.len()];
    let mut sum = Repro::new();
    sum.extend(x);
    let (sum, most) = (sum.sum(), largest(x, &ones));
    let bound = x.len() as f64 * (-80f64).exp2() * most;
    let error = error(x, &ones, sum);
    assert!(error <= bound + sum.abs() * (-53f64).exp2(), "{} numbers: error {error}, bound {bound}", x.len());
    assert_eq!(reduce::sum_repro(x).to_f64(), T::from_f64(sum).to_f64());
    error / bound
}

#[test]
fn the_examples_of_the_documents() {
    assert_eq!(reduce::sum_repro(&[33.0, 1e-11]), 33.0 + 1e-11);
    assert_eq!(reduce::sum_repro(&[1e16, 1.0, -1e16]), 1.0);
    assert_ne!([1e16, 1.0, -1e16].iter().sum::<f64>(), 1.0, "additions in order have it");
    let mut tenths = [0.1; 100_000];
    tenths[0] = 1e12;
    sum_is_within(&tenths);
}

/// One large number, and many that are rounded away in full: just below half a quantum, for every place of the
/// largest number in its bin, with either sign, in every range of exponents.
#[test]
fn numbers_below_half_a_quantum() {
    let mut worst = 0f64;
    for exponent in (-900..900).step_by(7).chain(-45..45) {
        for mantissa in [1.0, 1.5, 2.0 - f64::EPSILON] {
            let large = mantissa * f64::from(exponent).exp2();
            for part in [-81.0, -80.5, -80.001, -80.0, -79.999, -79.0, -40.5, -41.0, -119.0] {
                for sign in [1.0, -1.0] {
                    let mut x = vec![sign * large * f64::exp2(part); 200];
                    x[77] = large;
                    worst = worst.max(sum_is_within(&x));
                }
            }
        }
    }
    assert!(worst > 0.9, "the bound is not attained: {worst}");
}

#[test]
fn floats_and_random_numbers_of_every_spread() {
    let mut rng = Rng(5);
    for spread in [0, 10, 40, 60, 79, 80, 81, 100, 140] {
        for _ in 0..60 {
            let n = 1 + (rng.word() % 300) as usize;
            let mut number = || {
                let unit = (rng.word() >> 11) as f64 * (-52f64).exp2() - 1.0;
                unit * -((rng.word() % (spread + 1)) as f64).exp2().recip()
            };
            let x: Vec<f64> = (0..n).map(|_| number()).collect();
            let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
            sum_is_within(&x);
            sum_is_within(&narrow);
            let y: Vec<f64> = (0..n).map(|_| number()).collect();
            let mut sum = Repro::new();
            sum.extend_products(&x, &y).unwrap();
            let (dot, bound) = (sum.sum(), n as f64 * (-79f64).exp2() * largest(&x, &y));
            let error = error(&x, &y, dot);
            assert!(error <= bound + dot.abs() * (-53f64).exp2(), "dot of {n}: error {error}, bound {bound}");
            assert_eq!(reduce::dot_repro(&x, &y).unwrap(), dot);
        }
    }
}
