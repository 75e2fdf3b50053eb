//! The experiments of the five sources, each as [`Part`]s of a ladder.

pub mod bits;
pub mod correlation;
mod stateful;

use crate::ladder::{Effort, Part};

/// A source whose experiments a ladder repeats.
pub struct Source {
    /// Its name on the command line.
    pub word: &'static str,
    pub citation: &'static str,
    /// Runs the experiments. The function hears what is measured next.
    pub run: fn(&Effort, &mut dyn FnMut(&str)) -> Vec<Part>,
}
