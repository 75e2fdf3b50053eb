//! Reproducible dot products: the products and their errors.

use hotloops::reduce::{self, Element, Repro};

use crate::harness::rng::Rng;
use crate::reduce::{exact_dot, same, unit, wide};

#[test]
fn products_are_added_in_any_order_and_exactly() {
    fn all<T: Element>() {
        let mut rng = Rng(7);
        for n in [0, 1, 5, 100, 257, 3000] {
            let (mut x, mut y) = (rng.spread_numbers::<T>(n, 30), rng.spread_numbers::<T>(n, 30));
            let expected = reduce::dot_repro(&x, &y).unwrap();
            let (xs, ys) = (wide(&x), wide(&y));
            let exact = exact_dot(xs.iter().copied().zip(ys.iter().copied()));
            let largest = xs.iter().zip(&ys).fold(0f64, |a, (x, y)| a.max((x * y).abs()));
            let quanta = n as f64 * (-39f64).exp2() * largest;
            let error = exact.error_of(expected.to_f64()).abs();
            assert!(error <= quanta + 1.01 * unit::<T>() * (exact.round().abs() + quanta), "{n}: {error}");
            for i in (1..n).rev() {
                let j = rng.index(i + 1);
                x.swap(i, j);
                y.swap(i, j);
            }
            let cut = n / 3;
            let (mut total, mut part) = (Repro::new(), Repro::new());
            total.extend_products(&y[cut..], &x[cut..]).unwrap();
            part.extend_products(&x[..cut], &y[..cut]).unwrap();
            total.merge(&part);
            same(expected, T::from_f64(total.sum()), n);
        }
    }
    all::<f32>();
    all::<f64>();
    let dot = |pairs: &[(f64, f64)]| {
        let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        reduce::dot_repro(&x, &y).unwrap()
    };
    // Errors of products, and factors that are too large to split. These magnitudes are near the upper
    // end of their bins, so that quanta are smaller than the errors.
    let (third, power) = (1.0 / 3.0, |e: i32| f64::from(e).exp2());
    assert_eq!(dot(&[(third, 3.0), (-1.0, 1.0)]), third.mul_add(3.0, -1.0));
    let large = third * power(1004);
    assert_eq!(dot(&[(large, 3.0), (-power(1004), 1.0)]), large.mul_add(3.0, -power(1004)));
    assert_eq!(dot(&[(3.0, large), (1.0, -power(1004))]), large.mul_add(3.0, -power(1004)));
    assert_eq!(dot(&[(1e308, 1e308), (1.0, 1.0)]), f64::INFINITY);
    assert!(dot(&[(f64::INFINITY, 0.0), (1.0, 1.0)]).is_nan());
    assert_eq!(dot(&[(f64::NEG_INFINITY, 2.0), (1.0, 1.0)]), f64::NEG_INFINITY);
}

/// The error of a product is added wherever the product is: in the last of an odd number too.
#[test]
fn the_error_of_every_product_is_added() {
    // The square is 2^44 + 2^18 + 2^-10, of whose bin the quantum is 2^-34.
    let a = (f64::from(1 << 27) + 1.0) / 32.0;
    let rounded = a * a;
    for n in [1, 2, 3, 7, 127, 128, 129, 255, 257, 1001] {
        for place in [0, n / 2, n - 1] {
            let (mut x, mut y) = (vec![0.0; n], vec![1.0; n]);
            (x[place], y[place]) = (a, a);
            let mut sum = Repro::new();
            sum.extend_products(&x, &y).unwrap();
            sum.extend(&[-rounded]);
            assert_eq!(sum.sum(), 2f64.powi(-10), "{place} of {n}");
        }
    }
}
