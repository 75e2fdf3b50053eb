//! Visits of lines, generic over the vectors of all instruction sets.

use super::contract::{DONE, FAR, NEEDS_BREAKS, PAD};
use super::fields::Arithmetic;
use super::lanes::{Lanes, bits, decide};
use super::scalar::{Path, Weights};
use super::{Worldline, WorldlineRun};

/// Boundaries of a line that is kept in registers.
const SHORT: usize = 4 * PAD;

/// Exports the sweeps of an instruction set, given its vector, the vectors of 8, 16, 32 and 64 boundaries, and
/// those of a window of a longer line.
macro_rules! export_worldline_sweeps {
    ($isa:ident $ints:ident $row:tt $window:literal) => {
        $crate::ising::worldline::update::export_worldline_sweeps! {
            $isa $ints $row $window worldline_sweep_i32 i32
        }
        $crate::ising::worldline::update::export_worldline_sweeps! {
            $isa $ints $row $window worldline_sweep_f64 f64
        }
    };
    ($isa:ident $ints:ident [$half:literal $a:literal $b:literal $c:literal] $window:literal $name:ident $value:ty) => {
        $isa! {
            pub(super) unsafe extern "C" fn $name(
                run: *mut $crate::ising::worldline::WorldlineRun,
                fields: *const $value,
                couplings: *const $value,
            ) -> u32 {
                use $crate::ising::worldline::update::{sweep, visit_more};

                // A function of its own: its constants would take registers from short lines.
                $isa! {
                    #[inline(never)]
                    unsafe fn long(
                        run: &$crate::ising::worldline::WorldlineRun,
                        weights: $crate::ising::worldline::scalar::Weights<$value>,
                        breaks: usize,
                        m: usize,
                    ) {
                        // SAFETY: the caller's contract.
                        unsafe { visit_more::<$ints, $value, $b, $c, $window>(run, weights, breaks, m) }
                    }
                }
                // SAFETY: the caller's contract; the copy is used in place of the original.
                unsafe {
                    let mut copy = run.read_unaligned();
                    let stop = sweep::<$ints, $value, $half, $a>(&mut copy, fields, couplings, long);
                    run.write_unaligned(copy);
                    stop
                }
            }
        }
    };
}
pub(super) use export_worldline_sweeps;

/// # Safety
/// As for [`super::worldline_sweep_i32()`]; 8 and 16 boundaries are `H` and `A` vectors, and `long` visits a line of
/// more.
#[inline(always)]
pub(super) unsafe fn sweep<V: Lanes, T: Arithmetic<V>, const H: usize, const A: usize>(
    run: &mut WorldlineRun,
    fields: *const T,
    couplings: *const T,
    long: unsafe fn(&WorldlineRun, Weights<T>, usize, usize),
) -> u32 {
    let weights = Weights { fields, couplings };
    while run.count > 0 {
        // SAFETY: the caller's arrays.
        unsafe {
            if run.break_at >= run.break_count {
                return NEEDS_BREAKS;
            }
            let breaks = count_breaks::<V>(run);
            let kinks = run.lines.add(run.first).cast::<u32>().read_unaligned() as usize;
            let m = match run.needs(kinks, breaks) {
                Ok(m) => m,
                Err(stop) => return stop,
            };
            match m {
                0..=8 if H < A => visit::<V, T, H>(run, weights, breaks, m),
                0..=16 => visit::<V, T, A>(run, weights, breaks, m),
                _ => long(run, weights, breaks, m),
            }
            run.advance(breaks, m);
        }
    }
    DONE
}

/// Visits a line of more than 16 boundaries. 32 and 64 boundaries are `B` and `C` vectors, a window of a longer line
/// is `W`.
#[inline(always)]
pub(super) unsafe fn visit_more<V: Lanes, T: Arithmetic<V>, const B: usize, const C: usize, const W: usize>(
    run: &WorldlineRun,
    weights: Weights<T>,
    breaks: usize,
    m: usize,
) {
    // SAFETY: the caller's line.
    unsafe {
        match m {
            0..=32 => visit::<V, T, B>(run, weights, breaks, m),
            33..=SHORT => visit::<V, T, C>(run, weights, breaks, m),
            _ => visit_long::<V, T, W>(run, weights, breaks, m),
        }
    }
}

