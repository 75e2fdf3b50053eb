//! Every usable variant, on its kernel's workload.

use std::time::{Duration, Instant};

use hotloops::isa::{self, Isa};
use hotloops::kernel::{Code, Form, Kernel};

use crate::cases;
pub use crate::cases::Work;
use crate::clock::{self, Samples};

/// The compiler of this program and of the intrinsics, `rustc 1.95.0 (..)`.
pub const RUSTC: &str = env!("RUSTC_VERSION");

/// A kernel, and functions that start its rows on its workload.
pub struct Case {
    pub kernel: &'static Kernel<Code>,
    rows: fn() -> Vec<Row>,
}

/// A variant with its workload.
pub struct Row {
    pub isa: Isa,
    pub form: Form,
    pub bound: Option<Bound>,
    pub work: Work,
}

/// The lower bound of a loop's time, from its banner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Per element.
    pub cycles: f64,
    /// The CPU for which it holds.
    pub cpu: &'static str,
}

/// The bound of each assembly function whose banner states one.
static BOUNDS: &[(&str, Bound)] = &include!(concat!(env!("OUT_DIR"), "/bounds.rs"));

macro_rules! list {
    ($($family:ident { $($kernel:ident),+ })+) => {
        /// Every kernel of the library.
        pub static CASES: &[Case] = &[$($(Case {
            kernel: hotloops::$family::$kernel::KERNEL.untyped(),
            rows: || rows(&hotloops::$family::$kernel::KERNEL, cases::$family::$kernel),
        }),+),+];
    };
}
hotloops::for_each_kernel!(list);

fn rows<F: Copy>(kernel: &Kernel<F>, case: fn(F) -> Work) -> Vec<Row> {
    let usable = kernel.variants.iter().filter(|variant| isa::usable(variant.isa));
    let row = |variant: &hotloops::kernel::Variant<F>| {
        let symbol = format!("{}_{}", kernel.symbol, variant.isa.word());
        let stated = BOUNDS.iter().find(|(of, _)| variant.form == Form::Assembly && *of == symbol);
        Row { isa: variant.isa, form: variant.form, bound: stated.map(|row| row.1), work: case(variant.function) }
    };
    usable.map(row).collect()
}

impl Case {
    /// `family/kernel`.
    pub fn name(&self) -> String {
        let (family, kernel) = self.kernel.name();
        format!("{family}/{kernel}")
    }

    /// The rows that may run under the ISA in force, best first; the last one is the reference.
    pub fn rows(&self) -> Vec<Row> {
        (self.rows)()
    }
}

impl Row {
    /// `avx2_assembly`.
    pub fn name(&self) -> String {
        format!("{}_{}", self.isa.word(), self.form.word())
    }
}

/// Cycles per element.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub least: f64,
    pub median: f64,
    /// The interquartile range divided by the median.
    pub spread: f64,
    /// The clock before and after.
    pub gigahertz: [f64; 2],
}

impl Cell {
    /// Whether other load disturbed the measurement: the quartiles are far apart, or the clock rate
    /// changed.
    pub fn is_noisy(&self) -> bool {
        self.spread > 0.1 || (self.gigahertz[0] / self.gigahertz[1] - 1.0).abs() > 0.02
    }
}

/// Times the workloads in turn, about 0.1 ms each. Measures the clock rate before and after.
pub fn measure<'a>(works: impl IntoIterator<Item = &'a mut Work>, budget: Duration) -> Vec<Cell> {
    const TURN: f64 = 100_000.0;
    let time = |work: &mut Work, calls: usize| {
        let begin = Instant::now();
        (0..calls).for_each(|_| (work.call)());
        begin.elapsed().as_nanos() as f64 / calls as f64
    };
    let with_calls = |work: &'a mut Work| {
        // The first call warms up.
        let nanoseconds = time(work, 1).min(time(work, 1));
        (work, (TURN / nanoseconds.max(1.0)).ceil() as usize)
    };
    let mut works: Vec<(&mut Work, usize)> = works.into_iter().map(with_calls).collect();
    let before = clock::gigahertz();
    let samples = clock::interleaved(works.len(), budget, |index| {
        let (work, calls) = &mut works[index];
        time(work, *calls) / work.elements as f64
    });
    let gigahertz = [before, clock::gigahertz()];
    let cycles = (gigahertz[0] + gigahertz[1]) / 2.0;
    let cell = |samples: &Samples| Cell {
        least: cycles * samples.least(),
        median: cycles * samples.median(),
        spread: samples.spread(),
        gigahertz,
    };
    samples.iter().map(cell).collect()
}
