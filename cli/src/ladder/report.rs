//! The parts of ladders as text, as a document, as JSON and as pictures.

use hotloops_bench_support::ladder::{Compared, Curves, Line, Origin, Part, Row, Table};
use hotloops_bench_support::machine;
use serde_json::{Value, json};

use super::Outcome;
use crate::failure::Failure;
use crate::output;
use crate::plot::bars::{self, Axis, Bar, Group};
use crate::plot::curves::{self, Curve};
use crate::plot::{BLUE, ORANGE};

/// The first result that differs from its reference.
pub fn wrong(outcomes: &[Outcome]) -> Option<String> {
    outcomes.iter().find_map(|Outcome { source, parts }| {
        let name = |part: &Part| match part {
            Part::Table(table) => {
                let row = table.rows.iter().find(|row| !row.is_verified)?;
                Some(format!("{} in {}", label(row), table.name))
            }
            Part::Curves(curves) => {
                let line = curves.lines.iter().find(|line| !line.is_verified)?;
                Some(format!("{} in {}", line.name, curves.name))
            }
        };
        Some(format!("{}: {}", source.word, parts.iter().find_map(name)?))
    })
}

fn label(row: &Row) -> String {
    let isa = if row.isa.is_empty() { String::new() } else { format!(", {}", row.isa) };
    let threads = if row.threads == 1 { String::new() } else { format!(", {} threads", row.threads) };
    format!("{}{isa}{threads}", row.name)
}

fn whose(origin: Origin) -> &'static str {
    match origin {
        Origin::Source => "source",
        Origin::Step => "step",
        Origin::Ours => "ours",
    }
}

pub fn json(outcomes: &[Outcome]) -> String {
    let sources = outcomes.iter().map(|Outcome { source, parts }| {
        let parts: Vec<_> = parts.iter().map(part).collect();
        json!({ "source": source.word, "citation": source.citation, "parts": parts })
    });
    let document = json!({
        "cpu": machine::cpu(),
        "compiled_for": machine::target(),
        "libm": machine::libm(),
        "sources": sources.collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&document).expect("plain data") + "\n"
}

fn part(part: &Part) -> Value {
    match part {
        Part::Table(table) => json!({
            "table": table.name,
            "title": table.title,
            "unit": table.unit,
            "rows": table.rows.iter().map(|row| figures(table, row)).collect::<Vec<_>>(),
            "notes": table.notes,
        }),
        Part::Curves(curves) => json!({
            "curves": curves.name,
            "title": curves.title,
            "axes": curves.axes,
            "lines": curves.lines.iter().map(points).collect::<Vec<_>>(),
            "notes": curves.notes,
        }),
    }
}

/// Figures are null if the spread makes them meaningless.
fn figures(table: &Table, row: &Row) -> Value {
    json!({
        "name": row.name,
        "isa": row.isa,
        "whose": whose(row.origin),
        "threads": row.threads,
        "value": row.valid(),
        "spread": row.spread,
        "ratio": table.ratio(row),
        "printed": row.printed.map(|(figure, _)| figure),
        "here": row.printed.and(table.here(row)),
        "why": row.printed.map(|(_, why)| why),
        "verified": row.is_verified,
    })
}

fn points(line: &Line) -> Value {
    json!({
        "name": line.name,
        "whose": whose(line.origin),
        "points": line.points,
        "verified": line.is_verified,
    })
}

pub fn text(outcomes: &[Outcome]) -> String {
    let mut text = format!("{}; compiled for {}, libm of {}\n", machine::cpu(), machine::target(), machine::libm());
    for Outcome { source, parts } in outcomes {
        text += &format!("\n{}: {}\n", source.word, source.citation);
        for part in parts {
            let (header, rows, first) = grid(part);
            let mut table = output::table(&header);
            rows.into_iter().for_each(|row| _ = table.add_row(row));
            text += &format!("\n{}\n{}", title(part), output::lines(table, first));
            remarks(part).iter().for_each(|remark| text += &format!("{remark}\n"));
        }
    }
    text
}

pub fn markdown(outcomes: &[Outcome]) -> String {
    let mut text = format!("{}; compiled for {}, libm of {}.\n", machine::cpu(), machine::target(), machine::libm());
    for Outcome { source, parts } in outcomes {
        text += &format!("\n## {}\n\n{}.\n", source.word, source.citation);
        for part in parts {
            let (header, rows, first) = grid(part);
            let rule: Vec<_> = (0..header.len()).map(|column| if column < first { "---" } else { "---:" }).collect();
            text += &format!("\n### {}\n\n| {} |\n| {} |\n", title(part), header.join(" | "), rule.join(" | "));
            rows.iter().for_each(|row| text += &format!("| {} |\n", row.join(" | ")));
            let remarks = remarks(part);
            if !remarks.is_empty() {
                text += &format!("\n- {}\n", remarks.join("\n- "));
            }
        }
    }
    text
}

fn title(part: &Part) -> String {
    match part {
        Part::Table(table) => format!("{}, {}", table.title, table.unit),
        Part::Curves(curves) => format!("{}: {} against {}", curves.title, curves.axes[1], curves.axes[0]),
    }
}

/// A figure with three digits or all before the point, or the word for one that means nothing.
fn figure(value: Option<f64>) -> String {
    match value {
        None => "void".to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(value) if !(1e-3..1e6).contains(&value.abs()) => format!("{value:.2e}"),
        Some(value) => format!("{value:.*}", (2 - value.abs().log10().floor() as i32).max(0) as usize),
    }
}

/// Header and rows, and the number of columns of words.
fn grid(part: &Part) -> (Vec<String>, Vec<Vec<String>>, usize) {
    match part {
        Part::Table(table) => of_table(table),
        Part::Curves(curves) => of_curves(curves),
    }
}

/// Whether a column is shown, its header, and its cells.
type Column<'a> = (bool, String, &'a dyn Fn(&Row) -> String);

