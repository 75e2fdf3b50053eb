//! Avenel, Fortin, Gouicem, Zaidi, "Solving the Table Maker's Dilemma on current SIMD architectures" (2016):
//! hard-to-round cases of exp.

mod cases;
mod division;
mod domains;
mod exact;
mod masked;
mod original;
mod phases;
mod problem;
mod searches;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use hotloops::hardround;
use hotloops::isa::{self, Isa};

use crate::ladder::{Effort, Part, Table, allowed};
use domains::Sample;

/// Said of every table with the source's programs.
const COMPILED: &str = "The source's code is not public: its algorithms as printed, in Rust by rustc at opt-level 3.";

/// Said where one form of a test of the source stands for it.
const FORMS: &str =
    "Quotients below 16 are subtractions in Lefevre's test, and none in the regular one: their faster forms.";

/// Arguments of the searches, log2: of those by the source's tests, by the library's, and by its rows.
struct Sizes {
    /// Places of I_0 with 64 domains each.
    domains: u64,
    phases: u32,
    interval: [u32; 3],
    breakpoints: [u32; 3],
    /// Of I_0 to I_1023: 2^n places, and arguments in each of them.
    places: [(u32, u32); 3],
    /// Arguments in each of 16 places, by the library's regular test, by cells and by dual rows.
    scaled: [u32; 3],
    /// Whether all of I_0 to I_1023 is searched.
    has_all: bool,
}

impl Sizes {
    fn new(effort: &Effort) -> Self {
        if effort.budget.is_zero() {
            let (interval, breakpoints, scaled) = ([33; 3], [32; 3], [27, 28, 29]);
            let places = [(2, 28), (2, 28), (2, 30)];
            return Sizes { domains: 64, phases: 30, interval, breakpoints, places, scaled, has_all: false };
        }
        if effort.is_quick {
            let (interval, breakpoints, scaled) = ([33, 34, 38], [33, 33, 36], [30, 34, 36]);
            let places = [(4, 29), (4, 31), (4, 36)];
            return Sizes { domains: 256, phases: 33, interval, breakpoints, places, scaled, has_all: false };
        }
        let (interval, breakpoints, scaled) = ([38, 38, 40], [36; 3], [35, 38, 39]);
        let places = [(6, 30), (6, 32), (6, 38)];
        Sizes { domains: 1024, phases: 37, interval, breakpoints, places, scaled, has_all: true }
    }
}

/// The [`allowed`] instruction sets for which the kernels of searches have rows, weakest first.
fn levels() -> impl Iterator<Item = Isa> {
    let has = |isa| hardround::regular::KERNEL.variants.iter().any(|variant| variant.isa == isa);
    allowed().iter().copied().filter(move |&isa| has(isa))
}

/// Calls with the kernels capped, and restores the cap.
fn under<T>(isa: Isa, call: impl FnOnce() -> T) -> T {
    let before = isa::active();
    isa::set(isa).expect("an instruction set of this CPU");
    let result = call();
    isa::set(before).expect("it was in force");
    result
}

/// The experiments of the source.
pub fn run(effort: &Effort, step: &mut dyn FnMut(&str)) -> Vec<Part> {
    let sizes = Sizes::new(effort);
    let of = |share: f64| effort.budget.mul_f64(share);
    let mut parts = Vec::new();

    step("iterations of the tests by lanes");
    let sample = Arc::new(Sample::new(sizes.domains));
    parts.extend(domains::iterations(&sample));
    parts.push(Part::Table(domains::positives(&sample)));
    step("tests of domains");
    parts.push(Part::Table(domains::tests(&sample, of(0.1))));
    parts.push(Part::Table(domains::logms(&sample, of(0.05))));
    step("quotients");
    parts.push(Part::Table(division::divisions(&sample, of(0.05))));
    step("the three phases");
    parts.push(Part::Table(phases::phases(sizes.phases, of(0.1))));
    for third in [0, 1] {
        parts.push(Part::Table(phases::arguments(third, of(0.03))));
    }
    step("searches of I_0");
    parts.push(Part::Table(searches::interval(&sizes, of(0.2))));
    step("searches of I_0 to I_1023");
    let threads = effort.threads.last().copied().unwrap_or(1);
    parts.push(Part::Table(searches::intervals(&sizes, threads, of(0.1))));
    step("searches by threads");
    parts.extend(searches::threads(&sizes, &effort.threads, of(0.1)));
    step("searches for all breakpoints");
    parts.push(Part::Table(searches::breakpoints(&sizes, of(0.1))));
    parts
}

/// Turns of both tests' loops in warps of 32 adjacent domains, from places of I_0 with 64 domains each.
#[must_use]
pub fn divergence(places: u64) -> Table {
    domains::divergence(&Sample::new(places))
}
