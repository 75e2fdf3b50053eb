//! Strips of columns.

use core::mem::MaybeUninit;

use super::super::super::number::{Complex, Real};
use super::super::super::simd::{Lanes, Task};
use super::super::super::view::View;
use super::{GROUP, ROWS};

/// The length of a strip: [`ROWS`] rows of at most four vectors of 64 bytes.
const STRIP: usize = ROWS * 64;

/// A strip in memory, with contiguous rows.
type Buffer<R> = MaybeUninit<[R; STRIP]>;

/// `A X = B` with a packed, negated lower triangle.
///
/// The contract of running it: the triangle is readable, B is writable and has from 1 to [`ROWS`] rows.
pub(in super::super) struct System<R> {
    pub packed: *const R,
    pub diagonal: [R; ROWS],
    /// Whether the diagonal is stored.
    pub divides: bool,
    pub b: View<R>,
}

/// `C = A X` with a packed triangle.
///
/// The contract of running it: the triangle and X are readable, C is writable; they have from 1 to [`ROWS`] rows.
pub(in super::super) struct Product<R> {
    pub packed: *const R,
    pub lower: bool,
    /// Whether the diagonal has no terms.
    pub skips: bool,
    pub adds: bool,
    pub x: View<R>,
    pub c: View<R>,
}

/// `A X = B` of complex numbers: rows of a lower triangle, `b.rows` elements apart.
///
/// The contract of running it: that of [`System`].
pub(in super::super) struct ComplexSystem<R> {
    pub elements: *const Complex<R>,
    pub divides: bool,
    pub b: View<Complex<R>>,
}

/// Calls `$call` with the vectors of each strip, the first column and the number of columns: strips of 4 vectors, if
/// registers hold a tile of them, and for the rest strips of 2 or 1.
macro_rules! each_strip {
    ($columns:expr, |$first:ident, $width:ident| $($call:tt)+) => {{
        let (columns, count) = ($columns, if V::REGISTERS < 32 { 2 } else { 4 });
        let mut $first = 0;
        while $first < columns {
            let rest = columns - $first;
            let vectors = match rest.div_ceil(V::LANES) {
                1 => 1,
                2 => 2,
                _ => count,
            };
            let $width = rest.min(vectors * V::LANES);
            match vectors {
                1 => each_strip!(@call 1, $($call)+),
                2 => each_strip!(@call 2, $($call)+),
                _ => each_strip!(@call 4, $($call)+),
            }
            $first += $width;
        }
    }};
    (@call $n:tt, $self:ident.$method:ident($($arguments:tt)*)) => { $self.$method::<V, $n>($($arguments)*) };
}

/// Copies columns of a matrix to a strip with rows of `N` vectors. The last vectors are padded with zeros.
///
/// # Safety
/// The columns are readable, at most as many as a row has numbers; `to` has room for the rows. The CPU has the
/// instructions of `V`.
#[inline(always)]
unsafe fn read<R: Real, V: Lanes<R>, const N: usize>(from: View<R>, to: *mut R) {
    let (m, n, row) = (from.rows, from.columns, N * V::LANES);
    // SAFETY: the caller's contract, throughout.
    unsafe {
        if n < row {
            (0..m).for_each(|i| (n..row).for_each(|j| *to.add(i * row + j) = R::zero()));
        }
        match (from.strides.row, from.strides.column) {
            (step, 1) if n == row => {
                for i in 0..m {
                    let line: [V; N] = vectors(from.at.wrapping_offset(i as isize * step));
                    (0..N).for_each(|v| line[v].store(to.add(i * row + v * V::LANES)));
                }
            }
            (step, 1) => {
                for i in 0..m {
                    let line = from.at.wrapping_offset(i as isize * step);
                    to.add(i * row).copy_from_nonoverlapping(line, n);
                }
            }
            (1, step) => R::transpose([n, m], (from.at, step), (to, row as isize)),
            (-1, step) => {
                let (line, last) = (from.pointer(m - 1, 0), to.add((m - 1) * row));
                R::transpose([n, m], (line, step), (last, -(row as isize)));
            }
            _ => (0..m).for_each(|i| (0..n).for_each(|j| *to.add(i * row + j) = *from.pointer(i, j))),
        }
    }
}

/// Copies a strip back, as [`read`].
///
/// # Safety
/// The columns are writable.
#[inline(always)]
unsafe fn write<R: Real, V: Lanes<R>, const N: usize>(from: *const R, to: View<R>) {
    let (m, n, row) = (to.rows, to.columns, N * V::LANES);
    // SAFETY: the caller's contract, throughout.
    unsafe {
        match (to.strides.row, to.strides.column) {
            (step, 1) if n == row => {
                for i in 0..m {
                    let (line, to): ([V; N], _) =
                        (vectors(from.add(i * row)), to.at.wrapping_offset(i as isize * step));
                    (0..N).for_each(|v| line[v].store(to.add(v * V::LANES)));
                }
            }
            (step, 1) => {
                for i in 0..m {
                    let line = to.at.wrapping_offset(i as isize * step);
                    line.copy_from_nonoverlapping(from.add(i * row), n);
                }
            }
            (1, step) => R::transpose([m, n], (from, row as isize), (to.at, step)),
            (-1, step) => {
                let last = from.add((m - 1) * row);
                R::transpose([m, n], (last, -(row as isize)), (to.pointer(m - 1, 0), step));
            }
            _ => (0..m).for_each(|i| (0..n).for_each(|j| *to.pointer(i, j) = *from.add(i * row + j))),
        }
    }
}

