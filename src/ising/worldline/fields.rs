//! Sums of fields and interactions at the boundaries of a line, and the exponents of its segments.

use core::f64::consts::LOG2_E;

use super::WorldlineRun;
use super::contract::FAR;
use super::lanes::{Lanes, Logarithm, bits};
use super::scalar::{Path, Value, Weights};
use crate::math::vector::{Single, Vector};

/// Kinks of an iteration of [`clamped`].
const STEP: usize = 8;

/// Vectors of an iteration of [`clamped`].
const WIDTH: usize = 4;

/// The sum of `min(max(x, k0), k1)` over the pairs of kinks of a line, rounded up to a multiple of four pairs, at least
/// four; those after the kinks are [`FAR`].
#[inline(always)]
unsafe fn clamped_by<V: Lanes, const N: usize>(x: *const V, path: &Path, sums: *mut V) {
    // SAFETY: `PAD` words of `FAR` follow the kinks; the CPU has the instruction set.
    unsafe {
        let zero = V::splat(0);
        let mut sum = [[zero; 2]; N];
        let mut at = 0;
        loop {
            for (nth, pair) in path.kinks.add(at).cast::<[[u32; 2]; STEP / 2]>().read_unaligned().iter().enumerate() {
                let [begin, end] = [V::splat(pair[0]), V::splat(pair[1])];
                for (v, sum) in sum.iter_mut().enumerate() {
                    // A single vector has two chains.
                    let sum = &mut sum[if N == 1 { nth % 2 } else { 0 }];
                    *sum = sum.add((*x.add(v)).max(begin).min(end));
                }
            }
            at += STEP;
            if at >= path.line.count as usize {
                break;
            }
        }
        for (v, sum) in sum.iter().enumerate() {
            sums.add(v).write(if N == 1 { sum[0].add(sum[1]) } else { sum[0] });
        }
    }
}

/// [`clamped_by`] for the first `used` vectors.
#[inline(always)]
unsafe fn clamped<V: Lanes, const NV: usize>(x: &[V; NV], used: usize, path: &Path) -> [V; NV] {
    // SAFETY: as for `clamped_by`; vectors up to `NV` exist.
    unsafe {
        let mut sums = [V::splat(0); NV];
        let (from, to) = (x.as_ptr(), sums.as_mut_ptr());
        for v in (0..NV).step_by(WIDTH) {
            if v < used {
                let (from, to) = (from.add(v), to.add(v));
                match used - v {
                    1 => clamped_by::<V, 1>(from, path, to),
                    2 if NV >= v + 2 => clamped_by::<V, 2>(from, path, to),
                    3 if NV >= v + 3 => clamped_by::<V, 3>(from, path, to),
                    _ if NV >= v + WIDTH => clamped_by::<V, WIDTH>(from, path, to),
                    _ => {}
                }
            }
        }
        sums
    }
}

/// Kinks that [`clamped`] adds to those of a line.
#[inline(always)]
fn pads(count: usize) -> u32 {
    (count.max(1).next_multiple_of(STEP) - count) as u32
}

/// How far the windows of boundaries have come along a line.
#[derive(Clone, Copy)]
pub(super) struct Passed<V> {
    /// Kinks of pairs that end before the window.
    kinks: usize,
    /// The last boundary before the window, or 0.
    low: i32,
    /// Slices up to this boundary that are inside of pairs of kinks, in all lanes.
    inside: V,
}

impl<V: Lanes> Passed<V> {
    #[inline(always)]
    pub(super) unsafe fn new() -> Self {
        // SAFETY: the CPU has the instruction set.
        Passed { kinks: 0, low: 0, inside: unsafe { V::splat(0) } }
    }
}

