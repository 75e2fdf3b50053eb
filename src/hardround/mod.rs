//! Search for hard-to-round cases of elementary functions (the Table Maker's Dilemma): arguments
//! whose results are so close to a rounding breakpoint that a low-precision result does not decide
//! the rounding.
//!
//! | type or function | does |
//! |---|---|
//! | [`Series`] | computes blocks of 2^k arguments each from a Taylor series of F |
//! | [`Scan`] | finds the hard cases of a series or a block: tests rows of arcs or domains, then survivors one by one |
//! | [`exists`] | tests lines b - a x, one per domain, for possible cases: the classical search |
//! | [`exhaust_first`] | finds the next case of a cubic in 64-bit fractions, argument by argument |
//!
//! # Source
//! Avenel, Fortin, Gouicem, Zaidi, "Solving the Table Maker's Dilemma on current SIMD
//! architectures" (2016). Lefevre's test and the regular test follow Fortin, Gouicem, Graillat
//! (2012 and later), with the errors of the printed versions corrected. The search by `rows` is
//! described at [`Scan`].
//!
//! # Method
//! A function is searched on a grid of arguments x = 0, 1, 2, .. as F(x), scaled so that the
//! breakpoints are the integers: an argument is a hard case if |F(x) mod 1| < e. F is nearly linear
//! on a *domain*, a short run of N arguments. On a *block*, a longer run, F is approximated by a
//! cubic in 128-bit fractions ([`Block`]).
//!
//! | kernel | tests at a time | cost |
//! |---|---|---|
//! | [`exhaust()`] | one argument | one 32-bit addition and minimum: runs of arguments share differences |
//! | [`lefevre()`] | a domain | one quotient per step of a continued fraction |
//! | [`regular()`] | a domain | one quotient per step, without branches |
//! | [`rows()`] | a domain | one `f32` division: adjacent domains share the continued fraction |
//! | [`dual()`] | a row of an arc, in place of four domains | one `f32` square root |
//!
//! # Layout
//! All numbers are fractions modulo 1, stored as integers modulo 2^64 or 2^128 (two's complement).
//!
//! # Example
//! ```
//! use hotloops::hardround::{Scan, Series};
//!
//! // F(x) = 1 / 3 + x (sqrt 2 - 1) + x^2 / 2^40, four words of 64 bits each, the lowest first.
//! let third = [0x5555_5555_5555_5555; 4];
//! let slope = [0xda2f590b0667322a, 0x3adec17512775099, 0xb2fb1366ea957d3e, 0x6a09e667f3bcc908];
//! let series = Series::new(&[third, slope, [0, 0, 0, 1 << 24]], 20)?;
//!
//! // Its hard cases among the first 2^21 arguments, nearer than 2^-20 to an integer.
//! let mut found = Vec::new();
//! let mut scan = Scan::new(1 << 44)?;
//! for j in 0..2 {
//!     let block = series.block(j);
//!     scan.block(&block, 1 << 20, |x| {
//!         let distance = (block.at(x) >> 64) as i64 as f64 * (-64f64).exp2();
//!         found.push((j << 20 | x as i64, distance));
//!     })?;
//! }
//! assert_eq!((found.len(), found[0].0), (7, 155_798));
//! assert!(found.iter().all(|(_, distance)| distance.abs() < (-20f64).exp2()));
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! # Exactness
//! The final decision is made in integers, so the result is exact and complete for the polynomials,
//! and the same on every CPU. The caller must add the approximation error of the polynomials to the
//! bound: [`Series::error`] returns the part that comes from the blocks.
//!
//! # Errors
//! [`Error::Proof`] for arguments outside the proved range: too many arguments, too wide a bound,
//! too high a degree; [`Error::Length`], [`Error::NoMemory`].

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

mod arc;
mod block;
mod contract;
#[cfg(feature = "c-api")]
mod ffi;
#[cfg(any(sse2, neon))]
mod gaps;
mod kernels;
#[cfg(any(sse2, neon))]
mod lanes;
#[cfg(any(sse2, neon))]
mod runs;
mod scan;

