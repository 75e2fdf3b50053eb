//! The same numbers summed in every way, forwards and backwards, beside the exact sum.
//!
//! `cargo run --release --example reduce`

use hotloops::reduce::{self, Repro};

fn main() {
    // The first half has both signs and many magnitudes: 1/1, -1/2, 1/3 .. The second half cancels
    // it, except for a fraction of 2^-40.
    let mut x: Vec<f64> = (1..=500_000).map(|i| if i % 2 == 0 { -1.0 } else { 1.0 } / f64::from(i)).collect();
    let nearly: Vec<f64> = x.iter().map(|&x| -x * (1.0 - (-40f64).exp2())).collect();
    x.extend(nearly);
    let reversed: Vec<f64> = x.iter().rev().copied().collect();
    // The exact sum is 2^-40 times the first half's sum, which has little cancellation.
    let exact = reduce::sum2(&x[..500_000]) * (-40f64).exp2();

    let sums = [
        ("sum", (|x| reduce::sum(x)) as fn(&[f64]) -> f64),
        ("kahan", reduce::kahan),
        ("sum2", reduce::sum2),
        ("sum_repro", reduce::sum_repro),
    ];
    println!("{:12}{:>26}{:>26}{:>12}", "", "forwards", "backwards", "error");
    for (name, sum) in sums {
        let (forwards, backwards) = (sum(&x), sum(&reversed));
        let error = (forwards / exact - 1.0).abs();
        println!("{name:12}{forwards:26.17e}{backwards:26.17e}{error:12.1e}");
    }

    // Pieces of any size, as from threads or other machines, give the same bits.
    let mut pieces = x.chunks(12_345).map(|piece| {
        let mut sum = Repro::new();
        sum.extend(piece);
        sum
    });
    let mut all = pieces.next().unwrap();
    pieces.for_each(|piece| all.merge(&piece));
    assert_eq!(all.sum().to_bits(), reduce::sum_repro(&x).to_bits());
    println!("{:12}{:26.17e}", "in pieces", all.sum());
}
