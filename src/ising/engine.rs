//! What a model asks of its engine: spins, sweeps and measurements in one arithmetic.

use super::graph::Weights;
use super::measure::LayerSums;
use super::shape::{CompensatedSum, Kind, Rule, Shape};
use crate::frame::pieces::{Ended, Pieces};
use crate::random::Mt19937;

/// How an engine computes sums over neighbours.
pub(super) struct Arithmetic {
    /// Never [`Kind::Auto`].
    pub kind: Kind,
    /// Whether all sums are exact.
    pub is_exact: bool,
    /// The unit of couplings and fields; 0 if they are not counted in one.
    pub quantum: f64,
}

/// The inverse temperatures of a sweep.
#[derive(Clone, Copy)]
pub(super) struct Temperature {
    pub space: f32,
    /// Times the coupling between layers; 0 for engines whose layers are independent.
    pub tau: f64,
}

/// The rows of a [`Shape`], each a word with a bit for each lane.
pub(super) trait Engine {
    fn arithmetic(&self) -> Arithmetic;

    /// The sites in visiting order.
    fn order(&self) -> &[u32];

    /// Mean over the sites of the sum of the squares of field and couplings.
    fn mean_square(&self) -> f64;

    /// Bytes on the heap; constant.
    fn heap_bytes(&self) -> usize;

    /// Visits every spin `sweeps` times; returns the number of flips.
    fn sweep(&mut self, rng: &mut Mt19937, beta: Temperature, rule: Rule, sweeps: u64) -> u64;

    /// `Es` of all layers.
    fn space_energy(&self) -> f64;

    /// Measures the layers of all `groups` groups. `write` takes the sums of one or more groups, from the given one on.
    fn measure(&self, groups: usize, write: &mut dyn FnMut(usize, &[LayerSums]));

    /// Bit `k` is set where lane `k` of row `index` is -1.
    fn word(&self, index: usize) -> u64;

    /// Sets the live lanes of row `index`. Call [`refresh`](Self::refresh) afterwards.
    fn set_word(&mut self, index: usize, word: u64);

    /// Recomputes what is kept beside the spins.
    fn refresh(&mut self) {}

    /// Like [`refresh`](Self::refresh), in pieces if it takes long.
    fn refresh_while(&mut self, _: &Pieces) -> Result<(), Ended> {
        self.refresh();
        Ok(())
    }

    /// The sum of the products of the spins of adjacent layers.
    fn aligned_layers(&self, shape: Shape) -> i64 {
        let Shape { sites, groups, .. } = shape;
        let aligned = |group, row| {
            let word = |group: usize| self.word(group * sites + row);
            shape.aligned(group, word(group), shape.above(group, word))
        };
        (0..groups).map(|group| (0..sites).map(|row| aligned(group, row)).sum::<i64>()).sum()
    }
}

/// Calls `pass` with the first one and the number of 8, 4, 2 or 1 groups until all are measured.
pub(super) fn passes(groups: usize, mut pass: impl FnMut(usize, usize)) {
    let mut first = 0;
    while first < groups {
        let count = match groups - first {
            8.. => 8,
            4.. => 4,
            2.. => 2,
            _ => 1,
        };
        pass(first, count);
        first += count;
    }
}

/// `Es` in f64. `rows` yields the neighbours of each row in link order, each with its row of signs; `weights` holds
/// the couplings to the later ones. `reversed` gives the lanes of a group in which a row of signs is negative.
pub(super) fn space_energy<L: Iterator<Item = (usize, usize)>>(
    shape: Shape,
    weights: &Weights,
    rows: impl Iterator<Item = L> + Clone,
    word: impl Fn(usize) -> u64,
    reversed: impl Fn(usize, usize) -> u64,
) -> f64 {
    let mut sum = CompensatedSum::default();
    for group in 0..shape.groups {
        let word = |row: usize| word(group * shape.sites + row);
        let mut weights = weights.values.iter();
        let mut add = |aligned: i64| sum.add(weights.next().copied().unwrap_or(0.0) * aligned as f64);
        for (row, neighbours) in rows.clone().enumerate() {
            let spin = word(row);
            add(shape.aligned(group, spin, 0));
            // Count every edge once, at the site that is visited first.
            for (other, sign) in neighbours.filter(|&(other, _)| other > row) {
                add(shape.aligned(group, spin ^ reversed(group, sign), word(other)));
            }
        }
    }
    sum.value()
}
