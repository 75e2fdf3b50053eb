//! Records of points in the text formats of laboratories and simulators.
//!
//! | format | told by | frame | box |
//! |---|---|---|---|
//! | columns, separated by `,`, `;`, tabs or blanks | anything else | column `frame` | |
//! | LAMMPS dump | the first line begins with `ITEM:` | the timestep | `BOX BOUNDS`, if `pp` |
//! | XYZ, also extended | the first line is one integer | from 0 on | `Lattice="..."` |
//!
//! Lines that begin with `#` are comments. If the first other line has only numbers, the comment above
//! it may name the columns, as in files of numpy's `savetxt`.

use crate::input::{Lines, Place, fields, trimmed};

pub struct Records {
    lines: Lines,
    layout: Layout,
    /// The names of the columns.
    pub header: Vec<String>,
    /// Where the names are, for messages.
    pub header_at: String,
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
}

/// A word and the integer that it is.
#[derive(Default)]
struct Skimmed {
    word: String,
    number: i64,
}

/// Records of the same frame in successive lines, whose numbers have not been read.
pub struct Run {
    pub frame: i64,
    pub records: usize,
    /// Where [`Records::go_to`] begins.
    pub begin: Place,
    /// The end of the last record.
    pub end: u64,
}

pub struct Record<'a> {
    pub line: usize,
    pub words: Vec<&'a str>,
    pub frame: Option<i64>,
    pub periods: Option<[f64; 2]>,
}

impl Separator {
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

