//! Runs of arguments, for the intrinsics of `exhaust`.
//!
//! A run is the arguments x + L k + i, for k < K and i < L. Its *anchors* are y(x + i). Modulo
//! 2^64, its values are
//!
//! ```text
//! y(x + L k + i) = anchor i + offset k + (i - L/2) L k d2
//! offset k = L k (d1 + L/2 d2) + L k (L k - 1) / 2 d2
//! ```
//!
//! where d1 is the first difference at x and d3 = 0; otherwise K = 1. The last term is left out; it
//! must be less than 2^47, which bounds K. If runs would be too short that way, anchors *move*
//! instead: each step adds to every anchor the growth of its last term.
//!
//! Only upper halves are added, each less than 1 too low. Offset 0 is a bias instead of 0, so that
//! the sum for a value below w is between 0 and a limit. If a sum of a run is in this range, the
//! steps of the run are tested, and the L arguments of such a step one by one.

use super::{exhaust_from, scalar};
use crate::math::vector::{Int, Words};

/// Minimum number of arguments for runs; fewer are faster one by one.
const FEWEST: u64 = 64;

/// Maximum w for runs. Above it, more than one argument in 2^9 has a value below w, and runs do not
/// pay.
const OFTEN: u64 = 1 << (64 - 9);

/// Maximum number of arguments of a run, log2.
const LONGEST: u32 = 11;

/// Minimum number of arguments of a run whose anchors do not move, log2. Shorter runs get moving
/// anchors if at least this many arguments are searched.
const SHORTEST: u32 = 9;

/// A search by runs: the run at x, with anchors in vectors of `S` lanes.
pub(super) struct Runs<const S: usize, const L: u64> {
    d: [u64; 4],
    n: u64,
    w: u64,
    x: u64,
    length: u64,
    bias: u64,
    /// Whether anchors move.
    pub(super) moving: bool,
    /// The largest sum that a value below w may have.
    pub(super) limit: u32,
}

impl<const S: usize, const L: u64> Runs<S, L> {
    /// Begins a search, or returns its result as an error if runs do not pay.
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
        let moving = d[3] == 0 && log_length < SHORTEST && n >= 1 << SHORTEST;
        let steps = match d[3] {
            0 if moving => 1 << (LONGEST - log_l),
            0 => 1 << (log_length - log_l),
            _ => 1,
        };
        let slack = if moving { steps } else { ((steps - 1) * (L * L / 2)).wrapping_mul(bend) >> 32 };
        let limit = ((w - 1) >> 32) + 2 * slack + 3;
        Ok(Runs { d, n, w, x: 0, length: steps * L, bias: (slack + 2) << 32, moving, limit: limit as u32 })
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

    /// The step by which the anchors of the first vector move, and its increment from vector to
    /// vector.
    #[inline]
    pub(super) fn moves(&self) -> ([u64; S], u64) {
        let step = self.d[2].wrapping_mul(L);
        let mut lane = step.wrapping_mul(L / 2).wrapping_neg();
        let lanes = [(); S].map(|()| {
            let value = lane;
            lane = lane.wrapping_add(step);
            value
        });
        (lanes, step.wrapping_mul(S as u64))
    }

    /// The third difference of vectors.
    #[inline]
    pub(super) fn third(&self) -> u64 {
        self.d[3].wrapping_mul((S * S * S) as u64)
    }

    /// Increments from x + L to the next run: of the values, by lane; of this increment itself,
    /// from run to run; and of the first difference of vectors.
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

    /// The first argument of the run with a value below w. Searches only the steps that `may_have`
    /// one; if anchors move, the whole run.
    #[inline]
    pub(super) fn find(&self, may_have: impl Fn(i32) -> bool) -> Option<u64> {
        let search = |x: u64, end: u64| {
            // SAFETY: four integers.
            let first = unsafe { scalar::exhaust(exhaust_from(&self.d, x).as_ptr(), end - x, self.w) };
            (first < end - x).then_some(x + first)
        };
        let end = self.end();
        if self.moving {
            return search(self.x, end);
        }
        let steps = (self.x..end).step_by(L as usize).zip(self.offsets());
        steps.filter(|&(_, offset)| may_have(offset)).find_map(|(x, _)| search(x, x + L.min(end - x)))
    }

    /// Moves on to the next run; returns false if there is none.
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
    /// Added to halves so that the comparisons of the instruction set order them as unsigned
    /// integers.
    const BIAS: u32 = 0;

    /// The upper halves of two vectors.
    unsafe fn upper(a: Self::Words, b: Self::Words) -> Self;
    /// The minimum in each lane, of which at least the upper 16 bits are right.
    unsafe fn lane_min(self, b: Self) -> Self;
    /// False only if no lane is at most the limit, nor was before [`Self::lane_min`].
    unsafe fn any_may_be(self, limit: Self) -> bool;
    /// Whether any lane is at most the limit.
    #[inline(always)]
    unsafe fn any_is(self, limit: Self) -> bool {
        // SAFETY: the contract of the trait.
        unsafe { self.any_may_be(limit) }
    }
}

/// The upper halves of the next values. `first`, `second` and `third` are their differences; `y`
/// and the differences advance past these values.
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

/// Updates the minima with the sums of a step.
///
/// # Safety
/// As for [`Divide`].
#[inline(always)]
unsafe fn lower<H: Halves, const A: usize, const M: usize>(anchors: &[H; A], minima: &mut [H; M], offset: i32) {
    for (i, anchor) in anchors.iter().enumerate() {
        // SAFETY: the caller's contract.
        unsafe { minima[i % M] = minima[i % M].lane_min(anchor.add(H::splat(offset as u32))) };
    }
}

/// [`scalar::exhaust()`] with `S` words per vector, `A` anchors of two vectors each, and `M` minima
/// at a time.
///
/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
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
        let mut moves = [H::splat(0); A];
        if runs.moving {
            let (lanes, more) = runs.moves();
            moves = anchors(
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
            let mut minima = [H::splat(u32::MAX ^ H::BIAS); M];
            if runs.moving {
                let mut moved = anchors;
                for offset in runs.offsets() {
                    lower(&moved, &mut minima, offset);
                    for (anchor, step) in moved.iter_mut().zip(moves) {
                        *anchor = anchor.add(step);
                    }
                }
            } else {
                for offset in runs.offsets() {
                    lower(&anchors, &mut minima, offset);
                }
            }
            let mut all = minima[0];
            for &one in &minima[1..] {
                all = all.lane_min(one);
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
