//! The first term of each element, and a function of each result.

use super::blocked;
use super::call::{Call, Prepacked, aligned};
use crate::matmul::element::Element;
use crate::matmul::pack;
use crate::matmul::plan::Plan;
use crate::matmul::plan::path::Path;
use crate::matmul::view::Strides;

/// A bias, which may be null, with one number for each row or each column of C, and whether
/// negative results become 0.
#[derive(Clone, Copy)]
pub(in crate::matmul) struct Ends<T> {
    pub bias: *const T,
    pub per_row: bool,
    pub relu: bool,
}

/// Maximum size in bytes of a C that gets its bias before, and its activation after, the whole
/// product: it stays in L1 meanwhile.
const SMALL_C: usize = 16 << 10;

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

impl<T: Element> Plan<T> {
    /// # Safety
    /// The contract of `execute`, or of `execute_packed` for a packed B; the bias has one number for
    /// each row, or column, of C.
    #[allow(clippy::too_many_arguments)]
    pub(in crate::matmul) unsafe fn execute_with_ends(
        &self,
        alpha: T,
        a: *const T,
        b: *const T,
        prepacked: Option<Prepacked<T>>,
        ends: Ends<T>,
        c: *mut T,
        workspace: *mut u8,
    ) {
        let (a, b) = if self.swapped { (b, a) } else { (a, b) };
        let ends = Ends { per_row: ends.per_row != self.swapped, ..ends };
        let beta = if ends.bias.is_null() { T::ZERO } else { T::ONE };
        let call = Call { alpha, a, b, beta, c, c_row: self.c.row, prepacked, ends: Some(ends) };
        let [m, n, k] = self.shape;
        let is_small = m.saturating_mul(n) <= SMALL_C / size_of::<T>();
        // SAFETY: the caller's contract, throughout.
        unsafe {
            match self.path {
                _ if is_small || alpha == T::ZERO || k == 0 => (),
                Path::Blocked => return blocked::run(self, self.shape, call, aligned(workspace)),
                Path::Small | Path::Direct | Path::TransposedB | Path::Columns => return blocked::on_stack(self, call),
                Path::Outer | Path::Scattered | Path::Dots => (),
            }
            ends.begin([0, 0], [m, n], c, self.c);
            if alpha == T::ZERO || k == 0 {
                pack::scale(m, n, c, self.c, beta);
            } else {
                self.dispatch(Call { ends: None, ..call }, workspace);
            }
            ends.end([m, n], c, self.c);
        }
    }
}
