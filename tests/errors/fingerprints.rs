//! Indexes of fingerprints: bad input returns an error that names it, and nothing is written.

use hotloops::Error;
use hotloops::fingerprints::{Condition, Index, Match, Measure, PairMatch, Searcher};
use hotloops::hamming::BitRows;

use crate::length;

/// Three rows of 8 bits.
const BYTES: [u8; 3] = [0x0f, 0xff, 0x1f];

fn three_rows() -> BitRows<'static> {
    BitRows::new(&BYTES, 3, 8, 1).unwrap()
}

/// The bytes of an index of these rows.
fn image() -> Vec<u8> {
    let mut memory = vec![0; Index::image_len(3, 8).unwrap()];
    Index::build(three_rows(), &mut memory).unwrap();
    memory
}

fn condition(measure: Measure, threshold: f32) -> Condition {
    Condition { measure, threshold, empty: 0.0 }
}

#[test]
fn images() {
    let rows = three_rows();
    let expected = Index::image_len(3, 8).unwrap();
    let large = |argument| Err(Error::TooLarge { argument });
    assert_eq!(Index::image_len(1, 0), Err(Error::NoBits));
    assert_eq!(Index::image_len(1, (1 << 19) + 1), large("bits"));
    assert_eq!(Index::image_len(1 << 32, 8), large("n_rows"));
    for found in [0, expected - 1, expected + 1] {
        let mut memory = vec![7; found];
        assert_eq!(Index::build(rows, &mut memory).map(|_| ()), length("memory", expected, found));
        assert!(memory.iter().all(|&byte| byte == 7));
    }
    let mut memory = image();
    let other = memory.clone();
    for at in 0..64 {
        let mut foreign = memory.clone();
        foreign[at] ^= 1;
        assert!(matches!(Index::new(&foreign), Err(Error::Packed | Error::Length { .. })), "byte {at}");
    }
    let packed = |memory: &[u8]| Index::new(memory).map(|_| ());
    assert_eq!(packed(&memory[..63]), length("memory", 64, 63));
    assert_eq!(packed(&memory[..expected - 1]), length("memory", expected, expected - 1));
    memory[64] = 1; // a row with fewer than 0 ones
    assert_eq!(packed(&memory), Err(Error::Packed));
    // Rows with fewer ones than 0 to 9: 0, .., 3. A table that descends somewhere else is refused too.
    let starts = [0, 0, 0, 0, 0, 1, 2, 2, 2, 3];
    for (count, start) in starts.into_iter().enumerate() {
        assert_eq!(other[64 + 4 * count..][..4], u32::to_ne_bytes(start), "{count}");
    }
    for count in 1..9 {
        let mut memory = other.clone();
        memory[64 + 4 * count] = if starts[count + 1] == 3 { 4 } else { 3 };
        assert_eq!(packed(&memory), Err(Error::Packed), "{count} ones");
    }
}

#[test]
fn searches() {
    let memory = image();
    let index = Index::new(&memory).unwrap();
    assert_eq!((index.row(2), index.row(3)), (Some(1), None));
    let mut narrow = vec![0; Index::image_len(3, 7).unwrap()];
    let narrow = Index::build(BitRows::new(&BYTES, 3, 7, 1).unwrap(), &mut narrow).unwrap();

    let tanimoto = condition(Measure::Tanimoto, 0.5);
    let mut searcher = Searcher::new();
    let mut search = |indexes: &[Index], query: &[u8], condition: &Condition, cursor: u64, room: usize| {
        let (mut at, mut hits) = (cursor, vec![Match::default(); room]);
        let result = searcher.search(indexes, query, condition, &mut at, &mut hits);
        assert!(result.is_ok() || at == cursor && hits.iter().all(|hit| *hit == Match::default()));
        result
    };
    for (measure, value) in
        [(Measure::Tanimoto, 1.5), (Measure::Dice, -0.1), (Measure::Hamming, -1.0), (Measure::Cosine, f32::NAN)]
    {
        let result = search(&[index], &[1], &condition(measure, value), 0, 1);
        assert!(matches!(result, Err(Error::Threshold { .. })), "{measure:?}");
        // Distances have thresholds above 1.
        assert!(result.unwrap_err().to_string().contains("between 0 and 1, or at least 0 for a distance"));
    }
    for (alpha, beta, argument) in [(-1.0, 1.0, "alpha"), (1.0, f64::INFINITY, "beta"), (f64::NAN, 1.0, "alpha")] {
        let result = search(&[index], &[1], &condition(Measure::Tversky { alpha, beta }, 0.5), 0, 1);
        assert!(matches!(result, Err(Error::Weight { argument: found, .. }) if found == argument));
    }
    let past = |index| Err(Error::Index { argument: "cursor", index, count: 4 });
    assert_eq!(search(&[index], &[], &tanimoto, 0, 1), length("query", 1, 0));
    assert_eq!(search(&[index, narrow], &[1], &tanimoto, 0, 1), length("bits", 8, 7));
    assert_eq!(search(&[index], &[1], &tanimoto, 4, 1), past(4));
    assert_eq!(search(&[index], &[1], &tanimoto, 0, 0), length("hits", 1, 0));
    assert_eq!(search(&[index], &[1], &tanimoto, 3, 0), Ok(0));
    assert_eq!(search(&[], &[], &tanimoto, 0, 0), Ok(0));
}

