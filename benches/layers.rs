//! Clifford layers, [`Mode::Exact`] and [`Mode::Fast`], and the choice: `cargo bench --bench layers`.
//!
//! Prints the time of a forward pass in microseconds, the least of several, for as many input as output
//! channels, in f32.

use std::time::Instant;

use hotloops::clifford::{Linear, Mode, Signature};

const SIGNATURES: [&[i8]; 7] =
    [&[-1], &[1, 1], &[1, 1, 1], &[1, 1, -1], &[-1, -1, -1], &[0, 1, 1, 1], &[1, -1, -1, -1]];

fn main() {
    for squares in SIGNATURES {
        for (batch, channels) in [(256, 64), (256, 32), (32, 32), (32, 8), (1, 32)] {
            measure(squares, batch, channels);
        }
    }
}

fn measure(squares: &[i8], batch: usize, channels: usize) {
    let signature = Signature::new(squares).unwrap();
    let blades = signature.blades();
    let numbers = |len: usize, modulus: usize| (0..len).map(|i| (i % modulus) as f32 - 6.0).collect::<Vec<_>>();
    let (w, x) = (numbers(blades * channels * channels, 17), numbers(batch * channels * blades, 13));
    let mut y = vec![0.0f32; x.len()];
    let layers = [Mode::Exact, Mode::Fast].map(|mode| Linear::new(signature, channels, channels, mode).unwrap());
    let mut memories = layers.each_ref().map(|layer| vec![0.0; layer.packed_len().unwrap()]);
    let [exact, fast] = &mut memories;
    let weights = [layers[0].pack(&w, None, exact).unwrap(), layers[1].pack(&w, None, fast).unwrap()];
    let mut workspaces = weights.each_ref().map(|weights| vec![0.0; weights.workspace_len(batch).unwrap()]);
    let mut least = [f64::INFINITY; 2];
    for _ in 0..30 {
        for ((weights, workspace), least) in weights.iter().zip(&mut workspaces).zip(&mut least) {
            let begin = Instant::now();
            (0..4).for_each(|_| weights.forward(batch, &x, &mut y, workspace).unwrap());
            *least = least.min(begin.elapsed().as_secs_f64() / 4.0 * 1e6);
        }
    }
    let choice = Linear::new(signature, channels, channels, Mode::Auto).unwrap().mode();
    println!(
        "{squares:?}, batch {batch}, {channels} channels: exact {:.1}, fast {:.1} ({:.2} times as fast); {choice:?}",
        least[0],
        least[1],
        least[0] / least[1]
    );
}
