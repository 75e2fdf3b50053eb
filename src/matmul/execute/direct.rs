//! Products that read A and B in place.

use core::mem::MaybeUninit;

use super::call::{Call, aligned};
use super::{columns, unscaled};
use crate::frame::isa::Isa;
use crate::matmul::element::Element;
use crate::matmul::layout::Layout;
use crate::matmul::options::{Options, Order};
use crate::matmul::pack::{self, Source};
use crate::matmul::packed::PackedB;
use crate::matmul::plan::path::{DIRECT_BYTES, OUTER_BYTES, is_narrow};
use crate::matmul::plan::{ALIGN, C_BYTES, Plan};
use crate::matmul::view::{MatMut, MatRef, Strides};

/// Computes `C = A B + beta C` if the kernel for tiny products can, and returns whether it did.
///
/// # Safety
/// The matrices have these shapes and strides, and C overlaps neither A nor B.
#[inline(always)]
pub(in crate::matmul) unsafe fn tiny_at_once<T: Element>(
    shape: [usize; 3],
    strides: [Strides; 3],
    alpha: T,
    [a, b]: [*const T; 2],
    beta: T,
    c: *mut T,
) -> bool {
    let [a_strides, b_strides, c_strides] = strides;
    let Some(accumulate) = unscaled(alpha, beta) else { return false };
    if !Layout::fits(shape) || b_strides.column != 1 || c_strides.column != 1 {
        return false;
    }
    let kernel = T::TINY.variant();
    if kernel.isa == Isa::scalar {
        return false;
    }
    let layout = Layout::new::<T>(shape, a_strides, b_strides, c_strides);
    // SAFETY: the caller's contract; the sizes and the contiguous rows are those of the kernel.
    unsafe { (kernel.function)(&layout, a, b, c, accumulate) }
    true
}

/// Whether A and B have at most [`DIRECT_BYTES`] each, and C is not large.
#[inline]
fn are_small<T>([m, n, k]: [usize; 3]) -> bool {
    let small = |rows: usize, columns: usize| rows.saturating_mul(columns) <= DIRECT_BYTES / size_of::<T>();
    ![m, n, k].contains(&0)
        && (small(m, k) && small(k, n))
        && m.saturating_mul(n) <= (if k == 1 { OUTER_BYTES - 1 } else { C_BYTES }) / size_of::<T>()
}

/// Computes `C = A B + beta C` if one call of a kernel suffices, and returns whether it did. Making
/// a plan takes longer than the smallest products.
///
/// # Safety
/// The shapes match, and C overlaps neither A nor B.
#[inline]
pub(in crate::matmul) unsafe fn at_once<T: Element>(
    alpha: T,
    a: MatRef<T>,
    b: MatRef<T>,
    beta: T,
    c: &MatMut<T>,
    options: &Options,
) -> bool {
    let shape = [c.rows, c.columns, a.columns];
    // SAFETY: the caller's contract.
    if unsafe { tiny_at_once(shape, [a.strides, b.strides, c.strides], alpha, [a.at, b.at], beta, c.at) } {
        return true;
    }
    let Some(accumulate) = unscaled(alpha, beta) else { return false };
    let [m, n, k] = shape;
    let kernel = T::BLOCK.variant();
    let is_direct = (b.strides.column == 1 && c.strides.column == 1)
        && are_small::<T>(shape)
        && kernel.isa != Isa::scalar
        && options.order == Order::Strict;
    if !is_direct {
        return false;
    }
    let (a_strides, b_row, c_row) = (a.strides, b.strides.row, c.strides.row);
    let (a_row, a_column) = (a_strides.row, a_strides.column);
    if a_column == 1 && is_narrow(m, n, kernel.isa, size_of::<T>()) {
        let is_one_call = k <= columns::DEPTH && !columns::is_vector::<T>(shape);
        if is_one_call {
            // SAFETY: the caller's contract.
            unsafe { T::COLUMNS(m, n, k, a.at, a_row, b.at, b_row, c.at, c_row, accumulate) }
        }
        return is_one_call;
    }
    let null = core::ptr::null_mut();
    // SAFETY: the caller's contract.
    unsafe { (kernel.function)(m, n, k, a.at, a_row, a_column, b.at, b_row, null, c.at, c_row, accumulate) }
    true
}

/// [`at_once`] for a C whose rows or columns are contiguous, and for any alpha.
///
/// # Safety
/// As for [`at_once`].
#[inline]
pub(in crate::matmul) unsafe fn at_once_in_any_order<T: Element>(
    alpha: T,
    [a, b]: [MatRef<T>; 2],
    beta: T,
    c: &MatMut<T>,
    options: &Options,
) -> bool {
    let is_swapped = c.strides.column != 1 && c.strides.row == 1;
    let ([left, right], to) = match is_swapped {
        // SAFETY: the transpose of C.
        true => ([b.transposed(), a.transposed()], &unsafe {
            MatMut::from_raw(c.at, c.columns, c.rows, c.strides.transposed())
        }),
        false => ([a, b], c),
    };
    // SAFETY: the same contract.
    unsafe {
        match alpha == T::ONE {
            true => at_once(alpha, left, right, beta, to, options),
            false => scaled_at_once(alpha, [left, right], beta, to, options, is_swapped),
        }
    }
}

