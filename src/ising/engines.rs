//! The engines as one type.

use super::bits::BitEngine;
use super::bytes::IntegerEngine;
use super::dense::DenseEngine;
use super::engine::{Arithmetic, Engine, Temperature};
use super::float::FloatEngine;
use super::measure::LayerSums;
use super::shape::{Rule, Shape};
use super::single::SingleEngine;
use super::wide::WideEngine;
use crate::frame::pieces::{Ended, Pieces};
use crate::random::Mt19937;

#[derive(Debug)]
pub(super) enum AnyEngine {
    Floats(FloatEngine),
    Integers(IntegerEngine),
    Single(SingleEngine),
    Wide(WideEngine),
    Bits(BitEngine),
    Dense(DenseEngine),
}

/// The same call for each engine. Not by `dyn Engine`: a program that only sweeps would link the measurements of all
/// engines by their tables of functions.
macro_rules! each {
    ($any:expr, $engine:ident => $call:expr) => {
        match $any {
            AnyEngine::Floats($engine) => $call,
            AnyEngine::Integers($engine) => $call,
            AnyEngine::Single($engine) => $call,
            AnyEngine::Wide($engine) => $call,
            AnyEngine::Bits($engine) => $call,
            AnyEngine::Dense($engine) => $call,
        }
    };
}

impl Engine for AnyEngine {
    fn arithmetic(&self) -> Arithmetic {
        each!(self, engine => engine.arithmetic())
    }

    fn order(&self) -> &[u32] {
        each!(self, engine => engine.order())
    }

    fn mean_square(&self) -> f64 {
        each!(self, engine => engine.mean_square())
    }

    fn heap_bytes(&self) -> usize {
        each!(self, engine => engine.heap_bytes())
    }

    fn sweep(&mut self, rng: &mut Mt19937, beta: Temperature, rule: Rule, sweeps: u64) -> u64 {
        each!(self, engine => engine.sweep(rng, beta, rule, sweeps))
    }

    fn space_energy(&self) -> f64 {
        each!(self, engine => engine.space_energy())
    }

    fn measure(&self, groups: usize, write: &mut dyn FnMut(usize, &[LayerSums])) {
        each!(self, engine => engine.measure(groups, write))
    }

    fn word(&self, index: usize) -> u64 {
        each!(self, engine => engine.word(index))
    }

    fn set_word(&mut self, index: usize, word: u64) {
        each!(self, engine => engine.set_word(index, word))
    }

    fn refresh(&mut self) {
        each!(self, engine => engine.refresh())
    }

    fn refresh_while(&mut self, pieces: &Pieces) -> Result<(), Ended> {
        each!(self, engine => engine.refresh_while(pieces))
    }

    fn aligned_layers(&self, shape: Shape) -> i64 {
        each!(self, engine => engine.aligned_layers(shape))
    }
}
