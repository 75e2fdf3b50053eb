//! The binned sum, written once for the vectors of doubles of all instruction sets.

use super::contract::{BINNED_MAX, COARSE};
use super::scalar::{self, power};
use crate::math::float::Float;
use crate::math::vector::{BELOW_ONE, MAX_LANES, Wide, Words};

/// An element type; its elements are added as `f64`.
pub(super) trait Input: Float + Into<f64> {
    /// # Safety
    /// As for [`Vector`](crate::math::vector::Vector).
    unsafe fn load<V: Wide>(from: *const Self) -> V;
}

impl Input for f32 {
    #[inline(always)]
    unsafe fn load<V: Wide>(from: *const f32) -> V {
        // SAFETY: the caller's contract.
        unsafe { V::widen(from) }
    }
}

impl Input for f64 {
    #[inline(always)]
    unsafe fn load<V: Wide>(from: *const f64) -> V {
        // SAFETY: the caller's contract: a vector is readable.
        unsafe { V::load(from) }
    }
}

/// Number of vectors of lanes in [`binned`].
const BINS: usize = 4;

/// The lanes of a binned sum.
///
/// A number is added to a double so large that its last place is the quantum. The double then
/// changes by the nearest multiple of the quantum, and its bits change by the integer. The exponent
/// of the double stays the same: a lane adds at most 2^11 integers of magnitude at most 2^39, and
/// it has room for 2^51 in either direction.
struct Bins<V> {
    coarse: [V; BINS],
    fine: [V; BINS],
    /// The upper 16 bits of the largest magnitudes.
    highest: V,
}

impl<V: Wide> Bins<V> {
    /// Adds a number to each lane.
    ///
    /// # Safety
    /// As for [`Vector`](crate::math::vector::Vector); `x` points to `BINS` vectors of numbers.
    #[inline(always)]
    unsafe fn add<T: Input>(&mut self, x: *const T) {
        // SAFETY: the caller's contract.
        unsafe {
            let below = V::splat(BELOW_ONE);
            for k in (0..BINS).step_by(2) {
                let x = x.add(k * V::LANES);
                let x: [V; 2] = [T::load(x), T::load(x.add(V::LANES))];
                for (j, x) in x.into_iter().enumerate() {
                    let next = x.nearest(self.coarse[k + j], below);
                    let left = x.sub(next.sub(self.coarse[k + j]));
                    self.coarse[k + j] = next;
                    self.fine[k + j] = left.nearest(self.fine[k + j], below);
                }
                self.highest = x[0].highest(x[1], self.highest);
            }
        }
    }
}

/// The sum of the integers of lanes that started at `first`.
///
/// # Safety
/// As for [`Vector`](crate::math::vector::Vector).
#[inline(always)]
unsafe fn integers<V: Wide>(lanes: [V; BINS], first: f64) -> i64 {
    let mut sums = [0; MAX_LANES];
    // SAFETY: the caller's contract; no vector is longer.
    unsafe {
        let [a, b, c, d] = lanes;
        a.bits().add(b.bits()).add(c.bits().add(d.bits())).store(sums.as_mut_ptr());
    }
    let all = sums[..V::LANES].iter().fold(0u64, |all, &sum| all.wrapping_add(sum));
    all.wrapping_sub(first.to_bits().wrapping_mul((BINS * V::LANES) as u64)) as i64
}

/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn binned<V: Wide, T: Input, const L: usize>(
    x: *const T,
    n: usize,
    exponent: i32,
    sums: *mut i64,
) -> u32 {
    const { assert!(L == BINS * V::LANES && BINNED_MAX / L < 1 << 11) };
    if V::MIN_LAST_PLACE > -1074 && exponent < V::MIN_LAST_PLACE {
        // SAFETY: i < n, and the caller's contract.
        return unsafe { scalar::binned(n, exponent, |i| x.add(i).read_unaligned().into(), sums) };
    }
    let first = [exponent + COARSE, exponent].map(|exponent| 1.5 * power(exponent + 52));
    let mut highest = [0.0; MAX_LANES];
    // SAFETY: whole rows are within the n numbers, and the tail is copied from them; two sums.
    unsafe {
        let mut bins =
            Bins { coarse: [V::splat(first[0]); BINS], fine: [V::splat(first[1]); BINS], highest: V::splat(0.0) };
        for row in 0..n / L {
            bins.add(x.add(row * L));
        }
        if !n.is_multiple_of(L) {
            let mut last = [T::ZERO; L];
            for (i, last) in (n / L * L..n).zip(&mut last) {
                *last = x.add(i).read_unaligned();
            }
            bins.add(last.as_ptr());
        }
        bins.highest.store(highest.as_mut_ptr());
        // The limit is a power of two and normal, so comparing the upper bits suffices.
        let limit = power(exponent + 2 * COARSE - 1).to_bits() >> 48;
        let outside = |x: &f64| x.to_bits() >> 48 >= limit || x.to_bits() >> 16 & 0xffff >= limit;
        if highest[..V::LANES].iter().any(outside) {
            return 0;
        }
        for (s, integer) in [integers(bins.coarse, first[0]), integers(bins.fine, first[1])].into_iter().enumerate() {
            sums.add(s).write_unaligned(sums.add(s).read_unaligned().wrapping_add(integer));
        }
    }
    1
}
