//! Schedules of anneals from files: tables of inverse temperatures and fields, or of a quantum annealer's A(s) and
//! B(s).

use std::path::Path;

use super::ramp::Ramp;
use crate::failure::Failure;
use crate::input;
use crate::memory;

/// The smallest inverse temperature, relative to the largest one, where B(s) is 0.
const MIN_SHARE: f64 = 1e-9;

/// A row of a table: its place, and the values.
type Row = (f64, [f64; 2]);

/// The kinds of columns of a schedule.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Columns {
    /// The field, at the inverse temperature of --beta.
    Field,
    /// The inverse temperature and the field.
    Both,
    /// H = -A/2 sum sx + B/2 E, at the inverse temperature of --beta.
    Annealer,
}

struct Table {
    columns: Columns,
    rows: Vec<Row>,
}

/// The inverse temperatures and the fields of `count` steps.
pub fn read(path: &Path, count: usize, beta: Option<f64>) -> Result<(Ramp, Ramp), Failure> {
    let wrong = |why: String| Failure::Input(format!("--schedule {}: {why}", path.display()));
    let table = memory::needed_for(&"the schedule", || parse(&input::text(path)?)).map_err(wrong)?;
    let beta = match (table.columns, beta) {
        (Columns::Both, None) => 1.0,
        (Columns::Both, Some(_)) => {
            let text = "--beta has no effect: --schedule has inverse temperatures; leave it out";
            return Err(Failure::Usage(text.to_owned()));
        }
        (_, Some(beta)) => beta,
        (_, None) => {
            let text = "--beta is missing: the columns of --schedule have no inverse temperature; give it";
            return Err(Failure::Usage(text.to_owned()));
        }
    };
    let largest = table.rows.iter().map(|row| row.1[1]).fold(0.0, f64::max);
    // A field of 0 has no kinks either.
    let positive = |(beta, gamma): (f64, f64)| (beta, gamma.max(1e-30));
    let points = (0..count).map(|step| {
        let part = if count > 1 { step as f64 / (count - 1) as f64 } else { 1.0 };
        let [first, second] = table.at(part);
        positive(match table.columns {
            Columns::Field => (beta, first),
            Columns::Both => (first, second),
            Columns::Annealer => {
                let of_problem = second.max(MIN_SHARE * largest);
                (beta * of_problem / 2.0, first / of_problem)
            }
        })
    });
    let (betas, gammas): (Vec<f64>, Vec<f64>) = points.unzip();
    for (name, values) in [("inverse temperature", &betas), ("field", &gammas)] {
        if let Some(step) = values.iter().position(|value| !(1e-30..=1e30).contains(value)) {
            return Err(wrong(format!(
                "step {} of {count} has the {name} {}; give positive numbers up to 1e30",
                step + 1,
                values[step]
            )));
        }
    }
    Ok((Ramp::Table(betas), Ramp::Table(gammas)))
}

impl Table {
    /// The values at a part of the way, linear between rows.
    fn at(&self, part: f64) -> [f64; 2] {
        let (first, last) = (self.rows[0].0, self.rows[self.rows.len() - 1].0);
        let place = first + (last - first) * part;
        let after = self.rows.partition_point(|row| row.0 < place).clamp(1, self.rows.len().max(2) - 1);
        let (Some(&(from, low)), Some(&(to, high))) = (self.rows.get(after - 1), self.rows.get(after)) else {
            return self.rows[0].1;
        };
        let weight = ((place - from) / (to - from)).clamp(0.0, 1.0);
        [0, 1].map(
            |column| if weight == 1.0 { high[column] } else { low[column] + (high[column] - low[column]) * weight },
        )
    }
}

/// The cells of a line. They are separated as those of the header are: by the first of these that it contains, or by
/// spaces.
fn cells<'a>(line: &'a str, header: &str) -> Vec<&'a str> {
    match [';', '\t', ','].into_iter().find(|&separator| header.contains(separator)) {
        Some(separator) => line.split(separator).map(str::trim).collect(),
        None => line.split_whitespace().collect(),
    }
}

