//! LAPACK's factorizations of real matrices, which LAPACK's own routines call: fewer and larger steps
//! than netlib's, and its bits. Each element is one chain of fused multiply-adds and a division or a
//! product, so that they do not depend on the blocks.

mod cholesky;
mod lu;

use super::Int;

/// LAPACK's `info`: 0, the number of an element on the diagonal that ends a factorization, or the
/// negated position of an illegal argument.
///
/// # Safety
/// `info` is writable.
unsafe fn put(info: *mut Int, value: usize) {
    // SAFETY: the caller's contract.
    unsafe { *info = value as Int }
}
