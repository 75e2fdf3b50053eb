//! The spins of all copies, in blocks of sites.

use alloc::vec::Vec;

use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::pieces::Ended;
use crate::ising::graph::Lists;

/// Sites of a block.
pub(super) const BLOCK: usize = 64;
/// Blocks whose random numbers are drawn together.
pub(super) const BLOCKS: usize = 8;

/// The spins.
#[derive(Debug)]
pub(super) struct Copies {
    pub layers: usize,
    pub sites: usize,
    /// Blocks of a copy.
    pub blocks: usize,
    /// Sites without couplings and field, a word for each block.
    pub free: Vec<u64>,
    /// A word for each block of each copy: bit `i` is set where its site `i` is -1. Bits after the
    /// last site are 0.
    pub spins: Vec<u64>,
}

impl Copies {
    pub fn new(site_fields: &[f64], lists: &Lists, layers: usize) -> Result<Self, Ended> {
        lists.next()?;
        let blocks = site_fields.len().div_ceil(BLOCK);
        let words = blocks.checked_mul(layers).ok_or(Error::TooLarge { argument: "layers" })?;
        let mut free = memory::filled(blocks, 0)?;
        for (site, &field) in site_fields.iter().enumerate() {
            let is_free = field == 0.0 && lists.neighbours(site as u32).iter().all(|half| half.coupling == 0.0);
            free[site / BLOCK] |= u64::from(is_free) << (site % BLOCK);
        }
        Ok(Copies { layers, sites: site_fields.len(), blocks, free, spins: lists.pieces.filled(words, 0)? })
    }

    /// Index of the word of a row, and the place in it.
    pub fn place(&self, index: usize) -> (usize, usize) {
        let (layer, site) = (index / self.sites, index % self.sites);
        (layer * self.blocks + site / BLOCK, site % BLOCK)
    }

    /// Live sites of a block.
    pub fn len(&self, block: usize) -> usize {
        BLOCK.min(self.sites - block * BLOCK)
    }
}
