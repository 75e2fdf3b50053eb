//! The four types of numbers, and the routines of each.

// A routine is declared without its arguments, and then given the type of the header.
#![allow(clashing_extern_declarations)]

use std::ffi::c_int as Int;
use std::fmt::Debug;

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Complex<R> {
    pub re: R,
    pub im: R,
}

pub type Gemv<T, S> = unsafe extern "C" fn(Int, Int, Int, Int, S, *const T, Int, *const T, Int, S, *mut T, Int);
pub type Gbmv<T, S> =
    unsafe extern "C" fn(Int, Int, Int, Int, Int, Int, S, *const T, Int, *const T, Int, S, *mut T, Int);
pub type Symv<T, S> = unsafe extern "C" fn(Int, Int, Int, S, *const T, Int, *const T, Int, S, *mut T, Int);
pub type Sbmv<T, S> = unsafe extern "C" fn(Int, Int, Int, Int, S, *const T, Int, *const T, Int, S, *mut T, Int);
pub type Spmv<T, S> = unsafe extern "C" fn(Int, Int, Int, S, *const T, *const T, Int, S, *mut T, Int);
pub type Triangle<T> = unsafe extern "C" fn(Int, Int, Int, Int, Int, *const T, Int, *mut T, Int);
pub type Band<T> = unsafe extern "C" fn(Int, Int, Int, Int, Int, Int, *const T, Int, *mut T, Int);
pub type Packed<T> = unsafe extern "C" fn(Int, Int, Int, Int, Int, *const T, *mut T, Int);
pub type Ger<T, S> = unsafe extern "C" fn(Int, Int, Int, S, *const T, Int, *const T, Int, *mut T, Int);
pub type Syr<T, R> = unsafe extern "C" fn(Int, Int, Int, R, *const T, Int, *mut T, Int);
pub type Spr<T, R> = unsafe extern "C" fn(Int, Int, Int, R, *const T, Int, *mut T);
pub type Spr2<T, S> = unsafe extern "C" fn(Int, Int, Int, S, *const T, Int, *const T, Int, *mut T);

/// A type of numbers. Routines of complex numbers are the Hermitian ones.
pub trait Number: Copy + PartialEq + Debug + 'static {
    type Real: Copy;
    /// What C passes for a scalar.
    type Scalar;
    const IS_COMPLEX: bool;
    const GEMV: Gemv<Self, Self::Scalar>;
    const GBMV: Gbmv<Self, Self::Scalar>;
    const SYMV: Symv<Self, Self::Scalar>;
    const SBMV: Sbmv<Self, Self::Scalar>;
    const SPMV: Spmv<Self, Self::Scalar>;
    const TRMV: Triangle<Self>;
    const TRSV: Triangle<Self>;
    const TBMV: Band<Self>;
    const TBSV: Band<Self>;
    const TPMV: Packed<Self>;
    const TPSV: Packed<Self>;
    /// Without and with the conjugate of y.
    const GER: [Ger<Self, Self::Scalar>; 2];
    const SYR: Syr<Self, Self::Real>;
    const SPR: Spr<Self, Self::Real>;
    const SYR2: Ger<Self, Self::Scalar>;
    const SPR2: Spr2<Self, Self::Scalar>;

    /// Real numbers have no imaginary part.
    fn new(re: f64, im: f64) -> Self;
    fn scalar(&self) -> Self::Scalar;
    fn re(self) -> Self::Real;
    fn real_part(self) -> Self;
    fn conj(self) -> Self;
    fn bits(self) -> [u64; 2];
    /// `alpha S + beta y` with the terms of S in order.
    fn sum(alpha: Self, terms: &[(Self, Self)], beta: Self, y: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// `b - a x` within a block of a solution.
    fn subtracted(b: Self, a: Self, x: Self) -> Self;
    fn divided(a: Self, b: Self) -> Self;
    /// `alpha x y + a` of an element of an outer product.
    fn added(alpha: Self, x: Self, y: Self, a: Self) -> Self;
}

/// The routine `cblas_<name>` of a type of functions.
macro_rules! linked {
    ($($name:literal)+) => {{
        unsafe extern "C" {
            #[link_name = concat!("cblas_", $($name),+)]
            fn routine();
        }
        #[allow(clippy::missing_transmute_annotations)] // the type of the constant
        // SAFETY: a pointer to a function of the type that the header declares.
        unsafe {
            std::mem::transmute::<unsafe extern "C" fn(), _>(routine)
        }
    }};
}

