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
#[cfg(feature = "c-api")]
mod ffi;
#[cfg(any(sse2, neon))]
mod gaps;
#[cfg(any(sse2, neon))]
mod lanes;
#[cfg(any(sse2, neon))]
mod runs;
mod scan;

pub use arc::{Arcs, Bundle, Curve, MAX_ARCS, MAX_ROWS, PIECES, Places, Suspects};
pub use block::{Block, MAX_DEGREE, Series};
pub use scan::{Algorithm, MAX_LENGTH, MAX_WITHIN, Scan};

use crate::frame::error::Error;
use crate::frame::error::exactly;
use crate::frame::kernel::kernel;

/// Maximum number of domains of a [`Cell`]: the bits of the two words that [`rows()`] writes for
/// it.
pub const MAX_DOMAINS: u32 = 128;

/// Maximum number of iterations of Lefevre's test, which then answers "maybe".
pub(crate) const TURNS: u32 = 1024;

/// Bits of the fractions of [`lefevre()`] and [`regular()`]. Binary64 holds these and the
/// remainders of their products exactly.
pub(crate) const TEST_BITS: u32 = 52;

/// The whole circle: 1 in units of 2^-52.
pub(crate) const UNIT: f64 = (1_u64 << TEST_BITS) as f64;

/// Consecutive domains whose slopes lie between the same neighbours in a Farey sequence, for
/// [`rows()`].
///
/// Fractions are integers in units of 2^-32. A quantity is stored with its first and second
/// difference: its value in domain i is `q + i dq + i (i - 1) / 2 ddq`, modulo 2^32.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// The row coordinate of the strip, in units of 2^-32, with its differences.
    pub z: [u32; 3],
    /// The position on row 0, in units of 2^-32, with its differences.
    pub h: [u32; 3],
    /// The gap of the shorter vector times its length, in a unit that the cell chooses, with its
    /// difference.
    pub y: [i32; 2],
    /// The inverse of the unit of `y`: `per / y` is the inverse of gap times length.
    pub per: f32,
    /// The slope of a row is `per / y - ratio`.
    pub ratio: f32,
    /// The smallest `y`; smaller values count as this.
    pub min_y: f32,
    /// The largest row coordinate is `row_slope y + row_offset`.
    pub row_slope: f32,
    /// See `row_slope`.
    pub row_offset: f32,
    /// The strip's width on a row is `width per / y + slack`.
    pub width: f32,
    /// See `width`.
    pub slack: f32,
    /// The number of domains, at most [`MAX_DOMAINS`].
    pub count: u32,
}

kernel! {
    /// The regular test on domains: bit i mod 8 of `bits[i / 8]` is 0 if no x < `n` has b - a x mod
    /// 1 < w, for `a[i]`, `b[i]` and `w` in units of 2^-64. The last byte's other bits are 0.
    ///
    /// The test cuts a and b to 52 bits and covers the cut by a wider strip, \[0, w / 2^12 rounded
    /// up + n - 1). For this line and strip it is exact, on the first u + v arguments: `n` or a few
    /// more. An `n` below 3 counts as 3.
    ///
    /// # Safety
    /// `a` and `b` point to `count` readable integers, `bits` to `count` / 8 writable bytes,
    /// rounded up, that overlap neither. Any alignment. `n` is at most 2^32.
    "hl_hardround_regular" unsafe fn regular(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8);
    assembly: avx2, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Lefevre's test on domains, with the arguments, results and limits of [`regular()`]; after
    /// 1024 turns it says 1.
    ///
    /// # Safety
    /// As for [`regular()`].
    "hl_hardround_lefevre" unsafe fn lefevre(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8);
    assembly: avx512 unless narrow_512, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// The smallest x < `n` with d0 + d1 x + d2 x (x - 1) / 2 + d3 x (x - 1) (x - 2) / 6 mod 2^64 <
    /// `w`, or `n` if there is none.
    ///
    /// # Safety
    /// `d` points to four readable integers, at any alignment.
    "hl_hardround_exhaust" unsafe fn exhaust(d: *const u64, n: u64, w: u64) -> u64;
    assembly: avx2, neon;
    intrinsics: avx512 unless narrow_512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Which domains of cells may hold a case: bit i mod 64 of `hits[2 c + i / 64]` for domain i of
    /// cell c; the other bits are 0.
    ///
    /// With Z = 1 + z and H = 1 + h from the upper 23 bits of the fractions, y at least `min_y`, t =
    /// `per` / y, r = t - `ratio`, s0 = (Z - 1) r + H, s1 = s0 + r and limit = `row_slope` y +
    /// `row_offset`: the bit is 1 if (Z - 1 <= limit and frac(s0) <= `width` t + `slack`) or (Z <=
    /// limit and frac(s1) <= `width` t + `slack`). Each operation is rounded to `f32`, none fused.
    ///
    /// # Safety
    /// `cells` points to `count` readable cells, `hits` to 2 `count` writable words that do not
    /// overlap them. Any alignment. Cells have at most [`MAX_DOMAINS`] domains. `min_y` is
    /// positive; the other floats are finite and, except for `ratio`, neither negative nor -0. No
    /// result above is NaN, and s0 and s1 are below 2^31.
    "hl_hardround_rows" unsafe fn rows(cells: *const Cell, count: usize, hits: *mut u64);
    rows: all;
    header: kernels;
}

