//! Points from a file.

use std::collections::BTreeMap;
use std::path::Path;

use hotloops::correlation::Psi;
use serde::{Deserialize, Serialize};

use super::frames::{Column, Frame, Frames, column};
use super::names::{self, Chosen, bare, only, unit};
use super::numbers::{Marks, Value};
use super::records::{FileBox, Records};
use crate::input::Lines;

/// The columns of one frame, or of a file without frames.
#[derive(Default)]
pub struct Table {
    pub frame: Option<Frame>,
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
    /// The lines that lack a number, which are left out.
    pub missing: Missing,
}

/// Lines that are left out because a number is missing.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub struct Missing {
    pub lines: usize,
    /// The first of them.
    pub first: usize,
}

impl Missing {
    /// Adds others, the first of which may come before.
    pub fn add(&mut self, other: Missing) {
        self.first = match (self.lines, other.lines) {
            (0, _) => other.first,
            (_, 0) => self.first,
            _ => self.first.min(other.first),
        };
        self.lines += other.lines;
    }
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
    /// Computed from the positions. Unless they are ignored, the file must have no columns of orientations.
    Positions { ignores_columns: bool },
}

/// How a file is read.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    pub source: Source,
    pub frames: Frames,
    /// Two types mark the points that have them.
    pub types: Option<&'a [String; 2]>,
    pub file_box: FileBox,
    pub frame_column: Option<&'a str>,
    pub columns: Option<&'a Chosen>,
    /// Whether a missing number is an error.
    pub is_strict: bool,
}

impl Reading<'_> {
    /// Positions of a single frame.
    pub const POSITIONS: Self = Reading {
        source: Source::Nowhere,
        frames: Frames::Single,
        types: None,
        file_box: FileBox::Replaced,
        frame_column: None,
        columns: None,
        is_strict: true,
    };
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
    Parser::new(Lines::of(path)?, Reading::POSITIONS)?.read_one()
}

/// Reads frames from a file.
pub struct Parser<'a> {
    pub records: Records,
    header: Vec<String>,
    header_at: String,
    reading: Reading<'a>,
    x: usize,
    y: usize,
    pub frame_column: Option<Column>,
    orientation: Orientation,
    type_column: Option<usize>,
    marks: Marks,
    /// Notes on ignored input that might matter.
    notes: Vec<String>,
    /// The first and the last frame among the records so far.
    range: Option<(Frame, Frame)>,
}

/// Units of angles, as in `theta [rad]`.
const RADIANS: [&str; 4] = ["", "rad", "radian", "radians"];

impl Orientation {
    /// The columns among those of a file; `column` finds one by its name.
    fn of(
        source: Source,
        header: &[String],
        header_at: &str,
        column: impl Fn(&str) -> Result<Option<usize>, String>,
    ) -> Result<Self, String> {
        let why = match (source, column("theta")?, column("psi_re")?) {
            (Source::Nowhere, ..) | (Source::Positions { .. }, None, None) => return Ok(Orientation::None),
            (Source::Positions { ignores_columns: true }, ..) => return Ok(Orientation::None),
            (Source::Positions { .. }, theta, _) => {
                let named = if theta.is_some() { "theta" } else { "psi_re" };
                format!(
                    "names {named}, but --neighbours, --radius and --voronoi compute the orientations; leave them out, \
                     or give --ignore-theta"
                )
            }
            (_, Some(_), Some(_)) => "names both theta and psi_re; leave one of them out".to_owned(),
            (Source::Columns(fold), Some(theta), None) => {
                let name = &header[theta];
                if RADIANS.contains(&unit(name).to_ascii_lowercase().as_str()) {
                    return Ok(Orientation::Angle(theta, fold));
                }
                format!("names {name}, but angles are in radians; convert them, and call the column theta")
            }
            (_, None, Some(re)) => match column("psi_im")? {
                Some(im) => return Ok(Orientation::Parts(re, im)),
                None => format!("names no column psi_im; it is: {}; call the column psi_im", header.join(",")),
            },
            (_, None, None) => {
                "names neither theta nor psi_re and psi_im; --neighbours, --radius and --voronoi compute \
                                orientations, --rdf needs none"
                    .to_owned()
            }
        };
        Err(format!("{header_at} {why}"))
    }

