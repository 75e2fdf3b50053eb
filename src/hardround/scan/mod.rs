//! The search of blocks for their hard cases.

use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

mod basis;
mod cell;
mod dual;
mod lines;
mod part;
#[cfg(test)]
mod tests;

use super::block::{Block, Quartic, Series, evaluate, moved, power};
use super::{Cell, exhaust_first, exhaust_from, rows};
use crate::error::Error;
use crate::memory;
use basis::Basis;
use cell::{ExactCell, cell};
use dual::{Dual, Method};
use lines::{Lines, TURN};
use part::{MIN_DOMAIN, Part, cube_root, largest_domain, number};

/// Maximum number of arguments of a block.
pub const MAX_LENGTH: u64 = 1 << 32;

/// Maximum bound, in units of 2^-64: an eighth of the distance between breakpoints.
pub const MAX_WITHIN: u64 = 1 << 61;

/// Number of domains after which the polynomial's origin moves. The coefficients of lines are
/// rounded to 2^-64, and then multiplied by a domain's index and its square, which limits this
/// number.
const DOMAINS: u64 = 1024;

/// Number of domains of a block that amortise its setup, log2.
const LOG2_BLOCK: u32 = 11;

/// How much longer blocks of arcs are, log2.
const LOG2_LONGER: u32 = 5;

/// The longest part of a series that is one quartic, log2.
const LOG2_LONGEST: u32 = 32;

/// The error of a quartic that hardly widens rows, divided by the cube root of c2. A row of an arc of
/// the largest denominator then moves by 2^-18 of it.
const MAX_WIDER: f64 = 1.0 / (1 << 19) as f64;

/// Number of cells of one call of [`rows()`].
const CELLS: usize = 32;

