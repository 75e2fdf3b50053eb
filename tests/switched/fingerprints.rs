//! The index against the comparison of every row: thresholds, best rows, batches, pairs.

mod data;

use crate::harness::rng::Rng;
use data::{Rows, brute, brute_ones, brute_pairs, sort};
use hotloops::Error;
use hotloops::fingerprints::{Condition, Index, Match, Measure, PairMatch, Searcher};
use hotloops::isa::{self, Isa};

const MEASURES: [Measure; 7] = [
    Measure::Hamming,
    Measure::Tanimoto,
    Measure::Dice,
    Measure::Cosine,
    Measure::Tversky { alpha: 0.9, beta: 0.1 },
    Measure::Tversky { alpha: 0.0, beta: 1.0 },
    Measure::Containment,
];

fn image(rows: &Rows) -> Vec<u8> {
    let mut memory = vec![0xa5; Index::image_len(rows.n, rows.bits).unwrap()];
    Index::build(rows.view(), &mut memory).unwrap();
    memory
}

/// Thresholds that exclude nothing, nearly nothing, most, and all but copies; and exact ties.
fn thresholds(measure: Measure, bits: usize) -> Vec<f32> {
    match measure {
        Measure::Hamming => vec![0.0, 1.0, 7.5, bits as f32 / 20.0, bits as f32 / 3.0, f32::INFINITY],
        _ => vec![0.0, 1e-30, 0.05, 0.4, 0.5, 2.0 / 3.0, 0.7, 0.85, 1.0],
    }
}

fn search(searcher: &mut Searcher, indexes: &[Index], query: &[u8], condition: &Condition, room: usize) -> Vec<Match> {
    let total: usize = indexes.iter().map(Index::len).sum();
    let (mut cursor, mut all, mut hits) = (0, Vec::new(), vec![Match::default(); room]);
    while cursor < total as u64 {
        let before = cursor;
        let found = searcher.search(indexes, query, condition, &mut cursor, &mut hits).unwrap();
        assert!(cursor > before || found > 0);
        all.extend_from_slice(&hits[..found]);
    }
    all
}

/// Compares all searches of some queries with brute force.
fn compare(rows: &Rows, queries: &[&[u8]], empties: &[f32]) {
    let memory = image(rows);
    let index = Index::new(&memory).unwrap();
    let indexes = [index];
    let mut searcher = Searcher::new();
    for measure in MEASURES {
        for threshold in thresholds(measure, rows.bits) {
            for (i, (query, &empty)) in
                queries.iter().flat_map(|query| empties.iter().map(move |e| (query, e))).enumerate()
            {
                let condition = Condition { measure, threshold, empty };
                let name = format!("{} rows of {} bits, query {i}, {condition:?}", rows.n, rows.bits);
                let mut expected = brute(rows, query, &condition);
                let mut found = search(&mut searcher, &indexes, query, &condition, [4096, 100][i % 2]);
                let position: Vec<_> = found.iter().map(|hit| (hit.ones, hit.row)).collect();
                assert!(position.is_sorted(), "{name}");
                found.sort_by_key(|hit| hit.row);
                assert!(found == expected, "{name}: {} found, {} expected", found.len(), expected.len());
                sort(&condition, &mut expected);
                assert_eq!(searcher.all(&indexes, query, &condition).unwrap(), expected, "{name}");
                for k in [0, 1, 10, 97, rows.n + 1] {
                    let mut best = vec![Match::default(); k];
                    let found = searcher.top(&indexes, query, &condition, &mut best).unwrap();
                    assert_eq!(best[..found], expected[..k.min(expected.len())], "top {k}, {name}");
                }
            }
        }
    }
}

