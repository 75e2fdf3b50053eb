//! The two types of elements.

use super::layout::Layout;
use crate::frame::kernel::Kernel;
use crate::math::float::Float;
use crate::reduce;

/// Pointer type of kernels like [`block_f32()`](super::block_f32()).
pub type BlockFn<T> =
    unsafe extern "C" fn(usize, usize, usize, *const T, isize, isize, *const T, isize, *mut T, *mut T, isize, u32);

/// Pointer type of kernels like [`columns_f32()`](super::columns_f32()).
pub type ColumnsFn<T> = unsafe extern "C" fn(usize, usize, usize, *const T, isize, *const T, isize, *mut T, isize, u32);

/// Pointer type of kernels like [`vector_f32()`](super::vector_f32()) and
/// [`dots_f32()`](super::dots_f32()).
pub type VectorFn<T> = unsafe extern "C" fn(usize, usize, *const T, isize, *const T, *mut T);

/// Pointer type of kernels like [`outer_f32()`](super::outer_f32()).
pub type OuterFn<T> = unsafe extern "C" fn(usize, usize, *const T, isize, *const T, *mut T, isize, u32);

/// Pointer type of kernels like [`tiny_f32()`](super::tiny_f32()).
pub type TinyFn<T> = unsafe extern "C" fn(*const Layout, *const T, *const T, *mut T, u32);

/// Pointer type of kernels like [`transpose_f32()`](super::transpose_f32()).
pub type TransposeFn<T> = unsafe extern "C" fn(usize, usize, *const T, isize, *mut T, isize);

/// `f32` or `f64`, with the kernels that multiply matrices of it.
pub trait Element: Float + reduce::Element {
    #[doc(hidden)]
    const BLOCK: &Kernel<BlockFn<Self>>;
    #[doc(hidden)]
    const COLUMNS: ColumnsFn<Self>;
    #[doc(hidden)]
    const VECTOR: VectorFn<Self>;
    #[doc(hidden)]
    const DOTS: VectorFn<Self>;
    #[doc(hidden)]
    const OUTER: OuterFn<Self>;
    #[doc(hidden)]
    const TINY: &Kernel<TinyFn<Self>>;
    #[doc(hidden)]
    const TRANSPOSE: TransposeFn<Self>;
}
