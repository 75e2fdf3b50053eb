//! The four types of BLAS.

use core::ops::{Add, Mul, Neg, Sub};

use hotloops::matmul::{self, MatMut, MatRef};

use super::simd::Simd;
use super::view::View;

/// A real type. Operations of one number round once; [`fma`](hotloops::Float::fma) does it in
/// software and is for a few numbers only.
pub(super) trait Real: Number<Real = Self> + matmul::Element + Simd {
    /// The quotient, rounded once.
    fn quotient(self, by: Self) -> Self;
    /// The square root, rounded once.
    fn root(self) -> Self;
    /// `C += A B` for a `shape` of \[m, n, k\] in one call of the kernel, for a few elements: a product of
    /// [`matmul::gemm`] without its plan. Element (i, p) of A is at `a.0 + i a.1 + p a.2`, (p, j) of B at
    /// `b.0 + p b.1 + j`, (i, j) of C at `c.0 + i c.1 + j`.
    ///
    /// # Safety
    /// All these elements are readable, those of C are writable and overlap no other.
    unsafe fn fuse(shape: [usize; 3], a: (*const Self, isize, isize), b: (*const Self, isize), c: (*mut Self, isize));
    /// As [`fuse`](Self::fuse), for a tile of more elements; `C = A B` unless it `adds`.
    ///
    /// # Safety
    /// As for [`fuse`](Self::fuse). C is not read unless it `adds`.
    unsafe fn tile(
        shape: [usize; 3],
        a: (*const Self, isize, isize),
        b: (*const Self, isize),
        c: (*mut Self, isize),
        adds: bool,
    );
    /// Adds `m` rows times x to the `m` elements of `c`, each a chain over ascending elements of the row;
    /// rows are `a.1` apart.
    ///
    /// # Safety
    /// A row has at least 64 bytes, and the `m` elements have 32, 64, 96 or 128. All these elements are
    /// readable, those of `c` are writable and overlap no other.
    unsafe fn fuse_rows(size: [usize; 2], a: (*const Self, isize), x: *const Self, c: *mut Self);
    /// Element (i, j) of `m` rows of `n` at `from.0 + i from.1 + j` goes to `to.0 + j to.1 + i`.
    ///
    /// # Safety
    /// The elements of `from` are readable, those of `to` are writable, and they do not overlap.
    unsafe fn transpose(size: [usize; 2], from: (*const Self, isize), to: (*mut Self, isize));
}

/// `f32`, `f64`, or a complex number of these.
pub(super) trait Number:
    Copy
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + Send
    + Sync
    + 'static
{
    type Real: Real;
    const IS_COMPLEX: bool;
    fn zero() -> Self;
    fn one() -> Self;

    fn from_real(x: Self::Real) -> Self;
    fn re(self) -> Self::Real;
    /// 0 for a real number.
    fn im(self) -> Self::Real;
    fn conj(self) -> Self;
    /// The quotient: of complex numbers by Smith's method (CACM 5, 1962, p. 435), each operation
    /// rounded.
    fn divided_by(self, by: Self) -> Self;

    /// `C = alpha A B + beta C` on this thread; of real numbers [`matmul::gemm`], of complex ones four
    /// chains.
    ///
    /// # Safety
    /// The elements of A and B are readable, those of C are writable and overlap no other. The
    /// shapes match. C is not conjugated, and A and B of real numbers neither.
    unsafe fn product_alone(alpha: Self, a: View<Self>, b: View<Self>, beta: Self, c: View<Self>);
}

/// A complex number, in memory as those of C and Fortran. A function returns it as theirs do in the
/// ABIs of Unix.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(super) struct Complex<R> {
    pub re: R,
    pub im: R,
}

