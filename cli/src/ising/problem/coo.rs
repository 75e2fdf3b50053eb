//! Files of couplings and fields, or of a QUBO, with their offset.

use super::spins::{binary, cut};
use super::{Objective, Problem};
use crate::coo::{self, Vartype};

/// The error names the line.
pub fn parse(text: &str, is_maxcut: bool) -> Result<Problem, String> {
    let file = coo::parse(text)?;
    let offset = file.offset;
    if file.vartype == Some(Vartype::Binary) {
        return match is_maxcut {
            true => Err("--maxcut: the file is a QUBO (vartype=BINARY), not a graph; leave out --maxcut".to_owned()),
            false => binary(file.numbers.fields, &file.numbers.couplings, 0, offset),
        };
    }
    let model = file.spins();
    match (is_maxcut, model.fields.iter().position(|&field| field != 0.0)) {
        (false, _) => Ok(Problem { model, objective: Objective::Energy { offset }, first: 0 }),
        (true, Some(spin)) => {
            Err(format!("--maxcut: spin {spin} has a field, which no cut has; leave out --maxcut, or the line"))
        }
        (true, None) if offset != 0.0 => Err(format!(
            "--maxcut: the file has an offset, {offset}, which no cut has; leave out --maxcut, or the offset"
        )),
        (true, None) => Ok(cut(model, 0)),
    }
}
