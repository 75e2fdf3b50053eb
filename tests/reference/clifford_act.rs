//! Activations of multivectors against their formulas and against differences.

use hotloops::Error;
use hotloops::clifford::{Gate, Signature, grade_norms};

const SIGNATURES: [&[i8]; 6] = [&[], &[-1], &[1, 1], &[1, 1, 1], &[0, 1, 1, 1], &[1, -1, -1, -1]];

fn numbers(len: usize, by: f64) -> Vec<f64> {
    (0..len).map(|i| (i as f64 * by).sin() * 1.5).collect()
}

fn logistic(a: f64) -> f64 {
    1.0 / (1.0 + (-a).exp())
}

/// The gate of blade `p` of a multivector of the channel.
fn gate(gate: &Gate<f64>, signature: Signature, channel: usize, x: &[f64], p: usize) -> f64 {
    let (blades, grades) = (x.len(), signature.squares().len() + 1);
    match *gate {
        Gate::Linear { weights, bias } => {
            let sum: f64 = weights[channel * blades..].iter().zip(x).map(|(w, x)| w * x).sum();
            logistic(sum + bias[channel])
        }
        Gate::Sum => logistic(x.iter().sum()),
        Gate::Mean => logistic(x.iter().sum::<f64>() / blades as f64),
        Gate::Gelu => {
            let t = (2.0 / std::f64::consts::PI).sqrt() * (x[0] + 0.044715 * x[0].powi(3));
            0.5 * x[0] * (1.0 + t.tanh())
        }
        Gate::Silu { weights, bias } => {
            let mut norms = vec![0.0; grades];
            grade_norms(signature, x, &mut norms).unwrap();
            norms[0] = x[0];
            let at = channel * grades + signature.grade(p);
            logistic(weights[at] * norms[signature.grade(p)] + bias[at])
        }
    }
}

/// Parameters of 2 channels, of the larger of the shapes.
fn parameters(signature: Signature) -> [Vec<f64>; 3] {
    let (blades, grades) = (signature.blades(), signature.squares().len() + 1);
    [numbers(2 * blades, 1.3), numbers(2 * grades, 0.9), numbers(2 * grades, 2.1)]
}

fn gates<'a>([linear, silu, bias]: &'a [Vec<f64>; 3]) -> [Gate<'a, f64>; 5] {
    [
        Gate::Linear { weights: linear, bias: &bias[..2] },
        Gate::Sum,
        Gate::Mean,
        Gate::Gelu,
        Gate::Silu { weights: silu, bias },
    ]
}

#[test]
fn activations_are_their_formulas() {
    for signature in SIGNATURES.map(|squares| Signature::new(squares).unwrap()) {
        let (blades, parameters) = (signature.blades(), parameters(signature));
        let x = numbers(6 * blades, 0.7);
        for act in gates(&parameters) {
            let mut z = vec![f64::NAN; x.len()];
            act.apply(signature, &x, &mut z).unwrap();
            for (at, (x, z)) in x.chunks(blades).zip(z.chunks(blades)).enumerate() {
                for p in 0..blades {
                    let expected = x[p] * gate(&act, signature, at % 2, x, p);
                    assert!((z[p] - expected).abs() < 1e-14, "{act:?}: {} for {expected}", z[p]);
                }
            }
        }
    }
}

#[test]
fn activations_of_floats_are_their_formulas() {
    for signature in SIGNATURES.map(|squares| Signature::new(squares).unwrap()) {
        let (blades, parameters) = (signature.blades(), parameters(signature));
        let floats = |numbers: &[f64]| numbers.iter().map(|&x| x as f32).collect::<Vec<_>>();
        // The formulas take the rounded values.
        let doubles = |floats: &[f32]| floats.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
        let single = parameters.each_ref().map(|numbers| floats(numbers));
        let double = single.each_ref().map(|numbers| doubles(numbers));
        let [linear, silu, bias] = &single;
        let of_floats = [
            Gate::Linear { weights: linear, bias: &bias[..2] },
            Gate::Sum,
            Gate::Mean,
            Gate::Gelu,
            Gate::Silu { weights: silu, bias },
        ];
        let x = floats(&numbers(150 * blades, 0.7));
        for (act, of_floats) in gates(&double).iter().zip(of_floats) {
            let mut z = vec![f32::NAN; x.len()];
            of_floats.apply(signature, &x, &mut z).unwrap();
            for (at, (x, z)) in doubles(&x).chunks(blades).zip(z.chunks(blades)).enumerate() {
                for p in 0..blades {
                    let expected = x[p] * gate(act, signature, at % 2, x, p);
                    assert!((f64::from(z[p]) - expected).abs() < 1e-5, "{act:?}: {} for {expected}", z[p]);
                }
            }
        }
    }
}

