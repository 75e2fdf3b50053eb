//! Products with a triangular matrix.

use core::mem::MaybeUninit;

use super::super::complex::{self, blocks, combine, sums_of};
use super::super::memory::Memory;
use super::super::number::{Complex, Number, Real};
use super::super::threads::Product;
use super::super::view::View;
use hotloops::matmul::Strides;

/// What the diagonal of a triangular matrix is.
#[derive(Clone, Copy, PartialEq)]
pub(in super::super) enum Diagonal {
    Stored,
    Ones,
    /// No terms: the imaginary parts of ones.
    Zeros,
}

#[derive(Clone, Copy)]
pub(in super::super) struct Triangular<T> {
    pub view: View<T>,
    pub lower: bool,
    pub diagonal: Diagonal,
}

impl<T: Number> Triangular<T> {
    pub(super) fn transposed(self) -> Self {
        Triangular { view: self.view.transposed(), lower: !self.lower, ..self }
    }

    /// The triangle of these rows and columns.
    pub(super) fn block(self, range: core::ops::Range<usize>) -> Self {
        Triangular { view: self.view.block(range.clone(), range), ..self }
    }
}

/// Columns of B that are computed together.
const COLUMNS: usize = 256;

/// Rows of complex planes that are computed together.
const ROWS: usize = 64;

/// `B = alpha A B` of real numbers.
///
/// # Safety
/// The triangle of A is readable; B is writable and does not overlap it. The shapes match.
pub(super) unsafe fn in_place_real<R: Real>(alpha: R, a: Triangular<R>, b: View<R>, scales_a: bool) {
    let (m, n) = (b.rows, b.columns);
    // SAFETY: the caller's contract, throughout; the buffer holds the columns.
    unsafe {
        if alpha == R::zero() {
            return (0..m).for_each(|i| (0..n).for_each(|j| *b.pointer(i, j) = R::zero()));
        }
        let memory = Memory::<R>::new(m * n.min(COLUMNS));
        for j in blocks(0..n, COLUMNS) {
            let c = b.block(0..m, j.clone());
            let strides = match c.strides.row == 1 {
                true => Strides::column_major(m),
                false => Strides::row_major(j.len()),
            };
            let x = View::new(memory.split([0])[0], m, j.len(), strides);
            let factor = if scales_a { R::one() } else { alpha };
            copy(factor, c, x);
            accumulate(if scales_a { alpha } else { R::one() }, a, x, c, false);
        }
    }
}

/// `to = factor from`, along the contiguous lines of `to`.
///
/// # Safety
/// `from` is readable, `to` writable.
unsafe fn copy<R: Real>(factor: R, from: View<R>, to: View<R>) {
    let (from, to) = if to.strides.row == 1 { (from.transposed(), to.transposed()) } else { (from, to) };
    for i in 0..to.rows {
        for j in 0..to.columns {
            // SAFETY: the caller's contract.
            unsafe {
                let x = *from.pointer(i, j);
                *to.pointer(i, j) = if factor == R::one() { x } else { factor * x };
            }
        }
    }
}

/// `C = alpha A X`, or `C + alpha A X` if `adds`, each element a chain over the terms of the triangle.
///
/// # Safety
/// The triangle of A and X are readable; C is writable and overlaps neither. The shapes match.
unsafe fn accumulate<R: Real>(alpha: R, a: Triangular<R>, x: View<R>, c: View<R>, adds: bool) {
    let m = c.rows;
    // SAFETY: the caller's contract, throughout.
    unsafe {
        if m <= 1 {
            return row(alpha, a, x, c, adds);
        }
        let middle = if m > 8 { (m / 2).next_multiple_of(8) } else { m / 2 };
        let (first, second) = (0..middle, middle..m);
        let [x0, x1] = [&first, &second].map(|rows| x.block(rows.clone(), 0..x.columns));
        let [c0, c1] = [&first, &second].map(|rows| c.block(rows.clone(), 0..c.columns));
        let beta = if adds { R::one() } else { R::zero() };
        if a.lower {
            accumulate(alpha, a.block(first.clone()), x0, c0, adds);
            R::product(alpha, a.view.block(second.clone(), first), x0, beta, c1);
            accumulate(alpha, a.block(second), x1, c1, true);
        } else {
            accumulate(alpha, a.block(first.clone()), x0, c0, adds);
            R::product(alpha, a.view.block(first, second.clone()), x1, R::one(), c0);
            accumulate(alpha, a.block(second), x1, c1, adds);
        }
    }
}

