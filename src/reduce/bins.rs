//! The binned sum, written once for the vectors of doubles of all instruction sets.

use super::scalar::{self, BINNED_MAX, COARSE, power};
use crate::float::Float;
use crate::vector::{BELOW_ONE, Wide};

/// An element type; its elements are added as `f64`.
pub(super) trait Input: Float + Into<f64> {
    /// # Safety
    /// As for [`Vector`](crate::vector::Vector).
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

/// Adds whole rows to the integers of [`binned()`] and returns the upper 16 bits of the largest
/// magnitudes.
///
/// A number is added to a double so large that its last place is the quantum. The double then
/// changes by the nearest multiple of the quantum, and its bits change by the integer. The exponent
/// of the double stays the same: a lane adds at most 2^11 integers of magnitude at most 2^39, and
/// it has room for 2^51 in either direction.
///
/// # Safety
/// As for [`Vector`](crate::vector::Vector); `x` points to `rows` rows of `L` numbers.
#[inline(always)]
unsafe fn bins<V: Wide, T: Input, const L: usize>(
    x: *const T,
    rows: usize,
    first: [f64; 2],
    integers: &mut [i64; 2],
) -> V {
    // SAFETY: the caller's contract.
    unsafe {
        let below = V::splat(BELOW_ONE);
        let mut coarse = [V::splat(first[0]); BINS];
        let mut fine = [V::splat(first[1]); BINS];
        let mut highest = V::splat(0.0);
        for row in 0..rows {
            for k in (0..BINS).step_by(2) {
                let x = x.add(row * L + k * V::LANES);
                let x: [V; 2] = [T::load(x), T::load(x.add(V::LANES))];
                for j in 0..2 {
                    let next = x[j].nearest(coarse[k + j], below);
                    let left = x[j].sub(next.sub(coarse[k + j]));
                    coarse[k + j] = next;
                    fine[k + j] = left.nearest(fine[k + j], below);
                }
                highest = x[0].highest(x[1], highest);
            }
        }
        for (integer, (vectors, first)) in integers.iter_mut().zip([coarse, fine].iter().zip(first)) {
            let mut lanes = [0.0; L];
            for (vector, lanes) in vectors.iter().zip(lanes.chunks_exact_mut(V::LANES)) {
                vector.store(lanes.as_mut_ptr());
            }
            for lane in lanes {
                *integer = integer.wrapping_add(lane.to_bits().wrapping_sub(first.to_bits()) as i64);
            }
        }
        highest
    }
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
    let mut integers = [0; 2];
    let mut highest = [[0.0; L]; 2];
    // SAFETY: whole rows are within the n numbers, and the tail is copied from them.
    unsafe {
        bins::<V, T, L>(x, n / L, first, &mut integers).store(highest[0].as_mut_ptr());
        if !n.is_multiple_of(L) {
            let mut last = [T::ZERO; L];
            for (i, last) in (n / L * L..n).zip(&mut last) {
                *last = x.add(i).read_unaligned();
            }
            bins::<V, T, L>(last.as_ptr(), 1, first, &mut integers).store(highest[1].as_mut_ptr());
        }
    }
    // The limit is a power of two and normal, so comparing the upper bits suffices.
    let limit = power(exponent + 2 * COARSE - 1).to_bits() >> 48;
    let outside = |x: &f64| x.to_bits() >> 48 >= limit || x.to_bits() >> 16 & 0xffff >= limit;
    if highest.as_flattened().iter().any(outside) {
        return 0;
    }
    for (s, integer) in integers.iter().enumerate() {
        // SAFETY: two sums.
        unsafe { sums.add(s).write_unaligned(sums.add(s).read_unaligned().wrapping_add(*integer)) };
    }
    1
}
