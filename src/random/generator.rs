//! The generator: its memory, its seeds, and its state as bytes.

use alloc::vec::Vec;
use core::{iter, slice};

use super::{ROWS, mt19937_f32, mt19937_u32};
use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::state::{Format, Saved};

/// A generator of interlaced MT19937 streams; see the [module](super).
///
/// It allocates 2,496 bytes per lane when it is created. Number `t` of the generator is number
/// `t / lanes` of lane `t % lanes`. A request of any size continues where the previous one ended.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub struct Mt19937 {
    state: Vec<StateLine>,
    lanes: usize,
    position: usize,
}

/// A cache line of the flat state.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StateLine([u32; 16]);

impl Mt19937 {
    /// Creates one lane for each of 4, 8 or 16 seeds, seeded like the authors' `init_genrand` (and
    /// `std::mt19937`).
    ///
    /// Different seeds give streams that are independent for all practical purposes. There is no
    /// proof that they do not overlap.
    ///
    /// # Errors
    /// [`Error::Lanes`] for another number of seeds, [`Error::NoMemory`].
    pub fn new(lane_seeds: &[u32]) -> Result<Self, Error> {
        Self::from_words(lane_seeds.len(), |lane| by_seed(lane_seeds[lane]))
    }

    /// Creates 4, 8 or 16 lanes; lane `k` has the seed `seed + k` modulo 2^32.
    ///
    /// Generators whose seeds differ by less than `lanes` have streams in common.
    ///
    /// # Errors
    /// [`Error::Lanes`] for another number of lanes, [`Error::NoMemory`].
    pub fn seeded(lanes: usize, seed: u32) -> Result<Self, Error> {
        Self::from_words(lanes, |lane| by_seed(seed.wrapping_add(lane as u32)))
    }

    /// Creates one lane for each of 4, 8 or 16 keys, seeded like the authors' `init_by_array`. A
    /// key has at least one word.
    ///
    /// # Errors
    /// [`Error::Lanes`] for another number of keys, [`Error::Length`] for an empty one,
    /// [`Error::NoMemory`].
    pub fn from_arrays(lane_keys: &[&[u32]]) -> Result<Self, Error> {
        match lane_keys.iter().any(|key| key.is_empty()) {
            true => Err(Error::Length { argument: "lane_keys", expected: 1, found: 0 }),
            false => Self::from_words(lane_keys.len(), |lane| by_key(lane_keys[lane])),
        }
    }

    /// The number of lanes.
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Fills `dst` with 32-bit integers.
    pub fn fill_u32(&mut self, dst: &mut [u32]) {
        // SAFETY: the state holds 624 words for each of 4, 8 or 16 lanes, and `position` is the
        // index of one.
        unsafe {
            mt19937_u32(self.state.as_mut_ptr().cast(), self.lanes, &mut self.position, dst.as_mut_ptr(), dst.len());
        }
    }

    /// Fills `dst` with multiples of 2^-24 in [0, 1): the upper 24 bits of each number.
    pub fn fill_f32(&mut self, dst: &mut [f32]) {
        // SAFETY: as for `fill_u32`.
        unsafe {
            mt19937_f32(self.state.as_mut_ptr().cast(), self.lanes, &mut self.position, dst.as_mut_ptr(), dst.len());
        }
    }

