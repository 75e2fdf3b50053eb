//! Pancratov, Kurzer, Shaw, Trawick, *Why computer architecture matters* (2008): the orientational correlation
//! function of all pairs of particles of an image.

mod ours;
mod particles;
mod points;
mod programs;
mod whole;

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;

use super::programs::compilers;
use super::stateful::rung;
use crate::ladder::{Compared, Effort, Origin, Part, Rung, Scale, Table, measure};
use particles::{Set, Sum, Totals};
use programs::{Arrays, O2, O3, Programs, Way};

/// Error of a sum per pair, where the sums are of `f32`.
const ERROR: f64 = 1e-5;

/// How many particles and pairs are measured.
struct Sizes {
    /// Particles of the rungs.
    particles: usize,
    /// Spacings of blocks whose pairs they count.
    spacings: usize,
    /// Differences of y whose pairs ours count. Few rows of a lattice are equally far apart.
    rows: usize,
    /// Pairs of the programs without blocks.
    pairs: usize,
    /// Particles of the whole program.
    whole: usize,
    /// Particles of its curve, ascending.
    growth: &'static [usize],
    /// Particles with real coordinates, and their largest distance.
    points: (usize, f64),
}

const FULL: Sizes = Sizes {
    particles: 100_000,
    spacings: 4,
    rows: 24,
    pairs: 8_000_000,
    whole: 20_000,
    growth: &[1000, 3000, 10_000, 30_000, 100_000],
    points: (30_000, 300.0),
};

const QUICK: Sizes = Sizes { spacings: 2, rows: 12, pairs: 1_000_000, whole: 4096, ..FULL };

/// Sizes and times of a run.
struct Plan {
    effort: Effort,
    /// Time of one table.
    budget: Duration,
    sizes: Sizes,
}

