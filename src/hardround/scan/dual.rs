//! Dual rows in scalar arithmetic: a search without domains, which the tests compare with
//! [`Scan`](super::Scan).
//!
//! Let r/u be a fraction of order Q, and G(x) = u F(x) - r x. A case gives G(x) = k + u d with an
//! integer k, the *row*, and |d| < e. With the right neighbour v of u, k = -r x mod u means x = k v
//! mod u. G is flat on the *arc* of r/u: the arguments where F' lies between the mediants of r/u
//! and its neighbours. So each row meets the arc at most twice. The arguments near these two points
//! in the residue class are tested exactly.
//!
//! Errors, for each arc: the origin is an argument near the vertex, and the polynomial is moved
//! there exactly. G and its slope at the origin are exact to 2^-64 before they are rounded to
//! binary64. [`SLACK`] covers G's rounding; Newton steps stop at G's rounding.

use alloc::vec::Vec;

use super::super::block::{evaluate, moved};
use super::part::number;

/// Widens a row on both sides, in units of G, for each unit of G's largest magnitude on the arc.
const SLACK: f64 = 1.0 / (1_u64 << 40) as f64;

/// The largest fraction of the given order that is at most `slope`, as numerator and denominator,
/// and the next one.
fn neighbours(slope: f64, order: f64) -> [(f64, f64); 2] {
    let ((mut r, mut u), (mut rv, mut v)) = ((0.0, 1.0), (1.0, 1.0));
    while u + v <= order {
        if r + rv <= slope * (u + v) {
            (r, u) = (r + rv, u + v);
        } else {
            (rv, v) = (r + rv, u + v);
        }
    }
    [(r, u), (rv, v)]
}

/// All x < `length` with |F(x) mod 1| < `within` 2^-64, or `None` outside the range of the method:
/// c2 is positive and changes by less than a quarter of its size at the middle.
pub(super) fn dual(c: [u128; 4], length: u64, within: u64) -> Option<Vec<u64>> {
    let middle = moved(c, length / 2);
    let [_, _, c2, c3] = middle.map(number);
    let order = (0.195 / c2.cbrt()).floor();
    let half = (length - length / 2) as f64;
    let spread = 2.0 * c2 * half + 3.0 * c3.abs() * half * half;
    if c2 <= 0.0 || 12.0 * c3.abs() * half > c2 || order < 2.0 || order * spread > 0.25 {
        return None;
    }
    let slope = middle[1] as f64 * number(1);
    // The walk begins in [0, 1); slopes have a period of 1.
    let low = (slope - spread).rem_euclid(1.0);
    let (high, slope) = (low + 2.0 * spread, low + spread);
    let [(mut r, mut u), (mut rv, mut v)] = neighbours(low, order);
    let mut found = Vec::new();
    loop {
        // The left neighbour's denominator is -v mod u.
        let left = ((order + v) / u).floor() * u - v;
        if r / u - 1.0 / (u * (u + left)) > high {
            break;
        }
        let near = length as f64 / 2.0 + (r / u - slope) / (2.0 * c2);
        let arc = Arc { u, v, left, origin: near.clamp(0.0, (length - 1) as f64) as u64 };
        arc.search(&c, length, within, &mut found);
        let k = ((order + u) / v).floor();
        (r, u, rv, v) = (rv, v, k * rv - r, k * v - u);
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

struct Arc {
    u: f64,
    v: f64,
    left: f64,
    origin: u64,
}

impl Arc {
    fn search(&self, c: &[u128; 4], length: u64, within: u64, found: &mut Vec<u64>) {
        let local = moved(*c, self.origin);
        let u = self.u as u128;
        let [g0, g1] = [local[0], local[1]].map(|c| number(c.wrapping_mul(u)));
        // The integer nearest to u F at the origin: rows are counted from it.
        let row = {
            let [low, high] = [local[0] as u64, (local[0] >> 64) as u64].map(u128::from);
            let product = high * u + (low * u >> 64);
            ((product >> 64) + (product >> 63 & 1)) as i128
        };
        let [g2, g3] = [local[2], local[3]].map(|c| self.u * number(c));
        let g = |y: f64| g0 + y * (g1 + y * (g2 + y * g3));
        let slope = |y: f64| g1 + y * (2.0 * g2 + y * 3.0 * g3);
        let [first, last] = [-(self.origin as f64), (length - 1 - self.origin) as f64];
        // The argument with this slope of G, or the nearer end: outside the block, the slope of
        // the cubic may turn.
        let at_slope = |wanted: f64| {
            if slope(first) >= wanted {
                return first;
            }
            if slope(last) <= wanted {
                return last;
            }
            let mut y = ((wanted - g1) / (2.0 * g2)).clamp(first, last);
            for _ in 0..6 {
                y = (y - (slope(y) - wanted) / (2.0 * g2 + 6.0 * g3 * y)).clamp(first, last);
            }
            y
        };
        let vertex = at_slope(0.0);
        let least = g(vertex);
        for (side, m) in [(-1.0, self.u + self.left), (1.0, self.u + self.v)] {
            let end = (at_slope(side / m) + 2.0 * side).clamp(first, last);
            let largest = g(end);
            let h = self.u * within as f64 * number(1 << 64) + SLACK * (1.0 + largest.abs() + least.abs());
            // The distance on this side at which G has a value.
            let meets = |value: f64| {
                if value >= largest {
                    return end;
                }
                let mut y = vertex + side * ((value - least).max(0.0) / g2).sqrt();
                for _ in 0..6 {
                    let rise = slope(y);
                    if rise * side <= 0.0 {
                        break;
                    }
                    y = (y - (g(y) - value) / rise).clamp(first, last);
                }
                y
            };
            let mut k = (least - h).ceil();
            while k <= largest + h {
                let near = if k - h <= least { vertex } else { meets(k - h) };
                let far = meets(k + h);
                let [from, to] = if side < 0.0 { [far, near] } else { [near, far] };
                let [from, to] = [(from - 2.0).max(first).ceil() as i64, (to + 2.0).min(last).floor() as i64];
                let (u, v) = (self.u as i64, self.v as i64);
                let class = ((row + k as i128) * i128::from(v)).rem_euclid(u.into()) as i64;
                let mut y = from + (class - from).rem_euclid(u);
                while y <= to {
                    let x = self.origin.wrapping_add_signed(y);
                    if (evaluate(c, x) as i128).unsigned_abs() < u128::from(within) << 64 {
                        found.push(x);
                    }
                    y += u;
                }
                k += 1.0;
            }
        }
    }
}
