//! The engine: the spins of all copies, and a matrix in one of two forms.

use alloc::vec::Vec;
use core::ops::Range;

use super::bytes::ByteMatrix;
use super::copies::Copies;
use super::words::WordMatrix;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};
use crate::ising::engine::{Arithmetic, Engine, Temperature};
use crate::ising::graph::Lists;
use crate::ising::measure::LayerSums;
use crate::ising::shape::{Kind, Rule, Shape};
use crate::random::Mt19937;

/// Maximum number of sites of a dense model.
pub(in crate::ising) const MAX_DENSE_SITES: usize = 1 << 16;

#[derive(Debug)]
pub(in crate::ising) struct DenseEngine {
    order: Vec<u32>,
    mean_square: f64,
    copies: Copies,
    matrix: Matrix,
}

#[derive(Debug)]
enum Matrix {
    Bytes(ByteMatrix),
    Words(WordMatrix),
}

impl DenseEngine {
    /// With a `quantum`, all couplings and fields are multiples of it and within the limits of the
    /// module.
    pub fn new(site_fields: &[f64], lists: &Lists, shape: Shape, quantum: Option<f64>) -> Result<Self, Ended> {
        let copies = Copies::new(site_fields, lists, shape.layers)?;
        let matrix = match quantum {
            Some(quantum) => Matrix::Bytes(ByteMatrix::new(site_fields, lists, &copies, quantum)?),
            None => Matrix::Words(WordMatrix::new(site_fields, lists, &copies)?),
        };
        let order = memory::collected(0..copies.sites as u32)?;
        let mut engine = DenseEngine { order, mean_square: lists.mean_square(site_fields), copies, matrix };
        engine.refresh_while(lists.pieces)?;
        Ok(engine)
    }

    /// Measures one layer.
    fn measure_layer(&self, layer: usize) -> LayerSums {
        let mut sums = LayerSums::ZERO;
        let words: Range<usize> = layer * self.copies.blocks..(layer + 1) * self.copies.blocks;
        let down: u32 = self.copies.spins[words].iter().map(|word| word.count_ones()).sum();
        sums.magnetisations[0] = self.copies.sites as i64 - 2 * i64::from(down);
        sums.energies[0] = match &self.matrix {
            Matrix::Bytes(bytes) => bytes.energy(&self.copies, layer..layer + 1),
            Matrix::Words(words) => words.layer_energy(&self.copies, layer),
        };
        sums
    }
}

impl Engine for DenseEngine {
    fn arithmetic(&self) -> Arithmetic {
        let (is_exact, quantum) = match &self.matrix {
            Matrix::Bytes(bytes) => (true, bytes.quantum),
            Matrix::Words(words) => (words.is_exact, 0.0),
        };
        Arithmetic { kind: Kind::Dense, is_exact, quantum }
    }

    fn order(&self) -> &[u32] {
        &self.order
    }

    fn mean_square(&self) -> f64 {
        self.mean_square
    }

    fn heap_bytes(&self) -> usize {
        let matrix = match &self.matrix {
            Matrix::Bytes(bytes) => bytes.heap_bytes(),
            Matrix::Words(words) => words.heap_bytes(),
        };
        self.order.capacity() * size_of::<u32>()
            + (self.copies.free.capacity() + self.copies.spins.capacity()) * size_of::<u64>()
            + matrix
    }

    fn sweep(&mut self, rng: &mut Mt19937, beta: Temperature, rule: Rule, sweeps: u64) -> u64 {
        let space = f64::from(beta.space);
        match &mut self.matrix {
            Matrix::Bytes(bytes) => bytes.sweep(&mut self.copies, rng, space, rule, sweeps),
            Matrix::Words(words) => words.sweep(&mut self.copies, rng, space, rule, sweeps),
        }
    }

    fn space_energy(&self) -> f64 {
        let layers = 0..self.copies.layers;
        match &self.matrix {
            Matrix::Bytes(bytes) => bytes.energy(&self.copies, layers),
            Matrix::Words(words) => words.energy(&self.copies, layers),
        }
    }

    fn measure(&self, groups: usize, write: &mut dyn FnMut(usize, &[LayerSums])) {
        (0..groups).for_each(|layer| write(layer, &[self.measure_layer(layer)]));
    }

    fn word(&self, index: usize) -> u64 {
        let (word, place) = self.copies.place(index);
        self.copies.spins[word] >> place & 1
    }

    fn set_word(&mut self, index: usize, value: u64) {
        let (word, place) = self.copies.place(index);
        let spins = &mut self.copies.spins[word];
        *spins = *spins & !(1 << place) | (value & 1) << place;
    }

    /// Computes the local fields from the spins.
    fn refresh(&mut self) {
        // Nothing ends it.
        let _ = self.refresh_while(&Pieces::new(&mut || true));
    }

    /// The local fields are wrong if it ends early.
    fn refresh_while(&mut self, pieces: &Pieces) -> Result<(), Ended> {
        match &mut self.matrix {
            Matrix::Bytes(bytes) => bytes.refresh(&self.copies, pieces),
            Matrix::Words(words) => words.refresh(&self.copies, pieces),
        }
    }
}
