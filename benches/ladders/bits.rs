//! Bit planes and rows of bits.

use std::hint::black_box;
use std::sync::Arc;

use hotloops::bitslice::{self, CHUNK, Layout, Store};
use hotloops::hamming::{self, BitRows, PackedRows, Part, Similarity};
use hotloops_bench_support::planes;

use crate::rows::{Row, levels, under, usable, words};

pub const BLOCK: usize = bitslice::BLOCK;

/// Aligned to cache lines.
#[derive(Clone)]
#[repr(align(64))]
struct Aligned<T>(T);

fn planes_of_block() -> Box<Aligned<[u8; 4 * BLOCK]>> {
    Box::new(Aligned([0x5a; 4 * BLOCK]))
}

fn block() -> Box<Aligned<[u32; BLOCK]>> {
    Box::new(Aligned(words(BLOCK).try_into().unwrap()))
}

/// A block in the L1 cache.
pub fn slice_rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let (src, mut planes) = (block(), Box::new([[0; 64]; 32]));
    let by_bits = move || planes::slice_by_bits(black_box(&src.0), &mut planes);
    rows.push(("slice, original, bit by bit".to_owned(), BLOCK, Box::new(by_bits)));
    let (src, mut copy) = (block(), block());
    rows.push(("copy".to_owned(), BLOCK, Box::new(move || copy.0.copy_from_slice(black_box(&src.0)))));
    for (name, kernel) in [("slice_u32", &bitslice::slice_u32::KERNEL), ("tile_u32", &bitslice::tile_u32::KERNEL)] {
        for (variant, function) in usable(kernel) {
            let (src, mut planes) = (block(), planes_of_block());
            // SAFETY: a block, and its planes or tiles.
            let call = move || unsafe { function(src.0.as_ptr(), BLOCK / CHUNK, planes.0.as_mut_ptr(), 256) };
            rows.push((format!("{name} {variant}"), BLOCK, Box::new(call)));
        }
    }
    let (mut dst, planes) = (block(), Box::new([[0x5555_aaaa; 64]; 32]));
    let by_bits = move || planes::unslice_by_bits(black_box(&planes), &mut dst.0);
    rows.push(("unslice, bit by bit".to_owned(), BLOCK, Box::new(by_bits)));
    for (name, kernel) in
        [("unslice_u32", &bitslice::unslice_u32::KERNEL), ("untile_u32", &bitslice::untile_u32::KERNEL)]
    {
        for (variant, function) in usable(kernel) {
            let (planes, mut dst) = (planes_of_block(), block());
            // SAFETY: as above.
            let call = move || unsafe { function(planes.0.as_ptr(), 256, BLOCK / CHUNK, dst.0.as_mut_ptr()) };
            rows.push((format!("{name} {variant}"), BLOCK, Box::new(call)));
        }
    }
    rows
}

/// Other element widths, through the safe functions; per block of 8 KiB.
pub fn width_rows() -> Vec<Row> {
    fn row<T: bitslice::Element + Default>(name: &str, rows: &mut Vec<Row>) {
        for layout in [Layout::Rows2048, Layout::Tiles64] {
            let n = 4 * 8192 / size_of::<T>();
            let (mut src, mut planes) = (vec![T::default(); n], vec![0u8; 4 * 8192]);
            planes.iter_mut().zip(words(4 * 8192)).for_each(|(byte, word)| *byte = (word >> 24) as u8);
            bitslice::unslice_blocks(&planes, layout, Store::Cached, &mut src).unwrap();
            let mut back = src.clone();
            let mut dst = planes.clone();
            let slice = move || bitslice::slice_blocks(black_box(&src), layout, Store::Cached, &mut dst).unwrap();
            rows.push((format!("{name} into {layout:?}"), 4 * BLOCK, Box::new(slice)));
            let join = move || bitslice::unslice_blocks(black_box(&planes), layout, Store::Cached, &mut back).unwrap();
            rows.push((format!("{name} from {layout:?}"), 4 * BLOCK, Box::new(join)));
        }
    }
    let mut rows = Vec::new();
    row::<u8>("u8", &mut rows);
    row::<u16>("u16", &mut rows);
    row::<u32>("u32", &mut rows);
    row::<u64>("u64", &mut rows);
    rows
}