    /// A copy with the same state.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn try_clone(&self) -> Result<Self, Error> {
        let mut state = blank(self.lanes)?;
        state.copy_from_slice(&self.state);
        Ok(Mt19937 { state, ..*self })
    }

    /// The number of bytes of [`state_bytes`](Self::state_bytes).
    #[must_use]
    pub fn state_len(&self) -> usize {
        FORMAT.len(self.lanes)
    }

    /// Writes the state as [`state_len`](Self::state_len) bytes, identical on every machine.
    ///
    /// All values are little-endian: the 8 bytes `hlmt1993`, the version 1 (`u32`), the lanes
    /// (`u32`), the position (`u64`: the flat index of the next word to update), the flat state
    /// (`u32` each), and the FNV-1a hash of all these bytes (`u64`).
    ///
    /// # Errors
    /// [`Error::Length`] if `bytes` has another length.
    pub fn state_bytes(&self, bytes: &mut [u8]) -> Result<(), Error> {
        FORMAT.write(bytes, self.lanes, self.position as u64, self.words().iter().map(|word| word.to_le_bytes()))
    }

    /// Creates a generator from a state that [`state_bytes`](Self::state_bytes) wrote.
    ///
    /// # Errors
    /// [`Error::StateTruncated`], [`Error::StateForeign`], [`Error::StateCorrupt`],
    /// [`Error::Length`] for trailing bytes, [`Error::NoMemory`].
    pub fn from_state_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let saved = parse(bytes)?;
        let mut generator = Mt19937 { state: blank(saved.count)?, lanes: saved.count, position: 0 };
        generator.load(&saved);
        Ok(generator)
    }

    /// Restores a state that [`state_bytes`](Self::state_bytes) wrote, including its number of
    /// lanes. Allocates only if that number changes. After an error the generator is unchanged.
    ///
    /// # Errors
    /// Same as for [`from_state_bytes`](Self::from_state_bytes).
    pub fn set_state(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let saved = parse(bytes)?;
        if saved.count != self.lanes {
            self.state = blank(saved.count)?;
        }
        self.load(&saved);
        Ok(())
    }

    fn from_words(lanes: usize, words_of: impl Fn(usize) -> [u32; ROWS]) -> Result<Self, Error> {
        if !are_allowed(lanes) {
            return Err(Error::Lanes { lanes });
        }
        let mut generator = Mt19937 { state: blank(lanes)?, lanes, position: 0 };
        for lane in 0..lanes {
            let column = generator.words_mut().iter_mut().skip(lane).step_by(lanes);
            column.zip(words_of(lane)).for_each(|(slot, word)| *slot = word);
        }
        Ok(generator)
    }

    /// The memory must already have the size for `saved.count` lanes.
    fn load(&mut self, saved: &Saved) {
        (self.lanes, self.position) = (saved.count, saved.position as usize);
        for (word, &bytes) in iter::zip(self.words_mut(), saved.words()) {
            *word = u32::from_le_bytes(bytes);
        }
    }

    fn words(&self) -> &[u32] {
        // SAFETY: a `StateLine` is exactly 16 words.
        unsafe { slice::from_raw_parts(self.state.as_ptr().cast(), self.state.len() * 16) }
    }

    fn words_mut(&mut self) -> &mut [u32] {
        // SAFETY: a `StateLine` is exactly 16 words.
        unsafe { slice::from_raw_parts_mut(self.state.as_mut_ptr().cast(), self.state.len() * 16) }
    }
}

fn are_allowed(lanes: usize) -> bool {
    matches!(lanes, 4 | 8 | 16)
}

/// Zeroed memory for `lanes` lanes.
fn blank(lanes: usize) -> Result<Vec<StateLine>, Error> {
    memory::filled(ROWS * lanes / 16, StateLine([0; 16]))
}

/// The authors' `init_genrand`.
fn by_seed(seed: u32) -> [u32; ROWS] {
    let mut x = [seed; ROWS];
    for i in 1..ROWS {
        x[i] = (x[i - 1] ^ x[i - 1] >> 30).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
    }
    x
}

/// The authors' `init_by_array`.
fn by_key(key: &[u32]) -> [u32; ROWS] {
    let mut x = by_seed(19_650_218);
    let mut i = 1;
    let mut mix = |factor: u32, change: &dyn Fn(usize) -> u32| {
        x[i] = (x[i] ^ (x[i - 1] ^ x[i - 1] >> 30).wrapping_mul(factor)).wrapping_add(change(i));
        i += 1;
        if i == ROWS {
            x[0] = x[ROWS - 1];
            i = 1;
        }
    };
    for (j, &word) in key.iter().enumerate().cycle().take(ROWS.max(key.len())) {
        mix(1_664_525, &|_| word.wrapping_add(j as u32));
    }
    for _ in 1..ROWS {
        mix(1_566_083_941, &|i| (i as u32).wrapping_neg());
    }
    x[0] = 0x8000_0000;
    x
}

const FORMAT: Format = Format { magic: b"hlmt1993", version: 1, has_count: are_allowed, fixed: 0, each: 4 * ROWS };

fn parse(bytes: &[u8]) -> Result<Saved<'_>, Error> {
    let saved = FORMAT.parse(bytes)?;
    if saved.position < (ROWS * saved.count) as u64 { Ok(saved) } else { Err(Error::StateCorrupt) }
}
