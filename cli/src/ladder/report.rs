//! The parts of ladders as text, as a document, as JSON and as pictures.

use hotloops_bench_support::ladder::{Line, Origin, Part, Row, Sheet, Table, allowed, figure, void};
use hotloops_bench_support::machine;
use serde_json::{Value, json};

use super::Outcome;
use crate::failure::Failure;
use crate::plot::bars::{self, Bar, Group};
use crate::plot::curves::{self, Curve};
use crate::plot::{BLUE, ORANGE};

/// The first result that differs from its reference.
pub fn wrong(outcomes: &[Outcome]) -> Option<String> {
    outcomes.iter().find_map(|Outcome { source, parts }| {
        let name = |part: &Part| match part {
            Part::Table(table) => {
                let row = table.rows.iter().find(|row| !row.is_verified)?;
                Some(format!("{} in {}", row.label(), table.name))
            }
            Part::Curves(curves) => {
                let line = curves.lines.iter().find(|line| !line.is_verified)?;
                Some(format!("{} in {}", line.name, curves.name))
            }
        };
        Some(format!("{}: {}", source.word, parts.iter().find_map(name)?))
    })
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
        "isas": words(),
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
        "whose": row.origin.word(),
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
        "whose": line.origin.word(),
        "points": line.points,
        "verified": line.is_verified,
    })
}

/// The instruction sets under which rungs ran.
fn words() -> Vec<&'static str> {
    allowed().iter().map(|isa| isa.word()).collect()
}

fn sheets(outcome: &Outcome) -> Vec<Sheet> {
    outcome.parts.iter().map(Sheet::new).collect()
}

pub fn text(outcomes: &[Outcome]) -> String {
    let (target, libm, isas) = (machine::target(), machine::libm(), words().join(" "));
    let mut text = format!("{}; compiled for {target}, libm of {libm}; isa: {isas}\n", machine::cpu());
    let sheets: Vec<_> = outcomes.iter().map(|outcome| (outcome.source, sheets(outcome))).collect();
    if sheets.iter().flat_map(|(_, sheets)| sheets).any(Sheet::has_void) {
        text += &format!("{}; measure again without it\n", void());
    }
    for (source, sheets) in sheets {
        text += &format!("\n{}: {}\n{}\n", source.word, source.title, source.citation);
        sheets.iter().for_each(|sheet| text += &format!("\n{sheet}"));
    }
    text
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
                label: row.label(),
                length: length.unwrap_or(1.0),
                value: length.map_or_else(
                    || figure(None),
                    |length| {
                        let unit = if length == 1.0 { format!(" {}", table.unit) } else { String::new() };
                        format!("{}x, {}{unit}", figure(Some(length)), figure(row.valid()))
                    },
                ),
                colour: if row.origin == Origin::Ours { BLUE } else { ORANGE },
            }
        };
        Group { name: table.name.to_owned(), bars: table.rows.iter().map(bar).collect() }
    };
    let groups: Vec<_> = tables.map(group).collect();
    let words: Vec<_> = outcomes.iter().map(|outcome| outcome.source.word).collect();
    let name = "times as fast as the first row of the table, on a logarithmic scale";
    let heading = format!("Speed-ups over the original programs: {}", words.join(", "));
    bars::svg(&groups, name, &heading, &machine::cpu())
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
