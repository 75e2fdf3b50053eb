//! Real couplings: a matrix and local fields in 32-bit fixed point.

use alloc::vec::Vec;
use core::ops::Range;

use super::copies::{BLOCK, BLOCKS, Copies};
use super::{dense_flips_i32, dense_heat_levels, dense_levels, dense_update_i32};
use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};
use crate::ising::graph::{Lists, quanta};
use crate::ising::shape::{CompensatedSum, Rule};
use crate::random::Mt19937;
use crate::reduce;

/// Couplings of a site to a block, or the fields of a block.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
struct WordLine([i32; BLOCK]);

const ZERO: WordLine = WordLine([0; BLOCK]);

/// The smallest exponent of a sum of magnitudes; smaller sums are counted as if they had it.
const MIN_EXPONENT: i32 = -960;

/// The matrix, and the local fields of all copies.
#[derive(Debug)]
pub(super) struct WordMatrix {
    pub is_exact: bool,
    /// For each block, the lines of all sites, in units of the sites of the block.
    couplings: Vec<WordLine>,
    is_negative: bool,
    /// The fields if all spins are +1, in twice the unit of each site. Negated if `beta_space` is
    /// negative, like `couplings` and `fields`.
    all_up: Vec<WordLine>,
    /// One over twice the unit of each site.
    per_unit: Vec<f64>,
    /// The kernel's argument.
    scales: Vec<f32>,
    /// The local fields, without the changes by the flips in `flips`.
    fields: Vec<WordLine>,
    /// The spins of each block that flipped when it was last visited.
    flips: Vec<u64>,
    rows: [Rows; 2],
    weights: Weights,
}

/// The sites that flipped in the last visit of every block, in order of the visits: those that
/// became +1, or -1.
#[derive(Debug)]
struct Rows {
    sites: Vec<u32>,
    start: usize,
    end: usize,
}

impl Rows {
    /// Room for two sweeps.
    fn new(blocks: usize) -> Result<Self, Error> {
        Ok(Rows { sites: memory::filled(2 * BLOCK * blocks, 0)?, start: 0, end: 0 })
    }

    fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
    }

    /// Appends the sites of a block.
    fn push(&mut self, block: usize, mut bits: u64) {
        let first = (block * BLOCK) as u32;
        let count = bits.count_ones() as usize;
        for site in &mut self.sites[self.end..][..count] {
            *site = first + bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
        }
        self.end += count;
    }

    fn waiting(&self) -> &[u32] {
        &self.sites[self.start..self.end]
    }
}

/// Couplings and fields as given.
#[derive(Debug)]
struct Weights {
    /// For each site its couplings to all sites before it.
    couplings: Vec<f64>,
    fields: Vec<f64>,
}

impl Weights {
    /// The couplings of a site to all sites before it.
    fn row(&self, site: usize) -> &[f64] {
        &self.couplings[site * site.saturating_sub(1) / 2..][..site]
    }
}

impl WordMatrix {
    pub fn new(site_fields: &[f64], lists: &Lists, copies: &Copies) -> Result<Self, Ended> {
        let Copies { sites, blocks, .. } = *copies;
        let too_large = Error::TooLarge { argument: "sites" };
        let lines = (blocks * BLOCK).checked_mul(blocks).ok_or(too_large)?;
        let mut couplings = lists.pieces.filled(lines, ZERO)?;
        let mut all_up = memory::filled(blocks, ZERO)?;
        let mut per_unit = memory::filled(blocks * BLOCK, 1.0)?;
        let pairs = sites.checked_mul(sites - 1).ok_or(too_large)? / 2;
        let mut weights = Weights { couplings: lists.pieces.filled(pairs, 0.0)?, fields: memory::filled(sites, 0.0)? };
        weights.fields.copy_from_slice(site_fields);
        let mut is_exact = true;
        for (site, &field) in site_fields.iter().enumerate() {
            let (block, place) = (site / BLOCK, site % BLOCK);
            let halves = lists.neighbours(site as u32);
            lists.pieces.before(4 * (1 + halves.len()))?;
            let magnitude = halves.iter().fold(field.abs(), |sum, half| sum + half.coupling.abs());
            let exponent = (magnitude.to_bits() >> 52) as i32 - 1023;
            // The magnitudes are less than 2^31 units in sum.
            let unit = power(exponent.max(MIN_EXPONENT) - 30);
            per_unit[site] = 0.5 / unit;
            let mut sum = 0i64;
            for half in halves {
                let (value, other) = (quanta(half.coupling, unit), half.neighbour as usize);
                couplings[block * blocks * BLOCK + other].0[place] = value;
                sum += i64::from(value);
                is_exact &= f64::from(value) * unit == half.coupling;
                if other < site {
                    weights.couplings[site * (site - 1) / 2 + other] = half.coupling;
                }
            }
            let own = field / unit;
            is_exact &= own as i64 as f64 == own;
            let twice = own + sum as f64;
            all_up[block].0[place] = quanta(twice, 2.0);
            is_exact &= f64::from(all_up[block].0[place]) * 2.0 == twice;
        }
        Ok(WordMatrix {
            is_exact,
            couplings,
            is_negative: false,
            all_up,
            per_unit,
            scales: memory::filled(blocks * BLOCK, 1.0)?,
            fields: lists.pieces.filled(copies.spins.len(), ZERO)?,
            flips: memory::filled(copies.spins.len(), 0)?,
            rows: [Rows::new(blocks)?, Rows::new(blocks)?],
            weights,
        })
    }

