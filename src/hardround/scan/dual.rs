//! Dual rows: the search without domains.
//!
//! A part is a range of a block, or several blocks of a series. On it F is a quartic in y, the
//! number of arguments from its middle. Let r/u be a fraction of order Q. On the *arc* of r/u, where
//! F' is between the mediants of r/u and its neighbours in the Farey sequence, G(y) = u F(y) - r y is
//! flat. A case gives G(y) = k + u d with an integer k, the *row*, and |d| < e. With the right
//! neighbour v of u, k = -r y modulo u means y = k v modulo u. With the vertex w, F'(w) = r/u, and
//! G = G(w), the arguments of row k are at
//!
//! ```text
//! w +- T - b T^2 / 2 + .., T^2 = (k - G) / (u c), c = c2 + 3 c3 w, b = c3 / c
//! ```
//!
//! so a row holds a case only if one of these two is near k v modulo u. The kernel
//! [`arcs()`](super::super::arcs()) computes these numbers, [`dual()`](super::super::dual()) tests
//! the rows in `f32`. [`refine()`](super::super::refine()) tests a row that passes again in `f64`,
//! and the polynomial of its block in 128 bits decides. Arcs of small denominators are long; they
//! are searched by domains, and so are parts that the proof does not cover.
//!
//! # Errors
//! Positions are in units of u. W bounds |w|, S = c2 W^2. A sum of `f64` terms has an error of at
//! most 2^-53 of each partial sum.
//!
//! | number | error | bound | covered by |
//! |---|---|---|---|
//! | slope r/u - C | rounding of 3 operations and the coefficient, 4 x 2^-53 of it | value: 8 S 2^-53 | `within` |
//! | value F(w) - r/u w | c2, c3: 2^-52 of S; products, sums: 7 S 2^-53; c0: 2^-54 | 2^-48 S + 2^-51 (1) | `within` |
//! | | the quartic's difference from the polynomials of blocks | `error` | `within` |
//! | | an error n of w, which is stationary | c n^2 | `within` |
//! | G | u times these, and 2^-53 u for the product, the first row and its height | 2^-51 u | `within` |
//! | w | the series in z = ratio (slope / 2 c2) lacks 14 z^4 + 42 z^5 + .. | 20 z^4 W | `shift` |
//! | | and the terms in q = 2 c4 W^2 / c2, which is below 1/3 `fourth` | 1.1 q W | `shift` |
//! | | rounding, 10 x 2^-53 of it | 2^-49 W | `shift` |
//! | position | products and sums, 2^-53 of W / u + 4 Q (2) | 2^-29 | `slack` |
//! | base, step | 2^-33, and as much for each row: at most 2048 rows | 2^-22 | `slack` |
//! | limit | 2^-33, twice | 2^-32 | `slack` |
//! | s | 2^-14, rounded to an integer | 2^-15 | `slack` |
//! | | six roundings to `f32` (3) | 4.5 x 2^-24 of the farthest s | `rounding` |
//! | | c lacks 6 c4 w^2, at most `fourth` of it | 0.55 `fourth` of the farthest s | `rounding` |
//! | T | terms of the series in b T from (b T)^2 5/8 on, if b T <= 1/8 | (b T)^2 T / u | `slack` |
//! | | those of c4: b lacks 4 c4 w / c, and `fourth` of it; the series lacks c4 T^3 / (2 c) | `tail` T / u | `slack` |
//! | | the width h = u `within` of a row after the first (4) | 0.75 A h for h <= 1/8 | 0.75 `spread` |
//! | | in the first row, whose height f is at least h: A h / sqrt f <= A h (1 + 1/f) / 2 | | `extra` |
//!
//! (1) This exceeds the sum, 18 S 2^-53 + 2^-52.
//! (2) q spread <= 1 and parts of at most 2^32 arguments bound W / u.
//! (3) The height and its two sums, 2^-24 each, halved by the root; the root, the scale and the product,
//! 2^-24 each.
//! (4) From k - G to k - G +- h, s changes by at most A h / sqrt(k - G - h), and k - G >= 1 - h.
//!
//! An error h of the height also moves the term b T^2 / 2, by b A^2 u h / 2. This is less than A h
//! / 16, as b A u <= 1/8, and `spread` covers it.
//!
//! In `f64`, the interval of s for heights k - G +- h is computed instead, and |bend| h is added.
//! `fine` is `slack` without the errors of `f32` and of integers, but with 2^-50 of the farthest s
//! for its rounding, and 2^-50 A for heights that count as 2^-100.
//!
//! The number of rows counts up to the height of the mediant that is farther away. The slope rises
//! by at least twice the smallest c2 of the part, so that height is at most `rise` / (u m^2).

