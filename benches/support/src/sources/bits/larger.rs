//! Beyond the article: other widths, arrays in memory, and rows of bits that no slicing made.

use std::hint::black_box;
use std::rc::Rc;

use hotloops::bitslice::{self, BLOCK, Layout, Store};
use hotloops::hamming::{self, BitRows, PackedRows, Part, Similarity};

use super::block::{bytes, words};
use super::{Plan, programs, table};
use crate::ladder::{Compared, Origin, Rung, Scale, Table, measure};
use crate::sources::stateful::{rung, usable};

/// 32 KiB of elements of 8 to 64 bits, there and back, under the best instruction set.
pub fn widths(plan: &Plan) -> Table {
    fn pair<T: bitslice::Element + Default + PartialEq>(name: &str, layout: Layout, rungs: &mut Vec<Rung>) {
        let random = words(8192);
        let planes = bytes(&random).to_vec();
        let mut elements = vec![T::default(); planes.len() / size_of::<T>()];
        bitslice::unslice_blocks(&planes, layout, Store::Cached, &mut elements).unwrap();
        let blocks = (planes.len() / (4 * BLOCK)) as f64;
        let (from, right) = (elements.clone(), planes.clone());
        let slice = move |planes: &mut Vec<u8>| {
            bitslice::slice_blocks(black_box(&from), layout, Store::Cached, planes).unwrap();
        };
        let state = vec![0; planes.len()];
        rungs.push(rung(format!("{name} into {layout:?}"), Origin::Ours, blocks, state, slice, move |planes| {
            *planes == right
        }));
        let (state, name) = (vec![T::default(); elements.len()], format!("{name} from {layout:?}"));
        let join = move |elements: &mut Vec<T>| {
            bitslice::unslice_blocks(black_box(&planes), layout, Store::Cached, elements).unwrap();
        };
        rungs.push(rung(name, Origin::Ours, blocks, state, join, move |back| *back == elements));
    }
    let mut rungs = Vec::new();
    for layout in [Layout::Rows2048, Layout::Tiles64] {
        pair::<u32>("u32", layout, &mut rungs);
        pair::<u8>("u8", layout, &mut rungs);
        pair::<u16>("u16", layout, &mut rungs);
        pair::<u64>("u64", layout, &mut rungs);
    }
    let best = usable().last().expect("the scalar one");
    let rungs = rungs.into_iter().map(|rung| rung.under(best)).collect();
    table(plan, "widths", "32 KiB of elements of other widths", "cycles per 8 KiB", rungs)
}

