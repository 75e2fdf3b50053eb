//! The kernels of the family for any vectors: one algorithm each, which the instruction sets share.

use super::runs::Runs;
use super::{Cell, MOST_DOMAINS, TURNS, UNIT};
use crate::libm::ROUND;
use crate::vector::{Fractional, Fused, Int, Integral, Mask, Product, Single, Words};

/// Integers for each lane, which the compiler knows.
///
/// # Safety
/// As for [`Int`].
#[inline(always)]
unsafe fn each<U: Int<Element = u32>>(of_lane: impl Fn(u32) -> u32) -> U {
    const MOST: usize = 16;
    const { assert!(U::LANES <= MOST) };
    let mut all = [0; MOST];
    for (i, lane) in all.iter_mut().enumerate().take(U::LANES) {
        *lane = of_lane(i as u32);
    }
    // SAFETY: no vector is longer.
    unsafe { U::load(all.as_ptr()) }
}

/// A quantity with two differences in `LANES` domains, and what it grows by to the next ones.
struct Quantity<U> {
    value: U,
    step: U,
    change: U,
}

impl<U: Product> Quantity<U> {
    /// In domain i it has grown by i d + i (i - 1) / 2 dd; to domain i + L it grows by L d + (L i + L (L - 1) / 2) dd.
    ///
    /// # Safety
    /// As for [`Int`], here and below.
    #[inline(always)]
    unsafe fn new([q, d, dd]: [u32; 3]) -> Self {
        let lanes = U::LANES as u32;
        let pairs = |i: u32| i.wrapping_mul(i.wrapping_sub(1)) / 2;
        // SAFETY: the caller's contract.
        unsafe {
            let (all, dds) = (each::<U>(|i| i), U::splat(dd));
            let value = U::splat(q).add(all.mul(U::splat(d)));
            Quantity {
                value: value.add(each::<U>(pairs).mul(dds)),
                step: U::splat(lanes.wrapping_mul(d)).add(each::<U>(|i| lanes * i + pairs(lanes)).mul(dds)),
                change: U::splat((lanes * lanes).wrapping_mul(dd)),
            }
        }
    }

    /// 1 and these fractions; then the next are.
    ///
    /// # Safety
    /// As for [`Int`].
    #[inline(always)]
    unsafe fn next<V: Single<Bits = U>>(&mut self) -> V {
        // SAFETY: the caller's contract.
        unsafe {
            let bits = self.value.shr::<9>().or(U::splat(1.0_f32.to_bits()));
            self.value = self.value.add(self.step);
            self.step = self.step.add(self.change);
            V::from_bits(bits)
        }
    }
}

/// # Safety
/// That of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn rows<V: Fractional>(cells: *const Cell, count: usize, hits: *mut u64) {
    // Whole bytes of bits.
    let step = V::LANES.max(8);
    for c in 0..count {
        // SAFETY: `count` cells, and two words for each.
        unsafe {
            let cell = cells.add(c).read_unaligned();
            let [per, ratio, least] = [V::splat(cell.per), V::splat(cell.ratio), V::splat(cell.least)];
            let [reach, most] = [V::splat(cell.reach), V::splat(cell.most)];
            let [width, slack] = [V::splat(cell.width), V::splat(cell.slack)];
            let (mut z, mut h) = (Quantity::<V::Bits>::new(cell.z), Quantity::<V::Bits>::new(cell.h));
            let [y, dy] = cell.y.map(|word| word as u32);
            let mut ys = V::Bits::splat(y).add(each::<V::Bits>(|i| i).mul(V::Bits::splat(dy)));
            let y_step = V::Bits::splat((V::LANES as u32).wrapping_mul(dy));
            let domains = cell.count.min(MOST_DOMAINS) as usize;
            let words = hits.add(2 * c);
            words.cast::<[u64; 2]>().write_unaligned([0; 2]);
            for i in (0..domains).step_by(step) {
                let mut bits = 0;
                for lane in (0..step).step_by(V::LANES) {
                    let gap = V::from_integers(ys).max(least);
                    ys = ys.add(y_step);
                    let (z, h): (V, V) = (z.next(), h.next());
                    let t = per.div(gap);
                    let slope = t.sub(ratio);
                    let most = reach.mul(gap).add(most);
                    let width = width.mul(t).add(slack);
                    let below = z.sub(V::splat(1.0));
                    let first = below.mul(slope).add(h);
                    let second = first.add(slope);
                    // One of two at most is negative: they compare as integers, which more pipes do on x86-64.
                    let (most, width) = (most.bits(), width.bits());
                    let first = below.bits().exceeds(most).or(first.fraction().bits().exceeds(width));
                    let second = z.bits().exceeds(most).or(second.fraction().bits().exceeds(width));
                    bits |= (!first.and(second).bits() & !(!0 << V::LANES)) << lane;
                }
                words.cast::<u8>().add(i / 8).copy_from_nonoverlapping(bits.to_le_bytes().as_ptr(), step / 8);
            }
            if !domains.is_multiple_of(step) {
                let last = words.add(domains / 64);
                last.write_unaligned(last.read_unaligned() & !(!0 << (domains % 64)));
            }
        }
    }
}

