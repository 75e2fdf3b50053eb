//! The streams of a graph's blocks.

use alloc::vec::Vec;
use core::slice;

use super::layout::{LaneLink, Layout, split};
use super::scalar::BLOCK;
use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};
use crate::ising::graph::Graph;
use crate::ising::links::Link;

/// From this many entries on, a slot lists the position for each lane: half the work for an entry.
const FULL: usize = 36;

/// A value for each lane of a block.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockLine<T>(pub [T; BLOCK]);

impl<T> BlockLine<T> {
    /// The values of all lines, in order.
    pub fn flat(lines: &[Self]) -> &[T] {
        const { assert!(size_of::<Self>() == BLOCK * size_of::<T>()) };
        // SAFETY: a line is its values and nothing else.
        unsafe { slice::from_raw_parts(lines.as_ptr().cast(), BLOCK * lines.len()) }
    }
}

impl<T> BlockLine<T> {
    /// See [`flat`](Self::flat).
    pub fn flat_mut(lines: &mut [Self]) -> &mut [T] {
        // SAFETY: a line is its values and nothing else.
        unsafe { slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), BLOCK * lines.len()) }
    }
}

/// Where the streams of a block begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub link: u32,
    pub line: u32,
}

/// The two streams, as [`sweep_blocks_i8()`](super::sweep_blocks_i8()) describes them.
#[derive(Debug)]
pub(super) struct Program<T> {
    pub links: Vec<u32>,
    pub lines: Vec<BlockLine<T>>,
    pub starts: Vec<Start>,
    /// For each diagonal the lanes, and for each slot the entries, whose bond is counted there: the other
    /// site has the higher position.
    counted: Vec<u64>,
    has_long_positions: bool,
}

/// The numbers in the lines of a program.
pub(super) trait Values<T> {
    /// In the first line of a block, for a site with its links.
    fn first(&self, row: usize, field: f32, links: &[Link]) -> T;

    /// In another line, for link `nth` of a row. 0 leaves it out.
    fn coupling(&self, row: usize, nth: usize, link: &Link) -> T;
}

/// Terms of the energy in the order of the weights: those of one line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counted<'a> {
    /// The fields of this number of sites, from lane 0 on.
    Sites(usize),
    /// The bonds of these lanes with the sites from position `base` on, lane by lane.
    Diagonal { base: isize, lanes: u64 },
    /// The bonds of some entries, see [`entry()`](super::scalar::entry).
    Slot { entries: &'a [u32], which: u64 },
}

impl<T: Copy + Default + PartialEq> Program<T> {
    /// `values` computes the numbers in the lines. Replaces the values of `graph.weights` by the same in the order
    /// of [`visit()`](Self::visit()).
    pub fn new(graph: &mut Graph, layout: &Layout, values: &impl Values<T>, pieces: &Pieces) -> Result<Self, Ended> {
        let positions = layout.positions()?;
        let mut weights = memory::with_capacity(graph.weights.values.len())?;
        let mut given = graph.weights.values.iter().copied();
        let mut rows = graph.rows().enumerate();
        let mut program = Program {
            links: Vec::new(),
            lines: Vec::new(),
            starts: Vec::new(),
            counted: Vec::new(),
            has_long_positions: layout.has_long_positions(),
        };
        let (mut lane_links, mut slots) = (Vec::new(), Vec::new());
        let (mut blocks, hub_blocks) = (layout.blocks(), layout.hub_blocks());
        let own = layout.blocks().count() - hub_blocks;
        for block in blocks.by_ref().take(own) {
            pieces.next()?;
            let index = |len: usize| u32::try_from(len).map_err(|_| Error::TooLarge { argument: "couplings" });
            let start = Start { link: index(program.links.len())?, line: index(program.lines.len())? };
            memory::push(&mut program.starts, start)?;
            let live = u64::MAX >> (BLOCK - block.len());
            let mut first = BlockLine([T::default(); BLOCK]);
            lane_links.clear();
            for (lane, (row, (field, links))) in rows.by_ref().take(block.len()).enumerate() {
                first.0[lane] = values.first(row, field, links);
                weights.extend(given.next());
                for (nth, link) in links.iter().enumerate().filter(|(_, link)| graph.keeps(link)) {
                    let weight = if graph.row(link) > row { given.next() } else { None };
                    let value = values.coupling(row, nth, link);
                    if value != T::default() {
                        let link = LaneLink::new(lane, positions[graph.row(link)], value, weight);
                        memory::push(&mut lane_links, link)?;
                    }
                }
            }
            memory::push(&mut program.lines, first)?;
            let split = split(&mut lane_links, layout.line);
            let (on_diagonals, lone) = lane_links.split_at(split.on_diagonals);

            // The slots of the lone links: the number of earlier ones in the same lane.
            let mut counts = [0u32; BLOCK];
            slots.clear();
            for &link in lone {
                memory::push(&mut slots, (counts[link.lane], link))?;
                counts[link.lane] += 1;
            }
            slots.sort_unstable_by_key(|&(slot, link)| (slot, link.lane));
            let count = counts.into_iter().max().unwrap_or(0);

            for word in [split.diagonals as u32, count, live as u32, (live >> 32) as u32] {
                memory::push(&mut program.links, word)?;
            }
            for diagonal in on_diagonals.chunk_by(|a, b| a.base == b.base) {
                memory::push(&mut program.links, diagonal[0].base as u32)?;
                program.push_line(diagonal.iter())?;
                let counted = diagonal.iter().filter(|link| link.weight.is_some());
                memory::push(&mut program.counted, counted.fold(0, |mask, link| mask | 1 << link.lane))?;
                weights.extend(diagonal.iter().filter_map(|link| link.weight));
            }
            for slot in slots.chunk_by(|a, b| a.0 == b.0) {
                program.push_slot(slot)?;
                weights.extend(slot.iter().filter_map(|(_, link)| link.weight));
            }
        }
        drop(rows);
        for block in blocks {
            program.push_hubs(block.len())?;
        }
        program.shrink_to_fit();
        graph.weights.values = weights;
        Ok(program)
    }