#[test]
fn gradients_are_differences() {
    const STEP: f64 = 1e-5;
    for signature in SIGNATURES.map(|squares| Signature::new(squares).unwrap()) {
        let parameters = parameters(signature);
        let (x, gz) = (numbers(6 * signature.blades(), 0.7), numbers(6 * signature.blades(), 1.1));
        for (which, act) in gates(&parameters).into_iter().enumerate() {
            let loss = |parameters: &[Vec<f64>; 3], x: &[f64]| -> f64 {
                let mut z = vec![0.0; x.len()];
                gates(parameters)[which].apply(signature, x, &mut z).unwrap();
                z.iter().zip(&gz).map(|(z, gz)| z * gz).sum()
            };
            let (weights, bias) = match act {
                Gate::Linear { weights, bias } | Gate::Silu { weights, bias } => (weights.len(), bias.len()),
                _ => (0, 0),
            };
            // Gradients of parameters are added to what is there.
            let (mut gx, mut gw, mut gbias) = (vec![f64::NAN; x.len()], vec![1.0; weights], vec![1.0; bias]);
            act.backward(signature, (&x, &gz), &mut gx, (&mut gw, &mut gbias)).unwrap();
            let close = |found: f64, differences: [f64; 2], what: &str| {
                let expected = (differences[1] - differences[0]) / (2.0 * STEP);
                assert!((found - expected).abs() < 1e-8, "{what}, {signature:?} {act:?}: {found} for {expected}");
            };
            for (at, &found) in gx.iter().enumerate() {
                let moved = |by: f64| {
                    let mut x = x.clone();
                    x[at] += by;
                    loss(&parameters, &x)
                };
                close(found, [-STEP, STEP].map(moved), "gx");
            }
            let of_weights = if which == 0 { 0 } else { 1 };
            for (array, gradient) in [(of_weights, &gw), (2, &gbias)] {
                for (at, &found) in gradient.iter().enumerate() {
                    let moved = |by: f64| {
                        let mut parameters = parameters.clone();
                        parameters[array][at] += by;
                        loss(&parameters, &x)
                    };
                    close(found - 1.0, [-STEP, STEP].map(moved), "parameters");
                }
            }
        }
    }
}

#[test]
fn large_arguments_have_the_limits() {
    let line = Signature::new(&[1]).unwrap();
    let mut z = [0.0f32; 2];
    for (x, expected) in [([1e30, 2.0], [f32::INFINITY, 2e30]), ([-1e30, 2.0], [0.0, 0.0]), ([-0.0, 1.0], [0.0, 0.0])] {
        Gate::Gelu.apply(line, &x, &mut z).unwrap();
        assert_eq!(z, expected);
    }
    Gate::Sum.apply(line, &[-1e30, 2.0], &mut z).unwrap();
    assert_eq!(z, [0.0, 0.0]);
    Gate::Sum.apply(line, &[f32::NAN, 2.0], &mut z).unwrap();
    assert!(z.iter().all(|z| z.is_nan()));
    let mut gx = [0.0f32; 2];
    for (u, expected) in [(1e30, [4e30, 0.0]), (-1e30, [0.0, 0.0])] {
        Gate::Gelu.backward(line, (&[u, 0.0], &[2.0, 0.0]), &mut gx, (&mut [], &mut [])).unwrap();
        assert_eq!(gx, expected);
    }
}

#[test]
fn bad_arguments_are_refused() {
    let plane = Signature::new(&[1, 1]).unwrap();
    let length = |argument, expected, found| Err(Error::Length { argument, expected, found });
    let (x, mut z) = ([1.0; 8], [7.0; 8]);
    assert_eq!(Gate::Sum.apply(plane, &x[1..], &mut z), length("x", 4, 7));
    assert_eq!(Gate::Sum.apply(plane, &x, &mut z[1..]), length("z", 8, 7));
    let none = Gate::Linear { weights: &[], bias: &[] };
    assert_eq!(none.apply(plane, &x, &mut z), Err(Error::Channels { argument: "weights" }));
    let odd = Gate::Silu { weights: &x[..7], bias: &x[..6] };
    assert_eq!(odd.apply(plane, &x, &mut z), length("weights", 6, 7));
    let odd = Gate::Linear { weights: &x, bias: &x[..1] };
    assert_eq!(odd.apply(plane, &x, &mut z), length("bias", 2, 1));
    let act = Gate::Linear { weights: &x, bias: &x[..2] };
    assert_eq!(act.apply(plane, &x[..4], &mut z), length("x", 0, 4));
    let mut gx = [7.0; 8];
    let mut backward =
        |gz: &[f64], gw: &mut [f64], gbias: &mut [f64]| act.backward(plane, (&x, gz), &mut gx, (gw, gbias));
    assert_eq!(backward(&x[1..], &mut [0.0; 8], &mut [0.0; 2]), length("gz", 8, 7));
    assert_eq!(backward(&x, &mut [0.0; 7], &mut [0.0; 2]), length("gw", 8, 7));
    assert_eq!(backward(&x, &mut [0.0; 8], &mut [0.0; 1]), length("gbias", 2, 1));
    assert_eq!((z, gx), ([7.0; 8], [7.0; 8]));
}
