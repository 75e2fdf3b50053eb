//! Whole searches: I_0, I_0 to I_1023, and all breakpoints, by each algorithm.

use std::cell::OnceCell;
use std::rc::Rc;
use std::time::Duration;

use hotloops::isa::Isa;

use super::original::{self, HYBRID};
use super::problem::{ALL, ALL_INTERVALS, DIRECTED, INTERVAL, LEFEVRE, Method, Problem, REGULAR, Share};
use super::{Sizes, levels, under};
use crate::ladder::{Compared, Curves, Line, Origin, Part, Rung, Scale, Table, measure};

/// Three phases by the source's tests.
pub const LEFEVRE_PRINTED: Method = Method::Phases(|a, b, n, w, bits| {
    original::all(original::lefevre::<HYBRID>, a, b, n, w, bits);
    Ok(())
});
pub const REGULAR_PRINTED: Method = Method::Phases(|a, b, n, w, bits| {
    original::all(original::regular::<0>, a, b, n, w, bits);
    Ok(())
});

/// The first 2^`arguments` of I_0.
pub fn first(arguments: u32) -> Share {
    Share::first(arguments, INTERVAL)
}

/// The cases of a share, computed once for all rungs.
type Reference = Rc<OnceCell<Vec<u64>>>;

/// Rungs of one problem.
struct Rungs {
    problem: Problem,
    references: Vec<(Share, Reference)>,
    rungs: Vec<Rung>,
}

impl Rungs {
    fn new(problem: Problem) -> Self {
        Rungs { problem, references: Vec::new(), rungs: Vec::new() }
    }

    /// A search of a share, under a cap and by threads. The source's tests run beside scalar kernels.
    fn add(&mut self, name: &str, (origin, isa): (Origin, Isa), method: Method, share: Share, threads: usize) {
        let problem = self.problem;
        let reference = match self.references.iter().find(|(other, _)| *other == share) {
            Some((_, reference)) => Rc::clone(reference),
            None => {
                self.references.push((share, Reference::default()));
                Rc::clone(&self.references[self.references.len() - 1].1)
            }
        };
        let call = move || drop(std::hint::black_box(problem.cases(method, &share, threads)));
        let verify = move || {
            let found = problem.cases(method, &share, threads);
            if share.is_whole() && problem == DIRECTED && share.whole > INTERVAL {
                return found.len() == ALL_INTERVALS;
            }
            found == *reference.get_or_init(|| under(Isa::scalar, || problem.reference(&share)))
        };
        let rung = Rung::new(format!("{name}{}", share.words()), origin, share.fraction(), call, verify);
        self.rungs.push(rung.on(threads).under(isa));
    }

    /// Every method, ours under every cap; shares of the source's tests, of ours, and of the others. Our tests under
    /// the last cap have the share of the others, unless it is scalar.
    fn add_all(&mut self, [original, tests, rows]: [Share; 3]) {
        let (source, best) = ((Origin::Source, Isa::scalar), levels().last());
        self.add("three phases, Lefevre", source, LEFEVRE_PRINTED, original, 1);
        self.add("three phases, regular", source, REGULAR_PRINTED, original, 1);
        let methods = [
            ("three phases, Lefevre in f64", LEFEVRE, tests),
            ("three phases, regular in f64", REGULAR, tests),
            ("Farey cells", Method::Farey, rows),
            ("dual rows", Method::Dual, rows),
        ];
        for (name, method, share) in methods {
            for isa in levels() {
                let share = if Some(isa) == best && isa != Isa::scalar { rows } else { share };
                self.add(name, (Origin::Ours, isa), method, share, 1);
            }
        }
    }

    fn measure(self, name: &'static str, title: String, compared: Compared, budget: Duration) -> Table {
        let mut table = measure(name, title, (Scale::Seconds, "s"), compared, self.rungs, budget);
        table.notes.push(super::COMPILED.to_owned());
        table.notes.push(super::FORMS.to_owned());
        table.notes.push("A part of an interval is timed where stated, and its time scaled to the whole.".to_owned());
        table
    }
}

