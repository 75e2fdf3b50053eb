//! Clifford layers: [`Mode::Exact`] and [`Mode::Fast`] with the choice, convolutions, grade-wise layers,
//! connected products and activations: `cargo bench --bench layers`.
//!
//! Prints the time of a forward pass in microseconds, the minimum of several, for as many input as output
//! channels, in f32.

use std::time::Instant;

use hotloops::clifford::{ConnectedProduct, Conv, Gate, GradeLinear, GradeMaps, Linear, Mode, Signature, Window};

const SIGNATURES: [&[i8]; 7] =
    [&[-1], &[1, 1], &[1, 1, 1], &[1, 1, -1], &[-1, -1, -1], &[0, 1, 1, 1], &[1, -1, -1, -1]];

fn main() {
    for squares in SIGNATURES {
        for (batch, channels) in [(256, 64), (256, 32), (256, 8), (32, 32), (32, 8), (1, 32), (1, 8)] {
            linear(squares, batch, channels);
        }
    }
    for squares in [&[1, 1][..], &[1, -1], &[1, 1, 1]] {
        for (channels, size) in [(8, 64), (32, 64), (8, 128), (32, 128)] {
            convolution(squares, channels, size);
        }
    }
    for squares in [&[1, 1, 1][..], &[0, 1, 1, 1]] {
        for (batch, channels) in [(256, 32), (32, 8)] {
            by_grades(squares, batch, channels);
        }
        activations(squares, 128, 16);
    }
}

fn numbers(len: usize, modulus: usize) -> Vec<f32> {
    (0..len).map(|i| (i % modulus) as f32 / 4.0 - 1.5).collect()
}

/// The minimum time of each call in microseconds; the calls alternate.
fn least<const N: usize>(mut calls: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut least = [f64::INFINITY; N];
    for _ in 0..30 {
        for (call, least) in calls.iter_mut().zip(&mut least) {
            let begin = Instant::now();
            (0..4).for_each(|_| call());
            *least = least.min(begin.elapsed().as_secs_f64() / 4.0 * 1e6);
        }
    }
    least
}

fn report(name: &str, [exact, fast]: [f64; 2], choice: Mode) {
    println!("{name}: exact {exact:.1}, fast {fast:.1} ({:.2} times as fast); {choice:?}", exact / fast);
}

fn linear(squares: &[i8], batch: usize, channels: usize) {
    let signature = Signature::new(squares).unwrap();
    let blades = signature.blades();
    let (w, x) = (numbers(blades * channels * channels, 17), numbers(batch * channels * blades, 13));
    let (mut y, mut z) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    let layers = [Mode::Exact, Mode::Fast].map(|mode| Linear::new(signature, channels, channels, mode).unwrap());
    let mut memories = layers.each_ref().map(|layer| vec![0.0; layer.packed_len().unwrap()]);
    let [exact, fast] = &mut memories;
    let weights = [layers[0].pack(&w, None, exact).unwrap(), layers[1].pack(&w, None, fast).unwrap()];
    let [mut first, mut second] = weights.each_ref().map(|weights| vec![0.0; weights.workspace_len(batch).unwrap()]);
    let times = least([&mut || weights[0].forward(batch, &x, &mut y, &mut first).unwrap(), &mut || {
        weights[1].forward(batch, &x, &mut z, &mut second).unwrap()
    }]);
    let choice = Linear::new(signature, channels, channels, Mode::Auto).unwrap().mode();
    report(&format!("{squares:?}, batch {batch}, {channels} channels"), times, choice);
}

/// 3 x 3 taps, padding 1, one image.
fn convolution(squares: &[i8], channels: usize, size: usize) {
    let signature = Signature::new(squares).unwrap();
    let blades = signature.blades();
    let (w, x) = (numbers(9 * blades * channels * channels, 17), numbers(size * size * channels * blades, 13));
    let (mut y, mut z, size) = (vec![0.0; x.len()], vec![0.0; x.len()], [size; 2]);
    let window = Window { padding: [1, 1], ..Window::new([3, 3]) };
    let layers = [Mode::Exact, Mode::Fast].map(|mode| Conv::new(signature, channels, channels, window, mode).unwrap());
    let mut memories = layers.each_ref().map(|layer| vec![0.0; layer.packed_len().unwrap()]);
    let [exact, fast] = &mut memories;
    let weights = [layers[0].pack(&w, None, exact).unwrap(), layers[1].pack(&w, None, fast).unwrap()];
    let [mut first, mut second] = weights.each_ref().map(|weights| vec![0.0; weights.workspace_len(1, size).unwrap()]);
    let times = least([&mut || weights[0].forward(1, size, &x, &mut y, &mut first).unwrap(), &mut || {
        weights[1].forward(1, size, &x, &mut z, &mut second).unwrap()
    }]);
    let choice = Conv::new(signature, channels, channels, window, Mode::Auto).unwrap().linear().mode();
    report(&format!("{squares:?}, image of {size:?}, {channels} channels"), times, choice);
}

fn by_grades(squares: &[i8], batch: usize, channels: usize) {
    let signature = Signature::new(squares).unwrap();
    let x = numbers(batch * channels * signature.blades(), 13);
    let (mut y, mut z) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    let layer = GradeLinear::new(signature, channels, channels, GradeMaps::WithNull).unwrap();
    let mut memory = vec![0.0; layer.packed_len().unwrap()];
    let weights = layer.pack(&numbers(channels * channels * layer.maps(), 17), None, &mut memory).unwrap();
    let mut workspace = vec![0.0; weights.workspace_len(batch).unwrap()];
    let product = ConnectedProduct::new(signature, channels, channels).unwrap();
    let n = product.packed_len().unwrap();
    let mut memory = vec![0.0; n];
    let connected = product.pack(&numbers(n, 17), &mut memory).unwrap();
    let mut room = vec![0.0; connected.workspace_len(batch).unwrap()];
    let [layer, product] = least([&mut || weights.forward(batch, &x, &mut y, &mut workspace).unwrap(), &mut || {
        connected.forward(batch, &x, &x, &mut z, &mut room).unwrap()
    }]);
    println!("{squares:?}, batch {batch}, {channels} channels: by grades {layer:.1}, connected product {product:.1}");
}

fn activations(squares: &[i8], batch: usize, channels: usize) {
    let signature = Signature::new(squares).unwrap();
    let (x, parameters) = (numbers(batch * channels * signature.blades(), 13), numbers(channels * 16, 7));
    let grades = squares.len() + 1;
    let (weights, bias) = (&parameters[..], &parameters[..channels * grades]);
    let gates = [
        ("linear", Gate::Linear { weights: &weights[..channels * signature.blades()], bias: &bias[..channels] }),
        ("sum", Gate::Sum),
        ("GELU", Gate::Gelu),
        ("MVSiLU", Gate::Silu { weights: &weights[..channels * grades], bias }),
    ];
    for (name, gate) in gates {
        let mut z = vec![0.0; x.len()];
        let [time] = least([&mut || gate.apply(signature, &x, &mut z).unwrap()]);
        println!("{squares:?}, {} multivectors: {name} {time:.1}", batch * channels);
    }
}
