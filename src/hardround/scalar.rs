//! The scalar reference of the family.

use super::{Arcs, Bundle, Cell, Curve, MAX_ARCS, MAX_DOMAINS, MAX_ROWS, PIECES, Places, Suspects, TEST_BITS, TURNS};
use crate::math::libm::{ROUND, nearest, sqrt_f32, sqrt_f64};

/// A domain as the tests use it: fractions cut to 52 bits, and the strip widened to cover the cut.
///
/// The cut lowers a x by less than n - 1 units and b by less than one. So b - a x, in units, is in
/// \[0, w) only if its value from the cut fractions is in (-1, w + n - 1).
struct Domain {
    a: u64,
    b: u64,
    n: u64,
    w: u64,
}

impl Domain {
    fn new(a: u64, b: u64, n: u64, w: u64) -> Self {
        let cut = 64 - TEST_BITS;
        let n = n.max(3);
        Domain { a: a >> cut, b: b >> cut, n, w: w.div_ceil(1 << cut) + n - 1 }
    }
}

/// x / y without code for a panic; y is never 0.
fn quotient(x: u64, y: u64) -> u64 {
    x.checked_div(y).unwrap_or(0)
}

/// The arguments x < u + v cut the circle into u gaps of length p and v gaps of length q. b is in a
/// gap of one of the two kinds, d above its start. Each quotient cuts all gaps of one kind, as far
/// as `n` needs it.
fn is_regular(Domain { a, b, n, w }: Domain) -> bool {
    let (mut p, mut q, mut d, mut u, mut v) = (a, (1 << TEST_BITS) - a, b, 1_u64, 1_u64);
    if p == 0 {
        return d < w;
    }
    let mut in_q = d >= p;
    if in_q {
        d -= p;
    }
    loop {
        // Each gap q becomes gaps p, from its start on, and one that is less than p.
        let needed = quotient(n - u - 1, v);
        let k = quotient(q, p).min(needed);
        let cut = quotient(d, p).min(k);
        q -= k * p;
        u += k * v;
        d -= cut * p;
        in_q &= cut == k;
        if k == needed || q == 0 {
            return d < w;
        }
        // Each gap p becomes one that is less than q, and gaps q up to its end.
        let needed = quotient(n - v - 1, u);
        let k = quotient(p, q).min(needed);
        p -= k * q;
        v += k * u;
        if !in_q && d >= p {
            d -= p;
            d -= quotient(d, q) * q;
            in_q = true;
        }
        if k == needed || p == 0 {
            return d < w;
        }
    }
}

/// Like [`is_regular()`], but quotients cut only gaps of the kind that b is not in. Gaps of its own
/// kind get one cut per step.
fn is_lefevre(Domain { a, b, n, w }: Domain) -> bool {
    let (mut p, mut q, mut d, mut u, mut v) = (a, (1 << TEST_BITS) - a, b, 1_u64, 1_u64);
    if d < w {
        return true;
    }
    if p == 0 {
        return false;
    }
    for _ in 0..TURNS {
        if d < p {
            let k = quotient(q, p);
            q -= k * p;
            // These counts may exceed 64 bits and saturate; `n` is far smaller.
            u = u.saturating_add(k.saturating_mul(v));
            if q == 0 || u.saturating_add(v) >= n {
                return false;
            }
            p -= q;
            v += u;
        } else {
            d -= p;
            if d < w {
                return true;
            }
            let k = quotient(p, q);
            p -= k * q;
            v = v.saturating_add(k.saturating_mul(u));
            if p == 0 || v.saturating_add(u) >= n {
                return false;
            }
            q -= p;
            u += v;
        }
        if p == 0 || q == 0 {
            return false;
        }
    }
    true
}

