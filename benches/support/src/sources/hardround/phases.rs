//! The three phases, each alone: Table 5.1.

use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;

use hotloops::hardround::{Block, exhaust_first};
use hotloops::isa::Isa;
use hotloops_hardround::three_phase::{Domains, Test, ThreePhase};

use super::original;
use super::problem::{DIRECTED, INTERVAL, LEFEVRE, Method, REGULAR};
use super::searches;
use super::{levels, under};
use crate::ladder::{Compared, Origin, Rung, Scale, Table, alone, measure};

/// The first blocks of I_0, with what passes their phases.
struct Blocks {
    test: Test,
    within: u64,
    blocks: Vec<(u64, Block, Domains)>,
    /// For each batch of each block, the domains and the parts that pass.
    passed: Vec<[Vec<u64>; 2]>,
}

impl Blocks {
    /// The blocks of the first 2^`arguments`.
    fn new(test: Test, arguments: u32) -> Self {
        let piece = DIRECTED.piece(0, REGULAR);
        let bits = piece.series.log2_length().min(arguments);
        let blocks = (0..1_u64 << (arguments - bits)).map(|j| {
            let block = piece.series.block(j as i64);
            let domains = Domains::new(&block, 0..1 << bits, piece.within).expect("long domains");
            (j << bits, block, domains)
        });
        let (within, blocks) = (piece.within, blocks.collect());
        let mut all = Blocks { test, within, blocks, passed: Vec::new() };
        all.passed = all.pass();
        all
    }

    /// The first phase and the second.
    fn pass(&self) -> Vec<[Vec<u64>; 2]> {
        let mut search = ThreePhase::new(self.test, self.within);
        let mut all = Vec::new();
        for (_, _, domains) in &self.blocks {
            for first in domains.batches() {
                let mut passed = [const { Vec::new() }; 2];
                search.domains(domains, first, &mut passed[0]).expect("memory");
                let [starts, parts] = &mut passed;
                search.parts(domains, starts, parts).expect("memory");
                all.push(passed);
            }
        }
        all
    }

    /// A phase by what passed the one before; returns how many domains, parts or arguments pass.
    fn phase(&self, phase: usize, search: &mut ThreePhase, out: &mut Vec<u64>) {
        let mut passed = self.passed.iter();
        for (start, block, domains) in &self.blocks {
            for first in domains.batches() {
                let [starts, parts] = passed.next().expect("one for each batch");
                match phase {
                    0 => search.domains(domains, first, out).expect("memory"),
                    1 => search.parts(domains, starts, out).expect("memory"),
                    _ => search.arguments(block, domains, parts, &mut |x| out.push(start + x)),
                }
            }
        }
    }

    /// What a phase should find.
    fn expected(&self, phase: usize, arguments: u32) -> Vec<u64> {
        match phase {
            0 | 1 => self.passed.iter().flat_map(|passed| &passed[phase]).copied().collect(),
            _ => DIRECTED.reference(&searches::first(arguments)),
        }
    }
}

/// Table 5.1: seconds of each phase for I_0, by its first 2^`arguments`.
pub fn phases(arguments: u32, budget: Duration) -> Table {
    let mut rungs = Vec::new();
    let mut add = |name: &str, origin, isa: Isa, method: Method| {
        let Method::Phases(test) = method else { return };
        let blocks = {
            let _alone = alone();
            Rc::new(under(isa, || Blocks::new(test, arguments)))
        };
        for phase in 0..3 {
            let (timed, checked) = (Rc::clone(&blocks), Rc::clone(&blocks));
            let mut search = ThreePhase::new(test, blocks.within);
            let mut out = Vec::new();
            let call = move || {
                out.clear();
                timed.phase(phase, &mut search, &mut out);
                black_box(&mut out);
            };
            let verify = move || {
                let mut out = Vec::new();
                checked.phase(phase, &mut ThreePhase::new(test, checked.within), &mut out);
                out == checked.expected(phase, arguments)
            };
            let units = f64::from(arguments).exp2() / f64::from(INTERVAL).exp2();
            let rung = Rung::new(format!("{name}, phase {}", phase + 1), origin, units, call, verify);
            rungs.push(rung.under(isa));
        }
    };
    add("Lefevre", Origin::Source, Isa::scalar, searches::LEFEVRE_PRINTED);
    add("regular", Origin::Source, Isa::scalar, searches::REGULAR_PRINTED);
    for isa in levels() {
        add("Lefevre in f64", Origin::Ours, isa, LEFEVRE);
        add("regular in f64", Origin::Ours, isa, REGULAR);
    }
    let title = format!("Table 5.1: the three phases, seconds for I_0{}", searches::first(arguments).words());
    let mut table = measure("phases", title, (Scale::Seconds, "s"), Compared::Value, rungs, budget);
    table.notes.push("Phase 3 and the lines of domains are our code in every row, under the cap named.".to_owned());
    table.notes.push(super::FORMS.to_owned());
    table.notes.push(super::COMPILED.to_owned());
    table
}

/// The third phase's loop: argument by argument, without hits, by differences of degree 2 or 3.
pub fn arguments(third: u64, budget: Duration) -> Table {
    const N: u64 = 4096;
    let d = [1 << 60, 0x9e37_79b9_7f4a_7c15, 1 << 30, third];
    let same = move |first: &dyn Fn(u64) -> u64| {
        [0, 1 << 40, 1 << 54, 1 << 58].into_iter().all(|w| first(w) == original::exhaust(&d, N, w))
    };
    let plain = move |w| original::exhaust(black_box(&d), N, w);
    let ours = move |w| exhaust_first(black_box(&d), N, w).unwrap_or(N);
    let call = |first: fn(&[u64; 4], u64) -> u64| move || _ = black_box(first(black_box(&d), black_box(1 << 18)));
    let printed = call(|d, w| original::exhaust(d, N, w));
    let mut rungs = vec![Rung::new("argument by argument", Origin::Source, N as f64, printed, move || same(&plain))];
    for isa in levels() {
        let kernel = call(|d, w| exhaust_first(d, N, w).unwrap_or(N));
        rungs.push(Rung::new("tabulated", Origin::Ours, N as f64, kernel, move || same(&ours)).under(isa));
    }
    let (name, degree) = if third == 0 { ("quadratic", 2) } else { ("cubic", 3) };
    let title = format!("The third phase: tabulated differences of degree {degree}, runs of 4096 arguments");
    measure(name, title, (Scale::Nanoseconds, "ns per argument"), Compared::Ratio, rungs, budget)
}
