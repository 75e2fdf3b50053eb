//! Bit planes and bit rows: bad input returns an error that names it, and nothing is written.

use hotloops::Error;
use hotloops::bitslice::{self, Layout, Store, dna};
use hotloops::hamming::{self, BitRows, Hit, Near, Neighbour, PackedRows, Part, Similarity};
use hotloops::hamming::{Condition, Index, Match, Measure, PairMatch, Searcher};

use crate::length;

#[test]
fn planes() {
    let (src, mut planes) = ([1u16; 20], [7; 16 * 3]);
    let stride = Err(Error::Stride { argument: "stride", min: 3, found: 2 });
    assert_eq!(bitslice::slice(&src, &mut planes, 2), stride);
    assert_eq!(bitslice::slice(&src, &mut planes[1..], 3), length("planes", 48, 47));
    assert_eq!(bitslice::slice(&src, &mut planes, 4), length("planes", 63, 48));
    let large = Err(Error::TooLarge { argument: "stride" });
    assert_eq!(bitslice::slice(&src, &mut planes, usize::MAX), large);
    assert!(planes.iter().all(|&byte| byte == 7));
    let mut dst = [9u16; 20];
    assert_eq!(bitslice::unslice(&planes, 2, &mut dst), stride);
    assert_eq!(bitslice::unslice(&planes[1..], 3, &mut dst), length("planes", 48, 47));
    assert_eq!(bitslice::unslice(&planes, usize::MAX, &mut dst), large);
    assert_eq!(dst, [9; 20]);
    assert_eq!(bitslice::slice::<u64>(&[], &mut [], 0), Ok(()));
    assert_eq!(bitslice::unslice::<u64>(&[], 0, &mut []), Ok(()));

    for layout in [Layout::Rows2048, Layout::Tiles64] {
        let expected = bitslice::blocks_len::<u16>(20, layout).unwrap();
        for found in [0, expected - 1, expected + 1] {
            let mut planes = vec![7; found];
            assert_eq!(bitslice::slice_blocks(&src, &mut planes, layout, Store::Auto), length("dst", expected, found));
            assert!(planes.iter().all(|&byte| byte == 7));
            assert_eq!(
                bitslice::unslice_blocks(&planes, &mut dst, layout, Store::Auto),
                length("src", expected, found)
            );
            assert_eq!(dst, [9; 20]);
        }
        let large = Err(Error::TooLarge { argument: "n_elems" });
        assert_eq!(bitslice::blocks_len::<u64>(usize::MAX / 4, layout), large);
        assert_eq!(bitslice::blocks_len::<u8>(usize::MAX, layout), large);
    }
    let mut blocks = vec![5u32; 2049];
    assert_eq!(bitslice::slice_in_place(&mut blocks), length("blocks", 2048, 2049));
    assert_eq!(bitslice::unslice_in_place(&mut blocks[2..]), length("blocks", 0, 2047));
    assert!(blocks.iter().all(|&word| word == 5));
}

#[test]
fn single_elements() {
    let (planes, mut out) = ([0xff; 16 * 3], [7u16; 2]);
    let mut gather = |planes: &[u8], stride, count, indices: &[usize]| {
        let result = bitslice::gather_planes(planes, stride, count, indices, &mut out);
        assert!(result.is_ok() || out == [7; 2]);
        result
    };
    for count in [0, 8, 17, 65] {
        assert_eq!(gather(&planes, 3, count, &[0, 1]), Err(Error::Planes { planes: count }));
    }
    assert_eq!(gather(&planes, 3, 16, &[0]), length("dst", 1, 2));
    let index = |index| Err(Error::Index { argument: "indices", index, count: 24 });
    assert_eq!(gather(&planes, 3, 16, &[0, 24]), index(24));
    assert_eq!(gather(&planes, 3, 16, &[usize::MAX, 0]), index(usize::MAX));
    assert_eq!(gather(&planes[1..], 3, 16, &[0, 16]), length("planes", 48, 47));
    assert_eq!(gather(&planes[1..], 3, 16, &[0, 15]), Ok(()));

    let blocks = vec![0; bitslice::blocks_len::<u32>(100, Layout::Tiles64).unwrap()];
    let mut out = [7u32; 1];
    let mut gather =
        |blocks: &[u8], indices: &[usize]| bitslice::gather_blocks(blocks, 100, Layout::Tiles64, indices, &mut out);
    assert_eq!(gather(&blocks[1..], &[0]), length("blocks", 512, 511));
    assert_eq!(gather(&blocks, &[]), length("dst", 0, 1));
    assert_eq!(gather(&blocks, &[100]), Err(Error::Index { argument: "indices", index: 100, count: 100 }));
    assert_eq!(out, [7]);

    let mut counts = [7; 9];
    assert_eq!(bitslice::count_ones(&[1u8], &mut counts), length("counts", 8, 9));
    assert_eq!(counts, [7; 9]);
}