/// # Safety
/// As for the kernels.
unsafe fn test(test: fn(Domain) -> bool, a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8) {
    for at in (0..count).step_by(8) {
        // SAFETY: `a` and `b` have `count` integers.
        let one = |i: usize| unsafe { Domain::new(a.add(i).read_unaligned(), b.add(i).read_unaligned(), n, w) };
        let byte = (at..count.min(at + 8)).fold(0, |byte, i| byte | u8::from(test(one(i))) << (i - at));
        // SAFETY: one byte for eight of `count`.
        unsafe { bits.add(at / 8).write(byte) };
    }
}

pub(crate) unsafe extern "C" fn regular(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8) {
    // SAFETY: the caller's contract.
    unsafe { test(is_regular, a, b, count, n, w, bits) }
}

pub(crate) unsafe extern "C" fn lefevre(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8) {
    // SAFETY: the caller's contract.
    unsafe { test(is_lefevre, a, b, count, n, w, bits) }
}

pub(crate) unsafe extern "C" fn exhaust(d: *const u64, n: u64, w: u64) -> u64 {
    // SAFETY: four integers.
    let [mut y, mut d1, mut d2, d3] = unsafe { d.cast::<[u64; 4]>().read_unaligned() };
    for x in 0..n {
        if y < w {
            return x;
        }
        y = y.wrapping_add(d1);
        d1 = d1.wrapping_add(d2);
        d2 = d2.wrapping_add(d3);
    }
    n
}

/// A number in [1, 2) from the upper 23 bits of a fraction.
fn one_and(fraction: u32) -> f32 {
    f32::from_bits(fraction >> 9 | 1.0_f32.to_bits())
}

/// The fractional part of a number below 2^31.
pub(super) fn fraction(s: f32) -> f32 {
    // Numbers that the contract rules out, NaN included, are clamped, by one instruction for each
    // bound. A saturating cast has branches.
    let cut = if s < 2_147_483_520.0 { s } else { 2_147_483_520.0 };
    let cut = if cut > -2_147_483_648.0 { cut } else { -2_147_483_648.0 };
    // SAFETY: in range.
    s - unsafe { cut.to_int_unchecked::<i32>() } as f32
}

/// A domain's numbers: Z and s on rows 0 and 1, and the limits of Z and of the fraction of s.
pub(super) struct Rows {
    pub z: [f32; 2],
    pub s: [f32; 2],
    pub limit: f32,
    pub width: f32,
}

impl Rows {
    pub(super) fn of(cell: &Cell, i: u32) -> Self {
        let pairs = i.wrapping_mul(i.wrapping_sub(1)) / 2;
        let at = |q: [u32; 3]| q[0].wrapping_add(i.wrapping_mul(q[1])).wrapping_add(pairs.wrapping_mul(q[2]));
        let y = cell.y[0].wrapping_add((i as i32).wrapping_mul(cell.y[1])) as f32;
        let y = if y > cell.min_y { y } else { cell.min_y };
        let (z, h) = (one_and(at(cell.z)), one_and(at(cell.h)));
        let t = cell.per / y;
        let slope = t - cell.ratio;
        let first = (z - 1.0) * slope + h;
        Rows {
            z: [z - 1.0, z],
            s: [first, first + slope],
            limit: cell.row_slope * y + cell.row_offset,
            width: cell.width * t + cell.slack,
        }
    }

    pub(super) fn is_hit(&self) -> bool {
        // Both outcomes are likely: no branches.
        let on = |row: usize| (self.z[row] <= self.limit) & (fraction(self.s[row]) <= self.width);
        on(0) | on(1)
    }
}

pub(crate) unsafe extern "C" fn rows(cells: *const Cell, count: usize, hits: *mut u64) {
    for c in 0..count {
        // SAFETY: `count` cells.
        let cell = unsafe { cells.add(c).read_unaligned() };
        let mut words = [0_u64; (MAX_DOMAINS / 64) as usize];
        // A count that the contract rules out must not write beyond the words.
        for i in 0..cell.count.min(MAX_DOMAINS) {
            words[(i / 64) as usize] |= u64::from(Rows::of(&cell, i).is_hit()) << (i % 64);
        }
        // SAFETY: two words for each cell.
        unsafe { hits.cast::<[u64; 2]>().add(c).write_unaligned(words) };
    }
}

