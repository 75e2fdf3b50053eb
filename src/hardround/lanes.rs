//! The kernel `rows`, generic over vectors, and the macro that exports all kernels of an
//! instruction set.

use super::{Cell, MAX_DOMAINS};
use crate::vector::{Fractional, Int, Mask, Product, Single};

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

impl<U: Product> Quantity<U> {
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

    /// 1 plus the fractions of these domains; moves on to the next ones.
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
/// That of the kernel; the CPU has the instruction set.
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

/// Exports the kernels of an instruction set. Arguments: for `rows`, its vector of floats; for the
/// tests, its vector of doubles, their division and the vectors of a block; for `exhaust`, its
/// vector of halves, the words of a vector, and the arguments, anchors and minima of a step.
macro_rules! export_searches {
    ($isa:ident rows $floats:ty; $($test:ident)+: $doubles:ty, $divide:ty, $blocks:literal;
     exhaust $halves:ty, $lanes:literal, $length:literal, $anchors:literal, $minima:literal) => {
        $isa! {
            pub(super) unsafe extern "C" fn rows(cells: *const super::Cell, count: usize, hits: *mut u64) {
                // SAFETY: the caller's contract, here and below.
                unsafe { lanes::rows::<$floats>(cells, count, hits) }
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
            pub(super) unsafe extern "C" fn $test(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8) {
                const DOMAINS: usize = $blocks * <$doubles as crate::vector::Vector>::LANES;
                // SAFETY: the contract of the kernel; whole blocks.
                unsafe {
                    gaps::blocks::<DOMAINS>(|a, b, n, w| gaps::$test::<$doubles, $divide, $blocks>(a, b, n, w), a, b, count, n, w, bits)
                }
            }
        }
    };
}
pub(super) use export_searches;
