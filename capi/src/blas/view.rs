//! Matrices in memory, of any strides.

use hotloops::matmul::Strides;

/// A matrix of elements at any strides; the caller's contract says which may be read and written.
#[derive(Clone, Copy)]
pub(super) struct View<T> {
    /// Element (0, 0).
    pub at: *mut T,
    pub rows: usize,
    pub columns: usize,
    pub strides: Strides,
    /// Whether the matrix is the conjugate of the elements in memory.
    pub conjugated: bool,
}

// SAFETY: a view is an address; the contract of what reads or writes there holds for every thread.
unsafe impl<T> Sync for View<T> {}

impl<T: Copy> View<T> {
    pub(super) fn new(at: *const T, rows: usize, columns: usize, strides: Strides) -> Self {
        View { at: at.cast_mut(), rows, columns, strides, conjugated: false }
    }

    pub(super) fn is_empty(self) -> bool {
        self.rows == 0 || self.columns == 0
    }

    #[inline(always)]
    pub(super) fn pointer(self, i: usize, j: usize) -> *mut T {
        let Strides { row, column } = self.strides;
        self.at.wrapping_offset(i as isize * row + j as isize * column)
    }

    /// Rows `rows` and columns `columns`, each a range `begin..end`.
    #[inline]
    pub(super) fn block(self, rows: core::ops::Range<usize>, columns: core::ops::Range<usize>) -> Self {
        View { at: self.pointer(rows.start, columns.start), rows: rows.len(), columns: columns.len(), ..self }
    }

    #[inline]
    pub(super) fn transposed(self) -> Self {
        let Strides { row, column } = self.strides;
        View { rows: self.columns, columns: self.rows, strides: Strides { row: column, column: row }, ..self }
    }

    #[inline]
    pub(super) fn conjugated(self) -> Self {
        View { conjugated: !self.conjugated, ..self }
    }

    /// Element (i, j) at (rows - 1 - i, columns - 1 - j): an upper triangle becomes a lower one.
    #[inline]
    pub(super) fn reversed(self) -> Self {
        self.reversed_rows().transposed().reversed_rows().transposed()
    }

    /// Row i at rows - 1 - i.
    #[inline]
    pub(super) fn reversed_rows(self) -> Self {
        let Strides { row, column } = self.strides;
        View { at: self.pointer(self.rows.max(1) - 1, 0), strides: Strides { row: -row, column }, ..self }
    }
}
