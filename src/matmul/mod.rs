//! Matrix multiplication with the same bits on every machine.
//!
//! `C = alpha A B + beta C` in `f32` or `f64`, for any sizes, strides and transpositions:
//!
//! | functions | multiply |
//! |---|---|
//! | [`gemm`] | anything |
//! | [`gemm_in`] | with [`Options`] and your own workspace, without allocating |
//! | [`Plan`] | many products of one shape |
//! | [`PackedB`], [`gemm_packed`] | many A with one B |
//! | [`syrk`], [`syrk_in`] | a matrix by its transpose |
//! | [`gemm_with_epilogue`], [`gemm_packed_with_epilogue`] | with a bias and an activation |
//!
//! # Source
//! The task comes from Huang, "Optimizing Single-Core CPU software" (2025). Cache blocking and
//! packed panels follow Goto, van de Geijn, "Anatomy of high-performance matrix multiplication"
//! (ACM TOMS 34, 2008).
//!
//! # Method
//! By default, each element of C is one chain of fused multiply-adds over ascending k:
//!
//! ```text
//! c[i, j] = beta c[i, j], rounded (0 if beta is 0: C is not read then)
//! for p in 0..k:   c[i, j] = fma(alpha a[i, p], b[p, j], c[i, j]), with alpha a rounded
//! ```
//!
//! # Layout
//! Matrices are views of slices ([`MatRef`], [`MatMut`]): row-major, column-major, or with any
//! [`Strides`], in elements.
//!
//! ```text
//!         j: panels of nc columns                        one block kernel call: mc rows, one sliver
//!         +-----------+                                   +----+
//!   k: kc |  packed   |  slivers of NR columns, kc rows   | NR |  kc      B sliver: L1, L2
//!         +-----------+                                   +----+
//!   +--+  +-----------+                            +----+ +----+
//! i |mc|  |     C     |                         mc | A  | | C  |  MR x NR in registers, kc steps
//!   +--+  +-----------+                            +----+ +----+          A block: L2
//! ```
//!
//! # Example
//! ```
//! use hotloops::matmul::{MatMut, MatRef, gemm};
//!
//! // A is 2 x 3, in rows; B is 3 x 2, in columns.
//! let a = MatRef::row_major(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3, 3)?;
//! let b = MatRef::column_major(&[1.0, 0.0, 1.0, 0.0, 2.0, 0.0], 3, 2, 3)?;
//! let mut c = [100.0f64; 4];
//! gemm(1.0, a, b, 0.5, MatMut::row_major(&mut c, 2, 2, 2)?)?;
//! assert_eq!(c, [54.0, 54.0, 60.0, 60.0]);
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! # Exactness
//! The bits of an element do not depend on tiles, blocking, the shape of C, threads or the
//! instruction set: a row multiplied alone equals that row of the whole product, but
//! [`Order::Fast`] may split k. NaN results have any sign and payload. SSE2 has no fused multiply-add: it computes
//! them by exact products and sums, at about a sixth (`f32`) or a twelfth (`f64`) of the speed of products that are
//! rounded twice.
//!
//! # Errors
//! [`Error::Length`] names the row or column count that does not match, or the slice or workspace
//! that is too short; [`Error::Stride`] if elements of C may coincide; [`Error::Index`] for blocks
//! outside a view; [`Error::NoMemory`].

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

mod blocking;
#[cfg(any(sse2, neon))]
mod dots;
mod element;
mod epilogue;
mod execute;
#[cfg(feature = "c-api")]
mod ffi;
mod gemm;
mod kernels;
mod layout;
mod options;
mod pack;
mod packed;
mod plan;
#[cfg(any(sse2, neon))]
mod strips;
mod syrk;
#[cfg(any(sse2, neon))]
mod tiles;
#[cfg(any(sse2, neon))]
mod transpose;
mod view;
mod workspace;

pub use blocking::rows_in_place;
pub use element::Element;
pub use epilogue::{Activation, Bias, Epilogue, gemm_packed_with_epilogue, gemm_with_epilogue};
pub(crate) use gemm::gemm_in_place;
pub use gemm::{gemm, gemm_in, gemm_packed, workspace_bytes};
pub use kernels::*;
pub use layout::Layout;
pub use options::{Options, Order};
pub use packed::PackedB;
pub use plan::Plan;
pub use syrk::{Triangle, syrk, syrk_in};
pub use view::{MatMut, MatRef, Strides};

#[cfg(doc)]
use crate::Error;
use crate::frame::kernel::Kernel;
use element::{BlockFn, ColumnsFn, OuterFn, TinyFn, TransposeFn, VectorFn};

macro_rules! implement_element {
    ($($type:ident $block:ident $columns:ident $vector:ident $dots:ident $outer:ident $tiny:ident
        $transpose:ident)+) => {$(
        impl Element for $type {
            const BLOCK: &Kernel<BlockFn<Self>> = &$block::KERNEL;
            const COLUMNS: ColumnsFn<Self> = $columns;
            const VECTOR: VectorFn<Self> = $vector;
            const DOTS: VectorFn<Self> = $dots;
            const OUTER: OuterFn<Self> = $outer;
            const TINY: &Kernel<TinyFn<Self>> = &$tiny::KERNEL;
            const TRANSPOSE: TransposeFn<Self> = $transpose;
        }
    )+};
}
implement_element! {
    f32 block_f32 columns_f32 vector_f32 dots_f32 outer_f32 tiny_f32 transpose_f32
    f64 block_f64 columns_f64 vector_f64 dots_f64 outer_f64 tiny_f64 transpose_f64
}
