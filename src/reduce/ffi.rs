//! The C functions of the family. They convert pointers for the safe API and its errors to a
//! status.

use super::axis::{self, row_sums};
use super::element::Element;
use super::repro::{Repro, dot_repro, sum_repro};
use super::strided::{Strided, extent};
use super::sums::{asum, dot, sum};
use crate::frame::error::Error;
use crate::frame::ffi::{Status, create, destroy, non_null, non_null_mut, slice, slice_mut, status};

/// # Safety
/// `x` is null or points to the element with the lowest address; all elements are readable.
unsafe fn strided<'a, T: Element>(
    x: *const T,
    n: usize,
    stride: isize,
    [argument, stride_argument]: [&'static str; 2],
) -> Result<Strided<'a, T>, Error> {
    // SAFETY: the caller's contract.
    Strided::new(unsafe { slice(x, extent(n, stride, stride_argument)?, argument) }?, n, stride)
}

/// # Safety
/// As for [`strided`]; `result` is null or writable.
unsafe fn reduce<T: Element>(
    x: *const T,
    n: usize,
    stride: isize,
    result: *mut T,
    function: impl FnOnce(Strided<T>) -> T,
) -> Status {
    let reduce = || {
        // SAFETY: the caller's contract.
        let (result, x) = unsafe { (non_null_mut(result, "result")?, strided(x, n, stride, ["x", "stride"])?) };
        *result = function(x);
        Ok(())
    };
    status(reduce())
}

/// # Safety
/// As for [`reduce`].
unsafe fn reduce_two<T: Element>(
    x: *const T,
    x_stride: isize,
    y: *const T,
    y_stride: isize,
    n: usize,
    result: *mut T,
) -> Status {
    let reduce = || {
        // SAFETY: the caller's contract.
        let (result, x, y) = unsafe {
            (
                non_null_mut(result, "result")?,
                strided(x, n, x_stride, ["x", "x_stride"])?,
                strided(y, n, y_stride, ["y", "y_stride"])?,
            )
        };
        *result = dot(x, y)?;
        Ok(())
    };
    status(reduce())
}

macro_rules! export_for_type {
    ($type:ident $sum_strided:ident $asum_strided:ident $dot_strided:ident $row_sums:ident $sum_repro:ident
     $dot_repro:ident $add:ident $add_products:ident) => {
        /// The sum of `n` elements, `stride` apart; a negative stride starts at the last of them.
        ///
        /// # Safety
        /// `x` is null or points to the element with the lowest address; all elements are readable.
        /// `result` is null or writable.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $sum_strided(x: *const $type, n: usize, stride: isize, result: *mut $type) -> Status {
            // SAFETY: the caller's contract.
            unsafe { reduce(x, n, stride, result, |x| sum(x)) }
        }

        /// The sum of the magnitudes of `n` elements, `stride` apart; a negative stride starts at
        /// the last of them.
        ///
        /// # Safety
        /// `x` is null or points to the element with the lowest address; all elements are readable.
        /// `result` is null or writable.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $asum_strided(x: *const $type, n: usize, stride: isize, result: *mut $type) -> Status {
            // SAFETY: the caller's contract.
            unsafe { reduce(x, n, stride, result, |x| asum(x)) }
        }

        /// The dot product of `n` elements each, `x_stride` and `y_stride` apart; a negative stride
        /// starts at the last of them.
        ///
        /// # Safety
        /// `x` and `y` are null or point to their elements with the lowest address; all elements
        /// are readable. `result` is null or writable.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $dot_strided(
            x: *const $type,
            y: *const $type,
            n: usize,
            x_stride: isize,
            y_stride: isize,
            result: *mut $type,
        ) -> Status {
            // SAFETY: the caller's contract.
            unsafe { reduce_two(x, x_stride, y, y_stride, n, result) }
        }

        /// The sum of each of `m` rows of `n` elements.
        ///
        /// # Safety
        /// `x` is null or points to element (0, 0) of a matrix with these strides; `sums` is null or
        /// points to `m` writable elements outside of it.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $row_sums(
            x: *const $type,
            m: usize,
            n: usize,
            row: isize,
            column: isize,
            sums: *mut $type,
        ) -> Status {
            let write = || {
                let extent = axis::extent([m, n], [row, column]);
                let (length, first) = extent.map_err(|_| Error::TooLarge { argument: "x" })?;
                // SAFETY: the caller's contract.
                unsafe {
                    let start = if length == 0 || x.is_null() { x } else { x.wrapping_sub(first) };
                    row_sums(slice(start, length, "x")?, [m, n], [row, column], slice_mut(sums, m, "sums")?)
                }
            };
            status(write())
        }

        /// The dot product of `x[0..n]` and `y[0..n]`, with bits that do not depend on the order of
        /// the pairs.
        ///
        /// # Safety
        /// `x` and `y` are null or point to `n` readable elements; they are ignored if `n` is 0. If
        /// one is null and `n` is not 0, the result is NaN.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $dot_repro(x: *const $type, y: *const $type, n: usize) -> $type {
            // SAFETY: the caller's contract.
            let slices = || unsafe { Ok::<_, Error>((slice(x, n, "x")?, slice(y, n, "y")?)) };
            slices().and_then(|(x, y)| dot_repro(x, y)).unwrap_or($type::NAN)
        }

        /// Adds the products `x[i] * y[i]` for i < `n`.
        ///
        /// # Safety
        /// `repro` is null or a sum; `x` and `y` are null or point to `n` readable elements.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $add_products(
            repro: *mut Repro,
            x: *const $type,
            y: *const $type,
            n: usize,
        ) -> Status {
            let add = || {
                // SAFETY: the caller's contract.
                let (repro, x, y) = unsafe { (non_null_mut(repro, "repro")?, slice(x, n, "x")?, slice(y, n, "y")?) };
                repro.extend_products(x, y)
            };
            status(add())
        }

        /// The sum of `x[0..n]`, with bits that do not depend on the order of the elements.
        ///
        /// # Safety
        /// `x` is null or points to `n` readable elements; it is ignored if `n` is 0. If it is null
        /// and `n` is not 0, the result is NaN.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $sum_repro(x: *const $type, n: usize) -> $type {
            // SAFETY: the caller's contract.
            unsafe { slice(x, n, "x") }.map_or($type::NAN, sum_repro)
        }

        /// Adds `x[0..n]`.
        ///
        /// # Safety
        /// `repro` is null or a sum; `x` is null or points to `n` readable elements.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $add(repro: *mut Repro, x: *const $type, n: usize) -> Status {
            let add = || {
                // SAFETY: the caller's contract.
                let (repro, x) = unsafe { (non_null_mut(repro, "repro")?, slice(x, n, "x")?) };
                repro.extend(x);
                Ok(())
            };
            status(add())
        }
    };
}
export_for_type! {
    f32 hl_reduce_sum_strided_f32 hl_reduce_asum_strided_f32 hl_reduce_dot_strided_f32 hl_reduce_row_sums_f32
    hl_reduce_sum_repro_f32 hl_reduce_dot_repro_f32 hl_reduce_repro_add_f32 hl_reduce_repro_add_products_f32
}
export_for_type! {
    f64 hl_reduce_sum_strided_f64 hl_reduce_asum_strided_f64 hl_reduce_dot_strided_f64 hl_reduce_row_sums_f64
    hl_reduce_sum_repro_f64 hl_reduce_dot_repro_f64 hl_reduce_repro_add_f64 hl_reduce_repro_add_products_f64
}

