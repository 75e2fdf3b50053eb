//! One dot product per element.

use super::call::Call;
use crate::matmul::element::Element;
use crate::matmul::pack::{self, Source};
use crate::matmul::plan::Plan;

/// # Safety
/// As for `dispatch`; at most 8 rows and columns.
pub(super) unsafe fn run<T: Element>(plan: &Plan<T>, call: Call<T>) {
    const DEPTH: usize = 256;
    let [m, n, k] = plan.shape;
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
