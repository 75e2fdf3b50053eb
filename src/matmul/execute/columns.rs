//! The kernel for few columns.

use super::call::Call;
use crate::matmul::blocking::parts;
use crate::matmul::element::Element;
use crate::matmul::plan::Plan;

/// Rows of B per call of the kernel, so that they stay in L1.
const DEPTH: usize = 1024;

/// `C = A B + beta C` for a beta of 0 or 1.
///
/// # Safety
/// As for `dispatch`.
pub(super) unsafe fn run<T: Element>(plan: &Plan<T>, call: Call<T>) {
    let [m, n, k] = plan.shape;
    for (p, depth) in parts(k, DEPTH, 1) {
        let (a, b) = (plan.a.offset(0, p), plan.b.offset(p, 0));
        let (a, b) = (call.a.wrapping_offset(a), call.b.wrapping_offset(b));
        let accumulate = u32::from(p > 0 || call.beta != T::ZERO);
        // SAFETY: the caller's contract.
        unsafe { T::COLUMNS(m, n, depth, a, plan.a.row, b, plan.b.row, call.c, plan.c.row, accumulate) }
    }
}