/// A column that is the same in all rows and says nothing is left out.
fn of_table(table: &Table) -> (Vec<String>, Vec<Vec<String>>, usize) {
    let base = table.rows.get(table.base).map_or("", |row| row.name.as_str());
    let has = |test: fn(&Row) -> bool| table.rows.iter().any(test);
    let columns: [Column; 9] = [
        (true, String::new(), &|row| row.name.clone()),
        (true, "whose".to_owned(), &|row| whose(row.origin).to_owned()),
        (has(|row| !row.isa.is_empty()), "isa".to_owned(), &|row| row.isa.to_owned()),
        (has(|row| row.threads != 1), "threads".to_owned(), &|row| row.threads.to_string()),
        (true, table.unit.to_owned(), &|row| figure(row.valid())),
        (has(|row| row.spread != 0.0), "spread".to_owned(), &|row| format!("{:.1} %", 100.0 * row.spread)),
        (table.rows.len() > 1, format!("x {base}"), &|row| figure(table.ratio(row))),
        (has(|row| row.printed.is_some()), "printed".to_owned(), &|row| {
            row.printed.map_or_else(String::new, |(printed, _)| figure(Some(printed)))
        }),
        (has(|row| !row.is_verified), "verified".to_owned(), &|row| {
            if row.is_verified { "yes" } else { "NO" }.to_owned()
        }),
    ];
    let shown: Vec<_> = columns.iter().filter(|(is_shown, ..)| *is_shown).collect();
    let words = 2 + usize::from(columns[2].0);
    let rows = table.rows.iter().map(|row| shown.iter().map(|(.., cell)| cell(row)).collect());
    (shown.iter().map(|(_, name, _)| name.clone()).collect(), rows.collect(), words)
}

