//! `hotloops hardround search`.

use std::iter;
use std::mem;
use std::ops::Range;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use hotloops::isa;
use hotloops_hardround::{Algorithm, Found, MAX_CASES};
use sha2::{Digest, Sha256};

use super::estimate;
use super::io::{Plan, hexadecimal, write};
use super::journal::{Done, Journal};
use super::judge::Judge;
use super::problem;
use super::table::{self, Table};
use crate::cluster::Cluster;
use crate::cluster::units::{Order, Take};
use crate::failure::{Failure, say};
use crate::output::{Log, NewFile, progress_at_rate};
use crate::whole::whole;

/// Find all hard cases of an interval
///
/// The interval --from <= x < --to is split automatically at every power of two of the argument or
/// the result. Each case found is verified at high precision before it is written. The output does not depend on the number of threads, the instruction set, the algorithm
/// or the shards.
///
/// Under mpirun (a command built with the feature `mpi`), all ranks search, each with one thread or --threads; rank 0 also
/// distributes the work and writes the files. If a rank dies, mpirun reports it and ends all ranks; the
/// same command continues from its --checkpoint.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  hotloops hardround search --func log --from 1.5 --to 1.5001 --bits 44 --out log.tsv"
)]
pub struct Arguments {
    #[command(flatten)]
    problem: problem::Definition,

    /// Search algorithm; all find the same cases
    #[arg(long, value_parser = problem::algorithm(), default_value = "dual")]
    algorithm: Algorithm,

    /// Number of threads [default: one per core; under mpirun, one per rank]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024), allow_negative_numbers = true)]
    threads: Option<u16>,

    /// Search only part I of N (I from 1 to N); `hardround merge` joins the parts
    #[arg(long, value_name = "I/N", value_parser = shard, allow_hyphen_values = true)]
    shard: Option<Shard>,

    /// Print the expected cases and core-hours of each binade, from a few timed units; search
    /// nothing
    #[arg(long, conflicts_with_all = ["checkpoint", "out", "lines", "progress", "every_line", "judge"])]
    estimate: bool,

    /// Save finished work to FILE; continue from FILE if it exists. A kill loses at most the
    /// last 0.1 s of finished work, a power failure the last second
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Write the cases to FILE instead of standard output (`-`)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Contents of a line of the output
    #[arg(long, value_enum, default_value = "tsv")]
    lines: Lines,

    /// The judge of the cases; its verdict is in the header
    #[arg(long, value_enum, default_value = "own")]
    judge: Judge,

    /// Write a line for every case. By default, a run of more than 65536 arguments that are all
    /// cases is one line of the header
    #[arg(long)]
    every_line: bool,

    /// Seconds between lines of progress, if standard error is not a terminal
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
        value_parser = whole::<u64>(0..=1_000_000), allow_negative_numbers = true)]
    progress: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Lines {
    /// A header, then one line per case: argument, result, identical bits, breakpoint, side,
    /// distance
    Tsv,
    /// The argument of each case, in the format of published lists of worst cases
    Wc,
    /// The index of each case's argument, counted from --from
    Index,
}

#[derive(Clone, Copy, Debug)]
struct Shard {
    part: u64,
    parts: u64,
}

fn shard(word: &str) -> Result<Shard, String> {
    let number = |word: &str| word.parse::<u64>().ok().filter(|number| (1..1 << 32).contains(number));
    let numbers = word.split_once('/').and_then(|(part, parts)| Some((number(part)?, number(parts)?)));
    match numbers {
        Some((part, parts)) if part <= parts => Ok(Shard { part, parts }),
        _ => Err("expected I/N with I from 1 to N, such as 3/64".to_owned()),
    }
}