/// The sum of this and a number below 2^19 has as its lower 32 bits the number modulo 1, rounded, in
/// units of 2^-32.
pub(super) const FRACTION: f64 = 1.5 * (1 << 20) as f64;

/// What the number of rows exceeds its bound by, before it is rounded.
pub(super) const ROWS: f64 = 0.5 + 1.0 / 1024.0;

/// The largest limit of a row: every position passes.
pub(super) const EVERY: f64 = 0.5 - 1.0 / (1_u64 << 32) as f64;

/// Smaller heights count as this, also negative ones.
pub(super) const LEAST: f64 = 1.0 / (1_u128 << 100) as f64;

/// The unit of the scale of [`Arcs`].
pub(super) const SCALE: f64 = (1 << 14) as f64;

/// The part of the tolerance for the width of a row, in units of scale times half the width: rows
/// after the first, and the first row's extra part, to be divided by its height.
pub(super) const WIDTHS: [f64; 2] = [0.75, 0.5];

/// The vertex and the first row of an arc.
struct Arc {
    inverse: f64,
    vertex: f64,
    /// Half the width of a row.
    h: f64,
    /// The first row minus G.
    above: f64,
    class: f64,
    /// The position of the vertex on the first row.
    position: f64,
    scale: f64,
    /// The part of the decrease of positions from row to row that is due to c3.
    bend: f64,
}

impl Arc {
    #[inline(always)]
    fn new(curve: &Curve, [u, v]: [f64; 2], difference: f64) -> Self {
        let inverse = 1.0 / u;
        let slope = difference * inverse - curve.rest;
        let first = slope * curve.inverse;
        let z = curve.ratio * first;
        let vertex = first * (1.0 - z * (1.0 - z * (2.0 - 5.0 * z)));
        let c2 = curve.c2 + curve.triple * vertex;
        let bent = curve.c2 + vertex * (curve.c3 + curve.c4 * vertex);
        let value = curve.c0 + vertex * (vertex * bent - slope);
        let g = u * (value - nearest(value));
        let h = u * curve.within;
        let row = nearest(g - h + 0.5);
        let above = row - g;
        let class = v * inverse;
        let position = vertex * inverse - row * class;
        let position = position - nearest(position);
        let flat = inverse / c2;
        let scale = inverse * sqrt_f64(flat);
        let bend = curve.half * (flat * flat);
        Arc { inverse, vertex, h, above, class, position, scale, bend }
    }
}

/// The larger of two numbers, by one instruction.
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

pub(crate) unsafe extern "C" fn arcs(
    curve: *const Curve,
    denominators: *const f64,
    differences: *const f64,
    count: usize,
    arcs: *mut Arcs,
) {
    let low = |x: f64| x.to_bits() as u32;
    // SAFETY: the caller's contract: a curve, `count` + 2 and `count` numbers.
    let curve = unsafe { curve.read_unaligned() };
    for i in 0..count {
        // SAFETY: as above.
        let ([left, u, v], difference) =
            unsafe { (denominators.add(i).cast::<[f64; 3]>().read_unaligned(), differences.add(i).read_unaligned()) };
        let Arc { inverse, h, above, class, position, scale, bend, .. } = Arc::new(&curve, [u, v], difference);
        let of_mediant = 1.0 / (u + if left < v { left } else { v });
        let height = larger(above, h);
        let spread = scale * h;
        let farthest = curve.reach * (inverse * (inverse * of_mediant));
        let tolerance = curve.slack + curve.shift * inverse + curve.rounding * farthest + WIDTHS[0] * spread;
        let rise = curve.rise * (inverse * (of_mediant * of_mediant));
        let rows = nearest(rise + (h - above) + ROWS);
        let base = position - bend * height + tolerance - 0.5;
        let extra = WIDTHS[1] * spread / height;
        let first = 2.0 * (tolerance + extra) - 0.5;
        // SAFETY: `count` is at most the number of arcs.
        unsafe {
            (&raw mut (*arcs).scale).cast::<f32>().add(i).write_unaligned((scale * SCALE) as f32);
            (&raw mut (*arcs).height).cast::<f32>().add(i).write_unaligned(height as f32);
            (&raw mut (*arcs).base).cast::<u32>().add(i).write_unaligned(low(base + FRACTION));
            (&raw mut (*arcs).step).cast::<u32>().add(i).write_unaligned(low(class + bend + FRACTION));
            let limit = 2.0 * tolerance - 0.5;
            (&raw mut (*arcs).limit).cast::<u32>().add(i).write_unaligned(low(limit + FRACTION));
            (&raw mut (*arcs).extra).cast::<u32>().add(i).write_unaligned(low(extra + FRACTION));
            let first = if first < EVERY { first } else { EVERY };
            (&raw mut (*arcs).first).cast::<u32>().add(i).write_unaligned(low(first + FRACTION));
            (&raw mut (*arcs).rows).cast::<u32>().add(i).write_unaligned(low(rows + ROUND));
        }
    }
}

