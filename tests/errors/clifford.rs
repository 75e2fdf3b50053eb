//! Clifford layers and products: bad input returns an error that names it, and nothing is written.

use hotloops::Error;
use hotloops::clifford::{Linear, Mode, Signature};
use hotloops::clifford::{geometric_product, grade_norms, sandwich, weighted_product};

use crate::length;

#[test]
fn signatures() {
    assert_eq!(Signature::new(&[1, 2]), Err(Error::Signature { generator: 1 }));
    assert_eq!(Signature::new(&[0, 0, -2]), Err(Error::Signature { generator: 2 }));
    assert_eq!(Signature::new(&[1; 5]), Err(Error::Signature { generator: 4 }));
    assert_eq!(Signature::new(&[]).unwrap().blades(), 1);
}

#[test]
fn layers() {
    let plane = Signature::new(&[1, 1]).unwrap();
    for mode in [Mode::Exact, Mode::Fast] {
        let new = |inputs, outputs| Linear::new(plane, inputs, outputs, mode).map(|layer| layer.packed_len());
        assert_eq!(new(0, 1), Err(Error::Channels { argument: "inputs" }));
        assert_eq!(new(1, 0), Err(Error::Channels { argument: "outputs" }));
        assert_eq!(new(usize::MAX, 2), Err(Error::TooLarge { argument: "weights" }));

        let layer = Linear::new(plane, 3, 2, mode).unwrap();
        let needed = layer.packed_len().unwrap();
        let mut memory = vec![7.0f64; needed];
        let w = [1.0; 24];
        let mut pack = |w: &[f64], bias, short| layer.pack(w, bias, &mut memory[short..]).map(|_| ());
        assert_eq!(pack(&w[1..], None, 0), length("weights", 24, 23));
        assert_eq!(pack(&w, Some(&w[..7]), 0), length("bias", 8, 7));
        assert_eq!(pack(&w, None, 1), length("memory", needed, needed - 1));
        assert!(memory.iter().all(|&number| number == 7.0));

        let weights = layer.pack(&w, None, &mut memory).unwrap();
        let needed = weights.workspace_len(2).unwrap();
        let (x, mut y, mut workspace) = ([1.0; 24], [7.0; 16], vec![0.0; needed]);
        assert_eq!(weights.forward(2, &x[1..], &mut y, &mut workspace), length("x", 24, 23));
        assert_eq!(weights.forward(2, &x, &mut y[1..], &mut workspace), length("y", 16, 15));
        if needed > 0 {
            let short = &mut workspace[1..];
            assert_eq!(weights.forward(2, &x, &mut y, short), length("workspace", needed, needed - 1));
        }
        let backward = weights.backward(2, &x[..16], &mut [0.0; 24], &mut workspace);
        assert_eq!(backward, Err(Error::Option { argument: "weights", value: 0 }));
        assert_eq!(y, [7.0; 16]);
        assert!(weights.workspace_len(usize::MAX).is_err());

        // An empty batch needs no workspace.
        assert_eq!((weights.workspace_len(0), layer.backward_weights_len::<f64>(0)), (Ok(0), Ok(0)));
        weights.forward(0, &[], &mut [], &mut []).unwrap();
        layer.backward_weights(0, &[], &[], &mut [0.0; 24], None, &mut []).unwrap();

        let needed = layer.backward_weights_len::<f64>(2).unwrap();
        let (gy, mut gw, mut gbias, mut workspace) = ([1.0; 16], [7.0; 24], [7.0; 8], vec![0.0; needed]);
        let mut backward = |x: &[f64], gy: &[f64], gw_len: usize, gbias_len: usize, length: usize| {
            let gbias = Some(&mut gbias[..gbias_len]);
            layer.backward_weights(2, x, gy, &mut gw[..gw_len], gbias, &mut workspace[..length])
        };
        assert_eq!(backward(&x[1..], &gy, 24, 8, needed), length("x", 24, 23));
        assert_eq!(backward(&x, &gy[1..], 24, 8, needed), length("gy", 16, 15));
        assert_eq!(backward(&x, &gy, 23, 8, needed), length("gw", 24, 23));
        assert_eq!(backward(&x, &gy, 24, 7, needed), length("gbias", 8, 7));
        assert_eq!(backward(&x, &gy, 24, 8, needed - 1), length("workspace", needed, needed - 1));
        assert_eq!((gw, gbias), ([7.0; 24], [7.0; 8]));
    }
}

#[test]
fn products() {
    let plane = Signature::new(&[1, 1]).unwrap();
    let (x, mut z) = ([1.0f32; 8], [7.0; 8]);
    assert_eq!(geometric_product(plane, &x[1..], &x, &mut z), length("x", 4, 7));
    assert_eq!(geometric_product(plane, &x, &x[4..], &mut z), length("y", 8, 4));
    assert_eq!(geometric_product(plane, &x, &x, &mut z[..4]), length("z", 8, 4));
    assert_eq!(sandwich(plane, &x[1..], &x, &mut z), length("r", 4, 7));
    assert_eq!(sandwich(plane, &x, &x[4..], &mut z), length("x", 8, 4));
    assert_eq!(sandwich(plane, &x, &x, &mut z[..4]), length("z", 8, 4));
    let weights = [1.0; 30];
    assert_eq!(weighted_product(plane, &[], &x, &x, &mut z), Err(Error::Channels { argument: "weights" }));
    assert_eq!(weighted_product(plane, &weights[..11], &x, &x, &mut z), length("weights", 20, 11));
    // Three channels, two multivectors.
    assert_eq!(weighted_product(plane, &weights, &x, &x, &mut z), length("x", 0, 8));
    assert_eq!(weighted_product(plane, &weights[..20], &x, &x[4..], &mut z), length("y", 8, 4));
    assert_eq!(grade_norms(plane, &x, &mut z), length("out", 6, 8));
    assert_eq!(z, [7.0; 8]);
}
