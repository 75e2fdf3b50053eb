//! The search of blocks for their hard cases.

use alloc::vec::Vec;

use super::block::{evaluate, moved, power};
use super::{Block, Cell, MOST_DOMAINS, exhaust_first, exhaust_from, rows};
use crate::{Error, memory};

/// The longest block.
pub const MOST_LENGTH: u64 = 1 << 32;

/// The widest bound: an eighth of the distance of breakpoints.
pub const MOST_WITHIN: u64 = 1 << 61;

/// Domains between two changes of the polynomial's origin: the coefficients of lines, fractions of 2^-64, are multiplied by
/// a domain's number and its square.
const DOMAINS: u64 = 1024;

/// The largest and the smallest domain, in arguments.
const MOST_DOMAIN: f64 = (1 << 20) as f64;
const LEAST_DOMAIN: f64 = 32.0;

/// Arguments of a domain, times the cube root of the quadratic coefficient.
const DOMAIN: f64 = 0.22;

/// Domains of a block that pay for its beginning, as a power of 2.
const LOG2_BLOCK: u32 = 11;

/// Denominators of the Farey sequence, per argument of a domain: a strip then meets two rows of the lattice at most.
const ORDER: f64 = 1.07;

/// Cells that are filled before [`rows()`] sees them.
const CELLS: usize = 32;

/// Arguments between two evaluations of the differences in a search argument by argument; their errors grow with the cube.
const STRETCH: u64 = 1 << 12;

const TURN: f64 = 18_446_744_073_709_551_616.0;

/// A search of blocks, one after the other: finds all x with |F(x) mod 1| < e.
///
/// A block is cut into domains of N arguments. On a domain, F(x) = b + a x - c x (N - x), with a the slope of the chord and c the
/// quadratic coefficient (made positive by a change of F's sign): so |F(x)| < e mod 1 only if the line b + e + a x is in a strip of width
/// W = 2 e + c N^2 / 4 mod 1. The points (x, a x + n), for all integers x and n, are a lattice; a strip of N arguments holds one of
/// them or not:
///
/// ```text
///   r_u/u <= a < r_v/v   neighbours in the Farey sequence of order 1.07 N
///   (u, p) and (v, -q)   a basis: p = u a - r_u >= 0, q = r_v - v a >= 0, u q + v p = 1
///   U, P, V              the shorter of u and v with its gap, and the longer
///   g                    the height of the strip's edge that (U, P) points to
///   Z = frac(g U) + j    the row coordinate of row j of multiples of (V, ..): x P + w U for a point at x and w from that edge
///   frac(Z r + g V)      w / P for that point, where r = 1 / (U P) - V / U
///
///   a point  <=>  for j = 0 or 1: Z <= N P + W U and frac(Z r + g V) <= W / P
/// ```
///
/// The slope changes so little from domain to domain that some hundred share u and v, a *cell*. Along it, g is quadratic and
/// P linear, and the test is a few operations of `f32` in vectors, [`rows()`]. The next cell is one step in the Farey sequence. The few
/// domains that may hold a point have their arguments on these rows tried by the block's polynomial in 128 bits, and so what is found is exact.
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
    domain: Option<u64>,
    basis: Basis,
    cells: Vec<Cell>,
    runs: Vec<Run>,
    hits: Vec<u64>,
    candidates: Vec<u64>,
}

/// Neighbours in the Farey sequence around a slope: u and v, with the gaps p and q, in units of 2^-64, each up to a whole turn.
#[derive(Clone, Copy, Debug, Default)]
struct Basis {
    u: u64,
    v: u64,
    p: i128,
    q: i128,
    /// The slope.
    a: u64,
}

