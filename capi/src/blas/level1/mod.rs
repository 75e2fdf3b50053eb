//! Level 1: vectors.

use core::mem::MaybeUninit;

use hotloops::reduce;

use super::export::prelude::*;
use super::vector::{PIECE, Vector, each};

routines! { real:
    dot(n: Int, x: *const T, incx: Int, y: *const T, incy: Int) -> T;
    asum(n: Int, x: *const T, incx: Int) -> T;
    nrm2(n: Int, x: *const T, incx: Int) -> T;
    axpy(n: Int, alpha: T, x: *const T, incx: Int, y: *mut T, incy: Int);
    scal(n: Int, alpha: T, x: *mut T, incx: Int);
    copy(n: Int, x: *const T, incx: Int, y: *mut T, incy: Int);
    swap(n: Int, x: *mut T, incx: Int, y: *mut T, incy: Int);
}
routine! { "dsdot", f32: dsdot, (n: Int, x: *const f32, incx: Int, y: *const f32, incy: Int) -> f64 }
routine! {
    "sdsdot", f32: sdsdot, (n: Int, alpha: f32, x: *const f32, incx: Int, y: *const f32, incy: Int) -> f32
}

/// # Safety
/// `x` and `y` each point to the lowest address of `n` readable elements at their stride.
unsafe fn dot<T: Real>(n: Int, x: *const T, incx: Int, y: *const T, incy: Int) -> T {
    if n <= 0 {
        return T::zero();
    }
    // SAFETY: the caller's contract.
    unsafe {
        let (x, y) = (Vector::new(n, x, incx).as_strided(), Vector::new(n, y, incy).as_strided());
        reduce::dot(x, y).unwrap_unchecked()
    }
}

/// # Safety
/// `x` points to `n` readable elements at this stride.
unsafe fn asum<T: Real>(n: Int, x: *const T, incx: Int) -> T {
    if n <= 0 || incx <= 0 {
        return T::zero();
    }
    // SAFETY: the caller's contract.
    reduce::asum(unsafe { Vector::new(n, x, incx).as_strided() })
}

/// 2^e.
const fn power(e: i32) -> f64 {
    f64::from_bits(((1023 + e) as u64) << 52)
}

/// The sum of squares is that of [`dot`] if it neither overflows nor loses squares that underflow.
/// Otherwise it is computed in `f64`, scaled by a power of two; sums of pieces are added in order.
///
/// # Safety
/// As for [`asum`].
unsafe fn nrm2<T: Real>(n: Int, x: *const T, incx: Int) -> T {
    // Below `small`, the rounding errors of 2^31 subnormal squares may exceed half a unit of the
    // sum. Squares of `f32` need no scaling in `f64`.
    let (small, up, down) = match size_of::<T>() {
        4 => (power(-94), 1.0, 1.0),
        _ => (power(-990), power(600), power(-600)),
    };
    // SAFETY: the caller's contract, here and below.
    let square = unsafe { dot(n, x, incx, x, incx) }.to_f64();
    if n <= 0 || square.is_nan() || (small..f64::INFINITY).contains(&square) {
        return T::from_f64(square.root());
    }
    let scale = if square < small { up } else { down };
    let (x, mut sum) = (Vector::new(n, x, incx), 0.0);
    let mut buffer = [const { MaybeUninit::uninit() }; PIECE];
    for begin in (0..x.n).step_by(PIECE) {
        // SAFETY: the caller's contract.
        let piece = unsafe { x.gather(begin, &mut buffer, |x| x.to_f64() * scale) };
        sum += reduce::dot(piece, piece).unwrap_or_default();
    }
    T::from_f64(sum.root() / scale)
}

/// The sum of the products, exact in `f64`. Sums of pieces are added to `start` in order.
///
/// # Safety
/// As for [`dot`].
unsafe fn dot_wide(start: f64, n: Int, x: *const f32, incx: Int, y: *const f32, incy: Int) -> f64 {
    let (x, y, mut sum) = (Vector::new(n, x, incx), Vector::new(n, y, incy), start);
    let (mut x_buffer, mut y_buffer) =
        ([const { MaybeUninit::uninit() }; PIECE], [const { MaybeUninit::uninit() }; PIECE]);
    for begin in (0..x.n).step_by(PIECE) {
        // SAFETY: the caller's contract.
        let (x, y) = unsafe { (x.gather(begin, &mut x_buffer, f64::from), y.gather(begin, &mut y_buffer, f64::from)) };
        sum += reduce::dot(x, y).unwrap_or_default();
    }
    sum
}

/// # Safety
/// As for [`dot`].
unsafe fn dsdot(n: Int, x: *const f32, incx: Int, y: *const f32, incy: Int) -> f64 {
    // SAFETY: the caller's contract.
    unsafe { dot_wide(0.0, n, x, incx, y, incy) }
}

/// # Safety
/// As for [`dot`].
unsafe fn sdsdot(n: Int, alpha: f32, x: *const f32, incx: Int, y: *const f32, incy: Int) -> f32 {
    // SAFETY: the caller's contract.
    unsafe { dot_wide(f64::from(alpha), n, x, incx, y, incy) as f32 }
}

/// # Safety
/// As for [`dot`]; the elements of `y` are writable and do not overlap `x`.
unsafe fn axpy<T: Real>(n: Int, alpha: T, x: *const T, incx: Int, y: *mut T, incy: Int) {
    if alpha == T::zero() {
        return;
    }
    // SAFETY: the caller's contract.
    unsafe { each(Vector::new(n, x, incx), Vector::new(n, y, incy), |x, y| *y = *y + alpha * *x) }
}

/// # Safety
/// `x` points to `n` readable and writable elements at this stride.
unsafe fn scal<T: Real>(n: Int, alpha: T, x: *mut T, incx: Int) {
    if incx <= 0 || alpha == T::one() {
        return;
    }
    // SAFETY: the caller's contract.
    unsafe { Vector::new(n, x, incx).scale(alpha) }
}

/// # Safety
/// As for [`axpy`].
unsafe fn copy<T: Real>(n: Int, x: *const T, incx: Int, y: *mut T, incy: Int) {
    // SAFETY: the caller's contract.
    unsafe { each(Vector::new(n, x, incx), Vector::new(n, y, incy), |x, y| *y = *x) }
}

/// # Safety
/// As for [`axpy`]; the elements of `x` are writable too.
unsafe fn swap<T: Real>(n: Int, x: *mut T, incx: Int, y: *mut T, incy: Int) {
    // SAFETY: the caller's contract.
    unsafe { each(Vector::new(n, x, incx), Vector::new(n, y, incy), |x, y| x.swap(y)) }
}
