//! Sums of fields and interactions at the boundaries of a line, and the exponents of its segments.

use core::f64::consts::LOG2_E;

use super::WorldlineRun;
use super::contract::FAR;
use super::lanes::{Lanes, Logarithm};
use super::prefix::{Passed, clamped, is_unused, pads, windowed};
use super::scalar::{Path, Value, Weights};
use crate::math::vector::{Single, Vector};

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

/// The number of slices up to each boundary.
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
                    if is_unused::<V>(v, used) {
                        break;
                    }
                    sums[v] = sums[v].add(x[v].sub(clamped[v].add(clamped[v])).mul(factor));
                }
            }
            let end = sums[0].first().add(V::splat(total as u32));
            let scale = V::Floats::splat(scale_of_integers(run));
            let mut exponents = [scale; NV];
            for v in 0..NV {
                if is_unused::<V>(v, used) {
                    break;
                }
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
                    if is_unused::<V>(v, used) {
                        break;
                    }
                    let prefix = x[v].sub(clamped[v].add(clamped[v])).add(constant);
                    add_product(&mut sums[v], prefix, coupling);
                }
            }
            let (end, scale) =
                (sums[0][0].first().add(V::Doubles::splat(total)), V::Doubles::splat(run.scale * LOG2_E));
            let mut exponents = [V::Floats::splat(0.0); NV];
            for v in 0..NV {
                if is_unused::<V>(v, used) {
                    break;
                }
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
