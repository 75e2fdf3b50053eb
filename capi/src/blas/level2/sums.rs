//! Sums of products of lines and vectors, as chains of fused multiply-adds.

use core::mem::MaybeUninit;
use core::ops::Range;

use hotloops::matmul::Strides;

use super::super::export::prelude::*;
use super::super::vector::Vector;
use super::super::view::View;
use super::lines::{Lines, Order, both};

/// The largest product in multiply-adds that is one call of the kernel: making a plan takes longer.
const FEW: usize = 4096;

/// Rows of products with more than [`WIDE`] complex elements in a row that are added at a time.
const DEPTH: usize = 16;
const WIDE: usize = 512;

/// Lines, and elements of a line, that are transposed at a time.
const TILE: [usize; 2] = [16, 64];

const UNIT: Strides = Strides { row: 1, column: 1 };

/// The chains of the elements of a vector: of a real one, its elements. Of a complex one with terms
/// a x, a row of the pairs `sum a.re x.re, sum a.im x.re` and one of `sum a.re x.im, sum a.im x.im`:
/// a complex line is a real one of twice the length, and x two vectors.
#[derive(Clone, Copy)]
pub(super) struct Sums<T: Number> {
    pub at: *mut T::Real,
    /// Elements of the vector.
    pub n: usize,
}

impl<T: Number> Sums<T> {
    /// Real vectors that a complex one is.
    pub(super) const PARTS: usize = if T::IS_COMPLEX { 2 } else { 1 };

    /// Reals of the sums of `n` elements.
    pub(super) const fn reals(n: usize) -> usize {
        Self::PARTS * Self::PARTS * n
    }

    /// # Safety
    /// The sums are writable.
    pub(super) unsafe fn clear(self, range: Range<usize>) {
        for part in 0..Self::PARTS {
            for i in Self::PARTS * range.start..Self::PARTS * range.end {
                // SAFETY: the caller's contract.
                unsafe { *self.at.wrapping_add(part * Self::PARTS * self.n + i) = T::Real::zero() }
            }
        }
    }

    /// The sums from this element on.
    pub(super) fn offset(self, first: usize) -> Self {
        Sums { at: self.at.wrapping_add(Self::PARTS * first), n: self.n }
    }

    /// Adds a vector, as its product with a diagonal of ones.
    ///
    /// # Safety
    /// The elements of x are readable, the sums are writable.
    pub(super) unsafe fn add_vector(self, x: *const T) {
        for i in 0..self.n {
            // SAFETY: the caller's contract.
            unsafe {
                let (x, to) = (*x.wrapping_add(i), self.at.wrapping_add(Self::PARTS * i));
                *to = *to + x.re();
                if T::IS_COMPLEX {
                    let to = to.wrapping_add(2 * self.n);
                    *to = *to + x.im();
                }
            }
        }
    }

    /// `y = alpha S + beta y` of complex sums, as complex products combine their chains. `conjugates`
    /// says that the sums are those of the conjugate matrix.
    ///
    /// # Safety
    /// The sums are readable, the elements of y are writable, and readable unless beta is 0.
    pub(super) unsafe fn combine(self, range: Range<usize>, (alpha, conjugates): (T, bool), beta: T, y: Vector<T>) {
        let (by_re, by_im) = (self.at, self.at.wrapping_add(2 * self.n));
        let signed = |x: T::Real| if conjugates { -x } else { x };
        for i in range {
            // SAFETY: the caller's contract.
            unsafe {
                let [re, im] = [by_re, by_im].map(|row| row.wrapping_add(2 * i));
                let sum = [*re - signed(*im.wrapping_add(1)), *im + signed(*re.wrapping_add(1))];
                // A complex number is two reals in memory.
                let sum = *sum.as_ptr().cast::<T>();
                let (scaled, to) = (if alpha == T::one() { sum } else { alpha * sum }, y.at(i));
                *to = match () {
                    () if beta == T::zero() => scaled,
                    () if beta == T::one() => scaled + *to,
                    () => scaled + beta * *to,
                };
            }
        }
    }

    /// Adds to the `n` sums from `first` on the terms `rows[p] x[p]` for p of `0..k`, in order.
    ///
    /// # Safety
    /// The sums are writable, `n` elements of each row and `k` of x readable at their steps.
    #[inline]
    unsafe fn add(
        self,
        first: usize,
        [n, k]: [usize; 2],
        (x, x_step): (*const T, isize),
        (rows, row_step): (*const T, isize),
    ) {
        let parts = Self::PARTS;
        let (x, rows) = (x.cast::<T::Real>(), rows.cast::<T::Real>());
        let [x_step, row_step] = [x_step, row_step].map(|step| step * parts as isize);
        let (c, c_row) = (self.at.wrapping_add(parts * first), (parts * self.n) as isize);
        // SAFETY: the caller's contract.
        unsafe {
            if T::IS_COMPLEX || k.saturating_mul(n) <= FEW {
                // Long sums pass through a cache once for each DEPTH rows.
                let depth = if n > WIDE { DEPTH } else { k };
                for p in (0..k).step_by(depth.max(1)) {
                    let (x, rows) =
                        (x.wrapping_offset(p as isize * x_step), rows.wrapping_offset(p as isize * row_step));
                    let shape = [parts, parts * n, depth.min(k - p)];
                    T::Real::fuse(shape, (x, 1, x_step), (rows, row_step), (c, c_row));
                }
                return;
            }
            let x = View::new(x, parts, k, Strides { row: 1, column: x_step });
            let rows = View::new(rows, k, parts * n, Strides { row: row_step, column: 1 });
            let c = View::new(c, parts, parts * n, Strides { row: c_row, column: 1 });
            T::Real::product(T::Real::one(), x, rows, T::Real::one(), c);
        }
    }

