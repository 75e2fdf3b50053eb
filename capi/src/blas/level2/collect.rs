//! Lines times x, added to the sum of each line, in vectors with an element of each line.
//!
//! Squares of elements are loaded along the lines and transposed in registers. Those of a band are along
//! its diagonals: square q holds elements q + i, .. of line i, all of them stored but at the ends of
//! the matrix.
#![allow(clippy::needless_range_loop)] // the indices are also those of elements in memory

use core::ops::Range;

use super::super::number::Number;
use super::super::simd::{Lanes, MAX_LANES, Simd, Task};
use super::lines::{Lines, Order, both};
use super::sums::Sums;

/// Adds the elements within `clip` of each line of `block` times those of x to the sum of the line, the lines
/// conjugated if `conjugates`. Chains descend if `DESCENDING`.
///
/// The contract of running it is that of [`Spread`](super::spread::Spread).
pub(super) struct Collect<'a, T: Number, const DESCENDING: bool = false> {
    pub sums: Sums<T>,
    pub lines: &'a Lines<T>,
    pub block: Range<usize>,
    pub clip: Range<usize>,
    pub conjugates: bool,
    pub x: *const T,
}

/// [`Sums::collect`] without conjugation, unless the CPU has no vectors of fused multiply-adds. Returns
/// whether it did.
///
/// # Safety
/// The contract of [`Collect`].
pub(super) unsafe fn collect_in_vectors<T: Number>(
    sums: Sums<T>,
    lines: &Lines<T>,
    block: Range<usize>,
    clip: Range<usize>,
    order: Order,
    x: *const T,
) -> bool {
    let conjugates = false;
    // SAFETY: the caller's contract.
    unsafe {
        match order {
            Order::Ascending => T::Real::run(&Collect::<T, false> { sums, lines, block, clip, conjugates, x }),
            Order::Descending => T::Real::run(&Collect::<T, true> { sums, lines, block, clip, conjugates, x }),
        }
    }
}

impl<T: Number, const DESCENDING: bool> Task<T::Real> for Collect<'_, T, DESCENDING> {
    #[inline(always)]
    unsafe fn run<V: Lanes<T::Real>>(&self) {
        if self.clip.is_empty() {
            return;
        }
        // Two groups at a time: each waits for the last term of its chains.
        for both in Order::Ascending.blocks(self.block.clone(), 2 * V::LANES / Self::PARTS) {
            // SAFETY: the caller's contract.
            unsafe {
                if self.lines.is_band() {
                    self.groups::<V, true>(both);
                } else {
                    self.groups::<V, false>(both);
                }
            }
        }
    }
}

/// A group of lines, and the places of its elements: in line i, element p is at place `p - i` if squares are along
/// diagonals, or else at place p.
struct Group {
    lines: Range<usize>,
    places: Range<isize>,
    /// Places that all lines have.
    full: Range<isize>,
    /// Lines have elements from `before` places before the diagonal one to `after` behind it.
    before: isize,
    after: isize,
}

impl Group {
    #[inline(always)]
    fn len(&self) -> isize {
        self.places.end - self.places.start
    }
}

