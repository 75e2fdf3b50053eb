//! The time for an error of 1 % in the energy of a quantum model, the purpose of the paper's layers: by its sweeps, by
//! the library's, and by worldlines.

use std::sync::Arc;
use std::time::Instant;

use hotloops::Error;
use hotloops::isa;
use hotloops::ising::{Beta, Kind, LayeredIsing, Transverse};
use hotloops::random::Mt19937;

use crate::clock::Samples;
use crate::ladder::{Compared, Origin, Row, Table};
use crate::levels;
use crate::workload::Problem;

/// A ring of unit couplings, and its energy by free fermions (Pfeuty, Ann. Phys. 57, 1970).
const SITES: usize = 16;
const AT: Transverse = Transverse { beta: 8.0, gamma: 1.0 };
const ENERGY: f64 = -20.371_812;

/// Blocks whose means give the error.
const BLOCKS: usize = 64;

/// Sweeps of the layers for each layer; the autocorrelation time is 0.8 of a sweep for each.
const SWEEPS: [usize; 2] = [50, 200];
/// Sweeps of the worldlines, whose autocorrelation time is 10 sweeps.
const SWEEPS_OF_LINES: [usize; 2] = [6400, 64_000];

/// The mean energy of a Markov chain, its standard error, and the time of a sweep.
struct Chain {
    mean: f64,
    error: f64,
    sweeps: usize,
    /// Seconds of a sweep, measurements included.
    seconds: Samples,
}

impl Chain {
    /// After a tenth of the sweeps, takes the energy after each `step` of `every` sweeps.
    fn run<E>(sweeps: usize, every: usize, mut step: impl FnMut() -> Result<f64, E>) -> Result<Self, E> {
        let per_block = sweeps / every / BLOCKS;
        for _ in 0..sweeps / every / 10 {
            step()?;
        }
        let (mut blocks, mut seconds) = ([0.0; BLOCKS], Samples::default());
        for block in &mut blocks {
            let begin = Instant::now();
            for _ in 0..per_block {
                *block += step()? / per_block as f64;
            }
            seconds.push(begin.elapsed().as_secs_f64() / (per_block * every) as f64);
        }
        let mean = blocks.iter().sum::<f64>() / BLOCKS as f64;
        let squares: f64 = blocks.iter().map(|block| (block - mean).powi(2)).sum();
        let error = (squares / (BLOCKS * (BLOCKS - 1)) as f64).sqrt();
        Ok(Chain { mean, error, sweeps: per_block * every * BLOCKS, seconds })
    }

