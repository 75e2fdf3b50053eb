//! Array lengths in three classes: every length up to [`dense`]; lengths around powers of two and
//! 1.5 times powers of two, up to [`largest`]; and log-uniform random lengths between those bounds.
//! A fault at a single length n is always found in the first two classes, and with probability
//! about 4 / n per run in the third. `HOTLOOPS_SEED` repeats a run.

use std::sync::OnceLock;
use std::time::SystemTime;

use super::guard::{Guarded, Side};

/// A length, count or stride that exceeds 16 bits and whose lower 16 bits are small.
pub const WIDE: usize = (1 << 16) + 5;
const RANDOM: usize = 24;
const LARGEST: usize = 1 << 20;

/// The largest length. `HOTLOOPS_TEST_LARGEST` lowers it for slow emulators.
pub fn largest() -> usize {
    static CHOSEN: OnceLock<usize> = OnceLock::new();
    *CHOSEN.get_or_init(|| match std::env::var("HOTLOOPS_TEST_LARGEST") {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("HOTLOOPS_TEST_LARGEST={text} is no integer")),
        Err(_) => LARGEST,
    })
}

/// Whether this is a slow emulator.
pub fn is_slow() -> bool {
    largest() < LARGEST
}

pub fn dense() -> usize {
    (largest() / 8).min(4200)
}

/// The seed of this run.
pub fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| match std::env::var("HOTLOOPS_SEED") {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("HOTLOOPS_SEED={text} is no integer")),
        Err(_) => SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64,
    })
}

/// Every length of the three classes.
pub fn all() -> impl Iterator<Item = usize> {
    (0..=dense()).chain(boundaries(largest())).chain(random())
}

/// The second class, beyond the dense lengths: up to 8 away from the boundaries of blocks that fit
/// in caches, and up to 1 away for larger blocks.
pub fn boundaries(most: usize) -> impl Iterator<Item = usize> {
    let largest = most.min(largest());
    let blocks = (12..usize::BITS).map(|k| 1 << k).take_while(move |&block| block <= largest);
    blocks.flat_map(|block: usize| [block, block / 2 * 3]).flat_map(move |block| {
        let near = if block <= 1 << 17 { 8 } else { 1 };
        (block - near..=block + near).filter(move |&n| n > dense() && n <= largest + near)
    })
}

pub fn random() -> impl Iterator<Item = usize> {
    let mut state = seed();
    (0..RANDOM).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let unit = (state >> 11) as f64 * (-53f64).exp2();
        (dense() as f64 * (largest() as f64 / dense() as f64).powf(unit)) as usize
    })
}

/// A long array between two inaccessible pages. Calls use a part at either end.
pub struct Ends<T: Copy> {
    pub start: Guarded<T>,
    pub end: Guarded<T>,
}

impl<T: Copy> Ends<T> {
    pub fn new(values: &[T]) -> Self {
        let slack = 3 * size_of::<T>();
        Self { start: Guarded::new(values, Side::Start, slack), end: Guarded::new(values, Side::End, 0) }
    }

    /// The first element of a part of `n`.
    pub fn first(&self, side: Side, n: usize) -> usize {
        if side == Side::Start { 0 } else { self.end.len() - n }
    }

    pub fn part(&self, side: Side, n: usize) -> *const T {
        let whole = if side == Side::Start { &self.start } else { &self.end };
        whole.as_ptr().wrapping_add(self.first(side, n))
    }
}