#[test]
fn classes() {
    let mut codes = [9; 32];
    assert_eq!(bitslice::classify(&[0; 1023], 2048, &mut codes), length("distances", 1024, 1023));
    assert_eq!(bitslice::classify(&[0; 1024], 2048, &mut codes[1..]), length("codes", 32, 31));
    assert_eq!(bitslice::classify(&[0; 1024], 2049, &mut codes), Err(Error::TooLarge { argument: "n" }));
    assert_eq!(bitslice::classify(&[5; 1024], 4, &mut codes), Err(Error::TooLarge { argument: "n" }));
    assert_eq!(codes, [9; 32]);

    let (mut planes, mut reduced) = ([7; 6], [8; 2]);
    // Classes 6 and 7; an index where none belongs; an index that is not later, or out of range.
    for (plane, wrong) in [(0, 6), (1, 7), (0, 1 | 1 << 3), (1, 3 | 1 << 3), (1, 4), (0, 5 | 3 << 3), (0, 3 | 1 << 12)]
    {
        let mut codes = [0, 1, 2];
        codes[plane] = wrong;
        let refused = Error::PlaneCode { plane, code: wrong };
        assert_eq!(bitslice::reduced_len(9, &codes), Err(refused), "{wrong}");
        assert_eq!(bitslice::reduce(&planes, 2, 9, &codes, &mut reduced), Err(refused));
        assert_eq!(bitslice::restore(&reduced, &codes, 9, &mut planes, 2), Err(refused));
    }
    let codes = [4 | 1 << 3, 1, 2];
    let stride = Err(Error::Stride { argument: "stride", min: 2, found: 1 });
    assert_eq!(bitslice::reduce(&planes, 1, 9, &codes, &mut reduced), stride);
    assert_eq!(bitslice::restore(&reduced, &codes, 9, &mut planes, 1), stride);
    assert_eq!(bitslice::reduce(&planes[1..], 2, 9, &codes, &mut reduced), length("planes", 6, 5));
    assert_eq!(bitslice::restore(&reduced, &codes, 9, &mut planes[1..], 2), length("planes", 6, 5));
    assert_eq!(bitslice::reduce(&planes, 2, 9, &codes, &mut reduced[1..]), length("reduced", 2, 1));
    assert_eq!(bitslice::restore(&reduced[1..], &codes, 9, &mut planes, 2), length("reduced", 2, 1));
    assert_eq!((planes, reduced), ([7; 6], [8; 2]));
}

#[test]
fn letters() {
    let mut planes = [7; 3 * 2];
    let mut letters = [b'A'; 12];
    assert_eq!(dna::encode(&letters, &mut planes, 1), Err(Error::Stride { argument: "stride", min: 2, found: 1 }));
    assert_eq!(dna::encode(&letters, &mut planes[1..], 2), length("planes", 6, 5));
    for index in [0, 5, 11] {
        for letter in [b'R', b'-', b' ', b'a' + 1, 0, 0x80 | b'A'] {
            letters[index] = letter;
            assert_eq!(dna::encode(&letters, &mut planes, 2), Err(Error::Letter { index, letter }));
        }
        letters[index] = b'A';
    }
    let mut long = vec![b'C'; 2000];
    long[1300] = b'Y';
    assert_eq!(dna::encode(&long, &mut vec![0; 750], 250), Err(Error::Letter { index: 1300, letter: b'Y' }));
    assert_eq!(planes, [7; 6]);

    assert_eq!(dna::decode(&planes, 1, &mut letters), Err(Error::Stride { argument: "stride", min: 2, found: 1 }));
    assert_eq!(dna::decode(&planes[1..], 2, &mut letters), length("planes", 6, 5));
    // Only bit 9 of plane 2; bit 12 is beyond the last letter.
    let planes = [0, 0, 0, 0, 0, 0b0001_0010];
    assert_eq!(dna::decode(&planes, 2, &mut letters), Err(Error::LetterCode { index: 9, code: 4 }));
    assert_eq!(letters, [b'A'; 12]);
    assert_eq!(dna::decode(&planes, 2, &mut letters[..9]), Ok(()));
}

