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
}

#[derive(Serialize)]
struct Figures {
    level: &'static str,
    isa: &'static str,
    form: &'static str,
    threads: usize,
    ns_per_update: f64,
    cycles_per_update: f64,
    speedup_a1: f64,
    speedup_a2: f64,
    verified: bool,
}

fn figures(outcome: &Outcome, row: &Row) -> Figures {
    let time = row.time;
    Figures {
        level: row.level,
        isa: row.isa,
        form: row.form,
        threads: row.threads,
        ns_per_update: time,
        cycles_per_update: time * outcome.clock[1],
        speedup_a1: outcome.speed_up(row, "A.1"),
        speedup_a2: outcome.speed_up(row, "A.2"),
        verified: row.verified,
    }
}

pub fn json(outcome: &Outcome) -> String {
    let rows = outcome.rows.iter().map(|row| figures(outcome, row)).collect();
    let document = Document { cpu: machine::cpu(), rows };
    serde_json::to_string_pretty(&document).expect("plain data") + "\n"
}

pub fn text(outcome: &Outcome, title: &str) -> String {
    let [before, during, after] = outcome.clock;
    let [hot, cold] = outcome.temperatures;
    let rate = outcome.rows.iter().map(|row| row.flip_rate).sum::<f64>() / outcome.rows.len() as f64;
    let mut text = format!(
        "{title}\n{} models at temperatures {hot:.3} to {cold:.3}, mean flip rate {rate:.3}\n{}, {during:.2} GHz\n\
         A.1 to A.3 are compiled for {}; A.1 uses expf of {}\n",
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
            format!("{ns_per_update:.3}"),
            format!("{cycles_per_update:.2}"),
            format!("{:.1} %", 100.0 * row.spread),
            format!("{:.4}", row.flip_rate),
            format!("{speedup_a1:.2}"),
            format!("{speedup_a2:.2}"),
            if row.verified { "yes" } else { "NO" }.to_owned(),
        ]);
    }
    text += &output::lines(table, 3);

    let levels = outcome.levels();
    text += "\nSpeed-up of each level (row) over each level (column), best instruction set, one thread\n";
    let mut table = output::table(&[&[""], &levels[..]].concat());
    for &level in &levels {
        let cells =
            levels.iter().filter_map(|&other| Some(format!("{:.2}", outcome.speed_up(outcome.best(level, 1)?, other))));
        table.add_row([level.to_owned()].into_iter().chain(cells));
    }
    text += &output::lines(table, 1);

    if outcome.threads > 1 {
        text += "\nSpeed-up over A.1 on one thread\n";
        let all = format!("{} threads", outcome.threads);
        let mut table = output::table(&["", "1 thread", &all, "gain"]);
        for &level in &levels {
            let speed_up = |threads| outcome.best(level, threads).map_or(f64::NAN, |row| outcome.speed_up(row, "A.1"));
            let (one, all) = (speed_up(1), speed_up(outcome.threads));
            table.add_row([level.to_owned(), format!("{one:.2}"), format!("{all:.2}"), format!("{:.2}", all / one)]);
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
            length,
            value: format!("{length:.1}x, {:.2} ns", row.time),
            colour: if row.threads == 1 { BLUE } else { ORANGE },
        }
    };
    let groups = [Group { name: String::new(), bars: outcome.rows.iter().map(bar).collect() }];
    let name = "times as fast as A.1 (beside the bars: nanoseconds per attempted update)";
    let heading = "Speed-up of the Ising sweep over A.1 on one thread";
    bars::svg(&groups, &Axis { name, logarithmic: false }, heading, &format!("{}; {title}", machine::cpu()))
}
