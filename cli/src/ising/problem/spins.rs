//! Graphs and QUBOs as couplings and fields of spins.

use hotloops::ising::binary_fields;

use super::{Objective, Problem};
use crate::coo::Couplings;

/// The cuts of a graph whose weights are the negative couplings.
pub fn cut(model: Couplings, first: usize) -> Problem {
    let total = 0.0 - model.couplings.iter().map(|(_, _, coupling)| coupling).sum::<f64>();
    Problem { model, objective: Objective::Cut { total }, first }
}

/// A graph from its edges `(i, j, w)`.
pub fn graph(sites: usize, edges: impl Iterator<Item = (u32, u32, f64)>) -> Problem {
    let couplings = edges.map(|(i, j, weight)| (i, j, -weight)).collect();
    cut(Couplings { couplings, fields: vec![0.0; sites] }, 1)
}

/// The minimum of `sum Q_ij x_i x_j` as that of an energy: x = (1 + s) / 2. `pairs` holds the sum
/// of both elements of a pair, `constant` is added.
pub fn binary(diagonal: Vec<f64>, pairs: &[(u32, u32, f64)], first: usize, constant: f64) -> Result<Problem, String> {
    let halves: f64 = diagonal.iter().map(|value| value / 2.0).sum();
    let offset = pairs.iter().fold(constant + halves, |sum, (.., value)| sum + value / 4.0);
    let fields = binary_fields(&diagonal, pairs.iter().map(|&(i, j, value)| (i as usize, j as usize, value)));
    let fields: Vec<f64> = fields.map_err(|error| error.to_string())?.into_iter().map(|field| 0.0 - field).collect();
    if let Some(site) = fields.iter().position(|&field| (field as f32).is_infinite()) {
        return Err(format!("the coefficients of variable {} are too large for single precision", site + first));
    }
    let couplings = pairs.iter().map(|&(i, j, value)| (i, j, -value / 4.0)).collect();
    let objective = Objective::Qubo { diagonal, constant, offset, is_max: false };
    Ok(Problem { model: Couplings { couplings, fields }, objective, first })
}

/// [`binary`] with variables from 1; if `is_maximum`, of the negative objective.
pub fn reversible(
    is_maximum: bool,
    diagonal: Vec<f64>,
    pairs: &[(u32, u32, f64)],
    constant: f64,
) -> Result<Problem, String> {
    let mut problem = binary(diagonal, pairs, 1, constant)?;
    if let Objective::Qubo { is_max, .. } = &mut problem.objective {
        *is_max = is_maximum;
    }
    Ok(problem)
}
