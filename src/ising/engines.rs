//! The engines as one type.

use super::bits::BitEngine;
use super::bytes::IntegerEngine;
use super::dense::DenseEngine;
use super::engine::Engine;
use super::float::FloatEngine;
use super::single::SingleEngine;
use super::wide::WideEngine;

#[derive(Debug)]
pub(super) enum AnyEngine {
    Floats(FloatEngine),
    Integers(IntegerEngine),
    Single(SingleEngine),
    Wide(WideEngine),
    Bits(BitEngine),
    Dense(DenseEngine),
}

impl AnyEngine {
    pub fn get(&self) -> &dyn Engine {
        match self {
            AnyEngine::Floats(floats) => floats,
            AnyEngine::Integers(integers) => integers,
            AnyEngine::Single(single) => single,
            AnyEngine::Wide(wide) => wide,
            AnyEngine::Bits(bits) => bits,
            AnyEngine::Dense(dense) => dense,
        }
    }

    pub fn get_mut(&mut self) -> &mut dyn Engine {
        match self {
            AnyEngine::Floats(floats) => floats,
            AnyEngine::Integers(integers) => integers,
            AnyEngine::Single(single) => single,
            AnyEngine::Wide(wide) => wide,
            AnyEngine::Bits(bits) => bits,
            AnyEngine::Dense(dense) => dense,
        }
    }

    /// Like [`Engine::word`], without an indirect call, as loops over all rows call it.
    pub fn word(&self, index: usize) -> u64 {
        match self {
            AnyEngine::Floats(floats) => floats.word(index),
            AnyEngine::Integers(integers) => integers.word(index),
            AnyEngine::Single(single) => single.word(index),
            AnyEngine::Wide(wide) => wide.word(index),
            AnyEngine::Bits(bits) => bits.word(index),
            AnyEngine::Dense(dense) => dense.word(index),
        }
    }

    /// Like [`Engine::set_word`], without an indirect call.
    pub fn set_word(&mut self, index: usize, word: u64) {
        match self {
            AnyEngine::Floats(floats) => floats.set_word(index, word),
            AnyEngine::Integers(integers) => integers.set_word(index, word),
            AnyEngine::Single(single) => single.set_word(index, word),
            AnyEngine::Wide(wide) => wide.set_word(index, word),
            AnyEngine::Bits(bits) => bits.set_word(index, word),
            AnyEngine::Dense(dense) => dense.set_word(index, word),
        }
    }
}
