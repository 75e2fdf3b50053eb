//! The results as text, as JSON, as a table of values and as curves.

use std::collections::BTreeMap;
use std::time::Duration;

use hotloops::ising::ReplicaExchange;
use serde::Serialize;

use super::Method;
use super::plan::Point;
use super::sampler::{Best, Record, Sampler};
use super::statistics::{Estimate, estimate};
use crate::coo::Couplings;
use crate::output;
use crate::plot::curves::Curve;

/// Most spins that are printed with the text.
const PRINTED: usize = 1024;

#[derive(Serialize)]
struct Document {
    sites: usize,
    couplings: usize,
    kind: String,
    options: BTreeMap<String, String>,
    best: BestFound,
    /// Of an exchange.
    ladder: Option<Vec<Rung>>,
    round_trips: Option<u64>,
}

#[derive(Serialize)]
struct BestFound {
    energy: f64,
    sweep: u64,
    systems: usize,
    found: usize,
    spins: Vec<i8>,
}

/// One value of the ladder.
#[derive(Serialize)]
struct Rung {
    beta: f64,
    gamma: f64,
    /// Of the problem: for quantum systems the mean of the part in sigma^z.
    energy: Mean,
    /// With the transverse field, for quantum systems.
    total_energy: Option<Mean>,
    magnetisation: Mean,
    transverse_magnetisation: Option<Mean>,
    /// With the next value of the ladder.
    attempts: Option<u64>,
    swaps: Option<u64>,
}

#[derive(Serialize)]
struct Mean {
    mean: f64,
    error: f64,
    /// Integrated autocorrelation time in sweeps.
    autocorrelation: f64,
}

impl Rung {
    fn acceptance(&self) -> Option<f64> {
        Some(self.swaps? as f64 / self.attempts? as f64)
    }
}

fn ladder(sampler: &Sampler, sites: usize) -> Vec<Rung> {
    let plan = sampler.plan;
    let is_counted = |step: &usize| plan.sweeps_after(*step as u64 + 1) > plan.warm_up;
    let first = (0..plan.steps() as usize).find(is_counted).expect("the warm-up ends before the run");
    let rung = |index: usize| {
        let Point { beta, gamma } = plan.point(index, 0);
        let mean = |of: &dyn Fn(&Record) -> f64| {
            let records = sampler.series.iter().skip(index).step_by(plan.models).skip(first);
            let Estimate { mean, error, time } = estimate(&records.map(of).collect::<Vec<_>>());
            Mean { mean, error, autocorrelation: time * plan.every as f64 }
        };
        let sites = sites as f64;
        let quantum = |of: &dyn Fn(&Record) -> f64| plan.is_quantum().then(|| mean(of));
        // Pairs of all systems together.
        let pairs = |of: &dyn Fn(&ReplicaExchange) -> u64| {
            let is_pair = index + 1 < plan.models;
            is_pair.then(|| sampler.chains.iter().map(of).sum::<u64>())
        };
        Rung {
            beta,
            gamma,
            energy: mean(&|record| record.energy),
            total_energy: quantum(&|record| record.energy - gamma * record.transverse),
            magnetisation: mean(&|record| record.magnetisation / sites),
            transverse_magnetisation: quantum(&|record| record.transverse / sites),
            attempts: pairs(&|chain| chain.attempts(index).expect("a pair")),
            swaps: pairs(&|chain| chain.swaps(index).expect("a pair")),
        }
    };
    (0..plan.models).map(rung).collect()
}

fn document(sampler: &Sampler, problem: &Couplings) -> Document {
    let (systems, found) = sampler.found();
    let Best { energy, sweep, spins } = sampler.best().clone();
    let exchanges = sampler.plan.method == Method::Exchange;
    Document {
        sites: problem.fields.len(),
        couplings: problem.couplings.len(),
        kind: format!("{:?}", sampler.kind()),
        options: sampler.plan.options().into_iter().collect(),
        best: BestFound { energy, sweep, systems, found, spins },
        ladder: exchanges.then(|| ladder(sampler, problem.fields.len())),
        round_trips: exchanges.then(|| sampler.chains.iter().map(|chain| chain.round_trips()).sum()),
    }
}

pub fn json(sampler: &Sampler, problem: &Couplings) -> String {
    serde_json::to_string_pretty(&document(sampler, problem)).expect("plain data") + "\n"
}

