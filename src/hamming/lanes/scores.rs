//! The kernels that compute distances and similarities from counts.

use crate::math::vector::Int;

/// Float operations on counts. A result is the bits of floats, in a vector of integers.
///
/// # Safety
/// Same as for [`Int`].
pub(in super::super) trait Quotient: Int<Element = u32> {
    /// `self / y`, in floats.
    unsafe fn quotient(self, y: Self) -> Self;
    /// `self / sqrt(a b)`, in doubles, rounded to floats.
    unsafe fn per_mean(self, a: Self, b: Self) -> Self;
}

/// The result computed from counts: `a` ones of a row (in all lanes), `b` of others, `c` in common.
pub(in super::super) trait Finish<V> {
    /// # Safety
    /// Same as for [`Int`].
    unsafe fn of(a: V, b: V, c: V) -> V;
}

pub(in super::super) struct Distance;
pub(in super::super) struct Tanimoto;
pub(in super::super) struct Dice;
pub(in super::super) struct Cosine;

impl<V: Quotient> Finish<V> for Distance {
    #[inline(always)]
    unsafe fn of(a: V, b: V, c: V) -> V {
        // SAFETY: the contract of the trait.
        unsafe { a.add(b).sub(c.add(c)) }
    }
}

impl<V: Quotient> Finish<V> for Tanimoto {
    #[inline(always)]
    unsafe fn of(a: V, b: V, c: V) -> V {
        // SAFETY: the contract of the trait.
        unsafe { c.quotient(a.add(b).sub(c)) }
    }
}

impl<V: Quotient> Finish<V> for Dice {
    #[inline(always)]
    unsafe fn of(a: V, b: V, c: V) -> V {
        // SAFETY: the contract of the trait.
        unsafe { c.add(c).quotient(a.add(b)) }
    }
}

impl<V: Quotient> Finish<V> for Cosine {
    /// 0 where one of the rows is empty.
    #[inline(always)]
    unsafe fn of(a: V, b: V, c: V) -> V {
        // SAFETY: the contract of the trait.
        unsafe {
            let zero = V::splat(0);
            let ratio = V::select(b.equals(zero), zero, c.per_mean(a, b));
            V::select(a.equals(zero), zero, ratio)
        }
    }
}

/// Computes `out[i]` from `common[i]` and `others[i]`. If `empty` is given, it is the result where
/// both rows are empty. `out` may be `common`.
///
/// # Safety
/// The contract of the kernels; the CPU has the instruction set.
#[inline(always)]
pub(in super::super) unsafe fn finish<V: Quotient, F: Finish<V>>(
    common: *const u32,
    others: *const u32,
    n: usize,
    ones: u32,
    empty: Option<f32>,
    out: *mut u32,
) {
    // SAFETY: every pointer points to `n` integers.
    unsafe {
        let a = V::splat(ones);
        if n < V::LANES {
            if n > 0 {
                let [b, c] = [V::load_first(others, n), V::load_first(common, n)];
                value::<V, F>(a, b, c, empty).store_first(out, n);
            }
            return;
        }
        // The last vector overlaps the one before: it is loaded before `out`, which may be `common`,
        // is written. A store under a mask takes AMD's CPUs as long as ten whole ones.
        let last = n - V::LANES;
        let end = value::<V, F>(a, V::load(others.add(last)), V::load(common.add(last)), empty);
        for i in (0..last).step_by(V::LANES) {
            let (c, b) = (V::load(common.add(i)), V::load(others.add(i)));
            value::<V, F>(a, b, c, empty).store(out.add(i));
        }
        end.store(out.add(last));
    }
}

/// # Safety
/// Same as for [`Int`].
#[inline(always)]
unsafe fn value<V: Quotient, F: Finish<V>>(a: V, b: V, c: V, empty: Option<f32>) -> V {
    // SAFETY: the caller's contract.
    unsafe {
        match empty {
            None => F::of(a, b, c),
            Some(empty) => V::select(a.or(b).equals(V::splat(0)), V::splat(empty.to_bits()), F::of(a, b, c)),
        }
    }
}
