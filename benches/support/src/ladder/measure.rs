//! Rungs timed in turn.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use hotloops::isa::{self, Isa};

use super::{Compared, Line, Origin, Row, Table};
use crate::clock;

/// A program that is timed, and the check of its result.
pub struct Rung {
    pub name: String,
    /// The cap under which it runs. A program without kernels of the library has none.
    pub isa: Option<Isa>,
    pub origin: Origin,
    pub threads: usize,
    /// Units of work of a call: blocks, pairs, flops.
    pub units: f64,
    /// The source's figure, and why ours differs.
    pub printed: Option<(f64, &'static str)>,
    pub call: Box<dyn FnMut()>,
    /// Calls the program once and compares what it computed with the reference.
    pub verify: Box<dyn FnOnce() -> bool>,
}

impl Rung {
    /// A program of one thread without a printed figure; `verify` may share memory with `call`.
    pub fn new(
        name: impl Into<String>,
        origin: Origin,
        units: f64,
        call: impl FnMut() + 'static,
        verify: impl FnOnce() -> bool + 'static,
    ) -> Self {
        let (call, verify) = (Box::new(call), Box::new(verify));
        Rung { name: name.into(), isa: None, origin, threads: 1, units, printed: None, call, verify }
    }

    #[must_use]
    pub fn under(mut self, isa: Isa) -> Self {
        self.isa = Some(isa);
        self
    }

    #[must_use]
    pub fn printed(mut self, figure: f64, why: &'static str) -> Self {
        self.printed = Some((figure, why));
        self
    }

    #[must_use]
    pub fn on(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Nanoseconds of a unit.
    fn time(&mut self) -> f64 {
        cap(self.isa);
        // Calls of 50 us and more, in groups that double, so that the clock's own time is small.
        let (begin, mut calls) = (Instant::now(), 0);
        while calls == 0 || begin.elapsed() < Duration::from_micros(50) {
            let group = calls.max(1);
            (0..group).for_each(|_| (self.call)());
            calls += group;
        }
        begin.elapsed().as_nanos() as f64 / (f64::from(calls) * self.units)
    }
}

/// Caps every kernel; nothing without a cap. Skips an unchanged one, because a rung makes many short calls in turn.
fn cap(isa: Option<Isa>) {
    let Some(isa) = isa.filter(|&isa| isa != isa::active()) else { return };
    isa::set(isa).expect("an instruction set of this CPU");
}

/// The instruction sets that were usable before the first experiment.
static ALLOWED: OnceLock<Vec<Isa>> = OnceLock::new();

/// Waits until no other experiment runs: the cap is one of the process, and they would disturb each other. Nothing else
/// changes the cap.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static RUNNING: Mutex<()> = Mutex::new(());
    let alone = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    ALLOWED.get_or_init(|| Isa::ALL.iter().copied().filter(|&isa| isa::usable(isa)).collect());
    alone
}

/// The instruction sets under which rungs run, weakest first: those that this CPU has and `HOTLOOPS_ISA` allows,
/// whatever the cap of the running rung.
pub fn allowed() -> &'static [Isa] {
    // Whoever holds the lock has made the list.
    ALLOWED.get().unwrap_or_else(|| {
        drop(alone());
        ALLOWED.get().expect("made by alone()")
    })
}

/// The quantity in which a time is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    Nanoseconds,
    Cycles,
    Seconds,
    /// Units a cycle: more is better.
    PerCycle,
}

/// Checks the rungs, then times them in turn for `budget`, with the clock among them. The first rung is the base.
/// One table is measured at a time.
pub fn measure(
    name: &'static str,
    title: impl Into<String>,
    (scale, unit): (Scale, &'static str),
    compared: Compared,
    mut rungs: Vec<Rung>,
    budget: Duration,
) -> Table {
    let _alone = alone();
    let in_force = isa::active();
    let verified: Vec<bool> = rungs
        .iter_mut()
        .map(|rung| {
            cap(rung.isa);
            std::mem::replace(&mut rung.verify, Box::new(|| true))()
        })
        .collect();
    let count = rungs.len();
    let samples =
        clock::interleaved(count + 1, budget, |index| rungs.get_mut(index).map_or_else(clock::gigahertz, Rung::time));
    cap(Some(in_force));
    let gigahertz = samples[count].median();
    let value = |nanoseconds: f64| match scale {
        Scale::Nanoseconds => nanoseconds,
        Scale::Cycles => nanoseconds * gigahertz,
        Scale::Seconds => nanoseconds * 1e-9,
        Scale::PerCycle => 1.0 / (nanoseconds * gigahertz),
    };
    let rows = rungs.into_iter().zip(verified).zip(&samples).map(|((rung, is_verified), samples)| Row {
        name: rung.name,
        isa: rung.isa.map_or("", Isa::word),
        origin: rung.origin,
        threads: rung.threads,
        value: value(samples.median()),
        spread: samples.spread(),
        printed: rung.printed,
        is_verified,
    });
    Table {
        name,
        title: title.into(),
        unit,
        base: 0,
        is_rate: scale == Scale::PerCycle,
        compared,
        rows: rows.collect(),
        notes: Vec::new(),
    }
}

/// The tables of one x each as the lines of a curve, one for each row; rows have the same names in all tables.
pub fn curve(tables: &[(f64, Table)]) -> Vec<Line> {
    let Some((_, first)) = tables.first() else { return Vec::new() };
    let line = |row: &Row| {
        let same = tables.iter().filter_map(|(x, table)| {
            Some((*x, table.rows.iter().find(|other| other.name == row.name && other.isa == row.isa)?))
        });
        Line {
            name: if row.isa.is_empty() { row.name.clone() } else { format!("{}, {}", row.name, row.isa) },
            origin: row.origin,
            points: same.clone().filter_map(|(x, row)| Some((x, row.valid()?))).collect(),
            is_verified: same.clone().all(|(_, row)| row.is_verified),
        }
    };
    first.rows.iter().map(line).collect()
}
