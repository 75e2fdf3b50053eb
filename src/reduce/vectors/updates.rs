//! Operations on each element of vectors, which are written.

use super::lanes::Lanes;
use crate::math::float::Float;
use crate::math::vector::{MAX_LANES, Vector};

/// An operation on an element of each of `K` vectors.
pub(super) trait Operation<V: Vector, const K: usize>: Copy {
    /// The number of vectors that are written. They precede those that are only read.
    const WRITTEN: usize;

    fn pointers(self) -> [*mut V::Element; K];

    /// The new elements.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn values(self, old: [V; K]) -> [V; K];
}

/// The elements from `i` on.
///
/// # Safety
/// As for [`update`]; there are as many.
#[inline(always)]
unsafe fn load<V: Vector, const K: usize>(from: [*mut V::Element; K], i: usize) -> [V; K] {
    // SAFETY: the caller's contract.
    unsafe {
        let mut values = [V::splat(V::Element::ZERO); K];
        for (value, from) in values.iter_mut().zip(from) {
            *value = V::load(from.add(i));
        }
        values
    }
}

/// Writes the elements from `i` on.
///
/// # Safety
/// As for [`load`].
#[inline(always)]
unsafe fn store<V: Vector, const K: usize>(to: [*mut V::Element; K], i: usize, values: [V; K], written: usize) {
    for (value, to) in values.into_iter().zip(to).take(written) {
        // SAFETY: the caller's contract.
        unsafe { value.store(to.add(i)) }
    }
}

/// Replaces `n` elements, `N` vectors at a time. The last vector overlaps the one before it and is
/// computed first, from the old elements.
///
/// # Safety
/// The pointers have `n` elements, and the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn update<V: Vector, const K: usize, const N: usize>(operation: impl Operation<V, K>, n: usize) {
    let at = operation.pointers();
    let written = written(operation);
    // SAFETY: the caller's contract.
    unsafe {
        let Some(last) = n.checked_sub(V::LANES) else {
            if n > 0 {
                few(operation, n);
            }
            return;
        };
        let end = operation.values(load(at, last));
        let mut i = 0;
        while i + N * V::LANES <= n {
            let mut values = [[V::splat(V::Element::ZERO); K]; N];
            for (v, values) in values.iter_mut().enumerate() {
                *values = operation.values(load(at, i + v * V::LANES));
            }
            for (v, values) in values.into_iter().enumerate() {
                store(at, i + v * V::LANES, values, written);
            }
            i += N * V::LANES;
        }
        while i <= last {
            store(at, i, operation.values(load(at, i)), written);
            i += V::LANES;
        }
        store(at, last, end, written);
    }
}

fn written<V: Vector, const K: usize, O: Operation<V, K>>(_: O) -> usize {
    O::WRITTEN
}

/// [`update`] of less than a vector.
///
/// # Safety
/// As for [`update`].
#[inline(always)]
unsafe fn few<V: Vector, const K: usize>(operation: impl Operation<V, K>, n: usize) {
    let at = operation.pointers();
    // SAFETY: the caller's contract.
    unsafe {
        let mut values = [V::splat(V::Element::ZERO); K];
        for (value, from) in values.iter_mut().zip(at) {
            *value = V::load_first(from, n);
        }
        for (value, to) in operation.values(values).into_iter().zip(at).take(written(operation)) {
            value.store_first(to, n);
        }
    }
}

/// `y + alpha x`, with vectors `y` and `x`.
#[derive(Clone, Copy)]
pub(super) struct Axpy<V: Vector> {
    pub alpha: V,
    pub at: [*mut V::Element; 2],
}

impl<V: Vector> Operation<V, 2> for Axpy<V> {
    const WRITTEN: usize = 1;

    #[inline(always)]
    fn pointers(self) -> [*mut V::Element; 2] {
        self.at
    }

