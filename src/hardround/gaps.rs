//! The tests of domains, generic over vectors. Each lane tracks the gaps on the circle for one
//! domain.

use super::{TURNS, UNIT};
use crate::math::libm::ROUND;
use crate::math::vector::{Fused, Integral, Mask};

/// Integer quotients of doubles below 2^53.
///
/// # Safety
/// As for [`Vector`](crate::math::vector::Vector).
pub(super) trait Divide<V> {
    /// Values that are computed once for a divisor.
    type By: Copy;

    unsafe fn by(y: V) -> Self::By;
    /// x / y, rounded down.
    unsafe fn quotient(x: V, by: Self::By) -> V;
}

/// (y - 1) / 2.
///
/// # Safety
/// As for [`Divide`].
#[inline(always)]
unsafe fn middle<V: Integral>(y: V) -> V {
    // SAFETY: the caller's contract.
    unsafe { V::splat(-0.5).plus_product(V::splat(0.5), y) }
}

/// `(x - (y - 1) / 2) / y`, rounded to the nearest integer, is `x / y` rounded down: it is at least
/// `1 / (2 y)` away from a midpoint between integers, more than the rounding error of the quotient.
/// Adding 1.5 2^52 rounds to an integer.
#[cfg(sse2)]
pub(super) struct Quotients;

#[cfg(sse2)]
impl<V: Integral> Divide<V> for Quotients {
    type By = [V; 2];

    #[inline(always)]
    unsafe fn by(y: V) -> [V; 2] {
        // SAFETY: the contract of the trait, here and below.
        unsafe { [y, middle(y)] }
    }

    #[inline(always)]
    unsafe fn quotient(x: V, [y, middle]: [V; 2]) -> V {
        // SAFETY: the contract of the trait.
        unsafe { x.sub(middle).div(y).add(V::splat(ROUND)).sub(V::splat(ROUND)) }
    }
}

/// Like `Quotients`, but with an inverse and a multiply-add: the rounding of `1 / y` changes the
/// product by less than `1 / (2 y)`.
pub(super) struct Inverses;

impl<V: Integral + Fused> Divide<V> for Inverses {
    type By = [V; 2];

    #[inline(always)]
    unsafe fn by(y: V) -> [V; 2] {
        // SAFETY: the contract of the trait, here and below.
        unsafe { [V::splat(1.0).div(y), middle(y)] }
    }

    #[inline(always)]
    unsafe fn quotient(x: V, [inverse, middle]: [V; 2]) -> V {
        // SAFETY: the contract of the trait.
        unsafe { x.sub(middle).fma(inverse, V::splat(ROUND)).sub(V::splat(ROUND)) }
    }
}

/// `LANES` domains, in integers below 2^53. `p`, `q`, `u` and `v` are those of the reference. `d`
/// is the distance of b from the start of its gap if that is a gap p, or p plus this distance if it
/// is a gap q.
#[derive(Clone, Copy)]
struct Gaps<V: Integral> {
    p: V,
    q: V,
    d: V,
    u: V,
    v: V,
    more: V::Mask,
    hits: V::Mask,
}