/// The sum of `min(max(x, k0), k1) - k0` over the pairs of kinks of a line, for `NV` vectors of boundaries, of which
/// the last one is `high`. Windows before the last one are full.
#[inline(always)]
pub(super) unsafe fn windowed<V: Lanes, const NV: usize>(
    x: &[V; NV],
    high: i32,
    path: &Path,
    passed: &mut Passed<V>,
) -> [V; NV] {
    // SAFETY: `PAD` words of `FAR` follow the kinks; the CPU has the instruction set.
    unsafe {
        let (low, zero) = (V::splat(passed.low as u32), V::splat(0));
        let mut sums = [passed.inside; NV];
        loop {
            let kinks = path.kinks.add(passed.kinks);
            // Each pair that is added ends after `low`: there, its term is the greater one of `low` and its begin.
            let (mut before, mut count) = (zero, 0);
            for v in 0..NV {
                let kinks = V::load(kinks.add(v * V::LANES).cast());
                before = before.add(kinks.max(low));
                count += bits::<V>(kinks.exceeds(V::splat(high as u32))).count_ones() as usize;
            }
            let before = V::splat(V::select(V::lanes_of(0x5555), before, zero).sum());
            let count = NV * V::LANES - count;
            let mut added = [zero.sub(before); NV];
            for at in (0..NV * V::LANES).step_by(2) {
                let pair = kinks.add(at).cast::<[u32; 2]>().read_unaligned();
                let [begin, end] = [V::splat(pair[0]), V::splat(pair[1])];
                for v in 0..NV {
                    added[v] = added[v].add(x[v].max(begin).min(end));
                }
            }
            for v in 0..NV {
                sums[v] = sums[v].add(added[v]);
            }
            passed.kinks += count / 2 * 2;
            if count < NV * V::LANES {
                break;
            }
        }
        (passed.low, passed.inside) = (high, sums[NV - 1].last());
        sums
    }
}

/// The arithmetic of a kernel.
pub(super) trait Arithmetic<V: Lanes>: Value {
    /// Whether lines keep [`even`](super::Worldline::even).
    const HAS_EVEN: bool;

    /// The exponents of the `m` segments of a short line, in units of ln 2.
    unsafe fn exponents<const NV: usize>(
        run: &WorldlineRun,
        weights: Weights<Self>,
        x: &[V; NV],
        m: usize,
    ) -> [V::Floats; NV];

    /// Writes the sums at the `m` boundaries of a long line, and one more.
    unsafe fn write_sums<const NV: usize>(run: &WorldlineRun, weights: Weights<Self>, m: usize);

    /// The exponents of the segments of a vector from `k` on, in units of ln 2.
    unsafe fn exponents_at(run: &WorldlineRun, k: usize) -> V::Floats;
}

/// The exponent for a difference of 1, in units of ln 2. A product of 0 is never NaN.
#[inline(always)]
fn scale_of_integers(run: &WorldlineRun) -> f32 {
    (run.scale * LOG2_E).clamp(-1e30, 1e30) as f32
}

/// A line's own field times the slices up to each boundary.
#[inline(always)]
unsafe fn number_of_slices<V: Lanes>(x: V) -> V {
    // SAFETY: the CPU has the instruction set.
    unsafe { x.add(V::splat(1)) }
}

impl<V: Lanes> Arithmetic<V> for i32 {
    const HAS_EVEN: bool = false;

    #[inline(always)]
    unsafe fn exponents<const NV: usize>(
        run: &WorldlineRun,
        weights: Weights<i32>,
        x: &[V; NV],
        m: usize,
    ) -> [V::Floats; NV] {
        // SAFETY: the caller's line.
        unsafe {
            let used = m.div_ceil(V::LANES);
            let field = weights.fields.add(run.first).read_unaligned();
            let mut total = field.wrapping_mul(run.slices as i32);
            let own = V::splat(field as u32);
            let mut sums = *x;
            for sum in &mut sums {
                *sum = number_of_slices(*sum).mul(own);
            }
            for link in run.links(run.first) {
                let path = run.path(run.neighbour(link));
                let coupling = weights.couplings.add(link).read_unaligned();
                total = total.wrapping_add(coupling.wrapping_mul(path.line.magnetisation));
                // Sums lack a constant of each line, which differences do not contain.
                let factor = V::splat(coupling.wrapping_mul(path.line.spin) as u32);
                let clamped = clamped(x, used, &path);
                for v in 0..NV {
                    sums[v] = sums[v].add(x[v].sub(clamped[v].add(clamped[v])).mul(factor));
                }
            }
            let end = sums[0].first().add(V::splat(total as u32));
            let scale = V::Floats::splat(scale_of_integers(run));
            let mut exponents = [scale; NV];
            for v in 0..NV {
                let next = sums[v].next(sums[if v + 1 < NV { v + 1 } else { v }]);
                let last = ((1u64 << (m - 1)) >> (v * V::LANES)) as u32;
                let difference = V::select(V::lanes_of(last), end, next).sub(sums[v]);
                exponents[v] = V::Floats::from_integers(difference).mul(scale);
            }
            exponents
        }
    }

