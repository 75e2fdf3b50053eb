//! Reads blades of multivectors as vectors, and writes them.

use super::super::super::multiply::lanes::{TOGETHER, Transpose, load, store, store_two};
use crate::math::float::Float;
use crate::math::vector::MAX_LANES;

/// Multivectors of 2 blades: each blade as a vector.
///
/// # Safety
/// As for [`read()`].
#[inline(always)]
unsafe fn read_pairs<V: Transpose>(from: *const V::Element, inner: usize) -> [V; 2] {
    // SAFETY: the caller's contract.
    unsafe {
        if V::IN_PART == 2 {
            let (a, b) = (V::load_parts(from, inner), V::load_parts(from.add(inner), inner));
            return [a.low(b), a.high(b)];
        }
        let mut pairs = [V::Element::ZERO; 2 * MAX_LANES];
        let mut adjacent = from;
        if inner != 2 {
            for i in 0..V::LANES {
                let pair = from.add(i * inner).cast::<[V::Element; 2]>().read_unaligned();
                pairs.as_mut_ptr().add(2 * i).cast::<[V::Element; 2]>().write_unaligned(pair);
            }
            adjacent = pairs.as_ptr();
        }
        let (a, b) = (V::load_parts(adjacent, 2), V::load_parts(adjacent.add(V::IN_PART), 2));
        let (low, high) = (a.low(b), a.high(b));
        [low.low(high), low.high(high)]
    }
}

/// The inverse of [`read_pairs()`].
///
/// # Safety
/// As for [`read()`].
#[inline(always)]
unsafe fn write_pairs<V: Transpose>([first, second]: [V; 2], to: *mut V::Element, inner: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        let (low, high) = (first.low(second), first.high(second));
        if V::IN_PART == 2 {
            low.store_parts(to, inner);
            high.store_parts(to.add(inner), inner);
        } else if inner == 2 {
            low.store_pairs(high, to, 2);
        } else {
            let mut pairs = [V::Element::ZERO; 2 * MAX_LANES];
            low.store_pairs(high, pairs.as_mut_ptr(), 2);
            for i in 0..V::LANES {
                let pair = pairs.as_ptr().add(2 * i).cast::<[V::Element; 2]>().read_unaligned();
                to.add(i * inner).cast::<[V::Element; 2]>().write_unaligned(pair);
            }
        }
    }
}

/// Blades of multivectors, `inner` numbers apart, as vectors: those of blade p go to `to + p * G`.
///
/// # Safety
/// The multivectors are readable, there are vectors for all blades; as for [`Transpose`].
#[inline(always)]
pub(super) unsafe fn read<V: Transpose, const G: usize>(
    blades: usize,
    from: *const V::Element,
    inner: usize,
    to: *mut V,
) {
    // SAFETY: the caller's contract.
    unsafe {
        if blades >= TOGETHER {
            for first in (0..blades).step_by(TOGETHER) {
                let rows = load::<V>(from.add(first), inner);
                for (i, row) in rows.into_iter().enumerate() {
                    to.add((first + i) * G).write(row);
                }
            }
        } else if blades == 2 {
            let [first, second] = read_pairs::<V>(from, inner);
            to.write(first);
            to.add(G).write(second);
        } else {
            let mut numbers = [V::Element::ZERO; MAX_LANES];
            for (i, number) in numbers.iter_mut().enumerate().take(V::LANES) {
                *number = from.add(i * inner).read_unaligned();
            }
            to.write(V::load(numbers.as_ptr()));
        }
    }
}

/// The vectors of [`TOGETHER`] blades.
///
/// # Safety
/// They were written; as for [`Transpose`].
#[inline(always)]
unsafe fn some<V: Transpose, const G: usize>(from: *const V) -> [V; TOGETHER] {
    // SAFETY: the caller's contract.
    unsafe { [from.read(), from.add(G).read(), from.add(2 * G).read(), from.add(3 * G).read()] }
}

/// The inverse of [`read()`].
///
/// # Safety
/// As for [`read()`]; the vectors of the blades were written.
#[inline(always)]
pub(super) unsafe fn write<V: Transpose, const G: usize>(
    blades: usize,
    from: *const V,
    to: *mut V::Element,
    inner: usize,
) {
    // SAFETY: the caller's contract.
    unsafe {
        if blades == TOGETHER {
            store(some::<V, G>(from), to, inner);
        } else if blades > TOGETHER {
            for first in (0..blades).step_by(2 * TOGETHER) {
                let both = [some::<V, G>(from.add(first * G)), some::<V, G>(from.add((first + TOGETHER) * G))];
                store_two(both, to.add(first), inner);
            }
        } else if blades == 2 {
            write_pairs([from.read(), from.add(G).read()], to, inner);
        } else {
            let mut numbers = [V::Element::ZERO; MAX_LANES];
            from.read().store(numbers.as_mut_ptr());
            for (i, number) in numbers.iter().enumerate().take(V::LANES) {
                to.add(i * inner).write_unaligned(*number);
            }
        }
    }
}

/// The initial values of the sums of a blade, if there are any.
///
/// # Safety
/// The contract of the kernel; as for [`Transpose`].
#[inline(always)]
pub(super) unsafe fn started<V: Transpose, const G: usize>(start: *const V::Element, is_inner: bool) -> Option<[V; G]> {
    // SAFETY: the caller's contract.
    unsafe {
        if start.is_null() {
            return None;
        }
        let mut sums = [V::splat(V::Element::ZERO); G];
        for (g, sum) in sums.iter_mut().enumerate() {
            *sum = if is_inner { V::load(start.add(g * V::LANES)) } else { V::splat(start.read_unaligned()) };
        }
        Some(sums)
    }
}
