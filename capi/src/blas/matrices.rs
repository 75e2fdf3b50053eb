//! Levels 2 and 3: matrices. Every product is one of hotloops' gemm.
#![allow(clippy::too_many_arguments)] // the arguments of BLAS

use core::ffi::c_int;
use core::mem::MaybeUninit;

use hotloops::Error;
use hotloops::matmul::{self, MatMut, MatRef, Strides};

use super::report::{Illegal, check};
use super::vectors::Vector;
use super::{CONJ_TRANS, Flag, LOWER, NO_TRANS, ROW_MAJOR, TRANS, UPPER};

/// Maximum number of rows and columns of a block on the diagonal of a [`syrk`]. Such a block is
/// computed whole, in a buffer.
const DIAGONAL: usize = 64;

impl Flag {
    fn is_trans(self) -> bool {
        [NO_TRANS, TRANS, CONJ_TRANS].contains(&self.0)
    }

    fn transposes(self) -> bool {
        self.0 != NO_TRANS
    }
}

/// Whether rows of op(A) are contiguous, rather than columns.
fn in_rows(layout: c_int, trans: Flag) -> bool {
    (layout == ROW_MAJOR) != trans.transposes()
}

/// Minimum stride of A, with the sizes of op(A).
fn min_stride(layout: c_int, trans: Flag, rows: c_int, columns: c_int) -> c_int {
    if in_rows(layout, trans) { columns.max(1) } else { rows.max(1) }
}

/// The strides of op(A).
fn strides(layout: c_int, trans: Flag, stride: c_int) -> Strides {
    match in_rows(layout, trans) {
        true => Strides::row_major(stride as usize),
        false => Strides::column_major(stride as usize),
    }
}

/// Ends the process if there is no memory for packed blocks: BLAS has no error code for it.
#[inline]
fn complete(done: Result<(), Error>) {
    if done.is_err() {
        // SAFETY: no precondition.
        unsafe { libc::abort() }
    }
}

/// # Safety
/// The pointers point to matrices of these sizes and strides. C is writable and overlaps neither A
/// nor B.
#[inline(always)]
pub(super) unsafe fn gemm<T: matmul::Element>(
    layout: c_int,
    transa: Flag,
    transb: Flag,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: T,
    a: *const T,
    lda: c_int,
    b: *const T,
    ldb: c_int,
    beta: T,
    c: *mut T,
    ldc: c_int,
) -> Result<(), Illegal> {
    check(
        layout,
        [
            (2, 2, !transa.is_trans(), c"transa"),
            (3, 2, !transb.is_trans(), c"transb"),
            (4, 5, m < 0, c"m"),
            (5, 4, n < 0, c"n"),
            (6, 6, k < 0, c"k"),
            (9, 11, lda < min_stride(layout, transa, m, k), c"lda"),
            (11, 9, ldb < min_stride(layout, transb, k, n), c"ldb"),
            (14, 14, ldc < min_stride(layout, Flag(NO_TRANS), m, n), c"ldc"),
        ],
    )?;
    let [m, n, k] = [m, n, k].map(|size| size as usize);
    // SAFETY: the caller's contract.
    complete(unsafe {
        matmul::gemm(
            alpha,
            MatRef::from_raw(a, m, k, strides(layout, transa, lda)),
            MatRef::from_raw(b, k, n, strides(layout, transb, ldb)),
            beta,
            MatMut::from_raw(c, m, n, strides(layout, Flag(NO_TRANS), ldc)),
        )
    });
    Ok(())
}

