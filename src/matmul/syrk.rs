//! Symmetric products, of which one triangle is computed.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::element::Element;
use super::gemm::with_workspace;
use super::options::Options;
use super::plan::Plan;
use super::view::{MatMut, MatRef, Strides};
use crate::error::{Error, exactly};

/// A triangle of a square matrix, with the diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Triangle {
    /// Elements (i, j) with i <= j.
    Upper = 0,
    /// Elements (i, j) with i >= j.
    Lower = 1,
}

/// Maximum number of rows of a block on the diagonal, which is computed whole, in a buffer.
const DIAGONAL: usize = 64;

/// One triangle of `C = alpha A A^T + beta C`, such as a covariance from deviations; half the work
/// of [`gemm`](super::gemm()). The elements of the other triangle are neither read nor written.
///
/// Each element has the bits that [`gemm`](super::gemm()) gives it. For `A^T A`, pass
/// `a.transposed()`.
///
/// ```
/// use hotloops::matmul::{MatMut, MatRef, Triangle, syrk};
/// let a = MatRef::row_major(&[1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3, 3)?;
/// let mut c = [0.0, 0.0, 7.0, 0.0];
/// syrk(1.0, a, 0.0, MatMut::row_major(&mut c, 2, 2, 2)?, Triangle::Upper)?;
/// assert_eq!(c, [14.0, 32.0, 7.0, 77.0]);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if C does not have as many rows and columns as A has rows, or
/// [`Error::NoMemory`]. C is unchanged then.
pub fn syrk<T: Element>(alpha: T, a: MatRef<T>, beta: T, c: MatMut<T>, triangle: Triangle) -> Result<(), Error> {
    syrk_in(alpha, a, beta, c, triangle, &Options::default(), None)
}

/// [`syrk`] with options. With a `workspace` of 4 MiB it allocates nothing; small products need
/// less, or none.
///
/// # Errors
/// As for [`syrk`], and [`Error::Length`] if the workspace is too short.
pub fn syrk_in<T: Element>(
    alpha: T,
    a: MatRef<T>,
    beta: T,
    c: MatMut<T>,
    triangle: Triangle,
    options: &Options,
    workspace: Option<&mut [u8]>,
) -> Result<(), Error> {
    exactly("rows of c", a.rows, c.rows)?;
    exactly("columns of c", a.rows, c.columns)?;
    let (n, product) = (a.rows, Product { alpha, a, beta, c, triangle, options });
    let mut needed = 0;
    triangle.blocks(0..n, &mut |rows, columns| needed = needed.max(product.plan(&rows, &columns).bytes(true)));
    with_workspace(needed, workspace, |workspace| {
        // SAFETY: blocks of C, which is borrowed exclusively, and the largest of their workspaces.
        triangle.blocks(0..n, &mut |rows, columns| unsafe { product.compute(rows, columns, workspace) });
    })
}

impl Triangle {
    /// Calls `visit` with the rows and columns of each block of the triangle: blocks on the
    /// diagonal, of which only the triangle belongs to it, and blocks beside it.
    fn blocks(self, range: Range<usize>, visit: &mut dyn FnMut(Range<usize>, Range<usize>)) {
        if range.len() <= DIAGONAL {
            return visit(range.clone(), range);
        }
        let middle = range.start + (range.len() / 2).next_multiple_of(DIAGONAL);
        let (before, after) = (range.start..middle, middle..range.end);
        self.blocks(before.clone(), visit);
        self.blocks(after.clone(), visit);
        match self {
            Triangle::Upper => visit(before, after),
            Triangle::Lower => visit(after, before),
        }
    }

    /// The columns of row i of a block of `n` rows on the diagonal.
    fn columns(self, i: usize, n: usize) -> Range<usize> {
        match self {
            Triangle::Upper => i..n,
            Triangle::Lower => 0..i + 1,
        }
    }
}

struct Product<'a, 'b, T> {
    alpha: T,
    a: MatRef<'a, T>,
    beta: T,
    c: MatMut<'a, T>,
    triangle: Triangle,
    options: &'b Options,
}

impl<T: Element> Product<'_, '_, T> {
    fn plan(&self, rows: &Range<usize>, columns: &Range<usize>) -> Plan<T> {
        let strides = if rows == columns { Strides::row_major(rows.len()) } else { self.c.strides };
        let shape = [rows.len(), columns.len(), self.a.columns];
        Plan::unchecked(shape, self.a.strides, self.a.strides.transposed(), strides, self.options)
    }

    /// # Safety
    /// A block of C, which nothing else uses, and a workspace as its plan needs.
    unsafe fn compute(&self, rows: Range<usize>, columns: Range<usize>, workspace: *mut u8) {
        let plan = self.plan(&rows, &columns);
        let row = |i: usize| self.a.at.wrapping_offset(self.a.strides.offset(i, 0));
        let c =
            |i: usize, j: usize| self.c.at.wrapping_offset(self.c.strides.offset(rows.start + i, columns.start + j));
        // SAFETY: the caller's contract; the buffer holds the rows of a block on the diagonal.
        unsafe {
            if rows != columns {
                return plan.execute(self.alpha, row(rows.start), row(columns.start), self.beta, c(0, 0), workspace);
            }
            let n = rows.len();
            let mut buffer = MaybeUninit::<[T; DIAGONAL * DIAGONAL]>::uninit();
            let block = buffer.as_mut_ptr().cast::<T>();
            if self.beta != T::ZERO {
                block.write_bytes(0, n * n);
                for (i, j) in (0..n).flat_map(|i| self.triangle.columns(i, n).map(move |j| (i, j))) {
                    block.add(i * n + j).write(c(i, j).read_unaligned());
                }
            }
            plan.execute(self.alpha, row(rows.start), row(rows.start), self.beta, block, workspace);
            for (i, j) in (0..n).flat_map(|i| self.triangle.columns(i, n).map(move |j| (i, j))) {
                c(i, j).write_unaligned(block.add(i * n + j).read());
            }
        }
    }
}
