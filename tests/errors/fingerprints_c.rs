//! The index in C: bad input, and the members of its structures.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use hotloops::fingerprints::{Condition, Index, Match, Measure, PairMatch, Searcher};
use hotloops::hamming::BitRows;

use crate::is;

/// `hl_fingerprints_condition`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Sought {
    measure: i32,
    threshold: f32,
    empty: f32,
    alpha: f64,
    beta: f64,
}

/// `hl_fingerprints_image`.
#[repr(C)]
struct Image {
    memory: *const c_void,
    size: usize,
}

unsafe extern "C" {
    fn hl_fingerprints_search(
        images: *const Image,
        n_images: usize,
        query: *const u8,
        condition: *const Sought,
        cursor: *mut u64,
        hits: *mut Match,
        capacity: usize,
        found: *mut usize,
    ) -> i32;
    fn hl_fingerprints_batch(
        images: *const Image,
        n_images: usize,
        queries: *const u8,
        n_queries: usize,
        stride: usize,
        condition: *const Sought,
        cursor: *mut u64,
        hits: *mut PairMatch,
        capacity: usize,
        found: *mut usize,
    ) -> i32;
    fn hl_fingerprints_pairs(
        images: *const Image,
        n_images: usize,
        rows: *const u8,
        n_rows: usize,
        stride: usize,
        row_begin: usize,
        row_count: usize,
        condition: *const Sought,
        cursor: *mut u64,
        hits: *mut PairMatch,
        capacity: usize,
        found: *mut usize,
    ) -> i32;
}

const ROWS: [u8; 6] = [0b0000_1111, 0b1111_1111, 0b0001_1111, 0b1000_0001, 0b0000_0001, 0b0111_0011];

fn image() -> Vec<u8> {
    let mut memory = vec![0; Index::image_len(ROWS.len(), 8).unwrap()];
    Index::build(BitRows::new(&ROWS, ROWS.len(), 8, 1).unwrap(), &mut memory).unwrap();
    memory
}

/// Every measure by its number in C, with weights that differ, finds what the same measure finds in Rust.
#[test]
fn measures_and_weights_are_those_of_rust() {
    let memory = image();
    let images = [Image { memory: memory.as_ptr().cast(), size: memory.len() }];
    let (alpha, beta) = (0.9, 0.2);
    let measures = [
        Measure::Hamming,
        Measure::Tanimoto,
        Measure::Dice,
        Measure::Cosine,
        Measure::Tversky { alpha, beta },
        Measure::Containment,
    ];
    let index = Index::new(&memory).unwrap();
    for (number, measure) in (0..).zip(measures) {
        let threshold = if measure == Measure::Hamming { 5.0 } else { 0.3 };
        let condition = Condition { measure, threshold, empty: 0.5 };
        let sought = Sought { measure: number, threshold, empty: 0.5, alpha, beta };
        for query in [0b0000_1110, 0b0111_1111, 0] {
            let (mut cursor, mut hits) = (0, [Match::default(); 6]);
            let count = Searcher::new().search(&[index], &[query], &condition, &mut cursor, &mut hits).unwrap();
            let (mut at, mut same, mut found) = (0, [Match::default(); 6], 7);
            // SAFETY: one image, a query of one byte, and room for 6 hits.
            let status = unsafe {
                hl_fingerprints_search(images.as_ptr(), 1, &query, &sought, &mut at, same.as_mut_ptr(), 6, &mut found)
            };
            is(status, "HL_OK");
            assert_eq!((found, at, same), (count, cursor, hits), "{measure:?}");
        }
    }
}

#[test]
fn overlaps_and_ranges() {
    let memory = image();
    let images = [Image { memory: memory.as_ptr().cast(), size: memory.len() }];
    let nearest = Sought { measure: 1, threshold: 0.1, empty: 0.0, alpha: 0.0, beta: 0.0 };
    let (mut hits, mut pairs) = ([Match::default(); 6], [PairMatch::default(); 40]);
    let (hits, pairs_at, at) = (hits.as_mut_ptr(), pairs.as_mut_ptr(), images.as_ptr());
    let (mut cursor, mut found) = (0, 7);
    // SAFETY: each pointer is null or points to as many values as the call reads or writes.
    unsafe {
        let search = |query, cursor: *mut u64, found: *mut usize| {
            hl_fingerprints_search(at, 1, query, &nearest, cursor, hits, 6, found)
        };
        is(search(hits.cast(), &mut cursor, &mut found), "HL_ERR_OVERLAP");
        is(search(hits.add(5).cast::<u8>().add(23), &mut cursor, &mut found), "HL_ERR_OVERLAP");
        is(search(null(), &mut cursor, &mut found), "HL_ERR_NULL");
        is(search(ROWS.as_ptr(), null_mut(), &mut found), "HL_ERR_NULL");
        is(search(ROWS.as_ptr(), &mut cursor, null_mut()), "HL_ERR_NULL");

        let mut batch = |queries, stride| {
            hl_fingerprints_batch(at, 1, queries, 6, stride, &nearest, &mut cursor, pairs_at, 40, &mut found)
        };
        is(batch(pairs_at.cast(), 1), "HL_ERR_OVERLAP");
        is(batch(ROWS.as_ptr(), 0), "HL_ERR_STRIDE");

        let mut run = |rows, begin, count, cursor: *mut u64| {
            hl_fingerprints_pairs(at, 1, rows, 6, 1, begin, count, &nearest, cursor, pairs_at, 40, &mut found)
        };
        let rows = ROWS.as_ptr();
        is(run(pairs_at.cast(), 0, 6, &mut 0), "HL_ERR_OVERLAP");
        is(run(rows, 7, 0, &mut 0), "HL_ERR_INDEX");
        is(run(rows, 2, 5, &mut 0), "HL_ERR_INDEX");
        // Ranges that end with the last row.
        for (begin, count) in [(6, 0), (5, 1), (2, 4), (0, 6)] {
            let mut cursor = 0;
            is(run(rows, begin, count, &mut cursor), "HL_OK");
            assert_eq!(cursor, 6 * count as u64);
        }
    }
    assert!(found > 0 && found <= 15);
}