/// [`accumulate`] of one row.
///
/// # Safety
/// As for [`accumulate`].
unsafe fn row<R: Real>(alpha: R, a: Triangular<R>, x: View<R>, c: View<R>, adds: bool) {
    let beta = if adds { R::one() } else { R::zero() };
    let mut one = R::one();
    let a = match a.diagonal {
        _ if c.rows == 0 => return,
        Diagonal::Stored => a.view,
        Diagonal::Ones => View::new(&raw mut one, 1, 1, a.view.strides),
        Diagonal::Zeros => View { columns: 0, ..a.view },
    };
    let x = View { rows: a.columns, ..x };
    // SAFETY: the caller's contract.
    unsafe { R::product_alone(alpha, a, x, beta, c) }
}

/// `B = alpha A B` of complex numbers: the chains are over the terms of the triangle.
///
/// # Safety
/// As for [`in_place_real`].
pub(super) unsafe fn in_place_complex<R: Real>(alpha: Complex<R>, a: Triangular<Complex<R>>, b: View<Complex<R>>) {
    let (m, n) = (b.rows, b.columns);
    let lengths = [2 * m.min(ROWS) * m, 2 * m * n.min(COLUMNS), 4 * m.min(ROWS) * n.min(COLUMNS)];
    let memory = Memory::<R>::new(lengths.iter().sum());
    let [left, right, sums] = memory.split(lengths);
    let (zero, one) = (R::zero(), R::one());
    let diagonals = match a.diagonal {
        Diagonal::Stored => [Diagonal::Stored; 2],
        _ => [Diagonal::Ones, Diagonal::Zeros],
    };
    for j in blocks(0..n, COLUMNS) {
        let c = b.block(0..m, j.clone());
        // SAFETY: the caller's contract; the buffers hold the planes, throughout. All of B is copied before C is
        // written.
        unsafe {
            if alpha == Complex::zero() {
                combine::<R>(None, (false, false), alpha, alpha, c);
                continue;
            }
            let x = View::new(right, m, 2 * c.columns, Strides::row_major(2 * c.columns));
            complex::write_planes(c.transposed(), false, x.transposed());
            for i in blocks(0..m, ROWS) {
                let terms = if a.lower { 0..i.end } else { i.start..m };
                let planes = View::new(left, 2 * i.len(), terms.len(), Strides::row_major(terms.len()));
                let s = sums_of(c, 2 * i.len(), x.columns, sums);
                // The rectangle of terms before the triangle, or after it.
                let (before, after) = if a.lower { (0..i.start, i.end..i.end) } else { (0..0, i.end..m) };
                let local = |range: &core::ops::Range<usize>| range.start - terms.start..range.end - terms.start;
                for rectangle in [&before, &after] {
                    let to = planes.block(0..planes.rows, local(rectangle));
                    complex::write_planes(a.view.block(i.clone(), rectangle.clone()), false, to);
                }
                let triangle = planes.block(0..planes.rows, local(&i));
                write_triangle(a, i.clone(), triangle);
                let product = |range: &core::ops::Range<usize>, beta: R| {
                    let a = planes.block(0..planes.rows, local(range));
                    R::product_alone(one, a, x.block(range.clone(), 0..x.columns), beta, s);
                };
                if !before.is_empty() {
                    product(&before, zero);
                }
                for (part, diagonal) in diagonals.into_iter().enumerate() {
                    let view = every_second(triangle, part);
                    let a = Triangular { view, diagonal, lower: a.lower };
                    accumulate(one, a, x.block(i.clone(), 0..x.columns), every_second(s, part), !before.is_empty());
                }
                if !after.is_empty() {
                    product(&after, one);
                }
                combine(Some(s), (a.view.conjugated, false), alpha, Complex::zero(), c.block(i, 0..c.columns));
            }
        }
    }
}

/// Rows `part`, `part + 2`, ...
fn every_second<R: Real>(planes: View<R>, part: usize) -> View<R> {
    let Strides { row, column } = planes.strides;
    View { at: planes.pointer(part, 0), rows: planes.rows / 2, strides: Strides { row: 2 * row, column }, ..planes }
}

/// Writes the planes of a triangle on the diagonal, without the elements that are not stored.
///
/// # Safety
/// The triangle is readable, `to` writable.
unsafe fn write_triangle<R: Real>(a: Triangular<Complex<R>>, range: core::ops::Range<usize>, to: View<R>) {
    let view = a.view.block(range.clone(), range);
    for i in 0..view.rows {
        for p in 0..view.columns {
            let is_stored = if i == p { a.diagonal == Diagonal::Stored } else { (p < i) == a.lower };
            if is_stored {
                // SAFETY: the caller's contract.
                unsafe {
                    complex::write_planes(view.block(i..i + 1, p..p + 1), false, to.block(2 * i..2 * i + 2, p..p + 1))
                }
            }
        }
    }
}
