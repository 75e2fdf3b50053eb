//! Sums and dot products with the same bits on every machine.
//!
//! | function | order | error of a sum of n numbers, relative to the sum of magnitudes |
//! |---|---|---|
//! | [`sum`], [`asum`], [`dot`] | fixed lanes, fixed tree | at worst about n / 64 u (`f32`) or n / 32 u (`f64`) |
//! | [`sum2`], [`dot2`] | fixed lanes, each with a compensation term | 1 u of the sum itself plus (n u)^2 |
//! | [`kahan`] | fixed lanes, each a Kahan sum | 2 u plus n u^2 |
//! | [`sum_repro`], [`dot_repro`], [`Repro`] | **any** | at worst n 2^-40 (dot: n 2^-39) of the largest magnitude |
//!
//! Here u is half a unit in the last place. "Any" order: the bits depend neither on the order of the numbers,
//! nor on pieces and threads.
//!
//! # Source
//! `sum2` and `dot2` follow Ogita, Rump, Oishi, "Accurate sum and dot product" (SIAM J. Sci.
//! Comput. 26, 2005). `sum_repro` uses the bins of Demmel, Nguyen, "Parallel reproducible
//! summation" (IEEE Trans. Comput. 64, 2015): numbers are split into integers at fixed powers of
//! two, chosen only by the largest magnitude; sums of integers are independent of order.
//!
//! # Method
//! Vectors of 16 numbers and vectors of 4 would naturally add in different orders. So the order is
//! part of the contract: element i is added to lane i mod L, in ascending order; then the lanes are
//! added in halves until one is left.
//!
//! ```text
//! L = 64 (f32) or 32 (f64), 4 vectors of AVX-512, 8 of AVX2, 16 of SSE2 or NEON
//! lane[l] = -0 + x[l] + x[l + L] + x[l + 2 L] ..
//! for half in L/2, L/4 .. 1:   lane[l] += lane[l + half]  for l < half
//! ```
//!
//! [`dot`] rounds each product before adding it, because not every machine has a fused
//! multiply-add. Fusing would not be faster anyway: loads bound the loop.
//!
//! # Layout
//! Input is a slice. [`sum`], [`asum`] and [`dot`] also take [`Strided`] elements, with the same
//! bits as if they were contiguous. [`row_sums`] takes a matrix.
//!
//! # Example
//! ```
//! use hotloops::reduce::{self, Repro};
//!
//! let x: Vec<f64> = (1..=1000).map(|i| 1.0 / f64::from(i)).collect();
//! assert_eq!(reduce::sum(&x).to_bits(), 0x401d_f11f_45f4_e61a); // 7.485, on every machine
//! assert_eq!(reduce::sum2(&[1e16, 1.0, -1e16]), 1.0);
//!
//! // The last ones first, in two pieces: the same bits as the whole.
//! let (mut total, mut piece) = (Repro::new(), Repro::new());
//! total.extend(&x[300..]);
//! piece.extend(&x[..300]);
//! total.merge(&piece);
//! assert_eq!(total.sum().to_bits(), reduce::sum_repro(&x).to_bits());
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! # Exactness
//! Results follow the order above, for slices of any alignment. Only [`dot2`] fuses, to split a
//! product into its rounded value and its error. A NaN result is the quiet NaN without payload. The
//! sum of no elements is +0; an uncompensated sum of only -0 is -0. Sums of parts do not add up to
//! the sum of the whole, except with [`Repro`].
//!
//! # Errors
//! [`Error::Length`] if two arrays differ in length or a slice is too short for its strided
//! elements; a state error for bytes that are not the state of a [`Repro`]. The sum of a slice
//! cannot fail.

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

mod axis;
#[cfg(any(sse2, neon))]
mod bins;
#[cfg(any(sse2, neon))]
mod columns;
mod contract;
mod element;
mod exact;
#[cfg(feature = "c-api")]
mod ffi;
#[cfg(any(sse2, neon))]
mod lanes;
mod repro;
#[cfg(any(sse2, neon))]
mod steps;
mod strided;
mod sums;

pub use axis::row_sums;
pub use element::Element;
pub use repro::{Repro, dot_repro, sum_repro};
pub use strided::Strided;
pub use sums::{asum, dot, dot2, kahan, sum, sum2};

#[cfg(doc)]
use crate::Error;
use crate::frame::kernel::kernel;
use element::{Binned, ColumnSums, Dot, Sum};

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
    /// Adds `x[0..n]` to two integer sums, the coarse `sums[0]` and the fine `sums[1]`. Each x adds
    /// c, the integer nearest to x / 2^(exponent + 40), to the coarse sum, and the integer nearest
    /// to (x - c 2^(exponent + 40)) / 2^exponent to the fine sum; ties go toward 0. Returns 1. If a
    /// magnitude is 2^(exponent + 79) or more, or an element is NaN, returns 0 and writes nothing.
    ///
    /// # Safety
    /// `n` is at most 8192. `x` points to `n` readable floats, at any alignment; `sums` points to
    /// two integers that do not overlap them. The exponent is in -1074..=931.
    "hl_reduce_binned_f32" unsafe fn binned_f32(x: *const f32, n: usize, exponent: i32, sums: *mut i64) -> u32;
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
    /// Adds `x[0..n]` to two integer sums, the coarse `sums[0]` and the fine `sums[1]`. Each x adds
    /// c, the integer nearest to x / 2^(exponent + 40), to the coarse sum, and the integer nearest
    /// to (x - c 2^(exponent + 40)) / 2^exponent to the fine sum; ties go toward 0. Returns 1. If a
    /// magnitude is 2^(exponent + 79) or more, or an element is NaN, returns 0 and writes nothing.
    ///
    /// # Safety
    /// `n` is at most 8192. `x` points to `n` readable doubles, at any alignment; `sums` points to
    /// two integers that do not overlap them. The exponent is in -1074..=931.
    "hl_reduce_binned_f64" unsafe fn binned_f64(x: *const f64, n: usize, exponent: i32, sums: *mut i64) -> u32;
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

macro_rules! implement_element {
    ($($type:ident $sum:ident $asum:ident $dot:ident $sum2:ident $dot2:ident $kahan:ident $binned:ident
        $column_sums:ident
      $exact:expr)+) => {$(
        impl Element for $type {
            const SUM: Sum<Self> = $sum;
            const ASUM: Sum<Self> = $asum;
            const DOT: Dot<Self> = $dot;
            const SUM2: Sum<Self> = $sum2;
            const DOT2: Dot<Self> = $dot2;
            const KAHAN: Sum<Self> = $kahan;
            const BINNED: Binned<Self> = $binned;
            const COLUMN_SUMS: ColumnSums<Self> = $column_sums;
            const EXACT: fn(&[Self]) -> Option<f64> = $exact;
        }
    )+};
}
implement_element! {
    f32 sum_f32 asum_f32 dot_f32 sum2_f32 dot2_f32 kahan_f32 binned_f32 column_sums_f32 exact::exact_sum
    f64 sum_f64 asum_f64 dot_f64 sum2_f64 dot2_f64 kahan_f64 binned_f64 column_sums_f64 |_| None
}
