//! Points from a file.

use std::collections::BTreeMap;
use std::path::Path;

use hotloops::correlation::Psi;

use super::records::{Record, Records};
use crate::failure::{Failure, say};

/// The columns of one frame, or of a file without frames.
#[derive(Default)]
pub struct Table {
    pub frame: Option<i64>,
    /// The periodic box that the file gives.
    pub periods: Option<[f64; 2]>,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub psi: Vec<Psi>,
    /// Orientations of further symmetries.
    pub more: Vec<Vec<Psi>>,
    /// Whether each point has the first and the second of the chosen types; empty if none is chosen.
    pub types: Vec<[bool; 2]>,
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

/// The frames to read.
#[derive(Clone, Copy, PartialEq)]
pub enum Frames {
    /// The only one; the file need not name it.
    Single,
    /// The one of this number.
    Number(i64),
    All,
}

/// Reads the points of the chosen frames, by ascending frame number. Says on standard error that a
/// column `z` is ignored. Two `types` mark the points that have them.
pub fn read(path: &Path, source: Source, frames: Frames, types: Option<&[String; 2]>) -> Result<Vec<Table>, Failure> {
    let file = path.display();
    let (tables, has_z) = parse(path, source, frames, types).map_err(|why| Failure::Input(format!("{file}: {why}")))?;
    if has_z {
        say(format_args!("hotloops: {file}: the column z is ignored; distances are those in the plane of x and y"));
    }
    Ok(tables)
}

/// The corners of a polygon, a file like that of points.
pub fn corners(path: &Path) -> Result<Table, String> {
    let (tables, _) = parse(path, Source::Nowhere, Frames::Single, None)?;
    Ok(tables.into_iter().next().unwrap_or_default())
}

/// The tables, and whether the file has a column `z`.
fn parse(
    path: &Path,
    source: Source,
    frames: Frames,
    types: Option<&[String; 2]>,
) -> Result<(Vec<Table>, bool), String> {
    let mut records = Records::of(path)?;
    let (header, header_at) = (records.header.clone(), records.header_at.clone());
    let column = |name: &str| {
        let mut found =
            header.iter().enumerate().filter(|(_, column)| column.eq_ignore_ascii_case(name)).map(|(index, _)| index);
        match (found.next(), found.next()) {
            (Some(_), Some(_)) => Err(format!("{header_at} names two columns {name}")),
            (found, _) => Ok(found),
        }
    };
    let needed = |name: &str| {
        let columns = header.join(",");
        column(name)?.ok_or_else(|| format!("{header_at} names no column {name}; it is: {columns}"))
    };
    let (x, y) = (needed("x")?, needed("y")?);
    let frame_column = column("frame")?;
    if frame_column.is_none() && !records.has_frames() && frames != Frames::Single {
        return Err(format!("{header_at} names no column frame; --frame, --frames and --average need one"));
    }
    let has_z = column("z")?.is_some();
    let orientation = match (source, column("theta")?, column("psi_re")?) {
        (Source::Nowhere, ..) | (Source::Positions, None, None) => Orientation::None,
        (Source::Positions, theta, _) => {
            let named = if theta.is_some() { "theta" } else { "psi_re" };
            return Err(format!(
                "{header_at} names {named}, but --neighbours, --radius and --voronoi compute the orientations"
            ));
        }
        (_, Some(_), Some(_)) => return Err(format!("{header_at} names both theta and psi_re")),
        (Source::Columns(fold), Some(theta), None) => Orientation::Angle(theta, fold),
        (_, None, Some(re)) => Orientation::Parts(re, needed("psi_im")?),
        (_, None, None) => {
            return Err(format!(
                "{header_at} names neither theta nor psi_re and psi_im; --neighbours, --radius and --voronoi compute \
                 orientations, \
                 --rdf needs none"
            ));
        }
    };
    let type_column = match (types, column("type")?, column("species")?) {
        (None, ..) => None,
        (Some(_), Some(index), _) | (Some(_), None, Some(index)) => Some(index),
        (Some(_), None, None) => return Err(format!("{header_at} names no column type, which --types needs")),
    };
    let mut seen = [false; 2];
    let mut tables = BTreeMap::new();
    // The least and the greatest number of a frame in the file.
    let mut range: Option<(i64, i64)> = None;
    while let Some(Record { line: line_number, words: record, frame: numbered, periods }) = records.next()? {
        let at = |why: String| format!("line {line_number}: {why}");
        if record.len() != header.len() {
            return Err(at(format!("has {} fields, but {header_at} names {}", record.len(), header.len())));
        }
        let number = |index: usize| {
            let (name, word) = (&header[index], record[index]);
            match word.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(number),
                _ => Err(at(format!("{name} = `{word}` is not a finite number"))),
            }
        };
        let frame = match (numbered, frame_column) {
            (Some(frame), _) => Some(frame),
            (None, None) => None,
            (None, Some(index)) => {
                let word = record[index];
                Some(integer(word).ok_or_else(|| at(format!("frame = `{word}` is not an integer")))?)
            }
        };
        if let Some(frame) = frame {
            let (least, greatest) = *range.get_or_insert((frame, frame));
            if frames == Frames::Single && frame != least {
                return Err(at(format!(
                    "frame = {frame}, but the points before have frame = {least}; choose --frame {least}, \
                     --frames all or --average"
                )));
            }
            range = Some((least.min(frame), greatest.max(frame)));
        }
        let (x, y) = (number(x)?, number(y)?);
        let psi = match orientation {
            Orientation::None => Psi::default(),
            Orientation::Angle(theta, fold) => {
                let theta = number(theta)?;
                Psi::from_angle(theta, fold).map_err(|_| at(format!("theta = {theta} is not an angle in radians")))?
            }
            Orientation::Parts(re, im) => {
                let (re, im) = (number(re)?, number(im)?);
                Psi::new(re, im).map_err(|_| at(format!("psi = {re} + {im} i has a magnitude above 1")))?
            }
        };
        if matches!((frames, frame), (Frames::Number(chosen), Some(frame)) if chosen != frame) {
            continue;
        }
        let kinds = type_column.zip(types).map(|(index, types)| [0, 1].map(|side| types[side] == record[index]));
        if let Some(kinds) = kinds {
            seen = [seen[0] || kinds[0], seen[1] || kinds[1]];
        }
        let table: &mut Table = tables.entry(frame).or_insert_with(|| Table { frame, periods, ..Table::default() });
        table.lines.push(line_number);
        table.x.push(x);
        table.y.push(y);
        table.psi.push(psi);
        table.types.extend(kinds);
    }
    if let (Some(types), Some(side)) = (types, seen.iter().position(|&seen| !seen)) {
        return Err(format!("--types: no point has the type {}", types[side]));
    }
    match (frames, range) {
        (Frames::Number(_) | Frames::All, None) => Err("has no points, and so no frames".to_owned()),
        (Frames::Number(chosen), Some((least, greatest))) if tables.is_empty() => {
            Err(format!("--frame {chosen}: no point has this frame; the frames are from {least} to {greatest}"))
        }
        (Frames::Single, None) if tables.is_empty() => Ok((vec![Table::default()], has_z)),
        _ => Ok((tables.into_values().collect(), has_z)),
    }
}

