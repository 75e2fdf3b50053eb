//! Observables of an exchange of classical copies or worldlines: moments of energy, magnetisation and overlaps at
//! each rung, with jackknife errors.
//!
//! Measurements are summed in blocks: with many copies, blocks of copies, which are independent of
//! each other; otherwise blocks of time, which double their length when there are too many. Blocks of
//! time are correlated: the error comes from the autocorrelation of their pseudo-values.

pub mod quantities;

use hotloops::Error;
use hotloops::ising::{LayeredIsing, Worldlines};
use serde::{Deserialize, Serialize};

use super::plan::RunPlan;
use super::statistics::{Doubt, of_series};
use super::timeline::Timeline;
use crate::coo::Couplings;
use quantities::*;
pub use quantities::{Place, Quantity, quantities};

/// Maximum number of blocks of copies.
const MAX_BLOCKS: usize = 64;
/// Maximum number of blocks of time, a power of two.
const MAX_TIMES: usize = 256;
/// Minimum number of blocks for an error.
const MIN_BLOCKS: usize = 16;
/// Maximum number of bins of the distribution of overlaps.
const MAX_BINS: usize = 101;

/// Sums over measurements.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct BlockSums {
    copies: f64,
    pairs: f64,
    sums: [f64; MOMENTS],
    histogram: Vec<u64>,
    /// In imaginary time at each of [`lags`], if it is measured.
    correlation: Vec<f64>,
}

impl BlockSums {
    fn add(&mut self, other: &BlockSums, sign: f64) {
        self.copies += sign * other.copies;
        self.pairs += sign * other.pairs;
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, other)| *sum += sign * other);
        self.correlation.resize(other.correlation.len().max(self.correlation.len()), 0.0);
        self.correlation.iter_mut().zip(&other.correlation).for_each(|(sum, other)| *sum += sign * other);
    }

    /// The same sums of energies as differences from an origin that is lower by `distance`.
    fn with_lower_origin(mut self, distance: f64) -> Self {
        self.sums[ENERGY_2] += distance * (2.0 * self.sums[ENERGY] + distance * self.copies);
        self.sums[ENERGY] += distance * self.copies;
        self
    }

    fn means(&self) -> [f64; MOMENTS] {
        std::array::from_fn(|index| self.sums[index] / if index < OVERLAP { self.copies } else { self.pairs })
    }
}

/// The measurements of one rung.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Observer {
    /// Energies are summed as differences from the first one.
    origin: Option<f64>,
    blocks: Vec<BlockSums>,
    /// Measurements per block of time, and in the last block; `None` for blocks of copies.
    time: Option<[u64; 2]>,
}

/// Lags of the correlation, in parts of the inverse temperature: from 0 to half of it.
const LAGS: usize = 32;

/// The lags of the correlation of lines with this number of slices, ascending.
pub fn lags(slices: usize) -> Vec<usize> {
    let mut lags: Vec<usize> = (0..=LAGS / 2).map(|lag| lag * slices / LAGS).collect();
    lags.dedup();
    lags
}

/// One bin of the distribution of overlaps.
#[derive(Serialize)]
pub struct Bin {
    pub overlap: f64,
    pub density: f64,
    pub error: Option<f64>,
}

impl Observer {
    pub fn new(plan: &RunPlan) -> Self {
        let pairs = plan.systems() / 2;
        let (blocks, time) = match plan.has_many_copies() {
            true => (vec![BlockSums::default(); pairs.min(MAX_BLOCKS)], None),
            false => (Vec::new(), Some([1, 1])),
        };
        Observer { origin: None, blocks, time }
    }

    /// The sums of the observers of copies, block of time by block of time.
    pub fn merged(observers: &[&Observer]) -> Observer {
        let mut all = observers[0].clone();
        for other in &observers[1..] {
            let distance = other.origin.zip(all.origin).map_or(0.0, |(other, origin)| other - origin);
            for (block, other) in all.blocks.iter_mut().zip(&other.blocks) {
                block.add(&other.clone().with_lower_origin(distance), 1.0);
            }
        }
        all
    }

    /// Begins the next block of time if the last one is full.
    fn advance(&mut self) {
        if let Some([length, last]) = &mut self.time {
            if *last == *length || self.blocks.is_empty() {
                if self.blocks.len() == MAX_TIMES {
                    self.blocks = merged(&self.blocks);
                    *length *= 2;
                }
                self.blocks.push(BlockSums::default());
                *last = 0;
            }
            *last += 1;
        }
    }