    /// Adds a block without neighbours and fields.
    fn push_hubs(&mut self, sites: usize) -> Result<(), Error> {
        let index = |len: usize| u32::try_from(len).map_err(|_| Error::TooLarge { argument: "couplings" });
        memory::push(&mut self.starts, Start { link: index(self.links.len())?, line: index(self.lines.len())? })?;
        let live = u64::MAX >> (BLOCK - sites);
        for word in [0, 0, live as u32, (live >> 32) as u32] {
            memory::push(&mut self.links, word)?;
        }
        memory::push(&mut self.lines, BlockLine([T::default(); BLOCK]))
    }

    fn shrink_to_fit(&mut self) {
        self.links.shrink_to_fit();
        self.lines.shrink_to_fit();
        self.counted.shrink_to_fit();
    }

    /// Adds a slot: the position for each lane from [`FULL`] entries on, else the entries.
    fn push_slot(&mut self, slot: &[(u32, LaneLink<T>)]) -> Result<(), Error> {
        let slot = || slot.iter().map(|(_, link)| link);
        // Beyond 2^26 positions there is no room for the lane.
        let is_full = slot().len() >= FULL || self.has_long_positions;
        if is_full {
            let mut all = [0; BLOCK];
            slot().for_each(|link| all[link.lane] = link.position());
            for word in [BLOCK as u32].into_iter().chain(all) {
                memory::push(&mut self.links, word)?;
            }
        } else {
            let entries = slot().map(|link| BLOCK as u32 * link.position() + link.lane as u32);
            for word in [slot().len() as u32].into_iter().chain(entries) {
                memory::push(&mut self.links, word)?;
            }
        }
        self.push_line(slot())?;
        let counted = slot().enumerate().filter(|(_, link)| link.weight.is_some());
        let counted = counted.fold(0, |mask, (nth, link)| mask | 1 << if is_full { link.lane } else { nth });
        memory::push(&mut self.counted, counted)
    }

    fn push_line<'a>(&mut self, links: impl Iterator<Item = &'a LaneLink<T>>) -> Result<(), Error>
    where
        T: 'a,
    {
        let mut line = BlockLine([T::default(); BLOCK]);
        links.for_each(|link| line.0[link.lane] = link.coupling);
        memory::push(&mut self.lines, line)
    }

    /// Calls `each` for every line with its block: the sites of a block, then the bonds that are counted there.
    pub fn visit<'a>(&'a self, mut each: impl FnMut(usize, Counted<'a>)) {
        let mut counted = self.counted.iter().copied();
        for (block, start) in self.starts.iter().enumerate() {
            let [diagonals, slots, low, high, ref rest @ ..] = self.links[start.link as usize..] else { break };
            each(block, Counted::Sites((low.count_ones() + high.count_ones()) as usize));
            let (bases, mut rest) = rest.split_at(diagonals as usize);
            for &base in bases {
                each(block, Counted::Diagonal { base: base as i32 as isize, lanes: counted.next().unwrap_or(0) });
            }
            for _ in 0..slots {
                let Some((&count, words)) = rest.split_first() else { break };
                let (entries, next) = words.split_at(count as usize);
                each(block, Counted::Slot { entries, which: counted.next().unwrap_or(0) });
                rest = next;
            }
        }
    }

    /// The spins of all systems, each `up`, with a block before and after them that is only read.
    pub fn spins<S: Copy>(&self, systems: usize, up: S, pieces: &Pieces) -> Result<Vec<BlockLine<S>>, Ended> {
        let blocks = self.starts.len().checked_mul(systems).and_then(|blocks| blocks.checked_add(2));
        pieces.filled(blocks.ok_or(Error::TooLarge { argument: "layers" })?, BlockLine([up; BLOCK]))
    }

    pub fn heap_bytes(&self) -> usize {
        self.links.capacity() * size_of::<u32>()
            + self.lines.capacity() * size_of::<BlockLine<T>>()
            + self.starts.capacity() * size_of::<Start>()
            + self.counted.capacity() * size_of::<u64>()
    }
}

/// Calls `each` with the number of every bit that is set, in ascending order.
pub(super) fn for_each_bit(mut word: u64, mut each: impl FnMut(usize)) {
    while word != 0 {
        each(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}