#[test]
fn pairs() {
    let memory = image();
    let (index, rows) = (Index::new(&memory).unwrap(), three_rows());
    let (mut searcher, tanimoto) = (Searcher::new(), condition(Measure::Tanimoto, 0.5));
    let mut pairs = [PairMatch::default(); 1];
    let wide = BitRows::new(&BYTES, 1, 9, 2).unwrap();
    assert_eq!(searcher.batch(&[index], wide, &tanimoto, &mut 0, &mut pairs), length("bits", 8, 9));
    assert_eq!(searcher.batch(&[index], rows, &tanimoto, &mut 0, &mut []), length("hits", 1, 0));
    let past = Err(Error::Index { argument: "cursor", index: 10, count: 10 });
    assert_eq!(searcher.batch(&[index], rows, &tanimoto, &mut 10, &mut pairs), past);
    let range = Err(Error::Index { argument: "range", index: 4, count: 3 });
    assert_eq!(searcher.pairs(&[index], rows, 1..4, &tanimoto, &mut 0, &mut pairs), range);
    let fewer = BitRows::new(&BYTES, 2, 8, 1).unwrap();
    assert_eq!(searcher.pairs(&[index], fewer, 0..2, &tanimoto, &mut 0, &mut pairs), length("rows", 3, 2));
    let tiles =
        |searcher: &mut Searcher, number| searcher.pair_tiles(&[index], rows, 0..3, &tanimoto, number).map(|_| 0);
    assert_eq!(tiles(&mut searcher, 0), Ok(0));
    assert_eq!(tiles(&mut searcher, 1), Err(Error::Index { argument: "index", index: 1, count: 1 }));
    let (many, mut memory) = ([1; 257], vec![0; Index::image_len(257, 8).unwrap()]);
    let many = BitRows::new(&many, 257, 8, 1).unwrap();
    let longer = [Index::build(many, &mut memory).unwrap()];
    let mut tiles = |range| searcher.pair_tiles(&longer, many, range, &tanimoto, 0).map(|tiles| tiles.positions);
    assert_eq!(tiles(1..257), Ok(2..257));
    assert_eq!(tiles(0..257), Err(Error::TooLarge { argument: "range" }));
    let mut two = [0; 2];
    assert_eq!(index.copy_rows(1..3, &mut two), Ok(()));
    assert_eq!(index.copy_rows(0..3, &mut two), Err(Error::Length { argument: "rows", expected: 3, found: 2 }));
    assert_eq!(index.copy_rows(2..4, &mut two), Err(Error::Index { argument: "range", index: 4, count: 3 }));
    let screen = condition(Measure::Containment, 0.5);
    let measure = Err(Error::Option { argument: "measure", value: 5 });
    assert_eq!(searcher.pairs(&[index], rows, 0..3, &screen, &mut 0, &mut pairs), measure);
    // The order of the two rows of a pair is not the caller's.
    for (alpha, beta) in [(0.9, 0.1), (0.0, 1.0), (1.0, 1.0f64.next_up())] {
        let one_sided = condition(Measure::Tversky { alpha, beta }, 0.5);
        let refused = Err(Error::Option { argument: "measure", value: 4 });
        assert_eq!(searcher.pairs(&[index], rows, 0..3, &one_sided, &mut 0, &mut pairs), refused, "{alpha} {beta}");
    }
}