    pub fn heap_bytes(&self) -> usize {
        let lines = self.couplings.capacity() + self.all_up.capacity() + self.fields.capacity();
        let doubles = self.per_unit.capacity() + self.weights.couplings.capacity() + self.weights.fields.capacity();
        lines * size_of::<WordLine>()
            + doubles * size_of::<f64>()
            + self.scales.capacity() * size_of::<f32>()
            + self.flips.capacity() * size_of::<u64>()
            + self.rows.iter().map(|rows| rows.sites.capacity()).sum::<usize>() * size_of::<u32>()
    }

    /// Computes the local fields from the spins.
    pub fn refresh(&mut self, copies: &Copies, pieces: &Pieces) -> Result<(), Ended> {
        self.flips.fill(0);
        for (fields, spins) in self.fields.chunks_mut(copies.blocks).zip(copies.spins.chunks(copies.blocks)) {
            fields.copy_from_slice(&self.all_up);
            let [up, down] = &mut self.rows;
            up.clear();
            down.clear();
            (0..).zip(spins).for_each(|(block, &spins)| down.push(block, spins));
            for (fields, strip) in fields.iter_mut().zip(self.couplings.chunks(BLOCK * copies.blocks)) {
                pieces.before(16 * strip.len())?;
                update(fields, strip, &self.rows);
            }
        }
        Ok(())
    }

    /// The energy `Es` of some layers.
    pub fn energy(&self, copies: &Copies, layers: Range<usize>) -> f64 {
        let mut sum = CompensatedSum::default();
        for layer in layers {
            let spins = &copies.spins[layer * copies.blocks..][..copies.blocks];
            let is_down = |site: usize| spins[site / BLOCK] >> (site % BLOCK) & 1;
            for (site, &field) in self.weights.fields.iter().enumerate() {
                let own = is_down(site);
                sum.add(if own == 0 { field } else { -field });
                for (other, &value) in self.weights.row(site).iter().enumerate() {
                    sum.add(if own == is_down(other) { value } else { -value });
                }
            }
        }
        sum.value()
    }

    /// The energy `Es` of one layer.
    pub fn layer_energy(&self, copies: &Copies, layer: usize) -> f64 {
        const CHUNK: usize = 512;
        let spins = &copies.spins[layer * copies.blocks..][..copies.blocks];
        let spin = |site: usize| if spins[site / BLOCK] >> (site % BLOCK) & 1 == 0 { 1.0 } else { -1.0 };
        let mut sum = CompensatedSum::default();
        self.weights.fields.iter().enumerate().for_each(|(site, field)| sum.add(spin(site) * field));
        let mut others = [0.0; CHUNK];
        for first in (0..copies.sites).step_by(CHUNK) {
            let count = CHUNK.min(copies.sites - first);
            others[..count].iter_mut().enumerate().for_each(|(i, other)| *other = spin(first + i));
            for site in first + 1..copies.sites {
                let row = &self.weights.row(site)[first..];
                let row = &row[..row.len().min(count)];
                // The lengths are equal.
                sum.add(spin(site) * reduce::dot(row, &others[..row.len()]).unwrap_or(0.0));
            }
        }
        sum.value()
    }

    /// Visits every spin `sweeps` times; returns the number of flips.
    pub fn sweep(&mut self, copies: &mut Copies, rng: &mut Mt19937, space: f64, rule: Rule, sweeps: u64) -> u64 {
        self.set_sign(space < 0.0);
        for (scale, per_unit) in self.scales.iter_mut().zip(&self.per_unit) {
            *scale = (per_unit / (2.0 * space.abs())).clamp(1e-18, 1e30) as f32;
        }
        let mut flips = 0;
        for _ in 0..sweeps {
            for layer in 0..copies.layers {
                flips += self.visit(copies, rng, layer, space == 0.0, rule);
            }
        }
        flips
    }

