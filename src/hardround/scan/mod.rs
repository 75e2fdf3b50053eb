//! The search of blocks for their hard cases.

use alloc::vec::Vec;
use core::ops::Range;

mod arcs;
mod basis;
mod cell;
mod domains;
mod dual;
mod lines;
mod part;
#[cfg(test)]
mod tests;

use super::Cell;
use super::block::{Block, Series, evaluate};
use crate::frame::error::Error;
use crate::frame::memory;
use basis::Basis;
use cell::ExactCell;
use dual::Dual;
use part::{MIN_DOMAIN, largest_domain};

/// Maximum number of arguments of a block.
pub const MAX_LENGTH: u64 = 1 << 32;

/// Maximum bound, in units of 2^-64: an eighth of the distance between breakpoints.
pub const MAX_WITHIN: u64 = 1 << 61;

/// Number of domains of a block that amortise its setup, log2.
const LOG2_BLOCK: u32 = 11;

/// How much longer blocks of arcs are, log2.
const LOG2_LONGER: u32 = 5;

/// Number of cells of one call of [`rows()`](super::rows()).
const CELLS: usize = 32;

/// How a [`Scan`] searches. Both algorithms find the same cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Algorithm {
    /// Rows of arcs of the curve, where its slope is near a fraction; domains where that does not
    /// pay or is not proved.
    #[default]
    Dual = 0,
    /// Domains, in cells that share the neighbours of a Farey sequence.
    Farey = 1,
}

impl Algorithm {
    /// The block length, log2, that suits a quadratic coefficient of magnitude at most `c2`. Other
    /// lengths give the same result, but take longer.
    ///
    /// ```
    /// use hotloops::hardround::Algorithm;
    /// assert_eq!(Algorithm::Farey.log2_length((-40f64).exp2()), 22);
    /// assert_eq!(Algorithm::Dual.log2_length((-40f64).exp2()), 27);
    /// ```
    #[must_use]
    pub fn log2_length(self, c2: f64) -> u32 {
        let longer = if self == Algorithm::Dual { LOG2_LONGER } else { 0 };
        (Scan::log2_length(c2) + longer).min(MAX_LENGTH.ilog2())
    }
}

/// A search of blocks, one after the other: finds all x with |F(x) mod 1| < e.
///
/// A block is cut into domains of N arguments. On a domain, F(x) = b + a x - c x (N - x), where a
/// is the slope of the chord and c the quadratic coefficient; a change of F's sign makes c
/// positive. So |F(x)| < e mod 1 only if the line b + e + a x is in a strip of width W = 2 e + c
/// N^2 / 4 mod 1. The points (x, a x + n), for all integers x and n, are a lattice. The test
/// decides whether a strip of N arguments holds one of its points:
///
/// ```text
///   r_u/u <= a < r_v/v   neighbours in the Farey sequence of order 1.07 N
///   (u, p) and (v, -q)   a basis: p = u a - r_u >= 0, q = r_v - v a >= 0, u q + v p = 1
///   U, P, V              the shorter of u and v with its gap, and the longer
///   g                    the height of the strip's edge that (U, P) points to
///   Z = frac(g U) + j    the row coordinate of row j of multiples of (V, ..): x P + w U for a point
///                        at x that is w from that edge
///   frac(Z r + g V)      w / P for that point, where r = 1 / (U P) - V / U
///
///   a point  <=>  for j = 0 or 1: Z <= N P + W U and frac(Z r + g V) <= W / P
/// ```
///
/// The slope changes so little from domain to domain that about a hundred domains, a *cell*, share
/// u and v. Along a cell, g is quadratic and P linear, so [`rows()`](super::rows()) tests a domain with a few
/// `f32` operations in vectors. The next cell is one step further in the Farey sequence. Few
/// domains may hold a point. Their arguments on these rows are tested with the block's polynomial
/// in 128 bits, so the result is exact.
///
/// ```
/// use hotloops::hardround::{Block, Scan};
/// // x^2 / 2^40 + x / 3, at x = 0, 1, 2, ..
/// let block = Block::new([0, u128::MAX / 3, 1 << 88, 0]);
/// let mut found = Vec::new();
/// Scan::new(1 << 44)?.block(&block, 1 << 22, |x| found.push(x))?;
/// assert!(found.iter().all(|&x| ((block.at(x) >> 64) as i64).unsigned_abs() <= 1 << 44));
/// assert_eq!(found.len(), (0..1 << 22).filter(|&x| (block.at(x) as i128).unsigned_abs() < 1 << 108).count());
/// # Ok::<(), hotloops::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scan {
    within: u64,
    algorithm: Algorithm,
    dual: Dual,
    domain: Option<u64>,
    basis: Basis,
    cells: Vec<Cell>,
    exact_cells: Vec<ExactCell>,
    hits: Vec<u64>,
    candidates: Vec<u64>,
    /// The cases of a search by domains among arcs.
    in_domains: Vec<u64>,
}

