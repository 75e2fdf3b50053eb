//! The f32 sweeps, generic over the vectors of all instruction sets. A row is `N` vectors.

use super::scalar::*;
use super::{LANES, Link};
use crate::exp::lanes::exp2;
use crate::exp::scalar::{self as exp, ONE};
use crate::math::vector::{Int, Single};

/// A [`Rule`] for the lanes of a vector.
pub(super) trait LaneRule: Rule {
    /// The lanes whose flips are accepted.
    ///
    /// # Safety
    /// `random` points to a random number for each lane, and the CPU has the instruction set.
    unsafe fn accepted<V: Single>(random: *const u32, v: V) -> V::Mask;
}

impl LaneRule for MetropolisFast {
    #[inline(always)]
    unsafe fn accepted<V: Single>(random: *const u32, v: V) -> V::Mask {
        // SAFETY: the caller's contract, here and below.
        unsafe {
            let bits = v.min(V::splat(0.0)).round().add(V::Bits::splat(FAST_UNIT));
            upper_bits::<V>(random, 0).less(V::from_bits(bits).mul(V::splat(FAST_SCALE)))
        }
    }
}

impl LaneRule for MetropolisPoly {
    #[inline(always)]
    unsafe fn accepted<V: Single>(random: *const u32, v: V) -> V::Mask {
        // SAFETY: the caller's contract.
        unsafe {
            let inside = v.min(V::splat(0.0)).max(V::splat(POLY_MIN));
            upper_bits::<V>(random, 0).less(exp2(inside, POLY_SCALE))
        }
    }
}

impl LaneRule for HeatFast {
    #[inline(always)]
    unsafe fn accepted<V: Single>(random: *const u32, v: V) -> V::Mask {
        // SAFETY: the caller's contract.
        unsafe {
            let x = upper_bits::<V>(random, 1);
            let (n, one) = (cut(v, FAST_CERTAIN).round(), V::Bits::splat(ONE));
            let (stays, flips) = (V::from_bits(one.sub(n)), V::from_bits(one.add(n)));
            x.mul(stays).less(V::splat(RANGE).sub(x).mul(flips))
        }
    }
}

impl LaneRule for HeatPoly {
    #[inline(always)]
    unsafe fn accepted<V: Single>(random: *const u32, v: V) -> V::Mask {
        // SAFETY: the caller's contract.
        unsafe {
            let x = upper_bits::<V>(random, 1);
            x.less(V::splat(RANGE).sub(x).mul(exp2(cut(v, POLY_CERTAIN), exp::POLY_SCALE)))
        }
    }
}

/// `random >> 8 | lowest` as floats.
#[inline(always)]
unsafe fn upper_bits<V: Single>(random: *const u32, lowest: u32) -> V {
    // SAFETY: the caller's numbers.
    unsafe { V::from_integers(V::Bits::load(random).shr::<8>().or(V::Bits::splat(lowest))) }
}

/// Clamps `v` to `-bound..=bound`; a NaN counts as `bound`.
#[inline(always)]
unsafe fn cut<V: Single>(v: V, bound: f32) -> V {
    // SAFETY: the CPU has the instruction set, here and below.
    unsafe { v.min(V::splat(bound)).max(V::splat(-bound)) }
}

/// `x` in the lanes of the mask, 0 in the others.
#[inline(always)]
unsafe fn keep<V: Single>(x: V, mask: V::Mask) -> V {
    // SAFETY: the CPU has the instruction set.
    unsafe { V::select(mask, x, V::splat(0.0)) }
}

/// # Safety
/// `row` points to a row.
#[inline(always)]
unsafe fn load_row<V: Single, const N: usize>(row: *const f32) -> [V; N] {
    // SAFETY: the caller's row.
    unsafe {
        let mut values = [V::splat(0.0); N];
        for (n, value) in values.iter_mut().enumerate() {
            *value = V::load(row.add(n * V::LANES));
        }
        values
    }
}

/// Adds `factor * d`. It must not be fused, because the product with a huge coupling may overflow.
///
/// # Safety
/// `row` points to a row.
#[inline(always)]
unsafe fn add_to_row<V: Single, const N: usize>(row: *mut f32, factor: f32, d: [V; N]) {
    // SAFETY: the caller's row.
    unsafe {
        let sums = load_row::<V, N>(row);
        for n in 0..N {
            sums[n].add(V::splat(factor).mul(d[n])).store(row.add(n * V::LANES));
        }
    }
}

/// Adds the row that `link` refers to, times its coupling, to `sum`. Returns whether that row is at
/// offset `excluded`.
///
/// # Safety
/// `link` refers to a row of `spins`.
#[inline(always)]
unsafe fn couple<V: Single, const N: usize>(
    spins: *const f32,
    link: *const Link,
    excluded: usize,
    sum: &mut [V; N],
) -> bool {
    // SAFETY: the caller's link and row.
    unsafe {
        let Link { word: offset, value: coupling } = link.read_unaligned();
        let spin = load_row::<V, N>(spins.byte_add(offset as usize));
        for n in 0..N {
            sum[n] = V::splat(coupling).mul_add(spin[n], sum[n]);
        }
        offset as usize == excluded
    }
}

