//! The rungs of an exchange: means, observables and swaps, as tables and as curves.

mod correlation;
mod summary;

use std::collections::BTreeMap;

use serde::Serialize;

use super::mean::{Mean, explanations};
use super::observables::{Bin, Quantity, quantities};
use super::problem::{Objective, Problem};
use super::sampler::Sampler;
use crate::failure::Failure;
use crate::output;
use crate::plot::panels::{self, Panel};
use correlation::Curve;
use summary::Summary;

/// One number, under the name of the objective.
#[derive(Serialize)]
pub struct Value<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    energy: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    objective: Option<T>,
}

impl<T> Value<T> {
    pub fn new(objective: &Objective, value: T) -> Self {
        let mut named = Value { energy: None, cut: None, objective: None };
        *match objective {
            Objective::Energy { .. } => &mut named.energy,
            Objective::Cut { .. } => &mut named.cut,
            Objective::Qubo { .. } => &mut named.objective,
        } = Some(value);
        named
    }

    pub fn get(&self) -> &T {
        [&self.energy, &self.cut, &self.objective].into_iter().find_map(Option::as_ref).expect("one of them")
    }
}

/// One value of the ladder.
#[derive(Serialize)]
pub struct Rung {
    beta: f64,
    gamma: f64,
    /// Acceptance of spin flips: `metropolis` or `heat-bath`.
    acceptance: &'static str,
    /// Energy, cut or objective; for quantum systems, the part in sigma^z.
    #[serde(flatten)]
    value: Value<Mean>,
    /// Energy including the transverse field, for quantum systems.
    total_energy: Option<Mean>,
    magnetisation: Mean,
    transverse_magnetisation: Option<Mean>,
    /// Attempted swaps with the next rung.
    attempts: Option<u64>,
    swaps: Option<u64>,
    /// By name, if they are measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    observables: Option<BTreeMap<&'static str, Mean>>,
    /// In imaginary time, if it is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation: Option<Curve>,
    /// The distribution of the overlap.
    #[serde(skip_serializing_if = "Option::is_none")]
    overlaps: Option<Vec<Bin>>,
    /// The valleys of the copies of a quantum system, if copies differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    valleys: Option<Vec<Valley>>,
}

/// The mean energy of copies that agree in it.
#[derive(Serialize)]
struct Valley {
    #[serde(flatten)]
    value: Value<f64>,
    copies: usize,
}

impl Rung {
    fn means(&self) -> impl Iterator<Item = &Mean> {
        let quantum = self.total_energy.iter().chain(&self.transverse_magnetisation);
        let observables = self.observables.iter().flat_map(BTreeMap::values);
        let gap = self.correlation.iter().map(|curve| &curve.gap);
        [self.value.get(), &self.magnetisation].into_iter().chain(quantum).chain(observables).chain(gap)
    }

    /// The observables in the order of the table.
    fn in_order(&self) -> impl Iterator<Item = (&'static Quantity, &Mean)> {
        let of = |quantity: &'static Quantity| Some((quantity, self.observables.as_ref()?.get(quantity.name)?));
        quantities(self.is_quantum()).iter().filter_map(of)
    }

    fn is_quantum(&self) -> bool {
        self.total_energy.is_some()
    }

    fn swap_rate(&self) -> Option<f64> {
        Some(self.swaps? as f64 / self.attempts? as f64)
    }
}

/// Round trips of all replicas of all ladders.
pub fn round_trips(sampler: &Sampler) -> u64 {
    sampler.chains.iter().map(|chain| chain.round_trips()).sum()
}

pub fn ladder(sampler: &Sampler, problem: &Problem) -> Vec<Rung> {
    let summary = Summary::new(sampler, problem);
    (0..sampler.plan.rungs()).map(|rung| summary.rung(rung)).collect()
}

/// The table, and the reasons for missing errors.
pub fn text(ladder: &[Rung], is_quantum: bool, name: &str) -> String {
    let (field, total): (&[&str], &[&str]) = match is_quantum {
        true => (&["gamma"], &["total energy", "error"]),
        false => (&[], &[]),
    };
    let header =
        [&["beta"], field, &["acceptance", name, "error", "tau"], total, &["magnetisation", "error", "swaps"]].concat();
    let mut table = output::table(&header);
    for rung in ladder {
        let mut cells = vec![format!("{:.5}", rung.beta)];
        cells.extend(field.iter().map(|_| format!("{:.5}", rung.gamma)));
        cells.push(rung.acceptance.to_owned());
        cells.extend(rung.value.get().cells());
        cells.push(rung.value.get().autocorrelation.map_or(String::new(), |time| format!("{time:.1}")));
        cells.extend(rung.total_energy.iter().flat_map(Mean::cells));
        cells.extend(rung.magnetisation.cells());
        cells.push(rung.swap_rate().map_or(String::new(), |rate| format!("{:.1} %", 100.0 * rate)));
        table.add_row(cells);
    }
    let mut text = output::lines(table, 0);
    if ladder.iter().any(|rung| rung.observables.is_some()) {
        text += "\nObservables, defined in --help; in brackets the error of the last digits\n";
        let symbols = ["beta"].into_iter().chain(field.iter().copied());
        let symbols: Vec<_> = symbols.chain(quantities(is_quantum).iter().map(|quantity| quantity.symbol)).collect();
        let mut table = output::table(&symbols);
        for rung in ladder {
            let mut cells = vec![format!("{:.5}", rung.beta)];
            cells.extend(field.iter().map(|_| format!("{:.5}", rung.gamma)));
            cells.extend(rung.in_order().map(|(_, mean)| mean.cell()));
            table.add_row(cells);
        }
        text += &output::lines(table, 0);
    }
    if ladder.iter().any(|rung| rung.correlation.is_some()) {
        text += "\nGap of the decay of C(tau), at tau, 2 tau and 4 tau\n";
        let mut table = output::table(&["beta", "gamma", "tau", "gap"]);
        for rung in ladder {
            let gap = rung.correlation.iter().map(|curve| (curve.gap_tau, curve.gap.cell()));
            let cells =
                gap.map(|(tau, gap)| [rung.beta, rung.gamma, tau].map(|x| format!("{x:.5}")).into_iter().chain([gap]));
            cells.for_each(|cells| _ = table.add_row(cells));
        }
        text += &output::lines(table, 0);
    }
    for rung in ladder {
        let valleys = rung.valleys.iter().flatten();
        let words: Vec<_> =
            valleys.map(|valley| format!("{:.6} ({} copies)", valley.value.get(), valley.copies)).collect();
        if !words.is_empty() {
            text +=
                &format!("valleys at beta {:.5}, gamma {:.5}: {name} {}\n", rung.beta, rung.gamma, words.join(", "));
        }
    }
    text += &explanations(|| ladder.iter().flat_map(Rung::means));
    text
}

