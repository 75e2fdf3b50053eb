//! Options that would have no effect.

use crate::failure::Failure;
use crate::ising::arguments::Arguments;
use crate::ising::choices::{FlipRule, KindChoice, Method, Spacing};

/// The name of an option, and whether it is given.
type Given = (&'static str, bool);

/// Options of quantum systems have another remedy, too.
const CLASSICAL: &str = "the systems are classical";

/// Rejects options that would have no effect.
pub fn check_use(a: &Arguments) -> Result<(), Failure> {
    let exchanges = a.method == Method::Exchange;
    let is_quantum = a.is_quantum();
    let runs = ("--runs", a.runs.is_some());
    let copies = ("--copies", a.copies.is_some());
    let replicas = ("--replicas", a.replicas.is_some());
    let ladder = ("--ladder", a.ladder.is_some());
    let warm_up = ("--warm-up", a.warm_up.is_some());
    let time = ("--time", a.time.is_some());
    let observables = [
        ("--observables", a.observables),
        ("--rungs", a.rungs.is_some()),
        ("--rungs-svg", a.rungs_svg.is_some()),
        ("--overlaps", a.overlaps.is_some()),
        ("--correlation", a.correlation.is_some()),
    ];
    let clusters = ("--clusters", a.clusters.is_some());
    let correlation = ("--correlation", a.correlation.is_some());
    let is_single = a.ladder.as_ref().is_some_and(|ladder| ladder.len() == 1);
    let target = ("--target", a.target.is_some());
    let spacing = ("--spacing", a.spacing.is_some());
    let is_auto = a.spacing == Some(Spacing::Auto);
    let every = ("--every", a.every.is_some());
    let beta = ("--beta", a.beta.is_some());
    let beta_min = ("--beta-min", a.beta_min.is_some());
    let beta_max = ("--beta-max", a.beta_max.is_some());
    let gamma = ("--gamma", a.gamma.is_some());
    let schedule = ("--schedule", a.schedule.is_some());
    let read_out = ("--read-out", a.read_out.is_some());
    let acceptance = ("--acceptance", a.acceptance != FlipRule::Auto);
    let gamma_max = ("--gamma-max", a.gamma_max.is_some());
    let rules: [(bool, &str, &[Given]); _] = [
        (exchanges, "--method exchange has one run", &[runs]),
        (exchanges, "it repeats anneals, and --sweeps sets the length of an exchange", &[time]),
        (a.time.is_some() && a.sweeps.is_none(), "without --sweeps, --time sets the sweeps of a step", &[every]),
        (a.explain && a.sweeps.is_some(), "--explain runs nothing, and --sweeps sets the sweeps of a run", &[time]),
        (a.explain && (a.time.is_none() || a.sweeps.is_some()), "--explain runs nothing", &[target]),
        (!exchanges && is_auto, "an anneal has no swaps", &[("--spacing auto", true)]),
        (!exchanges, "it requires --method exchange", &[ladder, replicas, warm_up]),
        (!is_quantum, CLASSICAL, &[beta, gamma_max, read_out, clusters, correlation]),
        (a.samples.is_none(), "--samples writes these slices", &[read_out]),
        (a.kind == KindChoice::Worldline, "worldlines have a heat bath", &[acceptance]),
        (!exchanges, "it requires --method exchange", &observables),
        (is_quantum, "overlaps are those of classical copies", &[("--overlaps", a.overlaps.is_some())]),
        (!is_quantum && a.copies == Some(1), "an overlap needs two copies", &observables),
        (is_quantum && !exchanges, "--runs sets the number of quantum anneals", &[copies]),
        (is_quantum && !is_single, "copies are those of a single quantum rung, as of --ladder 1", &[copies]),
        (is_quantum && (beta.1 || !exchanges), "only the transverse field changes", &[beta_min, beta_max]),
        (is_quantum && exchanges && !beta.1, "a ladder of fields needs --beta", &[gamma_max]),
        (exchanges, "it is that of an anneal", &[schedule]),
        (a.time.is_some() && a.sweeps.is_none(), "it needs --sweeps", &[schedule]),
        (schedule.1, "--schedule has the fields", &[gamma, gamma_max, spacing]),
        (ladder.1, "--ladder gives all values", &[replicas, spacing, beta_min, beta_max, gamma_max]),
        (ladder.1 && beta.1, "--ladder gives all values", &[gamma]),
    ];
    let vain = rules.into_iter().filter(|(holds, ..)| *holds).find_map(|(_, why, options)| {
        let (option, _) = options.iter().find(|(_, is_given)| *is_given)?;
        let remedy =
            if why == CLASSICAL { "add --kind worldline or --slices, or leave it out" } else { "leave it out" };
        Some(format!("{option} has no effect: {why}; {remedy}"))
    });
    vain.map_or(Ok(()), |text| Err(Failure::Usage(text)))
}
