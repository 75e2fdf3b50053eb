//! The results of consumer.c for Clifford layers, computed by the crate.

use hotloops::clifford::{ConnectedProduct, Conv, Element, Gate, GradeLinear, GradeMaps, Linear, Mode};
use hotloops::clifford::{Signature, Window, paths};

use crate::digest::all;

fn numbers<T: Element>(array: usize, len: usize) -> Vec<T> {
    (0..len).map(|i| T::from_f64((i * (array + 5) % 11) as f64 / 4.0 - 1.25)).collect()
}

/// The digests of a layer's y, gx, gw and gbias. The arrays are x, y, weights, bias, gy, gx, gw, gbias.
/// `$call` are the first arguments of each call: the batch, and the size of a convolution.
macro_rules! layer {
    ($name:literal, $bytes:ident, $layer:ident, [$x:expr, $y:expr, $w:expr, $bias:expr], ($($call:expr),+),
     $gradients:expr) => {{
        let counts = [$x, $y, $w, $bias, $y, $x, $w, $bias];
        let arrays: [Vec<T>; 8] = std::array::from_fn(|array| numbers(array, counts[array]));
        let [x, mut y, w, bias, gy, mut gx, mut gw, mut gbias] = arrays;
        let mut memory = vec![T::ZERO; $layer.packed_len().unwrap()];
        let weights = $layer.pack(&w, Some(&bias), &mut memory).unwrap();
        let mut workspace = vec![T::ZERO; weights.workspace_len($($call),+).unwrap()];
        weights.forward($($call,)+ &x, &mut y, &mut workspace).unwrap();
        let weights = $layer.pack_backward(&w, &mut memory).unwrap();
        let mut workspace = vec![T::ZERO; weights.workspace_len($($call),+).unwrap()];
        weights.backward($($call,)+ &gy, &mut gx, &mut workspace).unwrap();
        let mut workspace = vec![T::ZERO; $layer.backward_weights_len::<T>($($call),+).unwrap()];
        $gradients(&$layer, (&x, &gy), (&mut gw, &mut gbias), &mut workspace);
        [y, gx, gw, gbias].map(|values| all($name, &values, $bytes))
    }};
}

/// Data, gradients and workspace of a call.
type Data<'a, T> = (&'a [T], &'a [T]);
type Gradients<'a, T> = (&'a mut [T], &'a mut [T]);

pub fn layer_results<T: Element, const SIZE: usize>(bytes: fn(T) -> [u8; SIZE]) -> Vec<String> {
    let plane = Signature::new(&[1, -1]).unwrap();
    let projective = Signature::new(&[0, 1, 1]).unwrap();
    let mut lines = Vec::new();
    for mode in [Mode::Exact, Mode::Fast, Mode::Auto] {
        let linear = Linear::new(plane, 3, 5, mode).unwrap();
        let gradients = |layer: &Linear, (x, gy): Data<T>, (gw, gbias): Gradients<T>, space: &mut [T]| {
            layer.backward_weights(7, x, gy, gw, Some(gbias), space).unwrap();
        };
        lines.extend(layer!("clifford_linear", bytes, linear, [84, 140, 60, 20], (7), gradients));
        let window = Window { kernel: [3, 2], stride: [1, 2], padding: [1, 0], dilation: [1, 2] };
        let conv = Conv::new(plane, 2, 3, window, mode).unwrap();
        let gradients = |conv: &Conv<2>, data: Data<T>, (gw, gbias): Gradients<T>, space: &mut [T]| {
            conv.backward_weights(2, [5, 6], data, (gw, Some(gbias)), space).unwrap();
        };
        lines.extend(layer!("clifford_conv", bytes, conv, [480, 240, 144, 12], (2, [5, 6]), gradients));
    }
    let grades = GradeLinear::new(projective, 3, 5, GradeMaps::WithNull).unwrap();
    let gradients = |layer: &GradeLinear, (x, gy): Data<T>, (gw, gbias): Gradients<T>, space: &mut [T]| {
        layer.backward_weights(7, x, gy, gw, Some(gbias), space).unwrap();
    };
    let [x, y, w, bias] = [7 * 3 * 8, 7 * 5 * 8, 3 * 5 * grades.maps(), 5];
    lines.extend(layer!("clifford_grades", bytes, grades, [x, y, w, bias], (7), gradients));
    lines.extend(connected_results(projective, bytes));
    lines.extend(act_results(plane, bytes));
    lines
}

fn connected_results<T: Element, const SIZE: usize>(signature: Signature, bytes: fn(T) -> [u8; SIZE]) -> [String; 4] {
    let product = ConnectedProduct::new(signature, 3, 2).unwrap();
    let paths = paths(signature).count();
    let counts = [168, 168, 112, 6 * paths, 112, 168, 168, 6 * paths];
    let arrays: [Vec<T>; 8] = std::array::from_fn(|array| numbers(array, counts[array]));
    let [x, y, mut z, w, gz, mut gx, mut gy, mut gw] = arrays;
    let mut memory = vec![T::ZERO; product.packed_len().unwrap()];
    let weights = product.pack(&w, &mut memory).unwrap();
    let mut workspace = vec![T::ZERO; weights.workspace_len(7).unwrap()];
    weights.forward(7, &x, &y, &mut z, &mut workspace).unwrap();
    let weights = product.pack_backward(&w, &mut memory).unwrap();
    let mut workspace = vec![T::ZERO; weights.workspace_len(7).unwrap()];
    weights.backward(7, (&x, &y), &gz, (&mut gx, &mut gy), &mut workspace).unwrap();
    let mut workspace = vec![T::ZERO; product.backward_weights_len::<T>(7).unwrap()];
    product.backward_weights(7, (&x, &y), &gz, &mut gw, &mut workspace).unwrap();
    [z, gx, gy, gw].map(|values| all("clifford_connected", &values, bytes))
}

fn act_results<T: Element, const SIZE: usize>(plane: Signature, bytes: fn(T) -> [u8; SIZE]) -> Vec<String> {
    let x: [T; 24] = std::array::from_fn(|i| T::from_f64((i % 7) as f64 / 2.0 - 1.5));
    let weights: [T; 8] = std::array::from_fn(|i| T::from_f64((i % 5) as f64 / 4.0 - 0.5));
    let bias: [T; 6] = std::array::from_fn(|i| T::from_f64(i as f64 / 8.0 - 0.25));
    let gates = [
        (Gate::Linear { weights: &weights, bias: &bias[..2] }, [8, 2]),
        (Gate::Sum, [0, 0]),
        (Gate::Mean, [0, 0]),
        (Gate::Gelu, [0, 0]),
        (Gate::Silu { weights: &weights[..6], bias: &bias }, [6, 6]),
    ];
    let mut lines = Vec::new();
    for (gate, [n_weights, n_bias]) in gates {
        let (mut z, mut gx) = ([T::ZERO; 24], [T::ZERO; 24]);
        let (mut gw, mut gbias) = ([T::ONE; 8], [T::from_f64(2.0); 6]);
        gate.apply(plane, &x, &mut z).unwrap();
        gate.backward(plane, (&x, &z), &mut gx, (&mut gw[..n_weights], &mut gbias[..n_bias])).unwrap();
        let arrays: [&[T]; 4] = [&z, &gx, &gw, &gbias];
        lines.extend(arrays.map(|values| all("clifford_act", values, bytes)));
    }
    lines
}
