//! Runs of worldlines, their means and states.

use std::fmt::Debug;

use hotloops::isa::{self, Isa};
use hotloops::ising::{Transverse, Worldlines};
use hotloops::random::Mt19937;

pub fn generator(seed: u32) -> Mt19937 {
    Mt19937::seeded(16, 1 + seed).unwrap()
}

/// A mean and its standard error.
#[derive(Clone, Copy, Debug)]
pub struct Sampled {
    pub mean: f64,
    pub sigma: f64,
}

impl Sampled {
    pub fn of(blocks: &[f64]) -> Self {
        let count = blocks.len() as f64;
        let mean = blocks.iter().sum::<f64>() / count;
        let variance = blocks.iter().map(|block| (block - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Sampled { mean, sigma: (variance / count).sqrt() }
    }

    /// Standard errors above `exact`.
    pub fn above(self, exact: f64) -> f64 {
        (self.mean - exact) / self.sigma
    }
}

/// The mean of `blocks` times `count` values.
pub fn mean(blocks: usize, count: usize, mut value: impl FnMut() -> f64) -> Sampled {
    let blocks: Vec<f64> = (0..blocks).map(|_| (0..count).map(|_| value()).sum::<f64>() / count as f64).collect();
    Sampled::of(&blocks)
}

/// A step of a Markov chain.
pub type Step = fn(&mut Worldlines, &mut Mt19937, Transverse);

pub fn sweep(lines: &mut Worldlines, rng: &mut Mt19937, at: Transverse) {
    lines.sweep(rng, at, 1).unwrap();
}

pub fn sweep_clusters(lines: &mut Worldlines, rng: &mut Mt19937, at: Transverse) {
    lines.sweep_clusters(rng, at, 1).unwrap();
}

/// Energy of a slice, magnetisation per spin, its square, and kinks.
pub fn sampled(lines: &mut Worldlines, at: Transverse, step: Step, steps: usize, seed: u32) -> [Sampled; 4] {
    const BLOCKS: usize = 40;
    let mut rng = generator(seed);
    (0..steps / 40).for_each(|_| step(lines, &mut rng, at));
    let mut blocks = [[0.0; BLOCKS]; 4];
    let count = steps / BLOCKS;
    let spins = lines.slices() as f64 * lines.sites() as f64;
    for block in 0..BLOCKS {
        for _ in 0..count {
            step(lines, &mut rng, at);
            let m = lines.magnetisation() as f64 / spins;
            let values = [lines.diagonal_energy(), m, m * m, lines.kinks() as f64];
            blocks.iter_mut().zip(values).for_each(|(blocks, value)| blocks[block] += value / count as f64);
        }
    }
    blocks.map(|blocks| Sampled::of(&blocks))
}

/// The spin of slice 0 and the kinks of all lines.
pub fn state(lines: &Worldlines) -> Vec<(i8, Vec<i32>)> {
    (0..lines.sites()).map(|site| lines.line(site).map(|(spin, kinks)| (spin, kinks.to_vec())).unwrap()).collect()
}

/// The result of `run`, which is the same under every instruction set of this CPU.
pub fn under_each_isa<T: PartialEq + Debug>(run: impl Fn() -> T) -> T {
    let (before, expected) = (isa::active(), run());
    for &isa in Isa::ALL.iter().filter(|&&isa| isa::detected(isa)) {
        isa::set(isa).unwrap();
        assert!(run() == expected, "{}", isa.word());
    }
    isa::set(before).unwrap();
    expected
}
