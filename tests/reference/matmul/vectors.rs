//! Products with a vector, and outer products.

use hotloops::matmul::Strides;

use crate::harness::rng::Rng;
use crate::matmul::matrix::{Step, check};

#[test]
fn bits_of_vectors_and_outer_products_are_those_of_a_chain() {
    fn all<T: Step>(rng: &mut Rng) {
        let rows = |n: usize| Strides::row_major(n);
        let number = |x: f64| T::from_f64(x);
        let turned = |strides: Strides| Strides { row: strides.column, column: strides.row };
        // Groups of rows in every number and remainder; vectors in pieces, if they are strided.
        for m in (1..80).chain([130]) {
            let k = [7, 16, 19, 100, 1025, 2070][m % 6];
            for (a, x, c) in [
                (rows(k), rows(1), rows(1)),
                (rows(k + 3), Strides { row: -3, column: 1 }, Strides { row: 2, column: 1 }),
                (Strides { row: -(k as isize), column: 1 }, rows(2), Strides { row: -1, column: 1 }),
                (rows(if m % 2 == 0 { 2048 } else { 2047 }), rows(1), rows(1)),
            ] {
                check(rng, [m, 1, k], [a, x, c], [T::ONE, number((m % 2) as f64)], None);
                let (a, x, c) = (turned(a), turned(x), turned(c));
                check(rng, [1, m, k], [x, a, c], [number(-0.5), number(0.25)], None);
            }
        }
        for (m, n) in [(130, 66), (67, 300), (600, 17), (20, 1100), (1, 9000), (9000, 1)] {
            for (c, x, y) in [(rows(n), rows(1), rows(n)), (Strides::column_major(m + 1), rows(2), rows(n))] {
                for [alpha, beta] in [[1.0, 0.0], [1.0, 1.0], [0.3, 0.0], [-2.5, 1.5], [0.0, 0.5]] {
                    check(rng, [m, n, 1], [x, y, c], [number(alpha), number(beta)], None);
                }
            }
        }
    }
    let mut rng = Rng(4);
    all::<f32>(&mut rng);
    all::<f64>(&mut rng);
}
