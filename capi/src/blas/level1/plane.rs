//! Rotations of the pairs (x, y) of two vectors.

use super::super::Int;
use super::super::number::{Complex, Real};
use super::super::vector::{Vector, each};

/// # Safety
/// `x` and `y` each point to the lowest address of `n` readable and writable elements at their stride,
/// which do not overlap.
pub(super) unsafe fn rot<R: Real>(n: Int, x: *mut R, incx: Int, y: *mut R, incy: Int, c: R, s: R) {
    // SAFETY: the caller's contract.
    unsafe { rotate(Vector::new(n, x, incx), Vector::new(n, y, incy), c, s) }
}

/// # Safety
/// As for [`rot`].
unsafe fn rotate<R: Real>(x: Vector<R>, y: Vector<R>, c: R, s: R) {
    // SAFETY: the caller's contract.
    unsafe {
        match (x.stride, y.stride) {
            (1, 1) => (R::VECTORS.rot)(c, s, x.first, y.first, x.n),
            _ => each(x, y, |x, y| (*x, *y) = (c * *x + s * *y, c * *y - s * *x)),
        }
    }
}

/// Rotates the real and the imaginary parts.
///
/// # Safety
/// As for [`rot`].
pub(super) unsafe fn rot_complex<R: Real>(
    n: Int,
    x: *mut Complex<R>,
    incx: Int,
    y: *mut Complex<R>,
    incy: Int,
    c: R,
    s: R,
) {
    let (x, y) = (Vector::new(n, x, incx), Vector::new(n, y, incy));
    // SAFETY: the caller's contract.
    unsafe {
        if incx == 1 && incy == 1 {
            return rotate(x.parts(), y.parts(), c, s);
        }
        let times = |a: R, z: Complex<R>| Complex { re: a * z.re, im: a * z.im };
        each(x, y, |x, y| (*x, *y) = (times(c, *x) + times(s, *y), times(c, *y) - times(s, *x)));
    }
}

/// `p` has the flag and h11, h21, h12, h22.
///
/// # Safety
/// As for [`rot`]; `p` points to five readable numbers.
pub(super) unsafe fn rotm<R: Real>(n: Int, x: *mut R, incx: Int, y: *mut R, incy: Int, p: *const R) {
    let (x, y) = (Vector::new(n, x, incx), Vector::new(n, y, incy));
    if x.n == 0 {
        return;
    }
    // SAFETY: the caller's contract.
    unsafe {
        let flag = *p;
        if flag == -R::one() - R::one() {
            return;
        }
        // An element that the flag implies is not read.
        let h = |i| *p.add(i);
        if flag < R::zero() {
            let (h11, h21, h12, h22) = (h(1), h(2), h(3), h(4));
            each(x, y, |x, y| (*x, *y) = (*x * h11 + *y * h12, *x * h21 + *y * h22));
        } else if flag == R::zero() {
            let (h21, h12) = (h(2), h(3));
            each(x, y, |x, y| (*x, *y) = (*x + *y * h12, *x * h21 + *y));
        } else {
            let (h11, h22) = (h(1), h(4));
            each(x, y, |x, y| (*x, *y) = (*x * h11 + *y, -*x + h22 * *y));
        }
    }
}
