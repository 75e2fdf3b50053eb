//! Error bounds against exact integers, and the BLAS rules for 0, NaN, infinities and denormal numbers.

use hotloops::matmul::{MatMut, MatRef, Options, Order, Strides, gemm_in};

use crate::exact::Exact;
use crate::harness::rng::Rng;
use crate::matmul::matrix::{Matrix, Step, layout};

/// |error| <= (k + 3) u (|alpha| |A| |B| + |beta| |C|), strict and fast, against exact integers.
fn bounds<T: Step>(seed: u64) {
    let mut rng = Rng(seed);
    let u = if size_of::<T>() == 4 { (-24f64).exp2() } else { (-53f64).exp2() };
    for [m, n, k] in
        [[4, 4, 4096], [1, 1, 1000], [8, 8, 600], [2, 7, 3000], [20, 17, 300], [5, 5, 40], [70, 1, 500], [1, 70, 333]]
    {
        for order in [Order::Strict, Order::Fast] {
            for (alpha, beta) in [(1.0, 0.0), (-0.7, 1.3)] {
                let (a_strides, b_strides) = (layout(&mut rng, m, k), layout(&mut rng, k, n));
                let (a, b) = (Matrix::<T>::new(&mut rng, m, k, a_strides), Matrix::<T>::new(&mut rng, k, n, b_strides));
                let before = Matrix::new(&mut rng, m, n, Strides::row_major(n));
                let mut c = before.clone();
                let [factor, scale] = [alpha, beta].map(T::from_f64);
                let options = Options { order, ..Options::default() };
                gemm_in(factor, a.view(), b.view(), scale, c.view_mut(), &options, None).unwrap();
                for i in 0..m {
                    for j in 0..n {
                        let pairs = |p| (a.at(i, p).to_f64(), b.at(p, j).to_f64());
                        // alpha A B + beta C, with the product of three split into two exact
                        // products.
                        let mut exact = Exact::new();
                        let mut size = 0.0;
                        for (x, y) in (0..k).map(pairs) {
                            let (high, low) = product(factor.to_f64(), x);
                            exact.add(high, y);
                            exact.add(low, y);
                            size += (high * y).abs();
                        }
                        exact.add(scale.to_f64(), before.at(i, j).to_f64());
                        size += (scale.to_f64() * before.at(i, j).to_f64()).abs();
                        let error = exact.error_of(c.at(i, j).to_f64()).abs();
                        let bound = 1.01 * (k + 3) as f64 * u * size;
                        assert!(error <= bound, "{order:?} {m} x {n} x {k}: error {error}, bound {bound}");
                        // Random rounding errors stay far below the worst case.
                        assert!(
                            error <= 16.0 * u * size + u * c.at(i, j).to_f64().abs(),
                            "{order:?} {m} x {n} x {k}: {error}"
                        );
                    }
                }
            }
        }
    }
}

/// A product of doubles as a rounded one and its error.
fn product(x: f64, y: f64) -> (f64, f64) {
    (x * y, x.mul_add(y, -(x * y)))
}

#[test]
fn errors_are_within_their_bounds() {
    bounds::<f32>(5);
    bounds::<f64>(6);
}

/// The BLAS rules for 0, NaN, infinities and denormal numbers, at sizes for every code path.
fn semantics<T: Step>() {
    let [nan, inf] = [f64::NAN, f64::INFINITY].map(T::from_f64);
    for s in [1, 4, 7, 16, 64, 150, 300] {
        for order in [Order::Strict, Order::Fast] {
            let options = Options { order, ..Options::default() };
            let product = |alpha: T, a: &[T], b: &[T], beta: T, c: &mut [T], k: usize| {
                let (a, b) = (MatRef::row_major(a, s, k, s).unwrap(), MatRef::row_major(b, k, s, s).unwrap());
                gemm_in(alpha, a, b, beta, MatMut::row_major(c, s, s, s).unwrap(), &options, None).unwrap();
            };
            let (ones, bad) = (vec![T::ONE; s * s], vec![nan; s * s]);
            let sum = T::from_f64(s as f64);
            // beta = 0 does not read C.
            let mut c = bad.clone();
            product(T::ONE, &ones, &ones, T::ZERO, &mut c, s);
            assert!(c.iter().all(|&x| x == sum));
            // k = 0: zeros, or beta C.
            let mut c = bad.clone();
            product(T::ONE, &ones, &ones, T::ZERO, &mut c, 0);
            assert!(c.iter().all(|x| x.to_f64().to_bits() == 0));
            let mut c = ones.clone();
            product(T::ONE, &ones, &ones, sum, &mut c, 0);
            assert!(c.iter().all(|&x| x == sum));
            // alpha = 0 does not read A and B.
            let mut c = ones.clone();
            product(T::ZERO, &bad, &bad, sum, &mut c, s);
            assert!(c.iter().all(|&x| x == sum));
            // 0 times infinity is NaN, at any index.
            let mut a = vec![T::ZERO; s * s];
            a[s * s / 2] = inf;
            let mut c = ones.clone();
            product(T::ONE, &a, &vec![T::ZERO; s * s], T::ONE, &mut c, s);
            let row = s * s / 2 / s;
            assert!((0..s * s).all(|at| (c[at].to_f64().is_nan()) == (at / s == row)));
            // Denormal numbers are not flushed to zero.
            let tiny = T::from_f64(if size_of::<T>() == 4 { (-149f64).exp2() } else { (-1074f64).exp2() });
            let mut c = bad.clone();
            product(T::ONE, &vec![tiny; s * s], &ones, T::ZERO, &mut c, s);
            assert!(c.iter().all(|x| x.to_f64() == s as f64 * tiny.to_f64()));
        }
    }
}

#[test]
fn special_values_go_through() {
    semantics::<f32>();
    semantics::<f64>();
}
