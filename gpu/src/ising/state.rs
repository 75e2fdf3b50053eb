//! The generators of a batch.

use hotloops::random::Mt19937;

use crate::error::Error;
use crate::queue::{Buffer, Queue};

/// Words of the flat state of 16 lanes.
const WORDS: usize = 16 * 624;
/// Bytes before the words in [`Mt19937::state_bytes`]: a magic number, version, lanes, position.
pub(super) const HEAD: usize = 24;

/// Flat states, one after the other, and the positions in them.
pub(super) struct Generators {
    pub states: Buffer<u32>,
    pub positions: Buffer<u32>,
}

impl Generators {
    pub fn new(queue: &Queue, models: usize, rngs: &[&Mt19937]) -> Result<Self, Error> {
        let mut generators = Generators { states: queue.buffer(models * WORDS)?, positions: queue.buffer(models)? };
        generators.load(queue, rngs)?;
        Ok(generators)
    }

    pub fn load(&mut self, queue: &Queue, rngs: &[&Mt19937]) -> Result<(), Error> {
        let models = self.len();
        if rngs.len() != models {
            return Err(Error::argument("rngs", format!("{} generators for {models} models", rngs.len())));
        }
        let (mut states, mut positions) = (Vec::new(), Vec::new());
        for (i, rng) in rngs.iter().enumerate() {
            if rng.lanes() != 16 {
                return Err(Error::argument(
                    "rngs",
                    format!("generator {i} has {} lanes; sweeps need 16", rng.lanes()),
                ));
            }
            let bytes = bytes_of(rng)?;
            positions.push(u64::from_le_bytes(bytes[16..HEAD].try_into().expect("eight bytes")) as u32);
            let words = bytes[HEAD..][..4 * WORDS].as_chunks::<4>().0;
            states.extend(words.iter().map(|word| u32::from_le_bytes(*word)));
        }
        queue.write(&mut self.states, 0, &states)?;
        queue.write(&mut self.positions, 0, &positions)
    }

    /// The number of generators.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Copies the states back.
    pub fn store(&self, queue: &Queue, rngs: &mut [&mut Mt19937]) -> Result<(), Error> {
        if rngs.len() != self.len() {
            return Err(Error::argument("rngs", format!("{} generators for {} models", rngs.len(), self.len())));
        }
        let (states, positions) = (queue.download(&self.states)?, queue.download(&self.positions)?);
        for ((rng, words), position) in rngs.iter_mut().zip(states.chunks(WORDS)).zip(positions) {
            let mut bytes = bytes_of(&Mt19937::seeded(16, 0)?)?;
            bytes[16..HEAD].copy_from_slice(&u64::from(position).to_le_bytes());
            let body = bytes[HEAD..].as_chunks_mut::<4>().0;
            body.iter_mut().zip(words).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
            let (text, hash) = bytes.split_at_mut(HEAD + 4 * WORDS);
            hash.copy_from_slice(&fnv1a(text).to_le_bytes());
            rng.set_state(&bytes)?;
        }
        Ok(())
    }
}

pub(super) fn bytes_of(rng: &Mt19937) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; rng.state_len()];
    rng.state_bytes(&mut bytes)?;
    Ok(bytes)
}

/// The hash of Fowler, Noll and Vo that ends a state.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
