//! Kernels for the algebras that networks use most: their products are straight code, made at compile
//! time from the table of the algebra.

#[cfg(avx2)]
mod avx2;
#[cfg(avx512)]
mod avx512;
mod kernels;
#[cfg(any(sse2, neon))]
pub(super) mod lanes;
#[cfg(neon)]
mod neon;
mod scalar;
#[cfg(sse2)]
mod sse2;
mod table;

pub use kernels::*;

use super::signature::Signature;
use table::ALGEBRAS;

/// The number by which the kernels call the algebra, if they have code for it.
pub(super) fn number(signature: &Signature) -> Option<usize> {
    ALGEBRAS.iter().position(|squares| *squares == signature.squares())
}

/// The kernels for an element type.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Kernels<T> {
    pub product: unsafe extern "C" fn(usize, *const T, *const T, usize, *mut T),
    pub sandwich: unsafe extern "C" fn(usize, *const T, *const T, usize, *mut T),
    pub weighted: unsafe extern "C" fn(usize, usize, *const T, *const T, *const T, usize, *mut T),
}

pub(super) const SINGLE: Kernels<f32> =
    Kernels { product: common_product_f32, sandwich: common_sandwich_f32, weighted: common_weighted_f32 };
pub(super) const DOUBLE: Kernels<f64> =
    Kernels { product: common_product_f64, sandwich: common_sandwich_f64, weighted: common_weighted_f64 };
