//! Tables and curves of a ladder: the results of the experiments of the [sources](crate::sources).

mod measure;
mod sheet;

use std::time::Duration;

pub(crate) use measure::alone;
pub use measure::{Rung, Scale, allowed, curve, measure};
pub use sheet::{Sheet, figure, void};

/// How long and how wide a ladder measures.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Time of one source, checks included.
    pub budget: Duration,
    /// Fewer and smaller cases.
    pub is_quick: bool,
    /// Counts of threads of the experiments that scale, ascending, from 1 on.
    pub threads: Vec<usize>,
}

impl Effort {
    /// The counts of threads up to `most`: powers of two, and `most`.
    #[must_use]
    pub fn threads_up_to(most: usize) -> Vec<usize> {
        let powers = (0..usize::BITS).map(|power| 1 << power).take_while(|&count| count < most);
        powers.chain([most]).collect()
    }
}

/// One experiment of a source, measured.
#[derive(Clone, Debug)]
pub enum Part {
    Table(Table),
    Curves(Curves),
}

/// Whose program a rung is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The source's own program, in its language and by the compiler and flags that the table's notes state.
    Source,
    /// A step between the source's program and ours, or another form of it.
    Step,
    Ours,
}

impl Origin {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Origin::Source => "source",
            Origin::Step => "step",
            Origin::Ours => "ours",
        }
    }
}

/// The figure of a row that is compared with the source's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// The value, in the table's unit.
    Value,
    /// The speed-up over the table's base.
    Ratio,
}

/// Rungs side by side, measured in turn.
#[derive(Clone, Debug)]
pub struct Table {
    /// A word for it, unique within the source: `slice`.
    pub name: &'static str,
    pub title: String,
    /// The unit of the values: `cycles per block`.
    pub unit: &'static str,
    /// Whether more is better.
    pub is_rate: bool,
    /// The row to which ratios refer.
    pub base: usize,
    pub compared: Compared,
    pub rows: Vec<Row>,
    /// Compilers and flags, sizes, and why figures differ, one sentence each.
    pub notes: Vec<String>,
}

impl Table {
    /// How many times as fast as the base a row is; `None` if either is void.
    #[must_use]
    pub fn ratio(&self, row: &Row) -> Option<f64> {
        let ratio = self.rows.get(self.base)?.valid()? / row.valid()?;
        Some(if self.is_rate { 1.0 / ratio } else { ratio })
    }

    /// The figure of a row that is compared with the source's, unless it is void.
    #[must_use]
    pub fn here(&self, row: &Row) -> Option<f64> {
        match self.compared {
            Compared::Value => row.valid(),
            Compared::Ratio => self.ratio(row),
        }
    }
}

/// The figures of one rung.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    /// The instruction set that caps the library, or empty.
    pub isa: &'static str,
    pub origin: Origin,
    pub threads: usize,
    /// The median, in the table's unit; what is counted has no spread.
    pub value: f64,
    /// Interquartile range divided by the median.
    pub spread: f64,
    /// The source's figure, and why ours differs.
    pub printed: Option<(f64, &'static str)>,
    /// Whether the result is the reference's.
    pub is_verified: bool,
}

/// Spread above which a time means nothing: other load on the machine decided it.
pub const MAX_SPREAD: f64 = 0.3;

impl Row {
    /// The name with what else tells rows of a table apart.
    #[must_use]
    pub fn label(&self) -> String {
        let isa = if self.isa.is_empty() { String::new() } else { format!(", {}", self.isa) };
        let threads = if self.threads == 1 { String::new() } else { format!(", {} threads", self.threads) };
        format!("{}{isa}{threads}", self.name)
    }

    #[must_use]
    pub fn is_void(&self) -> bool {
        self.spread.is_nan() || self.spread > MAX_SPREAD
    }

    /// The value unless it is void.
    #[must_use]
    pub fn valid(&self) -> Option<f64> {
        (!self.is_void()).then_some(self.value)
    }
}

/// A value against another one, for several programs.
#[derive(Clone, Debug)]
pub struct Curves {
    pub name: &'static str,
    pub title: String,
    /// The quantities on the axes: `n` and `flops a cycle`.
    pub axes: [&'static str; 2],
    /// Whether each axis is logarithmic.
    pub logarithmic: [bool; 2],
    pub lines: Vec<Line>,
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Line {
    pub name: String,
    pub origin: Origin,
    /// Pairs of x and y; void points are left out.
    pub points: Vec<(f64, f64)>,
    pub is_verified: bool,
}
