//! Dual rows: the search without domains.
//!
//! Let y count arguments from the middle of a part of a block, and r/u be a fraction of order Q.
//! On the *arc* of r/u, where F' is between the mediants of r/u and its neighbours in the Farey
//! sequence, G(y) = u F(y) - r y is flat. A case gives G(y) = k + u d with an integer k, the *row*,
//! and |d| < e. With the right neighbour v of u, k = -r y modulo u means y = k v modulo u. With the
//! vertex w, F'(w) = r/u, and G = G(w), the arguments of row k are at
//!
//! ```text
//! w +- T - b T^2 / 2 + .., T^2 = (k - G) / (u c), c = c2 + 3 c3 w, b = c3 / c
//! ```
//!
//! so a row holds a case only if one of these two is near k v modulo u. The kernel
//! [`arcs()`](super::super::arcs()) computes these numbers, [`dual()`](super::super::dual()) tests
//! the rows in `f32`. A row that passes is tested again in `f64`, then its argument in 128 bits.
//! Arcs of small denominators are long; they are searched by domains, and so are parts that the
//! proof does not cover.
//!
//! # Errors
//! Positions are in units of u. W bounds |w|, S = c2 W^2. A sum of `f64` terms has an error of at
//! most 2^-53 of each partial sum.
//!
//! | number | error | bound | covered by |
//! |---|---|---|---|
//! | slope r/u - C | rounding of its three operations and of the coefficient, 4 x 2^-53 of it | in the value: 8 S 2^-53 | `within` |
//! | value F(w) - r/u w | c2 and c3: 2^-52 of S; products and sums: 6 S 2^-53; c0: 2^-54 | 17 S 2^-53 + 2^-52 < 2^-48 S + 2^-51 | `within` |
//! | | an error n of w, which is stationary | c n^2 | `within` |
//! | G | u times these, and 2^-53 u for the product, the first row and its height | 2^-51 u | `within` |
//! | w | the series in z = ratio (slope / 2 c2) lacks 14 z^4 + 42 z^5 + .. | 20 z^4 W | `shift` |
//! | | rounding, 10 x 2^-53 of it | 2^-49 W | `shift` |
//! | position | products and sums, 2^-53 of W / u + 4 Q | 2^-30 | `slack` |
//! | base, step | 2^-33, and as much for each row: at most 2048 rows | 2^-22 | `slack` |
//! | limit | 2^-33, twice | 2^-32 | `slack` |
//! | s | 2^-14, rounded to an integer | 2^-15 | `slack` |
//! | | `f32`: height, 2^-24, and its two sums, as much each, halved by the root; the root, the scale, the product, 2^-24 each | 4.5 x 2^-24 of the farthest s | `rounding` |
//! | T | terms of the series in b T from (b T)^2 5/8 on, if b T <= 1/8 | (b T)^2 T / u | `slack` |
//! | | the row's width, h = u `within`: from k - G to k - G +- h, s changes by at most A h / sqrt(k - G - h), and k - G >= 1 - h after the first row | 0.75 A h for h <= 1/8 | 0.75 `spread` |
//! | | in the first row, whose height f is at least h: A h / sqrt f <= A h (1 + 1/f) / 2 | | `extra` |
//!
//! The number of rows counts up to the height of the mediant that is farther away. The slope rises
//! by at least twice the smallest c2 of the part, so that height is at most `rise` / (u m^2).

use alloc::vec::Vec;
use core::ops::Range;

use super::super::block::{moved, power};
use super::super::{Arcs, Bundle, Curve, MAX_ARCS, MAX_ROWS, PIECES, Places, Suspects, arcs, dual, refine};
use super::basis::Basis;
use super::is_case;
use super::lines::TURN;
use super::part::{cube_root, number};
use crate::error::Error;
use crate::libm::sqrt_f64;
use crate::memory;

/// The order of the Farey sequence, times the cube root of c2. A larger one means more arcs, and
/// fewer rows.
const ORDER: f64 = 0.195;

/// Bounds of the order. The kernel's numbers are exact, and positions fit, up to the upper one.
const MIN_ORDER: f64 = 256.0;
const MAX_ORDER: f64 = (1 << 20) as f64;

/// A denominator below the order divided by this is small.
const SMALL: u32 = 24;

/// The smallest number of arcs of a part that pays.
const MIN_ARCS: f64 = 4.0;

/// Number of chunks of arcs after which their rows are tested, whether bundles are full or not.
const CHUNKS: usize = 128;

