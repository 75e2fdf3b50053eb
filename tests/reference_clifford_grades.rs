//! Grade-wise linear layers and connected products against their definitions, in exact integers.

use hotloops::Error;
use hotloops::clifford::{ConnectedProduct, Element, GradeLinear, GradeMaps, Linear, Mode, Signature};
use hotloops::clifford::{blades_first, blades_last, paths, sandwich, weighted_product};

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

/// Batch, inputs, outputs: also more rows than a block has.
const SHAPES: [[usize; 3]; 4] = [[1, 1, 1], [3, 5, 4], [70, 24, 17], [1030, 3, 2]];

fn integers(len: usize, by: usize, modulus: usize) -> Vec<f64> {
    (0..len).map(|i| (i * by % modulus) as f64 - (modulus / 2) as f64).collect()
}

fn narrow<T: Element>(values: &[f64]) -> Vec<T> {
    values.iter().map(|&value| T::from_f64(value)).collect()
}

fn wide<T: Element>(values: Vec<T>) -> Vec<f64> {
    values.into_iter().map(T::to_f64).collect()
}

/// The matrix of a map of the definition: entry (j, p) is the part of blade j in the image of blade p.
fn map(signature: Signature, number: usize) -> Vec<Vec<f64>> {
    let (blades, grades) = (signature.blades(), signature.squares().len() + 1);
    let squares = signature.squares().iter().enumerate();
    let null = squares.filter(|(_, square)| **square == 0).map(|(i, _)| 1 << i).sum();
    let mut matrix = vec![vec![0.0; blades]; blades];
    for p in (0..blades).filter(|&p| signature.grade(p) == number % grades) {
        let (j, sign) = if number < grades { (p, 1) } else { signature.product(signature.index(null), p) };
        matrix[j][p] = f64::from(sign);
    }
    matrix
}

struct Grades {
    layer: GradeLinear,
    batch: usize,
    channels: [usize; 2],
    x: Vec<f64>,
    w: Vec<f64>,
    bias: Vec<f64>,
    gy: Vec<f64>,
}

impl Grades {
    fn new(squares: &[i8], [batch, inputs, outputs]: [usize; 3], maps: GradeMaps) -> Self {
        let signature = Signature::new(squares).unwrap();
        let layer = GradeLinear::new(signature, inputs, outputs, maps).unwrap();
        let blades = signature.blades();
        Grades {
            batch,
            channels: [inputs, outputs],
            x: integers(batch * inputs * blades, 7, 11),
            w: integers(inputs * outputs * layer.maps(), 5, 7),
            bias: integers(outputs, 3, 5),
            gy: integers(batch * outputs * blades, 4, 9),
            layer,
        }
    }

    fn forward<T: Element>(&self, x: &[f64], w: &[f64]) -> Vec<f64> {
        let mut memory = vec![T::NAN; self.layer.packed_len().unwrap()];
        let weights = self.layer.pack(&narrow(w), Some(&narrow(&self.bias)), &mut memory).unwrap();
        let mut workspace = vec![T::NAN; weights.workspace_len(self.batch).unwrap()];
        let mut y = vec![T::NAN; self.gy.len()];
        weights.forward(self.batch, &narrow(x), &mut y, &mut workspace).unwrap();
        wide(y)
    }

    fn gradients<T: Element>(&self) -> [Vec<f64>; 3] {
        let mut memory = vec![T::NAN; self.layer.packed_len().unwrap()];
        let weights = self.layer.pack_backward(&narrow(&self.w), &mut memory).unwrap();
        let mut workspace = vec![T::NAN; weights.workspace_len(self.batch).unwrap()];
        let (x, gy) = (narrow::<T>(&self.x), narrow(&self.gy));
        let mut gx = vec![T::NAN; x.len()];
        weights.backward(self.batch, &gy, &mut gx, &mut workspace).unwrap();
        let mut workspace = vec![T::NAN; self.layer.backward_weights_len::<T>(self.batch).unwrap()];
        // Gradients are added to what is there.
        let (mut gw, mut gbias) = (vec![T::ONE; self.w.len()], vec![T::ONE; self.bias.len()]);
        self.layer.backward_weights(self.batch, &x, &gy, &mut gw, Some(&mut gbias), &mut workspace).unwrap();
        [gx, gw, gbias].map(wide)
    }

