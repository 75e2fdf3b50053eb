//! Symmetric products, of which one triangle is computed.

use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr::null_mut;

use super::blocking::{parts, row_of, rows_in_place, tile};
use super::element::Element;
use super::execute::scale_packed;
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

/// Maximum number of columns of a sliver; a tile has at most as many rows.
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

    fn transposed(self) -> Self {
        match self {
            Triangle::Upper => Triangle::Lower,
            Triangle::Lower => Triangle::Upper,
        }
    }

    /// Whether these rows and columns, of which there are some, have elements of the triangle, or `only` such.
    fn has(self, rows: &Range<usize>, columns: &Range<usize>, only: bool) -> bool {
        let [(top, bottom), (left, right)] = [rows, columns].map(|range| (range.start, range.end - 1));
        match (self, only) {
            (Triangle::Upper, false) => top <= right,
            (Triangle::Upper, true) => bottom <= left,
            (Triangle::Lower, false) => left <= bottom,
            (Triangle::Lower, true) => right <= top,
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
    /// Bytes of the slivers and of the copied rows.
    bytes: [usize; 2],
}

impl<T: Element> TriangleProduct<'_, '_, T> {
    /// # Safety
    /// A block of C, which nothing else uses, and a workspace as its plan needs.
    unsafe fn compute_rectangle(&self, rows: Range<usize>, columns: Range<usize>, workspace: *mut u8) {
        let a = |i: usize| self.a.at.wrapping_offset(self.a.strides.offset(i, 0));
        let c = self.c.at.wrapping_offset(self.c.strides.offset(rows.start, columns.start));
        let plan = self.plan(&rows, &columns);
        // SAFETY: the caller's contract.
        unsafe { plan.execute(self.alpha, a(rows.start), a(columns.start), self.beta, c, workspace) }
    }

    fn plan(&self, rows: &Range<usize>, columns: &Range<usize>) -> Plan<T> {
        let shape = [rows.len(), columns.len(), self.a.columns];
        Plan::unchecked(shape, self.a.strides, self.a.strides.transposed(), self.c.strides, self.options)
    }

    /// Whether the transpose is computed, so that rows of C are contiguous. Then alpha is multiplied by the right
    /// operand, and else by the left one.
    fn is_swapped(&self) -> bool {
        self.c.strides.column != 1 && self.c.strides.row == 1
    }

    /// The slivers take 3/8 of L2, like those of other products.
    fn split(&self, n: usize) -> Split {
        const MAX_BYTES: usize = 512 << 10;
        let ([kc, _], isa) = (Plan::<T>::slivers(self.options), Plan::<T>::isa());
        let (mr, _) = tile(isa, size_of::<T>());
        let l2 = self.options.caches.unwrap_or_default().l2;
        let room = (l2 * 3 / 8).min(MAX_BYTES) / (n.max(1) * size_of::<T>());
        let kc = kc.min(room.max(64)).min(self.a.columns);
        let row = self.a.strides.row.wrapping_mul(size_of::<T>() as isize);
        let is_crowded = || rows_in_place(n.min(mr), row, kc * size_of::<T>()).is_some();
        let in_place = (self.alpha == T::ONE || self.is_swapped())
            && (self.a.strides.column == 1 && !is_crowded() || has_near_columns::<T>(isa, n, self.a.strides));
        let row = if in_place { 0 } else { row_of(kc, size_of::<T>()) };
        let bytes = |elements: usize| (elements * size_of::<T>()).next_multiple_of(ALIGN);
        Split { kc, row, bytes: [bytes(n * kc), bytes(n * row)] }
    }

    /// The triangle of `range` on the diagonal: a tile's rows at a time. Tiles that cross the diagonal are computed in
    /// a buffer, and so are all tiles if neither rows nor columns of C are contiguous.
    ///
    /// # Safety
    /// A block of C, which nothing else uses, and a workspace for its [`Split`].
    unsafe fn compute_triangle(&self, range: Range<usize>, workspace: *mut u8) {
        let (n, k, is_swapped) = (range.len(), self.a.columns, self.is_swapped());
        let (c_strides, triangle) = match is_swapped {
            true => (self.c.strides.transposed(), self.triangle.transposed()),
            false => (self.c.strides, self.triangle),
        };
        let first = self.c.at.wrapping_offset(self.c.strides.offset(range.start, range.start));
        let c = |i: usize, j: usize| first.wrapping_offset(c_strides.offset(i, j));
        let (block, [_, nr], null) = (T::BLOCK.function(), Plan::<T>::slivers(self.options), null_mut());
        let (mr, _) = tile(Plan::<T>::isa(), size_of::<T>());
        // SAFETY: elements of A and of the triangle; the buffers have room for the blocks.
        unsafe {
            let is_zero = k == 0 || self.alpha == T::ZERO;
            if is_zero || self.beta != T::ZERO && self.beta != T::ONE {
                for i in 0..n {
                    let columns = triangle.columns(i, n);
                    pack::scale(1, columns.len(), c(i, columns.start), c_strides, self.beta);
                }
            }
            if is_zero {
                return;
            }
            let Split { kc, row, bytes } = self.split(n);
            let slivers = workspace.wrapping_add(workspace.align_offset(ALIGN));
            let copies = slivers.wrapping_add(bytes[0]).cast::<T>();
            let slivers = slivers.cast::<T>();
            let mut buffer = MaybeUninit::<[T; MAX_SLIVER * MAX_SLIVER]>::uninit();
            let buffer = buffer.as_mut_ptr().cast::<T>();
            for (p, depth) in parts(k, kc, 1) {
                let accumulates = p > 0 || self.beta != T::ZERO;
                self.pack([range.start, p], [n, depth], slivers, (copies, row));
                let from = self.a.at.wrapping_offset(self.a.strides.offset(range.start, p));
                let Strides { row: a_row, column: a_column } = self.a.strides;
                let (a, a_row, a_column) =
                    if row > 0 { (copies.cast_const(), row as isize, 1) } else { (from, a_row, a_column) };
                for (r, rows) in parts(n, mr, 1) {
                    let a = a.wrapping_offset(r as isize * a_row);
                    for s in (0..n).step_by(nr) {
                        let (columns, sliver) = (s..n.min(s + nr), slivers.add(s * depth).cast_const());
                        let width = columns.len();
                        let multiply = |c: *mut T, c_row: isize| {
                            let (b_row, accumulate) = (width as isize, accumulates.into());
                            block(rows, width, depth, a, a_row, a_column, sliver, b_row, null, c, c_row, accumulate);
                        };
                        let all = r..r + rows;
                        if !triangle.has(&all, &columns, false) {
                            continue;
                        }
                        if c_strides.column == 1 && triangle.has(&all, &columns, true) {
                            multiply(c(r, s), c_strides.row);
                            continue;
                        }
                        let inside = || {
                            all.clone().flat_map(|i| {
                                let Range { start, end } = triangle.columns(i, n);
                                (start.max(s)..end.min(columns.end)).map(move |j| (i, j))
                            })
                        };
                        let at = |(i, j): (usize, usize)| buffer.add((i - r) * width + j - s);
                        if accumulates {
                            buffer.write_bytes(0, rows * width);
                            inside().for_each(|(i, j)| at((i, j)).write(c(i, j).read_unaligned()));
                        }
                        multiply(buffer, width as isize);
                        inside().for_each(|(i, j)| c(i, j).write_unaligned(at((i, j)).read()));
                    }
                }
            }
        }
    }

    /// Packs the slivers of a block of A and, if `row` is not 0, copies its rows.
    ///
    /// # Safety
    /// As for [`compute_triangle`](Self::compute_triangle).
    unsafe fn pack(&self, [i, p]: [usize; 2], [n, depth]: [usize; 2], slivers: *mut T, (copies, row): (*mut T, usize)) {
        let [_, nr] = Plan::<T>::slivers(self.options);
        let from = |r: usize| self.a.at.wrapping_offset(self.a.strides.offset(i + r, p));
        let transposed = |r: usize| Source { at: from(r), strides: self.a.strides.transposed() };
        let (is_swapped, is_scaled) = (self.is_swapped(), self.alpha != T::ONE);
        // SAFETY: the caller's contract.
        unsafe {
            if self.a.strides.row == 1 {
                pack::slivers(transposed(0), [depth, n], [nr, nr], slivers);
            } else {
                for s in (0..n).step_by(nr) {
                    let width = nr.min(n - s);
                    pack::gather(transposed(s), depth, width, slivers.add(s * depth), width);
                }
            }
            if is_swapped && is_scaled {
                scale_packed(slivers, n * depth, self.alpha);
            }
            if row > 0 {
                let from = Source { at: from(0), strides: self.a.strides };
                pack::gather_scaled(from, [n, depth], (copies, row), self.alpha, !is_swapped && is_scaled);
            }
        }
    }
}
