//! A product split by rows among threads. Each thread has its own workspace; all share one packed
//! B. Prints the time for each number of threads, and checks that the bits equal those of one
//! thread.
//!
//! `cargo run --release -p hotloops-cli --example product_threads -- 1500`

use std::time::Instant;

use hotloops::matmul::{MatMut, MatRef, Options, PackedB, gemm_packed};
use rayon::prelude::*;

/// `C = A B` in parts of `rows` rows.
fn product(n: usize, a: MatRef<f32>, b: &PackedB<f32>, c: &mut [f32], rows: usize) {
    c.par_chunks_mut(rows * n).enumerate().for_each_init(
        || vec![0u8; 4 << 20],
        |workspace, (part, c)| {
            let (first, height) = (part * rows, c.len() / n);
            let a = a.block(first..first + height, 0..n).expect("rows of A");
            let c = MatMut::row_major(c, height, n, n).expect("rows of C");
            gemm_packed(1.0, a, b, 0.0, c, &Options::default(), Some(workspace)).expect("shapes that fit");
        },
    );
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = std::env::args().nth(1).map_or(Ok(1500), |word| word.parse())?;
    let numbers: Vec<f32> = (0..n * n).map(|i| ((i * 7919) % 1000) as f32 / 500.0 - 1.0).collect();
    let a = MatRef::row_major(&numbers, n, n, n)?;
    let mut memory = vec![0.0; PackedB::<f32>::len(n, n)?];
    let b = PackedB::new(a, &mut memory, &Options::default())?;
    let mut truth: Vec<f32> = Vec::new();
    let mut alone = 0.0;
    for threads in 1..=std::thread::available_parallelism()?.get() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut c = vec![0.0; n * n];
        let run = |c: &mut Vec<f32>| {
            let begin = Instant::now();
            pool.install(|| product(n, a, &b, c, n.div_ceil(4 * threads).max(1)));
            begin.elapsed().as_secs_f64()
        };
        let seconds = (0..7).map(|_| run(&mut c)).fold(f64::INFINITY, f64::min);
        if threads == 1 {
            (truth, alone) = (c, seconds);
        } else {
            assert!(c.iter().zip(&truth).all(|(a, b)| a.to_bits() == b.to_bits()), "other bits");
        }
        let rate = 2.0 * (n as f64).powi(3) / seconds * 1e-9;
        println!(
            "{threads:3} threads {:8.1} ms {rate:8.1} GFLOP/s {:6.2} times as fast",
            1e3 * seconds,
            alone / seconds
        );
    }
    Ok(())
}
