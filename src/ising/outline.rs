//! The data of a sweep, for an engine outside of this crate, such as a GPU's.

use alloc::vec::Vec;

use super::bits::BitsOutline;
use super::engines::AnyEngine;
use super::model::LayeredIsing;
use super::shape::Beta;

/// What a sweep of [`Kind::I8Exact`](super::Kind::I8Exact) reads beside spins and random numbers; see the
/// [module](crate::ising#exact-acceptance) for the order of these.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExactOutline {
    /// The link stream of [`sweep_i8()`](super::sweep_i8()), its signs changed if `beta.space` is negative.
    pub links: Vec<u32>,
    /// `probabilities[384 parity + 128 c + (k & 127)]`: the probability times 2^48 of a flip against a local field of
    /// `2 k + parity` quanta with `c` unsatisfied bonds to the adjacent layers. 2^48 - 1 is certain.
    pub probabilities: Vec<u64>,
    /// The same by `c`, at sites without couplings and field: those whose header is 0.
    pub free: [u64; 3],
    /// Whether adjacent layers are coupled. Otherwise `c` counts as 0 at every site.
    pub is_coupled: bool,
}

impl LayeredIsing {
    /// The data of a sweep at these temperatures, of a model of [`Kind::I8Exact`](super::Kind::I8Exact). `None` for
    /// other kinds.
    #[must_use]
    pub fn exact_outline(&self, beta: Beta) -> Option<ExactOutline> {
        let AnyEngine::Integers(engine) = &self.engine else { return None };
        let (rule, tau) = (self.rule(beta), f64::from(beta.tau) * self.tau_coupling);
        let exponents = engine.exponents(f64::from(beta.space), tau, rule);
        let mut probabilities = Vec::new();
        for (parity, c) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)] {
            let field = |k: i32| 2 * if k < 64 { k } else { k - 128 } + parity;
            probabilities.extend((0..128).map(|k| exponents.probability(field(k), c)));
        }
        let free = [0, 1, 2].map(|c| exponents.of_free_sites().probability(0, c));
        let links = engine.links(beta.space < 0.0).iter().map(|link| link.0).collect();
        Some(ExactOutline { links, probabilities, free, is_coupled: tau != 0.0 })
    }

    /// The data of a sweep at this temperature, of a model of [`Kind::Bits`](super::Kind::Bits) whose layers are not
    /// cut ([`blocks`](Self::blocks)). `None` for other models.
    #[must_use]
    pub fn bits_outline(&self, beta: Beta) -> Option<BitsOutline> {
        let AnyEngine::Bits(engine) = &self.engine else { return None };
        engine.outline(f64::from(beta.space), self.rule(beta))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Acceptance, Kind, heat_thresholds, thresholds};
    use super::*;

    fn model(kind: Kind, acceptance: Acceptance) -> LayeredIsing {
        LayeredIsing::builder(70, 5)
            .couplings([(0, 1, 1.0), (1, 2, -2.0), (2, 3, 1.0)])
            .fields(&[0.0, 1.0, 0.0, -1.0, 0.0])
            .acceptance(acceptance)
            .build(kind)
            .unwrap()
    }

    #[test]
    fn probabilities_begin_with_the_thresholds_of_the_kernels() {
        for (acceptance, space) in [(Acceptance::Metropolis, 0.3), (Acceptance::HeatBath, -0.2)] {
            let model = model(Kind::I8Exact, acceptance);
            let outline = model.exact_outline(Beta { space, tau: 0.1 }).unwrap();
            let (space, tau) = (2.0 * f64::from(space.abs()), 4.0 * f64::from(0.1_f32));
            let tables = match acceptance {
                Acceptance::HeatBath => heat_thresholds(space, tau),
                _ => thresholds(space, tau),
            };
            for (parity, table) in tables.chunks(tables.len() / 2).enumerate() {
                for (&threshold, &exact) in table.iter().zip(&outline.probabilities[384 * parity..][..384]) {
                    assert_eq!(u64::from(threshold), exact >> 32);
                }
            }
            assert!(outline.is_coupled && model.bits_outline(Beta { space: 1.0, tau: 0.0 }).is_none());
            // The site without couplings has the header 0.
            assert_eq!(outline.links.len(), 5 + 2 * 3);
            assert_eq!(outline.links.iter().filter(|&&word| word == 0).count(), 1);
        }
    }

    #[test]
    fn a_negative_temperature_changes_signs() {
        let beta = |space| Beta { space, tau: 0.0 };
        let exact = model(Kind::I8Exact, Acceptance::Metropolis);
        let [plus, minus] = [0.5, -0.5].map(|space| exact.exact_outline(beta(space)).unwrap());
        assert_eq!(plus.probabilities, minus.probabilities);
        assert_ne!(plus.links, minus.links);
        let bits = model(Kind::Bits, Acceptance::Metropolis);
        let [plus, minus] = [0.5, -0.5].map(|space| bits.bits_outline(beta(space)).unwrap());
        assert_eq!(plus.links, minus.links);
        assert!(plus.signs.iter().zip(&minus.signs).all(|(a, b)| a.map(|word| !word) == *b));
        assert!(!plus.is_heat_bath && bits.bits_outline(beta(0.0)).unwrap().is_heat_bath);
    }
}