kernel! {
    /// The arcs of a curve: their vertices, first rows and tolerances.
    ///
    /// Arc i is that of a fraction r / u, with u = `denominators[i + 1]` and neighbours in the Farey
    /// sequence of denominators `denominators[i]` and `denominators[i + 2]`, v. `differences[i]` is
    /// r - u times the slope. [`Curve`] and [`Arcs`] name the numbers; the source of the reference
    /// is their definition. Each operation is rounded to `f64`, none fused.
    ///
    /// # Safety
    /// `curve` points to a readable curve, `denominators` to `count` + 2 and `differences` to
    /// `count` readable numbers, `arcs` to writable arcs that overlap none of them. Any alignment.
    /// `count` is a multiple of 8, at most [`MAX_ARCS`]; the entries of the first `count` arcs are
    /// written. Denominators are integers from 1 to 2^21, the quadratic coefficients at the vertices
    /// are positive, and no result is NaN.
    "hl_hardround_arcs" unsafe fn arcs(
        curve: *const Curve,
        denominators: *const f64,
        differences: *const f64,
        count: usize,
        arcs: *mut Arcs,
    );
    assembly: avx512, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// The rows of pieces of arcs that may hold a case: bit i of `hits[32 b + j]` for row j of piece
    /// i of bundle b.
    ///
    /// With s = `scale` sqrt(`height` + j), each operation rounded to `f32`, S = 2^18 s, s rounded
    /// to an integer, ties to even, and b = `base` - j `step`: the bit is 1 if b + S or b - S modulo
    /// 2^32 is at most `limit`, as signed integers. For row 0, b is `base` + `extra`, and the limit
    /// is `first`.
    ///
    /// # Safety
    /// `bundles` points to `count` readable bundles, `hits` to 32 `count` writable words that do not
    /// overlap them. Any alignment. The first `rows` of the 32 words of a bundle are written; `rows`
    /// is at most [`MAX_ROWS`]. `scale` and `height` are neither negative nor NaN, and s is below
    /// 2^31.
    "hl_hardround_dual" unsafe fn dual(bundles: *const Bundle, count: usize, hits: *mut u32);
    assembly: avx512, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// The arguments that may be on rows of arcs: those near enough in `f64`.
    ///
    /// [`Suspects`] names the rows, [`Places`] the arguments; the source of the reference is their
    /// definition. Each operation is rounded to `f64`, none fused.
    ///
    /// # Safety
    /// `curve` points to a readable curve, `suspects` to readable ones, `places` to writable ones
    /// that overlap neither. Any alignment. `count` is a multiple of 8, at most [`MAX_ARCS`]; the
    /// entries of the first `count` suspects are read, and as many places written. Denominators and
    /// the quadratic coefficients at the vertices are positive, and no result is NaN.
    "hl_hardround_refine" unsafe fn refine(
        curve: *const Curve,
        suspects: *const Suspects,
        count: usize,
        places: *mut Places,
    );
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

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