#[test]
fn every_search_equals_brute_force() {
    let sets = [
        Rows::clustered(3000, 2048, 48.0, 1),
        Rows::clustered(1500, 166, 40.0, 2).with_extremes(),
        Rows::clustered(1100, 1024, 350.0, 3).with_extremes(),
        Rows::uniform(700, 64, 0.5, 4),
        Rows::uniform(600, 513, 0.7, 5).with_extremes(),
        Rows::uniform(2500, 1, 0.5, 6),
        Rows::uniform(1300, 9, 0.3, 7),
    ];
    for rows in &sets {
        let mut rng = Rng(8);
        let strange: Vec<u8> = (0..rows.stride()).map(|_| rng.word() as u8).collect();
        let (none, full) = (vec![0; rows.stride()], vec![0xff; rows.stride()]);
        let queries = [rows.row(0), rows.row(rows.n / 2), &strange, &none, &full];
        compare(rows, &queries, &[0.0, 1.0]);
    }
}

/// Thousands of survivors, and none, on every instruction set: dense rows of two blocks, ties included.
#[test]
fn every_instruction_set_finds_the_same() {
    let rows = Rows::clustered(34_000, 512, 150.0, 31).with_extremes();
    let memory = image(&rows);
    let (indexes, before) = ([Index::new(&memory).unwrap()], isa::active());
    let conditions = [(Measure::Tanimoto, 0.0), (Measure::Tanimoto, 0.5), (Measure::Hamming, 130.0)];
    for (measure, threshold) in conditions {
        let condition = Condition { measure, threshold, empty: 0.0 };
        for query in [rows.row(3), rows.row(5)] {
            let mut expected = brute(&rows, query, &condition);
            sort(&condition, &mut expected);
            for &isa in Isa::ALL.iter().filter(|&&isa| isa::detected(isa)) {
                isa::set(isa).unwrap();
                let mut searcher = Searcher::new();
                assert!(searcher.all(&indexes, query, &condition).unwrap() == expected, "{isa:?}, {condition:?}");
                let mut best = [Match::default(); 1000];
                let found = searcher.top(&indexes, query, &condition, &mut best).unwrap();
                assert_eq!(best[..found], expected[..expected.len().min(1000)], "{isa:?}, {condition:?}");
            }
            isa::set(before).unwrap();
        }
    }
}

#[test]
fn sizes_around_groups_and_blocks() {
    for n in [0, 1, 2, 511, 512, 513, 1024, 32_767, 32_768, 32_769, 65_537] {
        let rows = Rows::clustered(n, 130, 20.0, n as u64).with_extremes();
        let other = Rows::clustered(1, 130, 20.0, 9);
        let query = if n > 30 { rows.row(30) } else { other.row(0) };
        let memory = image(&rows);
        let indexes = [Index::new(&memory).unwrap()];
        for (measure, threshold) in [(Measure::Tanimoto, 0.6), (Measure::Hamming, 9.0), (Measure::Containment, 0.0)] {
            let condition = Condition { measure, threshold, empty: 1.0 };
            let mut expected = brute(&rows, query, &condition);
            sort(&condition, &mut expected);
            let mut searcher = Searcher::new();
            assert_eq!(searcher.all(&indexes, query, &condition).unwrap(), expected, "{n} {condition:?}");
            let mut best = [Match::default(); 20];
            let found = searcher.top(&indexes, query, &condition, &mut best).unwrap();
            assert_eq!(best[..found], expected[..expected.len().min(20)], "{n} {condition:?}");
        }
    }
}

/// The images of rows that are cut into parts before the given rows.
fn images(rows: &Rows, cuts: &[usize]) -> Vec<Vec<u8>> {
    let ends: Vec<usize> = cuts.iter().copied().filter(|&cut| cut < rows.n).chain([rows.n]).collect();
    let starts = [0].into_iter().chain(ends.iter().copied());
    let part = |(start, end): (usize, usize)| {
        let bytes = rows.bytes[start * rows.stride()..end * rows.stride()].to_vec();
        image(&Rows { bytes, n: end - start, bits: rows.bits })
    };
    starts.zip(ends.clone()).map(part).collect()
}

/// The same rows in one index and in several, one of them empty.
const CUTS: [&[usize]; 3] = [&[], &[700], &[0, 100, 512]];

