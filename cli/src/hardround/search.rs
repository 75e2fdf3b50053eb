//! `hotloops hardround search`.

mod arguments;
mod devices;
mod progress;
mod report;

use std::iter;
use std::mem;
use std::ops::Range;

use hotloops_hardround::{Found, MAX_CASES};

use super::estimate;
use super::io::NamedPlan;
use super::journal::{Done, Journal};
use super::table::Table;
use crate::cluster::Cluster;
use crate::cluster::units::{Order, Take};
use crate::failure::{Failure, say};
use crate::output::NewFile;
pub use arguments::Arguments;
use arguments::{Lines, Shard};
use devices::Devices;
use progress::{Progress, runs};
use report::{say_results, write_lines};

pub fn run(a: &Arguments, cluster: &Cluster) -> Result<(), Failure> {
    if a.shard.is_some() && a.format != Lines::Tsv {
        return Err(Failure::Usage("--shard: use --format tsv; the other forms do not record the part".to_owned()));
    }
    a.judge.check()?;
    let plan = NamedPlan::new(&a.problem.problem()?)?;
    let range = units(a, &plan);
    let pool = cluster.pool(a.threads)?;
    let devices = Devices::open(a, cluster)?;
    let (device, algorithm) = (devices.as_ref().map(|devices| devices as _), a.algorithm(devices.is_some())?);
    let here = plan.clone().on(device);
    let work = |&mut (): &mut (), unit| Ok(bytes(here.search_checked(&range, unit, algorithm)?.words()));
    let share =
        |units: &mut dyn Iterator<Item = u64>, take: Take| cluster.share(&pool, units, Order::Any, || (), work, take);
    match cluster.leads() {
        true if a.estimate => estimate(a, &plan),
        false if a.estimate => Ok(()),
        true => search(a, &plan, share),
        false => share(&mut iter::empty(), &mut |_, _| Ok(())),
    }
}

fn bytes(words: impl Iterator<Item = u64>) -> Vec<u8> {
    words.flat_map(u64::to_le_bytes).collect()
}

/// The units to search: all, or those of the shard.
fn units(a: &Arguments, plan: &NamedPlan) -> Range<u64> {
    let whole = Shard { part: 1, parts: 1 };
    let Shard { part, parts } = a.shard.unwrap_or(whole);
    let cut = |part: u64| (u128::from(plan.units()) * u128::from(part) / u128::from(parts)) as u64;
    cut(part - 1)..cut(part)
}

fn estimate(a: &Arguments, plan: &NamedPlan) -> Result<(), Failure> {
    let units = units(a, plan);
    plan.check_size(&units)?;
    estimate::run(plan, &units, a.algorithm(false)?)
}

/// Runs the job. `share` searches units.
fn search(
    a: &Arguments,
    plan: &NamedPlan,
    share: impl FnOnce(&mut dyn Iterator<Item = u64>, Take) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let units = units(a, plan);
    let out = NewFile::or_standard_output("--out", a.out.as_deref())?;
    plan.check_size(&units)?;
    let (journal, mut done) = match &a.checkpoint {
        None => (None, Done::default()),
        Some(path) => {
            let (journal, done) = Journal::open(path, plan, &units)?;
            (Some(journal), done)
        }
    };

    let mut found = mem::take(&mut done.found);
    let length = |units: &Range<u64>| {
        let range = plan.range(units);
        range.end - range.start
    };
    let left = || units.clone().filter(|&unit| !done.contains(unit));
    if !done.units.is_empty() {
        let (all, left) = (units.end - units.start, runs(left()));
        say(format_args!("hotloops: {} of {all} units are done in the checkpoint; left: {left}", done.count()));
    }
    let progress = Progress::new(length(&units), done.units.iter().map(length).sum(), a.progress);
    let mut take = |more: &Found| {
        if found.len() + more.len() > MAX_CASES {
            return Err(Failure::Job(format!(
                "more than {MAX_CASES} cases; increase --bits, or search a shorter interval or smaller shards"
            )));
        }
        found.extend(more)?;
        progress.show(found.count());
        Ok(found.count())
    };
    take(&Found::default())?;
    share(&mut left(), &mut |unit, words| {
        let words: Vec<u64> = words.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let cases = Found::from_words(&words).expect("a rank sends what it found");
        if let Some(journal) = &journal {
            journal.add(unit, &cases)?;
        }
        progress.advance(length(&(unit..unit + 1)));
        progress.log(take(&cases)?);
        Ok(())
    })?;
    progress.finish();
    if let Some(journal) = journal {
        journal.finish()?;
    }

    found.sort(|index| plan.begins_segment(index));
    let mut table = Table::new(plan.clone(), units, found);
    table.verdict = a.judge.verdict(&table, a.every_line)?;
    let hash = write_lines(a, plan, &table, &out)?;
    say_results(plan, &table, progress.begun, &hash);
    Ok(())
}
