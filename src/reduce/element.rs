//! The two types of elements.

use crate::math::float::Float;

/// Pointer type of kernels like [`sum_f32()`](super::sum_f32()).
pub type Sum<T> = unsafe extern "C" fn(*const T, usize) -> T;

/// Pointer type of kernels like [`dot_f32()`](super::dot_f32()).
pub type Dot<T> = unsafe extern "C" fn(*const T, *const T, usize) -> T;

/// Pointer type of kernels like [`binned_f32()`](super::binned_f32()).
pub type Binned<T> = unsafe extern "C" fn(*const T, usize, i32, *mut i64) -> u32;

/// Pointer type of kernels like [`products_f32()`](super::products_f32()).
pub type Products<T> = unsafe extern "C" fn(*const T, *const T, usize, i32, *mut i64) -> u32;

/// Pointer type of kernels like [`column_sums_f32()`](super::column_sums_f32()).
pub type ColumnSums<T> = unsafe extern "C" fn(usize, usize, *const T, isize, *mut T);

/// Kernels of vectors that are written, like [`axpy_f32()`](super::axpy_f32()), and of the largest
/// magnitude.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Vectors<T> {
    pub axpy: unsafe extern "C" fn(T, *const T, *mut T, usize),
    pub scal: unsafe extern "C" fn(T, *mut T, usize),
    pub rot: unsafe extern "C" fn(T, T, *mut T, *mut T, usize),
    pub amax: unsafe extern "C" fn(*const T, usize) -> usize,
    pub axpy_complex: unsafe extern "C" fn(T, T, *const T, *mut T, usize),
    pub scal_complex: unsafe extern "C" fn(T, T, *mut T, usize),
    pub amax_complex: unsafe extern "C" fn(*const T, usize) -> usize,
    pub dot_pairs: unsafe extern "C" fn(*const T, *const T, usize, *mut T),
    pub dot_crossed: unsafe extern "C" fn(*const T, *const T, usize, *mut T),
}

/// `f32` or `f64`, with the kernels that reduce slices of it.
pub trait Element: Float {
    #[doc(hidden)]
    const SUM: Sum<Self>;
    #[doc(hidden)]
    const ASUM: Sum<Self>;
    #[doc(hidden)]
    const DOT: Dot<Self>;
    #[doc(hidden)]
    const SUM2: Sum<Self>;
    #[doc(hidden)]
    const DOT2: Dot<Self>;
    #[doc(hidden)]
    const KAHAN: Sum<Self>;
    #[doc(hidden)]
    const BINNED: Binned<Self>;
    #[doc(hidden)]
    const PRODUCTS: Products<Self>;
    #[doc(hidden)]
    const COLUMN_SUMS: ColumnSums<Self>;
    #[doc(hidden)]
    const VECTORS: Vectors<Self>;
    /// The order-independent sum, for slices of which it is an exact sum in `f64`.
    #[doc(hidden)]
    const EXACT: fn(&[Self]) -> Option<f64>;
}
