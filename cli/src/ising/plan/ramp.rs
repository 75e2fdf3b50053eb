//! A sequence of inverse temperatures or fields, one for each step of an anneal or rung of a ladder.

use crate::ising::choices::Spacing;

/// A sequence of values.
#[derive(Clone, Debug, PartialEq)]
pub enum Ramp {
    Fixed(f64),
    List(Vec<f64>),
    Between {
        from: f64,
        to: f64,
        count: usize,
        spacing: Spacing,
    },
    /// The result of a pilot run.
    Adapted(Vec<f64>),
    /// Of a file.
    Table(Vec<f64>),
}

impl Ramp {
    /// The last of several values is exactly `to`.
    pub fn value(&self, index: usize) -> f64 {
        match self {
            Ramp::Fixed(value) => *value,
            Ramp::List(values) | Ramp::Adapted(values) | Ramp::Table(values) => values[index],
            &Ramp::Between { to, count, .. } if index + 1 == count => to,
            &Ramp::Between { from, to, count, spacing } => {
                let part = index as f64 / (count - 1) as f64;
                match spacing {
                    // A pilot run begins with equal ratios.
                    Spacing::Geometric | Spacing::Auto => from * (to / from).powf(part),
                    Spacing::Linear => from + (to - from) * part,
                }
            }
        }
    }

    pub fn text(&self) -> String {
        match self {
            Ramp::Fixed(value) => value.to_string(),
            Ramp::List(values) => values.iter().map(f64::to_string).collect::<Vec<_>>().join(","),
            Ramp::Adapted(values) => {
                format!("{} to {} in {} auto steps", values[0], values[values.len() - 1], values.len())
            }
            Ramp::Table(values) => {
                // All values count, for checkpoints.
                let hash = |hash: u64, value: &f64| (hash ^ value.to_bits()).wrapping_mul(0x0100_0000_01b3);
                let mark = values.iter().fold(0xcbf2_9ce4_8422_2325, hash);
                let (first, last) = (values[0], values[values.len() - 1]);
                format!("{first} to {last} in {} steps of schedule {mark:016x}", values.len())
            }
            Ramp::Between { from, to, count, spacing } => format!("{from} to {to} in {count} {spacing} steps"),
        }
    }
}