#[test]
fn batches_and_pairs_equal_brute_force() {
    let sets = [
        Rows::clustered(1400, 2048, 48.0, 11),
        Rows::clustered(1300, 200, 90.0, 12).with_extremes(),
        Rows::uniform(530, 60, 0.8, 13),
    ];
    let conditions = [
        (Measure::Tanimoto, 0.5),
        (Measure::Hamming, 12.0),
        (Measure::Cosine, 0.0),
        (Measure::Tversky { alpha: 0.5, beta: 0.5 }, 0.7),
    ];
    for (rows, (measure, threshold)) in sets.iter().flat_map(|rows| conditions.map(|condition| (rows, condition))) {
        let condition = Condition { measure, threshold, empty: 1.0 };
        let all = threshold == 0.0;
        let queries = Rows::clustered(if all { 7 } else { 300 }, rows.bits, 40.0, 14).with_extremes();
        let mut expected = Vec::new();
        for query in 0..queries.n {
            let hits = brute(rows, queries.row(query), &condition);
            expected.extend(hits.into_iter().map(|hit| (query as u64, hit)));
        }
        let expected_pairs = brute_pairs(rows, &condition);
        let mut hits = vec![PairMatch::default(); if all { 1000 } else { 133 }];
        let mut searcher = Searcher::new();
        for cuts in CUTS {
            let images = images(rows, cuts);
            let indexes: Vec<_> = images.iter().map(|image| Index::new(image).unwrap()).collect();
            let (mut cursor, mut found) = (0, Vec::new());
            while cursor < (queries.n * rows.n) as u64 {
                let count = searcher.batch(&indexes, queries.view(), &condition, &mut cursor, &mut hits).unwrap();
                found.extend(hits[..count].iter().map(|hit| {
                    let &PairMatch { row, common, ones, score, .. } = hit;
                    (hit.query, Match { row, common, ones, score })
                }));
            }
            found.sort_by_key(|(query, hit)| (*query, hit.row));
            assert!(found == expected, "batch: {} found, {} expected, {condition:?}", found.len(), expected.len());

            // All pairs; or those of the rows at positions 5 .. 9 with later ones.
            let range = if all { 5..9 } else { 0..rows.n };
            let (mut cursor, mut found) = (0, Vec::new());
            while cursor < (range.len() * rows.n) as u64 {
                let range = range.clone();
                let count = searcher.pairs(&indexes, rows.view(), range, &condition, &mut cursor, &mut hits).unwrap();
                found.extend_from_slice(&hits[..count]);
            }
            let order = order(&indexes);
            let place = |row: u64| order.iter().position(|&other| other == row).unwrap();
            let expected =
                expected_pairs.iter().filter(|pair| !all || range.contains(&place(pair.query).min(place(pair.row))));
            let expected: Vec<_> = expected.copied().collect();
            found.sort_by_key(|pair| (pair.query, pair.row));
            assert!(found == expected, "pairs: {} found, {} expected, {condition:?}", found.len(), expected.len());
        }
    }
}

/// Rows with tens of thousands of misses, so that counters have up to 17 levels: few survivors of a group, and
/// nearly all.
#[test]
fn rows_of_many_bits() {
    for (bits, seed) in [(20_000, 41), (40_000, 42), (150_001, 43)] {
        // Rows i and i + 1 have about the same ones, rows far from each other different ones.
        let rows = Rows::of(520, bits, &mut Rng(seed), |rng, i, k| {
            (k * 7 % bits) < bits * (i + 30) / 600 && rng.word() % 64 != 0
        });
        let memory = image(&rows);
        let (indexes, mut searcher) = ([Index::new(&memory).unwrap()], Searcher::new());
        let far = |share: usize| (Measure::Hamming, (bits * share / 100) as f32);
        for (measure, threshold) in
            [far(3), far(30), far(45), far(70), (Measure::Tanimoto, 0.3), (Measure::Cosine, 0.9)]
        {
            let condition = Condition { measure, threshold, empty: 0.0 };
            for query in [rows.row(9), rows.row(260), rows.row(511)] {
                let mut expected = brute(&rows, query, &condition);
                sort(&condition, &mut expected);
                assert!(expected.len() > 1, "{condition:?}");
                assert!(searcher.all(&indexes, query, &condition).unwrap() == expected, "{bits} bits, {condition:?}");
                let mut best = [Match::default(); 40];
                let found = searcher.top(&indexes, query, &condition, &mut best).unwrap();
                assert_eq!(best[..found], expected[..expected.len().min(40)], "{bits} bits, {condition:?}");
            }
        }
    }
}

