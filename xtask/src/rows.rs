//! `cargo xtask rows`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::Outcome;
use crate::record::Record;
use crate::tree::Tree;

/// What a row has to gain over another one to be worth its place.
const GAIN: f64 = 1.05;

/// Rows that may lose, and kernels whose choice may: a name and the reason in each line.
const EXCEPTIONS: &str = "tests/house/rows.txt";

/// Name the rows that the records show to lose
///
/// Prints assembly that is on no recorded CPU 5 % faster than the intrinsics of its instruction set, with the
/// greatest gain; vector rows that are on no recorded CPU 5 % faster than a row of a weaker instruction set; and, for
/// each record, kernels that have a row 5 % faster than the one that a call runs. CPUs with a fact that skips a row do
/// not count for it. Cycles are the minima of the records. Rows without a record are counted. Exit status 1 if a row
/// loses that tests/house/rows.txt does not list, or if none of a listed name does.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  cargo xtask rows benches/record/*.csv")]
pub struct Arguments {
    /// What `hotloops bench --format csv` printed on each CPU
    #[arg(required = true)]
    records: Vec<PathBuf>,
}

struct Row {
    /// `avx2_assembly`.
    name: String,
    /// In each record.
    cycles: Vec<Option<f64>>,
    /// Whether a call skips it, on the CPU of each record.
    skipped: Vec<bool>,
}

/// A kernel with its rows, best first as declared.
struct Table {
    name: String,
    rows: Vec<Row>,
}

impl Row {
    fn isa(&self) -> &str {
        self.name.split('_').next().unwrap_or_default()
    }

    /// The greatest gain over the fastest of the `others`, over all CPUs that have it and one of them.
    fn gain<'a>(&self, others: impl Iterator<Item = &'a Row> + Clone) -> Option<f64> {
        let gains = self.cycles.iter().enumerate().filter(|(cpu, _)| !self.skipped[*cpu]).filter_map(|(cpu, own)| {
            let other = others.clone().filter_map(|row| row.cycles[cpu]).min_by(f64::total_cmp)?;
            Some(other / (*own)?)
        });
        gains.max_by(f64::total_cmp)
    }
}

impl Table {
    /// Assembly beside intrinsics of the same instruction set.
    fn pairs(&self) -> impl Iterator<Item = (&str, Option<f64>)> {
        self.rows.windows(2).filter_map(|pair| {
            let [own, other] = pair else { return None };
            let isa = own.name.strip_suffix("_assembly")?;
            let is_pair = other.name.strip_suffix("_intrinsics")? == isa;
            is_pair.then(|| (own.name.as_str(), own.gain([other].into_iter())))
        })
    }

    /// Each instruction set but the last beside those that it includes.
    fn levels(&self, tree: &Tree) -> Result<Vec<(&str, Option<f64>)>, String> {
        let groups: Vec<_> = self.rows.chunk_by(|a, b| a.isa() == b.isa()).collect();
        let mut levels = Vec::new();
        for (index, group) in groups.iter().enumerate().take(groups.len() - 1) {
            let included = tree.included(group[0].isa())?;
            let weaker = groups[index + 1..].iter().copied().flatten();
            let weaker = weaker.filter(|row| included.iter().any(|word| word == row.isa()));
            let gains = group.iter().filter_map(|row| row.gain(weaker.clone()));
            levels.push((group[0].isa(), gains.max_by(f64::total_cmp)));
        }
        Ok(levels)
    }

    /// The row that a call runs on a CPU and the fastest one, if it gains over it.
    fn behind(&self, cpu: usize) -> Option<(&str, &str, f64)> {
        let measured = || self.rows.iter().filter_map(|row| Some((row, row.cycles[cpu]?)));
        let (chosen, cycles) = measured().find(|(row, _)| !row.skipped[cpu])?;
        let (best, least) = measured().min_by(|a, b| a.1.total_cmp(&b.1))?;
        (cycles > GAIN * least).then_some((&chosen.name, &best.name, cycles / least))
    }
}

fn tables(tree: &Tree, records: &[Record]) -> Result<Vec<Table>, String> {
    let mut tables = Vec::new();
    for (family, kernels) in tree.families()? {
        for kernel in kernels {
            let name = format!("{family}/{kernel}");
            let rows = tree.rows(&family, &kernel)?.into_iter().map(|(row, fact)| {
                let key = format!("{name}/{row}");
                let cycles = records.iter().map(|record| record.rows.get(&key).map(|row| row.cycles));
                let skipped = records.iter().map(|record| fact.as_ref().is_some_and(|fact| record.holds(fact)));
                Row { name: row, cycles: cycles.collect(), skipped: skipped.collect() }
            });
            let rows = rows.collect();
            tables.push(Table { name, rows });
        }
    }
    Ok(tables)
}

/// The names that [`EXCEPTIONS`] lists.
fn exceptions(tree: &Tree) -> Result<BTreeMap<String, usize>, String> {
    let text = tree.read(EXCEPTIONS)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.is_empty());
    let named = lines.map(|(at, line)| match line.split_once(": ") {
        Some((name, reason)) if !reason.trim().is_empty() => Ok((name.to_owned(), at + 1)),
        _ => Err(format!("{EXCEPTIONS}: line {}: must be `NAME: REASON`", at + 1)),
    });
    named.collect()
}

pub fn run(tree: &Tree, arguments: &Arguments) -> Outcome {
    let records: Vec<_> = arguments.records.iter().map(|path| Record::read(path)).collect::<Result<_, _>>()?;
    let (tables, exceptions) = (tables(tree, &records)?, exceptions(tree)?);
    let (mut lost, mut unknown, mut excused) = (0, 0, BTreeSet::new());
    let mut lose = |name: &str, text: String| match exceptions.contains_key(name) {
        true => drop(excused.insert(name.to_owned())),
        false => {
            lost += 1;
            println!("{text}");
        }
    };
    for table in &tables {
        let pairs = table.pairs().map(|(row, gain)| (row, gain, "intrinsics"));
        let levels = table.levels(tree)?.into_iter().map(|(isa, gain)| (isa, gain, "a weaker instruction set"));
        for (row, gain, over) in pairs.chain(levels) {
            let name = format!("{}/{row}", table.name);
            match gain {
                Some(gain) if gain < GAIN => lose(&name, format!("{name}: {gain:.2} times {over} at best")),
                Some(_) => {}
                None => unknown += 1,
            }
        }
    }
    for (cpu, record) in records.iter().enumerate() {
        let behind: Vec<_> = tables.iter().filter_map(|table| Some((&table.name, table.behind(cpu)?))).collect();
        for (name, (chosen, best, ratio)) in &behind {
            let cpu = &record.cpu;
            lose(name, format!("{name}: a call runs {chosen}; {best} is {ratio:.2} times as fast on {cpu}"));
        }
        println!("{}: {} of {} kernels have a faster row", record.cpu, behind.len(), tables.len());
    }
    let stale: Vec<_> = exceptions.iter().filter(|(name, _)| !excused.contains(*name)).collect();
    for (name, line) in &stale {
        println!("{EXCEPTIONS}: line {line}: {name} does not lose; remove the line");
    }
    println!("{lost} rows and choices lose, {} are excused; {unknown} comparisons have no record", excused.len());
    Ok(lost == 0 && stale.is_empty())
}
