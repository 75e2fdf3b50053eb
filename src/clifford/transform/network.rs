//! The transforms of common algebras, known at compile time.

use super::super::algebra::Network;
use super::super::signature::Signature;
use super::ALGEBRAS;

/// Maximum numbers of forms, and of terms of a sum.
const MAX_FORMS: usize = 36;
const MAX_TERMS: usize = 10;

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

/// The sums of an algebra: the forms of the input, and the blades of the output; behind them, sums without terms.
#[derive(Clone, Copy)]
pub(super) struct Lists {
    pub count: usize,
    pub forms: [Sum; MAX_FORMS],
    pub blades: [Sum; MAX_FORMS],
}

/// The lists of all algebras. Only read at compile time, so they are in no program.
pub(super) static LISTS: [Lists; ALGEBRAS.len()] = {
    let mut lists = [Lists { count: 0, forms: [NONE; MAX_FORMS], blades: [NONE; MAX_FORMS] }; ALGEBRAS.len()];
    let mut i = 0;
    while i < ALGEBRAS.len() {
        let Ok(signature) = Signature::new(ALGEBRAS[i]) else { panic!("no signature") };
        let Some(network) = Network::new(&signature) else { panic!("no matrix algebra") };
        lists[i].count = network.forms;
        let mut p = 0;
        while p < signature.blades() {
            let mut f = 0;
            while f < network.forms {
                lists[i].forms[f].add(p, network.x[f][p]);
                f += 1;
            }
            let mut u = 0;
            while u < network.products {
                lists[i].blades[p].add(u, network.units[u][p]);
                u += 1;
            }
            p += 1;
        }
        i += 1;
    }
    lists
};
