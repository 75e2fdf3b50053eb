//! The factors of the acceptance probability in the 16-bit sweep.
//!
//! Fields, exponents and probabilities are those of [`Exponents`]. The probability of a Metropolis
//! flip decreases from that of [`FIRST`] by `exp(-space)` with every quantum.

use super::MAX_QUANTA;
use crate::exp::double::exp;
use crate::ising::shape::Rule;
use crate::ising::thresholds::Exponents;

/// `16 digit + value`: `exp(-space value 16^digit)` times 2^16, rounded down, at most 65535.
pub(super) const DIGITS: usize = 0;
/// For each `c` the smallest `m` whose flip is not certain; with the heat bath, the smallest with
/// an exponent of at most 0. Modulo 2^16.
pub(super) const FIRST: usize = 64;
/// For each `c` the probability of a flip at [`FIRST`] times 2^16, rounded down; with the heat bath,
/// the exponential. At most 65535.
pub(super) const TAU: usize = 68;

/// Length of the `factors` of [`sweep_i16()`](super::sweep_i16()).
pub const FACTORS: usize = 72;

/// The factors for fields of up to `max_local_field` quanta.
pub(super) fn tabulate(exponents: Exponents, max_local_field: i32) -> [u16; FACTORS] {
    let fixed = |x: f64| (x * 65536.0) as u16;
    let mut factors = [0; FACTORS];
    for (digit, values) in (0..).zip(factors[DIGITS..FIRST].chunks_mut(16)) {
        let unit = exponents.space * f64::from(1u32 << (4 * digit));
        (0..).zip(values).for_each(|(value, factor)| *factor = fixed(exp(-unit * f64::from(value))));
    }
    for c in 0..3 {
        // The exponent decreases as `m` increases.
        let (mut first, mut end) = (-max_local_field, max_local_field + 1);
        while first < end {
            let middle = (first + end) >> 1;
            match exponents.comes_before(middle, c) {
                true => first = middle + 1,
                false => end = middle,
            }
        }
        factors[FIRST + c] = first as u16;
        factors[TAU + c] = match exponents.rule {
            Rule::Metropolis => (exponents.probability(first, c) >> 32) as u16,
            Rule::HeatBath => fixed(exp(exponents.at(first, c))),
        };
    }
    factors
}

/// The `factors` of [`sweep_i16()`](super::sweep_i16()). A flip against a local field of `m`
/// quanta, with `c` of the two bonds to the adjacent layers unsatisfied, has probability
/// `min(1, exp(-(space m + tau (1 - c))))`, except 1/2 if both `space` and the exponent are 0.
/// `space` is `2 beta_space q`, not negative, and `tau` is `4 beta_tau J_tau`. Both are finite.
#[must_use]
pub fn factors(space: f64, tau: f64) -> [u16; FACTORS] {
    tabulate(Exponents { space, tau, rule: Rule::Metropolis }, MAX_QUANTA as i32)
}

/// The `factors` of [`sweep_heat_i16()`](super::sweep_heat_i16()). A flip against a local field of
/// `m` quanta, with `c` of the two bonds to the adjacent layers unsatisfied, has probability
/// `1 / (1 + exp(space m + tau (1 - c)))`. `space` and `tau` are as for [`factors()`].
#[must_use]
pub fn heat_factors(space: f64, tau: f64) -> [u16; FACTORS] {
    tabulate(Exponents { space, tau, rule: Rule::HeatBath }, MAX_QUANTA as i32)
}

#[cfg(test)]
mod tests {
    use super::super::scalar::{Bound, bound};
    use super::super::{HEAT_SLACK, MAX_QUANTA, SLACK};
    use super::*;
    use crate::ising::thresholds::CERTAIN;

    /// Calls `check` with exponents of every scale, and fields and bonds.
    fn for_each(rule: Rule, mut check: impl FnMut(Exponents, &[u16; FACTORS], i32, usize)) {
        let scales = [0.0, 1e-300, 1e-9, 1e-4, 0.1, core::f64::consts::LN_2, 2.0, 30.0, 1e300];
        for space in scales.into_iter().chain((0..60).map(|i| 1.17f64.powi(i) * 3e-5)) {
            for tau in scales.into_iter().flat_map(|tau| [tau, -tau, 16.0 * space + tau]) {
                let exponents = Exponents { space, tau, rule };
                let factors = tabulate(exponents, MAX_QUANTA as i32);
                let largest = MAX_QUANTA as i32;
                for c in 0..3 {
                    let first = i32::from(factors[FIRST + c] as i16);
                    let scattered = (0..60).map(|i| (i * 7919) % (2 * largest) - largest);
                    let near = (0..300).map(|i| (first - 20 + i).clamp(-largest, largest));
                    let powers = (0..16).flat_map(|i| [first + (1 << i) - 1, first + (1 << i)]);
                    let fields = scattered.chain(near).chain(powers.filter(|m| m.abs() <= largest));
                    fields.chain([-largest, largest]).for_each(|m| check(exponents, &factors, m, c));
                }
            }
        }
    }

    #[test]
    fn the_product_of_the_factors_bounds_the_threshold() {
        let mut largest = 0;
        for_each(Rule::Metropolis, |exponents, factors, m, c| {
            let threshold = (exponents.probability(m, c) >> 32) as u16;
            let Bound { product, is_before } = bound(factors, m as i16, c);
            let product = if is_before { u16::MAX } else { product };
            let name = (exponents, m, c);
            assert!(product <= threshold && threshold - product <= SLACK, "{name:?}: {threshold}, {product}");
            largest = largest.max(threshold - product);
        });
        assert!(largest >= 6, "{largest}");
    }

    /// Every random number outside the doubt is on the side of the probability that the rule says.
    #[test]
    fn the_heat_bath_is_right_outside_the_doubt() {
        for_each(Rule::HeatBath, |exponents, factors, m, c| {
            let is_before = bound(factors, m as i16, c).is_before;
            let (at, beside) = if is_before { (-m, 2 - c) } else { (m, c) };
            let product = u32::from(bound(factors, at as i16, beside).product);
            let probability = exponents.probability(at, beside);
            assert!(!is_before || exponents.probability(m, c) == (CERTAIN + 1 - probability).min(CERTAIN));
            let threshold = (probability >> 32) as u16;
            for r in (threshold.saturating_sub(12)..=threshold.saturating_add(12)).chain([0, 9, 10, 11, 65_535]) {
                let q = ((u32::from(!r) * product) >> 16) as u16;
                let name = (exponents, m, c, r);
                assert!(r >= q || r < threshold, "{name:?}");
                assert!(r <= q.saturating_add(HEAT_SLACK) || r > threshold, "{name:?}");
            }
        });
    }
}
