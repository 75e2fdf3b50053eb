//! The results of a search: its lines, and messages about them.

use std::time::Instant;

use hotloops::isa;
use sha2::{Digest, Sha256};

use super::super::io::{NamedPlan, hexadecimal, write};
use super::super::table::{self, Table};
use super::arguments::{Arguments, Lines};
use crate::failure::{Failure, say};
use crate::output::NewFile;

/// Writes the lines of the cases. Returns their hash.
pub fn write_lines(a: &Arguments, plan: &NamedPlan, table: &Table, out: &NewFile) -> Result<String, Failure> {
    write(out, |out| {
        let mut hash = Sha256::new();
        let mut put = |line: String| {
            hash.update(&line);
            out.write_all(line.as_bytes())
        };
        let mut cases = table.indices(a.every_line);
        match a.format {
            Lines::Tsv => return table.write(out, a.every_line),
            Lines::Wc => cases.try_for_each(|index| put(format!("{}\n", plan.judge(index).x)))?,
            Lines::Index => cases.try_for_each(|index| put(format!("{index}\n")))?,
        }
        Ok(hexadecimal(hash))
    })
}

/// Says what was found, how it was checked and the hash of the lines.
pub fn say_results(plan: &NamedPlan, table: &Table, begun: Instant, hash: &str) {
    let range = plan.range(&table.units);
    let (cases, chance) = (table.found.count(), table.chance());
    let (arguments, seconds) = (range.end - range.start, begun.elapsed().as_secs_f64());
    let by_chance = chance.as_ref().map_or(String::new(), |(text, _)| format!("; {text}"));
    say(format_args!("{cases} cases among {arguments} arguments in {seconds:.2} s{by_chance}"));
    for stream in table.found.streams.iter().take(16) {
        say(format_args!("all arguments: {}", table::stream(plan, stream)));
    }
    if table.found.streams.len() > 16 {
        say(format_args!("all arguments: {} runs in all", table.found.streams.len()));
    }
    table.found.exact.iter().take(16).for_each(|&index| say(format_args!("exact: {}", plan.judge(index).x)));
    if table.found.exact_count > 16 {
        say(format_args!("exact: {} in all", table.found.exact_count));
    }
    say(format_args!(
        "self-check: {} of {} units, 0 differences",
        plan.checked(&table.units).max(1),
        table.units.end - table.units.start
    ));
    if let Some(verdict) = &table.verdict {
        say(format_args!("judge: {verdict}"));
    }
    say(format_args!("instruction set: {}", isa::active().word()));
    say(format_args!("sha256 of the lines: {hash}"));
    if let Some((text, z)) = chance
        && z.abs() > 5.0
    {
        say(format_args!("hotloops: warning: {cases} cases: {text}"));
    }
}