    #[inline(always)]
    unsafe fn values(self, [y, x]: [V; 2]) -> [V; 2] {
        // SAFETY: the caller's contract.
        unsafe { [y.add(self.alpha.mul(x)), x] }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Scal<V: Vector> {
    pub alpha: V,
    pub at: *mut V::Element,
}

impl<V: Vector> Operation<V, 1> for Scal<V> {
    const WRITTEN: usize = 1;

    #[inline(always)]
    fn pointers(self) -> [*mut V::Element; 1] {
        [self.at]
    }

    #[inline(always)]
    unsafe fn values(self, [x]: [V; 1]) -> [V; 1] {
        // SAFETY: the caller's contract.
        unsafe { [self.alpha.mul(x)] }
    }
}

/// A complex factor: its real part, and its imaginary part, negative in even lanes.
#[derive(Clone, Copy)]
pub(super) struct Factor<V>([V; 2]);

impl<V: Lanes> Factor<V> {
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    pub(super) unsafe fn new(re: V::Element, im: V::Element) -> Self {
        const { assert!(V::LANES <= MAX_LANES) };
        let mut signed = [im; MAX_LANES];
        for even in signed.iter_mut().step_by(2) {
            *even = -im;
        }
        // SAFETY: the caller's contract; no vector is longer.
        unsafe { Factor([V::splat(re), V::load(signed.as_ptr())]) }
    }

    /// The products. The difference of two products is the sum with the negative one.
    ///
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    unsafe fn times(self, x: V) -> V {
        let [re, im] = self.0;
        // SAFETY: the caller's contract.
        unsafe { re.mul(x).add(im.mul(x.swap_pairs())) }
    }
}

#[derive(Clone, Copy)]
pub(super) struct AxpyComplex<V: Vector> {
    pub alpha: Factor<V>,
    pub at: [*mut V::Element; 2],
}

impl<V: Lanes> Operation<V, 2> for AxpyComplex<V> {
    const WRITTEN: usize = 1;

    #[inline(always)]
    fn pointers(self) -> [*mut V::Element; 2] {
        self.at
    }

    #[inline(always)]
    unsafe fn values(self, [y, x]: [V; 2]) -> [V; 2] {
        // SAFETY: the caller's contract.
        unsafe { [y.add(self.alpha.times(x)), x] }
    }
}

#[derive(Clone, Copy)]
pub(super) struct ScalComplex<V: Vector> {
    pub alpha: Factor<V>,
    pub at: *mut V::Element,
}

impl<V: Lanes> Operation<V, 1> for ScalComplex<V> {
    const WRITTEN: usize = 1;

    #[inline(always)]
    fn pointers(self) -> [*mut V::Element; 1] {
        [self.at]
    }

    #[inline(always)]
    unsafe fn values(self, [x]: [V; 1]) -> [V; 1] {
        // SAFETY: the caller's contract.
        unsafe { [self.alpha.times(x)] }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Swap<V: Vector> {
    pub at: [*mut V::Element; 2],
}

impl<V: Vector> Operation<V, 2> for Swap<V> {
    const WRITTEN: usize = 2;

    #[inline(always)]
    fn pointers(self) -> [*mut V::Element; 2] {
        self.at
    }

    #[inline(always)]
    unsafe fn values(self, [x, y]: [V; 2]) -> [V; 2] {
        [y, x]
    }
}

#[derive(Clone, Copy)]
pub(super) struct Rot<V: Vector> {
    pub c: V,
    pub s: V,
    pub at: [*mut V::Element; 2],
}

impl<V: Vector> Operation<V, 2> for Rot<V> {
    const WRITTEN: usize = 2;

    #[inline(always)]
    fn pointers(self) -> [*mut V::Element; 2] {
        self.at
    }

    #[inline(always)]
    unsafe fn values(self, [x, y]: [V; 2]) -> [V; 2] {
        // SAFETY: the caller's contract.
        unsafe { [self.c.mul(x).add(self.s.mul(y)), self.c.mul(y).sub(self.s.mul(x))] }
    }
}