pub fn run(a: &Arguments, cluster: &Cluster) -> Result<(), Failure> {
    if a.shard.is_some() && a.lines != Lines::Tsv {
        return Err(Failure::Usage("--shard: use --lines tsv; the other lines do not record the part".to_owned()));
    }
    a.judge.check()?;
    let plan = Plan::new(&a.problem.problem()?)?;
    let range = units(a, &plan);
    let pool = cluster.pool(a.threads)?;
    let work = |&mut (): &mut (), unit| Ok(bytes(plan.search_checked(&range, unit, a.algorithm)?.words()));
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

/// Formats the first of some ascending numbers as "3-5, 9".
fn runs(numbers: impl Iterator<Item = u64>) -> String {
    const MAX_RUNS: usize = 16;
    let mut runs: Vec<Range<u64>> = Vec::new();
    for number in numbers {
        match runs.last_mut().filter(|run| run.end == number) {
            Some(run) => run.end += 1,
            None => runs.push(number..number + 1),
        }
        if runs.len() > MAX_RUNS {
            break;
        }
    }
    let text = |run: &Range<u64>| match run.end - run.start {
        1 => run.start.to_string(),
        _ => format!("{}-{}", run.start, run.end - 1),
    };
    let first: Vec<_> = runs.iter().take(MAX_RUNS).map(text).collect();
    let more = if runs.len() > MAX_RUNS { ", .." } else { "" };
    if first.is_empty() { "none".to_owned() } else { first.join(", ") + more }
}

/// The units to search: all, or those of the shard.
fn units(a: &Arguments, plan: &Plan) -> Range<u64> {
    let whole = Shard { part: 1, parts: 1 };
    let Shard { part, parts } = a.shard.unwrap_or(whole);
    let cut = |part: u64| (u128::from(plan.units()) * u128::from(part) / u128::from(parts)) as u64;
    cut(part - 1)..cut(part)
}

fn estimate(a: &Arguments, plan: &Plan) -> Result<(), Failure> {
    let units = units(a, plan);
    plan.check_size(&units)?;
    estimate::run(plan, &units, a.algorithm)
}

/// A duration to two places.
fn span(seconds: f64) -> String {
    let seconds = seconds as u64;
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match (minutes, hours) {
        (0, _) => format!("{seconds} s"),
        (_, 0) => format!("{minutes} min {:02} s", seconds % 60),
        _ => format!("{hours} h {:02} min", minutes % 60),
    }
}

/// Runs the job. `share` searches units.
fn search(
    a: &Arguments,
    plan: &Plan,
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
    let begun = Instant::now();
    let range = plan.range(&units);
    let bar = progress_at_rate(range.end - range.start, "arguments", 1.0);
    bar.set_position(done.units.iter().map(length).sum());
    bar.reset_eta();
    let log = Log::new(Duration::from_secs(a.progress));
    let (total, before) = ((range.end - range.start) as f64, bar.position());
    let progress = |cases: u64| {
        let searched = bar.position();
        let rate = (searched - before) as f64 / begun.elapsed().as_secs_f64();
        let (percent, left) = (100.0 * searched as f64 / total, span((total - searched as f64) / rate));
        say(format_args!("hotloops: {percent:.2} % searched, {cases} cases, {rate:.1e} arguments/s, {left} left"));
    };
    let mut take = |more: &Found| {
        if found.len() + more.len() > MAX_CASES {
            return Err(Failure::Job(format!(
                "more than {MAX_CASES} cases; increase --bits, or search a shorter interval or smaller shards"
            )));
        }
        found.extend(more)?;
        bar.set_message(format!("{} cases", found.count()));
        Ok(found.count())
    };
    take(&Found::default())?;
    share(&mut left(), &mut |unit, words| {
        let words: Vec<u64> = words.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let cases = Found::from_words(&words).expect("a rank sends what it found");
        if let Some(journal) = &journal {
            journal.add(unit, &cases)?;
        }
        bar.inc(length(&(unit..unit + 1)));
        let count = take(&cases)?;
        if log.is_due() {
            progress(count);
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    if let Some(journal) = journal {
        journal.finish()?;
    }

    found.sort(|index| plan.begins_segment(index));
    let mut table = Table::new(plan.clone(), units, found);
    table.verdict = a.judge.verdict(&table, a.every_line)?;
    let hash = write(&out, |out| {
        let mut hash = Sha256::new();
        let mut put = |line: String| {
            hash.update(&line);
            out.write_all(line.as_bytes())
        };
        let mut cases = table.indices(a.every_line);
        match a.lines {
            Lines::Tsv => return table.write(out, a.every_line),
            Lines::Wc => cases.try_for_each(|index| put(format!("{}\n", plan.judge(index).x)))?,
            Lines::Index => cases.try_for_each(|index| put(format!("{index}\n")))?,
        }
        Ok(hexadecimal(hash))
    })?;
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
    Ok(())
}
