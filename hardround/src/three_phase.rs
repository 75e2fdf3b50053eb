//! The three-phase search of Fortin, Gouicem and Graillat: test domains as lines, test parts of the
//! domains that pass, then search the remaining arguments one by one.
//!
//! On a domain of N arguments from s on, with c2 the quadratic coefficient there and a the slope,
//!
//! ```text
//! F(s + x) = L(x) - c2 x (N - x) + c3 x^3,   L(x) = F(s) + (a + c2 N) x,   0 <= x (N - x) <= N^2 / 4
//! ```
//!
//! so |F mod 1| < e only if L(x) mod 1 is in (-e - down, e + up), where c2 N^2 / 4 is from -down to
//! up. The tests of domains express this as 0 <= B - A x < W, with A = -(a + c2 N), B = F(s) + e +
//! down and W = 2 e + down + up.

use std::fmt;
use std::ops::Range;

use hotloops::Error as Fault;
use hotloops::hardround::{Block, exhaust_first, exhaust_from};

use crate::error::Error;

/// The largest domain of the first phase, in arguments.
const MAX_LENGTH: u64 = 1 << 20;

/// Domains of the second phase per domain of the first.
const PARTS: u64 = 8;

/// The smallest domain of the first phase.
const MIN_LENGTH: u64 = 8 * PARTS;

/// One domain in this many passes the first phase by chance.
const CHANCE: f64 = 256.0;

/// Domains per test; their lines fit in the L1 cache.
const BATCH: u64 = 1024;

/// Domains per call of a device.
const DEVICE_BATCH: u64 = 1 << 20;

/// Arguments between two evaluations of the differences of the third phase. The error of the
/// differences grows with the cube of this number.
const STRETCH: u64 = 1 << 12;

/// A test of lines such as [`hotloops::hardround::exists()`]: maps A, B, N and W to bits.
pub type Test = fn(&[u64], &[u64], u64, u64, &mut [u8]) -> Result<(), Fault>;

/// Runs the first phase elsewhere, such as on a GPU.
pub trait Device: fmt::Debug + Sync {
    /// Appends the first arguments of the domains that pass, ascending: those of the test whose lines
    /// [`Lines::extend`] makes, for `count` domains of `n` arguments from `first` on.
    ///
    /// # Errors
    /// [`Error::Device`] if the device fails.
    fn domains(
        &self,
        coefficients: &[u128; 4],
        first: u64,
        n: u64,
        count: u64,
        strip: &Strip,
        passed: &mut Vec<u64>,
    ) -> Result<(), Error>;
}

/// The domains of a range of a block, and their parts.
pub struct Domains {
    c: [u128; 4],
    range: Range<u64>,
    /// Arguments of a domain.
    pub n: u64,
    strip: Strip,
    /// The strip of a part.
    narrow: Strip,
}

impl Domains {
    /// Domains for arguments with |F(x) mod 1| < `within` 2^-64; `None` if they would be too short to gain from a test.
    pub fn new(block: &Block, range: Range<u64>, within: u64) -> Option<Self> {
        let c = coefficients(block);
        let (n, strip) = Strip::first(&c, &range, within)?;
        let narrow = Strip::new(&c, &range, within, n / PARTS);
        Some(Domains { c, range, n, strip, narrow })
    }

    /// The first arguments of the batches of domains that a phase searches at a time.
    pub fn batches(&self) -> impl Iterator<Item = u64> + use<> {
        self.batches_of(BATCH)
    }

    fn batches_of(&self, domains: u64) -> impl Iterator<Item = u64> + use<> {
        self.range.clone().step_by((domains * self.n) as usize)
    }
}

/// A search of blocks.
pub struct ThreePhase<'d> {
    test: Test,
    /// For the first phase.
    device: Option<&'d dyn Device>,
    within: u64,
    lines: Lines,
    bits: Vec<u8>,
    /// First arguments of the domains that passed the first phase, and of the parts that passed the second.
    passed: [Vec<u64>; 2],
}

impl<'d> ThreePhase<'d> {
    /// A search for arguments with |F(x) mod 1| < `within` 2^-64, which is at most 1/8.
    pub fn new(test: Test, within: u64) -> Self {
        let (lines, bits, passed) = (Lines::default(), Vec::new(), Default::default());
        ThreePhase { test, device: None, within, lines, bits, passed }
    }

    /// The same with the first phase on a device.
    pub fn on(self, device: Option<&'d dyn Device>) -> Self {
        ThreePhase { device, ..self }
    }