impl Scan {
    /// A search for arguments with |F(x) mod 1| < `within` 2^-64.
    ///
    /// # Errors
    /// [`Error::Proof`] if `within` exceeds 2^61; [`Error::NoMemory`].
    pub fn new(within: u64) -> Result<Self, Error> {
        if within > MAX_WITHIN {
            return Err(Error::Proof { argument: "within" });
        }
        Ok(Scan {
            within,
            algorithm: Algorithm::default(),
            dual: Dual::new(within)?,
            domain: None,
            basis: Basis::default(),
            cells: memory::with_capacity(CELLS)?,
            exact_cells: memory::with_capacity(CELLS)?,
            hits: memory::filled(2 * CELLS, 0)?,
            candidates: Vec::new(),
            in_domains: Vec::new(),
        })
    }

    /// The block length, log2, that suits a quadratic coefficient of magnitude at most `c2`: some
    /// thousand domains. Other lengths give the same result, but take longer.
    ///
    /// ```
    /// use hotloops::hardround::Scan;
    /// assert_eq!(Scan::log2_length((-40f64).exp2()), 22);
    /// ```
    #[must_use]
    pub fn log2_length(c2: f64) -> u32 {
        (largest_domain(c2).max(MIN_DOMAIN) as u32).ilog2() + LOG2_BLOCK
    }

    /// Sets the algorithm, which changes the time of a search, not its result.
    #[must_use]
    pub fn algorithm(self, algorithm: Algorithm) -> Self {
        Scan { algorithm, ..self }
    }

    /// Sets the number of arguments of a domain, which by default follows from the polynomial. It
    /// changes the time of a search by domains, not its result. A number that the proof does not
    /// cover is reduced.
    #[must_use]
    pub fn domain(self, n: u64) -> Self {
        Scan { domain: Some(n), ..self }
    }

    /// Calls `each` for all x < `length` with |F(x) mod 1| < `within` 2^-64, in ascending order.
    ///
    /// Searching blocks in the order of their arguments is faster: the Farey neighbours of one
    /// block are the start for the next.
    ///
    /// # Errors
    /// [`Error::Proof`] for a block of more than 2^32 arguments; [`Error::NoMemory`].
    pub fn block(&mut self, block: &Block, length: u64, mut each: impl FnMut(u64)) -> Result<(), Error> {
        if length > MAX_LENGTH {
            return Err(Error::Proof { argument: "length" });
        }
        let c = block.coefficients();
        match self.algorithm {
            Algorithm::Dual => {
                self.dual.clear();
                self.arcs(c, 0, length)?;
                let within = self.within;
                let found = self.dual.finish(|x| is_case(&c, x as u64, within))?;
                found.iter().for_each(|&x| each(x as u64));
                Ok(())
            }
            Algorithm::Farey => self.farey(c, length, &mut each),
        }
    }

    /// Calls `each` for all `arguments` x of a series with |F(x) mod 1| < `within` 2^-64, in
    /// ascending order. It searches the blocks of the series, and is faster than one
    /// [`block()`](Self::block) after the other.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    ///
    /// ```
    /// use hotloops::hardround::{Algorithm, Scan, Series};
    /// // x^2 / 2^40 + x / 3.
    /// let series = Series::new(&[[0; 4], [0x5555_5555_5555_5555; 4], [0, 0, 0, 1 << 24]], 20)?;
    /// let [mut found, mut by_domains] = [const { Vec::new() }; 2];
    /// Scan::new(1 << 40)?.series(&series, -100_000..5_000_000, |x| found.push(x))?;
    /// let mut domains = Scan::new(1 << 40)?.algorithm(Algorithm::Farey);
    /// domains.series(&series, -100_000..5_000_000, |x| by_domains.push(x))?;
    /// assert!(found.contains(&0) && found == by_domains);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    pub fn series(&mut self, series: &Series, arguments: Range<i64>, mut each: impl FnMut(i64)) -> Result<(), Error> {
        let bits = series.log2_length();
        if arguments.is_empty() {
            return Ok(());
        }
        if self.algorithm == Algorithm::Dual {
            return self.long(series, arguments, &mut each);
        }
        for j in arguments.start >> bits..=(arguments.end - 1) >> bits {
            let start = j << bits;
            let first = (arguments.start.saturating_sub(start)).max(0) as u64;
            let end = (arguments.end - start).min(1 << bits) as u64;
            self.block(&series.block(j), end, |x| {
                if x >= first {
                    each(start + x as i64);
                }
            })?;
        }
        Ok(())
    }
}

fn is_case(c: &[u128; 4], x: u64, within: u64) -> bool {
    (evaluate(c, x) as i128).unsigned_abs() < u128::from(within) << 64
}

/// The argument at which c2 changes sign, or `length`.
fn inflection(c: &[u128; 4], length: u64) -> u64 {
    let bent_up = |x: u64| (c[2].wrapping_add(c[3].wrapping_mul(3 * u128::from(x))) as i128) >= 0;
    if bent_up(0) == bent_up(length) {
        return length;
    }
    let (mut low, mut high) = (0, length);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        *if bent_up(middle) == bent_up(0) { &mut low } else { &mut high } = middle;
    }
    high
}