type Experiment = (&'static str, fn(&Plan) -> Part);

/// Measures the article's experiments; unless quick, also particles with real coordinates.
pub fn run(effort: &Effort, step: &mut dyn FnMut(&str)) -> Vec<Part> {
    run_with(effort, if effort.is_quick { QUICK } else { FULL }, step)
}

fn run_with(effort: &Effort, sizes: Sizes, step: &mut dyn FnMut(&str)) -> Vec<Part> {
    let mut parts: Vec<Experiment> = vec![
        ("the article's programs", |plan| Part::Table(rungs(plan))),
        ("its last program", |plan| Part::Table(last(plan))),
        ("the whole program", |plan| Part::Table(whole::table(plan))),
        ("time against the number of particles", |plan| Part::Curves(whole::growth(plan))),
    ];
    if !effort.is_quick {
        parts.push(("real coordinates, 300 bins", |plan| Part::Table(points::table(plan, "points-300", 300))));
        parts.push(("real coordinates, 20 bins", |plan| Part::Table(points::table(plan, "points-20", 20))));
    }
    // The curve takes as long as two tables, and so do all checks.
    let plan = Plan { effort: effort.clone(), budget: effort.budget / (parts.len() as u32 + 2), sizes };
    let mut measured = |(title, part): Experiment| {
        step(title);
        part(&plan)
    };
    parts.into_iter().map(&mut measured).collect()
}

/// Sums that the rungs of a table share, because each needs up to 100 MB.
type Shared = Rc<RefCell<Vec<Sum>>>;

fn shared(width: usize) -> Shared {
    Rc::new(RefCell::new(vec![Sum::default(); Way::Addresses.sums(width)]))
}

/// Makes rungs that add pairs of blocks to shared sums.
struct BlockRungs {
    sums: Shared,
    spacings: Rc<[usize]>,
}

impl BlockRungs {
    fn rung(
        &self,
        name: impl Into<String>,
        origin: Origin,
        (set, right): (&Rc<Set>, &Rc<Totals>),
        way: Way,
        add: impl Fn(&Set, &[usize], &mut [Sum]) + 'static,
    ) -> Rung {
        let (sums, spacings, set, right) =
            (Rc::clone(&self.sums), Rc::clone(&self.spacings), Rc::clone(set), Rc::clone(right));
        let width = set.width();
        let add = Rc::new(add);
        let (same_sums, same_spacings, same_set, same_add) =
            (Rc::clone(&sums), Rc::clone(&spacings), Rc::clone(&set), Rc::clone(&add));
        let pairs = right.pairs() as f64;
        let verify = move || {
            let sums = &mut *same_sums.borrow_mut();
            sums.fill(Sum::default());
            same_add(&same_set, &same_spacings, sums);
            way.totals(sums, width).agree(&right, ERROR)
        };
        Rung::new(name, origin, pairs, move || add(black_box(&set), &spacings, &mut sums.borrow_mut()), verify)
    }

    /// A rung in C.
    fn c(
        &self,
        name: impl Into<String>,
        origin: Origin,
        set: (&Rc<Set>, &Rc<Totals>),
        way: Way,
        programs: &'static Programs,
    ) -> Rung {
        self.rung(name, origin, set, way, move |set, spacings, sums| programs.blocks(way, set, spacings, sums))
    }
}

/// All rungs of the series, then ours under the best instruction set.
fn rungs(plan: &Plan) -> Table {
    let unsorted = Rc::new(Set::new(plan.sizes.particles));
    let sorted = Rc::new(unsorted.in_rows());
    let premultiplied = Rc::new(sorted.premultiplied());
    let spacings: Rc<[usize]> = sorted.spacings(plan.sizes.spacings).into();
    let (of_unsorted, of_sorted) = (Rc::new(unsorted.of_blocks(&spacings)), Rc::new(sorted.of_blocks(&spacings)));
    let blocks = BlockRungs { sums: shared(sorted.width()), spacings };
    let mut rungs = unblocked(plan, &unsorted, &blocks.sums);
    let c = |name: &str, origin, set, way| blocks.c(name, origin, set, way, &O2);
    let (unsorted, sorted) = ((&unsorted, &of_unsorted), (&sorted, &of_sorted));
    rungs.extend([
        c("blocks of 64", Origin::Source, unsorted, Way::Blocks).printed(79.6, "a processor of 2008"),
        c("accum[r^2] without a square root", Origin::Source, unsorted, Way::Squares),
        c("accum[|dx|][|dy|]", Origin::Source, unsorted, Way::Offsets)
            .printed(148.7, "a processor of 2008 and its caches"),
        c("sorted in rows", Origin::Source, sorted, Way::Offsets).printed(16.7, "a processor of 2008"),
        c("no ABS", Origin::Source, sorted, Way::Signs),
        c("premultiplied y, hoisted d_i: all tricks", Origin::Source, (&premultiplied, &of_sorted), Way::Addresses)
            .printed(10.5, "a processor of 2008"),
    ]);
    rungs.extend(ours::rows(sorted.0, plan.sizes.rows, true).into_iter().last());
    let title = format!("The programs of the series, on pairs of {} particles", sorted.0.len());
    let scale = (Scale::Cycles, "cycles a pair");
    let mut table = measure("rungs", title, scale, Compared::Value, rungs, plan.budget);
    table.notes.push(format!("{} The article's programs are at {}.", compilers(), O2.level));
    table.notes.push(
        "Each rung counts some of all pairs: of some spacings of blocks, of some particles, of some rows.".to_owned(),
    );
    table
}

/// Parts 1 and 2 of the series: double loops.
fn unblocked(plan: &Plan, set: &Rc<Set>, sums: &Shared) -> Vec<Rung> {
    let every = (set.len() * set.len() / (2 * plan.sizes.pairs)).max(1);
    let right = Rc::new(set.of_some(every));
    let pairs = right.pairs() as f64;
    let arrays = |name: &str, add: fn(&mut Arrays, usize)| {
        let right = Rc::clone(&right);
        let is_right = move |arrays: &Arrays| arrays.totals().agree(&right, ERROR);
        rung(name, Origin::Source, pairs, Arrays::new(set), move |arrays| add(black_box(arrays), every), is_right)
    };
    let trigonometry = arrays("trigonometry for each pair", |arrays, every| O2.trigonometry(arrays, every));
    let precalculated = arrays("precalculated cos and sin", |arrays, every| O2.precalculated(arrays, every));
    let (same_sums, same_set, width) = (Rc::clone(sums), Rc::clone(set), set.width());
    let verify = move || {
        let sums = &mut *same_sums.borrow_mut();
        sums.fill(Sum::default());
        O2.merged(&same_set, every, sums);
        Way::Blocks.totals(sums, width).agree(&right, ERROR)
    };
    let (sums, set) = (Rc::clone(sums), Rc::clone(set));
    let merged = move || O2.merged(black_box(&set), every, &mut sums.borrow_mut());
    vec![trigonometry, precalculated, Rung::new("merged arrays", Origin::Source, pairs, merged, verify)]
}

/// The last rung in C and in Rust, and ours under every instruction set.
fn last(plan: &Plan) -> Table {
    let sorted = Rc::new(Set::new(plan.sizes.particles).in_rows());
    let set = Rc::new(sorted.premultiplied());
    let spacings: Rc<[usize]> = sorted.spacings(plan.sizes.spacings).into();
    let right = Rc::new(sorted.of_blocks(&spacings));
    let blocks = BlockRungs { sums: shared(sorted.width()), spacings };
    let all_tricks = |programs: &'static Programs, origin| {
        let name = format!("all tricks, {}", programs.level);
        blocks.c(name, origin, (&set, &right), Way::Addresses, programs)
    };
    let mut rungs = vec![
        all_tricks(&O2, Origin::Source),
        all_tricks(&O3, Origin::Source),
        blocks.rung("all tricks, Rust", Origin::Step, (&set, &right), Way::Addresses, programs::addresses),
    ];
    rungs.extend(ours::rows(&sorted, plan.sizes.rows, true));
    rungs.extend(ours::rows(&sorted, plan.sizes.rows, false));
    let title = format!("The last program, and rows of an image of {} particles", sorted.len());
    let scale = (Scale::Nanoseconds, "ns a pair");
    let mut table = measure("last", title, scale, Compared::Value, rungs, plan.budget);
    table.notes.push(compilers());
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::programs::unverified;

    #[test]
    fn every_rung_of_correlation_is_right() {
        let effort = Effort { budget: Duration::ZERO, is_quick: false, threads: vec![1, 2] };
        let sizes = Sizes {
            particles: 2000,
            spacings: 3,
            rows: 40,
            pairs: 100_000,
            whole: 1000,
            growth: &[200, 500],
            points: (2000, 60.0),
        };
        let mut steps = 0;
        let parts = run_with(&effort, sizes, &mut |_| steps += 1);
        assert_eq!(steps, parts.len());
        assert_eq!(unverified(&parts), Vec::<String>::new());
    }
}
