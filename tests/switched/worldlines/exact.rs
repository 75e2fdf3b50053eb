//! Exact means: products of transfer matrices, and free fermions.

use hotloops::ising::Transverse;

use super::free_fermions::ln_partition;
use crate::models::Rng;

#[derive(Clone, Debug)]
pub struct Problem {
    pub slices: usize,
    pub couplings: Vec<(usize, usize, f64)>,
    pub fields: Vec<f64>,
    pub at: Transverse,
    pub is_integer: bool,
}

/// A polynomial of degree 2 in a parameter, of square matrices.
type Series = [Vec<f64>; 3];

impl Problem {
    /// Real couplings for odd `nth`. Local fields are moderate, so that few sweeps are enough.
    pub fn random(rng: &mut Rng, nth: usize) -> Self {
        let mut choice = |values: &[f64]| values[(rng.uniform() * values.len() as f64) as usize];
        let sites = choice(&[1.0, 2.0, 3.0, 4.0, 5.0]) as usize;
        let slices = choice(&[2.0, 3.0, 5.0, 12.0, 33.0, 64.0, 65.0, 127.0, 200.0, 512.0, 4096.0]) as usize;
        let beta = choice(&[0.5, 1.0, 2.0, 4.0]);
        let gamma = choice(&[0.3, 0.7, 1.0, 2.0, 6.0]);
        let is_integer = nth.is_multiple_of(2);
        let value = |rng: &mut Rng, scale: f64| match is_integer {
            true => scale * [-1.0, -0.5, 0.5, 1.0][(rng.uniform() * 4.0) as usize],
            false => scale * rng.between(-1.3, 1.3),
        };
        let strength = 1.0 / f64::from(1 << (beta as u32 / 3));
        let mut couplings = Vec::new();
        for i in 0..sites {
            for j in 0..i {
                if rng.uniform() < 0.7 {
                    couplings.push((i, j, value(rng, strength)));
                }
            }
        }
        let mut field = || if rng.uniform() < 0.7 { value(rng, 0.5 * strength) } else { 0.0 };
        let fields: Vec<f64> = (0..sites).map(|_| field()).collect();
        // A single value is its own quantum.
        let is_integer = is_integer || couplings.len() + fields.iter().filter(|&&field| field != 0.0).count() < 2;
        Problem { slices, couplings, fields, at: Transverse { beta, gamma }, is_integer }
    }

    /// The sum over couplings and fields of a slice.
    pub fn energy(&self, spins: &[i8]) -> f64 {
        let spin = |i: usize| f64::from(spins[i]);
        let couplings = self.couplings.iter().map(|&(i, j, value)| value * spin(i) * spin(j)).sum::<f64>();
        couplings + self.fields.iter().enumerate().map(|(i, field)| field * spin(i)).sum::<f64>()
    }

    /// The means that `runs::sampled` measures.
    pub fn means(&self) -> [f64; 4] {
        let size = 1 << self.fields.len();
        let spins = |state: usize| (0..self.fields.len()).map(move |i| 1 - 2 * (state >> i & 1) as i8);
        let energy: Vec<f64> = (0..size).map(|state| self.energy(&spins(state).collect::<Vec<_>>())).collect();
        let sum: Vec<f64> = (0..size).map(|state| spins(state).map(f64::from).sum()).collect();
        let step = self.at.beta / self.slices as f64;
        let (slices, sites) = (self.slices as f64, self.fields.len() as f64);
        let flips = |a: usize, b: usize| f64::from((a ^ b).count_ones());
        // The logarithm of the parameter's factor is `tangent` times the parameter.
        let moments = |tangent: &dyn Fn(usize, usize) -> f64| {
            let mut series: Series = Default::default();
            for (a, b) in (0..size * size).map(|at| (at / size, at % size)) {
                let weight = (step * energy[b]).exp() * (step * self.at.gamma).tanh().powf(flips(a, b));
                let slope = tangent(a, b);
                series[0].push(weight);
                series[1].push(weight * slope);
                series[2].push(weight * slope * slope / 2.0);
            }
            let traces =
                power(series, self.slices, size).map(|matrix| (0..size).map(|i| matrix[i * (size + 1)]).sum::<f64>());
            [traces[1] / traces[0], 2.0 * traces[2] / traces[0]]
        };
        let [mean_energy, _] = moments(&|_, b| energy[b]);
        let [mean, square] = moments(&|_, b| sum[b] / sites);
        let [kinks, _] = moments(&flips);
        [-mean_energy / slices, mean / slices, square / (slices * slices), kinks]
    }
}

fn product(a: &Series, b: &Series, size: usize) -> Series {
    let mut result: Series = std::array::from_fn(|_| vec![0.0; size * size]);
    for (degree, result) in result.iter_mut().enumerate() {
        for left in 0..=degree {
            for (row, row_of_result) in result.chunks_mut(size).enumerate() {
                for (k, others) in b[degree - left].chunks(size).enumerate() {
                    let factor = a[left][row * size + k];
                    row_of_result.iter_mut().zip(others).for_each(|(sum, other)| *sum += factor * other);
                }
            }
        }
    }
    let scale = result[0].iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
    result.map(|matrix| matrix.into_iter().map(|value| value / scale).collect())
}

/// A power, up to a factor.
fn power(mut base: Series, mut exponent: usize, size: usize) -> Series {
    let mut result: Option<Series> = None;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = Some(result.map_or_else(|| base.clone(), |result| product(&result, &base, size)));
        }
        base = product(&base, &base, size);
        exponent /= 2;
    }
    result.unwrap()
}

/// The energy of a ring of unit couplings in continuous imaginary time.
pub fn energy_of_ring(sites: usize, Transverse { beta, gamma }: Transverse) -> f64 {
    let step = 1e-4;
    -(ln_partition(sites, beta + step, gamma) - ln_partition(sites, beta - step, gamma)) / (2.0 * step)
}
