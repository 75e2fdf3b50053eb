//! Models in integers: a matrix of 8-bit couplings, and local fields in 16 bits.

use alloc::vec::Vec;
use core::ops::Range;

use super::copies::{BLOCK, BLOCKS, Copies};
use super::{dense_bounds, dense_flips, dense_heat_bounds, dense_update};
use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};
use crate::ising::graph::{Lists, quanta};
use crate::ising::shape::Rule;
use crate::ising::thresholds::{CERTAIN, Exponents};
use crate::random::{Mt19937, SplitMix64};

/// Error of a kernel's logarithm, not counting the part in proportion to it: 2^-19 because a number
/// of at least 2^19 stands for all real numbers up to the next one, 2^-24 for its conversion,
/// 2.6e-7 for the series.
const ERROR: f64 = 3e-6;

/// Couplings of a site to a block.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
struct Couplings([i8; BLOCK]);

/// Fields of a block.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
struct Fields([i16; BLOCK]);

/// The matrix, and the local fields of all copies.
#[derive(Debug)]
pub(super) struct ByteMatrix {
    pub quantum: f64,
    /// Blocks from one row of the matrix to the next: an odd number, so that the rows of a block
    /// lie in different sets of the first-level cache.
    stride: usize,
    /// Negated if `beta_space` is negative, like `site_fields` and `fields`. As many rows as the
    /// blocks have sites.
    couplings: Vec<Couplings>,
    is_negative: bool,
    /// The kernel's argument.
    depth: usize,
    site_fields: Vec<Fields>,
    /// The local fields in quanta. Those after the last site are 0.
    fields: Vec<Fields>,
}

impl ByteMatrix {
    /// All couplings and fields are multiples of `quantum` and within the limits of the module.
    pub fn new(site_fields: &[f64], lists: &Lists, copies: &Copies, quantum: f64) -> Result<Self, Ended> {
        let blocks = copies.blocks;
        let stride = blocks | 1;
        let rows = (blocks * BLOCK).checked_mul(stride).ok_or(Error::TooLarge { argument: "sites" })?;
        let mut couplings = lists.pieces.filled(rows, Couplings([0; BLOCK]))?;
        let mut own_fields = memory::filled(blocks, Fields([0; BLOCK]))?;
        let mut largest = 1;
        for (site, &field) in site_fields.iter().enumerate() {
            own_fields[site / BLOCK].0[site % BLOCK] = quanta(field, quantum) as i16;
            lists.pieces.before(2 * (1 + lists.neighbours(site as u32).len()))?;
            for half in lists.neighbours(site as u32) {
                let (value, other) = (quanta(half.coupling, quantum), half.neighbour as usize);
                couplings[site * stride + other / BLOCK].0[other % BLOCK] = value as i8;
                largest = largest.max(value.unsigned_abs());
            }
        }
        Ok(ByteMatrix {
            quantum,
            stride,
            couplings,
            is_negative: false,
            depth: 127 / largest as usize,
            site_fields: own_fields,
            fields: lists.pieces.filled(copies.spins.len(), Fields([0; BLOCK]))?,
        })
    }

    pub fn heap_bytes(&self) -> usize {
        self.couplings.capacity() * size_of::<Couplings>()
            + (self.site_fields.capacity() + self.fields.capacity()) * size_of::<Fields>()
    }

    /// Computes the local fields from the spins.
    pub fn refresh(&mut self, copies: &Copies, pieces: &Pieces) -> Result<(), Ended> {
        for (fields, spins) in self.fields.chunks_mut(copies.blocks).zip(copies.spins.chunks(copies.blocks)) {
            fields.copy_from_slice(&self.site_fields);
            for (site, row) in self.couplings.chunks(self.stride).take(copies.sites).enumerate() {
                let is_down = spins[site / BLOCK] >> (site % BLOCK) & 1 == 1;
                pieces.before(BLOCK * row.len())?;
                for (Fields(fields), Couplings(row)) in fields.iter_mut().zip(row) {
                    let pairs = fields.iter_mut().zip(row);
                    match is_down {
                        true => pairs.for_each(|(field, &value)| *field -= i16::from(value)),
                        false => pairs.for_each(|(field, &value)| *field += i16::from(value)),
                    }
                }
            }
        }
        Ok(())
    }

