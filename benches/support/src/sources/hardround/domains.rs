//! The first phase: tests of the domains of I_0.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use hotloops::hardround::{Test, exhaust_first, exists};
use hotloops::isa::Isa;
use hotloops_hardround::three_phase::{Lines, Strip, coefficients};

use super::original::{self, ALWAYS, HYBRID};
use super::problem::{DIRECTED, INTERVAL, REGULAR};
use super::{levels, masked, under};
use crate::ladder::{Compared, Curves, Line, Origin, Part, Row, Rung, Scale, Table, alone, measure};

/// Arguments of a domain.
pub const LENGTH: u64 = 1 << 15;

/// Neighbouring domains of a place.
const RUN: u64 = 64;

/// Lanes of the vectors of Figure 3.1.
const LANES: [usize; 4] = [32, 16, 8, 4];

/// Domains from evenly spaced places of I_0.
pub struct Sample {
    pub lines: Lines,
    pub width: u64,
    /// Whether an argument of a domain is in its strip, as the tests write it.
    truth: Vec<u8>,
}

impl Sample {
    pub fn new(places: u64) -> Self {
        let block = |place: u64| DIRECTED.piece(place * ((1 << INTERVAL) / places), REGULAR).series.block(0);
        // The curve bends most in the last place.
        let strip = Strip::new(&coefficients(&block(places - 1)), &(0..RUN * LENGTH), 1 << 31, LENGTH);
        let mut lines = Lines::default();
        for place in 0..places {
            lines.extend(coefficients(&block(place)), LENGTH, RUN, &strip);
        }
        let holds = |(a, b): (&u64, &u64)| exhaust_first(&[*b, a.wrapping_neg(), 0, 0], LENGTH, strip.width).is_some();
        let truth: Vec<bool> = lines.a.iter().zip(&lines.b).map(holds).collect();
        let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
        Sample { lines, width: strip.width, truth: truth.chunks(8).map(byte).collect() }
    }

    fn count(&self) -> usize {
        self.lines.a.len()
    }

    /// The bits of a test of all domains.
    fn bits(&self, test: impl FnOnce(&[u64], &[u64], u64, &mut [u8])) -> Vec<u8> {
        let mut bits = vec![0; self.truth.len()];
        test(&self.lines.a, &self.lines.b, self.width, &mut bits);
        bits
    }

    /// Whether every domain with an argument in the strip passes.
    fn passes(&self, bits: &[u8]) -> bool {
        self.truth.iter().zip(bits).all(|(truth, bits)| truth & !bits == 0)
    }

    /// Domains that pass without an argument in the strip.
    fn false_positives(&self, bits: &[u8]) -> u32 {
        self.truth.iter().zip(bits).map(|(truth, bits)| (bits & !truth).count_ones()).sum()
    }

    /// Whether domains hold arguments, and turns of a test's loop for each.
    fn turns(&self, test: fn(u64, u64, u64, u64) -> (bool, u32)) -> (bool, Vec<u32>) {
        let each = self.lines.a.iter().zip(&self.lines.b).map(|(&a, &b)| test(a, b, LENGTH, self.width));
        let (passed, turns): (Vec<bool>, Vec<u32>) = each.unzip();
        let is_true = |i: usize| self.truth[i / 8] >> (i % 8) & 1 == 1;
        (passed.iter().enumerate().all(|(i, &passed)| passed || !is_true(i)), turns)
    }
}

/// The mean over vectors of (max - mean) / max, of the turns in the lanes of a vector, in percent.
fn deviation(turns: &[u32], lanes: usize) -> f64 {
    let of = |turns: &[u32]| {
        let (max, sum) = (turns.iter().max().copied().unwrap_or(0), turns.iter().sum::<u32>());
        if max == 0 { 0.0 } else { 1.0 - f64::from(sum) / (lanes as f64 * f64::from(max)) }
    };
    100.0 * turns.chunks_exact(lanes).map(of).sum::<f64>() / (turns.len() / lanes) as f64
}

/// A test of a domain that counts the turns of its loop.
type Counted = fn(u64, u64, u64, u64) -> (bool, u32);