/// A product with `alpha x`, because scaling the vector is less work than scaling the matrix.
///
/// # Safety
/// The pointers point to a matrix and vectors of these sizes and strides. The elements of `y` are
/// writable and overlap nothing else.
pub(super) unsafe fn gemv<T: matmul::Element>(
    layout: c_int,
    trans: Flag,
    m: c_int,
    n: c_int,
    alpha: T,
    a: *const T,
    lda: c_int,
    x: *const T,
    incx: c_int,
    beta: T,
    y: *mut T,
    incy: c_int,
) -> Result<(), Illegal> {
    check(
        layout,
        [
            (2, 2, !trans.is_trans(), c"trans"),
            (3, 4, m < 0, c"m"),
            (4, 3, n < 0, c"n"),
            (7, 7, lda < min_stride(layout, Flag(NO_TRANS), m, n), c"lda"),
            (9, 9, incx == 0, c"incx"),
            (12, 12, incy == 0, c"incy"),
        ],
    )?;
    if m == 0 || n == 0 || (alpha == T::ZERO && beta == T::ONE) {
        return Ok(());
    }
    let (rows, columns) = if trans.transposes() { (n, m) } else { (m, n) };
    let (x, y) = (Vector::new(columns, x, incx), Vector::new(rows, y, incy));
    let (strides, single) = (strides(layout, trans, lda), Strides { row: 1, column: 1 });
    // SAFETY: the caller's contract, throughout.
    unsafe {
        if alpha == T::ZERO && beta == T::ZERO {
            y.clear();
        } else if beta != T::ZERO && beta != T::ONE {
            y.scale(beta);
        }
        if alpha == T::ZERO {
            return Ok(());
        }
        x.pieces(alpha, |begin, x, k| {
            let a = MatRef::from_raw(a.wrapping_offset(begin as isize * strides.column), y.n, k, strides);
            let beta = if begin == 0 && beta == T::ZERO { T::ZERO } else { T::ONE };
            // A in rows, as A or as its transpose.
            complete(if strides.column == 1 {
                let y = MatMut::from_raw(y.first, y.n, 1, Strides { row: y.stride, ..single });
                matmul::gemm(T::ONE, a, MatRef::from_raw(x, k, 1, single), beta, y)
            } else {
                let y = MatMut::from_raw(y.first, 1, y.n, Strides { column: y.stride, ..single });
                matmul::gemm(T::ONE, MatRef::from_raw(x, 1, k, single), a.transposed(), beta, y)
            });
        });
    }
    Ok(())
}

/// Computes `A = (alpha x) y^T + A`, a product with k = 1.
///
/// # Safety
/// The pointers point to a matrix and vectors of these sizes and strides. The elements of `a` are
/// writable and overlap nothing else.
pub(super) unsafe fn ger<T: matmul::Element>(
    layout: c_int,
    m: c_int,
    n: c_int,
    alpha: T,
    x: *const T,
    incx: c_int,
    y: *const T,
    incy: c_int,
    a: *mut T,
    lda: c_int,
) -> Result<(), Illegal> {
    check(
        layout,
        [
            (2, 3, m < 0, c"m"),
            (3, 2, n < 0, c"n"),
            (6, 8, incx == 0, c"incx"),
            (8, 6, incy == 0, c"incy"),
            (10, 10, lda < min_stride(layout, Flag(NO_TRANS), m, n), c"lda"),
        ],
    )?;
    if m == 0 || n == 0 || alpha == T::ZERO {
        return Ok(());
    }
    let (x, y) = ((Vector::new(m, x, incx), alpha), (Vector::new(n, y, incy), T::ONE));
    // A in rows: A itself or its transpose.
    let ((x, x_factor), (y, y_factor)) = if layout == ROW_MAJOR { (x, y) } else { (y, x) };
    let (rows, single) = (Strides::row_major(lda as usize), Strides { row: 1, column: 1 });
    // SAFETY: the caller's contract.
    unsafe {
        x.pieces(x_factor, |i, x, m| {
            y.pieces(y_factor, |j, y, n| {
                let a = MatMut::from_raw(a.wrapping_offset(i as isize * rows.row).wrapping_add(j), m, n, rows);
                let (x, y) = (MatRef::from_raw(x, m, 1, single), MatRef::from_raw(y, 1, n, single));
                complete(matmul::gemm(T::ONE, x, y, T::ONE, a));
            });
        });
    }
    Ok(())
}

