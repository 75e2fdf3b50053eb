//! Bit planes: bad input returns an error that names it, and nothing is written.

use hotloops::Error;
use hotloops::bitslice::{self, Layout, Store, dna};

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
            assert_eq!(bitslice::slice_blocks(&src, layout, Store::Auto, &mut planes), length("dst", expected, found));
            assert!(planes.iter().all(|&byte| byte == 7));
            assert_eq!(
                bitslice::unslice_blocks(&planes, layout, Store::Auto, &mut dst),
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
        let result = bitslice::gather_planes(planes, count, stride, indices, &mut out);
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
        |blocks: &[u8], indices: &[usize]| bitslice::gather_blocks(blocks, 100, indices, Layout::Tiles64, &mut out);
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
        assert_eq!(bitslice::reduce(&planes, 9, 2, &codes, &mut reduced), Err(refused));
        assert_eq!(bitslice::restore(&reduced, 9, &codes, &mut planes, 2), Err(refused));
    }
    let codes = [4 | 1 << 3, 1, 2];
    let stride = Err(Error::Stride { argument: "stride", min: 2, found: 1 });
    assert_eq!(bitslice::reduce(&planes, 9, 1, &codes, &mut reduced), stride);
    assert_eq!(bitslice::restore(&reduced, 9, &codes, &mut planes, 1), stride);
    assert_eq!(bitslice::reduce(&planes[1..], 9, 2, &codes, &mut reduced), length("planes", 6, 5));
    assert_eq!(bitslice::restore(&reduced, 9, &codes, &mut planes[1..], 2), length("planes", 6, 5));
    assert_eq!(bitslice::reduce(&planes, 9, 2, &codes, &mut reduced[1..]), length("reduced", 2, 1));
    assert_eq!(bitslice::restore(&reduced[1..], 9, &codes, &mut planes, 2), length("reduced", 2, 1));
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
