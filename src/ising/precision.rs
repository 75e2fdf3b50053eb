//! Rounding of local fields whose terms differ much in magnitude.

use alloc::vec::Vec;

use super::graph::Lists;
use super::shape::Method;
use crate::memory;
use crate::pieces::Ended;

/// Sums in f32 keep terms of at least 2^-20 of the sum of magnitudes, with an error of 1/16.
pub(super) const SINGLE_BITS: i32 = 20;
/// The same for the fixed point of `Kind::Dense`.
pub(super) const DENSE_BITS: i32 = 26;

/// Terms between these fractions of the sum of magnitudes look like rounding errors of f64, such as those of a
/// conversion from a QUBO, and do not count as lost.
const NOISE_BITS: [i32; 2] = [46, 56];

/// One term in so many may be lost: real couplings of a wide distribution have a few small ones.
const SHARE: usize = 1024;

/// Whether terms of these magnitudes may add up to much less than their sum. If not, errors of the sum are small beside
/// it, however signs are chosen.
fn may_cancel(largest: f64, sum: f64) -> bool {
    2.0 * largest <= sum * (1.0 + part(10))
}

/// 2^-bits.
fn part(bits: i32) -> f64 {
    f64::from_bits(((1023 - bits) as u64) << 52)
}

impl Lists<'_, '_> {
    /// The magnitudes of the field and the couplings of a site, without zeros.
    fn magnitudes(&self, fields: &[f64], site: usize) -> impl Iterator<Item = f64> {
        let couplings = self.neighbours(site as u32).iter().map(|half| half.coupling);
        couplings.chain([fields[site]]).map(f64::abs).filter(|&value| value > 0.0)
    }

    /// Whether sums of a precision of `bits` lose more than a few terms at sites where larger ones may cancel: terms
    /// below the precision, or the difference of two. If so, the first site where it happens.
    pub fn loses(&self, fields: &[f64], bits: i32) -> Result<Option<usize>, Ended> {
        let (mut lost, mut total, mut first) = (0, 0, None);
        let degrees = (0..fields.len()).map(|site| self.neighbours(site as u32).len());
        let mut values: Vec<f64> = memory::with_capacity(degrees.max().unwrap_or(0) + 1)?;
        let [coarse, fine] = NOISE_BITS.map(part);
        for site in 0..fields.len() {
            values.clear();
            self.pieces.before(4 * (1 + self.neighbours(site as u32).len()))?;
            values.extend(self.magnitudes(fields, site));
            values.sort_unstable_by(f64::total_cmp);
            let sum = values.iter().sum::<f64>();
            total += values.len();
            if !values.last().is_some_and(|&largest| may_cancel(largest, sum)) {
                continue;
            }
            let is_lost = |value: f64, limit: f64| {
                value < limit * sum && (value >= coarse * sum || value > 0.0 && value < fine * sum)
            };
            let small = values.iter().filter(|&&value| is_lost(value, part(bits))).count();
            let differences = values.windows(2).map(|pair| pair[1] - pair[0]);
            let close = differences.filter(|&value| value >= coarse * sum && is_lost(value, part(bits + 4))).count();
            if small + close > 0 {
                first = first.or(Some(site));
            }
            lost += small + close;
        }
        Ok(first.filter(|_| lost * SHARE > total))
    }

    /// Whether all values are multiples of the units of `Kind::Dense`, 2^-30 of the power of two below each sum.
    pub fn is_exact_in_dense(&self, fields: &[f64]) -> bool {
        (0..fields.len()).all(|site| {
            let sum: f64 = self.magnitudes(fields, site).sum();
            let exponent = (sum.to_bits() >> 52) as i32 - 1023;
            let per_unit = part((exponent - 30).clamp(-1000, 1000));
            self.magnitudes(fields, site).all(|value| value * per_unit == (value * per_unit) as u64 as f64)
        })
    }

    /// An estimate of the rounding error of a local field, the largest of all sites, for sums that are not exact.
    pub fn rounding(&self, fields: &[f64], method: Method) -> f64 {
        let error = |site: usize| {
            let (largest, sum) =
                self.magnitudes(fields, site).fold((0.0f64, 0.0), |(a, b), value| (a.max(value), b + value));
            match method {
                _ if !may_cancel(largest, sum) => 0.0,
                // Each of the terms is rounded to 30 bits of the sum.
                Method::Dense { .. } => sum * part(31) * self.neighbours(site as u32).len().isqrt() as f64,
                _ => sum * part(24),
            }
        };
        (0..fields.len()).map(error).fold(0.0, f64::max)
    }
}
