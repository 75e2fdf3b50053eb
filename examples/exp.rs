//! A softmax of a million logits with each exponential, and its error against double precision.
//!
//! `cargo run --release --example exp`

use hotloops::exp;

fn main() {
    let logits: Vec<f32> = (0..1_000_000u32).map(|i| -(i.wrapping_mul(2_654_435_761) as f32) / 3e8).collect();
    let exact: Vec<f64> = logits.iter().map(|&x| f64::from(x).exp()).collect();
    let exact_sum: f64 = exact.iter().sum();

    for (name, in_place) in [
        ("fast", exp::fast_in_place as fn(&mut [f32])),
        ("accurate", exp::accurate_in_place),
        ("poly", exp::poly_in_place),
    ] {
        let mut weights = logits.clone();
        in_place(&mut weights);
        let sum: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
        let error = |(&weight, &exact): (&f32, &f64)| (f64::from(weight) / sum / (exact / exact_sum) - 1.0).abs();
        let worst = weights.iter().zip(&exact).map(error).fold(0.0, f64::max);
        println!("{name:8} relative error of the probabilities at most {worst:.1e}");
    }
}
