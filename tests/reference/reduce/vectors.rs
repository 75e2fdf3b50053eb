//! Kernels of vectors on small integers, whose results are exact.

use hotloops::reduce::*;

use crate::harness::rng::Rng;

/// Between -100 and 100.
fn integers(rng: &mut Rng, n: usize) -> Vec<i64> {
    (0..n).map(|_| rng.below(201) as i64 - 100).collect()
}

/// The first largest magnitude.
fn first_max(sizes: &[i64]) -> usize {
    (0..sizes.len()).rev().max_by_key(|&i| sizes[i]).unwrap_or(0)
}

#[test]
fn words_are_exchanged() {
    for n in [0, 1, 5, 16, 100, 1001] {
        let (mut x, mut y): (Vec<u32>, Vec<u32>) = (0..n).map(|i| (i, !i)).unzip();
        // SAFETY: n words each.
        unsafe { swap_u32(x.as_mut_ptr(), y.as_mut_ptr(), x.len()) };
        assert!((0..n).eq(y) && (0..n).map(|i| !i).eq(x), "{n}");
    }
}

macro_rules! exact {
    ($test:ident $type:ident $axpy:ident $scal:ident $rot:ident $amax:ident $axpy_complex:ident $scal_complex:ident
     $amax_complex:ident $dot_pairs:ident $dot_crossed:ident) => {
        fn $test() {
            let mut rng = Rng(1);
            let floats = |x: &[i64]| x.iter().map(|&x| x as $type).collect::<Vec<_>>();
            for n in [0, 1, 2, 3, 7, 16, 33, 100, 130, 1001] {
                let (xs, ys) = (integers(&mut rng, 2 * n), integers(&mut rng, 2 * n));
                let [a, b] = [rng.below(21) as i64 - 10, rng.below(21) as i64 - 10];
                let (re, im) = (a as $type, b as $type);
                let check = |name: &str, expected: Vec<i64>, kernel: &dyn Fn(&mut [$type], &mut [$type])| {
                    let (mut x, mut y) = (floats(&xs), floats(&ys));
                    kernel(&mut x, &mut y);
                    assert_eq!([y, x].concat(), floats(&expected), "{name} of {n}");
                };
                let each = |f: &dyn Fn(i64, i64) -> i64| xs.iter().zip(&ys).map(|(&x, &y)| f(x, y)).collect::<Vec<_>>();
                let (x_of, y_of) = (each(&|x, _| x), each(&|_, y| y));
                // SAFETY: 2 n numbers each.
                check("axpy", [each(&|x, y| y + a * x), x_of.clone()].concat(), &|x, y| unsafe {
                    $axpy(re, x.as_ptr(), y.as_mut_ptr(), 2 * n);
                });
                // SAFETY: 2 n numbers each.
                check("scal", [y_of.clone(), each(&|x, _| a * x)].concat(), &|x, _| unsafe {
                    $scal(re, x.as_mut_ptr(), 2 * n);
                });
                // SAFETY: 2 n numbers each.
                check("rot", [each(&|x, y| a * y - b * x), each(&|x, y| a * x + b * y)].concat(), &|x, y| unsafe {
                    $rot(re, im, x.as_mut_ptr(), y.as_mut_ptr(), 2 * n);
                });
                let product: Vec<i64> = xs.chunks(2).flat_map(|z| [a * z[0] - b * z[1], a * z[1] + b * z[0]]).collect();
                let sum = ys.iter().zip(&product).map(|(y, p)| y + p).collect::<Vec<_>>();
                // SAFETY: 2 n numbers each.
                check("complex axpy", [sum, x_of].concat(), &|x, y| unsafe {
                    $axpy_complex(re, im, x.as_ptr(), y.as_mut_ptr(), n);
                });
                // SAFETY: 2 n numbers each.
                check("complex scal", [y_of, product].concat(), &|x, _| unsafe {
                    $scal_complex(re, im, x.as_mut_ptr(), n);
                });
                let x = floats(&xs);
                let sizes: Vec<i64> = xs.iter().map(|x| x.abs()).collect();
                // SAFETY: 2 n numbers each.
                assert_eq!(unsafe { $amax(x.as_ptr(), 2 * n) }, first_max(&sizes), "of {n}");
                let sizes: Vec<i64> = xs.chunks(2).map(|z| z[0].abs() + z[1].abs()).collect();
                // SAFETY: 2 n numbers each.
                assert_eq!(unsafe { $amax_complex(x.as_ptr(), n) }, first_max(&sizes), "of {n}");
                let (y, mut sums) = (floats(&ys), [0.0; 4]);
                // SAFETY: 2 n numbers each.
                unsafe {
                    $dot_pairs(x.as_ptr(), y.as_ptr(), 2 * n, sums.as_mut_ptr());
                    $dot_crossed(x.as_ptr(), y.as_ptr(), n, sums[2..].as_mut_ptr());
                }
                let dot = |p, q| (0..n).map(|i| xs[2 * i + p] * ys[2 * i + q]).sum::<i64>() as $type;
                assert_eq!(sums, [dot(0, 0), dot(1, 1), dot(0, 1), dot(1, 0)], "of {n}");
            }
        }
    };
}
exact! {
    exact_f32
    f32 axpy_f32 scal_f32 rot_f32 amax_f32 axpy_complex_f32 scal_complex_f32 amax_complex_f32
    dot_pairs_f32 dot_crossed_f32
}
exact! {
    exact_f64
    f64 axpy_f64 scal_f64 rot_f64 amax_f64 axpy_complex_f64 scal_complex_f64 amax_complex_f64
    dot_pairs_f64 dot_crossed_f64
}

#[test]
fn vectors_of_integers_are_exact_in_f32() {
    exact_f32();
}

#[test]
fn vectors_of_integers_are_exact_in_f64() {
    exact_f64();
}
