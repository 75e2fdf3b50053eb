//! The four types of BLAS, with the definitions of products, for tests of bits.

use std::ffi::c_int;
use std::fmt::Debug;

use crate::blas_bits::{Case, Op};

/// A 64-bit generator (xorshift).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 33) as usize) % n
    }

    /// From -1 to 1.
    pub fn number(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct C<R> {
    pub re: R,
    pub im: R,
}

pub trait Element: Copy + Debug + PartialEq {
    const IS_COMPLEX: bool;
    const ZERO: Self;
    const ONE: Self;
    const NAN: Self;
    fn from_f64(x: f64) -> Self;
    fn random(random: &mut Random) -> Self;
    fn bits(self) -> [u64; 2];
    fn conj(self) -> Self;
    fn real_part(self) -> Self;
    /// With an imaginary part of NaN, if there is one.
    fn with_nan_part(self) -> Self;
    fn negated(self) -> Self;
    fn times(self, by: Self) -> Self;
    fn over(self, by: Self) -> Self;
    /// `self - a x` as in the plain loop of a system.
    fn minus(self, a: Self, x: Self) -> Self;
    /// `alpha sum + beta c` over the terms `a b`; alpha is multiplied by a, or else by b, if they are real. The
    /// last part of a term says that a is the one of a unit diagonal.
    fn chain(alpha: Self, terms: impl Iterator<Item = (Self, Self, bool)>, scales_a: bool, beta: Self, c: Self)
    -> Self;
    /// Calls the routine by its name of C.
    ///
    /// # Safety
    /// The operands have the sizes and strides of the case.
    unsafe fn call(case: &Case<Self>, a: &[Self], b: &[Self], c: &mut [Self]);
}

#[rustfmt::skip] // one line for several arguments
macro_rules! call {
    ($letter:literal $type:ty, $real:ty, $scalar:ty, $pass:expr, $part:expr) => {
        unsafe fn call(case: &Case<Self>, a: &[Self], b: &[Self], c: &mut [Self]) {
            type T = $type;
            type S = $scalar;
            unsafe extern "C" {
                #[link_name = concat!("cblas_", $letter, "gemm")]
                fn gemm(
                    layout: c_int, transa: c_int, transb: c_int, m: c_int, n: c_int, k: c_int, alpha: S, a: *const T,
                    lda: c_int, b: *const T, ldb: c_int, beta: S, c: *mut T, ldc: c_int,
                );
                #[link_name = concat!("cblas_", $letter, "gemmt")]
                fn gemmt(
                    layout: c_int, uplo: c_int, transa: c_int, transb: c_int, n: c_int, k: c_int, alpha: S,
                    a: *const T, lda: c_int, b: *const T, ldb: c_int, beta: S, c: *mut T, ldc: c_int,
                );
                #[link_name = concat!("cblas_", $letter, "symm")]
                fn symm(
                    layout: c_int, side: c_int, uplo: c_int, m: c_int, n: c_int, alpha: S, a: *const T, lda: c_int,
                    b: *const T, ldb: c_int, beta: S, c: *mut T, ldc: c_int,
                );
                #[link_name = concat!("cblas_", $letter, "syrk")]
                fn syrk(
                    layout: c_int, uplo: c_int, trans: c_int, n: c_int, k: c_int, alpha: S, a: *const T, lda: c_int,
                    beta: S, c: *mut T, ldc: c_int,
                );
                #[link_name = concat!("cblas_", $letter, "syr2k")]
                fn syr2k(
                    layout: c_int, uplo: c_int, trans: c_int, n: c_int, k: c_int, alpha: S, a: *const T, lda: c_int,
                    b: *const T, ldb: c_int, beta: S, c: *mut T, ldc: c_int,
                );
                #[link_name = concat!("cblas_", $letter, "trmm")]
                fn trmm(
                    layout: c_int, side: c_int, uplo: c_int, trans: c_int, diag: c_int, m: c_int, n: c_int, alpha: S,
                    a: *const T, lda: c_int, b: *mut T, ldb: c_int,
                );
                #[link_name = concat!("cblas_", $letter, "trsm")]
                fn trsm(
                    layout: c_int, side: c_int, uplo: c_int, trans: c_int, diag: c_int, m: c_int, n: c_int, alpha: S,
                    a: *const T, lda: c_int, b: *mut T, ldb: c_int,
                );
            }
            let &Case { op, layout: l, side, uplo, trans: [ta, tb], diag, ref alpha, ref beta, .. } = case;
            let [m, n, k] = [case.m, case.n, case.k].map(|size| size as c_int);
            let [lda, ldb, ldc] = case.strides.map(|stride| stride as c_int);
            let (a, b, c, x, y) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), $pass(alpha), $pass(beta));
            // SAFETY: the caller's contract.
            unsafe {
                match op {
                    Op::Gemm => gemm(l, ta, tb, m, n, k, x, a, lda, b, ldb, y, c, ldc),
                    Op::Gemmt => gemmt(l, uplo, ta, tb, n, k, x, a, lda, b, ldb, y, c, ldc),
                    Op::Symm => symm(l, side, uplo, m, n, x, a, lda, b, ldb, y, c, ldc),
                    Op::Syrk => syrk(l, uplo, ta, n, k, x, a, lda, y, c, ldc),
                    Op::Syr2k => syr2k(l, uplo, ta, n, k, x, a, lda, b, ldb, y, c, ldc),
                    Op::Trmm => trmm(l, side, uplo, ta, diag, m, n, x, a, lda, c, ldc),
                    Op::Trsm => trsm(l, side, uplo, ta, diag, m, n, x, a, lda, c, ldc),
                    Op::Hemm | Op::Herk | Op::Her2k => $part(case, a, b, c, [m, n, k], [lda, ldb, ldc]),
                }
            }
        }
    };
}

