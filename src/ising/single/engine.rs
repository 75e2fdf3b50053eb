//! The engine: systems that are swept one after the other.

use alloc::vec::Vec;

use super::bytes::ByteBlocks;
use super::energies::CHAINS;
use super::fixed::FixedBlocks;
use super::floats::FloatBlocks;
use super::layout::{Colour, Layout};
use super::scalar::BLOCK;
use crate::frame::pieces::{Ended, Pieces};
use crate::ising::engine::{Arithmetic, Engine, Temperature};
use crate::ising::graph::{Graph, Lists, Weights};
use crate::ising::measure::LayerSums;
use crate::ising::precision::FIXED_POINT;
use crate::ising::shape::{CompensatedSum, Kind, Line, Rule, Shape};
use crate::random::Mt19937;

#[derive(Debug)]
pub(in crate::ising) struct SingleEngine {
    order: Vec<u32>,
    /// With a quantum, without values: the blocks count quanta.
    weights: Weights,
    /// Whether all sums over neighbours are exact.
    is_exact: bool,
    shape: Shape,
    colours: Vec<Colour>,
    blocks: Blocks,
}

#[derive(Debug)]
enum Blocks {
    Bytes(ByteBlocks),
    Floats(FloatBlocks),
    Fixed(FixedBlocks),
}

impl SingleEngine {
    /// `graph` was built from `fields` and `lists` in the order of `layout`, with the quantum if there is one.
    pub fn new(
        mut graph: Graph,
        layout: Layout,
        shape: Shape,
        (fields, lists): (&[f64], &Lists),
        pieces: &Pieces,
    ) -> Result<Self, Ended> {
        let (graph, systems) = (&mut graph, shape.layers);
        let (is_exact, blocks) = match layout.line {
            Line::Bytes(quantum) => (true, Blocks::Bytes(ByteBlocks::new(graph, &layout, systems, quantum, pieces)?)),
            Line::Floats => (graph.exact, Blocks::Floats(FloatBlocks::new(graph, &layout, systems, pieces)?)),
            Line::Fixed => {
                let is_exact = lists.is_exact_in(fields, FIXED_POINT);
                (is_exact, Blocks::Fixed(FixedBlocks::new(graph, &layout, (fields, lists), systems, pieces)?))
            }
        };
        let (order, mut weights) = (core::mem::take(&mut graph.order), core::mem::take(&mut graph.weights));
        if let Blocks::Bytes(_) = blocks {
            weights.values = Vec::new();
        }
        Ok(SingleEngine { order, weights, is_exact, shape, colours: layout.colours, blocks })
    }

    /// Measures one system.
    fn measure_system(&self, system: usize) -> LayerSums {
        let (energy, down) = match &self.blocks {
            Blocks::Bytes(bytes) => {
                let (quanta, down) = bytes.measure(system);
                (bytes.energy(quanta), down)
            }
            Blocks::Floats(floats) => {
                let mut sums = [0.0; CHAINS];
                let down = floats.measure(system, &self.weights.values, &mut sums);
                (sums.into_iter().sum(), down)
            }
            Blocks::Fixed(fixed) => {
                let mut sums = [0.0; CHAINS];
                let down = fixed.measure(system, &self.weights.values, &mut sums);
                (sums.into_iter().sum(), down)
            }
        };
        let mut sums = LayerSums::ZERO;
        (sums.energies[0], sums.magnetisations[0]) = (energy, self.shape.sites as i64 - 2 * down);
        sums
    }

    /// Block, counted through all systems, and lane of row `index`.
    fn place(&self, index: usize) -> (usize, usize) {
        let (system, row) = (index / self.shape.sites, index % self.shape.sites);
        let colour = self.colours[self.colours.partition_point(|colour| colour.first_row <= row) - 1];
        let blocks = self.colours.last().map_or(0, |last| last.first_block + last.blocks());
        let row = row - colour.first_row;
        (blocks * system + colour.first_block + row / BLOCK, row % BLOCK)
    }
}

impl Engine for SingleEngine {
    fn arithmetic(&self) -> Arithmetic {
        let (kind, quantum) = match &self.blocks {
            Blocks::Bytes(bytes) => (Kind::Single, bytes.quantum),
            Blocks::Floats(_) => (Kind::Single, 0.0),
            Blocks::Fixed(_) => (Kind::Fixed, 0.0),
        };
        Arithmetic { kind, is_exact: self.is_exact, quantum }
    }

    fn order(&self) -> &[u32] {
        &self.order
    }

    fn mean_square(&self) -> f64 {
        self.weights.mean_square
    }

    fn heap_bytes(&self) -> usize {
        let blocks = match &self.blocks {
            Blocks::Bytes(bytes) => bytes.heap_bytes(),
            Blocks::Floats(floats) => floats.heap_bytes(),
            Blocks::Fixed(fixed) => fixed.heap_bytes(),
        };
        self.order.capacity() * size_of::<u32>()
            + self.weights.heap_bytes()
            + self.colours.capacity() * size_of::<Colour>()
            + blocks
    }

    fn sweep(&mut self, rng: &mut Mt19937, beta: Temperature, rule: Rule, sweeps: u64) -> u64 {
        let systems = self.shape.layers;
        match &mut self.blocks {
            Blocks::Bytes(bytes) => bytes.sweep(systems, rng, f64::from(beta.space), rule, sweeps),
            Blocks::Floats(floats) => floats.sweep(systems, rng, beta.space, rule, sweeps),
            Blocks::Fixed(fixed) => fixed.sweep(systems, rng, beta.space, rule, sweeps),
        }
    }

    fn space_energy(&self) -> f64 {
        let systems = 0..self.shape.layers;
        match &self.blocks {
            Blocks::Bytes(bytes) => bytes.energy(systems.map(|system| bytes.measure(system).0).sum()),
            Blocks::Floats(floats) => {
                let mut sums = [CompensatedSum::default(); CHAINS];
                systems.for_each(|system| _ = floats.measure(system, &self.weights.values, &mut sums));
                sums.into_iter().reduce(CompensatedSum::plus).unwrap_or_default().value()
            }
            Blocks::Fixed(fixed) => {
                let mut sums = [CompensatedSum::default(); CHAINS];
                systems.for_each(|system| _ = fixed.measure(system, &self.weights.values, &mut sums));
                sums.into_iter().reduce(CompensatedSum::plus).unwrap_or_default().value()
            }
        }
    }

    fn measure(&self, groups: usize, write: &mut dyn FnMut(usize, &[LayerSums])) {
        (0..groups).for_each(|system| write(system, &[self.measure_system(system)]));
    }

    fn word(&self, index: usize) -> u64 {
        let (block, lane) = self.place(index);
        match &self.blocks {
            Blocks::Bytes(bytes) => bytes.word(block, lane),
            Blocks::Floats(floats) => floats.word(block, lane),
            Blocks::Fixed(fixed) => fixed.word(block, lane),
        }
    }

    fn set_word(&mut self, index: usize, word: u64) {
        let (block, lane) = self.place(index);
        match &mut self.blocks {
            Blocks::Bytes(bytes) => bytes.set_word(block, lane, word),
            Blocks::Floats(floats) => floats.set_word(block, lane, word),
            Blocks::Fixed(fixed) => fixed.set_word(block, lane, word),
        }
    }
}