    /// Calls `each` for all x of `range` with |F(x) mod 1| < `within` 2^-64, ascending.
    pub fn block(&mut self, block: &Block, range: Range<u64>, mut each: impl FnMut(u64)) -> Result<(), Error> {
        let Some(domains) = Domains::new(block, range.clone(), self.within) else {
            self.exhaust(block, range, &mut each);
            return Ok(());
        };
        let [mut passed, mut parts] = std::mem::take(&mut self.passed);
        for first in domains.batches_of(self.batch()) {
            passed.clear();
            parts.clear();
            self.domains(&domains, first, &mut passed)?;
            self.parts(&domains, &passed, &mut parts)?;
            self.arguments(block, &domains, &parts, &mut each);
        }
        self.passed = [passed, parts];
        Ok(())
    }

    /// Domains that the first phase tests at a time.
    fn batch(&self) -> u64 {
        if self.device.is_some() { DEVICE_BATCH } else { BATCH }
    }

    /// The first phase: appends the first arguments of the domains of a batch that pass.
    pub fn domains(&mut self, domains: &Domains, first: u64, passed: &mut Vec<u64>) -> Result<(), Error> {
        let n = domains.n;
        let count = (domains.range.end - first).div_ceil(n).min(self.batch());
        if let Some(device) = self.device {
            return device.domains(&domains.c, first, n, count, &domains.strip, passed);
        }
        self.lines.clear();
        self.lines.extend(moved(domains.c, first), n, count, &domains.strip);
        self.lines.test(self.test, n, &domains.strip, &mut self.bits, |i| passed.push(first + i * n))
    }

    /// The second phase: appends the first arguments of the parts of domains that pass.
    pub fn parts(&mut self, domains: &Domains, starts: &[u64], passed: &mut Vec<u64>) -> Result<(), Error> {
        let part = domains.n / PARTS;
        self.lines.clear();
        for &start in starts {
            self.lines.extend(moved(domains.c, start), part, PARTS, &domains.narrow);
        }
        let start = |i: u64| starts[(i / PARTS) as usize] + i % PARTS * part;
        self.lines.test(self.test, part, &domains.narrow, &mut self.bits, |i| passed.push(start(i)))
    }

    /// The third phase: calls `each` with the arguments of parts that are within the bound.
    pub fn arguments(&self, block: &Block, domains: &Domains, parts: &[u64], each: &mut impl FnMut(u64)) {
        for &start in parts {
            self.exhaust(block, start..domains.range.end.min(start + domains.n / PARTS), each);
        }
    }

    /// Tests each argument, by differences.
    ///
    /// At the beginning of a stretch of n arguments the differences have an error of half a unit.
    /// So values have an error below (1 + n + n^2 / 2 + n^3 / 6) / 2 units, which is below n^3 / 8.
    /// Arguments within the bound plus this error are checked with the polynomial of the block.
    fn exhaust(&self, block: &Block, range: Range<u64>, each: &mut impl FnMut(u64)) {
        let wide = self.within + STRETCH.pow(3) / 8;
        for start in range.clone().step_by(STRETCH as usize) {
            let [c0, c1, c2, c3] = moved(coefficients(block), start);
            let third = c3.wrapping_mul(6);
            let differences = [c0, c1.wrapping_add(c2).wrapping_add(c3), c2.wrapping_mul(2).wrapping_add(third), third];
            let mut d = differences.map(|d| (d.wrapping_add(1 << 63) >> 64) as u64);
            d[0] = d[0].wrapping_add(wide);
            let (mut at, end) = (start, range.end.min(start + STRETCH));
            while let Some(ahead) = exhaust_first(&d, end - at, 2 * wide) {
                let x = at + ahead;
                if (block.at(x) as i128).unsigned_abs() < u128::from(self.within) << 64 {
                    each(x);
                }
                d = exhaust_from(&d, ahead + 1);
                at = x + 1;
            }
        }
    }
}

/// The strip that domains of n arguments are tested for, in units of 2^-64.
pub struct Strip {
    /// B - F(s).
    pub above: u64,
    /// W.
    pub width: u64,
}

