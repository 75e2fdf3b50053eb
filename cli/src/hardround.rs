//! `hotloops hardround`: hard-to-round cases of elementary functions.
//!
//! ```text
//! function, interval, grid  ->  segments       segment.rs   arguments of one step, results of one ulp, no inflection
//! segments                  ->  units of work  plan.rs      numbered, so that threads, shards and files share them
//! unit                      ->  cases          search.rs    Taylor series, blocks, a search of them, judgement
//! block                     ->  arguments      three_phase.rs   as older programs find them, by tests of lines
//! units                     ->  ranks of MPI   cluster.rs   with the feature `mpi`
//! units                     ->  their number   chance.rs    of cases, by chance
//! units done                ->  a file         journal.rs   so that a search that was stopped goes on
//! cases                     ->  lines          table.rs     and back
//! segment, argument         ->  judgement      judge.rs     result, breakpoint and distance, whatever precision it takes
//! values and derivatives                       function.rs  on numbers of fixed point, fixed.rs
//! ```

mod chance;
#[cfg(feature = "mpi")]
mod cluster;
#[cfg(test)]
mod counts;
mod fixed;
mod function;
mod journal;
mod judge;
#[cfg(test)]
mod mutations;
mod plan;
mod search;
mod segment;
mod table;
#[cfg(test)]
mod tests;
mod three_phase;

use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Subcommand;
use sha2::{Digest, Sha256};

use crate::failure::Failure;
use crate::input;
use crate::output::{NewFile, print};
use function::Dyadic;
use table::Table;

/// Search hard-to-round cases of elementary functions: arguments whose results are very close to a rounding breakpoint
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops hardround search --func exp --from 1 --to 0x1.001p0 --within 0x1p-38")]
pub struct Arguments {
    #[command(subcommand)]
    job: Job,
}

#[derive(Subcommand)]
enum Job {
    Search(search::Arguments),
    /// Join the files of all shards of a search; refuses gaps and overlaps, so the result is complete
    #[command(after_help = "Example:\n  hotloops hardround merge part1.tsv part2.tsv --out all.tsv")]
    Merge {
        /// Files of `search --shard`, in any order
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Write to FILE instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Recompute each case of a file at high precision and check its line
    #[command(after_help = "Example:\n  hotloops hardround verify all.tsv")]
    Verify {
        /// A file of `search` or `merge`
        file: PathBuf,
    },
    /// Compare a file with a list of known cases and report what is missing on either side
    #[command(after_help = "Example:\n  hotloops hardround compare exp.tsv exp.wc")]
    Compare {
        /// A file of `search` or `merge`
        file: PathBuf,
        /// List of hexadecimal arguments, the first word of each line; those outside the search are ignored
        list: PathBuf,
    },
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.job {
        Job::Search(arguments) => search::run(arguments),
        Job::Merge { files, out } => merge(files, out.as_deref()),
        Job::Verify { file } => verify(file),
        Job::Compare { file, list } => compare(file, list),
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    input::text(path).map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))
}

/// The failure to read a file.
fn unread(name: &dyn Display, error: io::Error) -> Failure {
    let why = format!("{name}: {error}");
    if error.kind() == io::ErrorKind::OutOfMemory { Failure::Job(why) } else { Failure::Usage(why) }
}

/// A failure with the name of the file that it is about.
fn about(name: &dyn Display, failure: Failure) -> Failure {
    match failure {
        Failure::Usage(why) => Failure::Usage(format!("{name}: {why}")),
        Failure::Job(why) => Failure::Job(format!("{name}: {why}")),
        Failure::Unread => Failure::Unread,
    }
}

fn parse(path: &Path, text: &str) -> Result<Table, Failure> {
    Table::parse(text).map_err(|failure| about(&path.display(), failure))
}

/// Makes room for `more` values.
fn reserve<T>(values: &mut Vec<T>, more: usize) -> Result<(), Failure> {
    Ok(values.try_reserve(more).map_err(|_| hotloops::Error::NoMemory)?)
}

