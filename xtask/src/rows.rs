//! `cargo xtask rows`.

use std::path::PathBuf;

use crate::Outcome;
use crate::record::{Record, Row};
use crate::tree::Tree;

/// What a row has to gain over another one to be worth its place.
const GAIN: f64 = 1.05;

/// Name the rows that the records show to lose
///
/// Prints assembly that is on no recorded CPU 5 % faster than the intrinsics of its instruction set, with the
/// greatest gain; vector rows that are on no recorded CPU 5 % faster than a row of a weaker instruction set; and, for
/// each record, kernels that have a row 5 % faster than the one that a call runs. Cycles are the minima of the
/// records. Rows without a record are counted. Exit status 1 if a row loses.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  cargo xtask rows benches/record/*.csv")]
pub struct Arguments {
    /// What `hotloops bench --format csv` printed on each CPU
    #[arg(required = true)]
    records: Vec<PathBuf>,
}

/// A kernel with its rows, best first as declared, and their cycles in each record.
struct Table {
    name: String,
    rows: Vec<(String, Vec<Option<f64>>)>,
}

fn isa(row: &(String, Vec<Option<f64>>)) -> &str {
    row.0.split('_').next().unwrap_or_default()
}

impl Table {
    /// The greatest gain over the fastest of the `others`, over all CPUs that have it and one of them.
    fn gain(&self, cycles: &[Option<f64>], others: &[&Vec<Option<f64>>]) -> Option<f64> {
        let gains = cycles.iter().enumerate().filter_map(|(cpu, own)| {
            let other = others.iter().filter_map(|cycles| cycles[cpu]).min_by(f64::total_cmp)?;
            Some(other / (*own)?)
        });
        gains.max_by(f64::total_cmp)
    }

    /// Assembly beside intrinsics of the same instruction set.
    fn pairs(&self) -> impl Iterator<Item = (&str, Option<f64>)> {
        self.rows.windows(2).filter_map(|pair| {
            let [(name, own), (other, cycles)] = pair else { return None };
            let isa = name.strip_suffix("_assembly")?;
            (other.strip_suffix("_intrinsics")? == isa).then(|| (name.as_str(), self.gain(own, &[cycles])))
        })
    }

    /// Each instruction set but the last beside those that it includes.
    fn levels(&self, tree: &Tree) -> Result<Vec<(&str, Option<f64>)>, String> {
        let groups: Vec<_> = self.rows.chunk_by(|a, b| isa(a) == isa(b)).collect();
        let mut levels = Vec::new();
        for (index, group) in groups.iter().enumerate().take(groups.len() - 1) {
            let included = tree.included(isa(&group[0]))?;
            let weaker =
                groups[index + 1..].iter().filter(|weaker| included.iter().any(|word| word == isa(&weaker[0])));
            let weaker: Vec<_> = weaker.copied().flatten().map(|(_, cycles)| cycles).collect();
            let gains = group.iter().filter_map(|(_, cycles)| self.gain(cycles, &weaker));
            levels.push((isa(&group[0]), gains.max_by(f64::total_cmp)));
        }
        Ok(levels)
    }

    /// The row that a call runs on a CPU and the fastest one, if it gains over it.
    fn behind(&self, cpu: usize) -> Option<(&str, &str, f64)> {
        let measured = || self.rows.iter().filter_map(|(name, cycles)| Some((name.as_str(), cycles[cpu]?)));
        let (chosen, cycles) = measured().next()?;
        let (best, least) = measured().min_by(|a, b| a.1.total_cmp(&b.1))?;
        (cycles > GAIN * least).then_some((chosen, best, cycles / least))
    }
}

fn tables(tree: &Tree, records: &[Record]) -> Result<Vec<Table>, String> {
    let mut tables = Vec::new();
    for (family, kernels) in tree.families()? {
        for kernel in kernels {
            let name = format!("{family}/{kernel}");
            let rows = tree.rows(&family, &kernel)?.into_iter().map(|row| {
                let key = format!("{name}/{row}");
                let cycles = records.iter().map(|record| record.rows.get(&key).map(|row: &Row| row.cycles));
                (row, cycles.collect())
            });
            let rows = rows.collect();
            tables.push(Table { name, rows });
        }
    }
    Ok(tables)
}

pub fn run(tree: &Tree, arguments: &Arguments) -> Outcome {
    let records: Vec<_> = arguments.records.iter().map(|path| Record::read(path)).collect::<Result<_, _>>()?;
    let tables = tables(tree, &records)?;
    let (mut lost, mut unknown) = (0, 0);
    let mut judge = |name: &str, row: &str, gain: Option<f64>, over: &str| match gain {
        Some(gain) if gain < GAIN => {
            lost += 1;
            println!("{name}/{row}: {gain:.2} times {over} at best");
        }
        Some(_) => {}
        None => unknown += 1,
    };
    for table in &tables {
        table.pairs().for_each(|(row, gain)| judge(&table.name, row, gain, "intrinsics"));
        for (isa, gain) in table.levels(tree)? {
            judge(&table.name, isa, gain, "a weaker instruction set");
        }
    }
    for (cpu, record) in records.iter().enumerate() {
        let behind: Vec<_> = tables.iter().filter_map(|table| Some((table, table.behind(cpu)?))).collect();
        for (table, (chosen, best, ratio)) in &behind {
            println!("{}: a call runs {chosen}; {best} is {ratio:.2} times as fast on {}", table.name, record.cpu);
        }
        lost += behind.len();
        println!("{}: {} of {} kernels have a faster row", record.cpu, behind.len(), tables.len());
    }
    println!("{lost} rows and choices lose; {unknown} comparisons have no record");
    Ok(lost == 0)
}
