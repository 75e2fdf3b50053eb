//! `hotloops hardround merge`, `verify` and `compare`: files of cases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hotloops_hardround::Outside;

use super::io::{about, reserve, write};
use super::judge::Judge;
use super::table::{self, Table};
use crate::failure::Failure;
use crate::input;
use crate::output::{NewFile, print};

fn read(path: &Path) -> Result<String, Failure> {
    input::text(path).map_err(|why| Failure::Input(format!("{}: {why}", path.display())))
}

fn parse(path: &Path, text: &str) -> Result<Table, Failure> {
    Table::parse(text).map_err(|failure| about(&path.display(), failure))
}

pub fn merge(files: &[PathBuf], out: Option<&Path>, judge: Judge) -> Result<(), Failure> {
    judge.check()?;
    let out = NewFile::or_standard_output("--out", out)?;
    let inputs: Vec<_> = files.iter().map(|path| (path.display().to_string(), path.as_path())).collect();
    out.check_inputs("--out", inputs.iter().map(|(name, path)| (name.as_str(), *path)))?;
    let mut parts = Vec::new();
    for path in files {
        parts.push((path, parse(path, &read(path)?)?));
    }
    parts.sort_by_key(|(_, part)| (part.units.start, part.units.end));
    let (mut path, mut whole) = parts.remove(0);
    let gap =
        |from: u64, to: u64| Failure::Input(format!("units {from} to {to} of the search are in none of the files"));
    if whole.units.start > 0 {
        return Err(gap(0, whole.units.start));
    }
    for (next, part) in parts {
        let pair = format!("{} and {}", path.display(), next.display());
        if let Some(name) = whole.differs(&part) {
            return Err(Failure::Input(format!(
                "{pair}: different searches: {name} differs; merge files of one search"
            )));
        }
        if part.units.start < whole.units.end {
            return Err(Failure::Input(format!("{pair}: both contain unit {} of the search", part.units.start)));
        }
        if part.units.start > whole.units.end {
            return Err(gap(whole.units.end, part.units.start));
        }
        whole.units.end = part.units.end;
        whole.found.extend(&part.found)?;
        path = next;
    }
    if whole.units.end < whole.plan.units() {
        return Err(gap(whole.units.end, whole.plan.units()));
    }
    whole.found.sort(|index| whole.plan.begins_segment(index));
    whole.verdict = judge.verdict(&whole, false)?;
    write(&out, |out| whole.write(out, false).map(|_| ()))
}

pub fn verify(path: &Path, judge: Judge) -> Result<(), Failure> {
    judge.check()?;
    let text = read(path)?;
    let table = parse(path, &text)?;
    let wrong = |why: String| Err(Failure::Job(format!("{}: {why}", path.display())));
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let at = format!("line {}", number + 1);
        let Some(index) = table::argument(line).and_then(|x| table.plan.index(x)) else {
            return wrong(format!("{at}: is not an argument of the search"));
        };
        if !table.plan.range(&table.units).contains(&index) {
            return wrong(format!("{at}: is outside the units of this file"));
        }
        let judged = judge.judge(&table.plan, index)?;
        if table::line(&judged) != line {
            return wrong(format!("{at}: by {judge}, should be {}", table::line(&judged)));
        }
        if judged.exact || judged.distance_ulp.abs() >= table.plan.problem.within {
            return wrong(format!("{at}: is not a case within the bound"));
        }
    }
    let sampled = judge.sample(&table).map_err(|failure| about(&path.display(), failure))?;
    let streams = match table.found.streams.len() {
        0 => String::new(),
        count => format!(", {count} streams verified at {sampled} arguments"),
    };
    let chance = table.chance().map_or(String::new(), |(text, _)| format!(", {text}"));
    print(&format!("{} cases verified by {judge}{streams}{chance}\n", table.found.cases.len()))
}

