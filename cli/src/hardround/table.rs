//! Cases as lines, and back.

use std::io::{self, Write};
use std::iter;
use std::ops::Range;

use hotloops_hardround::{Class, Dyadic, Found, Judged};
use sha2::{Digest, Sha256};

use super::io::{NamedPlan, dyadic, hexadecimal, reserve};
use super::problem;
use crate::failure::Failure;

/// The beginning of the header's last line; the SHA-256 of the lines above follows.
const CHECK: &str = "# check\t";

/// The cases of some units of a search.
pub struct Table {
    pub plan: NamedPlan,
    pub units: Range<u64>,
    pub found: Found,
    /// The verdict of another judge, for the header.
    pub verdict: Option<String>,
}

/// The line of a case: the argument, the result rounded to nearest, identical bits after the
/// rounding bit, the kind of breakpoint, the side of the result, and its distance in ulps.
pub fn line(case: &Judged) -> String {
    let class = match case.class {
        Class::Midpoint => "mid",
        Class::Representable => "rep",
    };
    let (sign, result) = (if case.above { '+' } else { '-' }, case.nearest);
    format!("{}\t{result}\t{:.3}\t{class}\t{sign}\t{:+.6e}", case.x, case.bits_after_round, case.distance_ulp)
}

/// A stream: the first and the last argument, their number, and the results rounded to nearest and
/// their distances at both ends.
pub fn stream(plan: &NamedPlan, stream: &Range<u64>) -> String {
    let [first, last] = [stream.start, stream.end - 1].map(|index| plan.judge(index));
    let count = stream.end - stream.start;
    let [near, far] = [first, last].map(|case| format!("{}\t{:+.6e}", case.nearest, case.distance_ulp));
    format!("{}\t{}\t{count}\t{near}\t{far}", first.x, last.x)
}

/// The argument at the beginning of a line.
pub fn argument(line: &str) -> Option<Dyadic> {
    dyadic(line.split_whitespace().next()?)
}

impl Table {
    pub fn new(plan: NamedPlan, units: Range<u64>, found: Found) -> Self {
        Table { plan, units, found, verdict: None }
    }