/// 128 MiB, from memory to memory.
pub fn memory_rows() -> Vec<Row> {
    const N: usize = 32 << 20;
    let src: Arc<Vec<u32>> = Arc::new((0..N as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect());
    let mut rows: Vec<Row> = Vec::new();
    let (from, mut copy) = (src.clone(), vec![1u32; N]);
    let blockwise =
        move || copy.chunks_exact_mut(BLOCK).zip(from.chunks_exact(BLOCK)).for_each(|(a, b)| a.copy_from_slice(b));
    rows.push(("copy, block by block".to_owned(), N, Box::new(blockwise)));
    let (from, mut copy) = (src.clone(), vec![1u32; N]);
    rows.push(("copy, at once (libc)".to_owned(), N, Box::new(move || copy.copy_from_slice(&from))));
    for layout in [Layout::Rows2048, Layout::Tiles64] {
        for store in [Store::Stream, Store::Cached] {
            let (src, mut dst) = (src.clone(), vec![1u8; 4 * N]);
            let slice = move || bitslice::slice_blocks(&src, layout, store, &mut dst).unwrap();
            rows.push((format!("into {layout:?}, {store:?}"), N, Box::new(slice)));
            let (planes, mut dst) = (vec![0x5au8; 4 * N], vec![1u32; N]);
            let join = move || bitslice::unslice_blocks(&planes, layout, store, &mut dst).unwrap();
            rows.push((format!("from {layout:?}, {store:?}"), N, Box::new(join)));
        }
    }
    rows
}

/// The planes of a block.
pub fn distance_rows() -> Vec<Row> {
    let mut planes = Box::new([[0; 64]; 32]);
    planes::slice_by_bits(&block().0, &mut planes);
    let mut rows: Vec<Row> = Vec::new();
    for (name, original) in [
        ("original, table of bytes", planes::distances_by_table as fn(&_, &mut _)),
        ("original, sums in a word", planes::distances_by_sums),
    ] {
        let (planes, mut d) = (planes.clone(), Box::new([[0; 32]; 32]));
        rows.push((name.to_owned(), BLOCK, Box::new(move || original(black_box(&*planes), &mut d))));
    }
    let (src, mut d) = (block(), Box::new([[0; 32]; 32]));
    let both = move || {
        planes::slice_by_bits(black_box(&src.0), &mut planes);
        planes::distances_by_table(&planes, &mut d);
    };
    rows.push(("original, slicing too".to_owned(), BLOCK, Box::new(both)));
    for (variant, function) in usable(&hamming::slices::KERNEL) {
        let (tiles, mut d) = (block(), vec![0u32; 1024]);
        // SAFETY: a block in tiles, 1024 distances.
        let call = move || unsafe { function(tiles.0.as_ptr().cast(), d.as_mut_ptr()) };
        rows.push((format!("slices {variant}"), BLOCK, Box::new(call)));
    }
    for isa in levels() {
        let (src, mut d) = (block(), vec![0u32; 1024]);
        let fused = under(isa, move || hamming::slices_distance(black_box(&src.0), &mut d).unwrap());
        rows.push((format!("slicing and distances, {}", isa.word()), BLOCK, fused));
        let (planes, mut d) = (planes_of_block(), vec![0u32; 1024]);
        let apart = under(isa, move || hamming::planes_distance(black_box(&planes.0), &mut d).unwrap());
        rows.push((format!("distances from rows, {}", isa.word()), BLOCK, apart));
    }
    rows
}

/// 512 rows against 256 packed ones, 2048 bits each; per pair.
pub fn pair_rows() -> Vec<Row> {
    const BITS: usize = 2048;
    const N: usize = 512;
    const M: usize = 256;
    let memory = |n: usize| -> Vec<u64> {
        words(n * BITS / 32).chunks(2).map(|w| u64::from(w[0]) << 32 | u64::from(w[1])).collect()
    };
    let (first, second) = (Arc::new(memory(N)), Arc::new(memory(M)));
    let bytes =
        |words: &[u64]| -> Arc<Vec<u8>> { Arc::new(words.iter().flat_map(|word| word.to_ne_bytes()).collect()) };
    let (rows_bytes, others) = (bytes(&first), bytes(&second));
    let mut packed = vec![0; hamming::packed_len(M, BITS).unwrap()];
    hamming::pack(BitRows::new(&others, M, BITS, BITS / 8).unwrap(), &mut packed).unwrap();
    let packed = Arc::new(packed);
    let mut rows: Vec<Row> = Vec::new();
    let mut out = vec![0u32; N * M];
    let (a, b) = (first.clone(), second.clone());
    let by_words = move || planes::distances_by_words(black_box(&a), &b, BITS / 64, &mut out);
    rows.push(("word by word".to_owned(), N * M, Box::new(by_words)));
    for isa in levels() {
        let (bytes, memory) = (rows_bytes.clone(), packed.clone());
        let mut out = vec![0u32; N * M];
        let call = under(isa, move || {
            let rows = BitRows::new(&bytes, N, BITS, BITS / 8).unwrap();
            hamming::cross(&PackedRows::new(&memory).unwrap(), rows, &mut out, M).unwrap();
        });
        rows.push((format!("Hamming, {}", isa.word()), N * M, call));
        let (bytes, memory) = (rows_bytes.clone(), packed.clone());
        let mut out = vec![0f32; N * M];
        let call = under(isa, move || {
            let rows = BitRows::new(&bytes, N, BITS, BITS / 8).unwrap();
            let packed = PackedRows::new(&memory).unwrap();
            hamming::similarities(&packed, rows, Similarity::Tanimoto, 1.0, &mut out, M).unwrap();
        });
        rows.push((format!("Tanimoto, {}", isa.word()), N * M, call));
        let (bytes, mut out) = (rows_bytes.clone(), vec![0u32; N * N]);
        let call = under(isa, move || {
            let rows = BitRows::new(&bytes, N, BITS, BITS / 8).unwrap();
            hamming::within(rows, 0..N, Part::Upper, &mut out, N).unwrap();
        });
        rows.push((format!("Hamming within the {N}, {}", isa.word()), N * (N + 1) / 2, call));
    }
    rows
}

/// Gathers single elements of a block; per element.
pub fn gather_rows() -> Vec<Row> {
    const N: usize = 1 << 11;
    let src = words(N);
    let mut rows: Vec<Row> = Vec::new();
    for isa in levels() {
        for layout in [Layout::Rows2048, Layout::Tiles64] {
            let mut planes = vec![0; 4 * N];
            bitslice::slice_blocks(&src, layout, Store::Cached, &mut planes).unwrap();
            let indices: Vec<usize> = words(1024).iter().map(|&word| word as usize % N).collect();
            let mut out = vec![0u32; 1024];
            let call = under(isa, move || bitslice::gather_blocks(&planes, N, &indices, layout, &mut out).unwrap());
            rows.push((format!("from {layout:?}, {}", isa.word()), 1024, call));
        }
    }
    rows
}
