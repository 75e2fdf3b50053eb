//! Matrices in the caller's memory.

use core::marker::PhantomData;
use core::ops::Range;

use crate::frame::error::{Error, at_least};

/// Distances between adjacent rows and between adjacent columns, in elements. A row-major matrix
/// has `column` 1, a column-major one has `row` 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strides {
    /// From (i, j) to (i + 1, j).
    pub row: isize,
    /// From (i, j) to (i, j + 1).
    pub column: isize,
}

impl Strides {
    /// Contiguous rows, `stride` elements apart.
    #[must_use]
    pub const fn row_major(stride: usize) -> Self {
        Strides { row: stride as isize, column: 1 }
    }

    /// Contiguous columns, `stride` elements apart.
    #[must_use]
    pub const fn column_major(stride: usize) -> Self {
        Strides { row: 1, column: stride as isize }
    }

    #[inline]
    pub(super) fn transposed(self) -> Self {
        Strides { row: self.column, column: self.row }
    }

    /// The same elements, with one layout for each matrix of a single row or column: the stride of an axis of length 1
    /// is not used, and must not decide anything.
    #[inline]
    pub(super) fn normalized(self, rows: usize, columns: usize) -> Self {
        Strides { row: if rows <= 1 { 0 } else { self.row }, column: if columns <= 1 { 1 } else { self.column } }
    }

    /// The offset of element (i, j). It wraps for the elements of empty blocks, which do not exist
    /// and may have any strides.
    #[inline]
    pub(super) fn offset(self, i: usize, j: usize) -> isize {
        (i as isize).wrapping_mul(self.row).wrapping_add((j as isize).wrapping_mul(self.column))
    }

    /// The number of elements from the lowest address of a matrix to its highest, both included,
    /// and the index of (0, 0) among them.
    #[inline]
    pub(super) fn extent<T>(
        self,
        rows: usize,
        columns: usize,
        argument: &'static str,
    ) -> Result<(usize, usize), Error> {
        if rows == 0 || columns == 0 {
            return Ok((0, 0));
        }
        let reach = |n: usize, stride: isize| (n - 1).checked_mul(stride.unsigned_abs());
        let before = |reach: usize, stride: isize| if stride < 0 { reach } else { 0 };
        let extent = || {
            let (down, right) = (reach(rows, self.row)?, reach(columns, self.column)?);
            let elements = down.checked_add(right)?.checked_add(1)?;
            let fits = elements.checked_mul(size_of::<T>())? <= isize::MAX as usize;
            fits.then_some((elements, before(down, self.row) + before(right, self.column)))
        };
        extent().ok_or(Error::TooLarge { argument })
    }

    /// [`Error::Stride`] if two elements of a matrix to be written may coincide. Either its rows or
    /// its columns must be disjoint ranges.
    #[inline]
    pub(super) fn distinct(self, rows: usize, columns: usize, argument: &'static str) -> Result<(), Error> {
        let [row, column] = [self.row, self.column].map(isize::unsigned_abs);
        // The stride of a single row or column does not matter.
        let (row, column) = (if rows <= 1 { usize::MAX } else { row }, if columns <= 1 { usize::MAX } else { column });
        let apart = |short: usize, n: usize, long: usize| match n {
            0 | 1 => long > 0,
            _ => short > 0 && (n - 1).checked_mul(short).is_some_and(|reach| reach < long),
        };
        if rows == 0 || columns == 0 || apart(column, columns, row) || apart(row, rows, column) {
            return Ok(());
        }
        let (found, min) = if row >= column { (row, columns) } else { (column, rows) };
        Err(Error::Stride { argument, min, found })
    }
}

/// A view of a matrix to be read.
#[derive(Debug)]
pub struct MatRef<'a, T> {
    /// Element (0, 0).
    pub(super) at: *const T,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) strides: Strides,
    of: PhantomData<&'a [T]>,
}

/// A view of a matrix to be written. Its elements do not overlap.
#[derive(Debug)]
pub struct MatMut<'a, T> {
    pub(super) at: *mut T,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) strides: Strides,
    of: PhantomData<&'a mut [T]>,
}

// SAFETY: like a shared slice.
unsafe impl<T: Sync> Send for MatRef<'_, T> {}
// SAFETY: like a shared slice.
unsafe impl<T: Sync> Sync for MatRef<'_, T> {}
// SAFETY: like a unique slice.
unsafe impl<T: Send> Send for MatMut<'_, T> {}
// SAFETY: like a unique slice.
unsafe impl<T: Sync> Sync for MatMut<'_, T> {}

impl<T> Clone for MatRef<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for MatRef<'_, T> {}

/// Checks that `range` is within `0..count`.
fn within(range: &Range<usize>, count: usize, argument: &'static str) -> Result<(), Error> {
    if range.start <= range.end && range.end <= count {
        return Ok(());
    }
    Err(Error::Index { argument, index: range.start.max(range.end), count })
}

impl<'a, T> MatRef<'a, T> {
    /// Row i is `values[i * stride..][..columns]`.
    ///
    /// # Errors
    /// [`Error::Length`] if `values` ends before the last row does; [`Error::TooLarge`] if the rows
    /// exceed the address space.
    #[inline]
    pub fn row_major(values: &'a [T], rows: usize, columns: usize, stride: usize) -> Result<Self, Error> {
        Self::strided(values, rows, columns, Strides::row_major(stride))
    }

