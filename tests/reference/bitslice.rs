//! Bit planes against independent sources: the matrices in the specification of the format, bytes
//! made by bitshuffle, and a literal implementation of the definition.

use crate::harness::guard::{Guarded, Side};
use hotloops::bitslice::{self, BLOCK, Class, Element, Layout, Store, dna};

/// `n` pseudo-random elements without short periods.
fn noise(n: usize, seed: u64) -> Vec<u64> {
    let mut x = seed;
    let mut word = || {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        x ^ x >> 31
    };
    (0..n).map(|_| word()).collect()
}

fn fnv(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash: u32, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Words of 32 bits of row `row` of a block's matrix.
fn words(planes: &[u8], row: usize) -> Vec<u32> {
    planes[256 * row..][..256].chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn sliced(block: &[u32]) -> Vec<u8> {
    let mut planes = vec![0; 8192];
    bitslice::slice(block, &mut planes, 256).unwrap();
    planes
}

/// Element n is n: the published example, whose rows can be checked by eye.
#[test]
fn counting_block() {
    let block: Vec<u32> = (0..2048).collect();
    let planes = sliced(&block);
    for (row, word) in [(0, 0xaaaa_aaaa), (1, 0xcccc_cccc), (2, 0xf0f0_f0f0), (3, 0xff00_ff00), (4, 0xffff_0000)] {
        assert!(words(&planes, row).iter().all(|&found| found == word), "row {row}");
    }
    for row in 5..11 {
        let expected = (0..64).map(|word| if word >> (row - 5) & 1 == 1 { !0 } else { 0 });
        assert!(words(&planes, row).into_iter().eq(expected), "row {row}");
    }
    assert!(planes[11 * 256..].iter().all(|&byte| byte == 0));
}

/// Element n is n * 2654435761 modulo 2^32: published words and checksum.
#[test]
fn multiplied_block() {
    let block: Vec<u32> = (0..2048u32).map(|n| n.wrapping_mul(2_654_435_761)).collect();
    let planes = sliced(&block);
    assert_eq!(words(&planes, 31)[0], 0x696b_4b4a);
    assert_eq!(words(&planes, 31)[63], 0x2969_6b4b);
    assert_eq!(fnv(&planes), 0x7336_1ae1);

    let mut in_place = block.clone();
    bitslice::slice_in_place(&mut in_place).unwrap();
    assert!(in_place.iter().flat_map(|word| word.to_ne_bytes()).eq(planes.iter().copied()));
    bitslice::unslice_in_place(&mut in_place).unwrap();
    assert_eq!(in_place, block);
}

/// All bits of a block, one at a time. The kernels are linear, so these prove them.
#[test]
fn every_bit_of_a_block() {
    let (mut block, mut planes, mut tiles) = (vec![0u32; BLOCK], vec![0; 8192], vec![0; 8192]);
    let (mut from_rows, mut from_tiles) = (vec![0u32; BLOCK], vec![0u32; BLOCK]);
    let zeros = vec![0; 8192];
    for e in 0..BLOCK {
        for j in 0..32 {
            block[e] = 1 << j;
            bitslice::slice(&block, &mut planes, 256).unwrap();
            bitslice::slice_blocks(&block, Layout::Tiles64, Store::Cached, &mut tiles).unwrap();
            bitslice::unslice(&planes, 256, &mut from_rows).unwrap();
            bitslice::unslice_blocks(&tiles, Layout::Tiles64, Store::Cached, &mut from_tiles).unwrap();
            assert!(from_rows == block && from_tiles == block, "bit {j} of element {e}");
            block[e] = 0;
            for (planes, at) in [(&mut planes, 256 * j + e / 8), (&mut tiles, e / 64 * 256 + 8 * j + e / 8 % 8)] {
                assert_eq!(planes[at], 1 << (e % 8), "bit {j} of element {e}");
                planes[at] = 0;
                assert!(*planes == zeros, "bit {j} of element {e}");
            }
        }
    }
}

/// Every distance of source and destination modulo the size of a page.
#[test]
fn every_distance_of_the_arrays() {
    let src: Vec<u8> = noise(1024, 5).iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut room = vec![0; 8192 + 4096 + 8192];
    for layout in [Layout::Rows2048, Layout::Tiles64] {
        let mut expected = vec![0; 8192];
        bitslice::slice_blocks(&src, layout, Store::Cached, &mut expected).unwrap();
        for delta in 0..4096 {
            room[..8192].copy_from_slice(&src);
            let (from, to) = room.split_at_mut(8192 + delta);
            bitslice::slice_blocks(&from[..8192], layout, Store::Cached, &mut to[..8192]).unwrap();
            assert!(to[..8192] == expected, "{layout:?}, {delta} bytes away");
            let (to, from) = room.split_at_mut(8192 + delta);
            bitslice::unslice_blocks(&from[..8192], layout, Store::Cached, &mut to[..8192]).unwrap();
            assert!(to[..8192] == src, "{layout:?}, {delta} bytes back");
        }
    }
}

trait Sample: Element + PartialEq + std::fmt::Debug + Default {
    const BITS: usize = 8 * size_of::<Self>();
    fn cut(word: u64) -> Self;
    fn bits(self) -> u64;
}

macro_rules! samples {
    ($($type:ty)+) => {$(
        impl Sample for $type {
            fn cut(word: u64) -> Self { (word >> (64 - Self::BITS)) as $type }
            fn bits(self) -> u64 { self.into() }
        }
    )+};
}
samples! { u8 u16 u32 u64 }

/// Bit i of byte o of plane j is bit j of element 8 o + i; zeros beyond the last element.
fn defined<T: Sample>(src: &[T], j: usize, byte: usize) -> u8 {
    let bit = |i: usize| src.get(8 * byte + i).map_or(0, |element| (element.bits() >> j & 1) as u8) << i;
    (0..8).fold(0, |byte, i| byte | bit(i))
}

/// Every length up to 4200, against guard pages at both ends.
fn every_length<T: Sample>() {
    let all: Vec<T> = noise(4200, 1).into_iter().map(T::cut).collect();
    let whole: Vec<Vec<u8>> = (0..T::BITS).map(|j| (0..525).map(|byte| defined(&all, j, byte)).collect()).collect();
    for n in 0..=4200usize {
        let (src, row) = (&all[..n], n.div_ceil(8));
        let side = if n % 2 == 0 { Side::Start } else { Side::End };
        let stride = row + [0, 1, 7, 64][n % 4];
        let extent = if n == 0 { 0 } else { (T::BITS - 1) * stride + row };
        let guarded = Guarded::new(src, side, n % 5 * size_of::<T>());
        let mut planes = Guarded::new(&vec![0x5au8; extent], side, n % 7);
        bitslice::slice(guarded.as_slice(), planes.as_mut_slice(), stride).unwrap();
        for (j, plane) in planes.as_slice().chunks(stride.max(1)).enumerate() {
            let last = if n % 8 == 0 { 0xff } else { (1u8 << (n % 8)) - 1 };
            let expected = whole[j][..row].iter().enumerate();
            let expected = expected.map(|(i, byte)| if i + 1 == row { byte & last } else { *byte });
            assert!(plane[..row].iter().copied().eq(expected), "{n} elements, plane {j}");
            assert!(plane[row..].iter().all(|&byte| byte == 0x5a), "{n} elements, behind plane {j}");
        }
        // Bits beyond the last element are ignored.
        if n % 8 != 0 {
            planes.as_mut_slice().chunks_mut(stride).for_each(|plane| plane[row - 1] |= 0x80);
        }
        let mut back = Guarded::new(&vec![T::default(); n], side, n % 3 * size_of::<T>());
        bitslice::unslice(planes.as_slice(), stride, back.as_mut_slice()).unwrap();
        assert!(back.as_slice() == src, "{n} elements");
    }
}

#[test]
fn every_length_of_bytes() {
    every_length::<u8>();
}

#[test]
fn every_length_of_16_bits() {
    every_length::<u16>();
}

#[test]
fn every_length_of_32_bits() {
    every_length::<u32>();
}

#[test]
fn every_length_of_64_bits() {
    every_length::<u64>();
}

fn long_arrays<T: Sample>() {
    for n in [0, 1, 63, 64, 65, 511, 512, 2047, 2048, 2049, 4096, 6500] {
        let src: Vec<T> = noise(n, 2).into_iter().map(T::cut).collect();
        for layout in [Layout::Rows2048, Layout::Tiles64] {
            let (unit, row) = if layout == Layout::Rows2048 { (2048, 256) } else { (64, 8) };
            let length = bitslice::blocks_len::<T>(n, layout).unwrap();
            assert_eq!(length, n.div_ceil(unit) * T::BITS * row);
            for store in [Store::Auto, Store::Stream, Store::Cached] {
                let mut planes = Guarded::new(&vec![0x5a; length], Side::End, 0);
                bitslice::slice_blocks(&src, layout, store, planes.as_mut_slice()).unwrap();
                let blocks = planes.as_slice().chunks(T::BITS * row).zip(src.chunks(unit));
                for (number, (block, elements)) in blocks.enumerate() {
                    for (at, &byte) in block.iter().enumerate() {
                        let expected = defined(elements, at / row, at % row);
                        assert_eq!(byte, expected, "{n} elements, {layout:?}, block {number}, byte {at}");
                    }
                }
                let mut back = Guarded::new(&vec![T::default(); n], Side::End, 0);
                bitslice::unslice_blocks(planes.as_slice(), layout, store, back.as_mut_slice()).unwrap();
                assert!(back.as_slice() == src, "{n} elements, {layout:?}, {store:?}");

                let indices: Vec<usize> = (0..n).rev().step_by(7).chain([0, 0]).filter(|&index| index < n).collect();
                let mut picked = vec![T::default(); indices.len()];
                bitslice::gather_blocks(planes.as_slice(), n, &indices, layout, &mut picked).unwrap();
                assert!(picked.iter().zip(&indices).all(|(picked, &index)| *picked == src[index]));
            }
        }
        let stride = n.div_ceil(8) + 3;
        let mut planes = vec![0; T::BITS * stride];
        bitslice::slice(&src, &mut planes, stride).unwrap();
        let indices: Vec<usize> = (0..n).step_by(3).collect();
        for count in [T::BITS, T::BITS / 2 + 1] {
            let mut picked = vec![T::default(); indices.len()];
            bitslice::gather_planes(&planes, count, stride, &indices, &mut picked).unwrap();
            let kept = |element: T| element.bits() & (!0 >> (64 - count));
            assert!(picked.iter().zip(&indices).all(|(picked, &index)| picked.bits() == kept(src[index])));
        }
        let mut counts = vec![7; T::BITS];
        bitslice::count_ones(&src, &mut counts).unwrap();
        let ones = |j: usize| src.iter().filter(|element| element.bits() >> j & 1 == 1).count() as u64;
        assert!(counts.iter().enumerate().all(|(j, &count)| count == ones(j)));
    }
}

#[test]
fn long_arrays_in_blocks() {
    long_arrays::<u8>();
    long_arrays::<u16>();
    long_arrays::<u32>();
    long_arrays::<u64>();
}

/// `tests/data/make_bitshuffle.py` computed the checksums.
#[test]
fn bytes_are_those_of_bitshuffle() {
    let cases = include_str!("../data/bitshuffle.txt").lines();
    assert_eq!(cases.clone().count(), 16);
    for case in cases {
        let numbers: Vec<usize> = case.split(' ').map(|word| word.parse().unwrap()).collect();
        let [width, block, n, expected] = numbers[..] else { panic!("{case}") };
        let layout = if block == 64 { Layout::Tiles64 } else { Layout::Rows2048 };
        let noise = noise(n, 1);
        fn planes<T: Sample>(noise: &[u64], layout: Layout) -> Vec<u8> {
            let src: Vec<T> = noise.iter().map(|&word| T::cut(word)).collect();
            let mut planes = vec![0; bitslice::blocks_len::<T>(src.len(), layout).unwrap()];
            bitslice::slice_blocks(&src, layout, Store::Auto, &mut planes).unwrap();
            planes
        }
        let found = match width {
            1 => planes::<u8>(&noise, layout),
            2 => planes::<u16>(&noise, layout),
            4 => planes::<u32>(&noise, layout),
            _ => planes::<u64>(&noise, layout),
        };
        assert_eq!(fnv(&found) as usize, expected, "{n} elements of {width} bytes in blocks of {block}");
    }
}

/// Equal, complementary, similar and unrelated planes, in blocks of various lengths.
#[test]
fn planes_are_reduced_and_restored() {
    for n in [1usize, 8, 100, 2047, 2048] {
        for seed in 0..20 {
            let random = noise(n + 32, seed);
            let block: Vec<u32> = (0..n)
                .map(|e| {
                    let word = random[e] as u32;
                    // Copies, complements and near copies of lower bits, and constant ones.
                    let near = (word >> 3 & 1) ^ u32::from(random[e] % 97 == 2);
                    let spare = word & 0x0000_3fff;
                    spare
                        | (spare & 1) << 14
                        | (!spare >> 1 & 1) << 15
                        | near << 16
                        | (near ^ u32::from(random[e] % 89 == 1)) << 17
                        | if seed % 2 == 0 { 0xfff0_0000 } else { 0 }
                })
                .collect();
            let mut whole = block.clone();
            whole.resize(BLOCK, 0);
            let mut distances = [0; 1024];
            hotloops::hamming::slices_distance(&whole, &mut distances).unwrap();
            let mut codes = [0; 32];
            bitslice::classify(&distances, n, &mut codes).unwrap();
            check_codes(&block, &codes);

            let stride = n.div_ceil(8) + seed as usize % 3;
            let mut planes = vec![0; 32 * stride];
            bitslice::slice(&block, &mut planes, stride).unwrap();
            let mut reduced = vec![0; bitslice::reduced_len(n, &codes).unwrap()];
            bitslice::reduce(&planes, n, stride, &codes, &mut reduced).unwrap();
            assert!(reduced.len() <= 20 * n.div_ceil(8));
            let mut restored = vec![0; 32 * stride];
            bitslice::restore(&reduced, n, &codes, &mut restored, stride).unwrap();
            assert!(restored == planes, "{n} elements");
        }
    }
}

/// Each code is correct, and the strongest that applies.
fn check_codes(block: &[u32], codes: &[u16; 32]) {
    let n = block.len();
    let plane = |j: usize| block.iter().map(move |word| word >> j & 1);
    let differ = |i: usize, j: usize| plane(i).zip(plane(j)).filter(|(a, b)| a != b).count();
    for (i, &code) in codes.iter().enumerate() {
        let ones = plane(i).sum::<u32>() as usize;
        let (class, j) = (code & 7, usize::from(code >> 3));
        let constant = ones == 0 || ones == n;
        let nearest = (i + 1..32).map(|j| differ(i, j)).min().unwrap_or(n);
        let opposite = (i + 1..32).any(|j| differ(i, j) == n);
        assert!(!matches!(class, 3..) || j > i);
        match class {
            0 => assert!(!constant && nearest >= ones.min(n - ones) && !opposite),
            1 => assert_eq!(ones, 0),
            2 => assert_eq!(ones, n),
            3 => assert!(differ(i, j) == 0 && !constant),
            4 => assert!(
                differ(i, j) == nearest && nearest > 0 && nearest < ones.min(n - ones) && !opposite && !constant
            ),
            5 => assert!(differ(i, j) == n && nearest > 0 && !constant),
            _ => panic!("class {class}"),
        }
    }
    assert_eq!(Class::Equal(5).code(), 3 | 5 << 3);
}

#[test]
fn dna_there_and_back() {
    let alphabet = b"ACGTNacgtnUu";
    for n in (0..1100).chain([4096, 5000]) {
        let letters: Vec<u8> =
            noise(n, n as u64).iter().map(|word| alphabet[(word >> 40) as usize % alphabet.len()]).collect();
        let (row, stride) = (n.div_ceil(8), n.div_ceil(8) + n % 3);
        let mut planes = vec![0x5a; if n == 0 { 0 } else { 2 * stride + row }];
        dna::encode(&letters, &mut planes, stride).unwrap();
        for (e, letter) in letters.iter().enumerate() {
            let bits = [0, 1, 2].map(|j| planes[j * stride + e / 8] >> (e % 8) & 1);
            let expected = match letter.to_ascii_uppercase() {
                b'A' => [0, 0, 0],
                b'C' => [1, 0, 0],
                b'G' => [1, 1, 0],
                b'T' | b'U' => [0, 1, 0],
                _ => [1, 1, 1],
            };
            assert_eq!(bits, expected, "letter {e} of {n}");
        }
        let mut back = vec![0; n];
        dna::decode(&planes, stride, &mut back).unwrap();
        let capital = letters.iter().map(|letter| match letter.to_ascii_uppercase() {
            b'U' => b'T',
            letter => letter,
        });
        assert!(back.iter().copied().eq(capital), "{n} letters");
    }
    // Every valid letter and no other, and every code.
    for letter in 0..=255 {
        let legal = alphabet.contains(&letter);
        assert_eq!(dna::encode(&[b'A', letter], &mut [0; 3], 1).is_ok(), legal, "{letter}");
    }
    for code in 0..8u8 {
        let planes = [0, 1, 2].map(|j| (code >> j & 1) << 1);
        let mut letters = [b'-'; 2];
        assert_eq!(dna::decode(&planes, 1, &mut letters).is_ok(), !matches!(code, 4..=6), "code {code}");
        assert_eq!(letters == *b"--", matches!(code, 4..=6));
    }
}