/// Bits of a plane that belong to no row are 0, after groups whose bits are 1 too, and what was in the memory is
/// gone: equal rows have equal images.
#[test]
fn images_hold_nothing_but_their_rows() {
    for (n, bits) in [(600, 130), (1025, 64), (513, 700), (33_000, 70)] {
        let rows = Rows::uniform(n, bits, 0.9, 51);
        let [zeros, ones] = [0, 0xff].map(|byte| {
            let mut memory = vec![byte; Index::image_len(n, bits).unwrap()];
            Index::build(rows.view(), &mut memory).unwrap();
            memory
        });
        assert!(zeros == ones, "{n} rows of {bits} bits");
        let ones_of_rows: u32 = (0..n).map(|i| brute_ones(&rows, i)).sum();
        // The planes are the end of the image: a line of 64 bytes for each 512 rows, and one more a block.
        let lines = n.div_ceil(512) + n.div_ceil(32_768);
        let planes = &zeros[zeros.len() - 64 * lines * (bits + 1)..];
        let ones_of_planes: u32 = planes.iter().map(|byte| byte.count_ones()).sum();
        assert_eq!(ones_of_planes, ones_of_rows, "{n} rows of {bits} bits");
    }
}

#[test]
fn best_rows_of_several_indexes() {
    let rows = Rows::clustered(1300, 200, 90.0, 12).with_extremes();
    let condition = Condition { measure: Measure::Dice, threshold: 0.0, empty: 0.0 };
    let mut searcher = Searcher::new();
    for cuts in CUTS {
        let images = images(&rows, cuts);
        let indexes: Vec<_> = images.iter().map(|image| Index::new(image).unwrap()).collect();
        for query in (0..rows.n).step_by(97) {
            let mut expected = brute(&rows, rows.row(query), &condition);
            sort(&condition, &mut expected);
            for k in [1, 30] {
                let mut best = vec![Match::default(); k];
                let found = searcher.top(&indexes, rows.row(query), &condition, &mut best).unwrap();
                assert_eq!(best[..found], expected[..k.min(expected.len())], "row {query}, {k} best");
            }
        }
    }
}

/// Rows of all indexes in the order of positions.
fn order(indexes: &[Index]) -> Vec<u64> {
    let mut base = 0;
    let mut all = Vec::new();
    for index in indexes {
        all.extend((0..index.len()).map(|position| (base + index.row(position).unwrap()) as u64));
        base += index.len();
    }
    all
}

/// Every byte of the tables, one at a time, and every length: an error, or a search that ends.
#[test]
fn corrupt_images() {
    let rows = Rows::clustered(600, 70, 20.0, 21);
    let good = image(&rows);
    let condition = Condition { measure: Measure::Tanimoto, threshold: 0.3, empty: 1.0 };
    let run = |memory: &[u8]| {
        let index = Index::new(memory)?;
        let mut searcher = Searcher::new();
        let (mut cursor, mut hits) = (0, vec![PairMatch::default(); 100]);
        searcher.all(&[index], rows.row(3), &condition)?;
        searcher.top(&[index], rows.row(4), &condition, &mut [Match::default(); 5])?;
        searcher.batch(&[index], rows.view(), &condition, &mut cursor, &mut hits)?;
        cursor = 0;
        searcher.pairs(&[index], rows.view(), 0..600, &condition, &mut cursor, &mut hits)?;
        Ok::<_, Error>(())
    };
    run(&good).unwrap();
    let tables = good.len().min(8192);
    for at in 0..tables {
        for flip in [1, 0x80, 0xff] {
            let mut bad = good.clone();
            bad[at] ^= flip;
            let result = run(&bad);
            assert!(at >= 64 || result.is_err(), "byte {at}");
        }
    }
    for length in (0..200).chain([good.len() - 1]) {
        assert!(run(&good[..length]).is_err(), "{length} bytes");
    }
    let mut noise = good.clone();
    let mut rng = Rng(22);
    noise[2000..].iter_mut().for_each(|byte| *byte = rng.word() as u8);
    let _ = run(&noise);
    let mut longer = good.clone();
    longer.extend([7; 100]);
    run(&longer).unwrap();
}

