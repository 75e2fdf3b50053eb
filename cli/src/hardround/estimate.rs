//! The cost of a search and its number of cases, before it starts: a row for each binade of the
//! argument. A few units of each binade are searched and timed.

use std::iter;
use std::ops::Range;
use std::time::Instant;

use hotloops_hardround::{Algorithm, Dyadic, UNIT};

use super::io::Plan;
use crate::failure::Failure;
use crate::output::{lines, print, table};

/// Number of units timed in each binade, and how often. The shortest time counts: other load
/// lengthens single ones.
const TIMED: u64 = 4;
const REPEATED: u32 = 3;

/// The units of a search whose arguments share sign and exponent.
struct Binade {
    key: (bool, i32),
    from: Dyadic,
    units: Range<u64>,
}

fn binades(plan: &Plan, units: &Range<u64>) -> Vec<Binade> {
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

/// Time of one thread to search some units, in seconds, by samples.
fn seconds(plan: &Plan, units: &Range<u64>, algorithm: Algorithm) -> Result<f64, Failure> {
    let count = units.end - units.start;
    let mut samples: Vec<u64> = (0..TIMED)
        .map(|i| units.start + (u128::from(count) * u128::from(2 * i + 1) / u128::from(2 * TIMED)) as u64)
        .collect();
    samples.dedup();
    let (mut time, mut searched) = (0.0, 0.0);
    for unit in samples {
        let (mut shortest, mut count) = (f64::INFINITY, 0);
        for _ in 0..REPEATED {
            let begun = Instant::now();
            count = plan.rehearse(unit, algorithm)?;
            shortest = shortest.min(begun.elapsed().as_secs_f64());
        }
        time += shortest;
        searched += count as f64;
    }
    let range = plan.range(units);
    Ok(time / searched * (range.end - range.start) as f64)
}

/// Prints the table.
pub fn run(plan: &Plan, units: &Range<u64>, algorithm: Algorithm) -> Result<(), Failure> {
    let mut rows = table(&["from", "to", "arguments", "cases", "core-hours"]);
    let mut add = |from: String, to: String, arguments: u64, cases: f64, seconds: f64| {
        let hours = seconds / 3600.0;
        rows.add_row([from, to, arguments.to_string(), format!("{cases:.1}"), format!("{hours:.2e}")]);
    };
    let binades = binades(plan, units);
    let last = match units.end == plan.units() {
        true => Dyadic::of(plan.problem.to),
        false => plan.judge(plan.range(units).end).x,
    };
    let ends = binades.iter().skip(1).map(|binade| binade.from).chain(iter::once(last));
    let (mut all, mut all_cases, mut all_seconds) = (0, 0.0, 0.0);
    for (binade, end) in binades.iter().zip(ends) {
        let range = plan.range(&binade.units);
        let (arguments, cases) = (range.end - range.start, plan.expected(&binade.units));
        let seconds = seconds(plan, &binade.units, algorithm)?;
        add(binade.from.to_string(), end.to_string(), arguments, cases, seconds);
        (all, all_cases, all_seconds) = (all + arguments, all_cases + cases, all_seconds + seconds);
    }
    add("total".to_owned(), String::new(), all, all_cases, all_seconds);
    print(&lines(rows, 2))
}
