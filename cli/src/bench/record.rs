//! Measurements and the machine that they were made on.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::path::Path;

use hotloops::isa::{self, Isa};
use hotloops::kernel::Form;
use hotloops_bench_support::machine;
use hotloops_bench_support::variants::{Case, Cell, RUSTC, Row};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::input;

#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    pub cpu: String,
    /// Instruction sets that it can execute, weakest first.
    pub isas: String,
    /// Clock frequency: median over all measurements.
    pub gigahertz: f64,
    pub hotloops: String,
    pub rustc: String,
}

#[derive(Serialize)]
pub struct Record {
    pub machine: Machine,
    /// The reference of a kernel first, the best row last.
    pub rows: Vec<Figures>,
}

#[derive(Serialize, Deserialize)]
pub struct Figures {
    /// `family/kernel`.
    pub kernel: String,
    pub isa: String,
    pub form: String,
    /// The unit of `cycles`.
    pub element: String,
    /// Cycles per element: minimum and median.
    pub cycles: f64,
    pub median: f64,
    /// Interquartile range divided by the median.
    pub spread: f64,
    pub noisy: bool,
    /// Speed-up over the reference, from the minima.
    pub ratio: f64,
    /// Lower bound of the loop's cycles per element on `bound_cpu`, if the assembly file states it.
    pub bound: Option<f64>,
    pub bound_cpu: Option<String>,
}

impl Figures {
    fn new(case: &Case, row: &Row, cell: &Cell, reference: &Cell) -> Self {
        Figures {
            kernel: case.name(),
            isa: row.isa.word().to_owned(),
            form: row.form.word().to_owned(),
            element: row.work.unit.to_owned(),
            cycles: rounded(cell.least),
            median: rounded(cell.median),
            spread: rounded(cell.spread),
            noisy: cell.is_noisy(),
            ratio: rounded(reference.least / cell.least),
            bound: row.bound.map(|bound| rounded(bound.cycles)),
            bound_cpu: row.bound.map(|bound| bound.cpu.to_owned()),
        }
    }

    pub fn family(&self) -> &str {
        self.kernel.split('/').next().unwrap_or_default()
    }

    /// The kernel without its family.
    pub fn name(&self) -> &str {
        self.kernel.rsplit('/').next().unwrap_or_default()
    }

    pub fn is_reference(&self) -> bool {
        self.form == Form::Reference.word()
    }

    /// Describes an impossible figure or name, if there is one. Names become columns, and families
    /// become file names.
    fn fault(&self) -> Option<String> {
        let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let is_name = |name: &str| (1..=64).contains(&name.len()) && is_word(name);
        let is_kernel = self.kernel.split_once('/').is_some_and(|(family, name)| is_name(family) && is_name(name));
        let is_text = |text: &String| text.len() <= 64 && !text.chars().any(char::is_control);
        if !(is_kernel && is_name(&self.isa) && is_name(&self.form) && is_text(&self.element)) {
            return Some("the names are not those of a kernel variant".to_owned());
        }
        let positive = [("cycles", self.cycles), ("median", self.median), ("ratio", self.ratio)];
        let positive = positive.into_iter().chain(self.bound.map(|bound| ("bound", bound)));
        let mut wrong = positive.filter(|(_, value)| !MEASURES.contains(value));
        let spread = (!(0.0..=*MEASURES.end()).contains(&self.spread)).then_some(("spread", self.spread));
        wrong.next().or(spread).map(|(name, value)| format!("{name} = {value:e} is not a possible measurement"))
    }

    /// The instruction set and the form.
    pub fn variant(&self) -> (&str, &str) {
        (&self.isa, &self.form)
    }
}

/// The columns of a file: the fields of [`Figures`], then those of [`Machine`].
const COLUMNS: [&str; 16] = [
    "kernel",
    "isa",
    "form",
    "element",
    "cycles",
    "median",
    "spread",
    "noisy",
    "ratio",
    "bound",
    "bound_cpu",
    "cpu",
    "isas",
    "gigahertz",
    "hotloops",
    "rustc",
];

/// Valid range of figures; `spread` may also be 0.
const MEASURES: RangeInclusive<f64> = 1e-9..=1e12;

/// Rounds to four digits; more are noise.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().expect("a number")
}

