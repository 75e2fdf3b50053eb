//! The walk through the Farey sequence, which computes arcs and fills bundles with their rows.

use alloc::vec::Vec;
use core::ops::Range;

use super::super::super::block::power;
use super::super::super::{Arcs, MAX_ARCS, MAX_ROWS, PIECES, arcs};
use super::super::basis::Basis;
use super::{Chunk, Dual, Method, Piece, UNIT, UNITS};
use crate::frame::error::Error;
use crate::frame::memory;

impl Dual {
    /// Walks through the Farey sequence. `from` and `to` are the slopes at the ends, relative to
    /// `origin`, that in the middle.
    pub(super) fn walk(&mut self, order: u32, small: u32, origin: u64, from: i64, to: i64) -> Result<Method, Error> {
        let mut ranges = Vec::new();
        let start = origin.wrapping_add(from.wrapping_mul(UNITS as i64) as u64);
        let basis = Basis::around(start, order.into());
        let (mut u, mut v) = (basis.u as u32, basis.v as u32);
        let mut left = (order + v) / u * u - v;
        let relative = |gap: i128, u: u32| (gap / UNITS) as i64 + i64::from(u) * from;
        let [mut d, mut next] = [relative(-basis.p, u), relative(basis.q, v)];
        if basis.p >= basis.q {
            // The part begins behind the arc of u.
            let k = (order + u) / v;
            (left, u, v) = (u, v, k * v - u);
            (d, next) = (next, i64::from(k) * next - d);
        }
        let mut before = i64::from((order + v) / u) * d - next;
        let (mut arcs, mut last) = (Arcs::default(), 0);
        // Until the mediant of the last fraction and this one is past the end.
        while before + d < i64::from(left + u) * to {
            let mut chunk = Chunk { piece: self.pieces.len() as u32 - 1, ..Chunk::EMPTY };
            chunk.denominators[0] = left.into();
            let mut count = 0;
            while count < MAX_ARCS && before + d < i64::from(left + u) * to {
                chunk.denominators[count + 1] = u.into();
                chunk.differences[count] = d as f64 * power(UNIT);
                if u < small {
                    let piece = &self.pieces[self.pieces.len() - 1];
                    if let Some(range) = arguments(piece, [left, u, v], [before, d, next]) {
                        memory::push(&mut ranges, range)?;
                    }
                }
                // Meanwhile, an arc of the last chunk: these divisions wait for each other.
                if count < last {
                    self.distribute(&arcs, count, small)?;
                }
                count += 1;
                let k = (order + u) / v;
                (left, u, v) = (u, v, k * v - u);
                (before, d, next) = (d, next, i64::from(k).wrapping_mul(next).wrapping_sub(d));
            }
            chunk.denominators[count + 1] = u.into();
            for i in count..last {
                self.distribute(&arcs, i, small)?;
            }
            last = self.compute(chunk, count, &mut arcs)?;
        }
        for i in 0..last {
            self.distribute(&arcs, i, small)?;
        }
        Ok(Method::Rows(ranges))
    }

    /// Computes the arcs of a chunk.
    fn compute(&mut self, chunk: Chunk, count: usize, all: &mut Arcs) -> Result<usize, Error> {
        let curve = &self.pieces[chunk.piece as usize].curve;
        // SAFETY: a multiple of 8, as many numbers and two more; unused ones are positive.
        unsafe {
            arcs(curve, chunk.denominators.as_ptr(), chunk.differences.as_ptr(), count.next_multiple_of(8), all);
        }
        memory::push(&mut self.chunks, chunk)?;
        Ok(count)
    }

    /// Adds an arc of the last chunk to bundles.
    #[inline(always)]
    fn distribute(&mut self, all: &Arcs, i: usize, small: u32) -> Result<(), Error> {
        let i = i % MAX_ARCS;
        let chunk = self.chunks.len() - 1;
        if self.chunks[chunk].denominators[i + 1] < f64::from(small) {
            return Ok(());
        }
        let (arc, rows) = ((chunk * MAX_ARCS + i) as u32, all.rows[i]);
        let (scale, step, limit) = (all.scale[i], all.step[i], all.limit[i]);
        let (mut base, mut extra, mut first) = (all.base[i], all.extra[i], all.first[i]);
        let mut from = 0;
        while from < rows {
            let size = ((rows - from).min(MAX_ROWS as u32) as usize - 1) / 2;
            let filling = &mut self.fillings[size];
            let at = filling.count % PIECES;
            let bundle = &mut filling.bundle;
            bundle.scale[at] = scale;
            bundle.height[at] = all.height[i] + from as f32;
            bundle.base[at] = base;
            bundle.step[at] = step;
            bundle.limit[at] = limit;
            bundle.extra[at] = extra;
            bundle.first[at] = first;
            filling.origins[at] = [arc, from];
            filling.count = at + 1;
            if at + 1 == PIECES {
                self.test(size)?;
            }
            from += MAX_ROWS as u32;
            base = base.wrapping_sub(step.wrapping_mul(MAX_ROWS as u32));
            (extra, first) = (0, limit);
        }
        Ok(())
    }
}

/// The arguments of a part in the arc of a fraction, given with its neighbours: denominators and
/// differences.
fn arguments(piece: &Piece, denominators: [u32; 3], differences: [i64; 3]) -> Option<Range<i64>> {
    let Piece { curve, middle, range } = piece;
    let mediant = |a: usize| {
        let sum = (differences[a] + differences[a + 1]) as f64 * power(UNIT);
        sum / f64::from(denominators[a] + denominators[a + 1]) - curve.rest
    };
    let [start, end] = [range.start, range.end].map(|x| (x - middle) as f64);
    // The argument with a slope, or the end of the part.
    let at = |slope: f64| {
        let derivative = |y: f64| y * (2.0 * curve.c2 + y * (curve.triple + 4.0 * curve.c4 * y));
        if slope <= derivative(start) {
            return start;
        }
        if slope >= derivative(end) {
            return end;
        }
        let first = slope * curve.inverse;
        let z = curve.ratio * first;
        // Not `clamp`: its panic would link the formatting of numbers.
        (first * (1.0 - z * (1.0 - z * (2.0 - 5.0 * z)))).max(start).min(end)
    };
    let margin = curve.shift + 4.0;
    let [from, to] = [at(mediant(0)) - margin, at(mediant(1)) + margin];
    let part = (middle + from as i64).max(range.start)..(middle + to as i64 + 1).min(range.end);
    (!part.is_empty()).then_some(part)
}
