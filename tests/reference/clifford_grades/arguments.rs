//! Bad arguments return an error that names them, and nothing is written.

use hotloops::Error;
use hotloops::clifford::{ConnectedProduct, GradeLinear, GradeMaps, Signature};

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