/// The fields of a line. None spans lines.
fn fields(line: &str) -> Result<(Figures, Machine), String> {
    if line.chars().any(char::is_control) {
        return Err("has a control character; remove it".to_owned());
    }
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).terminator(csv::Terminator::Any(b'\n')).from_reader(line.as_bytes());
    let record = reader.records().next().ok_or("has no fields")?.map_err(|error| error.to_string())?;
    if record.len() != COLUMNS.len() {
        return Err(format!("has {} fields, not {}", record.len(), COLUMNS.len()));
    }
    record.deserialize(None).map_err(|error| match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => match err.field() {
            Some(field) => format!("{}: {}", COLUMNS[field as usize], err.kind()),
            None => err.kind().to_string(),
        },
        _ => error.to_string(),
    })
}

impl Record {
    /// Makes a record from the rows of each case, the reference first.
    pub fn new(measured: &[(&Case, Vec<(Row, Cell)>)]) -> Self {
        let rows = measured
            .iter()
            .flat_map(|(case, rows)| rows.iter().map(move |(row, cell)| Figures::new(case, row, cell, &rows[0].1)));
        let mut clock: Vec<f64> = measured.iter().flat_map(|(_, rows)| rows[0].1.gigahertz).collect();
        clock.sort_by(f64::total_cmp);
        let isas: Vec<_> = Isa::ALL.iter().filter(|&&isa| isa::detected(isa)).map(|isa| isa.word()).collect();
        let machine = Machine {
            cpu: machine::cpu(),
            isas: isas.join(" "),
            gigahertz: rounded(clock[clock.len() / 2]),
            hotloops: env!("CARGO_PKG_VERSION").to_owned(),
            rustc: RUSTC.to_owned(),
        };
        Record { machine, rows: rows.collect() }
    }

    /// One line for each row, which ends with the machine.
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in &self.rows {
            writer.serialize((row, &self.machine)).expect("memory");
        }
        String::from_utf8(writer.into_inner().expect("memory")).expect("text")
    }

    /// Reads the rows of a family or a kernel, or all, from a file that [`csv`](Self::csv) made.
    pub fn read(path: &Path, only: Option<&str>) -> Result<Self, Failure> {
        let wrong = |why: String| Failure::Input(format!("--load {}: {why}", path.display()));
        let mut record = Self::parse(&input::text(path).map_err(wrong)?).map_err(wrong)?;
        record.rows.retain(|row| only.is_none_or(|only| row.kernel == only || row.family() == only));
        match record.rows.is_empty() {
            true => {
                Err(wrong("contains none of these kernels; leave out FAMILY/KERNEL, or choose another file".to_owned()))
            }
            false => Ok(record),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let (mut rows, mut machine, mut seen) = (Vec::<Figures>::new(), None, HashSet::new());
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty());
        if lines.next().is_none_or(|(_, header)| header != COLUMNS.join(",")) {
            return Err(format!("line 1: must be what `hotloops bench --format csv` prints, {}", COLUMNS.join(",")));
        }
        for (number, line) in lines {
            let wrong = |why: String| Err(format!("line {number}: {why}"));
            let (row, of): (Figures, Machine) = match fields(line) {
                Ok(parts) => parts,
                Err(why) => return wrong(why),
            };
            let name = format!("{} {} {}", row.kernel, row.isa, row.form);
            if let Some(fault) = row.fault() {
                return wrong(format!("{name:.100}: {fault}"));
            }
            if !MEASURES.contains(&of.gigahertz) {
                return wrong(format!("gigahertz = {:e} is not a possible measurement", of.gigahertz));
            }
            if !seen.insert(name.clone()) {
                return wrong(format!("{name}: appears twice; remove one"));
            }
            if machine.get_or_insert_with(|| of.clone()) != &of {
                return wrong(
                    "is of another machine or version than the lines before; keep one file for each".to_owned(),
                );
            }
            rows.push(row);
        }
        let machine = machine.ok_or("has no rows")?;
        Ok(Record { machine, rows })
    }

    /// The rows of each kernel of a family.
    pub fn kernels_of(&self, family: &str) -> impl Iterator<Item = &[Figures]> {
        self.kernels().filter(move |rows| rows[0].family() == family)
    }

    /// The rows of each kernel.
    pub fn kernels(&self) -> impl Iterator<Item = &[Figures]> {
        self.rows.chunk_by(|a, b| a.kernel == b.kernel)
    }

    /// The families, in order, each once.
    pub fn families(&self) -> Vec<&str> {
        let mut families: Vec<&str> = Vec::new();
        for family in self.rows.iter().map(Figures::family) {
            if !families.contains(&family) {
                families.push(family);
            }
        }
        families
    }
}
