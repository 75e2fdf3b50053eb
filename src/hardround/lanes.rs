//! The kernels `rows`, `arcs` and `dual`, generic over vectors, and the macro that exports all kernels of an
//! instruction set.

use super::scalar::{EVERY, FRACTION, LEAST, ROWS, SCALE, WIDTHS};
use super::{Arcs, Bundle, Cell, Curve, MAX_ARCS, MAX_DOMAINS, MAX_ROWS, PIECES, Places, Suspects};
use crate::math::libm::ROUND;
use crate::math::vector::{Fractional, Int, IntProduct, Integral, Mask, Single};

/// Compile-time constants, one per lane.
///
/// # Safety
/// As for [`Int`].
#[inline(always)]
unsafe fn each<U: Int<Element = u32>>(of_lane: impl Fn(u32) -> u32) -> U {
    const MAX_LANES: usize = 16;
    const { assert!(U::LANES <= MAX_LANES) };
    let mut all = [0; MAX_LANES];
    for (i, lane) in all.iter_mut().enumerate().take(U::LANES) {
        *lane = of_lane(i as u32);
    }
    // SAFETY: no vector is longer.
    unsafe { U::load(all.as_ptr()) }
}

/// A quantity with two differences in `LANES` domains, its step to the next `LANES` domains, and
/// the change of this step.
struct Quantity<U> {
    value: U,
    step: U,
    change: U,
}

impl<U: IntProduct> Quantity<U> {
    /// From domain 0 to domain i it grows by `i d + i (i - 1) / 2 dd`, from domain i to i + L by
    /// `L d + (L i + L (L - 1) / 2) dd`.
    ///
    /// # Safety
    /// As for [`Int`], here and below.
    #[inline(always)]
    unsafe fn new([q, d, dd]: [u32; 3]) -> Self {
        let lanes = U::LANES as u32;
        let pairs = |i: u32| i.wrapping_mul(i.wrapping_sub(1)) / 2;
        // SAFETY: the caller's contract.
        unsafe {
            let [q, d, dd] = [U::splat(q), U::splat(d), U::splat(dd)];
            Quantity {
                value: q.add(d.mul(each(|i| i))).add(dd.mul(each(pairs))),
                step: d.mul(each(|_| lanes)).add(dd.mul(each(|i| lanes * i + pairs(lanes)))),
                change: dd.mul(each(|_| lanes * lanes)),
            }
        }
    }

    /// 1 plus the fractions of these domains; advances to the following domains.
    ///
    /// # Safety
    /// As for [`Int`].
    #[inline(always)]
    unsafe fn next<V: Single<Bits = U>>(&mut self) -> V {
        // SAFETY: the caller's contract.
        unsafe {
            let bits = self.value.shr::<9>().or(U::splat(1.0_f32.to_bits()));
            self.value = self.value.add(self.step);
            self.step = self.step.add(self.change);
            V::from_bits(bits)
        }
    }
}

/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn rows<V: Fractional>(cells: *const Cell, count: usize, hits: *mut u64) {
    // Whole bytes of bits.
    let step = V::LANES.max(8);
    for c in 0..count {
        // SAFETY: `count` cells, and two words for each.
        unsafe {
            let cell = cells.add(c).read_unaligned();
            let [per, ratio, min_y] = [V::splat(cell.per), V::splat(cell.ratio), V::splat(cell.min_y)];
            let [row_slope, row_offset] = [V::splat(cell.row_slope), V::splat(cell.row_offset)];
            let [width, slack] = [V::splat(cell.width), V::splat(cell.slack)];
            let (mut z, mut h) = (Quantity::<V::Bits>::new(cell.z), Quantity::<V::Bits>::new(cell.h));
            let [y, dy] = [V::Bits::splat(cell.y[0] as u32), V::Bits::splat(cell.y[1] as u32)];
            let mut ys = y.add(dy.mul(each(|i| i)));
            let y_step = dy.mul(each(|_| V::LANES as u32));
            let domains = cell.count.min(MAX_DOMAINS) as usize;
            let words = hits.add(2 * c);
            words.cast::<[u64; 2]>().write_unaligned([0; 2]);
            for i in (0..domains).step_by(step) {
                let mut bits = 0;
                for lane in (0..step).step_by(V::LANES) {
                    let gap = V::from_integers(ys).max(min_y);
                    ys = ys.add(y_step);
                    let (z, h): (V, V) = (z.next(), h.next());
                    let t = per.div(gap);
                    let slope = t.sub(ratio);
                    let limit = row_slope.mul(gap).add(row_offset);
                    let width = width.mul(t).add(slack);
                    let below = z.sub(V::splat(1.0));
                    let first = below.mul(slope).add(h);
                    let second = first.add(slope);
                    // At most one of two is negative, so they compare as integers, which more ports
                    // execute on x86-64.
                    let (limit, width) = (limit.bits(), width.bits());
                    let first = below.bits().exceeds(limit).or(first.fraction().bits().exceeds(width));
                    let second = z.bits().exceeds(limit).or(second.fraction().bits().exceeds(width));
                    bits |= (!first.and(second).bits() & !(!0 << V::LANES)) << lane;
                }
                words.cast::<u8>().add(i / 8).copy_from_nonoverlapping(bits.to_le_bytes().as_ptr(), step / 8);
            }
            if !domains.is_multiple_of(step) {
                let last = words.add(domains / 64);
                last.write_unaligned(last.read_unaligned() & !(!0 << (domains % 64)));
            }
        }
    }
}

