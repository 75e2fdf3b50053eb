//! Options that choose from a list of words.

use std::fmt;
use std::str::FromStr;

use hotloops::ising::{Acceptance, Kind};

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub enum Method {
    /// Simulated annealing, from hot to cold
    Anneal,
    /// Replica exchange (parallel tempering)
    Exchange,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Method::Anneal => "anneal",
            Method::Exchange => "exchange",
        })
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, clap::ValueEnum)]
pub enum Spacing {
    /// Equal ratios
    #[default]
    Geometric,
    /// Equal differences
    Linear,
    /// Equal swap rates of all pairs of rungs, by a short pilot run
    Auto,
}

impl fmt::Display for Spacing {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Spacing::Geometric => "geometric",
            Spacing::Linear => "linear",
            Spacing::Auto => "auto",
        })
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, clap::ValueEnum)]
pub enum FlipRule {
    /// Heat bath at high temperatures, where Metropolis would flip nearly every spin in every
    /// sweep, and for rings and small parts of a problem in which it may go round in circles; else Metropolis
    #[default]
    Auto,
    /// min(1, exp(-beta dE))
    Metropolis,
    /// 1 / (1 + exp(beta dE))
    HeatBath,
}

impl From<FlipRule> for Acceptance {
    fn from(rule: FlipRule) -> Self {
        match rule {
            FlipRule::Auto => Acceptance::Auto,
            FlipRule::Metropolis => Acceptance::Metropolis,
            FlipRule::HeatBath => Acceptance::HeatBath,
        }
    }
}

/// The value of --kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KindChoice {
    /// A kind of layers, or an automatic one, which may be worldlines.
    Layers(Kind),
    Worldline,
}

/// The number of slices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slices(pub usize);

impl Slices {
    /// The largest number, in which imaginary time is continuous for all purposes.
    pub const MAX: Slices = Slices(1 << 30);
    /// The number of slices of worldlines that --slices does not give.
    pub const USUAL: Slices = Slices(1 << 16);
}

impl FromStr for Slices {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word.parse() {
            Ok(slices) if (2..=Slices::MAX.0).contains(&slices) => Ok(Slices(slices)),
            _ if word == "continuous" => Ok(Slices::MAX),
            _ => Err(format!("expected a whole number from 2 to {}, or continuous", Slices::MAX.0)),
        }
    }
}

/// The name of a kind on the command line, such as `i8-exact` of `I8Exact`.
pub fn kind_name(kind: Kind) -> String {
    let name = format!("{kind:?}");
    let dash = |(index, letter): (usize, char)| {
        let dash = if index > 0 && letter.is_uppercase() { "-" } else { "" };
        format!("{dash}{}", letter.to_ascii_lowercase())
    };
    name.char_indices().map(dash).collect()
}
