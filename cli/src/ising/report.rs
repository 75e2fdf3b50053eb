//! The results as text, as JSON, as a table of values and as curves.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::choices::Method;
use super::plan::Point;
use super::problem::{Objective, Problem};
use super::results::{Best, Record};
use super::rungs::{self, Rung, Value, ladder, round_trips};
use super::sampler::Sampler;
use crate::plot::curves::Curve;

/// Maximum number of spins that the text shows.
const PRINTED: usize = 1024;

#[derive(Serialize)]
struct Document {
    sites: usize,
    couplings: usize,
    kind: String,
    options: BTreeMap<String, String>,
    best: BestFound,
    /// Complete anneals, with --time.
    #[serde(skip_serializing_if = "Option::is_none")]
    anneals: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Target>,
    /// Only for an exchange, unless it reached its target during the warm-up.
    ladder: Option<Vec<Rung>>,
    round_trips: Option<u64>,
    /// Mean number of sweeps of a replica for one.
    round_trip_sweeps: Option<f64>,
}

/// The value that ends a run.
#[derive(Clone, Copy, Serialize)]
pub struct Target {
    pub value: f64,
    pub is_reached: bool,
    /// Time of the run until then.
    pub seconds: f64,
}

#[derive(Serialize)]
struct BestFound {
    #[serde(flatten)]
    value: Value<f64>,
    /// The anneal that found it, from 1, with --time.
    #[serde(skip_serializing_if = "Option::is_none")]
    anneal: Option<u64>,
    sweep: u64,
    systems: usize,
    found: usize,
    spins: Vec<i8>,
}

/// Sweeps of all replicas of all ladders per round trip.
fn round_trip_time(sampler: &Sampler) -> Option<f64> {
    let trips = round_trips(sampler);
    let replicas = sampler.chains.len() * sampler.plan.models;
    (trips > 0).then(|| sampler.sweeps() as f64 * replicas as f64 / trips as f64)
}

fn document(sampler: &Sampler, problem: &Problem, target: Option<Target>) -> Document {
    let (systems, found) = sampler.found();
    let (Best { anneal, sweep, .. }, spins) = (sampler.best(), sampler.best_spins());
    let Problem { model, objective, .. } = problem;
    let exchanges = sampler.plan.method == Method::Exchange;
    let is_repeated = sampler.plan.time.is_some();
    let complete = sampler.anneals + u64::from(sampler.is_done());
    Document {
        sites: model.fields.len(),
        couplings: model.couplings.len(),
        kind: sampler.state().kind_word(),
        options: sampler.plan.options().into_iter().collect(),
        best: BestFound {
            value: Value::new(objective, objective.value(model, &spins)),
            anneal: is_repeated.then_some(anneal + 1),
            sweep: *sweep,
            systems,
            found,
            spins: spins.iter().map(|&spin| objective.number(spin)).collect(),
        },
        anneals: is_repeated.then_some(complete),
        target,
        ladder: sampler.has_means().then(|| ladder(sampler, problem)),
        round_trips: exchanges.then(|| round_trips(sampler)),
        round_trip_sweeps: round_trip_time(sampler),
    }
}

pub fn json(sampler: &Sampler, problem: &Problem, target: Option<Target>) -> String {
    serde_json::to_string_pretty(&document(sampler, problem, target)).expect("plain data") + "\n"
}