/// Integer quotients of doubles below 2^53.
///
/// # Safety
/// As for [`Vector`](crate::vector::Vector).
pub(super) trait Divide<V> {
    /// What is computed once for a divisor.
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

/// (x - (y - 1) / 2) / y to the nearest integer is x / y rounded down, as it is 1 / (2 y) at least from the middle between integers,
/// which the rounding of a quotient does not reach. What is added to 1.5 2^52 is rounded to integers.
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

/// Likewise, by an inverse and a multiply-add: as 1 / y is rounded, the product is off by less than the 1 / (2 y).
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

/// `LANES` domains, in integers below 2^53. Gaps and their numbers are those of the reference; `d` is the distance of b from the
/// begin of a gap p, or p and the distance from that of a gap q.
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
    /// As above.
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

    /// Gaps q are cut by gaps p, but for the last time. A lane where it would be leaves `more` and stays as it is, here and, as its
    /// q is the larger gap and the quotient there 0, in `second`.
    ///
    /// # Safety
    /// As above.
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

    /// Gaps p are cut by gaps q, from their ends; likewise. Lanes whose last time came neither here nor in `first`.
    ///
    /// # Safety
    /// As above.
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

    /// The last cut, as far as `n` needs it, of the larger gaps: whether b is then less than `w` from a begin.
    ///
    /// # Safety
    /// As above.
    #[inline(always)]
    unsafe fn last<D: Divide<V>>(self, n: V, w: V) -> u32 {
        let Gaps { p, q, d, u, v, .. } = self;
        // SAFETY: the caller's contract.
        unsafe {
            let first = p.at_most(q);
            let (divisor, rest) = (V::select(first, p, q), V::select(first, q, p));
            let by = D::by(divisor);
            // Rounded up.
            let each = V::select(first, v, u);
            let needed = D::quotient(n.sub(u).sub(v).add(each).sub(V::splat(1.0)), D::by(each));
            // By 0 as many as needed; then `above` is 0 or less, and so is the cut, or it is NaN.
            let k = D::quotient(rest, by).min(needed);
            let rest = rest.less_product(k, divisor);
            let above = d.sub(rest.clear(first));
            let d = d.less_product(D::quotient(above, by).max(V::splat(0.0)).min(k), divisor);
            let p = V::select(first, divisor, rest);
            d.sub(p.keep(p.at_most(d))).less(w).bits()
        }
    }

