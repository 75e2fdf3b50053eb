//! The declarations of the kernels.

use crate::frame::kernel::kernel;

kernel! {
    /// Products of multivectors: each coefficient of z is a sum of terms, each the product of a
    /// coefficient of x and one of y. The terms are added from the first to the last; each product
    /// and each sum is rounded.
    ///
    /// `terms` has a width, 1, 4 or 8, and then for each group of as many coefficients of z: the number
    /// of its blades p, at least 1; for each of these, 8 p, and then for each coefficient 8 q, or 8 (q +
    /// `blades`) for the negative of y\[q\]; and at last for each coefficient its index times 8.
    ///
    /// # Safety
    /// `blades` is 4, 8 or 16. `x`, `y` and `z` point to `count` multivectors of as many numbers, those
    /// of `z` writable; `z` overlaps neither of the others. `terms` is as above, with all blades below
    /// `blades` and each coefficient in one group. Any alignment.
    "hl_clifford_multiply_f32" unsafe fn multiply_f32(
        terms: *const u16, blades: usize, x: *const f32, y: *const f32, count: usize, z: *mut f32,
    );
    rows: all;
    header: kernels;
}

kernel! {
    /// Products of multivectors of doubles: [`multiply_f32()`] for f64.
    ///
    /// # Safety
    /// As for [`multiply_f32()`].
    "hl_clifford_multiply_f64" unsafe fn multiply_f64(
        terms: *const u16, blades: usize, x: *const f64, y: *const f64, count: usize, z: *mut f64,
    );
    rows: all;
    header: kernels;
}
