//! A layer of a network: weights packed once, batches multiplied in one workspace, and the same
//! bits for a single input.
//!
//! `cargo run --release --example matmul`

use hotloops::matmul::{MatMut, MatRef, Options, PackedB, Plan, Strides, gemm_packed};

fn main() -> Result<(), hotloops::Error> {
    let (batch, inputs, outputs) = (64, 300, 200);
    let number = |i: usize| ((i * 7919) % 1000) as f32 / 500.0 - 1.0;
    let weights: Vec<f32> = (0..inputs * outputs).map(number).collect();
    let x: Vec<f32> = (0..batch * inputs).map(number).collect();
    let options = Options::default();

    // Weights are stored output by output: B is their transpose.
    let weights = MatRef::row_major(&weights, outputs, inputs, inputs)?.transposed();
    let mut memory = vec![0.0; PackedB::<f32>::len(inputs, outputs)?];
    let packed = PackedB::new(weights, &mut memory, &options)?;

    let mut y = vec![0.0; batch * outputs];
    let x_all = MatRef::row_major(&x, batch, inputs, inputs)?;
    gemm_packed(1.0, x_all, &packed, 0.0, MatMut::row_major(&mut y, batch, outputs, outputs)?, &options, None)?;

    // A single input, with a plan created once: no allocation, and the same bits as in the batch.
    let rows = Strides::row_major(inputs);
    let shape = [1, outputs, inputs];
    let plan = Plan::new(shape, rows, Strides::column_major(inputs), Strides::row_major(outputs), &options)?;
    let mut workspace = vec![0; plan.workspace_bytes()];
    let stored: Vec<f32> = (0..inputs * outputs).map(number).collect();
    for i in 0..batch {
        let mut one = vec![0.0; outputs];
        plan.run(1.0, &x[i * inputs..][..inputs], &stored, 0.0, &mut one, &mut workspace)?;
        assert!(one.iter().zip(&y[i * outputs..]).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
    println!("{batch} inputs together and one by one: the same bits; {} bytes of workspace", plan.workspace_bytes());
    println!("y[0][..4] = {:?}", &y[..4]);
    Ok(())
}
