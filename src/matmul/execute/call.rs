//! One product to compute by a plan.

use crate::matmul::plan::ALIGN;

/// B that was packed before, in the plan's slivers.
#[derive(Clone, Copy)]
pub(in crate::matmul) struct Prepacked<T> {
    pub at: *const T,
    /// Columns of all of it.
    pub n: usize,
    /// Where the product's columns begin.
    pub first: usize,
}

/// The numbers of a call, A and B as the plan has them: swapped where it computes the transpose.
#[derive(Clone, Copy)]
pub(super) struct Call<T> {
    pub alpha: T,
    pub a: *const T,
    pub b: *const T,
    pub beta: T,
    pub c: *mut T,
    pub c_row: isize,
    pub prepacked: Option<Prepacked<T>>,
}

pub(super) fn aligned(workspace: *mut u8) -> *mut u8 {
    workspace.wrapping_add(workspace.align_offset(ALIGN))
}
