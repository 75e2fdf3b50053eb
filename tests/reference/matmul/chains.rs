//! Each element is one chain of multiply-adds in ascending order, at every size and layout.

use hotloops::Caches;
use hotloops::matmul::Strides;

use crate::harness::rng::Rng;
use crate::matmul::matrix::{Matrix, Step, check, check_operands, layout};

/// Caches so small that even small products are split.
const TINY: Caches = Caches { l1: 2 << 10, l2: 4 << 10, l3: 64 << 10 };

fn shapes<T: Step>(seed: u64) {
    let mut rng = Rng(seed);
    let numbers = [1.0, 1.0, 1.0, -1.0, 0.0, 0.7].map(T::from_f64);
    for turn in 0..600 {
        let most = [4, 9, 20, 40][turn % 4];
        let mut shape = [0; 3].map(|_| rng.index(most + 1));
        if turn % 11 == 0 {
            shape[rng.index(3)] *= 12;
        }
        let [m, n, k] = shape;
        let strides = [layout(&mut rng, m, k), layout(&mut rng, k, n), layout(&mut rng, m, n)];
        let scale = [numbers[rng.index(6)], numbers[rng.index(6)]];
        let caches = if turn % 2 == 0 { Some(TINY) } else { None };
        check(&mut rng, shape, strides, scale, caches);
    }
}

/// Sizes at which whole rows of B are read, and caches without a size.
#[test]
fn few_rows_keep_the_chain() {
    let mut rng = Rng(3);
    // B is beyond L3, within it, or within a quarter of it.
    let near = Caches { l1: 32 << 10, l2: 64 << 10, l3: 1 << 20 };
    for m in [0, 1, 4, 5, 14, 16, 20, 32, 33, 56, 57] {
        for n in [65, 256, 301] {
            for caches in [Caches { l1: 0, l2: 0, l3: 0 }, TINY, near] {
                let strides = [40, n + 3, n].map(Strides::row_major);
                check::<f32>(&mut rng, [m, n, 40], strides, [1.0, 1.0], Some(caches));
                check::<f64>(&mut rng, [m, n, 40], strides, [0.7, 0.0], Some(caches));
            }
        }
    }
}

/// A in columns and B in rows, near each other and far apart, which are read as they are.
#[test]
fn tall_products_keep_the_chain() {
    fn all<T: Step>(rng: &mut Rng) {
        for ([m, n, k], [a, b]) in [
            ([1, 40, 530], [1, 40]),
            ([13, 200, 700], [13, 203]),
            ([50, 50, 1030], [50, 50]),
            ([57, 130, 600], [64, 130]),
            ([50, 600, 130], [50, 600]),
            ([100, 30, 90], [1024, 30]),
            ([520, 20, 70], [521, 20]),
            ([300, 60, 1100], [1025, 64]),
        ] {
            let [a, b, c] = [Strides::column_major(a), Strides::row_major(b), Strides::row_major(n)];
            let turned = |strides: Strides| Strides { row: strides.column, column: strides.row };
            for [alpha, beta] in [[1.0, 0.0], [1.0, 1.0], [0.3, -1.7]] {
                let scale = [T::from_f64(alpha), T::from_f64(beta)];
                check(rng, [m, n, k], [a, b, c], scale, None);
                check(rng, [n, m, k], [turned(b), turned(a), turned(c)], scale, None);
            }
        }
    }
    let mut rng = Rng(5);
    all::<f32>(&mut rng);
    all::<f64>(&mut rng);
}

#[test]
fn bits_are_those_of_a_chain_f32() {
    shapes::<f32>(1);
}

#[test]
fn bits_are_those_of_a_chain_f64() {
    shapes::<f64>(2);
}

#[test]
fn bits_are_those_of_a_chain_where_products_are_cut() {
    fn all<T: Step>(rng: &mut Rng) {
        let rows = |n: usize| Strides::row_major(n);
        let columns = |n: usize| Strides::column_major(n);
        for [m, n, k] in [
            [210, 20, 280],
            [110, 36, 300],
            [64, 100, 270],
            [7, 130, 530],
            [150, 3, 1100],
            [3, 130, 1030],
            [64, 64, 64],
            // C is larger than a cache.
            [290, 130, 9],
        ] {
            for (a, b, c) in [
                (rows(k), rows(n), rows(n)),
                (columns(m), rows(n), rows(n)),
                (rows(k), columns(k), rows(n)),
                (columns(m), columns(k), columns(m)),
                // Rows that evict each other from a cache.
                (rows(1024.max(k)), rows(1024), rows(1024)),
            ] {
                check(rng, [m, n, k], [a, b, c], [T::ONE, T::ZERO], None);
                check(rng, [m, n, k], [a, b, c], [T::ONE, T::ONE], Some(TINY));
                check(rng, [m, n, k], [a, b, c], [T::from_f64(0.3), T::from_f64(-1.7)], None);
            }
        }
    }
    let mut rng = Rng(3);
    all::<f32>(&mut rng);
    all::<f64>(&mut rng);
}

/// All sizes of the kernels for tiny products, with zeros, infinities and NaNs.
#[test]
fn bits_of_tiny_products_are_those_of_a_chain() {
    fn all<T: Step>(rng: &mut Rng) {
        let special = [-0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, -1e-310].map(T::from_f64);
        for number in 0..512 {
            let [m, n, k] = [number / 64, number / 8 % 8, number % 8].map(|size| size + 1);
            let sizes = [(m, k), (k, n), (m, n)];
            let [rows, padded] = [0, 3].map(|pad| sizes.map(|(_, columns)| Strides::row_major(columns + pad)));
            let columns = sizes.map(|(rows, _)| Strides::column_major(rows));
            let reversed = Strides { row: -rows[0].row, column: 1 };
            let layouts = [rows, padded, [columns[0], rows[1], rows[2]], columns, [reversed, rows[1], padded[2]]];
            for (turn, strides) in layouts.into_iter().enumerate() {
                for beta in [T::ZERO, T::ONE] {
                    let matrix = |i| {
                        let (rows, columns): (usize, usize) = sizes[i];
                        let mut matrix = Matrix::new(rng, rows, columns, strides[i]);
                        if turn % 2 == 1 {
                            let place = rng.index(matrix.values.len());
                            matrix.values[place] = special[rng.index(special.len())];
                        }
                        matrix
                    };
                    let operands = [0, 1, 2].map(matrix);
                    check_operands(rng, operands, [T::ONE, beta], None);
                }
            }
        }
    }
    let mut rng = Rng(6);
    all::<f32>(&mut rng);
    all::<f64>(&mut rng);
}
