//! Sums of columns side by side, written once for the vectors of all instruction sets.

use core::mem::MaybeUninit;

use super::contract::LANES_F32;
use super::scalar::canonical;
use crate::math::float::Float;
use crate::math::vector::Vector;

/// Sums `N` vectors of columns at a time.
///
/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn column_sums<V: Vector, const L: usize, const N: usize>(
    m: usize,
    n: usize,
    x: *const V::Element,
    row: isize,
    sums: *mut V::Element,
) {
    const { assert!(L <= LANES_F32) };
    let mut lanes = MaybeUninit::<[[V; N]; LANES_F32 / 2]>::uninit();
    let lanes = lanes.as_mut_ptr().cast();
    let mut first = 0;
    while first < n {
        let left = n - first;
        let width = if left >= N * V::LANES { N * V::LANES } else { left.min(V::LANES) };
        // SAFETY: the elements of these columns, and their sums.
        unsafe {
            let (x, sums) = (x.wrapping_add(first), sums.add(first));
            if width > V::LANES {
                block::<V, N, L>(m, width, x, row, lanes, sums);
            } else {
                block::<V, 1, L>(m, width, x, row, lanes, sums);
            }
        }
        first += width;
    }
}

/// Sums `width` columns, `N` vectors or a part of one.
///
/// Lanes are summed two at a time, which is the first step of the tree. A lane starts with its first
/// element, because -0 and an element add up to it. Lanes without an element are -0, which changes no
/// sum, so the tree starts at the first power of two that holds all elements. The sum of no elements
/// is +0.
///
/// # Safety
/// The contract of the kernel, for these columns; `lanes` has room for `L / 2` rows of `N` vectors.
#[inline(always)]
unsafe fn block<V: Vector, const N: usize, const L: usize>(
    m: usize,
    width: usize,
    x: *const V::Element,
    row: isize,
    lanes: *mut V,
    sums: *mut V::Element,
) {
    // SAFETY: the caller's contract; every lane is written before it is read.
    unsafe {
        let mut half = if m < L { m.next_power_of_two() / 2 } else { L / 2 };
        let mut state = [V::splat(V::Element::ZERO); N];
        if half == 0 && m > 0 {
            state = lane(0, m, L, width, x, row);
        }
        for l in 0..half {
            state = lane(l, m, L, width, x, row);
            if l + half < m {
                let upper: [V; N] = lane(l + half, m, L, width, x, row);
                for (sum, upper) in state.iter_mut().zip(upper) {
                    *sum = sum.add(upper);
                }
            }
            for (k, sum) in state.iter().enumerate() {
                lanes.add(l * N + k).write(*sum);
            }
        }
        while half > 1 {
            half /= 2;
            for l in 0..half {
                for (k, sum) in state.iter_mut().enumerate() {
                    let lower = lanes.add(l * N + k);
                    *sum = lower.read().add(lower.add(half * N).read());
                    lower.write(*sum);
                }
            }
        }
        for (k, sum) in state.iter().enumerate() {
            lanes.add(k).write(*sum);
        }
        for j in 0..width {
            sums.add(j).write_unaligned(canonical(lanes.cast::<V::Element>().add(j).read()));
        }
    }
}

/// The sums of lane `l` of `count`, which has an element.
///
/// # Safety
/// As for [`block`].
#[inline(always)]
unsafe fn lane<V: Vector, const N: usize>(
    l: usize,
    m: usize,
    count: usize,
    width: usize,
    x: *const V::Element,
    row: isize,
) -> [V; N] {
    // SAFETY: the caller's contract.
    unsafe {
        let mut x = x.wrapping_offset(l as isize * row);
        let mut state: [V; N] = load(x, width);
        for _ in 0..(m - 1 - l) / count {
            x = x.wrapping_offset(count as isize * row);
            let next: [V; N] = load(x, width);
            for (sum, next) in state.iter_mut().zip(next) {
                *sum = sum.add(next);
            }
        }
        state
    }
}

/// The elements of a row, `N` vectors or a part of one.
///
/// # Safety
/// `row` points to `width` elements, and the CPU has the instruction set.
#[inline(always)]
unsafe fn load<V: Vector, const N: usize>(row: *const V::Element, width: usize) -> [V; N] {
    // SAFETY: the caller's contract.
    unsafe {
        let mut vectors = [V::splat(V::Element::ZERO); N];
        if N == 1 && width < V::LANES {
            vectors[0] = V::load_first(row, width);
        } else {
            for (k, vector) in vectors.iter_mut().enumerate() {
                *vector = V::load(row.add(k * V::LANES));
            }
        }
        vectors
    }
}
