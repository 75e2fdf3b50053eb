//! Ticks of logarithmic axes.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;

/// An axis with these ticks, or with those of a linear one.
pub struct Axis {
    range: RangedCoordf64,
    ticks: Option<Vec<f64>>,
}

impl Axis {
    pub fn new(range: Range<f64>, ticks: Option<Vec<f64>>) -> Self {
        Axis { range: range.into(), ticks }
    }
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.range.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        self.ticks.clone().unwrap_or_else(|| self.range.key_points(hint))
    }

    fn range(&self) -> Range<f64> {
        self.range.range()
    }
}

/// Round numbers from `low` to `high`, both positive: powers of ten, with their 2- and 5-fold below three decades.
/// Narrower ranges have finer steps.
pub fn logarithmic(low: f64, high: f64) -> Vec<f64> {
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let multiples = |parts: i32| (parts..10 * parts).map(move |part| f64::from(part) / f64::from(parts));
    let steps = [vec![1.0, 2.0, 5.0], multiples(1).collect(), multiples(2).collect(), multiples(10).collect()];
    let of = |steps: &[f64]| -> Vec<f64> {
        // From the shortest decimal form, since powers are inexact.
        let at = |power: i32, step: f64| format!("{step}e{power}").parse::<f64>().expect("a number");
        let all = decades.clone().flat_map(|power| steps.iter().map(move |&step| at(power, step)));
        all.filter(|&tick| tick >= low * (1.0 - 1e-9) && tick <= high * (1.0 + 1e-9)).collect()
    };
    let powers = of(&[1.0]);
    if high >= 1e3 * low {
        // Labels would touch.
        return powers.iter().copied().step_by(powers.len().div_ceil(12)).collect();
    }
    steps.iter().map(|steps| of(steps)).find(|ticks| ticks.len() > 1).unwrap_or(powers)
}

/// A tick as text, from its logarithm to base 10.
pub fn label(logarithm: f64) -> String {
    let digits = format!("{:.2e}", 10f64.powf(logarithm));
    let value: f64 = digits.parse().expect("a number");
    if (1e-3..1e6).contains(&value) { value.to_string() } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64) -> Vec<String> {
        logarithmic(low, high).iter().map(|tick| label(tick.log10())).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(0.012, 46_000.0), ["0.1", "1", "10", "100", "1000", "10000"]);
        assert_eq!(labels(1.0, 64.0), ["1", "2", "5", "10", "20", "50"]);
        assert_eq!(labels(0.0007, 0.3), ["0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2"]);
        assert_eq!(labels(0.0152, 0.0281), ["0.02", "0.025"]);
        assert_eq!(labels(1.0, 2.0), ["1", "2"]);
        assert_eq!(labels(1.15, 1.38), ["1.2", "1.3"]);
        assert_eq!(labels(1e5, 3e8), ["100000", "1e6", "1e7", "1e8"]);
        assert!(logarithmic(1e-200, 1e200).len() <= 13);
    }

    /// Every label says its tick exactly.
    #[test]
    fn labels_are_exact() {
        for power in -12..12 {
            for step in [1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 9.9] {
                let tick: f64 = format!("{step}e{power}").parse().unwrap();
                assert_eq!(label(tick.log10()).parse(), Ok(tick));
            }
        }
    }
}
