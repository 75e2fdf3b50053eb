//! Visiting order and blocks of a graph.

use alloc::vec::Vec;

use super::scalar::BLOCK;
use crate::error::Error;
use crate::ising::graph::Lists;
use crate::memory;

/// Maximum number of blocks: a position has 26 bits.
const MAX_BLOCKS: usize = 1 << 20;

/// Up to this many neighbours of a block that share their base with no other are diagonals of their
/// own: cheaper than a slot.
const LONE: usize = 6;

/// The sites in visiting order, colour by colour, and the number of sites of each colour. Free
/// sites come last.
#[derive(Debug)]
pub(in crate::ising) struct Layout {
    pub order: Vec<u32>,
    pub colours: Vec<Colour>,
}

/// Consecutive sites of one colour.
#[derive(Clone, Copy, Debug)]
pub(in crate::ising) struct Colour {
    pub first_row: usize,
    pub rows: usize,
    pub first_block: usize,
}

impl Colour {
    pub fn blocks(self) -> usize {
        self.rows.div_ceil(BLOCK)
    }
}

impl Layout {
    /// `fields` are those of the sites of `lists`.
    pub fn new(fields: &[f64], lists: &Lists) -> Result<Self, Error> {
        let natural = memory::collected((0..fields.len()).map(|site| site as u32))?;
        let sequences = [natural, lists.breadth_first()?];
        let mut best: Option<(usize, Layout)> = None;
        for colouring in &sequences {
            let mut colours = lists.colours(colouring)?;
            let free = colours.iter().max().map_or(0, |last| last + 1);
            for (site, &field) in fields.iter().enumerate() {
                if field == 0.0 && lists.neighbours(site as u32).iter().all(|half| half.coupling == 0.0) {
                    colours[site] = free;
                }
            }
            for sequence in &sequences {
                let layout = Layout::sorted(sequence, &colours)?;
                let cost = layout.cost(lists)?;
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, layout));
                }
            }
        }
        best.map(|(_, layout)| layout).ok_or(Error::NoSites)
    }

    /// Sorts `sequence` by the colours of the sites.
    fn sorted(sequence: &[u32], colours: &[u32]) -> Result<Self, Error> {
        let mut order = memory::collected(sequence.iter().copied())?;
        order.sort_by_key(|&site| colours[site as usize]);
        let mut sections: Vec<Colour> = Vec::new();
        let mut first_block = 0;
        for part in order.chunk_by(|&a, &b| colours[a as usize] == colours[b as usize]) {
            let first_row = sections.last().map_or(0, |last| last.first_row + last.rows);
            let colour = Colour { first_row, rows: part.len(), first_block };
            first_block += colour.blocks();
            memory::push(&mut sections, colour)?;
        }
        if first_block > MAX_BLOCKS {
            return Err(Error::TooLarge { argument: "sites" });
        }
        Ok(Layout { order, colours: sections })
    }

    /// The position of each row.
    pub fn positions(&self) -> Result<Vec<u32>, Error> {
        let mut positions = memory::with_capacity(self.order.len())?;
        for colour in &self.colours {
            positions.extend((0..colour.rows).map(|row| (BLOCK * colour.first_block + row) as u32));
        }
        Ok(positions)
    }

    /// The rows of each block.
    pub fn blocks(&self) -> impl Iterator<Item = core::ops::Range<usize>> {
        self.colours.iter().flat_map(|colour| {
            let end = colour.first_row + colour.rows;
            (colour.first_row..end).step_by(BLOCK).map(move |row| row..end.min(row + BLOCK))
        })
    }

    fn cost(&self, lists: &Lists) -> Result<usize, Error> {
        let mut positions = memory::filled(self.order.len(), 0)?;
        for (&site, position) in self.order.iter().zip(self.positions()?) {
            positions[site as usize] = position;
        }
        let (mut cost, mut links) = (0, Vec::new());
        for rows in self.blocks() {
            links.clear();
            for (lane, &site) in self.order[rows].iter().enumerate() {
                for half in lists.neighbours(site).iter().filter(|half| half.coupling != 0.0) {
                    memory::push(&mut links, LaneLink::new(lane, positions[half.neighbour as usize], 0.0, None))?;
                }
            }
            let split = split(&mut links);
            cost += 3 * split.diagonals + 2 * (links.len() - split.on_diagonals);
        }
        Ok(cost)
    }
}

/// A neighbour of the site in a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneLink {
    /// Its position minus `lane`.
    pub base: i32,
    pub lane: usize,
    pub coupling: f32,
    /// The coupling as given, if the neighbour is visited later.
    pub weight: Option<f64>,
}

impl LaneLink {
    pub fn new(lane: usize, position: u32, coupling: f32, weight: Option<f64>) -> Self {
        LaneLink { base: position as i32 - lane as i32, lane, coupling, weight }
    }

    pub fn position(self) -> u32 {
        (self.base + self.lane as i32) as u32
    }
}

/// See [`split()`].
pub(super) struct Split {
    pub diagonals: usize,
    pub on_diagonals: usize,
}

/// Sorts the links of a block: first those on diagonals, by base, then the others, by base.
pub(super) fn split(links: &mut [LaneLink]) -> Split {
    links.sort_unstable_by_key(|link| (link.base, link.lane));
    let groups = || links.chunk_by(|a, b| a.base == b.base);
    let lone = groups().filter(|group| group.len() == 1).count();
    if lone <= LONE {
        return Split { diagonals: groups().count(), on_diagonals: links.len() };
    }
    let split = Split { diagonals: groups().count() - lone, on_diagonals: links.len() - lone };
    // `lane` is below 2^6: the upper bits mark the lone links while they are sorted.
    let mut first = 0;
    while first < links.len() {
        let count = links[first..].iter().take_while(|link| link.base == links[first].base).count();
        if count == 1 {
            links[first].lane += BLOCK;
        }
        first += count;
    }
    links.sort_unstable_by_key(|link| (link.lane / BLOCK, link.base, link.lane));
    links.iter_mut().for_each(|link| link.lane %= BLOCK);
    split
}