impl Basis {
    /// The neighbours of order `order` around a.
    fn around(a: u64, order: u64) -> Self {
        if a == 0 {
            return Basis { u: 1, v: order, p: 0, q: 1 << 64, a };
        }
        let (mut u, mut v, mut p, mut q) = (1, 1, a, a.wrapping_neg());
        while u + v <= order {
            let most = |from: u64, step: u64| (order - from) / step;
            let k = p.checked_div(q).unwrap_or(order).min(most(u, v));
            u += k * v;
            p -= k * q;
            let k = q.checked_div(p).unwrap_or(order).min(most(v, u));
            v += k * u;
            q -= k * p;
        }
        Basis { u, v, p: p.into(), q: q.into(), a }
    }

    /// Whether these are neighbours of that order, and not nothing.
    fn is_of(&self, order: u64) -> bool {
        self.v != 0 && self.u.max(self.v) <= order && self.u + self.v > order
    }

    /// Goes to the slope a, near the last one.
    fn follow(&mut self, a: u64, order: u64) {
        // Slopes are known modulo 1.
        let change = i128::from(a.wrapping_sub(self.a) as i64);
        self.a = a;
        self.p += change * i128::from(self.u);
        self.q -= change * i128::from(self.v);
        // A cell holds a hundred domains, and so one step is usual, and many mean that this is another place.
        for _ in 0..16 {
            if self.p < 0 {
                break;
            }
            if self.q >= 0 {
                return;
            }
            let k = (order + self.u) / self.v;
            (self.u, self.v) = (self.v, k * self.v - self.u);
            (self.p, self.q) = (-self.q, i128::from(k) * self.q + self.p);
        }
        *self = Basis::around(a, order);
    }
}

/// The most domains of a cell, and what the differences of its rows and of its gap are wrong by then: for a shorter vector of an arbitrary length, of
/// less than 2^-7, and of less than 2^-11 of the domain's, so that errors are small beside W U, some thousandth of U / N.
struct Most {
    domains: u32,
    dz: f64,
    dy: f64,
}

const MOST: [Most; 3] = [Most::new(MOST_DOMAINS), Most::new(MOST_DOMAINS / 4), Most::new(MOST_DOMAINS / 16)];

impl Most {
    const fn new(domains: u32) -> Self {
        let changes = domains as f64;
        Most {
            domains,
            dz: power(-23) + (2.0 + changes + 0.5 * changes * changes) * power(-33),
            dy: 2.0 + 0.5 * changes,
        }
    }
}

/// A cell, exactly: what a candidate's arguments come from.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// The number of its first domain.
    first: u64,
    /// Lengths of the shorter and the longer vector.
    short: u64,
    long: u64,
    /// The gap of the shorter, in units of 2^-64, with its difference.
    gap: u64,
    gap_step: i64,
    /// The strip's edge, in units of 2^-64, with its differences.
    edge: [u64; 3],
    /// The strip's width W, with all slack, times the length of the shorter vector.
    width: f64,
}

/// A part of a block on which c2 does not change its sign, and which is so bent.
struct Part {
    /// The coefficients of F, with the sign that makes it convex.
    c: [u128; 4],
    /// Arguments, of the part and of a domain.
    length: u64,
    n: u64,
    order: u64,
    /// In fractions: half the strip without its bend, what the bend adds, and what the lines of domains are wrong by.
    within: f64,
    bend: f64,
    error: f64,
    /// The strip W without the slack of a cell.
    bare: f64,
}

/// A fraction of 2^-128, between -1/2 and 1/2, as a number.
fn number(c: u128) -> f64 {
    let c = c as i128;
    ((c >> 64) as i64 as f64 + (c as u64) as f64 / TURN) / TURN
}

/// The upper half, rounded.
fn rounded_upper(x: u64) -> u32 {
    (x.wrapping_add(1 << 31) >> 32) as u32
}

/// The upper word, rounded.
fn upper(c: u128) -> u64 {
    (c.wrapping_add(1 << 63) >> 64) as u64
}

