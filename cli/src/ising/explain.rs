//! `hotloops ising --explain`: the measures of a problem, and the kind that is chosen for it.

use std::path::Path;

use hotloops::ising::{Acceptance, Blocks, Kind, LayeredIsing};
use serde::Serialize;

use super::choices::{Method, kind_name};
use super::plan::{RunPlan, System, acceptance_name, build, builder, unfit};
use super::problem::Problem;
use super::state::State;
use crate::coo::Couplings;
use crate::failure::Failure;
use crate::output;

/// Maximum number of spins of the layers of a kind that is tried beside worldlines.
const MAX_TRIED: usize = 1 << 22;

/// Properties of a problem that determine the speed of each kind.
#[derive(Debug, PartialEq, Serialize)]
struct Measures {
    sites: usize,
    /// Sites without couplings and fields.
    free_sites: usize,
    couplings: usize,
    /// Share of all pairs that are coupled.
    density: f64,
    min_degree: usize,
    mean_degree: f64,
    max_degree: usize,
    /// Smallest and largest magnitude of the couplings; `None` without couplings.
    magnitudes: Option<[f64; 2]>,
    /// All couplings have one magnitude, and there are no fields.
    is_plus_minus_j: bool,
    sites_with_fields: usize,
    /// Largest magnitude of a field.
    max_field: f64,
    /// Largest sum of the magnitudes of couplings and field at a site.
    max_local_field: f64,
    /// Colours of a greedy colouring in the order of the sites.
    colours: usize,
}

impl Measures {
    fn new(model: &Couplings) -> Self {
        let sites = model.fields.len();
        let mut neighbours = vec![Vec::new(); sites];
        let mut sums: Vec<f64> = model.fields.iter().map(|field| field.abs()).collect();
        for &(i, j, coupling) in model.couplings.iter().filter(|(.., coupling)| *coupling != 0.0) {
            let ends = [i as usize, j as usize];
            ends.iter().for_each(|&end| sums[end] += coupling.abs());
            neighbours[ends[0]].push(ends[1]);
            neighbours[ends[1]].push(ends[0]);
        }
        let degrees = || neighbours.iter().map(Vec::len);
        let couplings = degrees().sum::<usize>() / 2;
        let magnitudes = || model.couplings.iter().map(|(.., coupling)| coupling.abs()).filter(|value| *value != 0.0);
        let range = [f64::min, f64::max].map(|of| magnitudes().reduce(of));
        let magnitudes = if let [Some(min), Some(max)] = range { Some([min, max]) } else { None };
        let fields = || model.fields.iter().map(|field| field.abs()).filter(|value| *value != 0.0);
        Measures {
            sites,
            free_sites: sums.iter().filter(|sum| **sum == 0.0).count(),
            couplings,
            density: couplings as f64 / (sites as f64 * (sites as f64 - 1.0) / 2.0).max(1.0),
            min_degree: degrees().min().unwrap_or(0),
            mean_degree: 2.0 * couplings as f64 / sites as f64,
            max_degree: degrees().max().unwrap_or(0),
            magnitudes,
            is_plus_minus_j: fields().count() == 0 && magnitudes.is_some_and(|[min, max]| min == max),
            sites_with_fields: fields().count(),
            max_field: fields().fold(0.0, f64::max),
            max_local_field: sums.iter().copied().fold(0.0, f64::max),
            colours: colours(&neighbours),
        }
    }
}

