//! The layout of a tiny product.

use super::view::Strides;

/// Sizes and strides of a product, as [`tiny_f32()`](super::tiny_f32()) reads them; `hl_matmul_layout`
/// in C.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Rows of A and C.
    pub m: usize,
    /// Columns of B and C.
    pub n: usize,
    /// Columns of A, rows of B.
    pub k: usize,
    /// Bytes from a row of A to the next.
    pub a_row: isize,
    /// Bytes from a column of A to the next.
    pub a_column: isize,
    /// Bytes from a row of B to the next.
    pub b_row: isize,
    /// Bytes from a row of C to the next.
    pub c_row: isize,
}

impl Layout {
    /// Largest number of rows, columns, and columns of A.
    pub(super) const MAX: usize = 8;

    /// The layout for elements of type `T`. A column stride of B or C is not in it: their rows are
    /// contiguous.
    #[inline(always)]
    pub(super) fn new<T>([m, n, k]: [usize; 3], a: Strides, b: Strides, c: Strides) -> Self {
        let bytes = |stride: isize| stride.wrapping_mul(size_of::<T>() as isize);
        let [a_row, a_column, b_row, c_row] = [a.row, a.column, b.row, c.row].map(bytes);
        Layout { m, n, k, a_row, a_column, b_row, c_row }
    }

    /// Whether a product has one of the sizes of these kernels.
    #[inline(always)]
    pub(super) fn fits([m, n, k]: [usize; 3]) -> bool {
        let fits = |size: usize| size.wrapping_sub(1) < Self::MAX;
        fits(m) & fits(n) & fits(k)
    }
}
