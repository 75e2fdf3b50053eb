//! Triangles, batches and epilogues, bit for bit against whole products of the same numbers.

use hotloops::matmul::{
    Activation, Bias, Epilogue, Options, Order, PackedB, Plan, Strides, Triangle, gemm, gemm_in, gemm_packed,
    gemm_packed_with_epilogue, gemm_with_epilogue, syrk,
};

use crate::harness::rng::Rng;
use crate::matmul::matrix::{Matrix, Step, layout};

#[test]
fn a_triangle_has_the_bits_of_the_whole() {
    fn all<T: Step>(rng: &mut Rng) {
        let number = |x: f64| T::from_f64(x);
        for (n, k) in
            [(0, 3), (1, 1), (5, 0), (17, 40), (63, 9), (64, 64), (65, 300), (130, 33), (200, 7), (200, 300), (259, 70)]
        {
            for turn in 0..4 {
                let (a_layout, c_layout) = (layout(rng, n, k), layout(rng, n, n));
                let (a, before): (Matrix<T>, Matrix<T>) =
                    (Matrix::new(rng, n, k, a_layout), Matrix::new(rng, n, n, c_layout));
                let [alpha, beta] = [[1.0, 0.0], [1.0, 1.0], [-0.3, 1.7], [0.0, 0.5]][turn].map(number);
                let mut whole = before.clone();
                gemm(alpha, a.view(), a.view().transposed(), beta, whole.view_mut()).unwrap();
                for (triangle, lower) in [(Triangle::Upper, false), (Triangle::Lower, true)] {
                    let (mut found, mut truth) = (before.clone(), whole.clone());
                    syrk(alpha, a.view(), beta, found.view_mut(), triangle).unwrap();
                    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                        if i != j && (i > j) != lower {
                            let place = truth.place(i, j);
                            truth.values[place] = before.at(i, j);
                        }
                    }
                    assert!(found.bits() == truth.bits(), "{n} x {k}, {triangle:?}, {alpha:?}, {beta:?}");
                }
            }
        }
    }
    let mut rng = Rng(5);
    all::<f32>(&mut rng);
    all::<f64>(&mut rng);
}

/// The definition: a product added to the bias, and then the activation.
#[test]
fn epilogues_are_their_definition() {
    fn all<T: Step>(rng: &mut Rng) {
        let (nan, zero) = (T::from_f64(f64::NAN), T::ZERO);
        let shapes = [
            [0, 4, 5],
            [1, 1, 1],
            [3, 5, 0],
            [4, 7, 9],
            [1, 300, 40],
            [300, 1, 70],
            [40, 3, 300],
            [70, 90, 1],
            [130, 70, 60],
            [90, 200, 300],
            [65, 130, 1500],
        ];
        for [m, n, k] in shapes {
            for turn in 0..6 {
                let (a_layout, b_layout, c_layout) = (layout(rng, m, k), layout(rng, k, n), layout(rng, m, n));
                let (mut a, b) = (Matrix::<T>::new(rng, m, k, a_layout), Matrix::<T>::new(rng, k, n, b_layout));
                if turn == 5 && m * k > 0 {
                    let place = a.place(m / 2, k / 2);
                    a.values[place] = nan;
                }
                let alpha = T::from_f64([1.0, -0.3, 0.0][turn % 3]);
                let options = Options { order: [Order::Strict, Order::Fast][turn / 3], ..Options::default() };
                let (rows, columns) = (rng.numbers::<T>(m), rng.numbers::<T>(n));
                let mut memory = vec![zero; k * n];
                let packed = PackedB::new(b.view(), &mut memory, &options).unwrap();
                for bias in [Bias::None, Bias::Rows(&rows), Bias::Columns(&columns)] {
                    for activation in [Activation::Identity, Activation::Relu] {
                        let before = Matrix::new(rng, m, n, c_layout);
                        let [mut expected, mut found, mut from_packed] = [before.clone(), before.clone(), before];
                        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                            let place = expected.place(i, j);
                            expected.values[place] = match bias {
                                Bias::None => zero,
                                Bias::Rows(rows) => rows[i],
                                Bias::Columns(columns) => columns[j],
                            };
                        }
                        let (a, b, epilogue) = (a.view(), b.view(), Epilogue { bias, activation });
                        let mut from_packed_expected = expected.clone();
                        gemm_in(alpha, a, b, T::ONE, expected.view_mut(), &options, None).unwrap();
                        let c = from_packed_expected.view_mut();
                        gemm_packed(alpha, a, &packed, T::ONE, c, &options, None).unwrap();
                        for matrix in [&mut expected, &mut from_packed_expected] {
                            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                                let place = matrix.place(i, j);
                                if activation == Activation::Relu && matrix.values[place] < zero {
                                    matrix.values[place] = zero;
                                }
                            }
                        }
                        gemm_with_epilogue(alpha, a, b, &epilogue, found.view_mut(), &options, None).unwrap();
                        let c = from_packed.view_mut();
                        gemm_packed_with_epilogue(alpha, a, &packed, &epilogue, c, &options, None).unwrap();
                        let what = format!("{m} x {n} x {k}, {turn}: {bias:?}, {activation:?}");
                        assert!(found.bits() == expected.bits(), "{what}");
                        assert!(from_packed.bits() == from_packed_expected.bits(), "packed, {what}");
                    }
                }
            }
        }
    }
    let mut rng = Rng(9);
    all::<f32>(&mut rng);
    all::<f64>(&mut rng);
}

#[test]
fn a_batch_has_the_bits_of_its_products() {
    let mut rng = Rng(6);
    for [m, n, k] in [[3, 3, 3], [4, 5, 6], [1, 7, 30], [20, 30, 40], [90, 100, 110]] {
        for (a_step, b_step, gap, count) in
            [(m * k, 0, 0, 5), (0, k * n, 3, 4), (m * k + 1, k * n + 2, 7, 3), (0, 0, 0, 1)]
        {
            let (strides, options) = (Strides::row_major, Options::default());
            let plan = Plan::<f64>::new([m, n, k], strides(k), strides(n), strides(n), &options).unwrap();
            let (a, b) = (rng.numbers::<f64>(m * k + 4 * a_step), rng.numbers::<f64>(k * n + 4 * b_step));
            let c_step = m * n + gap;
            let (before, mut workspace) = (rng.numbers::<f64>(c_step * count), vec![0; plan.workspace_bytes()]);
            let (mut found, mut truth) = (before.clone(), before);
            plan.run_batch(count, 1.0, (&a, a_step), (&b, b_step), 0.5, (&mut found, c_step), &mut workspace).unwrap();
            for i in 0..count {
                plan.run(1.0, &a[i * a_step..], &b[i * b_step..], 0.5, &mut truth[i * c_step..], &mut workspace)
                    .unwrap();
            }
            assert!(found.iter().map(|x| x.to_bits()).eq(truth.iter().map(|x| x.to_bits())), "{m} x {n} x {k}");
        }
    }
}