/// The number of colours if each site takes the first that none of its neighbours has.
fn colours(neighbours: &[Vec<usize>]) -> usize {
    let mut colours = vec![usize::MAX; neighbours.len()];
    let mut taken = vec![usize::MAX; neighbours.iter().map(Vec::len).max().unwrap_or(0) + 1];
    for (site, neighbours) in neighbours.iter().enumerate() {
        for colour in neighbours.iter().map(|&other| colours[other]).filter(|colour| *colour != usize::MAX) {
            taken[colour] = site;
        }
        colours[site] = taken.iter().position(|&mark| mark != site).expect("one colour more than neighbours");
    }
    colours.into_iter().max().map_or(0, |last| last + 1)
}

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    measures: Measures,
    /// The unit of all couplings and fields, if the chosen kind counts in one.
    quantum: Option<f64>,
    layers: usize,
    /// Layers that are updated together.
    lanes: usize,
    /// The lattice whose blocks are the lanes of `Kind::Bits`, if layers are cut.
    lattice: Option<Lattice>,
    models: usize,
    /// Bytes of the chosen kind's model.
    bytes: usize,
    chosen: String,
    reason: &'static str,
    /// Estimated rounding error of a local field.
    rounding: f64,
    /// Why the sums of the chosen kind are too coarse.
    warning: Option<String>,
    /// The rule of spin flips.
    acceptance: &'static str,
    /// Why this rule is wrong here.
    trap: Option<&'static str>,
    kinds: Vec<Choice>,
}

/// A lattice by dimension.
#[derive(Serialize)]
struct Lattice {
    extents: Vec<usize>,
    is_periodic: Vec<bool>,
    /// Number of blocks.
    parts: Vec<usize>,
}

impl Lattice {
    fn new(blocks: Blocks) -> Self {
        let dimensions = blocks.dimensions;
        Lattice {
            extents: blocks.extents[..dimensions].to_vec(),
            is_periodic: blocks.is_periodic[..dimensions].to_vec(),
            parts: blocks.parts[..dimensions].to_vec(),
        }
    }

    fn text(&self) -> String {
        let product = |values: &mut dyn Iterator<Item = String>| values.collect::<Vec<_>>().join(" x ");
        let extents = self.extents.iter().zip(&self.is_periodic);
        let extents =
            product(&mut extents.map(|(extent, is)| format!("{extent} {}", if *is { "periodic" } else { "open" })));
        let parts = product(&mut self.parts.iter().map(usize::to_string));
        let block =
            product(&mut self.extents.iter().zip(&self.parts).map(|(extent, part)| (extent / part).to_string()));
        format!("{extents}, cut into {parts} blocks of {block}, a lane each")
    }
}

#[derive(Serialize)]
struct Choice {
    kind: String,
    /// Estimated nanoseconds of a visit of a spin.
    nanoseconds: Option<f64>,
    /// Why the kind cannot run the problem.
    refused: Option<String>,
}

/// A warning if sums of a kind are too coarse for the temperatures: `rounding` is the error of a local field. Means
/// of an exchange are wrong then; an anneal does not distinguish configurations that it should.
pub fn caution(plan: &RunPlan, state: &State) -> Option<String> {
    let rounding = state.rounding();
    let change = 2.0 * rounding * plan.coldest();
    let (limit, consequence) = match plan.method {
        Method::Exchange => (1.0 / 64.0, "means are unreliable"),
        Method::Anneal => (1.0, "configurations whose energies differ by less are not told apart"),
    };
    let name = state.kind_name();
    let remedy = match state.is_fixed() {
        true => "scale large coefficients such as penalties down",
        _ if plan.is_quantum() => "scale large coefficients such as penalties down",
        _ => "use --kind fixed, which is finer, or scale large coefficients such as penalties down",
    };
    (change > limit).then(|| {
        format!(
            "warning: --kind {name} rounds local fields by about {rounding:.1e}, which at beta {:.3e} changes \
             acceptance exponents by {change:.1e}: {consequence}; {remedy}",
            plan.coldest()
        )
    })
}

/// A warning if --acceptance asks for Metropolis where it may go round in circles.
pub fn trap(plan: &RunPlan, may_trap: bool) -> Option<&'static str> {
    (may_trap && !plan.is_quantum() && plan.acceptance == Acceptance::Metropolis).then_some(
        "warning: --acceptance metropolis may go round in circles on a ring or a small part of this problem, where all \
         local fields can be 0: means are unreliable; use auto or heat-bath",
    )
}

