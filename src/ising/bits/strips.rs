//! One large torus or grid in all lanes: each lane holds a block of it.
//!
//! Every extent is cut into equal parts. A lane holds one block of each copy; a row holds one site of
//! the block in all lanes. The neighbour across a face of the block is in another lane: a *ghost* row
//! holds the row of the opposite face with its lanes rotated, and is written again when that row has
//! changed. So rows are coloured as the sites of a torus of the extents of a block: with two colours
//! if these are even, else with three.

use core::array::from_fn;

use super::lattice::{DIMENSIONS, Lattice, coordinate, is_next};
use super::row::COPIES;
use super::scalar::{BLOCK, MAX_DEGREE, Row};
use crate::frame::pieces::Ended;
use crate::ising::graph::Lists;

/// How a lattice is cut into the lanes of a row ([`Kind::Bits`](crate::ising::Kind::Bits)). Unused
/// dimensions have extent 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Number of dimensions, at most 4.
    pub dimensions: usize,
    /// Sites in each dimension.
    pub extents: [usize; 4],
    /// Whether the last site of a dimension is coupled to the first one.
    pub is_periodic: [bool; 4],
    /// Blocks in each dimension, each in a lane of its own.
    pub parts: [usize; 4],
}

/// A lattice whose couplings have equal magnitudes, cut into blocks.
#[derive(Clone, Copy, Debug)]
pub(in crate::ising) struct Strips {
    lattice: Lattice,
    parts: [usize; DIMENSIONS],
    /// The magnitude of all couplings.
    pub coupling: f64,
    /// Lanes of a copy.
    pub lanes: usize,
    /// Copies of a group.
    pub copies: usize,
}

/// A copy of a row with rotated lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ghost {
    pub source: usize,
    pub rotation: usize,
}

/// Lane `k` of the result is lane `k + shifts[0]` in the lanes of `masks[0]`, and lane `k +
/// shifts[1]` in those of `masks[1]`.
#[derive(Clone, Copy, Debug)]
pub(in crate::ising) struct Rotation {
    shifts: [isize; 2],
    masks: [Row; 2],
    reach: Reach,
}

/// Where the lanes of a rotated row come from.
#[derive(Clone, Copy, Debug)]
enum Reach {
    /// Each from its own word.
    OwnWord,
    /// Each from its own place in another word.
    OtherWord,
    Any,
}

impl Rotation {
    pub fn apply(&self, row: &Row) -> Row {
        // Lanes from beyond the ends are in neither mask.
        let [inner, outer] = match self.reach {
            Reach::OwnWord => self.shifts.map(|shift| match shift < 0 {
                true => row.map(|word| word << (-shift & 63)),
                false => row.map(|word| word >> (shift & 63)),
            }),
            Reach::OtherWord => self.shifts.map(|shift| from_fn(|i| row[i.wrapping_add((shift >> 6) as usize) & 7])),
            Reach::Any => self.shifts.map(|shift| {
                let (words, bits) = ((shift >> 6) as usize, shift & 63);
                from_fn(|i| {
                    let [word, next] = [i, i + 1].map(|i| row[i.wrapping_add(words) & 7]);
                    word >> bits | (next << 1) << (63 - bits)
                })
            }),
        };
        from_fn(|i| inner[i] & self.masks[0][i] | outer[i] & self.masks[1][i])
    }
}

impl Strips {
    /// The lattice that a graph is, if its blocks take less time than copies in all lanes.
    pub fn find(lists: &Lists, fields: &[f64], layers: usize) -> Result<Option<Self>, Ended> {
        lists.next()?;
        let couplings = (0..fields.len() as u32).flat_map(|site| lists.neighbours(site)).map(|half| half.coupling);
        let mut magnitudes = couplings.map(f64::abs).filter(|&magnitude| magnitude != 0.0);
        let Some(coupling) = magnitudes.next() else { return Ok(None) };
        if magnitudes.any(|magnitude| magnitude != coupling) || fields.iter().any(|&field| field != 0.0) {
            return Ok(None);
        }
        let Some(lattice) = Lattice::find(lists, fields.len())? else { return Ok(None) };
        let strips = Strips { lattice, parts: [1; DIMENSIONS], coupling, lanes: 1, copies: COPIES };
        if lattice.is_diluted && !strips.is_halved(strips.degree()) {
            return Ok(None);
        }
        let mut best = (strips.cost(layers), strips);
        strips.cut(0, layers, &mut best);
        Ok((best.1.lanes > 1).then_some(best.1))
    }

