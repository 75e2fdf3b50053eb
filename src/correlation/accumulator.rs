//! Counts and sums of each bin.

use alloc::vec::Vec;

use super::bins::Bins;
use super::{ONE_PAIR, SUM_BITS};
use crate::frame::error::{Error, exactly};
use crate::frame::memory;
use crate::math::fused;

/// Splits a word into its number of pairs and the sum of their products.
#[inline]
pub(super) fn unpack(word: i64) -> (u64, i64) {
    let sum = word << (64 - SUM_BITS) >> (64 - SUM_BITS);
    // A negative sum borrows 1 from the number of pairs.
    (((word.wrapping_sub(sum)) as u64) / ONE_PAIR as u64, sum)
}

/// One bin of an [`Accumulator`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Lower edge, included.
    pub lo: f64,
    /// Upper edge, excluded.
    pub hi: f64,
    /// Number of pairs.
    pub count: u64,
    /// Sum of the products Re(psi_i* psi_j), in units of 2^-28.
    pub sum: i128,
}

impl Bin {
    /// The mean of the products, the orientational correlation; `None` if there is no pair.
    #[must_use]
    pub fn g(&self) -> Option<f64> {
        // `as f64` would call the compiler's run-time library, which this library does without.
        let sum = fused::round(self.sum < 0, self.sum.unsigned_abs(), -28);
        (self.count > 0).then(|| sum / self.count as f64)
    }

    /// The middle of the bin.
    #[must_use]
    pub fn middle(&self) -> f64 {
        f64::midpoint(self.lo, self.hi)
    }
}

/// Counts of pairs and sums of their products, bin by bin, for one or several sets of points.
///
/// Counts and sums are integers: accumulators of parts of the work, [merged](Self::merge), equal
/// the accumulator of the whole. An accumulator takes at most 64 bytes per bin.
///
/// ```
/// use hotloops::correlation::{Accumulator, Bins, Image, Psi};
/// let psi = [Psi::ONE, Psi::from_angle(0.5, 6)?, Psi::ONE];
/// let image = Image::new(&[0, 3, 3], &[0, 4, 0], &psi)?;
/// let mut pairs = Accumulator::new(Bins::uniform(0.0, 10.0, 1.0)?)?;
/// pairs.add_image(&image)?;
/// assert_eq!(pairs.bins().map(|bin| bin.count).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1, 0, 0, 0, 0]);
/// # Ok::<(), hotloops::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Accumulator {
    pub(super) bins: Bins,
    pub(super) counts: Vec<u64>,
    pub(super) sums: Vec<i128>,
}

impl Accumulator {
    /// An empty accumulator.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn new(bins: Bins) -> Result<Self, Error> {
        let (counts, sums) = (memory::filled(bins.len(), 0)?, memory::filled(bins.len(), 0)?);
        Ok(Accumulator { bins, counts, sums })
    }

    /// Adds the counts and sums of another accumulator.
    ///
    /// # Errors
    /// [`Error::Bins`] with the index of the first edge that differs.
    pub fn merge(&mut self, other: &Accumulator) -> Result<(), Error> {
        self.check_bins(&other.bins)?;
        (0..self.counts.len()).for_each(|bin| self.add(bin, other.counts[bin], other.sums[bin]));
        Ok(())
    }

    /// [`Error::Bins`] with the index of the first edge that differs.
    pub(super) fn check_bins(&self, other: &Bins) -> Result<(), Error> {
        if self.bins == *other {
            return Ok(());
        }
        let (a, b) = (self.bins.edges(), other.edges());
        let index = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
        Err(Error::Bins { index })
    }

    /// Adds counts and sums bin by bin, such as those of [`Accumulator::bins`] of another process. They wrap
    /// around at 2^64 and 2^128.
    ///
    /// ```
    /// use hotloops::correlation::{Accumulator, Bins};
    /// let mut pairs = Accumulator::new(Bins::uniform(0.0, 2.0, 1.0)?)?;
    /// pairs.add_bins(&[1, 0], &[1 << 28, 0])?;
    /// assert_eq!(pairs.bins().next().unwrap().g(), Some(1.0));
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] unless there are as many counts and sums as bins.
    pub fn add_bins(&mut self, counts: &[u64], sums: &[i128]) -> Result<(), Error> {
        exactly("counts", self.counts.len(), counts.len())?;
        exactly("sums", self.sums.len(), sums.len())?;
        (0..counts.len()).for_each(|bin| self.add(bin, counts[bin], sums[bin]));
        Ok(())
    }

    /// Counts and sums, bin by bin.
    #[must_use]
    pub fn bins(&self) -> impl ExactSizeIterator<Item = Bin> + '_ {
        let edges = self.bins.edges();
        (0..self.counts.len()).map(|k| Bin { lo: edges[k], hi: edges[k + 1], count: self.counts[k], sum: self.sums[k] })
    }

    #[inline]
    pub(super) fn add(&mut self, bin: usize, count: u64, sum: i128) {
        self.counts[bin] = self.counts[bin].wrapping_add(count);
        self.sums[bin] = self.sums[bin].wrapping_add(sum);
    }
}

#[cfg(test)]
mod tests {
    use super::super::MAX_PAIRS;
    use super::*;

    #[test]
    fn words_hold_the_most_pairs_of_either_sign() {
        for product in [1i64 << 29, -(1 << 29), 0, 1, -1] {
            let word = (0..MAX_PAIRS).fold(0i64, |word, _| word.wrapping_add(ONE_PAIR + product));
            assert_eq!(unpack(word), (MAX_PAIRS as u64, MAX_PAIRS as i64 * product));
        }
    }
}