    /// Visits every spin of one copy; returns the number of flips.
    fn visit(&mut self, copies: &mut Copies, rng: &mut Mt19937, layer: usize, is_free: bool, rule: Rule) -> u64 {
        let levels_kernel = match rule {
            Rule::Metropolis => dense_levels::KERNEL.function(),
            Rule::HeatBath => dense_heat_levels::KERNEL.function(),
        };
        let flips_kernel = dense_flips_i32::KERNEL.function();
        let blocks = copies.blocks;
        let words = layer * blocks..(layer + 1) * blocks;
        let (fields, flips) = (&mut self.fields[words.clone()], &mut self.flips[words.clone()]);
        let (strips, scales) = (self.couplings.chunks(BLOCK * blocks), self.scales.chunks(BLOCK));
        self.rows.iter_mut().for_each(Rows::clear);
        for (block, (&flips, &spins)) in flips.iter().zip(&copies.spins[words.clone()]).enumerate() {
            self.rows[0].push(block, flips & !spins);
            self.rows[1].push(block, flips & spins);
        }
        let mut random = [0; BLOCKS * BLOCK];
        let mut total = 0;
        for (block, ((strip, scales), (fields, last))) in
            strips.zip(scales).zip(fields.iter_mut().zip(flips)).enumerate()
        {
            let at = block % BLOCKS;
            if at == 0 {
                rng.fill_u32(&mut random[..BLOCK * BLOCKS.min(blocks - block)]);
            }
            update(fields, strip, &self.rows);

            let random = &random[at * BLOCK..][..BLOCK];
            let mut bounds = [0; BLOCK];
            // SAFETY: 64 numbers, scales and bounds; the scales are positive and finite.
            unsafe { levels_kernel(random.as_ptr(), scales.as_ptr(), bounds.as_mut_ptr()) };
            let mut free = if is_free { u64::MAX } else { copies.free[block] };
            while free != 0 {
                let i = free.trailing_zeros() as usize;
                bounds[i] = if random[i] >> 31 == 0 { i32::MAX } else { i32::MIN };
                free &= free - 1;
            }
            bounds[copies.len(block)..].fill(i32::MIN);

            let spins = &mut copies.spins[words.start + block];
            let [up, down] = &mut self.rows;
            up.start += (*last & !*spins).count_ones() as usize;
            down.start += (*last & *spins).count_ones() as usize;
            let own = &strip[BLOCK * block..][..BLOCK];
            // SAFETY: 64 fields and bounds, and 64 rows of 64.
            *last = unsafe { flips_kernel(*spins, fields.0.as_ptr(), bounds.as_ptr(), own.as_ptr().cast()) };
            *spins ^= *last;
            up.push(block, *last & !*spins);
            down.push(block, *last & *spins);
            total += u64::from(last.count_ones());
        }
        total
    }

    /// Negates couplings and fields if the sign of `space` changed.
    fn set_sign(&mut self, is_negative: bool) {
        if self.is_negative != is_negative {
            self.is_negative = is_negative;
            let lines = self.couplings.iter_mut().chain(&mut self.all_up).chain(&mut self.fields);
            lines.flat_map(|line| &mut line.0).for_each(|value| *value = -*value);
        }
    }
}

/// Adds the lines of spins that became +1 to the fields of a block, and subtracts those of the others.
fn update(WordLine(fields): &mut WordLine, strip: &[WordLine], [up, down]: &[Rows; 2]) {
    let (up, down) = (up.waiting(), down.waiting());
    let kernel = dense_update_i32::KERNEL.function();
    // SAFETY: 64 fields; the strip has a line for each site of all blocks.
    unsafe {
        let lines = strip.as_ptr().cast();
        kernel(fields.as_mut_ptr(), lines, up.as_ptr(), up.len(), down.as_ptr(), down.len());
    }
}

/// `2^exponent`, a normal number.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// Relative to the unit of the scale, the error of a level is at most 4e-7 of its logarithm plus
    /// 6e-7, and 1 by rounding down.
    #[test]
    fn levels_have_the_error_that_the_module_states() {
        let mut random = SplitMix64(4);
        for scale in [3.0f32, 1e4, 2e7] {
            for round in 0..4000 {
                let numbers: [u32; BLOCK] = core::array::from_fn(|_| {
                    let number = random.next();
                    let number = (number >> 32 >> if round % 2 == 0 { 0 } else { number % 32 }) as u32;
                    if round % 4 == 1 { !number } else { number }
                });
                for (kernel, is_heat) in
                    [(dense_levels::KERNEL.function(), false), (dense_heat_levels::KERNEL.function(), true)]
                {
                    let mut levels = [0; BLOCK];
                    // SAFETY: 64 numbers, scales and levels.
                    unsafe { kernel(numbers.as_ptr(), [scale; BLOCK].as_ptr(), levels.as_mut_ptr()) };
                    for (number, level) in numbers.into_iter().zip(levels) {
                        let u = f64::from(number >> 1 | 1) / f64::from(1u32 << 31);
                        let log = if is_heat { ((1.0 - u) / u).ln() } else { -u.ln() };
                        let error = f64::from(level) - log * f64::from(scale);
                        let bound = f64::from(scale) * (4e-7 * log.abs() + 6e-7);
                        assert!((-1.0 - bound..=bound).contains(&error), "{number} {scale} {is_heat}: {error}");
                    }
                }
            }
        }
    }
}
