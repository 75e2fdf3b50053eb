//! The experiments of the five sources, each as [`Part`]s of a ladder.

pub mod bits;
pub mod clifford;
pub mod correlation;
pub mod hardround;
pub mod ising;
pub mod matmul;
mod programs;
pub mod reduce;
mod stateful;

use crate::ladder::{Effort, Part};

/// Runs the experiments of a source. The function hears what is measured next.
pub type Run = fn(&Effort, &mut dyn FnMut(&str)) -> Vec<Part>;

/// A source whose experiments a ladder repeats.
pub struct Source {
    /// Its name on the command line.
    pub word: &'static str,
    pub citation: &'static str,
    pub run: Run,
}

/// All sources, in the order of the mission.
pub const SOURCES: &[Source] = &[
    Source {
        word: "ising",
        citation: "Dickson, Karimi and Hamze 2010: Metropolis sweeps of layered Ising models",
        run: ising::run,
    },
    Source {
        word: "correlation",
        citation: "Pancratov and others 2008: the orientational correlation function over all pairs of points",
        run: correlation::run,
    },
    Source { word: "reduce", citation: "Huang 2025: sums with instruction-level parallelism", run: reduce::run },
    Source {
        word: "matmul",
        citation: "Huang 2025: products of matrices, blocked, packed and vectorised",
        run: matmul::run,
    },
    Source { word: "clifford", citation: "Huang and others 2025: Clifford layers", run: clifford::run },
    Source {
        word: "hardround",
        citation: "Avenel and others 2016: hard-to-round cases of exp by vectors",
        run: hardround::run,
    },
    Source { word: "bits", citation: "Kuznetsov and Tolstoy 2009: bit planes and their distances", run: bits::run },
];
