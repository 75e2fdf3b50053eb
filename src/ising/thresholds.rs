//! Acceptance probabilities of the exact sweep, as integers.
//!
//! Let `m` be a spin times its local field in quanta, and `c` (0, 1 or 2) the number of its bonds
//! to the adjacent layers that are unsatisfied. The exponent of a flip is
//! `v = -(space m + tau (1 - c))`, where `space = 2 |beta_space| q` and `tau = 4 beta_tau J_tau`.
//! The flip has probability `min(1, exp(v))`, or `1 / (1 + exp(-v))` with the heat bath. At one
//! site `m` is always even or always odd: `m = 2 k + parity`, and `k` is between -64 and 63.
//!
//! If `space` is 0, and at sites without couplings and field, a Metropolis flip with `v = 0` has
//! probability 1/2. With no field to disturb it, a spin that always flipped would move in lockstep
//! with its copies.

use core::array::from_fn;

use super::shape::Rule;
use crate::exp::double::exp;

/// Length of one table (layout below). A kernel takes two of them: even `m`, then odd `m`.
const TABLE: usize = 432;

/// `THRESHOLD + 128 c + (k & 127)`: the probability times 2^16, rounded down; 65535 if it is 1.
pub(super) const THRESHOLD: usize = 0;
/// Three factors whose product is the probability of a Metropolis flip, for variants that multiply
/// instead of looking up thresholds. With `d = max(k - FIRST[c], 0)`, let `l = LOW[d % 16]`,
/// `h = HIGH[d / 16]` and `w = TAU[c]`, or `w = TAU[4 + c]` if `k < FIRST[c]`. Half the threshold,
/// rounded down, exceeds `(l h >> 16) w >> 16` by 0 to 4.
///
/// With the heat bath, for `k >= FIRST[c]`, `2^16 exp(v)` rounded down exceeds
/// `(l h >> 16) w >> 16` by 0 to 5. For smaller `k`, use the opposite field: `-k - parity` and
/// `2 - c` negate `v`.
pub(super) const LOW: usize = 384;
/// See [`LOW`].
pub(super) const HIGH: usize = 400;
/// See [`LOW`].
pub(super) const TAU: usize = 416;
/// The smallest `k` whose flip is not certain; with the heat bath, the smallest with `v <= 0`, see
/// [`LOW`]. Between -64 and 64, modulo 2^16.
pub(super) const FIRST: usize = 424;
/// A bound of the magnitude of `m` at all sites, less than 127, or 0 if there is none. It allows a variant to use
/// a smaller table.
const BOUND: usize = 428;

/// Length of the `thresholds` of [`sweep_i8()`](super::sweep_i8()).
pub const THRESHOLDS: usize = 2 * TABLE;

/// Acceptance probability 1 in fixed point (units of 2^-48).
pub(super) const CERTAIN: u64 = (1 << 48) - 1;

/// The two coefficients of the exponent, and the acceptance rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Exponents {
    pub space: f64,
    pub tau: f64,
    pub rule: Rule,
}

impl Exponents {
    /// The coefficients for sites without couplings and field.
    pub fn of_free_sites(self) -> Self {
        Exponents { space: 0.0, ..self }
    }

    /// The exponent `v` of a flip, which multiplies the weight by `exp(v)`.
    pub fn at(self, m: i32, c: usize) -> f64 {
        -(self.space * f64::from(m) + self.tau * (1.0 - c as f64))
    }

    /// The probability of a flip times 2^48, rounded down.
    pub fn probability(self, m: i32, c: usize) -> u64 {
        let v = self.at(m, c);
        let fixed = |probability: f64| (probability * (CERTAIN + 1) as f64) as u64;
        match self.rule {
            Rule::Metropolis if v < 0.0 => fixed(exp(v)).min(CERTAIN),
            Rule::Metropolis if self.is_certain(m, c) => CERTAIN,
            Rule::Metropolis => CERTAIN / 2 + 1,
            // The probabilities of a flip and of its reverse add up to 1.
            Rule::HeatBath => {
                let weight = exp(-v.abs());
                let less = fixed(weight / (1.0 + weight));
                if v > 0.0 { (CERTAIN + 1 - less).min(CERTAIN) } else { less }
            }
        }
    }

    fn is_certain(self, m: i32, c: usize) -> bool {
        let v = self.at(m, c);
        v > 0.0 || v == 0.0 && self.space != 0.0
    }

    /// Whether the field `m` is below [`FIRST`].
    pub fn comes_before(self, m: i32, c: usize) -> bool {
        match self.rule {
            Rule::Metropolis => self.is_certain(m, c),
            Rule::HeatBath => self.at(m, c) > 0.0,
        }
    }

