#![no_main]

use arbitrary::Arbitrary;
use hotloops::bitslice::{self, Element, Layout, Store, dna};
use hotloops_fuzz::alike;

#[derive(Arbitrary, Debug)]
struct Input {
    bytes: Vec<u8>,
    gap: u8,
    copies: u8,
    tiles: bool,
    stream: bool,
    indices: Vec<u16>,
}

/// Round trips through planes and blocks, gathers of single elements, popcounts.
fn planes<T: Element + Default + PartialEq + std::fmt::Debug>(elements: &[T], input: &Input) {
    let n = elements.len();
    let width = 8 * size_of::<T>();
    let stride = n.div_ceil(8) + usize::from(input.gap);
    let layout = if input.tiles { Layout::Tiles64 } else { Layout::Rows2048 };
    let store = if input.stream { Store::Stream } else { Store::Cached };
    let indices: Vec<usize> = input.indices.iter().map(|&index| usize::from(index)).collect();
    _ = alike(|| {
        let (mut planes, mut back) = (vec![0xa5; width * stride], vec![T::default(); n]);
        bitslice::slice(elements, &mut planes, stride).unwrap();
        bitslice::unslice(&planes, stride, &mut back).unwrap();
        assert_eq!(back, elements);
        let mut blocks = vec![0xa5; bitslice::blocks_len::<T>(n, layout).unwrap()];
        bitslice::slice_blocks(elements, layout, store, &mut blocks).unwrap();
        back.fill(T::default());
        bitslice::unslice_blocks(&blocks, layout, store, &mut back).unwrap();
        assert_eq!(back, elements);
        let mut picked = vec![T::default(); indices.len()];
        let found = bitslice::gather_planes(&planes, width, stride, &indices, &mut picked);
        if found.is_ok() && indices.iter().all(|&index| index < n) {
            assert!(picked.iter().zip(&indices).all(|(picked, &index)| *picked == elements[index]));
        }
        let mut counts = vec![0; width];
        bitslice::count_ones(elements, &mut counts).unwrap();
        (planes, blocks, found, picked, counts)
    });
}

libfuzzer_sys::fuzz_target!(|input: Input| {
    let copies = 1 + usize::from(input.copies % 32);
    let bytes: Vec<u8> = input.bytes.iter().copied().cycle().take(copies * input.bytes.len().min(1 << 10)).collect();
    planes(&bytes, &input);
    planes(&bytes.chunks_exact(2).map(|word| u16::from_le_bytes(word.try_into().unwrap())).collect::<Vec<_>>(), &input);
    planes(&bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect::<Vec<_>>(), &input);
    planes(&bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect::<Vec<_>>(), &input);
    _ = alike(|| {
        let stride = bytes.len().div_ceil(8) + usize::from(input.gap);
        let (mut planes, mut letters) = (vec![0; 3 * stride], vec![0; bytes.len()]);
        let encoded = dna::encode(&bytes, &mut planes, stride);
        let decoded = dna::decode(&bytes, bytes.len() / 3, &mut letters);
        (encoded, planes, decoded, letters)
    });
});
