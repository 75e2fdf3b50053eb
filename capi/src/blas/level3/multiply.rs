//! Products with a triangular matrix.

use core::ops::Range;

use super::super::complex::{self, blocks, combine};
use super::super::memory::Memory;
use super::super::number::{Complex, Number, Real};
use super::super::simd;
use super::super::view::View;
use super::leaf::{self, Rows};
use super::scaled;
use super::split::Part;
use super::triangular_view::{Diagonal, Triangular};
use hotloops::matmul::Strides;

/// Columns of B that are computed together.
const COLUMNS: usize = 256;

/// Rows of complex planes that are computed together.
const ROWS: usize = 128;

/// `B = alpha A B` of real numbers.
///
/// # Safety
/// The triangle of A is readable; B is writable and does not overlap it. The shapes match.
pub(super) unsafe fn in_place_real<R: Real>(alpha: R, a: Triangular<R>, b: View<R>, scales_a: bool) {
    let (m, n) = (b.rows, b.columns);
    // SAFETY: the caller's contract, throughout; half of the rows are copied.
    unsafe {
        if alpha == R::zero() {
            return (0..m).for_each(|i| (0..n).for_each(|j| *b.pointer(i, j) = R::zero()));
        }
        let alpha = match scales_a || alpha == R::one() {
            true => alpha,
            false => {
                leaf::scale(simd::vectors(), alpha, b, Part::Whole, 0);
                R::one()
            }
        };
        let copies = m > leaf::ROWS || simd::vectors().is_none();
        let memory = Memory::<R>::new(if copies { m.div_ceil(2) * n } else { 0 });
        by_halves(alpha, a, b, memory.split([0])[0]);
    }
}

/// `B = alpha A B` by halves, which needs a copy of the second one if A is lower: its terms of the
/// first half precede the others.
///
/// # Safety
/// As for [`in_place_real`]; `copied` has room for half of the rows, rounded up.
unsafe fn by_halves<R: Real>(alpha: R, a: Triangular<R>, b: View<R>, copied: *mut R) {
    let m = b.rows;
    // SAFETY: the caller's contract, throughout.
    unsafe {
        if m <= leaf::ROWS && leaf::multiply(alpha, a, b, b, false) {
            return;
        }
        if m <= 1 {
            let x = View::new(copied, b.rows, b.columns, strides_as(b));
            copy(R::one(), b, x);
            return row(alpha, a, x, b, false);
        }
        let middle = half(m);
        let (first, second) = (0..middle, middle..m);
        let [b0, b1] = [&first, &second].map(|rows| b.block(rows.clone(), 0..b.columns));
        if a.lower {
            let x = View::new(copied, b1.rows, b1.columns, strides_as(b1));
            copy(R::one(), b1, x);
            scaled::product(alpha, a.view.block(second.clone(), first.clone()), b0, R::zero(), b1);
            accumulate(alpha, a.block(second), x, b1, true);
            by_halves(alpha, a.block(first), b0, copied);
        } else {
            by_halves(alpha, a.block(first.clone()), b0, copied);
            scaled::product(alpha, a.view.block(first, second.clone()), b1, R::one(), b0);
            by_halves(alpha, a.block(second), b1, copied);
        }
    }
}

/// The strides of a copy along the contiguous lines of `of`.
fn strides_as<R: Real>(of: View<R>) -> Strides {
    match of.strides.row == 1 {
        true => Strides::column_major(of.rows),
        false => Strides::row_major(of.columns),
    }
}

/// Rows of the first half, at least as many as of the second one.
fn half(m: usize) -> usize {
    if m > leaf::ROWS { (m / 2).next_multiple_of(leaf::ROWS).min(m - 1) } else { m.div_ceil(2) }
}

