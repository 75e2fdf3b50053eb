//! The frames of a file, one after another. A film need not fit into memory.
//!
//! A first pass finds where each frame is, without reading numbers; rank 0 does it for all ranks. Then frames
//! are read one at a time. The lines of a file with a column `frame` may be in any order: frames whose lines
//! are mixed are read in batches of a bounded number of points.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::frames::{Frame, Frames, Number};
use super::points::{Action, NO_FRAMES, Parser, Reading, Table};
use crate::cluster::Cluster;
use crate::failure::{Failure, say};
use crate::input::{Lines, Place};

/// Maximum number of points of a batch of several frames.
const BATCH: usize = 1 << 20;

pub struct Film<'a> {
    path: &'a Path,
    parser: Parser<'a>,
    /// By ascending number of the frame.
    spans: Vec<Span>,
    /// The frames that are in memory, from this one on; `None` once a frame has been taken.
    batch: (usize, Vec<Option<Table>>),
}

/// A frame and the part of the file that holds its lines.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Span {
    frame: Frame,
    points: usize,
    begin: Place,
    end: u64,
}

impl<'a> Film<'a> {
    /// The chosen frames of a file. Says on standard error what is ignored and might matter.
    pub fn open(cluster: &Cluster, path: &'a Path, reading: Reading<'a>) -> Result<Self, Failure> {
        let wrong = |why: String| Failure::Input(format!("{}: {why}", path.display()));
        let is_film = reading.frames == Frames::All;
        let lines = if is_film { Lines::to_read_again(path) } else { Lines::of(path) };
        let mut parser = Parser::new(lines.map_err(wrong)?, reading).map_err(wrong)?;
        let (mut spans, mut batch) = (Vec::new(), Vec::new());
        if !is_film {
            let table = parser.read_one().map_err(wrong)?;
            let single = Frame { number: Number::Whole(0), record: 0 };
            let (frame, points) = (table.frame.unwrap_or(single), table.x.len());
            spans.push(Span { frame, points, begin: Place::default(), end: 0 });
            batch.push(Some(table));
        } else {
            if cluster.leads() {
                spans = match spans_of(&mut parser) {
                    Ok(spans) => spans,
                    Err(why) => return Err(wrong(first_fault(parser, reading).err().unwrap_or(why))),
                };
                if spans.is_empty() {
                    return Err(wrong(NO_FRAMES.to_owned()));
                }
            }
            spans = cluster.broadcast_value(spans);
        }
        let repeated = spans.windows(2).find(|two| two[0].frame.number == two[1].frame.number);
        let repeated = repeated.map(|two| {
            format!("several frames have the number {}; they are kept apart, in the order of the file", two[0].frame)
        });
        for note in parser.notes().chain(&repeated) {
            say(format_args!("hotloops: {}: {note}", path.display()));
        }
        Ok(Film { path, parser, spans, batch: (0, batch) })
    }

    /// The number of frames.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether frames may be taken in any order at no cost, and `several` of them are few points.
    pub fn has_small_frames(&self, several: usize) -> bool {
        let most = self.spans[self.largest()].points;
        let is_alone = |index| batch(&self.spans, index, true).len() == 1;
        self.parser.records.can_skip() && several.saturating_mul(most) <= BATCH && (0..self.len()).all(is_alone)
    }

    /// The frame with the most points; the last one if several have as many.
    pub fn largest(&self) -> usize {
        (0..self.len()).max_by_key(|&index| self.spans[index].points).unwrap_or(0)
    }

    /// The points of a frame, without copying them.
    pub fn peek(&mut self, index: usize) -> Result<&Table, Failure> {
        Ok(self.slot(index)?.as_ref().expect("a frame in memory"))
    }

    /// The points of a frame.
    pub fn take(&mut self, index: usize) -> Result<Table, Failure> {
        Ok(self.slot(index)?.take().expect("a frame in memory"))
    }

    /// The place of a frame in memory. Reads its batch if it is not there.
    fn slot(&mut self, index: usize) -> Result<&mut Option<Table>, Failure> {
        let (first, tables) = &self.batch;
        if index.checked_sub(*first).and_then(|place| tables.get(place)).is_none_or(Option::is_none) {
            self.read(index).map_err(|why| Failure::Input(format!("{}: {why}", self.path.display())))?;
        }
        Ok(&mut self.batch.1[index - self.batch.0])
    }