    /// y, gx, gw and gbias by the definition.
    fn by_definition(&self) -> [Vec<f64>; 4] {
        let [inputs, outputs] = self.channels;
        let (blades, maps) = (self.layer.signature().blades(), self.layer.maps());
        let matrices: Vec<_> = (0..maps).map(|number| map(self.layer.signature(), number)).collect();
        let (mut y, mut gx) = (vec![0.0; self.gy.len()], vec![0.0; self.x.len()]);
        let (mut gw, mut gbias) = (vec![1.0; self.w.len()], vec![1.0; outputs]);
        for (b, o) in (0..self.batch * outputs).map(|at| (at / outputs, at % outputs)) {
            let out = (b * outputs + o) * blades;
            y[out] += self.bias[o];
            gbias[o] += self.gy[out];
            for i in 0..inputs {
                let into = (b * inputs + i) * blades;
                for (number, matrix) in matrices.iter().enumerate() {
                    let w = (o * inputs + i) * maps + number;
                    for (j, row) in matrix.iter().enumerate() {
                        for (p, entry) in row.iter().enumerate().filter(|(_, entry)| **entry != 0.0) {
                            y[out + j] += entry * self.w[w] * self.x[into + p];
                            gx[into + p] += entry * self.w[w] * self.gy[out + j];
                            gw[w] += entry * self.x[into + p] * self.gy[out + j];
                        }
                    }
                }
            }
        }
        [y, gx, gw, gbias]
    }
}

#[test]
fn layers_are_their_definition() {
    for squares in SIGNATURES {
        for shape in SHAPES {
            for maps in [GradeMaps::Grades, GradeMaps::WithNull] {
                let problem = Grades::new(squares, shape, maps);
                let expected = problem.by_definition();
                let name = format!("{squares:?} {shape:?} {maps:?}");
                assert_eq!(problem.forward::<f64>(&problem.x, &problem.w), expected[0], "y: {name}");
                assert_eq!(problem.forward::<f32>(&problem.x, &problem.w), expected[0], "y: {name}");
                assert_eq!(problem.gradients::<f64>(), expected[1..], "gradients: {name}");
                assert_eq!(problem.gradients::<f32>(), expected[1..], "gradients: {name}");
            }
        }
    }
}

#[test]
fn gradients_of_layers_are_differences() {
    let problem = Grades::new(&[0, 1, 1, 1], [3, 2, 3], GradeMaps::WithNull);
    assert_eq!(problem.layer.maps(), 9);
    let loss = |x: &[f64], w: &[f64]| -> f64 {
        problem.forward::<f64>(x, w).iter().zip(&problem.gy).map(|(y, gy)| y * gy).sum()
    };
    let (begin, [gx, gw, _]) = (loss(&problem.x, &problem.w), problem.gradients::<f64>());
    for (at, gradient) in gx.iter().enumerate() {
        let mut x = problem.x.clone();
        x[at] += 1.0;
        assert_eq!(loss(&x, &problem.w) - begin, *gradient);
    }
    for (at, gradient) in gw.iter().enumerate() {
        let mut w = problem.w.clone();
        w[at] += 1.0;
        assert_eq!(loss(&problem.x, &w) - begin, gradient - 1.0);
    }
}

fn numbers(len: usize, by: f64) -> Vec<f64> {
    (0..len).map(|i| (i as f64 * by).sin()).collect()
}

/// One weight for all grades is a scalar weight of a dense layer, with the same bits.
#[test]
fn equal_weights_are_those_of_a_linear_layer() {
    for squares in SIGNATURES {
        let signature = Signature::new(squares).unwrap();
        let (batch, inputs, outputs, blades) = (37, 6, 5, signature.blades());
        let (x, w) = (numbers(batch * inputs * blades, 0.7), numbers(outputs * inputs, 1.1));
        let bias = numbers(outputs, 1.3);
        let grades = signature.squares().len() + 1;
        let layer = GradeLinear::new(signature, inputs, outputs, GradeMaps::Grades).unwrap();
        let mut memory = vec![0.0; layer.packed_len().unwrap()];
        let repeated: Vec<_> = w.iter().flat_map(|&w| vec![w; grades]).collect();
        let weights = layer.pack(&repeated, Some(&bias), &mut memory).unwrap();
        let mut workspace = vec![0.0; weights.workspace_len(batch).unwrap()];
        let (mut y, mut expected) = (vec![0.0; batch * outputs * blades], vec![0.0; batch * outputs * blades]);
        weights.forward(batch, &x, &mut y, &mut workspace).unwrap();

        let dense = Linear::new(signature, inputs, outputs, Mode::Exact).unwrap();
        let mut memory = vec![0.0; dense.packed_len().unwrap()];
        let of_scalar = |values: &[f64]| [values, &vec![0.0; values.len() * (blades - 1)]].concat();
        let weights = dense.pack(&of_scalar(&w), Some(&of_scalar(&bias)), &mut memory).unwrap();
        let mut workspace = vec![0.0; weights.workspace_len(batch).unwrap()];
        weights.forward(batch, &x, &mut expected, &mut workspace).unwrap();
        assert_eq!(y, expected, "{squares:?}");
    }
}