macro_rules! real {
    ($letter:literal $type:ident) => {
        impl Element for $type {
            const IS_COMPLEX: bool = false;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const NAN: Self = $type::NAN;

            fn from_f64(x: f64) -> Self {
                x as $type
            }

            fn random(random: &mut Random) -> Self {
                random.number() as $type
            }

            fn bits(self) -> [u64; 2] {
                [self.to_bits().into(), 0]
            }

            fn conj(self) -> Self {
                self
            }

            fn real_part(self) -> Self {
                self
            }

            fn with_nan_part(self) -> Self {
                self
            }

            fn negated(self) -> Self {
                -self
            }

            fn times(self, by: Self) -> Self {
                self * by
            }

            fn over(self, by: Self) -> Self {
                self / by
            }

            fn minus(self, a: Self, x: Self) -> Self {
                (-a).mul_add(x, self)
            }

            fn chain(
                alpha: Self,
                terms: impl Iterator<Item = (Self, Self, bool)>,
                scales_a: bool,
                beta: Self,
                c: Self,
            ) -> Self {
                let start = if beta == 0.0 { 0.0 } else { beta * c };
                let terms = terms.filter(|_| alpha != 0.0);
                terms.fold(start, |c, (a, b, _)| match scales_a {
                    true => (alpha * a).mul_add(b, c),
                    false => (alpha * b).mul_add(a, c),
                })
            }

            call! { $letter $type, $type, $type, |x: &$type| *x, |_, _, _, _, _, _| unreachable!() }
        }
    };
}
real! { "s" f32 }
real! { "d" f64 }

