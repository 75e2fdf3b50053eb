//! Points from a CSV file.

use std::path::Path;

use hotloops::correlation::Psi;

use crate::failure::Failure;
use crate::input::{Lines, fields};

/// The columns of the file.
pub struct Table {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub psi: Vec<Psi>,
    /// The line of each point.
    pub lines: Vec<usize>,
}

/// The columns of an orientation.
enum Orientation {
    None,
    Angle(usize, u32),
    Parts(usize, usize),
}

/// Where orientations come from.
#[derive(Clone, Copy)]
pub enum Source {
    /// Orientations are not used.
    Nowhere,
    /// Columns of the file, with this rotational symmetry.
    Columns(u32),
    /// Computed from the positions; the file must have no columns of orientations.
    Positions,
}

/// Reads the points.
pub fn read(path: &Path, source: Source) -> Result<Table, Failure> {
    parse(path, source).map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))
}

fn parse(path: &Path, source: Source) -> Result<Table, String> {
    let mut lines = Lines::of(path)?;
    let first = lines.next()?.map_or(String::new(), |(_, line)| line.to_owned());
    let header = fields(&first).map_err(|why| format!("line 1: {why}"))?;
    let column = |name: &str| {
        let mut found = header.iter().enumerate().filter(|(_, column)| **column == name).map(|(index, _)| index);
        match (found.next(), found.next()) {
            (Some(_), Some(_)) => Err(format!("the first line names two columns {name}")),
            (found, _) => Ok(found),
        }
    };
    let needed = |name: &str| {
        let columns = header.join(",");
        column(name)?.ok_or_else(|| format!("the first line names no column {name}; it is: {columns}"))
    };
    let (x, y) = (needed("x")?, needed("y")?);
    let orientation = match (source, column("theta")?, column("psi_re")?) {
        (Source::Nowhere, ..) | (Source::Positions, None, None) => Orientation::None,
        (Source::Positions, theta, _) => {
            let named = if theta.is_some() { "theta" } else { "psi_re" };
            return Err(format!("the first line names {named}, but --neighbours computes the orientations"));
        }
        (_, Some(_), Some(_)) => return Err("the first line names both theta and psi_re".to_owned()),
        (Source::Columns(fold), Some(theta), None) => Orientation::Angle(theta, fold),
        (_, None, Some(re)) => Orientation::Parts(re, needed("psi_im")?),
        (_, None, None) => {
            return Err(
                "the first line names neither theta nor psi_re and psi_im; --neighbours computes orientations, \
                        --rdf needs none"
                    .to_owned(),
            );
        }
    };
    let mut table = Table { x: Vec::new(), y: Vec::new(), psi: Vec::new(), lines: Vec::new() };
    while let Some((line_number, line)) = lines.next()? {
        if line.trim().is_empty() {
            continue;
        }
        let at = |why: String| format!("line {line_number}: {why}");
        let record = fields(line).map_err(at)?;
        if record.len() != header.len() {
            return Err(at(format!("has {} fields, but the first line names {}", record.len(), header.len())));
        }
        let number = |index: usize| {
            let (name, word) = (&header[index], record[index]);
            match word.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(number),
                _ => Err(at(format!("{name} = `{word}` is not a finite number"))),
            }
        };
        table.lines.push(line_number);
        table.x.push(number(x)?);
        table.y.push(number(y)?);
        table.psi.push(match orientation {
            Orientation::None => Psi::default(),
            Orientation::Angle(theta, fold) => {
                let theta = number(theta)?;
                Psi::from_angle(theta, fold).map_err(|_| at(format!("theta = {theta} is not an angle in radians")))?
            }
            Orientation::Parts(re, im) => {
                let (re, im) = (number(re)?, number(im)?);
                Psi::new(re, im).map_err(|_| at(format!("psi = {re} + {im} i has a magnitude above 1")))?
            }
        });
    }
    Ok(table)
}

impl Table {
    /// The lengths of the bounding rectangle.
    pub fn extent(&self) -> [f64; 2] {
        [&self.x, &self.y].map(|values| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            values.iter().copied().fold(f64::NEG_INFINITY, f64::max).max(least) - least
        })
    }

    /// The coordinates as integers, if all are integers and at most `most` apart.
    pub fn integers(&self, most: u32) -> Option<(Vec<i32>, Vec<i32>)> {
        let near = self.extent().iter().all(|&extent| extent <= f64::from(most) || extent.is_nan());
        let integers = |values: &[f64]| {
            let integer = |&value: &f64| (f64::from(value as i32) == value).then_some(value as i32);
            values.iter().map(integer).collect::<Option<Vec<i32>>>()
        };
        if near { Some((integers(&self.x)?, integers(&self.y)?)) } else { None }
    }
}
