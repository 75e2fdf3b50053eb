//! Products for a C with neither stride 1: blocks of C are computed in a buffer and copied into C.

use super::blocked;
use super::call::{Call, Prepacked};
use crate::matmul::blocking::parts;
use crate::matmul::element::Element;
use crate::matmul::pack::{self, Source};
use crate::matmul::plan::{Plan, SCATTER};

/// # Safety
/// As for `dispatch`; `buffer` is aligned.
pub(super) unsafe fn run<T: Element>(plan: &Plan<T>, call: Call<T>, buffer: *mut u8) {
    let [m, n, k] = plan.shape;
    let nr = plan.blocking.nr;
    let width = SCATTER.1 / nr * nr;
    let block = buffer.cast::<T>();
    let rest = buffer.wrapping_add(SCATTER.0 * SCATTER.1 * size_of::<T>());
    for (i, rows) in parts(m, SCATTER.0, 1) {
        for j in (0..n).step_by(width) {
            let columns = width.min(n - j);
            let c = call.c.wrapping_offset(plan.c.offset(i, j));
            // SAFETY: blocks of the matrices, and the buffer has room for a block of C.
            unsafe {
                if call.beta != T::ZERO {
                    pack::gather(Source { at: c, strides: plan.c }, rows, columns, block, columns);
                }
                let part = Call {
                    a: call.a.wrapping_offset(plan.a.offset(i, 0)),
                    b: call.b.wrapping_offset(plan.b.offset(0, j)),
                    c: block,
                    c_row: columns as isize,
                    prepacked: call.prepacked.map(|b| Prepacked { first: b.first + j, ..b }),
                    ..call
                };
                blocked::run(plan, [rows, columns, k], part, rest);
                pack::scatter(block, rows, columns, c, plan.c);
            }
        }
    }
}