/// [`Searcher::pair_tiles`] tells in which order pairs are found, and where the cursor is.
#[test]
fn pairs_are_found_tile_by_tile() {
    let sets = [
        (Rows::clustered(1400, 2048, 48.0, 11), 0.5),
        (Rows::clustered(1300, 9000, 2000.0, 12), 0.3),
        (Rows::uniform(530, 60, 0.8, 13).with_extremes(), 0.0),
    ];
    for (rows, threshold) in &sets {
        let condition = Condition { measure: Measure::Tanimoto, threshold: *threshold, empty: 1.0 };
        for cuts in CUTS {
            let images = images(rows, cuts);
            let indexes: Vec<_> = images.iter().map(|image| Index::new(image).unwrap()).collect();
            let order = order(&indexes);
            let place = |row: u64| order.iter().position(|&other| other == row).unwrap();
            let base = |number: usize| indexes[..number].iter().map(Index::len).sum::<usize>();
            let mut searcher = Searcher::new();
            for first in (0..rows.n).step_by(256).step_by(2) {
                let range = first..rows.n.min(first + 256);
                let tiles: Vec<_> = (0..indexes.len())
                    .map(|i| searcher.pair_tiles(&indexes, rows.view(), range.clone(), &condition, i).unwrap())
                    .collect();
                let (mut cursor, mut last) = (0, None);
                while cursor < (range.len() * rows.n) as u64 {
                    let (range, hits) = (range.clone(), &mut [PairMatch::default(); 700]);
                    let count = searcher.pairs(&indexes, rows.view(), range, &condition, &mut cursor, hits).unwrap();
                    for pair in &hits[..count] {
                        let (low, high) = {
                            let places = [place(pair.query), place(pair.row)];
                            (places[0].min(places[1]), places[0].max(places[1]))
                        };
                        let index = (0..indexes.len()).rfind(|&i| base(i) <= high).unwrap();
                        let at = high - base(index);
                        assert!(tiles[index].positions.contains(&at));
                        let tile = tiles[index].tile(at);
                        assert!(tile.contains(&at) && tile.len() <= tiles[index].rows && tile.start % 512 == 0);
                        let next = Some((index, tile.start, low, high));
                        assert!(last < next, "{last:?} before {next:?}");
                        last = next;
                    }
                    if let (700, Some((index, start, low, high))) = (count, last) {
                        let rows_of_tile = tiles[index].tile(start).end.min(indexes[index].len()) - start;
                        let of_row = (high - base(index) - start) as u64;
                        let origin = ((base(index) + start) * range_len(first, rows.n)) as u64;
                        let of_last = origin + ((low - first) * rows_of_tile) as u64 + of_row;
                        assert!(cursor > of_last, "{cursor} after {of_last}");
                    }
                }
            }
        }
    }
}

fn range_len(first: usize, n: usize) -> usize {
    n.min(first + 256) - first
}

#[test]
fn rows_are_put_together_again() {
    for (n, bits) in [(1, 1), (40, 64), (1100, 90), (33_300, 200)] {
        let rows = Rows::uniform(n, bits, 0.4, 21).with_extremes();
        let memory = image(&rows);
        let index = Index::new(&memory).unwrap();
        let width = bits.div_ceil(8);
        for positions in [0..n, n / 3..n - n / 4, n / 2..n / 2] {
            let mut copies = vec![0xa5; positions.len() * width];
            index.copy_rows(positions.clone(), &mut copies).unwrap();
            for (position, copy) in positions.zip(copies.chunks_exact(width)) {
                let mut row = rows.row(index.row(position).unwrap())[..width].to_vec();
                row[width - 1] &= 0xff >> (8 * width - bits);
                assert!(copy == row, "{n} x {bits}: position {position}");
            }
        }
    }
}