    pub fn blocks(self) -> Blocks {
        let Lattice { dimensions, extents, is_periodic, .. } = self.lattice;
        Blocks { dimensions, extents, is_periodic, parts: self.parts }
    }

    /// Tries all parts from dimension `k` on.
    fn cut(self, k: usize, layers: usize, best: &mut (u64, Self)) {
        if k == self.lattice.dimensions {
            let cost = self.cost(layers);
            if cost < best.0 {
                *best = (cost, self);
            }
            return;
        }
        let extent = self.lattice.extents[k];
        // A row is not its own neighbour.
        let fits = |&part: &usize| part == 1 || extent.is_multiple_of(part) && extent / part > 1;
        for part in (1..=COPIES / self.lanes).filter(fits) {
            let (mut cut, lanes) = (self, self.lanes * part);
            (cut.parts[k], cut.lanes, cut.copies) = (part, lanes, COPIES / lanes);
            cut.cut(k + 1, layers, best);
        }
    }

    /// Whether rows of up to `bonds` bonds that some lanes lack are visited in half quanta: a bond is
    /// two bonds, one of which is always satisfied and the other one never where it is absent. Else
    /// such a row is visited once for each set of bonds that lanes have.
    pub fn is_halved(self, bonds: usize) -> bool {
        2 * bonds <= MAX_DEGREE
    }

    /// The time of a sweep in quarters of a row in a block of 8; a ghost takes about one. Rows in half
    /// quanta take a quarter longer, and a quarter of a block's time does not depend on its sites.
    pub fn cost(self, layers: usize) -> u64 {
        let (dimensions, colours) = (self.lattice.dimensions, self.colours());
        let is_cut = |k: usize| self.parts[k] > 1;
        let is_mixed = |k: usize| is_cut(k) && !self.lattice.is_periodic[k];
        let is_halved = self.is_halved(self.degree());
        let (mut rows, mut blocks, mut halved) = (0, 0, 0);
        let mut add = |places: usize, visits: usize| {
            rows += places * visits;
            blocks += visits * places.min(colours).max(places.div_ceil(BLOCK));
        };
        // Places by whether they are inside, first or last in each dimension whose boundary is cut.
        for code in 0..3usize.pow(dimensions as u32) {
            let (mut places, mut visits) = (1, 1);
            for k in 0..dimensions {
                match (code / 3usize.pow(k as u32) % 3, is_mixed(k)) {
                    (0, true) => places *= self.block(k) - 2,
                    (0, false) => places *= self.block(k),
                    (_, true) => visits *= 2,
                    (_, false) => places = 0,
                }
            }
            match is_halved && (visits > 1 || self.lattice.is_diluted) {
                true => halved += places,
                false => add(places, visits),
            }
        }
        add(halved, 1);
        let ghosts = (0..dimensions).filter(|&k| is_cut(k)).map(|k| 2 * self.rows() / self.block(k));
        (layers.div_ceil(self.copies) * (3 * rows + BLOCK * blocks + halved + ghosts.sum::<usize>())) as u64
    }

    /// Extent of a block in dimension `k`.
    fn block(self, k: usize) -> usize {
        self.lattice.extents[k] / self.parts[k]
    }

    pub fn rows(self) -> usize {
        self.lattice.sites() / self.lanes
    }

    /// Maximum number of bonds of a site.
    pub fn degree(self) -> usize {
        2 * self.lattice.dimensions
    }