/// A warning if the slices of worldlines are too long: Trotter's error of an energy is about a twelfth of the square
/// of the exponent of a slice. `is_chosen` if the user gave their number.
pub fn coarse(plan: &RunPlan, problem: &Couplings, is_chosen: bool) -> Option<String> {
    const LONG: f64 = 0.1;
    let mut fields: Vec<f64> = problem.fields.iter().map(|field| field.abs()).collect();
    for &(i, j, coupling) in &problem.couplings {
        fields[i as usize] += coupling.abs();
        fields[j as usize] += coupling.abs();
    }
    let exponent = plan.coldest() * fields.into_iter().fold(0.0, f64::max);
    (plan.has_lines() && !is_chosen && exponent > LONG).then(|| {
        format!(
            "warning: the exponents of one of {} slices are up to {exponent:.1e}: energies differ from those of \
             continuous time; use --slices continuous",
            plan.layers()
        )
    })
}

pub fn run(plan: &RunPlan, problem: &Problem, path: &Path, is_json: bool) -> Result<String, Failure> {
    let state = State::new(plan, &problem.model).map_err(|error| unfit(plan, path, error))?;
    let layered = state.layered();
    let mut builder = builder(plan, &problem.model);
    // Worldlines have no layers in memory; other kinds would.
    let is_large = plan.has_lines() && plan.layers().saturating_mul(problem.model.fields.len()) > MAX_TRIED;
    let choice = |kind: Kind| Choice {
        kind: kind_name(kind),
        nanoseconds: builder.cost(kind).ok().filter(|cost| cost.is_finite()),
        refused: match is_large {
            true => Some(format!("{} layers are too many to try; reduce --slices", plan.layers())),
            false => build(plan, &problem.model, kind).err().map(|error| error.to_string()),
        },
    };
    let kinds = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Auto).map(choice);
    let lines = Choice {
        kind: "worldline".to_owned(),
        nanoseconds: Some(plan.line_cost(&problem.model) / plan.layers() as f64),
        refused: None,
    };
    let document = Document {
        measures: Measures::new(&problem.model),
        quantum: Some(state.quantum()).filter(|quantum| *quantum > 0.0),
        layers: plan.layers(),
        lanes: layered.map_or(1, LayeredIsing::lanes),
        lattice: layered.and_then(LayeredIsing::blocks).map(Lattice::new),
        models: plan.models,
        bytes: state.heap_bytes(),
        chosen: state.kind_name(),
        reason: match (plan.system, plan.kind) {
            (System::Lines(_), _) => "--kind asks for it, or there are more slices than 8 beta gamma",
            (System::Slices(_), Kind::Auto) => "the first that accepts the model, with the most exact sums",
            (System::Copies(_), Kind::Auto) => "estimated to be the fastest accurate kind",
            _ => "--kind asks for it",
        },
        rounding: state.rounding(),
        warning: caution(plan, &state),
        acceptance: acceptance_name(if plan.has_lines() { Acceptance::HeatBath } else { plan.acceptance }),
        trap: trap(plan, state.may_trap()),
        kinds: kinds.chain(plan.is_quantum().then_some(lines)).collect(),
    };
    Ok(match is_json {
        true => serde_json::to_string_pretty(&document).expect("plain data") + "\n",
        false => text(&document, plan, &format!("{}: {}", path.display(), problem.size())),
    })
}