/// Figure 3.1: turns of the loops, whose lanes wait for the slowest one.
pub fn iterations(sample: &Sample) -> [Part; 2] {
    let tests: [(&str, Counted, (f64, &str)); 2] = [
        ("Lefevre", original::lefevre_counted::<0>, (25.6, "a sample of I_0 here, in domains of 2^15 arguments")),
        ("regular", original::regular_counted::<0>, (0.1, "printed with one digit; a sample of I_0 here")),
    ];
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    for (name, test, printed) in tests {
        let (is_verified, turns) = sample.turns(test);
        let points: Vec<(f64, f64)> = LANES.iter().map(|&lanes| (lanes as f64, deviation(&turns, lanes))).collect();
        rows.extend(points.iter().map(|&(lanes, value)| Row {
            name: format!("{name}, {lanes} lanes"),
            printed: (lanes == 32.0).then_some(printed),
            ..counted(value, is_verified)
        }));
        let points = points.into_iter().rev().collect();
        lines.push(Line { name: name.to_owned(), origin: Origin::Source, points, is_verified });
    }
    let title = "Figure 3.1: mean deviation of turns from the slowest lane".to_owned();
    let (count, places) = (sample.count(), sample.count() as u64 / RUN);
    let table = Table {
        name: "iterations",
        title: title.clone(),
        unit: "% of turns",
        is_rate: false,
        base: 0,
        compared: Compared::Value,
        rows,
        notes: vec![
            format!("Of {count} domains of 2^15 arguments from {places} places of I_0."),
            "Each domain with an argument in its strip, found argument by argument, passes both tests.".to_owned(),
        ],
    };
    let curves = Curves {
        name: "lanes",
        title,
        axes: ["lanes", "% of turns"],
        logarithmic: [true, false],
        lines,
        notes: Vec::new(),
    };
    [Part::Table(table), Part::Curves(curves)]
}

/// Turns of the loops of both tests, a mean over all domains and one over the slowest of each warp of 32.
pub fn divergence(sample: &Sample) -> Table {
    const WARP: usize = 32;
    let (mut rows, mut efficiencies) = (Vec::new(), Vec::new());
    for (name, test) in
        [("regular", original::regular_counted::<0> as Counted), ("Lefevre", original::lefevre_counted::<0>)]
    {
        let (is_verified, turns) = sample.turns(test);
        let mean = |turns: &[u32]| turns.iter().sum::<u32>() as f64 / turns.len() as f64;
        let slowest: Vec<u32> = turns.chunks(WARP).filter_map(|warp| warp.iter().max().copied()).collect();
        let means = [mean(&turns), mean(&slowest)];
        efficiencies.push(format!("{name} {:.3}", means[0] / means[1]));
        let names = [name.to_owned(), format!("{name}, slowest of {WARP}")];
        rows.extend(names.into_iter().zip(means).map(|(name, value)| Row { name, ..counted(value, is_verified) }));
    }
    Table {
        name: "divergence",
        title: format!("Turns of the tests' loops in warps of {WARP} adjacent domains"),
        unit: "turns",
        is_rate: false,
        base: 0,
        compared: Compared::Value,
        rows,
        notes: vec![
            format!(
                "Of {} domains of 2^15 arguments from {} places of I_0.",
                sample.count(),
                sample.count() as u64 / RUN
            ),
            format!("Efficiency, the mean over that of the slowest: {}.", efficiencies.join(", ")),
        ],
    }
}

/// A row of what is counted.
fn counted(value: f64, is_verified: bool) -> Row {
    Row {
        name: String::new(),
        isa: "",
        origin: Origin::Source,
        threads: 1,
        value,
        spread: 0.0,
        printed: None,
        is_verified,
    }
}

/// Domains that pass in vain, by the tests as printed and by ours.
pub fn positives(sample: &Sample) -> Table {
    let _alone = alone();
    let mut rows = Vec::new();
    let printed: [(&str, original::Test); 2] =
        [("Lefevre", original::lefevre::<0>), ("regular", original::regular::<0>)];
    for (name, test) in printed {
        let bits = sample.bits(|a, b, w, bits| original::all(test, a, b, LENGTH, w, bits));
        let value = f64::from(sample.false_positives(&bits));
        rows.push(Row { name: format!("{name}, as printed"), ..counted(value, sample.passes(&bits)) });
    }
    for (name, test) in [("Lefevre", Test::Lefevre), ("regular", Test::Regular)] {
        let ours = || sample.bits(|a, b, w, bits| exists(a, b, LENGTH, w, test, bits).expect("arrays of one length"));
        let bits = under(Isa::scalar, ours);
        let is_verified = sample.passes(&bits) && levels().all(|isa| under(isa, ours) == bits);
        let value = f64::from(sample.false_positives(&bits));
        rows.push(Row { name: format!("{name}, ours"), origin: Origin::Ours, ..counted(value, is_verified) });
    }
    let hold: u32 = sample.truth.iter().map(|byte| byte.count_ones()).sum();
    Table {
        name: "positives",
        title: format!("False positives of the tests, {} domains of which {hold} hold a case", sample.count()),
        unit: "domains",
        is_rate: false,
        base: 1,
        compared: Compared::Value,
        rows,
        notes: vec![
            "Ours limits the last quotient to what the domain's length needs; its bits are those of all ISAs.".into(),
        ],
    }
}

