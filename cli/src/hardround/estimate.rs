//! The cost of a search and its number of cases, before it starts: a row for each binade of the
//! argument. Parts of a few units of each binade are searched and timed.

use std::iter;
use std::ops::Range;

use hotloops_hardround::{Algorithm, Dyadic, UNIT};

use super::io::NamedPlan;
use crate::failure::Failure;
use crate::output::{lines, print, table};

/// Number of units timed between the first and the last one of a binade.
const TIMED: u64 = 4;

/// Time of all measurements in seconds. Some take a few times as long as intended.
const BUDGET: f64 = 0.6;

/// Arguments of the shortest part that is timed.
const FEW: u64 = 64;

/// How many times longer the next part is.
const GROWTH: u64 = 4;

/// Where a function is singular: time of one of the first few arguments, relative to one in the middle.
const SINGULAR: f64 = 4.0;

/// The units of a search whose arguments share sign and exponent.
struct Binade {
    key: (bool, i32),
    from: Dyadic,
    units: Range<u64>,
}

fn binades(plan: &NamedPlan, units: &Range<u64>) -> Vec<Binade> {
    let mut binades: Vec<Binade> = Vec::new();
    let mut end = 0;
    for segment in &plan.segments {
        let start = end;
        end += segment.count.div_ceil(UNIT);
        let own = start.max(units.start)..end.min(units.end);
        if own.is_empty() {
            continue;
        }
        let x = segment.argument(0);
        let key = (x.m < 0, if x.m == 0 { i32::MIN } else { x.exponent() });
        match binades.last_mut().filter(|binade| binade.key == key) {
            Some(binade) => binade.units.end = own.end,
            None => binades.push(Binade { key, from: segment.argument((own.start - start) * UNIT), units: own }),
        }
    }
    binades
}

/// The time that this thread has run, in seconds. Other load does not lengthen it.
#[cfg(unix)]
fn own_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is written to a structure of its type. The clock exists on every system.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

#[cfg(not(unix))]
fn own_time() -> f64 {
    static BEGUN: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    BEGUN.elapsed().as_secs_f64()
}

/// The time to search a part of a unit, in seconds.
fn seconds(plan: &NamedPlan, unit: u64, part: Range<u64>, algorithm: Algorithm) -> Result<f64, Failure> {
    let begun = own_time();
    plan.rehearse(unit, part, algorithm)?;
    Ok(own_time() - begun)
}

/// The same, estimated within about `budget` seconds from a part in the middle that grows.
fn estimated(plan: &NamedPlan, unit: u64, part: Range<u64>, algorithm: Algorithm, budget: f64) -> Result<f64, Failure> {
    let count = part.end - part.start;
    let mut length = FEW.min(count);
    loop {
        let start = part.start + (count - length) / 2;
        let time = seconds(plan, unit, start..start + length, algorithm)?;
        if length == count || time * GROWTH as f64 > budget {
            return Ok(time / length as f64 * count as f64);
        }
        length = count.min(length.saturating_mul(GROWTH));
    }
}

/// The same for a whole unit. Towards an end where the function is singular, arguments take ever more time; there
/// each part is as long as its distance from the end.
fn of_unit(plan: &NamedPlan, unit: u64, algorithm: Algorithm, budget: f64) -> Result<f64, Failure> {
    let count = plan.unit_len(unit);
    let few = FEW.min(count);
    // Twice: the first time includes that of cold caches.
    let shortest = |start: u64| -> Result<f64, Failure> {
        let part = start..start + few;
        Ok(seconds(plan, unit, part.clone(), algorithm)?.min(seconds(plan, unit, part, algorithm)?))
    };
    let (first, middle, last) = (shortest(0)?, shortest((count - few) / 2)?, shortest(count - few)?);
    let [at_first, at_last] = [first, last].map(|end| end > SINGULAR * middle);
    if !(at_first || at_last) || count <= 2 * FEW {
        return estimated(plan, unit, 0..count, algorithm, budget);
    }
    let mut parts = Vec::new();
    let (mut start, mut end) = (count / 2, count / 2);
    while at_first && start > FEW {
        parts.push(start - start / 2..start);
        start -= start / 2;
    }
    parts.push(0..start);
    while at_last && count - end > FEW {
        let half = (count - end) / 2;
        parts.push(end..end + half);
        end += half;
    }
    parts.push(end..count);
    let each = budget / parts.len() as f64;
    parts.into_iter().map(|part| estimated(plan, unit, part, algorithm, each)).sum()
}

/// Time of one thread to search some units, in seconds. The ends of a binade may be singular, so its first and its
/// last unit are timed too.
fn of_units(plan: &NamedPlan, units: &Range<u64>, algorithm: Algorithm, budget: f64) -> Result<f64, Failure> {
    let count = units.end - units.start;
    if count <= TIMED {
        return units.clone().map(|unit| of_unit(plan, unit, algorithm, budget / count as f64)).sum();
    }
    let each = budget / (TIMED + 2) as f64;
    let ends = of_unit(plan, units.start, algorithm, each)? + of_unit(plan, units.end - 1, algorithm, each)?;
    let between = units.start + 1..units.end - 1;
    let mut samples: Vec<u64> = (0..TIMED)
        .map(|i| between.start + (u128::from(count - 2) * u128::from(2 * i + 1) / u128::from(2 * TIMED)) as u64)
        .collect();
    samples.dedup();
    let (mut time, mut searched) = (0.0, 0);
    for unit in samples {
        time += of_unit(plan, unit, algorithm, each)?;
        searched += plan.unit_len(unit);
    }
    let range = plan.range(&between);
    Ok(ends + time / searched as f64 * (range.end - range.start) as f64)
}

/// Prints the table.
pub fn run(plan: &NamedPlan, units: &Range<u64>, algorithm: Algorithm) -> Result<(), Failure> {
    let mut rows = table(&["from", "to", "arguments", "cases", "core-hours"]);
    let mut add = |from: String, to: String, arguments: u64, cases: f64, seconds: f64| {
        let hours = seconds / 3600.0;
        rows.add_row([from, to, arguments.to_string(), format!("{cases:.1}"), format!("{hours:.2e}")]);
    };
    let binades = binades(plan, units);
    let budget = BUDGET / binades.len() as f64;
    let last = match units.end == plan.units() {
        true => Dyadic::of(plan.problem.to),
        false => plan.judge(plan.range(units).end).x,
    };
    let ends = binades.iter().skip(1).map(|binade| binade.from).chain(iter::once(last));
    let (mut all, mut all_cases, mut all_seconds) = (0, 0.0, 0.0);
    for (binade, end) in binades.iter().zip(ends) {
        let range = plan.range(&binade.units);
        let (arguments, cases) = (range.end - range.start, plan.expected(&binade.units));
        let seconds = of_units(plan, &binade.units, algorithm, budget)?;
        add(binade.from.to_string(), end.to_string(), arguments, cases, seconds);
        (all, all_cases, all_seconds) = (all + arguments, all_cases + cases, all_seconds + seconds);
    }
    add("total".to_owned(), String::new(), all, all_cases, all_seconds);
    print(&lines(rows, 2))
}
