//! Layers whose callers end the work between two pieces, and the bits of work in pieces.

use hotloops::clifford::{Conv, Linear, LinearWeights, Mode, Signature, Window};
use hotloops::{Error, clifford::ConvWeights};

/// Integers from -3 to 3.
fn integers(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i * 2654435761 / 1024 % 7) as f32 - 3.0).collect()
}

/// Numbers whose sums are rounded.
fn fractions(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 2654435761) % 65521) as f32 / 65521.0 - 0.4).collect()
}

/// Ends `work` at each of its questions, if there are few of them, and returns the result of the whole.
fn ended_everywhere<R>(least: usize, mut work: impl FnMut(&mut dyn FnMut() -> bool) -> Option<R>) -> R {
    let mut run = |limit: usize| {
        let mut count = 0;
        let result = work(&mut || (count += 1, count <= limit).1);
        (result, count)
    };
    let (result, count) = run(usize::MAX);
    assert!(count >= least, "{count} questions");
    for limit in (0..count).step_by(count.div_ceil(12)) {
        let (result, asked) = run(limit);
        assert!(result.is_none() && asked == limit + 1, "{asked} of {limit}");
    }
    result.unwrap()
}

fn product(weights: &LinearWeights<f32>, batch: usize, data: &[f32], outputs: usize) -> Vec<f32> {
    let mut workspace = vec![0.0; weights.workspace_len(batch).unwrap()];
    let mut y = vec![0.0; batch * outputs * 8];
    weights.forward(batch, data, &mut y, &mut workspace).unwrap();
    y
}

#[test]
fn a_wide_layer_is_packed_and_applied_in_pieces() {
    let (batch, inputs, outputs) = (300, 320, 256);
    for mode in [Mode::Exact, Mode::Fast] {
        let layer = Linear::new(Signature::new(&[1, 1, 1]).unwrap(), inputs, outputs, mode).unwrap();
        let (weights, bias) = (fractions(8 * inputs * outputs), fractions(8 * outputs));
        let (x, gy) = (fractions(batch * inputs * 8), fractions(batch * outputs * 8));
        let mut memory = vec![0.0f32; layer.packed_len().unwrap()];
        let of_pieces = ended_everywhere(20, |go_on| {
            let packed = layer.pack_while(&weights, Some(&bias), &mut memory, go_on).unwrap()?;
            Some(product(&packed, 2, &x[..2 * inputs * 8], outputs))
        });
        let packed = layer.pack(&weights, Some(&bias), &mut memory).unwrap();
        let y = product(&packed, batch, &x, outputs);
        assert!(y[..of_pieces.len()] == of_pieces[..], "{mode:?}");
        for (x, y) in x.chunks(70 * inputs * 8).zip(y.chunks(70 * outputs * 8)) {
            assert!(product(&packed, x.len() / (inputs * 8), x, outputs) == y, "{mode:?}");
        }
        let mut workspace = vec![0.0; packed.workspace_len(batch).unwrap()];
        let mut found = vec![0.0; y.len()];
        ended_everywhere(2, |go_on| {
            packed.forward_while(batch, (&x, &mut found), &mut workspace, go_on).unwrap().then_some(())
        });
        // The last call was interrupted.
        assert!(packed.forward_while(batch, (&x, &mut found), &mut workspace, || true).unwrap());
        assert!(found == y, "{mode:?}");

        let packed = ended_everywhere(20, |go_on| {
            // Another memory each time, as it is borrowed by the result.
            let memory = vec![0.0f32; layer.packed_len().unwrap()].leak();
            layer.pack_backward_while(&weights, memory, go_on).unwrap()
        });
        let mut workspace = vec![0.0; packed.workspace_len(batch).unwrap()];
        let (mut gx, mut found) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        packed.backward(batch, &gy, &mut gx, &mut workspace).unwrap();
        ended_everywhere(2, |go_on| {
            packed.backward_while(batch, (&gy, &mut found), &mut workspace, go_on).unwrap().then_some(())
        });
        assert!(packed.backward_while(batch, (&gy, &mut found), &mut workspace, || true).unwrap());
        assert!(found == gx, "{mode:?}");
        let error = packed.forward_while(batch, (&gy, &mut found), &mut workspace, || true).unwrap_err();
        assert!(matches!(error, Error::Option { argument: "weights", .. }));
    }
}

#[test]
fn gradients_of_a_wide_layer_are_those_of_its_parts() {
    let (batch, inputs, outputs) = (300, 384, 390);
    for mode in [Mode::Exact, Mode::Fast] {
        let layer = Linear::new(Signature::new(&[1, 1, 1]).unwrap(), inputs, outputs, mode).unwrap();
        let (x, gy) = (integers(batch * inputs * 8), integers(batch * outputs * 8));
        let mut workspace = vec![0.0; layer.backward_weights_len::<f32>(batch).unwrap()];
        let mut add = |gw: &mut [f32],
                       gbias: &mut [f32],
                       rows: usize,
                       first: usize,
                       go_on: &mut dyn FnMut() -> bool| {
            let (x, gy) =
                (&x[first * inputs * 8..][..rows * inputs * 8], &gy[first * outputs * 8..][..rows * outputs * 8]);
            layer.backward_weights_while(rows, (x, gy), (gw, Some(gbias)), &mut workspace, go_on).unwrap().then_some(())
        };
        let empty = || (vec![0.0f32; 8 * inputs * outputs], vec![0.0f32; 8 * outputs]);
        let mut parts = empty();
        for first in (0..batch).step_by(60) {
            add(&mut parts.0, &mut parts.1, 60, first, &mut || true).unwrap();
        }
        let whole = ended_everywhere(6, |go_on| {
            let mut whole = empty();
            add(&mut whole.0, &mut whole.1, batch, 0, go_on).map(|()| whole)
        });
        assert!(whole == parts, "{mode:?}");
    }
}

#[test]
fn convolutions_are_packed_in_pieces() {
    let (inputs, outputs, size) = (40, 36, [5, 6]);
    for (mode, stride) in [(Mode::Exact, 1), (Mode::Fast, 1), (Mode::Exact, 2), (Mode::Fast, 2)] {
        let window = Window { stride: [stride; 2], ..Window::new([3, 3]) };
        let conv = Conv::new(Signature::new(&[1, 1]).unwrap(), inputs, outputs, window, mode).unwrap();
        let weights = fractions(4 * inputs * outputs * 9);
        let [from, to] = [inputs * 30 * 4, outputs * window.output_size(size).unwrap().iter().product::<usize>() * 4];
        let memory = || vec![0.0f32; conv.packed_len().unwrap()].leak();
        let apply = |packed: &ConvWeights<f32, 2>, is_forward: bool| {
            let mut workspace = vec![0.0; packed.workspace_len(1, size).unwrap()];
            let [from, to] = if is_forward { [from, to] } else { [to, from] };
            let (x, mut y) = (fractions(from), vec![0.0; to]);
            match is_forward {
                true => packed.forward(1, size, &x, &mut y, &mut workspace).unwrap(),
                false => packed.backward(1, size, &x, &mut y, &mut workspace).unwrap(),
            }
            y
        };
        let packed = ended_everywhere(2, |go_on| conv.pack_while(&weights, None, memory(), go_on).unwrap());
        assert_eq!(apply(&packed, true), apply(&conv.pack(&weights, None, memory()).unwrap(), true));
        let packed = ended_everywhere(2, |go_on| conv.pack_backward_while(&weights, memory(), go_on).unwrap());
        assert_eq!(apply(&packed, false), apply(&conv.pack_backward(&weights, memory()).unwrap(), false));
    }
}
