//! Measures with their thresholds.

use hotloops::fingerprints::{Condition, Measure};

use crate::whole::whole;

/// The measure of a search.
#[derive(clap::Args)]
pub struct Directed {
    #[command(flatten)]
    choice: Choice,

    /// Weight of the bits that only the query has, for --tversky
    #[arg(long, value_name = "A", requires = "tversky", value_parser = weight, allow_negative_numbers = true)]
    tversky_alpha: Option<f64>,

    /// Weight of the bits that only the target has, for --tversky
    #[arg(long, value_name = "B", requires = "tversky", value_parser = weight, allow_negative_numbers = true)]
    tversky_beta: Option<f64>,

    /// Similarity of two all-zero fingerprints: 0 as in chemfp, 1 as in RDKit. With --contains,
    /// whether an all-zero query is part of every target [default: 0, with --contains 1]
    #[arg(long, value_name = "0|1", value_parser = ["0", "1"])]
    empty: Option<String>,
}

#[derive(clap::Args)]
#[group(multiple = false)]
struct Choice {
    /// Tanimoto similarity (Jaccard's) from which on fingerprints are similar. It is c / (a + b - c), for popcounts
    /// a and b and c common bits [default: 0.7]
    #[arg(long, value_name = "T", value_parser = threshold, allow_negative_numbers = true)]
    tanimoto: Option<f32>,

    /// Minimum Dice similarity. It is 2 c / (a + b)
    #[arg(long, value_name = "T", value_parser = threshold, allow_negative_numbers = true)]
    dice: Option<f32>,

    /// Minimum cosine similarity. It is c / sqrt(a b)
    #[arg(long, value_name = "T", value_parser = threshold, allow_negative_numbers = true)]
    cosine: Option<f32>,

    /// Maximum Hamming distance. It is a + b - 2 c, and the score
    #[arg(long, value_name = "D", value_parser = whole::<u16>(0..=u16::MAX), allow_negative_numbers = true,
        conflicts_with = "empty")]
    hamming: Option<u16>,

    /// Minimum Tversky similarity, c / (c + A (b - c) + B (a - c)), for a query of b bits and a
    /// target of a bits
    #[arg(long, value_name = "T", value_parser = threshold, allow_negative_numbers = true,
        requires = "tversky_alpha", requires = "tversky_beta")]
    tversky: Option<f32>,

    /// Targets that have all bits of the query (a screen for substructures); every score is 1
    #[arg(long)]
    contains: bool,
}

/// The measure of pairs within one set.
#[derive(clap::Args)]
pub struct Symmetric {
    #[command(flatten)]
    choice: SymmetricChoice,

    /// Similarity of two all-zero fingerprints: 0 as in chemfp, 1 as in RDKit
    #[arg(long, value_name = "0|1", default_value = "0", value_parser = ["0", "1"])]
    empty: String,
}

#[derive(clap::Args)]
#[group(multiple = false)]
struct SymmetricChoice {
    /// Tanimoto similarity (Jaccard's) from which on fingerprints are similar [default: 0.7]
    #[arg(long, value_name = "T", value_parser = threshold, allow_negative_numbers = true)]
    tanimoto: Option<f32>,

    /// Minimum Dice similarity
    #[arg(long, value_name = "T", value_parser = threshold, allow_negative_numbers = true)]
    dice: Option<f32>,

    /// Minimum cosine similarity
    #[arg(long, value_name = "T", value_parser = threshold, allow_negative_numbers = true)]
    cosine: Option<f32>,

    /// Maximum Hamming distance
    #[arg(long, value_name = "D", value_parser = whole::<u16>(0..=u16::MAX), allow_negative_numbers = true,
        conflicts_with = "empty")]
    hamming: Option<u16>,
}

pub fn threshold(word: &str) -> Result<f32, String> {
    match word.parse::<f32>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0 to 1, such as 0.7".to_owned()),
    }
}

fn weight(word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(value) if (0.0..f64::INFINITY).contains(&value) => Ok(value),
        _ => Err("expected a number of at least 0, such as 0.5".to_owned()),
    }
}

fn condition(measure: Measure, threshold: f32, empty: &str) -> Condition {
    Condition { measure, threshold, empty: if empty == "1" { 1.0 } else { 0.0 } }
}

impl Directed {
    pub fn condition(&self) -> Condition {
        let choice = &self.choice;
        let (measure, threshold) = match (choice.dice, choice.cosine, choice.hamming, choice.tversky) {
            _ if choice.contains => (Measure::Containment, 1.0),
            (Some(threshold), ..) => (Measure::Dice, threshold),
            (_, Some(threshold), ..) => (Measure::Cosine, threshold),
            (_, _, Some(distance), _) => (Measure::Hamming, f32::from(distance)),
            (.., Some(threshold)) => {
                let [alpha, beta] = [self.tversky_alpha, self.tversky_beta].map(|weight| weight.unwrap_or(1.0));
                (Measure::Tversky { alpha, beta }, threshold)
            }
            _ => (Measure::Tanimoto, choice.tanimoto.unwrap_or(0.7)),
        };
        let default = if choice.contains { "1" } else { "0" };
        condition(measure, threshold, self.empty.as_deref().unwrap_or(default))
    }
}

impl Symmetric {
    pub fn condition(&self) -> Condition {
        let choice = &self.choice;
        let (measure, threshold) = match (choice.dice, choice.cosine, choice.hamming) {
            (Some(threshold), ..) => (Measure::Dice, threshold),
            (_, Some(threshold), _) => (Measure::Cosine, threshold),
            (.., Some(distance)) => (Measure::Hamming, f32::from(distance)),
            _ => (Measure::Tanimoto, choice.tanimoto.unwrap_or(0.7)),
        };
        condition(measure, threshold, &self.empty)
    }
}

/// The name of a measure's option.
pub fn name(measure: Measure) -> &'static str {
    match measure {
        Measure::Hamming => "hamming",
        Measure::Tanimoto => "tanimoto",
        Measure::Dice => "dice",
        Measure::Cosine => "cosine",
        Measure::Tversky { .. } => "tversky",
        Measure::Containment => "contains",
    }
}
