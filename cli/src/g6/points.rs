//! Points from a file.

use std::collections::BTreeMap;
use std::path::Path;

use hotloops::correlation::Psi;

use super::records::{Record, Records, integer};
use crate::input::Lines;

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

impl Frames {
    fn has(self, frame: i64) -> bool {
        !matches!(self, Frames::Number(chosen) if chosen != frame)
    }
}

/// How a record is read.
#[derive(Clone, Copy, PartialEq)]
pub enum Action {
    Keep,
    /// Its numbers are read, and the record is dropped.
    Check,
    Skip,
}

/// The corners of a polygon, a file like that of points.
pub fn corners(path: &Path) -> Result<Table, String> {
    Parser::new(Lines::of(path)?, Source::Nowhere, Frames::Single, None)?.read_one()
}

/// Reads frames from a file.
pub struct Parser<'a> {
    pub records: Records,
    header: Vec<String>,
    header_at: String,
    frames: Frames,
    types: Option<&'a [String; 2]>,
    x: usize,
    y: usize,
    pub frame_column: Option<usize>,
    orientation: Orientation,
    type_column: Option<usize>,
    /// Whether there is a column `z`, which is ignored.
    pub has_z: bool,
    /// The least and the greatest number of a frame among the records so far.
    range: Option<(i64, i64)>,
}

impl<'a> Parser<'a> {
    /// Reads the names of the columns. Two `types` mark the points that have them.
    pub fn new(lines: Lines, source: Source, frames: Frames, types: Option<&'a [String; 2]>) -> Result<Self, String> {
        let records = Records::of(lines)?;
        let (header, header_at) = (&records.header, &records.header_at);
        let column = |name: &str| {
            let mut found = header
                .iter()
                .enumerate()
                .filter(|(_, column)| column.eq_ignore_ascii_case(name))
                .map(|(index, _)| index);
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
        let (header, header_at) = (header.clone(), header_at.clone());
        Ok(Parser {
            records,
            header,
            header_at,
            frames,
            types,
            x,
            y,
            frame_column,
            orientation,
            type_column,
            has_z,
            range: None,
        })
    }

    /// The frames in the records that end at most at the byte `end`, by ascending number. `by_frame` says
    /// what to do with a record.
    pub fn read(&mut self, end: u64, by_frame: impl Fn(i64) -> Action) -> Result<Vec<Table>, String> {
        let mut tables = BTreeMap::new();
        let (header, header_at) = (&self.header, &self.header_at);
        while self.records.end() < end
            && let Some(Record { line: line_number, words: record, frame: numbered, periods }) = self.records.next()?
        {
            let at = |why: String| format!("line {line_number}: {why}");
            if record.len() != header.len() {
                return Err(at(format!("has {} fields, but {header_at} names {}", record.len(), header.len())));
            }
            let frame = match (numbered, self.frame_column) {
                (Some(frame), _) => Some(frame),
                (None, None) => None,
                (None, Some(index)) => {
                    let word = record[index];
                    Some(integer(word).ok_or_else(|| at(format!("frame = `{word}` is not an integer")))?)
                }
            };
            let action = frame.map_or(Action::Keep, &by_frame);
            if action == Action::Skip {
                continue;
            }
            if let Some(frame) = frame {
                let (least, greatest) = *self.range.get_or_insert((frame, frame));
                if self.frames == Frames::Single && frame != least {
                    return Err(at(format!(
                        "frame = {frame}, but the points before have frame = {least}; choose --frame {least}, \
                         --frames all or --average"
                    )));
                }
                self.range = Some((least.min(frame), greatest.max(frame)));
            }
            let at = |why: String| at(in_frame(frame, why));
            let number = |index: usize| {
                let (name, word) = (&header[index], record[index]);
                match word.parse::<f64>() {
                    Ok(number) if number.is_finite() => Ok(number),
                    _ => Err(at(format!("{name} = `{word}` is not a finite number"))),
                }
            };
            let (x, y) = (number(self.x)?, number(self.y)?);
            let psi = match self.orientation {
                Orientation::None => Psi::default(),
                Orientation::Angle(theta, fold) => {
                    let theta = number(theta)?;
                    Psi::from_angle(theta, fold)
                        .map_err(|_| at(format!("theta = {theta} is not an angle in radians")))?
                }
                Orientation::Parts(re, im) => {
                    let (re, im) = (number(re)?, number(im)?);
                    Psi::new(re, im).map_err(|_| at(format!("psi = {re} + {im} i has a magnitude above 1")))?
                }
            };
            if action == Action::Check {
                continue;
            }
            let kinds =
                self.type_column.zip(self.types).map(|(index, types)| [0, 1].map(|side| types[side] == record[index]));
            let table: &mut Table = tables.entry(frame).or_insert_with(|| Table { frame, periods, ..Table::default() });
            table.lines.push(line_number);
            table.x.push(x);
            table.y.push(y);
            table.psi.push(psi);
            table.types.extend(kinds);
        }
        Ok(tables.into_values().collect())
    }

    /// The only frame, or the chosen one.
    pub fn read_one(&mut self) -> Result<Table, String> {
        let frames = self.frames;
        let by_frame = |frame| if frames.has(frame) { Action::Keep } else { Action::Check };
        let table = self.read(u64::MAX, by_frame)?.pop();
        match (frames, self.range) {
            (Frames::Number(_), None) => Err(NO_FRAMES.to_owned()),
            (Frames::Number(chosen), Some((least, greatest))) if table.is_none() => {
                Err(format!("--frame {chosen}: no point has this frame; the frames are from {least} to {greatest}"))
            }
            _ => Ok(table.unwrap_or_default()),
        }
    }
}

/// A message about a frame.
pub fn in_frame(frame: Option<i64>, why: String) -> String {
    match frame {
        Some(frame) => format!("frame {frame}: {why}"),
        None => why,
    }
}

pub const NO_FRAMES: &str = "has no points, and so no frames";

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
