//! Couplings in f32: spins and the sweep.

use alloc::vec::Vec;

use super::energies::{CHAINS, Chain, measure};
use super::program::{BlockLine, Program, Values};
use super::scalar::BLOCK;
use super::{Layout, sweep_blocks_f32, sweep_heat_blocks_f32};
use crate::frame::pieces::{Ended, Pieces};
use crate::ising::graph::{CHUNK, Graph};
use crate::ising::links::Link;
use crate::ising::room::{Numbers, Room};
use crate::ising::shape::Rule;
use crate::random::Mt19937;

struct Floats;

impl Values<f32> for Floats {
    fn first(&self, _: usize, field: f32, _: &[Link]) -> f32 {
        field
    }

    fn coupling(&self, _: usize, _: usize, link: &Link) -> f32 {
        link.value
    }
}

#[derive(Debug)]
pub(super) struct FloatBlocks {
    program: Program<f32>,
    /// A block that is only read, the blocks of all systems, a block that is only read.
    spins: Vec<BlockLine<f32>>,
}

impl FloatBlocks {
    /// `graph` was built in the order of `layout`.
    pub fn new(graph: &mut Graph, layout: &Layout, systems: usize, pieces: &Pieces) -> Result<Self, Ended> {
        let program = Program::new(graph, layout, &Floats, pieces)?;
        Ok(FloatBlocks { spins: program.spins(systems, 1.0, pieces)?, program })
    }

    pub fn heap_bytes(&self) -> usize {
        self.program.heap_bytes() + self.spins.capacity() * size_of::<BlockLine<f32>>()
    }

    /// See [`measure()`].
    pub fn measure<S: Chain>(&self, system: usize, weights: &[f64], chains: &mut [S; CHAINS]) -> i64 {
        measure(&self.program, &self.spins, system, weights, chains)
    }

    /// 1 where the spin is -1.
    pub fn word(&self, block: usize, lane: usize) -> u64 {
        u64::from(self.spins[1 + block].0[lane] < 0.0)
    }

    pub fn set_word(&mut self, block: usize, lane: usize, word: u64) {
        self.spins[1 + block].0[lane] = if word & 1 == 0 { 1.0 } else { -1.0 };
    }

    /// Visits every spin `sweeps` times; returns the number of flips.
    pub fn sweep(&mut self, systems: usize, rng: &mut Mt19937, space: f32, rule: Rule, sweeps: u64) -> u64 {
        let kernel = match rule {
            Rule::Metropolis => sweep_blocks_f32::KERNEL.function(),
            Rule::HeatBath => sweep_heat_blocks_f32::KERNEL.function(),
        };
        let blocks = self.program.starts.len();
        let mut memory = Room::<_, CHUNK>::new();
        let random = memory.filled(blocks.min(CHUNK), Numbers([0; BLOCK]));
        let mut flips = 0;
        for system in (0..sweeps).flat_map(|_| 0..systems) {
            // SAFETY: a system begins at this block.
            let spins = unsafe { self.spins.as_mut_ptr().add(1 + blocks * system) }.cast::<f32>();
            for first in (0..blocks).step_by(CHUNK) {
                let count = CHUNK.min(blocks - first);
                rng.fill_u32(Numbers::flat(&mut random[..count]));
                let start = self.program.starts[first];
                // SAFETY: the streams begin with this block; they refer to spins of this system and
                // to values at most a block beyond, which are there; `random` holds `count` blocks.
                unsafe {
                    kernel(
                        spins,
                        first,
                        count,
                        self.program.links[start.link as usize..].as_ptr(),
                        self.program.lines[start.line as usize..].as_ptr().cast(),
                        space,
                        random.as_ptr().cast(),
                        &mut flips,
                    );
                }
            }
        }
        flips
    }
}