fn of_curves(curves: &Curves) -> (Vec<String>, Vec<Vec<String>>, usize) {
    let mut across: Vec<f64> = curves.lines.iter().flat_map(|line| line.points.iter().map(|point| point.0)).collect();
    across.sort_by(f64::total_cmp);
    across.dedup();
    let at = |line: &Line, x: f64| line.points.iter().find(|point| point.0 == x).map(|point| point.1);
    let row = |&x: &f64| {
        let cells = curves.lines.iter().map(|line| at(line, x).map_or_else(String::new, |y| figure(Some(y))));
        [x.to_string()].into_iter().chain(cells).collect()
    };
    let names = curves.lines.iter().map(|line| line.name.clone());
    let header = [curves.axes[0].to_owned()].into_iter().chain(names).collect();
    // A long curve is shown at some of its points; JSON and the picture have all.
    let step = across.len().div_ceil(24).max(1);
    (header, across.iter().step_by(step).map(row).collect(), 0)
}

/// Why figures differ, what `void` and printed figures mean, and the part's own notes.
fn remarks(part: &Part) -> Vec<String> {
    let table = match part {
        Part::Curves(curves) => return curves.notes.clone(),
        Part::Table(table) => table,
    };
    let mut remarks = Vec::new();
    for row in &table.rows {
        if let Some((printed, why)) = row.printed {
            let (here, printed) = (figure(table.here(row)), figure(Some(printed)));
            remarks.push(format!("{}: printed {printed}, here {here}: {why}", label(row)));
        }
    }
    if table.rows.iter().any(|row| row.printed.is_some()) && table.compared == Compared::Ratio {
        remarks.push("printed figures are speed-ups".to_owned());
    }
    if table.rows.iter().any(Row::is_void) {
        remarks
            .push("void: the spread is so large that the time means nothing; measure again without other load".into());
    }
    remarks.extend(table.notes.iter().cloned());
    remarks
}

/// A bar for each row: the speed-up over the base of its table.
pub fn picture(outcomes: &[Outcome]) -> Result<String, Failure> {
    let tables = outcomes.iter().flat_map(|outcome| &outcome.parts).filter_map(|part| match part {
        Part::Table(table) if table.rows.len() > 1 => Some(table),
        _ => None,
    });
    let group = |table: &Table| {
        let bar = |row: &Row| {
            let length = table.ratio(row);
            Bar {
                label: label(row),
                length: length.unwrap_or(1.0),
                value: length.map_or("void".to_owned(), |length| {
                    format!("{}x, {} {}", figure(Some(length)), figure(row.valid()), table.unit)
                }),
                colour: if row.origin == Origin::Ours { BLUE } else { ORANGE },
            }
        };
        Group { name: table.name.to_owned(), bars: table.rows.iter().map(bar).collect() }
    };
    let groups: Vec<_> = tables.map(group).collect();
    let words: Vec<_> = outcomes.iter().map(|outcome| outcome.source.word).collect();
    let name = "times as fast as the first row of the table, on a logarithmic scale";
    let heading = format!("Speed-ups over the original programs: {}", words.join(", "));
    bars::svg(&groups, &Axis { name, logarithmic: true }, &heading, &machine::cpu())
}

/// The name of a file for each figure of curves, and the picture.
pub fn curves(outcomes: &[Outcome]) -> Result<Vec<(String, String)>, Failure> {
    let mut pictures = Vec::new();
    for Outcome { source, parts } in outcomes {
        for part in parts {
            let Part::Curves(figure) = part else { continue };
            let last = figure.lines.len().saturating_sub(1).max(1) as f64;
            let lines = figure.lines.iter().enumerate().map(|(index, line)| Curve {
                name: line.name.clone(),
                shade: index as f64 / last,
                points: line.points.clone(),
            });
            let lines: Vec<_> = lines.collect();
            let picture = curves::scaled_svg(&lines, &figure.title, &machine::cpu(), figure.axes, figure.logarithmic)?;
            pictures.push((format!("{}-{}.svg", source.word, figure.name), picture));
        }
    }
    Ok(pictures)
}