/// A list of known cases, such as the `.wc` files of CORE-MATH: the cases that a table's search covers,
/// as ascending numbers, and the number of other lines.
pub struct List {
    pub cases: Vec<u64>,
    /// Infinities and NaN.
    pub special: usize,
    /// Arguments that the search does not cover, by the reason.
    pub outside: BTreeMap<&'static str, usize>,
    pub easier: usize,
}

/// Whether a word names infinity or NaN.
fn is_special(word: &str) -> bool {
    let name = word.trim_start_matches(['+', '-']).to_ascii_lowercase();
    ["inf", "infinity", "nan", "snan", "qnan"].contains(&name.as_str())
}

fn reason(outside: Outside) -> &'static str {
    match outside {
        Outside::Format => "not in the format",
        Outside::TooSmall => "too close to zero",
        Outside::Domain => "outside the function's range here",
        Outside::Interval => "outside the interval",
        Outside::Overflow => "with overflow",
        Outside::Underflow => "with underflow",
    }
}

impl List {
    pub fn parse(text: &str, table: &Table) -> Result<Self, Failure> {
        let (plan, range) = (&table.plan, table.plan.range(&table.units));
        let mut list = List { cases: Vec::new(), special: 0, outside: BTreeMap::new(), easier: 0 };
        for (number, line) in text.lines().enumerate() {
            let Some(word) = line.split_whitespace().next().filter(|word| !word.starts_with('#')) else { continue };
            if is_special(word) {
                list.special += 1;
                continue;
            }
            // Some lists append a comma or a tag such as ",EDOM", or write integers without an exponent.
            let tagged = word.split_once(',').filter(|(_, tag)| tag.bytes().all(|byte| byte.is_ascii_alphabetic()));
            let digits = tagged.map_or(word, |(digits, _)| digits);
            let exponent = if digits.contains("0x") && !digits.contains(['p', 'P']) { "p0" } else { "" };
            let Some(x) = table::argument(&format!("{digits}{exponent}")) else {
                let why = format!("line {}: {word} is not a hexadecimal number such as 0x1.8p+0", number + 1);
                return Err(Failure::Input(why));
            };
            match plan.index(x) {
                None => *list.outside.entry(reason(plan.outside(x))).or_default() += 1,
                Some(index) if !range.contains(&index) => *list.outside.entry("in other units").or_default() += 1,
                Some(index) if !plan.is_found(index)? || plan.is_exact(index) => list.easier += 1,
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

pub fn compare(path: &Path, list: &Path) -> Result<(), Failure> {
    let table = parse(path, &read(path)?)?;
    let List { cases, special, outside, easier } =
        List::parse(&read(list)?, &table).map_err(|failure| about(&list.display(), failure))?;
    let found = &table.found;
    let is_in_stream = |index: u64| found.streams.iter().any(|stream| stream.contains(&index));
    let missing = only_in(&cases, &found.cases).filter(|&index| !is_in_stream(index));
    let new = only_in(&found.cases, &cases);
    let outside_count: usize = outside.values().sum();
    let reasons: Vec<String> = outside.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
    let streamed = found.count() - found.cases.len() as u64;
    let streams = if streamed == 0 { String::new() } else { format!(", {streamed} in streams of the file") };
    let [lacking, beyond] = [missing.clone().count(), new.clone().count()];
    write(&NewFile::or_standard_output("the report", None)?, |out| {
        let each = |(what, index): (&str, u64)| writeln!(out, "{what}\t{}", table::line(&table.plan.judge(index)));
        missing.map(|index| ("missing", index)).chain(new.map(|index| ("new", index))).try_for_each(each)?;
        writeln!(
            out,
            "{} cases in both, {lacking} missing in the file, {beyond} new in the file{streams}; of the list, \
             {outside_count} are outside the search{reasons}, {easier} outside its bound and {special} not finite",
            cases.len() - lacking
        )
    })?;
    match lacking + beyond {
        0 => Ok(()),
        _ => Err(Failure::Job("the file and the list differ".to_owned())),
    }
}