#[cfg(test)]
mod margins;
mod rows;
mod walk;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use super::super::block::{Quartic, power};
use super::super::{Bundle, Curve, MAX_ARCS, MAX_ROWS, PIECES};
use super::lines::TURN;
use super::part::{cube_root, number};
use crate::frame::error::Error;
use crate::frame::memory;
use crate::math::libm::sqrt_f64;

/// The order of the Farey sequence, times the cube root of c2. A larger one means more arcs, and
/// fewer rows.
const ORDER: f64 = 0.22;

/// Bounds of the order. The kernel's numbers are exact, and positions fit, up to the upper one.
const MIN_ORDER: f64 = 256.0;
const MAX_ORDER: f64 = (1 << 20) as f64;

/// A denominator below the order divided by this is small. The distance of arguments from the vertex
/// is at most this squared, divided by 2 `ORDER`^3, in units of the denominator; the kernel needs less
/// than 2^17.
const SMALL: u32 = 32;

/// The smallest number of arcs of a part that pays.
const MIN_ARCS: f64 = 4.0;

/// Number of chunks of arcs after which their rows are tested, whether bundles are full or not.
const CHUNKS: usize = 128;

/// The unit of differences r - u C, as a power of 2, and the units of 2^-64 that it contains.
const UNIT: i32 = -61;
const UNITS: i128 = 1 << (64 + UNIT);

/// Bundles have an even number of rows.
const SIZES: usize = MAX_ROWS / 2;

/// A part whose arcs are being collected.
#[derive(Clone, Debug)]
struct Piece {
    curve: Curve,
    /// The argument that others are counted from.
    middle: i64,
    range: Range<i64>,
}

/// Arcs as the kernel reads them: arc i has denominator i + 1.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    denominators: [f64; MAX_ARCS + 2],
    differences: [f64; MAX_ARCS],
    piece: u32,
}

impl Chunk {
    const EMPTY: Chunk = Chunk { denominators: [1.0; MAX_ARCS + 2], differences: [0.0; MAX_ARCS], piece: 0 };
}

/// A bundle that is being filled: for each piece of an arc, the arc's number and the piece's first
/// row.
#[derive(Clone, Copy, Debug)]
struct Filling {
    bundle: Bundle,
    origins: [[u32; 2]; PIECES],
    count: usize,
}

/// A search that collects arcs of blocks.
#[derive(Clone, Debug)]
pub(super) struct Dual {
    within: u64,
    pieces: Vec<Piece>,
    chunks: Vec<Chunk>,
    fillings: Box<[Filling; SIZES]>,
    /// The rows that passed: the number of the arc and the row.
    hits: Vec<[u32; 2]>,
    /// These in the order of their chunks, and the ends of the chunks among them.
    sorted: Vec<[u32; 2]>,
    ends: Vec<u32>,
    /// The arguments on rows that passed.
    candidates: Vec<i64>,
    /// The cases found, in no order.
    found: Vec<i64>,
}

/// What a part is searched by.
pub(super) enum Method {
    /// Dual rows, except for these ranges of arguments, by domains.
    Rows(Vec<Range<i64>>),
    /// Dual rows, of each half.
    Halves,
    Domains,
}

impl Dual {
    pub(super) fn new(within: u64) -> Result<Self, Error> {
        let empty = Filling { bundle: Bundle::default(), origins: [[0; 2]; PIECES], count: 0 };
        let fillings = memory::filled(SIZES, empty)?.into_boxed_slice();
        let mut fillings: Box<[Filling; SIZES]> = fillings.try_into().map_err(|_| Error::NoMemory)?;
        for (at, filling) in fillings.iter_mut().enumerate() {
            filling.bundle.rows = 2 * at as u32 + 2;
        }
        Ok(Dual {
            within,
            pieces: Vec::new(),
            chunks: memory::with_capacity(CHUNKS + 1)?,
            fillings,
            hits: Vec::new(),
            sorted: Vec::new(),
            ends: Vec::new(),
            candidates: Vec::new(),
            found: Vec::new(),
        })
    }

    /// Forgets what a search that failed has left behind.
    pub(super) fn clear(&mut self) {
        self.pieces.clear();
        self.chunks.clear();
        self.hits.clear();
        self.candidates.clear();
        self.found.clear();
        for filling in self.fillings.iter_mut() {
            filling.count = 0;
        }
    }

