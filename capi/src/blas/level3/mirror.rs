//! Products with a matrix of which one triangle is stored.

use core::ops::Range;

use super::super::complex::{Factor, write_planes};
use super::super::memory::Memory;
use super::super::number::{Complex, Number, Real};
use super::super::threads::Product;
use super::super::view::View;
use hotloops::matmul::Strides;

/// Terms of a product that are added to all of C before the next.
const PANEL: usize = 192;

/// A symmetric or Hermitian matrix, by its lower triangle.
#[derive(Clone, Copy)]
pub(in super::super) struct Mirrored<T> {
    lower: View<T>,
    hermitian: bool,
}

impl<T: Number> Mirrored<T> {
    /// The matrix whose upper, or lower, triangle is that of `view`.
    pub(super) fn new(view: View<T>, is_lower: bool, hermitian: bool) -> Self {
        let lower = match (is_lower, hermitian) {
            (true, _) => view,
            (_, false) => view.transposed(),
            (_, true) => view.transposed().conjugated(),
        };
        Mirrored { lower, hermitian }
    }

    /// The transposed matrix.
    pub(super) fn transposed(self) -> Self {
        if self.hermitian { Mirrored { lower: self.lower.conjugated(), ..self } } else { self }
    }

    /// # Safety
    /// The elements of the triangle are readable.
    unsafe fn get(self, i: usize, j: usize) -> T {
        // SAFETY: the caller's contract.
        let element = unsafe { self.lower.get(i.max(j), i.min(j)) };
        match self.hermitian {
            true if i == j => T::from_real(element.re()),
            true if i < j => element.conj(),
            _ => element,
        }
    }
}

/// `C = alpha A B + beta C` with a symmetric A, or `alpha B A + beta C`: a panel of A at a time, which
/// is stored below the diagonal and beside it, and mirrored in a buffer on it.
///
/// # Safety
/// The triangle of A and B are readable; C is writable and overlaps neither.
pub(super) unsafe fn multiply_real<R: Real>(alpha: R, a: Mirrored<R>, b: View<R>, beta: R, c: View<R>, is_left: bool) {
    let n = a.lower.rows;
    let beta_of = |first: usize| if first == 0 { beta } else { R::one() };
    if n == 0 || alpha == R::zero() {
        // Only scales C.
        let none = View::new(c.at, 0, 0, c.strides);
        let (left, right) = (View { rows: c.rows, ..none }, View { columns: c.columns, ..none });
        // SAFETY: the caller's contract.
        return unsafe { R::product_alone(alpha, left, right, beta, c) };
    }
    let memory = Memory::<R>::new(n.min(PANEL) * n.min(PANEL));
    for first in (0..n).step_by(PANEL) {
        let panel = first..n.min(first + PANEL);
        let square = View::new(memory.split([0])[0], panel.len(), panel.len(), Strides::row_major(panel.len()));
        // SAFETY: the caller's contract, and the buffer, throughout.
        unsafe {
            let corner = a.lower.block(panel.clone(), panel.clone());
            for j in 0..panel.len() {
                for i in j..panel.len() {
                    let x = *corner.pointer(i, j);
                    (*square.pointer(i, j), *square.pointer(j, i)) = (x, x);
                }
            }
            let above = a.lower.block(panel.clone(), 0..first).transposed();
            let below = a.lower.block(panel.end..n, panel.clone());
            for (rows, part) in [(0..first, above), (panel.clone(), square), (panel.end..n, below)] {
                if rows.is_empty() {
                } else if is_left {
                    let (b, c) = (b.block(panel.clone(), 0..b.columns), c.block(rows, 0..c.columns));
                    R::product(alpha, part, b, beta_of(first), c);
                } else {
                    let (b, c) = (b.block(0..b.rows, panel.clone()), c.block(0..c.rows, rows));
                    R::product(alpha, b, part.transposed(), beta_of(first), c);
                }
            }
        }
    }
}

impl<R: Real> Factor<R> for Mirrored<Complex<R>> {
    fn columns(self) -> usize {
        self.lower.columns
    }

    /// The planes are those of the lower triangle; the upper one has other signs if it is Hermitian.
    fn is_conjugated(self) -> bool {
        self.lower.conjugated
    }

    fn planes(self, _: Range<usize>) -> Option<View<R>> {
        None
    }

    unsafe fn write_planes(self, rows: Range<usize>, columns: Range<usize>, to: View<R>) {
        let crossing = columns.start.max(rows.start).min(columns.end)..columns.end.min(rows.end).max(columns.start);
        let crossing = crossing.start..crossing.end.max(crossing.start);
        let part = |range: &Range<usize>| {
            let local = range.start - columns.start..range.end - columns.start;
            to.block(0..to.rows, local)
        };
        let (below, above) = (columns.start..crossing.start, crossing.end..columns.end);
        // SAFETY: the caller's contract.
        unsafe {
            write_planes(self.lower.block(rows.clone(), below.clone()), false, part(&below));
            let mirrored = self.lower.block(above.clone(), rows.clone()).transposed();
            write_planes(mirrored, self.hermitian, part(&above));
            let to = part(&crossing);
            for (i, row) in rows.enumerate() {
                for (p, column) in crossing.clone().enumerate() {
                    let element = self.get(row, column);
                    let im = if self.lower.conjugated { -element.im } else { element.im };
                    *to.pointer(2 * i, p) = element.re;
                    *to.pointer(2 * i + 1, p) = im;
                }
            }
        }
    }
}
