//! `cargo xtask compare`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::Outcome;
use crate::tools;
use crate::tree::Tree;

/// Measure every variant, and name those that are slower than in a record
///
/// A variant is slower if its minimum of cycles per element exceeds that of the record by more than
/// the run's own spread (the distance of its quartiles over the median). Exit status 1 if there is
/// one.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  cargo xtask compare benches/record/epyc_zen3.json")]
pub struct Arguments {
    /// What `hotloops bench --json` printed before, as in benches/record
    record: PathBuf,

    /// Compare FILE, printed by `hotloops bench --json`, instead of measuring for a minute
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,

    /// Compare with a record of another CPU too
    #[arg(long)]
    any_cpu: bool,
}

#[derive(Deserialize)]
struct Record {
    machine: Machine,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Machine {
    cpu: String,
}

#[derive(Deserialize)]
struct Row {
    kernel: String,
    isa: String,
    form: String,
    cycles: f64,
    spread: f64,
}

impl Record {
    fn parse(text: &str, of: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("{of}: not what `hotloops bench --json` prints: {error}"))
    }

    fn read(path: &Path) -> Result<Self, String> {
        let name = path.display().to_string();
        Self::parse(&fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?, &name)
    }

    fn by_name(&self) -> BTreeMap<String, &Row> {
        self.rows.iter().map(|row| (format!("{}/{}_{}", row.kernel, row.isa, row.form), row)).collect()
    }
}

pub fn run(tree: &Tree, arguments: &Arguments) -> Outcome {
    let record = Record::read(&arguments.record)?;
    let run = match &arguments.with {
        Some(path) => Record::read(path)?,
        None => {
            eprintln!("measuring for about a minute");
            let mut bench = tools::cargo(tree);
            bench.args(["run", "--quiet", "--release", "--package", "hotloops-cli", "--", "bench", "--json"]);
            Record::parse(&tools::output(&mut bench)?, "hotloops bench")?
        }
    };
    let [then, now] = [&record.machine.cpu, &run.machine.cpu];
    if then != now && !arguments.any_cpu {
        return Err(format!("the record is of {then}, this run of {now}; --any-cpu compares them all the same"));
    }
    let (then, now) = (record.by_name(), run.by_name());
    let (mut slower, mut compared) = (0, 0);
    for (name, row) in &now {
        let Some(old) = then.get(name) else { continue };
        compared += 1;
        let excess = row.cycles / old.cycles - 1.0;
        if excess > row.spread {
            slower += 1;
            let [excess, spread] = [excess, row.spread].map(|part| 100.0 * part);
            println!(
                "{name}: {} cycles, {} in the record: {excess:.1} % slower, spread {spread:.1} %",
                row.cycles, old.cycles
            );
        }
    }
    let [lost, new] = [then.len(), now.len()].map(|all| all - compared);
    println!(
        "{slower} of {compared} variants are slower than the record; not in both: {lost} of the record, {new} of the run"
    );
    if compared == 0 {
        return Err("the two have no variant in common".to_owned());
    }
    Ok(slower == 0)
}