/// Rows of vectors.
type Tile<V, const N: usize> = [[V; N]; GROUP];

/// # Safety
/// `GROUP` rows of the strip are readable.
#[inline(always)]
unsafe fn load<R: Real, V: Lanes<R>, const N: usize>(from: *const R) -> Tile<V, N> {
    // SAFETY: the caller's contract.
    unsafe {
        let mut tile = [[V::splat(R::zero()); N]; GROUP];
        for (r, row) in tile.iter_mut().enumerate() {
            *row = vectors(from.add(r * N * V::LANES));
        }
        tile
    }
}

/// A row of vectors. A closure would be a call without the instruction set.
///
/// # Safety
/// The vectors are readable.
#[inline(always)]
unsafe fn vectors<R: Real, V: Lanes<R>, const N: usize>(from: *const R) -> [V; N] {
    // SAFETY: the caller's contract.
    unsafe {
        let mut row = [V::splat(R::zero()); N];
        for (v, vector) in row.iter_mut().enumerate() {
            *vector = V::load(from.add(v * V::LANES));
        }
        row
    }
}

/// Adds the terms of column p of a group, for all of its rows.
///
/// # Safety
/// The four elements and row p of the strip are readable.
#[inline(always)]
unsafe fn add_terms<R: Real, V: Lanes<R>, const N: usize>(tile: &mut Tile<V, N>, elements: *const R, x: *const R) {
    // SAFETY: the caller's contract.
    unsafe {
        let x: [V; N] = vectors(x);
        for (r, row) in tile.iter_mut().enumerate() {
            let element = V::splat(*elements.add(r));
            for (c, x) in row.iter_mut().zip(x) {
                *c = element.fma(x, *c);
            }
        }
    }
}

impl<R: Real> Task<R> for System<R> {
    #[inline(always)]
    unsafe fn run<V: Lanes<R>>(&self) {
        // SAFETY: the caller's contract.
        unsafe { each_strip!(self.b.columns, |first, width| self.strip(first, width)) }
    }
}

impl<R: Real> System<R> {
    /// # Safety
    /// The contract of [`run`](Task::run); the columns are those of B.
    #[inline(always)]
    unsafe fn strip<V: Lanes<R>, const N: usize>(&self, first: usize, width: usize) {
        let n = self.b.rows;
        let (row, columns) = (N * V::LANES, self.b.block(0..n, first..first + width));
        let mut buffer = Buffer::<R>::uninit();
        let x: *mut R = buffer.as_mut_ptr().cast();
        // SAFETY: the caller's contract, throughout. The buffer has room for padded rows.
        unsafe {
            read::<R, V, N>(columns, x);
            (n * row..n.next_multiple_of(GROUP) * row).for_each(|at| *x.add(at) = R::zero());
            for i in (0..n).step_by(GROUP) {
                let elements = self.packed.add(i * n);
                let mut tile = load::<R, V, N>(x.add(i * row));
                for p in 0..i {
                    add_terms(&mut tile, elements.add(p * GROUP), x.add(p * row));
                }
                for r in 0..GROUP.min(n - i) {
                    let (before, rest) = tile.split_at_mut(r);
                    for (q, known) in before.iter().enumerate() {
                        let element = V::splat(*elements.add((i + q) * GROUP + r));
                        (0..N).for_each(|v| rest[0][v] = element.fma(known[v], rest[0][v]));
                    }
                    if self.divides {
                        let by = V::splat(self.diagonal[(i + r) % ROWS]);
                        rest[0].iter_mut().for_each(|x| *x = x.over(by));
                    }
                    (0..N).for_each(|v| rest[0][v].store(x.add((i + r) * row + v * V::LANES)));
                }
            }
            write::<R, V, N>(x, columns);
        }
    }
}

impl<R: Real> Task<R> for Product<R> {
    #[inline(always)]
    unsafe fn run<V: Lanes<R>>(&self) {
        // SAFETY: the caller's contract.
        unsafe { each_strip!(self.c.columns, |first, width| self.strip(first, width)) }
    }
}

