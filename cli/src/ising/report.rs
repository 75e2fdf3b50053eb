//! The results as text, as JSON, as a table of values and as curves.

use std::collections::BTreeMap;
use std::time::Duration;

use hotloops::ising::ReplicaExchange;
use serde::Serialize;

use super::Method;
use super::plan::{Point, acceptance_name};
use super::problem::{Objective, Problem};
use super::sampler::{Best, Record, Sampler};
use super::statistics::{Doubt, Estimate, of_copies, of_series};
use crate::output;
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
    /// Only for an exchange.
    ladder: Option<Vec<Rung>>,
    round_trips: Option<u64>,
}

/// One number, under the name of the objective.
#[derive(Serialize)]
struct Value<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    energy: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    objective: Option<T>,
}

impl<T> Value<T> {
    fn new(objective: &Objective, value: T) -> Self {
        let mut named = Value { energy: None, cut: None, objective: None };
        *match objective {
            Objective::Energy => &mut named.energy,
            Objective::Cut { .. } => &mut named.cut,
            Objective::Qubo { .. } => &mut named.objective,
        } = Some(value);
        named
    }

    fn get(&self) -> &T {
        [&self.energy, &self.cut, &self.objective].into_iter().find_map(Option::as_ref).expect("one of them")
    }
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

/// One value of the ladder.
#[derive(Serialize)]
struct Rung {
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
}

#[derive(Serialize)]
struct Mean {
    mean: f64,
    /// `None` if the mean has not converged.
    error: Option<f64>,
    not_converged: Option<Doubt>,
    /// Integrated autocorrelation time in sweeps.
    autocorrelation: Option<f64>,
}

impl Mean {
    /// The estimate of `scale` times the quantity plus `offset`.
    fn new(estimate: Estimate, (scale, offset): (f64, f64), every: u64) -> Self {
        let Estimate { mean, error, time } = estimate;
        Mean {
            mean: mean * scale + offset,
            error: error.ok().map(|error| error * scale.abs()),
            not_converged: error.err(),
            autocorrelation: time.is_finite().then_some(time * every as f64),
        }
    }

    /// Mean and error, to two significant digits of the error.
    fn cells(&self) -> [String; 2] {
        let digits = match self.error {
            Some(error) if error > 0.0 => (1.0 - error.log10().floor()).clamp(0.0, 12.0) as usize,
            _ => 6,
        };
        let error = match (self.error, self.not_converged) {
            (Some(error), _) => format!("{error:.digits$}"),
            (None, doubt) => format!("not converged{}", doubt.map_or("", Doubt::mark)),
        };
        [format!("{:.digits$}", self.mean), error]
    }
}

impl Doubt {
    /// The mark after "not converged" in the table, and before the explanation below it.
    fn mark(self) -> &'static str {
        match self {
            Doubt::Short => " (1)",
            Doubt::Drift => " (2)",
            Doubt::Rare => " (3)",
            Doubt::Constant => " (4)",
            Doubt::Trapped => " (5)",
        }
    }

    fn explanation(self) -> &'static str {
        match self {
            Doubt::Short => "the series is too short for its autocorrelation; run more --sweeps",
            Doubt::Drift => "the two halves of the run differ; run more --sweeps with a longer --warm-up",
            Doubt::Rare => "a few rare measurements dominate the variance; run more --sweeps",
            Doubt::Constant => "all measurements are equal",
            Doubt::Trapped => {
                "no replica made a round trip, so a rung may sample one valley only; add --replicas or --sweeps"
            }
        }
    }
}

impl Rung {
    fn means(&self) -> impl Iterator<Item = &Mean> {
        let quantum = self.total_energy.iter().chain(&self.transverse_magnetisation);
        [self.value.get(), &self.magnetisation].into_iter().chain(quantum)
    }

    fn swap_rate(&self) -> Option<f64> {
        Some(self.swaps? as f64 / self.attempts? as f64)
    }
}

/// Round trips of all replicas of all ladders.
fn round_trips(sampler: &Sampler) -> u64 {
    sampler.chains.iter().map(|chain| chain.round_trips()).sum()
}

