//! Lines times elements of x, added to the sums of their elements, in vectors along the lines.
//!
//! A few vectors of sums stay in registers while lines are added, so that each sum keeps its chain. Where a
//! line begins or ends within a vector, the other lanes are masked.
#![allow(clippy::needless_range_loop)] // the indices are also those of elements in memory

use core::mem::MaybeUninit;
use core::ops::Range;

use super::super::number::Number;
use super::super::simd::{Lanes, MAX_LANES, Simd, Task};
use super::lines::{Lines, Order, both};
use super::sums::Sums;

/// Lines of a panel, whose elements for a few vectors of sums are in few pages of memory. A narrow band
/// has one panel.
const PANEL: usize = 64;
const NARROW: usize = 256;

/// Vectors of real sums in registers, and of complex ones of either row.
const WIDE: usize = 4;

/// Adds the elements within `clip` of the lines of `block`, each line times its element of x, to the sums of these
/// elements. If `SUBTRACTS`, the sums are a vector of numbers in one row, and the products are subtracted from it: of
/// complex numbers by single operations, with the lines conjugated if `conjugates`.
///
/// The contract of running it: the lines, the elements of x from index 0 on and the sums are readable, the
/// sums are writable and overlap neither.
pub(super) struct Spread<'a, T: Number, const SUBTRACTS: bool = false> {
    pub sums: Sums<T>,
    pub lines: &'a Lines<T>,
    pub block: Range<usize>,
    pub clip: Range<usize>,
    pub order: Order,
    pub conjugates: bool,
    pub x: *const T,
}

/// Vectors of sums; real numbers have the first row.
type Tile<V, const N: usize> = [[V; N]; 2];

/// The masks of a vector for the lines that have some of its elements, the first line first: those that begin within
/// the vector or end there, but not those that have all of it.
struct Edges<M> {
    masks: [MaybeUninit<M>; 2 * MAX_LANES],
    after: isize,
    /// Lines that have some elements from the first line to the last one with a certain element.
    width: isize,
    /// Elements of a vector.
    step: isize,
}

impl<M: Copy> Edges<M> {
    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn new<T: Number, V: Lanes<T::Real, Mask = M>>(lines: &Lines<T>, has_any: bool) -> Self {
        let (parts, step) = (Sums::<T>::PARTS, V::LANES / Sums::<T>::PARTS);
        let (before, after) = lines.reach();
        let width = before + after + 1;
        let shown = width.clamp(0, step as isize) as usize;
        let mut masks = [const { MaybeUninit::uninit() }; 2 * MAX_LANES];
        for (i, mask) in masks.iter_mut().enumerate().take(if has_any { step + shown } else { 0 }) {
            let (begin, end) = ((i + 1).saturating_sub(shown), (i + 1).min(step));
            // SAFETY: the caller's contract.
            mask.write(unsafe { V::mask(parts * begin.min(end), parts * end) });
        }
        Edges { masks, after, width, step: step as isize }
    }

    /// The masks of the lines from `first` on, none of which has all elements of the vector at `row`.
    ///
    /// # Safety
    /// The line has some of the elements.
    #[inline(always)]
    unsafe fn at(&self, first: usize, row: usize) -> *const M {
        let line = first as isize + self.after - row as isize;
        let skipped = if line >= self.width { (self.width - self.step).max(0) } else { 0 };
        self.masks.as_ptr().wrapping_offset(line - skipped).cast()
    }
}

/// [`Sums::spread`], unless the CPU has no vectors of fused multiply-adds. Returns whether it did.
///
/// # Safety
/// The contract of [`Spread`].
pub(super) unsafe fn spread_in_vectors<T: Number>(
    sums: Sums<T>,
    lines: &Lines<T>,
    block: Range<usize>,
    clip: Range<usize>,
    order: Order,
    x: *const T,
) -> bool {
    // SAFETY: the caller's contract.
    unsafe { T::Real::run(&Spread::<T> { sums, lines, block, clip, order, conjugates: false, x }) }
}

