//! `cargo xtask compare`.

use std::path::PathBuf;

use crate::Outcome;
use crate::record::Record;
use crate::tools;
use crate::tree::Tree;

/// Measure every variant, and name those that are slower than in a record
///
/// A variant is slower if its minimum of cycles per element exceeds that of the record by more than
/// the run's own spread (the distance of its quartiles over the median). Exit status 1 if there is
/// one.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  cargo xtask compare benches/record/epyc_zen3.csv")]
pub struct Arguments {
    /// What `hotloops bench --format csv` printed before, as in benches/record
    record: PathBuf,

    /// Compare FILE, printed by `hotloops bench --format csv`, instead of measuring for a minute
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,

    /// Compare with a record of another CPU too
    #[arg(long)]
    any_cpu: bool,
}

pub fn run(tree: &Tree, arguments: &Arguments) -> Outcome {
    let record = Record::read(&arguments.record)?;
    let run = match &arguments.with {
        Some(path) => Record::read(path)?,
        None => {
            eprintln!("measuring for about a minute");
            let mut bench = tools::cargo(tree);
            bench.args(["run", "--quiet", "--release", "--package", "hotloops-cli", "--", "bench", "--format", "csv"]);
            Record::parse(&tools::output(&mut bench)?, "hotloops bench")?
        }
    };
    let [then, now] = [&record.cpu, &run.cpu];
    if then != now && !arguments.any_cpu {
        return Err(format!("the record is of {then}, this run of {now}; --any-cpu compares them all the same"));
    }
    let (then, now) = (record.rows, run.rows);
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
    let apart = format!("not in both: {lost} of the record, {new} of the run");
    println!("{slower} of {compared} variants are slower than the record; {apart}");
    if compared == 0 {
        return Err("the two have no variant in common".to_owned());
    }
    Ok(slower == 0)
}
