//! Rounding errors of f64 among the terms of a site.

use super::part;
use crate::ising::binary::{exponent, unit};

/// The exponent of 1/4.
const QUARTER: i32 = -2;

/// Rounding errors that remain where the large terms of a site cancel in f64, as in the fields of a QUBO that another
/// program converted to spins: some units in the last place of these terms, and a multiple of the lowest bit set in
/// one of them. Terms that add up without rounding leave no error. Nor do quarters of integers, as in the spins of an
/// integer QUBO: f64 holds their sums unless they are beyond 10^15.
pub(super) struct Noise {
    limit: f64,
    /// The exponent of the lowest bit.
    unit: i32,
}

impl Noise {
    /// `values` are the magnitudes of a site. Those of `terms` are in the sums.
    pub fn of(values: &[f64], terms: impl Iterator<Item = f64>) -> Self {
        let sum = values.iter().sum::<f64>();
        let limit = values.len() as f64 * part(52) * sum;
        let unit = terms.filter(|&value| value >= limit).map(unit).min().unwrap_or(i32::MAX);
        let is_exact = unit >= QUARTER || exponent(sum) < unit.saturating_add(53);
        Noise { limit: if is_exact { 0.0 } else { limit }, unit }
    }

    /// As if no sum were without rounding.
    pub fn of_rounded(values: &[f64]) -> Self {
        Noise { limit: values.len() as f64 * part(52) * values.iter().sum::<f64>(), unit: i32::MIN }
    }

    /// Whether a term or a difference is not more.
    pub fn has(&self, value: f64) -> bool {
        value == 0.0 || self.has_rest(value, 0.0) && unit(value) >= self.unit
    }

    /// Whether the rest beside a multiple of a difference is not more.
    pub fn has_rest(&self, rest: f64, count: f64) -> bool {
        rest == 0.0 || rest < (1.0 + count) * self.limit
    }
}
