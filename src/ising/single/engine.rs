//! The engine: systems that are swept one after the other.

use alloc::vec::Vec;

use super::bytes::ByteBlocks;
use super::floats::FloatBlocks;
use super::layout::{Colour, Layout};
use super::program::Program;
use super::scalar::BLOCK;
use crate::error::Error;
use crate::ising::graph::{Graph, Weights};
use crate::ising::measure::LayerSums;
use crate::ising::shape::{CompensatedSum, Rule, Shape};
use crate::random::Mt19937;

#[derive(Debug)]
pub(in crate::ising) struct SingleEngine {
    pub order: Vec<u32>,
    pub weights: Weights,
    is_exact: bool,
    shape: Shape,
    colours: Vec<Colour>,
    blocks: Blocks,
}

#[derive(Debug)]
enum Blocks {
    Bytes(ByteBlocks),
    Floats(FloatBlocks),
}

impl SingleEngine {
    /// `graph` was built in the order of `layout`, with the quantum if there is one.
    pub fn new(mut graph: Graph, layout: Layout, shape: Shape, quantum: Option<f64>) -> Result<Self, Error> {
        let blocks = match quantum {
            Some(quantum) => Blocks::Bytes(ByteBlocks::new(&mut graph, &layout, shape.layers, quantum)?),
            None => Blocks::Floats(FloatBlocks::new(&mut graph, &layout, shape.layers)?),
        };
        let Graph { order, weights, exact, .. } = graph;
        let is_exact = exact || quantum.is_some();
        Ok(SingleEngine { order, weights, is_exact, shape, colours: layout.colours, blocks })
    }

    /// 0 if sums are in f32.
    pub fn quantum(&self) -> f64 {
        match &self.blocks {
            Blocks::Bytes(bytes) => bytes.quantum,
            Blocks::Floats(_) => 0.0,
        }
    }

    /// Whether all sums over neighbours are exact.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    pub fn heap_bytes(&self) -> usize {
        let blocks = match &self.blocks {
            Blocks::Bytes(bytes) => bytes.heap_bytes(),
            Blocks::Floats(floats) => floats.heap_bytes(),
        };
        self.order.capacity() * size_of::<u32>()
            + self.weights.heap_bytes()
            + self.colours.capacity() * size_of::<Colour>()
            + blocks
    }

    /// `Es` of all systems.
    pub fn space_energy(&self) -> f64 {
        let mut sum = CompensatedSum::default();
        (0..self.shape.layers).for_each(|system| self.visit(system, |term, _| sum.add(term)));
        sum.value()
    }

    /// Measures one system.
    pub fn measure(&self, system: usize) -> LayerSums {
        let mut sums = LayerSums::ZERO;
        self.visit(system, |term, spin| {
            sums.energies[0] += term;
            sums.magnetisations[0] += spin;
        });
        sums
    }

    /// Calls `each` with every term of the energy and, once for each site, its spin, else 0.
    fn visit(&self, system: usize, each: impl FnMut(f64, i64)) {
        match &self.blocks {
            Blocks::Bytes(bytes) => self.visit_of(system, &bytes.program, |block, lane| bytes.word(block, lane), each),
            Blocks::Floats(floats) => {
                self.visit_of(system, &floats.program, |block, lane| floats.word(block, lane), each);
            }
        }
    }

    fn visit_of<T: Copy + Default + PartialEq>(
        &self,
        system: usize,
        program: &Program<T>,
        word: impl Fn(usize, usize) -> u64,
        mut each: impl FnMut(f64, i64),
    ) {
        let word = |position: usize| word(program.starts.len() * system + position / BLOCK, position % BLOCK);
        let mut weights = self.weights.values.iter();
        program.visit(|site, neighbour| {
            // The sign is flipped without a branch, because spins are random.
            let mut signed =
                |down: u64| f64::from_bits(weights.next().map_or(0, |weight| weight.to_bits()) ^ down << 63);
            let own = word(site);
            match neighbour {
                None => each(signed(own), 1 - 2 * own as i64),
                Some(other) => each(signed(own ^ word(other)), 0),
            }
        });
    }

    /// Block, counted through all systems, and lane of row `index`.
    fn place(&self, index: usize) -> (usize, usize) {
        let (system, row) = (index / self.shape.sites, index % self.shape.sites);
        let colour = self.colours[self.colours.partition_point(|colour| colour.first_row <= row) - 1];
        let blocks = self.colours.last().map_or(0, |last| last.first_block + last.blocks());
        let row = row - colour.first_row;
        (blocks * system + colour.first_block + row / BLOCK, row % BLOCK)
    }

    /// 1 where the spin of row `index` is -1.
    pub fn word(&self, index: usize) -> u64 {
        let (block, lane) = self.place(index);
        match &self.blocks {
            Blocks::Bytes(bytes) => bytes.word(block, lane),
            Blocks::Floats(floats) => floats.word(block, lane),
        }
    }

    pub fn set_word(&mut self, index: usize, word: u64) {
        let (block, lane) = self.place(index);
        match &mut self.blocks {
            Blocks::Bytes(bytes) => bytes.set_word(block, lane, word),
            Blocks::Floats(floats) => floats.set_word(block, lane, word),
        }
    }

    /// Visits every spin `sweeps` times; returns the number of flips.
    pub fn sweep(&mut self, rng: &mut Mt19937, space: f32, rule: Rule, sweeps: u64) -> u64 {
        let systems = self.shape.layers;
        match &mut self.blocks {
            Blocks::Bytes(bytes) => bytes.sweep(systems, rng, f64::from(space), rule, sweeps),
            Blocks::Floats(floats) => floats.sweep(systems, rng, space, rule, sweeps),
        }
    }
}