/// # Safety
/// The pointers point to matrices of these sizes and strides. The triangle of C is writable and
/// does not overlap A.
pub(super) unsafe fn syrk<T: matmul::Element>(
    layout: c_int,
    uplo: Flag,
    trans: Flag,
    n: c_int,
    k: c_int,
    alpha: T,
    a: *const T,
    lda: c_int,
    beta: T,
    c: *mut T,
    ldc: c_int,
) -> Result<(), Illegal> {
    check(
        layout,
        [
            (2, 3, ![UPPER, LOWER].contains(&uplo.0), c"uplo"),
            (3, 3, !trans.is_trans(), c"trans"),
            (4, 4, n < 0, c"n"),
            (5, 5, k < 0, c"k"),
            (8, 8, lda < min_stride(layout, trans, n, k), c"lda"),
            (11, 11, ldc < n.max(1), c"ldc"),
        ],
    )?;
    if n == 0 || (alpha == T::ZERO || k == 0) && beta == T::ONE {
        return Ok(());
    }
    let (a_strides, c_strides) = (strides(layout, trans, lda), strides(layout, Flag(NO_TRANS), ldc));
    let triangle = Triangle { lower: uplo.0 == LOWER, k: k as usize, alpha, beta, a_strides, c_strides };
    // SAFETY: the caller's contract.
    unsafe { triangle.update(n as usize, a, c) };
    Ok(())
}

/// Updates of triangles on the diagonal of one C.
#[derive(Clone, Copy)]
struct Triangle<T> {
    lower: bool,
    k: usize,
    alpha: T,
    beta: T,
    a_strides: Strides,
    c_strides: Strides,
}

impl<T: matmul::Element> Triangle<T> {
    /// Updates the triangle of the `n` rows and columns at `c`: two smaller triangles and the block
    /// between them.
    ///
    /// # Safety
    /// The contract of [`syrk`]; `a` points to the first of the n rows of op(A), `c` to the first
    /// element.
    unsafe fn update(self, n: usize, a: *const T, c: *mut T) {
        let half = (n / 2).next_multiple_of(DIAGONAL);
        let Triangle { a_strides, c_strides, .. } = self;
        // SAFETY: the caller's contract.
        unsafe {
            if n <= DIAGONAL {
                return self.update_diagonal(n, a, c);
            }
            let next_a = a.wrapping_offset(half as isize * a_strides.row);
            let next = half as isize * (c_strides.row + c_strides.column);
            self.update(half, a, c);
            self.update(n - half, next_a, c.wrapping_offset(next));
            let ((rows, a), (columns, b), offset) = match self.lower {
                true => ((n - half, next_a), (half, a), half as isize * c_strides.row),
                false => ((half, a), (n - half, next_a), half as isize * c_strides.column),
            };
            let c = MatMut::from_raw(c.wrapping_offset(offset), rows, columns, c_strides);
            self.multiply(a, b, self.beta, c);
        }
    }

    /// # Safety
    /// `a` and `b` point to as many rows of op(A) as C has rows and columns.
    unsafe fn multiply(self, a: *const T, b: *const T, beta: T, c: MatMut<T>) {
        // SAFETY: the caller's contract.
        complete(unsafe {
            let a = MatRef::from_raw(a, c.rows(), self.k, self.a_strides);
            let b = MatRef::from_raw(b, c.columns(), self.k, self.a_strides).transposed();
            matmul::gemm(self.alpha, a, b, beta, c)
        });
    }

    /// # Safety
    /// The contract of [`Triangle::update`]; n is at most [`DIAGONAL`].
    unsafe fn update_diagonal(self, n: usize, a: *const T, c: *mut T) {
        let mut block = MaybeUninit::<[T; DIAGONAL * DIAGONAL]>::uninit();
        let block = block.as_mut_ptr().cast::<T>();
        // Rows, or columns in column-major order, of the block and of C, and the range that is in the
        // triangle.
        let rows = self.c_strides.column == 1;
        let (strides, line) = match rows {
            true => (Strides::row_major(n), self.c_strides.row),
            false => (Strides::column_major(n), self.c_strides.column),
        };
        let lines = (0..n).map(|i| {
            let range = if self.lower == rows { 0..i + 1 } else { i..n };
            (block.wrapping_add(i * n), c.wrapping_offset(i as isize * line), range)
        });
        // SAFETY: elements of the block, and of C where they are in the triangle.
        unsafe {
            if self.beta != T::ZERO {
                block.write_bytes(0, n * n);
                for (block, c, range) in lines.clone() {
                    range.for_each(|j| *block.add(j) = self.beta * *c.add(j));
                }
            }
            let beta = if self.beta == T::ZERO { T::ZERO } else { T::ONE };
            self.multiply(a, a, beta, MatMut::from_raw(block, n, n, strides));
            for (block, c, range) in lines {
                range.for_each(|j| *c.add(j) = *block.add(j));
            }
        }
    }
}