fn text(document: &Document, plan: &RunPlan, title: &str) -> String {
    let measures = &document.measures;
    let Measures { sites, free_sites, couplings, min_degree, mean_degree, max_degree, .. } = *measures;
    let lines = [
        ("sites", format!("{sites}, {free_sites} of them free (no coupling, no field)")),
        ("couplings", format!("{couplings}, {:.3} % of all pairs", 100.0 * measures.density)),
        ("degrees", format!("{min_degree} to {max_degree}, mean {mean_degree:.2}")),
        (
            "magnitudes",
            match measures.magnitudes {
                Some([min, max]) => format!("{min} to {max}"),
                None => "no couplings".to_owned(),
            },
        ),
        ("+-J", if measures.is_plus_minus_j { "yes: one magnitude, no fields" } else { "no" }.to_owned()),
        ("fields", format!("at {} sites, at most {}", measures.sites_with_fields, measures.max_field)),
        (
            "quantum",
            match document.quantum {
                Some(quantum) => {
                    let quanta = (measures.max_local_field / quantum).round();
                    format!("{quantum}; magnitudes at a site add up to at most {quanta} quanta")
                }
                None => "none, or not used".to_owned(),
            },
        ),
        ("colours", format!("{} (greedy, in the order of the sites)", measures.colours)),
        ("layers", {
            let meaning = match plan.system {
                System::Copies(_) => "independent copies",
                System::Slices(_) | System::Lines(_) => "Trotter slices",
            };
            format!("{} {meaning}, {} at a time", document.layers, document.lanes)
        }),
        ("lattice", document.lattice.as_ref().map_or("not cut".to_owned(), Lattice::text)),
        ("models", format!("{} of {} bytes", document.models, document.bytes)),
        ("kind", format!("{}: {}", document.chosen, document.reason)),
        (
            "rounding",
            match (&document.warning, document.rounding) {
                (Some(warning), _) => warning.clone(),
                (None, 0.0) => "none: local fields are exact".to_owned(),
                (None, rounding) => format!("local fields by about {rounding:.1e}"),
            },
        ),
        ("acceptance", document.trap.unwrap_or(document.acceptance).to_owned()),
    ];
    let mut table = output::table(&["", ""]);
    lines.into_iter().for_each(|(name, value)| _ = table.add_row([name.to_owned(), value]));
    for Choice { kind, nanoseconds, refused } in &document.kinds {
        let state = match (refused, nanoseconds) {
            (Some(why), _) => format!("not possible: {why}"),
            (None, Some(cost)) if *cost < 0.01 => "estimated under 0.01 ns a visit of a spin".to_owned(),
            (None, Some(cost)) => format!("estimated {cost:.2} ns a visit of a spin"),
            (None, None) => "possible, but slow".to_owned(),
        };
        table.add_row([kind.clone(), state]);
    }
    let table: String = table.lines().skip(1).map(|line| format!("{}\n", line.trim_end())).collect();
    format!("{title}\n{table}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_those_of_the_graph() {
        // A triangle with a tail, a coupling of 0 and a free site.
        let couplings = vec![(0, 1, 1.0), (1, 2, -1.0), (2, 0, 1.0), (2, 3, 1.0), (0, 3, 0.0)];
        let mut model = Couplings { couplings, fields: vec![0.0; 5] };
        let expected = Measures {
            sites: 5,
            free_sites: 1,
            couplings: 4,
            density: 0.4,
            min_degree: 0,
            mean_degree: 1.6,
            max_degree: 3,
            magnitudes: Some([1.0, 1.0]),
            is_plus_minus_j: true,
            sites_with_fields: 0,
            max_field: 0.0,
            max_local_field: 3.0,
            colours: 3,
        };
        assert_eq!(Measures::new(&model), expected);
        model.fields[2] = -0.5;
        let with_field =
            Measures { is_plus_minus_j: false, sites_with_fields: 1, max_field: 0.5, max_local_field: 3.5, ..expected };
        assert_eq!(Measures::new(&model), with_field);
        let single = Measures::new(&Couplings { couplings: Vec::new(), fields: vec![1.0] });
        assert_eq!((single.magnitudes, single.colours, single.max_degree, single.density), (None, 1, 0, 0.0));
    }
}