impl<R: Real> Product<R> {
    /// # Safety
    /// The contract of [`run`](Task::run); the columns are those of C.
    #[inline(always)]
    unsafe fn strip<V: Lanes<R>, const N: usize>(&self, first: usize, width: usize) {
        let n = self.c.rows;
        let (row, range) = (N * V::LANES, first..first + width);
        let (from, to) = (self.x.block(0..n, range.clone()), self.c.block(0..n, range));
        let (mut x, mut c) = (Buffer::<R>::uninit(), Buffer::<R>::uninit());
        let (x, c): (*mut R, *mut R) = (x.as_mut_ptr().cast(), c.as_mut_ptr().cast());
        // SAFETY: the caller's contract, throughout. The buffers have room for padded rows.
        unsafe {
            read::<R, V, N>(from, x);
            if self.adds {
                read::<R, V, N>(to, c);
            }
            let padding = n * row..n.next_multiple_of(GROUP) * row;
            padding.for_each(|at| (*x.add(at), *c.add(at)) = (R::zero(), R::zero()));
            for i in (0..n).step_by(GROUP) {
                let elements = self.packed.add(i * n);
                let mut tile = match self.adds {
                    true => load::<R, V, N>(c.add(i * row)),
                    false => [[V::splat(R::zero()); N]; GROUP],
                };
                for p in 0..if self.lower { i } else { 0 } {
                    add_terms(&mut tile, elements.add(p * GROUP), x.add(p * row));
                }
                let rows = GROUP.min(n - i);
                for (r, c) in tile.iter_mut().enumerate().take(rows) {
                    let terms = if self.lower { 0..r + 1 } else { r..rows };
                    for q in terms.filter(|&q| q != r || !self.skips) {
                        let element = V::splat(*elements.add((i + q) * GROUP + r));
                        let x = x.add((i + q) * row);
                        (0..N).for_each(|v| c[v] = element.fma(V::load(x.add(v * V::LANES)), c[v]));
                    }
                }
                for p in i + rows..if self.lower { 0 } else { n } {
                    add_terms(&mut tile, elements.add(p * GROUP), x.add(p * row));
                }
                for (r, line) in tile.into_iter().enumerate() {
                    (0..N).for_each(|v| line[v].store(c.add((i + r) * row + v * V::LANES)));
                }
            }
            write::<R, V, N>(c, to);
        }
    }
}

impl<R: Real> Task<R> for ComplexSystem<R> {
    #[inline(always)]
    unsafe fn run<V: Lanes<R>>(&self) {
        // SAFETY: the caller's contract.
        unsafe { each_strip!(self.b.columns, |first, width| self.strip(first, width)) }
    }
}

impl<R: Real> ComplexSystem<R> {
    /// # Safety
    /// The contract of [`run`](Task::run); the columns are those of B.
    #[inline(always)]
    unsafe fn strip<V: Lanes<R>, const N: usize>(&self, first: usize, width: usize) {
        let (n, row) = (self.b.rows, N * V::LANES);
        let columns = self.b.block(0..n, first..first + width);
        let (mut re, mut im) = (Buffer::<R>::uninit(), Buffer::<R>::uninit());
        let (re, im): (*mut R, *mut R) = (re.as_mut_ptr().cast(), im.as_mut_ptr().cast());
        // SAFETY: the caller's contract, throughout.
        unsafe {
            for i in 0..n {
                for j in 0..row {
                    let x = if j < width { *columns.pointer(i, j) } else { Complex { re: R::zero(), im: R::zero() } };
                    (*re.add(i * row + j), *im.add(i * row + j)) = (x.re, x.im);
                }
            }
            for i in 0..n {
                let elements = self.elements.add(i * n);
                let (mut c_re, mut c_im): ([V; N], [V; N]) = (vectors(re.add(i * row)), vectors(im.add(i * row)));
                for p in 0..i {
                    let (x_re, x_im): ([V; N], [V; N]) = (vectors(re.add(p * row)), vectors(im.add(p * row)));
                    let a = *elements.add(p);
                    let (a_re, a_im) = (V::splat(a.re), V::splat(a.im));
                    for v in 0..N {
                        c_re[v] = c_re[v].minus(a_re.times(x_re[v]).minus(a_im.times(x_im[v])));
                        c_im[v] = c_im[v].minus(a_re.times(x_im[v]).plus(a_im.times(x_re[v])));
                    }
                }
                if self.divides {
                    divide(&mut c_re, &mut c_im, *elements.add(i));
                }
                for v in 0..N {
                    c_re[v].store(re.add(i * row + v * V::LANES));
                    c_im[v].store(im.add(i * row + v * V::LANES));
                }
            }
            for i in 0..n {
                for j in 0..width {
                    *columns.pointer(i, j) = Complex { re: *re.add(i * row + j), im: *im.add(i * row + j) };
                }
            }
        }
    }
}

/// Divides by Smith's method, as the division of one number does.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn divide<R: Real, V: Lanes<R>, const N: usize>(re: &mut [V; N], im: &mut [V; N], by: Complex<R>) {
    let is_straight = by.re.magnitude() >= by.im.magnitude();
    let (large, small) = if is_straight { (by.re, by.im) } else { (by.im, by.re) };
    let ratio = small.quotient(large);
    let divisor = large + small * ratio;
    // SAFETY: the caller's contract.
    unsafe {
        let (ratio, divisor) = (V::splat(ratio), V::splat(divisor));
        for v in 0..N {
            let (x, y) = (re[v], im[v]);
            (re[v], im[v]) = match is_straight {
                true => (x.plus(y.times(ratio)), y.minus(x.times(ratio))),
                false => (x.times(ratio).plus(y), y.times(ratio).minus(x)),
            };
            (re[v], im[v]) = (re[v].over(divisor), im[v].over(divisor));
        }
    }
}