/// Vectors of doubles, for [`arcs`] and [`refine`].
///
/// # Safety
/// As for [`Integral`].
pub(super) trait Narrow: Integral {
    unsafe fn sqrt(self) -> Self;
    /// Writes `LANES` floats, rounded.
    unsafe fn store_singles(self, to: *mut f32);
    /// Writes the lower halves of `LANES` doubles' bits.
    unsafe fn store_low(self, to: *mut u32);
}

/// The vertices and the first rows of arcs; the fields are those of the reference.
struct Vertices<V> {
    inverse: V,
    vertex: V,
    h: V,
    above: V,
    class: V,
    position: V,
    scale: V,
    bend: V,
}

/// Rounds doubles below 2^51 in magnitude to the nearest integers.
///
/// # Safety
/// As for [`Integral`], here and below.
#[inline(always)]
unsafe fn nearest<V: Narrow>(x: V) -> V {
    // SAFETY: the caller's contract.
    unsafe { x.add(V::splat(ROUND)).sub(V::splat(ROUND)) }
}

impl<V: Narrow> Vertices<V> {
    #[inline(always)]
    unsafe fn new(curve: &Curve, [u, v]: [V; 2], difference: V) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            let one = V::splat(1.0);
            let inverse = one.div(u);
            let slope = difference.mul(inverse).sub(V::splat(curve.rest));
            let first = slope.mul(V::splat(curve.inverse));
            let z = V::splat(curve.ratio).mul(first);
            let series = V::splat(2.0).sub(V::splat(5.0).mul(z));
            let vertex = first.mul(one.sub(z.mul(one.sub(z.mul(series)))));
            let c2 = V::splat(curve.c2).add(V::splat(curve.triple).mul(vertex));
            let cubic = V::splat(curve.c3).add(V::splat(curve.c4).mul(vertex));
            let bent = V::splat(curve.c2).add(vertex.mul(cubic));
            let value = V::splat(curve.c0).add(vertex.mul(vertex.mul(bent).sub(slope)));
            let g = u.mul(value.sub(nearest(value)));
            let h = u.mul(V::splat(curve.within));
            let row = nearest(g.sub(h).add(V::splat(0.5)));
            let above = row.sub(g);
            let class = v.mul(inverse);
            let position = vertex.mul(inverse).sub(row.mul(class));
            let position = position.sub(nearest(position));
            let flat = inverse.div(c2);
            let scale = inverse.mul(flat.sqrt());
            let bend = V::splat(curve.half).mul(flat.mul(flat));
            Vertices { inverse, vertex, h, above, class, position, scale, bend }
        }
    }
}

/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn arcs<V: Narrow>(
    curve: *const Curve,
    denominators: *const f64,
    differences: *const f64,
    count: usize,
    arcs: *mut Arcs,
) {
    // SAFETY: the caller's contract: a curve, and numbers for whole vectors.
    unsafe {
        let curve = curve.read_unaligned();
        let [half, fraction] = [V::splat(0.5), V::splat(FRACTION)];
        for i in (0..count).step_by(V::LANES) {
            let [left, u, v] =
                [V::load(denominators.add(i)), V::load(denominators.add(i + 1)), V::load(denominators.add(i + 2))];
            let Vertices { inverse, h, above, class, position, scale, bend, .. } =
                Vertices::new(&curve, [u, v], V::load(differences.add(i)));
            let of_mediant = V::splat(1.0).div(u.add(left.min(v)));
            let height = above.max(h);
            let spread = scale.mul(h);
            let farthest = V::splat(curve.reach).mul(inverse.mul(inverse.mul(of_mediant)));
            let tolerance = V::splat(curve.slack)
                .add(V::splat(curve.shift).mul(inverse))
                .add(V::splat(curve.rounding).mul(farthest))
                .add(V::splat(WIDTHS[0]).mul(spread));
            let rise = V::splat(curve.rise).mul(inverse.mul(of_mediant.mul(of_mediant)));
            let rows = nearest(rise.add(h.sub(above)).add(V::splat(ROWS)));

            let base = position.sub(bend.mul(height)).add(tolerance).sub(half);
            let extra = V::splat(WIDTHS[1]).mul(spread).div(height);
            let limit = V::splat(2.0).mul(tolerance).sub(half);
            let first = V::splat(2.0).mul(tolerance.add(extra)).sub(half).min(V::splat(EVERY));
            scale.mul(V::splat(SCALE)).store_singles((&raw mut (*arcs).scale).cast::<f32>().add(i));
            height.store_singles((&raw mut (*arcs).height).cast::<f32>().add(i));
            base.add(fraction).store_low((&raw mut (*arcs).base).cast::<u32>().add(i));
            class.add(bend).add(fraction).store_low((&raw mut (*arcs).step).cast::<u32>().add(i));
            limit.add(fraction).store_low((&raw mut (*arcs).limit).cast::<u32>().add(i));
            extra.add(fraction).store_low((&raw mut (*arcs).extra).cast::<u32>().add(i));
            first.add(fraction).store_low((&raw mut (*arcs).first).cast::<u32>().add(i));
            rows.add(V::splat(ROUND)).store_low((&raw mut (*arcs).rows).cast::<u32>().add(i));
        }
    }
}

