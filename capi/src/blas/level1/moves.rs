//! Sums of scaled vectors, copies and exchanges.

use hotloops::reduce::{self, Element};

use super::super::Int;
use super::super::number::{Complex, Number, Real};
use super::super::vector::{Vector, each};

/// # Safety
/// `x` and `y` each point to the lowest address of `n` readable elements at their stride; those of `y`
/// are writable and do not overlap `x`.
pub(super) unsafe fn axpy<T: Number>(n: Int, alpha: T, x: *const T, incx: Int, y: *mut T, incy: Int) {
    if alpha == T::zero() {
        return;
    }
    let (x, y) = (Vector::new(n, x, incx), Vector::new(n, y, incy));
    let kernels = T::Real::VECTORS;
    let parts = (x.first.cast::<T::Real>(), y.first.cast::<T::Real>());
    // SAFETY: the caller's contract.
    unsafe {
        match (incx, incy) {
            (1, 1) if T::IS_COMPLEX => (kernels.axpy_complex)(alpha.re(), alpha.im(), parts.0, parts.1, x.n),
            (1, 1) => (kernels.axpy)(alpha.re(), parts.0, parts.1, x.n),
            _ => each(x, y, |x, y| *y = *y + alpha * *x),
        }
    }
}

/// An operand with factor 0 is not read.
///
/// # Safety
/// As for [`axpy`].
pub(super) unsafe fn axpby<T: Number>(n: Int, alpha: T, x: *const T, incx: Int, beta: T, y: *mut T, incy: Int) {
    let (x, y) = (Vector::new(n, x, incx), Vector::new(n, y, incy));
    // SAFETY: the caller's contract.
    unsafe {
        match (alpha == T::zero(), beta == T::zero()) {
            (true, true) => y.clear(),
            (true, false) => y.scale(beta),
            (false, true) => each(x, y, |x, y| *y = alpha * *x),
            (false, false) => each(x, y, |x, y| *y = alpha * *x + beta * *y),
        }
    }
}

/// # Safety
/// `x` points to `n` readable and writable elements at this stride.
pub(super) unsafe fn scal<T: Number>(n: Int, alpha: T, x: *mut T, incx: Int) {
    if incx <= 0 || alpha == T::one() {
        return;
    }
    // SAFETY: the caller's contract.
    unsafe { Vector::new(n, x, incx).scale(alpha) }
}

/// Complex numbers times a real one.
///
/// # Safety
/// As for [`scal`].
pub(super) unsafe fn scal_real<R: Real>(n: Int, alpha: R, x: *mut Complex<R>, incx: Int) {
    if incx <= 0 || alpha == R::one() {
        return;
    }
    let x = Vector::new(n, x, incx);
    // SAFETY: the caller's contract.
    unsafe {
        if incx == 1 {
            return x.parts().scale(alpha);
        }
        each(x, x, |x, _| *x = Complex { re: alpha * (*x).re, im: alpha * (*x).im });
    }
}

/// # Safety
/// As for [`axpy`].
pub(super) unsafe fn copy<T: Number>(n: Int, x: *const T, incx: Int, y: *mut T, incy: Int) {
    let (x, y) = (Vector::new(n, x, incx), Vector::new(n, y, incy));
    // SAFETY: the caller's contract. If elements overlap after all, both ways copy something.
    unsafe {
        match (incx, incy) {
            (1, 1) => core::ptr::copy(x.first, y.first, x.n),
            _ => each(x, y, |x, y| *y = *x),
        }
    }
}

/// # Safety
/// As for [`axpy`]; the elements of `x` are writable too.
pub(super) unsafe fn swap<T: Number>(n: Int, x: *mut T, incx: Int, y: *mut T, incy: Int) {
    let (x, y) = (Vector::new(n, x, incx), Vector::new(n, y, incy));
    // SAFETY: the caller's contract.
    unsafe {
        match (incx, incy) {
            (1, 1) => reduce::swap_u32(x.first.cast(), y.first.cast(), x.n * (size_of::<T>() / 4)),
            _ => each(x, y, |x, y| x.swap(y)),
        }
    }
}
