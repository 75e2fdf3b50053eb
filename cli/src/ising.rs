//! `hotloops ising`: samples a spin-glass problem, or searches its ground state.

mod advance;
mod arguments;
mod checkpoint;
pub mod choices;
mod explain;
pub mod mean;
mod model;
mod observables;
mod outputs;
mod pilot;
mod plan;
mod problem;
mod report;
mod results;
mod rungs;
mod sampler;
mod samples;
mod saved;
mod state;
pub mod statistics;
mod tally;
mod timed;
mod timeline;
mod valleys;
mod worldlines;

use std::time::{Duration, Instant};

use hotloops::ising::Kind;

use crate::cluster::Cluster;
use crate::failure::{Failure, say};
use crate::form::Form;
use crate::interrupt;
use crate::job::threads;
use crate::output::NewFile;
use advance::{follow, sample};
pub use arguments::Arguments;
use outputs::Outputs;
use plan::{RunPlan, unfit};
use problem::Problem;
use report::Target;
use sampler::Sampler;
use state::State;

/// Clusters of frustrated couplings would span the system before they order it.
fn check_clusters(plan: &RunPlan, state: &State) -> Result<(), Failure> {
    if plan.clusters == 0 || !state.is_frustrated()? {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "--clusters {}: the couplings are frustrated (a closed loop has a negative product), so clusters would move \
         little; leave it out, and give --method exchange a ladder of fields",
        plan.clusters
    )))
}

pub fn run(a: &Arguments, cluster: &Cluster) -> Result<(), Failure> {
    let start = Instant::now();
    for (name, path) in a.inputs() {
        cluster.check_input(name, path)?;
    }
    if cluster.ranks() > 1 && a.time.is_some() {
        let why = "--time: the ranks of mpirun do not share a run whose sweeps depend on the time; give --sweeps";
        return Err(Failure::Usage(why.to_owned()));
    }
    threads::start(cluster.threads(a.threads))?;
    let problem = Problem::read(&a.model, a.model_format, a.maxcut)?;
    let Problem { model, objective, .. } = &problem;
    let mut plan = RunPlan::new(a, model)?;
    let out = cluster.leads().then(|| NewFile::or_standard_output("--out", a.out.as_deref())).transpose()?;
    if let Some(out) = &out {
        out.check_inputs("--out", a.inputs())?;
    }
    if a.explain {
        let Some(out) = out else { return Ok(()) };
        return out.write(explain::run(&plan, &problem, &a.model, a.format == Form::Json)?.as_bytes());
    }
    match plan.kind != Kind::Auto || plan.layers() == 1 {
        _ if plan.has_lines() => {
            check_clusters(&plan, &State::new(&plan, model).map_err(|error| unfit(&plan, &a.model, error))?)?;
        }
        true => drop(plan::build(&plan, model, plan.kind).map_err(|error| unfit(&plan, &a.model, error))?),
        false => _ = plan::builder(&plan, model).cost(plan.kind).map_err(|error| unfit(&plan, &a.model, error))?,
    }
    let mut outputs = Outputs::create(a, cluster)?;

    let read = |path| checkpoint::read(cluster, path).map(|saved| saved.map(|saved| (path, saved)));
    let saved = a.checkpoint.as_deref().map(read).transpose()?.flatten();
    if let Some((path, saved)) = &saved {
        checkpoint::extend(&mut plan, saved, path, a.warm_up.is_some())?;
    }
    // In the pool, so that a step wakes up one thread less.
    rayon::scope(|_| pilot::adapt(cluster, &mut plan, model))?;
    let mut sampler = Sampler::new(cluster, &plan, model)?;
    let trap = explain::trap(&plan, sampler.state().may_trap()).map(str::to_owned);
    let warnings = [explain::caution(&plan, sampler.state()), trap, explain::coarse(&plan, model, a.slices.is_some())];
    warnings.into_iter().flatten().for_each(|text| say(format_args!("hotloops: {text}")));
    if let Some((path, saved)) = saved {
        checkpoint::resume(&mut sampler, model, saved, path)?;
    }
    let queues = a.device.open_if(cluster, sampler.unfit())?;
    sampler.on(queues)?;
    let (begin, first) = (Instant::now(), sampler.sweeps());
    let seconds = Duration::from_secs(a.checkpoint_seconds.unwrap_or(60).into());
    let file = outputs.checkpoint.take();
    a.checkpoint.is_some().then(interrupt::end_by_request).transpose()?;
    if !cluster.leads() {
        return rayon::scope(|_| follow(cluster, &mut sampler));
    }
    // Reading and building count, but leave half of the time to the sweeps.
    let half = a.time.and_then(|time| begin.checked_sub(time / 2)).unwrap_or(begin);
    let clock = if a.time.is_some() { start.max(half) } else { begin };
    rayon::scope(|_| sample(cluster, &mut sampler, &problem, a.target, file, seconds, clock))?;
    let time = begin.elapsed();
    let target = a.target.map(|value| Target {
        value,
        is_reached: sampler.reaches(objective.energy_of(value)),
        seconds: time.as_secs_f64(),
    });
    let sweeps = sampler.sweeps() - first;
    if target.is_none_or(|target| !target.is_reached) {
        sampler.drop_incomplete()?;
    }
    let updates = sweeps as f64 * (plan.models * plan.kept() * model.fields.len()) as f64;

    let title = format!("{}: {}, model {}", a.model.display(), problem.size(), sampler.state().kind_word());
    outputs.write(&sampler, &problem, &title)?;
    let text = match a.format {
        Form::Json => report::json(&sampler, &problem, target),
        Form::Text => report::text(&sampler, &problem, &title, updates, time, target),
    };
    out.expect("rank 0 has it").write(text.as_bytes())
}
