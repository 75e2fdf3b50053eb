//! The parts of ladders as a document in Markdown.

use hotloops_bench_support::ladder::{Sheet, allowed, void};
use hotloops_bench_support::machine;

use super::Outcome;

/// Columns of a line, but for rows of tables and headings.
const WIDTH: usize = 120;

/// The meanings of the columns of tables.
const COLUMNS: [[&str; 2]; 6] = [
    ["whose", "`source`: the source's program; `step`: one on the way to ours, or another form; `ours`: this library"],
    ["isa", "the instruction set that caps the library; none for programs without it"],
    ["a unit", "the median of the measurements, or a count"],
    ["spread", "interquartile range over the median"],
    ["speed-up over a row", "how many times as fast as that row"],
    ["printed, here", "the source's figure, and ours for the same quantity"],
];

/// A document of one machine: what the columns mean, then a section for each source.
pub fn markdown(outcomes: &[Outcome]) -> String {
    let isas: Vec<_> = allowed().iter().map(|isa| isa.word()).collect();
    let mut text = format!("# Published experiments on one machine: {}\n", machine::cpu());
    text += &paragraph(&format!(
        "`hotloops ladder` repeats the experiments of published systems, step by step from a system's own program to \
         this library. Each result is compared with its reference, and the steps of a table are timed alternately, on \
         one thread where no other number is given. The command was compiled for {}; the C library is {}; the \
         instruction sets are {}.",
        machine::target(),
        machine::libm(),
        isas.join(", "),
    ));
    text += &format!("\n{}{}", row(&["column", "meaning"]), row(&["---", "---"]));
    COLUMNS.iter().for_each(|cells| text += &row(cells));
    text += &paragraph(&format!("{}.", capital(&void())));
    for outcome in outcomes {
        let source = outcome.source;
        text += &format!("\n## {}\n", source.title);
        text += &paragraph(&format!("`hotloops ladder {}`: {}.", source.word, source.citation));
        text += &paragraph(source.about);
        outcome.parts.iter().for_each(|part| text += &section(&Sheet::new(part)));
    }
    text
}

fn section(sheet: &Sheet) -> String {
    let mut text = format!("\n### {}\n", sheet.title);
    if !sheet.rows.is_empty() {
        let rule: Vec<_> = (0..sheet.header.len()).map(|i| if i < sheet.words { "---" } else { "---:" }).collect();
        text += &format!("\n{}{}", row(&sheet.header), row(&rule));
        sheet.rows.iter().for_each(|cells| text += &row(cells));
    }
    if !sheet.printed.is_empty() {
        text += "\n| beside the source | printed | here | why they differ |\n| --- | ---: | ---: | --- |\n";
        sheet.printed.iter().for_each(|cells| text += &row(cells));
    }
    if !sheet.notes.is_empty() {
        text += "\n";
        sheet.notes.iter().for_each(|note| text += &wrapped(note, "- ", "  "));
    }
    text
}

/// A row of a table. A bar within a cell would end it.
fn row<S: AsRef<str>>(cells: &[S]) -> String {
    let cells: Vec<_> = cells.iter().map(|cell| cell.as_ref().replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn paragraph(text: &str) -> String {
    format!("\n{}", wrapped(text, "", ""))
}

/// Lines of at most [`WIDTH`] columns, the first one behind `first` and the others behind `others`.
fn wrapped(text: &str, first: &str, others: &str) -> String {
    let (mut lines, mut line, mut is_empty) = (String::new(), first.to_owned(), true);
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines += &format!("{line}\n");
            (line, is_empty) = (others.to_owned(), true);
        }
        line += if is_empty { "" } else { " " };
        line += word;
        is_empty = false;
    }
    lines + &line + "\n"
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use hotloops_bench_support::ladder::{Compared, Origin, Part, Row, Table};
    use hotloops_bench_support::sources::SOURCES;

    use super::*;

    fn a_table() -> Part {
        let row = |name: &str, spread: f64, printed| Row {
            name: name.to_owned(),
            isa: "",
            origin: Origin::Source,
            threads: 1,
            value: 2.0,
            spread,
            printed,
            is_verified: true,
        };
        let rows = vec![row("accum[|dx|]", 0.1, None), row("loaded", 0.5, Some((149.0, "a processor of 2008")))];
        Part::Table(Table {
            name: "t",
            title: "Pairs".to_owned(),
            unit: "ns a pair",
            is_rate: false,
            base: 0,
            compared: Compared::Value,
            rows,
            notes: vec!["long ".repeat(50)],
        })
    }

    /// Lines end before column 120, rows have the cells of their header, and headings are different.
    #[test]
    fn a_document_is_valid_and_narrow() {
        let outcomes: Vec<_> = SOURCES.iter().map(|source| Outcome { source, parts: vec![a_table()] }).collect();
        let text = markdown(&outcomes);
        let mut headings = HashSet::new();
        let mut cells = None;
        for line in text.lines() {
            assert!(line.starts_with(['|', '#']) || line.len() <= WIDTH, "{line}");
            assert!(!line.starts_with("## ") || headings.insert(line), "{line}");
            assert_eq!(line, line.trim_end());
            let bars = line.replace("\\|", "").matches('|').count();
            let expected = if line.starts_with('|') { cells.get_or_insert(bars) } else { &mut 0 };
            assert_eq!(bars, *expected, "{line}");
            cells = line.starts_with('|').then_some(bars);
        }
        assert_eq!(headings.len(), SOURCES.len());
        assert!(text.contains("| accum[\\|dx\\|] | source | 2.00 | 10.0 % | 1.00 |  |\n"), "{text}");
        assert!(text.contains("| loaded | source | void | 50.0 % | void | 149 |\n"), "{text}");
        assert!(text.contains("| loaded | 149 | void | a processor of 2008 |\n"), "{text}");
        assert!(text.contains("Void: the spread exceeds 30 %"));
        for source in SOURCES {
            assert!(
                text.contains(&paragraph(source.about)) && text.contains(&format!("`hotloops ladder {}`", source.word))
            );
        }
    }
}
