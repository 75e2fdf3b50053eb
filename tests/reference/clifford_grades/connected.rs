//! Connected products.

use hotloops::clifford::{ConnectedProduct, Element, Signature, paths, weighted_product};

use crate::clifford_grades::{SIGNATURES, integers, narrow, wide};

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