/// The number of breaks inside of the line `first`.
#[inline(always)]
unsafe fn count_breaks<V: Lanes>(run: &WorldlineRun) -> usize {
    // SAFETY: `PAD` words behind the line follow the breaks.
    unsafe {
        let (base, slices) = (V::splat(run.base), V::splat(run.slices));
        let mut count = 0;
        loop {
            let positions = V::load(run.breaks.add(run.break_at + count)).sub(base);
            let inside = bits::<V>(slices.exceeds(positions)).trailing_ones() as usize;
            count += inside;
            if inside < V::LANES || run.break_at + count >= run.break_count {
                return count;
            }
        }
    }
}

/// Merges kinks and breaks of the line `first`, which are a bitonic sequence.
#[inline(always)]
unsafe fn merge<V: Lanes, const NV: usize>(run: &WorldlineRun, path: Path, breaks: usize) -> [V; NV] {
    // SAFETY: `PAD` words follow the breaks and the kinks.
    unsafe {
        let (base, slices, far) = (V::splat(run.base), V::splat(run.slices), V::splat(FAR as u32));
        let mut x = [far; NV];
        for v in 0..NV {
            if NV * V::LANES <= PAD || v * V::LANES < breaks {
                let positions = V::load(run.breaks.add(run.break_at + v * V::LANES)).sub(base);
                x[NV - 1 - v] = V::select(slices.exceeds(positions), positions, far).reverse();
            }
        }
        for (v, x) in x.iter_mut().enumerate() {
            if NV * V::LANES <= PAD || v * V::LANES < path.line.count as usize {
                *x = x.min(V::load(path.kinks.add(v * V::LANES).cast()));
            }
        }
        let mut distance = NV / 2;
        while distance > 0 {
            for v in 0..NV {
                if v & distance == 0 {
                    (x[v], x[v + distance]) = (x[v].min(x[v + distance]), x[v].max(x[v + distance]));
                }
            }
            distance /= 2;
        }
        for x in &mut x {
            *x = x.merge();
        }
        if path.line.count as usize + breaks == 0 {
            let mut only = [FAR as u32; PAD];
            only[0] = run.slices - 1;
            x[0] = V::load(only.as_ptr());
        }
        x
    }
}

/// Merges kinks and breaks of a line of any length, and writes `PAD` words of `FAR` after them.
///
/// A vector holds the greatest boundaries that were read. Each step adds a vector of kinks or of breaks, those whose
/// first one is less, and writes the lower half of all of them.
#[inline(always)]
unsafe fn merge_long<V: Lanes>(run: &WorldlineRun, path: Path, breaks: usize) {
    // SAFETY: `PAD` words follow the breaks and the kinks; `2 PAD` words more than the room are boundaries.
    unsafe {
        let (slices, far) = (V::splat(run.slices), V::splat(FAR as u32));
        let (kinks, positions) = (path.kinks.cast::<u32>(), run.breaks.add(run.break_at));
        let count = path.line.count as usize;
        let m = count + breaks;
        let mut upper = V::load(kinks);
        let (mut kink, mut at) = (V::LANES.min(count), 0);
        for k in (0..m).step_by(V::LANES) {
            // The words after the kinks, and the break behind the line, exceed every boundary.
            let position = positions.add(at).read_unaligned().wrapping_sub(run.base);
            let is_kink = kinks.add(kink).read_unaligned() <= position;
            let (from, base) = if is_kink { (kinks.add(kink), 0) } else { (positions.add(at), run.base) };
            let x = V::load(from).sub(V::splat(base));
            let x = V::select(slices.exceeds(x), x, far).reverse();
            let lower = upper.min(x).merge();
            upper = upper.max(x).merge();
            lower.store(run.boundaries.add(k).cast());
            kink = (kink + if is_kink { V::LANES } else { 0 }).min(count);
            at = (at + if is_kink { 0 } else { V::LANES }).min(breaks);
        }
        for k in (0..PAD).step_by(V::LANES) {
            far.store(run.boundaries.add(m + k).cast());
        }
    }
}

