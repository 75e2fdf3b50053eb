//! The arguments of one product.

use super::ends::Ends;
use crate::matmul::plan::ALIGN;

/// A packed B, in the plan's slivers.
#[derive(Clone, Copy)]
pub(in crate::matmul) struct Prepacked<T> {
    pub at: *const T,
    /// Number of columns of the whole B.
    pub n: usize,
    /// First column of the product.
    pub first: usize,
}

/// The arguments of a call. A and B are swapped if the plan computes the transpose.
#[derive(Clone, Copy)]
pub(super) struct Call<T> {
    pub alpha: T,
    pub a: *const T,
    pub b: *const T,
    pub beta: T,
    pub c: *mut T,
    pub c_row: isize,
    pub prepacked: Option<Prepacked<T>>,
    /// For [`blocked`](super::blocked): what its blocks of C begin and end with.
    pub ends: Option<Ends<T>>,
}

pub(super) fn aligned(workspace: *mut u8) -> *mut u8 {
    workspace.wrapping_add(workspace.align_offset(ALIGN))
}