impl<T: Number, const SUBTRACTS: bool> Task<T::Real> for Spread<'_, T, SUBTRACTS> {
    #[inline(always)]
    unsafe fn run<V: Lanes<T::Real>>(&self) {
        if self.clip.is_empty() {
            return;
        }
        let (lines, step) = (self.lines, V::LANES / Self::PARTS);
        let size = if lines.is_band() && lines.width() <= NARROW { self.block.len() } else { PANEL };
        // SAFETY: the caller's contract, throughout.
        unsafe {
            let edges = Edges::new::<T, V>(lines, lines.common(&self.block, &self.clip) != self.clip);
            for panel in self.order.blocks(self.block.clone(), size) {
                let all = lines.run(panel.start).start..lines.run(panel.end - 1).end;
                let rows = both(&all, &self.clip);
                let mut row = rows.start;
                if lines.width() >= 2 * WIDE * step {
                    while row + WIDE * step <= rows.end {
                        self.vectors::<V, WIDE>(&edges, &panel, row);
                        row += WIDE * step;
                    }
                }
                while row + step <= rows.end {
                    self.vectors::<V, 1>(&edges, &panel, row);
                    row += step;
                }
                if row < rows.end {
                    self.last::<V>(&panel, row..rows.end);
                }
            }
        }
    }
}

