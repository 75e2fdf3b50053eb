//! What is measured: the records of a model, its lowest energies, and the configurations that have them.

use serde::{Deserialize, Serialize};

use super::observables::Observer;
use super::tally::Tally;
use crate::coo::Couplings;

/// Energies are considered equal if they differ by at most this fraction of the sum of all
/// magnitudes of couplings and fields, the rounding error of a sum of 10^8 terms.
const ROUNDING: f64 = 1e-12;

/// A measurement of one model. Energies are physical energies of a system or a slice.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Mean over all layers.
    pub energy: f64,
    /// Lowest energy of any layer.
    pub lowest: f64,
    /// Sum over the spins of a layer, mean over all layers.
    pub magnetisation: f64,
    /// Sum of the transverse magnetisations of all sites; 0 for classical systems.
    pub transverse: f64,
}

/// The configuration of lowest energy.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Best {
    pub energy: f64,
    /// Number of complete anneals before it, if they are repeated, which no file or other rank has.
    #[serde(skip)]
    pub anneal: u64,
    /// Sweeps done when it was measured, in its anneal.
    pub sweep: u64,
    /// One bit for each spin.
    pub spins: Vec<u8>,
}

/// The measurements of a model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Results {
    /// Lowest energy so far of each system.
    pub lowest: Vec<f64>,
    pub best: Best,
    /// Energy and magnetisation of each copy of an exchange; empty for a single one.
    pub tallies: Vec<[Tally; 2]>,
    pub observer: Option<Observer>,
}

/// One bit for each spin.
pub fn packed(spins: &[i8]) -> Vec<u8> {
    let byte = |spins: &[i8]| spins.iter().rev().fold(0, |byte, &spin| byte << 1 | u8::from(spin < 0));
    spins.chunks(8).map(byte).collect()
}

/// The spins of [`packed`].
pub fn unpacked(bytes: &[u8], count: usize) -> Vec<i8> {
    (0..count).map(|index| 1 - 2 * (bytes[index / 8] >> (index % 8) & 1) as i8).collect()
}

/// Energies that differ by at most this are equal: 0 if all sums are exact in f64.
pub fn margin(problem: &Couplings) -> f64 {
    let values = || problem.couplings.iter().map(|(.., coupling)| coupling).chain(&problem.fields).map(|x| x.abs());
    let sum = values().sum::<f64>();
    let unit = values().filter(|&value| value > 0.0).map(lowest_bit).fold(f64::INFINITY, f64::min);
    if sum / unit <= 2f64.powi(53) { 0.0 } else { ROUNDING * sum }
}

/// The largest power of two that divides a positive value.
fn lowest_bit(value: f64) -> f64 {
    let zeros = value.to_bits().trailing_zeros().min(52);
    let power = f64::from_bits(value.to_bits() & 0x7FF << 52);
    power / 2f64.powi(52 - zeros as i32)
}
