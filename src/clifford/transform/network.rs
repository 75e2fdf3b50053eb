//! The transforms of common algebras, known at compile time.

use super::super::algebra::network::Network;
use super::super::signature::{MAX_BLADES, Signature};
use super::ALGEBRAS;

/// Maximum sums that are results, and maximum terms of a sum.
const MAX_SUMS: usize = 32;
const MAX_TERMS: usize = 5;

/// A signed sum. The signs behind its last term are 0.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub places: [usize; MAX_TERMS],
    pub signs: [i8; MAX_TERMS],
    terms: usize,
}

const NONE: Sum = Sum { places: [0; MAX_TERMS], signs: [0; MAX_TERMS], terms: 0 };

impl Sum {
    const fn add(&mut self, place: usize, sign: i8) {
        if sign != 0 {
            (self.places[self.terms], self.signs[self.terms]) = (place, sign);
            self.terms += 1;
        }
    }
}

/// The sums of one transform, as the kernels take them; behind them, sums without terms.
#[derive(Clone, Copy)]
pub(super) struct Lists {
    pub kept: [Sum; MAX_BLADES],
    pub results: [Sum; MAX_SUMS],
}

/// The transforms of an algebra: the forms of the input, and the blades of the output.
#[derive(Clone, Copy)]
pub(super) struct Transforms {
    pub n_blades: usize,
    /// Sums that are kept, of each transform, and forms.
    pub kept: usize,
    pub count: usize,
    pub forms: Lists,
    pub blades: Lists,
}

impl Transforms {
    const EMPTY: Self = {
        let lists = Lists { kept: [NONE; MAX_BLADES], results: [NONE; MAX_SUMS] };
        Transforms { n_blades: 0, kept: 0, count: 0, forms: lists, blades: lists }
    };

    const fn new(network: &Network, blades: usize) -> Self {
        let (mut all, kept, own) = (Transforms::EMPTY, network.n_parts, network.own());
        (all.n_blades, all.kept, all.count) = (blades, kept, network.forms - own);
        let mut p = 0;
        while p < blades {
            let mut f = own;
            while f < network.forms {
                all.forms.results[f - own].add(p, if kept == 0 { network.x[f][p] } else { network.x_parts[f][p] });
                f += 1;
            }
            let mut u = 0;
            while u < network.products {
                match kept {
                    0 => all.blades.results[p].add(u, network.units[u][p]),
                    _ => all.blades.kept[p].add(kept + u, network.unit_parts[u][p]),
                }
                u += 1;
            }
            let mut part = 0;
            while part < kept {
                all.forms.kept[part].add(kept + p, network.parts[part][p]);
                all.blades.results[p].add(part, network.parts[part][p]);
                part += 1;
            }
            p += 1;
        }
        all
    }
}

/// The transforms of all algebras. Only read at compile time, so they are in no program.
pub(super) static TRANSFORMS: [Transforms; ALGEBRAS.len()] = {
    let mut transforms = [Transforms::EMPTY; ALGEBRAS.len()];
    let mut i = 0;
    while i < ALGEBRAS.len() {
        let Ok(signature) = Signature::new(ALGEBRAS[i]) else { panic!("no signature") };
        let Some(network) = Network::new(&signature) else { panic!("no matrix algebra") };
        transforms[i] = Transforms::new(&network, signature.blades());
        i += 1;
    }
    transforms
};