/// Number of arguments after which a search argument by argument recomputes the differences, whose
/// errors grow with the cube of this.
const STRETCH: u64 = 1 << 12;

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
/// u and v. Along a cell, g is quadratic and P linear, so [`rows()`] tests a domain with a few
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

    /// Calls `each` for the cases of a range of a block.
    fn farey(&mut self, c: [u128; 4], length: u64, each: &mut dyn FnMut(u64)) -> Result<(), Error> {
        let high = inflection(&c, length);
        self.part(c, high, each)?;
        if high < length { self.part(moved(c, high), length - high, &mut |x| each(high + x)) } else { Ok(()) }
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

    /// The search of a series by arcs. Parts longer than a block are quartics. Cases are those of
    /// the blocks.
    fn long(&mut self, series: &Series, arguments: Range<i64>, each: &mut dyn FnMut(i64)) -> Result<(), Error> {
        self.dual.clear();
        let bits = series.log2_length();
        let blocks = (arguments.start.unsigned_abs().max(arguments.end.unsigned_abs()) >> bits) + 1;
        let (longer, error) = self.longer(series, blocks);
        let mut start = arguments.start;
        while start < arguments.end {
            let end = (start | ((1 << longer) - 1)).saturating_add(1).min(arguments.end);
            self.stretch(series, error, start..end)?;
            start = end;
            if self.dual.is_full() || start == arguments.end {
                let (within, mut last) = (self.within, None);
                let is_case = |x: i64| {
                    let j = x >> bits;
                    let c = match last {
                        Some((block, c)) if block == j => c,
                        _ => series.block(j).coefficients(),
                    };
                    last = Some((j, c));
                    is_case(&c, (x - (j << bits)) as u64, within)
                };
                self.dual.finish(is_case)?.iter().for_each(|&x| each(x));
                self.dual.clear();
            }
        }
        Ok(())
    }

    /// The length, log2, of a part: that of a block, or longer if a quartic does not widen rows
    /// much. Its middle is within half a block of the middle of the arguments. Also the quartic's
    /// error.
    fn longer(&self, series: &Series, blocks: u64) -> (u32, f64) {
        let within = self.within as f64 / TURN;
        let bend = number(series.block(0).coefficients()[2]).abs();
        let most = (0.125 * within).max(MAX_WIDER * cube_root(bend));
        let first = series.log2_length();
        let error = |bits: u32| series.bent(0.75 * power(bits as i32), blocks);
        let bits = (first + 1..=LOG2_LONGEST).take_while(|&bits| error(bits) < most).last().unwrap_or(first);
        (bits, error(bits))
    }

    /// Collects the arcs of arguments of a series, given the error of quartics.
    fn stretch(&mut self, series: &Series, error: f64, arguments: Range<i64>) -> Result<(), Error> {
        let bits = series.log2_length();
        let Range { start, end } = arguments;
        let j = start >> bits;
        if (end - 1) >> bits == j {
            let c = series.block(j).coefficients();
            return self.arcs(moved(c, (start - (j << bits)) as u64), start, (end - start) as u64);
        }
        // The beginning of a block that is nearest to the middle.
        let length = 1 << bits;
        let j = j + (((start & (length - 1)) + (end - start + length) / 2) >> bits);
        let middle = j << bits;
        match self.dual.part(&series.quartic(j, error), middle, start..end)? {
            Method::Rows(ranges) => ranges.into_iter().try_for_each(|range| self.blocks(series, range)),
            Method::Domains | Method::Halves => {
                self.stretch(series, error, start..middle)?;
                self.stretch(series, error, middle..end)
            }
        }
    }

    /// Searches arguments of a series by domains.
    fn blocks(&mut self, series: &Series, arguments: Range<i64>) -> Result<(), Error> {
        let bits = series.log2_length();
        for j in arguments.start >> bits..=(arguments.end - 1) >> bits {
            let block = j << bits;
            let start = block.max(arguments.start);
            let end = (block | ((1 << bits) - 1)).min(arguments.end - 1) + 1;
            let c = moved(series.block(j).coefficients(), (start - block) as u64);
            self.domains(c, start, (end - start) as u64)?;
        }
        Ok(())
    }

    /// Searches a part of a block by arcs, from argument `first` on: collects those it has not
    /// tested yet.
    fn arcs(&mut self, c: [u128; 4], first: i64, length: u64) -> Result<(), Error> {
        let high = inflection(&c, length);
        for (from, to) in [(0, high), (high, length)] {
            if from < to {
                self.bent(moved(c, from), first + from as i64, to - from)?;
            }
        }
        Ok(())
    }

    /// Like [`Self::arcs()`], for a range on which c2 keeps its sign.
    fn bent(&mut self, c: [u128; 4], first: i64, length: u64) -> Result<(), Error> {
        let half = length / 2;
        let [c0, c1, c2, c3] = moved(c, half);
        let polynomial = Quartic { c: [c0, c1, c2], c3: number(c3), c4: 0.0, error: 0.0 };
        match self.dual.part(&polynomial, first + half as i64, first..first + length as i64)? {
            Method::Rows(ranges) => ranges.into_iter().try_for_each(|range| {
                self.domains(moved(c, (range.start - first) as u64), range.start, (range.end - range.start) as u64)
            }),
            Method::Domains => self.domains(c, first, length),
            Method::Halves => {
                self.bent(c, first, half)?;
                self.bent(moved(c, half), first + half as i64, length - half)
            }
        }
    }

    /// Searches a part of a block by domains, from argument `first` on.
    fn domains(&mut self, c: [u128; 4], first: i64, length: u64) -> Result<(), Error> {
        let mut found = mem::take(&mut self.in_domains);
        let mut failure = Ok(());
        let searched = self.farey(c, length, &mut |x| {
            if failure.is_ok() {
                failure = memory::push(&mut found, x);
            }
        });
        let all = searched.and(failure);
        let all = all.and_then(|()| found.iter().try_for_each(|&x| self.dual.push(first + x as i64)));
        found.clear();
        self.in_domains = found;
        all
    }

    /// Like [`Self::block()`], for a range on which c2 keeps its sign, except possibly at the end.
    fn part(&mut self, c: [u128; 4], length: u64, each: &mut dyn FnMut(u64)) -> Result<(), Error> {
        let c = upright(c, length);
        let [first, last] = [c[2], moved(c, length)[2]].map(number);
        match Part::new(c, length, first.abs().max(last.abs()), self.within, self.domain) {
            Some(part) => self.search(&part, each),
            None => self.exhaust(c, length, each),
        }
    }

    /// Searches argument by argument.
    fn exhaust(&mut self, mut c: [u128; 4], length: u64, each: &mut dyn FnMut(u64)) -> Result<(), Error> {
        // The differences of the polynomial at 0 have errors of less than a unit each, and so
        // values of less than 1 + x + x^2 + x^3.
        let wide = self.within.saturating_add(2 * STRETCH.pow(3));
        for begin in (0..length).step_by(STRETCH as usize) {
            let n = STRETCH.min(length - begin);
            let [c0, c1, c2, c3] = c;
            let third = c3.wrapping_mul(6);
            let mut d = [
                (c0 >> 64) as u64,
                (c1.wrapping_add(c2).wrapping_add(c3) >> 64) as u64,
                (c2.wrapping_mul(2).wrapping_add(third) >> 64) as u64,
                (third >> 64) as u64,
            ];
            d[0] = d[0].wrapping_add(wide);
            let mut at = 0;
            while let Some(x) = exhaust_first(&d, n - at, 2 * wide) {
                if is_case(&c, at + x, self.within) {
                    each(begin + at + x);
                }
                d = exhaust_from(&d, x + 1);
                at += x + 1;
            }
            c = moved(c, STRETCH);
        }
        Ok(())
    }

    fn search(&mut self, part: &Part, each: &mut dyn FnMut(u64)) -> Result<(), Error> {
        // A search that ran out of memory may have left cells behind.
        self.cells.clear();
        self.exact_cells.clear();
        if !self.basis.is_of(part.order) {
            self.basis = Basis::around(self.basis.a, part.order);
        }
        let stretch = DOMAINS * part.n;
        let mut c = part.c;
        for begin in (0..part.length).step_by(stretch as usize) {
            let length = stretch.min(part.length - begin);
            let lines = Lines::new(&c, part.n);
            let domains = length.div_ceil(part.n);
            let mut i = 0;
            while i < domains {
                while i < domains && self.cells.len() < CELLS {
                    let (cell, exact) = cell(&lines, part, &mut self.basis, i, domains - i);
                    i += u64::from(cell.count);
                    self.cells.push(cell);
                    self.exact_cells.push(exact);
                }
                self.try_cells(part, &c, length, &mut |x| each(begin + x))?;
            }
            c = moved(c, stretch);
        }
        Ok(())
    }

    fn try_cells(&mut self, part: &Part, c: &[u128; 4], length: u64, each: &mut dyn FnMut(u64)) -> Result<(), Error> {
        // SAFETY: `cells` are as many as their length says, each as the kernel requires; `hits` has
        // two words for each.
        unsafe { rows(self.cells.as_ptr(), self.cells.len(), self.hits.as_mut_ptr()) };
        // Collect the words that have hits, without a branch: one in ten has some.
        let (mut found, mut count) = ([0_usize; 2 * CELLS], 0);
        for (at, &word) in self.hits[..2 * self.exact_cells.len()].iter().enumerate() {
            found[count] = at;
            count += usize::from(word != 0);
        }
        for &at in &found[..count] {
            let (exact, mut word) = (self.exact_cells[at / 2], self.hits[at]);
            while word != 0 {
                let i = 64 * (at as u64 % 2) + u64::from(word.trailing_zeros());
                word &= word - 1;
                let start = (exact.first + i) * part.n;
                let n = part.n.min(length - start);
                self.candidates.clear();
                let (within, candidates) = (u128::from(self.within) << 64, &mut self.candidates);
                exact.points(i, n, |x| {
                    if (evaluate(c, start + x) as i128).unsigned_abs() < within {
                        memory::push(candidates, start + x)?;
                    }
                    Ok(())
                })?;
                self.candidates.sort_unstable();
                self.candidates.dedup();
                self.candidates.iter().for_each(|&x| each(x));
            }
        }
        self.cells.clear();
        self.exact_cells.clear();
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

/// The coefficients of F or -F, whichever is convex on a range on which c2 keeps its sign.
fn upright(c: [u128; 4], length: u64) -> [u128; 4] {
    let [first, last] = [c[2], moved(c, length)[2]].map(number);
    if first + last < 0.0 { c.map(u128::wrapping_neg) } else { c }
}
