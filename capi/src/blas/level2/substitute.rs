//! Triangular systems by substitution, in vectors along the columns.
#![allow(clippy::needless_range_loop)] // loops over indices are unrolled, so that squares stay in registers

use core::mem::MaybeUninit;
use core::ops::Range;

use super::super::number::Number;
use super::super::simd::{Lanes, MAX_LANES, Task};
use super::collect::Collect;
use super::lines::{Lines, Order, both};
use super::spread::Spread;
use super::sums::Sums;

/// Solves the square of `block` at the diagonal of a triangle whose columns are lines: each element is divided by the
/// diagonal, then its column times it is subtracted from those that follow. Real numbers are subtracted by fused
/// multiply-adds, complex ones by single operations. The lines are the rows if `BY_ROWS`, of a real triangle.
///
/// The contract of running it: the lines and b are readable; the elements of b, and with rows as many of
/// `negative`, are writable and do not overlap the lines.
pub(super) struct Substitution<'a, T: Number, const BY_ROWS: bool> {
    pub lines: &'a Lines<T>,
    pub block: Range<usize>,
    pub order: Order,
    pub conjugates: bool,
    pub b: *mut T,
    /// Gets the elements of -x.
    pub negative: *mut T,
}

/// The columns of some lines within a vector of b.
struct Columns<'a, T> {
    lines: &'a Lines<T>,
    /// The elements of the vector.
    rows: Range<usize>,
    /// The copy of rows in columns from this one on, if it is one.
    copied: Option<(*const T, usize)>,
}

impl<T: Number, const BY_ROWS: bool> Task<T::Real> for Substitution<'_, T, BY_ROWS> {
    #[inline(always)]
    unsafe fn run<V: Lanes<T::Real>>(&self) {
        let (lines, order, step) = (self.lines.with_unit_diagonal(true), self.order, V::LANES / Self::PARTS);
        let Substitution { conjugates, b, .. } = *self;
        let sums = Sums { at: b.cast(), n: lines.count };
        let mut block = self.following(None, step);
        if block.is_empty() {
            return;
        }
        // SAFETY: the caller's contract, throughout.
        unsafe {
            let mut rest = self.load::<V>(&block);
            loop {
                let next = self.following(Some(&block), step);
                let (before, after) = (self.beyond(&block, true), self.beyond(&next, false));
                if BY_ROWS && !next.is_empty() {
                    let (block, x) = (next.clone(), self.negative.cast_const());
                    match order {
                        Order::Ascending => {
                            Collect::<T, false> { sums, lines: &lines, block, clip: before, conjugates, x }.run::<V>();
                        }
                        Order::Descending => {
                            Collect::<T, true> { sums, lines: &lines, block, clip: before, conjugates, x }.run::<V>();
                        }
                    }
                }
                let mut tile = [rest, self.load::<V>(&next)];
                self.solve::<V>(&lines, [&block, &next], &mut tile);
                if !BY_ROWS {
                    let block = block.clone();
                    Spread::<T, true> { sums, lines: &lines, block, clip: after, order, conjugates, x: b }.run::<V>();
                }
                if next.is_empty() {
                    return;
                }
                (block, rest) = (next, tile[1]);
            }
        }
    }
}

impl<T: Number, const BY_ROWS: bool> Substitution<'_, T, BY_ROWS> {
    const PARTS: usize = Sums::<T>::PARTS;

    /// The next lines in the order of substitution, as many as a vector has elements. Those of every block but the
    /// first begin at a multiple of them, so that loads find whole vectors that were stored before.
    #[inline(always)]
    fn following(&self, block: Option<&Range<usize>>, step: usize) -> Range<usize> {
        let Range { start, end } = self.block;
        match self.order {
            Order::Ascending => {
                let begin = block.map_or(start, |block| block.end);
                begin..end.min(begin + step)
            }
            Order::Descending => {
                let end = block.map_or(end, |block| block.start);
                let last = end.max(start + 1) - 1;
                start + (last - start) / step * step..end
            }
        }
    }

    /// The lines before a block in the order of substitution, or after it.
    #[inline(always)]
    fn beyond(&self, block: &Range<usize>, before: bool) -> Range<usize> {
        let low = (self.order == Order::Ascending) == before;
        if low { self.block.start..block.start } else { block.end..self.block.end }
    }

    /// # Safety
    /// The contract of the task; the CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn load<V: Lanes<T::Real>>(&self, block: &Range<usize>) -> V {
        let at = self.b.wrapping_add(block.start).cast();
        // SAFETY: the caller's contract.
        unsafe {
            if Self::PARTS * block.len() == V::LANES {
                V::load(at)
            } else {
                V::load_masked(at, V::mask(0, Self::PARTS * block.len()))
            }
        }
    }

    /// A masked store would delay the loads that follow.
    ///
    /// # Safety
    /// As for [`load`](Self::load).
    #[inline(always)]
    unsafe fn store<V: Lanes<T::Real>>(to: *mut T, block: &Range<usize>, x: V) {
        let at = to.wrapping_add(block.start).cast();
        // SAFETY: the caller's contract.
        unsafe {
            if Self::PARTS * block.len() == V::LANES {
                x.store(at);
            } else {
                x.store_masked(at, V::mask(0, Self::PARTS * block.len()));
            }
        }
    }

    /// Solves the square of the first block, and subtracts its columns from the second one.
    ///
    /// # Safety
    /// As for [`load`](Self::load); the blocks have at most as many lines as a vector has elements.
    #[inline(always)]
    unsafe fn solve<V: Lanes<T::Real>>(&self, lines: &Lines<T>, [block, next]: [&Range<usize>; 2], tile: &mut [V; 2]) {
        let (parts, first) = (Self::PARTS, block.start);
        let mut copies = [const { MaybeUninit::<[T; MAX_LANES * MAX_LANES]>::uninit() }; 2];
        let [own, others] = copies.each_mut().map(|copy| copy.as_mut_ptr().cast::<T>());
        // SAFETY: the caller's contract, throughout.
        unsafe {
            if BY_ROWS {
                square::<T, V>(lines, block, block, own.cast(), V::LANES);
                square::<T, V>(lines, next, block, others.cast(), V::LANES);
            }
            let columns = [(block, own), (next, others)].map(|(rows, copy)| Columns {
                lines,
                rows: rows.clone(),
                copied: BY_ROWS.then_some((copy.cast_const(), first)),
            });
            let mut solved = tile[0];
            for l in self.order.range(block) {
                let lane = parts * (l - first);
                // A complex number is two reals in memory.
                let reals = [tile[0].broadcast(lane).first(), tile[0].broadcast(lane + parts - 1).first()];
                let mut x = *reals.as_ptr().cast::<T>();
                if !self.lines.unit {
                    let diagonal = *self.lines.pointer(l, l);
                    x = x.divided_by(if self.conjugates { diagonal.conj() } else { diagonal });
                }
                let (re, im) = (V::splat(x.re()), V::splat(x.im()));
                solved = if T::IS_COMPLEX { re.with_odd(im) } else { re }.select(solved, V::mask(lane, lane + parts));
                for (sums, columns) in tile.iter_mut().zip(&columns) {
                    let (a, mask) = columns.get::<V>(l);
                    let next = if T::IS_COMPLEX {
                        let a = if self.conjugates { a.conjugated() } else { a };
                        sums.minus(a.times_complex(re, im))
                    } else {
                        a.fma(V::splat((-x).re()), *sums)
                    };
                    *sums = next.select(*sums, mask);
                }
            }
            Self::store(self.b, block, solved);
            if BY_ROWS {
                Self::store(self.negative, block, V::splat(-T::one().re()).times(solved));
            }
        }
    }
}