/// An integer, which some programs write as `3.0`.
fn integer(word: &str) -> Option<i64> {
    let of_real = |number: f64| (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64);
    word.parse().ok().or_else(|| of_real(word.parse().ok()?))
}

impl Table {
    /// The points that `keep` chooses by their index.
    pub fn only(&self, keep: impl Fn(usize) -> bool) -> Table {
        self.reordered(&(0..self.x.len()).filter(|&i| keep(i)).collect::<Vec<_>>())
    }

    /// The points of these indices.
    pub fn reordered(&self, kept: &[usize]) -> Table {
        fn of<T: Copy>(values: &[T], kept: &[usize]) -> Vec<T> {
            kept.iter().filter_map(|&i| values.get(i).copied()).collect()
        }
        Table {
            frame: self.frame,
            periods: self.periods,
            x: of(&self.x, kept),
            y: of(&self.y, kept),
            psi: of(&self.psi, kept),
            more: self.more.iter().map(|psi| of(psi, kept)).collect(),
            types: of(&self.types, kept),
            lines: of(&self.lines, kept),
        }
    }

    /// The orientations of one of the symmetries, counted from 0.
    pub fn orientations(&self, symmetry: usize) -> &[Psi] {
        if symmetry == 0 { &self.psi } else { &self.more[symmetry - 1] }
    }

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