impl Scan {
    /// A search for arguments with |F(x) mod 1| < `within` 2^-64.
    ///
    /// # Errors
    /// [`Error::Proof`] if `within` exceeds 2^61; [`Error::NoMemory`].
    pub fn new(within: u64) -> Result<Self, Error> {
        if within > MOST_WITHIN {
            return Err(Error::Proof { argument: "within" });
        }
        Ok(Scan {
            within,
            domain: None,
            basis: Basis::default(),
            cells: memory::with_capacity(CELLS)?,
            runs: memory::with_capacity(CELLS)?,
            hits: memory::filled(2 * CELLS, 0)?,
            candidates: Vec::new(),
        })
    }

    /// The length of blocks, as a power of 2, that suits a search where the quadratic coefficient has the magnitude `c2` at most: some
    /// thousand domains. Others find the same, and take longer.
    ///
    /// ```
    /// use hotloops::hardround::Scan;
    /// assert_eq!(Scan::log2_length((-40f64).exp2()), 22);
    /// ```
    #[must_use]
    pub fn log2_length(c2: f64) -> u32 {
        (largest_domain(c2).max(LEAST_DOMAIN) as u32).ilog2() + LOG2_BLOCK
    }

    /// Sets the arguments of a domain, which otherwise follow from the polynomial. What is found does not depend on them; the time does.
    /// More than is good for the proof is cut down.
    #[must_use]
    pub fn domain(self, n: u64) -> Self {
        Scan { domain: Some(n), ..self }
    }

