//! Products of packed operands, whole or one triangle of them.
//!
//! Both operands are packed for the tiles of the kernel, from any storage. A tile that crosses the
//! diagonal of a triangle is computed in a buffer. A complex number is two rows of the left operand
//! and two columns of the right one: tiles hold the four chains, which are combined as soon as the
//! rows of a tile are done.

use core::mem::MaybeUninit;
use core::ops::Range;

use hotloops::matmul;

use super::super::memory::Memory;
use super::super::number::{Complex, Number, Real};
use super::super::simd::{Vectors, vectors};
use super::super::threads;
use super::super::view::View;
use super::leaf::{self, Line, Rows};
use super::source::{Packed, Source, pack, slivers};
pub(in super::super) use super::split::Part;
use super::split::Sizes;

/// Elements of the buffer on the stack.
const SMALL: usize = 4096;
/// Maximum rows and columns of a tile in a buffer.
const TILE: usize = 27 * 32;

/// `C = alpha A B + beta C`, or one triangle, with rows of C that are contiguous.
struct Task<T, A, B> {
    alpha: T,
    left: A,
    /// The transpose of the right operand.
    right: B,
    beta: T,
    c: View<T>,
    part: Part,
    /// Whether alpha is multiplied by the right operand rather than by the left one, if they are real.
    scales_right: bool,
    vectors: Option<Vectors>,
}

/// `C = alpha A B + beta C` or one triangle of it, on this thread, with B by its transpose. The
/// triangle is square.
///
/// # Safety
/// The operands are readable; the part of C is writable and overlaps neither. The shapes match. Rows
/// or columns of C are contiguous.
pub(in super::super) unsafe fn product_alone<T: Number>(
    alpha: T,
    a: impl Source<T>,
    b: impl Source<T>,
    beta: T,
    c: View<T>,
    part: Part,
) {
    let (rows, columns) = (0..c.rows, 0..c.columns);
    // SAFETY: the caller's contract.
    unsafe { block(alpha, a, b, beta, c, part, (rows, columns)) }
}

/// [`product_alone`] of the whole, by as many threads as it is worth.
///
/// # Safety
/// As for [`product_alone`].
pub(super) unsafe fn product<T: Number>(alpha: T, a: impl Source<T>, b: impl Source<T>, beta: T, c: View<T>) {
    // SAFETY: the caller's contract; the blocks of C are disjoint.
    let job = |rows: Range<usize>, columns: Range<usize>| unsafe {
        block(alpha, a, b, beta, c, Part::Whole, (rows, columns));
    };
    let size = [c.rows, c.columns];
    if !threads::divided(threads::terms::<T>(size, a.columns()), size, &job) {
        job(0..c.rows, 0..c.columns);
    }
}

/// A block of [`product_alone`].
unsafe fn block<T: Number>(
    alpha: T,
    a: impl Source<T>,
    b: impl Source<T>,
    beta: T,
    c: View<T>,
    part: Part,
    (rows, columns): (Range<usize>, Range<usize>),
) {
    let vectors = vectors();
    // SAFETY: the caller's contract.
    unsafe {
        if c.strides.row == 1 {
            let (c, part) = (c.transposed(), part.transposed());
            Task { alpha, left: b, right: a, beta, c, part, scales_right: true, vectors }.run(columns, rows);
        } else {
            Task { alpha, left: a, right: b, beta, c, part, scales_right: false, vectors }.run(rows, columns);
        }
    }
}

/// A block of C: its first row and column, and the packed operands.
struct Block<T> {
    first: [usize; 2],
    left: Packed<T>,
    right: Packed<T>,
    /// The columns of the operands in this slab, and whether it is the first, and the last.
    depth: usize,
    begins: bool,
    ends: bool,
    /// Sums of complex products, or the buffer of a tile.
    sums: *mut T,
    sums_row: usize,
}

