//! Sums of floats that are exact in `f64`.

use super::contract::{BINNED_MAX, SPAN};
use super::exact_f32;
#[cfg(any(sse2, neon))]
use super::lanes::{first, for_each_half};
#[cfg(any(sse2, neon))]
use super::scalar::put_exact;
use super::scalar::{exponent_of, power};
#[cfg(any(sse2, neon))]
use crate::math::vector::{Int, MAX_LANES, Single, Wide};

/// The sum of `x` rounded once, if [`exact_f32()`] adds all of it. It is the order-independent sum:
/// the quantum is less than 2^-39 of the largest element, which is at most 2^(E - 23) as above, so
/// every element is a multiple of it and none is rounded.
pub(super) fn exact_sum(x: &[f32]) -> Option<f64> {
    let mut range = [f32::INFINITY, 0.0];
    if x.len() <= BINNED_MAX {
        return add(x, &mut range);
    }
    let (mut unit, mut total) = (0, 0);
    for block in x.chunks(BINNED_MAX) {
        let only_zeros = range[1] == 0.0;
        let sum = add(block, &mut range)?;
        // All elements, those to come too, are multiples of this unit, and their magnitudes are
        // below 2^56 units.
        if only_zeros {
            unit = exponent_of(range[1]) as i32 - 150 - SPAN as i32;
        }
        total += (sum * power(-unit)) as i128;
    }
    Some(total as f64 * power(unit))
}

fn add(block: &[f32], range: &mut [f32; 2]) -> Option<f64> {
    let mut sum = 0.0;
    // SAFETY: the elements of a slice of valid length, two floats, a double.
    (unsafe { exact_f32(block.as_ptr(), block.len(), range.as_mut_ptr(), &raw mut sum) } == 1).then_some(sum)
}

/// The smallest magnitudes other than 0, each less one unit in the last place, the largest
/// magnitudes, and the sums.
#[cfg(any(sse2, neon))]
struct Lanes<F, D> {
    least: [F; 2],
    largest: [F; 2],
    sums: [D; 4],
}

#[cfg(any(sse2, neon))]
impl<F: Single, D: Wide> Lanes<F, D> {
    /// Adds two vectors of elements. A zero less one unit in the last place is NaN, which no minimum
    /// takes.
    ///
    /// # Safety
    /// As for [`Vector`](crate::math::vector::Vector); `x` points to the elements.
    #[inline(always)]
    unsafe fn add(&mut self, x: *const f32, unit: F::Bits) {
        // SAFETY: the caller's contract.
        unsafe {
            for k in 0..2 {
                let x = F::load(x.add(k * F::LANES)).magnitude();
                self.least[k] = F::from_bits(x.bits().sub(unit)).min(self.least[k]);
                self.largest[k] = x.max(self.largest[k]);
            }
            for k in 0..4 {
                self.sums[k] = self.sums[k].add(D::widen(x.add(k * D::LANES)));
            }
        }
    }
}

/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[cfg(any(sse2, neon))]
#[inline(always)]
pub(super) unsafe fn exact<F: Single, D: Wide>(x: *const f32, n: usize, range: *mut f32, sum: *mut f64) -> u32 {
    let row = 2 * F::LANES;
    // SAFETY: the elements of `x`, or of a copy of the last ones filled up with zeros.
    unsafe {
        let unit = F::splat(f32::from_bits(1)).bits();
        let mut lanes = Lanes { least: [F::splat(f32::MAX); 2], largest: [F::splat(0.0); 2], sums: [D::splat(0.0); 4] };
        for i in 0..n / row {
            lanes.add(x.add(i * row), unit);
        }
        if !n.is_multiple_of(row) {
            let mut last = [0.0; 2 * MAX_LANES];
            for (i, last) in (n / row * row..n).zip(&mut last) {
                *last = x.add(i).read_unaligned();
            }
            lanes.add(last.as_ptr(), unit);
        }
        let (mut least, mut largest) = (lanes.least[0].min(lanes.least[1]), lanes.largest[0].max(lanes.largest[1]));
        for_each_half! { F, half => {
            least = least.min(least.upper(half));
            largest = largest.max(largest.upper(half));
        } }
        let [a, b, c, d] = lanes.sums;
        let mut total = a.add(b).add(c.add(d));
        for_each_half! { D, half => total = total.add(total.upper(half)) }
        let least = f32::from_bits(first(least).to_bits() + 1);
        put_exact([least, first(largest)], first(total), range, sum)
    }
}