/// Visits a line of up to `NV` vectors of boundaries.
#[inline(always)]
unsafe fn visit<V: Lanes, T: Arithmetic<V>, const NV: usize>(
    run: &WorldlineRun,
    weights: Weights<T>,
    breaks: usize,
    m: usize,
) {
    // SAFETY: the caller's line.
    unsafe {
        let path = run.path(run.first);
        let x = merge::<V, NV>(run, path, breaks);
        let exponents = T::exponents(run, weights, &x, m);
        let random = run.random.add(run.random_at);
        let (mut up, mut doubt, mut empty) = (0u64, 0u64, 0u64);
        let far = V::splat(FAR as u32);
        for v in 0..NV {
            let at = v * V::LANES;
            if at >= m {
                break;
            }
            let next = x[v].next(if v + 1 < NV { x[v + 1] } else { far });
            empty |= u64::from(bits::<V>(next.equals(x[v]))) << at;
            let (ups, doubts) = decide::<V>(exponents[v], random.add(at));
            up |= u64::from(ups) << at;
            doubt |= u64::from(doubts) << at;
        }
        let (all, last) = (u64::MAX >> (SHORT - m), 1u64 << (m - 1));
        doubt &= all;
        if doubt != 0 {
            up = resolve::<V, T, NV>(run, weights, &x, m, up, doubt);
        }
        empty &= all & !last;
        up &= all;
        let before = |up: u64| up << 1 | up >> (m - 1);
        up = up & !empty | before(up) & empty;
        let kinks = (up ^ before(up)) & all;
        let is_up = up & last != 0;
        // The kinks at which the line leaves the spin of slice 0.
        let even = kinks & if is_up { !up } else { up };
        let mut writer = Writer::<V>::new(run, is_up);
        for (v, &x) in x.iter().enumerate() {
            let at = v * V::LANES;
            if at >= m {
                break;
            }
            writer.add::<T>(x, (kinks >> at) as u32 & lane_bits::<V>(), (even >> at) as u32 & lane_bits::<V>());
        }
        writer.finish::<T>();
    }
}

#[inline(always)]
fn lane_bits<V: Lanes>() -> u32 {
    (1 << V::LANES) - 1
}

/// Decides the segments in doubt exactly.
#[cold]
#[inline(never)]
unsafe fn resolve<V: Lanes, T: Arithmetic<V>, const NV: usize>(
    run: &WorldlineRun,
    weights: Weights<T>,
    x: &[V; NV],
    m: usize,
    mut up: u64,
    mut doubt: u64,
) -> u64 {
    let mut boundaries = [0i32; SHORT];
    // SAFETY: the caller's line.
    unsafe {
        // Vectors are bits in memory.
        boundaries.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(x.as_ptr().cast(), size_of_val(x));
        while doubt != 0 {
            let k = doubt.trailing_zeros() as usize;
            doubt &= doubt - 1;
            let is_up = run.decide(weights, run.first, boundaries.as_ptr(), m, k);
            up = up & !(1 << k) | u64::from(is_up) << k;
        }
    }
    up
}

/// Writes the kinks of a line.
struct Writer<'a, V: Lanes> {
    run: &'a WorldlineRun,
    is_up: bool,
    count: usize,
    /// Sums of the kinks 0, 2 .. and of the others.
    sums: [V; 2],
}

impl<'a, V: Lanes> Writer<'a, V> {
    #[inline(always)]
    unsafe fn new(run: &'a WorldlineRun, is_up: bool) -> Self {
        // SAFETY: the CPU has the instruction set.
        Writer { run, is_up, count: 0, sums: unsafe { [V::splat(0); 2] } }
    }

    #[inline(always)]
    unsafe fn row(&self) -> *mut u32 {
        // SAFETY: the caller's line.
        unsafe { self.run.kinks.add(self.run.stride * self.run.first).cast() }
    }

