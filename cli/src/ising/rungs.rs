//! The rungs of an exchange: means, observables and swaps, as tables and as curves.

use std::collections::BTreeMap;

use hotloops::ising::ReplicaExchange;
use serde::Serialize;

use super::mean::{Mean, explanations};
use super::observables::{Bin, Place, Quantity, quantities};
use super::plan::{Point, acceptance_name};
use super::problem::{Objective, Problem};
use super::results::{Record, Results};
use super::sampler::Sampler;
use super::statistics::{Doubt, Estimate, MIN_COPIES, of_copies, of_few, of_series, of_sum, of_symmetric};
use super::valleys;
use crate::failure::Failure;
use crate::output;
use crate::plot::panels::{self, Panel};

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
    /// The distribution of the overlap.
    #[serde(skip_serializing_if = "Option::is_none")]
    overlaps: Option<Vec<Bin>>,
}

impl Rung {
    fn means(&self) -> impl Iterator<Item = &Mean> {
        let quantum = self.total_energy.iter().chain(&self.transverse_magnetisation);
        let observables = self.observables.iter().flat_map(BTreeMap::values);
        [self.value.get(), &self.magnetisation].into_iter().chain(quantum).chain(observables)
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

/// The estimate without its error if there is a reason.
fn doubted(estimate: Estimate, is_doubted: bool, doubt: Doubt) -> Estimate {
    let error = if is_doubted { estimate.error.and(Err(doubt)) } else { estimate.error };
    Estimate { error, ..estimate }
}

pub fn ladder(sampler: &Sampler, problem: &Problem) -> Vec<Rung> {
    let objective = &problem.objective;
    let plan = sampler.plan;
    let sites = problem.model.fields.len();
    let first = plan.first_counted() as usize;
    let is_trapped = plan.models > 1 && round_trips(sampler) == 0;
    // The autocorrelation of one series cannot reveal valleys that it never visited.
    let trapped = |estimate: Estimate| doubted(estimate, is_trapped, Doubt::Trapped);
    // Quantity 0 or 1 of the tallies.
    let keeps = [0, 1].map(|which| valleys::are_kept(sampler.results().map(|results| &results.tallies[..]), which));
    let is_symmetric = problem.model.fields.iter().all(|&field| field == 0.0);
    let rung = |(index, results): (usize, &Results)| {
        let Point { beta, gamma } = plan.point(index, 0);
        let series = |of: &dyn Fn(&Record) -> f64| {
            let records = sampler.series.iter().skip(index).step_by(plan.models).skip(first);
            records.map(of).collect::<Vec<_>>()
        };
        let tallies = &results.tallies;
        // Quantity 0 or 1 of the tallies.
        let mean = |which: usize, scale: (f64, f64), of: &dyn Fn(&Record) -> f64| {
            let tallies: Vec<_> = tallies.iter().map(|tallies| tallies[which]).collect();
            // Half of the copies are in each valley of a symmetric magnetisation, from the start.
            let is_kept = keeps[which] && !(which == 1 && is_symmetric);
            let estimate = match tallies.len() {
                MIN_COPIES.. => doubted(of_copies(&tallies, &series(of)), is_kept, Doubt::Valleys),
                2.. => trapped(of_few(&tallies, &series(of))),
                _ => trapped(of_series(&series(of))),
            };
            let estimate = if which == 1 && is_symmetric { of_symmetric(estimate) } else { estimate };
            Mean::new(estimate, scale, plan.every)
        };
        let site = 1.0 / sites as f64;
        let quantum = plan.is_quantum().then(|| {
            let transverse = of_series(&series(&|record| record.transverse));
            let total = series(&|record| record.energy - gamma * record.transverse);
            // Kinks come in pairs, and a pair in one measurement lowers its total energy by 2 / beta.
            let pair = 2.0 / beta / total.len() as f64;
            let total = of_sum(of_series(&total), transverse, pair);
            [(total, 1.0), (transverse, site)]
                .map(|(estimate, scale)| Mean::new(trapped(estimate), (scale, 0.0), plan.every))
        });
        let [total_energy, transverse_magnetisation] = quantum.map_or([None, None], |means| means.map(Some));
        // Sum over the pairs of all systems.
        let pairs = |of: &dyn Fn(&ReplicaExchange) -> u64| {
            let is_pair = index + 1 < plan.models;
            is_pair.then(|| sampler.chains.iter().map(of).sum::<u64>())
        };
        let value = mean(0, objective.of_energy(), &|record| record.energy);
        let observer = results.observer.as_ref();
        let observables = observer.map(|observer| {
            let of = |quantity: &Quantity| {
                let slices = if plan.is_quantum() { plan.layers() } else { 1 };
                let place = Place { beta, gamma, sites: sites as f64, slices: slices as f64 };
                let (mean, error) = observer.estimate(quantity, &place);
                // A rung that has not converged has no errors at all.
                let error = match value.not_converged {
                    Some(doubt) if doubt != Doubt::Constant => Err(doubt),
                    _ => error,
                };
                (quantity.name, Mean::new(Estimate { mean, error, time: f64::NAN }, (1.0, 0.0), plan.every))
            };
            quantities(plan.has_lines()).iter().map(of).collect()
        });
        Rung {
            beta,
            gamma,
            acceptance: acceptance_name(sampler.acceptance(index)),
            value: Value::new(objective, value),
            total_energy,
            magnetisation: mean(1, (site, 0.0), &|record| record.magnetisation),
            transverse_magnetisation,
            attempts: pairs(&|chain| chain.attempts(index).expect("a pair")),
            swaps: pairs(&|chain| chain.swaps(index).expect("a pair")),
            observables,
            overlaps: observer.filter(|_| !plan.is_quantum()).map(|observer| observer.distribution(sites)),
        }
    };
    sampler.results().enumerate().map(rung).collect()
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