/// [`at_once`] with a copy of A, or of B if it `scales_b`, times alpha.
///
/// # Safety
/// As for [`at_once`].
#[inline(never)]
unsafe fn scaled_at_once<T: Element>(
    alpha: T,
    [a, b]: [MatRef<T>; 2],
    beta: T,
    c: &MatMut<T>,
    options: &Options,
    scales_b: bool,
) -> bool {
    let factor = if scales_b { b } else { a };
    let is_in_rows = factor.strides.column == 1;
    let is_scaled = (is_in_rows || factor.strides.row == 1 && !scales_b)
        && are_small::<T>([c.rows, c.columns, a.columns])
        && alpha != T::ZERO
        && unscaled(T::ONE, beta).is_some();
    if !is_scaled {
        return false;
    }
    let (lines, n) = if is_in_rows { (factor.rows, factor.columns) } else { (factor.columns, factor.rows) };
    let (stride, strides) = match is_in_rows {
        true => (factor.strides.row, Strides::row_major(n)),
        false => (factor.strides.column, Strides::column_major(n)),
    };
    let mut copy = MaybeUninit::<[u8; DIRECT_BYTES + ALIGN]>::uninit();
    let copy = aligned(copy.as_mut_ptr().cast()).cast::<T>();
    // SAFETY: the caller's contract; the copy has room for the matrix.
    unsafe {
        let lines_of = Source { at: factor.at, strides: Strides { row: stride, column: 1 } };
        pack::gather(lines_of, lines, n, copy, n);
        (T::VECTORS.scal)(alpha, copy, lines * n);
        let copy = MatRef::from_raw(copy.cast_const(), factor.rows, factor.columns, strides);
        let (a, b) = if scales_b { (a, copy) } else { (copy, b) };
        at_once(T::ONE, a, b, beta, c, options)
    }
}

/// `C = A B`, or `C + A B` if `accumulate` is not 0, for a packed B of one block of rows: one call of the kernel for
/// each sliver.
///
/// # Safety
/// [`PackedB::is_near`] is true; A has `rows` rows of `b.k` elements, `a_row` apart, C as many of `b.n`, `c_row`
/// apart, and C overlaps neither.
#[inline]
pub(in crate::matmul) unsafe fn near<T: Element>(
    rows: usize,
    (a, a_row): (*const T, isize),
    b: &PackedB<T>,
    (c, c_row): (*mut T, isize),
    accumulate: u32,
) {
    let (block, null) = (T::BLOCK.function(), core::ptr::null_mut());
    for s in (0..b.n).step_by(b.nr) {
        let width = b.nr.min(b.n - s);
        // SAFETY: the caller's contract; a sliver and its columns of C.
        unsafe {
            let sliver = b.values.as_ptr().add(s * b.k);
            block(rows, width, b.k, a, a_row, 1, sliver, width as isize, null, c.add(s), c_row, accumulate);
        }
    }
}

/// `C = A B`, or `C + A B` if `accumulate` is not 0.
///
/// # Safety
/// The contract of `execute`.
#[inline(always)]
pub(super) unsafe fn in_place<T: Element>(plan: &Plan<T>, a: *const T, b: *const T, c: *mut T, accumulate: u32) {
    let ([m, n, k], rows) = (plan.shape, plan.blocking.mc);
    let null = core::ptr::null_mut();
    let block = |m, a, c| {
        let (a_row, a_column) = (plan.a.row, plan.a.column);
        // SAFETY: the caller's contract; rows of C.
        unsafe { (plan.block)(m, n, k, a, a_row, a_column, b, plan.b.row, null, c, plan.c.row, accumulate) }
    };
    if m <= rows {
        return block(m, a, c);
    }
    for i in (0..m).step_by(rows) {
        let (a, c) = (a.wrapping_offset(plan.a.offset(i, 0)), c.wrapping_offset(plan.c.offset(i, 0)));
        block(rows.min(m - i), a, c);
    }
}

/// `C = A B`, or `C + A B` if `accumulate` is not 0, by the kernel for tiny products.
///
/// # Safety
/// The contract of `execute`, for a plan whose path is `Tiny`.
#[inline(always)]
pub(in crate::matmul) unsafe fn tiny<T: Element>(plan: &Plan<T>, a: *const T, b: *const T, c: *mut T, accumulate: u32) {
    // SAFETY: the caller's contract.
    unsafe { (plan.tiny)(&plan.layout, a, b, c, accumulate) }
}

/// `C = A B + beta C` for a beta of 0 or 1. B is copied to rows first.
///
/// # Safety
/// As for `dispatch`; B has at most [`DIRECT_BYTES`] bytes.
pub(super) unsafe fn with_b_transposed<T: Element>(plan: &Plan<T>, call: Call<T>) {
    let mut buffer = MaybeUninit::<[u8; DIRECT_BYTES + ALIGN]>::uninit();
    let rows = aligned(buffer.as_mut_ptr().cast()).cast::<T>();
    let [_, n, k] = plan.shape;
    let in_rows = Plan { b: Strides::row_major(n), ..*plan };
    // SAFETY: the caller's contract, and a buffer that has room for B.
    unsafe {
        pack::gather(Source { at: call.b, strides: plan.b }, k, n, rows, n);
        in_place(&in_rows, call.a, rows, call.c, u32::from(call.beta != T::ZERO));
    }
}
