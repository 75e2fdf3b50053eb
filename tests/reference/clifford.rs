//! The Clifford layers against the defining relations and against examples in exact integers.

mod algebra;
mod batches;
mod examples;
mod linear;
mod products;
mod weighted;

use hotloops::clifford::Signature;

/// Every signature of up to 4 generators.
fn signatures() -> Vec<Signature> {
    let mut lists: Vec<Vec<i8>> = vec![vec![]];
    let mut all = Vec::new();
    for _ in 0..=4 {
        all.extend(lists.iter().map(|list| Signature::new(list).unwrap()));
        lists = lists.iter().flat_map(|list| [1, -1, 0].map(|square| [&list[..], &[square]].concat())).collect();
    }
    all
}

/// The numbers from `first` on, as many as there are blades.
fn count_from(first: usize, blades: usize) -> Vec<f64> {
    (first..first + blades).map(|i| i as f64).collect()
}