    /// Gaps of the kind that b is not in are cut by those of its own, and one of these is cut by the rest. Lanes of `more` whose b
    /// is then less than `w` from a begin are hits; they and those that have none leave `more`.
    ///
    /// # Safety
    /// As above.
    #[inline(always)]
    unsafe fn turn<D: Divide<V>>(&mut self, n: V, w: V) {
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

/// The regular test of `B` vectors of domains: a bit for each.
///
/// # Safety
/// As many domains; as for [`Divide`].
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

/// Lefevre's test of `B` vectors of domains: a bit for each.
///
/// # Safety
/// As many domains; as for [`Divide`].
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
                gaps.turn::<D>(n, w);
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

/// Vectors of upper halves of words, for [`exhaust`].
///
/// # Safety
/// As for [`Divide`].
pub(super) trait Halves: Int<Element = u32> {
    type Words: Words;
    /// What is added to halves so that they compare as they do.
    const BIAS: u32 = 0;

    /// The upper halves of two vectors.
    unsafe fn upper(a: Self::Words, b: Self::Words) -> Self;
    /// The lesser ones, or their upper halves at least.
    unsafe fn least(self, b: Self) -> Self;
    /// Whether one is at most the limit, or one of which these are [`Self::least`] may be.
    unsafe fn any_may_be(self, limit: Self) -> bool;
    /// Whether one is at most the limit.
    #[inline(always)]
    unsafe fn any_is(self, limit: Self) -> bool {
        // SAFETY: the contract of the trait.
        unsafe { self.any_may_be(limit) }
    }
}

/// The upper halves of values whose difference is `first`, and of that `second`, and of that `third`; goes on after them.
///
/// # Safety
/// As for [`Divide`].
#[inline(always)]
unsafe fn anchors<H: Halves, const A: usize>(
    y: &mut H::Words,
    first: &mut H::Words,
    second: &mut H::Words,
    third: H::Words,
) -> [H; A] {
    // SAFETY: the caller's contract.
    unsafe {
        let mut anchors = [H::splat(0); A];
        for anchor in &mut anchors {
            let even = *y;
            let odd = y.add(*first);
            *first = first.add(*second);
            *second = second.add(third);
            *y = odd.add(*first);
            *first = first.add(*second);
            *second = second.add(third);
            *anchor = H::upper(even, odd);
        }
        anchors
    }
}

/// What the minima of a step's sums are, with those so far.
///
/// # Safety
/// As for [`Divide`].
#[inline(always)]
unsafe fn lower<H: Halves, const A: usize, const M: usize>(anchors: &[H; A], least: &mut [H; M], offset: i32) {
    for (i, anchor) in anchors.iter().enumerate() {
        // SAFETY: the caller's contract.
        unsafe { least[i % M] = least[i % M].least(anchor.add(H::splat(offset as u32))) };
    }
}

/// `S` words a vector, `A` anchors of two vectors, and `M` minima at a time; see [`runs`](super::runs).
///
/// # Safety
/// That of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn exhaust<H: Halves, const S: usize, const L: u64, const A: usize, const M: usize>(
    d: *const u64,
    n: u64,
    w: u64,
) -> u64 {
    const { assert!(S == H::Words::LANES && 2 * S == H::LANES && L == (A * H::LANES) as u64) };
    // SAFETY: the caller's contract; arrays of `S` words are vectors.
    unsafe {
        let mut runs = match Runs::<S, L>::new(d, n, w) {
            Ok(runs) => runs,
            Err(first) => return first,
        };
        let (third, limit) = (H::Words::splat(runs.third()), H::splat(runs.limit ^ H::BIAS));
        let (lanes, ahead_more, slope_more) = runs.ahead();
        let [y, next, after] = runs.values();
        let [mut y, next, after] =
            [H::Words::load(y.as_ptr()), H::Words::load(next.as_ptr()), H::Words::load(after.as_ptr())];
        let mut first = next.sub(y);
        let mut second = after.sub(next).sub(first);
        let mut ahead = H::Words::load(lanes.as_ptr());
        y = y.add(H::Words::splat(u64::from(H::BIAS) << 32));
        let mut turns = [H::splat(0); A];
        if runs.turning {
            let (lanes, more) = runs.turns();
            turns = anchors(
                &mut H::Words::load(lanes.as_ptr()),
                &mut H::Words::splat(more),
                &mut H::Words::splat(0),
                H::Words::splat(0),
            );
        }
        loop {
            let anchors: [H; A] = anchors(&mut y, &mut first, &mut second, third);
            y = y.add(ahead);
            ahead = ahead.add(H::Words::splat(ahead_more));
            first = first.add(H::Words::splat(slope_more));
            let mut least = [H::splat(u32::MAX ^ H::BIAS); M];
            if runs.turning {
                let mut turned = anchors;
                for offset in runs.offsets() {
                    lower(&turned, &mut least, offset);
                    for (anchor, turn) in turned.iter_mut().zip(turns) {
                        *anchor = anchor.add(turn);
                    }
                }
            } else {
                for offset in runs.offsets() {
                    lower(&anchors, &mut least, offset);
                }
            }
            let mut all = least[0];
            for &one in &least[1..] {
                all = all.least(one);
            }
            let step_has = |offset: i32| anchors.iter().any(|sum| sum.add(H::splat(offset as u32)).any_is(limit));
            if all.any_may_be(limit)
                && let Some(x) = runs.find(step_has)
            {
                return x;
            }
            if !runs.go_on() {
                return n;
            }
        }
    }
}

/// The kernels of an instruction set: its vectors of floats; those of doubles, how they are divided and the vectors of a block; those
/// of halves, the words of a vector and the arguments, anchors and minima of a step.
macro_rules! kernels {
    ($isa:ident rows $floats:ty; $($test:ident)+: $doubles:ty, $divide:ty, $blocks:literal;
     exhaust $halves:ty, $lanes:literal, $length:literal, $anchors:literal, $minima:literal) => {
        $isa! {
            pub(super) unsafe extern "C" fn rows(cells: *const super::Cell, count: usize, hits: *mut u64) {
                // SAFETY: the caller's contract, here and below.
                unsafe { lanes::rows::<$floats>(cells, count, hits) }
            }

            pub(super) unsafe extern "C" fn exhaust(d: *const u64, n: u64, w: u64) -> u64 {
                // SAFETY: the contract of the kernel.
                unsafe { lanes::exhaust::<$halves, $lanes, $length, $anchors, $minima>(d, n, w) }
            }
        }
        $(kernels! { @ $isa $test $doubles, $divide, $blocks })+
    };
    (@ $isa:ident $test:ident $doubles:ty, $divide:ty, $blocks:literal) => {
        $isa! {
            pub(super) unsafe extern "C" fn $test(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8) {
                const DOMAINS: usize = $blocks * <$doubles as crate::vector::Vector>::LANES;
                // SAFETY: the contract of the kernel; whole blocks.
                unsafe {
                    blocks::<DOMAINS>(|a, b, n, w| lanes::$test::<$doubles, $divide, $blocks>(a, b, n, w), a, b, count, n, w, bits)
                }
            }
        }
    };
}
pub(super) use kernels;
