//! Runs of arguments, for the intrinsics of `exhaust`.
//!
//! The arguments of a run are x + L k + i, for k < K and i < L. With *anchors* y(x + i), their
//! values are, modulo 2^64,
//!
//! ```text
//! y(x + L k + i) = anchor i + offset k + (i - L/2) L k d2,    offset k = L k (d1 + L/2 d2) + L k (L k - 1) / 2 d2
//! ```
//!
//! where d1 is the first difference at x and d3 = 0; otherwise K = 1. The last term is left out if
//! so it is less than 2^47, which bounds K. Where this would be too short a run, anchors *turn*:
//! each step adds to each what its last term grows by.
//!
//! What is added are the upper halves alone, each less than 1 too low: those of a value below w
//! give 0 to a limit, as offset 0 is a bias instead of 0. Where a sum of a run is in this range,
//! its steps are looked at, and L arguments one by one.

use super::{exhaust_from, scalar};
use crate::vector::{Int, Words};

/// Fewer arguments cost less one by one.
const FEWEST: u64 = 64;

/// Values below w of more than an argument in 2^9: then runs would be in vain.
const OFTEN: u64 = 1 << (64 - 9);

/// The most arguments of a run, log2.
const LONGEST: u32 = 11;

/// Anchors turn rather than that runs are shorter, if there are as many arguments, log2.
const SHORTEST: u32 = 9;

/// The run at x, with anchors of vectors of `S` lanes.
pub(super) struct Runs<const S: usize, const L: u64> {
    d: [u64; 4],
    n: u64,
    w: u64,
    x: u64,
    length: u64,
    bias: u64,
    /// Whether anchors turn.
    pub(super) turning: bool,
    /// The largest sum that may belong to a value below w.
    pub(super) limit: u32,
}

impl<const S: usize, const L: u64> Runs<S, L> {
    /// Or at once what is asked for, if runs do not pay.
    ///
    /// # Safety
    /// `d` points to four readable integers.
    #[inline]
    pub(super) unsafe fn new(d: *const u64, n: u64, w: u64) -> Result<Self, u64> {
        if w == 0 {
            return Err(n);
        }
        if n < FEWEST || w > OFTEN {
            // SAFETY: the caller's contract.
            return Err(unsafe { scalar::exhaust(d, n, w) });
        }
        // SAFETY: the caller's contract.
        let d = unsafe { d.cast::<[u64; 4]>().read_unaligned() };
        let (bend, log_l) = ((d[2] as i64).unsigned_abs(), L.ilog2());
        let log_length = (47 - log_l).saturating_sub((bend | 1).ilog2()).clamp(log_l, LONGEST);
        let turning = d[3] == 0 && log_length < SHORTEST && n >= 1 << SHORTEST;
        let steps = match d[3] {
            0 if turning => 1 << (LONGEST - log_l),
            0 => 1 << (log_length - log_l),
            _ => 1,
        };
        let slack = if turning { steps } else { ((steps - 1) * (L * L / 2)).wrapping_mul(bend) >> 32 };
        let limit = ((w - 1) >> 32) + 2 * slack + 3;
        Ok(Runs { d, n, w, x: 0, length: steps * L, bias: (slack + 2) << 32, turning, limit: limit as u32 })
    }

    /// y(x + lane) for x = 0, S and 2 S.
    #[inline]
    pub(super) fn values(&self) -> [[u64; S]; 3] {
        let [mut y, mut d1, mut d2, d3] = self.d;
        [(); 3].map(|()| {
            [(); S].map(|()| {
                let value = y;
                (y, d1, d2) = (y.wrapping_add(d1), d1.wrapping_add(d2), d2.wrapping_add(d3));
                value
            })
        })
    }

    /// What the first anchors of vectors turn by, and what those of the next vectors do more.
    #[inline]
    pub(super) fn turns(&self) -> ([u64; S], u64) {
        let turn = self.d[2].wrapping_mul(L);
        let mut lane = turn.wrapping_mul(L / 2).wrapping_neg();
        let lanes = [(); S].map(|()| {
            let value = lane;
            lane = lane.wrapping_add(turn);
            value
        });
        (lanes, turn.wrapping_mul(S as u64))
    }

    /// The third difference of vectors.
    #[inline]
    pub(super) fn third(&self) -> u64 {
        self.d[3].wrapping_mul((S * S * S) as u64)
    }

    /// From x + L to the next run: what the lanes of values gain, what this gains from run to run,
    /// and what the first difference of vectors gains.
    #[inline]
    pub(super) fn ahead(&self) -> ([u64; S], u64, u64) {
        let ([_, d1, d2, _], ahead) = (self.d, self.length - L);
        let bends = ahead.wrapping_mul(d2);
        let mut lane =
            (ahead / 2 * ahead.wrapping_sub(1) + L * ahead).wrapping_mul(d2).wrapping_add(ahead.wrapping_mul(d1));
        let lanes = [(); S].map(|()| {
            let value = lane;
            lane = lane.wrapping_add(bends);
            value
        });
        (lanes, bends.wrapping_mul(self.length), bends.wrapping_mul(S as u64))
    }

    /// The end of the run.
    #[inline]
    fn end(&self) -> u64 {
        self.x + self.length.min(self.n - self.x)
    }

    /// The upper halves of the offsets. The last step may reach beyond n.
    #[inline]
    pub(super) fn offsets(&self) -> impl Iterator<Item = i32> + use<S, L> {
        let [_, d1, d2, _] = self.d;
        let bend = d2.wrapping_mul(L * L);
        let mut slope =
            d1.wrapping_add(self.x.wrapping_mul(d2)).wrapping_mul(L).wrapping_add(d2.wrapping_mul(L * L - L / 2));
        let mut offset = self.bias;
        (self.x..self.end()).step_by(L as usize).map(move |_| {
            let high = (offset >> 32) as i32;
            (offset, slope) = (offset.wrapping_add(slope), slope.wrapping_add(bend));
            high
        })
    }

    /// The first argument of the run with a value below w, which is where a step may have one, or
    /// if anchors turn anywhere.
    #[inline]
    pub(super) fn find(&self, may_have: impl Fn(i32) -> bool) -> Option<u64> {
        let search = |x: u64, end: u64| {
            // SAFETY: four integers.
            let first = unsafe { scalar::exhaust(exhaust_from(&self.d, x).as_ptr(), end - x, self.w) };
            (first < end - x).then_some(x + first)
        };
        let end = self.end();
        if self.turning {
            return search(self.x, end);
        }
        let steps = (self.x..end).step_by(L as usize).zip(self.offsets());
        steps.filter(|&(_, offset)| may_have(offset)).find_map(|(x, _)| search(x, x + L.min(end - x)))
    }

    /// Goes on to the next run; false if there is none.
    #[inline]
    pub(super) fn go_on(&mut self) -> bool {
        self.x = self.end();
        self.x < self.n
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

/// The upper halves of values whose difference is `first`, and of that `second`, and of that
/// `third`; goes on after them.
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

/// `S` words a vector, `A` anchors of two vectors, and `M` minima at a time.
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
