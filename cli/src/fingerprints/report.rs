//! Writes the result as lines or as JSON while the search runs.

use std::cell::RefCell;
use std::io::{self, Write};

use hotloops::hamming::Similarity;
use serde::ser::{Error, SerializeSeq};
use serde::{Serialize, Serializer};

use super::fps::Fingerprints;
use super::search::{Hit, Search, Wanted};

#[derive(Serialize)]
struct Document<'a, 's> {
    queries: usize,
    targets: usize,
    bits: usize,
    measure: &'static str,
    threshold: f32,
    empty: f32,
    /// `None` means all.
    top: Option<usize>,
    results: Results<'a, 's>,
}

struct Results<'a, 's> {
    queries: &'a Fingerprints,
    targets: &'a Fingerprints,
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
    targets: &'a Fingerprints,
    hits: Vec<Hit>,
}

impl Serialize for Hits<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let scored = |&Hit { score, target }: &Hit| Scored { target: self.targets.id(target), score };
        serializer.collect_seq(self.hits.iter().map(scored))
    }
}

#[derive(Serialize)]
struct Scored<'a> {
    target: &'a str,
    score: f32,
}

/// A line for each hit; the score in the fewest digits that read back as the same number.
pub fn lines(
    to: &mut dyn Write,
    queries: &Fingerprints,
    targets: &Fingerprints,
    search: &mut Search,
) -> io::Result<()> {
    to.write_all(b"query\ttarget\tscore\n")?;
    for (query, hits) in search.enumerate() {
        for Hit { score, target } in hits.map_err(io::Error::other)? {
            writeln!(to, "{}\t{}\t{score}", queries.id(query), targets.id(target))?;
        }
    }
    Ok(())
}

pub fn json(
    to: &mut dyn Write,
    queries: &Fingerprints,
    targets: &Fingerprints,
    wanted: &Wanted,
    search: &mut Search,
) -> io::Result<()> {
    let document = Document {
        queries: queries.len(),
        targets: targets.len(),
        bits: queries.bits(),
        measure: match wanted.measure {
            Similarity::Tanimoto => "tanimoto",
            Similarity::Dice => "dice",
            Similarity::Cosine => "cosine",
        },
        threshold: wanted.threshold,
        empty: wanted.empty,
        top: (wanted.top != usize::MAX).then_some(wanted.top),
        results: Results { queries, targets, search: RefCell::new(search) },
    };
    serde_json::to_writer_pretty(&mut *to, &document).map_err(|error| match error.is_io() {
        true => error.into(),
        false => io::Error::other(error),
    })?;
    to.write_all(b"\n")
}