/// The unit of differences r - u C, as a power of 2, and the units of 2^-64 that it contains.
const UNIT: i32 = -61;
const UNITS: i128 = 1 << (64 + UNIT);

/// Bundles have an even number of rows.
const SIZES: usize = MAX_ROWS / 2;

/// A part of a block, whose arcs are being collected.
#[derive(Clone, Debug)]
struct Piece {
    /// The coefficients, with the sign that makes c2 positive, at the part's first argument.
    c: [u128; 4],
    curve: Curve,
    /// The number of the first argument, and of arguments.
    first: u64,
    length: u64,
    /// The block.
    block: i64,
}

impl Piece {
    fn middle(&self) -> u64 {
        self.length / 2
    }
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

/// An argument of a block.
pub(super) type Found = (i64, u64);

/// A search that collects arcs of blocks.
#[derive(Clone, Debug)]
pub(super) struct Dual {
    within: u64,
    pieces: Vec<Piece>,
    chunks: Vec<Chunk>,
    fillings: Vec<Filling>,
    /// The cases found, in no order.
    found: Vec<Found>,
}

/// What a part is searched by.
pub(super) enum Method {
    /// Dual rows, except for these ranges of arguments, by domains.
    Rows(Vec<Range<u64>>),
    /// Dual rows, of each half.
    Halves,
    Domains,
}

impl Dual {
    pub(super) fn new(within: u64) -> Result<Self, Error> {
        let empty = Filling { bundle: Bundle::default(), origins: [[0; 2]; PIECES], count: 0 };
        let mut fillings = memory::filled(SIZES, empty)?;
        for (at, filling) in fillings.iter_mut().enumerate() {
            filling.bundle.rows = 2 * at as u32 + 2;
        }
        Ok(Dual { within, pieces: Vec::new(), chunks: memory::with_capacity(CHUNKS + 1)?, fillings, found: Vec::new() })
    }

    /// Forgets what a search that failed has left behind.
    pub(super) fn clear(&mut self) {
        self.pieces.clear();
        self.chunks.clear();
        self.found.clear();
        for filling in &mut self.fillings {
            filling.count = 0;
        }
    }

    pub(super) fn push(&mut self, block: i64, x: u64) -> Result<(), Error> {
        memory::push(&mut self.found, (block, x))
    }

    pub(super) fn is_full(&self) -> bool {
        self.chunks.len() >= CHUNKS
    }

    /// Collects the arcs of a part of a block that begins at argument `first` and whose c2 is
    /// positive.
    pub(super) fn part(&mut self, c: [u128; 4], block: i64, first: u64, length: u64) -> Result<Method, Error> {
        let middle = length / 2;
        let centered = moved(c, middle);
        let [c0, _, c2, c3] = centered.map(number);
        let third = c3.abs();
        let half = (length - middle) as f64;
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
        // A margin for the slopes at the ends.
        let spread = 2.1 * c2 * w;
        if 0.15 * q * q * spread < MIN_ARCS {
            return Ok(Method::Domains);
        }
        let b = 1.1 * third / c2;
        let bent = b * arc * b * arc * arc * largest;
        let within = self.within as f64 / TURN;
        let is_wide = |within: f64| q * within > 0.0625 || within > 0.0625 * sqrt_f64(c2 / largest);
        if is_wide(1.1 * within + power(-49)) || bent > power(-12) || 8.0 * b * arc > 1.0 {
            return Ok(Method::Domains);
        }
        let (z, sum) = (1.6 * third * w / c2, 1.05 * c2 * w * w);
        let shift = w * power(-49) + 20.0 * z * z * z * z * w;
        let within = 1.000_001 * (within + power(-48) * sum + power(-50) + 1.05 * c2 * shift * shift);
        // A shorter part is less bent.
        if 96.0 * third * w > c2 || shift * largest > power(-8) || q * spread > 1.0 || is_wide(within) {
            return Ok(if half > 8.0 * arc { Method::Halves } else { Method::Domains });
        }

        let [start, origin, end] = [c[1], centered[1], moved(c, length)[1]].map(|c| (c >> 64) as u64 & !7);
        let smallest = c2 - 3.0 * third * w;
        let curve = Curve {
            c0,
            c2,
            c3,
            c4: 0.0,
            triple: 3.0 * c3,
            half: 0.5 * c3,
            rest: (centered[1] - (u128::from(origin) << 64)) as f64 * power(-64) * power(-64),
            inverse: 0.5 / c2,
            ratio: 1.5 * c3 / c2,
            within,
            rise: 1.000_001 * 0.25 / smallest,
            reach: 1.000_001 * 0.5 / smallest,
            slack: power(-15) + power(-21) + bent,
            shift,
            rounding: 4.75 * power(-24),
            fine: power(-29) + bent,
        };
        memory::push(&mut self.pieces, Piece { c, curve, first, length, block })?;
        let ahead = |slope: u64| slope.wrapping_sub(origin) as i64 / UNITS as i64;
        self.walk(order, small, start, ahead(start), ahead(end) + 2)
    }