    fn read(&mut self, index: usize) -> Result<(), String> {
        self.batch.1.clear();
        let range = batch(&self.spans, index, self.parser.records.can_skip());
        let spans = &self.spans[range.clone()];
        let numbers = spans[0].frame..=spans[spans.len() - 1].frame;
        let first = spans.iter().min_by_key(|span| span.begin.bytes).expect("not empty");
        let end = spans.iter().map(|span| span.end).max().unwrap_or(0);
        self.parser.records.go_to(first.begin, first.frame.number)?;
        let by_frame = |frame| if numbers.contains(&frame) { Action::Keep } else { Action::Skip };
        let tables = self.parser.read(end, by_frame)?;
        // The file may have changed.
        let records = |table: &Table| table.x.len() + table.missing.lines;
        if tables.iter().map(records).ne(spans.iter().map(|span| span.points)) {
            return Err("has other frames than before; another process writes the file".to_owned());
        }
        self.batch = (range.start, tables.into_iter().map(Some).collect());
        Ok(())
    }
}

/// The frames to read together with one: itself, and the following frames whose lines are among theirs. If lines
/// cannot be skipped, also those whose lines are before theirs.
fn batch(spans: &[Span], index: usize, can_skip: bool) -> Range<usize> {
    let Span { mut points, begin: Place { bytes: mut begin, .. }, mut end, .. } = spans[index];
    let is_mixed = |span: &&Span| {
        points += span.points;
        let is_mixed = span.begin.bytes < end && (begin < span.end || !can_skip) && points <= BATCH;
        (begin, end) = (begin.min(span.begin.bytes), end.max(span.end));
        is_mixed
    };
    index..index + 1 + spans[index + 1..].iter().take_while(is_mixed).count()
}

/// Where the frames of a file are.
fn spans_of(parser: &mut Parser) -> Result<Vec<Span>, String> {
    let mut spans = BTreeMap::new();
    while let Some(run) = parser.records.skim(parser.frame_column)? {
        let new = Span { frame: run.frame, points: 0, begin: run.begin, end: 0 };
        let span = spans.entry(run.frame).or_insert(new);
        span.points += run.records;
        span.end = run.end;
    }
    Ok(spans.into_values().filter(|span| span.points > 0).collect())
}

/// The first fault of a file.
fn first_fault(parser: Parser, reading: Reading) -> Result<(), String> {
    let mut parser = Parser::new(parser.records.restart()?, reading)?;
    parser.read(u64::MAX, |_| Action::Check).map(|_| ())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn film(name: &str, text: &str, test: impl FnOnce(&mut Film)) {
        let path = std::env::temp_dir().join(format!("hotloops_{}_{name}", std::process::id()));
        fs::write(&path, text).unwrap();
        let reading = Reading { frames: Frames::All, ..Reading::POSITIONS };
        let film = Film::open(&Cluster::of_one(), &path, reading);
        fs::remove_file(&path).unwrap();
        test(&mut film.ok().unwrap());
    }

    #[test]
    fn numbers_of_other_frames_are_not_read() {
        for (name, text) in [
            ("columns", "frame,x,y\n3,1,2\n3,1,3\n# one\n5,x,4\n\n7,2,3\n"),
            ("mixed", "frame,x,y\n7,2,3\n5,x,4\n3,1,2\n3,1,3\n"),
            ("xyz", "2\n\nA 1 2 0\nA 1 3 0\n1\n\nA x 4 0\n\n1\n\nA 2 3 0\n"),
        ] {
            film(name, text, |film| {
                assert_eq!((film.len(), film.largest()), (3, 0));
                for (index, x) in [(2, vec![2.0]), (0, vec![1.0, 1.0]), (2, vec![2.0])] {
                    assert_eq!(film.take(index).ok().unwrap().x, x, "{name}");
                    assert_eq!(film.batch.1.len(), 1, "{name}");
                }
                assert!(matches!(film.take(1), Err(Failure::Input(why)) if why.contains(": x = `x` is no")), "{name}");
            });
        }
    }

    #[test]
    fn mixed_frames_are_read_together() {
        let span = |frame, begin, end| Span {
            frame: Frame { number: Number::Whole(frame), record: 0 },
            points: BATCH / 4,
            begin: Place { bytes: begin, lines: begin as usize },
            end,
        };
        let spans: Vec<Span> = (0..9).map(|frame| span(frame, frame as u64, 100 + frame as u64)).collect();
        assert_eq!((batch(&spans, 0, true), batch(&spans, 7, true)), (0..4, 7..9));
        // In ascending order, and in descending order.
        let apart: Vec<Span> = (0..3).map(|frame| span(frame, 10 * frame as u64, 10 * frame as u64 + 10)).collect();
        assert_eq!(batch(&apart, 0, false), 0..1);
        let apart: Vec<Span> = apart.into_iter().rev().collect();
        assert_eq!((batch(&apart, 0, true), batch(&apart, 0, false)), (0..1, 0..3));
    }
}