pub fn text(sampler: &Sampler, problem: &Couplings, title: &str, updates: f64, time: Duration) -> String {
    let document = document(sampler, problem);
    let plan = sampler.plan;
    let options: Vec<_> = plan.options().into_iter().map(|(name, value)| format!("{name} {value}")).collect();
    let mut text = format!("{title}\n{}\n", options.join(", "));
    if updates > 0.0 {
        let seconds = time.as_secs_f64();
        text += &format!("{updates:.3e} updates in {seconds:.2} s, {:.3} ns each\n", seconds / updates * 1e9);
    }
    if let Some(ladder) = &document.ladder {
        text += &format!(
            "\nMeans after sweep {}; tau: integrated autocorrelation time of the energy in sweeps, window 5 tau (Sokal)\n",
            plan.warm_up,
        );
        let (field, total): (&[&str], &[&str]) = match plan.is_quantum() {
            true => (&["gamma"], &["total energy", "error"]),
            false => (&[], &[]),
        };
        let header =
            [&["beta"], field, &["energy", "error", "tau"], total, &["magnetisation", "error", "swaps"]].concat();
        let mut table = output::table(&header);
        for rung in ladder {
            let mean = |mean: &Mean| {
                // Two digits of the error.
                let digits = match mean.error > 0.0 {
                    true => (1.0 - mean.error.log10().floor()).clamp(0.0, 12.0) as usize,
                    false => 6,
                };
                [format!("{:.digits$}", mean.mean), format!("{:.digits$}", mean.error)]
            };
            let mut cells = vec![format!("{:.5}", rung.beta)];
            cells.extend(field.iter().map(|_| format!("{:.5}", rung.gamma)));
            cells.extend(mean(&rung.energy));
            cells.push(format!("{:.1}", rung.energy.autocorrelation));
            cells.extend(rung.total_energy.iter().flat_map(mean));
            cells.extend(mean(&rung.magnetisation));
            cells.push(rung.acceptance().map_or(String::new(), |rate| format!("{:.1} %", 100.0 * rate)));
            table.add_row(cells);
        }
        text += &output::lines(table, 0);
        text += &format!("round trips: {}\n", document.round_trips.unwrap_or(0));
    }
    let BestFound { energy, sweep, systems, found, spins } = &document.best;
    text += &format!("\nbest energy {energy}, first after sweep {sweep}, met by {found} of {systems} systems\n");
    if spins.len() <= PRINTED {
        text.extend(spins.iter().map(|&spin| if spin > 0 { '+' } else { '-' }));
        text.push('\n');
    }
    text
}

/// A line `i s` for each spin.
pub fn spins(best: &Best) -> String {
    best.spins.iter().enumerate().map(|(site, spin)| format!("{site} {spin}\n")).collect()
}

/// A line for each record, all columns for all methods.
pub fn csv(sampler: &Sampler) -> Vec<u8> {
    #[derive(Serialize)]
    struct Line {
        sweep: u64,
        model: usize,
        beta: f64,
        gamma: f64,
        energy: f64,
        lowest: f64,
        magnetisation: f64,
        transverse: f64,
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    let plan = sampler.plan;
    for (step, records) in (0..).zip(sampler.series.chunks(plan.models)) {
        for (model, &Record { energy, lowest, magnetisation, transverse }) in records.iter().enumerate() {
            let Point { beta, gamma } = plan.point(model, step);
            let sweep = plan.sweeps_after(step + 1);
            let line = Line { sweep, model, beta, gamma, energy, lowest, magnetisation, transverse };
            writer.serialize(line).expect("writing to memory");
        }
    }
    writer.into_inner().expect("writing to memory")
}

/// Of an anneal the mean over all runs and the lowest energy; of an exchange the mean at each value of the ladder.
pub fn curves(sampler: &Sampler) -> Vec<Curve> {
    let plan = sampler.plan;
    let curve = |name: String, shade: f64, of: &dyn Fn(&[Record]) -> f64| {
        let steps = (1..).zip(sampler.series.chunks(plan.models));
        Curve {
            name,
            shade,
            points: steps.map(|(step, records)| (plan.sweeps_after(step) as f64, of(records))).collect(),
        }
    };
    match plan.method {
        Method::Anneal => {
            let mean =
                |records: &[Record]| records.iter().map(|record| record.energy).sum::<f64>() / records.len() as f64;
            let lowest = |records: &[Record]| records.iter().map(|record| record.lowest).fold(f64::INFINITY, f64::min);
            vec![curve("mean".to_owned(), 1.0, &mean), curve("lowest".to_owned(), 0.0, &lowest)]
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