    /// The upper 16 bits of [`probability`](Self::probability), given `exp(-|v|)` with a relative
    /// error below 2^-30. Computes it anew if that does not suffice.
    fn upper_bits(self, m: i32, c: usize, weight: f64) -> u16 {
        let is_before = self.comes_before(m, c);
        let probability = match self.rule {
            Rule::Metropolis if is_before => return u16::MAX,
            Rule::Metropolis => weight,
            Rule::HeatBath => weight / (1.0 + weight),
        };
        let fixed = probability * 65536.0;
        let upper = fixed as u16;
        let rest = fixed - f64::from(upper);
        match (upper == 0 || rest > 1e-4) && rest < 1.0 - 1e-4 {
            true if is_before => u16::MAX - upper,
            true => upper,
            false => (self.probability(m, c) >> 32) as u16,
        }
    }

    /// Writes the tables for fields of up to `max_local_field` quanta, at most 127. Thresholds of
    /// larger fields are not written.
    pub fn tabulate(self, max_local_field: i32, tables: &mut [u16; THRESHOLDS]) {
        let power = |d: usize| (exp(-2.0 * self.space * d as f64) * 65536.0) as u16;
        let (low, high): ([u16; 16], [u16; 8]) = (from_fn(power), from_fn(|d| power(16 * d)));
        let (from, to) = (-(max_local_field + 1) / 2, max_local_field / 2 + 1);
        // Whether exponents are precise enough to compute the next weight by a product.
        let is_smooth = self.space != 0.0 && self.space < 100.0 && self.tau.abs() < 1e4;
        let step = exp(-2.0 * self.space);
        for (parity, table) in (0..).zip(tables.as_chunks_mut::<TABLE>().0) {
            table[LOW..][..16].copy_from_slice(&low);
            table[HIGH..][..8].copy_from_slice(&high);
            table[BOUND] = if max_local_field < 127 { max_local_field as u16 } else { 0 };
            for c in 0..3 {
                // Without coupling between layers, `c` has no effect.
                if c > 0 && self.tau == 0.0 {
                    table.copy_within(THRESHOLD..THRESHOLD + 128, THRESHOLD + 128 * c);
                    [TAU, TAU + 4, FIRST].into_iter().for_each(|factor| table[factor + c] = table[factor]);
                    continue;
                }
                // The exponent decreases as `k` increases.
                let first = (from..to).find(|k| !self.comes_before(2 * k + parity, c)).unwrap_or(to);
                let mut set = |k: i32, threshold| table[THRESHOLD + 128 * c + (k & 127) as usize] = threshold;
                if is_smooth {
                    let start = |k: i32| exp(-self.at(2 * k + parity, c).abs());
                    let (mut up, mut down) = (start(first), start(first - 1));
                    for k in first..to {
                        set(k, self.upper_bits(2 * k + parity, c, up));
                        up *= step;
                    }
                    for k in (from..first).rev() {
                        set(k, self.upper_bits(2 * k + parity, c, down));
                        down *= step;
                    }
                } else {
                    (from..to).for_each(|k| set(k, (self.probability(2 * k + parity, c) >> 32) as u16));
                }
                table[FIRST + c] = first as u16;
                table[TAU + c] = match self.rule {
                    Rule::Metropolis => ((self.probability(2 * first + parity, c) >> 33) as u16).saturating_sub(1),
                    Rule::HeatBath => (exp(self.at(2 * first + parity, c)) * 65536.0) as u16,
                };
                // With the largest `l` and `h` the product is 32767.
                table[TAU + 4 + c] = 32769;
            }
        }
    }
}

/// The `thresholds` of [`sweep_i8()`](super::sweep_i8()). A flip against a local field of `m`
/// quanta, with `c` of the two bonds to the adjacent layers unsatisfied, has probability
/// `min(1, exp(-(space m + tau (1 - c))))`, except 1/2 if both `space` and the exponent are 0.
/// `space` is `2 beta_space q`, not negative, and `tau` is `4 beta_tau J_tau`. Both are finite.
#[must_use]
pub fn thresholds(space: f64, tau: f64) -> [u16; THRESHOLDS] {
    all(Exponents { space, tau, rule: Rule::Metropolis })
}

/// The `thresholds` of [`sweep_heat_i8()`](super::sweep_heat_i8()). A flip against a local field of
/// `m` quanta, with `c` of the two bonds to the adjacent layers unsatisfied, has probability
/// `1 / (1 + exp(space m + tau (1 - c)))`. `space` and `tau` are as for [`thresholds()`].
#[must_use]
pub fn heat_thresholds(space: f64, tau: f64) -> [u16; THRESHOLDS] {
    all(Exponents { space, tau, rule: Rule::HeatBath })
}