    /// Walks through the Farey sequence, from the slope `start` on. `from` and `to` are the slopes
    /// at the ends, relative to that in the middle.
    fn walk(&mut self, order: u32, small: u32, start: u64, from: i64, to: i64) -> Result<Method, Error> {
        let mut ranges = Vec::new();
        let basis = Basis::around(start, order.into());
        let (mut u, mut v) = (basis.u as u32, basis.v as u32);
        let mut left = (order + v) / u * u - v;
        let relative = |gap: i128, u: u32| (gap / UNITS) as i64 + i64::from(u) * from;
        let [mut d, mut next] = [relative(-basis.p, u), relative(basis.q, v)];
        if basis.p >= basis.q {
            // The part begins behind the arc of u.
            let k = (order + u) / v;
            (left, u, v) = (u, v, k * v - u);
            (d, next) = (next, i64::from(k) * next - d);
        }
        let mut before = i64::from((order + v) / u) * d - next;
        // Until the mediant of the last fraction and this one is past the end.
        while before + d < i64::from(left + u) * to {
            let mut chunk = Chunk { piece: self.pieces.len() as u32 - 1, ..Chunk::EMPTY };
            chunk.denominators[0] = left.into();
            let mut count = 0;
            while count < MAX_ARCS && before + d < i64::from(left + u) * to {
                chunk.denominators[count + 1] = u.into();
                chunk.differences[count] = d as f64 * power(UNIT);
                if u < small {
                    let piece = &self.pieces[self.pieces.len() - 1];
                    if let Some(range) = arguments(piece, [left, u, v], [before, d, next]) {
                        memory::push(&mut ranges, range)?;
                    }
                }
                count += 1;
                let k = (order + u) / v;
                (left, u, v) = (u, v, k * v - u);
                (before, d, next) = (d, next, i64::from(k).wrapping_mul(next).wrapping_sub(d));
            }
            chunk.denominators[count + 1] = u.into();
            memory::push(&mut self.chunks, chunk)?;
            self.distribute(self.chunks.len() - 1, count, small)?;
        }
        Ok(Method::Rows(ranges))
    }

    /// Computes the arcs of a chunk, and adds them to bundles.
    fn distribute(&mut self, chunk: usize, count: usize, small: u32) -> Result<(), Error> {
        let (mut all, small) = (Arcs::default(), f64::from(small));
        let Chunk { denominators, differences, piece } = self.chunks[chunk];
        let curve = &self.pieces[piece as usize].curve;
        // SAFETY: a multiple of 8, as many numbers and two more; unused ones are positive.
        unsafe {
            arcs(curve, denominators.as_ptr(), differences.as_ptr(), count.next_multiple_of(8), &mut all);
        }
        for i in 0..count {
            if denominators[i + 1] < small {
                continue;
            }
            let rows = all.rows[i];
            let mut from = 0;
            while from < rows {
                let n = (rows - from).min(MAX_ROWS as u32);
                let size = (n as usize - 1) / 2;
                let filling = &mut self.fillings[size];
                let at = filling.count % PIECES;
                let bundle = &mut filling.bundle;
                bundle.scale[at] = all.scale[i];
                bundle.height[at] = all.height[i] + from as f32;
                bundle.base[at] = all.base[i].wrapping_sub(from.wrapping_mul(all.step[i]));
                bundle.step[at] = all.step[i];
                bundle.limit[at] = all.limit[i];
                let (extra, first) = if from == 0 { (all.extra[i], all.first[i]) } else { (0, all.limit[i]) };
                bundle.extra[at] = extra;
                bundle.first[at] = first;
                filling.origins[at] = [(chunk * MAX_ARCS + i) as u32, from];
                filling.count = at + 1;
                if at + 1 == PIECES {
                    self.test(size)?;
                }
                from += n;
            }
        }
        Ok(())
    }

