//! The experiments of the five sources, each as [`Part`]s of a ladder.

pub mod ising;

use crate::ladder::{Effort, Part};

/// Runs the experiments of a source. `step` hears what is measured next.
pub type Source = fn(&Effort, step: &mut dyn FnMut(&str)) -> Vec<Part>;
