//! Dickson, Karimi, Hamze, *Importance of explicit vectorization for CPU and GPU software performance*, J. Comput.
//! Phys. 230 (2011).

mod alone;
mod devices;
mod exponentials;
mod path;
mod setup;
mod timing;
mod waits;

use std::sync::Arc;
use std::time::{Duration, Instant};

use hotloops_gpu::{Error, Queue};

use crate::ladder::{self, Compared, Curves, Effort, Line, Origin, Part, Row, Table};
use crate::levels::{self, Level};
use crate::machine;
use crate::variants::RUSTC;
use crate::workload::{LAYERS, Problem};
use devices::DeviceRung;
use setup::Setup;
use timing::Measured;

/// The paper's speed-ups over its A.1b, and why ours differ.
const PAPER: [(&str, f64, &str); 3] = [
    (
        "A.2b",
        3.75,
        "expf of a C library takes some 12 cycles now and took 83 cycles then, so that replacing it gains less",
    ),
    ("A.3", 7.05, "it contains the gain of A.2; its updates of neighbours are scalar and limit it"),
    (
        "A.4",
        11.9,
        "it contains the gain of A.2; its row is the one for SSE2, the paper's four lanes, where there is one",
    ),
];

/// The base of all speed-ups: the paper's original, in C with -O3.
const BASE: &str = "A.1b";

/// The longest time of the source, with 16 models and with all.
const LIMITS: [Duration; 2] = [Duration::from_secs(15), Duration::from_secs(90)];

/// The experiments of the paper on its problem.
pub fn run(effort: &Effort, step: &mut dyn FnMut(&str)) -> Vec<Part> {
    of_problem(effort, Arc::new(Problem::paper(1)), 1, step)
}

/// The experiments on any problem whose couplings and fields add up exactly ([`Problem::round_to_exact_sums`]). The
/// paper's figures stand beside ours if it is the paper's problem with this seed.
pub fn of_problem(effort: &Effort, problem: Arc<Problem>, seed: u32, step: &mut dyn FnMut(&str)) -> Vec<Part> {
    on_devices(effort, problem, seed, &[], step).expect("no device that may fail")
}

/// The same, with B.1 and B.2 on devices beside the CPU's levels. Layers are [as many as these
/// need](hotloops_gpu::ising::paper::Layers::unfit).
///
/// # Errors
/// Fails if a device does.
pub fn on_devices(
    effort: &Effort,
    problem: Arc<Problem>,
    seed: u32,
    devices: &[Queue],
    step: &mut dyn FnMut(&str),
) -> Result<Vec<Part>, Error> {
    let _alone = ladder::alone();
    let begin = Instant::now();
    let limit = LIMITS[usize::from(!effort.is_quick)].min(effort.budget);
    let is_papers = problem.layers == LAYERS && *problem == Problem::paper(seed);
    step("exponentials");
    let exponentials = exponentials::curves(effort.is_quick);
    step("temperatures");
    let levels = levels::levels(&problem);
    let setup = Setup::new(problem.clone(), seed, effort, &levels);
    step("waits");
    let waits = waits::waits(&setup, &levels::a2(&problem), if effort.is_quick { 10 } else { 30 }, is_papers);

    // The levels get three quarters of the time.
    let left = limit.saturating_sub(begin.elapsed()).max(limit / 2);
    step("programs of devices");
    let mut rungs = devices::rungs(&setup, devices)?;
    let measured = timing::measure(&setup, &levels, &mut rungs, &effort.threads, left * 3 / 4, step)?;
    let figure_13 = scaling(&levels, &measured.rows, &effort.threads);
    let comparisons = devices::comparisons(&rungs, &measured.rows, is_papers);
    let mut table = level_table(&setup, &levels, &rungs, measured, is_papers);
    table.notes.extend(devices::notes(devices));
    let mut parts = vec![Part::Table(table)];
    parts.extend(comparisons.map(Part::Table));
    let left = limit.saturating_sub(begin.elapsed()).max(limit / 8);
    let alone = alone::levels(&problem);
    let measured = timing::measure(&setup, &alone, &mut [], &[1], left, step)?;
    parts.push(Part::Table(alone_table(measured)));
    parts.extend(figure_13.map(Part::Curves));
    let (table, curves) = waits;
    parts.extend([Part::Table(table), Part::Curves(curves), Part::Curves(exponentials)]);
    parts.push(Part::Table(path::table(effort.is_quick, step).expect("a ring of few spins")));
    Ok(parts)
}

