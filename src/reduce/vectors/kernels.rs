//! The declarations of the kernels.

use crate::frame::kernel::kernel;

kernel! {
    /// Exchanges `x[0..n]` and `y[0..n]`.
    ///
    /// # Safety
    /// `x` and `y` point to `n` readable and writable words each, at any alignment, that do not overlap.
    "hl_reduce_swap_u32" unsafe fn swap_u32(x: *mut u32, y: *mut u32, n: usize);
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Adds a multiple: `y[i] + alpha * x[i]` for i < n, the product rounded before the sum. A NaN
    /// may have any sign and payload, here and in the other kernels of vectors.
    ///
    /// # Safety
    /// `x` points to `n` readable floats, `y` to `n` readable and writable ones that do not overlap them, at any
    /// alignment.
    "hl_reduce_axpy_f32" unsafe fn axpy_f32(alpha: f32, x: *const f32, y: *mut f32, n: usize);
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Scales: `alpha * x[i]` for i < n.
    ///
    /// # Safety
    /// `x` points to `n` readable and writable floats, at any alignment.
    "hl_reduce_scal_f32" unsafe fn scal_f32(alpha: f32, x: *mut f32, n: usize);
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Rotates pairs: `x[i]` becomes `c * x[i] + s * y[i]`, `y[i]` becomes `c * y[i] - s * x[i]`, each
    /// operation rounded.
    ///
    /// # Safety
    /// `x` and `y` point to `n` readable and writable floats each, at any alignment, that do not overlap.
    "hl_reduce_rot_f32" unsafe fn rot_f32(c: f32, s: f32, x: *mut f32, y: *mut f32, n: usize);
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Index of the first NaN of `x[0..n]`, or if there is none of the first element of maximum
    /// magnitude; 0 if `n` is 0.
    ///
    /// # Safety
    /// `x` points to `n` readable floats, at any alignment.
    "hl_reduce_amax_f32" unsafe fn amax_f32(x: *const f32, n: usize) -> usize;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`axpy_f32()`] of `n` complex numbers, whose real and imaginary parts alternate: adds
    /// `(re * x.re - im * x.im, re * x.im + im * x.re)`, each operation rounded.
    ///
    /// # Safety
    /// `x` points to `2 n` readable floats, `y` to `2 n` readable and writable ones that do not overlap them, at
    /// any alignment.
    "hl_reduce_axpy_complex_f32" unsafe fn axpy_complex_f32(
        re: f32, im: f32, x: *const f32, y: *mut f32, n: usize,
    );
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`scal_f32()`] of `n` complex numbers, with the product of [`axpy_complex_f32()`].
    ///
    /// # Safety
    /// `x` points to `2 n` readable and writable floats, at any alignment.
    "hl_reduce_scal_complex_f32" unsafe fn scal_complex_f32(re: f32, im: f32, x: *mut f32, n: usize);
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`amax_f32()`] of `n` complex numbers; the magnitude is the rounded `|re| + |im|`.
    ///
    /// # Safety
    /// `x` points to `2 n` readable floats, at any alignment.
    "hl_reduce_amax_complex_f32" unsafe fn amax_complex_f32(x: *const f32, n: usize) -> usize;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Adds a multiple: `y[i] + alpha * x[i]` for i < n, the product rounded before the sum. A NaN
    /// may have any sign and payload, here and in the other kernels of vectors.
    ///
    /// # Safety
    /// `x` points to `n` readable doubles, `y` to `n` readable and writable ones that do not overlap them, at any
    /// alignment.
    "hl_reduce_axpy_f64" unsafe fn axpy_f64(alpha: f64, x: *const f64, y: *mut f64, n: usize);
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Scales: `alpha * x[i]` for i < n.
    ///
    /// # Safety
    /// `x` points to `n` readable and writable doubles, at any alignment.
    "hl_reduce_scal_f64" unsafe fn scal_f64(alpha: f64, x: *mut f64, n: usize);
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Rotates pairs: `x[i]` becomes `c * x[i] + s * y[i]`, `y[i]` becomes `c * y[i] - s * x[i]`, each
    /// operation rounded.
    ///
    /// # Safety
    /// `x` and `y` point to `n` readable and writable doubles each, at any alignment, that do not overlap.
    "hl_reduce_rot_f64" unsafe fn rot_f64(c: f64, s: f64, x: *mut f64, y: *mut f64, n: usize);
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Index of the first NaN of `x[0..n]`, or if there is none of the first element of maximum
    /// magnitude; 0 if `n` is 0.
    ///
    /// # Safety
    /// `x` points to `n` readable doubles, at any alignment.
    "hl_reduce_amax_f64" unsafe fn amax_f64(x: *const f64, n: usize) -> usize;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`axpy_f64()`] of `n` complex numbers, whose real and imaginary parts alternate: adds
    /// `(re * x.re - im * x.im, re * x.im + im * x.re)`, each operation rounded.
    ///
    /// # Safety
    /// `x` points to `2 n` readable doubles, `y` to `2 n` readable and writable ones that do not overlap them, at
    /// any alignment.
    "hl_reduce_axpy_complex_f64" unsafe fn axpy_complex_f64(
        re: f64, im: f64, x: *const f64, y: *mut f64, n: usize,
    );
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`scal_f64()`] of `n` complex numbers, with the product of [`axpy_complex_f64()`].
    ///
    /// # Safety
    /// `x` points to `2 n` readable and writable doubles, at any alignment.
    "hl_reduce_scal_complex_f64" unsafe fn scal_complex_f64(re: f64, im: f64, x: *mut f64, n: usize);
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`amax_f64()`] of `n` complex numbers; the magnitude is the rounded `|re| + |im|`.
    ///
    /// # Safety
    /// `x` points to `2 n` readable doubles, at any alignment.
    "hl_reduce_amax_complex_f64" unsafe fn amax_complex_f64(x: *const f64, n: usize) -> usize;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Dot products of the elements with even and with odd indices: `sums[0]` adds `x[i] * y[i]` for even
    /// i < n, `sums[1]` for odd i, each in the order of [`dot_f32()`](crate::reduce::dot_f32()).
    ///
    /// # Safety
    /// `x` and `y` point to `n` readable floats each, at any alignment; `sums` points to two that do not
    /// overlap them.
    "hl_reduce_dot_pairs_f32" unsafe fn dot_pairs_f32(x: *const f32, y: *const f32, n: usize, sums: *mut f32);
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Dot products across the `n` pairs of `x` and of `y`: `sums[0]` adds `x[2 i] * y[2 i + 1]`, `sums[1]`
    /// adds `x[2 i + 1] * y[2 i]`, each in the order of [`dot_f32()`](crate::reduce::dot_f32()).
    ///
    /// # Safety
    /// `x` and `y` point to `2 n` readable floats each, at any alignment; `sums` points to two that do not
    /// overlap them.
    "hl_reduce_dot_crossed_f32" unsafe fn dot_crossed_f32(x: *const f32, y: *const f32, n: usize, sums: *mut f32);
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Dot products of the elements with even and with odd indices: `sums[0]` adds `x[i] * y[i]` for even
    /// i < n, `sums[1]` for odd i, each in the order of [`dot_f64()`](crate::reduce::dot_f64()).
    ///
    /// # Safety
    /// `x` and `y` point to `n` readable doubles each, at any alignment; `sums` points to two that do not
    /// overlap them.
    "hl_reduce_dot_pairs_f64" unsafe fn dot_pairs_f64(x: *const f64, y: *const f64, n: usize, sums: *mut f64);
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Dot products across the `n` pairs of `x` and of `y`: `sums[0]` adds `x[2 i] * y[2 i + 1]`, `sums[1]`
    /// adds `x[2 i + 1] * y[2 i]`, each in the order of [`dot_f64()`](crate::reduce::dot_f64()).
    ///
    /// # Safety
    /// `x` and `y` point to `2 n` readable doubles each, at any alignment; `sums` points to two that do not
    /// overlap them.
    "hl_reduce_dot_crossed_f64" unsafe fn dot_crossed_f64(x: *const f64, y: *const f64, n: usize, sums: *mut f64);
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}
