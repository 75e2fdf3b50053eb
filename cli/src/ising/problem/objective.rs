//! The objective of a problem: an energy, the weight of a cut, or the value of a QUBO.

use crate::coo::Couplings;

/// The objective that is optimised.
#[derive(Debug, PartialEq)]
pub enum Objective {
    /// The energy, which includes the offset; the minimum is sought.
    Energy { offset: f64 },
    /// The total weight of the edges between spins of opposite sign, in a graph of this total
    /// weight; the maximum is sought.
    Cut { total: f64 },
    /// The sum of `Q_ij x_i x_j` for x = (1 + s) / 2 plus a constant; the minimum is sought. The energy is the
    /// value minus the offset. With `is_max` the values are the negative ones, and the maximum is sought.
    Qubo { diagonal: Vec<f64>, constant: f64, offset: f64, is_max: bool },
}

impl Objective {
    pub fn name(&self) -> &'static str {
        match self {
            Objective::Energy { .. } => "energy",
            Objective::Cut { .. } => "cut",
            Objective::Qubo { .. } => "objective",
        }
    }

    /// The word for the best value.
    pub fn extreme(&self) -> &'static str {
        match self {
            Objective::Cut { .. } | Objective::Qubo { is_max: true, .. } => "highest",
            Objective::Energy { .. } | Objective::Qubo { .. } => "lowest",
        }
    }

    /// The objective is the first number times the energy plus the second.
    pub fn of_energy(&self) -> (f64, f64) {
        match self {
            Objective::Energy { offset } => (1.0, *offset),
            Objective::Cut { total } => (-0.5, total / 2.0),
            Objective::Qubo { offset, is_max: false, .. } => (1.0, *offset),
            Objective::Qubo { offset, is_max: true, .. } => (-1.0, 0.0 - *offset),
        }
    }

    /// The energy of an objective.
    pub fn energy_of(&self, value: f64) -> f64 {
        let (scale, offset) = self.of_energy();
        (value - offset) / scale
    }

    /// The objective of a configuration, summed from the values in the file.
    pub fn value(&self, model: &Couplings, spins: &[i8]) -> f64 {
        let pairs = model.couplings.iter().map(|&(i, j, coupling)| (spins[i as usize], spins[j as usize], coupling));
        match self {
            Objective::Energy { offset } => {
                let couplings = pairs.map(|(a, b, coupling)| coupling * f64::from(a * b));
                let fields = model.fields.iter().zip(spins).map(|(field, &spin)| field * f64::from(spin));
                offset - couplings.chain(fields).sum::<f64>()
            }
            Objective::Cut { .. } => {
                0.0 - pairs.filter(|(a, b, _)| a != b).map(|(_, _, coupling)| coupling).sum::<f64>()
            }
            Objective::Qubo { diagonal, constant, is_max, .. } => {
                let pairs: f64 = pairs.filter(|&(a, b, _)| a + b == 2).map(|(_, _, coupling)| -4.0 * coupling).sum();
                let own: f64 = diagonal.iter().zip(spins).filter(|&(_, &spin)| spin > 0).map(|(value, _)| value).sum();
                let value = constant + own + pairs;
                if *is_max { 0.0 - value } else { value }
            }
        }
    }

    /// A spin as the number of the format: 0 or 1 in a QUBO.
    pub fn number(&self, spin: i8) -> i8 {
        match self {
            Objective::Qubo { .. } => (1 + spin) / 2,
            _ => spin,
        }
    }

    pub fn symbol(&self, spin: i8) -> char {
        match (self, spin > 0) {
            (Objective::Qubo { .. }, true) => '1',
            (Objective::Qubo { .. }, false) => '0',
            (_, true) => '+',
            (_, false) => '-',
        }
    }
}