pub use arc::{Arcs, Bundle, Curve, MAX_ARCS, MAX_ROWS, PIECES, Places, Suspects};
pub use block::{Block, MAX_DEGREE, Series};
pub use contract::{Cell, MAX_DOMAINS};
pub(crate) use contract::{TEST_BITS, TURNS, UNIT};
pub use kernels::*;
pub use scan::{Algorithm, MAX_LENGTH, MAX_WITHIN, Scan};

use crate::frame::error::Error;
use crate::frame::error::exactly;

/// A test of domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Test {
    /// Both halves of a step divide, whichever kind of gap b is in. The last quotient is limited to
    /// what `n` needs.
    Regular = 0,
    /// A step divides only gaps of the kind that b is not in.
    Lefevre = 1,
}

/// Maximum number of arguments of a domain of [`exists()`].
pub const MAX_ARGUMENTS: u64 = 1 << 32;

/// Whether domains may hold a case: bit i mod 8 of `bits[i / 8]` is 0 if no x < `n` has b - a x mod
/// 1 < w, where a, b, w are `a[i]`, `b[i]` and `w` in units of 2^-64. A bit of 1 proves nothing,
/// but false positives are rare.
///
/// An `n` below 3 counts as 3. `w` = 0 is a strip of width 0. The tests cut a and b to 52 bits,
/// which widens every strip by `n` - 1 units of 2^-52.
///
/// # Errors
/// [`Error::Length`] if the lengths of `a`, `b` and `bits` do not match; [`Error::Proof`] if `n`
/// exceeds [`MAX_ARGUMENTS`].
pub fn exists(a: &[u64], b: &[u64], n: u64, w: u64, test: Test, bits: &mut [u8]) -> Result<(), Error> {
    exactly("b", a.len(), b.len())?;
    exactly("bits", a.len().div_ceil(8), bits.len())?;
    if n > MAX_ARGUMENTS {
        return Err(Error::Proof { argument: "n" });
    }
    let (count, bits) = (a.len(), bits.as_mut_ptr());
    // SAFETY: the arrays have the lengths that the kernels require, and `bits` is borrowed
    // exclusively.
    unsafe {
        match test {
            Test::Regular => regular(a.as_ptr(), b.as_ptr(), count, n, w, bits),
            Test::Lefevre => lefevre(a.as_ptr(), b.as_ptr(), count, n, w, bits),
        }
    }
    Ok(())
}

/// The smallest x < `n` with a value less than `w`. The value is, modulo 2^64,
/// `d[0] + d[1] x + d[2] x (x - 1) / 2 + d[3] x (x - 1) (x - 2) / 6`.
///
/// To find the next one, search again with the differences at x + 1, from [`exhaust_from`].
#[must_use]
pub fn exhaust_first(d: &[u64; 4], n: u64, w: u64) -> Option<u64> {
    // SAFETY: four integers.
    let first = unsafe { exhaust(d.as_ptr(), n, w) };
    (first < n).then_some(first)
}

/// The differences of the same polynomial with its origin moved to x.
#[must_use]
pub fn exhaust_from(d: &[u64; 4], x: u64) -> [u64; 4] {
    // Binomial coefficients modulo 2^64. The products may exceed 128 bits, so a factor is divided
    // before they are formed.
    let halves = |x: u64| if x % 2 == 1 { x.wrapping_mul(x / 2) } else { (x / 2).wrapping_mul(x.wrapping_sub(1)) };
    let pairs = halves(x);
    let triples = {
        let mut factors = [x, x.wrapping_sub(1), x.wrapping_sub(2)];
        for divisor in [2, 3] {
            if let Some(factor) = factors.iter_mut().find(|factor| **factor % divisor == 0) {
                *factor /= divisor;
            }
        }
        if x < 3 { 0 } else { factors[0].wrapping_mul(factors[1]).wrapping_mul(factors[2]) }
    };
    let sum =
        |terms: [(u64, u64); 4]| terms.into_iter().fold(0, |sum: u64, (d, c)| sum.wrapping_add(d.wrapping_mul(c)));
    [
        sum([(d[0], 1), (d[1], x), (d[2], pairs), (d[3], triples)]),
        sum([(d[1], 1), (d[2], x), (d[3], pairs), (0, 0)]),
        sum([(d[2], 1), (d[3], x), (0, 0), (0, 0)]),
        d[3],
    ]
}