impl<V: Integral> Gaps<V> {
    /// # Safety
    /// `LANES` domains; as for [`Divide`], here and below.
    #[inline(always)]
    unsafe fn new(a: *const u64, b: *const u64) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            let (p, one, none) = (V::upper_52(a), V::splat(1.0), V::Mask::none());
            Gaps { p, q: V::splat(UNIT).sub(p), d: V::upper_52(b), u: one, v: one, more: none, hits: none }
        }
    }

    /// `B` vectors of domains.
    ///
    /// # Safety
    /// As for [`Self::new()`].
    #[inline(always)]
    unsafe fn block<const B: usize>(a: *const u64, b: *const u64) -> [Self; B] {
        // SAFETY: the caller's contract.
        unsafe {
            let mut block = [Self::new(a, b); B];
            for (i, gaps) in block.iter_mut().enumerate().skip(1) {
                *gaps = Self::new(a.add(i * V::LANES), b.add(i * V::LANES));
            }
            block
        }
    }

    /// Cuts gaps q by gaps p, except for the last cut. A lane at its last cut leaves `more` and
    /// stays unchanged: here, and in `second`, where its quotient is 0 because q is the larger gap.
    ///
    /// # Safety
    /// As for [`Self::new()`].
    #[inline(always)]
    unsafe fn first<D: Divide<V>>(&mut self, n: V) {
        // SAFETY: the caller's contract, here and below.
        unsafe {
            let by = D::by(self.p);
            let k = D::quotient(self.q, by);
            self.more = self.u.add(self.v).plus_product(k, self.v).less(n);
            let k = k.keep(self.more);
            self.q = self.q.less_product(k, self.p);
            self.u = self.u.plus_product(k, self.v);
            self.d = self.d.less_product(D::quotient(self.d, by).min(k), self.p);
        }
    }

    /// Cuts gaps p by gaps q, from their ends, except for the last cut. Returns the lanes that have
    /// not reached their last cut, here or in `first`.
    ///
    /// # Safety
    /// As for [`Self::new()`].
    #[inline(always)]
    unsafe fn second<D: Divide<V>>(&mut self, n: V) -> V::Mask {
        // SAFETY: the caller's contract.
        unsafe {
            let by = D::by(self.q);
            let k = D::quotient(self.p, by);
            let more = self.u.add(self.v).plus_product(k, self.u).less(n);
            let k = k.keep(more);
            self.p = self.p.less_product(k, self.q);
            self.v = self.v.plus_product(k, self.u);
            let cut = D::quotient(self.d.sub(self.p), by);
            self.d = self.d.less_product(cut.max(V::splat(0.0)), self.q);
            self.more.and(more)
        }
    }

    /// Makes the last cut, of the larger gaps, as far as `n` needs it. Returns whether b is then
    /// less than `w` from the start of a gap: a bit for each lane.
    ///
    /// # Safety
    /// As for [`Self::new()`].
    #[inline(always)]
    unsafe fn last<D: Divide<V>>(self, n: V, w: V) -> u32 {
        let Gaps { p, q, d, u, v, .. } = self;
        // SAFETY: the caller's contract.
        unsafe {
            let first = p.at_most(q);
            let (divisor, rest) = (V::select(first, p, q), V::select(first, q, p));
            let by = D::by(divisor);
            // The number of cuts that `n` needs, rounded up.
            let each = V::select(first, v, u);
            let needed = D::quotient(n.sub(u).sub(v).add(each).sub(V::splat(1.0)), D::by(each));
            // With a divisor of 0, `k` is `needed`. Then `above` is at most 0, and its quotient at
            // most 0 or NaN.
            let k = D::quotient(rest, by).min(needed);
            let rest = rest.less_product(k, divisor);
            let above = d.sub(rest.clear(first));
            let d = d.less_product(D::quotient(above, by).max(V::splat(0.0)).min(k), divisor);
            let p = V::select(first, divisor, rest);
            d.sub(p.keep(p.at_most(d))).less(w).bits()
        }
    }

    /// A step of Lefevre's test. Lanes of `more` are hits if b is less than `w` from the start of
    /// its gap. Gaps of the kind that b is not in are cut by gaps of its own kind, and these are
    /// cut once by the remainder. Hits leave `more`, and so do lanes that cannot have one.
    ///
    /// # Safety
    /// As for [`Self::new()`].
    #[inline(always)]
    unsafe fn lefevre_step<D: Divide<V>>(&mut self, n: V, w: V) {
        // SAFETY: the caller's contract.
        unsafe {
            let in_p = self.d.less(self.p);
            let (own, other) = (V::select(in_p, self.p, self.q), V::select(in_p, self.q, self.p));
            let (owned, others) = (V::select(in_p, self.u, self.v), V::select(in_p, self.v, self.u));
            self.d = self.d.sub(self.p.clear(in_p));
            let hit = self.more.and(self.d.less(w));
            self.hits = self.hits.or(hit);
            let k = D::quotient(other, D::by(own));
            let other = other.less_product(k, own);
            let owned = owned.plus_product(k, others);
            let others = others.add(owned);
            let own = own.sub(other);
            let some = V::splat(0.0).less(other).and(others.less(n));
            self.more = self.more.and_not(hit).and(some);
            (self.p, self.q) = (V::select(in_p, own, other), V::select(in_p, other, own));
            (self.u, self.v) = (V::select(in_p, owned, others), V::select(in_p, others, owned));
        }
    }
}

