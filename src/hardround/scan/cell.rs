//! Cells: the input of [`rows()`](super::super::rows()), and the points that its hits may hold.

use super::super::block::power;
use super::super::{Cell, MAX_DOMAINS};
use super::basis::Basis;
use super::lines::{Lines, TURN};
use super::part::Part;
use crate::frame::error::Error;

/// Maximum number of domains of a cell, and the errors of its row coordinates (`dz`) and of its gap
/// (`dy`) after that many.
struct Limits {
    domains: u32,
    dz: f64,
    dy: f64,
}

/// For a shorter vector of any length, of less than 2^-7 and of less than 2^-11 of the domain's
/// length. Errors stay small compared with W U, which is some thousandths of U / N.
const LIMITS: [Limits; 3] = [Limits::new(MAX_DOMAINS), Limits::new(MAX_DOMAINS / 4), Limits::new(MAX_DOMAINS / 16)];

impl Limits {
    const fn new(domains: u32) -> Self {
        let changes = domains as f64;
        Limits {
            domains,
            dz: power(-23) + (2.0 + changes + 0.5 * changes * changes) * power(-33),
            dy: 2.0 + 0.5 * changes,
        }
    }
}

/// A cell in exact integers, from which the arguments of candidates are computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExactCell {
    /// The number of its first domain.
    pub first: u64,
    /// Lengths of the shorter and the longer vector.
    pub short: u64,
    pub long: u64,
    /// The gap of the shorter vector, in units of 2^-64, with its difference.
    pub gap: u64,
    pub gap_step: i64,
    /// The strip's edge, in units of 2^-64, with its differences.
    pub edge: [u64; 3],
    /// The strip's width W, with all slack, times the length of the shorter vector.
    pub width: f64,
}

/// The upper half, rounded.
fn rounded_upper(x: u64) -> u32 {
    (x.wrapping_add(1 << 31) >> 32) as u32
}

/// The cell that begins with domain i and has at most `remaining` domains.
///
/// Bounds of the rounding errors of `rows`, for a strip of width W in which each point is at least
/// `slack` from both edges:
///
/// - Z has an error of `dz`: from the cut to 23 bits, and from differences in units of 2^-32 that
///   are rounded by half a unit each. So has H.
/// - y has an error of `dy`. No y exceeds U / V; its unit is at most 2^-28 of that, and its
///   difference is rounded by half a unit.
/// - Z t is at most N / U + W U / y for a point. Its relative error is dy / y, plus 2^-21 of its
///   own. Z V / U, with Z < 2, has an error of 2^-20 V / U; a sum has at most 2^-21. Altogether s
///   has an error of `e` / y + `e0`, where `e` is at least dz + (N / U + 2) dy + 2^-21 W U.
/// - For a point, frac(s) is U / y times its distance from the edge. So `e` / y is covered by the
///   part `e` / U of the slack; `e0` is added to H.
///
/// So the errors move no s of a point past an integer, and its frac(s) is at most W U / y + 2 `e0`.
/// A y below W U / 2, where the gap is less than half of the strip, may count as W U / 2: then
/// every domain passes. Z of a point is at least slack U, which is more than `dz`, so its error
/// does not move it past 0.
pub(super) fn cell(lines: &Lines, part: &Part, basis: &mut Basis, i: u64, remaining: u64) -> (Cell, ExactCell) {
    let [slope, step] = lines.slope(i);
    // F is convex, so the step is not negative, except for the rounding of its last bit.
    let step = (step as i64).max(0);
    basis.follow(slope, part.order);
    let Basis { u, v, p, q, .. } = *basis;
    let down = u > v;
    let (short, long, gap) = if down { (v, u, q as u64) } else { (u, v, p as u64) };
    let limits = &LIMITS[usize::from(short << 7 < part.n) + usize::from(short << 11 < part.n)];
    // The number of domains until the slope passes r_v / v.
    let passed = u64::try_from(q).unwrap_or(u64::MAX).checked_div(v * step as u64).unwrap_or(u64::MAX);
    let count = remaining.min(limits.domains.into()).min(passed.saturating_add(1)) as u32;
    let signed = if down { -step } else { step };
    let [gap_step, y_step] = [short as i64, (short * short) as i64].map(|by| by * signed);
    // Gaps are at most 1 / `long`, so y is below 2^30 units for any count, which is known late.
    let shift = 35 + long.leading_zeros() - short.leading_zeros();
    let (y, unit) = (short * gap, power(shift as i32 - 64));

    let [n, u, v] = [part.n, short, long].map(|x| x as i64 as f64);
    let (inverse, per) = (1.0 / u, power(64 - shift as i32));
    let (n_over_u, v_over_u) = (n * inverse, v * inverse);
    // A power of 2 from 1 / U to 2 / U. Error bounds that use it need not wait for a division.
    let above = power(short.leading_zeros() as i32 - 63);
    let (dz, dy) = (limits.dz, limits.dy * unit);
    let bare = part.bare * u;
    let e = dz + 2.0 * dy + dy * (n * above) + power(-20) * bare;
    let e0 = dz + power(-21) * n_over_u + power(-20) * v_over_u + power(-21);
    let width = bare + 2.0 * e;

    let [b, second] = [0, 1].map(|ahead| lines.height(i + ahead));
    // Both directions are equally likely: no branch.
    let (from, sign) = if down { (part.within, 0) } else { (part.within + part.bend, u64::MAX) };
    let mut edge = [b, second.wrapping_sub(b), lines.bent(i)].map(|x| (x ^ sign).wrapping_sub(sign));
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
        min_y: (0.5 * width * per) as f32,
        row_slope: (n_over_u * unit) as f32,
        row_offset: (width + e + power(-20)) as f32,
        width: (width * larger) as f32,
        slack: (2.0 * e0 * larger + power(-22)) as f32,
        count,
    };
    (cell, ExactCell { first: i, short, long, gap, gap_step, edge, width })
}

impl ExactCell {
    /// Calls `each` for the arguments x < `n` of domain i of the cell that may be in the strip.
    pub(super) fn points(&self, i: u64, n: u64, mut each: impl FnMut(u64) -> Result<(), Error>) -> Result<(), Error> {
        let pairs = i * i.wrapping_sub(1) / 2;
        let edge =
            self.edge[0].wrapping_add(i.wrapping_mul(self.edge[1])).wrapping_add(pairs.wrapping_mul(self.edge[2]));
        let gap = self.gap.wrapping_add(i.wrapping_mul(self.gap_step as u64)) as f64 / TURN;
        let coordinate = u128::from(edge) * u128::from(self.short);
        let [below, z] = [(coordinate >> 64) as u64, coordinate as u64];
        for row in 0..2 {
            let z = row as f64 + z as f64 / TURN;
            // 2^-48 is a few units in the last place of numbers below 2.
            let (lowest, highest) = ((z - self.width - power(-48)) / gap - 1.0, (z + power(-48)) / gap + 1.0);
            let highest = (highest as u64).min(n - 1);
            if lowest > highest as f64 {
                continue;
            }
            // The points of the row have x equal to this, modulo the length of the shorter vector.
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
