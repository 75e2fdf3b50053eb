//! Prefix sums of the spins of a line at the boundaries of another one, and overlaps of lines.

use super::Worldline;
use super::contract::PAD;
use super::lanes::{Lanes, bits};
use super::scalar::Path;

/// Kinks of an iteration of [`clamped`].
const STEP: usize = 4;

/// Vectors of an iteration of [`clamped`].
const WIDTH: usize = 4;

/// The sum of `min(max(x, k0), k1)` over the pairs of kinks of a line, rounded up to a multiple of two pairs, at least
/// two; those after the kinks are [`FAR`].
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
                    let x = *x.add(v);
                    *sum = sum.add(if N == 1 { x.max(begin).min(end) } else { x.clamp(begin, end) });
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
pub(super) unsafe fn clamped<V: Lanes, const NV: usize>(x: &[V; NV], used: usize, path: &Path) -> [V; NV] {
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

/// Whether a vector after the `used` ones is skipped. With eight lanes or more, few are unused, and the branches cost
/// more than their operations.
#[inline(always)]
pub(super) fn is_unused<V: Lanes>(v: usize, used: usize) -> bool {
    V::LANES < 8 && v >= used
}

/// Kinks that [`clamped`] adds to those of a line.
#[inline(always)]
pub(super) fn pads(count: usize) -> u32 {
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
    pub unsafe fn new() -> Self {
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
                    added[v] = added[v].add(x[v].clamp(begin, end));
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

/// # Safety
/// As for [`super::worldline_overlaps()`].
#[inline(always)]
pub(super) unsafe fn overlaps<V: Lanes, const NV: usize>(
    lines: *const Worldline,
    kinks: *const i32,
    stride: usize,
    row: usize,
    others: *const u32,
    n: usize,
    overlaps: *mut i32,
) {
    // SAFETY: the caller's lines; `PAD` words of `FAR` follow the kinks.
    unsafe {
        let own = Path::new(lines, kinks, stride, row);
        let count = own.line.count as usize;
        for at in 0..n {
            let other = Path::new(lines, kinks, stride, others.add(at).read_unaligned() as usize);
            let mut passed = Passed::new();
            let mut sums = V::splat(0);
            for k in (0..count).step_by(NV * V::LANES) {
                let mut x = [V::splat(0); NV];
                for (v, x) in x.iter_mut().enumerate() {
                    *x = V::load(own.kinks.add(k + v * V::LANES).cast());
                }
                let mut inside = x;
                if count <= NV * V::LANES {
                    // It lacks a constant, which cancels in pairs.
                    clamped_by::<V, NV>(x.as_ptr(), &other, inside.as_mut_ptr());
                } else {
                    let last = own.kinks.add((k + NV * V::LANES).min(count) - 1).read_unaligned();
                    inside = windowed(&x, last, &other, &mut passed);
                }
                for v in 0..NV {
                    sums = sums.add(x[v].sub(inside[v].add(inside[v])));
                }
            }
            // The lanes after the kinks cancel in pairs.
            let mut lanes = [0u32; PAD];
            sums.store(lanes.as_mut_ptr());
            let pairs = lanes.chunks_exact(2).map(|pair| pair[0].wrapping_sub(pair[1]));
            let alternating = pairs.fold(0, u32::wrapping_add).wrapping_mul(2) as i32;
            let Worldline { spin, magnetisation, .. } = other.line;
            let overlap = magnetisation.wrapping_add(spin.wrapping_mul(alternating)).wrapping_mul(own.line.spin);
            overlaps.add(at).write_unaligned(overlap);
        }
    }
}