pub(crate) unsafe extern "C" fn refine(
    curve: *const Curve,
    suspects: *const Suspects,
    count: usize,
    places: *mut Places,
) {
    // SAFETY: the caller's contract: a curve, `count` suspects and places.
    unsafe {
        let curve = curve.read_unaligned();
        let number = |field: *const [f64; MAX_ARCS], i: usize| field.cast::<f64>().add(i).read_unaligned();
        for i in 0..count.min(MAX_ARCS) {
            let [u, v] = [&raw const (*suspects).u, &raw const (*suspects).v].map(|field| number(field, i));
            let arc = Arc::new(&curve, [u, v], number(&raw const (*suspects).differences, i));
            let j = number(&raw const (*suspects).rows, i);
            let height = arc.above + j;
            let [nearer, farther] = [height - arc.h, height + arc.h].map(|k| arc.scale * sqrt_f64(larger(k, LEAST)));
            let residue = arc.position - j * arc.class;
            let center = residue - arc.bend * height;
            let bent = arc.bend * arc.h;
            let tolerance = curve.fine + curve.shift * arc.inverse + larger(bent, -bent);
            let ends = [[center - farther, center - nearer], [center + nearer, center + farther]];
            for (side, [from, to]) in ends.into_iter().enumerate() {
                let from = nearest(from - tolerance + 0.5);
                let to = nearest(to + tolerance - 0.5);
                let first = nearest(arc.vertex + u * (from - residue));
                let count = larger(to - from + 1.0, 0.0);
                (&raw mut (*places).first[side]).cast::<f64>().add(i).write_unaligned(first);
                let counts = (&raw mut (*places).counts[side]).cast::<u32>();
                counts.add(i).write_unaligned((count + ROUND).to_bits() as u32);
            }
        }
    }
}

pub(crate) unsafe extern "C" fn dual(bundles: *const Bundle, count: usize, hits: *mut u32) {
    for b in 0..count {
        // SAFETY: `count` bundles.
        let bundle = unsafe { bundles.add(b).read_unaligned() };
        for j in 0..bundle.rows.min(MAX_ROWS as u32) {
            let mut bits = 0;
            for i in 0..PIECES {
                let s = bundle.scale[i] * sqrt_f32(bundle.height[i] + j as f32);
                let distance = ((f64::from(s) + ROUND).to_bits() as u32) << 18;
                let base = bundle.base[i].wrapping_sub(j.wrapping_mul(bundle.step[i]));
                let (base, limit) = match j {
                    0 => (base.wrapping_add(bundle.extra[i]), bundle.first[i]),
                    _ => (base, bundle.limit[i]),
                };
                let [right, left] = [base.wrapping_add(distance), base.wrapping_sub(distance)];
                bits |= u32::from((right as i32 <= limit as i32) | (left as i32 <= limit as i32)) << i;
            }
            // SAFETY: 32 words for each bundle.
            unsafe { hits.add(MAX_ROWS * b + j as usize).write_unaligned(bits) };
        }
    }
}