/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn refine<V: Narrow>(
    curve: *const Curve,
    suspects: *const Suspects,
    count: usize,
    places: *mut Places,
) {
    // SAFETY: the caller's contract: a curve, and numbers for whole vectors.
    unsafe {
        let curve = curve.read_unaligned();
        let [zero, half] = [V::splat(0.0), V::splat(0.5)];
        for i in (0..count.min(MAX_ARCS)).step_by(V::LANES) {
            let u = V::load((&raw const (*suspects).u).cast::<f64>().add(i));
            let v = V::load((&raw const (*suspects).v).cast::<f64>().add(i));
            let difference = V::load((&raw const (*suspects).differences).cast::<f64>().add(i));
            let arc = Vertices::new(&curve, [u, v], difference);
            let j = V::load((&raw const (*suspects).rows).cast::<f64>().add(i));
            let height = arc.above.add(j);
            let nearer = arc.scale.mul(height.sub(arc.h).max(V::splat(LEAST)).sqrt());
            let farther = arc.scale.mul(height.add(arc.h).max(V::splat(LEAST)).sqrt());
            let residue = arc.position.sub(j.mul(arc.class));
            let center = residue.sub(arc.bend.mul(height));
            let bent = arc.bend.mul(arc.h);
            let bent = bent.max(zero.sub(bent));
            let tolerance = V::splat(curve.fine).add(V::splat(curve.shift).mul(arc.inverse)).add(bent);
            let before = [center.sub(farther), center.sub(nearer)];
            let behind = [center.add(nearer), center.add(farther)];
            for (side, [from, to]) in [before, behind].into_iter().enumerate() {
                let from = nearest(from.sub(tolerance).add(half));
                let to = nearest(to.add(tolerance).sub(half));
                let first = nearest(arc.vertex.add(u.mul(from.sub(residue))));
                let count = to.sub(from).add(V::splat(1.0)).max(zero);
                first.store((&raw mut (*places).first[side]).cast::<f64>().add(i));
                count.add(V::splat(ROUND)).store_low((&raw mut (*places).counts[side]).cast::<u32>().add(i));
            }
        }
    }
}

/// Vectors of a field of a bundle, from piece `at` on.
///
/// # Safety
/// As for [`Int`]; the field has these pieces.
#[inline(always)]
unsafe fn field<U: Int<Element = u32>, const VECTORS: usize>(field: *const u32, at: usize) -> [U; VECTORS] {
    // SAFETY: the caller's contract.
    unsafe {
        let mut all = [U::splat(0); VECTORS];
        for (i, vector) in all.iter_mut().enumerate() {
            *vector = U::load(field.add(at + i * U::LANES));
        }
        all
    }
}

/// The bits of a row, of one vector of pieces: 1 where a position is at most the limit.
///
/// # Safety
/// As for [`Single`].
#[inline(always)]
unsafe fn test<V: Single<Mask: Mask>>(scale: V, height: V, base: V::Bits, limit: V::Bits) -> u32 {
    // SAFETY: the caller's contract.
    unsafe {
        let distance = scale.mul(height.sqrt()).round().shl::<18>();
        let right = base.add(distance).exceeds(limit);
        let left = base.sub(distance).exceeds(limit);
        !right.and(left).bits() & !(!0 << V::LANES)
    }
}