    /// Tests the rows of a bundle, and empties it.
    fn test(&mut self, size: usize) -> Result<(), Error> {
        let mut hits = [0; MAX_ROWS];
        let filling = &mut self.fillings[size];
        let used = u32::MAX >> (PIECES - filling.count);
        // SAFETY: a bundle, and words for its rows.
        unsafe { dual(&filling.bundle, 1, hits.as_mut_ptr()) };
        filling.count = 0;
        if hits.iter().fold(0, |all, hit| all | hit) & used == 0 {
            return Ok(());
        }
        for (j, &word) in hits.iter().enumerate() {
            let mut word = word & used;
            while word != 0 {
                let [arc, from] = self.fillings[size].origins[word.trailing_zeros() as usize];
                word &= word - 1;
                self.refine(arc as usize, from + j as u32)?;
            }
        }
        Ok(())
    }

    /// Tests a row of an arc.
    fn refine(&mut self, arc: usize, j: u32) -> Result<(), Error> {
        let (chunk, i) = (&self.chunks[arc / MAX_ARCS], arc % MAX_ARCS);
        let piece = &self.pieces[chunk.piece as usize];
        let mut suspects = Suspects::EMPTY;
        let u = chunk.denominators[i + 1];
        suspects.u[0] = u;
        suspects.v[0] = chunk.denominators[i + 2];
        suspects.differences[0] = chunk.differences[i];
        suspects.rows[0] = f64::from(j);
        let mut places = Places::default();
        // SAFETY: suspects and places, of which the kernel uses a vector.
        unsafe { refine(&piece.curve, &suspects, 8, &mut places) };
        for side in [0, 1] {
            for step in 0..places.counts[side][0] {
                let y = places.first[side][0] + f64::from(step) * u;
                let x = piece.middle() as i64 + y as i64;
                if (0..piece.length as i64).contains(&x) && is_case(&piece.c, x as u64, self.within) {
                    memory::push(&mut self.found, (piece.block, piece.first + x as u64))?;
                }
            }
        }
        Ok(())
    }

    /// Tests the rows that are left, and returns the cases in ascending order.
    pub(super) fn finish(&mut self) -> Result<&[Found], Error> {
        // Move pieces to bundles of more rows, until these are full.
        for size in (1..SIZES).rev() {
            let (few, many) = self.fillings.split_at_mut(size);
            let (few, many) = (&mut few[size - 1], &mut many[0]);
            while 0 < many.count && many.count < PIECES && few.count > 0 {
                few.count -= 1;
                let (from, to) = (few.count, many.count);
                let (a, b) = (&few.bundle, &mut many.bundle);
                b.scale[to] = a.scale[from];
                b.height[to] = a.height[from];
                b.base[to] = a.base[from];
                b.step[to] = a.step[from];
                b.limit[to] = a.limit[from];
                b.extra[to] = a.extra[from];
                b.first[to] = a.first[from];
                many.origins[to] = few.origins[from];
                many.count += 1;
            }
            if many.count > 0 && (few.count > 0 || many.count == PIECES) {
                self.test(size)?;
            }
        }
        for size in 0..SIZES {
            if self.fillings[size].count > 0 {
                self.test(size)?;
            }
        }
        self.pieces.clear();
        self.chunks.clear();
        self.found.sort_unstable();
        self.found.dedup();
        Ok(&self.found)
    }
}

/// The arguments of a part in the arc of a fraction, given with its neighbours: denominators and
/// differences.
fn arguments(piece: &Piece, denominators: [u32; 3], differences: [i64; 3]) -> Option<Range<u64>> {
    let Piece { curve, length, .. } = piece;
    let middle = piece.middle() as f64;
    let mediant = |a: usize| {
        let sum = (differences[a] + differences[a + 1]) as f64 * power(UNIT);
        sum / f64::from(denominators[a] + denominators[a + 1]) - curve.rest
    };
    // The argument with a slope, or the end of the part.
    let at = |slope: f64| {
        let derivative = |y: f64| y * (2.0 * curve.c2 + curve.triple * y);
        if slope <= derivative(-middle) {
            return 0.0;
        }
        let end = *length as f64;
        if slope >= derivative(end - middle) {
            return end;
        }
        let first = slope * curve.inverse;
        let z = curve.ratio * first;
        (middle + first * (1.0 - z * (1.0 - z * (2.0 - 5.0 * z)))).clamp(0.0, end)
    };
    let margin = curve.shift + 4.0;
    let [from, to] = [at(mediant(0)) - margin, at(mediant(1)) + margin];
    let range = from.max(0.0) as u64..(to as u64 + 1).min(*length);
    (!range.is_empty()).then_some(range)
}
