//! The systems of a run: classical copies, layers of a quantum system, or its worldlines.

use hotloops::ising::Kind;

use super::System;
use crate::failure::Failure;
use crate::ising::arguments::Arguments;
use crate::ising::choices::{FlipRule, KindChoice, Slices, kind_name};

/// Slices in units of `beta gamma` above which worldlines have the smaller errors in the same time. Below, a visit of a
/// spin in a layer is cheaper than its part of a segment.
const SLICES_A_BREAK: f64 = 8.0;

/// Maximum number of layers.
const MAX_LAYERS: usize = 1 << 16;

/// The kind of layers.
pub fn kind_of(choice: KindChoice) -> Kind {
    match choice {
        KindChoice::Layers(kind) => kind,
        KindChoice::Worldline => Kind::Auto,
    }
}

/// The systems of the arguments. `breaks` is the largest product of inverse temperature and field.
pub fn system(a: &Arguments, breaks: f64) -> Result<System, Failure> {
    if !a.is_quantum() {
        return Ok(System::Copies(a.copies.unwrap_or(128) as usize));
    }
    let slices = a.slices.unwrap_or(Slices::USUAL).0;
    let is_better = || a.acceptance == FlipRule::Auto && slices as f64 > SLICES_A_BREAK * breaks;
    let kind = match a.kind {
        KindChoice::Worldline => return Ok(System::Lines(slices)),
        KindChoice::Layers(Kind::Auto) if is_better() => return Ok(System::Lines(slices)),
        KindChoice::Layers(kind) => kind,
    };
    if matches!(kind, Kind::Bits | Kind::Single | Kind::Fixed | Kind::Dense) {
        let name = kind_name(kind);
        return Err(Failure::Usage(format!(
            "--kind {name}: systems of this kind are classical; use worldline, i8-exact, i16-exact or f32-poly"
        )));
    }
    let only_lines = "observables of a quantum system are those of --kind worldline; give it, or leave out";
    let options = [
        ("--observables", a.observables),
        ("--rungs", a.rungs.is_some()),
        ("--rungs-svg", a.rungs_svg.is_some()),
        ("--correlation", a.correlation.is_some()),
    ];
    if let Some((option, _)) = options.into_iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::Usage(format!("{option} has no effect: {only_lines} {option}")));
    }
    match a.slices {
        None => Err(Failure::Usage(format!(
            "--slices is missing: layers of kind {} have no default number; give it, or --kind worldline",
            kind_name(kind)
        ))),
        Some(_) if slices > MAX_LAYERS => Err(Failure::Usage(format!(
            "--slices {slices}: there are at most {MAX_LAYERS} layers of kind {}; use --kind worldline, or reduce it",
            kind_name(kind)
        ))),
        Some(_) => Ok(System::Slices(slices)),
    }
}

/// The cluster sweeps after each sweep of worldlines.
pub fn clusters(a: &Arguments, system: System) -> Result<u64, Failure> {
    match (a.clusters, system) {
        (Some(_), System::Slices(_)) => {
            let text = "--clusters has no effect: layers have no clusters; use --kind worldline, or leave it out";
            Err(Failure::Usage(text.to_owned()))
        }
        (clusters, _) => Ok(clusters.unwrap_or(0).into()),
    }
}

/// The slices of worldlines that are samples.
pub fn read_out(a: &Arguments, system: System) -> Result<Vec<usize>, Failure> {
    let Some(slices) = &a.read_out else { return Ok(vec![0]) };
    let System::Lines(count) = system else {
        let text = "--read-out has no effect: layers are all written; use --kind worldline, or leave it out";
        return Err(Failure::Usage(text.to_owned()));
    };
    let slices: Vec<usize> = slices.iter().map(|&slice| slice as usize).collect();
    match slices.iter().find(|slice| **slice >= count) {
        Some(slice) => {
            Err(Failure::Usage(format!("--read-out {slice}: slices have numbers from 0 to {}; give one", count - 1)))
        }
        None => Ok(slices),
    }
}
