//! Problems in the formats of their fields, and the objective that each format counts in.
//!
//! Every format becomes couplings and fields. Results are reported in the problem's own units: the
//! energy, the weight of a cut, or the value of a QUBO.

mod bqp;
mod coo;
mod format;
mod gset;
mod lines;
mod mtx;
mod objective;
mod qplib;
mod qubo;
mod spins;
#[cfg(test)]
mod tests;

use std::path::Path;

use crate::coo::Couplings;
use crate::failure::{Failure, say};
use crate::{input, memory};
pub use format::Format;
pub use objective::Objective;

/// A problem as a file states it.
#[derive(Debug, PartialEq)]
pub struct Problem {
    pub model: Couplings,
    pub objective: Objective,
    /// The number of the first spin in the file.
    pub first: usize,
}

impl Problem {
    /// Reads a file. The failure names the file and the wrong line.
    pub fn read(path: &Path, format: Option<Format>, is_maxcut: bool) -> Result<Self, Failure> {
        let wrong = |why: String| Failure::Input(format!("{}: {why}", path.display()));
        let read = || {
            let text = input::text(path)?;
            let found = format.unwrap_or_else(|| Format::of(path, &text));
            let problem = parse(&text, found, is_maxcut)?;
            // The header `n m` alone tells neither a graph from a QUBO nor a maximum from a minimum.
            let is_guess = format.is_none() && found == Format::Gset && !is_maxcut && Format::of_name(path).is_none();
            if is_guess {
                let others = "a QUBO needs --model-format bqp (maximum) or bqp-min (minimum)";
                say(format_args!(
                    "hotloops: {}: read as a graph for Max-Cut (--model-format gset); {others}",
                    path.display()
                ));
            }
            Ok(problem)
        };
        memory::needed_for(&"the model", read).map_err(wrong)
    }

    /// Sites and couplings, in the words of the objective.
    pub fn size(&self) -> String {
        let (sites, pairs) = (self.model.fields.len(), self.model.couplings.len());
        match self.objective {
            Objective::Energy { .. } => format!("{sites} spins, {pairs} couplings"),
            Objective::Cut { total } => format!("Max-Cut, {sites} vertices, {pairs} edges of total weight {total}"),
            Objective::Qubo { .. } => format!("QUBO, {sites} variables, {pairs} products"),
        }
    }
}

/// The error names the line.
fn parse(text: &str, format: Format, is_maxcut: bool) -> Result<Problem, String> {
    match format {
        Format::Coo => coo::parse(text, is_maxcut),
        Format::Gset => gset::parse(text),
        Format::Qubo if is_maxcut => Err("--maxcut: the file is a QUBO, not a graph; leave out --maxcut".to_owned()),
        Format::Qubo => qubo::parse(text),
        Format::Bqp | Format::BqpMin | Format::Qplib if is_maxcut => {
            Err("--maxcut: the file is a QUBO, not a graph; leave out --maxcut".to_owned())
        }
        Format::Qplib => qplib::parse(text),
        Format::Bqp => bqp::parse(text, -1.0),
        Format::BqpMin => bqp::parse(text, 1.0),
        Format::Mtx => mtx::parse(text, is_maxcut),
    }
}