#[test]
fn rows() {
    let bytes = [0xff; 10];
    assert_eq!(BitRows::new(&bytes, 1, 0, 5).err(), Some(Error::NoBits));
    assert!(BitRows::new(&bytes, 0, 0, 0).is_ok());
    assert_eq!(BitRows::new(&bytes, 2, 33, 4).err(), Some(Error::Stride { argument: "stride", min: 5, found: 4 }));
    assert_eq!(BitRows::new(&bytes, 2, 33, 6).err(), length::<()>("rows", 11, 10).err());
    assert_eq!(BitRows::new(&bytes, 3, 33, usize::MAX).err(), Some(Error::TooLarge { argument: "stride" }));
    assert_eq!(BitRows::new(&bytes, 1, 1 << 32, 1 << 29).err(), Some(Error::TooLarge { argument: "bits" }));
    let rows = BitRows::new(&bytes, 2, 33, 5).unwrap();

    let mut out = [7; 5];
    assert_eq!(hamming::count_ones(rows, &mut out), length("counts", 2, 5));
    let range = |index| Err(Error::Index { argument: "range", index, count: 2 });
    assert_eq!(hamming::within(rows, 0..3, &mut out, 2, Part::Full), range(3));
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = 2..1;
    assert_eq!(hamming::within(rows, reversed, &mut out, 2, Part::Full), range(2));
    let stride = |least| Err(Error::Stride { argument: "out_stride", min: least, found: 1 });
    assert_eq!(hamming::within(rows, 0..2, &mut out, 1, Part::Full), stride(2));
    assert_eq!(hamming::within(rows, 0..2, &mut out, 4, Part::Full), length("out", 6, 5));
    assert_eq!(hamming::slices_distance(&[0; 2047], &mut [0; 1024]), length("block", 2048, 2047));
    assert_eq!(hamming::slices_distance(&[0; 2048], &mut [0; 1023]), length("distances", 1024, 1023));
    assert_eq!(hamming::planes_distance(&[0; 8191], &mut [0; 1024]), length("planes", 8192, 8191));

    assert_eq!(hamming::packed_len(1, 0), Err(Error::NoBits));
    assert_eq!(hamming::packed_len(usize::MAX, 8), Err(Error::TooLarge { argument: "n_rows" }));
    let expected = hamming::packed_len(2, 33).unwrap();
    let mut packed = vec![7; expected + 1];
    assert_eq!(hamming::pack(rows, &mut packed), length("packed", expected, expected + 1));
    assert!(packed.iter().all(|&byte| byte == 7));
    packed.pop();
    hamming::pack(rows, &mut packed).unwrap();
    assert_eq!(PackedRows::new(&packed[..63]).err(), length::<()>("packed", 64, 63).err());
    assert_eq!(PackedRows::new(&packed[1..]).err(), Some(Error::Packed));
    assert_eq!(PackedRows::new(&packed[..expected - 1]).err(), length::<()>("packed", expected, expected - 1).err());
    for (at, byte) in [(0, 1), (12, 255), (16, 0), (20, 1), (24, 1), (63, 1)] {
        let mut damaged = packed.clone();
        damaged[at] = byte;
        assert!(PackedRows::new(&damaged).is_err(), "byte {at}");
    }

    let set = PackedRows::new(&packed).unwrap();
    let others = BitRows::new(&bytes, 2, 34, 5).unwrap();
    let mut floats = [7.0; 5];
    assert_eq!(hamming::cross(&set, others, &mut out, 2), length("bits", 33, 34));
    assert_eq!(hamming::cross(&set, rows, &mut out, 1), stride(2));
    assert_eq!(hamming::cross(&set, rows, &mut out, 4), length("out", 6, 5));
    for measure in [Similarity::Tanimoto, Similarity::Dice, Similarity::Cosine] {
        let mut run = |rows, stride| hamming::similarities(measure, &set, rows, 1.0, &mut floats, stride);
        assert_eq!(run(others, 2), length("bits", 33, 34));
        assert_eq!(run(rows, 1), stride(2));
        assert_eq!(run(rows, 4), length("out", 6, 5));
        let (mut hits, untouched) = ([Hit { row: 9, packed_row: 9, similarity: 9.0 }], 1);
        let mut cursor = untouched;
        let mut run = |rows, threshold, cursor: &mut u64, room: usize| {
            hamming::search(measure, &set, rows, threshold, 1.0, cursor, &mut hits[..room])
        };
        for value in [-0.1, 1.1, f32::INFINITY] {
            assert_eq!(run(rows, value, &mut cursor, 1), Err(Error::Threshold { value }));
        }
        assert!(matches!(run(rows, f32::NAN, &mut cursor, 1), Err(Error::Threshold { value }) if value.is_nan()));
        assert_eq!(run(others, 0.5, &mut cursor, 1), length("bits", 33, 34));
        assert_eq!(run(rows, 0.5, &mut cursor, 0), length("hits", 1, 0));
        assert_eq!(run(rows, 0.5, &mut 5, 1), Err(Error::Index { argument: "cursor", index: 5, count: 5 }));
        assert_eq!(run(rows, 0.5, &mut 4, 0), Ok(0));
        assert_eq!((cursor, hits[0].row), (untouched, 9));
    }

    let mut near = [Near { row: 9, packed_row: 9, distance: 9 }];
    let mut run = |rows, cursor: &mut u64, room: usize| hamming::search_near(&set, rows, 3, cursor, &mut near[..room]);
    assert_eq!(run(others, &mut 0, 1), length("bits", 33, 34));
    assert_eq!(run(rows, &mut 0, 0), length("hits", 1, 0));
    assert_eq!(run(rows, &mut 5, 1), Err(Error::Index { argument: "cursor", index: 5, count: 5 }));
    assert_eq!(near[0].row, 9);

    let one = BitRows::new(&bytes, 1, 33, 5).unwrap();
    assert_eq!(hamming::distances_to(rows, rows, &mut out[..2]), length("query", 1, 2));
    assert_eq!(hamming::distances_to(one, others, &mut out[..2]), length("bits", 34, 33));
    assert_eq!(hamming::distances_to(one, rows, &mut out), length("out", 2, 5));
    for measure in [Similarity::Tanimoto, Similarity::Dice, Similarity::Cosine] {
        let mut run = |query, rows, room| hamming::similarities_to(measure, query, rows, 1.0, &mut floats[..room]);
        assert_eq!(run(rows, rows, 2), length("query", 1, 2));
        assert_eq!(run(one, others, 2), length("bits", 34, 33));
        assert_eq!(run(one, rows, 5), length("out", 2, 5));
    }
    let mut nearest = [Neighbour { row: 9, distance: 9 }; 3];
    assert_eq!(hamming::nearest(rows, others, 1, &mut nearest), length("bits", 34, 33));
    assert_eq!(hamming::nearest(rows, rows, 2, &mut nearest), length("out", 4, 3));
    assert_eq!(hamming::nearest(rows, rows, usize::MAX, &mut nearest), Err(Error::TooLarge { argument: "k" }));
    assert_eq!(nearest, [Neighbour { row: 9, distance: 9 }; 3]);
    assert_eq!((out, floats), ([7; 5], [7.0; 5]));
}