impl<T: Number, A: Source<T>, B: Source<T>> Task<T, A, B> {
    /// Computes a block of C.
    ///
    /// # Safety
    /// The contract of [`product_alone`].
    unsafe fn run(&self, rows: Range<usize>, columns: Range<usize>) {
        let (m, n) = (rows.len(), columns.len());
        let k = if self.alpha == T::zero() { 0 } else { self.left.columns() };
        let scales = k == 0 || !T::IS_COMPLEX && self.beta != T::zero() && self.beta != T::one();
        // SAFETY: the caller's contract, throughout.
        unsafe {
            if scales {
                let c = self.c.block(rows.clone(), columns.clone());
                let diagonal = rows.start as isize - columns.start as isize;
                leaf::scale(self.vectors, self.beta, c, self.part, diagonal);
            }
            if m == 0 || n == 0 || k == 0 {
                return;
            }
            let sizes = Sizes::new::<T>([m, n, k], self.vectors);
            let in_place = self.rows_in_place(sizes.tile[0].min(m));
            let left_length = if in_place.is_some() { 0 } else { sizes.rows * sizes.slab };
            let whole = sizes.slab == k;
            // Sums of a slab that is not the last are kept.
            let sums_row = 2 * if whole { sizes.group.min(sizes.columns) } else { sizes.columns };
            let sums_length = match T::IS_COMPLEX {
                true => sums_row * if whole { 2 * sizes.tile[0] } else { sizes.rows },
                false => 0,
            };
            let lengths = [left_length, sizes.columns * sizes.slab, sums_length];
            let (mut stack, mut heap) = (MaybeUninit::<[T::Real; SMALL]>::uninit(), None);
            let total: usize = lengths.iter().sum();
            let at: *mut T = match total * size_of::<T>() <= SMALL * size_of::<T::Real>() {
                true => stack.as_mut_ptr().cast(),
                false => heap.insert(Memory::<T>::new(total)).split([0])[0],
            };
            let [left_at, right_at] = [at, at.wrapping_add(lengths[0])];
            let sums = right_at.wrapping_add(lengths[1]);
            for j in columns.clone().step_by(sizes.columns) {
                let width = sizes.columns.min(columns.end - j);
                for i in rows.clone().step_by(sizes.rows) {
                    let height = sizes.rows.min(rows.end - i);
                    let seen =
                        self.part.columns(i, usize::MAX).start..self.part.columns(i + height - 1, usize::MAX).end;
                    let is_outside = seen.start >= j + width || seen.end <= j;
                    for p in (0..k).step_by(sizes.slab) {
                        let depth = sizes.slab.min(k - p);
                        let right = (right_at, self.scales_right, sizes.tile[1], sizes.tile[1]);
                        if i == rows.start || !whole {
                            pack(self.right, j..j + width, p..p + depth, sizes.depth, right, self.alpha);
                        }
                        if is_outside {
                            continue;
                        }
                        let left = match in_place {
                            Some((at, row)) => {
                                let at = at.wrapping_offset(i as isize * row).wrapping_add(p);
                                Packed { at, n: height, in_place: Some(row) }
                            }
                            None => {
                                let left = (left_at, !self.scales_right, sizes.tile[0], 2 * sizes.tile[0] - 1);
                                pack(self.left, i..i + height, p..p + depth, sizes.depth, left, self.alpha)
                            }
                        };
                        let right = Packed { at: right_at.cast_const(), n: width, in_place: None };
                        let (begins, ends) = (p == 0, p + depth == k);
                        self.block(&sizes, &Block { first: [i, j], left, right, depth, begins, ends, sums, sums_row });
                    }
                }
            }
        }
    }

    /// The left operand if tiles of `rows` rows read it in place: they are not scaled, and do not evict each other.
    fn rows_in_place(&self, rows: usize) -> Option<(*const T, isize)> {
        let is_scaled = !self.scales_right && self.alpha != T::one();
        let (at, row) = self.left.in_rows().filter(|_| !T::IS_COMPLEX && !is_scaled)?;
        let (stride, bytes) = (row * size_of::<T>() as isize, self.left.columns() * size_of::<T>());
        matmul::rows_in_place(rows, stride, bytes).is_none().then_some((at, row))
    }

    /// # Safety
    /// The contract of [`run`](Self::run); the operands are packed.
    unsafe fn block(&self, sizes: &Sizes, block: &Block<T>) {
        let [i, j] = block.first;
        let [mr, nr] = sizes.tile;
        let (height, width) = (block.left.n, block.right.n);
        for g in (0..width).step_by(sizes.group) {
            let group = g..width.min(g + sizes.group);
            for (r, rows) in slivers(height, [mr, 2 * mr - 1]) {
                // Slivers with columns of any of these rows.
                let seen =
                    self.part.columns(i + r, usize::MAX).start..self.part.columns(i + r + rows - 1, usize::MAX).end;
                let first = seen.start.saturating_sub(j).max(group.start) / nr * nr;
                let end = group.end.min(seen.end.saturating_sub(j));
                if first >= end {
                    continue;
                }
                let end = group.end.min(end.next_multiple_of(nr));
                // SAFETY: the caller's contract.
                unsafe {
                    match T::IS_COMPLEX {
                        true => self.complex_panel(sizes, block, [r, rows], g, first..end),
                        false => self.real_panel(sizes, block, [r, rows], first..end),
                    }
                }
            }
        }
    }

