//! Terms that are nearly multiples of one number, such as those of a penalty.
//!
//! In a QUBO with the penalty `P (1 - sum x)^2`, couplings are `P / 2`, and fields multiples of it plus the terms of
//! the objective. Spins that fulfil the constraint leave only these in a local field, however large P is.

use core::fmt::{self, Write};

use super::noise::Noise;
use super::part;

/// Minimum ratio of the common divisor to the tolerance of remainders. A random term is a multiple with a probability
/// of 2 / `PLAIN`, which all terms of a site together hardly are.
const PLAIN: f64 = 4096.0;

/// A divisor counts as exact, and is no rounded one, if its last decimal is this many times the remainder.
const ROUND: f64 = 64.0;

/// Remainders of decimals are rounding errors up to these units of the last place for each divisor. Fields of spins are
/// quarters of terms of a QUBO, and have two decimals more.
const DECIMALS: f64 = 128.0;

/// The number of `values`, the large magnitudes of a site in ascending order, that are no multiples of their greatest
/// common divisor, for remainders of up to `tolerance`. Remainders that come from rounding to f64, to f32 or to
/// decimals do not count. The value at `field` is that of the field; `noise` is that of sums of the others.
pub(super) fn differing(values: &[f64], field: Option<usize>, tolerance: f64, noise: &Noise) -> usize {
    let value = |index: usize| values[index];
    let couplings = || (0..values.len()).filter(|&index| Some(index) != field).map(value);
    // Couplings come first: more often than a field, they are multiples without remainders.
    let of_couplings = couplings().next().and_then(|first| divisor(first, couplings(), tolerance));
    let Some(of_couplings) = of_couplings else { return 0 };
    let Some(divisor) = divisor(of_couplings, field.map(value).into_iter(), tolerance) else { return 0 };
    // A divisor that is not one of rounded numbers is rounded itself.
    let is_exact = divisor == of_couplings && couplings().all(|value| remainder(value, divisor) == 0.0);
    let rounded = Noise::of_rounded(values);
    let noise = if is_exact { noise } else { &rounded };
    let rest = |value: f64| Some(remainder(value, divisor)).filter(|&rest| !noise.has_rest(rest, value / divisor));
    if values.iter().all(|&value| rest(value).is_none()) {
        return 0;
    }
    let largest = values.last().map_or(0.0, |&value| value);
    let of_single = if couplings().all(|value| f64::from(value as f32) == value) { part(24) * largest } else { 0.0 };
    let decimals = values.iter().map(|&value| last_decimal(value)).fold(f64::INFINITY, f64::min);
    let error = DECIMALS * decimals.max(of_single);
    let last = last_decimal(divisor);
    let differs = |rest: f64, value: f64| ROUND * rest <= last || rest > error * (1.0 + value / divisor);
    values.iter().filter(|&&value| rest(value).is_some_and(|rest| differs(rest, value))).count()
}

/// The greatest common divisor of a number and of values, for remainders of up to `tolerance`. `None` if it is small
/// beside these.
fn divisor(first: f64, mut values: impl Iterator<Item = f64>, tolerance: f64) -> Option<f64> {
    let add = |mut divisor: f64, value: f64| {
        let mut rest = remainder(value, divisor);
        while rest > tolerance && divisor >= PLAIN * tolerance {
            (divisor, rest) = (rest, remainder(divisor, rest));
        }
        (divisor >= PLAIN * tolerance).then_some(divisor)
    };
    values.try_fold(first, add)
}

/// The distance of a number to the nearest multiple of another one.
fn remainder(value: f64, divisor: f64) -> f64 {
    let count = (value / divisor + 0.5) as u64 as f64;
    (value - count * divisor).abs()
}

/// A decimal number.
#[derive(Default)]
struct Text {
    bytes: [u8; 32],
    length: usize,
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let place = self.bytes.get_mut(self.length..self.length + text.len()).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.length += text.len();
        Ok(())
    }
}

