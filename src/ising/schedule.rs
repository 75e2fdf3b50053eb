//! The default temperatures of an anneal.

use super::graph::Half;
use crate::exp::double::ln;
use crate::frame::error::Error;
use crate::frame::memory;

/// Excitations of the system per read at the end of an anneal.
const EXCITATIONS: f64 = 0.01;

/// See [`Builder::beta_range`](super::Builder::beta_range). `halves` lists each edge at both of its sites.
pub(super) fn beta_range(fields: &[f64], halves: &[Half]) -> Result<[f64; 2], Error> {
    let mut strongest = memory::collected(fields.iter().map(|field| field.abs()))?;
    let magnitude = |value: f64| if value == 0.0 { f64::INFINITY } else { value.abs() };
    let mut weakest = memory::collected(fields.iter().map(|&field| magnitude(field)))?;
    for &Half { site, coupling, .. } in halves {
        let site = site as usize;
        strongest[site] += coupling.abs();
        weakest[site] = weakest[site].min(magnitude(coupling));
    }
    let gap = weakest.iter().copied().fold(f64::INFINITY, f64::min);
    if gap == f64::INFINITY {
        return Ok([0.1, 1.0]);
    }
    let strongest = strongest.iter().copied().fold(0.0, f64::max);
    let excitable = weakest.iter().filter(|&&value| value == gap).count() as f64;
    let range = [core::f64::consts::LN_2 / (2.0 * strongest), ln(excitable / EXCITATIONS) / (2.0 * gap)];
    Ok(range.map(|beta| beta.clamp(1e-30, 1e30)))
}