    fn row(&self, (name, origin, isa): (String, Origin, &'static str), seconds: &Samples) -> Row {
        let sweeps = self.sweeps as f64 * (self.error / (0.01 * ENERGY)).powi(2);
        Row {
            name,
            isa,
            origin,
            threads: 1,
            value: sweeps * seconds.median(),
            spread: seconds.spread(),
            printed: None,
            // The error of a finite number of slices is below 0.3 %.
            is_verified: (self.mean - ENERGY).abs() < 5.0 * self.error + 0.003 * ENERGY.abs(),
        }
    }
}

fn problem(layers: usize) -> Problem {
    let couplings = (0..SITES as u32).map(|i| (i, (i + 1) % SITES as u32, 1.0)).collect();
    Problem { layers, couplings, fields: vec![0.0; SITES] }
}

/// The couplings of layers in space and in imaginary time.
fn beta(layers: usize) -> Beta {
    let step = AT.beta * AT.gamma / layers as f64;
    Beta { space: (AT.beta / layers as f64) as f32, tau: (-0.5 * step.tanh().ln()) as f32 }
}

/// The energy of layers, as [`Worldlines::energy`](hotloops::ising::Worldlines::energy) estimates it.
fn energy(model: &LayeredIsing) -> f64 {
    let layers = model.layers() as f64;
    let step = AT.beta * AT.gamma / layers;
    let kinks = 0.5 * (layers * SITES as f64 - model.tau_energy());
    let transverse = AT.gamma * SITES as f64 * step.tanh() + kinks / AT.beta * 2.0 * step / (2.0 * step).sinh();
    -model.energy().space / layers - transverse
}

/// The library's fastest layers.
fn layered(layers: usize, sweeps: usize) -> Result<Chain, Error> {
    let of = problem(layers);
    let couplings = of.couplings.iter().map(|&(i, j, coupling)| (i as usize, j as usize, coupling.into()));
    let mut model = LayeredIsing::builder(layers, SITES).couplings(couplings).build(Kind::Auto)?;
    let mut rng = Mt19937::seeded(16, 1)?;
    let every = layers / 32;
    Chain::run(sweeps, every, || {
        model.sweep(&mut rng, beta(layers), every as u64)?;
        Ok(energy(&model))
    })
}

fn worldlines(layers: usize, sweeps: usize, with_clusters: bool) -> Result<Chain, Error> {
    let couplings = (0..SITES).map(|i| (i, (i + 1) % SITES, 1.0));
    let mut lines = LayeredIsing::builder(layers, SITES).couplings(couplings).build_worldlines()?;
    let mut rng = Mt19937::seeded(16, 1)?;
    Chain::run(sweeps, 1, || {
        lines.sweep(&mut rng, AT, 1)?;
        if with_clusters {
            lines.sweep_clusters(&mut rng, AT, 1)?;
        }
        lines.energy(AT)
    })
}

/// Seconds of a sweep of a level of the ladder under its best instruction set; `None` where it has none.
fn seconds(level: &levels::Level, layers: usize) -> Option<(&'static str, Samples)> {
    let &(isa, form) = level.rows.last()?;
    let in_force = isa::active();
    isa::set(isa).ok()?;
    let mut rung = (level.model)(&vec![1; SITES * layers], 1);
    let sweeps = (1 << 18) / (SITES * layers);
    let mut samples = Samples::default();
    for _ in 0..10 {
        let begin = Instant::now();
        rung.sweep(beta(layers), sweeps);
        samples.push(begin.elapsed().as_secs_f64() / sweeps as f64);
    }
    isa::set(in_force).ok()?;
    Some((if matches!(form, "C" | "Rust") { "" } else { isa.word() }, samples))
}

/// The rows of a number of layers.
fn rows(layers: usize, is_quick: bool) -> Result<Vec<Row>, Error> {
    let effort = usize::from(!is_quick);
    let chain = layered(layers, SWEEPS[effort] * layers)?;
    let name = |name: &str| format!("{layers} slices, {name}");
    let mut rows = Vec::new();
    for level in levels::levels(&Arc::new(problem(layers))) {
        if let ("A.1b" | "A.4", Some((isa, seconds))) = (level.name, seconds(&level, layers)) {
            rows.push(chain.row((name(level.name), level.origin, isa), &seconds));
        }
    }
    rows.push(chain.row((name("layers"), Origin::Ours, ""), &chain.seconds));
    for (with_clusters, word) in [(false, "worldlines"), (true, "worldlines and clusters")] {
        let lines = worldlines(layers, SWEEPS_OF_LINES[effort], with_clusters)?;
        rows.push(lines.row((name(word), Origin::Ours, ""), &lines.seconds));
    }
    Ok(rows)
}

/// The base is the paper's original with the fewest slices.
pub fn table(is_quick: bool, step: &mut dyn FnMut(&str)) -> Result<Table, Error> {
    let slices: &[usize] = if is_quick { &[128, 512] } else { &[128, 512, 2048] };
    let mut all = Vec::new();
    for &layers in slices {
        step(&format!("energy of {layers} slices"));
        all.extend(rows(layers, is_quick)?);
    }
    Ok(Table {
        name: "path",
        title: format!(
            "Time for an error of 1 % in the energy of a ring of {SITES} spins at beta {}, gamma {}",
            AT.beta, AT.gamma
        ),
        unit: "s",
        is_rate: false,
        base: 0,
        compared: Compared::Ratio,
        rows: all,
        notes: vec![
            format!("Sweeps by the variance of {BLOCKS} blocks, to some 20 %; times the time of a sweep."),
            "The layers' variance is that of the library's; A.1b and A.4 differ in the time of a sweep.".to_owned(),
            "A result is verified if it is the energy by free fermions within 5 errors and 0.3 %.".to_owned(),
        ],
    })
}