fn level_table(setup: &Setup, levels: &[Level], devices: &[DeviceRung], measured: Measured, is_papers: bool) -> Table {
    let mut rows = measured.rows;
    for (level, figure, why) in PAPER.into_iter().filter(|_| is_papers) {
        let of_level = |row: &Row| row.name == level && row.threads == 1;
        let row = rows.iter().position(|row| of_level(row) && row.isa == "sse2");
        let row = row.or_else(|| rows.iter().rposition(of_level));
        row.into_iter().for_each(|row| rows[row].printed = Some((figure, why)));
    }
    let [hot, cold] = setup.temperatures();
    let rates = levels.iter().zip(&measured.flip_rates).map(|(level, rate)| format!("{} {rate:.4}", level.name));
    let rates = rates.chain(devices.iter().map(DeviceRung::flip_rate));
    let notes = vec![
        format!("{} models at temperatures {hot:.3} to {cold:.3}.", setup.models()),
        format!("Flips per attempted update: {}.", rates.collect::<Vec<_>>().join(", ")),
        format!("A.1a and A.2a: C, {}, -O0; A.1b and A.2b: the same C with -O3.", machine::C_COMPILER),
        format!("A.1, A.2 and A.3: the same in Rust, {RUSTC}, for {}.", machine::target()),
        format!("expf of A.1: {}.", machine::libm()),
        clock_note(measured.gigahertz),
    ];
    Table {
        name: "levels",
        title: format!("Ising sweep, {} layers of {} spins", setup.problem.layers, setup.problem.sites()),
        unit: "ns per update",
        is_rate: false,
        base: base(&rows, BASE),
        compared: Compared::Ratio,
        rows,
        notes,
    }
}

fn alone_table(measured: Measured) -> Table {
    let notes = vec![
        "Each change of A.2 alone in A.1, all in Rust; A.2 has all of them.".to_owned(),
        "One layer's lists have edges in space only, so they need neither branch.".to_owned(),
        clock_note(measured.gigahertz),
    ];
    Table {
        name: "alone",
        title: "The basic optimisations of A.2, one at a time".to_owned(),
        unit: "ns per update",
        is_rate: false,
        base: base(&measured.rows, "A.1"),
        compared: Compared::Ratio,
        rows: measured.rows,
        notes,
    }
}

fn base(rows: &[Row], name: &str) -> usize {
    rows.iter().position(|row| row.name == name).expect("a row of this name")
}

/// Gigahertz before, during and after the timing.
fn clock_note([before, during, after]: [f64; 3]) -> String {
    let drift = (after / before - 1.0).abs().max((during / before - 1.0).abs());
    let drifted = format!("; it drifted from {before:.2} to {after:.2} GHz: trust ratios only");
    format!("Clock: {during:.2} GHz{}.", if drift > 0.02 { &drifted } else { "" })
}

/// Figure 13 from the rows of the levels, with the library's best level as ours; `None` for one thread only.
fn scaling(levels: &[Level], rows: &[Row], threads: &[usize]) -> Option<Curves> {
    if threads.len() < 2 {
        return None;
    }
    let ours = levels.last().map_or("", |level| level.name);
    let line = |name: &'static str| {
        // The best instruction set is the last row of a level on one thread.
        let at = |&count: &usize| rows.iter().rfind(|row| row.name == name && row.threads == count);
        let rows: Vec<&Row> = threads.iter().filter_map(at).collect();
        Line {
            name: if name == ours { format!("ours: {name}") } else { name.to_owned() },
            origin: rows.first().map_or(Origin::Ours, |row| row.origin),
            points: rows.iter().filter_map(|row| Some((row.threads as f64, 1.0 / row.valid()?))).collect(),
            is_verified: rows.iter().all(|row| row.is_verified),
        }
    };
    Some(Curves {
        name: "threads",
        title: "Figure 13: the sweep on several threads, a model on one at a time".to_owned(),
        axes: ["threads", "updates per nanosecond"],
        logarithmic: [true, true],
        lines: [BASE, "A.2b", "A.4", ours].into_iter().map(line).collect(),
        notes: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twenty layers are no multiple of the vectors of 16 and 32 layers.
    #[test]
    fn every_rung_ends_in_the_spins_of_its_reference() {
        for layers in [64, 20] {
            let problem = Problem { layers, ..Problem::paper(3) };
            let effort = Effort { budget: Duration::from_millis(20), is_quick: true, threads: vec![1, 2] };
            let mut steps = 0;
            let parts = of_problem(&effort, Arc::new(problem), 3, &mut |_| steps += 1);
            let mut names = Vec::new();
            for part in &parts {
                match part {
                    Part::Table(Table { name, rows, .. }) => {
                        names.push(*name);
                        for row in rows {
                            assert!(row.is_verified && row.value > 0.0 && row.printed.is_none(), "{name}: {row:?}");
                        }
                    }
                    Part::Curves(Curves { name, lines, .. }) => {
                        names.push(*name);
                        assert!(lines.iter().all(|line| line.is_verified), "{name}: {lines:?}");
                        assert!(*name == "threads" || lines.iter().all(|line| line.points.len() > 10), "{name}");
                    }
                }
            }
            assert_eq!(names, ["levels", "alone", "threads", "waits", "flips", "exponentials", "path"]);
            assert!(steps > 10);
        }
    }
}
