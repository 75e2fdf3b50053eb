//! The whole program, from particles in no order to sums by distance.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use hotloops::correlation::{Accumulator, Image, Method, PairPlan};

use super::particles::{BLOCK, Set, Sum, Totals};
use super::programs::{Arrays, O2, O3, Programs, Way};
use super::{ERROR, Plan, ours};
use crate::ladder::{Compared, Curves, Origin, Rung, Scale, Table, curve, measure};
use crate::sources::programs::compilers;
use crate::sources::stateful::{rung, usable};

/// Units of a call, so that nanoseconds become milliseconds.
const MILLISECONDS: f64 = 1e6;

/// Memory of the library's transforms.
const MEMORY: usize = 1 << 30;

/// Particles up to which the reference is a double loop; for more it is the library's choice of a method, which the
/// article's programs must equal.
const MAX_REFERENCE: usize = 10_000;

fn by_trigonometry(set: &Set) -> Totals {
    let mut arrays = Arrays::new(set);
    O2.trigonometry(&mut arrays, 1);
    arrays.totals()
}

/// The second part's program, with its blocks.
fn by_blocks(set: &Set) -> Totals {
    blocks(&O2, Way::Blocks, set)
}

fn blocks(programs: &Programs, way: Way, set: &Set) -> Totals {
    let mut sums = vec![Sum::default(); way.sums(set.width())];
    let spacings: Vec<usize> = (0..set.len() / BLOCK).collect();
    programs.blocks(way, set, &spacings, &mut sums);
    way.totals(&sums, set.width())
}

/// The last program, with sorting and the sums by distance.
fn by_addresses(programs: &Programs, set: &Set) -> Totals {
    blocks(programs, Way::Addresses, &set.in_rows().premultiplied())
}

/// The library by a method, or by the one that it chooses.
fn by_library(method: Option<Method>, threads: usize, set: &Set) -> Totals {
    let (x, y): (Vec<i32>, Vec<i32>) = set.particles().iter().map(|particle| (particle.x, particle.y)).unzip();
    let image = Image::new(&x, &y, &ours::orientations(set.particles())).unwrap();
    let bins = ours::bins(set.width());
    let plan = match method {
        Some(method) => PairPlan::by(method, &image, &bins).unwrap().expect("distances of an image are exact"),
        None => PairPlan::new(&image, &bins, MEMORY, threads).unwrap(),
    };
    let add = |pairs: &mut Accumulator, part| pairs.add_part(&plan, part).unwrap();
    let empty = Accumulator::new(bins.clone()).unwrap();
    ours::totals(&ours::in_threads(threads, plan.parts(), &empty, add))
}

/// A set and the sums of all its pairs.
struct Problem {
    set: Rc<Set>,
    right: Rc<Totals>,
    /// Units of a call.
    units: f64,
}

impl Problem {
    fn new(n: usize, units: f64) -> Self {
        let set = Set::new(n);
        let right = if n <= MAX_REFERENCE { set.of_some(1) } else { by_library(None, 1, &set) };
        Problem { set: Rc::new(set), right: Rc::new(right), units }
    }

    fn rung(&self, name: impl Into<String>, origin: Origin, program: impl Fn(&Set) -> Totals + 'static) -> Rung {
        let (set, right) = (Rc::clone(&self.set), Rc::clone(&self.right));
        // Both the library's orientations and the article's sums are rounded.
        let error = ours::ERROR + ERROR;
        let run = move |totals: &mut Totals| *totals = program(&set);
        let state = Totals::new(self.set.width());
        rung(name, origin, self.units, state, run, move |totals| totals.agree(&right, error))
    }
}

pub fn table(plan: &Plan) -> Table {
    let problem = Problem::new(plan.sizes.whole, MILLISECONDS);
    let mut rungs = vec![
        problem.rung("blocks of 64", Origin::Source, by_blocks),
        problem.rung(format!("all tricks, {}", O2.level), Origin::Source, |set| by_addresses(&O2, set)),
        problem.rung(format!("all tricks, {}", O3.level), Origin::Source, |set| by_addresses(&O3, set)),
    ];
    for isa in usable() {
        let rung = problem.rung("rows of an image", Origin::Ours, |set| by_library(Some(Method::Rows), 1, set));
        rungs.push(rung.under(isa));
    }
    for isa in usable() {
        let rung = problem.rung("the method that PairPlan chooses", Origin::Ours, |set| by_library(None, 1, set));
        rungs.push(rung.under(isa));
    }
    let best = usable().last().expect("the scalar one");
    for &threads in plan.effort.threads.iter().filter(|&&threads| threads > 1) {
        let program = move |set: &Set| by_library(Some(Method::Rows), threads, set);
        rungs.push(problem.rung("rows of an image", Origin::Ours, program).under(best).on(threads));
    }
    let title = format!("All pairs of {} particles, with sorting and the sums by distance", problem.set.len());
    let mut table = measure("whole", title, (Scale::Nanoseconds, "ms"), Compared::Value, rungs, plan.budget);
    table.notes.push(compilers());
    table.notes.push(
        "Unlike the article's listing, the programs count pairs of one block and add up all offsets of a distance."
            .to_owned(),
    );
    table
}

type Program = (&'static str, Origin, fn(&Set) -> Totals);

/// Seconds of the whole program against the number of particles. A program that would take too long is left out.
pub fn growth(plan: &Plan) -> Curves {
    const PROGRAMS: [Program; 5] = [
        ("trigonometry for each pair", Origin::Source, by_trigonometry),
        ("blocks of 64", Origin::Source, by_blocks),
        ("all tricks", Origin::Source, |set| by_addresses(&O2, set)),
        ("rows of an image", Origin::Ours, |set| by_library(Some(Method::Rows), 1, set)),
        ("the method that PairPlan chooses", Origin::Ours, |set| by_library(None, 1, set)),
    ];
    let limit = 2.0 * plan.budget.as_secs_f64() / if plan.effort.is_quick { 16.0 } else { 4.0 };
    let mut per_pair: HashMap<String, f64> = HashMap::new();
    let mut tables: Vec<(f64, Table)> = Vec::new();
    let best = usable().last().expect("the scalar one");
    for &n in plan.sizes.growth {
        let squared = (n * n) as f64;
        let is_short = |name: &str| per_pair.get(name).is_none_or(|seconds| seconds * squared <= limit);
        let chosen: Vec<_> = PROGRAMS.iter().filter(|(name, ..)| is_short(name)).collect();
        if chosen.is_empty() {
            break;
        }
        let problem = Problem::new(n, 1.0);
        let new = |&&(name, origin, program): &&Program| {
            let rung = problem.rung(name, origin, program);
            if origin == Origin::Ours { rung.under(best) } else { rung }
        };
        let rungs = chosen.iter().map(new).collect();
        let budget = if n <= 1000 { plan.budget / 20 } else { Duration::ZERO };
        let table = measure("growth", "", (Scale::Seconds, "s"), Compared::Value, rungs, budget);
        per_pair.extend(table.rows.iter().map(|row| (row.name.clone(), row.value / squared)));
        tables.push((problem.set.len() as f64, table));
    }
    let notes = vec![
        format!("{} The article's programs are at {}.", compilers(), O2.level),
        format!("Beyond {MAX_REFERENCE} particles, the reference of all programs is the library's."),
    ];
    Curves {
        name: "growth",
        title: "The whole program against the number of particles".to_owned(),
        axes: ["particles", "s"],
        logarithmic: [true, true],
        lines: curve(&tables),
        notes,
    }
}
