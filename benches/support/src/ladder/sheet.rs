//! Parts as tables of words, for terminals and documents.

use std::fmt::{self, Display, Formatter};
use std::iter;

use super::{Compared, Curves, Line, MAX_SPREAD, Part, Row, Table};

/// A part as words. As text, its columns are padded.
pub struct Sheet {
    pub title: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// Number of columns of words; those of figures follow.
    pub words: usize,
    /// For each figure that the source prints: the row, the source's figure, ours, and why they differ.
    pub printed: Vec<[String; 4]>,
    pub notes: Vec<String>,
}

/// The meaning of the word `void` in place of a figure.
#[must_use]
pub fn void() -> String {
    format!("void: the spread exceeds {:.0} %, so that other load decided the time", 100.0 * MAX_SPREAD)
}

impl Sheet {
    #[must_use]
    pub fn new(part: &Part) -> Self {
        match part {
            Part::Table(table) => of_table(table),
            Part::Curves(curves) => of_curves(curves),
        }
    }

    /// Whether a figure is void.
    #[must_use]
    pub fn has_void(&self) -> bool {
        self.rows.iter().flatten().any(|cell| cell == VOID)
    }
}

impl Display for Sheet {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let lines = || iter::once(&self.header).chain(&self.rows);
        let width = |column: usize| lines().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        writeln!(f, "{}", self.title)?;
        for line in lines() {
            let cell = |(column, (cell, width)): (usize, (&String, &usize))| match column < self.words {
                true => format!("{cell:width$}"),
                false => format!("{cell:>width$}"),
            };
            let cells: Vec<_> = line.iter().zip(&widths).enumerate().map(cell).collect();
            writeln!(f, "{}", cells.join("  ").trim_end())?;
        }
        for [row, printed, here, why] in &self.printed {
            writeln!(f, "{row}: printed {printed}, here {here}: {why}")?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}

const VOID: &str = "void";
const NOTHING: &str = "Nothing here runs under the instruction sets in force.";

/// A figure with three digits or all before the point, or the word for one that means nothing.
#[must_use]
pub fn figure(value: Option<f64>) -> String {
    match value {
        None => VOID.to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(value) if !(1e-3..1e6).contains(&value.abs()) => format!("{value:.2e}"),
        Some(value) => format!("{value:.*}", (2 - value.abs().log10().floor() as i32).max(0) as usize),
    }
}

/// Whether a column is shown, its header, and its cells.
type Column<'a> = (bool, String, &'a dyn Fn(&Row) -> String);

/// A column that is the same in all rows and says nothing is left out, and so are ratios to what is counted.
fn of_table(table: &Table) -> Sheet {
    let base = table.rows.get(table.base);
    let over = format!("speed-up over {}", base.map_or("", |row| row.name.as_str()));
    let has = |test: fn(&Row) -> bool| table.rows.iter().any(test);
    let has_ratios = table.rows.len() > 1 && base.is_some_and(|row| row.spread > 0.0);
    let columns: [Column; 9] = [
        (true, String::new(), &|row| row.name.clone()),
        (true, "whose".to_owned(), &|row| row.origin.word().to_owned()),
        (has(|row| !row.isa.is_empty()), "isa".to_owned(), &|row| row.isa.to_owned()),
        (has(|row| row.threads != 1), "threads".to_owned(), &|row| row.threads.to_string()),
        (true, table.unit.to_owned(), &|row| figure(row.valid())),
        (has(|row| row.spread > 0.0), "spread".to_owned(), &|row| format!("{:.1} %", 100.0 * row.spread)),
        (has_ratios, over.clone(), &|row| figure(table.ratio(row))),
        (has(|row| row.printed.is_some()), "printed".to_owned(), &|row| {
            row.printed.map_or_else(String::new, |(printed, _)| printed.to_string())
        }),
        (has(|row| !row.is_verified), "verified".to_owned(), &|row| {
            if row.is_verified { "yes" } else { "NO" }.to_owned()
        }),
    ];
    let shown: Vec<_> = columns.iter().filter(|(is_shown, ..)| *is_shown).collect();
    let printed = table.rows.iter().filter_map(|row| {
        let (printed, why) = row.printed?;
        Some([row.label(), printed.to_string(), figure(table.here(row)), why.to_owned()])
    });
    let printed: Vec<_> = printed.collect();
    let mut notes = table.notes.clone();
    if !printed.is_empty() && table.compared == Compared::Ratio {
        notes.insert(0, format!("Printed figures: {over}."));
    }
    if table.rows.is_empty() {
        notes.insert(0, NOTHING.to_owned());
    }
    Sheet {
        title: format!("{}, {}", table.title, table.unit),
        header: shown.iter().map(|(_, name, _)| name.clone()).collect(),
        rows: table.rows.iter().map(|row| shown.iter().map(|(.., cell)| cell(row)).collect()).collect(),
        words: 2 + usize::from(columns[2].0),
        printed,
        notes,
    }
}