/// A test of all domains of a sample, which passes those with an argument in their strip.
fn rung(
    sample: &Arc<Sample>,
    name: impl Into<String>,
    origin: Origin,
    test: impl Fn(&[u64], &[u64], u64, &mut [u8]) + Copy + 'static,
) -> Rung {
    let (timed, checked) = (Arc::clone(sample), Arc::clone(sample));
    let mut bits = vec![0; sample.truth.len()];
    let call = move || {
        let lines = black_box(&timed.lines);
        test(&lines.a, &lines.b, timed.width, &mut bits);
        black_box(&mut bits);
    };
    let verify = move || checked.passes(&checked.bits(test));
    Rung::new(name, origin, sample.count() as f64, call, verify)
}

fn scalar(sample: &Arc<Sample>, name: &str, test: original::Test) -> Rung {
    rung(sample, name, Origin::Source, move |a, b, w, bits| original::all(test, a, b, LENGTH, w, bits))
}

/// Figure 5.2: the tests of domains, in scalar code and in vectors.
pub fn tests(sample: &Arc<Sample>, budget: Duration) -> Table {
    let mut rungs = vec![
        scalar(sample, "Lefevre", original::lefevre::<HYBRID>),
        scalar(sample, "regular", original::regular::<0>)
            .printed(1.5, "the regular test divides most, and divisions take fewer cycles on later CPUs"),
    ];
    for (isa, test) in masked::tests() {
        rungs.push(
            rung(sample, "regular by masked subtraction", Origin::Source, move |a, b, w, bits| {
                test.call(a, b, LENGTH, w, bits);
            })
            .under(isa),
        );
    }
    for (name, test) in [("Lefevre", Test::Lefevre), ("regular", Test::Regular)] {
        for isa in levels() {
            let ours = move |a: &[u64], b: &[u64], w, bits: &mut [u8]| {
                exists(a, b, LENGTH, w, test, bits).expect("arrays of one length");
            };
            rungs.push(rung(sample, format!("{name} in f64"), Origin::Ours, ours).under(isa));
        }
    }
    let title = format!("Figure 5.2: tests of domains of 2^15 arguments, {} of I_0", sample.count());
    let mut table = measure("tests", title, (Scale::Nanoseconds, "ns per domain"), Compared::Ratio, rungs, budget);
    table.notes.push(super::COMPILED.to_owned());
    table.notes.push(super::FORMS.to_owned());
    table.notes.push("Vectors of 64-bit integers subtract until the slowest lane has its quotient.".to_owned());
    table
}

/// The printed tests, whose quotients below 2^LOGMS are subtractions.
pub fn logms(sample: &Arc<Sample>, budget: Duration) -> Table {
    let rungs = vec![
        scalar(sample, "Lefevre, LOGMS 0", original::lefevre::<0>),
        scalar(sample, "Lefevre, LOGMS 1", original::lefevre::<1>),
        scalar(sample, "Lefevre, LOGMS 2", original::lefevre::<2>),
        scalar(sample, "Lefevre, LOGMS 4", original::lefevre::<4>),
        scalar(sample, "Lefevre, LOGMS 6", original::lefevre::<6>),
        scalar(sample, "Lefevre, LOGMS 64", original::lefevre::<ALWAYS>),
        scalar(sample, "regular, LOGMS 0", original::regular::<0>),
        scalar(sample, "regular, LOGMS 1", original::regular::<1>),
        scalar(sample, "regular, LOGMS 2", original::regular::<2>),
        scalar(sample, "regular, LOGMS 4", original::regular::<4>),
        scalar(sample, "regular, LOGMS 6", original::regular::<6>),
        scalar(sample, "regular, LOGMS 64", original::regular::<ALWAYS>),
    ];
    let title = "The tests with quotients below 2^LOGMS by subtraction, others by the division instruction";
    let mut table = measure("logms", title, (Scale::Nanoseconds, "ns per domain"), Compared::Ratio, rungs, budget);
    table.notes.push("LOGMS 0 divides always, LOGMS 64 never.".to_owned());
    table
}
