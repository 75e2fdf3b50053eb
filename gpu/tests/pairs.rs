//! Pairs on devices against those of the library: the same ones, in the same order.

mod common;

use std::ops::Range;

use hotloops::fingerprints::{Condition, Index, Measure, PairMatch, Searcher as Host};
use hotloops::hamming::BitRows;
use hotloops_gpu::fingerprints::{Pairs, Searcher, Set};
use hotloops_gpu::{Error, Queue, Shared};

/// Rows around a few centres with few ones and with many, and garbage after the last bit.
fn rows(n: usize, stride: usize) -> Vec<u8> {
    let mut state = 7_u64;
    let mut random = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^ z >> 29
    };
    let mut byte = |i: usize| {
        let (row, centre) = (i / stride, (i % stride * 59 + i / stride % 5 * 31) as u8);
        if row % 3 == 0 { centre ^ (random() & random() & random()) as u8 } else { centre & random() as u8 }
    };
    (0..n * stride).map(&mut byte).collect()
}

/// Images of rows that are cut before the given ones.
fn images(bytes: &[u8], (n, bits, stride): (usize, usize, usize), cuts: &[usize]) -> Vec<Vec<u8>> {
    let ends = cuts.iter().copied().chain([n]);
    let starts = [0].into_iter().chain(cuts.iter().copied());
    let image = |(start, end): (usize, usize)| {
        let mut memory = vec![0; Index::image_len(end - start, bits).unwrap()];
        let rows = BitRows::new(&bytes[start * stride..end * stride], end - start, bits, stride).unwrap();
        Index::build(rows, &mut memory).unwrap();
        memory
    };
    starts.zip(ends).map(image).collect()
}

/// The pairs of a range of positions from `cursor` on.
fn expected(set: &Set, range: &Range<usize>, mut cursor: u64) -> Vec<PairMatch> {
    let (mut host, mut all) = (Host::new(), Vec::new());
    let mut room = vec![PairMatch::default(); 5000];
    while cursor < (range.len() * set.rows.len()) as u64 {
        let Set { indexes, rows, condition } = set;
        let found = host.pairs(indexes, *rows, range.clone(), condition, &mut cursor, &mut room).unwrap();
        all.extend_from_slice(&room[..found]);
    }
    all
}

fn all(searchers: &Shared<Searcher>, set: &Set, range: &Range<usize>, mut cursor: u64) -> Vec<PairMatch> {
    let (mut pairs, mut all) = (Pairs::new(), Vec::new());
    while cursor < (range.len() * set.rows.len()) as u64 {
        let before = cursor;
        all.extend(pairs.advance(searchers, set, range.clone(), &mut cursor).unwrap());
        assert!(cursor > before);
    }
    all
}

#[test]
fn pairs_are_those_of_the_library_in_its_order() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let is_small = std::env::var_os("HOTLOOPS_SMALL").is_some();
    // Of 9000 bits, a tile has fewer rows than a block.
    let shapes = [(90, 61, 9), (600, 250, 40), (560, 9000, 1125), (0, 64, 8)];
    for (n, bits, stride) in shapes.into_iter().take(if is_small { 1 } else { 4 }) {
        let bytes = rows(n, stride);
        for cuts in [&[][..], &[n / 7, n / 7, n / 2]] {
            let images = images(&bytes, (n, bits, stride), cuts);
            let indexes: Vec<_> = images.iter().map(|image| Index::new(image).unwrap()).collect();
            let of = |condition| {
                Ok::<_, Error>(Set { indexes: &indexes, rows: BitRows::new(&bytes, n, bits, stride)?, condition })
            };
            for (measure, threshold) in [(Measure::Tanimoto, 0.5), (Measure::Hamming, 0.3 * bits as f32)] {
                let set = of(Condition { measure, threshold, empty: 1.0 })?;
                let searchers =
                    [set.searcher(Queue::open(queue.device())?)?, set.searcher(Queue::open(queue.device())?)?];
                let searchers = Shared::new(searchers).expect("two");
                for first in (0..n).step_by(256) {
                    let range = first..n.min(first + 256);
                    let (found, expected) = (all(&searchers, &set, &range, 0), expected(&set, &range, 0));
                    assert!(
                        found == expected,
                        "{n} x {bits} {measure:?} {range:?}: {} {}",
                        found.len(),
                        expected.len()
                    );
                }
            }
        }
    }
    Ok(())
}

/// Parts, and cursors within a row of a tile, at which either side continues from the other.
#[test]
fn more_pairs_than_a_part_has() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let is_small = std::env::var_os("HOTLOOPS_SMALL").is_some();
    let (n, bits, stride) = if is_small { (60, 64, 8) } else { (900, 64, 8) };
    let bytes = rows(n, stride);
    let images = images(&bytes, (n, bits, stride), &[n / 3]);
    let indexes: Vec<_> = images.iter().map(|image| Index::new(image).unwrap()).collect();
    let condition = Condition { measure: Measure::Dice, threshold: 0.0, empty: 0.0 };
    let set = Set { indexes: &indexes, rows: BitRows::new(&bytes, n, bits, stride)?, condition };
    let searchers = Shared::new([set.searcher(queue)?]).expect("one");
    let range = n / 10..n.min(n / 10 + 256);
    let whole = expected(&set, &range, 0);
    assert_eq!(whole.len(), range.clone().map(|position| n - 1 - position).sum::<usize>());
    assert!(all(&searchers, &set, &range, 0) == whole);
    for room in [1, 17, 7_001].into_iter().filter(|room| room < &whole.len()) {
        let (mut cursor, mut first) = (0, vec![PairMatch::default(); room]);
        let found = Host::new().pairs(&indexes, set.rows, range.clone(), &condition, &mut cursor, &mut first)?;
        assert!(found == room && first == whole[..room]);
        assert!(all(&searchers, &set, &range, cursor) == whole[room..], "from {cursor} on");
    }
    let (mut pairs, mut cursor, mut found) = (Pairs::new(), 0, Vec::new());
    while cursor < (range.len() * n) as u64 {
        assert!(expected(&set, &range, cursor) == whole[found.len()..], "from {cursor} on");
        found.extend(pairs.advance(&searchers, &set, range.clone(), &mut cursor)?);
    }
    Ok(())
}
