//! Symmetric products, of which one triangle is computed.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::blocking::{parts, row_of};
use super::element::Element;
use super::execute::Prepacked;
use super::options::Options;
use super::pack::{self, Source};
use super::plan::tall::has_near_columns;
use super::plan::{ALIGN, Plan};
use super::view::{MatMut, MatRef, Strides};
use super::workspace::with_workspace;
use crate::frame::error::{Error, exactly};

/// A triangle of a square matrix, with the diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Triangle {
    /// Elements (i, j) with i <= j.
    Upper = 0,
    /// Elements (i, j) with i >= j.
    Lower = 1,
}

/// Maximum number of rows of a block on the diagonal, whose rows and slivers of A are copied once.
const DIAGONAL: usize = 256;

/// Maximum number of columns of a sliver; squares on the diagonal are as large.
const MAX_SLIVER: usize = 32;

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
    let (n, product) = (a.rows, TriangleProduct { alpha, a, beta, c, triangle, options });
    let mut needed = 0;
    triangle.blocks(0..n, &mut |rows, columns| {
        needed = needed.max(match rows == columns {
            true => product.split(rows.len()).bytes.iter().sum::<usize>() + ALIGN,
            false => product.plan(&rows, &columns).bytes(true),
        });
    });
    with_workspace(needed, workspace, |workspace| {
        // SAFETY: blocks of C, which is borrowed exclusively, and the largest of their workspaces.
        triangle.blocks(0..n, &mut |rows, columns| unsafe {
            match rows == columns {
                true => product.compute_triangle(rows, workspace),
                false => product.compute_rectangle(rows, columns, workspace),
            }
        });
    })
}

impl Triangle {
    /// Calls `visit` with the rows and columns of each block of the triangle: triangles on the
    /// diagonal, and rectangles beside it.
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

    /// The columns of each sliver of a triangle of `n` rows, with the rows that have them all, beside
    /// the square on the diagonal.
    fn strips(self, n: usize, nr: usize) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        (0..n).step_by(nr).map(move |s| {
            let columns = s..n.min(s + nr);
            match self {
                Triangle::Upper => (0..s, columns),
                Triangle::Lower => (columns.end..n, columns),
            }
        })
    }

    /// The columns of row i of a block of `n` rows on the diagonal.
    fn columns(self, i: usize, n: usize) -> Range<usize> {
        match self {
            Triangle::Upper => i..n,
            Triangle::Lower => 0..i + 1,
        }
    }
}

struct TriangleProduct<'a, 'b, T> {
    alpha: T,
    a: MatRef<'a, T>,
    beta: T,
    c: MatMut<'a, T>,
    triangle: Triangle,
    options: &'b Options,
}

/// How a triangle of `n` rows is computed: by blocks of at most `kc` columns of A.
struct Split {
    kc: usize,
    /// Elements from a row of the copy of A to the next, or 0 if A is read in place.
    row: usize,
    /// Bytes of the slivers, of the copied rows, and of the workspace of products with a sliver.
    bytes: [usize; 3],
}

impl<T: Element> TriangleProduct<'_, '_, T> {
    fn plan(&self, rows: &Range<usize>, columns: &Range<usize>) -> Plan<T> {
        let shape = [rows.len(), columns.len(), self.a.columns];
        Plan::unchecked(shape, self.a.strides, self.a.strides.transposed(), self.c.strides, self.options)
    }

    /// # Safety
    /// A block of C, which nothing else uses, and a workspace as its plan needs.
    unsafe fn compute_rectangle(&self, rows: Range<usize>, columns: Range<usize>, workspace: *mut u8) {
        let a = |i: usize| self.a.at.wrapping_offset(self.a.strides.offset(i, 0));
        let c = self.c.at.wrapping_offset(self.c.strides.offset(rows.start, columns.start));
        let plan = self.plan(&rows, &columns);
        // SAFETY: the caller's contract.
        unsafe { plan.execute(self.alpha, a(rows.start), a(columns.start), self.beta, c, workspace) }
    }