    #[inline(always)]
    unsafe fn write_sums<const NV: usize>(run: &WorldlineRun, weights: Weights<i32>, m: usize) {
        // SAFETY: the caller's line; there is room for the sums.
        unsafe {
            let sums = run.sums.cast::<u32>();
            let field = weights.fields.add(run.first).read_unaligned();
            let mut total = field.wrapping_mul(run.slices as i32);
            for k in (0..m).step_by(V::LANES) {
                number_of_slices(V::load(run.boundaries.add(k).cast())).mul(V::splat(field as u32)).store(sums.add(k));
            }
            for link in run.links(run.first) {
                let path = run.path(run.neighbour(link));
                let coupling = weights.couplings.add(link).read_unaligned();
                total = total.wrapping_add(coupling.wrapping_mul(path.line.magnetisation));
                let factor = V::splat(coupling.wrapping_mul(path.line.spin) as u32);
                for_each_window::<V, NV>(run, &path, m, |k, x, inside| {
                    for v in 0..NV {
                        let to = sums.add(k + v * V::LANES);
                        V::load(to).add(x[v].sub(inside[v].add(inside[v])).mul(factor)).store(to);
                    }
                });
            }
            sums.add(m).write_unaligned(sums.read_unaligned().wrapping_add(total as u32));
        }
    }

    #[inline(always)]
    unsafe fn exponents_at(run: &WorldlineRun, k: usize) -> V::Floats {
        // SAFETY: the caller's sums.
        unsafe {
            let sums = run.sums.cast::<u32>().add(k);
            let difference = V::load(sums.add(1)).sub(V::load(sums));
            V::Floats::from_integers(difference).mul(V::Floats::splat(scale_of_integers(run)))
        }
    }
}

/// Calls `visit` with each window of `NV` vectors of boundaries of a long line: its first boundary, the boundaries,
/// and the slices inside of pairs of kinks of another line.
#[inline(always)]
unsafe fn for_each_window<V: Lanes, const NV: usize>(
    run: &WorldlineRun,
    path: &Path,
    m: usize,
    mut visit: impl FnMut(usize, [V; NV], [V; NV]),
) {
    // SAFETY: the CPU has the instruction set.
    let mut passed = unsafe { Passed::new() };
    for k in (0..m).step_by(NV * V::LANES) {
        // SAFETY: `PAD` words follow the boundaries.
        unsafe {
            let boundary = |k: usize| run.boundaries.add(k).read_unaligned();
            let mut x = [V::splat(0); NV];
            for (v, x) in x.iter_mut().enumerate() {
                *x = V::load(run.boundaries.add(k + v * V::LANES).cast());
            }
            let inside = windowed(&x, boundary((k + NV * V::LANES).min(m) - 1), path, &mut passed);
            visit(k, x, inside);
        }
    }
}

/// Adds a coupling, with the sign of slice 0, times the prefix in units of this sign.
#[inline(always)]
unsafe fn add_product<V: Lanes>(sums: &mut [V::Doubles; 2], prefix: V, coupling: f64) {
    // SAFETY: the CPU has the instruction set.
    unsafe {
        let (prefix, coupling) = (prefix.widen(), V::Doubles::splat(coupling));
        *sums = [sums[0].add(prefix[0].mul(coupling)), sums[1].add(prefix[1].mul(coupling))];
    }
}

/// The exponents of the segments of a vector, given the sums.
#[inline(always)]
unsafe fn exponents_of<V: Lanes>(sums: *const f64, scale: f64) -> V::Floats {
    // SAFETY: the caller's sums.
    unsafe {
        let mut exponents = [V::Doubles::splat(scale); 2];
        for (half, exponents) in exponents.iter_mut().enumerate() {
            let sums = sums.add(half * V::Doubles::LANES);
            *exponents = V::Doubles::load(sums.add(1)).sub(V::Doubles::load(sums)).mul(*exponents);
        }
        V::narrow(exponents)
    }
}

