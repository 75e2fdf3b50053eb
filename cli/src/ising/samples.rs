//! The final configurations of a run, as text or for numpy.

use std::io::{self, Write};

use super::problem::Problem;
use super::sampler::Sampler;
use crate::output::npy;

/// The format of a file of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// One line per sample: its value and its spins.
    Text,
    /// A structured array, format 1.0 of `.npy`.
    Npy,
}

/// Writes the final configuration of every system, model by model; of a quantum system, all layers, or
/// the slices of worldlines to read out.
pub fn write(file: &mut dyn Write, form: Form, sampler: &Sampler, problem: &Problem) -> io::Result<()> {
    let Problem { model, objective, .. } = problem;
    let sites = model.fields.len();
    if form == Form::Npy {
        let name = objective.name();
        let count = sampler.plan.models * sampler.plan.sampled();
        let descr = format!("[('{name}', '<f8'), ('spins', '|i1', ({sites},))]");
        file.write_all(&npy::header(&descr, &format!("({count},)")))?;
    }
    for index in 0..sampler.plan.models {
        for spins in sampler.final_spins(index).chunks(sites) {
            let value = objective.value(model, spins);
            match form {
                Form::Text => {
                    writeln!(file, "{value} {}", spins.iter().map(|&spin| objective.symbol(spin)).collect::<String>())?;
                }
                Form::Npy => {
                    file.write_all(&value.to_le_bytes())?;
                    file.write_all(&spins.iter().map(|&spin| objective.number(spin) as u8).collect::<Vec<_>>())?;
                }
            }
        }
    }
    Ok(())
}
