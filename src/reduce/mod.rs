//! Sums and dot products with the same bits on every machine.
//!
//! | function | order | error of a sum of n numbers, relative to the sum of magnitudes |
//! |---|---|---|
//! | [`sum`], [`asum`], [`dot`] | fixed lanes, fixed tree | at worst about n / 64 u (`f32`) or n / 32 u (`f64`) |
//! | [`sum2`], [`dot2`] | fixed lanes, each with a compensation term | 1 u of the sum itself plus (n u)^2 |
//! | [`kahan`] | fixed lanes, each a Kahan sum | 2 u plus n u^2 |
//! | [`sum_repro`], [`dot_repro`], [`Repro`] | **any** | at worst n 2^-80 (dot: n 2^-79) of the largest magnitude |
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
mod kernels;
#[cfg(any(sse2, neon))]
mod lanes;
mod repro;
#[cfg(any(sse2, neon))]
mod steps;
mod strided;
mod sums;
pub(crate) mod vectors;

pub use axis::row_sums;
pub use element::Element;
pub use kernels::*;
pub use repro::{Repro, dot_repro, sum_repro};
pub use strided::Strided;
pub use sums::{asum, dot, dot2, kahan, sum, sum2};
pub use vectors::*;

#[cfg(doc)]
use crate::Error;
use element::{Binned, ColumnSums, Dot, Products, Sum, Vectors};

macro_rules! implement_element {
    ($($type:ident $sum:ident $asum:ident $dot:ident $sum2:ident $dot2:ident $kahan:ident $binned:ident
        $products:ident $column_sums:ident $axpy:ident $scal:ident $rot:ident $amax:ident $axpy_complex:ident
        $scal_complex:ident $amax_complex:ident $dot_pairs:ident $dot_crossed:ident
      $exact:expr)+) => {$(
        impl Element for $type {
            const SUM: Sum<Self> = $sum;
            const ASUM: Sum<Self> = $asum;
            const DOT: Dot<Self> = $dot;
            const SUM2: Sum<Self> = $sum2;
            const DOT2: Dot<Self> = $dot2;
            const KAHAN: Sum<Self> = $kahan;
            const BINNED: Binned<Self> = $binned;
            const PRODUCTS: Products<Self> = $products;
            const COLUMN_SUMS: ColumnSums<Self> = $column_sums;
            const VECTORS: Vectors<Self> = Vectors {
                axpy: $axpy,
                scal: $scal,
                rot: $rot,
                amax: $amax,
                axpy_complex: $axpy_complex,
                scal_complex: $scal_complex,
                amax_complex: $amax_complex,
                dot_pairs: $dot_pairs,
                dot_crossed: $dot_crossed,
            };
            const EXACT: fn(&[Self]) -> Option<f64> = $exact;
        }
    )+};
}
implement_element! {
    f32 sum_f32 asum_f32 dot_f32 sum2_f32 dot2_f32 kahan_f32 binned_f32 products_f32 column_sums_f32
    axpy_f32 scal_f32 rot_f32 amax_f32 axpy_complex_f32 scal_complex_f32 amax_complex_f32 dot_pairs_f32
    dot_crossed_f32 exact::exact_sum
    f64 sum_f64 asum_f64 dot_f64 sum2_f64 dot2_f64 kahan_f64 binned_f64 products_f64 column_sums_f64
    axpy_f64 scal_f64 rot_f64 amax_f64 axpy_complex_f64 scal_complex_f64 amax_complex_f64 dot_pairs_f64
    dot_crossed_f64 |_| None
}
