//! Clifford layers allocate when they are planned and packed.

use hotloops::clifford::{ConnectedProduct, Conv, Gate, GradeLinear, GradeMaps, Linear, Mode, Signature, Window};

use crate::counting::calls;

/// Layers allocate when they are planned and packed, and nothing in a call.
#[test]
fn clifford_layers_allocate_nothing_in_a_call() {
    for squares in [&[1, 1][..], &[1, 1, 1], &[0, 1, 1, 1]] {
        let signature = Signature::new(squares).unwrap();
        let (batch, inputs, outputs, size) = (70, 5, 6, [4, 5]);
        // Enough for every array.
        let many = 1 << 20;
        let (x, other, numbers) = (vec![1.0f32; many], vec![2.0; many], signature.blades() * batch);
        let (mut z, mut gw, mut gbias) = (vec![0.0; many], vec![0.0; many], vec![0.0; many]);
        let (mut memory, mut workspace) = (vec![0.0; many], vec![0.0; 2 * many]);
        let (x, gy) = (&x[..numbers * inputs], &other[..numbers * outputs]);
        let mut y = vec![0.0; gy.len()];
        let (mut gx, mut gy_of_factor) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let weights = &other[..];
        let blades = signature.blades();
        for mode in [Mode::Exact, Mode::Fast] {
            let layer = Linear::new(signature, inputs, outputs, mode).unwrap();
            let n = blades * inputs * outputs;
            let packed = layer.pack(&weights[..n], None, &mut memory).unwrap();
            assert_eq!(calls(|| packed.forward(batch, x, &mut y, &mut workspace).unwrap()), 0);
            let packed = layer.pack_backward(&weights[..n], &mut memory).unwrap();
            assert_eq!(calls(|| packed.backward(batch, gy, &mut gx, &mut workspace).unwrap()), 0);
            let gradients = (&mut gw[..n], &mut gbias[..blades * outputs]);
            let used = calls(|| {
                layer.backward_weights(batch, x, gy, gradients.0, Some(gradients.1), &mut workspace).unwrap();
            });
            assert_eq!(used, 0);
            for stride in [1, 2] {
                let window = Window { stride: [stride; 2], padding: [1, 1], ..Window::new([3, 3]) };
                let conv = Conv::new(signature, inputs, outputs, window, mode).unwrap();
                let images = batch / 20;
                let points: usize = window.output_size(size).unwrap().iter().product();
                let x = &x[..images * 20 * inputs * blades];
                let gy = &gy[..images * points * outputs * blades];
                let (y, gx) = (&mut y[..gy.len()], &mut gx[..x.len()]);
                let n = 9 * blades * inputs * outputs;
                let packed = conv.pack(&weights[..n], None, &mut memory).unwrap();
                assert_eq!(calls(|| packed.forward(images, size, x, y, &mut workspace).unwrap()), 0);
                let packed = conv.pack_backward(&weights[..n], &mut memory).unwrap();
                assert_eq!(calls(|| packed.backward(images, size, gy, gx, &mut workspace).unwrap()), 0);
                let gradients = (&mut gw[..n], Some(&mut gbias[..blades * outputs]));
                let used = calls(|| conv.backward_weights(images, size, (x, gy), gradients, &mut workspace).unwrap());
                assert_eq!(used, 0);
            }
        }
        let layer = GradeLinear::new(signature, inputs, outputs, GradeMaps::WithNull).unwrap();
        let n = layer.maps() * inputs * outputs;
        let packed = layer.pack(&weights[..n], Some(&weights[..outputs]), &mut memory).unwrap();
        assert_eq!(calls(|| packed.forward(batch, x, &mut y, &mut workspace).unwrap()), 0);
        let packed = layer.pack_backward(&weights[..n], &mut memory).unwrap();
        assert_eq!(calls(|| packed.backward(batch, gy, &mut gx, &mut workspace).unwrap()), 0);
        let used = calls(|| layer.backward_weights(batch, x, gy, &mut gw[..n], None, &mut workspace).unwrap());
        assert_eq!(used, 0);

        let product = ConnectedProduct::new(signature, inputs, outputs).unwrap();
        let n = product.packed_len().unwrap();
        let packed = product.pack(&weights[..n], &mut memory).unwrap();
        assert_eq!(calls(|| packed.forward(batch, x, x, &mut y, &mut workspace).unwrap()), 0);
        let packed = product.pack_backward(&weights[..n], &mut memory).unwrap();
        let gradients = (&mut gx[..], &mut gy_of_factor[..]);
        assert_eq!(calls(|| packed.backward(batch, (x, x), gy, gradients, &mut workspace).unwrap()), 0);
        let used = calls(|| product.backward_weights(batch, (x, x), gy, &mut gw[..n], &mut workspace).unwrap());
        assert_eq!(used, 0);

        let gate = Gate::Linear { weights: &weights[..inputs * blades], bias: &weights[..inputs] };
        assert_eq!(calls(|| gate.apply(signature, x, &mut z[..x.len()]).unwrap()), 0);
    }
}
