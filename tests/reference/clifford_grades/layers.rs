//! Grade-wise linear layers.

use hotloops::clifford::{Element, GradeLinear, GradeMaps, Linear, Mode, Signature, sandwich};

use crate::clifford_grades::{SIGNATURES, integers, narrow, numbers, wide};

/// Batch, inputs, outputs: also more rows than a block has.
const SHAPES: [[usize; 3]; 4] = [[1, 1, 1], [3, 5, 4], [70, 24, 17], [1030, 3, 2]];

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
