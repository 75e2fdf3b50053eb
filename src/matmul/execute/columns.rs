//! The kernels for few columns and for a vector.

use core::mem::MaybeUninit;

use super::call::Call;
use crate::frame::isa::Isa;
use crate::matmul::blocking::{LINE, parts, pieces};
use crate::matmul::element::Element;
use crate::matmul::pack::{self, Source};
use crate::matmul::plan::Plan;

/// Rows of B per call of the kernel, so that they stay in L1.
pub(super) const DEPTH: usize = 1024;

/// `C = A B + beta C` for a beta of 0 or 1.
///
/// # Safety
/// As for `dispatch`.
pub(super) unsafe fn run<T: Element>(plan: &Plan<T>, call: Call<T>) {
    let [m, n, k] = plan.shape;
    if is_vector::<T>([m, n, k]) {
        // SAFETY: the caller's contract.
        return unsafe { vector(plan, call) };
    }
    for (p, depth) in parts(k, DEPTH, 1) {
        let (a, b) = (plan.a.offset(0, p), plan.b.offset(p, 0));
        let (a, b) = (call.a.wrapping_offset(a), call.b.wrapping_offset(b));
        let accumulate = u32::from(p > 0 || call.beta != T::ZERO);
        // SAFETY: the caller's contract.
        unsafe { T::COLUMNS(m, n, depth, a, plan.a.row, b, plan.b.row, call.c, plan.c.row, accumulate) }
    }
}

/// Whether the kernel for a vector computes a product of few columns. It takes a multiple of [`group`] rows at a
/// time; with less than four groups, the other kernel has all chains under way at once.
#[inline]
pub(super) fn is_vector<T>([m, n, k]: [usize; 3]) -> bool {
    n == 1 && m >= 4 * group::<T>() && k >= LINE / size_of::<T>()
}

/// The rows of the kernel for a vector are a multiple of this.
const fn group<T>() -> usize {
    32 / size_of::<T>()
}

/// [`run`] for a B of one column.
///
/// # Safety
/// As for `run`; A has at least a [`group`] of rows and a line of columns.
unsafe fn vector<T: Element>(plan: &Plan<T>, call: Call<T>) {
    let [m, _, k] = plan.shape;
    let mut copy = MaybeUninit::<[T; DEPTH]>::uninit();
    let copy = copy.as_mut_ptr().cast::<T>();
    let in_place = plan.b.row == 1;
    let lead = lead(plan, call.a);
    let rest = pieces(k - lead, if in_place { k } else { DEPTH }, LINE / size_of::<T>());
    for (p, depth) in (lead > 0).then_some((0, lead)).into_iter().chain(rest.map(|(p, depth)| (lead + p, depth))) {
        let (a, x) = (plan.a.offset(0, p), call.b.wrapping_offset(plan.b.offset(p, 0)));
        // SAFETY: the caller's contract; `copy` holds a part.
        unsafe {
            let mut b = x;
            if !in_place {
                pack::gather(Source { at: x, strides: plan.b }, depth, 1, copy, 1);
                b = copy.cast_const();
            }
            let beta = if p > 0 { T::ONE } else { call.beta };
            strips(plan, [m, depth], Call { a: call.a.wrapping_offset(a), b, beta, ..call });
        }
    }
}

/// Columns, a line at least, after which lines of all rows begin at the start of a piece. Otherwise 0.
///
/// If rows crowd the sets of L1, half of each of twice as many lines would be read, and again later.
fn lead<T: Element>(plan: &Plan<T>, a: *const T) -> usize {
    let (size, line) = (size_of::<T>(), LINE / size_of::<T>());
    let off = a.addr() % LINE;
    let has_lines =
        plan.a.row.unsigned_abs().wrapping_mul(size).is_multiple_of(LINE) && off > 0 && off.is_multiple_of(size);
    let is_crowded = plan.blocking.mc < 2 * line;
    if is_crowded && has_lines && plan.shape[2] >= 3 * line { 2 * line - off / size } else { 0 }
}

/// Up to four groups of rows at a time, about as many in each strip. Two fill a register of AVX-512.
/// The last group may begin with rows that are done; they are not stored again.
///
/// # Safety
/// As for `vector`, for a contiguous B.
unsafe fn strips<T: Element>(plan: &Plan<T>, [m, k]: [usize; 2], call: Call<T>) {
    let mut done = 0;
    let group = if plan.isa == Isa::avx512 { 2 * group::<T>() } else { group::<T>() };
    while done < m {
        let groups = (m - done).div_ceil(group);
        let rows = groups.div_ceil(groups.div_ceil(plan.blocking.mc / group)).min(m / group) * group;
        let first = done.min(m - rows);
        let c = |i: usize| call.c.wrapping_offset(plan.c.offset(first + i, 0));
        let mut sums = [T::ZERO; 32];
        // SAFETY: rows of C.
        unsafe {
            if call.beta != T::ZERO {
                for (i, sum) in sums[..rows].iter_mut().enumerate() {
                    *sum = c(i).read_unaligned();
                }
            }
            let a = call.a.wrapping_offset(plan.a.offset(first, 0));
            T::VECTOR(rows, k, a, plan.a.row, call.b, sums.as_mut_ptr());
            for (i, sum) in sums[..rows].iter().enumerate().skip(done - first) {
                c(i).write_unaligned(*sum);
            }
        }
        done = first + rows;
    }
}
