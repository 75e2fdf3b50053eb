//! One large torus in all lanes: each lane holds a block of it.
//!
//! Every extent of the torus is cut into equal even parts. A lane holds one block of each copy; a
//! row holds one site of the block in all lanes. The neighbour across a face of the block is in
//! another lane: a *ghost* row holds the row of the opposite face with its lanes rotated, and is
//! written again when that row has changed. Parts are even, so that a colour of the torus is a
//! colour of the rows.

use alloc::vec::Vec;
use core::array::from_fn;

use super::engine::COPIES;
use super::scalar::{MAX_DEGREE, Row};
use crate::error::Error;
use crate::ising::graph::Lists;
use crate::memory;

/// Maximum number of dimensions.
const DIMENSIONS: usize = MAX_DEGREE / 2;

/// A torus whose couplings have equal magnitudes, cut into blocks. Unused dimensions have extent 1.
#[derive(Clone, Copy, Debug)]
pub(in crate::ising) struct Strips {
    pub dimensions: usize,
    extents: [usize; DIMENSIONS],
    parts: [usize; DIMENSIONS],
    /// The magnitude of all couplings.
    pub coupling: f64,
    /// Lanes of a copy.
    pub lanes: usize,
    /// Copies of a group.
    pub copies: usize,
}

/// Whether neighbour `j` is the next one in its dimension, not the last one.
fn is_next(j: usize) -> bool {
    j.is_multiple_of(2)
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
    /// Whether a lane comes from its own word.
    is_within_words: bool,
}

