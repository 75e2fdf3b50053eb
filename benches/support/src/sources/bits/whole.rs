//! Slicing and distances together, and on all cores: the article's table.

use std::hint::black_box;
use std::thread;

use hotloops::hamming;

use super::Plan;
use super::block::{self, Block, Distances, Page, Pair, bytes};
use super::programs::{O2, O3, Programs};
use crate::ladder::{Compared, Origin, Rung, Scale, Table, measure};
use crate::sources::programs::compilers;
use crate::sources::stateful::{rung, usable};

/// Units of a block, so that nanoseconds become microseconds.
const MICROSECONDS: f64 = 1e3;

/// The distances of a block, with memory for its planes.
type Distance = fn(&Block, &mut Block, &mut Distances);

/// Distances of planes, in the lower half of the matrix.
pub fn lower_of_planes(planes: &Block, distances: &mut Distances) {
    let mut upper = [0; 1024];
    hamming::planes_distance(bytes(planes), &mut upper).unwrap();
    transpose(&upper, distances);
}

/// Distances of a block, in the lower half of the matrix.
fn lower_of_block(block: &Block, _: &mut Block, distances: &mut Distances) {
    let mut upper = [0; 1024];
    hamming::slices_distance(block, &mut upper).unwrap();
    transpose(&upper, distances);
}

fn transpose(upper: &Distances, lower: &mut Distances) {
    for i in 0..32 {
        (0..=i).for_each(|j| lower[32 * i + j] = upper[32 * j + i]);
    }
}

fn by_words(programs: &Programs, block: &Block, planes: &mut Block, distances: &mut Distances) {
    programs.slice(block, planes);
    programs.by_table(planes, distances);
}

fn by_words_o2(block: &Block, planes: &mut Block, distances: &mut Distances) {
    by_words(&O2, block, planes, distances);
}

#[cfg(target_arch = "x86_64")]
fn mixed(block: &Block, planes: &mut Block, distances: &mut Distances) {
    O2.slice(block, planes);
    O2.by_vector(planes, distances);
}

fn ours(block: &Block, _: &mut Block, distances: &mut Distances) {
    hamming::slices_distance(block, distances).unwrap();
}

/// One block a call, in one thread.
pub fn block(plan: &Plan) -> Table {
    let example = &plan.example;
    let right = example.distances;
    let new = |name: String, origin, call: Distance| {
        let state = (example.to_slice(), Box::new([0; 1024]));
        let call = move |(pair, distances): &mut (Box<Pair>, Box<Distances>)| {
            let Pair { from, to } = &mut **pair;
            call(black_box(&from.0), &mut to.0, distances);
        };
        rung(name, origin, MICROSECONDS, state, call, move |(_, distances)| **distances == right)
    };
    let mut rungs = vec![
        new(format!("words of 32 bits, {}", O2.level), Origin::Source, by_words_o2)
            .printed(220.0, "a Core2 at 2.4 GHz, and compilers of 2009"),
        new(format!("the same, {}", O3.level), Origin::Step, |block, planes, d| by_words(&O3, block, planes, d)),
    ];
    #[cfg(target_arch = "x86_64")]
    {
        rungs.push(new(format!("mixed: slicing as above, distances in SSE2, {}", O2.level), Origin::Source, mixed));
        let vectors: Distance = |block, planes, distances| {
            O2.slice_by_masks(block, planes);
            O2.by_vector(planes, distances);
        };
        let why = "a Core2 at 2.4 GHz, and slicing in SSE2 that need not be this one";
        rungs.push(new(format!("SSE2: sign masks, bit sums, {}", O2.level), Origin::Step, vectors).printed(120.0, why));
    }
    for isa in usable() {
        rungs.push(new("slices_distance".to_owned(), Origin::Ours, ours).under(isa));
    }
    let title = "A block sliced, its popcounts and distances";
    let mut table = measure("whole", title, (Scale::Nanoseconds, "us a block"), Compared::Value, rungs, plan.budget);
    table.notes.push(compilers());
    table
}

/// Blocks of a call.
const BLOCKS: usize = 4;

/// Four blocks with their planes and distances.
struct Batch {
    from: Box<[Page<Block>; BLOCKS]>,
    planes: Box<Page<Block>>,
    distances: Box<[Distances; BLOCKS]>,
}

impl Batch {
    /// Blocks that differ: block k is the example with its integers in another order.
    fn new(example: &block::Example) -> Self {
        let from = std::array::from_fn(|k| Page(std::array::from_fn(|e| example.block[(e + k) % 2048])));
        Batch { from: Box::new(from), planes: Box::new(Page([0; 2048])), distances: Box::new([[0; 1024]; BLOCKS]) }
    }

    fn run(&mut self, call: Distance) {
        for (from, distances) in self.from.iter().zip(self.distances.iter_mut()) {
            call(black_box(&from.0), &mut self.planes.0, distances);
        }
    }
}

/// Four blocks a call, by one thread and by several, each with its own blocks.
pub fn blocks(plan: &Plan) -> Table {
    let mut rungs = Vec::new();
    let upper = plan.example.distances;
    for &threads in &plan.effort.threads {
        let why = "the article's graphics card, which ran four blocks in 160 us";
        rungs.push(threaded(
            plan,
            format!("words of 32 bits, {}", O2.level),
            Origin::Source,
            threads,
            4,
            upper,
            by_words_o2,
        ));
        #[cfg(target_arch = "x86_64")]
        rungs.push(threaded(plan, format!("mixed, {}", O2.level), Origin::Source, threads, 8, upper, mixed));
        let best = usable().last().expect("the scalar one");
        rungs.push(threaded(plan, "slices_distance".to_owned(), Origin::Ours, threads, 256, upper, ours).under(best));
        let name = "slices_distance, the lower half".to_owned();
        let lower = plan.example.lower();
        let rung = threaded(plan, name, Origin::Ours, threads, 256, lower, lower_of_block).under(best);
        rungs.push(if threads == 1 { rung.printed(40.0, why) } else { rung });
    }
    let title = "Four blocks a call, sliced, with popcounts and distances";
    let scale = (Scale::Nanoseconds, "us a block");
    let mut table = measure("blocks", title, scale, Compared::Value, rungs, plan.budget);
    table.notes.push(compilers());
    table.notes.push("Time divided by the blocks of all threads; each thread has four blocks of its own.".to_owned());
    table
}

/// `calls` calls of each thread.
fn threaded(
    plan: &Plan,
    name: String,
    origin: Origin,
    threads: usize,
    calls: usize,
    right: Distances,
    call: Distance,
) -> Rung {
    let batches: Vec<Batch> = (0..threads).map(|_| Batch::new(&plan.example)).collect();
    let work = move |batch: &mut Batch| (0..calls).for_each(|_| batch.run(call));
    let all = move |batches: &mut Vec<Batch>| match batches.as_mut_slice() {
        [one] => work(one),
        several => thread::scope(|scope| several.iter_mut().for_each(|batch| drop(scope.spawn(move || work(batch))))),
    };
    let is_right =
        move |batches: &Vec<Batch>| batches.iter().flat_map(|batch| batch.distances.iter()).all(|d| *d == right);
    rung(name, origin, (threads * calls * BLOCKS) as f64 * MICROSECONDS, batches, all, is_right).on(threads)
}