    /// The rows of a tile, in C or in a buffer.
    ///
    /// # Safety
    /// As for [`block`](Self::block).
    unsafe fn real_panel(&self, sizes: &Sizes, block: &Block<T>, [r, rows]: [usize; 2], columns: Range<usize>) {
        let ([i, j], nr) = (block.first, sizes.tile[1]);
        let i = i + r;
        let mut buffer = MaybeUninit::<[T::Real; TILE]>::uninit();
        let buffer: *mut T = buffer.as_mut_ptr().cast();
        for p in (0..block.depth).step_by(sizes.depth) {
            let depth = sizes.depth.min(block.depth - p);
            let starts = block.begins && p == 0 && self.beta == T::zero();
            for s in columns.clone().step_by(nr) {
                let width = nr.min(columns.end - s);
                let (first, last) = (j + s, j + s + width - 1);
                let is_inside = match self.part {
                    Part::Whole => true,
                    Part::Lower => last <= i,
                    Part::Upper => first + 1 >= i + rows,
                };
                let c = self.c.block(i..i + rows, first..last + 1);
                // SAFETY: the caller's contract, throughout; the buffer holds a tile.
                unsafe {
                    if is_inside {
                        tile_product(block, [r, rows], [s, width], [p, depth], (c.at, c.strides.row), !starts);
                        continue;
                    }
                    let (at, buffered) = ((c.at.cast(), c.strides.row), (buffer.cast(), width as isize));
                    let (size, diagonal) = ([rows, width], i as isize - first as isize);
                    let copy = |from: (*mut T::Real, isize), to| {
                        let from = (from.0.cast_const(), from.1);
                        Rows { factor: T::Real::one(), from, to, size, part: self.part, diagonal }.copy(self.vectors);
                    };
                    if !starts {
                        buffer.write_bytes(0, rows * width);
                        copy(at, buffered);
                    }
                    tile_product(block, [r, rows], [s, width], [p, depth], (buffer, width as isize), !starts);
                    copy(buffered, at);
                }
            }
        }
    }

    /// The four chains of the rows of a tile, and their combination.
    ///
    /// # Safety
    /// As for [`block`](Self::block).
    unsafe fn complex_panel(
        &self,
        sizes: &Sizes,
        block: &Block<T>,
        [r, rows]: [usize; 2],
        group: usize,
        columns: Range<usize>,
    ) {
        let (nr, [i, j]) = (sizes.tile[1], block.first);
        // A row of sums is two rows of reals, of twice as many columns.
        let row = block.sums_row;
        let (sums, origin) = match block.begins && block.ends {
            true => (block.sums, group),
            false => (block.sums.wrapping_add(r * row), 0),
        };
        let sums: *mut T::Real = sums.cast();
        for p in (0..block.depth).step_by(sizes.depth) {
            let depth = sizes.depth.min(block.depth - p);
            for s in columns.clone().step_by(nr) {
                let width = nr.min(columns.end - s);
                let at = sums.wrapping_add(2 * (s - origin)).cast();
                let adds = p > 0 || !block.begins;
                // SAFETY: the caller's contract; the sums have room.
                unsafe { tile_product(block, [r, rows], [s, width], [p, depth], (at, row as isize), adds) }
            }
        }
        if !block.ends {
            return;
        }
        let conjugated = [self.left.is_conjugated(), self.right.is_conjugated()];
        let [alpha, beta] = [self.alpha, self.beta].map(|x| Complex { re: x.re(), im: x.im() });
        for line in 0..rows {
            let inside = self.part.columns(i + r + line, j + columns.end);
            let inside = inside.start.max(j + columns.start)..inside.end;
            if inside.start >= inside.end {
                continue;
            }
            let c: *mut Complex<T::Real> = self.c.pointer(i + r + line, inside.start).cast();
            let x = sums.wrapping_add(2 * line * row + 2 * (inside.start - j - origin)).cast_const();
            let line = Line { x, y: x.wrapping_add(row), conjugated, alpha, beta, c, step: 1, n: inside.len() };
            // SAFETY: the caller's contract; the sums were computed.
            unsafe { leaf::combine(self.vectors, &line) }
        }
    }
}

/// One call of the kernel. The distance of rows of C is in reals.
///
/// # Safety
/// The operands are packed; the elements of C are writable, and readable if the product `adds` to them.
#[inline(always)]
unsafe fn tile_product<T: Number>(
    block: &Block<T>,
    rows: [usize; 2],
    columns: [usize; 2],
    terms: [usize; 2],
    c: (*mut T, isize),
    adds: bool,
) {
    let reals = size_of::<T>() / size_of::<T::Real>();
    let (a, a_row, a_column) = block.left.sliver(rows, terms);
    let (b, _, b_row) = block.right.sliver(columns, terms);
    let shape = [rows[1] * reals, columns[1] * reals, terms[1]];
    let (a_column, b_row) = (if a_row == 1 { a_column * reals as isize } else { a_column }, b_row * reals as isize);
    // SAFETY: the caller's contract.
    unsafe { T::Real::tile(shape, (a.cast(), a_row, a_column), (b.cast(), b_row), (c.0.cast(), c.1), adds) }
}
