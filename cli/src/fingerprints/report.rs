//! Writes the result as lines or as JSON while the search runs.

use std::cell::RefCell;
use std::io::{self, Write};

use hotloops::fingerprints::{Match, Measure};
use serde::ser::{Error, SerializeSeq};
use serde::{Serialize, Serializer};

use super::database::Database;
use super::fps::Fingerprints;
use super::measure;
use super::search::{Search, Wanted};

#[derive(Serialize)]
struct Document<'a, 's> {
    queries: usize,
    targets: usize,
    bits: usize,
    measure: &'static str,
    threshold: f32,
    /// Weights of --tversky.
    #[serde(skip_serializing_if = "Option::is_none")]
    alpha: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    beta: Option<f64>,
    empty: f32,
    /// `None` means all.
    top: Option<usize>,
    results: Results<'a, 's>,
}

struct Results<'a, 's> {
    queries: &'a Fingerprints,
    targets: &'a Database,
    /// Runs while the results are written.
    search: RefCell<&'a mut Search<'s>>,
}

impl Serialize for Results<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut results = serializer.serialize_seq(None)?;
        for (query, hits) in self.search.borrow_mut().by_ref().enumerate() {
            let hits = Hits { targets: self.targets, hits: hits.map_err(S::Error::custom)? };
            results.serialize_element(&Found { query: self.queries.id(query), hits })?;
        }
        results.end()
    }
}

#[derive(Serialize)]
struct Found<'a> {
    query: &'a str,
    hits: Hits<'a>,
}

struct Hits<'a> {
    targets: &'a Database,
    hits: Vec<Match>,
}

impl Serialize for Hits<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut hits = serializer.serialize_seq(Some(self.hits.len()))?;
        for hit in &self.hits {
            let target = self.targets.id(hit.row as usize).map_err(S::Error::custom)?;
            hits.serialize_element(&Scored { target, score: hit.score })?;
        }
        hits.end()
    }
}

#[derive(Serialize)]
struct Scored<'a> {
    target: &'a str,
    score: f32,
}

/// A line for each hit; the score in the fewest digits that read back as the same number.
pub fn lines(to: &mut dyn Write, queries: &Fingerprints, targets: &Database, search: &mut Search) -> io::Result<()> {
    to.write_all(b"query\ttarget\tscore\n")?;
    for (query, hits) in search.enumerate() {
        for hit in hits.map_err(io::Error::other)? {
            writeln!(to, "{}\t{}\t{}", queries.id(query), targets.id(hit.row as usize)?, hit.score)?;
        }
    }
    Ok(())
}

pub fn json(
    to: &mut dyn Write,
    queries: &Fingerprints,
    targets: &Database,
    wanted: &Wanted,
    search: &mut Search,
) -> io::Result<()> {
    let condition = &wanted.condition;
    let weights = match condition.measure {
        Measure::Tversky { alpha, beta } => Some((alpha, beta)),
        _ => None,
    };
    let document = Document {
        queries: queries.len(),
        targets: targets.len(),
        bits: queries.bits(),
        measure: measure::name(condition.measure),
        threshold: condition.threshold,
        alpha: weights.map(|(alpha, _)| alpha),
        beta: weights.map(|(_, beta)| beta),
        empty: condition.empty,
        top: (wanted.top != usize::MAX).then_some(wanted.top),
        results: Results { queries, targets, search: RefCell::new(search) },
    };
    serde_json::to_writer_pretty(&mut *to, &document).map_err(|error| match error.is_io() {
        true => error.into(),
        false => io::Error::other(error),
    })?;
    to.write_all(b"\n")
}