    /// Adds a measurement of worldlines with this energy, that of the transverse field included.
    pub fn add_lines(&mut self, lines: &Worldlines, timeline: &Timeline, energy: f64) {
        self.advance();
        let (slices, sites) = (lines.slices() as f64, lines.sites() as f64);
        let energy = energy - *self.origin.get_or_insert(energy);
        let of_all = lines.magnetisation() as f64 / slices / sites;
        let moments = timeline.moments(lines.slices());
        let block = self.blocks.last_mut().expect("a block of time");
        (block.copies, block.pairs) = (block.copies + 1.0, block.pairs + 1.0);
        let values = [
            (ENERGY, energy),
            (ENERGY_2, energy * energy),
            (MAGNETISATION, moments.absolute),
            (MAGNETISATION_2, moments.square),
            (MAGNETISATION_4, moments.fourth),
            (SIGNED, of_all),
            (OF_ALL, of_all.abs()),
            (OF_ALL_2, of_all * of_all),
            (WAVE, moments.wave),
            (KINKS, lines.kinks() as f64),
        ];
        values.into_iter().for_each(|(moment, value)| block.sums[moment] += value);
    }

    /// Adds the correlation in imaginary time to the last measurement of worldlines.
    pub fn add_correlation(&mut self, lines: &Worldlines) -> Result<(), Error> {
        let lags = lags(lines.slices());
        let mut values = vec![0.0; lags.len()];
        lines.correlation(&lags, &mut values)?;
        let block = self.blocks.last_mut().expect("a block of time");
        block.correlation.resize(values.len(), 0.0);
        block.correlation.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        Ok(())
    }

    /// Adds a measurement: the spins of a model, and the energy of each copy.
    pub fn add(&mut self, ising: &LayeredIsing, energies: impl Iterator<Item = f64>, problem: &Couplings) {
        let sites = problem.fields.len();
        let mut spins = vec![0; ising.layers() * sites];
        ising.spins(&mut spins).expect("room for all spins");
        let bins = bins(sites);
        self.advance();
        let (is_in_time, count, pairs) = (self.time.is_some(), self.blocks.len(), ising.layers() / 2);
        // The copy that an odd number leaves belongs to the last block.
        let block_of = |pair: usize| if is_in_time { count - 1 } else { pair.min(pairs - 1) * count / pairs };
        for (copy, (spins, energy)) in spins.chunks(sites).zip(energies).enumerate() {
            let energy = energy - *self.origin.get_or_insert(energy);
            let m = sum(spins.iter().copied()) as f64 / sites as f64;
            let block = &mut self.blocks[block_of(copy / 2)];
            block.copies += 1.0;
            let moments = [energy, energy * energy, m.abs(), m.powi(2), m.powi(4)];
            block.sums.iter_mut().zip(moments).for_each(|(sum, moment)| *sum += moment);
        }
        let mut products = vec![0i8; sites];
        for (pair, spins) in spins.chunks_exact(2 * sites).enumerate() {
            let (a, b) = spins.split_at(sites);
            products.iter_mut().zip(a.iter().zip(b)).for_each(|(product, (a, b))| *product = a * b);
            let overlap = sum(products.iter().copied());
            let q = overlap as f64 / sites as f64;
            let links = problem.couplings.iter().map(|&(i, j, _)| products[i as usize] * products[j as usize]);
            let link = sum(links) as f64 / problem.couplings.len() as f64;
            let block = &mut self.blocks[block_of(pair)];
            block.pairs += 1.0;
            let moments = [q.abs(), q.powi(2), q.powi(4), link];
            block.sums[OVERLAP..].iter_mut().zip(moments).for_each(|(sum, moment)| *sum += moment);
            block.histogram.resize(bins, 0);
            // Number of equal spins.
            let equal = (sites as i64 + overlap) as usize / 2;
            block.histogram[equal * bins / (sites + 1)] += 1;
        }
    }

    /// A quantity with its error, or the reason why there is none. The value is NaN if it is not
    /// defined.
    pub fn estimate(&self, quantity: &Quantity, place: &Place) -> (f64, Result<f64, Doubt>) {
        self.doubted(of_blocks(&self.blocks, |sums| (quantity.of)(&sums.means(), place)))
    }