/// The field of the site at `links`, and the links of the next site; `None` if a neighbour's row is
/// at offset `excluded`.
///
/// # Safety
/// `links` points to the header of a site; its links refer to rows of `spins`.
#[inline(always)]
unsafe fn field<V: Single, const N: usize>(
    spins: *const f32,
    mut links: *const Link,
    excluded: usize,
) -> Option<([V; N], *const Link)> {
    // SAFETY: the caller's links and rows.
    unsafe {
        let Link { word: degree, value: h } = links.read_unaligned();
        links = links.add(1);
        let mut sum = [V::splat(h); N];
        for _ in 0..degree / 2 {
            if couple(spins, links, excluded, &mut sum) || couple(spins, links.add(1), excluded, &mut sum) {
                return None;
            }
            links = links.add(2);
        }
        if degree % 2 == 1 {
            if couple(spins, links, excluded, &mut sum) {
                return None;
            }
            links = links.add(1);
        }
        Some((sum, links))
    }
}

/// Decides site `first + i`, whose field is given, and counts its flips.
///
/// # Safety
/// The site is one of `g`.
#[inline(always)]
unsafe fn decide<V: Single, const N: usize, R: LaneRule>(
    g: &Gather,
    i: usize,
    field: [V; N],
    flips: &mut [V::Bits; N],
) {
    // SAFETY: the rows of the site.
    unsafe {
        let spin = g.spins.add(LANES * (g.first + i));
        let below = load_row::<V, N>(g.below.add(LANES * i));
        let above = load_row::<V, N>(g.above.add(LANES * i));
        let s = load_row::<V, N>(spin);
        for n in 0..N {
            let v = V::splat(g.tau).mul_add(below[n].add(above[n]), V::splat(g.space).mul(field[n]));
            let accepted = R::accepted::<V>(g.random.add(LANES * i + n * V::LANES), v.mul(s[n]));
            let sign = keep(V::splat(-0.0), accepted).bits();
            V::from_bits(s[n].bits().xor(sign)).store(spin.add(n * V::LANES));
            flips[n] = V::count(flips[n], accepted);
        }
    }
}

/// Loads the flip counters of the lanes.
///
/// # Safety
/// `flips` points to a row of integers, here and below.
#[inline(always)]
unsafe fn load_flips<V: Single, const N: usize>(flips: *const u32) -> [V::Bits; N] {
    // SAFETY: the caller's row.
    unsafe {
        let mut values = [V::Bits::splat(0); N];
        for (n, value) in values.iter_mut().enumerate() {
            *value = V::Bits::load(flips.add(n * V::LANES));
        }
        values
    }
}

#[inline(always)]
unsafe fn store_flips<V: Single, const N: usize>(flips: *mut u32, values: [V::Bits; N]) {
    for (n, value) in values.iter().enumerate() {
        // SAFETY: the caller's row.
        unsafe { value.store(flips.add(n * V::LANES)) }
    }
}

/// Computes the field of the next site before it decides the current one, so that more of the work
/// overlaps. If the two are neighbours, it computes that field after the decision instead.
///
/// With SSE2, `sweep_poly_f32` is 5 % slower than dedicated intrinsics. That does not matter,
/// because dispatch prefers its assembly.
///
/// # Safety
/// As for `sweep_fast_f32`.
#[inline(always)]
pub(super) unsafe fn gather<V: Single, const N: usize, R: LaneRule>(g: Gather) {
    const NONE: usize = usize::MAX;
    if g.count == 0 {
        return;
    }
    // SAFETY: the sites from `first` on of the caller's arrays, and their links; with none excluded
    // there is a field.
    unsafe {
        let mut flips = load_flips::<V, N>(g.flips);
        let (mut waiting, mut links) = field::<V, N>(g.spins, g.links, NONE).unwrap_unchecked();
        for i in 0..g.count - 1 {
            let next = field(g.spins, links, 4 * LANES * (g.first + i));
            decide::<V, N, R>(&g, i, waiting, &mut flips);
            (waiting, links) = match next {
                Some(next) => next,
                None => field(g.spins, links, NONE).unwrap_unchecked(),
            };
        }
        decide::<V, N, R>(&g, g.count - 1, waiting, &mut flips);
        store_flips::<V, N>(g.flips, flips);
    }
}

/// # Safety
/// As for `scatter_fast_f32`.
#[inline(always)]
pub(super) unsafe fn scatter<V: Single, const N: usize, R: LaneRule>(g: Scatter) {
    let mut links = g.links;
    // SAFETY: the sites from `first` on of the caller's arrays, and their links.
    unsafe {
        let mut flips = load_flips::<V, N>(g.flips);
        for i in 0..g.count {
            let own = LANES * (g.first + i);
            let (state, field) = (load_row::<V, N>(g.state.add(own)), load_row::<V, N>(g.fields.add(own)));
            let mut d = [V::splat(0.0); N];
            for n in 0..N {
                // 1 with the sign of the state.
                let sign = state[n].bits().and(V::splat(-0.0).bits());
                let s = V::from_bits(sign.or(V::splat(1.0).bits()));
                let t = V::splat(-4.0).mul_add(s, state[n]);
                let v = V::splat(g.tau).mul_add(t, V::splat(g.space).mul(field[n]));
                let accepted = R::accepted::<V>(g.random.add(LANES * i + n * V::LANES), v.mul(s));
                flips[n] = V::count(flips[n], accepted);
                d[n] = keep(V::splat(-2.0).mul(s), accepted);
            }

            let degree = links.read_unaligned().word;
            links = links.add(1);
            for _ in 0..degree {
                let Link { word: offset, value: coupling } = links.read_unaligned();
                add_to_row(g.fields.byte_add(offset as usize), coupling, d);
                links = links.add(1);
            }
            add_to_row(g.state.add(own), 4.0, d);
            add_to_row(g.below.add(LANES * i), 1.0, d);
            add_to_row(g.above.add(LANES * i), 1.0, d);
        }
        store_flips::<V, N>(g.flips, flips);
    }
}
