//! The declarations of the kernels.

use crate::frame::kernel::kernel;

kernel! {
    /// Fast exp: the bits of a float are a linear function of x; relative error -3.91 % to +2.00 %.
    ///
    /// # Safety
    /// `x` points to `n` readable floats and `y` to `n` writable ones, at any alignment; the arrays
    /// are identical or do not overlap.
    "hl_exp_fast_f32" unsafe fn fast_f32(x: *const f32, y: *mut f32, n: usize);
    rows: all;
}

kernel! {
    /// Accurate exp: the fourth root of the fast one at 4 x; relative error -0.993 % to +0.496 %.
    ///
    /// # Safety
    /// `x` points to `n` readable floats and `y` to `n` writable ones, at any alignment; the arrays
    /// are identical or do not overlap.
    "hl_exp_accurate_f32" unsafe fn accurate_f32(x: *const f32, y: *mut f32, n: usize);
    intrinsics: avx2, sse2, neon;
}

kernel! {
    /// Polynomial exp: 2^n times a squared quartic; relative error at most 4.3e-6.
    ///
    /// # Safety
    /// `x` points to `n` readable floats and `y` to `n` writable ones, at any alignment; the arrays
    /// are identical or do not overlap.
    "hl_exp_poly_f32" unsafe fn poly_f32(x: *const f32, y: *mut f32, n: usize);
    assembly: avx2, sse2, neon;
    intrinsics: avx512, avx2, sse2, neon;
}
