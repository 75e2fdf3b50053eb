//! Building and searching an index of fingerprints.

use hotloops::fingerprints::{Condition, Index, Match, Measure, PairMatch, Searcher};
use hotloops::hamming::BitRows;

use crate::counting::{calls, most_held};
use crate::generator;

#[test]
fn searches_of_an_index_allocate_little_and_once() {
    let mut bytes = vec![0; 3000 * 21];
    let mut words = vec![0; bytes.len()];
    generator().fill_u32(&mut words);
    bytes.iter_mut().zip(&words).for_each(|(byte, word)| *byte = (word & word >> 8) as u8);
    let rows = BitRows::new(&bytes, 3000, 166, 21).unwrap();
    let mut memory = vec![0; Index::image_len(3000, 166).unwrap()];
    // Counts and orders of rows and bits, and a tile of columns.
    let (index, most) = most_held(|| Index::build(rows, &mut memory).unwrap());
    assert!(most <= 8 * 3000 + 16 * 167 + (36 << 10), "{most} bytes to build");

    let mut searcher = Searcher::new();
    let (mut hits, mut pairs) = (vec![Match::default(); 100], vec![PairMatch::default(); 100]);
    let mut searches = |query: usize| {
        for threshold in [0.3, 0.7] {
            let condition = Condition { measure: Measure::Tanimoto, threshold, empty: 1.0 };
            let query = &bytes[21 * query..][..21];
            let (mut one, mut batch, mut self_pairs) = (0, 0, 0);
            searcher.search(&[index], query, &condition, &mut one, &mut hits).unwrap();
            searcher.top(&[index], query, &condition, &mut hits).unwrap();
            searcher.batch(&[index], rows, &condition, &mut batch, &mut pairs).unwrap();
            searcher.pairs(&[index], rows, 0..3000, &condition, &mut self_pairs, &mut pairs).unwrap();
        }
    };
    let (_, most) = most_held(|| searches(0));
    assert!(most > 0 && most <= 1 << 20, "{most} bytes to search");
    assert_eq!(calls(|| (0..10).for_each(|_| searches(0))), 0);
}