/// One line per rung, with an empty field for each error that is missing.
pub fn csv(ladder: &[Rung], is_quantum: bool, objective: &Objective) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let quantum: &[&str] = if is_quantum { &["total_energy", "transverse_magnetisation"] } else { &[] };
    let means = [objective.name(), "magnetisation"].into_iter().chain(quantum.iter().copied());
    let means = means.chain(quantities(is_quantum).iter().map(|quantity| quantity.name));
    let pairs = means.flat_map(|name| [name.to_owned(), format!("{name}_error")]);
    let fixed = ["autocorrelation", "swap_rate", "not_converged"].map(str::to_owned);
    let field = is_quantum.then(|| "gamma".to_owned());
    let header: Vec<_> = ["beta".to_owned()].into_iter().chain(field).chain(pairs).chain(fixed).collect();
    writer.write_record(&header).expect("writing to memory");
    for rung in ladder {
        let value = rung.value.get();
        let quantum = rung.total_energy.iter().chain(&rung.transverse_magnetisation);
        let means =
            [value, &rung.magnetisation].into_iter().chain(quantum).chain(rung.in_order().map(|(_, mean)| mean));
        let pairs: Vec<_> = means.map(|mean| (mean.mean.is_finite().then_some(mean.mean), mean.error)).collect();
        let fixed = (value.autocorrelation, rung.swap_rate(), value.not_converged);
        let point = [rung.beta].into_iter().chain(is_quantum.then_some(rung.gamma));
        writer.serialize((point.collect::<Vec<_>>(), pairs, fixed)).expect("writing to memory");
    }
    writer.into_inner().expect("writing to memory")
}

/// The distribution of the overlap, one line per rung and bin.
pub fn overlaps(ladder: &[Rung]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["beta", "overlap", "density", "density_error"]).expect("writing to memory");
    for rung in ladder {
        for bin in rung.overlaps.iter().flatten() {
            writer.serialize((rung.beta, bin.overlap, bin.density, bin.error)).expect("writing to memory");
        }
    }
    writer.into_inner().expect("writing to memory")
}

/// The correlation in imaginary time, one line per rung and lag.
pub fn correlations(ladder: &[Rung]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record(["beta", "gamma", "tau", "correlation", "correlation_error", "not_converged"])
        .expect("writing to memory");
    for rung in ladder {
        for lag in rung.correlation.iter().flat_map(|curve| &curve.values) {
            let mean = (lag.mean.mean, lag.mean.error, lag.mean.not_converged);
            writer.serialize((rung.beta, rung.gamma, lag.tau, mean)).expect("writing to memory");
        }
    }
    writer.into_inner().expect("writing to memory")
}

/// A chart for each observable.
pub fn picture(ladder: &[Rung], objective: &Objective, title: &str) -> Result<String, Failure> {
    let is_quantum = ladder.first().is_some_and(Rung::is_quantum);
    // The parameter that changes along the ladder.
    let is_field = is_quantum && ladder.iter().all(|rung| rung.beta == ladder[0].beta);
    let place = |rung: &Rung| if is_field { rung.gamma } else { rung.beta };
    let panel = |name: String, of: &dyn Fn(&Rung) -> Option<&Mean>| Panel {
        name,
        points: ladder.iter().filter_map(|rung| of(rung).map(|mean| (place(rung), mean.mean, mean.error))).collect(),
    };
    let observables = quantities(is_quantum).iter().map(|quantity| {
        let name = format!("{} ({})", quantity.name.replace('_', " "), quantity.symbol);
        panel(name, &|rung| rung.observables.as_ref()?.get(quantity.name))
    });
    let value = panel(objective.name().to_owned(), &|rung| Some(rung.value.get()));
    let panels: Vec<_> = [value].into_iter().chain(observables).collect();
    let name = if is_field { "gamma" } else { "beta" };
    panels::svg(&panels, &format!("Observables against {name}"), title, name)
}
