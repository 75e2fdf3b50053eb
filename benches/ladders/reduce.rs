//! Sums and dot products.

use std::hint::black_box;
use std::sync::Arc;

use hotloops::reduce;
use hotloops_bench_support::products;

use crate::rows::{Row, keep, levels, under, words};

/// Reductions of one array and of two, by name.
type Sum<T> = (&'static str, fn(&[T]) -> T);
type Dot<T> = (&'static str, fn(&[T], &[T]) -> T);

/// Sums and dot products over BYTES bytes in total; per element.
pub fn reduce_rows<T: reduce::Element, const BYTES: usize>() -> Vec<Row> {
    let numbers = |bytes: usize| -> Arc<Vec<T>> {
        Arc::new(words(bytes / size_of::<T>()).into_iter().map(|word| T::from_f64(f64::from(word) - 2e9)).collect())
    };
    let (x, half, other) = (numbers(BYTES), numbers(BYTES / 2), numbers(BYTES / 2));
    let mut rows: Vec<Row> = Vec::new();
    let mut plain = |name: &str, sum: fn(&[T]) -> T| {
        let x = x.clone();
        rows.push((name.to_owned(), x.len(), Box::new(move || keep(sum(black_box(&x))))));
    };
    plain("sum, original", products::sum::<T, 1>);
    plain("sum in 4", products::sum::<T, 4>);
    plain("sum in 32", products::sum::<T, 32>);
    let functions: [Sum<T>; 5] = [
        ("sum", |x| reduce::sum(x)),
        ("asum", |x| reduce::asum(x)),
        ("sum2", reduce::sum2),
        ("kahan", reduce::kahan),
        ("sum_repro", reduce::sum_repro),
    ];
    for (name, sum) in functions {
        for isa in levels() {
            let x = x.clone();
            let call = under(isa, move || keep(sum(black_box(&x))));
            rows.push((format!("{name} {}", isa.word()), BYTES / size_of::<T>(), call));
        }
    }
    let functions: [Dot<T>; 2] =
        [("dot", |x, y| reduce::dot(x, y).unwrap()), ("dot2", |x, y| reduce::dot2(x, y).unwrap())];
    for (name, dot) in functions {
        for isa in levels() {
            let (x, y) = (half.clone(), other.clone());
            let call = under(isa, move || keep(dot(black_box(&x), black_box(&y))));
            // A dot product's BYTES include both arrays.
            rows.push((format!("{name} {}", isa.word()), BYTES / size_of::<T>(), call));
        }
    }
    rows
}
