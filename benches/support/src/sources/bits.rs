//! Kuznetsov, Tolstoy, *SSE2 vs CUDA in parallel bit stream transposition / similarity* (2009): a block of 2048
//! integers becomes 32 planes, whose popcounts and distances are counted.

mod block;
mod larger;
mod programs;
mod whole;

use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;

use hotloops::bitslice::{self, Layout, Store};
use hotloops::hamming::{self, BitRows};

use super::programs::compilers;
use super::stateful::{rung, usable};
use crate::ladder::{Compared, Effort, Origin, Part, Rung, Scale, Table, measure};
use block::{Block, Example, Page, Pair, bytes, bytes_mut};
use programs::{O2, O3};

/// Sizes and times of a run.
struct Plan {
    effort: Effort,
    /// Time of one table.
    budget: Duration,
    /// Integers of the arrays in memory.
    large: usize,
    example: Rc<Example>,
}

type Experiment = (&'static str, fn(&Plan) -> Table);

/// Measures the article's experiments; unless quick, also other widths, large arrays and rows of bits.
pub fn run(effort: &Effort, step: &mut dyn FnMut(&str)) -> Vec<Part> {
    run_with(effort, if effort.is_quick { 1 << 20 } else { 32 << 20 }, step)
}

fn run_with(effort: &Effort, large: usize, step: &mut dyn FnMut(&str)) -> Vec<Part> {
    let mut tables: Vec<Experiment> = vec![
        ("slicing", slice),
        ("its inverse", unslice),
        ("single integers", gather),
        ("popcounts", popcounts),
        ("distances", distances),
        ("the lower half of the distances", lower),
        ("slicing and distances", whole::block),
        ("four blocks a call", whole::blocks),
    ];
    if !effort.is_quick {
        tables.push(("other widths", larger::widths));
        tables.push(("large arrays", larger::memory));
        tables.push(("rows of bits", larger::rows));
    }
    let budget = effort.budget / tables.len() as u32;
    let plan = Plan { effort: effort.clone(), budget, large, example: Example::new() };
    let mut measured = |(title, table): Experiment| {
        step(title);
        Part::Table(table(&plan))
    };
    tables.into_iter().map(&mut measured).collect()
}

/// Cycles a block, with the compiler in the notes.
fn table(plan: &Plan, name: &'static str, title: &str, unit: &'static str, rungs: Vec<Rung>) -> Table {
    let mut table = measure(name, title, (Scale::Cycles, unit), Compared::Value, rungs, plan.budget);
    table.notes.push(compilers());
    table
}

/// A rung from the first half of a pair to the second, which must become `right`.
fn pair_rung(
    name: impl Into<String>,
    origin: Origin,
    pair: Box<Pair>,
    right: Block,
    call: impl Fn(&Block, &mut Block) + 'static,
) -> Rung {
    rung(
        name,
        origin,
        1.0,
        pair,
        move |pair| call(black_box(&pair.from.0), &mut pair.to.0),
        move |pair| pair.to.0 == right,
    )
}

fn slice(plan: &Plan) -> Table {
    let example = &plan.example;
    let new = |name: String, origin, call: fn(&Block, &mut Block)| {
        pair_rung(name, origin, example.to_slice(), example.planes, call)
    };
    let mut rungs = vec![
        new(format!("gather of 32 integers a word, {}", O2.level), Origin::Source, |block, planes| {
            O2.slice(block, planes)
        }),
        new(format!("the same, {}", O3.level), Origin::Step, |block, planes| O3.slice(block, planes)),
        new("the same, Rust".to_owned(), Origin::Step, programs::slice),
    ];
    #[cfg(target_arch = "x86_64")]
    rungs.push(new(format!("sign masks of SSE2, {}", O2.level), Origin::Step, |block, planes| {
        O2.slice_by_masks(block, planes);
    }));
    let copy = |block: &Block, copy: &mut Block| copy.copy_from_slice(block);
    rungs.push(pair_rung("copy of the block", Origin::Step, example.to_slice(), example.block, copy));
    let into_rows = |block: &Block, planes: &mut Block| bitslice::slice(block, bytes_mut(planes), 256).unwrap();
    let into_tiles = |block: &Block, tiles: &mut Block| {
        bitslice::slice_blocks(block, Layout::Tiles64, Store::Cached, bytes_mut(tiles)).unwrap();
    };
    for isa in usable() {
        rungs.push(new("into rows".to_owned(), Origin::Ours, into_rows).under(isa));
    }
    for isa in usable() {
        rungs.push(pair_rung("into tiles", Origin::Ours, example.to_slice(), tiles(example), into_tiles).under(isa));
    }
    table(plan, "slice", "2048 integers of 32 bits into 32 planes, in the first cache", "cycles a block", rungs)
}

/// The planes of an example in tiles: the words of 64 elements of all planes side by side.
fn tiles(example: &Example) -> Block {
    std::array::from_fn(|at| {
        let (tile, plane, half) = (at / 64, at % 64 / 2, at % 2);
        example.planes[64 * plane + 2 * tile + half]
    })
}

fn unslice(plan: &Plan) -> Table {
    let example = &plan.example;
    let new = |name: String, origin, call: fn(&Block, &mut Block)| {
        pair_rung(name, origin, example.sliced(), example.block, call)
    };
    let mut rungs = vec![
        new(format!("gather of 32 planes an integer, {}", O2.level), Origin::Step, |planes, block| {
            O2.unslice(planes, block);
        }),
        new(format!("the same, {}", O3.level), Origin::Step, |planes, block| O3.unslice(planes, block)),
        new("the same, Rust".to_owned(), Origin::Step, programs::unslice),
    ];
    let from_rows = |planes: &Block, block: &mut Block| bitslice::unslice(bytes(planes), 256, block).unwrap();
    let from_tiles = |tiles: &Block, block: &mut Block| {
        bitslice::unslice_blocks(bytes(tiles), Layout::Tiles64, Store::Cached, block).unwrap();
    };
    for isa in usable() {
        rungs.push(new("from rows".to_owned(), Origin::Ours, from_rows).under(isa));
    }
    for isa in usable() {
        let pair = Box::new(Pair { from: Page(tiles(example)), to: Page([0; 2048]) });
        rungs.push(pair_rung("from tiles", Origin::Ours, pair, example.block, from_tiles).under(isa));
    }
    table(plan, "inverse", "32 planes into 2048 integers of 32 bits, in the first cache", "cycles a block", rungs)
}

fn gather(plan: &Plan) -> Table {
    const COUNT: usize = 1024;
    let example = &plan.example;
    let indices: Rc<[usize]> = block::words(COUNT).iter().map(|&word| word as usize % 2048).collect();
    let right: Rc<[u32]> = indices.iter().map(|&index| example.block[index]).collect();
    let new = |name: String, origin, planes: Block, call: fn(&Block, &[usize], &mut [u32])| {
        let (indices, right) = (Rc::clone(&indices), Rc::clone(&right));
        let state = (Box::new(Page(planes)), vec![0; COUNT]);
        let call = move |(planes, out): &mut (Box<Page<Block>>, Vec<u32>)| call(black_box(&planes.0), &indices, out);
        rung(name, origin, COUNT as f64, state, call, move |(_, out)| **out == *right)
    };
    let mut rungs = vec![new(
        format!("32 planes one by one, {}", O2.level),
        Origin::Step,
        example.planes,
        |planes, indices, out| {
            O2.gather(planes, indices, out);
        },
    )];
    for isa in usable() {
        let call = |planes: &Block, indices: &[usize], out: &mut [u32]| {
            bitslice::gather_blocks(bytes(planes), 2048, indices, Layout::Rows2048, out).unwrap();
        };
        rungs.push(new("from rows".to_owned(), Origin::Ours, example.planes, call).under(isa));
    }
    for isa in usable() {
        let call = |tiles: &Block, indices: &[usize], out: &mut [u32]| {
            bitslice::gather_blocks(bytes(tiles), 2048, indices, Layout::Tiles64, out).unwrap();
        };
        rungs.push(new("from tiles".to_owned(), Origin::Ours, tiles(example), call).under(isa));
    }
    table(plan, "gather", "Integers at 1024 random indices of a sliced block", "cycles an integer", rungs)
}

fn popcounts(plan: &Plan) -> Table {
    let example = &plan.example;
    let right: [u32; 32] = std::array::from_fn(|i| example.distances[33 * i]);
    let from_planes = |name: String, origin, call: fn(&Block, &mut [u32; 32])| {
        let call = move |(pair, counts): &mut (Box<Pair>, [u32; 32])| call(black_box(&pair.from.0), counts);
        rung(name, origin, 1.0, (example.sliced(), [0; 32]), call, move |(_, counts)| *counts == right)
    };
    let mut rungs = vec![from_planes(format!("table of bytes, {}", O2.level), Origin::Source, |planes, counts| {
        O2.popcounts(planes, counts);
    })];
    for isa in usable() {
        let count = |planes: &Block, counts: &mut [u32; 32]| {
            hamming::count_ones(BitRows::new(bytes(planes), 32, 2048, 256).unwrap(), counts).unwrap();
        };
        rungs.push(from_planes("of the planes".to_owned(), Origin::Ours, count).under(isa));
    }
    for isa in usable() {
        let call = |(pair, counts): &mut (Box<Pair>, [u64; 32])| {
            bitslice::count_ones(black_box(&pair.from.0), counts).unwrap();
        };
        let is_right = move |(_, counts): &(Box<Pair>, [u64; 32])| counts.map(|count| count as u32) == right;
        let state = (example.to_slice(), [0; 32]);
        rungs.push(rung("of the integers, unsliced", Origin::Ours, 1.0, state, call, is_right).under(isa));
    }
    table(plan, "popcounts", "Ones of the 32 planes", "cycles a block", rungs)
}

type Counted = (Box<Pair>, Box<block::Distances>);

/// A rung that computes the distances of an example's planes.
fn distance_rung(
    plan: &Plan,
    name: impl Into<String>,
    origin: Origin,
    right: block::Distances,
    call: fn(&Block, &mut block::Distances),
) -> Rung {
    let state: Counted = (plan.example.sliced(), Box::new([0; 1024]));
    let call = move |(pair, distances): &mut Counted| call(black_box(&pair.from.0), distances);
    rung(name, origin, 1.0, state, call, move |(_, distances)| **distances == right)
}

fn distances(plan: &Plan) -> Table {
    let new = |name: String, origin, call| distance_rung(plan, name, origin, plan.example.distances, call);
    let mut rungs = vec![
        new(format!("table of bytes, {}", O2.level), Origin::Source, |planes, d| O2.by_table(planes, d)),
        new(format!("the same, {}", O3.level), Origin::Step, |planes, d| O3.by_table(planes, d)),
        new("the same, Rust".to_owned(), Origin::Step, programs::by_table),
        new(format!("bit sums in a word, {}", O2.level), Origin::Source, |planes, d| O2.by_sums(planes, d)),
    ];
    #[cfg(target_arch = "x86_64")]
    rungs.push(new(format!("bit sums in SSE2, {}", O2.level), Origin::Source, |planes, d| O2.by_vector(planes, d)));
    for isa in usable() {
        let ours = |planes: &Block, d: &mut block::Distances| hamming::planes_distance(bytes(planes), d).unwrap();
        rungs.push(new("distances of planes".to_owned(), Origin::Ours, ours).under(isa));
    }
    let title = "Popcounts and 496 distances of 32 planes of 2048 bits";
    table(plan, "distances", title, "cycles a block", rungs)
}

fn lower(plan: &Plan) -> Table {
    let new = |name: String, origin, call| distance_rung(plan, name, origin, plan.example.lower(), call);
    let mut rungs = vec![new(format!("table of bytes, {}", O2.level), Origin::Step, |planes, d| O2.lower(planes, d))];
    for isa in usable() {
        rungs.push(new("distances of planes, transposed".to_owned(), Origin::Ours, whole::lower_of_planes).under(isa));
    }
    let title = "The lower half of the matrix of distances, as the article's CUDA program fills it";
    table(plan, "lower", title, "cycles a block", rungs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::programs::unverified;

    #[test]
    fn every_rung_of_bits_is_right() {
        let effort = Effort { budget: Duration::ZERO, is_quick: false, threads: vec![1, 2] };
        let mut steps = 0;
        let parts = run_with(&effort, 4 * 2048, &mut |_| steps += 1);
        assert_eq!(steps, parts.len());
        assert_eq!(unverified(&parts), Vec::<String>::new());
    }
}