    /// The energy `Es` of some layers: the sum over all spins of half the spin times its own field
    /// and its local field, an integer number of quanta.
    pub fn energy(&self, copies: &Copies, layers: Range<usize>) -> f64 {
        let (mut twice, mut own) = (0i64, self.site_fields.iter().cycle());
        let blocks = layers.start * copies.blocks..layers.end * copies.blocks;
        for (spins, Fields(fields)) in copies.spins[blocks.clone()].iter().zip(&self.fields[blocks]) {
            let Some(Fields(own)) = own.next() else { break };
            for (i, (&field, &own)) in fields.iter().zip(own).enumerate() {
                let sum = i64::from(field) + i64::from(own);
                twice += if spins >> i & 1 == 0 { sum } else { -sum };
            }
        }
        let quanta = (twice / 2) as f64;
        self.quantum * if self.is_negative { -quanta } else { quanta }
    }

    /// Visits every spin `sweeps` times; returns the number of flips.
    pub fn sweep(&mut self, copies: &mut Copies, rng: &mut Mt19937, space: f64, rule: Rule, sweeps: u64) -> u64 {
        self.set_sign(space < 0.0);
        let exponents = Exponents { space: 2.0 * space.abs() * self.quantum, tau: 0.0, rule };
        let bounds_kernel = match rule {
            Rule::Metropolis => dense_bounds::KERNEL.function(),
            Rule::HeatBath => dense_heat_bounds::KERNEL.function(),
        };
        let (flips_kernel, update_kernel) = (dense_flips::KERNEL.function(), dense_update::KERNEL.function());
        let scale = (1.0 / exponents.space).clamp(1e-18, 1e30);
        let (scale, margin) = (scale as f32, (ERROR * scale) as f32);
        let (columns, stride) = (copies.blocks * BLOCK, self.stride * BLOCK);
        let mut random = [0; BLOCKS * BLOCK];
        let mut flips = 0;
        for _ in 0..sweeps {
            let lower = SplitMix64::drawn(rng);
            for layer in 0..copies.layers {
                let first = layer * copies.blocks;
                for block in 0..copies.blocks {
                    let at = block % BLOCKS;
                    if at == 0 {
                        rng.fill_u32(&mut random[..BLOCK * BLOCKS.min(copies.blocks - block)]);
                    }
                    let random = &random[at * BLOCK..][..BLOCK];
                    let mut bounds = [0; BLOCK];
                    // SAFETY: 64 numbers and 64 bounds; `scale` and `margin` are positive and finite.
                    let mut doubt = unsafe { bounds_kernel(random.as_ptr(), scale, margin, bounds.as_mut_ptr()) };
                    let free = copies.free[block];
                    doubt |= if exponents.space == 0.0 { u64::MAX } else { free };
                    let sites = BLOCK.min(copies.sites - block * BLOCK);
                    bounds[sites..].fill(i16::MIN);
                    doubt &= u64::MAX >> (BLOCK - sites);
                    while doubt != 0 {
                        let i = doubt.trailing_zeros() as usize;
                        let index = (layer * copies.sites + block * BLOCK + i) as u64;
                        let bits = u64::from(random[i]) << 16 | lower.nth(index) >> 48;
                        let exponents = if free >> i & 1 == 1 { exponents.of_free_sites() } else { exponents };
                        bounds[i] = bound(bits, exponents, bounds[i]);
                        doubt &= doubt - 1;
                    }
                    let spins = copies.spins[first + block];
                    // SAFETY: a copy has `columns` fields, and each row as many couplings. The
                    // matrix has 64 rows for each block. `depth` is at least 1, and at most 127 over
                    // the largest magnitude.
                    let flipped = unsafe {
                        let rows = self.couplings.as_ptr().cast::<i8>().add(block * BLOCK * stride);
                        let fields = self.fields.as_mut_ptr().add(first).cast::<i16>();
                        let own = fields.add(block * BLOCK);
                        let flipped = flips_kernel(spins, own, bounds.as_ptr(), rows.add(block * BLOCK), stride);
                        if flipped != 0 {
                            update_kernel(fields, columns, rows, stride, spins, flipped, self.depth);
                        }
                        flipped
                    };
                    copies.spins[first + block] = spins ^ flipped;
                    flips += u64::from(flipped.count_ones());
                }
            }
        }
        flips
    }

