//! Sums over the measurements of one copy of a system.

use serde::{Deserialize, Serialize};

/// Maximum number of blocks of a [`Tally`], even.
const MAX_BLOCKS: usize = 16;

/// Sums over the measurements of one copy, of their differences from the first one. They do not depend on the number
/// of measurements that will follow, so that a run can be extended.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    first: f64,
    count: u64,
    squares: f64,
    /// Sums over blocks of time, which double their length when there are too many.
    blocks: [f64; MAX_BLOCKS],
    length: u64,
}

impl Tally {
    pub fn add(&mut self, value: f64) {
        if self.count == 0 {
            (self.first, self.length) = (value, 1);
        }
        if self.count == self.length * MAX_BLOCKS as u64 {
            let merged = |block: usize| self.blocks.get(2 * block..2 * block + 2).map_or(0.0, |pair| pair[0] + pair[1]);
            self.blocks = std::array::from_fn(merged);
            self.length *= 2;
        }
        let difference = value - self.first;
        self.blocks[(self.count / self.length) as usize] += difference;
        self.squares += difference * difference;
        self.count += 1;
    }

    fn difference(&self) -> f64 {
        self.blocks.iter().sum::<f64>() / self.count as f64
    }

    pub fn mean(&self) -> f64 {
        self.first + self.difference()
    }

    /// Variance of the measurements around the mean of this copy.
    pub fn variance(&self) -> f64 {
        self.squares / self.count as f64 - self.difference().powi(2)
    }

    /// The variance of the mean if blocks of time are independent of each other; `None` for fewer than 8 blocks.
    pub fn variance_of_mean(&self) -> Option<f64> {
        let blocks = &self.blocks[..(self.count / self.length.max(1)) as usize];
        let count = blocks.len() as f64;
        let mean = blocks.iter().sum::<f64>() / count;
        let squares: f64 = blocks.iter().map(|block| (block - mean).powi(2)).sum();
        (blocks.len() >= MAX_BLOCKS / 2).then(|| squares / (count - 1.0) / count / (self.length as f64).powi(2))
    }

    /// Mean of the second half of the blocks minus mean of the first; NaN if one of them is empty.
    pub fn drift(&self) -> f64 {
        let middle = self.count.div_ceil(self.length) / 2;
        let (first, second) = self.blocks.split_at(middle as usize);
        let count = middle * self.length;
        second.iter().sum::<f64>() / (self.count - count) as f64 - first.iter().sum::<f64>() / count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_has_the_moments_and_the_drift_of_its_values() {
        for count in [2usize, 3, 16, 17, 33, 100, 1000, 1024] {
            let mut tally = Tally::default();
            (0..count).for_each(|index| tally.add(5.0 + index as f64));
            let n = count as f64;
            assert_eq!(tally.mean(), 5.0 + (n - 1.0) / 2.0);
            assert!((tally.variance() / ((n * n - 1.0) / 12.0) - 1.0).abs() < 1e-12, "{count}");
            // The means of two parts of a line differ by half its length, wherever it is cut.
            assert_eq!(tally.drift(), n / 2.0);
        }
        let mut tally = Tally::default();
        tally.add(1.0);
        assert!(tally.drift().is_nan());
    }
}
