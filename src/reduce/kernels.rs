//! The declarations of the kernels.

use crate::frame::kernel::kernel;

kernel! {
    /// Sum of `x[0..n]` in 64 lanes and a tree, as the module says.
    ///
    /// # Safety
    /// `x` points to `n` readable floats, at any alignment.
    "hl_reduce_sum_f32" unsafe fn sum_f32(x: *const f32, n: usize) -> f32;
    rows: all;
}

kernel! {
    /// Sum of the magnitudes of `x[0..n]`, in the order of [`sum_f32()`].
    ///
    /// # Safety
    /// `x` points to `n` readable floats, at any alignment.
    "hl_reduce_asum_f32" unsafe fn asum_f32(x: *const f32, n: usize) -> f32;
    intrinsics: avx512 unless narrow_512, avx2, sse2, neon;
}

kernel! {
    /// Sum of the rounded products `x[i] * y[i]` for i < n, in the order of [`sum_f32()`].
    ///
    /// # Safety
    /// `x` and `y` point to `n` readable floats each, at any alignment.
    "hl_reduce_dot_f32" unsafe fn dot_f32(x: *const f32, y: *const f32, n: usize) -> f32;
    assembly: sse2, neon;
    intrinsics: avx512 unless narrow_512, avx2, sse2, neon;
}

kernel! {
    /// Compensated sum of `x[0..n]`: 32 lanes, each a sum and the exact errors of its additions,
    /// added by themselves (Sum2). If this sum is NaN, returns the sum of [`sum_f32()`].
    ///
    /// # Safety
    /// `x` points to `n` readable floats, at any alignment.
    "hl_reduce_sum2_f32" unsafe fn sum2_f32(x: *const f32, n: usize) -> f32;
    intrinsics: avx512, avx2, sse2, neon;
}

kernel! {
    /// Compensated dot product of `x[0..n]` and `y[0..n]`: 32 lanes, each a sum and the exact
    /// errors of its products and additions, added by themselves (Dot2). If this result is NaN,
    /// returns the result of [`dot_f32()`].
    ///
    /// # Safety
    /// `x` and `y` point to `n` readable floats each, at any alignment.
    "hl_reduce_dot2_f32" unsafe fn dot2_f32(x: *const f32, y: *const f32, n: usize) -> f32;
    intrinsics: avx512, avx2, sse2, neon;
}

kernel! {
    /// Kahan's sum of `x[0..n]` in 128 lanes. If this sum is NaN, returns the sum of [`sum_f32()`].
    ///
    /// # Safety
    /// `x` points to `n` readable floats, at any alignment.
    "hl_reduce_kahan_f32" unsafe fn kahan_f32(x: *const f32, n: usize) -> f32;
    intrinsics: avx512, avx2, sse2, neon;
}

kernel! {
    /// Adds `x[0..n]` to three integer sums, of quanta 2^(exponent + 80), 2^(exponent + 40) and
    /// 2^exponent. Each x adds to each sum in turn the integer nearest to its quotient by the quantum,
    /// ties toward 0, and leaves the remainder to the next sum. Returns 1. If a magnitude is
    /// 2^(exponent + 119) or more, or an element is NaN, returns 0 and writes nothing.
    ///
    /// # Safety
    /// `n` is at most 8192. `x` points to `n` readable floats, at any alignment; `sums` points to
    /// three integers that do not overlap them. The exponent is in -1074..=891.
    "hl_reduce_binned_f32" unsafe fn binned_f32(x: *const f32, n: usize, exponent: i32, sums: *mut i64) -> u32;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`binned_f32()`] of the products `x[i] * y[i]`, each rounded to `f64`, and of their errors
    /// `fma(x[i], y[i], -product)`.
    ///
    /// # Safety
    /// As for [`binned_f32()`], with `n` readable floats at `y` too. `n` is at most 4096.
    "hl_reduce_products_f32" unsafe fn products_f32(
        x: *const f32, y: *const f32, n: usize, exponent: i32, sums: *mut i64,
    ) -> u32;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Sums of the `n` columns of a matrix with `m` rows: `sums[j]` adds `x[i * row + j]` for i < m,
    /// in the order of [`sum_f32()`].
    ///
    /// # Safety
    /// `x` points to the first of `m` rows of `n` readable floats, `row` elements apart, at any
    /// alignment; `sums` points to `n` writable floats that do not overlap them.
    "hl_reduce_column_sums_f32" unsafe fn column_sums_f32(
        m: usize, n: usize, x: *const f32, row: isize, sums: *mut f32,
    );
    intrinsics: avx512 unless narrow_512, avx2, sse2, neon;
}

