//! Searches on the device against those of the library's index.

mod common;

use hotloops::fingerprints::{Condition, Index, Match, Measure, PairMatch, Searcher as Host};
use hotloops::hamming::BitRows;
use hotloops_gpu::fingerprints::Searcher;
use hotloops_gpu::{Error, Queue};

const MEASURES: [(Measure, f32); 7] = [
    (Measure::Hamming, 40.0),
    (Measure::Tanimoto, 0.4),
    (Measure::Tanimoto, 0.0),
    (Measure::Dice, 2.0 / 3.0),
    (Measure::Cosine, 0.55),
    (Measure::Tversky { alpha: 0.3, beta: 0.9 }, 0.5),
    (Measure::Containment, 0.7),
];

/// Rows around a few centres, the first without ones, and garbage after the last bit.
fn rows(n: usize, bits: usize, stride: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut random = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^ z >> 29
    };
    let centres: Vec<u8> = (0..3 * stride).map(|i| (i as u8).wrapping_mul(167) & (i as u8) << 1).collect();
    let mut bytes: Vec<u8> =
        (0..n * stride).map(|i| centres[i % centres.len()] ^ (random() & random() & random()) as u8).collect();
    bytes.iter_mut().take(bits / 8).for_each(|byte| *byte = 0);
    bytes
}

/// Query, row, ones in common, ones of the row, score.
type Hit = (u64, u64, u32, u32, f32);

fn all(searcher: &mut Searcher, queries: BitRows, condition: &Condition) -> Result<Vec<Hit>, Error> {
    let mut found = Vec::new();
    searcher.search(queries, condition, |query, Match { row, common, ones, score }| {
        found.push((query as u64, row, common, ones, score));
        true
    })?;
    found.sort_unstable_by_key(|hit| (hit.0, hit.1));
    Ok(found)
}

#[test]
fn matches_are_those_of_the_index() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let is_small = std::env::var_os("HOTLOOPS_SMALL").is_some();
    let cases =
        [(40, 35, 90, 13), (1, 1, 1, 1), (300, 70, 90, 13), (33, 31, 512, 64), (2500, 5, 166, 21), (0, 3, 64, 8)];
    for (n, nq, bits, stride) in cases.into_iter().take(if is_small { 2 } else { 6 }) {
        let (data, asked) = (rows(n, bits, stride, 1), rows(nq, bits, stride, 1));
        let (targets, queries) = (BitRows::new(&data, n, bits, stride)?, BitRows::new(&asked, nq, bits, stride)?);
        let mut memory = vec![0; Index::image_len(n, bits)?];
        let index = [Index::build(targets, &mut memory)?];
        let mut searcher = Searcher::new(Queue::open(queue.device())?, targets)?;
        assert_eq!((searcher.len(), searcher.is_empty()), (n, n == 0));
        for (measure, threshold) in MEASURES.into_iter().step_by(if is_small { 6 } else { 1 }) {
            for empty in [1.0, 0.0].into_iter().take(if is_small { 1 } else { 2 }) {
                let condition = Condition { measure, threshold, empty };
                let mut host = Host::new();
                let (mut expected, mut cursor) = (Vec::new(), 0);
                while cursor < (n * nq) as u64 {
                    let mut room = vec![PairMatch::default(); 1000];
                    let found = host.batch(&index, queries, &condition, &mut cursor, &mut room)?;
                    expected
                        .extend(room[..found].iter().map(|hit| (hit.query, hit.row, hit.common, hit.ones, hit.score)));
                }
                expected.sort_unstable_by_key(|hit: &Hit| (hit.0, hit.1));
                let found = all(&mut searcher, queries, &condition)?;
                assert!(found == expected, "{n} x {nq} x {bits}, {condition:?}: {} of {}", found.len(), expected.len());
                for k in [7, 0, 1, 400].into_iter().take(if is_small { 1 } else { 4 }) {
                    let found = searcher.top(queries, &condition, k)?;
                    assert_eq!(found.len(), nq);
                    for (query, found) in found.iter().enumerate() {
                        let mut best = vec![Match::default(); k];
                        let bytes = &asked[query * stride..][..bits.div_ceil(8)];
                        let count = host.top(&index, bytes, &condition, &mut best)?;
                        assert!(found == &best[..count], "{n} x {nq} x {bits}, {condition:?}, best {k} of {query}");
                    }
                }
            }
        }
    }
    Ok(())
}

