//! What ranks send to each other.

use std::vec;

use serde::{Deserialize, Serialize};

use super::Record;

/// A neighbour of this rank whose rung may swap with one of its own.
pub struct Border {
    pub rank: usize,
    pub pair: usize,
    /// The rungs of the pair.
    pub mine: usize,
    pub theirs: usize,
}

/// The results of a rank's steps.
#[derive(Default, Serialize, Deserialize)]
pub struct Met {
    /// The lowest energy so far.
    pub lowest: f64,
    /// The records of its models, step by step.
    pub records: Vec<Record>,
    /// The swaps of each step, of each pair that is due and whose first rung is the rank's: one bit for each
    /// system.
    pub swaps: Vec<u64>,
    /// Es and Et of each system of an exchange whose steps are visited.
    pub sums: Vec<(f64, f64)>,
}

/// The results of a rank's steps that rank 0 has not taken yet.
pub struct Part {
    pub records: vec::IntoIter<Record>,
    pub swaps: vec::IntoIter<u64>,
    pub sums: vec::IntoIter<(f64, f64)>,
}

impl Part {
    pub fn new(met: Met) -> Self {
        Part { records: met.records.into_iter(), swaps: met.swaps.into_iter(), sums: met.sums.into_iter() }
    }
}