    /// A function of the mean correlations at all lags, likewise.
    pub fn correlation(&self, of: impl Fn(&[f64]) -> f64) -> (f64, Result<f64, Doubt>) {
        self.doubted(of_blocks(&self.blocks, |sums| {
            let means: Vec<f64> = sums.correlation.iter().map(|sum| sum / sums.copies).collect();
            of(&means)
        }))
    }

    fn doubted(&self, found: Jackknife) -> (f64, Result<f64, Doubt>) {
        let error = found.error();
        let error = if self.blocks.len() < MIN_BLOCKS || !error.is_finite() {
            Err(Doubt::Short)
        } else if error <= 1e-12 * found.value.abs() {
            Err(Doubt::Constant)
        } else if self.time.is_some() {
            of_series(&found.pseudo).error
        } else {
            Ok(error)
        };
        (found.value, error)
    }

    /// The probability density of the overlap.
    pub fn distribution(&self, sites: usize) -> Vec<Bin> {
        let bins = bins(sites);
        let pairs: f64 = self.blocks.iter().map(|block| block.pairs).sum();
        let bin = |index: usize| {
            // The counts of equal spins that belong to the bin.
            let [first, end] = [index, index + 1].map(|index| (index * (sites + 1)).div_ceil(bins));
            let width = (end - first) as f64 * 2.0 / sites as f64;
            let counts: Vec<f64> =
                self.blocks.iter().map(|block| block.histogram.get(index).copied().unwrap_or(0) as f64).collect();
            let count: f64 = counts.iter().sum();
            let found = Jackknife::new(counts.len(), |block| {
                let (without, others) = block.map_or((0.0, 0.0), |block| (counts[block], self.blocks[block].pairs));
                (count - without) / (pairs - others) / width
            });
            let is_given = counts.len() >= MIN_BLOCKS && found.error().is_finite();
            let error = match self.time {
                Some(_) if is_given => of_series(&found.pseudo).error.ok(),
                _ => is_given.then(|| found.error()),
            };
            let overlap = (first + end - 1) as f64 / sites as f64 - 1.0;
            Bin { overlap, density: found.value, error }
        };
        (0..bins).map(bin).collect()
    }
}

fn sum(values: impl Iterator<Item = i8>) -> i64 {
    values.map(i32::from).sum::<i32>().into()
}

/// Number of bins for the overlaps of `sites` spins, which have `sites + 1` values.
fn bins(sites: usize) -> usize {
    (sites + 1).min(MAX_BINS)
}

/// Pairs of blocks, added.
fn merged(blocks: &[BlockSums]) -> Vec<BlockSums> {
    let merge = |pair: &[BlockSums]| {
        let mut sum = pair[0].clone();
        if let [_, other] = pair {
            sum.add(other, 1.0);
            sum.histogram.resize(sum.histogram.len().max(other.histogram.len()), 0);
            sum.histogram.iter_mut().zip(&other.histogram).for_each(|(count, other)| *count += other);
        }
        sum
    };
    blocks.chunks(2).map(merge).collect()
}

/// A function of sums over blocks.
fn of_blocks(blocks: &[BlockSums], of: impl Fn(&BlockSums) -> f64) -> Jackknife {
    let mut all = BlockSums::default();
    blocks.iter().for_each(|block| all.add(block, 1.0));
    Jackknife::new(blocks.len(), |without| {
        let mut rest = all.clone();
        without.iter().for_each(|&block| rest.add(&blocks[block], -1.0));
        of(&rest)
    })
}

/// A function of all blocks, and its pseudo-values: `n` times the function less `n - 1` times the one without a block.
struct Jackknife {
    value: f64,
    pseudo: Vec<f64>,
}

impl Jackknife {
    fn new(blocks: usize, without: impl Fn(Option<usize>) -> f64) -> Self {
        let (value, count) = (without(None), blocks as f64);
        let pseudo = (0..blocks).map(|block| count * value - (count - 1.0) * without(Some(block))).collect();
        Jackknife { value, pseudo }
    }