/// More hits than there is room for at first, and a search that ends early.
#[test]
fn hits_of_any_number_are_found() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let (n, nq) = if std::env::var_os("HOTLOOPS_SMALL").is_some() { (60, 10) } else { (2000, 500) };
    let data = rows(n, 64, 8, 3);
    let targets = BitRows::new(&data, n, 64, 8)?;
    let queries = BitRows::new(&data, nq, 64, 8)?;
    let mut searcher = Searcher::new(Queue::open(queue.device())?, targets)?;
    let condition = Condition { measure: Measure::Hamming, threshold: 64.0, empty: 0.0 };
    let found = all(&mut searcher, queries, &condition)?;
    assert!(
        found
            .iter()
            .map(|hit: &Hit| (hit.0, hit.1))
            .eq((0..nq as u64).flat_map(|q| (0..n as u64).map(move |r| (q, r))))
    );
    let mut seen = 0;
    searcher.search(queries, &condition, |_, _| {
        seen += 1;
        seen < 5
    })?;
    assert_eq!(seen, 5);
    Ok(())
}

#[test]
fn wrong_arguments_are_refused_by_name() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let mut searcher = Searcher::new(queue, BitRows::new(&[1, 2], 1, 16, 2)?)?;
    let mut top = |queries, condition| searcher.top(queries, &condition, 3).unwrap_err().to_string();
    let condition = Condition { measure: Measure::Tanimoto, threshold: 0.5, empty: 0.0 };
    assert!(top(BitRows::new(&[1], 1, 8, 1)?, condition).contains("queries: 8 bits; the rows have 16"));
    assert!(top(BitRows::new(&[1, 1], 1, 16, 2)?, Condition { threshold: 1.5, ..condition }).contains("1.5"));
    Ok(())
}

/// Matches in some of the rows, and searches that end after a launch.
#[test]
fn parts_of_a_search() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let (n, nq) = if std::env::var_os("HOTLOOPS_SMALL").is_some() { (60, 10) } else { (2000, 50) };
    let data = rows(n, 64, 8, 3);
    let (targets, queries) = (BitRows::new(&data, n, 64, 8)?, BitRows::new(&data, nq, 64, 8)?);
    let mut searcher = Searcher::new(Queue::open(queue.device())?, targets)?;
    let condition = Condition { measure: Measure::Tanimoto, threshold: 0.3, empty: 0.0 };
    let whole = all(&mut searcher, queries, &condition)?;
    for range in [0..n, n / 3..n / 2, n - 5..n + 9, 7..7] {
        let mut found = searcher.search_within(queries, range.clone(), &condition, n * nq)?.expect("room for all");
        found.sort_unstable_by_key(|(query, hit)| (*query, hit.row));
        let expected: Vec<_> = whole.iter().filter(|hit| range.contains(&(hit.1 as usize))).collect();
        let is_same = |((query, hit), of): (&(usize, Match), &&Hit)| {
            (*query as u64, hit.row, hit.common, hit.ones, hit.score) == **of
        };
        assert!(found.len() == expected.len() && found.iter().zip(&expected).all(is_same), "{range:?}");
        for (most, is_enough) in [(expected.len(), true), (expected.len().saturating_sub(1), expected.is_empty())] {
            assert_eq!(searcher.search_within(queries, range.clone(), &condition, most)?.is_some(), is_enough);
        }
    }
    let (mut found, mut launches) = (0, 0);
    let lists = searcher.find_while(queries, &condition, None, |more| {
        (found, launches) = (found + more, launches + 1);
        true
    })?;
    assert_eq!(lists.expect("all").iter().map(Vec::len).sum::<usize>(), whole.len());
    assert!(found == whole.len() && launches > 0);
    for top in [None, Some(3)] {
        assert!(searcher.find_while(queries, &condition, top, |_| false)?.is_none());
    }
    Ok(())
}