impl Rotation {
    pub fn apply(&self, row: &Row) -> Row {
        // Lanes from beyond the ends are in neither mask.
        let [inner, outer] = match self.is_within_words {
            true => self.shifts.map(|shift| match shift < 0 {
                true => row.map(|word| word << (-shift & 63)),
                false => row.map(|word| word >> (shift & 63)),
            }),
            false => self.shifts.map(|shift| {
                let (words, bits) = (shift.div_euclid(64) as usize, shift.rem_euclid(64));
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
    /// The torus that a graph is, if its blocks take less time than copies in all lanes.
    ///
    /// Site `x + X (y + Y (z + ..))` of a torus has the coordinates `x, y, z, ..`. All extents must
    /// be even and at least 4.
    pub fn find(lists: &Lists, fields: &[f64], layers: usize) -> Option<Self> {
        let sites = fields.len();
        let first = lists.neighbours(0);
        let coupling = first.first()?.coupling.abs();
        let dimensions = first.len() / 2;
        if coupling == 0.0 || dimensions > DIMENSIONS || first.len() % 2 == 1 || fields.iter().any(|&h| h != 0.0) {
            return None;
        }
        // The neighbours of the first site: 1, X - 1, X, X (Y - 1), ..
        let (mut extents, mut stride) = ([1; DIMENSIONS], 1);
        for (extent, pair) in extents.iter_mut().zip(first.chunks_exact(2)) {
            let [next, last] = [&pair[0], &pair[1]].map(|half| half.neighbour as usize);
            *extent = last / stride + 1;
            if next != stride || *extent % 2 == 1 || *extent < 4 {
                return None;
            }
            stride = stride.checked_mul(*extent).filter(|&stride| stride <= sites)?;
        }
        let strips = Strips { dimensions, extents, parts: [1; DIMENSIONS], coupling, lanes: 1, copies: COPIES };
        let is_neighbourhood = |site: usize| {
            let mut expected: [usize; MAX_DEGREE] = from_fn(|k| match k < 2 * dimensions {
                true => strips.neighbour(site, k),
                false => usize::MAX,
            });
            expected.sort_unstable();
            let found = lists.neighbours(site as u32);
            let is_equal = |(half, &site): (&super::super::graph::Half, &usize)| {
                half.neighbour as usize == site && half.coupling.abs() == coupling
            };
            found.len() == 2 * dimensions && found.iter().zip(&expected).all(is_equal)
        };
        if stride != sites || !(0..sites).all(is_neighbourhood) {
            return None;
        }
        let mut best = (strips.cost(layers), strips);
        strips.cut(0, layers, &mut best);
        (best.1.lanes > 1).then_some(best.1)
    }

    /// Tries all parts from dimension `k` on.
    fn cut(self, k: usize, layers: usize, best: &mut (u64, Self)) {
        if k == self.dimensions {
            let cost = self.cost(layers);
            if cost < best.0 {
                *best = (cost, self);
            }
            return;
        }
        let extent = self.extents[k];
        for part in (1..=COPIES / self.lanes).filter(|part| extent.is_multiple_of(2 * part)) {
            let (mut cut, lanes) = (self, self.lanes * part);
            (cut.parts[k], cut.lanes, cut.copies) = (part, lanes, COPIES / lanes);
            cut.cut(k + 1, layers, best);
        }
    }

    /// The time of a sweep in quarters of a row; a ghost takes about one.
    pub fn cost(self, layers: usize) -> u64 {
        let ghosts = (0..self.dimensions).filter(|&k| self.parts[k] > 1).map(|k| 2 * self.rows() / self.block(k));
        layers.div_ceil(self.copies) as u64 * (4 * self.rows() + ghosts.sum::<usize>()) as u64
    }

    /// Extent of a block in dimension `k`.
    fn block(self, k: usize) -> usize {
        self.extents[k] / self.parts[k]
    }

    fn sites(self) -> usize {
        self.extents.iter().product()
    }

    pub fn rows(self) -> usize {
        self.sites() / self.lanes
    }

    pub fn degree(self) -> usize {
        2 * self.dimensions
    }

    /// Coordinate `k` of an index in a box, and its stride.
    fn coordinate(index: usize, extents: impl Fn(usize) -> usize, k: usize) -> (usize, usize) {
        let stride = (0..k).map(&extents).product::<usize>();
        (index / stride % extents(k), stride)
    }

    /// Neighbour `j` of a site: the next one in dimension `j / 2` if `j` is even, else the last one.
    pub fn neighbour(self, site: usize, j: usize) -> usize {
        let extents = |k: usize| self.extents[k];
        let (x, stride) = Self::coordinate(site, extents, j / 2);
        let extent = extents(j / 2);
        site - x * stride + (x + if is_next(j) { 1 } else { extent - 1 }) % extent * stride
    }

    /// Neighbour `j` of a place in a block, and whether it is in another block.
    pub fn neighbour_in_block(self, place: usize, j: usize) -> (usize, bool) {
        let extents = |k: usize| self.block(k);
        let (x, stride) = Self::coordinate(place, extents, j / 2);
        let extent = extents(j / 2);
        let next = x + if is_next(j) { 1 } else { extent - 1 };
        let is_outside = if is_next(j) { next == extent } else { x == 0 };
        (place - x * stride + next % extent * stride, is_outside && self.parts[j / 2] > 1)
    }

    /// The site at a place of the block in a lane.
    pub fn site(self, place: usize, lane: usize) -> usize {
        let mut site = 0;
        for k in 0..self.dimensions {
            let (x, _) = Self::coordinate(place, |k| self.block(k), k);
            let (part, _) = Self::coordinate(lane, |k| self.parts[k], k);
            site += (part * self.block(k) + x) * self.extents[..k].iter().product::<usize>();
        }
        site
    }

    /// Places of a block in the order of their rows: one colour after the other.
    pub fn order(self) -> Result<Vec<usize>, Error> {
        let parity = |place: usize| {
            (0..self.dimensions).map(|k| Self::coordinate(place, |k| self.block(k), k).0).sum::<usize>() % 2
        };
        let mut order = memory::collected(0..self.rows())?;
        order.sort_unstable_by_key(|&place| (parity(place), place));
        Ok(order)
    }

    /// The rotation that brings neighbour `j` of every lane into it.
    pub fn rotation(self, j: usize) -> Rotation {
        let parts = |k: usize| self.parts[k];
        let (_, stride) = Self::coordinate(0, parts, j / 2);
        let sign = if is_next(j) { 1 } else { -1 };
        let part = parts(j / 2);
        let edge = if is_next(j) { part - 1 } else { 0 };
        let mut masks = [[0; 8]; 2];
        for lane in 0..self.lanes * self.copies {
            let (at, _) = Self::coordinate(lane % self.lanes, parts, j / 2);
            masks[usize::from(at == edge)][lane / 64] |= 1 << (lane % 64);
        }
        Rotation {
            shifts: [sign * stride as isize, -sign * ((part - 1) * stride) as isize],
            masks,
            is_within_words: 64 % (part * stride) == 0,
        }
    }
}
