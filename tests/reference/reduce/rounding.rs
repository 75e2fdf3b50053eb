//! Error bounds, and what infinities, NaNs, zeros and denormal numbers give.

use hotloops::reduce::{self, Element};

use crate::exact::Exact;
use crate::harness::rng::Rng;
use crate::reduce::{exact_dot, exact_sum, unit, wide};

/// Every function stays within its error bound, for sums with growing cancellation.
fn bounds<T: Element>() {
    let (mut rng, u) = (Rng(2), unit::<T>());
    for n in [1, 2, 33, 100, 1000, 30_000] {
        for spread in [0, 4, 12] {
            for cancel in [false, true] {
                let mut x = rng.spread_numbers::<T>(n, spread);
                let mut y = rng.spread_numbers::<T>(n, spread);
                if cancel {
                    // The second half cancels nearly all of the first.
                    let half = n / 2;
                    (0..half).for_each(|i| (x[n - 1 - i], y[n - 1 - i]) = (-x[i], y[i]));
                    y.rotate_right(n / 7 % n);
                    x.rotate_right(n / 7 % n);
                }
                let (xs, ys) = (wide(&x), wide(&y));
                let exact = exact_sum(xs.iter().copied());
                let exact_products = exact_dot(xs.iter().copied().zip(ys.iter().copied()));
                let magnitudes = exact_sum(xs.iter().map(|x| x.abs())).round();
                let products = exact_dot(xs.iter().zip(&ys).map(|(x, y)| (x.abs(), y.abs()))).round();
                let largest = xs.iter().fold(0f64, |a, x| a.max(x.abs()));
                let (sum, dot) = (exact.round(), exact_products.round());
                let depth = |lanes: f64| (n as f64 / lanes).ceil() + lanes.log2();
                let lanes = 256.0 / size_of::<T>() as f64;
                let check = |what: &str, exact: &Exact, found: T, bound: f64| {
                    let error = exact.error_of(found.to_f64()).abs();
                    assert!(error <= bound, "{what} of {n} (spread {spread}, {cancel}): error {error}, bound {bound}");
                };
                let plain = 1.01 * u * depth(lanes);
                check("sum", &exact, reduce::sum(&x), plain * magnitudes);
                check("dot", &exact_products, reduce::dot(&x, &y).unwrap(), (plain + u) * products);
                let twice = (depth(lanes / 2.0) + 2.0).powi(2) * u * u;
                check("sum2", &exact, reduce::sum2(&x), 1.01 * u * sum.abs() + 2.0 * twice * magnitudes);
                check(
                    "dot2",
                    &exact_products,
                    reduce::dot2(&x, &y).unwrap(),
                    1.01 * u * dot.abs() + 2.0 * twice * products,
                );
                let kahan = 2.02 * u + 4.0 * depth(lanes) * u * u;
                check("kahan", &exact, reduce::kahan(&x), kahan * magnitudes + u * sum.abs());
                let quanta = n as f64 * (-40f64).exp2() * largest;
                check("repro", &exact, reduce::sum_repro(&x), quanta + 1.01 * u * (sum.abs() + quanta));
            }
        }
    }
}

#[test]
fn errors_are_within_their_bounds() {
    bounds::<f32>();
    bounds::<f64>();
}

#[test]
fn what_is_not_finite_goes_through() {
    fn all<T: Element>() {
        let [inf, nan] = [f64::INFINITY, f64::NAN].map(T::from_f64);
        let sums: [fn(&[T]) -> T; 4] =
            [|x| reduce::sum(x), |x| reduce::sum2(x), |x| reduce::kahan(x), |x| reduce::sum_repro(x)];
        for sum in sums {
            for n in [1, 2, 5, 40, 64, 65, 130, 1000] {
                for at in [0, n / 2, n - 1] {
                    let one = |value: T| {
                        let mut x = vec![T::ONE; n];
                        x[at] = value;
                        sum(&x).to_f64()
                    };
                    assert_eq!(one(inf), f64::INFINITY);
                    assert_eq!(one(-inf), f64::NEG_INFINITY);
                    assert!(one(nan).is_nan() && one(-nan).is_nan());
                    let mut both = vec![inf; n];
                    both[at] = -inf;
                    assert_eq!(sum(&both).to_f64().is_nan(), n > 1);
                }
                // A sum that overflows is an infinity, not a NaN from the compensation.
                let huge = if size_of::<T>() == 4 { f64::from(f32::MAX) } else { f64::MAX };
                let most = sum(&vec![T::from_f64(-huge); n]).to_f64();
                assert_eq!(most, if n == 1 { -huge } else { f64::NEG_INFINITY });
            }
            assert_eq!(sum(&[]).to_f64().to_bits(), 0);
        }
        // Zeros keep their sign in uncompensated sums.
        assert_eq!(reduce::sum(&[-T::ZERO; 100]).to_f64().to_bits(), (-0f64).to_bits());
        assert_eq!(reduce::sum2(&[-T::ZERO; 100]).to_f64().to_bits(), 0);
        assert_eq!(reduce::sum_repro(&[-T::ZERO; 100]).to_f64().to_bits(), 0);
        assert_eq!(reduce::asum(&[-T::ZERO; 3]).to_f64().to_bits(), 0);
        // Denormal numbers are not flushed to zero.
        let tiny = T::from_f64(if size_of::<T>() == 4 { f64::from(f32::from_bits(1)) } else { f64::from_bits(1) });
        for sum in sums {
            assert_eq!(sum(&[tiny; 300]).to_f64(), 300.0 * tiny.to_f64());
        }
    }
    all::<f32>();
    all::<f64>();
}
