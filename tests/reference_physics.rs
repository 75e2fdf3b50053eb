//! The layered model against exact physics: transfer matrices, closed formulas, all states one by one.

mod ising;

use hotloops::ising::{Beta, Energy, Kind, LayeredIsing};
use ising::{Dice, Layer, generator, spins_of};

/// Mean energies per spin of `layers` layers of `layer` from the transfer matrix: `Tr(e T^layers) / Tr(T^layers)`.
fn exact_energies(layer: &Layer, layers: usize, beta: Beta) -> [f64; 2] {
    let sites = layer.sites();
    let states = 1 << sites;
    let spins = |state: usize| (0..sites).map(|site| 1 - 2 * (state >> site & 1) as i8).collect::<Vec<_>>();
    let space: Vec<f64> = (0..states).map(|state| layer.energies(&spins(state))[0]).collect();
    let tau = |a: usize, b: usize| {
        f64::from(layer.tau_coupling) * (sites as f64 - 2.0 * f64::from((a ^ b).count_ones()))
    };
    let entry = |a: usize, b: usize| {
        (f64::from(beta.space) * (space[a] + space[b]) / 2.0 + f64::from(beta.tau) * tau(a, b)).exp()
    };
    let transfer = Matrix::new(states, entry);
    // The power layers - 1, from its binary digits after the leading one.
    let digits = (layers - 1).ilog2();
    let rest = (0..digits).rev().fold(transfer.clone(), |power, digit| {
        let square = power.times(&power);
        if (layers - 1) >> digit & 1 == 1 { square.times(&transfer) } else { square }
    });
    // All of them are symmetric.
    let mean = |value: &dyn Fn(usize, usize) -> f64| {
        let sum = |weight: &dyn Fn(usize, usize) -> f64| -> f64 {
            (0..states).flat_map(|a| (0..states).map(move |b| (a, b)))
                .map(|(a, b)| weight(a, b) * transfer.0[a][b] * rest.0[a][b])
                .sum()
        };
        sum(value) / sum(&|_, _| 1.0) / sites as f64
    };
    [mean(&|a, _| space[a]), mean(&tau)]
}

/// A square matrix, by rows.
#[derive(Clone)]
struct Matrix(Vec<Vec<f64>>);

impl Matrix {
    fn new(size: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        Matrix((0..size).map(|a| (0..size).map(|b| entry(a, b)).collect()).collect())
    }

    fn times(&self, other: &Matrix) -> Matrix {
        let row = |row: &Vec<f64>| {
            let mut sum = vec![0.0; row.len()];
            for (x, row) in row.iter().zip(&other.0) {
                sum.iter_mut().zip(row).for_each(|(sum, y)| *sum += x * y);
            }
            sum
        };
        Matrix(self.0.iter().map(row).collect())
    }
}

/// A mean and its standard error.
#[derive(Clone, Copy, Debug)]
struct Sampled {
    mean: f64,
    sigma: f64,
}

impl Sampled {
    /// Standard errors above `exact`.
    fn above(self, exact: f64) -> f64 {
        (self.mean - exact) / self.sigma
    }
}

/// Samples what `measure` makes of a model, after each sweep; the errors are from 40 blocks.
fn sampled<const N: usize>(
    model: &mut LayeredIsing,
    beta: Beta,
    sweeps: usize,
    measure: impl Fn(&LayeredIsing) -> [f64; N],
) -> [Sampled; N] {
    const BLOCKS: usize = 40;
    let mut rng = generator(11);
    model.sweep(&mut rng, beta, sweeps as u64 / 40).unwrap();
    let mut blocks = [[0.0; BLOCKS]; N];
    for block in 0..BLOCKS {
        for _ in 0..sweeps / BLOCKS {
            model.sweep(&mut rng, beta, 1).unwrap();
            for (blocks, value) in blocks.iter_mut().zip(measure(model)) {
                blocks[block] += value / (sweeps / BLOCKS) as f64;
            }
        }
    }
    blocks.map(|blocks| {
        let mean = blocks.iter().sum::<f64>() / BLOCKS as f64;
        let variance = blocks.iter().map(|block| (block - mean).powi(2)).sum::<f64>() / (BLOCKS - 1) as f64;
        Sampled { mean, sigma: (variance / BLOCKS as f64).sqrt() }
    })
}

/// Both energies for each spin.
fn energies(model: &LayeredIsing) -> [f64; 2] {
    let Energy { space, tau } = model.energy();
    [space, tau].map(|energy| energy / (model.layers() * model.sites()) as f64)
}

/// How far the energies of a model are above those of the transfer matrix, in standard errors, which are checked to be
/// below `resolution`.
fn deviations(layer: &Layer, layers: usize, beta: Beta, kind: Kind, sweeps: usize, resolution: f64) -> [f64; 2] {
    let exact = exact_energies(layer, layers, beta);
    let mut model = layer.builder(layers).build(kind).unwrap();
    let found = sampled(&mut model, beta, sweeps, energies);
    println!("{kind:?}, {layers} layers of {}, {beta:?}: exact {exact:?}, {found:?}", layer.sites());
    assert!(found.iter().all(|energy| energy.sigma < resolution), "{found:?}");
    [found[0].above(exact[0]), found[1].above(exact[1])]
}

/// What all the tests here ask.
fn is_right(deviations: &[f64]) -> bool {
    deviations.iter().all(|deviation| deviation.abs() < 4.0)
}

/// A ring of 8, and 8 spins with +1 and -1 among them, 12 couplings, in fields of thirds... 
fn glass() -> Layer {
    let mut dice = Dice(12);
    let mut glass = Layer::ring(8);
    glass.couplings.extend((0..4).map(|i| (i, i + 4, 1.0)));
    glass.couplings.iter_mut().for_each(|(_, _, value)| *value = 1.0 - 2.0 * dice.below(2) as f32);
    glass.fields.iter_mut().for_each(|field| *field = dice.eighths(3));
    glass
}
