//! Level 1: vectors.

mod extremes;
mod letters;
mod moves;
mod plane;
mod rotations;
mod sums;

use core::ffi::c_char;

use super::export::prelude::*;
use extremes::{iamax, iamin};
use letters::{cabs1, lsame, xerbla_array};
use moves::{axpby, axpy, copy, scal, scal_real, swap};
use plane::{rot, rot_complex, rotm};
use rotations::{rotg, rotg_complex, rotmg};
use sums::{
    asum, asum_complex, dot, dotc, dotc_sub, dotu, dotu_sub, dsdot, nrm2, nrm2_complex, sdsdot, sum, sum_complex,
};

/// The index of the first NaN, or of the first element of maximum magnitude, of `n` > 0.
///
/// # Safety
/// `x` points to `n` readable elements.
pub(super) unsafe fn largest<T: Real>(n: usize, x: *const T) -> usize {
    // SAFETY: the caller's contract.
    unsafe { iamax(n as Int, x, 1) }
}

routines! { all:
    axpy(n: Int, alpha: T, x: *const T, incx: Int, y: *mut T, incy: Int);
    axpby(n: Int, alpha: T, x: *const T, incx: Int, beta: T, y: *mut T, incy: Int);
    scal(n: Int, alpha: T, x: *mut T, incx: Int);
    copy(n: Int, x: *const T, incx: Int, y: *mut T, incy: Int);
    swap(n: Int, x: *mut T, incx: Int, y: *mut T, incy: Int);
}
routines! { real:
    dot(n: Int, x: *const T, incx: Int, y: *const T, incy: Int) -> T;
    sum(n: Int, x: *const T, incx: Int) -> T;
    asum(n: Int, x: *const T, incx: Int) -> T;
    nrm2(n: Int, x: *const T, incx: Int) -> T;
    rot(n: Int, x: *mut T, incx: Int, y: *mut T, incy: Int, c: T, s: T);
    rotm(n: Int, x: *mut T, incx: Int, y: *mut T, incy: Int, p: *const T);
    rotg(a: *mut T, b: *mut T, c: *mut T, s: *mut T);
    rotmg(d1: *mut T, d2: *mut T, x1: *mut T, y1: T, p: *mut T);
}
routine! { "dsdot", f32: dsdot, (n: Int, x: *const f32, incx: Int, y: *const f32, incy: Int) -> f64 }
routine! {
    "sdsdot", f32: sdsdot, (n: Int, alpha: f32, x: *const f32, incx: Int, y: *const f32, incy: Int) -> f32
}
fortran_routine! { "lsame", f32: lsame, (a: *const c_char, b: *const c_char) -> Int }
fortran_routine! {
    "xerbla_array", f32: xerbla_array, (routine: *const c_char, length: Int, position: Int)
}

/// Routines of a complex type: its letter, those of a real result and of a real factor, that of its
/// parts.
macro_rules! complex {
    ($c:literal $sc:literal $cs:literal $s:literal $type:ty) => {
        c_routine! {
            concat!($c, "dotu_sub"), Complex<$type>: dotu_sub::<$type>,
            (n: Int, x: *const T, incx: Int, y: *const T, incy: Int, dot: *mut T)
        }
        c_routine! {
            concat!($c, "dotc_sub"), Complex<$type>: dotc_sub::<$type>,
            (n: Int, x: *const T, incx: Int, y: *const T, incy: Int, dot: *mut T)
        }
        fortran_routine! {
            concat!($c, "dotu"), Complex<$type>: dotu::<$type>,
            (n: Int, x: *const T, incx: Int, y: *const T, incy: Int) -> T
        }
        fortran_routine! {
            concat!($c, "dotc"), Complex<$type>: dotc::<$type>,
            (n: Int, x: *const T, incx: Int, y: *const T, incy: Int) -> T
        }
        routine! { concat!($sc, "sum"), Complex<$type>: sum_complex::<$type>, (n: Int, x: *const T, incx: Int) -> R }
        routine! { concat!($sc, "asum"), Complex<$type>: asum_complex::<$type>, (n: Int, x: *const T, incx: Int) -> R }
        routine! { concat!($sc, "nrm2"), Complex<$type>: nrm2_complex::<$type>, (n: Int, x: *const T, incx: Int) -> R }
        routine! { concat!($cs, "scal"), Complex<$type>: scal_real::<$type>, (n: Int, alpha: R, x: *mut T, incx: Int) }
        routine! {
            concat!($cs, "rot"), Complex<$type>: rot_complex::<$type>,
            (n: Int, x: *mut T, incx: Int, y: *mut T, incy: Int, c: R, s: R)
        }
        routine! {
            concat!($c, "rotg"), Complex<$type>: rotg_complex::<$type>, (a: *mut T, b: *const T, c: *mut R, s: *mut T)
        }
        routine! { concat!($s, "cabs1"), Complex<$type>: cabs1::<Complex<$type>>, (z: T) -> R }
    };
}
complex! { "c" "sc" "cs" "s" f32 }
complex! { "z" "dz" "zd" "d" f64 }

/// Indices count from 0 in C, from 1 in Fortran.
macro_rules! indices {
    ($($name:literal $code:ident $type:ty;)+) => {$(
        c_routine! { $name, $type: $code::<$type, usize>, (n: Int, x: *const T, incx: Int) -> usize }
        fortran_routine! { $name, $type: $code::<$type, Int>, (n: Int, x: *const T, incx: Int) -> Int }
    )+};
}
indices! {
    "isamax" iamax f32; "idamax" iamax f64; "icamax" iamax Complex<f32>; "izamax" iamax Complex<f64>;
    "isamin" iamin f32; "idamin" iamin f64; "icamin" iamin Complex<f32>; "izamin" iamin Complex<f64>;
}
