//! The index of the largest magnitude.

use super::lanes::Lanes;
use crate::math::float::Float;

/// Vectors that are compared at a time.
const BLOCK: usize = 4;

/// The index of the first NaN or else of the first maximum of `n` elements of `P` parts. Blocks
/// without a larger magnitude and without a NaN need one comparison for each vector. The last block
/// overlaps the one before it: what it repeats is not larger.
///
/// # Safety
/// `x` has `P n` parts, and the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn amax<V: Lanes, const P: usize>(x: *const V::Element, n: usize) -> usize {
    let block = const { BLOCK * V::LANES };
    let mut best = Best { index: 0, size: -V::Element::ONE };
    let len = P * n;
    // SAFETY: the caller's contract.
    unsafe {
        if len < block {
            best.scan::<P>(x, 0, n);
            return best.index;
        }
        let mut above = V::splat(V::Element::ZERO);
        let mut i = 0;
        while i < len {
            i = i.min(len - block);
            let mut sizes = [above; BLOCK];
            let mut all = V::less(sizes_at::<V, P>(x.add(i)), above);
            for (v, size) in sizes.iter_mut().enumerate() {
                *size = sizes_at::<V, P>(x.add(i + v * V::LANES));
                all = V::both(all, size.less(above));
            }
            if !V::is_full(all) {
                for (v, size) in sizes.into_iter().enumerate() {
                    if V::is_full(size.less(above)) {
                        continue;
                    }
                    let first = (i + v * V::LANES) / P;
                    if best.scan::<P>(x, first, first + V::LANES / P) {
                        return best.index;
                    }
                    above = V::splat(V::next_above(best.size));
                }
            }
            i += block;
        }
    }
    best.index
}

/// The magnitudes of a vector; those of pairs are there twice.
///
/// # Safety
/// As for [`amax`].
#[inline(always)]
unsafe fn sizes_at<V: Lanes, const P: usize>(x: *const V::Element) -> V {
    // SAFETY: the caller's contract.
    unsafe {
        let sizes = V::load(x).magnitude();
        if P == 1 { sizes } else { sizes.add(sizes.swap_pairs()) }
    }
}

/// The largest magnitude so far.
struct Best<T> {
    index: usize,
    size: T,
}

impl<T: Float> Best<T> {
    /// Takes elements `begin` to `end` into account. Stops and returns true at a NaN.
    ///
    /// # Safety
    /// The elements are readable.
    #[inline(always)]
    unsafe fn scan<const P: usize>(&mut self, x: *const T, begin: usize, end: usize) -> bool {
        for i in begin..end {
            // SAFETY: the caller's contract.
            let part = |p| unsafe { x.add(P * i + p).read_unaligned() }.magnitude();
            let size = if P == 1 { part(0) } else { part(0) + part(1) };
            if size > self.size {
                *self = Best { index: i, size };
            } else if size.partial_cmp(&size).is_none() {
                self.index = i;
                return true;
            }
        }
        false
    }
}