impl Strip {
    /// The strip of all domains of n arguments that begin in the range; n is a power of 2, at most
    /// 2^20. W saturates.
    ///
    /// e is increased by n^3 |c3|, by n + 1 units because F(s) and the slope are truncated to
    /// units, and by less than 3 units for the rounding of these sums, which are used only below
    /// 2^56 / n.
    pub fn new(c: &[u128; 4], range: &Range<u64>, within: u64, n: u64) -> Self {
        let units = |c: u128| c as i128 as f64 * (-64_f64).exp2();
        // c2 is linear between the ends. Domains begin before the end.
        let bends = [range.start, range.end].map(|x| units(moved(*c, x)[2]));
        let n = n as f64;
        let bend = |by: f64| 0.25 * n * n * by;
        let up = bends.into_iter().map(bend).fold(0.0, f64::max);
        let down = bends.into_iter().map(|by| bend(-by)).fold(0.0, f64::max);
        let e = within as f64 + n * n * n * units(c[3]).abs() + n + 4.0;
        Strip { above: (e + down) as u64, width: (2.0 * e + down + up) as u64 }
    }

    /// The largest domain that passes a test by chance at most once in 256 times, with its
    /// strip. `None` if domains would be too short to gain from the test.
    pub fn first(c: &[u128; 4], range: &Range<u64>, within: u64) -> Option<(u64, Self)> {
        let length = range.end.saturating_sub(range.start);
        let mut n = MAX_LENGTH.min(length.max(1).next_power_of_two());
        while n >= MIN_LENGTH {
            let strip = Self::new(c, range, within, n);
            if strip.width as f64 * n as f64 * CHANCE <= 64_f64.exp2() {
                return Some((n, strip));
            }
            n /= 2;
        }
        None
    }
}

/// The lines of domains.
#[derive(Default)]
pub struct Lines {
    pub a: Vec<u64>,
    pub b: Vec<u64>,
}

impl Lines {
    fn clear(&mut self) {
        self.a.clear();
        self.b.clear();
    }

    /// Adds the lines of `count` domains of n arguments, from the polynomial's origin on.
    ///
    /// As functions of the number of the domain, F(s) has degree 3 and the slope degree 2. Their
    /// differences are exact modulo 1; values are truncated to units last.
    pub fn extend(&mut self, [c0, c1, c2, c3]: [u128; 4], n: u64, count: u64, strip: &Strip) {
        let n = u128::from(n);
        let (by, sum) = (u128::wrapping_mul, u128::wrapping_add);
        let (bend, twist) = (by(c2, n), by(c3, n * n));
        let mut slope = [sum(c1, bend), sum(by(bend, 2), by(twist, 6)), by(twist, 6)];
        let mut height =
            [sum(c0, u128::from(strip.above) << 64), by(sum(slope[0], twist), n), by(slope[1], n), by(slope[2], n)];
        let begin = self.a.len();
        let [a, b] = [&mut self.a, &mut self.b].map(|lines| {
            lines.resize(begin + count as usize, 0);
            &mut lines[begin..]
        });
        for (a, b) in a.iter_mut().zip(b) {
            *a = ((slope[0] >> 64) as u64).wrapping_neg();
            *b = (height[0] >> 64) as u64;
            slope = [sum(slope[0], slope[1]), sum(slope[1], slope[2]), slope[2]];
            height = [sum(height[0], height[1]), sum(height[1], height[2]), sum(height[2], height[3]), height[3]];
        }
    }

    /// Calls `each` with the number of each line that passes.
    fn test(
        &self,
        test: Test,
        n: u64,
        strip: &Strip,
        bits: &mut Vec<u8>,
        mut each: impl FnMut(u64),
    ) -> Result<(), Error> {
        bits.resize(self.a.len().div_ceil(8), 0);
        test(&self.a, &self.b, n, strip.width, bits)?;
        for (&byte, at) in bits.iter().zip((0..).step_by(8)) {
            let mut byte = byte;
            while byte != 0 {
                each(at + u64::from(byte.trailing_zeros()));
                byte &= byte - 1;
            }
        }
        Ok(())
    }
}

/// The coefficients as fractions of 2^-128.
pub fn coefficients(block: &Block) -> [u128; 4] {
    block.c.map(|[low, high]| u128::from(high) << 64 | u128::from(low))
}

/// The same polynomial with its origin at x.
fn moved([c0, c1, c2, c3]: [u128; 4], x: u64) -> [u128; 4] {
    let (by, sum) = (u128::wrapping_mul, u128::wrapping_add);
    let x = u128::from(x);
    let square = sum(c2, by(by(c3, 3), x));
    [sum(c0, by(sum(c1, by(sum(c2, by(c3, x)), x)), x)), sum(c1, by(sum(c2, square), x)), square, c3]
}