    /// The indices of the cases that have lines, ascending: without streams or, with `every`, all.
    pub fn indices(&self, every: bool) -> impl Iterator<Item = u64> + '_ {
        let mut cases = self.found.cases.iter().copied().peekable();
        let streams: &[_] = if every { &self.found.streams } else { &[] };
        let mut streams = streams.iter().cloned().flatten().peekable();
        iter::from_fn(move || match (cases.peek(), streams.peek()) {
            (Some(case), Some(next)) if next < case => streams.next(),
            (None, _) => streams.next(),
            _ => cases.next(),
        })
    }

    fn arguments(&self) -> u64 {
        let range = self.plan.range(&self.units);
        range.end - range.start
    }

    /// Compares the number of cases with its expectation: a text, and the deviation in standard
    /// deviations. `None` where results do not behave like random numbers.
    pub fn chance(&self) -> Option<(String, f64)> {
        let (found, expected) = self.plan.chance(&self.units, &self.found.cases)?;
        let z = (found as f64 - expected) / expected.sqrt().max(1.0);
        let of = if found as u64 == self.found.count() { String::new() } else { format!("{found} of them where ") };
        Some((format!("{of}{expected:.1} expected by chance, {z:+.2} standard deviations"), z))
    }

    /// The name of the first header line that differs.
    pub fn differs(&self, other: &Table) -> Option<&'static str> {
        let (ours, theirs) = (problem::lines(&self.plan.problem), problem::lines(&other.plan.problem));
        ours.iter().zip(theirs).find(|(ours, theirs)| *ours != theirs).map(|(ours, _)| ours.0)
    }

    /// The SHA-256 of the lines.
    fn hash(&self, every: bool) -> String {
        let mut hasher = Sha256::new();
        self.indices(every).for_each(|index| hasher.update(line(&self.plan.judge(index)) + "\n"));
        hexadecimal(hasher)
    }

    /// Writes the whole file and returns the hash of its lines. Streams are lines of the header or, with
    /// `every`, lines of their cases.
    pub fn write(&self, out: &mut dyn Write, every: bool) -> io::Result<String> {
        let mut head = format!("# hotloops hardround {}\n", env!("CARGO_PKG_VERSION"));
        let mut put = |name: &str, value: &str| head += &format!("# {name}\t{value}\n");
        problem::lines(&self.plan.problem).iter().for_each(|(name, value)| put(name, value));
        put("units", &format!("{}..{} of {}", self.units.start, self.units.end, self.plan.units()));
        put("arguments", &self.arguments().to_string());
        put("cases", &self.found.count().to_string());
        put("chance", &self.chance().map_or("no estimate: results are not random here".to_owned(), |(text, _)| text));
        put("self-check", &format!("{} units, 0 differences", self.plan.checked(&self.units).max(1)));
        if let Some(verdict) = &self.verdict {
            put("judge", verdict);
        }
        if !every {
            self.found.streams.iter().for_each(|range| put("all", &stream(&self.plan, range)));
        }
        put("exact cases", &self.found.exact_count.to_string());
        self.found.exact.iter().for_each(|&index| put("exact", &self.plan.judge(index).x.to_string()));
        let hash = self.hash(every);
        put("sha256", &hash);
        put("columns", "x, f(x) to nearest, identical bits, breakpoint, side, distance in ulps");
        let check = hexadecimal(Sha256::new_with_prefix(&head));
        writeln!(out, "{head}{CHECK}{check}")?;
        self.indices(every).try_for_each(|index| writeln!(out, "{}", line(&self.plan.judge(index))))?;
        Ok(hash)
    }

    /// Parses a file that [`Table::write`] wrote.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let wrong = |why: &str| Failure::Input(why.to_owned());
        if !text.starts_with("# hotloops hardround ") {
            return Err(wrong("is not a file of `hotloops hardround search`"));
        }
        let (head, rest) = text.split_once(CHECK).ok_or(wrong("has no line for check"))?;
        let (check, lines) = rest.split_once('\n').ok_or(wrong("ends within its header"))?;
        if check != hexadecimal(Sha256::new_with_prefix(head)) {
            return Err(wrong("is damaged: the hash of its header is wrong"));
        }
        let values = |name: &'static str| {
            head.lines().filter_map(move |line| line.strip_prefix("# ")?.strip_prefix(name)?.strip_prefix('\t'))
        };
        let value = |name: &'static str| values(name).next().map(str::to_owned);
        if value("sha256") != Some(hexadecimal(Sha256::new_with_prefix(lines))) {
            return Err(wrong("is damaged: the hash of its lines is wrong"));
        }
        let plan = NamedPlan::new(&problem::parse(value).map_err(Failure::Input)?)?;
        let units = value("units").and_then(|units| {
            let (range, all) = units.split_once(" of ")?;
            let (start, end) = range.split_once("..")?;
            let [start, end, all] = [start, end, all].map(|number| number.parse::<u64>().ok());
            (all? == plan.units() && start? <= end? && end? <= all?).then(|| start.unwrap()..end.unwrap())
        });
        let units = units.ok_or(wrong("its units do not match the search"))?;
        let range = plan.range(&units);
        let numbers = |words: &mut dyn Iterator<Item = &str>| {
            let mut numbers = Vec::new();
            for word in words {
                let index = argument(word).and_then(|x| plan.index(x));
                let index = index.ok_or(Failure::Input(format!("{word}: is not an argument of the search")))?;
                if !range.contains(&index) {
                    return Err(Failure::Input(format!("{word}: is outside the units of this file")));
                }
                reserve(&mut numbers, 1)?;
                numbers.push(index);
            }
            Ok(numbers)
        };
        let cases = numbers(&mut lines.lines())?;
        let exact = numbers(&mut values("exact"))?;
        let mut streams = Vec::new();
        for line in values("all") {
            let mut words = line.split('\t');
            let ends = numbers(&mut words.by_ref().take(2))?;
            match (&ends[..], words.next().and_then(|count| count.parse::<u64>().ok())) {
                (&[first, last], Some(count)) if last - first + 1 == count => streams.push(first..last + 1),
                _ => return Err(wrong("is damaged: a line for all arguments of a run has wrong ends")),
            }
        }
        value("self-check").ok_or(wrong("has no line for self-check"))?;
        let exact_count = value("exact cases").and_then(|count| count.parse().ok());
        let exact_count = exact_count.ok_or(wrong("has no line for exact cases"))?;
        let found = Found { cases, streams, exact, exact_count };
        let is_sorted = found.cases.is_sorted_by(|one, next| one < next)
            && Found::from_words(&found.words().collect::<Vec<_>>()).is_some();
        if value("cases") != Some(found.count().to_string()) || !is_sorted {
            return Err(wrong("is damaged: its lines are fewer or more than stated, or not in order"));
        }
        Ok(Table::new(plan, units, found))
    }
}
