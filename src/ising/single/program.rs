//! The streams of a graph's blocks.

use alloc::vec::Vec;

use super::layout::{LaneLink, Layout, split};
use super::scalar::BLOCK;
use crate::error::Error;
use crate::ising::graph::Graph;
use crate::memory;

/// From this many entries on, a slot lists the position for each lane: half the work for an entry.
const FULL: usize = 36;

/// A value for each lane of a block.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<T>(pub [T; BLOCK]);

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
    pub lines: Vec<Line<T>>,
    pub starts: Vec<Start>,
}

impl<T: Copy + Default> Program<T> {
    /// `header` computes the value in the first line of a block from the field and the sum of the
    /// couplings, `value` that in the other lines from a coupling.
    pub fn new(
        graph: &Graph,
        layout: &Layout,
        header: impl Fn(f32, f32) -> T,
        value: impl Fn(f32) -> T,
    ) -> Result<Self, Error> {
        let positions = layout.positions()?;
        let mut rows = graph.rows();
        let mut program = Program { links: Vec::new(), lines: Vec::new(), starts: Vec::new() };
        let (mut lane_links, mut slots) = (Vec::new(), Vec::new());
        for block in layout.blocks() {
            let start = Start { link: program.links.len() as u32, line: program.lines.len() as u32 };
            memory::push(&mut program.starts, start)?;
            let live = u64::MAX >> (BLOCK - block.len());
            let mut first = Line([T::default(); BLOCK]);
            lane_links.clear();
            for (lane, (field, links)) in rows.by_ref().take(block.len()).enumerate() {
                first.0[lane] = header(field, links.iter().map(|link| link.value).sum());
                for link in links.iter().filter(|link| link.value != 0.0) {
                    memory::push(&mut lane_links, LaneLink::new(lane, positions[link.row()], link.value))?;
                }
            }
            memory::push(&mut program.lines, first)?;
            let split = split(&mut lane_links);
            let (on_diagonals, lone) = lane_links.split_at(split.on_diagonals);

            // The slots of the lone links: the number of earlier ones in the same lane.
            let mut counts = [0u32; BLOCK];
            slots.clear();
            for &link in lone {
                memory::push(&mut slots, (counts[link.lane], link))?;
                counts[link.lane] += 1;
            }
            slots.sort_by_key(|&(slot, _)| slot);
            let count = counts.into_iter().max().unwrap_or(0);

            for word in [split.diagonals as u32, count, live as u32, (live >> 32) as u32] {
                memory::push(&mut program.links, word)?;
            }
            for diagonal in on_diagonals.chunk_by(|a, b| a.base == b.base) {
                memory::push(&mut program.links, diagonal[0].base as u32)?;
                program.push_line(diagonal.iter().copied(), &value)?;
            }
            for slot in slots.chunk_by(|a, b| a.0 == b.0) {
                let position = |link: &LaneLink| (link.base + link.lane as i32) as u32;
                if slot.len() >= FULL {
                    let mut all = [0; BLOCK];
                    slot.iter().for_each(|(_, link)| all[link.lane] = position(link));
                    for word in [BLOCK as u32].into_iter().chain(all) {
                        memory::push(&mut program.links, word)?;
                    }
                } else {
                    let entries = slot.iter().map(|(_, link)| BLOCK as u32 * position(link) + link.lane as u32);
                    for word in [slot.len() as u32].into_iter().chain(entries) {
                        memory::push(&mut program.links, word)?;
                    }
                }
                program.push_line(slot.iter().map(|&(_, link)| link), &value)?;
            }
        }
        program.links.shrink_to_fit();
        program.lines.shrink_to_fit();
        Ok(program)
    }

    fn push_line(&mut self, links: impl Iterator<Item = LaneLink>, value: impl Fn(f32) -> T) -> Result<(), Error> {
        let mut line = Line([T::default(); BLOCK]);
        links.for_each(|link| line.0[link.lane] = value(link.coupling));
        memory::push(&mut self.lines, line)
    }

    /// The spins of all systems, each `up`, with a block before and after them that is only read.
    pub fn spins(&self, systems: usize, up: T) -> Result<Vec<Line<T>>, Error> {
        let blocks = self.starts.len().checked_mul(systems).and_then(|blocks| blocks.checked_add(2));
        memory::filled(blocks.ok_or(Error::TooLarge { argument: "layers" })?, Line([up; BLOCK]))
    }

    pub fn heap_bytes(&self) -> usize {
        self.links.capacity() * size_of::<u32>()
            + self.lines.capacity() * size_of::<Line<T>>()
            + self.starts.capacity() * size_of::<Start>()
    }
}