    /// Adds the elements within `clip` of the lines of `block`, each line times its element of x, to the
    /// sums of these elements.
    ///
    /// # Safety
    /// The lines, the elements of x from index 0 on and the sums are readable, the sums are writable
    /// and overlap neither.
    pub(super) unsafe fn spread(
        self,
        lines: &Lines<T>,
        block: Range<usize>,
        clip: Range<usize>,
        order: Order,
        x: *const T,
    ) {
        if block.is_empty() || clip.is_empty() {
            return;
        }
        let common = if block.len() > 1 && lines.stride().is_some() { lines.common(&block, &clip) } else { 0..0 };
        let add = |lines_begin: usize, k: usize, range: Range<usize>| {
            let row =
                (lines.pointer(lines_begin, range.start).cast_const(), order.step() * lines.stride().unwrap_or(0));
            // SAFETY: the caller's contract.
            unsafe { self.add(range.start, [range.len(), k], (x.wrapping_add(lines_begin), order.step()), row) }
        };
        if !common.is_empty() {
            add(order.first(&block), block.len(), common.clone());
            if lines.is_full() {
                return;
            }
        }
        for l in order.blocks(block, 1).map(|line| line.start) {
            let run = both(&lines.run(l), &clip);
            for part in [run.start..run.end.min(common.start), run.start.max(common.end)..run.end] {
                if !part.is_empty() {
                    add(l, 1, part);
                }
            }
        }
    }

    /// Adds real rows times the elements `range` of x to the sums of `block`.
    ///
    /// # Safety
    /// As for [`spread`](Self::spread), for rows at the pointer and the distance.
    #[inline]
    unsafe fn add_rows(self, block: &Range<usize>, range: &Range<usize>, (a, stride): (*const T, isize), x: *const T) {
        let (a, x) = (a.cast::<T::Real>(), x.wrapping_add(range.start).cast::<T::Real>());
        let (c, line) = (self.at.wrapping_add(block.start), 64 / size_of::<T>());
        let [m, k] = [block.len(), range.len()];
        // SAFETY: the caller's contract.
        unsafe {
            if m.is_multiple_of(line) && k >= line && m * k <= FEW {
                for i in (0..m).step_by(2 * line) {
                    let a = (a.wrapping_offset(i as isize * stride), stride);
                    T::Real::fuse_rows([(m - i).min(2 * line), k], a, x, c.wrapping_add(i));
                }
                return;
            }
            let a = View::new(a, m, k, Strides { row: stride, column: 1 });
            let [x, c] = [View::new(x, k, 1, UNIT), View::new(c, m, 1, UNIT)];
            T::Real::product(T::Real::one(), a, x, T::Real::one(), c);
        }
    }

    /// Adds the elements within `clip` of each line of `block` times those of x to the sum of the line,
    /// the lines conjugated if `conjugates`.
    ///
    /// # Safety
    /// As for [`spread`](Self::spread).
    pub(super) unsafe fn collect(
        self,
        lines: &Lines<T>,
        block: Range<usize>,
        clip: Range<usize>,
        (order, conjugates): (Order, bool),
        x: *const T,
    ) {
        if block.is_empty() || clip.is_empty() {
            return;
        }
        let common = if block.len() > 1 { lines.common(&block, &clip) } else { 0..0 };
        let ends = |is_before: bool| {
            if lines.is_full() && !common.is_empty() {
                return;
            }
            // SAFETY: the caller's contract.
            unsafe { self.collect_ends(lines, &block, &clip, (&common, is_before), (order, conjugates), x) }
        };
        ends(order == Order::Ascending);
        // SAFETY: the caller's contract.
        unsafe { self.tile(lines, block.clone(), common.clone(), (order, conjugates), x) }
        ends(order == Order::Descending);
    }

