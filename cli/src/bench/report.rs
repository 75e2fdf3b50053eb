//! A record as tables and as pictures.

use hotloops::isa::Isa;
use hotloops::kernel::Form;
use plotters::style::RGBColor;

use super::record::{Figures, Machine, Record};
use crate::failure::Failure;
use crate::output;
use crate::plot::bars::{self, Bar, Group};

/// Formats with three significant digits.
fn cycles(value: f64) -> String {
    let digits = (2.0 - value.max(0.001).log10().floor()).max(0.0) as usize;
    format!("{value:.digits$}")
}

fn times(value: f64) -> String {
    format!("{value:.*}x", if value < 9.95 { 1 } else { 0 })
}

fn mark(row: &Figures) -> &'static str {
    if row.noisy { "~" } else { "" }
}

/// Position of the instruction set in `Isa::ALL`.
fn rank(word: &str) -> usize {
    Isa::ALL.iter().position(|isa| isa.word() == word).unwrap_or(Isa::ALL.len())
}

/// The distinct values of the rows, weakest instruction set first.
fn columns<'a, T: PartialEq>(rows: impl IntoIterator<Item = &'a Figures>, of: impl Fn(&'a Figures) -> T) -> Vec<T> {
    let mut sorted: Vec<&Figures> = rows.into_iter().collect();
    // Intrinsics before assembly.
    sorted.sort_by(|a, b| rank(&a.isa).cmp(&rank(&b.isa)).then(b.form.cmp(&a.form)));
    let mut columns: Vec<T> = sorted.into_iter().map(of).collect();
    columns.dedup();
    columns
}

fn machine(record: &Record) -> String {
    let Machine { cpu, isas, gigahertz, hotloops, rustc } = &record.machine;
    format!("{cpu} ({isas}), {gigahertz:.2} GHz; hotloops {hotloops}, {rustc}")
}

pub fn text(record: &Record) -> String {
    let mut text = machine(record) + "\nCycles per element (minimum) and speed-up over the reference.";
    if record.rows.iter().any(|row| row.noisy) {
        text += " ~: noisy (quartiles more than 10 % apart, or the clock changed).";
    }
    let mut cpus: Vec<_> = record.rows.iter().filter_map(|row| row.bound_cpu.as_deref()).collect();
    cpus.sort_unstable();
    cpus.dedup();
    if !cpus.is_empty() {
        text += &format!("\n%: share of the bound stated in the assembly file, for {}.", cpus.join(", "));
    }
    text += "\n";
    for family in record.families() {
        let variants = columns(record.kernels_of(family).flatten(), Figures::variant);
        let words = variants.iter().map(|(isa, form)| format!("{isa} {form}"));
        let first = [family.to_owned(), "per".to_owned()];
        let mut table = output::table(&first.into_iter().chain(words).collect::<Vec<_>>());
        for kernel in record.kernels_of(family) {
            let cell = |variant: &(&str, &str)| {
                let Some(row) = kernel.iter().find(|row| row.variant() == *variant) else { return String::new() };
                let share = row.bound.map(|bound| format!(" {:3.0} %", 100.0 * bound / row.cycles));
                let ratio = (!row.is_reference()).then(|| format!(" {:>5}", times(row.ratio)));
                [mark(row), &cycles(row.cycles), &ratio.unwrap_or_default(), &share.unwrap_or_default()].concat()
            };
            let first = [kernel[0].name().to_owned(), kernel[0].element.clone()];
            table.add_row(first.into_iter().chain(variants.iter().map(cell)));
        }
        text += &format!("\n{}", output::lines(table, 2));
    }
    text
}

/// A table of kernels by instruction set; each cell shows the faster form.
pub fn markdown(record: &Record) -> String {
    let isas = columns(&record.rows, |row| row.isa.as_str());
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let head = ["cycles".to_owned(), "per".to_owned()];
    let mut text = line(head.into_iter().chain(isas.iter().map(|isa| (*isa).to_owned())).collect());
    text += &format!("|---|---|{}\n", "--:|".repeat(isas.len()));
    for kernel in record.kernels() {
        let best = |isa: &&str| {
            let rows = kernel.iter().filter(|row| row.isa == **isa);
            let Some(row) = rows.min_by(|a, b| a.cycles.total_cmp(&b.cycles)) else { return String::new() };
            let ratio = (!row.is_reference()).then(|| format!(" ({})", times(row.ratio)));
            [mark(row), &cycles(row.cycles), &ratio.unwrap_or_default()].concat()
        };
        let first = [format!("`{}`", kernel[0].kernel), kernel[0].element.clone()];
        text += &line(first.into_iter().chain(isas.iter().map(best)).collect());
    }
    text
}

/// Instruction sets by hue, weakest first; assembly in full colour.
fn colour(row: &Figures) -> RGBColor {
    const HUES: [(u8, u8, u8); 7] = [
        (0x88, 0x88, 0x88),
        (0x2b, 0x6c, 0xb0),
        (0xdd, 0x8a, 0x26),
        (0xb8, 0x3a, 0x3a),
        (0x2f, 0x85, 0x5a),
        (0x6b, 0x46, 0xc1),
        (0x0f, 0x76, 0x6e),
    ];
    let (r, g, b) = HUES[rank(&row.isa) % HUES.len()];
    let paler = |value: u8| if row.form == Form::Assembly.word() { value } else { 255 - (255 - value) / 2 };
    RGBColor(paler(r), paler(g), paler(b))
}

/// The speed-ups of a family.
pub fn picture(record: &Record, family: &str) -> Result<String, Failure> {
    let group = |rows: &[Figures]| {
        let bar = |row: &Figures| Bar {
            label: format!("{} {}", row.isa, row.form),
            length: row.ratio,
            value: format!("{}{}, {}", mark(row), times(row.ratio), cycles(row.cycles)),
            colour: colour(row),
        };
        let bars = rows.iter().filter(|row| !row.is_reference()).map(bar).collect();
        Group { name: rows[0].name().to_owned(), bars }
    };
    let groups = record.kernels_of(family).map(group).filter(|group| !group.bars.is_empty());
    let groups: Vec<Group> = groups.collect();
    let name = "times as fast as the scalar reference, on a logarithmic scale (beside the bars: cycles per element)";
    let heading = format!("{family}: speed-up over the scalar reference");
    bars::svg(&groups, name, &heading, &machine(record))
}
