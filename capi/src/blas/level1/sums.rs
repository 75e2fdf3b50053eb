//! Dot products, sums and norms.

use core::mem::MaybeUninit;

use hotloops::reduce;

use super::super::Int;
use super::super::number::{Complex, Real};
use super::super::vector::{PIECE, Vector};

/// # Safety
/// `x` and `y` each point to the lowest address of `n` readable elements at their stride.
pub(super) unsafe fn dot<T: Real>(n: Int, x: *const T, incx: Int, y: *const T, incy: Int) -> T {
    // SAFETY: the caller's contract.
    unsafe { product(Vector::new(n, x, incx), Vector::new(n, y, incy)) }
}

/// # Safety
/// The elements are readable, as many of `x` as of `y`.
unsafe fn product<T: Real>(x: Vector<T>, y: Vector<T>) -> T {
    if x.n == 0 {
        return T::zero();
    }
    // SAFETY: the caller's contract.
    unsafe {
        match [x.stride, y.stride] {
            [1, 1] => (T::DOT)(x.first, y.first, x.n),
            _ => reduce::dot(x.as_strided(), y.as_strided()).unwrap_unchecked(),
        }
    }
}

/// The dot products of the parts: re re, im im, re im, im re.
///
/// # Safety
/// As for [`dot`].
unsafe fn products<R: Real>(n: Int, x: *const Complex<R>, incx: Int, y: *const Complex<R>, incy: Int) -> [R; 4] {
    let (x, y) = (Vector::new(n, x, incx), Vector::new(n, y, incy));
    let mut sums = [R::zero(); 4];
    // SAFETY: the caller's contract.
    unsafe {
        x.contiguous(|x| {
            y.contiguous(|y| {
                let (x, y) = (x.parts(), y.parts());
                (R::VECTORS.dot_pairs)(x.first, y.first, x.n, sums.as_mut_ptr());
                (R::VECTORS.dot_crossed)(x.first, y.first, x.n / 2, sums[2..].as_mut_ptr());
            });
        });
    }
    sums
}

/// # Safety
/// As for [`dot`].
pub(super) unsafe fn dotu<R: Real>(
    n: Int,
    x: *const Complex<R>,
    incx: Int,
    y: *const Complex<R>,
    incy: Int,
) -> Complex<R> {
    // SAFETY: the caller's contract.
    let [rr, ii, ri, ir] = unsafe { products(n, x, incx, y, incy) };
    Complex { re: rr - ii, im: ri + ir }
}

/// `x` is conjugated.
///
/// # Safety
/// As for [`dot`].
pub(super) unsafe fn dotc<R: Real>(
    n: Int,
    x: *const Complex<R>,
    incx: Int,
    y: *const Complex<R>,
    incy: Int,
) -> Complex<R> {
    // SAFETY: the caller's contract.
    let [rr, ii, ri, ir] = unsafe { products(n, x, incx, y, incy) };
    Complex { re: rr + ii, im: ri - ir }
}

/// [`dotu`] as C has it.
///
/// # Safety
/// As for [`dot`]; `to` is writable.
pub(super) unsafe fn dotu_sub<R: Real>(
    n: Int,
    x: *const Complex<R>,
    incx: Int,
    y: *const Complex<R>,
    incy: Int,
    to: *mut Complex<R>,
) {
    // SAFETY: the caller's contract.
    unsafe { *to = dotu(n, x, incx, y, incy) }
}

/// [`dotc`] as C has it.
///
/// # Safety
/// As for [`dotu_sub`].
pub(super) unsafe fn dotc_sub<R: Real>(
    n: Int,
    x: *const Complex<R>,
    incx: Int,
    y: *const Complex<R>,
    incy: Int,
    to: *mut Complex<R>,
) {
    // SAFETY: the caller's contract.
    unsafe { *to = dotc(n, x, incx, y, incy) }
}

