//! The first term of each element, and a function of each result.

use crate::matmul::element::Element;
use crate::matmul::view::Strides;

/// A bias, which may be null, with one number for each row or each column of C, and whether
/// negative results become 0.
#[derive(Clone, Copy)]
pub(in crate::matmul) struct Ends<T> {
    pub bias: *const T,
    pub per_row: bool,
    pub relu: bool,
}

impl<T: Element> Ends<T> {
    /// Writes the first terms of the elements of a block of C, which begins at row i and column j;
    /// nothing without a bias.
    ///
    /// # Safety
    /// The block is writable, and the bias has its rows and columns.
    pub unsafe fn begin(&self, [i, j]: [usize; 2], [m, n]: [usize; 2], c: *mut T, strides: Strides) {
        if self.bias.is_null() {
            return;
        }
        for r in 0..m {
            let row = c.wrapping_offset(strides.offset(r, 0));
            // SAFETY: rows of the block; the bias of this row, or of its columns.
            unsafe {
                match (self.per_row, strides.column) {
                    (true, 1) => {
                        let first = self.bias.add(i + r).read_unaligned();
                        (0..n).for_each(|s| row.add(s).write_unaligned(first));
                    }
                    (false, 1) => {
                        let from = self.bias.add(j).cast::<u8>();
                        from.copy_to_nonoverlapping(row.cast(), n * size_of::<T>());
                    }
                    _ => {
                        for s in 0..n {
                            let from = self.bias.add(if self.per_row { i + r } else { j + s });
                            row.wrapping_offset(strides.offset(0, s)).write_unaligned(from.read_unaligned());
                        }
                    }
                }
            }
        }
    }

    /// Applies the activation to a block of C.
    ///
    /// # Safety
    /// The block is readable and writable.
    pub unsafe fn end(&self, [m, n]: [usize; 2], c: *mut T, strides: Strides) {
        if !self.relu {
            return;
        }
        // SAFETY: an element of the block.
        let clamp = |at: *mut T| unsafe {
            let x = at.read_unaligned();
            at.write_unaligned(if x < T::ZERO { T::ZERO } else { x });
        };
        for r in 0..m {
            let row = c.wrapping_offset(strides.offset(r, 0));
            match strides.column {
                1 => (0..n).for_each(|s| clamp(row.wrapping_add(s))),
                _ => (0..n).for_each(|s| clamp(row.wrapping_offset(strides.offset(0, s)))),
            }
        }
    }
}