macro_rules! real {
    ($($type:ident $root:ident $block:ident $outer:ident $vector:ident $transpose:ident)+) => {$(
        impl Real for $type {
            #[inline(always)]
            fn quotient(self, by: Self) -> Self {
                self / by
            }

            #[inline(always)]
            fn root(self) -> Self {
                $root(self)
            }

            #[inline(always)]
            unsafe fn fuse(
                [m, n, k]: [usize; 3],
                a: (*const Self, isize, isize),
                b: (*const Self, isize),
                c: (*mut Self, isize),
            ) {
                let null = core::ptr::null_mut();
                // SAFETY: the caller's contract; the kernel of outer products takes rows of 64 bytes and more.
                unsafe {
                    if k == 1 && n >= 64 / size_of::<$type>() {
                        matmul::$outer(m, n, a.0, a.1, b.0, c.0, c.1, 1);
                    } else {
                        matmul::$block(m, n, k, a.0, a.1, a.2, b.0, b.1, null, c.0, c.1, 1);
                    }
                }
            }

            #[inline(always)]
            unsafe fn tile(
                [m, n, k]: [usize; 3],
                a: (*const Self, isize, isize),
                b: (*const Self, isize),
                c: (*mut Self, isize),
                adds: bool,
            ) {
                let null = core::ptr::null_mut();
                // SAFETY: the caller's contract.
                unsafe { matmul::$block(m, n, k, a.0, a.1, a.2, b.0, b.1, null, c.0, c.1, adds.into()) }
            }

            #[inline(always)]
            unsafe fn fuse_rows([m, k]: [usize; 2], a: (*const Self, isize), x: *const Self, c: *mut Self) {
                // SAFETY: the caller's contract.
                unsafe { matmul::$vector(m, k, a.0, a.1, x, c) }
            }

            #[inline(always)]
            unsafe fn transpose([m, n]: [usize; 2], from: (*const Self, isize), to: (*mut Self, isize)) {
                // SAFETY: the caller's contract.
                unsafe { matmul::$transpose(m, n, from.0, from.1, to.0, to.1) }
            }
        }

        impl Number for $type {
            type Real = Self;
            const IS_COMPLEX: bool = false;

            #[inline(always)]
            fn zero() -> Self {
                0.0
            }

            #[inline(always)]
            fn one() -> Self {
                1.0
            }

            #[inline(always)]
            fn from_real(x: Self) -> Self {
                x
            }

            #[inline(always)]
            fn re(self) -> Self {
                self
            }

            #[inline(always)]
            fn im(self) -> Self {
                0.0
            }

            #[inline(always)]
            fn conj(self) -> Self {
                self
            }

            #[inline(always)]
            fn divided_by(self, by: Self) -> Self {
                self / by
            }

            #[inline(always)]
            unsafe fn product_alone(alpha: Self, a: View<Self>, b: View<Self>, beta: Self, c: View<Self>) {
                // SAFETY: the caller's contract.
                super::complete(unsafe { matmul::gemm(alpha, a.matrix(), b.matrix(), beta, c.matrix_mut()) });
            }
        }
    )+};
}
real! {
    f32 root_f32 block_f32 outer_f32 vector_f32 transpose_f32
    f64 root_f64 block_f64 outer_f64 vector_f64 transpose_f64
}

impl<R: Real> Add for Complex<R> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl<R: Real> Sub for Complex<R> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

/// Each product and each sum is rounded.
impl<R: Real> Mul for Complex<R> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl<R: Real> Neg for Complex<R> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Complex { re: -self.re, im: -self.im }
    }
}

impl<T: Number> View<T> {
    /// # Safety
    /// The element is readable.
    #[inline(always)]
    pub(super) unsafe fn get(self, i: usize, j: usize) -> T {
        // SAFETY: the caller's contract.
        let element = unsafe { *self.pointer(i, j) };
        if self.conjugated { element.conj() } else { element }
    }
}

impl<R: Real> View<R> {
    /// # Safety
    /// The elements are readable during `'a`.
    #[inline(always)]
    pub(super) unsafe fn matrix<'a>(self) -> MatRef<'a, R> {
        // SAFETY: the caller's contract.
        unsafe { MatRef::from_raw(self.at, self.rows, self.columns, self.strides) }
    }

    /// # Safety
    /// The elements are writable during `'a`, and no other reference reaches them.
    #[inline(always)]
    pub(super) unsafe fn matrix_mut<'a>(self) -> MatMut<'a, R> {
        // SAFETY: the caller's contract.
        unsafe { MatMut::from_raw(self.at, self.rows, self.columns, self.strides) }
    }
}

/// The square root, correctly rounded. Without `std` there is none.
fn root_f64(x: f64) -> f64 {
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

/// A root of 53 bits rounds to the correct one of 24: 53 >= 2 x 24 + 2.
fn root_f32(x: f32) -> f32 {
    root_f64(f64::from(x)) as f32
}