fn ladder(sampler: &Sampler, problem: &Problem) -> Vec<Rung> {
    let objective = &problem.objective;
    let plan = sampler.plan;
    let first = plan.first_counted() as usize;
    let is_trapped = plan.models > 1 && round_trips(sampler) == 0;
    // The autocorrelation of one series cannot reveal valleys that it never visited.
    let of_single = |series: &[f64]| match of_series(series) {
        Estimate { mean, error: Ok(_), time } if is_trapped => Estimate { mean, error: Err(Doubt::Trapped), time },
        estimate => estimate,
    };
    let rung = |index: usize| {
        let Point { beta, gamma } = plan.point(index, 0);
        let series = |of: &dyn Fn(&Record) -> f64| {
            let records = sampler.series.iter().skip(index).step_by(plan.models).skip(first);
            records.map(of).collect::<Vec<_>>()
        };
        let tallies = &sampler.models[index].tallies;
        // Quantity 0 or 1 of the tallies.
        let mean = |which: usize, scale: (f64, f64), of: &dyn Fn(&Record) -> f64| {
            let estimate = match tallies.is_empty() {
                true => of_single(&series(of)),
                false => of_copies(&tallies.iter().map(|tallies| tallies[which]).collect::<Vec<_>>(), &series(of)),
            };
            Mean::new(estimate, scale, plan.every)
        };
        let site = 1.0 / problem.model.fields.len() as f64;
        let quantum = |scale: f64, of: &dyn Fn(&Record) -> f64| {
            plan.is_quantum().then(|| Mean::new(of_single(&series(of)), (scale, 0.0), plan.every))
        };
        // Sum over the pairs of all systems.
        let pairs = |of: &dyn Fn(&ReplicaExchange) -> u64| {
            let is_pair = index + 1 < plan.models;
            is_pair.then(|| sampler.chains.iter().map(of).sum::<u64>())
        };
        Rung {
            beta,
            gamma,
            acceptance: acceptance_name(sampler.models[index].ising.acceptance(plan.weights(plan.point(index, 0)))),
            value: Value::new(objective, mean(0, objective.of_energy(), &|record| record.energy)),
            total_energy: quantum(1.0, &|record| record.energy - gamma * record.transverse),
            magnetisation: mean(1, (site, 0.0), &|record| record.magnetisation),
            transverse_magnetisation: quantum(site, &|record| record.transverse),
            attempts: pairs(&|chain| chain.attempts(index).expect("a pair")),
            swaps: pairs(&|chain| chain.swaps(index).expect("a pair")),
        }
    };
    (0..plan.models).map(rung).collect()
}

fn document(sampler: &Sampler, problem: &Problem, target: Option<Target>) -> Document {
    let (systems, found) = sampler.found();
    let Best { anneal, sweep, spins, .. } = sampler.best();
    let Problem { model, objective, .. } = problem;
    let exchanges = sampler.plan.method == Method::Exchange;
    let is_repeated = sampler.plan.time.is_some();
    let complete = sampler.anneals + u64::from(sampler.is_done());
    // An exchange that reaches its target during the warm-up has no means.
    let has_means = exchanges && sampler.step > sampler.plan.first_counted();
    Document {
        sites: model.fields.len(),
        couplings: model.couplings.len(),
        kind: format!("{:?}", sampler.kind()),
        options: sampler.plan.options().into_iter().collect(),
        best: BestFound {
            value: Value::new(objective, objective.value(model, spins)),
            anneal: is_repeated.then_some(anneal + 1),
            sweep: *sweep,
            systems,
            found,
            spins: spins.iter().map(|&spin| objective.number(spin)).collect(),
        },
        anneals: is_repeated.then_some(complete),
        target,
        ladder: has_means.then(|| ladder(sampler, problem)),
        round_trips: exchanges.then(|| round_trips(sampler)),
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
        text += &format!("{updates:.3e} updates in {seconds:.2} s, {:.3} ns each\n", seconds / updates * 1e9);
    }
    if let Some(ladder) = &document.ladder {
        text += &format!(
            "\nMeans after sweep {}; tau: integrated autocorrelation time of the {name} in sweeps\n",
            plan.warm_up,
        );
        let (field, total): (&[&str], &[&str]) = match plan.is_quantum() {
            true => (&["gamma"], &["total energy", "error"]),
            false => (&[], &[]),
        };
        let header =
            [&["beta"], field, &["acceptance", name, "error", "tau"], total, &["magnetisation", "error", "swaps"]]
                .concat();
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
        text += &output::lines(table, 0);
        for doubt in [Doubt::Short, Doubt::Drift, Doubt::Rare, Doubt::Constant, Doubt::Trapped] {
            if ladder.iter().flat_map(Rung::means).any(|mean| mean.not_converged == Some(doubt)) {
                text += &format!("not converged{}: {}\n", doubt.mark(), doubt.explanation());
            }
        }
        text += &format!("round trips: {}\n", document.round_trips.unwrap_or(0));
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
    let spins = &sampler.best().spins;
    if spins.len() <= PRINTED {
        text.extend(spins.iter().map(|&spin| objective.symbol(spin)));
        text.push('\n');
    }
    text
}

/// A line `i s` for each spin.
pub fn spins(best: &Best, problem: &Problem) -> String {
    let line = |(site, &spin): (usize, &i8)| format!("{} {}\n", site + problem.first, problem.objective.number(spin));
    best.spins.iter().enumerate().map(line).collect()
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
            writer.serialize((plan.sweeps_after(step + 1), model, numbers)).expect("writing to memory");
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
                .map(|(step, records)| (plan.sweeps_after(step) as f64, scale * of(records) + offset))
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
