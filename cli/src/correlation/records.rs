//! Records of points in the text formats of laboratories and simulators.
//!
//! | format | told by | frame | box |
//! |---|---|---|---|
//! | columns, separated by `,`, `;`, tabs or blanks | anything else | column `frame` | |
//! | LAMMPS dump | the first line begins with `ITEM:` | each record, numbered by its timestep | `BOX BOUNDS`, if `pp` |
//! | XYZ, also extended | the first line is one integer | from 0 on | `Lattice="..."`, unless `pbc` says no |
//!
//! Tables of spots by TrackMate call the columns `POSITION_X` and `POSITION_Y` and have three more lines of names.
//!
//! Lines that begin with `#` or `%` are comments. If the first other line has only numbers, the comment above
//! it may name the columns, as in files of numpy's `savetxt`.

mod lammps;
mod trackmate;
mod xyz;

use super::frames::{self, Column, Number};
use super::numbers::number;
use crate::input::{Lines, Place, fields, trimmed};

/// Whether the periodic boxes of a file are used, or replaced by `--box` or `--mask`.
#[derive(Clone, Copy, PartialEq)]
pub enum FileBox {
    Used,
    Replaced,
}

/// How a line of comments begins.
const COMMENT: [char; 2] = ['#', '%'];

/// The remedy for a box that cannot be used.
const TO_REPLACE: &str = "; give --box X,Y for a periodic plane, or --box open";

pub struct Records {
    lines: Lines,
    layout: Layout,
    file_box: FileBox,
    /// The names of the columns.
    pub header: Vec<String>,
    /// Where the names are, for messages.
    pub header_at: String,
    /// Whether no line names them, and the first one has numbers. Their names are 1, 2 ..
    pub is_unnamed: bool,
    /// Whether `Properties` of an XYZ file names them.
    has_properties: bool,
    /// Notes on ignored input that might matter.
    pub notes: Vec<String>,
    /// The number and the text of the current line.
    line: (usize, String),
    /// Whether the current line is yet to be returned as a record.
    is_pending: bool,
    frame: Frame,
    /// The column `frame` of the last record that was skimmed.
    skimmed: Skimmed,
}

#[derive(Clone, Copy, PartialEq)]
enum Layout {
    Columns(Separator),
    Lammps,
    Xyz,
}

#[derive(Clone, Copy, PartialEq)]
enum Separator {
    Comma,
    Char(char),
    Blanks,
}

/// The number and the periods of a frame that has them, and its records that are left.
#[derive(Clone, Copy, Default)]
struct Frame {
    number: Option<i64>,
    periods: Option<[f64; 2]>,
    left: usize,
    /// Its first line.
    begin: Place,
    /// The origin and the length of each axis if positions are in units of the box.
    scale: Option<[[f64; 2]; 2]>,
}

/// A word and the number that it is.
struct Skimmed {
    word: String,
    number: Number,
}

/// Records of the same frame in successive lines, whose numbers have not been read.
pub struct Run {
    pub frame: frames::Frame,
    pub records: usize,
    /// Where [`Records::go_to`] begins.
    pub begin: Place,
    /// The end of the last record.
    pub end: u64,
}

pub struct Record<'a> {
    pub line: usize,
    pub words: Vec<&'a str>,
    pub frame: Option<frames::Frame>,
    pub periods: Option<[f64; 2]>,
    scale: Option<[[f64; 2]; 2]>,
}

impl Record<'_> {
    /// A position along an axis, from the number in its column.
    pub fn position(&self, axis: usize, number: f64) -> f64 {
        self.scale.map_or(number, |scale| scale[axis][0] + scale[axis][1] * number)
    }
}

impl Separator {
    /// The separator of a line, and whether its words are numbers: then commas may be their decimal marks.
    fn of_numbers(line: &str) -> (Self, bool) {
        let likely = Separator::of(line);
        let others = [Separator::Char(';'), Separator::Char('\t'), Separator::Blanks];
        let are_numbers = |separator: &Separator| {
            let is_number = |word: &&str| ['.', ','].into_iter().any(|mark| number(word, mark).is_some());
            separator.split(line).is_ok_and(|words| words.iter().all(is_number))
        };
        let found = [likely].into_iter().chain(others).find(are_numbers);
        (found.unwrap_or(likely), found.is_some())
    }

    fn of(line: &str) -> Self {
        match line {
            _ if line.contains(',') => Separator::Comma,
            _ if line.contains(';') => Separator::Char(';'),
            _ if line.contains('\t') => Separator::Char('\t'),
            _ if line.trim().contains(' ') => Separator::Blanks,
            _ => Separator::Comma,
        }
    }

