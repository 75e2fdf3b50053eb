//! The errors of dual rows stay within their budget.

use super::super::super::block::Block;
use super::super::super::{Arcs, arcs};
use super::super::basis::Basis;
use super::super::{Algorithm, Scan};
use super::*;
use crate::math::libm::{ROUND, nearest, sqrt_f32};
use crate::random::SplitMix64;

/// A polynomial around the middle of a part, and a case in the arc of a fraction.
#[derive(Debug)]
struct Planted {
    /// In units of 2^-128.
    c: [u128; 4],
    /// The sign of c4, and -log2 of its magnitude.
    c4: (i64, u32),
    half: i64,
    within: u64,
    /// The bound of an error of the polynomial.
    error: f64,
    /// The argument of the case, and F there.
    y: i64,
    d: f64,
    /// The denominator, between its neighbours'.
    three: [u64; 3],
}

struct Draw(SplitMix64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.0.next()) * u128::from(n)) >> 64) as u64
    }

    /// A number between 0 and 1.
    fn part(&mut self) -> f64 {
        self.0.next() as f64 / TURN
    }

    /// A number between 2^-bits and 1, small ones as likely as large ones.
    fn small(&mut self, bits: u32) -> f64 {
        power(-(self.below(u64::from(bits)) as i32)) * (0.5 + 0.5 * self.part())
    }

    fn sign(&mut self) -> i64 {
        if self.below(2) == 0 { -1 } else { 1 }
    }
}

/// A number in units of 2^-128.
fn units(x: f64) -> i128 {
    (x * power(64) * power(64)) as i128
}

/// The multiplicative inverse of r modulo u, if there is one.
fn inverse(r: u64, u: u64) -> Option<u64> {
    let (mut a, mut b, mut x, mut y) = (u as i64, r as i64, 0_i64, 1_i64);
    while b != 0 {
        (a, b, x, y) = (b, a % b, y, x - a / b * y);
    }
    (a == 1).then(|| x.rem_euclid(u as i64) as u64)
}

/// k y^n 2^-e in units of 2^-128, modulo 1.
fn term(k: u128, y: i64, n: u32, e: u32) -> u128 {
    let value = (i128::from(y).pow(n) as u128).wrapping_mul(k);
    if e >= 128 { ((value as i128) >> (e - 128)) as u128 } else { value << (128 - e) }
}

/// Plants a case near the limits of the proof, where errors are large: at a vertex, in an arc's last
/// row, in the longest arcs, at the ends of the part, at the bound.
fn plant(draw: &mut Draw) -> Option<Planted> {
    let order = MIN_ORDER * (1.0 + power(-8)) * power(draw.below(12) as i32) * (1.0 + 0.99 * draw.part());
    let c2 = (ORDER / order) * (ORDER / order) * (ORDER / order);
    let q = order as u64 - 1;
    let small = q.div_ceil(u64::from(SMALL)) + 1;
    let largest = 1.0 / small as f64;
    let arc = largest / (c2 * order);
    // From a fraction of the longest arc to 40 of them.
    let half = (arc * 40.0 * draw.small(8)).min(0.4 / (c2 * order)).min(power(31)) as i64;
    let w = 1.02 * (half as f64 + arc);
    // The proof limits the fourth power of c3, in the vertex, and its square, in the bend of rows.
    let most = sqrt_f64(sqrt_f64(power(-8) / (21.0 * w * largest))).min(1.0 / 61.0);
    let most = most.min(0.95 * power(-6) * w / (0.69 * arc * sqrt_f64(arc * largest)));
    let c3 = units(draw.sign() as f64 * most * draw.small(8) * c2 / (1.6 * w));
    let most = power(-17).min(power(-9) / (0.4 * w * largest)).min(0.5 * power(-13) * w / (arc * arc * largest));
    let c4 = most * draw.small(6) * c2 / (6.5 * w * w);
    let e = 1023 - (c4.to_bits() >> 52) as u32;
    let sign = draw.sign() * draw.below(2) as i64;
    let bound = 0.9 * 0.0625 * (1.0 / order).min(sqrt_f64(c2 * small as f64)) * draw.small(30);
    let error = if draw.below(2) == 0 { 0.0 } else { draw.part() * bound };
    let within = bound - error;

    let u = match draw.below(3) {
        0 => small + draw.below(small / 4),
        1 => q - draw.below(q / 4),
        _ => small + draw.below(q - small),
    };
    let r = 1 + draw.below(u - 1);
    let of_r = inverse(r, u)?;
    let [left, v] = [of_r, u - of_r].map(|residue| q - (q - residue) % u);
    let end = draw.sign() * (half - draw.below(1 + half as u64 / 32) as i64);
    let vertex = if draw.below(3) == 0 { draw.below(2 * half as u64) as i64 - half } else { end };
    let reach = |neighbour: u64| 0.5 / (c2 * u as f64 * (u + neighbour) as f64);
    let along = match draw.below(4) {
        0 => 0.0,
        1 => draw.small(24),
        2 => 1.0 - 0.03 * draw.small(8),
        _ => draw.part(),
    };
    let y = vertex + nearest(if draw.below(2) == 0 { -along * reach(left) } else { along * reach(v) }) as i64;
    if !(-half..half).contains(&y) {
        return None;
    }

    let bent = [units(c2) as u128, c3 as u128];
    let slope = (u128::MAX / u128::from(u)).wrapping_mul(r.into());
    let rise = |[c2, c3]: [u128; 2]| {
        let cubic =
            term(2_u128.wrapping_mul(c2), vertex, 1, 128).wrapping_add(term(3_u128.wrapping_mul(c3), vertex, 2, 128));
        cubic.wrapping_add(signed(term(4, vertex, 3, e), sign))
    };
    let d = match draw.below(4) {
        0 => 0.0,
        1 => draw.sign() as f64 * draw.part(),
        _ => draw.sign() as f64 * (1.0 - power(-20)),
    };
    Some(with_case(
        [slope.wrapping_sub(rise(bent)), bent[0], bent[1]],
        (sign, e),
        half,
        [within, error],
        y,
        d,
        [left, u, v],
    ))
}