/// The routines of a type by its letter, with the names that differ between real and complex ones.
macro_rules! routines {
    ($letter:literal; $sy:literal $sb:literal $sp:literal $ger:literal $gerc:literal $syr:literal $spr:literal) => {
const GEMV: Gemv<Self, Self::Scalar> = linked!($letter "gemv");
const GBMV: Gbmv<Self, Self::Scalar> = linked!($letter "gbmv");
const SYMV: Symv<Self, Self::Scalar> = linked!($letter $sy "mv");
const SBMV: Sbmv<Self, Self::Scalar> = linked!($letter $sb "mv");
const SPMV: Spmv<Self, Self::Scalar> = linked!($letter $sp "mv");
const TRMV: Triangle<Self> = linked!($letter "trmv");
const TRSV: Triangle<Self> = linked!($letter "trsv");
const TBMV: Band<Self> = linked!($letter "tbmv");
const TBSV: Band<Self> = linked!($letter "tbsv");
const TPMV: Packed<Self> = linked!($letter "tpmv");
const TPSV: Packed<Self> = linked!($letter "tpsv");
const GER: [Ger<Self, Self::Scalar>; 2] = [linked!($letter $ger), linked!($letter $gerc)];
const SYR: Syr<Self, Self::Real> = linked!($letter $syr);
const SPR: Spr<Self, Self::Real> = linked!($letter $spr);
const SYR2: Ger<Self, Self::Scalar> = linked!($letter $syr "2");
const SPR2: Spr2<Self, Self::Scalar> = linked!($letter $spr "2");
    };
}

macro_rules! types {
    ($($real:ident $letter:literal $complex:literal)+) => {$(
        impl Number for $real {
            type Real = $real;
            type Scalar = $real;
            const IS_COMPLEX: bool = false;
            routines! { $letter; "sy" "sb" "sp" "ger" "ger" "syr" "spr" }

            fn new(re: f64, _: f64) -> $real {
                re as $real
            }

            fn scalar(&self) -> $real {
                *self
            }

            fn re(self) -> $real {
                self
            }

            fn real_part(self) -> $real {
                self
            }

            fn conj(self) -> $real {
                self
            }

            fn bits(self) -> [u64; 2] {
                [self.to_bits().into(), 0]
            }

            fn sum(alpha: $real, terms: &[($real, $real)], beta: $real, y: $real) -> $real {
                let start = if beta == 0.0 { 0.0 } else { beta * y };
                terms.iter().fold(start, |sum, &(a, x)| a.mul_add(alpha * x, sum))
            }

            fn times(self, other: $real) -> $real {
                self * other
            }

            fn subtracted(b: $real, a: $real, x: $real) -> $real {
                a.mul_add(-x, b)
            }

            fn added(alpha: $real, x: $real, y: $real, a: $real) -> $real {
                (alpha * x).mul_add(y, a)
            }

            fn divided(a: $real, b: $real) -> $real {
                a / b
            }
        }

        impl Number for Complex<$real> {
            type Real = $real;
            type Scalar = *const Self;
            const IS_COMPLEX: bool = true;
            routines! { $complex; "he" "hb" "hp" "geru" "gerc" "her" "hpr" }

            fn new(re: f64, im: f64) -> Self {
                Complex { re: re as $real, im: im as $real }
            }

            fn scalar(&self) -> *const Self {
                self
            }

            fn re(self) -> $real {
                self.re
            }

            fn real_part(self) -> Self {
                Complex { re: self.re, im: 0.0 }
            }

            fn conj(self) -> Self {
                Complex { re: self.re, im: -self.im }
            }

            fn bits(self) -> [u64; 2] {
                [self.re.to_bits().into(), self.im.to_bits().into()]
            }

            fn sum(alpha: Self, terms: &[(Self, Self)], beta: Self, y: Self) -> Self {
                let mut chains = [0.0 as $real; 4];
                for (a, x) in terms {
                    let products = [(a.re, x.re), (a.im, x.im), (a.re, x.im), (a.im, x.re)];
                    chains = std::array::from_fn(|i| products[i].0.mul_add(products[i].1, chains[i]));
                }
                let s = Complex { re: chains[0] - chains[1], im: chains[2] + chains[3] };
                let (zero, one) = (Self::new(0.0, 0.0), Self::new(1.0, 0.0));
                let scaled = if alpha == one { s } else { s.times(alpha) };
                match () {
                    () if beta == zero => scaled,
                    () if beta == one => scaled.plus(y),
                    () => scaled.plus(y.times(beta)),
                }
            }

            fn times(self, other: Self) -> Self {
                Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
            }

            fn subtracted(b: Self, a: Self, x: Self) -> Self {
                let product = a.times(x);
                Complex { re: b.re - product.re, im: b.im - product.im }
            }

            fn added(alpha: Self, x: Self, y: Self, a: Self) -> Self {
                Self::sum(alpha, &[(x, y)], Self::new(1.0, 0.0), a)
            }

            /// Smith's method.
            fn divided(a: Self, b: Self) -> Self {
                if b.re.abs() >= b.im.abs() {
                    let ratio = b.im / b.re;
                    let divisor = b.re + b.im * ratio;
                    Complex { re: (a.re + a.im * ratio) / divisor, im: (a.im - a.re * ratio) / divisor }
                } else {
                    let ratio = b.re / b.im;
                    let divisor = b.im + b.re * ratio;
                    Complex { re: (a.re * ratio + a.im) / divisor, im: (a.im * ratio - a.re) / divisor }
                }
            }
        }

        impl Complex<$real> {
            fn plus(self, other: Self) -> Self {
                Complex { re: self.re + other.re, im: self.im + other.im }
            }
        }
    )+};
}
types! { f32 "s" "c" f64 "d" "z" }