/// Points of a curve that are shown at most.
const POINTS: usize = 24;

fn of_curves(curves: &Curves) -> Sheet {
    let mut across: Vec<f64> = curves.lines.iter().flat_map(|line| line.points.iter().map(|point| point.0)).collect();
    across.sort_by(f64::total_cmp);
    across.dedup();
    let at = |line: &Line, x: f64| line.points.iter().find(|point| point.0 == x).map(|point| point.1);
    let row = |&x: &f64| {
        let exact = x.to_string();
        let x_word = if x.fract() == 0.0 || exact.len() <= 6 { exact } else { figure(Some(x)) };
        let cells = curves.lines.iter().map(|line| at(line, x).map_or_else(String::new, |y| figure(Some(y))));
        iter::once(x_word).chain(cells).collect()
    };
    let name = |line: &Line| format!("{}{}", line.name, if line.is_verified { "" } else { ", NOT VERIFIED" });
    let step = across.len().div_ceil(POINTS).max(1);
    let mut notes = curves.notes.clone();
    if across.is_empty() {
        notes.insert(0, if curves.lines.is_empty() { NOTHING } else { "All points are void." }.to_owned());
    }
    if step > 1 {
        notes.push(format!("One of {step} points is shown; the picture and the JSON have all."));
    }
    Sheet {
        title: format!("{}: {} against {}", curves.title, curves.axes[1], curves.axes[0]),
        header: iter::once(curves.axes[0].to_owned()).chain(curves.lines.iter().map(name)).collect(),
        rows: across.iter().step_by(step).map(row).collect(),
        words: 0,
        printed: Vec::new(),
        notes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ladder::Origin;

    fn row(name: &str, value: f64, spread: f64) -> Row {
        let (name, origin) = (name.to_owned(), Origin::Source);
        Row { name, isa: "", origin, threads: 1, value, spread, printed: None, is_verified: true }
    }

    fn table(rows: Vec<Row>) -> Part {
        let (title, notes) = ("Sweep".to_owned(), vec!["A note.".to_owned()]);
        let compared = Compared::Ratio;
        Part::Table(Table { name: "t", title, unit: "ns", is_rate: false, base: 0, compared, rows, notes })
    }

    #[test]
    fn text_aligns_columns_and_says_why_figures_differ() {
        let mut rows = vec![row("A", 12.0, 0.1), row("longer", 3.0, 0.2), row("loaded", 1.0, 0.31)];
        rows[1].printed = Some((3.75, "another CPU"));
        let sheet = Sheet::new(&table(rows));
        assert!(sheet.has_void());
        let expected = [
            "Sweep, ns",
            "        whose     ns  spread  speed-up over A  printed",
            "A       source  12.0  10.0 %             1.00",
            "longer  source  3.00  20.0 %             4.00     3.75",
            "loaded  source  void  31.0 %             void",
            "longer: printed 3.75, here 4.00: another CPU",
            "Printed figures: speed-up over A.",
            "A note.",
            "",
        ];
        assert_eq!(sheet.to_string(), expected.join("\n"));
    }

    /// A count has neither a spread nor a speed-up.
    #[test]
    fn counts_have_no_ratios() {
        let sheet = Sheet::new(&table(vec![row("A", 2.0, 0.0), row("B", 32.0, 0.0)]));
        assert_eq!(sheet.header, ["", "whose", "ns"]);
        assert!(!sheet.has_void());
    }

    #[test]
    fn curves_are_rows_of_points() {
        let line = |name: &str, points: &[(f64, f64)]| Line {
            name: name.to_owned(),
            origin: Origin::Ours,
            points: points.to_vec(),
            is_verified: name != "b",
        };
        let mut curves = Curves {
            name: "c",
            title: "Speed".to_owned(),
            axes: ["n", "flops"],
            logarithmic: [true, false],
            lines: vec![line("a", &[(4.0 / 3.0, 1.0), (67_108_864.0, 2.0)]), line("b", &[(0.125, 12345.6)])],
            notes: Vec::new(),
        };
        let sheet = Sheet::new(&Part::Curves(curves.clone()));
        assert_eq!(sheet.title, "Speed: flops against n");
        assert_eq!(sheet.header, ["n", "a", "b, NOT VERIFIED"]);
        assert_eq!(sheet.rows, [["0.125", "", "12346"], ["1.33", "1.00", ""], ["67108864", "2.00", ""]]);
        curves.lines.iter_mut().for_each(|line| line.points.clear());
        assert_eq!(Sheet::new(&Part::Curves(curves.clone())).notes, ["All points are void."]);
        curves.lines.clear();
        assert_eq!(Sheet::new(&Part::Curves(curves)).notes, [NOTHING]);
    }
}