/// I_0: 2^40 arguments with a step of 2^-53.
pub fn interval(sizes: &Sizes, budget: Duration) -> Table {
    let mut rungs = Rungs::new(DIRECTED);
    rungs.add_all(sizes.interval.map(first));
    for rung in &mut rungs.rungs {
        if rung.origin == Origin::Source && rung.name.contains("regular") {
            rung.printed = Some((0.244, "theirs is a lower bound, of 16 cores; one core here"));
        }
    }
    if let Some(rung) = rungs.rungs.last_mut() {
        rung.printed = Some((0.081, "theirs is of a GPU, a Tesla C2070; one core here"));
    }
    let title =
        "I_0: exp, directed roundings, 2^40 arguments from 1 in steps of 2^-53, 2^-33 ulp: 243 cases".to_owned();
    let mut table = rungs.measure("interval", title, Compared::Value, budget);
    table.notes.push("Other GPUs of the source (K20c, HD 7970) take less than 0.039 s.".to_owned());
    table
}

/// I_0 to I_1023: 2^50 arguments, by the strongest instruction set.
pub fn intervals(sizes: &Sizes, threads: usize, budget: Duration) -> Table {
    let mut rungs = Rungs::new(DIRECTED);
    let best = levels().last().unwrap_or(Isa::scalar);
    let [original, tests, rows] =
        sizes.places.map(|(places, arguments)| Share { whole: INTERVAL + 10, places, arguments });
    let source = (Origin::Source, Isa::scalar);
    rungs.add("three phases, Lefevre", source, LEFEVRE_PRINTED, original, 1);
    rungs.add("three phases, regular", source, REGULAR_PRINTED, original, 1);
    let ours = (Origin::Ours, best);
    rungs.add("three phases, Lefevre in f64", ours, LEFEVRE, tests, 1);
    rungs.add("three phases, regular in f64", ours, REGULAR, tests, 1);
    rungs.add("Farey cells", ours, Method::Farey, rows, 1);
    rungs.add("dual rows", ours, Method::Dual, rows, 1);
    if sizes.has_all {
        rungs.add("dual rows", ours, Method::Dual, Share::first(INTERVAL + 10, INTERVAL + 10), threads);
    }
    rungs.rungs[1].printed = Some((250.0, "theirs is of 16 cores; one core here"));
    let last = rungs.rungs.len() - 1;
    rungs.rungs[last].printed = Some((40.0, "theirs is of a GPU, and an upper bound"));
    let title = "I_0 to I_1023: 2^50 arguments, 261,760 cases".to_owned();
    rungs.measure("intervals", title, Compared::Value, budget)
}

/// All breakpoints of doubles.
pub fn breakpoints(sizes: &Sizes, budget: Duration) -> Table {
    let mut rungs = Rungs::new(ALL);
    rungs.add_all(sizes.breakpoints.map(first));
    let title = "All breakpoints: exp, all roundings, 2^40 doubles from 1 on, 2^-32 ulp: 986 cases".to_owned();
    let mut table = rungs.measure("breakpoints", title, Compared::Ratio, budget);
    table.base = 1;
    table
}

/// The searches by more and more threads.
pub fn threads(sizes: &Sizes, counts: &[usize], budget: Duration) -> [Part; 2] {
    let best = levels().last().unwrap_or(Isa::scalar);
    let methods = [
        ("three phases, regular in f64", REGULAR, sizes.scaled[0]),
        ("Farey cells", Method::Farey, sizes.scaled[1]),
        ("dual rows", Method::Dual, sizes.scaled[2]),
    ];
    let mut rungs = Rungs::new(DIRECTED);
    for (name, method, arguments) in methods {
        for &count in counts {
            rungs.add(name, (Origin::Ours, best), method, Share { whole: INTERVAL + 10, places: 4, arguments }, count);
        }
    }
    let title = "I_0 to I_1023 by threads".to_owned();
    let table = rungs.measure("threads", title.clone(), Compared::Value, budget);
    let lines = methods.iter().zip(table.rows.chunks(counts.len().max(1))).map(|((name, ..), rows)| Line {
        name: (*name).to_owned(),
        origin: Origin::Ours,
        points: rows
            .iter()
            .filter_map(|row| Some((row.threads as f64, rows[0].valid()? * counts[0] as f64 / row.valid()?)))
            .collect(),
        is_verified: rows.iter().all(|row| row.is_verified),
    });
    let curves = Curves {
        name: "speed",
        title,
        axes: ["threads", "speed, in threads"],
        logarithmic: [true, true],
        lines: lines.collect(),
        notes: Vec::new(),
    };
    [Part::Table(table), Part::Curves(curves)]
}
