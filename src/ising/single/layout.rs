//! Visiting order and blocks of a graph.

use alloc::vec::Vec;

use super::scalar::BLOCK;
use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};
use crate::ising::graph::{Lists, MAX_QUANTA, NONE};
use crate::ising::shape::Line;

/// Maximum number of blocks: a base has 31 bits and a sign.
const MAX_BLOCKS: usize = 1 << 24;

/// Up to this number of blocks, an entry of a slot holds a position of 26 bits and a lane.
const MAX_SHORT_BLOCKS: usize = 1 << 20;

/// Up to this many bases of a block with too few neighbours for a diagonal are diagonals all the same: cheaper than
/// a slot.
const LONE: usize = 6;

/// The minimum number of neighbours of a diagonal: fewer are copied in less time than a line takes.
fn least(line: Line) -> usize {
    match line {
        Line::Bytes(_) => 3,
        Line::Floats => 6,
        Line::Fixed => 8,
    }
}

/// The sites in visiting order, colour by colour, and the number of sites of each colour. Free
/// sites come last but for hubs.
#[derive(Debug)]
pub(in crate::ising) struct Layout {
    pub line: Line,
    pub order: Vec<u32>,
    pub colours: Vec<Colour>,
    /// The last section, if not 0: sites visited one by one, which may be neighbours of each other.
    pub hubs: usize,
}

/// What determines the time of a sweep.
#[derive(Debug)]
pub(in crate::ising) struct Counts {
    pub blocks: usize,
    pub diagonals: usize,
    /// Neighbours that are not on a diagonal.
    pub copies: usize,
    pub hubs: usize,
    pub hub_links: usize,
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
    /// `fields` are those of the sites of `lists`. The sites that bytes do not hold are hubs.
    pub fn new(fields: &[f64], lists: &Lists, line: Line) -> Result<Self, Ended> {
        let natural = lists.pieces.collected(fields.len(), |site| site as u32)?;
        let sequences = [natural, lists.breadth_first()?];
        let hubs = match line.quantum() {
            Some(quantum) => lists.pieces.filled(fields.len(), false).and_then(|mut is_hub| {
                for (site, is_hub) in is_hub.iter_mut().enumerate() {
                    lists.pieces.before(1 + lists.neighbours(site as u32).len())?;
                    *is_hub = lists.magnitude(fields, site, quantum) > u64::from(MAX_QUANTA);
                }
                Ok(is_hub)
            })?,
            None => Vec::new(),
        };
        let number_of_hubs = hubs.iter().filter(|is_hub| **is_hub).count();
        let mut best: Option<(usize, Layout)> = None;
        for colouring in &sequences {
            let mut colours = lists.colours(colouring, &hubs)?;
            let free = colours.iter().filter(|colour| **colour != NONE).max().map_or(0, |last| last + 1);
            lists.next()?;
            for (site, &field) in fields.iter().enumerate() {
                if field == 0.0 && lists.neighbours(site as u32).iter().all(|half| half.coupling == 0.0) {
                    colours[site] = free;
                }
            }
            (0..).zip(&hubs).filter(|(_, is_hub)| **is_hub).for_each(|(site, _): (usize, _)| colours[site] = free + 1);
            for sequence in &sequences {
                let layout = Layout::sorted(sequence, &colours, number_of_hubs, line, lists.pieces)?;
                let cost = layout.cost(lists)?;
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, layout));
                }
            }
        }
        best.map(|(_, layout)| layout).ok_or(Error::NoSites.into())
    }

    /// Sorts `sequence` by the colours of the sites.
    fn sorted(sequence: &[u32], colours: &[u32], hubs: usize, line: Line, pieces: &Pieces) -> Result<Self, Ended> {
        let last = colours.iter().max().map_or(0, |&last| last as usize);
        let order = pieces.sorted(sequence, last + 1, |&site| colours[site as usize] as usize)?;
        pieces.next()?;
        let mut sections: Vec<Colour> = Vec::new();
        let mut first_block = 0;
        for part in order.chunk_by(|&a, &b| colours[a as usize] == colours[b as usize]) {
            let first_row = sections.last().map_or(0, |last| last.first_row + last.rows);
            let colour = Colour { first_row, rows: part.len(), first_block };
            first_block += colour.blocks();
            memory::push(&mut sections, colour)?;
        }
        if first_block > MAX_BLOCKS {
            return Err(Error::TooLarge { argument: "sites" }.into());
        }
        Ok(Layout { line, order, colours: sections, hubs })
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

    fn cost(&self, lists: &Lists) -> Result<usize, Ended> {
        let Counts { diagonals, copies, .. } = self.counts(lists)?;
        Ok(least(self.line) * diagonals + copies)
    }

    /// Whether entries of slots have no room for a lane.
    pub fn has_long_positions(&self) -> bool {
        self.colours.last().is_some_and(|last| last.first_block + last.blocks() > MAX_SHORT_BLOCKS)
    }

    /// The blocks of hubs, the last ones.
    pub fn hub_blocks(&self) -> usize {
        self.hubs.div_ceil(BLOCK)
    }

    pub fn counts(&self, lists: &Lists) -> Result<Counts, Ended> {
        let mut positions = lists.pieces.filled(self.order.len(), 0)?;
        for (&site, position) in self.order.iter().zip(self.positions()?) {
            positions[site as usize] = position;
        }
        let (others, hubs) = self.order.split_at(self.order.len() - self.hubs);
        let hub_links = hubs.iter().map(|&site| lists.neighbours(site).len()).sum();
        let mut counts = Counts { blocks: self.blocks().count(), diagonals: 0, copies: 0, hubs: self.hubs, hub_links };
        let mut links = Vec::new();
        for rows in self.blocks().take_while(|rows| rows.end <= others.len()) {
            links.clear();
            lists.next()?;
            for (lane, &site) in self.order[rows].iter().enumerate() {
                for half in lists.neighbours(site).iter().filter(|half| half.coupling != 0.0) {
                    memory::push(&mut links, LaneLink::new(lane, positions[half.neighbour as usize], (), None))?;
                }
            }
            let split = split(&mut links, self.line);
            counts.diagonals += split.diagonals;
            counts.copies += links.len() - split.on_diagonals;
        }
        Ok(counts)
    }
}

