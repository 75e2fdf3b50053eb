//! Outer products, a whole row of C at a time.

use super::call::Call;
use crate::matmul::blocking::{LINE, pieces};
use crate::matmul::element::Element;
use crate::matmul::plan::Plan;

/// Scaled elements of A or B that are kept on the stack.
const SCALED: usize = 512;

/// `C = alpha A B + beta C` for a beta of 0 or 1.
///
/// # Safety
/// As for `dispatch`; A has one column, and B is a contiguous row of at least a line.
pub(super) unsafe fn run<T: Element>(plan: &Plan<T>, call: Call<T>) {
    let [m, n, _] = plan.shape;
    let Call { alpha, a, b, c, .. } = call;
    let (a_row, c_row, accumulate) = (plan.a.row, plan.c.row, u32::from(call.beta != T::ZERO));
    // SAFETY: the caller's contract; `copy` holds a piece.
    unsafe {
        if alpha == T::ONE {
            return T::OUTER(m, n, a, a_row, b, c, c_row, accumulate);
        }
        // The caller's A is scaled.
        let mut copy = [T::ZERO; SCALED];
        let mut scale = |from: *const T, row: isize, length: usize| {
            for (i, x) in copy[..length].iter_mut().enumerate() {
                *x = alpha * from.wrapping_offset(i as isize * row).read_unaligned();
            }
            copy.as_ptr()
        };
        if plan.swapped {
            for (j, columns) in pieces(n, SCALED, LINE / size_of::<T>()) {
                T::OUTER(
                    m,
                    columns,
                    a,
                    a_row,
                    scale(b.wrapping_add(j), 1, columns),
                    c.wrapping_add(j),
                    c_row,
                    accumulate,
                );
            }
        } else {
            for (i, rows) in pieces(m, SCALED, 1) {
                let a = scale(a.wrapping_offset(plan.a.offset(i, 0)), a_row, rows);
                T::OUTER(rows, n, a, 1, b, c.wrapping_offset(plan.c.offset(i, 0)), c_row, accumulate);
            }
        }
    }
}