/// Writes to the file, or to standard output.
fn write<T>(out: Option<NewFile>, content: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure> {
    let mut result = None;
    let content = |to: &mut dyn Write| {
        result = Some(content(to)?);
        Ok(())
    };
    match out {
        Some(file) => file.write_with(content)?,
        None => {
            let mut stdout = BufWriter::new(io::stdout().lock());
            content(&mut stdout)?;
            stdout.flush()?;
        }
    }
    Ok(result.expect("written"))
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn merge(files: &[PathBuf], out: Option<&Path>) -> Result<(), Failure> {
    let out = out.map(|path| NewFile::create("--out", path)).transpose()?;
    let mut parts = Vec::new();
    for path in files {
        parts.push((path, parse(path, &read(path)?)?));
    }
    parts.sort_by_key(|(_, part)| (part.units.start, part.units.end));
    let (mut path, mut whole) = parts.remove(0);
    let gap = |from: u64, to: u64| Failure::Usage(format!("units {from} to {to} of the search are in no file"));
    if whole.units.start > 0 {
        return Err(gap(0, whole.units.start));
    }
    for (next, part) in parts {
        let pair = format!("{} and {}", path.display(), next.display());
        if let Some(name) = whole.differs(&part) {
            return Err(Failure::Usage(format!("{pair}: different searches: not the same {name}")));
        }
        if part.units.start < whole.units.end {
            return Err(Failure::Usage(format!("{pair}: both hold unit {} of the search", part.units.start)));
        }
        if part.units.start > whole.units.end {
            return Err(gap(whole.units.end, part.units.start));
        }
        whole.units.end = part.units.end;
        reserve(&mut whole.cases, part.cases.len())?;
        whole.cases.extend(part.cases);
        reserve(&mut whole.exact, part.exact.len())?;
        whole.exact.extend(part.exact);
        path = next;
    }
    if whole.units.end < whole.plan.units() {
        return Err(gap(whole.units.end, whole.plan.units()));
    }
    write(out, |out| whole.write(out).map(|_| ()))
}

fn verify(path: &Path) -> Result<(), Failure> {
    let text = read(path)?;
    let table = parse(path, &text)?;
    let wrong = |why: String| Err(Failure::Job(format!("{}: {why}", path.display())));
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let at = format!("line {}", number + 1);
        let Some(index) = table::argument(line).and_then(|x| table.plan.index(x)) else {
            return wrong(format!("{at}: is no argument of the search"));
        };
        if !table.plan.range(&table.units).contains(&index) {
            return wrong(format!("{at}: is outside of the units of this file"));
        }
        let judged = table.plan.judge(index);
        if table::line(&judged) != line {
            return wrong(format!("{at}: should be {}", table::line(&judged)));
        }
        if judged.exact || judged.distance_ulp.abs() >= table.plan.problem.bound() {
            return wrong(format!("{at}: is no case within the bound"));
        }
    }
    let chance = table.chance().map_or(String::new(), |(text, _)| format!(", {text}"));
    print(&format!("{} cases verified{chance}\n", table.cases.len()))
}

/// The numbers of the arguments of a list that are cases of a table's search, ascending, and how many lines hold others.
struct List {
    cases: Vec<u64>,
    outside: usize,
    easier: usize,
}

impl List {
    fn parse(text: &str, table: &Table) -> Result<Self, Failure> {
        let (plan, range) = (&table.plan, table.plan.range(&table.units));
        let mut list = List { cases: Vec::new(), outside: 0, easier: 0 };
        for (number, line) in text.lines().enumerate() {
            let Some(word) = line.split_whitespace().next().filter(|word| !word.starts_with('#')) else { continue };
            let Some(x) = table::argument(word) else {
                let why = format!("line {}: {word} is no number in hexadecimal, as 0x1.8p+0 is", number + 1);
                return Err(Failure::Usage(why));
            };
            match plan.index(x).filter(|index| range.contains(index)) {
                None => list.outside += 1,
                Some(index) if !plan.is_found(index) || plan.is_exact(index) => list.easier += 1,
                Some(index) => {
                    reserve(&mut list.cases, 1)?;
                    list.cases.push(index);
                }
            }
        }
        list.cases.sort_unstable();
        list.cases.dedup();
        Ok(list)
    }
}

/// The numbers that are only in the first of two ascending sequences.
fn only_in<'a>(one: &'a [u64], other: &'a [u64]) -> impl Iterator<Item = u64> + Clone + use<'a> {
    one.iter().copied().filter(|number| other.binary_search(number).is_err())
}

fn compare(path: &Path, list: &Path) -> Result<(), Failure> {
    let table = parse(path, &read(path)?)?;
    let List { cases, outside, easier } =
        List::parse(&read(list)?, &table).map_err(|failure| about(&list.display(), failure))?;
    let (missing, new) = (only_in(&cases, &table.cases), only_in(&table.cases, &cases));
    let [lacking, beyond] = [missing.clone(), new.clone()].map(Iterator::count);
    write(None, |out| {
        let each = |(what, index): (&str, u64)| writeln!(out, "{what}\t{}", table::line(&table.plan.judge(index)));
        missing.map(|index| ("missing", index)).chain(new.map(|index| ("new", index))).try_for_each(each)?;
        writeln!(
            out,
            "{} cases in both, {lacking} of the list missing in the file, {beyond} new in the file; of the list, {outside} \
             are outside of the search and {easier} no cases within its bound",
            cases.len() - lacking
        )
    })?;
    match lacking + beyond {
        0 => Ok(()),
        _ => Err(Failure::Job("the file and the list differ".to_owned())),
    }
}

/// A binary64 number in hexadecimal or decimal, exactly.
fn number(word: &str) -> Result<f64, String> {
    let lower = word.to_ascii_lowercase();
    let parsed = match lower.contains("0x") {
        true => hexf_parse::parse_hexf64(&lower, false).map_err(|error| error.to_string()),
        false => lower.parse().map_err(|_| "is no number".to_owned()),
    };
    let finite = parsed.and_then(|x| if f64::is_finite(x) { Ok(x) } else { Err("is not finite".to_owned()) });
    finite.map_err(|why| format!("{why}; expected a number as 0x1.8p+0 or 1.5"))
}

/// Arguments as they are written.
fn dyadic(word: &str) -> Option<Dyadic> {
    number(word).ok().map(Dyadic::of)
}