    /// The slivers take 3/8 of L2, like those of other products.
    fn split(&self, n: usize) -> Split {
        const MAX_BYTES: usize = 512 << 10;
        let [kc, nr] = Plan::<T>::slivers(self.options);
        let l2 = self.options.caches.unwrap_or_default().l2;
        let room = (l2 * 3 / 8).min(MAX_BYTES) / (n.max(1) * size_of::<T>());
        let kc = kc.min(room.max(64)).min(self.a.columns);
        let in_place = self.a.strides.column == 1 || has_near_columns::<T>(Plan::<T>::isa(), n, self.a.strides);
        let row = if in_place { 0 } else { row_of(kc, size_of::<T>()) };
        let bytes = |elements: usize| (elements * size_of::<T>()).next_multiple_of(ALIGN);
        let rest = self.triangle.strips(n, nr).flat_map(|(rows, columns)| {
            let plan = |rows: usize, c| self.strip([rows, columns.len(), kc], row, c).bytes(self.alpha != T::ONE);
            [plan(rows.len(), self.c.strides), plan(columns.len(), Strides::row_major(columns.len()))]
        });
        let rest = rest.max().unwrap_or(0);
        Split { kc, row, bytes: [bytes(n * kc), bytes(n * row), rest] }
    }

    /// The plan of a product with a sliver; `row` as in [`Split`].
    fn strip(&self, shape: [usize; 3], row: usize, c: Strides) -> Plan<T> {
        let a = if row == 0 { self.a.strides } else { Strides::row_major(row) };
        let [_, nr] = Plan::<T>::slivers(self.options);
        Plan::prepacked(shape, a, c, [nr, shape[2].max(1)], self.options)
    }

    /// The triangle of `range` on the diagonal: a sliver of columns at a time, whose square on the
    /// diagonal is computed in a buffer.
    ///
    /// # Safety
    /// A block of C, which nothing else uses, and a workspace for its [`Split`].
    unsafe fn compute_triangle(&self, range: Range<usize>, workspace: *mut u8) {
        let (n, k, c_strides) = (range.len(), self.a.columns, self.c.strides);
        let c = |i: usize, j: usize| self.c.at.wrapping_offset(c_strides.offset(range.start + i, range.start + j));
        // SAFETY: elements of A and of the triangle; the buffers have room for the blocks.
        unsafe {
            if k == 0 || self.alpha == T::ZERO {
                for i in 0..n {
                    let columns = self.triangle.columns(i, n);
                    pack::scale(1, columns.len(), c(i, columns.start), c_strides, self.beta);
                }
                return;
            }
            let (Split { kc, row, bytes }, [_, nr]) = (self.split(n), Plan::<T>::slivers(self.options));
            let slivers = workspace.wrapping_add(workspace.align_offset(ALIGN));
            let copies = slivers.wrapping_add(bytes[0]);
            let (rest, slivers, copies) = (copies.wrapping_add(bytes[1]), slivers.cast::<T>(), copies.cast::<T>());
            for (p, depth) in parts(k, kc, 1) {
                let beta = if p > 0 { T::ONE } else { self.beta };
                let from = |i: usize| self.a.at.wrapping_offset(self.a.strides.offset(range.start + i, p));
                let transposed = |i: usize| Source { at: from(i), strides: self.a.strides.transposed() };
                if self.a.strides.row == 1 {
                    pack::slivers(transposed(0), [depth, n], [nr, nr], slivers);
                }
                for s in (0..n).step_by(nr).filter(|_| self.a.strides.row != 1) {
                    let width = nr.min(n - s);
                    pack::gather(transposed(s), depth, width, slivers.add(s * depth), width);
                }
                if row > 0 {
                    pack::gather(Source { at: from(0), strides: self.a.strides }, n, depth, copies, row);
                }
                let a = |i: usize| if row > 0 { copies.add(i * row).cast_const() } else { from(i) };
                for (rows, columns) in self.triangle.strips(n, nr) {
                    let (s, width) = (columns.start, columns.len());
                    let sliver = Prepacked { at: slivers, n, first: s };
                    if !rows.is_empty() {
                        let plan = self.strip([rows.len(), width, depth], row, c_strides);
                        plan.execute_packed(self.alpha, a(rows.start), sliver, beta, c(rows.start, s), rest);
                    }
                    let mut square = MaybeUninit::<[T; MAX_SLIVER * MAX_SLIVER]>::uninit();
                    let square = square.as_mut_ptr().cast::<T>();
                    let inside = || (0..width).flat_map(|i| self.triangle.columns(i, width).map(move |j| (i, j)));
                    if beta != T::ZERO {
                        square.write_bytes(0, width * width);
                        for (i, j) in inside() {
                            square.add(i * width + j).write(c(s + i, s + j).read_unaligned());
                        }
                    }
                    let plan = self.strip([width, width, depth], row, Strides::row_major(width));
                    plan.execute_packed(self.alpha, a(s), sliver, beta, square, rest);
                    for (i, j) in inside() {
                        c(s + i, s + j).write_unaligned(square.add(i * width + j).read());
                    }
                }
            }
        }
    }
}