    fn split(self, line: &str) -> Result<Vec<&str>, String> {
        match self {
            Separator::Comma => fields(line),
            Separator::Char(char) => Ok(line.split(char).map(|word| word.trim().trim_matches('"')).collect()),
            Separator::Blanks => Ok(line.split_whitespace().collect()),
        }
    }

    /// The word of this index among those of `split`, if there is one.
    fn word(self, line: &str, index: usize) -> Option<&str> {
        match self {
            Separator::Comma if line.contains('"') => fields(line).ok()?.get(index).copied(),
            Separator::Comma => line.split(',').nth(index).map(trimmed),
            Separator::Char(char) => line.split(char).nth(index).map(|word| word.trim().trim_matches('"')),
            Separator::Blanks => line.split_whitespace().nth(index),
        }
    }
}

impl Records {
    pub fn of(lines: Lines, file_box: FileBox) -> Result<Self, String> {
        let mut records = Records {
            lines,
            layout: Layout::Columns(Separator::Comma),
            file_box,
            header: Vec::new(),
            header_at: "the first line".to_owned(),
            is_unnamed: false,
            has_properties: false,
            notes: Vec::new(),
            line: (0, String::new()),
            is_pending: false,
            frame: Frame::default(),
            skimmed: Skimmed { word: String::new(), number: Number::Whole(0) },
        };
        let mut comment = None;
        while records.advance()? {
            let text = &records.line.1;
            if let Some(text) = text.strip_prefix(COMMENT) {
                comment = Some((records.line.0, text.to_owned()));
                continue;
            }
            if text.starts_with("ITEM:") {
                records.layout = Layout::Lammps;
                records.lammps_frame()?;
            } else if text.trim().parse::<usize>().is_ok() {
                records.layout = Layout::Xyz;
                records.xyz_frame()?;
                if !records.has_properties {
                    records.plain_xyz()?;
                }
            } else {
                records.columns(comment)?;
            }
            break;
        }
        Ok(records)
    }

    /// Whether numbers may have decimal commas.
    pub fn allows_commas(&self) -> bool {
        matches!(self.layout, Layout::Columns(separator) if separator != Separator::Comma)
    }

    /// Whether the format numbers its frames.
    pub fn has_frames(&self) -> bool {
        !matches!(self.layout, Layout::Columns(_))
    }