/// From memory to memory, under the best instruction set.
pub fn memory(plan: &Plan) -> Table {
    let n = plan.large;
    let blocks = (n / BLOCK) as f64;
    let from: Rc<Vec<u32>> = Rc::new((0..n as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect());
    let to = vec![1u32; n];
    let (same, right) = (Rc::clone(&from), Rc::clone(&from));
    let blockwise = move |to: &mut Vec<u32>| {
        to.chunks_exact_mut(BLOCK).zip(same.chunks_exact(BLOCK)).for_each(|(to, from)| to.copy_from_slice(from));
    };
    let is_right = move |to: &Vec<u32>| *to == *right;
    let mut rungs = vec![rung("copy, block by block", Origin::Step, blocks, to.clone(), blockwise, is_right)];
    let (same, right) = (Rc::clone(&from), Rc::clone(&from));
    let whole = move |to: &mut Vec<u32>| to.copy_from_slice(&same);
    rungs.push(rung("copy at once", Origin::Step, blocks, to, whole, move |to| *to == *right));
    let best = usable().last().expect("the scalar one");
    for layout in [Layout::Rows2048, Layout::Tiles64] {
        let mut right = vec![0u8; 4 * n];
        bitslice::slice_blocks(&from, layout, Store::Cached, &mut right).unwrap();
        let planes = Rc::new(right);
        for store in [Store::Stream, Store::Cached] {
            let (same, right) = (Rc::clone(&from), Rc::clone(&planes));
            let slice = move |to: &mut Vec<u8>| bitslice::slice_blocks(&same, layout, store, to).unwrap();
            let name = format!("into {layout:?}, {store:?}");
            rungs.push(rung(name, Origin::Ours, blocks, vec![1; 4 * n], slice, move |to| *to == *right).under(best));
            let (same, right) = (Rc::clone(&planes), Rc::clone(&from));
            let join = move |to: &mut Vec<u32>| bitslice::unslice_blocks(&same, layout, store, to).unwrap();
            let name = format!("from {layout:?}, {store:?}");
            rungs.push(rung(name, Origin::Ours, blocks, vec![1; n], join, move |to| *to == *right).under(best));
        }
    }
    let title = format!("{} MiB from memory to memory", (4 * n) >> 20);
    let scale = (Scale::Nanoseconds, "ns per 8 KiB");
    measure("memory", title, scale, Compared::Value, rungs, plan.budget)
}

/// 512 rows against 256 packed ones, 2048 bits each.
pub fn rows(plan: &Plan) -> Table {
    const BITS: usize = 2048;
    const N: usize = 512;
    const M: usize = 256;
    let memory = words((N + M) * BITS / 32);
    let (first, second) = memory.split_at(N * BITS / 32);
    let mut packed = vec![0; hamming::packed_len(M, BITS).unwrap()];
    hamming::pack(BitRows::new(bytes(second), M, BITS, BITS / 8).unwrap(), &mut packed).unwrap();
    let (packed, rows): (Rc<[u8]>, Rc<[u8]>) = (packed.into(), bytes(first).into());
    let in_words = |words: &[u32]| -> Rc<[u64]> {
        words.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect()
    };
    let (a, b) = (in_words(first), in_words(second));
    let distances = |first: &[u32], second: &[u32]| -> Rc<[u32]> {
        let of = |a: &[u32], b: &[u32]| a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum();
        first.chunks(BITS / 32).flat_map(|a| second.chunks(BITS / 32).map(move |b| of(a, b))).collect()
    };
    let (cross, within) = (distances(first, second), distances(first, first));
    let by_words = move |out: &mut Vec<u32>| programs::distances_by_words(black_box(&a), &b, BITS / 64, out);
    let right = Rc::clone(&cross);
    let name = "word by word, Rust";
    let mut rungs =
        vec![rung(name, Origin::Step, (N * M) as f64, vec![0; N * M], by_words, move |out| **out == *right)];
    for isa in usable() {
        let (rows, packed, right) = (Rc::clone(&rows), Rc::clone(&packed), Rc::clone(&cross));
        let call = move |out: &mut Vec<u32>| {
            let rows = BitRows::new(black_box(&rows), N, BITS, BITS / 8).unwrap();
            hamming::cross(&PackedRows::new(&packed).unwrap(), rows, out, M).unwrap();
        };
        let is_right = move |out: &Vec<u32>| **out == *right;
        rungs.push(rung("Hamming", Origin::Ours, (N * M) as f64, vec![0; N * M], call, is_right).under(isa));
    }
    for isa in usable() {
        let (rows, packed) = (Rc::clone(&rows), Rc::clone(&packed));
        let right = tanimoto(first, second, BITS / 32);
        let call = move |out: &mut Vec<f32>| {
            let rows = BitRows::new(black_box(&rows), N, BITS, BITS / 8).unwrap();
            let packed = PackedRows::new(&packed).unwrap();
            hamming::similarities(&packed, rows, Similarity::Tanimoto, 1.0, out, M).unwrap();
        };
        let state = vec![0.0; N * M];
        rungs.push(rung("Tanimoto", Origin::Ours, (N * M) as f64, state, call, move |out| *out == right).under(isa));
    }
    for isa in usable() {
        let (rows, right) = (Rc::clone(&rows), Rc::clone(&within));
        let call = move |out: &mut Vec<u32>| {
            let rows = BitRows::new(black_box(&rows), N, BITS, BITS / 8).unwrap();
            hamming::within(rows, 0..N, Part::Upper, out, N).unwrap();
        };
        let is_right = move |out: &Vec<u32>| (0..N).all(|i| (i..N).all(|j| out[N * i + j] == right[N * i + j]));
        let pairs = (N * (N + 1) / 2) as f64;
        rungs.push(rung("Hamming within the rows", Origin::Ours, pairs, vec![0; N * N], call, is_right).under(isa));
    }
    let title = format!("{N} x {M} rows of {BITS} bits");
    table(plan, "rows", &title, "cycles a pair", rungs)
}

fn tanimoto(first: &[u32], second: &[u32], words: usize) -> Vec<f32> {
    let similarity = |a: &[u32], b: &[u32]| {
        let count = |of: fn(u32, u32) -> u32| -> u32 { a.iter().zip(b).map(|(&a, &b)| of(a, b).count_ones()).sum() };
        count(|a, b| a & b) as f32 / count(|a, b| a | b) as f32
    };
    first.chunks(words).flat_map(|a| second.chunks(words).map(move |b| similarity(a, b))).collect()
}