fn all(exponents: Exponents) -> [u16; THRESHOLDS] {
    let mut tables = [0; THRESHOLDS];
    exponents.tabulate(127, &mut tables);
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_upper_bits_of_probabilities() {
        let scales = [1e-300, 1e-9, 1e-4, 0.003, core::f64::consts::LN_2, 30.0, 99.0, 101.0];
        for rule in [Rule::Metropolis, Rule::HeatBath] {
            for space in [0.0].into_iter().chain(scales).chain((0..200).map(|i| 1.03f64.powi(i) * 1e-3)) {
                for tau in scales.into_iter().flat_map(|tau| [tau, -tau]).chain([0.0, space, -space, 1e9]) {
                    let exponents = Exponents { space, tau, rule };
                    for (parity, table) in (0..).zip(all(exponents).chunks(TABLE)) {
                        for (c, k) in (0..3).flat_map(|c| (-63..64i32).map(move |k| (c, k))) {
                            let expected = exponents.probability(2 * k + parity, c) >> 32;
                            let found = table[THRESHOLD + 128 * c + (k & 127) as usize];
                            assert_eq!(u64::from(found), expected, "{exponents:?}, {parity}, {c}, {k}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_factors_bound_the_thresholds() {
        let scales =
            [0.0, 1e-300, 1e-9, 1e-4, 0.003, 0.0125, 0.1, 0.173_286_795, 0.3, core::f64::consts::LN_2, 2.0, 30.0];
        for space in scales.into_iter().chain((0..400).map(|i| 1.013f64.powi(i) * 1e-3)) {
            for tau in scales.into_iter().flat_map(|tau| [tau, -tau, 16.0 * space + tau]).chain([1e300, -1e300]) {
                let tables = thresholds(space, tau);
                for (parity, table) in (0..).zip(tables.chunks(TABLE)) {
                    for c in 0..3 {
                        let mut last = u16::MAX;
                        for k in -64..64i32 {
                            let threshold = table[THRESHOLD + 128 * c + (k & 127) as usize];
                            let d = k - i32::from(table[FIRST + c] as i16);
                            let certain = d < 0;
                            let d = d.max(0) as usize;
                            let [l, h] = [table[LOW + d % 16], table[HIGH + d / 16]].map(u32::from);
                            let w = u32::from(table[TAU + c + if certain { 4 } else { 0 }]);
                            let product = (((l * h) >> 16) * w) >> 16;
                            let half = u32::from(threshold / 2);
                            let name = (space, tau, parity, c, k);
                            assert!((product..=product + 4).contains(&half), "{name:?}: {half}, factors {product}");
                            assert!(!certain || (threshold == u16::MAX && product == 32767), "{name:?}");
                            assert!(threshold <= last);
                            last = threshold;
                        }
                    }
                }
            }
        }
    }

    /// The product of the factors is at most 5 below `2^16 exp(v)`, see [`LOW`].
    #[test]
    fn the_factors_of_the_heat_bath_bound_the_odds() {
        let scales = [0.0, 1e-300, 1e-9, 1e-4, 0.003, 0.1, core::f64::consts::LN_2, 2.0, 30.0];
        for space in scales.into_iter().chain((0..100).map(|i| 1.05f64.powi(i) * 1e-3)) {
            for tau in scales.into_iter().flat_map(|tau| [tau, -tau, 16.0 * space + tau]).chain([1e300, -1e300]) {
                let tables = heat_thresholds(space, tau);
                let exponents = Exponents { space, tau, rule: Rule::HeatBath };
                for (parity, table) in (0..).zip(tables.chunks(TABLE)) {
                    for (c, k) in (0..3).flat_map(|c| (-63..64i32).map(move |k| (c, k))) {
                        let first = |c: usize| i32::from(table[FIRST + c] as i16);
                        let is_before = k < first(c);
                        let (k, c) = if is_before { (-k - parity, 2 - c) } else { (k, c) };
                        let d = (k - first(c)) as usize;
                        let factors = [LOW + d % 16, HIGH + d / 16, TAU + c].map(|at| u32::from(table[at]));
                        let product = (((factors[0] * factors[1]) >> 16) * factors[2]) >> 16;
                        let weight = exp(exponents.at(2 * k + parity, c)) * 65536.0;
                        let name = (space, tau, parity, c, k, is_before);
                        assert!((product..=product + 5).contains(&(weight as u32)), "{name:?}: {weight}, {product}");
                    }
                }
            }
        }
    }

    #[test]
    fn forward_and_backward_moves_are_in_detailed_balance() {
        for (space, tau) in [(0.05, 0.3), (0.2, -0.7), (0.5, 2.0)] {
            let exponents = Exponents { space, tau, rule: Rule::Metropolis };
            let p = |m, c| exponents.probability(m, c) as f64 / CERTAIN as f64;
            let heat = Exponents { rule: Rule::HeatBath, ..exponents };
            for (m, c) in (-127..=127).flat_map(|m| [0, 1, 2].map(|c| (m, c))) {
                // The reverse flip has the opposite field, with satisfied and unsatisfied bonds
                // exchanged.
                let (there, back) = (p(m, c), p(-m, 2 - c));
                let weight = exponents.at(m, c).exp();
                assert!((there - back * weight).abs() <= 8e-15 * (1.0 + weight), "{m} {c}: {there} {back}");
                assert!(there == 1.0 || back == 1.0);
                let (there, back) = (heat.probability(m, c), heat.probability(-m, 2 - c));
                assert!((CERTAIN..=CERTAIN + 1).contains(&(there + back)), "{m} {c}: {there} {back}");
                let expected = weight / (1.0 + weight) * CERTAIN as f64;
                assert!((there as f64 - expected).abs() <= 2.0, "{m} {c}: {there}, not {expected}");
            }
        }
    }
}