/// Creates an empty sum. Destroy it with [`hl_reduce_repro_destroy`].
///
/// # Safety
/// `repro` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_reduce_repro_create(repro: *mut *mut Repro) -> Status {
    // SAFETY: the caller's contract.
    unsafe { create(repro, "repro", || Ok(Repro::new())) }
}

/// Creates a sum from a saved state. Destroy it with [`hl_reduce_repro_destroy`].
///
/// # Safety
/// `bytes` is null or points to `size` readable bytes; `repro` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_reduce_repro_create_from_state(
    bytes: *const u8,
    size: usize,
    repro: *mut *mut Repro,
) -> Status {
    // SAFETY: the caller's contract.
    unsafe { create(repro, "repro", || Repro::from_state_bytes(slice(bytes, size, "bytes")?)) }
}

/// Frees a sum; null is legal.
///
/// # Safety
/// `repro` is null or a sum that is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_reduce_repro_destroy(repro: *mut Repro) {
    // SAFETY: the caller's contract.
    unsafe { destroy(repro) }
}

/// Adds the terms of another sum.
///
/// # Safety
/// `repro` and `other` are null or sums; they may be the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_reduce_repro_merge(repro: *mut Repro, other: *const Repro) -> Status {
    let merge = || {
        // SAFETY: the caller's contract; the other sum is copied first.
        let other = *unsafe { non_null(other, "other") }?;
        // SAFETY: the caller's contract; no reference to the other is left.
        unsafe { non_null_mut(repro, "repro") }?.merge(&other);
        Ok(())
    };
    status(merge())
}

/// Writes the sum of all terms.
///
/// # Safety
/// `repro` is null or a sum; `sum` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_reduce_repro_sum(repro: *const Repro, sum: *mut f64) -> Status {
    let write = || {
        // SAFETY: the caller's contract.
        let (repro, sum) = unsafe { (non_null(repro, "repro")?, non_null_mut(sum, "sum")?) };
        *sum = repro.sum();
        Ok(())
    };
    status(write())
}

/// Saves the state as `size` bytes, identical on every machine. `size` is [`Repro::STATE_LEN`].
///
/// # Safety
/// `repro` is null or a sum; `bytes` is null or points to `size` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_reduce_repro_get_state(repro: *const Repro, bytes: *mut u8, size: usize) -> Status {
    let save = || {
        // SAFETY: the caller's contract.
        let (repro, bytes) = unsafe { (non_null(repro, "repro")?, slice_mut(bytes, size, "bytes")?) };
        repro.state_bytes(bytes)
    };
    status(save())
}