    /// The orientation of a record. `number` reads a column, and `at` names the record in a message.
    fn psi(
        &self,
        mut number: impl FnMut(usize) -> Result<f64, String>,
        at: impl Fn(String) -> String,
    ) -> Result<Psi, String> {
        match *self {
            Orientation::None => Ok(Psi::default()),
            Orientation::Angle(theta, fold) => {
                let theta = number(theta)?;
                Psi::from_angle(theta, fold).map_err(|_| at(format!("theta = {theta} is not an angle in radians")))
            }
            Orientation::Parts(re, im) => {
                let (re, im) = (number(re)?, number(im)?);
                Psi::new(re, im).map_err(|_| at(format!("psi = {re} + {im} i has a magnitude above 1")))
            }
        }
    }
}

impl<'a> Parser<'a> {
    /// Reads the names of the columns.
    pub fn new(lines: Lines, reading: Reading<'a>) -> Result<Self, String> {
        let Reading { source, frames, types, .. } = reading;
        let mut records = Records::of(lines, reading.file_box)?;
        let mut notes = Vec::new();
        if records.is_unnamed && records.header.len() == 2 && reading.columns.is_none() {
            records.header = vec!["x".to_owned(), "y".to_owned()];
            notes.push("no line names the columns; the first is taken as x, the second as y".to_owned());
        }
        let (header, header_at) = (&records.header, &records.header_at);
        let at = |why: String| match records.is_unnamed {
            true => format!("the columns have no names; number them, as in --columns x=1,y=2: the first line {why}"),
            false => format!("{header_at} {why}"),
        };
        let none = Chosen::default();
        let chosen = reading.columns.unwrap_or(&none);
        let column = |name: &str| match chosen.index(name, header).map_err(at)? {
            None => only(header, name, |column| bare(column) == name).map_err(at),
            index => Ok(index),
        };
        let [x, y] = names::positions(header, chosen).map_err(at)?;
        let frame_index = chosen.index("frame", header).map_err(at)?;
        let (frame_column, unused) = match (records.has_frames(), frame_index) {
            (true, _) => (None, Vec::new()),
            (false, Some(index)) => (Some(Column { index, is_time: true }), Vec::new()),
            (false, None) => self::column(header, reading.frame_column).map_err(at)?,
        };
        if frame_column.is_none() && !records.has_frames() && frames != Frames::Single {
            return Err(format!(
                "{header_at} names no column frame; --frame, --frames and --average need one, or --frame-column NAME"
            ));
        }
        if column("z")?.is_some() {
            notes.push("the column z is ignored; distances are those in the plane of x and y".to_owned());
        }
        let unused = unused.into_iter();
        notes.extend(
            unused.map(|name| format!("the column {name} is ignored; if it numbers frames, give --frame-column")),
        );
        let orientation = Orientation::of(source, header, header_at, column)?;
        let type_column = match (types, column("type")?, column("species")?) {
            (None, ..) => None,
            (Some(_), Some(index), _) | (Some(_), None, Some(index)) => Some(index),
            (Some(_), None, None) => {
                return Err(format!(
                    "{header_at} names no column type, which --types needs; rename the column of the types to type"
                ));
            }
        };
        let (header, header_at) = (header.clone(), header_at.clone());
        let marks = Marks::new(records.allows_commas());
        Ok(Parser {
            records,
            header,
            header_at,
            reading,
            x,
            y,
            frame_column,
            orientation,
            type_column,
            marks,
            notes,
            range: None,
        })
    }