pub fn text(
    sampler: &Sampler,
    problem: &Problem,
    title: &str,
    updates: f64,
    time: Duration,
    target: Option<Target>,
) -> String {
    let document = document(sampler, problem, target);
    let plan = sampler.plan;
    let (objective, name) = (&problem.objective, problem.objective.name());
    let options: Vec<_> = plan.options().into_iter().map(|(name, value)| format!("{name} {value}")).collect();
    let mut text = format!("{title}\n{}\n", options.join(", "));
    if updates > 0.0 {
        let seconds = time.as_secs_f64();
        let what = if plan.has_lines() { "worldline updates" } else { "updates" };
        text += &format!("{updates:.3e} {what} in {seconds:.2} s, {:.3} ns each\n", seconds / updates * 1e9);
    }
    if let Some(ladder) = &document.ladder {
        text += &format!(
            "\nMeans after sweep {}; tau: integrated autocorrelation time of the {name} in sweeps\n",
            plan.warm_up
        );
        text += &rungs::text(ladder, plan.is_quantum(), name);
        let trips = document.round_trips.unwrap_or(0);
        text += &match round_trip_time(sampler) {
            Some(time) => format!("round trips: {trips}; a replica takes {time:.0} sweeps for one\n"),
            None => format!("round trips: {trips}\n"),
        };
    }
    text.push('\n');
    if let Some(anneals) = document.anneals {
        text += &format!("{anneals} complete anneals; results depend on the time\n");
    }
    if let Some(Target { value, is_reached, seconds }) = target {
        let reached = if is_reached { "reached" } else { "not reached" };
        text += &format!("target {value} {reached} after {seconds:.3} s\n");
    }
    let BestFound { value, anneal, sweep, systems, found, .. } = &document.best;
    let value = value.get();
    let of_anneal = anneal.map_or(String::new(), |anneal| format!(" of anneal {anneal}"));
    text +=
        &format!("best {name} {value}, first after sweep {sweep}{of_anneal}, met by {found} of {systems} systems\n");
    let spins = sampler.best_spins();
    if spins.len() <= PRINTED {
        text.extend(spins.iter().map(|&spin| objective.symbol(spin)));
        text.push('\n');
    }
    text
}

/// A line `i s` for each spin.
pub fn spins(spins: &[i8], problem: &Problem) -> String {
    let line = |(site, &spin): (usize, &i8)| format!("{} {}\n", site + problem.first, problem.objective.number(spin));
    spins.iter().enumerate().map(line).collect()
}

/// One line per record. All methods have the same columns.
pub fn csv(sampler: &Sampler, objective: &Objective) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header =
        ["sweep", "model", "beta", "gamma", objective.name(), objective.extreme(), "magnetisation", "transverse"];
    writer.write_record(header).expect("writing to memory");
    let plan = sampler.plan;
    let (scale, offset) = objective.of_energy();
    let value = |energy: f64| scale * energy + offset;
    for (step, records) in (0..).zip(sampler.series.chunks(plan.models)) {
        for (model, &Record { energy, lowest, magnetisation, transverse }) in records.iter().enumerate() {
            let Point { beta, gamma } = plan.point(model, step);
            let numbers = (beta, gamma, value(energy), value(lowest), magnetisation, transverse);
            writer.serialize((sampler.sweeps_after(step + 1), model, numbers)).expect("writing to memory");
        }
    }
    writer.into_inner().expect("writing to memory")
}

/// For an anneal, the mean over all runs and the best value; for an exchange, the mean at each rung.
pub fn curves(sampler: &Sampler, objective: &Objective) -> Vec<Curve> {
    let plan = sampler.plan;
    let (scale, offset) = objective.of_energy();
    let curve = |name: String, shade: f64, of: &dyn Fn(&[Record]) -> f64| {
        let steps = (1..).zip(sampler.series.chunks(plan.models));
        Curve {
            name,
            shade,
            points: steps
                .map(|(step, records)| (sampler.sweeps_after(step) as f64, scale * of(records) + offset))
                .collect(),
        }
    };
    match plan.method {
        Method::Anneal => {
            let mean =
                |records: &[Record]| records.iter().map(|record| record.energy).sum::<f64>() / records.len() as f64;
            let lowest = |records: &[Record]| records.iter().map(|record| record.lowest).fold(f64::INFINITY, f64::min);
            vec![curve("mean".to_owned(), 1.0, &mean), curve(objective.extreme().to_owned(), 0.0, &lowest)]
        }
        Method::Exchange => (0..plan.models)
            .map(|model| {
                let Point { beta, gamma } = plan.point(model, 0);
                let name = match plan.is_quantum() {
                    true => format!("beta {beta:.4}, gamma {gamma:.4}"),
                    false => format!("beta {beta:.4}"),
                };
                let shade = 1.0 - model as f64 / (plan.models - 1).max(1) as f64;
                curve(name, shade, &|records| records[model].energy)
            })
            .collect(),
    }
}