    pub(super) fn push(&mut self, x: i64) -> Result<(), Error> {
        memory::push(&mut self.found, x)
    }

    pub(super) fn is_full(&self) -> bool {
        self.chunks.len() >= CHUNKS
    }

    /// Collects the arcs of the arguments `range`, near `middle`, of a polynomial around `middle`.
    pub(super) fn part(&mut self, polynomial: &Quartic, middle: i64, range: Range<i64>) -> Result<Method, Error> {
        let &Quartic { c, c3, c4, error } = polynomial;
        let (c, c3, c4) = if c[2] >> 127 == 1 { (c.map(u128::wrapping_neg), -c3, -c4) } else { (c, c3, c4) };
        let [c0, _, c2] = c.map(number);
        let [start, end] = [range.start, range.end].map(|x| (x - middle) as f64);
        let half = end.max(-start);
        if c2 <= 0.0 {
            return Ok(Method::Domains);
        }
        let order = (ORDER / cube_root(c2)).min(MAX_ORDER + 1.0);
        if !(MIN_ORDER..=MAX_ORDER).contains(&order) {
            return Ok(Method::Domains);
        }
        let order = order as u32;
        let (q, small) = (f64::from(order), order.div_ceil(SMALL));
        let largest = 1.0 / f64::from(small);
        // Half the length of the longest arc, if c2 is at least half of that in the middle.
        let arc = largest / (c2 * q);
        let w = 1.01 * (half + arc);
        // At least c3 anywhere.
        let third = c3.abs() + 4.0 * c4.abs() * w;
        // A margin for the slopes at the ends.
        let spread = 2.1 * c2 * w;
        if 0.15 * q * q * spread < MIN_ARCS {
            return Ok(Method::Domains);
        }
        let b = 1.1 * third / c2;
        // The part of c that c4 changes.
        let fourth = 6.5 * c4.abs() * w * w / c2;
        let tail = c4.abs() / c2 * arc * (2.5 * w + 0.6 * arc) + b * fourth * arc;
        let bent = (b * arc * b * arc + tail) * arc * largest;
        let within = self.within as f64 / TURN + error;
        let is_wide = |within: f64| q * within > 0.0625 || within > 0.0625 * sqrt_f64(c2 / largest);
        let is_steep = |b: f64| b * arc * b * arc * arc * largest > power(-12) || 8.0 * b * arc > 1.0;
        if is_wide(1.1 * within + power(-49)) || is_steep(1.1 * c3.abs() / c2) {
            return Ok(Method::Domains);
        }
        let (z, sum) = (1.6 * third * w / c2, 1.05 * c2 * w * w);
        let shift = w * (power(-49) + 20.0 * z * z * z * z + 0.4 * fourth);
        let within = 1.000_001 * (within + power(-48) * sum + power(-50) + 1.05 * c2 * shift * shift);
        // A shorter part is less bent.
        let is_bent = 96.0 * third * w > c2 || shift * largest > power(-8) || fourth * arc * largest > power(-6);
        if is_bent || q * spread > 1.0 || is_wide(within) || bent > power(-12) || 8.0 * b * arc > 1.0 {
            return Ok(if half > 8.0 * arc { Method::Halves } else { Method::Domains });
        }

        let origin = (c[1] >> 64) as u64 & !7;
        let smallest = c2 - 3.0 * third * w;
        let curve = Curve {
            c0,
            c2,
            c3,
            c4,
            triple: 3.0 * c3,
            half: 0.5 * c3,
            rest: (c[1] - (u128::from(origin) << 64)) as f64 * power(-64) * power(-64),
            inverse: 0.5 / c2,
            ratio: 1.5 * c3 / c2,
            within,
            rise: 1.000_001 * 0.25 / smallest,
            reach: 1.000_001 * 0.5 / smallest,
            slack: power(-15) + power(-21) + bent,
            shift,
            rounding: 4.75 * power(-24) + 0.55 * fourth,
            fine: power(-28) + bent + 0.55 * fourth * arc * largest,
        };
        memory::push(&mut self.pieces, Piece { curve, middle, range })?;
        // Slopes relative to that in the middle.
        let slope = |y: f64| y * (2.0 * c2 + y * (3.0 * c3 + 4.0 * c4 * y)) * power(-UNIT);
        let margin = 2 + (spread * power(-UNIT - 49)) as i64;
        self.walk(order, small, origin, slope(start) as i64 - margin, slope(end) as i64 + margin)
    }
}