    /// One of the words of `split`, if there are so many.
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
    pub fn of(lines: Lines) -> Result<Self, String> {
        let mut records = Records {
            lines,
            layout: Layout::Columns(Separator::Comma),
            header: Vec::new(),
            header_at: "the first line".to_owned(),
            line: (0, String::new()),
            is_pending: false,
            frame: Frame::default(),
            skimmed: Skimmed::default(),
        };
        let mut comment = None;
        while records.advance()? {
            let text = &records.line.1;
            if let Some(text) = text.strip_prefix('#') {
                comment = Some((records.line.0, text.to_owned()));
                continue;
            }
            if text.starts_with("ITEM:") {
                records.layout = Layout::Lammps;
                records.lammps_frame()?;
            } else if text.trim().parse::<usize>().is_ok() {
                records.layout = Layout::Xyz;
                records.xyz_frame()?;
                let names = ["species", "x", "y", "z"].map(str::to_owned).into_iter();
                let others = (4..).map(|column| format!("column {}", column + 1));
                if records.frame.left > 0 && records.advance()? {
                    records.is_pending = true;
                    records.header = names.chain(others).take(records.line.1.split_whitespace().count()).collect();
                } else {
                    records.header = names.collect();
                }
                records.header_at = "the format XYZ".to_owned();
            } else {
                records.columns(comment)?;
            }
            break;
        }
        Ok(records)
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
                    left => Err(format!("ends {left} points too early")),
                };
            }
            let text = trimmed(&self.line.1);
            match self.layout {
                Layout::Columns(_) if text.is_empty() || text.starts_with('#') => {}
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
        let ((line, text), Frame { number: frame, periods, .. }) = (&self.line, self.frame);
        let words = match self.layout {
            Layout::Columns(separator) => separator.split(text).map_err(|why| format!("line {line}: {why}"))?,
            _ => text.split_whitespace().collect(),
        };
        Ok(Some(Record { line: *line, words, frame, periods }))
    }

    /// The next records of one frame, in a format that numbers its frames or has this column of them. Skips
    /// them without reading their numbers. `Err` if the file is wrong; [`next`](Self::next) finds the line
    /// that is.
    pub fn skim(&mut self, column: Option<usize>) -> Result<Option<Run>, String> {
        let (Layout::Columns(separator), Some(column)) = (self.layout, column) else { return self.skim_frame() };
        if !std::mem::take(&mut self.is_pending) && !self.advance()? {
            return Ok(None);
        }
        let mut run: Option<Run> = None;
        loop {
            let text = trimmed(&self.line.1);
            if !text.is_empty() && !text.starts_with('#') {
                let word = separator.word(text, column).ok_or_else(|| self.at("has no frame"))?;
                if run.is_none() || word != self.skimmed.word {
                    let number = integer(word).ok_or_else(|| self.at("its frame is not an integer"))?;
                    self.skimmed.number = number;
                    word.clone_into(&mut self.skimmed.word);
                    if run.as_ref().is_some_and(|run| run.frame != number) {
                        self.is_pending = true;
                        return Ok(run);
                    }
                }
                let (frame, begin) = (self.skimmed.number, self.lines.last());
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
        let Frame { number, left, begin, .. } = self.frame;
        let read = usize::from(std::mem::take(&mut self.is_pending));
        if self.lines.skip(left - read)? < left - read {
            return Err("ends too early".to_owned());
        }
        self.frame.left = 0;
        let frame = number.expect("a format that numbers its frames");
        Ok(Some(Run { frame, records: left, begin, end: self.lines.place().bytes }))
    }

    /// Continues at the first line of a frame, or at the beginning of a line of columns.
    pub fn go_to(&mut self, place: Place, frame: i64) -> Result<(), String> {
        self.is_pending = false;
        self.frame = Frame::default();
        if self.layout == Layout::Xyz {
            self.frame.number = frame.checked_sub(1);
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
        let text = &self.line.1;
        let separator = Separator::of(text);
        self.layout = Layout::Columns(separator);
        let words = separator.split(text).map_err(|why| self.at(&why))?;
        let names = |line: &str| -> Vec<String> {
            let words = Separator::of(line).split(line).unwrap_or_default();
            words.into_iter().map(str::to_owned).collect()
        };
        let are_numbers = words.iter().all(|word| word.parse::<f64>().is_ok());
        let has = |header: &[String], name: &str| header.iter().any(|column| column.eq_ignore_ascii_case(name));
        match comment.map(|(number, text)| (number, names(&text))) {
            Some((number, header)) if are_numbers && has(&header, "x") && has(&header, "y") => {
                self.header = header;
                self.header_at = format!("line {number}");
                self.is_pending = true;
            }
            _ => {
                self.header = words.into_iter().map(str::to_owned).collect();
                if self.line.0 > 1 {
                    self.header_at = format!("line {}", self.line.0);
                }
            }
        }
        Ok(())
    }

    /// Reads the items of a LAMMPS dump from the current line up to `ITEM: ATOMS`.
    fn lammps_frame(&mut self) -> Result<(), String> {
        self.frame = Frame { begin: self.lines.last(), ..Frame::default() };
        loop {
            let Some(item) = self.line.1.strip_prefix("ITEM:").map(|item| item.trim().to_owned()) else {
                return Err(self.at(&format!("`{}` is no ITEM of a LAMMPS dump", self.line.1)));
            };
            if let Some(names) = item.strip_prefix("ATOMS") {
                let header: Vec<String> = names.split_whitespace().map(str::to_owned).collect();
                if !self.header.is_empty() && self.header != header {
                    return Err(self.at("ITEM: ATOMS names other columns than before"));
                }
                (self.header, self.header_at) = (header, format!("line {}", self.line.0));
                return match self.frame.number {
                    Some(_) => Ok(()),
                    None => Err(self.at("the frame has no ITEM: TIMESTEP")),
                };
            }
            self.needed(&format!("the value of ITEM: {item}"))?;
            if item == "TIMESTEP" {
                let number = self.line.1.trim().parse();
                self.frame.number = Some(number.map_err(|_| self.at("the timestep is not an integer"))?);
            } else if item == "NUMBER OF ATOMS" {
                let left = self.line.1.trim().parse();
                self.frame.left = left.map_err(|_| self.at("the number of atoms is not an integer"))?;
            } else if let Some(kinds) = item.strip_prefix("BOX BOUNDS") {
                let kinds: Vec<&str> = kinds.split_whitespace().collect();
                if kinds.first().is_some_and(|&kind| kind == "xy") {
                    return Err(self.at("the box is tilted; only rectangular boxes are supported"));
                }
                let mut lengths = [0.0; 3];
                for (axis, length) in lengths.iter_mut().enumerate() {
                    if axis > 0 {
                        self.needed("the bounds of the box")?;
                    }
                    let numbers: Vec<f64> =
                        self.line.1.split_whitespace().filter_map(|word| word.parse().ok()).collect();
                    let &[low, high] = &numbers[..] else { return Err(self.at("expected two bounds of the box")) };
                    *length = high - low;
                }
                self.frame.periods = match kinds[..] {
                    ["pp", "pp", ..] => Some([lengths[0], lengths[1]]),
                    ["pp", ..] | [_, "pp", ..] => {
                        return Err(self.at("the box is periodic along one axis only, which is not supported"));
                    }
                    _ => None,
                };
            }
            self.needed("ITEM: ATOMS")?;
        }
    }

    /// Reads the number of points of an XYZ frame from the current line, and the comment below it.
    fn xyz_frame(&mut self) -> Result<(), String> {
        let left = self.line.1.trim().parse();
        let left = left.map_err(|_| self.at("expected the number of points of a frame"))?;
        let number = Some(self.frame.number.map_or(0, |number| number + 1));
        let begin = self.lines.last();
        self.needed("the comment of a frame")?;
        let value = |name: &str| {
            let (_, rest) = self.line.1.split_once(&format!("{name}=\""))?;
            Some(rest.split('"').next().unwrap_or(rest).to_owned())
        };
        // Without the word, a lattice is periodic.
        let kinds = value("pbc").unwrap_or_default();
        let open = kinds.split_whitespace().take(2).filter(|kind| kind.starts_with('F')).count();
        if open == 1 {
            return Err(self.at("the box is periodic along one axis only, which is not supported"));
        }
        let periods = match value("Lattice").filter(|_| open == 0) {
            None => None,
            Some(lattice) => {
                let numbers: Vec<f64> = lattice.split_whitespace().filter_map(|word| word.parse().ok()).collect();
                match numbers[..] {
                    [x, 0.0, _, 0.0, y, ..] if numbers.len() == 9 => Some([x, y]),
                    _ => return Err(self.at("Lattice is no rectangular box; only these are supported")),
                }
            }
        };
        self.frame = Frame { number, periods, left, begin };
        Ok(())
    }
}

/// An integer, which some programs write as `3.0`.
pub fn integer(word: &str) -> Option<i64> {
    let of_real = |number: f64| (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64);
    word.parse().ok().or_else(|| of_real(word.parse().ok()?))
}
