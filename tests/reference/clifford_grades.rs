//! Grade-wise linear layers and connected products against their definitions, in exact integers.

mod arguments;
mod connected;
mod layers;

use hotloops::Error;
use hotloops::clifford::{ConnectedProduct, Element, GradeLinear, GradeMaps, Signature, blades_first, blades_last};

const SIGNATURES: [&[i8]; 11] = [
    &[],
    &[-1],
    &[0],
    &[1, 1],
    &[1, 0],
    &[0, 0],
    &[1, -1, 1],
    &[1, 0, -1],
    &[0, 1, 1, 1],
    &[1, 1, 1, 0],
    &[0, -1, 0, 1],
];

fn integers(len: usize, by: usize, modulus: usize) -> Vec<f64> {
    (0..len).map(|i| (i * by % modulus) as f64 - (modulus / 2) as f64).collect()
}

fn narrow<T: Element>(values: &[f64]) -> Vec<T> {
    values.iter().map(|&value| T::from_f64(value)).collect()
}

fn wide<T: Element>(values: Vec<T>) -> Vec<f64> {
    values.into_iter().map(T::to_f64).collect()
}

fn numbers(len: usize, by: f64) -> Vec<f64> {
    (0..len).map(|i| (i as f64 * by).sin()).collect()
}

#[test]
fn parts_of_the_batch_have_the_bits_of_the_whole() {
    let signature = Signature::new(&[0, 1, 1, 1]).unwrap();
    let (batch, inputs, outputs, part) = (1100, 3, 2, 100);
    let (x, y) = (numbers(batch * inputs * 16, 0.7), numbers(batch * inputs * 16, 0.4));
    let layer = GradeLinear::new(signature, inputs, outputs, GradeMaps::WithNull).unwrap();
    let mut memory = vec![0.0; layer.packed_len().unwrap()];
    let weights = layer.pack(&numbers(inputs * outputs * 9, 1.1), None, &mut memory).unwrap();
    // A product of fewer rows may need more.
    let most = |lengths: [Result<usize, Error>; 2]| lengths.map(Result::unwrap).into_iter().max().unwrap();
    let mut workspace = vec![0.0; most([batch, part].map(|rows| weights.workspace_len(rows)))];
    let (mut whole, mut parts) = (vec![0.0; batch * outputs * 16], vec![0.0; batch * outputs * 16]);
    weights.forward(batch, &x, &mut whole, &mut workspace).unwrap();
    for (x, z) in x.chunks(part * inputs * 16).zip(parts.chunks_mut(part * outputs * 16)) {
        weights.forward(part, x, z, &mut workspace).unwrap();
    }
    assert_eq!(whole, parts);

    let product = ConnectedProduct::new(signature, inputs, outputs).unwrap();
    let mut memory = vec![0.0; product.packed_len().unwrap()];
    let weights = product.pack(&numbers(memory.len(), 1.1), &mut memory).unwrap();
    let mut workspace = vec![0.0; most([batch, part].map(|rows| weights.workspace_len(rows)))];
    weights.forward(batch, &x, &y, &mut whole, &mut workspace).unwrap();
    let rows = part * inputs * 16;
    for ((x, y), z) in x.chunks(rows).zip(y.chunks(rows)).zip(parts.chunks_mut(part * outputs * 16)) {
        weights.forward(part, x, y, z, &mut workspace).unwrap();
    }
    assert_eq!(whole, parts);
}

#[test]
fn blades_move_to_the_front_and_back() {
    for squares in SIGNATURES {
        let signature = Signature::new(squares).unwrap();
        for n in [0, 1, 7, 64] {
            let x = numbers(n * signature.blades(), 0.7);
            let (mut y, mut again) = (vec![f64::NAN; x.len()], vec![f64::NAN; x.len()]);
            blades_first(signature, &x, &mut y).unwrap();
            for (at, y) in y.iter().enumerate() {
                assert_eq!(*y, x[at % n * signature.blades() + at / n]);
            }
            blades_last(signature, &y, &mut again).unwrap();
            assert_eq!(again, x);
        }
    }
    let (line, length) =
        (Signature::new(&[1]).unwrap(), |argument, expected, found| Err(Error::Length { argument, expected, found }));
    let mut y = [7.0f32; 4];
    assert_eq!(blades_first(line, &[1.0; 3], &mut y), length("x", 2, 3));
    assert_eq!(blades_last(line, &[1.0; 6], &mut y), length("y", 6, 4));
    assert_eq!(y, [7.0; 4]);
}