kernel! {
    /// Sum of `x[0..n]` in `f64`, if no addition can round. `range` holds the smallest magnitude
    /// other than 0 and the largest magnitude of other elements, infinity and 0 if there are none.
    /// If these and the elements of `x` are finite and their exponents differ by at most 16 (that of
    /// a denormal number is -126), writes the sum and the range of all, and returns 1. Otherwise
    /// returns 0 and writes nothing.
    ///
    /// # Safety
    /// `n` is at most 8192. `x` points to `n` readable floats, at any alignment; `range` points to
    /// two floats and `sum` to a double that do not overlap them or each other.
    "hl_reduce_exact_f32" unsafe fn exact_f32(x: *const f32, n: usize, range: *mut f32, sum: *mut f64) -> u32;
    intrinsics: avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Sum of `x[0..n]` in 32 lanes and a tree, as the module says.
    ///
    /// # Safety
    /// As for [`sum_f32()`].
    "hl_reduce_sum_f64" unsafe fn sum_f64(x: *const f64, n: usize) -> f64;
    rows: all;
}

kernel! {
    /// Sum of the magnitudes of `x[0..n]`, in the order of [`sum_f64()`].
    ///
    /// # Safety
    /// As for [`asum_f32()`].
    "hl_reduce_asum_f64" unsafe fn asum_f64(x: *const f64, n: usize) -> f64;
    intrinsics: avx512, avx2, sse2, neon;
}

kernel! {
    /// Sum of the rounded products `x[i] * y[i]` for i < n, in the order of [`sum_f64()`].
    ///
    /// # Safety
    /// As for [`dot_f32()`].
    "hl_reduce_dot_f64" unsafe fn dot_f64(x: *const f64, y: *const f64, n: usize) -> f64;
    assembly: avx512, sse2, neon;
    intrinsics: avx512, avx2, sse2, neon;
}

kernel! {
    /// Compensated sum of `x[0..n]`, like [`sum2_f32()`] in 16 lanes.
    ///
    /// # Safety
    /// As for [`sum2_f32()`].
    "hl_reduce_sum2_f64" unsafe fn sum2_f64(x: *const f64, n: usize) -> f64;
    intrinsics: avx512, avx2, sse2, neon;
}

kernel! {
    /// Compensated dot product of `x[0..n]` and `y[0..n]`, like [`dot2_f32()`] in 16 lanes.
    ///
    /// # Safety
    /// As for [`dot2_f32()`].
    "hl_reduce_dot2_f64" unsafe fn dot2_f64(x: *const f64, y: *const f64, n: usize) -> f64;
    intrinsics: avx512, avx2, sse2, neon;
}

kernel! {
    /// Kahan's sum of `x[0..n]` in 64 lanes, like [`kahan_f32()`].
    ///
    /// # Safety
    /// As for [`kahan_f32()`].
    "hl_reduce_kahan_f64" unsafe fn kahan_f64(x: *const f64, n: usize) -> f64;
    intrinsics: avx512, avx2, sse2, neon;
}

kernel! {
    /// Adds `x[0..n]` to three integer sums, of quanta 2^(exponent + 80), 2^(exponent + 40) and
    /// 2^exponent. Each x adds to each sum in turn the integer nearest to its quotient by the quantum,
    /// ties toward 0, and leaves the remainder to the next sum. Returns 1. If a magnitude is
    /// 2^(exponent + 119) or more, or an element is NaN, returns 0 and writes nothing.
    ///
    /// # Safety
    /// `n` is at most 8192. `x` points to `n` readable doubles, at any alignment; `sums` points to
    /// three integers that do not overlap them. The exponent is in -1074..=891.
    "hl_reduce_binned_f64" unsafe fn binned_f64(x: *const f64, n: usize, exponent: i32, sums: *mut i64) -> u32;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`binned_f64()`] of the products `x[i] * y[i]`, each rounded to `f64`, and of their errors
    /// `fma(x[i], y[i], -product)`.
    ///
    /// # Safety
    /// As for [`binned_f64()`], with `n` readable doubles at `y` too. `n` is at most 4096.
    "hl_reduce_products_f64" unsafe fn products_f64(
        x: *const f64, y: *const f64, n: usize, exponent: i32, sums: *mut i64,
    ) -> u32;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Sums of the `n` columns of a matrix with `m` rows: `sums[j]` adds `x[i * row + j]` for i < m,
    /// in the order of [`sum_f64()`].
    ///
    /// # Safety
    /// `x` points to the first of `m` rows of `n` readable doubles, `row` elements apart, at any
    /// alignment; `sums` points to `n` writable doubles that do not overlap them.
    "hl_reduce_column_sums_f64" unsafe fn column_sums_f64(
        m: usize, n: usize, x: *const f64, row: isize, sums: *mut f64,
    );
    intrinsics: avx512, avx2, sse2, neon;
}