/// The regular test of `B` vectors of domains: a bit for each domain.
///
/// # Safety
/// `a` and `b` hold that many domains; as for [`Divide`].
#[inline(always)]
pub(super) unsafe fn regular<V: Integral, D: Divide<V>, const B: usize>(
    a: *const u64,
    b: *const u64,
    n: f64,
    w: f64,
) -> u32 {
    // SAFETY: the caller's contract.
    unsafe {
        let (n, w) = (V::splat(n), V::splat(w));
        let mut block = Gaps::<V>::block::<B>(a, b);
        loop {
            for gaps in &mut block {
                gaps.first::<D>(n);
            }
            let mut more = V::Mask::none();
            for gaps in &mut block {
                more = more.or(gaps.second::<D>(n));
            }
            if !more.any() {
                break;
            }
        }
        let mut bits = 0;
        for gaps in block.iter().rev() {
            bits = bits << V::LANES | gaps.last::<D>(n, w);
        }
        bits
    }
}

/// Lefevre's test of `B` vectors of domains: a bit for each domain.
///
/// # Safety
/// `a` and `b` hold that many domains; as for [`Divide`].
#[inline(always)]
pub(super) unsafe fn lefevre<V: Integral, D: Divide<V>, const B: usize>(
    a: *const u64,
    b: *const u64,
    n: f64,
    w: f64,
) -> u32 {
    // SAFETY: the caller's contract.
    unsafe {
        let (n, w) = (V::splat(n), V::splat(w));
        let mut block = Gaps::<V>::block::<B>(a, b);
        for gaps in &mut block {
            gaps.hits = gaps.d.less(w);
            gaps.more = V::splat(0.0).less(gaps.p).and_not(gaps.hits);
        }
        for _ in 0..TURNS {
            let mut more = V::Mask::none();
            for gaps in &mut block {
                gaps.lefevre_step::<D>(n, w);
                more = more.or(gaps.more);
            }
            if !more.any() {
                break;
            }
        }
        let mut bits = 0;
        for gaps in block.iter().rev() {
            bits = bits << V::LANES | gaps.hits.or(gaps.more).bits();
        }
        bits
    }
}

/// Writes a bit for each of `count` domains. `block` tests `N` domains and returns a bit for each,
/// given `a`, `b`, `n` (at least 3) and the width of the strip in units of 2^-52. The last block is
/// filled up with zeros.
///
/// # Safety
/// As for the kernels; `block` reads `N` integers from each pointer.
#[inline(always)]
pub(super) unsafe fn blocks<const N: usize>(
    block: impl Fn(*const u64, *const u64, f64, f64) -> u32,
    a: *const u64,
    b: *const u64,
    count: usize,
    n: u64,
    w: u64,
    bits: *mut u8,
) {
    let n = n.max(3);
    let (n, w) = (n as f64, (w.div_ceil(1 << 12) + n - 1) as f64);
    let mut rest = [[0_u64; N]; 2];
    for at in (0..count).step_by(N) {
        let here = N.min(count - at);
        // SAFETY: `here` domains from `at` on, and a bit for each.
        unsafe {
            let (mut a, mut b) = (a.add(at), b.add(at));
            if here < N {
                rest[0].as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(a.cast(), 8 * here);
                rest[1].as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(b.cast(), 8 * here);
                (a, b) = (rest[0].as_ptr(), rest[1].as_ptr());
            }
            let found = block(a, b, n, w) & !0 >> (32 - here);
            bits.add(at / 8).copy_from_nonoverlapping(found.to_le_bytes().as_ptr(), here.div_ceil(8));
        }
    }
}