    /// Negates couplings and fields if the sign of `space` changed.
    fn set_sign(&mut self, is_negative: bool) {
        if self.is_negative != is_negative {
            self.is_negative = is_negative;
            self.couplings.iter_mut().flat_map(|row| &mut row.0).for_each(|value| *value = -*value);
            let fields = self.site_fields.iter_mut().chain(&mut self.fields);
            fields.flat_map(|fields| &mut fields.0).for_each(|value| *value = -*value);
        }
    }
}

/// The largest 16-bit `m` such that a flip against `m` quanta is accepted; the smallest one if none
/// is. `bits` is a random number below 2^48.
#[cold]
fn bound(bits: u64, exponents: Exponents, guess: i16) -> i16 {
    const MIN: i32 = i16::MIN as i32;
    const MAX: i32 = i16::MAX as i32;
    let accepts = |m: i32| {
        let probability = exponents.probability(m, 1);
        bits < probability || probability == CERTAIN
    };
    if exponents.space == 0.0 {
        return if accepts(0) { i16::MAX } else { i16::MIN };
    }
    // `low` becomes accepted and `high` not; then the gap is halved.
    let (mut low, mut high, mut step) = (i32::from(guess), i32::from(guess) + 1, 1);
    while low > MIN && !accepts(low) {
        high = low;
        low = (low - step).max(MIN);
        step *= 2;
    }
    while high <= MAX && accepts(high) {
        low = high;
        high = (high + step).min(MAX + 1);
        step *= 2;
    }
    while high - low > 1 {
        let middle = (low + high) / 2;
        if accepts(middle) { low = middle } else { high = middle }
    }
    low as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bound that is not in doubt is right whatever the lower 16 bits are.
    #[test]
    fn doubts_cover_the_errors_of_the_logarithm() {
        let mut random = SplitMix64(3);
        for rule in [Rule::Metropolis, Rule::HeatBath] {
            for space in [1e-5, 1e-3, 0.02, 0.0625, 0.3, 1.0, 2.7, 9.0] {
                let exponents = Exponents { space, tau: 0.0, rule };
                let (scale, margin) = ((1.0 / space) as f32, (ERROR / space) as f32);
                let mut doubts = 0;
                for round in 0..4000 {
                    let numbers: [u32; BLOCK] = core::array::from_fn(|_| {
                        let number = random.next();
                        // Every second block is near an end.
                        let number = number >> 32 >> if round % 2 == 0 { 0 } else { number % 13 };
                        if round % 4 == 1 { !number as u32 } else { number as u32 }
                    });
                    let mut bounds = [0; BLOCK];
                    let kernel = match rule {
                        Rule::Metropolis => dense_bounds::KERNEL.function(),
                        Rule::HeatBath => dense_heat_bounds::KERNEL.function(),
                    };
                    // SAFETY: 64 numbers and bounds.
                    let doubt = unsafe { kernel(numbers.as_ptr(), scale, margin, bounds.as_mut_ptr()) };
                    doubts += if round % 2 == 0 { doubt.count_ones() } else { 0 };
                    for i in (0..BLOCK).filter(|i| doubt >> i & 1 == 0) {
                        let exact = |lower| bound(u64::from(numbers[i]) << 16 | lower, exponents, bounds[i]);
                        assert_eq!([exact(0), exact(0xffff)], [bounds[i]; 2], "{space} {rule:?}: {}", numbers[i]);
                    }
                }
                assert!(space < 1e-4 || doubts < 2000 * BLOCK as u32 / 100, "{space} {rule:?}: {doubts} doubts");
            }
        }
    }

    #[test]
    fn bounds_are_found_from_any_guess() {
        for (space, rule) in [(0.01, Rule::Metropolis), (0.3, Rule::HeatBath), (1e-5, Rule::HeatBath)] {
            let exponents = Exponents { space, tau: 0.0, rule };
            for bits in [0, 1, 1 << 20, 1 << 40, 1 << 47, (1 << 48) - 1] {
                let found = bound(bits, exponents, 0);
                for guess in [i16::MIN, -7, found.saturating_sub(1), found, 9, i16::MAX] {
                    assert_eq!(bound(bits, exponents, guess), found);
                }
                let accepts = |m: i16| {
                    let probability = exponents.probability(m.into(), 1);
                    bits < probability || probability == CERTAIN
                };
                assert!((found == i16::MIN || accepts(found)) && (found == i16::MAX || !accepts(found + 1)));
            }
        }
    }
}
