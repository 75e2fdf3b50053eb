//! Acceptance probabilities.

use super::contract::{BITS, HEAT_BATH, NEGATIVE};
use crate::frame::error::Error;
use crate::ising::shape::{Acceptance, Rule};
use crate::ising::thresholds::Exponents;

/// How spins of a [`SquareLattice`](super::SquareLattice) are accepted at a temperature, in the integers
/// that define its sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatticeRule {
    /// The acceptance probabilities, in units of 2^-48, of spins with none or one of their four bonds
    /// unsatisfied.
    pub probabilities: [u64; 2],
    /// Whether spins with three or four unsatisfied bonds have the probability that remains of one or
    /// none; otherwise they flip always.
    pub is_heat_bath: bool,
    /// Whether bonds between equal spins are the unsatisfied ones.
    pub is_negative: bool,
}

impl LatticeRule {
    /// The rule of a temperature. `Auto` is `HeatBath` if Metropolis would flip at least nine of ten
    /// spins: below `|beta| = atanh(0.1) / 2`, as
    /// [`LayeredIsing::acceptance`](crate::ising::LayeredIsing::acceptance). So is `Metropolis` at 0.
    ///
    /// # Errors
    /// [`Error::Beta`] if `beta` is not finite.
    pub fn new(beta: f64, acceptance: Acceptance) -> Result<Self, Error> {
        /// `atanh(0.1)`.
        const HOT: f64 = 0.100_335_347_731_075_58;
        if !beta.is_finite() {
            return Err(Error::Beta { argument: "beta", value: beta as f32 });
        }
        let is_heat_bath = match acceptance {
            Acceptance::HeatBath => true,
            Acceptance::Metropolis => beta == 0.0,
            Acceptance::Auto => 2.0 * beta.abs() < HOT,
        };
        let rule = if is_heat_bath { Rule::HeatBath } else { Rule::Metropolis };
        let exponents = Exponents { space: 2.0 * beta.abs(), tau: 0.0, rule };
        // No adjacent layers.
        let probabilities = [4, 2].map(|field| exponents.probability(field, 1));
        Ok(LatticeRule { probabilities, is_heat_bath, is_negative: beta < 0.0 })
    }

    /// The kernel's argument `flags` for the even colour.
    pub(super) fn flags(self) -> u32 {
        (if self.is_negative { NEGATIVE } else { 0 }) | if self.is_heat_bath { HEAT_BATH } else { 0 }
    }

    /// The kernel's argument `codes`.
    pub(super) fn codes(self) -> [u8; BITS] {
        let bit = |class: usize, k: usize| (self.probabilities[class] >> (BITS - 1 - k) & 1) as u8;
        core::array::from_fn(|k| bit(0, k) | bit(1, k) << 1)
    }
}
