//! Linear layers against the definition: exact integers, and the error bound of rounded values.

use hotloops::clifford::{Linear, Mode, Signature};

use crate::clifford::signatures;

/// A layer's y, gx, gw and gbias.
pub struct Results {
    pub y: Vec<f64>,
    pub gx: Vec<f64>,
    pub gw: Vec<f64>,
    pub gbias: Vec<f64>,
}

pub struct Problem {
    pub batch: usize,
    pub inputs: usize,
    pub outputs: usize,
    pub x: Vec<f64>,
    pub w: Vec<f64>,
    pub bias: Vec<f64>,
    pub gy: Vec<f64>,
}

pub fn results(signature: Signature, mode: Mode, p: &Problem) -> Results {
    let layer = Linear::new(signature, p.inputs, p.outputs, mode).unwrap();
    let mut memory = vec![0.0; layer.packed_len().unwrap()];
    let weights = layer.pack(&p.w, Some(&p.bias), &mut memory).unwrap();
    let blades = signature.blades();
    let mut workspace = vec![f64::NAN; weights.workspace_len(p.batch).unwrap()];
    let mut y = vec![f64::NAN; p.batch * p.outputs * blades];
    weights.forward(p.batch, &p.x, &mut y, &mut workspace).unwrap();
    let mut memory = vec![0.0; layer.packed_len().unwrap()];
    let weights = layer.pack_backward(&p.w, &mut memory).unwrap();
    let mut workspace = vec![f64::NAN; weights.workspace_len(p.batch).unwrap()];
    let mut gx = vec![f64::NAN; p.batch * p.inputs * blades];
    weights.backward(p.batch, &p.gy, &mut gx, &mut workspace).unwrap();
    let mut workspace = vec![f64::NAN; layer.backward_weights_len::<f64>(p.batch).unwrap()];
    let (mut gw, mut gbias) = (vec![0.0; p.w.len()], vec![0.0; p.bias.len()]);
    layer.backward_weights(p.batch, &p.x, &p.gy, &mut gw, Some(&mut gbias), &mut workspace).unwrap();
    Results { y, gx, gw, gbias }
}

/// The same by the definition.
fn by_definition(signature: Signature, p: &Problem) -> Results {
    let blades = signature.blades();
    let (mut y, mut gx) = (vec![0.0; p.batch * p.outputs * blades], vec![0.0; p.batch * p.inputs * blades]);
    let (mut gw, mut gbias) = (vec![0.0; p.w.len()], vec![0.0; p.bias.len()]);
    for b in 0..p.batch {
        for o in 0..p.outputs {
            for j in 0..blades {
                let at = (b * p.outputs + o) * blades + j;
                y[at] = p.bias[j * p.outputs + o];
                gbias[j * p.outputs + o] += p.gy[at];
                for i in 0..p.inputs {
                    for left in 0..blades {
                        let right = signature.index(signature.bitmap(left) ^ signature.bitmap(j));
                        let sign = f64::from(signature.product(left, right).1);
                        let (x, w) = ((b * p.inputs + i) * blades + left, (right * p.outputs + o) * p.inputs + i);
                        y[at] += sign * p.x[x] * p.w[w];
                        gx[x] += sign * p.gy[at] * p.w[w];
                        gw[w] += sign * p.gy[at] * p.x[x];
                    }
                }
            }
        }
    }
    Results { y, gx, gw, gbias }
}

/// Integers with sums below 2^22 are exact in every mode.
fn integers(signature: Signature, batch: usize, inputs: usize, outputs: usize) -> Problem {
    let blades = signature.blades();
    let series = |len: usize, by: usize, modulus: usize, shift: f64| {
        (0..len).map(|i| (i * by % modulus) as f64 - shift).collect::<Vec<_>>()
    };
    Problem {
        batch,
        inputs,
        outputs,
        x: series(batch * inputs * blades, 7, 11, 5.0),
        w: series(blades * inputs * outputs, 5, 7, 3.0),
        bias: series(blades * outputs, 3, 5, 2.0),
        gy: series(batch * outputs * blades, 4, 9, 4.0),
    }
}

#[test]
fn both_modes_give_the_products_of_the_definition() {
    for signature in signatures() {
        for (batch, inputs, outputs) in [(1, 1, 1), (3, 5, 4), (50, 3, 2), (97, 2, 9)] {
            let problem = integers(signature, batch, inputs, outputs);
            let expected = by_definition(signature, &problem);
            for mode in [Mode::Exact, Mode::Fast] {
                let found = results(signature, mode, &problem);
                let name = format!("{signature:?} {mode:?} {batch} x {inputs} x {outputs}");
                assert_eq!(found.y, expected.y, "y: {name}");
                assert_eq!(found.gx, expected.gx, "gx: {name}");
                assert_eq!(found.gw, expected.gw, "gw: {name}");
                assert_eq!(found.gbias, expected.gbias, "gbias: {name}");
            }
        }
    }
}

/// In f32, with numbers that are not exact, against the same computation in f64.
#[test]
fn errors_are_within_their_bound() {
    for signature in signatures() {
        let (batch, inputs, outputs, blades) = (3, 13, 9, signature.blades());
        let mut state = 1u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / 8_388_608.0 - 1.0
        };
        let mut numbers = |len: usize| (0..len).map(|_| number()).collect::<Vec<f32>>();
        let (x, w) = (numbers(batch * inputs * blades), numbers(blades * inputs * outputs));
        let bias = numbers(blades * outputs);
        let wide = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect::<Vec<f64>>();
        let problem = Problem {
            batch,
            inputs,
            outputs,
            x: wide(&x),
            w: wide(&w),
            bias: wide(&bias),
            gy: vec![0.0; batch * outputs * blades],
        };
        let exact = by_definition(signature, &problem).y;
        for mode in [Mode::Exact, Mode::Fast] {
            let layer = Linear::new(signature, inputs, outputs, mode).unwrap();
            let mut memory = vec![0.0; layer.packed_len().unwrap()];
            let weights = layer.pack(&w, Some(&bias), &mut memory).unwrap();
            let mut workspace = vec![0.0; weights.workspace_len(batch).unwrap()];
            let mut y = vec![0.0; exact.len()];
            weights.forward(batch, &x, &mut y, &mut workspace).unwrap();
            let factor = layer.error_factor::<f32>();
            for (at, (&y, exact)) in y.iter().zip(&exact).enumerate() {
                let (b, o) = (at / (outputs * blades), at / blades % outputs);
                let length = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
                let lengths: f64 = (0..inputs)
                    .map(|i| {
                        let x = length(&mut (0..blades).map(|p| problem.x[(b * inputs + i) * blades + p]));
                        let w = length(&mut (0..blades).map(|q| problem.w[(q * outputs + o) * inputs + i]));
                        x * w
                    })
                    .sum();
                let bias = length(&mut (0..blades).map(|j| problem.bias[j * outputs + o]));
                let error = (f64::from(y) - exact).abs();
                assert!(error <= factor * (lengths + bias), "{signature:?} {mode:?}: {error:e}");
            }
        }
    }
}
