//! One dot product per element.

use super::call::Call;
use crate::matmul::blocking::pieces;
use crate::matmul::element::Element;
use crate::matmul::pack::{self, Source};
use crate::matmul::plan::Plan;

/// Minimum number of rows of the kernel for a vector.
const TOGETHER: usize = 4;

/// # Safety
/// As for `dispatch`; at most 8 columns.
pub(super) unsafe fn run<T: Element>(plan: &Plan<T>, call: Call<T>) {
    let [m, n, k] = plan.shape;
    if n == 1 && m >= TOGETHER && plan.a.column == 1 && plan.b.row == 1 {
        // SAFETY: the caller's contract.
        return unsafe { vector(plan, call) };
    }
    for i in (0..m).step_by(8) {
        let (a, c) = (plan.a.offset(i, 0), plan.c.offset(i, 0));
        let call = Call { a: call.a.wrapping_offset(a), c: call.c.wrapping_offset(c), ..call };
        // SAFETY: the caller's contract, for these rows.
        unsafe { rows(plan, [m.min(i + 8) - i, n, k], call) }
    }
}

/// [`run`] for a contiguous B of one column: several rows at a time share the loads of B.
///
/// # Safety
/// As for `run`; A has at least [`TOGETHER`] rows, which are contiguous.
unsafe fn vector<T: Element>(plan: &Plan<T>, call: Call<T>) {
    let [m, _, k] = plan.shape;
    let mut sums = [T::ZERO; 64];
    for (i, rows) in pieces(m, sums.len(), TOGETHER) {
        let c = |i: usize| call.c.wrapping_offset(plan.c.offset(i, 0));
        // SAFETY: the rows from i on, and their elements of C.
        unsafe {
            T::DOTS(rows, k, call.a.wrapping_offset(plan.a.offset(i, 0)), plan.a.row, call.b, sums.as_mut_ptr());
            pack::scale(rows, 1, c(i), plan.c, call.beta);
            for (r, &sum) in sums[..rows].iter().enumerate() {
                c(i + r).write_unaligned(call.alpha * sum + c(i + r).read_unaligned());
            }
        }
    }
}

/// # Safety
/// As for `dispatch`; at most 8 rows and columns.
unsafe fn rows<T: Element>(plan: &Plan<T>, [m, n, k]: [usize; 3], call: Call<T>) {
    const DEPTH: usize = 256;
    let mut sums = [[T::ZERO; 8]; 8];
    // SAFETY: blocks within the matrices; copies of 8 rows of `DEPTH`.
    unsafe {
        if plan.a.column == 1 && plan.b.row == 1 {
            for (i, sums) in sums[..m].iter_mut().enumerate() {
                for (j, sum) in sums[..n].iter_mut().enumerate() {
                    let (a, b) = (plan.a.offset(i, 0), plan.b.offset(0, j));
                    *sum = T::DOT(call.a.wrapping_offset(a), call.b.wrapping_offset(b), k);
                }
            }
        } else {
            let mut copies = [[[T::ZERO; DEPTH]; 8]; 2];
            for p in (0..k).step_by(DEPTH) {
                let depth = DEPTH.min(k - p);
                let a = Source { at: call.a.wrapping_offset(plan.a.offset(0, p)), strides: plan.a };
                let b = Source { at: call.b.wrapping_offset(plan.b.offset(p, 0)), strides: plan.b.transposed() };
                pack::gather(a, m, depth, copies[0].as_mut_ptr().cast(), DEPTH);
                pack::gather(b, n, depth, copies[1].as_mut_ptr().cast(), DEPTH);
                for (a, sums) in copies[0][..m].iter().zip(&mut sums) {
                    for (b, sum) in copies[1][..n].iter().zip(sums) {
                        *sum = *sum + T::DOT(a.as_ptr(), b.as_ptr(), depth);
                    }
                }
            }
        }
        pack::scale(m, n, call.c, plan.c, call.beta);
        for (i, sums) in sums[..m].iter().enumerate() {
            for (j, &sum) in sums[..n].iter().enumerate() {
                let c = call.c.wrapping_offset(plan.c.offset(i, j));
                c.write_unaligned(call.alpha * sum + c.read_unaligned());
            }
        }
    }
}