impl Text {
    fn of(arguments: fmt::Arguments) -> Self {
        let mut text = Text::default();
        // Numbers are shorter than the room.
        let _ = text.write_fmt(arguments);
        text
    }

    fn text(&self) -> &str {
        str::from_utf8(&self.bytes[..self.length]).unwrap_or("")
    }
}

/// The unit of the last of the first 15 digits that is not 0: 0.01 of 1.25, and 1000 of 5000. Further digits come from
/// rounding to f64.
fn last_decimal(value: f64) -> f64 {
    let text = Text::of(format_args!("{value:.14e}"));
    let (digits, exponent) = text.text().split_once('e').unwrap_or(("1", "0"));
    let decimals = digits.trim_end_matches('0').split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
    let exponent = exponent.parse().unwrap_or(0) - decimals;
    Text::of(format_args!("1e{exponent}")).text().parse().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of couplings and a field.
    fn found(couplings: &[f64], field: f64) -> usize {
        let mut values = [couplings, &[field]].concat();
        values.sort_unstable_by(f64::total_cmp);
        let tolerance = part(24) * values.iter().sum::<f64>();
        let index = values.iter().position(|&value| value == field);
        differing(&values, index, tolerance, &Noise::of(&values, couplings.iter().copied()))
    }

    #[test]
    fn decimals_end() {
        for (value, last) in
            [(1.25, 0.01), (5000.0, 1000.0), (0.1, 0.1), (1e10, 1e10), (0.1 + 0.2, 0.1), (2e-300, 1e-300)]
        {
            assert_eq!(last_decimal(value), last, "{value}");
        }
    }

    #[test]
    fn penalties_hide_an_objective() {
        for power in 8..16 {
            let penalty = 10f64.powi(power);
            assert_eq!(found(&[penalty / 2.0; 3], penalty + 0.5), 1, "{power}");
            assert_eq!(found(&[7.0 * (penalty / 10.0); 4], 14.0 * (penalty / 10.0) + 1.3), 1, "{power}");
            assert_eq!(found(&[penalty, 1.5 * penalty, 2.5 * penalty], penalty * 0.5 + 1.0), 1, "{power}");
            assert_eq!(found(&[3837.0 * (penalty / 1e4); 4], 11511.0 * (penalty / 1e4) + 1.0), 1, "{power}");
            assert_eq!(found(&[penalty / 2.0; 3], penalty), 0, "{power}");
        }
        // Small enough beside the rounding of a sum.
        assert_eq!(found(&[5e5; 3], 1e6 + 0.5), 0);
    }

    #[test]
    fn rounded_multiples_are_multiples() {
        let sevenths = [1.0 / 7.0, 2.0 / 7.0, 4.0 / 7.0];
        for digits in 7..17 {
            let rounded = |value: f64| alloc::format!("{value:.digits$}").parse::<f64>().unwrap();
            assert_eq!(found(&sevenths.map(rounded), rounded(3.0 / 7.0)), 0, "{digits}");
            // As fields of a QUBO.
            let terms = [1.0, 2.0, 4.0].map(|count| rounded(count / 7.0) / 4.0);
            assert_eq!(found(&terms, rounded(5.0 / 7.0) / 2.0 - terms.iter().sum::<f64>()), 0, "{digits}");
        }
        let single = |value: f64| f64::from(value as f32);
        assert_eq!(found(&[0.1, 0.2, 0.4].map(single), single(0.3)), 0);
        assert_eq!(found(&[0.1, 0.2, 0.4], 0.1 + 0.2), 0);
        // Incommensurable.
        assert_eq!(found(&[1.0, 2f64.sqrt(), 3f64.sqrt()], 1.1), 0);
        // Tenths, the field among them.
        assert_eq!((found(&[0.5, 1.0], 0.9), found(&[0.4, 0.5, 1.0], 0.4), found(&[0.7, 0.8], 0.1)), (0, 0, 0));
    }
}
