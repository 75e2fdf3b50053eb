//! Bit rows: bad input returns an error that names it, and nothing is written.

use hotloops::Error;
use hotloops::hamming::{self, BitRows, Hit, Near, Neighbour, PackedRows, Part, Similarity};

use crate::length;

/// Two rows of 33 bits.
fn two_rows(bytes: &[u8; 10]) -> BitRows<'_> {
    BitRows::new(bytes, 2, 33, 5).unwrap()
}

/// The same bytes as rows of 34 bits.
fn longer_rows(bytes: &[u8; 10]) -> BitRows<'_> {
    BitRows::new(bytes, 2, 34, 5).unwrap()
}

fn stride<T>(min: usize) -> Result<T, Error> {
    Err(Error::Stride { argument: "out_stride", min, found: 1 })
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
    let rows = two_rows(&bytes);

    let mut out = [7; 5];
    assert_eq!(hamming::count_ones(rows, &mut out), length("counts", 2, 5));
    let range = |index| Err(Error::Index { argument: "range", index, count: 2 });
    assert_eq!(hamming::within(rows, 0..3, Part::Full, &mut out, 2), range(3));
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = 2..1;
    assert_eq!(hamming::within(rows, reversed, Part::Full, &mut out, 2), range(2));
    assert_eq!(hamming::within(rows, 0..2, Part::Full, &mut out, 1), stride(2));
    assert_eq!(hamming::within(rows, 0..2, Part::Full, &mut out, 4), length("out", 6, 5));
    assert_eq!(hamming::slices_distance(&[0; 2047], &mut [0; 1024]), length("block", 2048, 2047));
    assert_eq!(hamming::slices_distance(&[0; 2048], &mut [0; 1023]), length("distances", 1024, 1023));
    assert_eq!(hamming::planes_distance(&[0; 8191], &mut [0; 1024]), length("planes", 8192, 8191));
    assert_eq!(out, [7; 5]);
}

#[test]
fn packed_rows() {
    let bytes = [0xff; 10];
    let rows = two_rows(&bytes);
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
}

#[test]
fn comparisons_with_packed_rows() {
    let bytes = [0xff; 10];
    let (rows, others) = (two_rows(&bytes), longer_rows(&bytes));
    let mut packed = vec![0; hamming::packed_len(2, 33).unwrap()];
    hamming::pack(rows, &mut packed).unwrap();
    let set = PackedRows::new(&packed).unwrap();
    let (mut out, mut floats) = ([7; 5], [7.0; 5]);
    assert_eq!(hamming::cross(&set, others, &mut out, 2), length("bits", 33, 34));
    assert_eq!(hamming::cross(&set, rows, &mut out, 1), stride(2));
    assert_eq!(hamming::cross(&set, rows, &mut out, 4), length("out", 6, 5));
    for measure in [Similarity::Tanimoto, Similarity::Dice, Similarity::Cosine] {
        let mut run = |rows, stride| hamming::similarities(&set, rows, measure, 1.0, &mut floats, stride);
        assert_eq!(run(others, 2), length("bits", 33, 34));
        assert_eq!(run(rows, 1), stride(2));
        assert_eq!(run(rows, 4), length("out", 6, 5));
        let (mut hits, untouched) = ([Hit { row: 9, packed_row: 9, similarity: 9.0 }], 1);
        let mut cursor = untouched;
        let mut run = |rows, threshold, cursor: &mut u64, room: usize| {
            hamming::search(&set, rows, measure, threshold, 1.0, cursor, &mut hits[..room])
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
    assert_eq!((out, floats), ([7; 5], [7.0; 5]));
}

#[test]
fn comparisons_with_one_row() {
    let bytes = [0xff; 10];
    let (rows, others) = (two_rows(&bytes), longer_rows(&bytes));
    let (mut out, mut floats) = ([7; 5], [7.0; 5]);
    let one = BitRows::new(&bytes, 1, 33, 5).unwrap();
    assert_eq!(hamming::distances_to(rows, rows, &mut out[..2]), length("query", 1, 2));
    assert_eq!(hamming::distances_to(one, others, &mut out[..2]), length("bits", 34, 33));
    assert_eq!(hamming::distances_to(one, rows, &mut out), length("out", 2, 5));
    for measure in [Similarity::Tanimoto, Similarity::Dice, Similarity::Cosine] {
        let mut run = |query, rows, room| hamming::similarities_to(query, rows, measure, 1.0, &mut floats[..room]);
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
