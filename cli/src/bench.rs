//! `hotloops bench`: every kernel on every instruction set of this machine.

mod record;
mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use hotloops_bench_support::variants::{self, CASES, Case, Cell, Row};

use crate::failure::Failure;
use crate::job::progress;
use crate::memory;
use crate::output::{self, NewFile};
use record::Record;

/// Measure every kernel variant that this machine runs, in about a minute
///
/// Prints the minimum of cycles per element, because other load on a shared machine only adds to
/// it. The variants of a kernel are measured alternately, and the clock is calibrated before and
/// after. A figure is measured again at the end if its quartiles are more than 10 % apart or the
/// clock has changed; if it is still noisy it is marked `~`.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops bench hamming/tanimoto")]
pub struct Arguments {
    /// Measure only this FAMILY or FAMILY/KERNEL, as shown by `hotloops list` [default: all]
    only: Option<String>,

    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    format: Form,

    /// Write to FILE [default: standard output, `-`]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Plot to files in this folder. They are the speed-ups over the scalar reference, one file for each family
    #[arg(long, value_name = "DIR")]
    svg_dir: Option<PathBuf>,

    /// Show the figures in FILE, by --format csv, instead of measuring
    #[arg(long, value_name = "FILE", conflicts_with = "quick")]
    load: Option<PathBuf>,

    /// Measure for a few seconds only; figures are less accurate
    #[arg(long)]
    quick: bool,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Form {
    /// Tables to read
    #[default]
    Text,
    /// All figures as JSON
    Json,
    /// Comma-separated values, which --load reads
    Csv,
    /// A table of the best form for each kernel and instruction set
    Markdown,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let only = arguments.only.as_deref();
    let cases = chosen(only)?;
    let out = NewFile::or_standard_output("--out", arguments.out.as_deref())?;
    out.check_inputs("--out", arguments.load.as_deref().map(|path| ("--load", path)))?;
    let read = |path| memory::needed_for(&"the record", || Record::read(path, only));
    let record = arguments.load.as_deref().map(read).transpose()?;
    let families = record.as_ref().map_or_else(|| families(&cases), Record::families);
    let pictures = arguments.svg_dir.as_deref().map(|folder| pictures(folder, &families)).transpose()?;
    let total = Duration::from_secs(if arguments.quick { 2 } else { 60 });
    let record = record.unwrap_or_else(|| measure(&cases, total));
    for (family, file) in record.families().into_iter().zip(pictures.into_iter().flatten()) {
        file.write(report::picture(&record, family)?.as_bytes())?;
    }
    let text = match arguments.format {
        Form::Text => report::text(&record),
        Form::Json => serde_json::to_string_pretty(&record).expect("plain data") + "\n",
        Form::Csv => record.csv(),
        Form::Markdown => report::markdown(&record),
    };
    out.write(text.as_bytes())
}

/// The families of cases, in order, each once.
fn families(cases: &[&Case]) -> Vec<&'static str> {
    let mut families: Vec<_> = cases.iter().map(|case| case.kernel.name().0).collect();
    families.dedup();
    families
}

/// The cases of a family, or the single case of a kernel.
fn chosen(only: Option<&str>) -> Result<Vec<&'static Case>, Failure> {
    let Some(only) = only else { return Ok(CASES.iter().collect()) };
    let (family, kernel) = only.split_once('/').map_or((only, None), |(family, kernel)| (family, Some(kernel)));
    let of_family: Vec<&Case> = CASES.iter().filter(|case| case.kernel.name().0 == family).collect();
    if of_family.is_empty() {
        let families = families(&CASES.iter().collect::<Vec<_>>()).join(" ");
        return Err(Failure::Usage(format!("{only}: no family is called `{family}`; there are {families}")));
    }
    let Some(kernel) = kernel else { return Ok(of_family) };
    let names: Vec<_> = of_family.iter().map(|case| case.kernel.name().1).collect();
    match names.iter().position(|&name| name == kernel) {
        Some(index) => Ok(vec![of_family[index]]),
        None => {
            let names = names.join(" ");
            Err(Failure::Usage(format!("{only}: no kernel of `{family}` is called `{kernel}`; there are {names}")))
        }
    }
}

/// A file for each family.
fn pictures(folder: &Path, families: &[&str]) -> Result<Vec<NewFile>, Failure> {
    output::check_folder("--svg-dir ", folder)?;
    fs::create_dir_all(folder)
        .map_err(|error| Failure::Usage(format!("--svg-dir {}: {error}; choose another folder", folder.display())))?;
    families.iter().map(|family| NewFile::create("--svg-dir", &folder.join(family).with_extension("svg"))).collect()
}

/// Measures all cases in two thirds of `total`, then the noisy cells again in the last third.
fn measure(cases: &[&'static Case], total: Duration) -> Record {
    // Longer slots do not improve a figure.
    let slot = (total / 3 / cases.len() as u32).min(Duration::from_secs(1));
    let bar = progress::bar(2 * cases.len() as u64);
    let mut measured = Vec::new();
    for &case in cases {
        bar.set_message(case.name());
        let mut rows = case.rows();
        rows.reverse();
        let cells = variants::measure(rows.iter_mut().map(|row| &mut row.work), 2 * slot);
        measured.push((case, rows.into_iter().zip(cells).collect::<Vec<(Row, Cell)>>()));
        bar.inc(1);
    }
    for (case, rows) in &mut measured {
        bar.set_message(case.name());
        let noisy = rows.iter_mut().filter(|(_, cell)| cell.is_noisy());
        let (works, cells): (Vec<_>, Vec<_>) = noisy.map(|(row, cell)| (&mut row.work, cell)).unzip();
        if !works.is_empty() {
            for (cell, again) in cells.into_iter().zip(variants::measure(works, slot)) {
                if again.spread < cell.spread || !again.is_noisy() {
                    *cell = again;
                }
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Record::new(&measured)
}
