//! The lines of problem files: words, counts, sites, entries of matrices.

use std::collections::HashMap;
use std::str::FromStr;

use crate::coo::MAX_SPINS;

/// The lines of a format that are neither blank nor comments, with their numbers.
pub struct Data<'a, L: Iterator<Item = (usize, &'a str)>> {
    lines: L,
    last: usize,
}

impl<'a, L: Iterator<Item = (usize, &'a str)>> Data<'a, L> {
    /// The words of the next line. `expected` describes it.
    pub fn next(&mut self, expected: &str) -> Result<(usize, Vec<&'a str>), String> {
        match self.lines.next() {
            Some((number, line)) => {
                self.last = number;
                Ok((number, line.split_whitespace().collect()))
            }
            None => Err(format!("ends after line {}, where {expected} is missing", self.last)),
        }
    }

    /// Rejects more lines than `count`, which line `header` announces.
    pub fn end(mut self, count: usize, header: usize) -> Result<(), String> {
        match self.lines.next() {
            None => Ok(()),
            Some((number, _)) => {
                Err(format!("line {number}: follows the {count} entries that line {header} announces"))
            }
        }
    }
}

pub fn data<'a>(text: &'a str, is_comment: fn(&str) -> bool) -> Data<'a, impl Iterator<Item = (usize, &'a str)>> {
    let lines = (1..).zip(text.lines()).filter(move |(_, line)| !line.trim().is_empty() && !is_comment(line));
    Data { lines, last: 0 }
}

/// Entries of a matrix, each place once.
#[derive(Default)]
pub struct Entries {
    pub list: Vec<(u32, u32, f64)>,
    pub lines: HashMap<(u32, u32), usize>,
}

impl Entries {
    pub fn add(&mut self, line: usize, (i, j, value): (u32, u32, f64), first: u32) -> Result<(), String> {
        if let Some(other) = self.lines.insert((i, j), line) {
            let (i, j) = (i + first, j + first);
            return Err(format!("line {line}: the pair {i} {j} is already given on line {other}"));
        }
        self.list.push((i, j, value));
        Ok(())
    }
}

/// An integer that is at least 0.
pub fn count<T: FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("`{word}` is not a number of this kind (0, 1, 2, ..)"))
}

/// The number of sites that a header announces.
pub fn size(word: &str) -> Result<u32, String> {
    match count(word)? {
        0 => Err("the problem is empty".to_owned()),
        sites if sites > MAX_SPINS => Err(format!("{sites} spins are more than {MAX_SPINS}")),
        sites => Ok(sites),
    }
}

/// A site by its number in the file, from `first`.
pub fn site(word: &str, first: u32, sites: u32) -> Result<u32, String> {
    match word.parse::<u32>() {
        Ok(number) if (first..first + sites).contains(&number) => Ok(number - first),
        _ => Err(format!("`{word}` is not a number from {first} to {}", first + sites - 1)),
    }
}

/// The diagonal of a matrix, and its other entries.
pub fn split(entries: Vec<(u32, u32, f64)>, sites: u32) -> (Vec<f64>, Vec<(u32, u32, f64)>) {
    let mut diagonal = vec![0.0; sites as usize];
    let (own, others): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(i, j, _)| i == j);
    own.into_iter().for_each(|(i, _, value)| diagonal[i as usize] = value);
    (diagonal, others)
}
