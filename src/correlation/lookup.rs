//! The bins of pairs by a table of their squared distances, for edges that are not uniform.

use alloc::vec::Vec;

use super::ONE_PAIR;
use super::points::Set;
use crate::frame::error::Error;
use crate::frame::memory;

/// The bits of a squared distance, which have its order.
pub(super) trait Bits: Copy + Ord + Into<u64> {
    /// Above all others.
    const LAST: Self;

    /// The bits of the squared distance of two points that differ by `dx` and `dy`.
    fn of(dx: f32, dy: f32) -> Self;
}

/// Distances are those of [`scatter()`](super::scatter()).
impl Bits for u32 {
    const LAST: u32 = u32::MAX;

    #[inline(always)]
    fn of(dx: f32, dy: f32) -> u32 {
        (dx * dx + dy * dy).to_bits()
    }
}

/// Squares of differences of 24 bits are exact in f64.
impl Bits for u64 {
    const LAST: u64 = u64::MAX;

    #[inline(always)]
    fn of(dx: f32, dy: f32) -> u64 {
        let (dx, dy) = (f64::from(dx), f64::from(dy));
        (dx * dx + dy * dy).to_bits()
    }
}

/// For ranges of squared distances, the number of edges at or below the start of the range. A range is a
/// power of two of floats, which have the order of their bits.
pub(super) struct Lookup<B> {
    /// The bits of the edges, and a number above all others.
    edges: Vec<B>,
    table: Vec<u32>,
    shift: u32,
    /// The number of the first range but one. The first one has everything below.
    base: u64,
}

/// The maximum number of ranges, 16 KiB.
const RANGES: u64 = 4096;

/// The number of pairs whose distances are computed at once.
const BATCH: usize = 64;

impl<B: Bits> Lookup<B> {
    /// For edges of squared distances in ascending order, by their bits.
    pub fn new(squares: impl ExactSizeIterator<Item = B>) -> Result<Self, Error> {
        let mut edges = memory::with_capacity(squares.len() + 1)?;
        edges.extend(squares);
        let bits = |edge: &B| -> u64 { (*edge).into() };
        // An edge at 0 is below all ranges but the first.
        let first = edges.iter().map(bits).find(|&edge| edge > 0).unwrap_or(0);
        let last = edges.last().map_or(0, bits);
        let ranges = |shift: u32| (last >> shift) - (first >> shift) + 2;
        let crowded = |shift: u32| edges.windows(2).any(|edges| bits(&edges[0]) >> shift == bits(&edges[1]) >> shift);
        let fitting = (8..56).filter(|&shift| ranges(shift) <= RANGES);
        // The longest ranges with one edge each, or the shortest that fit.
        let shift = fitting.clone().rev().find(|&shift| !crowded(shift)).or(fitting.min()).unwrap_or(55);
        let base = first >> shift;
        let starts = (0..ranges(shift) - 1).map(|range| (base + range) << shift);
        let mut table = memory::with_capacity(ranges(shift) as usize)?;
        table.push(0);
        table.extend(starts.map(|start| edges.partition_point(|edge| bits(edge) <= start) as u32));
        edges.push(B::LAST);
        Ok(Lookup { edges, table, shift, base })
    }

    /// The number of edges at or below a squared distance with these bits.
    #[inline(always)]
    fn number(&self, bits: B) -> usize {
        let range = ((bits.into() >> self.shift) + 1).saturating_sub(self.base) as usize;
        let mut number = self.table[range.min(self.table.len() - 1)] as usize;
        // Most ranges have at most one edge: no branch depends on the side of it. The last edge is above all.
        number += usize::from(self.edges[number] <= bits);
        while self.edges[number] <= bits {
            number += 1;
        }
        number
    }

    /// Adds each pair to the word of the number of edges at or below its distance. Without orientations all products
    /// are 0.
    pub fn add(&self, a: Set, b: Set, shift: [f32; 2], words: &mut [i64]) {
        for (i, (&x, &y)) in a.x.iter().zip(a.y).enumerate() {
            let own = a.psi.get(i).map_or([0; 2], |psi| psi.parts());
            for first in (0..b.x.len()).step_by(BATCH) {
                let end = b.x.len().min(first + BATCH);
                let (mut bits, mut products) = ([B::LAST; BATCH], [0; BATCH]);
                for ((bits, &other_x), &other_y) in bits.iter_mut().zip(&b.x[first..end]).zip(&b.y[first..end]) {
                    *bits = B::of((other_x - x) + shift[0], (other_y - y) + shift[1]);
                }
                if let Some(psi) = b.psi.get(first..end) {
                    for (product, psi) in products.iter_mut().zip(psi) {
                        let [re, im] = psi.parts();
                        *product = i32::from(own[0]) * i32::from(re) + i32::from(own[1]) * i32::from(im);
                    }
                }
                for (&bits, &product) in bits.iter().zip(&products).take(end - first) {
                    let word = &mut words[self.number(bits)];
                    *word = word.wrapping_add(ONE_PAIR + i64::from(product));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_a_search() {
        let many: Vec<f32> = (0..60_000).map(|k| 1.0 + k as f32 * 1e-5).collect();
        let powers: Vec<f32> = (0..40).map(|k| 1e-10 * 1.7f32.powi(k)).collect();
        for squares in
            [&[0.0, 1.0][..], &[0.5, 0.5000001, 0.6, 3e38, f32::INFINITY], &[0.0, 1e-40, 2.0], &many, &powers]
        {
            let lookup = Lookup::new(squares.iter().map(|square| square.to_bits())).unwrap();
            let wide = Lookup::new(squares.iter().map(|square| u64::from(square.to_bits()) << 29)).unwrap();
            let edges = squares.iter().map(|square| square.to_bits());
            for bits in edges.chain([0x3f80_0000, f32::MAX.to_bits(), 1]).flat_map(|x| [x.saturating_sub(1), x, x + 1])
            {
                let expected = squares.partition_point(|square| square.to_bits() <= bits);
                assert_eq!(lookup.number(bits), expected, "{bits:#x} of {} edges", squares.len());
                assert_eq!(wide.number(u64::from(bits) << 29), expected, "{bits:#x} of {} edges", squares.len());
            }
        }
    }
}