/// A neighbour of the site in a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneLink<T> {
    /// Its position minus `lane`.
    pub base: i32,
    pub lane: usize,
    pub coupling: T,
    /// The coupling as given, if the neighbour is visited later.
    pub weight: Option<f64>,
}

impl<T> LaneLink<T> {
    pub fn new(lane: usize, position: u32, coupling: T, weight: Option<f64>) -> Self {
        LaneLink { base: position as i32 - lane as i32, lane, coupling, weight }
    }

    pub fn position(&self) -> u32 {
        (self.base + self.lane as i32) as u32
    }
}

/// See [`split()`].
pub(super) struct Split {
    pub diagonals: usize,
    pub on_diagonals: usize,
}

/// Sorts the links of a block: first those on diagonals, by base, then the others, by base.
pub(super) fn split<T>(links: &mut [LaneLink<T>], line: Line) -> Split {
    links.sort_unstable_by_key(|link| (link.base, link.lane));
    let groups = || links.chunk_by(|a, b| a.base == b.base);
    let is_lone = |count: usize| count < least(line);
    let lone = || groups().map(<[_]>::len).filter(|&count| is_lone(count));
    if lone().count() <= LONE {
        return Split { diagonals: groups().count(), on_diagonals: links.len() };
    }
    let split =
        Split { diagonals: groups().count() - lone().count(), on_diagonals: links.len() - lone().sum::<usize>() };
    // `lane` is below 2^6: the upper bits mark the lone links while they are sorted.
    let mut first = 0;
    while first < links.len() {
        let count = links[first..].iter().take_while(|link| link.base == links[first].base).count();
        if is_lone(count) {
            links[first..first + count].iter_mut().for_each(|link| link.lane += BLOCK);
        }
        first += count;
    }
    links.sort_unstable_by_key(|link| (link.lane / BLOCK, link.base, link.lane));
    links.iter_mut().for_each(|link| link.lane %= BLOCK);
    split
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ising::graph::Half;

    /// Diagonals and copies of a block on average, for a graph without fields.
    fn counts(sites: usize, edges: impl Iterator<Item = (usize, usize)>) -> [f64; 2] {
        let half =
            |site: usize, neighbour: usize| Half { site: site as u32, neighbour: neighbour as u32, coupling: 1.0 };
        let mut halves: Vec<Half> = edges.flat_map(|(i, j)| [half(i, j), half(j, i)]).collect();
        let mut go_on = || true;
        let pieces = Pieces::new(&mut go_on);
        let lists = Lists::new(sites, &mut halves, &pieces).unwrap();
        let layout = Layout::new(&alloc::vec![0.0; sites], &lists, Line::Bytes(1.0)).unwrap();
        let counts = layout.counts(&lists).unwrap();
        [counts.diagonals, counts.copies].map(|count| count as f64 / counts.blocks as f64)
    }

    fn torus<const D: usize>(length: usize) -> (usize, impl Iterator<Item = (usize, usize)> + Clone) {
        let sites = length.pow(D as u32);
        let edges = (0..sites).flat_map(move |site| {
            (0..D as u32).map(move |axis| {
                let step = length.pow(axis);
                let x = site / step % length;
                (site, site - x * step + (x + 1) % length * step)
            })
        });
        (sites, edges)
    }

    /// A permutation of less than `sites` numbers.
    fn shuffled(sites: usize) -> Vec<usize> {
        let mut labels: Vec<usize> = (0..sites).collect();
        let mut random = crate::random::SplitMix64(1);
        (1..sites).for_each(|last| labels.swap(last, random.next() as usize % (last + 1)));
        labels
    }

    #[test]
    fn regular_graphs_need_few_diagonals() {
        let few = |[diagonals, copies]: [f64; 2], max: f64| diagonals + copies <= max;
        let (sites, edges) = torus::<2>(100);
        assert!(few(counts(sites, edges.clone()), 8.0));
        let labels = shuffled(sites);
        assert!(few(counts(sites, edges.map(|(i, j)| (labels[i], labels[j]))), 40.0));
        let (sites, edges) = torus::<2>(256);
        assert!(few(counts(sites, edges), 5.0));
        let (sites, edges) = torus::<3>(32);
        assert!(few(counts(sites, edges), 9.5));
        // Chimera: cells of 4 + 4 sites, 16 x 16 of them.
        let cell = |cell: usize, side: usize, k: usize| 8 * cell + 4 * side + k;
        let inside = (0..256).flat_map(|c| (0..16).map(move |k| (cell(c, 0, k / 4), cell(c, 1, k % 4))));
        let down = (0..240).flat_map(|c| (0..4).map(move |k| (cell(c, 0, k), cell(c + 16, 0, k))));
        let right =
            (0..256).filter(|c| c % 16 < 15).flat_map(|c| (0..4).map(move |k| (cell(c, 1, k), cell(c + 1, 1, k))));
        assert!(few(counts(2048, inside.chain(down).chain(right)), 12.0));
    }
}