    /// [`collect`](Self::collect) of the elements before those that all lines have, or after them.
    ///
    /// # Safety
    /// As for [`spread`](Self::spread).
    unsafe fn collect_ends(
        self,
        lines: &Lines<T>,
        block: &Range<usize>,
        clip: &Range<usize>,
        (common, is_before): (&Range<usize>, bool),
        (order, conjugates): (Order, bool),
        x: *const T,
    ) {
        let part = |l: usize| {
            let run = both(&lines.run(l), clip);
            if is_before { run.start..run.end.min(common.start) } else { run.start.max(common.end)..run.end }
        };
        let all = part(block.start).start..part(block.end - 1).end;
        if all.is_empty() {
            return;
        }
        let mut buffer = [const { MaybeUninit::<T>::uninit() }; TILE[0] * TILE[1]];
        let (to, n) = (buffer.as_mut_ptr().cast::<T>(), block.len());
        // SAFETY: the caller's contract, throughout; the buffer holds the elements.
        unsafe {
            if n == 1 || n > TILE[0] || all.len() > TILE[1] {
                return block.clone().for_each(|l| self.tile(lines, l..l + 1, part(l), (order, conjugates), x));
            }
            for (i, l) in block.clone().enumerate() {
                let (from, part) = (lines.pointer(l, 0), part(l));
                for p in part {
                    let element = *from.wrapping_add(p);
                    *to.wrapping_add((p - all.start) * n + i) = if conjugates { element.conj() } else { element };
                }
            }
            // The lines that have an element are adjacent.
            let mut having = if order == Order::Ascending { block.start..block.start } else { block.end..block.end };
            for p in order.blocks(all.clone(), 1).map(|p| p.start) {
                if order == Order::Ascending {
                    while having.end < block.end && part(having.end).start <= p {
                        having.end += 1;
                    }
                    while having.start < having.end && part(having.start).end <= p {
                        having.start += 1;
                    }
                } else {
                    while having.start > block.start && part(having.start - 1).end > p {
                        having.start -= 1;
                    }
                    while having.end > having.start && part(having.end - 1).start > p {
                        having.end -= 1;
                    }
                }
                if !having.is_empty() {
                    let row = to.wrapping_add((p - all.start) * n + having.start - block.start);
                    self.add(having.start, [having.len(), 1], (x.wrapping_add(p), 0), (row.cast_const(), 0));
                }
            }
        }
    }

    /// [`collect`](Self::collect) of elements that all these lines have.
    ///
    /// # Safety
    /// As for [`spread`](Self::spread).
    unsafe fn tile(
        self,
        lines: &Lines<T>,
        block: Range<usize>,
        range: Range<usize>,
        (order, conjugates): (Order, bool),
        x: *const T,
    ) {
        if range.is_empty() {
            return;
        }
        let step = order.step();
        if block.len() == 1 && !conjugates {
            let first = order.first(&range);
            let row = (lines.pointer(block.start, first).cast_const(), step);
            // SAFETY: the caller's contract.
            return unsafe { self.add(block.start, [1, range.len()], (x.wrapping_add(first), step), row) };
        }
        let is_plain = !T::IS_COMPLEX && order == Order::Ascending;
        if let (true, Some(stride)) = (is_plain, lines.stride()) {
            // SAFETY: the caller's contract.
            return unsafe { self.add_rows(&block, &range, (lines.pointer(block.start, range.start), stride), x) };
        }
        let mut buffer = [const { MaybeUninit::<T>::uninit() }; TILE[0] * TILE[1]];
        let to = buffer.as_mut_ptr().cast::<T>();
        for block in Order::Ascending.blocks(block, TILE[0]) {
            for range in order.blocks(range.clone(), TILE[1]) {
                let (n, first) = (block.len(), order.first(&range));
                let row = to.wrapping_add((first - range.start) * n);
                // SAFETY: the caller's contract; the buffer holds a tile.
                unsafe {
                    if is_plain {
                        for (i, l) in block.clone().enumerate() {
                            let from = lines.pointer(l, range.start).cast_const();
                            from.copy_to_nonoverlapping(to.wrapping_add(i * TILE[1]), range.len());
                        }
                        self.add_rows(&block, &range, (to, TILE[1] as isize), x);
                        continue;
                    }
                    transpose(lines, &block, &range, conjugates, (to, n));
                    let x = (x.wrapping_add(first), step);
                    self.add(block.start, [n, range.len()], x, (row.cast_const(), step * n as isize));
                }
            }
        }
    }
}

/// Copies element p of line l to `to + p * stride + l`, both counted from the start of their range.
///
/// # Safety
/// The elements are readable, those at `to` are writable.
pub(super) unsafe fn transpose<T: Number>(
    lines: &Lines<T>,
    block: &Range<usize>,
    range: &Range<usize>,
    conjugates: bool,
    (to, stride): (*mut T, usize),
) {
    // SAFETY: the caller's contract, throughout.
    unsafe {
        if let (false, Some(apart)) = (T::IS_COMPLEX, lines.stride()) {
            let from = lines.pointer(block.start, range.start).cast::<T::Real>();
            let size = [block.len(), range.len()];
            return T::Real::transpose(size, (from, apart), (to.cast(), stride as isize));
        }
        for (i, l) in block.clone().enumerate() {
            let from = lines.pointer(l, range.start);
            for p in 0..range.len() {
                let element = *from.wrapping_add(p);
                *to.wrapping_add(p * stride + i) = if conjugates { element.conj() } else { element };
            }
        }
    }
}