/// f(r x ~r) = r f(x) ~r for motions r of projective geometry.
#[test]
fn layers_commute_with_motions() {
    let projective = Signature::new(&[0, 1, 1, 1]).unwrap();
    let layer = GradeLinear::new(projective, 1, 1, GradeMaps::WithNull).unwrap();
    let mut memory = vec![0.0; layer.packed_len().unwrap()];
    let weights = layer.pack(&numbers(9, 0.9), None, &mut memory).unwrap();
    let mut workspace = vec![0.0; weights.workspace_len(1).unwrap()];
    let is_even = |blade: usize| projective.grade(blade).is_multiple_of(2);
    let r: Vec<f64> = numbers(16, 1.9).into_iter().enumerate().map(|(p, r)| if is_even(p) { r } else { 0.0 }).collect();
    let x = numbers(16, 0.3);
    let mut layer_of = |x: &[f64]| {
        let mut y = vec![0.0; 16];
        weights.forward(1, x, &mut y, &mut workspace).unwrap();
        y
    };
    let moved = |x: &[f64]| {
        let mut z = vec![0.0; 16];
        sandwich(projective, &r, x, &mut z).unwrap();
        z
    };
    let (left, right) = (layer_of(&moved(&x)), moved(&layer_of(&x)));
    assert!(left.iter().zip(&right).all(|(a, b)| (a - b).abs() < 1e-12), "{left:?} {right:?}");
    assert!(left.iter().any(|value| value.abs() > 0.1));
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

struct Connected {
    product: ConnectedProduct,
    batch: usize,
    channels: [usize; 2],
    x: Vec<f64>,
    y: Vec<f64>,
    w: Vec<f64>,
    gz: Vec<f64>,
}

impl Connected {
    fn new(squares: &[i8], [batch, inputs, outputs]: [usize; 3]) -> Self {
        let signature = Signature::new(squares).unwrap();
        let blades = signature.blades();
        Connected {
            product: ConnectedProduct::new(signature, inputs, outputs).unwrap(),
            batch,
            channels: [inputs, outputs],
            x: integers(batch * inputs * blades, 7, 11),
            y: integers(batch * inputs * blades, 8, 13),
            w: integers(inputs * outputs * paths(signature).count(), 5, 7),
            gz: integers(batch * outputs * blades, 4, 9),
        }
    }

    fn forward<T: Element>(&self, x: &[f64], y: &[f64], w: &[f64]) -> Vec<f64> {
        let mut memory = vec![T::NAN; self.product.packed_len().unwrap()];
        let weights = self.product.pack(&narrow(w), &mut memory).unwrap();
        let mut workspace = vec![T::NAN; weights.workspace_len(self.batch).unwrap()];
        let mut z = vec![T::NAN; self.gz.len()];
        weights.forward(self.batch, &narrow(x), &narrow(y), &mut z, &mut workspace).unwrap();
        wide(z)
    }

    fn gradients<T: Element>(&self) -> [Vec<f64>; 3] {
        let (x, y, gz) = (narrow::<T>(&self.x), narrow::<T>(&self.y), narrow::<T>(&self.gz));
        let mut memory = vec![T::NAN; self.product.packed_len().unwrap()];
        let weights = self.product.pack_backward(&narrow(&self.w), &mut memory).unwrap();
        let mut workspace = vec![T::NAN; weights.workspace_len(self.batch).unwrap()];
        let (mut gx, mut gy) = (vec![T::NAN; x.len()], vec![T::NAN; y.len()]);
        weights.backward(self.batch, (&x, &y), &gz, (&mut gx, &mut gy), &mut workspace).unwrap();
        let mut workspace = vec![T::NAN; self.product.backward_weights_len::<T>(self.batch).unwrap()];
        let mut gw = vec![T::ONE; self.w.len()];
        self.product.backward_weights(self.batch, (&x, &y), &gz, &mut gw, &mut workspace).unwrap();
        [gx, gy, gw].map(wide)
    }

    /// z, gx, gy and gw by the definition.
    fn by_definition(&self) -> [Vec<f64>; 4] {
        let (signature, [inputs, outputs]) = (self.product.signature(), self.channels);
        let (blades, all) = (signature.blades(), paths(signature).collect::<Vec<_>>());
        let (mut z, mut gx, mut gy) = (vec![0.0; self.gz.len()], vec![0.0; self.x.len()], vec![0.0; self.y.len()]);
        let mut gw = vec![1.0; self.w.len()];
        for (p, q) in (0..blades * blades).map(|pair| (pair / blades, pair % blades)) {
            let (j, sign) = signature.product(p, q);
            if sign == 0 {
                continue;
            }
            let grades = [p, j, q].map(|blade| signature.grade(blade));
            let path = all.iter().position(|path| *path == grades).unwrap();
            for (b, i, o) in (0..self.batch * inputs * outputs)
                .map(|at| (at / outputs / inputs, at / outputs % inputs, at % outputs))
            {
                let (row, w) = ((b * inputs + i) * blades, (o * inputs + i) * all.len() + path);
                let (at, sign) = ((b * outputs + o) * blades + j, f64::from(sign));
                z[at] += sign * self.w[w] * self.x[row + p] * self.y[row + q];
                gx[row + p] += sign * self.w[w] * self.gz[at] * self.y[row + q];
                gy[row + q] += sign * self.w[w] * self.x[row + p] * self.gz[at];
                gw[w] += sign * self.gz[at] * self.x[row + p] * self.y[row + q];
            }
        }
        [z, gx, gy, gw]
    }
}

#[test]
fn connected_products_are_their_definition() {
    for squares in SIGNATURES {
        for shape in [[1, 1, 1], [3, 5, 4], [70, 8, 3], [1100, 1, 2]] {
            let problem = Connected::new(squares, shape);
            let expected = problem.by_definition();
            let name = format!("{squares:?} {shape:?}");
            assert_eq!(problem.forward::<f64>(&problem.x, &problem.y, &problem.w), expected[0], "z: {name}");
            assert_eq!(problem.gradients::<f64>(), expected[1..], "gradients: {name}");
            if shape[0] < 1000 {
                assert_eq!(problem.forward::<f32>(&problem.x, &problem.y, &problem.w), expected[0], "z: {name}");
                assert_eq!(problem.gradients::<f32>(), expected[1..], "gradients: {name}");
            }
        }
    }
}

/// The loss is linear in each argument.
#[test]
fn gradients_of_connected_products_are_differences() {
    let problem = Connected::new(&[0, 1, 1], [2, 2, 3]);
    let loss = |[x, y, w]: [&[f64]; 3]| -> f64 {
        problem.forward::<f64>(x, y, w).iter().zip(&problem.gz).map(|(z, gz)| z * gz).sum()
    };
    let arguments = [&problem.x[..], &problem.y, &problem.w];
    let (begin, gradients) = (loss(arguments), problem.gradients::<f64>());
    for which in 0..3 {
        for (at, gradient) in gradients[which].iter().enumerate() {
            let mut moved = arguments[which].to_vec();
            moved[at] += 1.0;
            let mut all = arguments;
            all[which] = &moved;
            let added = if which == 2 { 1.0 } else { 0.0 };
            assert_eq!(loss(all) - begin, gradient - added);
        }
    }
}

/// With one channel, it is the weighted product.
#[test]
fn one_channel_is_a_weighted_product() {
    for squares in SIGNATURES {
        let problem = Connected::new(squares, [9, 1, 1]);
        let mut z = vec![0.0; problem.gz.len()];
        weighted_product(problem.product.signature(), &problem.w, &problem.x, &problem.y, &mut z).unwrap();
        assert_eq!(problem.forward::<f64>(&problem.x, &problem.y, &problem.w), z, "{squares:?}");
    }
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

#[test]
fn bad_arguments_are_refused() {
    let plane = Signature::new(&[1, 0]).unwrap();
    let length = |argument, expected, found| Err(Error::Length { argument, expected, found });
    let new = |inputs, outputs| GradeLinear::new(plane, inputs, outputs, GradeMaps::WithNull).map(|_| ());
    assert_eq!(new(0, 1), Err(Error::Channels { argument: "inputs" }));
    assert_eq!(new(1, 0), Err(Error::Channels { argument: "outputs" }));
    assert_eq!(new(usize::MAX, 2), Err(Error::TooLarge { argument: "weights" }));

    // 3 grades and e2 times 2 of them.
    let layer = GradeLinear::new(plane, 3, 2, GradeMaps::WithNull).unwrap();
    let needed = layer.packed_len().unwrap();
    let (w, mut memory) = ([1.0f32; 30], vec![7.0; needed]);
    assert_eq!(layer.pack(&w[1..], None, &mut memory).map(|_| ()), length("weights", 30, 29));
    assert_eq!(layer.pack(&w, Some(&w[..3]), &mut memory).map(|_| ()), length("bias", 2, 3));
    assert_eq!(layer.pack(&w, None, &mut memory[1..]).map(|_| ()), length("memory", needed, needed - 1));
    assert!(memory.iter().all(|&number| number == 7.0));
    let weights = layer.pack(&w, None, &mut memory).unwrap();
    let needed = weights.workspace_len(2).unwrap();
    let (x, mut y, mut workspace) = ([1.0; 24], [7.0; 16], vec![0.0; needed]);
    assert_eq!(weights.forward(2, &x[1..], &mut y, &mut workspace), length("x", 24, 23));
    assert_eq!(weights.forward(2, &x, &mut y[1..], &mut workspace), length("y", 16, 15));
    assert_eq!(weights.forward(2, &x, &mut y, &mut workspace[1..]), length("workspace", needed, needed - 1));
    let backward = weights.backward(2, &x[..16], &mut [0.0; 24], &mut workspace);
    assert_eq!(backward, Err(Error::Option { argument: "weights", value: 0 }));
    assert_eq!(weights.workspace_len(usize::MAX), Err(Error::TooLarge { argument: "batch" }));
    assert_eq!(y, [7.0; 16]);
    let needed = layer.backward_weights_len::<f32>(2).unwrap();
    let (gy, mut gw, mut gbias, mut workspace) = ([1.0; 16], [7.0; 30], [7.0; 2], vec![0.0; needed]);
    let mut backward = |x: &[f32], gy: &[f32], gw_len: usize, gbias_len: usize, length: usize| {
        let (gw, gbias) = (&mut gw[..gw_len], Some(&mut gbias[..gbias_len]));
        layer.backward_weights(2, x, gy, gw, gbias, &mut workspace[..length])
    };
    assert_eq!(backward(&x[1..], &gy, 30, 2, needed), length("x", 24, 23));
    assert_eq!(backward(&x, &gy[1..], 30, 2, needed), length("gy", 16, 15));
    assert_eq!(backward(&x, &gy, 29, 2, needed), length("gw", 30, 29));
    assert_eq!(backward(&x, &gy, 30, 1, needed), length("gbias", 2, 1));
    assert_eq!(backward(&x, &gy, 30, 2, needed - 1), length("workspace", needed, needed - 1));
    assert_eq!((gw, gbias), ([7.0; 30], [7.0; 2]));
    // An empty batch.
    assert_eq!((weights.workspace_len(0), layer.backward_weights_len::<f32>(0)), (Ok(0), Ok(0)));
    weights.forward(0, &[], &mut [], &mut []).unwrap();
    layer.backward_weights(0, &[], &[], &mut gw, Some(&mut gbias), &mut []).unwrap();
    assert_eq!((gw, gbias), ([7.0; 30], [7.0; 2]));
}

#[test]
fn bad_arguments_of_products_are_refused() {
    let line = Signature::new(&[1]).unwrap();
    let length = |argument, expected, found| Err(Error::Length { argument, expected, found });
    let new = |inputs, outputs| ConnectedProduct::new(line, inputs, outputs).map(|_| ());
    assert_eq!(new(0, 1), Err(Error::Channels { argument: "inputs" }));
    assert_eq!(new(1, 0), Err(Error::Channels { argument: "outputs" }));
    assert_eq!(new(usize::MAX, 2), Err(Error::TooLarge { argument: "weights" }));

    let product = ConnectedProduct::new(line, 3, 2).unwrap();
    let (w, mut memory, mut other) = ([1.0f32; 24], [7.0; 24], [7.0; 24]);
    assert_eq!(product.pack(&w[1..], &mut memory).map(|_| ()), length("weights", 24, 23));
    assert_eq!(product.pack(&w, &mut memory[1..]).map(|_| ()), length("memory", 24, 23));
    assert_eq!(memory, [7.0; 24]);
    let weights = product.pack(&w, &mut memory).unwrap();
    let needed = weights.workspace_len(2).unwrap();
    let (x, mut z, mut workspace) = ([1.0; 12], [7.0; 8], vec![0.0; needed]);
    assert_eq!(weights.forward(2, &x[1..], &x, &mut z, &mut workspace), length("x", 12, 11));
    assert_eq!(weights.forward(2, &x, &x[1..], &mut z, &mut workspace), length("y", 12, 11));
    assert_eq!(weights.forward(2, &x, &x, &mut z[1..], &mut workspace), length("z", 8, 7));
    let short = weights.forward(2, &x, &x, &mut z, &mut workspace[1..]);
    assert_eq!(short, length("workspace", needed, needed - 1));
    assert_eq!(weights.workspace_len(usize::MAX), Err(Error::TooLarge { argument: "batch" }));

    let (mut gx, mut gy) = ([7.0; 12], [7.0; 12]);
    let refused = weights.backward(2, (&x, &x), &z, (&mut gx, &mut gy), &mut workspace);
    assert_eq!(refused, Err(Error::Option { argument: "weights", value: 0 }));
    let weights = product.pack_backward(&w, &mut other).unwrap();
    let needed = weights.workspace_len(2).unwrap();
    let mut workspace = vec![0.0; needed];
    let mut backward = |x: &[f32], y: &[f32], gz: &[f32], lengths: [usize; 3]| {
        let gradients = (&mut gx[..lengths[0]], &mut gy[..lengths[1]]);
        weights.backward(2, (x, y), gz, gradients, &mut workspace[..lengths[2]])
    };
    assert_eq!(backward(&x[1..], &x, &z, [12, 12, needed]), length("x", 12, 11));
    assert_eq!(backward(&x, &x[1..], &z, [12, 12, needed]), length("y", 12, 11));
    assert_eq!(backward(&x, &x, &z[1..], [12, 12, needed]), length("gz", 8, 7));
    assert_eq!(backward(&x, &x, &z, [11, 12, needed]), length("gx", 12, 11));
    assert_eq!(backward(&x, &x, &z, [12, 11, needed]), length("gy", 12, 11));
    assert_eq!(backward(&x, &x, &z, [12, 12, needed - 1]), length("workspace", needed, needed - 1));
    assert_eq!((z, gx, gy), ([7.0; 8], [7.0; 12], [7.0; 12]));

    let needed = product.backward_weights_len::<f32>(2).unwrap();
    let (mut gw, mut workspace) = ([7.0; 24], vec![0.0; needed]);
    let mut backward = |x: &[f32], y: &[f32], gz: &[f32], gw_len: usize, length: usize| {
        product.backward_weights(2, (x, y), gz, &mut gw[..gw_len], &mut workspace[..length])
    };
    assert_eq!(backward(&x[1..], &x, &z, 24, needed), length("x", 12, 11));
    assert_eq!(backward(&x, &x[1..], &z, 24, needed), length("y", 12, 11));
    assert_eq!(backward(&x, &x, &z[1..], 24, needed), length("gz", 8, 7));
    assert_eq!(backward(&x, &x, &z, 23, needed), length("gw", 24, 23));
    assert_eq!(backward(&x, &x, &z, 24, needed - 1), length("workspace", needed, needed - 1));
    assert_eq!(gw, [7.0; 24]);
    assert_eq!((weights.workspace_len(0), product.backward_weights_len::<f32>(0)), (Ok(0), Ok(0)));
    product.backward_weights(0, (&[], &[]), &[], &mut gw, &mut []).unwrap();
    assert_eq!(gw, [7.0; 24]);
}
