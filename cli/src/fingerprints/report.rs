//! The result as lines and as JSON.

use std::io::{self, Write};

use hotloops::hamming::Similarity;
use serde::Serialize;

use super::fps::Fingerprints;
use super::search::{Hit, Wanted};

#[derive(Serialize)]
struct Document<'a> {
    queries: usize,
    targets: usize,
    bits: usize,
    measure: &'static str,
    threshold: f32,
    empty: f32,
    /// None for all.
    top: Option<usize>,
    results: Vec<Found<'a>>,
}

#[derive(Serialize)]
struct Found<'a> {
    query: &'a str,
    hits: Vec<Scored<'a>>,
}

#[derive(Serialize)]
struct Scored<'a> {
    target: &'a str,
    score: f32,
}

/// A line for each hit; the score in the fewest digits that read back as the same number.
pub fn lines(to: &mut dyn Write, queries: &Fingerprints, targets: &Fingerprints, hits: &[Vec<Hit>]) -> io::Result<()> {
    to.write_all(b"query\ttarget\tscore\n")?;
    for (query, hits) in hits.iter().enumerate() {
        for &Hit { score, target } in hits {
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
    hits: &[Vec<Hit>],
) -> io::Result<()> {
    let scored = |&Hit { score, target }: &Hit| Scored { target: targets.id(target), score };
    let found =
        |(query, hits): (usize, &Vec<Hit>)| Found { query: queries.id(query), hits: hits.iter().map(scored).collect() };
    let document = Document {
        queries: queries.len(),
        targets: targets.len(),
        bits: queries.bits(),
        measure: match wanted.measure {
            Similarity::Tanimoto => "tanimoto",
            Similarity::Dice => "dice",
            Similarity::Cosine => "cosine",
        },
        threshold: wanted.least,
        empty: wanted.empty,
        top: (wanted.top != usize::MAX).then_some(wanted.top),
        results: hits.iter().enumerate().map(found).collect(),
    };
    serde_json::to_writer_pretty(&mut *to, &document)?;
    to.write_all(b"\n")
}
