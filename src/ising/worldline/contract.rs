//! Constants and types of the kernels' contracts, and the rules that all variants share.

use core::f64::consts::{LN_2, SQRT_2};

use crate::exp::double::exp;
use crate::random::SplitMix64;

/// Fills a row after its kinks. It exceeds every slice, and its bits are those of a finite float: SSE2 compares
/// positions as floats.
pub(super) const FAR: i32 = 0x7f7f_ffff;
/// Words of [`FAR`] after the kinks of a row.
pub(super) const PAD: usize = 16;
/// Maximum number of slices.
pub(super) const MAX_SLICES: usize = 1 << 30;
/// Positions of breaks end here: a break at [`END`] or later has position `END - 1`.
pub(super) const END: u32 = (1 << 31) - 1;

/// [`worldline_sweep_i32()`](super::worldline_sweep_i32()) has visited all lines.
pub(super) const DONE: u32 = 0;
/// It needs more breaks.
pub(super) const NEEDS_BREAKS: u32 = 1;
/// A line has more boundaries than there is room for.
pub(super) const NEEDS_ROOM: u32 = 2;
/// It needs more random numbers.
pub(super) const NEEDS_RANDOM: u32 = 3;

/// One site in all slices, `hl_ising_worldline` in C. Its kinks are in a row of another array.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Worldline {
    /// The number of kinks, even.
    pub count: u32,
    /// The spin of slice 0.
    pub spin: i32,
    /// The sum of the spins of all slices.
    pub magnetisation: i32,
    /// The sum of kinks 0, 2, 4 .. modulo 2^32. Only [`worldline_sweep_f64()`](super::worldline_sweep_f64()) reads and
    /// writes it.
    pub even: u32,
}

/// The lines that a call visits, and what it reads for them: `hl_ising_worldline_run` in C. A call advances `first`,
/// `count`, `base`, `break_at`, `random_at` and `decided`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct WorldlineRun {
    /// All lines.
    pub lines: *mut Worldline,
    /// A row for each line: its kinks in ascending order, 16 words of 0x7f7fffff, and unused words.
    pub kinks: *mut i32,
    /// Words from a row to the next, at least `room + 16`.
    pub stride: usize,
    /// Maximum number of boundaries of a line.
    pub room: usize,
    /// The links of line `i` have indices `starts[i]..starts[i + 1]`.
    pub starts: *const u32,
    /// The line at the other end of each link.
    pub neighbours: *const u32,
    /// The next line.
    pub first: usize,
    /// The number of lines to visit.
    pub count: usize,
    /// Positions of slices and breaks count from the first slice of the window; this is slice 0 of line `first`.
    pub base: u32,
    /// The number of slices, at least 2.
    pub slices: u32,
    /// The exponent for a difference of 1.
    pub scale: f64,
    /// Positions of breaks in ascending order, and 16 words of 2^31 - 1.
    pub breaks: *const u32,
    /// The number of breaks.
    pub break_count: usize,
    /// The next break.
    pub break_at: usize,
    /// Random numbers, and 16 words of any value.
    pub random: *const u32,
    /// The number of random numbers.
    pub random_count: usize,
    /// The next random number.
    pub random_at: usize,
    /// Seed of the bits that decide ties.
    pub ties: u64,
    /// Random numbers that were used with this seed.
    pub decided: u64,
    /// Memory for `room + 32` positions.
    pub boundaries: *mut i32,
    /// Memory for `room + 32` sums.
    pub sums: *mut f64,
}

/// Coefficients of `2 atanh(s) = 2 (s + s^3 / 3 + ..)`.
pub(super) const ATANH: [f64; 7] = [1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0];

/// The logarithm of `(word / 2^12 + 1/2) / 2^52`, with the quotient rounded down, to 1e-13 of its magnitude.
pub(super) fn ln_of_random(word: u64) -> f64 {
    let bits = (((word >> 12) as f64 + 0.5) * f64::from_bits((1023 - 52) << 52)).to_bits();
    let (exponent, mantissa) = ((bits >> 52) as f64 - 1023.0, f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52));
    let is_large = SQRT_2 < mantissa;
    let exponent = if is_large { exponent + 1.0 } else { exponent };
    let f = if is_large { mantissa * 0.5 } else { mantissa } - 1.0;
    let s = f / (f + 2.0);
    let q = s * s;
    let series = ATANH[..6].iter().rev().fold(ATANH[6], |sum, term| sum * q + term);
    let half = (series * q) * s + s;
    exponent * LN_2 + (half + half)
}

/// The number of links from a break to the next one.
pub(super) fn gap(word: u64, scale: f64) -> u32 {
    let skip = ln_of_random(word) * scale;
    // Not `f64::min`: a NaN would be the second operand.
    (if skip < f64::from(END - 1) { skip as u32 } else { END - 1 }) + 1
}

/// Writes the positions of breaks, given the gaps; `end` is the position after the last break, at most [`END`].
///
/// # Safety
/// `breaks` points to as many words.
#[inline(always)]
pub(super) unsafe fn write_breaks(gaps: &[u32], mut end: u64, breaks: *mut u32) -> u64 {
    for (k, &gap) in gaps.iter().enumerate() {
        end += u64::from(gap);
        // SAFETY: the caller's array.
        unsafe { breaks.add(k).write_unaligned(end.min(u64::from(END)) as u32 - 1) };
    }
    end
}

/// Probability 1 of a decision.
const ONE: u64 = 1 << 48;

/// `1 / (1 + exp(exponent))` in units of 2^-48; those of opposite exponents add up to 1.
pub(super) fn probability(exponent: f64) -> u64 {
    let weight = exp(-exponent.abs());
    let less = (weight / (1.0 + weight) * ONE as f64) as u64;
    if exponent > 0.0 { less } else { ONE - less }
}

/// Whether a segment becomes +1. `index` is that of its random number.
#[cold]
#[inline(never)]
pub(super) fn is_up(exponent: f64, random: u32, ties: u64, index: u64) -> bool {
    let probability = probability(exponent);
    let (high, low) = (probability >> 16, probability & 0xffff);
    match u64::from(random) == high {
        true => SplitMix64(ties).nth(index) >> 48 < low,
        false => u64::from(random) < high,
    }
}
