//! The data of a sweep, for an engine outside of this crate.

use alloc::vec;
use alloc::vec::Vec;

use super::{BitEngine, CODES, rule_at, tabulate};
use crate::ising::shape::Rule;

/// What a sweep of [`Kind::Bits`](crate::ising::Kind::Bits) reads beside spins and random numbers; see
/// [`sweep_bits()`](crate::ising::sweep_bits()).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BitsOutline {
    /// The link stream.
    pub links: Vec<u32>,
    /// Number of blocks in it.
    pub blocks: usize,
    /// Number of rows of spins of a group: one for each site, then, if there are fields, one of +1.
    pub rows: usize,
    /// Rows of signs of each group of 512 copies, all groups one after the other. They change if `beta.space` is
    /// negative.
    pub signs: Vec<[u64; 8]>,
    /// The acceptance probabilities, bit by bit.
    pub codes: Vec<u8>,
    /// Whether flips are accepted by the heat bath.
    pub is_heat_bath: bool,
}

impl BitEngine {
    /// The data of a sweep. `None` for strips.
    pub fn outline(&self, space: f64, rule: Rule) -> Option<BitsOutline> {
        let run = self.runs.first().filter(|_| self.halo.is_none())?;
        let rule = rule_at(space, rule);
        let mut codes = vec![0; CODES];
        tabulate(self.exponents(space, rule), self.degrees[0], &mut codes);
        let flip = if self.is_negative != (space < 0.0) { u64::MAX } else { 0 };
        Some(BitsOutline {
            links: self.links.clone(),
            blocks: run.blocks,
            rows: self.rows,
            signs: self.signs.iter().map(|row| row.0.map(|word| word ^ flip)).collect(),
            codes,
            is_heat_bath: rule == Rule::HeatBath,
        })
    }
}