/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn dual<V: Single<Mask: Mask>, const VECTORS: usize>(
    bundles: *const Bundle,
    count: usize,
    hits: *mut u32,
) {
    // Bits of whole bytes: one vector, or two of four lanes.
    const { assert!((V::LANES * VECTORS).is_multiple_of(8) && PIECES.is_multiple_of(V::LANES * VECTORS)) };
    for b in 0..count {
        // SAFETY: `count` bundles, and words for each.
        unsafe {
            let bundle = bundles.add(b);
            let rows = (&raw const (*bundle).rows).read_unaligned().min(MAX_ROWS as u32) as usize;
            let hits = hits.add(MAX_ROWS * b).cast::<u8>();
            for at in (0..PIECES).step_by(V::LANES * VECTORS) {
                let scale: [V::Bits; VECTORS] = field((&raw const (*bundle).scale).cast(), at);
                let height: [V::Bits; VECTORS] = field((&raw const (*bundle).height).cast(), at);
                let step: [V::Bits; VECTORS] = field((&raw const (*bundle).step).cast(), at);
                let limit: [V::Bits; VECTORS] = field((&raw const (*bundle).limit).cast(), at);
                let extra: [V::Bits; VECTORS] = field((&raw const (*bundle).extra).cast(), at);
                let first: [V::Bits; VECTORS] = field((&raw const (*bundle).first).cast(), at);
                let mut base: [V::Bits; VECTORS] = field((&raw const (*bundle).base).cast(), at);
                let mut number = V::splat(0.0);
                for j in 0..rows {
                    let mut bits = 0;
                    for i in 0..VECTORS {
                        let (from, limit) =
                            if j == 0 { (base[i].add(extra[i]), first[i]) } else { (base[i], limit[i]) };
                        let height = V::from_bits(height[i]).add(number);
                        bits |= test(V::from_bits(scale[i]), height, from, limit) << (i * V::LANES);
                        base[i] = base[i].sub(step[i]);
                    }
                    number = number.add(V::splat(1.0));
                    hits.add(4 * j + at / 8)
                        .copy_from_nonoverlapping(bits.to_le_bytes().as_ptr(), V::LANES * VECTORS / 8);
                }
            }
        }
    }
}

/// Exports the kernels of an instruction set. Arguments: for `rows` and `dual`, its vector of floats;
/// for `arcs` and `refine`, its vector of doubles; for `dual`, the number of vectors of a step; for
/// the tests, its vector of doubles, their division and the vectors of a block; for `exhaust`, its
/// vector of halves, the words of a vector, and the arguments, anchors and minima of a step.
macro_rules! export_searches {
    ($isa:ident rows $floats:ty; arcs $narrow:ty; dual $vectors:literal;
        $($test:ident)+: $doubles:ty, $divide:ty, $blocks:literal;
     exhaust $halves:ty, $lanes:literal, $length:literal, $anchors:literal, $minima:literal) => {
        $isa! {
            pub(super) unsafe extern "C" fn rows(cells: *const super::Cell, count: usize, hits: *mut u64) {
                // SAFETY: the caller's contract, here and below.
                unsafe { lanes::rows::<$floats>(cells, count, hits) }
            }

            pub(super) unsafe extern "C" fn arcs(
                curve: *const super::Curve,
                denominators: *const f64,
                differences: *const f64,
                count: usize,
                to: *mut super::Arcs,
            ) {
                // SAFETY: the contract of the kernel, here and below.
                unsafe { lanes::arcs::<$narrow>(curve, denominators, differences, count, to) }
            }

            pub(super) unsafe extern "C" fn refine(
                curve: *const super::Curve,
                suspects: *const super::Suspects,
                count: usize,
                places: *mut super::Places,
            ) {
                // SAFETY: the contract of the kernel.
                unsafe { lanes::refine::<$narrow>(curve, suspects, count, places) }
            }

            pub(super) unsafe extern "C" fn dual(bundles: *const super::Bundle, count: usize, hits: *mut u32) {
                // SAFETY: the contract of the kernel.
                unsafe { lanes::dual::<$floats, $vectors>(bundles, count, hits) }
            }

            pub(super) unsafe extern "C" fn exhaust(d: *const u64, n: u64, w: u64) -> u64 {
                // SAFETY: the contract of the kernel.
                unsafe { runs::exhaust::<$halves, $lanes, $length, $anchors, $minima>(d, n, w) }
            }
        }
        $(export_searches! { @ $isa $test $doubles, $divide, $blocks })+
    };
    (@ $isa:ident $test:ident $doubles:ty, $divide:ty, $blocks:literal) => {
        $isa! {
            pub(super) unsafe extern "C" fn $test(
                a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8,
            ) {
                const DOMAINS: usize = $blocks * <$doubles as crate::math::vector::Vector>::LANES;
                // SAFETY: the contract of the kernel; whole blocks.
                unsafe {
                    let test = |a, b, n, w| gaps::$test::<$doubles, $divide, $blocks>(a, b, n, w);
                    gaps::blocks::<DOMAINS>(test, a, b, count, n, w, bits)
                }
            }
        }
    };
}
pub(super) use export_searches;