fn signed(x: u128, sign: i64) -> u128 {
    x.wrapping_mul(i128::from(sign) as u128)
}

/// A polynomial with these coefficients from c1 on that has the value d (within + error) at y.
fn with_case(
    c: [u128; 3],
    c4: (i64, u32),
    half: i64,
    [within, error]: [f64; 2],
    y: i64,
    d: f64,
    three: [u64; 3],
) -> Planted {
    let within = (within * TURN) as u64;
    let d = units(d * (within as f64 / TURN + error)) as u128;
    let terms = [(c[0], 1), (c[1], 2), (c[2], 3)].map(|(c, n)| term(c, y, n, 128));
    let rest = terms.iter().fold(signed(term(1, y, 4, c4.1), c4.0), |sum, term| sum.wrapping_add(*term));
    Planted { c: [d.wrapping_sub(rest), c[0], c[1], c[2]], c4, half, within, error, y, d: number(d), three }
}

/// A case of a given e anywhere in a short part of exp's graph on [1, 2).
fn random(draw: &mut Draw, within: f64) -> Option<Planted> {
    const HALF: i64 = 1 << 26;
    let c2 = 1.36 * power(-52) * (1.0 + 3.0 * draw.part());
    let order = (ORDER / cube_root(c2)) as u64;
    let [c2, c3] = [c2, c2 * power(-52) / 3.0].map(|c| units(c) as u128);
    let y = draw.below(2 * HALF as u64) as i64 - HALF;
    let c1 = u128::from(draw.0.next()) << 64;
    let slope = c1.wrapping_add(term(c2.wrapping_mul(2), y, 1, 128)).wrapping_add(term(c3.wrapping_mul(3), y, 2, 128));
    let Basis { u, v, p, q, .. } = Basis::around((slope >> 64) as u64, order);
    // Left or right of the mediant.
    let three = if p < q { [(order + v) / u * u - v, u, v] } else { [u, v, (order + u) / v * v - u] };
    let d = 2.0 * draw.part() - 1.0;
    (three[1] >= order.div_ceil(u64::from(SMALL)))
        .then(|| with_case([c1, c2, c3], (0, 200), HALF, [within, 0.0], y, d, three))
}

/// The row of a case, and its distance from where the kernel expects it, divided by the tolerance;
/// `None` if the case is in another arc. The kernel passes a row up to 1.
fn margin(case: &Planted, curve: &Curve) -> Option<(u32, f64)> {
    let [left, u, v] = case.three.map(|u| u as f64);
    let origin = (case.c[1] >> 64) as u64 & !7;
    let difference = case.three[1].wrapping_mul(origin).wrapping_neg() as i64 as f64 / TURN;
    let slope = difference / u - curve.rest;
    let Curve { c2, c3, c4, .. } = *curve;
    let derivative = |y: f64| y * (2.0 * c2 + y * (3.0 * c3 + 4.0 * c4 * y));
    let beyond = derivative(case.y as f64) - slope;
    if beyond * u * (u + v) >= 1.0 || -beyond * u * (u + left) >= 1.0 {
        return None;
    }
    let bent = |y: f64| 2.0 * c2 + y * (6.0 * c3 + 12.0 * c4 * y);
    let vertex = (0..4).fold(slope * curve.inverse, |w, _| w - (derivative(w) - slope) / bent(w));
    let t = case.y as f64 - vertex;
    // The row minus G at the vertex.
    let above = u * (t * t * (0.5 * bent(vertex) + t * (c3 + 4.0 * c4 * vertex + c4 * t)) - case.d);

    let (mut all, mut denominators, mut differences) = (Arcs::default(), [1.0; MAX_ARCS + 2], [0.0; MAX_ARCS]);
    denominators[..3].copy_from_slice(&[left, u, v]);
    differences[0] = difference;
    // SAFETY: as many numbers as the kernel requires; each denominator is positive.
    unsafe { arcs(curve, denominators.as_ptr(), differences.as_ptr(), 8, &mut all) };
    let row = nearest(above - f64::from(all.height[0]));
    assert!(row >= 0.0 && row < f64::from(all.rows[0]), "row {row} of {}: {case:?}", all.rows[0]);
    let row = row as u32;
    let j = row % MAX_ROWS as u32;
    let base = all.base[0].wrapping_sub(row.wrapping_mul(all.step[0]));
    let (base, limit) = if row == 0 { (base.wrapping_add(all.extra[0]), all.first[0]) } else { (base, all.limit[0]) };
    let s = all.scale[0] * sqrt_f32(all.height[0] + (row - j) as f32 + j as f32);
    let distance = ((f64::from(s) + ROUND).to_bits() as u32) << 18;
    // Positions are shifted by 1/2; the tolerance is half the limit.
    let tolerance = 0.5 * f64::from(limit.wrapping_add(1 << 31));
    let part = |position: u32| {
        let off = (f64::from(position.wrapping_add(1 << 31)) - tolerance).abs();
        off.min(power(32) - off) / tolerance
    };
    let [before, behind] = [base.wrapping_sub(distance), base.wrapping_add(distance)].map(part);
    // Next to the vertex a case may pass on the other side.
    Some((
        row,
        if above < 1.0 {
            before.min(behind)
        } else if t < 0.0 {
            before
        } else {
            behind
        },
    ))
}

