//! Level 1: vectors.

use core::ffi::c_int;
use core::mem::MaybeUninit;

use hotloops::matmul;
use hotloops::reduce::{self, Strided};

/// Elements of a vector that are copied to the stack at a time.
const PIECE: usize = 1024;

/// `n` elements, `stride` apart, from the first on. A negative stride starts at the highest
/// address.
#[derive(Clone, Copy)]
pub(super) struct Vector<T> {
    pub first: *mut T,
    pub n: usize,
    pub stride: isize,
}

impl<T: Copy> Vector<T> {
    /// The vector at `lowest`, the lowest address; empty if `n` is not positive.
    pub(super) fn new(n: c_int, lowest: *const T, stride: c_int) -> Self {
        let (n, stride) = (n.max(0) as usize, stride as isize);
        let before = if stride < 0 { (1 - n as isize) * stride } else { 0 };
        Vector { first: lowest.cast_mut().wrapping_offset(if n == 0 { 0 } else { before }), n, stride }
    }

    #[inline(always)]
    fn at(self, i: usize) -> *mut T {
        self.first.wrapping_offset(i as isize * self.stride)
    }

    /// Writes the elements from `begin` on to `buffer`, as many as fit.
    ///
    /// # Safety
    /// The elements are readable.
    unsafe fn gather<U>(self, begin: usize, buffer: &mut [MaybeUninit<U>; PIECE], convert: impl Fn(T) -> U) -> &[U] {
        let n = PIECE.min(self.n - begin);
        // SAFETY: the caller's contract; the first n elements of the buffer are written.
        unsafe {
            for (i, to) in buffer[..n].iter_mut().enumerate() {
                to.write(convert(*self.at(begin + i)));
            }
            core::slice::from_raw_parts(buffer.as_ptr().cast(), n)
        }
    }
}

impl<T: matmul::Element> Vector<T> {
    /// Calls `run` with the index of the first element, the pointer and the length of contiguous
    /// pieces of the vector times `factor`, in order.
    ///
    /// # Safety
    /// The elements are readable.
    pub(super) unsafe fn pieces(self, factor: T, mut run: impl FnMut(usize, *const T, usize)) {
        if self.stride == 1 && factor == T::ONE {
            return run(0, self.first, self.n);
        }
        let mut buffer = [const { MaybeUninit::uninit() }; PIECE];
        for begin in (0..self.n).step_by(PIECE) {
            // SAFETY: the caller's contract.
            let piece = unsafe { self.gather(begin, &mut buffer, |x| factor * x) };
            run(begin, piece.as_ptr(), piece.len());
        }
    }

    /// # Safety
    /// The elements are readable and writable.
    pub(super) unsafe fn scale(self, factor: T) {
        // SAFETY: the caller's contract.
        unsafe { each(self, self, |x, _| *x = factor * *x) }
    }

    /// # Safety
    /// The elements are writable.
    pub(super) unsafe fn clear(self) {
        // SAFETY: the caller's contract.
        unsafe { each(self, self, |x, _| *x = T::ZERO) }
    }

    /// # Safety
    /// The elements are readable.
    unsafe fn as_strided<'a>(self) -> Strided<'a, T> {
        let extent = self.n.saturating_sub(1) * self.stride.unsigned_abs() + 1;
        let lowest = if self.stride < 0 { self.at(self.n - 1) } else { self.first };
        // SAFETY: the caller's contract. The slice holds the elements.
        unsafe { Strided::new(core::slice::from_raw_parts(lowest, extent), self.n, self.stride).unwrap_unchecked() }
    }
}

/// # Safety
/// `x` and `y` each point to the lowest address of `n` readable elements at their stride.
pub(super) unsafe fn dot<T: matmul::Element>(n: c_int, x: *const T, incx: c_int, y: *const T, incy: c_int) -> T {
    if n <= 0 {
        return T::ZERO;
    }
    // SAFETY: the caller's contract.
    unsafe {
        let (x, y) = (Vector::new(n, x, incx).as_strided(), Vector::new(n, y, incy).as_strided());
        reduce::dot(x, y).unwrap_unchecked()
    }
}

