//! Sums of columns side by side, written once for the vectors of all instruction sets.

use core::mem::MaybeUninit;

use super::scalar::canonical;
use crate::float::Float;
use crate::vector::Vector;

/// Columns that are summed at a time.
const WIDTH: usize = 64;

/// The lanes of [`WIDTH`] columns, lane by lane.
#[repr(align(64))]
struct Lanes<T, const L: usize>(MaybeUninit<[[T; WIDTH]; L]>);

/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn column_sums<V: Vector, const L: usize>(
    m: usize,
    n: usize,
    x: *const V::Element,
    row: isize,
    sums: *mut V::Element,
) {
    let mut lanes = Lanes::<V::Element, L>(MaybeUninit::uninit());
    let lanes = lanes.0.as_mut_ptr().cast();
    for first in (0..n).step_by(WIDTH) {
        // SAFETY: the elements of these columns, and their sums. With a constant width, the compiler
        // unrolls the loops.
        unsafe {
            let (x, sums) = (x.wrapping_add(first), sums.add(first));
            match n - first {
                WIDTH.. => block::<V, L>(m, WIDTH, x, row, lanes, sums),
                width => block::<V, L>(m, width, x, row, lanes, sums),
            }
        }
    }
}

/// The elements of a row from `at` on, of `width`; beyond them 0.
///
/// # Safety
/// `row` points to `width` elements, more than `at`, and the CPU has the instruction set.
#[inline(always)]
unsafe fn load<V: Vector>(row: *const V::Element, at: usize, width: usize) -> V {
    // SAFETY: the caller's contract.
    unsafe {
        match width - at {
            left if left >= V::LANES => V::load(row.add(at)),
            left => V::load_first(row.add(at), left),
        }
    }
}

/// Sums `width` columns, at most [`WIDTH`]. A lane starts with its first element, because -0 and an
/// element add up to it. Lanes without an element are -0, which changes no sum, so the tree starts
/// at the first power of two that holds all elements. The sum of no elements is +0.
///
/// # Safety
/// The contract of the kernel, for these columns; `lanes` has `L` rows of `WIDTH` elements.
#[inline(always)]
unsafe fn block<V: Vector, const L: usize>(
    m: usize,
    width: usize,
    x: *const V::Element,
    row: isize,
    lanes: *mut V::Element,
    sums: *mut V::Element,
) {
    // SAFETY: the caller's contract; every row of lanes is written before it is read.
    unsafe {
        let empty = if m == 0 { V::Element::ZERO } else { -V::Element::ZERO };
        let used = if m < L { m.next_power_of_two() } else { L };
        for l in 0..m.min(L) {
            for at in (0..width).step_by(V::LANES) {
                load::<V>(x.offset(l as isize * row), at, width).store(lanes.add(l * WIDTH + at));
            }
        }
        for l in m..used {
            for at in (0..width).step_by(V::LANES) {
                V::splat(empty).store(lanes.add(l * WIDTH + at));
            }
        }
        for i in L..m {
            let lane = lanes.add(i % L * WIDTH);
            for at in (0..width).step_by(V::LANES) {
                let sum = V::load(lane.add(at)).add(load(x.offset(i as isize * row), at, width));
                sum.store(lane.add(at));
            }
        }
        let mut half = used / 2;
        while half > 0 {
            for l in 0..half {
                let (lane, upper) = (lanes.add(l * WIDTH), lanes.add((l + half) * WIDTH));
                for at in (0..width).step_by(V::LANES) {
                    V::load(lane.add(at)).add(V::load(upper.add(at))).store(lane.add(at));
                }
            }
            half /= 2;
        }
        for j in 0..width {
            sums.add(j).write_unaligned(canonical(lanes.add(j).read()));
        }
    }
}