    /// Adds the kinks of a vector, of which some are `even`.
    #[inline(always)]
    unsafe fn add<T: Arithmetic<V>>(&mut self, x: V, kinks: u32, even: u32) {
        // SAFETY: the caller's line; the CPU has the instruction set.
        unsafe {
            x.compress(kinks, self.row().add(self.count));
            self.count += kinks.count_ones() as usize;
            let zero = V::splat(0);
            let kept = |bits: u32| V::select(V::lanes_of(bits), x, zero);
            let [evens, odds] = self.sums;
            self.sums = match T::HAS_EVEN {
                true => [evens.add(kept(even)), odds.add(kept(kinks & !even))],
                false => [evens, odds.add(kept(kinks & !even)).sub(kept(even))],
            };
        }
    }

    #[inline(always)]
    unsafe fn finish<T: Arithmetic<V>>(self) {
        // SAFETY: the caller's line has room.
        unsafe {
            let far = V::splat(FAR as u32);
            for k in (0..PAD).step_by(V::LANES) {
                far.store(self.row().add(self.count + k));
            }
            let run = self.run;
            let line = run.lines.add(run.first);
            let mut even = line.cast::<u32>().add(3).read_unaligned();
            let mut inside = self.sums[1].sum();
            if T::HAS_EVEN {
                even = self.sums[0].sum();
                inside = inside.wrapping_sub(even);
            }
            let magnetisation = run.slices.wrapping_sub(inside.wrapping_mul(2)) as i32;
            let spin = if self.is_up { 1 } else { -1 };
            line.write_unaligned(Worldline {
                count: self.count as u32,
                spin,
                magnetisation: spin * magnetisation,
                even,
            });
        }
    }
}

/// Decides the segments of a vector of a long line, of which `count` exist.
#[inline(always)]
unsafe fn decide_at<V: Lanes, T: Arithmetic<V>>(
    run: &WorldlineRun,
    weights: Weights<T>,
    m: usize,
    k: usize,
    count: usize,
) -> u32 {
    // SAFETY: the caller's line.
    unsafe {
        let all = u32::MAX >> (32 - count);
        let (up, doubt) = decide::<V>(T::exponents_at(run, k), run.random.add(run.random_at + k));
        let (mut up, mut doubt) = (up & all, doubt & all);
        while doubt != 0 {
            let lane = doubt.trailing_zeros();
            doubt &= doubt - 1;
            let is_up = run.decide(weights, run.first, run.boundaries, m, k + lane as usize);
            up = up & !(1 << lane) | u32::from(is_up) << lane;
        }
        up
    }
}

/// Visits a line of any length.
#[inline(always)]
unsafe fn visit_long<V: Lanes, T: Arithmetic<V>, const NV: usize>(
    run: &WorldlineRun,
    weights: Weights<T>,
    breaks: usize,
    m: usize,
) {
    // SAFETY: the caller's line.
    unsafe {
        merge_long::<V>(run, run.path(run.first), breaks);
        T::write_sums::<NV>(run, weights, m);
        let last = (m - 1) % V::LANES;
        let is_up = decide_at::<V, T>(run, weights, m, m - 1 - last, last + 1) >> last & 1 != 0;
        let mut writer = Writer::<V>::new(run, is_up);
        let mut before = u32::from(is_up);
        for k in (0..m).step_by(V::LANES) {
            let count = V::LANES.min(m - k);
            let mut up = decide_at::<V, T>(run, weights, m, k, count);
            let x = V::load(run.boundaries.add(k).cast());
            let next = V::load(run.boundaries.add(k + 1).cast());
            let empty = bits::<V>(next.equals(x)) & (u32::MAX >> (32 - count));
            let empty = if k + count == m { empty & !(1 << (count - 1)) } else { empty };
            up = up & !empty | (up << 1 | before) & empty;
            let kinks = (up ^ (up << 1 | before)) & (u32::MAX >> (32 - count));
            before = up >> (count - 1) & 1;
            writer.add::<T>(x, kinks, kinks & if is_up { !up } else { up });
        }
        writer.finish::<T>();
    }
}