impl<T: Number, const DESCENDING: bool> Collect<'_, T, DESCENDING> {
    const PARTS: usize = Sums::<T>::PARTS;

    /// There may be no lines.
    #[inline(always)]
    fn new_group<const DIAGONAL: bool>(&self, lines: Range<usize>) -> Group {
        let (before, after) = self.lines.reach();
        if lines.is_empty() {
            return Group { lines, places: 0..0, full: 0..0, before, after };
        }
        let (first, last) = (lines.start as isize, lines.end as isize - 1);
        let (begin, end) = (self.clip.start as isize, self.clip.end as isize);
        let (places, full) = if DIAGONAL {
            let (low, high) = (first - before, first + after + 1);
            (low.max(begin - (last - first))..high.min(end), low.max(begin)..high.min(end - (last - first)))
        } else {
            let [low, high] = [begin, end].map(|at| at.min(self.lines.length as isize));
            (
                (first - before).max(low)..(last + after + 1).min(high),
                (last - before).max(low)..(first + after + 1).min(high),
            )
        };
        Group { lines, places, full, before, after }
    }

    /// # Safety
    /// The contract of the task; the CPU has the instructions of `V`. The lines are at most two groups, each
    /// with a lane for each part of a sum.
    #[inline(always)]
    unsafe fn groups<V: Lanes<T::Real>, const DIAGONAL: bool>(&self, lines: Range<usize>) {
        let step = V::LANES / Self::PARTS;
        let middle = lines.end.min(lines.start + step);
        let groups = [lines.start..middle, middle..lines.end].map(|lines| self.new_group::<DIAGONAL>(lines));
        // SAFETY: the caller's contract, throughout.
        unsafe {
            let mut sums = [self.load::<V, DIAGONAL>(&groups[0]), self.load::<V, DIAGONAL>(&groups[1])];
            let mut done = 0;
            while done < groups[0].len().max(groups[1].len()) {
                self.squares::<V, DIAGONAL>(&groups[0], done, &mut sums[0]);
                self.squares::<V, DIAGONAL>(&groups[1], done, &mut sums[1]);
                done += step as isize;
            }
            self.store::<V, DIAGONAL>(&groups[0], sums[0]);
            self.store::<V, DIAGONAL>(&groups[1], sums[1]);
        }
    }

    /// Pointers to the sums of a group in both rows.
    #[inline(always)]
    fn at(&self, group: &Group) -> [*mut T::Real; 2] {
        let at = self.sums.at.wrapping_add(Self::PARTS * group.lines.start);
        [at, at.wrapping_add(2 * self.sums.n)]
    }

    /// The sums of a group. Along diagonals, where vectors of x have elements of all lines, complex ones are those
    /// of the products with x and with its parts exchanged.
    ///
    /// # Safety
    /// As for [`groups`](Self::groups).
    #[inline(always)]
    unsafe fn load<V: Lanes<T::Real>, const DIAGONAL: bool>(&self, group: &Group) -> [V; 2] {
        let at = self.at(group);
        // SAFETY: the caller's contract.
        unsafe {
            let lanes = V::mask(0, Self::PARTS * group.lines.len());
            let first = V::load_masked(at[0], lanes);
            if !T::IS_COMPLEX {
                return [first; 2];
            }
            let second = V::load_masked(at[1], lanes);
            if DIAGONAL { [first.with_odd(second), second.with_odd(first)] } else { [first, second] }
        }
    }

    /// Writes [`load`](Self::load)'s sums back.
    ///
    /// # Safety
    /// As for [`groups`](Self::groups).
    #[inline(always)]
    unsafe fn store<V: Lanes<T::Real>, const DIAGONAL: bool>(&self, group: &Group, [first, second]: [V; 2]) {
        let at = self.at(group);
        // SAFETY: the caller's contract.
        unsafe {
            let lanes = V::mask(0, Self::PARTS * group.lines.len());
            let exchanges = DIAGONAL && T::IS_COMPLEX;
            (if exchanges { first.with_odd(second) } else { first }).store_masked(at[0], lanes);
            if T::IS_COMPLEX {
                (if exchanges { second.with_odd(first) } else { second }).store_masked(at[1], lanes);
            }
        }
    }

    /// Adds the square that comes after `done` places, if there is one.
    ///
    /// # Safety
    /// As for [`groups`](Self::groups).
    #[inline(always)]
    unsafe fn squares<V: Lanes<T::Real>, const DIAGONAL: bool>(&self, group: &Group, done: isize, sums: &mut [V; 2]) {
        let step = (V::LANES / Self::PARTS) as isize;
        let Range { start, end } = group.places;
        if done >= group.len() {
            return;
        }
        let places = match DESCENDING {
            true => start.max(end - done - step)..end - done,
            false => start + done..end.min(start + done + step),
        };
        let is_full =
            group.lines.len() == step as usize && places.start >= group.full.start && places.end <= group.full.end;
        // SAFETY: the caller's contract.
        unsafe {
            match (is_full, places.end - places.start == step) {
                (true, true) => self.square::<V, DIAGONAL, true, true>(group, places, sums),
                (true, false) => self.square::<V, DIAGONAL, true, false>(group, places, sums),
                _ => self.square::<V, DIAGONAL, false, false>(group, places, sums),
            }
        }
    }

    /// The lines of a group, counted from its first one, that have an element at a place.
    #[inline(always)]
    fn having<const DIAGONAL: bool>(&self, group: &Group, place: isize) -> Range<usize> {
        let first = group.lines.start as isize;
        let (begin, end) = if DIAGONAL {
            (self.clip.start as isize - place, self.clip.end as isize - place)
        } else {
            (place - first - group.after, place - first + group.before + 1)
        };
        let end = end.clamp(0, group.lines.len() as isize);
        begin.clamp(0, end) as usize..end as usize
    }

    /// Adds the elements at these places, `WHOLE` as many as a vector has, or fewer; `FULL` says that a vector of
    /// lines has them all.
    ///
    /// # Safety
    /// As for [`group`](Self::group).
    #[inline(always)]
    unsafe fn square<V: Lanes<T::Real>, const DIAGONAL: bool, const FULL: bool, const WHOLE: bool>(
        &self,
        group: &Group,
        places: Range<isize>,
        sums: &mut [V; 2],
    ) {
        let (parts, step) = (Self::PARTS, V::LANES / Self::PARTS);
        let count = if WHOLE { step } else { (places.end - places.start) as usize };
        // SAFETY: the caller's contract, throughout; the elements of a mask are stored.
        unsafe {
            let mut rows = [V::splat(T::Real::zero()); MAX_LANES];
            let all = V::mask(0, parts * count);
            for i in 0..step {
                let l = group.lines.start + i;
                let first = if DIAGONAL { places.start + i as isize } else { places.start };
                if !FULL && i >= group.lines.len() {
                    break;
                }
                let from = self.lines.pointer_at(l, first).cast();
                if WHOLE {
                    rows[i] = V::load(from);
                } else if FULL {
                    rows[i] = V::load_masked(from, all);
                } else {
                    let run = both(&self.lines.run(l), &self.clip);
                    // Within the square; there may be none.
                    let begin = (run.start as isize - first).max(0) as usize;
                    let end = (run.end as isize - first).clamp(0, count as isize) as usize;
                    rows[i] = V::load_masked(from, V::mask(parts * begin.min(end), parts * end));
                }
            }
            if T::IS_COMPLEX {
                V::transpose_pairs(&mut rows);
            } else {
                V::transpose(&mut rows);
            }
            // A constant number of steps keeps the rows in registers.
            for k in 0..step {
                let k = if DESCENDING { step - 1 - k } else { k };
                if k < count {
                    self.add::<V, DIAGONAL, FULL>(group, places.start + k as isize, rows[k], sums);
                }
            }
        }
    }

    /// Adds the elements at a place.
    ///
    /// # Safety
    /// As for [`group`](Self::group).
    #[inline(always)]
    unsafe fn add<V: Lanes<T::Real>, const DIAGONAL: bool, const FULL: bool>(
        &self,
        group: &Group,
        place: isize,
        a: V,
        sums: &mut [V; 2],
    ) {
        // SAFETY: the caller's contract, throughout.
        unsafe {
            let having = if FULL { 0..0 } else { self.having::<DIAGONAL>(group, place) };
            let mask = V::mask(Self::PARTS * having.start, Self::PARTS * having.end);
            let a = if T::IS_COMPLEX && self.conjugates { a.conjugated() } else { a };
            let at = self.x.wrapping_offset(place);
            let (re, im) = if DIAGONAL {
                let x = if FULL { V::load(at.cast()) } else { V::load_masked(at.cast(), mask) };
                (x, if T::IS_COMPLEX { x.swapped() } else { x })
            } else {
                (V::splat((*at).re()), V::splat((*at).im()))
            };
            let next = a.fma(re, sums[0]);
            sums[0] = if FULL { next } else { next.select(sums[0], mask) };
            if T::IS_COMPLEX {
                let next = a.fma(im, sums[1]);
                sums[1] = if FULL { next } else { next.select(sums[1], mask) };
            }
        }
    }
}
