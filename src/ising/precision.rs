//! Rounding of local fields whose terms differ much in magnitude.

mod multiples;
mod noise;

use alloc::vec::Vec;

use noise::Noise;

use super::graph::Lists;
use super::shape::{Line, Method};
use crate::frame::memory;
use crate::frame::pieces::Ended;

/// Sums in f32 keep terms of at least 2^-20 of the sum of magnitudes, with an error of 1/16.
pub(super) const SINGLE_BITS: i32 = 20;
/// The same for the fixed point of `Kind::Dense`.
pub(super) const DENSE_BITS: i32 = 26;
/// The same for `Kind::Fixed`.
pub(super) const FIXED_BITS: i32 = 57;

/// Bits behind the point of `Kind::Dense`: its unit is 2^-30 of the power of two below the sum of magnitudes.
pub(super) const DENSE_POINT: i32 = 30;
/// The same for `Kind::Fixed`.
pub(super) const FIXED_POINT: i32 = 61;

/// One term in `SHARE` may be lost: real couplings of a wide distribution have a few small ones.
const SHARE: usize = 1024;

/// Twice the expected share of small terms among `count` random terms of one scale. Their density is at most
/// 1 / mean; exponential magnitudes have this density at 0.
fn share_of_small(count: usize, bits: i32) -> f64 {
    2.0 * count as f64 * part(bits)
}

/// The number of larger terms close to a term that make a cluster. Of `count` random terms, at most one in
/// 2 `SHARE` has as many: the number of close terms has a Poisson distribution.
fn cluster(count: usize, bits: i32) -> usize {
    let mean = count as f64 * count as f64 * part(bits + 4);
    // mean^k / k! bounds the probability of k or more.
    let (mut others, mut probability) = (1, mean);
    while probability >= part(11) && others < count {
        others += 1;
        probability *= mean / others as f64;
    }
    others
}

/// Terms at all sites that sums of a precision lose. Among many real terms of one scale, some are small, and some
/// differ little, by chance. Local fields are sums of all terms and do not depend on these few. Only terms of a
/// smaller scale and clusters of values count as lost.
struct Losses {
    bits: i32,
    terms: usize,
    /// Terms that differ a little from others, or from multiples of others.
    close: usize,
    /// Small couplings and small fields, less those expected by chance.
    small: [f64; 2],
    first: Option<usize>,
}

impl Losses {
    fn new(bits: i32) -> Self {
        Losses { bits, terms: 0, close: 0, small: [0.0; 2], first: None }
    }

    /// Adds a site. `values` are the magnitudes of its couplings and of its `field`, without zeros; they get sorted.
    fn add(&mut self, site: usize, values: &mut [f64], field: f64) {
        values.sort_unstable_by(f64::total_cmp);
        let (count, sum) = (values.len(), values.iter().sum::<f64>());
        self.terms += count;
        if !values.last().is_some_and(|&largest| may_cancel(largest, sum)) {
            return;
        }
        let own = values.iter().position(|&value| value == field);
        let couplings = (0..count).filter(|&index| Some(index) != own).map(|index| values[index]);
        let noise = Noise::of(values, couplings);
        let least = part(self.bits) * sum;
        let is_small = |value: f64| value > 0.0 && value < least && !noise.has(value);
        let fields = usize::from(is_small(field));
        let couplings = values.iter().filter(|&&value| is_small(value)).count() - fields;
        let others = cluster(count, self.bits);
        let limit = part(self.bits + 4) * sum;
        // The last term of the cluster.
        let mut end = 0;
        let is_close = |&index: &usize| {
            if values.get(index + others).is_some_and(|value| value - values[index] < limit) {
                end = index + others;
            }
            let difference = values.get(index + 1).map_or(0.0, |next| next - values[index]);
            index < end && difference > 0.0 && !noise.has(difference)
        };
        let close = (0..count - 1).filter(is_close).count();
        let large = values.partition_point(|&value| value < least);
        let own = own.and_then(|own| own.checked_sub(large));
        let close = close.max(multiples::differing(&values[large..], own, limit, &noise));
        let share = share_of_small(count, self.bits);
        let number_of_fields = usize::from(field > 0.0);
        let excess = [(couplings, count - number_of_fields), (fields, number_of_fields)]
            .map(|(small, of)| small as f64 - share * of as f64);
        if close > 0 || excess.iter().any(|&small| small > 0.0) {
            self.first = self.first.or(Some(site));
        }
        self.close += close;
        self.small = [0, 1].map(|index| self.small[index] + excess[index]);
    }

    /// The first site with losses, if they are more than a few.
    fn site(&self) -> Option<usize> {
        let lost = self.close as f64 + self.small.iter().map(|small| small.max(0.0)).sum::<f64>();
        self.first.filter(|_| lost * SHARE as f64 > self.terms as f64)
    }
}

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
    /// below the precision, or differences of close ones. If so, the first site where it happens.
    pub fn loses(&self, fields: &[f64], bits: i32) -> Result<Option<usize>, Ended> {
        let mut losses = Losses::new(bits);
        let degrees = (0..fields.len()).map(|site| self.neighbours(site as u32).len());
        let mut values: Vec<f64> = memory::with_capacity(degrees.max().unwrap_or(0) + 1)?;
        for (site, field) in fields.iter().enumerate() {
            values.clear();
            self.pieces.before(4 * (1 + self.neighbours(site as u32).len()))?;
            values.extend(self.magnitudes(fields, site));
            losses.add(site, &mut values, field.abs());
        }
        Ok(losses.site())
    }

    /// Whether sums in fixed point of `bits` are exact: all values are multiples of the unit. For [`DENSE_POINT`], they
    /// add up to an even number of units.
    pub fn is_exact_in(&self, fields: &[f64], bits: i32) -> bool {
        fields.iter().enumerate().all(|(site, &field)| {
            let sum: f64 = self.magnitudes(fields, site).sum();
            let exponent = (sum.to_bits() >> 52) as i32 - 1023;
            let per_unit = part((exponent - bits).clamp(-1000, 1000));
            let couplings = self.neighbours(site as u32).iter().map(|half| half.coupling);
            let mut total = 0;
            let mut is_whole = |value: f64| {
                let number = (value * per_unit) as i64;
                total += number;
                number as f64 == value * per_unit
            };
            couplings.chain([field]).all(&mut is_whole) && (total % 2 == 0 || bits != DENSE_POINT)
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
                Method::Single(Line::Fixed) => sum * part(62) * self.neighbours(site as u32).len().isqrt() as f64,
                _ => sum * part(24),
            }
        };
        (0..fields.len()).map(error).fold(0.0, f64::max)
    }
}
