//! Couplings in f32: spins and the sweep.

use alloc::vec::Vec;

use super::program::{BlockLine, Counted, Program, for_each_bit};
use super::scalar::{BLOCK, entry};
use super::{Layout, sweep_blocks_f32, sweep_heat_blocks_f32};
use crate::frame::pieces::{Ended, Pieces};
use crate::ising::graph::{CHUNK, Graph};
use crate::ising::room::{Numbers, Room};
use crate::ising::shape::{CompensatedSum, Rule};
use crate::random::Mt19937;

/// Chains of the sums of an energy: one would wait for each addition.
pub(super) const CHAINS: usize = 8;

/// A sum of terms.
pub(super) trait Chain: Copy {
    fn add(&mut self, term: f64);
}

impl Chain for f64 {
    #[inline(always)]
    fn add(&mut self, term: f64) {
        *self += term;
    }
}

impl Chain for CompensatedSum {
    #[inline(always)]
    fn add(&mut self, term: f64) {
        CompensatedSum::add(self, term);
    }
}

/// The sign of a float, which is that of a spin.
const SIGN: u32 = 1 << 31;

/// Moves the signs of some bonds to the front, in the order of the bits of `which`; returns their number.
fn gather(which: u64, signs: &mut [u32; BLOCK], sign: impl Fn(&[u32; BLOCK], usize) -> u32) -> usize {
    let mut count = 0;
    for_each_bit(which, |number| {
        // No sign is read behind its place.
        signs[count] = sign(signs, number);
        count += 1;
    });
    count
}

/// Adds the weights, each with a sign.
#[inline(always)]
fn add<S: Chain>(sums: &mut [S; CHAINS], weights: &[f64], signs: &[u32; BLOCK]) {
    let mut chains = *sums;
    // The sign is flipped without a branch, because spins are random.
    let term = |weight: f64, sign: u32| f64::from_bits(weight.to_bits() ^ u64::from(sign) << 32);
    for (weights, signs) in weights.chunks(CHAINS).zip(signs.as_chunks::<CHAINS>().0) {
        if let Some(weights) = weights.first_chunk::<CHAINS>() {
            for n in 0..CHAINS {
                chains[n].add(term(weights[n], signs[n]));
            }
        } else {
            for (n, &weight) in weights.iter().enumerate() {
                chains[n].add(term(weight, signs[n]));
            }
        }
    }
    *sums = chains;
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
        let program = Program::new(graph, layout, |field, _| field, |coupling| coupling, pieces)?;
        Ok(FloatBlocks { spins: program.spins(systems, 1.0, pieces)?, program })
    }

    pub fn heap_bytes(&self) -> usize {
        self.program.heap_bytes() + self.spins.capacity() * size_of::<BlockLine<f32>>()
    }

    /// Adds the terms of the energy `Es` of one system, lane by lane, to chains: term number n of a line to chain
    /// n modulo [`CHAINS`]. Returns the number of spins that are -1.
    pub fn measure<S: Chain>(&self, system: usize, weights: &[f64], chains: &mut [S; CHAINS]) -> i64 {
        let spins = BlockLine::flat(&self.spins);
        let first = BLOCK * (1 + self.program.starts.len() * system);
        let block_at = |place: usize| spins[place..].first_chunk::<BLOCK>().unwrap_or(&[1.0; BLOCK]);
        let (mut weights, mut down, mut signs) = (weights, 0, [0; BLOCK]);
        self.program.visit(|block, counted| {
            let own = block_at(first + BLOCK * block);
            let count = match counted {
                Counted::Sites(sites) => {
                    (0..BLOCK).for_each(|lane| signs[lane] = own[lane].to_bits() & SIGN);
                    down += signs[..sites].iter().map(|sign| i64::from(sign >> 31)).sum::<i64>();
                    sites
                }
                Counted::Diagonal { base, lanes } => {
                    let others = block_at(first.wrapping_add_signed(base));
                    (0..BLOCK).for_each(|lane| signs[lane] = (own[lane].to_bits() ^ others[lane].to_bits()) & SIGN);
                    if lanes == u64::MAX { BLOCK } else { gather(lanes, &mut signs, |signs, lane| signs[lane]) }
                }
                Counted::Slot { entries, which } => gather(which, &mut signs, |_, number| {
                    let (lane, position) = entry(entries[number], number, entries.len());
                    (own[lane].to_bits() ^ spins[first + position].to_bits()) & SIGN
                }),
            };
            let (terms, rest) = weights.split_at(count);
            weights = rest;
            add(chains, terms, &signs);
        });
        down
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