impl<V: Lanes> Arithmetic<V> for f64 {
    const HAS_EVEN: bool = true;

    #[inline(always)]
    unsafe fn exponents<const NV: usize>(
        run: &WorldlineRun,
        weights: Weights<f64>,
        x: &[V; NV],
        m: usize,
    ) -> [V::Floats; NV] {
        // SAFETY: the caller's line.
        unsafe {
            let used = m.div_ceil(V::LANES);
            let field = weights.fields.add(run.first).read_unaligned();
            let mut total = field * f64::from(run.slices);
            let own = V::Doubles::splat(field);
            let mut sums = [[own; 2]; NV];
            for (sums, &x) in sums.iter_mut().zip(x) {
                let slices = number_of_slices(x).widen();
                *sums = [slices[0].mul(own), slices[1].mul(own)];
            }
            for link in run.links(run.first) {
                let path = run.path(run.neighbour(link));
                let coupling = weights.couplings.add(link).read_unaligned();
                total += coupling * f64::from(path.line.magnetisation);
                let clamped = clamped(x, used, &path);
                let pads = pads(path.line.count as usize);
                let begins = path.line.even.wrapping_add((pads / 2).wrapping_mul(FAR as u32));
                let constant = V::splat(begins.wrapping_mul(2).wrapping_add(1));
                let coupling = coupling * f64::from(path.line.spin);
                for v in 0..NV {
                    let prefix = x[v].sub(clamped[v].add(clamped[v])).add(constant);
                    add_product(&mut sums[v], prefix, coupling);
                }
            }
            let (end, scale) =
                (sums[0][0].first().add(V::Doubles::splat(total)), V::Doubles::splat(run.scale * LOG2_E));
            let mut exponents = [V::Floats::splat(0.0); NV];
            for v in 0..NV {
                let [low, high] = sums[v];
                let following = [high, sums[if v + 1 < NV { v + 1 } else { v }][0]];
                let last = ((1u64 << (m - 1)) >> (v * V::LANES)) as u32;
                let low = low.next(following[0]).with_end(last, end).sub(low).mul(scale);
                let high = high.next(following[1]).with_end(last >> V::Doubles::LANES, end).sub(high).mul(scale);
                exponents[v] = V::narrow([low, high]);
            }
            exponents
        }
    }

    #[inline(always)]
    unsafe fn write_sums<const NV: usize>(run: &WorldlineRun, weights: Weights<f64>, m: usize) {
        // SAFETY: the caller's line; there is room for the sums.
        unsafe {
            let field = weights.fields.add(run.first).read_unaligned();
            let mut total = field * f64::from(run.slices);
            let store = |k: usize, sums: [V::Doubles; 2]| {
                sums[0].store(run.sums.add(k));
                sums[1].store(run.sums.add(k + V::Doubles::LANES));
            };
            for k in (0..m).step_by(V::LANES) {
                let slices = number_of_slices(V::load(run.boundaries.add(k).cast())).widen();
                let field = V::Doubles::splat(field);
                store(k, [slices[0].mul(field), slices[1].mul(field)]);
            }
            for link in run.links(run.first) {
                let path = run.path(run.neighbour(link));
                let coupling = weights.couplings.add(link).read_unaligned();
                total += coupling * f64::from(path.line.magnetisation);
                let coupling = coupling * f64::from(path.line.spin);
                for_each_window::<V, NV>(run, &path, m, |k, x, inside| {
                    for v in 0..NV {
                        let k = k + v * V::LANES;
                        let prefix = number_of_slices(x[v]).sub(inside[v].add(inside[v]));
                        let load = |at: usize| V::Doubles::load(run.sums.add(at));
                        let mut sums = [load(k), load(k + V::Doubles::LANES)];
                        add_product(&mut sums, prefix, coupling);
                        store(k, sums);
                    }
                });
            }
            run.sums.add(m).write_unaligned(run.sums.read_unaligned() + total);
        }
    }

    #[inline(always)]
    unsafe fn exponents_at(run: &WorldlineRun, k: usize) -> V::Floats {
        // SAFETY: the caller's sums.
        unsafe { exponents_of::<V>(run.sums.add(k), run.scale * LOG2_E) }
    }
}
