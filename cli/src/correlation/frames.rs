//! Frame numbers, and the column that holds them.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::names::{bare, only};

/// The number of a frame: an integer, or a time.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Number {
    Whole(i64),
    /// Finite, and no integer.
    Real(f64),
}

impl Number {
    fn real(self) -> f64 {
        match self {
            Number::Whole(number) => number as f64,
            Number::Real(number) => number,
        }
    }

    pub fn whole(self) -> Option<i64> {
        if let Number::Whole(number) = self { Some(number) } else { None }
    }
}

impl FromStr for Number {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        let real = || word.parse().ok().filter(|number: &f64| number.is_finite()).map(Number::Real);
        integer(word).map(Number::Whole).or_else(real).ok_or(())
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let exact = || match (self, other) {
            (Number::Whole(a), Number::Whole(b)) => a.cmp(b),
            _ => Ordering::Equal,
        };
        self.real().total_cmp(&other.real()).then_with(exact)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Number::Whole(number) => number.fmt(formatter),
            Number::Real(number) => number.fmt(formatter),
        }
    }
}

/// A frame of a file. Frames of different records differ, also if they have the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Frame {
    pub number: Number,
    /// The byte at which its record begins; 0 in formats that number the records or the points.
    pub record: u64,
}

impl fmt::Display for Frame {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.number.fmt(formatter)
    }
}

/// One frame of a file: a number and, if several frames have it, which of them, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chosen {
    pub number: Number,
    pub nth: Option<usize>,
}

impl fmt::Display for Chosen {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.number.fmt(formatter)?;
        self.nth.map_or(Ok(()), |nth| write!(formatter, ":{nth}"))
    }
}

impl FromStr for Chosen {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let (number, nth) = word.split_once(':').map_or((word, None), |(number, nth)| (number, Some(nth)));
        let nth = nth.map(|nth| nth.parse().ok().filter(|&nth| nth > 0).ok_or(())).transpose();
        match (number.parse(), nth) {
            (Ok(number), Ok(nth)) => Ok(Chosen { number, nth }),
            _ if word == "all" => Err("expected a number; --frames takes all frames".to_owned()),
            _ => Err("expected a number, as in 7, or 7:2 for the second of several frames 7".to_owned()),
        }
    }
}

/// The frames to read.
#[derive(Clone, Copy, PartialEq)]
pub enum Frames {
    /// The only one; the file need not name it.
    Single,
    Number(Chosen),
    All,
}

impl Frames {
    pub fn has(self, frame: Frame) -> bool {
        !matches!(self, Frames::Number(chosen) if chosen.number != frame.number)
    }
}

/// An integer, which some programs write as `3.0`.
fn integer(word: &str) -> Option<i64> {
    let of_real = |number: f64| (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64);
    word.parse().ok().or_else(|| of_real(word.parse().ok()?))
}

/// A column that numbers frames.
#[derive(Clone, Copy)]
pub struct Column {
    pub index: usize,
    /// Whether numbers may be times, which are no integers.
    pub is_time: bool,
}

impl Column {
    pub fn number(self, word: &str) -> Option<Number> {
        word.parse().ok().filter(|number: &Number| self.is_time || number.whole().is_some())
    }
}

/// Names of columns of frames, the first one in a file counts, and whether they are times.
const NAMES: [(&str, bool); 6] =
    [("frame", false), ("slice", false), ("timestep", false), ("position_t", true), ("t", true), ("time", true)];

/// Parts of names of columns that may number frames.
const PARTS: [&str; 5] = ["frame", "slice", "time", "step", "image"];

/// The column that numbers the frames: `named` (none of them for the word `none`), or else one of [`NAMES`].
/// Also the names of columns that look like one and are not used.
pub fn column(header: &[String], named: Option<&str>) -> Result<(Option<Column>, Vec<String>), String> {
    if let Some(named) = named {
        if named == "none" {
            return Ok((None, Vec::new()));
        }
        let index = only(header, named, |name| name.eq_ignore_ascii_case(named))?;
        let index = index.ok_or_else(|| {
            format!("names no column {named}, which --frame-column names; it is: {}", header.join(","))
        })?;
        return Ok((Some(Column { index, is_time: true }), Vec::new()));
    }
    let mut found = None;
    for (name, is_time) in NAMES {
        if let Some(index) = only(header, name, |column| bare(column) == name)? {
            found = Some(Column { index, is_time });
            break;
        }
    }
    let looks = |name: &str| {
        let name = bare(name);
        NAMES.iter().any(|(known, _)| *known == name) || PARTS.iter().any(|part| name.contains(part))
    };
    let is_used = |index: usize| found.is_some_and(|column| column.index == index);
    let others = header.iter().enumerate().filter(|(index, name)| !is_used(*index) && looks(name));
    Ok((found, others.map(|(_, name)| name.clone()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ordered_and_printed_as_they_are() {
        let words = ["-3", "-2.5", "0", "0.5", "1", "9007199254740992", "9007199254740993", "9223372036854775807"];
        let numbers: Vec<Number> = words.iter().map(|word| word.parse().unwrap()).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
        assert_eq!(numbers.iter().map(Number::to_string).collect::<Vec<_>>(), words);
        assert_eq!("2.0".parse(), Ok(Number::Whole(2)));
        assert!("nan".parse::<Number>().is_err() && "x".parse::<Number>().is_err());
    }

    #[test]
    fn columns_of_frames() {
        for (names, index, others) in [
            ("x,y,Slice", Some(2), ""),
            ("x,y,t", Some(2), ""),
            ("x,y,Time [s]", Some(2), ""),
            ("POSITION_T,x,y,FRAME", Some(3), "POSITION_T"),
            ("x,y,timestep", Some(2), ""),
            ("x,y,image", None, "image"),
            ("x,y,theta,type", None, ""),
        ] {
            let header: Vec<String> = names.split(',').map(str::to_owned).collect();
            let (column, unused) = column(&header, None).unwrap();
            assert_eq!((column.map(|column| column.index), unused.join(",").as_str()), (index, others), "{names}");
        }
        let header = ["Image", "x", "y", "frame", "frame"].map(str::to_owned);
        assert!(column(&header, None).is_err_and(|why| why == "names two columns frame; rename one of them"));
        assert_eq!(column(&header, Some("image")).unwrap().0.unwrap().index, 0);
        assert!(column(&header, Some("none")).unwrap().0.is_none());
        assert!(column(&header, Some("t")).is_err());
    }
}