/// # Safety
/// `x` points to `n` readable elements at this stride.
pub(super) unsafe fn sum<T: Real>(n: Int, x: *const T, incx: Int) -> T {
    // SAFETY: the caller's contract.
    unsafe { of(n, x, incx, |x| reduce::sum(x.as_strided())) }
}

/// # Safety
/// As for [`sum`].
pub(super) unsafe fn asum<T: Real>(n: Int, x: *const T, incx: Int) -> T {
    // SAFETY: the caller's contract.
    unsafe { of(n, x, incx, |x| reduce::asum(x.as_strided())) }
}

/// The sum of the parts.
///
/// # Safety
/// As for [`sum`].
pub(super) unsafe fn sum_complex<R: Real>(n: Int, x: *const Complex<R>, incx: Int) -> R {
    // SAFETY: the caller's contract.
    unsafe { of(n, x, incx, |x| x.contiguous(|x| reduce::sum(x.parts().as_strided()))) }
}

/// # Safety
/// As for [`sum`].
pub(super) unsafe fn asum_complex<R: Real>(n: Int, x: *const Complex<R>, incx: Int) -> R {
    // SAFETY: the caller's contract.
    unsafe { of(n, x, incx, |x| x.contiguous(|x| reduce::asum(x.parts().as_strided()))) }
}

/// 0 if `n` or `incx` is not positive.
fn of<T: Copy, R: Real>(n: Int, x: *const T, incx: Int, sum: impl FnOnce(Vector<T>) -> R) -> R {
    if n <= 0 || incx <= 0 { R::zero() } else { sum(Vector::new(n, x, incx)) }
}

/// # Safety
/// As for [`sum`].
pub(super) unsafe fn nrm2<T: Real>(n: Int, x: *const T, incx: Int) -> T {
    // SAFETY: the caller's contract.
    unsafe { norm(Vector::new(n, x, incx)) }
}

/// The norm of the parts.
///
/// # Safety
/// As for [`sum`].
pub(super) unsafe fn nrm2_complex<R: Real>(n: Int, x: *const Complex<R>, incx: Int) -> R {
    // SAFETY: the caller's contract.
    unsafe { Vector::new(n, x, incx).contiguous(|x| norm(x.parts())) }
}

/// 2^e.
const fn power(e: i32) -> f64 {
    f64::from_bits(((1023 + e) as u64) << 52)
}

/// The sum of squares is that of [`dot`] if it neither overflows nor loses squares that underflow.
/// Otherwise it is computed in `f64`, scaled by a power of two; sums of pieces are added in order.
///
/// # Safety
/// The elements are readable.
unsafe fn norm<T: Real>(x: Vector<T>) -> T {
    // Below `small`, the rounding errors of 2^31 subnormal squares may exceed half a unit of the
    // sum. Squares of `f32` need no scaling in `f64`.
    let (small, up, down) = match size_of::<T>() {
        4 => (power(-94), 1.0, 1.0),
        _ => (power(-990), power(600), power(-600)),
    };
    // SAFETY: the caller's contract, here and below.
    let square = unsafe { product(x, x) }.to_f64();
    if x.n == 0 || square.is_nan() || (small..f64::INFINITY).contains(&square) {
        return T::from_f64(square.root());
    }
    let scale = if square < small { up } else { down };
    let mut sum = 0.0;
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
pub(super) unsafe fn dsdot(n: Int, x: *const f32, incx: Int, y: *const f32, incy: Int) -> f64 {
    // SAFETY: the caller's contract.
    unsafe { dot_wide(0.0, n, x, incx, y, incy) }
}

/// # Safety
/// As for [`dot`].
pub(super) unsafe fn sdsdot(n: Int, alpha: f32, x: *const f32, incx: Int, y: *const f32, incy: Int) -> f32 {
    // SAFETY: the caller's contract.
    unsafe { dot_wide(f64::from(alpha), n, x, incx, y, incy) as f32 }
}
