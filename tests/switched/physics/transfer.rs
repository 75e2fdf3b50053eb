//! Exact energies of small models, by the transfer matrix.

use hotloops::ising::Beta;

use crate::layers::Layer;

/// Mean energies per spin of `layers` layers of `layer` from the transfer matrix: `Tr(e T^layers) /
/// Tr(T^layers)`.
pub fn exact_energies(layer: &Layer, layers: usize, beta: Beta) -> [f64; 2] {
    let sites = layer.sites();
    let states = 1 << sites;
    let spins = |state: usize| (0..sites).map(|site| 1 - 2 * (state >> site & 1) as i8).collect::<Vec<_>>();
    let space: Vec<f64> = (0..states).map(|state| layer.energies(&spins(state))[0]).collect();
    let tau = |a: usize, b: usize| layer.tau_coupling * (sites as f64 - 2.0 * f64::from((a ^ b).count_ones()));
    let entry = |a: usize, b: usize| {
        (f64::from(beta.space) * (space[a] + space[b]) / 2.0 + f64::from(beta.tau) * tau(a, b)).exp()
    };
    let transfer = Matrix::new(states, entry);
    // The power layers - 1, from the binary digits after the leading one.
    let digits = (layers - 1).ilog2();
    let rest = (0..digits).rev().fold(transfer.clone(), |power, digit| {
        let square = power.times(&power);
        if (layers - 1) >> digit & 1 == 1 { square.times(&transfer) } else { square }
    });
    // All of them are symmetric.
    let mean = |value: &dyn Fn(usize, usize) -> f64| {
        let sum = |weight: &dyn Fn(usize, usize) -> f64| -> f64 {
            (0..states)
                .flat_map(|a| (0..states).map(move |b| (a, b)))
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

    /// The product, scaled so that its largest entry is 1.
    fn times(&self, other: &Matrix) -> Matrix {
        let row = |row: &Vec<f64>| {
            let mut sum = vec![0.0; row.len()];
            for (x, row) in row.iter().zip(&other.0) {
                sum.iter_mut().zip(row).for_each(|(sum, y)| *sum += x * y);
            }
            sum
        };
        let mut product = Matrix(self.0.iter().map(row).collect());
        let largest = product.0.iter().flatten().copied().fold(0.0, f64::max);
        product.0.iter_mut().flatten().for_each(|entry| *entry /= largest);
        product
    }
}
