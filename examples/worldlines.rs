//! The quantum Ising chain H = -sum s_i s_(i+1) - gamma sum x_i in imaginary time: 2^20 slices cost as much as 64, and
//! the Trotter error disappears. Prints the energy per spin beside that of free fermions in the ground state, the
//! transverse magnetisation and the time of a line, for a ring of 64 spins at beta = 32.
//!
//! `cargo run --release --example worldlines [SWEEPS]`

use std::time::Instant;

use hotloops::ising::{LayeredIsing, Transverse};
use hotloops::random::Mt19937;

const SITES: usize = 64;
const BETA: f64 = 32.0;
const BLOCKS: usize = 20;

/// The energy per spin of the ground state (Pfeuty 1970).
fn ground_state(gamma: f64) -> f64 {
    let mode = |m: usize| {
        let k = 2.0 * std::f64::consts::PI * (m as f64 + 0.5) / SITES as f64;
        (1.0 + gamma * gamma - 2.0 * gamma * k.cos()).sqrt()
    };
    -(0..SITES).map(mode).sum::<f64>() / SITES as f64
}

/// A mean and its standard error.
fn mean(blocks: &[f64]) -> (f64, f64) {
    let count = blocks.len() as f64;
    let mean = blocks.iter().sum::<f64>() / count;
    let variance = blocks.iter().map(|block| (block - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sweeps: usize = std::env::args().nth(1).map_or(Ok(4000), |word| word.parse())?;
    println!("gamma   slices   energy per spin       exact      <x>               ns a line");
    for gamma in [0.5, 1.0, 2.0] {
        for slices in [64, 1 << 20] {
            let ring = (0..SITES).map(|i| (i, (i + 1) % SITES, 1.0));
            let mut lines = LayeredIsing::builder(slices, SITES).couplings(ring).build_worldlines()?;
            let mut rng = Mt19937::seeded(16, 2026)?;
            let at = Transverse { beta: BETA, gamma };
            lines.sweep(&mut rng, at, sweeps as u64 / 10 + 1)?;
            let (mut energies, mut fields, mut seconds) = (Vec::new(), Vec::new(), 0.0);
            let count = sweeps / BLOCKS + 1;
            for _ in 0..BLOCKS {
                let (mut energy, mut field) = (0.0, 0.0);
                for _ in 0..count {
                    let begin = Instant::now();
                    lines.sweep(&mut rng, at, 1)?;
                    seconds += begin.elapsed().as_secs_f64();
                    energy += lines.energy(at)? / SITES as f64;
                    field += lines.transverse_magnetisation(at)?;
                }
                energies.push(energy / count as f64);
                fields.push(field / count as f64);
            }
            let ((energy, error), (field, error_of_field)) = (mean(&energies), mean(&fields));
            let time = seconds * 1e9 / (BLOCKS * count * SITES) as f64;
            let exact = ground_state(gamma);
            print!("{gamma:5} {slices:8}   {energy:.5} +- {error:.5}   {exact:.5}");
            println!("   {field:.4} +- {error_of_field:.4}   {time:.0}");
        }
    }
    Ok(())
}