    /// Calls `each` for all x < `length` with |F(x) mod 1| < `within`, ascending.
    ///
    /// Blocks in the order of their arguments are faster: what is known of one serves the next.
    ///
    /// # Errors
    /// [`Error::Proof`] for a block of more than 2^32 arguments; [`Error::NoMemory`].
    pub fn block(&mut self, block: &Block, length: u64, mut each: impl FnMut(u64)) -> Result<(), Error> {
        if length > MOST_LENGTH {
            return Err(Error::Proof { argument: "length" });
        }
        let c = block.coefficients();
        let bent_up = |x: u64| (c[2].wrapping_add(c[3].wrapping_mul(3 * u128::from(x))) as i128) >= 0;
        if bent_up(0) == bent_up(length) {
            return self.part(c, length, &mut each);
        }
        // Where c2 changes its sign, by bisection.
        let (mut low, mut high) = (0, length);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            *if bent_up(middle) == bent_up(0) { &mut low } else { &mut high } = middle;
        }
        self.part(c, high, &mut each)?;
        self.part(moved(c, high), length - high, &mut |x| each(high + x))
    }

    /// As above; c2 has one sign, but for what it is at the end.
    fn part(&mut self, c: [u128; 4], length: u64, each: &mut dyn FnMut(u64)) -> Result<(), Error> {
        let end = moved(c, length);
        let [first, last] = [c[2], end[2]].map(number);
        let turned = first + last < 0.0;
        let c = if turned { c.map(u128::wrapping_neg) } else { c };
        match Part::new(c, length, first.abs().max(last.abs()), self.within, self.domain) {
            Some(part) => self.search(&part, each),
            None => self.exhaust(c, length, each),
        }
    }

    /// Argument by argument.
    fn exhaust(&mut self, mut c: [u128; 4], length: u64, each: &mut dyn FnMut(u64)) -> Result<(), Error> {
        // The differences of the polynomial at 0, each less than a unit wrong, and so values by less than 1 + x + x^2 + x^3.
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
                if self.is_case(&c, at + x) {
                    each(begin + at + x);
                }
                d = exhaust_from(&d, x + 1);
                at += x + 1;
            }
            c = moved(c, STRETCH);
        }
        Ok(())
    }

    fn is_case(&self, c: &[u128; 4], x: u64) -> bool {
        (evaluate(c, x) as i128).unsigned_abs() < u128::from(self.within) << 64
    }

    fn search(&mut self, part: &Part, each: &mut dyn FnMut(u64)) -> Result<(), Error> {
        // A search that ended for want of memory may have left some.
        self.cells.clear();
        self.runs.clear();
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
                    let (cell, run) = lines.cell(part, &mut self.basis, i, domains - i);
                    i += u64::from(cell.count);
                    self.cells.push(cell);
                    self.runs.push(run);
                }
                self.try_cells(part, &c, length, &mut |x| each(begin + x))?;
            }
            c = moved(c, stretch);
        }
        Ok(())
    }

    fn try_cells(&mut self, part: &Part, c: &[u128; 4], length: u64, each: &mut dyn FnMut(u64)) -> Result<(), Error> {
        // SAFETY: as many cells as they say, each of them as the kernel wants it, and room for two words each.
        unsafe { rows(self.cells.as_ptr(), self.cells.len(), self.hits.as_mut_ptr()) };
        // Words with hits, found without a branch: one in ten has some.
        let (mut found, mut count) = ([0_usize; 2 * CELLS], 0);
        for (at, &word) in self.hits[..2 * self.runs.len()].iter().enumerate() {
            found[count] = at;
            count += usize::from(word != 0);
        }
        for &at in &found[..count] {
            let (run, mut word) = (self.runs[at / 2], self.hits[at]);
            while word != 0 {
                let i = 64 * (at as u64 % 2) + u64::from(word.trailing_zeros());
                word &= word - 1;
                let start = (run.first + i) * part.n;
                let n = part.n.min(length - start);
                self.candidates.clear();
                let (within, candidates) = (u128::from(self.within) << 64, &mut self.candidates);
                run.points(i, n, |x| {
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
        self.runs.clear();
        Ok(())
    }
}

impl Part {
    /// None where the search by domains is not proved, or does not pay.
    fn new(c: [u128; 4], length: u64, bend: f64, within: u64, domain: Option<u64>) -> Option<Self> {
        let within = within as f64 / TURN;
        let largest = largest_domain(bend);
        let third = number(c[3]).abs();
        // From a domain to the next the slope changes by less than 0.022 / n^2, and a strip holds a point in one domain of 20.
        let mut n = domain.map_or(largest, |n| largest.min(n as f64)).min(0.02 / within.max(1e-12)).min(length as f64);
        let cubed = |n: f64| third * n * n * n;
        while n >= LEAST_DOMAIN && cubed(n) > power(-45) {
            n *= 0.5;
        }
        if n < LEAST_DOMAIN {
            return None;
        }
        let whole = n as u64;
        let n = whole as f64;
        let runs = f64::from(MOST_DOMAINS);
        let bend = 0.25 * bend * n * n;
        // The third differences of a run, of the line's height and N times its slope; rounding of lines.
        let error = cubed(n) * (1.0 + 3.0 * runs * runs + runs * runs * runs) + n * power(-52) + power(-40);
        let bare = 2.0 * within + bend + 2.0 * error;
        Some(Part { c, length, n: whole, order: (ORDER * n) as u64 + 1, within, bend, error, bare })
    }
}

/// The largest domain, in arguments, for a quadratic coefficient that is not negative.
fn largest_domain(c2: f64) -> f64 {
    (DOMAIN / cube_root(c2)).min(MOST_DOMAIN)
}

/// Within 1/1000, of what is not negative.
fn cube_root(x: f64) -> f64 {
    let x = x.max(power(-120));
    // A third of the exponent, and then Newton's steps.
    let root = f64::from_bits(x.to_bits() / 3 + (1023 << 52) / 3 * 2);
    (0..3).fold(root, |root, _| (2.0 * root + x / (root * root)) / 3.0)
}

/// The lines of the domains of a stretch: height b and slope a, modulo 1, as polynomials of the domain's number.
struct Lines {
    height: [u64; 3],
    slope: [u64; 2],
    /// The coefficients of the cube of the height and of the square of the slope, in units of 2^-96.
    cube: i64,
    square: i64,
}

impl Lines {
    fn new([c0, c1, c2, c3]: &[u128; 4], n: u64) -> Self {
        let n = u128::from(n);
        let by = |c: &u128, x: u128| c.wrapping_mul(x);
        let slope = [c1.wrapping_add(by(c2, n)), by(c2, 2 * n).wrapping_add(by(c3, 3 * n * n))];
        Lines {
            height: [*c0, by(c1, n), by(c2, n * n)].map(upper),
            slope: slope.map(upper),
            cube: (by(c3, n * n * n) as i128 >> 32) as i64,
            square: (by(c3, 3 * n * n) as i128 >> 32) as i64,
        }
    }

    /// The second difference of heights.
    fn bent(&self, i: u64) -> u64 {
        let cube = ((self.cube * (3 * i + 3) as i64) >> 31) as u64;
        self.height[2].wrapping_mul(2).wrapping_add(cube)
    }

    fn height(&self, i: u64) -> u64 {
        let [b0, b1, b2] = self.height;
        let cube = ((self.cube * i as i64) >> 32) as u64;
        b0.wrapping_add(i.wrapping_mul(b1.wrapping_add(i.wrapping_mul(b2.wrapping_add(cube)))))
    }

    /// The slope of a domain, and how much larger that of the next one is.
    fn slope(&self, i: u64) -> [u64; 2] {
        let square = |by: u64| ((self.square * by as i64) >> 32) as u64;
        let slope = self.slope[0].wrapping_add(i.wrapping_mul(self.slope[1].wrapping_add(square(i))));
        [slope, self.slope[1].wrapping_add(square(2 * i + 1))]
    }

    /// The cell of domain i and of those that follow it, `remaining` at most.
    ///
    /// What `rows` rounds, for a strip of width W in which each point keeps away from both edges by `slack`:
    ///
    /// - Z is wrong by `dz`: a conversion from 23 bits, and differences of 2^-32, half a unit wrong each. So is H.
    /// - y is wrong by `dy`: units of 2^-28 or less of U / V, which no y exceeds, the difference half a unit wrong.
    /// - Z t, at most N / U + W U / y where there is a point, is wrong by its dy / y and by 2^-21 of its own; Z V / U, with Z < 2, by 2^-20 V / U;
    ///   a sum by 2^-21 at most. Altogether s is wrong by `e` / y + `e0`, where `e` is at least dz + (N / U + 2) dy + 2^-21 W U.
    /// - A point has frac(s) U / y-fold of its distance from the edge, so that `e` / y is less than the slack's part, `e` / U; `e0` is added to H.
    ///
    /// So no frac(s) of a point passes an integer, and each is at most W U / y + 2 `e0`. A y below W U / 2, where the gap is less than half of
    /// the strip, may count as that: then all is let through. As Z is at least slack U, which is more than `dz`, no Z of a point passes 0.
    fn cell(&self, part: &Part, basis: &mut Basis, i: u64, remaining: u64) -> (Cell, Run) {
        let [slope, step] = self.slope(i);
        // Convex, but for the last bit.
        let step = (step as i64).max(0);
        basis.follow(slope, part.order);
        let Basis { u, v, p, q, .. } = *basis;
        let down = u > v;
        let (short, long, gap) = if down { (v, u, q as u64) } else { (u, v, p as u64) };
        let most = &MOST[usize::from(short << 7 < part.n) + usize::from(short << 11 < part.n)];
        // Until the slope passes r_v / v.
        let passed = u64::try_from(q).unwrap_or(u64::MAX).checked_div(v * step as u64).unwrap_or(u64::MAX);
        let count = remaining.min(most.domains.into()).min(passed.saturating_add(1)) as u32;
        let signed = if down { -step } else { step };
        let [gap_step, y_step] = [short as i64, (short * short) as i64].map(|by| by * signed);
        // Gaps are at most 1 / `long`: this is below 2^30 units, whatever the count, which is known late.
        let shift = 35 + long.leading_zeros() - short.leading_zeros();
        let (y, unit) = (short * gap, power(shift as i32 - 64));

        let [n, u, v] = [part.n, short, long].map(|x| x as i64 as f64);
        let (inverse, per) = (1.0 / u, power(64 - shift as i32));
        let (n_over_u, v_over_u) = (n * inverse, v * inverse);
        // 1 / U, and up to twice that: what it bounds need not wait for a division.
        let above = power(short.leading_zeros() as i32 - 63);
        let (dz, dy) = (most.dz, most.dy * unit);
        let bare = part.bare * u;
        let e = dz + 2.0 * dy + dy * (n * above) + power(-20) * bare;
        let e0 = dz + power(-21) * n_over_u + power(-20) * v_over_u + power(-21);
        let width = bare + 2.0 * e;

        let [b, second] = [0, 1].map(|ahead| self.height(i + ahead));
        // One way is as likely as the other: without a branch.
        let (from, sign) = if down { (part.within, 0) } else { (part.within + part.bend, u64::MAX) };
        let mut edge = [b, second.wrapping_sub(b), self.bent(i)].map(|x| (x ^ sign).wrapping_sub(sign));
        let slack = part.error + e * above;
        edge[0] = edge[0].wrapping_add(((from + slack) * TURN) as i64 as u64);
        let coordinate = |by: u64, plus: u32| {
            let [x, dx, ddx] = edge.map(|x| x.wrapping_mul(by));
            [((x >> 32) as u32).wrapping_add(plus), rounded_upper(dx), rounded_upper(ddx)]
        };
        let larger = 1.0 + power(-20);
        let cell = Cell {
            z: coordinate(short, 0),
            h: coordinate(long, (e0 * power(32)) as i64 as u32),
            y: [(y >> shift) as i32, (((y_step >> (shift - 1)) + 1) >> 1) as i32],
            per: per as f32,
            ratio: v_over_u as f32,
            least: (0.5 * width * per) as f32,
            reach: (n_over_u * unit) as f32,
            most: (width + e + power(-20)) as f32,
            width: (width * larger) as f32,
            slack: (2.0 * e0 * larger + power(-22)) as f32,
            count,
        };
        (cell, Run { first: i, short, long, gap, gap_step, edge, width })
    }
}

impl Run {
    /// Calls `each` for the arguments x < `n` of its domain i that may be in the strip.
    fn points(&self, i: u64, n: u64, mut each: impl FnMut(u64) -> Result<(), Error>) -> Result<(), Error> {
        let pairs = i * i.wrapping_sub(1) / 2;
        let edge =
            self.edge[0].wrapping_add(i.wrapping_mul(self.edge[1])).wrapping_add(pairs.wrapping_mul(self.edge[2]));
        let gap = self.gap.wrapping_add(i.wrapping_mul(self.gap_step as u64)) as f64 / TURN;
        let coordinate = u128::from(edge) * u128::from(self.short);
        let [below, z] = [(coordinate >> 64) as u64, coordinate as u64];
        for row in 0..2 {
            let z = row as f64 + z as f64 / TURN;
            // Of numbers below 2, a few units in the last place.
            let (lowest, highest) = ((z - self.width - power(-48)) / gap - 1.0, (z + power(-48)) / gap + 1.0);
            let highest = (highest as u64).min(n - 1);
            if lowest > highest as f64 {
                continue;
            }
            // Points of the row are where x is this, modulo the length of the shorter vector.
            let residue = (self.short + row - below) * self.long % self.short;
            let mut x = highest as i64 - ((highest + self.short - residue) % self.short) as i64;
            while x >= lowest as i64 && x >= 0 {
                each(x as u64)?;
                x -= self.short as i64;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::scalar::{Rows, fraction};
    use super::*;

    struct Dice(u64);

    impl Dice {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 ^ self.0 >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        }
    }

    /// Holds the numbers of f32 to the same in exact integers and f64, for each point in the strips of a search's domains: gives the least part
    /// of the slack for errors that is left, below and above, and the number of points.
    fn margins(c: [u128; 4], n: u64, within: u64, domains: u64) -> ([f64; 2], usize) {
        let part = Part::new(c, domains * n, number(c[2]).abs(), within, Some(n)).unwrap();
        let lines = Lines::new(&c, part.n);
        let (mut basis, mut i, mut least, mut points) = (Basis::around(0, part.order), 0, [f64::INFINITY; 2], 0);
        while i < domains {
            let (cell, run) = lines.cell(&part, &mut basis, i, domains - i);
            let slope = lines.slope(i)[0];
            let step = lines.slope(i + 1)[0].wrapping_sub(slope);
            let down = run.gap_step < 0;
            for domain in 0..u64::from(cell.count) {
                let a = slope.wrapping_add(domain.wrapping_mul(step));
                let pairs = domain * domain.wrapping_sub(1) / 2;
                let edge = run.edge[0]
                    .wrapping_add(domain.wrapping_mul(run.edge[1]))
                    .wrapping_add(pairs.wrapping_mul(run.edge[2]));
                let rows = Rows::of(&cell, domain as u32);
                let gap = run.gap.wrapping_add(domain.wrapping_mul(run.gap_step as u64)) as f64 / TURN;
                for x in 0..part.n {
                    let along = a.wrapping_mul(x);
                    let from_edge =
                        if down { edge.wrapping_add(along) } else { edge.wrapping_sub(along) } as f64 / TURN;
                    let strip = run.width / run.short as f64;
                    // What is a point of the strip without its slack.
                    let bare = 2.0 * part.within + part.bend;
                    let kept = (strip - bare) / 2.0;
                    if !(kept..=strip - kept).contains(&from_edge) {
                        continue;
                    }
                    points += 1;
                    let z = x as f64 * gap + from_edge * run.short as f64;
                    let row = usize::from((z - f64::from(rows.z[0])).abs() > 0.5);
                    assert!(
                        (z - f64::from(rows.z[row])).abs() < 2e-6 && rows.z[row] <= rows.most,
                        "row {z} of {}",
                        rows.most
                    );
                    assert!(rows.is_hit(), "domain {domain} of {cell:?}, point {x}");
                    // Where the strip is wider than the gap all is let through.
                    let width = f64::from(rows.width);
                    if gap <= 0.0 || width >= 1.0 {
                        continue;
                    }
                    let found = f64::from(fraction(rows.s[row]));
                    let allowed = (kept - part.error) / gap + 0.5 * f64::from(cell.slack);
                    // Both sides, from where it would be let through no more.
                    least[0] = least[0].min((found - (from_edge - kept) / gap) / allowed);
                    least[1] = least[1].min((width - found - (strip - kept - from_edge) / gap) / allowed);
                }
            }
            i += u64::from(cell.count);
        }
        (least, points)
    }

    #[test]
    fn errors_of_rows_stay_within_their_budget() {
        let mut dice = Dice(1);
        let mut least = [f64::INFINITY; 2];
        let mut points = 0;
        for round in 0..60_u64 {
            let n = [50, 300, 1000, 3000][round as usize % 4];
            let bend = 0.5 * (DOMAIN / n as f64).powi(3);
            let mut wide = || u128::from(dice.next()) << 64 | u128::from(dice.next());
            // Slopes anywhere, and from simple fractions on.
            let slope = if round % 3 == 0 { u128::MAX / (1 + wide() % 9) } else { wide() };
            let c = [wide(), slope, (bend * 2f64.powi(100)) as u128 * (1 << 28), 0];
            let within = (TURN / (60.0 * n as f64)) as u64;
            let (margin, found) = margins(c, n, within, 400);
            least = [least[0].min(margin[0]), least[1].min(margin[1])];
            points += found;
        }
        std::println!("{points} points, the least part of the slack left: {least:?}");
        assert!(points > 500 && least.iter().all(|&part| part > 0.1), "{points} points, {least:?}");
    }
}
