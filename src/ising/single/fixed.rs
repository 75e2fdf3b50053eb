//! Couplings in 64-bit fixed point: spins and the sweep.
//!
//! Each site has a unit, `2^(k - 61)`, where `2^k` is the largest power of two that does not exceed the sum of
//! the magnitudes of its field and couplings. Sums are exact, whatever the order of their terms.

use alloc::vec::Vec;

use super::energies::{CHAINS, Chain, measure};
use super::layout::Layout;
use super::program::{BlockLine, Program, Values};
use super::scalar::BLOCK;
use super::{sweep_blocks_i64, sweep_heat_blocks_i64};
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};
use crate::ising::graph::{CHUNK, Graph, Lists};
use crate::ising::links::Link;
use crate::ising::room::{Numbers, Room};
use crate::ising::shape::Rule;
use crate::random::Mt19937;

/// The smallest exponent of a sum of magnitudes; smaller sums are counted as if they had it.
const MIN_EXPONENT: i32 = -960;

/// 2^exponent, a normal number.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Couplings and fields in the units of the sites.
struct Units<'a, 'p> {
    fields: &'a [f64],
    lists: &'a Lists<'a, 'p>,
    order: &'a [u32],
}

impl Units<'_, '_> {
    /// The unit of a site.
    fn of(&self, site: u32) -> f64 {
        let magnitudes = self.lists.neighbours(site).iter().map(|half| half.coupling.abs());
        let sum = self.fields[site as usize].abs() + magnitudes.sum::<f64>();
        let exponent = (sum.to_bits() >> 52) as i32 - 1023;
        power(exponent.max(MIN_EXPONENT) - 61)
    }
}

/// The integer next to `value / unit`, a power of two.
fn rounded(value: f64, unit: f64) -> i64 {
    let number = value / unit;
    // From 2^52 on, it is an integer.
    if number.abs() < power(52) { (number + if number < 0.0 { -0.5 } else { 0.5 }) as i64 } else { number as i64 }
}

impl Values<i64> for Units<'_, '_> {
    fn first(&self, row: usize, _: f32, _: &[Link]) -> i64 {
        let site = self.order[row];
        let unit = self.of(site);
        let couplings = self.lists.neighbours(site).iter().map(|half| rounded(half.coupling, unit));
        couplings.fold(rounded(self.fields[site as usize], unit), i64::wrapping_add)
    }

    fn coupling(&self, row: usize, nth: usize, _: &Link) -> i64 {
        let site = self.order[row];
        2 * rounded(self.lists.neighbours(site)[nth].coupling, self.of(site))
    }
}

#[derive(Debug)]
pub(super) struct FixedBlocks {
    program: Program<i64>,
    /// The unit of each lane of each block.
    units: Vec<BlockLine<f64>>,
    /// A block that is only read, the blocks of all systems, a block that is only read: 0 for a spin
    /// of +1, -1 for one of -1.
    spins: Vec<BlockLine<i64>>,
}

impl FixedBlocks {
    /// `graph` was built in the order of `layout`, from `fields` and `lists`.
    pub fn new(
        graph: &mut Graph,
        layout: &Layout,
        (fields, lists): (&[f64], &Lists),
        systems: usize,
        pieces: &Pieces,
    ) -> Result<Self, Ended> {
        let values = Units { fields, lists, order: &layout.order };
        let program = Program::new(graph, layout, &values, pieces)?;
        let mut units = memory::with_capacity(program.starts.len())?;
        for rows in layout.blocks() {
            pieces.next()?;
            let mut line = BlockLine([0.0; BLOCK]);
            line.0.iter_mut().zip(&layout.order[rows]).for_each(|(unit, &site)| *unit = values.of(site));
            units.push(line);
        }
        Ok(FixedBlocks { spins: program.spins(systems, 0, pieces)?, units, program })
    }

    pub fn heap_bytes(&self) -> usize {
        self.program.heap_bytes()
            + self.units.capacity() * size_of::<BlockLine<f64>>()
            + self.spins.capacity() * size_of::<BlockLine<i64>>()
    }

    /// See [`measure()`].
    pub fn measure<S: Chain>(&self, system: usize, weights: &[f64], chains: &mut [S; CHAINS]) -> i64 {
        measure(&self.program, &self.spins, system, weights, chains)
    }

    /// 1 where the spin is -1.
    pub fn word(&self, block: usize, lane: usize) -> u64 {
        (self.spins[1 + block].0[lane] & 1) as u64
    }

    pub fn set_word(&mut self, block: usize, lane: usize, word: u64) {
        self.spins[1 + block].0[lane] = -((word & 1) as i64);
    }

    /// Visits every spin `sweeps` times; returns the number of flips.
    pub fn sweep(&mut self, systems: usize, rng: &mut Mt19937, space: f32, rule: Rule, sweeps: u64) -> u64 {
        let kernel = match rule {
            Rule::Metropolis => sweep_blocks_i64::KERNEL.function(),
            Rule::HeatBath => sweep_heat_blocks_i64::KERNEL.function(),
        };
        let blocks = self.program.starts.len();
        let mut memory = Room::<_, CHUNK>::new();
        let random = memory.filled(blocks.min(CHUNK), Numbers([0; BLOCK]));
        let mut flips = 0;
        for system in (0..sweeps).flat_map(|_| 0..systems) {
            // SAFETY: a system begins at this block.
            let spins = unsafe { self.spins.as_mut_ptr().add(1 + blocks * system) }.cast::<i64>();
            for first in (0..blocks).step_by(CHUNK) {
                let count = CHUNK.min(blocks - first);
                rng.fill_u32(Numbers::flat(&mut random[..count]));
                let start = self.program.starts[first];
                // SAFETY: the streams begin with this block; they refer to spins of this system and to values at
                // most a block beyond, which are there; `random` and `units` hold `count` blocks.
                unsafe {
                    kernel(
                        spins,
                        first,
                        count,
                        self.program.links[start.link as usize..].as_ptr(),
                        self.program.lines[start.line as usize..].as_ptr().cast(),
                        self.units[first..].as_ptr().cast(),
                        f64::from(space),
                        random.as_ptr().cast(),
                        &mut flips,
                    );
                }
            }
        }
        flips
    }
}