    /// Column j is `values[j * stride..][..rows]`.
    ///
    /// # Errors
    /// As for [`MatRef::row_major`].
    #[inline]
    pub fn column_major(values: &'a [T], rows: usize, columns: usize, stride: usize) -> Result<Self, Error> {
        Self::strided(values, rows, columns, Strides::column_major(stride))
    }

    /// A matrix with any strides. Its element with the lowest address is `values[0]`; with negative
    /// strides this is not element (0, 0).
    ///
    /// # Errors
    /// As for [`MatRef::row_major`].
    #[inline]
    pub fn strided(values: &'a [T], rows: usize, columns: usize, strides: Strides) -> Result<Self, Error> {
        let (extent, first) = strides.extent::<T>(rows, columns, "strides")?;
        at_least("values", extent, values.len())?;
        Ok(MatRef { at: values.as_ptr().wrapping_add(first), rows, columns, strides, of: PhantomData })
    }

    /// The matrix whose element (0, 0) is at `at`.
    ///
    /// # Safety
    /// Its elements are readable for `'a` and within one allocation. Any alignment is valid.
    #[inline]
    #[must_use]
    pub unsafe fn from_raw(at: *const T, rows: usize, columns: usize, strides: Strides) -> Self {
        MatRef { at, rows, columns, strides, of: PhantomData }
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The transposed matrix, in the same memory.
    #[inline]
    #[must_use]
    pub fn transposed(self) -> Self {
        MatRef { rows: self.columns, columns: self.rows, strides: self.strides.transposed(), ..self }
    }

    /// The block of the given rows and columns.
    ///
    /// # Errors
    /// [`Error::Index`] if a range is not within the matrix.
    pub fn block(self, rows: Range<usize>, columns: Range<usize>) -> Result<Self, Error> {
        within(&rows, self.rows, "rows")?;
        within(&columns, self.columns, "columns")?;
        let at = self.at.wrapping_offset(self.strides.offset(rows.start, columns.start));
        Ok(MatRef { at, rows: rows.len(), columns: columns.len(), ..self })
    }
}

impl<'a, T> MatMut<'a, T> {
    /// Row i is `values[i * stride..][..columns]`.
    ///
    /// # Errors
    /// [`Error::Length`] if `values` ends before the last row does, [`Error::Stride`] if rows
    /// overlap, [`Error::TooLarge`] if they exceed the address space.
    #[inline]
    pub fn row_major(values: &'a mut [T], rows: usize, columns: usize, stride: usize) -> Result<Self, Error> {
        Self::strided(values, rows, columns, Strides::row_major(stride))
    }

    /// Column j is `values[j * stride..][..rows]`.
    ///
    /// # Errors
    /// As for [`MatMut::row_major`].
    #[inline]
    pub fn column_major(values: &'a mut [T], rows: usize, columns: usize, stride: usize) -> Result<Self, Error> {
        Self::strided(values, rows, columns, Strides::column_major(stride))
    }

    /// A matrix with any strides for which rows or columns are disjoint ranges. See
    /// [`MatRef::strided`].
    ///
    /// # Errors
    /// As for [`MatMut::row_major`].
    #[inline]
    pub fn strided(values: &'a mut [T], rows: usize, columns: usize, strides: Strides) -> Result<Self, Error> {
        let (extent, first) = strides.extent::<T>(rows, columns, "strides")?;
        strides.distinct(rows, columns, "strides")?;
        at_least("values", extent, values.len())?;
        Ok(MatMut { at: values.as_mut_ptr().wrapping_add(first), rows, columns, strides, of: PhantomData })
    }

    /// The matrix whose element (0, 0) is at `at`.
    ///
    /// # Safety
    /// Its elements do not overlap, are used by nothing else for `'a`, and are within one
    /// allocation. Any alignment is valid.
    #[inline]
    #[must_use]
    pub unsafe fn from_raw(at: *mut T, rows: usize, columns: usize, strides: Strides) -> Self {
        MatMut { at, rows, columns, strides, of: PhantomData }
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The same matrix with a shorter lifetime.
    #[must_use]
    pub fn reborrow(&mut self) -> MatMut<'_, T> {
        MatMut { of: PhantomData, ..*self }
    }

    /// The transposed matrix, in the same memory.
    #[must_use]
    pub fn transposed(self) -> Self {
        MatMut { rows: self.columns, columns: self.rows, strides: self.strides.transposed(), ..self }
    }

    /// Splits the matrix into the rows before `row` and the others.
    ///
    /// # Errors
    /// [`Error::Index`] if there are fewer.
    pub fn split_rows(self, row: usize) -> Result<(Self, Self), Error> {
        within(&(0..row), self.rows, "row")?;
        let at = self.at.wrapping_offset(self.strides.offset(row, 0));
        Ok((
            MatMut { rows: row, of: PhantomData, ..self },
            MatMut { at, rows: self.rows - row, of: PhantomData, ..self },
        ))
    }

    /// Splits the matrix into the columns before `column` and the others.
    ///
    /// # Errors
    /// [`Error::Index`] if there are fewer.
    pub fn split_columns(self, column: usize) -> Result<(Self, Self), Error> {
        within(&(0..column), self.columns, "column")?;
        let (left, right) = self.transposed().split_rows(column)?;
        Ok((left.transposed(), right.transposed()))
    }
}