    /// The standard error if blocks are independent.
    fn error(&self) -> f64 {
        let count = self.pseudo.len() as f64;
        let mean = self.pseudo.iter().sum::<f64>() / count;
        let spread = self.pseudo.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        (spread / (count * (count - 1.0))).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use hotloops::random::Mt19937;

    use super::*;

    /// Blocks of `length` values, each the sum of 12 uniform numbers minus 6: mean 0, variance 1,
    /// fourth moment 2.9.
    fn noise(random: &mut Mt19937, blocks: usize, length: usize) -> Vec<BlockSums> {
        let block = || {
            let mut block = BlockSums { copies: length as f64, ..BlockSums::default() };
            let mut numbers = vec![0f32; 12 * length];
            random.fill_f32(&mut numbers);
            for numbers in numbers.chunks(12) {
                let value = numbers.iter().map(|&x| f64::from(x)).sum::<f64>() - 6.0;
                block.sums[ENERGY] += value;
                block.sums[ENERGY_2] += value * value;
            }
            block
        };
        std::iter::repeat_with(block).take(blocks).collect()
    }

    #[test]
    fn the_jackknife_gives_the_error_of_a_variance() {
        let mut random = Mt19937::seeded(16, 1).unwrap();
        let variance = |m: &[f64; MOMENTS]| m[ENERGY_2] - m[ENERGY].powi(2);
        let found: Vec<_> =
            (0..400).map(|_| of_blocks(&noise(&mut random, 32, 20), |sums| variance(&sums.means()))).collect();
        let count = found.len() as f64;
        let spread = (found.iter().map(|one| (one.value - 1.0).powi(2)).sum::<f64>() / count).sqrt();
        let error = found.iter().map(Jackknife::error).sum::<f64>() / count;
        assert!((spread / (1.9f64 / 640.0).sqrt() - 1.0).abs() < 0.1, "{spread}");
        assert!((error / spread - 1.0).abs() < 0.1, "{error}, {spread}");
    }

    #[test]
    fn merged_blocks_have_the_same_sums() {
        let mut random = Mt19937::seeded(16, 2).unwrap();
        let mut blocks = noise(&mut random, 5, 3);
        blocks[1].histogram = vec![1, 2];
        blocks[4].histogram = vec![3];
        let merged = merged(&blocks);
        assert_eq!(merged.len(), 3);
        assert_eq!((&merged[0].histogram, &merged[2].histogram), (&vec![1, 2], &vec![3]));
        assert_eq!(merged[2].sums, blocks[4].sums);
        let whole = |blocks: &[BlockSums]| of_blocks(blocks, |sums| sums.means()[ENERGY]).value;
        assert!((whole(&merged) - whole(&blocks)).abs() < 1e-12);
    }

    #[test]
    fn merged_observers_have_the_moments_of_all() {
        let mut random = Mt19937::seeded(16, 3).unwrap();
        let observer = |random: &mut Mt19937, origin: f64| Observer {
            origin: Some(origin),
            blocks: noise(random, 4, 10),
            time: Some([10, 10]),
        };
        let (a, b) = (observer(&mut random, 1.0), observer(&mut random, -2.5));
        let merged = Observer::merged(&[&a, &b]);
        let moment = |observer: &Observer, power: i32| {
            let all = |of: &dyn Fn(&BlockSums) -> f64| observer.blocks.iter().map(of).sum::<f64>();
            let (count, sum) = (all(&|block| block.copies), all(&|block| block.sums[ENERGY]));
            let (square, origin) = (all(&|block| block.sums[ENERGY_2]), observer.origin.unwrap());
            if power == 1 { sum + count * origin } else { square + 2.0 * origin * sum + count * origin * origin }
        };
        for power in [1, 2] {
            let (found, expected) = (moment(&merged, power), moment(&a, power) + moment(&b, power));
            assert!((found - expected).abs() < 1e-9, "{power}: {found} {expected}");
        }
    }

    #[test]
    fn every_overlap_has_a_bin_of_about_equal_width() {
        for sites in [1, 2, 99, 100, 101, 102, 5000] {
            let bins = bins(sites);
            let mut widths = vec![0; bins];
            (0..=sites).for_each(|equal| widths[equal * bins / (sites + 1)] += 1);
            let (min, max) = (widths.iter().min().unwrap(), widths.iter().max().unwrap());
            assert!(*min > 0 && max - min <= 1, "{sites}: {widths:?}");
        }
    }
}
