//! The figures as tables, as JSON and as a picture.

use serde::Serialize;

use super::experiment::{Outcome, Row};
use crate::failure::Failure;
use crate::machine;
use crate::output;
use crate::plot::bars::{self, Axis, Bar, Group};
use crate::plot::{BLUE, ORANGE};

#[derive(Serialize)]
struct Document {
    cpu: String,
    rows: Vec<Figures>,
    /// With the paper's results of 2010.
    paper: Vec<Comparison>,
}

#[derive(Serialize)]
struct Figures {
    level: &'static str,
    isa: &'static str,
    form: &'static str,
    threads: usize,
    /// These four are `None` if the spread makes them meaningless.
    ns_per_update: Option<f64>,
    cycles_per_update: Option<f64>,
    speedup_a1: Option<f64>,
    speedup_a2: Option<f64>,
    /// Interquartile range over median of the time.
    spread: f64,
    verified: bool,
}

/// The paper's speed-ups over its optimised original, and why ours differ.
#[derive(Serialize)]
struct Comparison {
    level: &'static str,
    paper: f64,
    ours: Option<f64>,
    reason: &'static str,
}

const PAPER: [(&str, f64, &str); 3] = [
    (
        "A.2",
        3.75,
        "expf of a C library takes some 12 cycles now and took 83 cycles then, so that replacing it gains less",
    ),
    ("A.3", 7.05, "it contains the gain of A.2; its updates of neighbours are scalar and limit it"),
    (
        "A.4",
        11.9,
        "it contains the gain of A.2; its row is the one for SSE2, the paper's four lanes, where there is one",
    ),
];

/// The rows of one thread, those of SSE2 first: the paper's four lanes.
fn comparisons(outcome: &Outcome) -> Vec<Comparison> {
    let compare = |(level, paper, reason)| {
        let sse2 = outcome.rows.iter().find(|row| row.level == level && row.isa == "sse2" && row.threads == 1);
        let row = sse2.or_else(|| outcome.best(level, 1))?;
        Some(Comparison { level, paper, ours: outcome.speed_up(row, "A.1"), reason })
    };
    PAPER.into_iter().filter_map(compare).collect()
}

/// A figure, or the word for one that means nothing.
fn figure(value: Option<f64>, digits: usize) -> String {
    value.map_or("void".to_owned(), |value| format!("{value:.digits$}"))
}

fn figures(outcome: &Outcome, row: &Row) -> Figures {
    Figures {
        level: row.level,
        isa: row.isa,
        form: row.form,
        threads: row.threads,
        ns_per_update: row.valid_time(),
        cycles_per_update: row.valid_time().map(|time| time * outcome.clock[1]),
        speedup_a1: outcome.speed_up(row, "A.1"),
        speedup_a2: outcome.speed_up(row, "A.2"),
        spread: row.spread,
        verified: row.verified,
    }
}

pub fn json(outcome: &Outcome) -> String {
    let rows = outcome.rows.iter().map(|row| figures(outcome, row)).collect();
    let document = Document { cpu: machine::cpu(), rows, paper: comparisons(outcome) };
    serde_json::to_string_pretty(&document).expect("plain data") + "\n"
}

