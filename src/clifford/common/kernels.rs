//! The declarations of the kernels.

use crate::frame::kernel::kernel;

kernel! {
    /// Products of multivectors of a common algebra: z = x y.
    ///
    /// `algebra` is 0 for the squares (1, 1), 1 for (1, 1, 1), 2 for (0, 1, 1, 1). Coefficient j of z is
    /// the sum of its terms +-x\[p\] y\[q\] in ascending order of p, each product and each sum rounded.
    ///
    /// # Safety
    /// `algebra` is one of these. `x`, `y` and `z` point to `count` multivectors, those of `z` writable;
    /// `z` overlaps neither of the others. Any alignment.
    "hl_clifford_common_product_f32" unsafe fn common_product_f32(
        algebra: usize, x: *const f32, y: *const f32, count: usize, z: *mut f32,
    );
    assembly: avx2;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Products of multivectors of doubles: [`common_product_f32()`] for f64.
    ///
    /// # Safety
    /// As for [`common_product_f32()`].
    "hl_clifford_common_product_f64" unsafe fn common_product_f64(
        algebra: usize, x: *const f64, y: *const f64, count: usize, z: *mut f64,
    );
    assembly: avx2;
    intrinsics: avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Sandwich products of multivectors of a common algebra: z = r x ~r, where ~r is the reverse of r.
    ///
    /// The bits are those of two products of [`common_product_f32()`], r x first. If the odd coefficients of
    /// an r, those of blades with an odd number of generators, are all 0 or -0, terms with them are left out.
    ///
    /// # Safety
    /// As for [`common_product_f32()`].
    "hl_clifford_common_sandwich_f32" unsafe fn common_sandwich_f32(
        algebra: usize, r: *const f32, x: *const f32, count: usize, z: *mut f32,
    );
    assembly: avx512, avx2;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Sandwich products of multivectors of doubles: [`common_sandwich_f32()`] for f64.
    ///
    /// # Safety
    /// As for [`common_product_f32()`].
    "hl_clifford_common_sandwich_f64" unsafe fn common_sandwich_f64(
        algebra: usize, r: *const f64, x: *const f64, count: usize, z: *mut f64,
    );
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Products of multivectors of a common algebra with a weight for each path: a triple of grades of x,
    /// z and y that occurs in products of blades.
    ///
    /// `weights` has a row of `channels` numbers for each path, the paths in lexicographic order. Multivector
    /// i takes column i modulo `channels`. For each path, the terms of a coefficient are added as in
    /// [`common_product_f32()`]; then the sums times their weights are added in the order of the paths, each
    /// operation rounded.
    ///
    /// # Safety
    /// As for [`common_product_f32()`]; `channels` is not 0, and the weights are readable.
    "hl_clifford_common_weighted_f32" unsafe fn common_weighted_f32(
        algebra: usize, channels: usize, weights: *const f32, x: *const f32, y: *const f32, count: usize, z: *mut f32,
    );
    assembly: avx512, avx2, sse2;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Weighted products of multivectors of doubles: [`common_weighted_f32()`] for f64.
    ///
    /// # Safety
    /// As for [`common_weighted_f32()`].
    "hl_clifford_common_weighted_f64" unsafe fn common_weighted_f64(
        algebra: usize, channels: usize, weights: *const f64, x: *const f64, y: *const f64, count: usize, z: *mut f64,
    );
    assembly: avx2, sse2;
    intrinsics: avx2, sse2, neon;
    header: kernels;
}