    /// The frames in the records that end at most at the byte `end`, by ascending number. `by_frame` says
    /// what to do with a record.
    pub fn read(&mut self, end: u64, by_frame: impl Fn(Frame) -> Action) -> Result<Vec<Table>, String> {
        let mut tables = BTreeMap::new();
        let (header, header_at) = (&self.header, &self.header_at);
        while self.records.end() < end
            && let Some(line) = self.records.next()?
        {
            let (line_number, record) = (line.line, &line.words);
            let at = |why: String| format!("line {line_number}: {why}");
            if record.len() != header.len() {
                return Err(at(format!("has {} fields, but {header_at} names {}", record.len(), header.len())));
            }
            let frame = match (line.frame, self.frame_column) {
                (Some(frame), _) => Some(frame),
                (None, None) => None,
                (None, Some(column)) => {
                    let (name, word) = (&header[column.index], record[column.index]);
                    let kind = if column.is_time { "a finite number" } else { "an integer" };
                    let number = column.number(word);
                    let number = number.ok_or_else(|| at(format!("{name} = `{word}` is not {kind}")))?;
                    Some(Frame { number, record: 0 })
                }
            };
            let action = frame.map_or(Action::Keep, &by_frame);
            if action == Action::Skip {
                continue;
            }
            if let Some(frame) = frame {
                let (least, greatest) = *self.range.get_or_insert((frame, frame));
                if self.reading.frames == Frames::Single && frame != least {
                    let name = self.frame_column.map_or("frame", |column| &header[column.index]);
                    let not_frames =
                        self.frame_column.map_or("", |_| "; --frame-column none takes all points together");
                    let before = match frame.number == least.number {
                        true => "and begins again here".to_owned(),
                        false => format!("but the points before have {name} = {least}"),
                    };
                    return Err(at(format!(
                        "{name} = {frame}, {before}; choose --frame {least}, --frames or --average{not_frames}"
                    )));
                }
                self.range = Some((least.min(frame), greatest.max(frame)));
            }
            let at = |why: String| at(in_frame(frame, why));
            let may_be_left_out = !self.reading.is_strict && line.frame.is_none();
            let mut has_all = true;
            let mut number = |index: usize| {
                let (name, word) = (&header[index], record[index]);
                match self.marks.read(word) {
                    Ok(Value::Number(number)) => Ok(number),
                    Ok(Value::Missing) if may_be_left_out => {
                        has_all = false;
                        Ok(0.0)
                    }
                    Ok(Value::Missing) => Err(at(format!("{name} = `{word}` is not a finite number"))),
                    Err(why) => Err(at(format!("{name} = `{word}` {why}"))),
                }
            };
            let (x, y) = (line.position(0, number(self.x)?), line.position(1, number(self.y)?));
            let psi = self.orientation.psi(number, at)?;
            if action == Action::Check {
                continue;
            }
            let kinds = self
                .type_column
                .zip(self.reading.types)
                .map(|(index, types)| [0, 1].map(|side| types[side] == record[index]));
            let table: &mut Table =
                tables.entry(frame).or_insert_with(|| Table { frame, periods: line.periods, ..Table::default() });
            if !has_all {
                table.missing.add(Missing { lines: 1, first: line_number });
                continue;
            }
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
        let frames = self.reading.frames;
        let by_frame = |frame| if frames.has(frame) { Action::Keep } else { Action::Check };
        let mut tables = self.read(u64::MAX, by_frame)?;
        let Frames::Number(chosen) = frames else { return Ok(tables.pop().unwrap_or_default()) };
        let (least, greatest) = self.range.ok_or(NO_FRAMES)?;
        match (tables.len(), chosen.nth) {
            (0, _) => {
                Err(format!("--frame {chosen}: no point has this frame; the frames are from {least} to {greatest}"))
            }
            (several @ 2.., None) => Err(format!(
                "--frame {chosen}: {several} frames have this number; choose --frame {chosen}:1, {chosen}:2 .."
            )),
            (count, nth) => match nth.unwrap_or(1) {
                nth if nth > count => Err(format!(
                    "--frame {chosen}: the file has {count} frames of this number; choose --frame N:1 to N:{count}"
                )),
                nth => Ok(tables.swap_remove(nth - 1)),
            },
        }
    }

    /// Notes on ignored input that might matter, among the lines read so far.
    pub fn notes(&self) -> impl Iterator<Item = &String> {
        self.notes.iter().chain(&self.records.notes)
    }
}

/// A message about a frame.
pub fn in_frame(frame: Option<Frame>, why: String) -> String {
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
            missing: self.missing,
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
}