macro_rules! complex {
    ($letter:literal $type:ident) => {
        impl Element for C<$type> {
            const IS_COMPLEX: bool = true;
            const ZERO: Self = C { re: 0.0, im: 0.0 };
            const ONE: Self = C { re: 1.0, im: 0.0 };
            const NAN: Self = C { re: $type::NAN, im: $type::NAN };

            fn from_f64(x: f64) -> Self {
                C { re: x as $type, im: 0.0 }
            }

            fn random(random: &mut Random) -> Self {
                C { re: random.number() as $type, im: random.number() as $type }
            }

            fn bits(self) -> [u64; 2] {
                [self.re.to_bits().into(), self.im.to_bits().into()]
            }

            fn conj(self) -> Self {
                C { re: self.re, im: -self.im }
            }

            fn real_part(self) -> Self {
                C { re: self.re, im: 0.0 }
            }

            fn with_nan_part(self) -> Self {
                C { re: self.re, im: $type::NAN }
            }

            fn negated(self) -> Self {
                C { re: -self.re, im: 0.0 - self.im }
            }

            fn times(self, b: Self) -> Self {
                C { re: self.re * b.re - self.im * b.im, im: self.re * b.im + self.im * b.re }
            }

            /// Smith's method.
            fn over(self, b: Self) -> Self {
                if b.re.abs() >= b.im.abs() {
                    let ratio = b.im / b.re;
                    let divisor = b.re + b.im * ratio;
                    C { re: (self.re + self.im * ratio) / divisor, im: (self.im - self.re * ratio) / divisor }
                } else {
                    let ratio = b.re / b.im;
                    let divisor = b.im + b.re * ratio;
                    C { re: (self.re * ratio + self.im) / divisor, im: (self.im * ratio - self.re) / divisor }
                }
            }

            fn minus(self, a: Self, x: Self) -> Self {
                let product = a.times(x);
                C { re: self.re - product.re, im: self.im - product.im }
            }

            fn chain(
                alpha: Self,
                terms: impl Iterator<Item = (Self, Self, bool)>,
                _: bool,
                beta: Self,
                c: Self,
            ) -> Self {
                let (mut count, [mut rr, mut ii, mut ri, mut ir]) = (0, [0.0; 4]);
                for (a, b, is_one) in terms.filter(|_| alpha != Self::ZERO) {
                    rr = a.re.mul_add(b.re, rr);
                    ri = a.re.mul_add(b.im, ri);
                    if !is_one {
                        ii = a.im.mul_add(b.im, ii);
                        ir = a.im.mul_add(b.re, ir);
                    }
                    count += 1;
                }
                let s = C { re: rr - ii, im: ri + ir };
                let s = if alpha == Self::ONE { s } else { alpha.times(s) };
                let added = match beta {
                    _ if beta == Self::ZERO => return if count > 0 { s } else { Self::ZERO },
                    _ if beta == Self::ONE => c,
                    _ => beta.times(c),
                };
                if count > 0 { C { re: s.re + added.re, im: s.im + added.im } } else { added }
            }

            call! { $letter C<$type>, $type, *const C<$type>, |x: &C<$type>| &raw const *x, hermitian_part }
        }
    };
}

/// The routines that only complex numbers have.
trait Hermitian: Sized {
    unsafe fn call_hermitian(
        case: &Case<Self>,
        operands: (*const Self, *const Self, *mut Self),
        sizes: [[c_int; 3]; 2],
    );
}

unsafe fn hermitian_part<T: Hermitian>(
    case: &Case<T>,
    a: *const T,
    b: *const T,
    c: *mut T,
    sizes: [c_int; 3],
    strides: [c_int; 3],
) {
    // SAFETY: the caller's contract.
    unsafe { T::call_hermitian(case, (a, b, c), [sizes, strides]) }
}

#[rustfmt::skip]
macro_rules! hermitian {
    ($letter:literal $real:ident) => {
        impl Hermitian for C<$real> {
            unsafe fn call_hermitian(
                case: &Case<Self>,
                (a, b, c): (*const Self, *const Self, *mut Self),
                [[m, n, k], [lda, ldb, ldc]]: [[c_int; 3]; 2],
            ) {
                type T = C<$real>;
                unsafe extern "C" {
                    #[link_name = concat!("cblas_", $letter, "hemm")]
                    fn hemm(
                        layout: c_int, side: c_int, uplo: c_int, m: c_int, n: c_int, alpha: *const T, a: *const T,
                        lda: c_int, b: *const T, ldb: c_int, beta: *const T, c: *mut T, ldc: c_int,
                    );
                    #[link_name = concat!("cblas_", $letter, "herk")]
                    fn herk(
                        layout: c_int, uplo: c_int, trans: c_int, n: c_int, k: c_int, alpha: $real, a: *const T,
                        lda: c_int, beta: $real, c: *mut T, ldc: c_int,
                    );
                    #[link_name = concat!("cblas_", $letter, "her2k")]
                    fn her2k(
                        layout: c_int, uplo: c_int, trans: c_int, n: c_int, k: c_int, alpha: *const T, a: *const T,
                        lda: c_int, b: *const T, ldb: c_int, beta: $real, c: *mut T, ldc: c_int,
                    );
                }
                let &Case { op, layout: l, side, uplo, trans: [trans, _], ref alpha, ref beta, .. } = case;
                // SAFETY: the caller's contract.
                unsafe {
                    match op {
                        Op::Hemm => hemm(l, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc),
                        Op::Herk => herk(l, uplo, trans, n, k, alpha.re, a, lda, beta.re, c, ldc),
                        _ => her2k(l, uplo, trans, n, k, alpha, a, lda, b, ldb, beta.re, c, ldc),
                    }
                }
            }
        }
    };
}
complex! { "c" f32 }
complex! { "z" f64 }
hermitian! { "c" f32 }
hermitian! { "z" f64 }