impl<T: Number> Columns<'_, T> {
    /// The elements of column `l`, and a mask of those that are stored.
    ///
    /// # Safety
    /// As for [`Substitution::load`].
    #[inline(always)]
    unsafe fn get<V: Lanes<T::Real>>(&self, l: usize) -> (V, V::Mask) {
        let parts = Sums::<T>::PARTS;
        // SAFETY: the caller's contract.
        unsafe {
            if let Some((copy, first)) = self.copied {
                let having = self.lines.having(l..l + 1, &self.rows)[0].clone();
                let mask = V::mask(having.start - self.rows.start, having.end - self.rows.start);
                return (V::load(copy.wrapping_add((l - first) * V::LANES).cast()), mask);
            }
            let run = both(&self.lines.run(l), &self.rows);
            let mask = V::mask(parts * (run.start - self.rows.start), parts * (run.end - self.rows.start));
            (V::load_masked(self.lines.pointer(l, self.rows.start).cast(), mask), mask)
        }
    }
}

/// Copies the square of `block` at the diagonal of a triangle, its lines to columns of `stride` elements, at least
/// as many as whole vectors need. The other triangle of the copy is not defined.
///
/// The contract of running it: the lines are readable, the copy is writable and does not overlap them.
pub(super) struct Transposition<'a, T> {
    pub lines: &'a Lines<T>,
    pub block: Range<usize>,
    pub to: *mut T,
    pub stride: usize,
}

impl<T: Number> Task<T::Real> for Transposition<'_, T> {
    #[inline(always)]
    unsafe fn run<V: Lanes<T::Real>>(&self) {
        let (lines, step, first) = (self.lines, V::LANES / Sums::<T>::PARTS, self.block.start);
        for some in Order::Ascending.blocks(self.block.clone(), step) {
            let all = lines.run(some.start).start..lines.run(some.end - 1).end;
            for places in Order::Ascending.blocks(both(&all, &self.block), step) {
                let to = self.to.wrapping_add((places.start - first) * self.stride + some.start - first);
                // SAFETY: the caller's contract.
                unsafe { square::<T, V>(lines, &some, &places, to.cast(), self.stride) }
            }
        }
    }
}

/// Copies a square of lines to columns, `stride` elements apart; neither has more elements than a vector. Elements
/// that are not stored are not defined.
///
/// # Safety
/// The elements are readable, whole vectors are writable at `to`; the CPU has the instructions of `V`.
#[inline(always)]
unsafe fn square<T: Number, V: Lanes<T::Real>>(
    lines: &Lines<T>,
    some: &Range<usize>,
    places: &Range<usize>,
    to: *mut T::Real,
    stride: usize,
) {
    let (parts, step) = (Sums::<T>::PARTS, V::LANES / Sums::<T>::PARTS);
    let is_full = some.len() == step && places.len() == step && lines.common(some, places) == *places;
    // SAFETY: the caller's contract, throughout.
    unsafe {
        let mut square = [V::splat(T::zero().re()); MAX_LANES];
        if is_full {
            for i in 0..step {
                square[i] = V::load(lines.pointer(some.start + i, places.start).cast());
            }
        } else {
            for i in 0..step.min(some.len()) {
                let run = both(&lines.run(some.start + i), places);
                let mask = V::mask(parts * (run.start - places.start), parts * (run.end - places.start));
                square[i] = V::load_masked(lines.pointer(some.start + i, places.start).cast(), mask);
            }
        }
        if T::IS_COMPLEX {
            V::transpose_pairs(&mut square);
        } else {
            V::transpose(&mut square);
        }
        for i in 0..step {
            if i < places.len() {
                square[i].store(to.wrapping_add(parts * i * stride));
            }
        }
    }
}