/// # Safety
/// `x` points to `n` readable elements at this stride.
pub(super) unsafe fn asum<T: matmul::Element>(n: c_int, x: *const T, incx: c_int) -> T {
    if n <= 0 || incx <= 0 {
        return T::ZERO;
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
pub(super) unsafe fn nrm2<T: matmul::Element>(n: c_int, x: *const T, incx: c_int) -> T {
    // Below `small`, the rounding errors of 2^31 subnormal squares may exceed half a unit of the
    // sum. Squares of `f32` need no scaling in `f64`.
    let (small, up, down) = match size_of::<T>() {
        4 => (power(-94), 1.0, 1.0),
        _ => (power(-990), power(600), power(-600)),
    };
    // SAFETY: the caller's contract, here and below.
    let square = unsafe { dot(n, x, incx, x, incx) }.to_f64();
    if n <= 0 || square.is_nan() || (small..f64::INFINITY).contains(&square) {
        return T::from_f64(square_root(square));
    }
    let scale = if square < small { up } else { down };
    let (x, mut sum) = (Vector::new(n, x, incx), 0.0);
    let mut buffer = [const { MaybeUninit::uninit() }; PIECE];
    for begin in (0..x.n).step_by(PIECE) {
        // SAFETY: the caller's contract.
        let piece = unsafe { x.gather(begin, &mut buffer, |x| x.to_f64() * scale) };
        sum += reduce::dot(piece, piece).unwrap_or_default();
    }
    T::from_f64(square_root(sum) / scale)
}

/// The square root, correctly rounded.
fn square_root(x: f64) -> f64 {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_mm_cvtsd_f64, _mm_set_sd, _mm_sqrt_sd};
        // SAFETY: every x86-64 CPU has SSE2.
        unsafe { _mm_cvtsd_f64(_mm_sqrt_sd(_mm_set_sd(x), _mm_set_sd(x))) }
    }
    #[cfg(target_arch = "aarch64")]
    {
        use core::arch::aarch64::{vdup_n_f64, vget_lane_f64, vsqrt_f64};
        // SAFETY: every AArch64 CPU that runs Rust's standard targets has NEON.
        unsafe { vget_lane_f64::<0>(vsqrt_f64(vdup_n_f64(x))) }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        unsafe extern "C" {
            safe fn sqrt(x: f64) -> f64;
        }
        sqrt(x)
    }
}

/// The sum of the products, exact in `f64`. Sums of pieces are added to `start` in order.
///
/// # Safety
/// As for [`dot`].
unsafe fn dot_wide(start: f64, n: c_int, x: *const f32, incx: c_int, y: *const f32, incy: c_int) -> f64 {
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
pub(super) unsafe fn dsdot(n: c_int, x: *const f32, incx: c_int, y: *const f32, incy: c_int) -> f64 {
    // SAFETY: the caller's contract.
    unsafe { dot_wide(0.0, n, x, incx, y, incy) }
}

/// # Safety
/// As for [`dot`].
pub(super) unsafe fn sdsdot(n: c_int, alpha: f32, x: *const f32, incx: c_int, y: *const f32, incy: c_int) -> f32 {
    // SAFETY: the caller's contract.
    unsafe { dot_wide(f64::from(alpha), n, x, incx, y, incy) as f32 }
}

/// # Safety
/// As for [`dot`]; the elements of `y` are writable and do not overlap `x`.
pub(super) unsafe fn axpy<T: matmul::Element>(n: c_int, alpha: T, x: *const T, incx: c_int, y: *mut T, incy: c_int) {
    if alpha == T::ZERO {
        return;
    }
    // SAFETY: the caller's contract.
    unsafe { each(Vector::new(n, x, incx), Vector::new(n, y, incy), |x, y| *y = *y + alpha * *x) }
}

/// # Safety
/// `x` points to `n` readable and writable elements at this stride.
pub(super) unsafe fn scal<T: matmul::Element>(n: c_int, alpha: T, x: *mut T, incx: c_int) {
    if incx <= 0 || alpha == T::ONE {
        return;
    }
    // SAFETY: the caller's contract.
    unsafe { Vector::new(n, x, incx).scale(alpha) }
}

/// # Safety
/// As for [`axpy`].
pub(super) unsafe fn copy<T: matmul::Element>(n: c_int, x: *const T, incx: c_int, y: *mut T, incy: c_int) {
    // SAFETY: the caller's contract.
    unsafe { each(Vector::new(n, x, incx), Vector::new(n, y, incy), |x, y| *y = *x) }
}

/// # Safety
/// As for [`axpy`]; the elements of `x` are writable too.
pub(super) unsafe fn swap<T: matmul::Element>(n: c_int, x: *mut T, incx: c_int, y: *mut T, incy: c_int) {
    // SAFETY: the caller's contract.
    unsafe { each(Vector::new(n, x, incx), Vector::new(n, y, incy), |x, y| x.swap(y)) }
}

/// Calls `step` with pointers to the elements, in order.
#[inline(always)]
fn each<T: Copy>(x: Vector<T>, y: Vector<T>, step: impl Fn(*mut T, *mut T)) {
    // A constant stride lets the compiler vectorise.
    if x.stride == 1 && y.stride == 1 {
        for i in 0..x.n {
            step(x.first.wrapping_add(i), y.first.wrapping_add(i));
        }
    } else {
        for i in 0..x.n {
            step(x.at(i), y.at(i));
        }
    }
}