    /// The next record that is no comment and not empty.
    pub fn next(&mut self) -> Result<Option<Record<'_>>, String> {
        loop {
            if !std::mem::take(&mut self.is_pending) && !self.advance()? {
                return match self.frame.left {
                    0 => Ok(None),
                    left => {
                        let line = self.frame.begin.lines + 1;
                        Err(format!("ends {left} points too early, in the frame that begins in line {line}"))
                    }
                };
            }
            let text = trimmed(&self.line.1);
            match self.layout {
                Layout::Columns(_) if text.is_empty() || text.starts_with(COMMENT) => {}
                Layout::Columns(_) => break,
                _ if self.frame.left > 0 => {
                    self.frame.left -= 1;
                    break;
                }
                _ if text.is_empty() => {}
                Layout::Lammps => self.lammps_frame()?,
                Layout::Xyz => self.xyz_frame()?,
            }
        }
        let frame = self.numbered();
        let ((line, text), Frame { periods, scale, .. }) = (&self.line, self.frame);
        let words = match self.layout {
            Layout::Columns(separator) => separator.split(text).map_err(|why| format!("line {line}: {why}"))?,
            _ => text.split_whitespace().collect(),
        };
        Ok(Some(Record { line: *line, words, frame, periods, scale }))
    }

    /// The current frame of a format that numbers its frames.
    fn numbered(&self) -> Option<frames::Frame> {
        // Timesteps may repeat.
        let record = if self.layout == Layout::Lammps { self.frame.begin.bytes } else { 0 };
        Some(frames::Frame { number: Number::Whole(self.frame.number?), record })
    }

    /// The next records of one frame, in a format that numbers its frames or has this column of them. Skips
    /// them without reading their numbers. `Err` if the file is wrong; [`next`](Self::next) finds the line
    /// that is.
    pub fn skim(&mut self, column: Option<Column>) -> Result<Option<Run>, String> {
        let (Layout::Columns(separator), Some(column)) = (self.layout, column) else { return self.skim_frame() };
        if !std::mem::take(&mut self.is_pending) && !self.advance()? {
            return Ok(None);
        }
        let mut run: Option<Run> = None;
        loop {
            let text = trimmed(&self.line.1);
            if !text.is_empty() && !text.starts_with(COMMENT) {
                let word = separator.word(text, column.index).ok_or_else(|| self.at("has no frame"))?;
                if run.is_none() || word != self.skimmed.word {
                    let number = column.number(word).ok_or_else(|| self.at("its frame is no number"))?;
                    self.skimmed.number = number;
                    word.clone_into(&mut self.skimmed.word);
                    if run.as_ref().is_some_and(|run| run.frame.number != number) {
                        self.is_pending = true;
                        return Ok(run);
                    }
                }
                let frame = frames::Frame { number: self.skimmed.number, record: 0 };
                let begin = self.lines.last();
                let run = run.get_or_insert(Run { frame, records: 0, begin, end: 0 });
                run.records += 1;
                run.end = self.lines.place().bytes;
            }
            if !self.advance()? {
                return Ok(run);
            }
        }
    }

    /// [`skim`](Self::skim) in a format that numbers its frames.
    fn skim_frame(&mut self) -> Result<Option<Run>, String> {
        while self.frame.left == 0 {
            if !self.advance()? {
                return Ok(None);
            }
            match self.layout {
                _ if self.line.1.trim().is_empty() => {}
                Layout::Xyz => self.xyz_frame()?,
                _ => self.lammps_frame()?,
            }
        }
        let Frame { left, begin, .. } = self.frame;
        let read = usize::from(std::mem::take(&mut self.is_pending));
        if self.lines.skip(left - read)? < left - read {
            return Err("ends too early".to_owned());
        }
        self.frame.left = 0;
        let frame = self.numbered().expect("a format that numbers its frames");
        Ok(Some(Run { frame, records: left, begin, end: self.lines.place().bytes }))
    }

    /// Continues at the first line of a frame, or at the beginning of a line of columns.
    pub fn go_to(&mut self, place: Place, frame: Number) -> Result<(), String> {
        self.is_pending = false;
        self.frame = Frame::default();
        if self.layout == Layout::Xyz {
            self.frame.number = frame.whole().and_then(|number| number.checked_sub(1));
        }
        self.lines.go_to(place)
    }

    /// Whether [`go_to`](Self::go_to) skips lines without reading them.
    pub fn can_skip(&self) -> bool {
        self.lines.can_skip()
    }

    /// The lines, from the first one on.
    pub fn restart(mut self) -> Result<Lines, String> {
        self.lines.go_to(Place::default())?;
        Ok(self.lines)
    }

    /// Bytes up to the end of the last record.
    pub fn end(&self) -> u64 {
        self.lines.place().bytes
    }

    /// Reads the next line. Returns whether there is one.
    fn advance(&mut self) -> Result<bool, String> {
        let Some((number, text)) = self.lines.next()? else { return Ok(false) };
        self.line.0 = number;
        self.line.1.clear();
        self.line.1.push_str(text);
        Ok(true)
    }

    /// [`advance`](Self::advance) to a line that must exist.
    fn needed(&mut self, what: &str) -> Result<(), String> {
        if self.advance()? { Ok(()) } else { Err(format!("ends before {what}")) }
    }

    fn at(&self, why: &str) -> String {
        format!("line {}: {why}", self.line.0)
    }

    /// Takes the current line as the names of columns, or as the first record if a comment has the
    /// names.
    fn columns(&mut self, comment: Option<(usize, String)>) -> Result<(), String> {
        let (separator, are_numbers) = Separator::of_numbers(&self.line.1);
        self.layout = Layout::Columns(separator);
        let words = separator.split(&self.line.1).map_err(|why| self.at(&why))?;
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        let names = |line: &str| -> Vec<String> {
            let words = Separator::of(line).split(line).unwrap_or_default();
            words.into_iter().map(str::to_owned).collect()
        };
        let has = |header: &[String], name: &str| header.iter().any(|column| column.eq_ignore_ascii_case(name));
        match comment.map(|(number, text)| (number, names(&text))) {
            Some((number, header)) if are_numbers && has(&header, "x") && has(&header, "y") => {
                self.header = header;
                self.header_at = format!("line {number}");
                self.is_pending = true;
            }
            _ if are_numbers => {
                // As pandas names columns that have no names.
                if words.iter().enumerate().all(|(index, word)| *word == index.to_string()) {
                    let line = words.join(",");
                    return Err(
                        self.at(&format!("`{line}` may be the names of columns or a point; name them above it"))
                    );
                }
                self.header = (1..=words.len()).map(|column| column.to_string()).collect();
                (self.is_unnamed, self.is_pending) = (true, true);
            }
            _ => {
                self.header = words;
                if self.line.0 > 1 {
                    self.header_at = format!("line {}", self.line.0);
                }
                self.trackmate(separator)?;
            }
        }
        Ok(())
    }
}
