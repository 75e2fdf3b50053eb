//! Approximations of exp over arrays of `f32`.
//!
//! | function | relative error | for x in | below | above | cycles per value, AVX2 on Zen 3 |
//! |---|---|---|---|---|---|
//! | [`fast`] | -3.91 % to +2.00 % | -87.3 to 128 ln 2 | constant | constant | 0.34 |
//! | [`accurate`] | -0.993 % to +0.496 % | -31.5 ln 2 to 32 ln 2 | 0 | constant | 1.31 |
//! | [`poly`] | 4.3e-6 at most | -126 ln 2 to 128 ln 2 | 0 | infinity | 0.79 |
//!
//! The bounds are tested at every float of the range. Results are never denormal. Each function has
//! an in-place version.
//!
//! # Source
//! `fast` and `accurate` come from Dickson, Karimi, Hamze, "Importance of explicit vectorization
//! for CPU and GPU software performance" (J. Comput. Phys. 230, 2011). They use an observation by
//! Schraudolph (1999): the bits of a float, read as an integer, are approximately `2^23` times its
//! binary logarithm plus a constant.
//!
//! # Method
//! ```text
//! i = nearest(2^23 log2(e) x) + bits(1.0)      exp(x) ~ 2 ln(2)^2 float(i)
//! ```
//!
//! is exact in the exponent and linear in the mantissa. `accurate` evaluates this at `4 x` and
//! takes the fourth root, which reduces the error by a factor of four. It uses square roots,
//! because reciprocal square roots differ between CPUs. Both are biased by design: at 0, `fast`
//! gives 0.961 and `accurate` 0.990. Used as acceptance probabilities of a Monte Carlo method, they
//! visibly shift its averages.
//!
//! `poly` has no such bias and costs less than `accurate`:
//!
//! ```text
//! t = log2(e) x      n = nearest(t)      f = t - n, in -1/2..1/2      exp(x) = 2^f 2^n
//! 2^f = s ((f + a) f + b)^2 ((f + c) f + d)^2, exactly 1 at 0
//! ```
//!
//! It squares a quartic for `2^(f/2)`, which is the product of two quadratic factors: 9 operations,
//! 6 of them in a dependent chain. The rounding of `t` dominates the error and grows with |x|; for
//! |x| < 16 the error is less than 1.5e-6.
//!
//! # Example
//! ```
//! use hotloops::exp;
//!
//! let x: Vec<f32> = (-500..500).map(|i| i as f32 / 100.0).collect();
//! let mut y = vec![0.0; x.len()];
//! exp::poly(&x, &mut y)?;
//! for (x, y) in x.iter().zip(&y) {
//!     assert!((f64::from(*y) / f64::from(*x).exp() - 1.0).abs() < 1.5e-6);
//! }
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! # Exactness
//! Each operation is rounded to `f32` in the order of the reference, without fused multiply-add, so
//! that SSE2 gives the same bits. A NaN gives the NaN with all bits set (`fast`, `accurate`) or
//! itself, quieted (`poly`). Results differ from libm's.
//!
//! # Errors
//! [`Error::Length`] if the output is not as long as the input. The in-place functions cannot fail.

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
pub(crate) mod double;
mod kernels;
#[cfg(any(sse2, neon))]
pub(crate) mod lanes;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

pub use kernels::*;

use crate::frame::error::Error;
use crate::frame::error::exactly;

/// `y[i]` = exp(`x[i]`) within -3.91 % and +2.00 % for -87.3 <= x < 128 ln 2 = 88.72284.
///
/// Smaller arguments give 1.19e-38, the result at -87.3. Larger ones give 3.27e38, the result at
/// the last float of the range. A NaN gives the NaN with all bits set.
///
/// ```
/// let x = [0.0, 1.0, -2.0];
/// let mut y = [0.0; 3];
/// hotloops::exp::fast(&x, &mut y)?;
/// assert_eq!(y[0], 0.96090603);
/// assert!((y[1] / 2.7182817 - 1.0).abs() < 0.04);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if `y` is not as long as `x`.
pub fn fast(x: &[f32], y: &mut [f32]) -> Result<(), Error> {
    apply(fast_f32, x, y)
}

/// [`fast`] in place.
pub fn fast_in_place(x: &mut [f32]) {
    apply_in_place(fast_f32, x);
}

/// `y[i]` = exp(`x[i]`) within -0.993 % and +0.496 % for -31.5 ln 2 <= x < 32 ln 2, that is from
/// -21.83414 to 22.18071.
///
/// The result is at least 1 for x > 0 and 0 below the range. Above the range it is 4.25e9, the
/// result at the last float of the range. A NaN gives the NaN with all bits set.
///
/// ```
/// let mut x = [0.0, 0.001, -2.0, -30.0];
/// hotloops::exp::accurate_in_place(&mut x);
/// assert!((x[0] - 0.990).abs() < 0.001);
/// assert_eq!(x[1], 1.0);
/// assert!((x[2] / 0.13533528 - 1.0).abs() < 0.01);
/// assert_eq!(x[3], 0.0);
/// ```
///
/// # Errors
/// [`Error::Length`] if `y` is not as long as `x`.
pub fn accurate(x: &[f32], y: &mut [f32]) -> Result<(), Error> {
    apply(accurate_f32, x, y)
}

/// [`accurate`] in place.
pub fn accurate_in_place(x: &mut [f32]) {
    apply_in_place(accurate_f32, x);
}

/// `y[i]` = exp(`x[i]`) within 4.3e-6 for -126 ln 2 <= x < 128 ln 2, that is from -87.33655 to
/// 88.72283, and within 1.5e-6 for |x| < 16.
///
/// The result is 0 below the range and infinity above it, exactly 1 at 0, at most 1 for x < 0 and
/// at least 1 for x > 0. A NaN gives the same NaN, quieted.
///
/// ```
/// let x = [0.0, 1.0, -100.0, 100.0];
/// let mut y = [0.0; 4];
/// hotloops::exp::poly(&x, &mut y)?;
/// assert_eq!([y[0], y[2], y[3]], [1.0, 0.0, f32::INFINITY]);
/// assert!((y[1] / 2.7182817 - 1.0).abs() < 1.5e-6);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if `y` is not as long as `x`.
pub fn poly(x: &[f32], y: &mut [f32]) -> Result<(), Error> {
    apply(poly_f32, x, y)
}

/// [`poly`] in place.
pub fn poly_in_place(x: &mut [f32]) {
    apply_in_place(poly_f32, x);
}

type Function = unsafe extern "C" fn(*const f32, *mut f32, usize);

fn apply(kernel: Function, x: &[f32], y: &mut [f32]) -> Result<(), Error> {
    exactly("y", x.len(), y.len())?;
    // SAFETY: the slices are equally long, and `y`, borrowed mutably, does not overlap `x`.
    unsafe { kernel(x.as_ptr(), y.as_mut_ptr(), x.len()) }
    Ok(())
}

fn apply_in_place(kernel: Function, x: &mut [f32]) {
    let (start, n) = (x.as_mut_ptr(), x.len());
    // SAFETY: both pointers have `n` floats, and the kernel may work in place.
    unsafe { kernel(start, start, n) }
}