/// The largest margins of the first rows and of the others, of planted cases, with c2 of either sign.
/// The search finds the cases, too.
fn largest(wanted: usize, mut plant: impl FnMut() -> Option<Planted>) -> [f64; 2] {
    let (mut largest, mut tested, mut planted) = ([0.0_f64; 2], 0, 0);
    while planted < wanted {
        let Some(case) = plant() else { continue };
        planted += 1;
        let mut dual = Dual::new(case.within).unwrap();
        let [c0, c1, c2, c3] = if planted % 2 == 0 { case.c } else { case.c.map(u128::wrapping_neg) };
        let c4 = if planted % 2 == 0 { case.c4.0 } else { -case.c4.0 } as f64 * power(-(case.c4.1 as i32));
        let quartic = Quartic { c: [c0, c1, c2], c3: number(c3), c4, error: case.error };
        let Ok(Method::Rows(_)) = dual.part(&quartic, 0, -case.half..case.half) else { continue };
        let Some((row, margin)) = margin(&case, &dual.pieces[0].curve) else { continue };
        tested += 1;
        let largest = &mut largest[usize::from(row > 0)];
        *largest = largest.max(margin);
        assert!(margin <= 1.0, "{margin} of the tolerance of row {row}: {case:?}");
        assert!(dual.finish(|_| true).unwrap().contains(&case.y), "{case:?}");
    }
    std::println!("{tested} of {planted} cases, largest part of the tolerance: {largest:?}");
    assert!(2 * tested > planted);
    largest
}

#[test]
fn cases_stay_within_the_tolerance() {
    let mut draw = Draw(SplitMix64(3));
    let parts = largest(8000, || plant(&mut draw));
    assert!(parts.iter().all(|&part| part > 0.8), "{parts:?}");
    for bits in [29, 33, 37, 44] {
        let parts = largest(3000, || random(&mut draw, power(-bits)));
        assert!(parts.iter().all(|&part| part > 0.3), "e = 2^-{bits}: {parts:?}");
    }
}

/// Blocks of either sign, with long parts whose c3 is small and of either sign.
#[test]
fn planted_cases_are_found() {
    let mut draw = Draw(SplitMix64(4));
    let (mut tested, mut long) = (0, 0);
    while tested < 300 {
        let Some(case) = plant(&mut draw) else { continue };
        let Planted { c, c4: (0, _), half, within, error: 0.0, y, .. } = case else { continue };
        let length = 2 * half as u64;
        // Rows of few arcs take the most time.
        if within as f64 / TURN * length as f64 > 1e5 {
            continue;
        }
        tested += 1;
        long += usize::from(length > 1 << 31);
        // Around the first argument: 0 is y = -half.
        let [c0, c1, c2, c3] = c;
        let at = |c: u128, n: u32| term(c, -half, n, 128);
        let c = [
            c0.wrapping_add(at(c1, 1)).wrapping_add(at(c2, 2)).wrapping_add(at(c3, 3)),
            c1.wrapping_add(at(c2.wrapping_mul(2), 1)).wrapping_add(at(c3.wrapping_mul(3), 2)),
            c2.wrapping_add(at(c3.wrapping_mul(3), 1)),
            c3,
        ];
        let c = if tested % 2 == 0 { c } else { c.map(u128::wrapping_neg) };
        let mut found = Vec::new();
        let mut scan = Scan::new(within).unwrap().algorithm(Algorithm::Dual);
        scan.block(&Block::new(c), length, |x| found.push(x)).unwrap();
        assert!(found.contains(&((y + half) as u64)), "{case:?}");
    }
    std::println!("{tested} cases, {long} in blocks longer than 2^31");
    assert!(long > 10);
}