pub fn text(outcome: &Outcome, title: &str) -> String {
    let [before, during, after] = outcome.clock;
    let [hot, cold] = outcome.temperatures;
    let rate = outcome.rows.iter().map(|row| row.flip_rate).sum::<f64>() / outcome.rows.len() as f64;
    let mut text = format!(
        "{title}\n{} models at temperatures {hot:.3} to {cold:.3}, mean flip rate {rate:.3}\n{}, {during:.2} GHz\n\
         A.1 to A.3 are compiled for {}; A.1 uses expf of {}\n\
         A.1a and A.2a are unoptimised C; A.1 and A.2 are the paper's A.1b and A.2b\n",
        outcome.models,
        machine::cpu(),
        machine::target(),
        machine::libm(),
    );
    let drift = (after / before - 1.0).abs().max((during / before - 1.0).abs());
    if drift > 0.02 {
        text +=
            &format!("The clock drifted: {before:.2} GHz before the timing, {after:.2} after; trust ratios only.\n");
    }

    text += "\nTime per attempted update (median; spread: interquartile range over median)\n";
    let mut table = output::table(&[
        "level", "isa", "form", "threads", "ns", "cycles", "spread", "flips", "x A.1", "x A.2", "verified",
    ]);
    for row in &outcome.rows {
        let Figures { ns_per_update, cycles_per_update, speedup_a1, speedup_a2, .. } = figures(outcome, row);
        table.add_row([
            row.level.to_owned(),
            row.isa.to_owned(),
            row.form.to_owned(),
            row.threads.to_string(),
            figure(ns_per_update, 3),
            figure(cycles_per_update, 2),
            format!("{:.1} %", 100.0 * row.spread),
            format!("{:.4}", row.flip_rate),
            figure(speedup_a1, 2),
            figure(speedup_a2, 2),
            if row.verified { "yes" } else { "NO" }.to_owned(),
        ]);
    }
    text += &output::lines(table, 3);
    if outcome.rows.iter().any(Row::is_void) {
        text += "void: the spread is so large that the time means nothing; measure again without other load\n";
    }

    let levels = outcome.levels();
    text += "\nSpeed-up of each level (row) over each level (column), best instruction set, one thread\n";
    let mut table = output::table(&[&[""], &levels[..]].concat());
    for &level in &levels {
        let cells =
            levels.iter().filter_map(|&other| Some(figure(outcome.speed_up(outcome.best(level, 1)?, other), 2)));
        table.add_row([level.to_owned()].into_iter().chain(cells));
    }
    text += &output::lines(table, 1);

    text += "\nSpeed-up over A.1 (A.1b) in the paper, in 2010, and here\n";
    let mut table = output::table(&["", "paper", "here", "why they differ"]);
    for Comparison { level, paper, ours, reason } in comparisons(outcome) {
        table.add_row([level.to_owned(), format!("{paper:.2}"), figure(ours, 2), reason.to_owned()]);
    }
    text += &output::lines(table, 4);

    if outcome.threads > 1 {
        text += "\nSpeed-up over A.1 on one thread\n";
        let all = format!("{} threads", outcome.threads);
        let mut table = output::table(&["", "1 thread", &all, "gain"]);
        for &level in &levels {
            let speed_up = |threads| outcome.speed_up(outcome.best(level, threads)?, "A.1");
            let (one, all) = (speed_up(1), speed_up(outcome.threads));
            let gain = one.zip(all).map(|(one, all)| all / one);
            table.add_row([level.to_owned(), figure(one, 2), figure(all, 2), figure(gain, 2)]);
        }
        text += &output::lines(table, 1);
    }
    text
}

/// A bar for each row: the speed-up over A.1 on one thread.
pub fn picture(outcome: &Outcome, title: &str) -> Result<String, Failure> {
    let bar = |row: &Row| {
        let threads = if row.threads == 1 { String::new() } else { format!(", {} threads", row.threads) };
        let length = outcome.speed_up(row, "A.1");
        Bar {
            label: format!("{}: {} {}{threads}", row.level, row.isa, row.form),
            length: length.unwrap_or(0.0),
            value: length.map_or("void".to_owned(), |length| format!("{length:.1}x, {:.2} ns", row.time)),
            colour: if row.threads == 1 { BLUE } else { ORANGE },
        }
    };
    let groups = [Group { name: String::new(), bars: outcome.rows.iter().map(bar).collect() }];
    let name = "times as fast as A.1 (beside the bars: nanoseconds per attempted update)";
    let heading = "Speed-up of the Ising sweep over A.1 on one thread";
    bars::svg(&groups, &Axis { name, logarithmic: false }, heading, &format!("{}; {title}", machine::cpu()))
}
