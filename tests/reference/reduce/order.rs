//! The order of additions: lanes, then a tree.

use hotloops::reduce::{self, Element, Strided};

use crate::harness::rng::Rng;
use crate::reduce::same;

/// The module's documented definition as a loop: 64 or 32 lanes, halved repeatedly.
fn in_order<T: Element>(terms: &[T]) -> T {
    let lanes = 256 / size_of::<T>();
    let mut sums = vec![-T::ZERO; lanes];
    for (i, &x) in terms.iter().enumerate() {
        sums[i % lanes] = sums[i % lanes] + x;
    }
    while sums.len() > 1 {
        let upper = sums.split_off(sums.len() / 2);
        sums.iter_mut().zip(upper).for_each(|(low, high)| *low = *low + high);
    }
    if terms.is_empty() { T::ZERO } else { sums[0] }
}

fn order<T: Element>() {
    let mut rng = Rng(1);
    for n in (0..200).chain([1000, 4097]) {
        let (x, y) = (rng.spread_numbers::<T>(n, 20), rng.spread_numbers::<T>(n, 20));
        same(in_order(&x), reduce::sum(&x), n);
        let magnitudes: Vec<T> = x.iter().map(|x| x.magnitude()).collect();
        same(in_order(&magnitudes), reduce::asum(&x), n);
        let products: Vec<T> = x.iter().zip(&y).map(|(&x, &y)| x * y).collect();
        same(in_order(&products), reduce::dot(&x, &y).unwrap(), n);
        for stride in [1, 2, 3, -1, -2, 0] {
            let step = isize::unsigned_abs(stride);
            let count = n.checked_div(step).unwrap_or(n.min(100));
            let at = |i: usize| if stride < 0 { (count - 1 - i) * step } else { i * step };
            let pick = |x: &[T]| (0..count).map(|i| x[at(i)]).collect::<Vec<T>>();
            let strided = Strided::new(&x, count, stride).unwrap();
            same(reduce::sum(&pick(&x)), reduce::sum(strided), count);
            same(reduce::asum(&pick(&x)), reduce::asum(strided), count);
            let row = y[..count].to_vec();
            same(reduce::dot(&pick(&x), &row).unwrap(), reduce::dot(strided, &row).unwrap(), count);
            same(reduce::dot(&row, &pick(&x)).unwrap(), reduce::dot(&row, strided).unwrap(), count);
        }
    }
}

#[test]
fn lanes_and_tree_are_those_of_the_documentation() {
    order::<f32>();
    order::<f64>();
}

#[test]
fn rows_of_a_matrix_have_the_sums_of_their_elements() {
    fn all<T: Element>() {
        let mut rng = Rng(6);
        for [m, n] in [[0, 5], [5, 0], [1, 1], [3, 200], [200, 3], [64, 64], [65, 130], [131, 33], [300, 70]] {
            for [row, column] in [[n, 1], [1, m], [n + 7, 1], [1, m + 5], [2 * n, 2], [3, 3 * m], [0, 1], [1, 0]] {
                for [row, column] in [[1, 1], [-1, 1], [1, -1], [-1, -1]]
                    .map(|[down, right]| [down * row as isize, right * column as isize])
                {
                    let reach = |n: usize, stride: isize| n.saturating_sub(1) * stride.unsigned_abs();
                    let length = if m * n == 0 { 0 } else { reach(m, row) + reach(n, column) + 1 };
                    let values = rng.spread_numbers::<T>(length, 10);
                    let place = |n: usize, stride: isize, i: usize| {
                        (if stride < 0 { n - 1 - i } else { i }) * stride.unsigned_abs()
                    };
                    let mut sums = vec![T::ONE; m];
                    reduce::row_sums(&values, [m, n], [row, column], &mut sums).unwrap();
                    for (i, &found) in sums.iter().enumerate() {
                        let elements: Vec<T> = (0..n).map(|j| values[place(m, row, i) + place(n, column, j)]).collect();
                        same(in_order(&elements), found, n);
                    }
                }
            }
        }
    }
    all::<f32>();
    all::<f64>();
    let x = [1.0, f64::NAN, -0.0, 2.0, f64::INFINITY, -0.0];
    let mut sums = [0.0; 3];
    reduce::row_sums(&x, [3, 2], [1, 3], &mut sums).unwrap();
    assert_eq!(sums.map(f64::to_bits), [3.0, f64::NAN, -0.0].map(f64::to_bits));
}