    /// Neighbour `j` of a place in a block, and whether it is in another block.
    pub fn neighbour_in_block(self, place: usize, j: usize) -> Option<(usize, bool)> {
        let (x, stride) = coordinate(place, |k| self.block(k), j / 2);
        let extent = self.block(j / 2);
        let next = x + if is_next(j) { 1 } else { extent - 1 };
        let is_across = if is_next(j) { next == extent } else { x == 0 };
        let is_cut = self.parts[j / 2] > 1;
        let exists = !is_across || is_cut || self.lattice.is_periodic[j / 2];
        exists.then_some((place - x * stride + next % extent * stride, is_across && is_cut))
    }

    /// The site at a place of the block in a lane.
    pub fn site(self, place: usize, lane: usize) -> usize {
        let mut site = 0;
        for k in 0..self.lattice.dimensions {
            let (x, _) = coordinate(place, |k| self.block(k), k);
            let (part, _) = coordinate(lane, |k| self.parts[k], k);
            site += (part * self.block(k) + x) * self.lattice.extents[..k].iter().product::<usize>();
        }
        site
    }

    /// Bit by bit, whether the sites at a place have bond `j`, and whether its coupling is negative.
    pub fn bond(self, lists: &Lists, place: usize, j: usize) -> [Row; 2] {
        let mut rows = [[0; 8]; 2];
        for strip in 0..self.lanes {
            let site = self.site(place, strip);
            let Some(other) = self.lattice.neighbour(site, j) else { continue };
            let neighbours = lists.neighbours(site as u32);
            let Ok(found) = neighbours.binary_search_by_key(&(other as u32), |half| half.neighbour) else { continue };
            let coupling = neighbours[found].coupling;
            for lane in (strip..self.lanes * self.copies).step_by(self.lanes) {
                rows[0][lane / 64] |= u64::from(coupling != 0.0) << (lane % 64);
                rows[1][lane / 64] |= u64::from(coupling < 0.0) << (lane % 64);
            }
        }
        rows
    }

    /// The lanes of all copies.
    pub fn all_lanes(self) -> Row {
        let lanes = self.lanes * self.copies;
        from_fn(|word| u64::MAX.checked_shr(64 - lanes.saturating_sub(64 * word).min(64) as u32).unwrap_or(0))
    }

    fn has_odd_ring(self) -> bool {
        let is_ring = |k: usize| self.parts[k] > 1 || self.lattice.is_periodic[k];
        (0..self.lattice.dimensions).any(|k| is_ring(k) && !self.block(k).is_multiple_of(2))
    }

    pub fn colours(self) -> usize {
        if self.has_odd_ring() { 3 } else { 2 }
    }

    /// The colour of a place.
    pub fn colour(self, place: usize) -> usize {
        let colours = self.colours();
        let of_dimension = |k: usize| {
            let (x, _) = coordinate(place, |k| self.block(k), k);
            // The last place of an odd ring is next to the first one.
            if colours == 3 && x + 1 == self.block(k) && x % 2 == 0 && x > 0 { 2 } else { x % 2 }
        };
        (0..self.lattice.dimensions).map(of_dimension).sum::<usize>() % colours
    }

    /// The rotation that brings neighbour `j` of every lane into it.
    pub fn rotation(self, j: usize) -> Rotation {
        let parts = |k: usize| self.parts[k];
        let (_, stride) = coordinate(0, parts, j / 2);
        let sign = if is_next(j) { 1 } else { -1 };
        let part = parts(j / 2);
        let edge = if is_next(j) { part - 1 } else { 0 };
        let mut masks = [[0; 8]; 2];
        for lane in 0..self.lanes * self.copies {
            let (at, _) = coordinate(lane % self.lanes, parts, j / 2);
            masks[usize::from(at == edge)][lane / 64] |= 1 << (lane % 64);
        }
        Rotation {
            shifts: [sign * stride as isize, -sign * ((part - 1) * stride) as isize],
            masks,
            reach: match (64 % (part * stride), stride % 64) {
                (0, _) => Reach::OwnWord,
                (_, 0) => Reach::OtherWord,
                _ => Reach::Any,
            },
        }
    }
}