impl<T: Number, const SUBTRACTS: bool> Spread<'_, T, SUBTRACTS> {
    const PARTS: usize = Sums::<T>::PARTS;
    /// Rows of the sums.
    const ROWS: usize = if SUBTRACTS { 1 } else { Self::PARTS };

    /// The sums of a vector with the terms `a x`.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn term<V: Lanes<T::Real>>(&self, a: V, (re, im): (V, V), sums: [V; 2]) -> [V; 2] {
        // SAFETY: the caller's contract.
        unsafe {
            match (T::IS_COMPLEX, SUBTRACTS) {
                (false, _) => [a.fma(re, sums[0]), sums[1]],
                (true, false) => [a.fma(re, sums[0]), a.fma(im, sums[1])],
                (true, true) => {
                    let a = if self.conjugates { a.conjugated() } else { a };
                    [sums[0].minus(a.times_complex(re, im)), sums[1]]
                }
            }
        }
    }

    /// Vectors with the parts of a factor, of a real number with the negative if it is subtracted.
    ///
    /// # Safety
    /// As for [`term`](Self::term).
    #[inline(always)]
    unsafe fn factor<V: Lanes<T::Real>>(x: T) -> (V, V) {
        let x = if SUBTRACTS && !T::IS_COMPLEX { -x } else { x };
        // SAFETY: the caller's contract.
        unsafe { (V::splat(x.re()), V::splat(x.im())) }
    }

    /// Pointers to the real sums of an element in both rows.
    #[inline(always)]
    fn at(&self, row: usize) -> [*mut T::Real; 2] {
        let first = self.sums.at.wrapping_add(Self::PARTS * row);
        [first, first.wrapping_add(Self::PARTS * self.sums.n)]
    }

    /// Adds lines to `N` vectors of sums from `row` on.
    ///
    /// # Safety
    /// The contract of the task; the CPU has the instructions of `V`; the sums are those of `clip`.
    #[inline(always)]
    unsafe fn vectors<V: Lanes<T::Real>, const N: usize>(
        &self,
        edges: &Edges<V::Mask>,
        panel: &Range<usize>,
        row: usize,
    ) {
        let (step, at) = (V::LANES / Self::PARTS, self.at(row));
        let [touching, full] = self.lines.having(row..row + N * step, panel);
        let (before, after) = match self.order {
            Order::Ascending => (touching.start..full.start, full.end..touching.end),
            Order::Descending => (full.end..touching.end, touching.start..full.start),
        };
        // SAFETY: the caller's contract, throughout.
        unsafe {
            let mut tile: Tile<V, N> = [[V::splat(T::Real::zero()); N]; 2];
            for part in 0..Self::ROWS {
                for v in 0..N {
                    tile[part][v] = V::load(at[part].wrapping_add(v * V::LANES));
                }
            }
            for v in 0..N {
                self.edge(edges, &before, row + v * step, &mut tile, v);
            }
            self.add(&full, row, &mut tile);
            for v in 0..N {
                self.edge(edges, &after, row + v * step, &mut tile, v);
            }
            for part in 0..Self::ROWS {
                for v in 0..N {
                    tile[part][v].store(at[part].wrapping_add(v * V::LANES));
                }
            }
        }
    }

    /// Adds lines that have all elements of the tile.
    ///
    /// # Safety
    /// As for [`vectors`](Self::vectors).
    #[inline(always)]
    unsafe fn add<V: Lanes<T::Real>, const N: usize>(&self, full: &Range<usize>, row: usize, tile: &mut Tile<V, N>) {
        if full.is_empty() {
            return;
        }
        let (first, step) = (self.order.first(full), self.order.step());
        let (mut x, mut from) = (self.x.wrapping_add(first), self.lines.pointer(first, row));
        let mut apart = self.lines.apart(first, self.order);
        for _ in 0..full.len() {
            // SAFETY: the caller's contract.
            unsafe {
                let factor = Self::factor(*x);
                for v in 0..N {
                    let a = V::load(from.cast::<T::Real>().wrapping_add(v * V::LANES));
                    [tile[0][v], tile[1][v]] = self.term(a, factor, [tile[0][v], tile[1][v]]);
                }
            }
            x = x.wrapping_offset(step);
            from = from.wrapping_offset(apart.0);
            apart.0 += apart.1;
        }
    }

    /// Adds the lines `range`, which lack some elements of the tile, to vector `v` of it, the sums from `row` on.
    ///
    /// # Safety
    /// As for [`vectors`](Self::vectors).
    #[inline(always)]
    unsafe fn edge<V: Lanes<T::Real>, const N: usize>(
        &self,
        edges: &Edges<V::Mask>,
        range: &Range<usize>,
        row: usize,
        tile: &mut Tile<V, N>,
        v: usize,
    ) {
        if N == 1 {
            // SAFETY: the caller's contract.
            return unsafe { self.masked(edges, range, row, tile, v) };
        }
        let step = V::LANES / Self::PARTS;
        // Some lines of the range have all elements of this vector.
        let [range, full] = self.lines.having(row..row + step, range);
        if range.is_empty() {
            return;
        }
        let parts = match self.order {
            Order::Ascending => [range.start..full.start, full.clone(), full.end..range.end],
            Order::Descending => [full.end..range.end, full.clone(), range.start..full.start],
        };
        // SAFETY: the caller's contract, throughout; the elements of a mask are stored.
        unsafe {
            self.masked(edges, &parts[0], row, tile, v);
            let mut one: Tile<V, 1> = [[tile[0][v]], [tile[1][v]]];
            self.add(&parts[1], row, &mut one);
            (tile[0][v], tile[1][v]) = (one[0][0], one[1][0]);
            self.masked(edges, &parts[2], row, tile, v);
        }
    }

    /// [`edge`](Self::edge), of lines that have some elements of the vector and lack others.
    ///
    /// # Safety
    /// As for [`vectors`](Self::vectors).
    #[inline(always)]
    unsafe fn masked<V: Lanes<T::Real>, const N: usize>(
        &self,
        edges: &Edges<V::Mask>,
        range: &Range<usize>,
        row: usize,
        tile: &mut Tile<V, N>,
        v: usize,
    ) {
        if range.is_empty() {
            return;
        }
        let (first, step) = (self.order.first(range), self.order.step());
        let (mut x, mut from) = (self.x.wrapping_add(first), self.lines.pointer(first, row));
        let mut apart = self.lines.apart(first, self.order);
        // SAFETY: the caller's contract, throughout.
        unsafe {
            let mut mask = edges.at(range.start, row).wrapping_add(first - range.start);
            for _ in 0..range.len() {
                let a = V::load_masked(from.cast(), *mask);
                let next = self.term(a, Self::factor(*x), [tile[0][v], tile[1][v]]);
                tile[0][v] = next[0].select(tile[0][v], *mask);
                if Self::ROWS > 1 {
                    tile[1][v] = next[1].select(tile[1][v], *mask);
                }
                (x, mask) = (x.wrapping_offset(step), mask.wrapping_offset(step));
                from = from.wrapping_offset(apart.0);
                apart.0 += apart.1;
            }
        }
    }

    /// Adds lines to sums that are less than a vector.
    ///
    /// # Safety
    /// As for [`vectors`](Self::vectors).
    #[inline(always)]
    unsafe fn last<V: Lanes<T::Real>>(&self, panel: &Range<usize>, rows: Range<usize>) {
        let at = self.at(rows.start);
        let [touching, _] = self.lines.having(rows.clone(), panel);
        // SAFETY: the caller's contract, throughout.
        unsafe {
            let mask = V::mask(0, Self::PARTS * rows.len());
            let mut sums = [V::splat(T::Real::zero()); 2];
            for part in 0..Self::ROWS {
                sums[part] = V::load_masked(at[part], mask);
            }
            for l in self.order.range(&touching) {
                let run = both(&self.lines.run(l), &rows);
                let mask = V::mask(Self::PARTS * (run.start - rows.start), Self::PARTS * (run.end - rows.start));
                let a = V::load_masked(self.lines.pointer(l, rows.start).cast(), mask);
                let next = self.term(a, Self::factor(*self.x.wrapping_add(l)), sums);
                sums = [next[0].select(sums[0], mask), next[1].select(sums[1], mask)];
            }
            for part in 0..Self::ROWS {
                sums[part].store_masked(at[part], mask);
            }
        }
    }
}
