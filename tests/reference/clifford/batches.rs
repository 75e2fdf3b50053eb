//! The choice of a mode, and batches of every size.

use hotloops::clifford::{Linear, Mode, Signature};

use crate::clifford::signatures;

#[test]
fn the_automatic_mode_depends_on_the_channels() {
    let mode = |squares: &[i8], channels: usize| {
        Linear::new(Signature::new(squares).unwrap(), channels, channels, Mode::Auto).unwrap().mode()
    };
    assert_eq!([4, 8].map(|channels| mode(&[1, 1, 1], channels)), [Mode::Exact, Mode::Fast]);
    assert_eq!([3, 4].map(|channels| mode(&[0, 1, 1, 1], channels)), [Mode::Exact, Mode::Fast]);
    assert_eq!([8, 12].map(|channels| mode(&[1, 1], channels)), [Mode::Exact, Mode::Fast]);
    assert_eq!([32, 48].map(|channels| mode(&[-1], channels)), [Mode::Exact, Mode::Fast]);
    // No matrices for this one.
    assert_eq!(mode(&[1, 1, 1, 1], 1000), Mode::Exact);
}

#[test]
fn every_batch_fits_its_workspace() {
    const CHANNELS: usize = 4;
    let signature = Signature::new(&[0, 1, 1, 1]).unwrap();
    let (row, numbers) = (CHANNELS * 16, CHANNELS * CHANNELS * 16);
    let layer = Linear::new(signature, CHANNELS, CHANNELS, Mode::Fast).unwrap();
    let w = vec![1.0f32; numbers];
    let [mut forward, mut backward] = [(); 2].map(|()| vec![0.0; layer.packed_len().unwrap()]);
    let packed = [layer.pack(&w, None, &mut forward).unwrap(), layer.pack_backward(&w, &mut backward).unwrap()];
    for batch in 1..600 {
        let (x, mut y, mut gw) = (vec![1.0; batch * row], vec![0.0; batch * row], vec![0.0; numbers]);
        let [mut of_y, mut of_x] = packed.each_ref().map(|packed| vec![0.0; packed.workspace_len(batch).unwrap()]);
        packed[0].forward(batch, &x, &mut y, &mut of_y).unwrap();
        packed[1].backward(batch, &x, &mut y, &mut of_x).unwrap();
        let mut of_w = vec![0.0; layer.backward_weights_len::<f32>(batch).unwrap()];
        layer.backward_weights(batch, &x, &x, &mut gw, None, &mut of_w).unwrap();
    }
}

/// Numbers whose sums and products are rounded.
fn rounded(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i as f32 * 0.618_034).fract() - 0.4).collect()
}

/// Few rows and many are computed in different ways.
#[test]
fn parts_of_the_batch_have_the_bits_of_the_whole() {
    const BATCH: usize = 61;
    let parts = [(0, 1), (1, 3), (4, 7), (11, 9), (20, 17), (37, 24)];
    let cases = signatures().into_iter().flat_map(|signature| [1, 3, 8, 32].map(|channels| (signature, channels)));
    for (signature, channels) in cases.filter(|(signature, channels)| signature.blades() * channels <= 256) {
        let (outputs, blades) = (channels + 1, signature.blades());
        let layer = Linear::new(signature, channels, outputs, Mode::Fast).unwrap();
        let (w, bias) = (rounded(blades * channels * outputs), rounded(blades * outputs));
        let [mut forward, mut backward] = [(); 2].map(|()| vec![0.0; layer.packed_len().unwrap()]);
        let forward = layer.pack(&w, Some(&bias), &mut forward).unwrap();
        let backward = layer.pack_backward(&w, &mut backward).unwrap();
        let run = |first: usize, batch: usize| {
            let (x_row, y_row) = (channels * blades, outputs * blades);
            let (x, gy) = (rounded(BATCH * x_row), rounded(BATCH * y_row));
            let (mut y, mut gx) = (vec![0.0; batch * y_row], vec![0.0; batch * x_row]);
            let mut workspace = vec![0.0; forward.workspace_len(batch).unwrap()];
            forward.forward(batch, &x[first * x_row..][..batch * x_row], &mut y, &mut workspace).unwrap();
            let mut workspace = vec![0.0; backward.workspace_len(batch).unwrap()];
            backward.backward(batch, &gy[first * y_row..][..batch * y_row], &mut gx, &mut workspace).unwrap();
            [y, gx].map(|numbers| numbers.into_iter().map(f32::to_bits).collect::<Vec<_>>())
        };
        let whole = run(0, BATCH);
        for (first, batch) in parts {
            for (part, whole) in run(first, batch).into_iter().zip(&whole) {
                let row = whole.len() / BATCH;
                assert_eq!(
                    part,
                    whole[first * row..][..batch * row],
                    "{signature:?}, {channels} channels, row {first}"
                );
            }
        }
    }
}