/// `to = factor from`, along the contiguous lines of `to`.
///
/// # Safety
/// `from` is readable, `to` writable.
unsafe fn copy<R: Real>(factor: R, from: View<R>, to: View<R>) {
    let (from, to) = if to.strides.row == 1 { (from.transposed(), to.transposed()) } else { (from, to) };
    // SAFETY: the caller's contract, throughout.
    unsafe {
        if from.strides.column == 1 && to.strides.column == 1 {
            let (size, from, to) =
                ([to.rows, to.columns], (from.at.cast_const(), from.strides.row), (to.at, to.strides.row));
            return Rows { factor, from, to, size, part: Part::Whole, diagonal: 0 }.copy(simd::vectors());
        }
        for i in 0..to.rows {
            (0..to.columns).for_each(|j| *to.pointer(i, j) = factor * *from.pointer(i, j));
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
        if m <= leaf::ROWS && leaf::multiply(alpha, a, x, c, adds) {
            return;
        }
        let middle = half(m);
        let (first, second) = (0..middle, middle..m);
        let [x0, x1] = [&first, &second].map(|rows| x.block(rows.clone(), 0..x.columns));
        let [c0, c1] = [&first, &second].map(|rows| c.block(rows.clone(), 0..c.columns));
        let beta = if adds { R::one() } else { R::zero() };
        if a.lower {
            accumulate(alpha, a.block(first.clone()), x0, c0, adds);
            scaled::product(alpha, a.view.block(second.clone(), first), x0, beta, c1);
            accumulate(alpha, a.block(second), x1, c1, true);
        } else {
            accumulate(alpha, a.block(first.clone()), x0, c0, adds);
            scaled::product(alpha, a.view.block(first, second.clone()), x1, R::one(), c0);
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
    for j in blocks(0..n, COLUMNS) {
        let c = b.block(0..m, j.clone());
        // SAFETY: the caller's contract; the buffers hold the planes, throughout. All of B is copied before C is
        // written.
        unsafe {
            if alpha == Complex::zero() {
                combine::<R>(None, [false; 2], alpha, alpha, c);
                continue;
            }
            let strides = match c.strides.row == 1 {
                true => Strides::column_major(m),
                false => Strides::row_major(2 * c.columns),
            };
            let x = View::new(right, m, 2 * c.columns, strides);
            complex::write_planes(c.transposed(), x.transposed());
            for i in blocks(0..m, ROWS) {
                let s = View::new(sums, 2 * i.len(), x.columns, Strides::row_major(x.columns));
                sum_rows(a, i.clone(), x, s, left);
                combine(Some(s), [a.view.conjugated, false], alpha, Complex::zero(), c.block(i, 0..c.columns));
            }
        }
    }
}

/// The four chains of rows of `A X`, from the planes of X. `left` has room for the planes of these rows.
///
/// # Safety
/// The triangle of A and X are readable; S and `left` are writable.
unsafe fn sum_rows<R: Real>(a: Triangular<Complex<R>>, rows: Range<usize>, x: View<R>, s: View<R>, left: *mut R) {
    let terms = if a.lower { 0..rows.end } else { rows.start..a.view.rows };
    let planes = View::new(left, 2 * rows.len(), terms.len(), Strides::row_major(terms.len()));
    let part = |range: &Range<usize>| planes.block(0..planes.rows, range.start - terms.start..range.end - terms.start);
    let x_of = |range: &Range<usize>| x.block(range.clone(), 0..x.columns);
    // The rectangle of terms before the triangle, or after it.
    let rectangle = if a.lower { 0..rows.start } else { rows.end..a.view.rows };
    let diagonals = match a.diagonal {
        Diagonal::Stored => [Diagonal::Stored; 2],
        _ => [Diagonal::Ones, Diagonal::Zeros],
    };
    let adds = a.lower && !rectangle.is_empty();
    // SAFETY: the caller's contract, throughout.
    unsafe {
        let triangle = part(&rows);
        write_triangle(a, rows.clone(), triangle);
        let beside = a.view.block(rows.clone(), rectangle.clone());
        let beside = complex::planes_in_memory(beside).unwrap_or_else(|| {
            complex::write_planes(beside, part(&rectangle));
            part(&rectangle)
        });
        if adds {
            R::product_alone(R::one(), beside, x_of(&rectangle), R::zero(), s);
        }
        for (line, diagonal) in diagonals.into_iter().enumerate() {
            let triangle = Triangular { view: every_second(triangle, line), diagonal, lower: a.lower };
            accumulate(R::one(), triangle, x_of(&rows), every_second(s, line), adds);
        }
        if !a.lower && !rectangle.is_empty() {
            R::product_alone(R::one(), beside, x_of(&rectangle), R::one(), s);
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
unsafe fn write_triangle<R: Real>(a: Triangular<Complex<R>>, range: Range<usize>, to: View<R>) {
    let view = a.view.block(range.clone(), range);
    for p in 0..view.columns {
        let inside = if a.lower { p + 1..view.rows } else { 0..p };
        let diagonal = if a.diagonal == Diagonal::Stored { p..p + 1 } else { p..p };
        for i in inside.chain(diagonal) {
            // SAFETY: the caller's contract.
            unsafe {
                let Complex { re, im } = *view.pointer(i, p);
                let at = to.pointer(2 * i, p);
                (*at, *at.wrapping_offset(to.strides.row)) = (re, im);
            }
        }
    }
}
