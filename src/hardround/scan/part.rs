//! A part of a block, cut into domains.

use super::super::MAX_DOMAINS;
use super::super::block::power;
use super::lines::TURN;

/// The largest and the smallest domain, in arguments.
const MAX_DOMAIN: f64 = (1 << 20) as f64;
pub(super) const MIN_DOMAIN: f64 = 32.0;

/// Arguments of a domain, times the cube root of the quadratic coefficient.
pub(super) const DOMAIN: f64 = 0.22;

/// The order of the Farey sequence, per argument of a domain. A strip then meets at most two rows
/// of the lattice.
const ORDER: f64 = 1.07;

/// A part of a block on which c2 does not change sign.
pub(super) struct Part {
    /// The coefficients of F, with the sign that makes it convex.
    pub c: [u128; 4],
    /// Number of arguments of the part, and of a domain.
    pub length: u64,
    pub n: u64,
    pub order: u64,
    /// In units of 1: half the width of the strip without the bend, the width that the bend adds,
    /// and the error of the lines of domains.
    pub within: f64,
    pub bend: f64,
    pub error: f64,
    /// The width W of the strip without the slack of a cell.
    pub bare: f64,
}

/// A fraction in units of 2^-128, as a number between -1/2 and 1/2, to 53 bits of either sign.
pub(super) fn number(c: u128) -> f64 {
    c as i128 as f64 * power(-64) * power(-64)
}

impl Part {
    /// `None` if the search by domains is not proved or does not pay.
    pub(super) fn new(c: [u128; 4], length: u64, bend: f64, within: u64, domain: Option<u64>) -> Option<Self> {
        let within = within as f64 / TURN;
        let largest = largest_domain(bend);
        let third = number(c[3]).abs();
        // From one domain to the next the slope changes by less than 0.022 / n^2. A strip holds a
        // point in one domain of 20.
        let mut n = domain.map_or(largest, |n| largest.min(n as f64)).min(0.02 / within.max(1e-12)).min(length as f64);
        let cubed = |n: f64| third * n * n * n;
        while n >= MIN_DOMAIN && cubed(n) > power(-45) {
            n *= 0.5;
        }
        if n < MIN_DOMAIN {
            return None;
        }
        let whole = n as u64;
        let n = whole as f64;
        let count = f64::from(MAX_DOMAINS);
        let bend = 0.25 * bend * n * n;
        // Third differences over a cell, of the line's height and of N times its slope; then the
        // rounding of lines.
        let error = cubed(n) * (1.0 + 3.0 * count * count + count * count * count) + n * power(-52) + power(-40);
        let bare = 2.0 * within + bend + 2.0 * error;
        Some(Part { c, length, n: whole, order: (ORDER * n) as u64 + 1, within, bend, error, bare })
    }
}

/// The largest domain, in arguments, for a nonnegative quadratic coefficient.
pub(super) fn largest_domain(c2: f64) -> f64 {
    (DOMAIN / cube_root(c2)).min(MAX_DOMAIN)
}

/// The cube root of a nonnegative number, within 1/1000.
pub(super) fn cube_root(x: f64) -> f64 {
    let x = x.max(power(-120));
    // Divide the exponent by 3, then make three steps of Newton's method.
    let root = f64::from_bits(x.to_bits() / 3 + (1023 << 52) / 3 * 2);
    (0..3).fold(root, |root, _| (2.0 * root + x / (root * root)) / 3.0)
}