#[test]
fn indexes() {
    let bytes = [0x0f, 0xff, 0x1f];
    let rows = BitRows::new(&bytes, 3, 8, 1).unwrap();
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
    let mut memory = vec![0; expected];
    Index::build(rows, &mut memory).unwrap();
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

    let index = Index::new(&other).unwrap();
    assert_eq!((index.row(2), index.row(3)), (Some(1), None));
    let mut narrow = vec![0; Index::image_len(3, 7).unwrap()];
    let narrow = Index::build(BitRows::new(&bytes, 3, 7, 1).unwrap(), &mut narrow).unwrap();

    let condition = |measure, threshold| Condition { measure, threshold, empty: 0.0 };
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

    let mut pairs = [PairMatch::default(); 1];
    let wide = BitRows::new(&bytes, 1, 9, 2).unwrap();
    assert_eq!(searcher.batch(&[index], wide, &tanimoto, &mut 0, &mut pairs), length("bits", 8, 9));
    assert_eq!(searcher.batch(&[index], rows, &tanimoto, &mut 0, &mut []), length("hits", 1, 0));
    let past = Err(Error::Index { argument: "cursor", index: 10, count: 10 });
    assert_eq!(searcher.batch(&[index], rows, &tanimoto, &mut 10, &mut pairs), past);
    let range = Err(Error::Index { argument: "range", index: 4, count: 3 });
    assert_eq!(searcher.pairs(&[index], rows, 1..4, &tanimoto, &mut 0, &mut pairs), range);
    let fewer = BitRows::new(&bytes, 2, 8, 1).unwrap();
    assert_eq!(searcher.pairs(&[index], fewer, 0..2, &tanimoto, &mut 0, &mut pairs), length("rows", 3, 2));
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