/// The error names the line.
fn parse(text: &str) -> Result<Table, String> {
    let is_data = |line: &(usize, &str)| !line.1.trim().is_empty() && !line.1.trim_start().starts_with('#');
    let mut lines = (1..).zip(text.lines()).filter(is_data);
    let expected = "expected columns gamma, or beta and gamma, or A(s) and B(s), with s or t before them if wanted";
    let (_, header) = lines.next().ok_or_else(|| format!("the file is empty; {expected}"))?;
    // "A(s) (GHz)" is a.
    let name = |word: &str| word.split('(').next().unwrap_or("").trim().to_ascii_lowercase();
    let names: Vec<String> = cells(header, header).into_iter().map(name).collect();
    let find = |wanted: &str| names.iter().position(|name| name == wanted);
    if let Some(twice) = names.iter().enumerate().find_map(|(n, name)| names[..n].contains(name).then_some(name)) {
        return Err(format!("line 1: column {twice} appears twice; remove one"));
    }
    let (columns, places) = match (find("a"), find("b"), find("beta"), find("gamma")) {
        (Some(a), Some(b), None, None) => (Columns::Annealer, [a, b]),
        (None, None, Some(beta), Some(gamma)) => (Columns::Both, [beta, gamma]),
        (None, None, None, Some(gamma)) => (Columns::Field, [gamma, gamma]),
        _ => return Err(format!("line 1: {header:?} are the columns; {expected}")),
    };
    let place = match (find("s"), find("t")) {
        (Some(_), Some(_)) => return Err("line 1: both s and t are the place of a row; remove one".to_owned()),
        (s, t) => s.or(t),
    };
    let mut rows: Vec<Row> = Vec::new();
    for (number, line) in lines {
        let found = cells(line, header);
        if found.len() != names.len() {
            let count = (found.len(), names.len());
            return Err(format!("line {number}: has {} cells, not {} as line 1; correct it", count.0, count.1));
        }
        let value = |column: usize| {
            let word = found[column];
            match word.parse::<f64>() {
                Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
                _ => Err(format!("line {number}: {word:?} is not a finite number of at least 0; correct it")),
            }
        };
        let at = place.map_or(Ok(rows.len() as f64), value)?;
        if rows.last().is_some_and(|row| at <= row.0) {
            return Err(format!("line {number}: {} does not increase; sort the rows", names[place.unwrap_or(0)]));
        }
        rows.push((at, [value(places[0])?, value(places[1])?]));
    }
    match rows.is_empty() {
        true => Err("there are no rows after the columns; give one at least".to_owned()),
        false => Ok(Table { columns, rows }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_interpolated() {
        let table =
            parse("# of an annealer\ns,A(s) (GHz),B(s) (GHz),C (normalized)\n0,8,0,0\n0.5,2,3,0\n1,0,12,1\n").unwrap();
        assert_eq!(table.columns, Columns::Annealer);
        assert_eq!(
            [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| table.at(part)),
            [[8.0, 0.0], [5.0, 1.5], [2.0, 3.0], [1.0, 7.5], [0.0, 12.0]]
        );
        let table = parse("t beta gamma\n1 0.5 3\n5 1.5 1\n").unwrap();
        assert_eq!((table.columns, table.at(0.5)), (Columns::Both, [1.0, 2.0]));
        let table = parse("gamma\n4\n2\n1").unwrap();
        assert_eq!((table.columns, table.at(0.25)[0], table.at(1.0)[0]), (Columns::Field, 3.0, 1.0));
        assert_eq!(parse("gamma\n4\n").unwrap().at(0.7), [4.0, 4.0]);
    }

    #[test]
    fn wrong_tables_name_the_line() {
        for (text, why) in [
            ("", "empty"),
            ("beta,A(s)\n1,2\n", "line 1"),
            ("s,gamma\n", "no rows"),
            ("s,gamma\n0,1\n0,2\n", "line 3: s does not increase"),
            ("s,gamma\n0,-1\n", "line 2: \"-1\" is not"),
            ("s,gamma\n0\n", "line 2: has 1 cells, not 2"),
            ("gamma beta\n1 2 99\n", "line 2: has 3 cells, not 2"),
            ("gamma\n3\n1,2\n", "line 3: \"1,2\" is not"),
            ("beta;gamma\n1,5;3,5\n", "line 2: \"1,5\" is not"),
            ("gamma,gamma\n1,2\n", "line 1: column gamma appears twice"),
            ("s,t,gamma\n0,0,1\n", "line 1: both s and t"),
        ] {
            let found = parse(text).err().unwrap();
            assert!(found.contains(why), "{text:?}: {found}");
        }
    }
}
