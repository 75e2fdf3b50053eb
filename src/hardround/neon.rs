//! The search for hard-to-round cases.

use core::arch::aarch64::*;

use super::TURNS;
use super::domains::blocks;
use super::runs::exhaust;
use super::{Cell, MOST_DOMAINS, UNIT};
use crate::libm::ROUND;

/// A vector of these.
#[inline]
#[target_feature(enable = "neon")]
fn four(words: [u32; 4]) -> uint32x4_t {
    // SAFETY: an array of four.
    unsafe { vld1q_u32(words.as_ptr()) }
}

/// A quantity with two differences in 4 domains, and what it grows by to the next 4.
struct Quantity {
    value: uint32x4_t,
    step: uint32x4_t,
    change: uint32x4_t,
}

impl Quantity {
    #[inline]
    #[target_feature(enable = "neon")]
    fn new([q, d, dd]: [u32; 3]) -> Self {
        // In domain i it has grown by i d + i (i - 1) / 2 dd; to domain i + 4 it grows by 4 d + (4 i + 6) dd.
        let value = vmlaq_n_u32(vdupq_n_u32(q), four([0, 1, 2, 3]), d);
        let step = vshlq_n_u32::<2>(vdupq_n_u32(d));
        Quantity {
            value: vmlaq_n_u32(value, four([0, 0, 1, 3]), dd),
            step: vmlaq_n_u32(step, four([6, 10, 14, 18]), dd),
            change: vshlq_n_u32::<4>(vdupq_n_u32(dd)),
        }
    }

    /// 1 and these fractions; then the next are.
    #[inline]
    #[target_feature(enable = "neon")]
    fn next(&mut self) -> float32x4_t {
        let bits = vorrq_u32(vshrq_n_u32::<9>(self.value), vreinterpretq_u32_f32(vdupq_n_f32(1.0)));
        self.value = vaddq_u32(self.value, self.step);
        self.step = vaddq_u32(self.step, self.change);
        vreinterpretq_f32_u32(bits)
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn fraction(s: float32x4_t) -> float32x4_t {
    vsubq_f32(s, vrndq_f32(s))
}

#[target_feature(enable = "neon")]
pub(super) unsafe extern "C" fn rows(cells: *const Cell, count: usize, hits: *mut u64) {
    for c in 0..count {
        // SAFETY: `count` cells.
        let cell = unsafe { cells.add(c).read_unaligned() };
        let [per, ratio, least, most, slack] =
            [cell.per, cell.ratio, cell.least, cell.most, cell.slack].map(|x| vdupq_n_f32(x));
        let (mut z, mut h) = (Quantity::new(cell.z), Quantity::new(cell.h));
        let [y0, dy] = cell.y.map(|word| vdupq_n_s32(word));
        let mut y = vmlaq_s32(y0, dy, vreinterpretq_s32_u32(four([0, 1, 2, 3])));
        let mut next = || {
            let gap = vmaxq_f32(vcvtq_f32_s32(y), least);
            y = vaddq_s32(y, vshlq_n_s32::<2>(dy));
            let (z, h) = (z.next(), h.next());
            let t = vdivq_f32(per, gap);
            let slope = vsubq_f32(t, ratio);
            let most = vaddq_f32(vmulq_n_f32(gap, cell.reach), most);
            let width = vaddq_f32(vmulq_n_f32(t, cell.width), slack);
            let below = vsubq_f32(z, vdupq_n_f32(1.0));
            let first = vaddq_f32(vmulq_f32(below, slope), h);
            let second = fraction(vaddq_f32(first, slope));
            let first = fraction(first);
            // The lesser part, of row 1 only where that is within reach.
            let part = vminq_f32(first, vbslq_f32(vcleq_f32(z, most), second, first));
            vandq_u32(vcleq_f32(below, most), vcleq_f32(part, width))
        };
        let mut domains = cell.count.min(MOST_DOMAINS);
        let words = [0, 1, 2, 3].map(|_| {
            let here = domains.min(32);
            domains -= here;
            // A vector's bits come in above those of the 7 before.
            let mut found = vdupq_n_u32(0);
            for _ in 0..here.div_ceil(4) {
                found = vsriq_n_u32::<4>(next(), found);
            }
            let bits = vandq_u32(found, four([0x1111_1111, 0x2222_2222, 0x4444_4444, 0x8888_8888]));
            // The vectors that a word lacks, and what is beyond the domains.
            let bits = u64::from(vaddvq_u32(bits)) >> (32 - 4 * here.div_ceil(4));
            bits & !(!0 << here)
        });
        // SAFETY: two words for each cell.
        unsafe {
            hits.cast::<[u64; 2]>().add(c).write_unaligned([words[0] | words[1] << 32, words[2] | words[3] << 32])
        }
    }
}

exhaust! {
    #[target_feature(enable = "neon")]
    uint64x2_t, 2, 32, vld1q_u64, vdupq_n_u64, vaddq_u64, vsubq_u64;
    uint32x4_t, vdupq_n_u32, vaddq_u32, vminq_u32, |a, b| vuzp2q_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b));
    0 1 2 3 4 5 6 7; 0, vdupq_n_u32(u32::MAX);
    |[a, b, c, d], limit| {
        let least = vminq_u32(vminq_u32(a, b), vminq_u32(c, d));
        vmaxvq_u32(vcleq_u32(least, limit)) != 0
    }
}

/// Domains at a time.
const DOMAINS: usize = 8;

/// Two domains, in integers below 2^53. Gaps and their numbers are those of the reference; `d` is the distance of b from the begin of a
/// gap p, or p and the distance from that of a gap q.
#[derive(Clone, Copy)]
struct Lanes {
    p: float64x2_t,
    q: float64x2_t,
    d: float64x2_t,
    u: float64x2_t,
    v: float64x2_t,
}

#[inline]
#[target_feature(enable = "neon")]
fn all(x: f64) -> float64x2_t {
    vdupq_n_f64(x)
}

#[inline]
#[target_feature(enable = "neon")]
fn keep(mask: uint64x2_t, x: float64x2_t) -> float64x2_t {
    vreinterpretq_f64_u64(vandq_u64(mask, vreinterpretq_u64_f64(x)))
}

#[inline]
#[target_feature(enable = "neon")]
fn bits_of(mask: uint64x2_t) -> u32 {
    (vgetq_lane_u64::<0>(mask) as u32 & 1) | (vgetq_lane_u64::<1>(mask) as u32 & 2)
}

/// 52-bit integers from the upper bits of fractions.
///
/// # Safety
/// Two readable integers.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn integers(from: *const u64) -> float64x2_t {
    // SAFETY: the caller's contract.
    vcvtq_f64_u64(vshrq_n_u64::<12>(unsafe { vld1q_u64(from) }))
}

/// 1 / y and (y - 1) / 2.
#[inline]
#[target_feature(enable = "neon")]
fn divisor(y: float64x2_t) -> (float64x2_t, float64x2_t) {
    (vdivq_f64(all(1.0), y), vfmaq_f64(all(-0.5), all(0.5), y))
}

/// (x - (y - 1) / 2) / y to the nearest integer is x / y rounded down: as 1 / y is rounded, it is off by less than the 1 / (2 y) that
/// separate it from the middle between integers. What is added to 1.5 2^52 is rounded to integers.
#[inline]
#[target_feature(enable = "neon")]
fn quotient(x: float64x2_t, inverse: float64x2_t) -> float64x2_t {
    let round = all(ROUND);
    vsubq_f64(vfmaq_f64(round, x, inverse), round)
}

impl Lanes {
    /// # Safety
    /// Two domains.
    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn new(a: *const u64, b: *const u64) -> Self {
        // SAFETY: the caller's contract.
        let (p, d) = unsafe { (integers(a), integers(b)) };
        Lanes { p, q: vsubq_f64(all(UNIT), p), d, u: all(1.0), v: all(1.0) }
    }

    /// Gaps q are cut by gaps p, but for the last time. A lane where it would be is not in the result and stays as it is, here and, as
    /// its q is the larger gap and the quotient there 0, in `second`.
    #[inline]
    #[target_feature(enable = "neon")]
    fn first(&mut self, n: float64x2_t) -> uint64x2_t {
        let (inverse, middle) = divisor(self.p);
        let k = quotient(vsubq_f64(self.q, middle), inverse);
        let more = vcltq_f64(vfmaq_f64(vaddq_f64(self.u, self.v), k, self.v), n);
        let k = keep(more, k);
        self.q = vfmsq_f64(self.q, k, self.p);
        self.u = vfmaq_f64(self.u, k, self.v);
        let cut = vminq_f64(quotient(vsubq_f64(self.d, middle), inverse), k);
        self.d = vfmsq_f64(self.d, cut, self.p);
        more
    }

    /// Gaps p are cut by gaps q, from their ends; likewise.
    #[inline]
    #[target_feature(enable = "neon")]
    fn second(&mut self, n: float64x2_t) -> uint64x2_t {
        let (inverse, middle) = divisor(self.q);
        let k = quotient(vsubq_f64(self.p, middle), inverse);
        let more = vcltq_f64(vfmaq_f64(vaddq_f64(self.u, self.v), k, self.u), n);
        let k = keep(more, k);
        self.p = vfmsq_f64(self.p, k, self.q);
        self.v = vfmaq_f64(self.v, k, self.u);
        let cut = quotient(vsubq_f64(vsubq_f64(self.d, middle), self.p), inverse);
        self.d = vfmsq_f64(self.d, vmaxq_f64(cut, all(0.0)), self.q);
        more
    }

    /// The last cut, as far as `n` needs it, of the larger gaps: whether b is then less than `w` from a begin.
    #[inline]
    #[target_feature(enable = "neon")]
    fn last(self, n: float64x2_t, w: float64x2_t) -> u32 {
        let Lanes { p, q, d, u, v } = self;
        let first = vcleq_f64(p, q);
        let (divisor, rest) = (vbslq_f64(first, p, q), vbslq_f64(first, q, p));
        let needed = vrndpq_f64(vdivq_f64(vsubq_f64(vsubq_f64(n, u), v), vbslq_f64(first, v, u)));
        let k = vminq_f64(vrndmq_f64(vdivq_f64(rest, divisor)), needed);
        let rest = vfmsq_f64(rest, k, divisor);
        // With a half, as 0 / 0 would not be a number.
        let above = vsubq_f64(vaddq_f64(d, all(0.5)), vbslq_f64(first, all(0.0), rest));
        let cut = vminq_f64(vmaxq_f64(vrndmq_f64(vdivq_f64(above, divisor)), all(0.0)), k);
        let d = vfmsq_f64(d, cut, divisor);
        let p = vbslq_f64(first, divisor, rest);
        let d = vsubq_f64(d, keep(vcleq_f64(p, d), p));
        bits_of(vcltq_f64(d, w))
    }
}

/// # Safety
/// `DOMAINS` domains.
#[target_feature(enable = "neon")]
unsafe extern "C" fn regular_block(a: *const u64, b: *const u64, n: f64, w: f64) -> u32 {
    let (n, w) = (all(n), all(w));
    // SAFETY: the caller's contract.
    let mut block: [Lanes; DOMAINS / 2] = core::array::from_fn(|i| unsafe { Lanes::new(a.add(2 * i), b.add(2 * i)) });
    loop {
        let mut more = [vdupq_n_u64(0); DOMAINS / 2];
        for (lanes, more) in block.iter_mut().zip(&mut more) {
            *more = lanes.first(n);
        }
        let mut any = vdupq_n_u64(0);
        for (lanes, more) in block.iter_mut().zip(more) {
            any = vorrq_u64(any, vandq_u64(more, lanes.second(n)));
        }
        if vmaxvq_u32(vreinterpretq_u32_u64(any)) == 0 {
            break;
        }
    }
    block.iter().rev().fold(0, |bits, lanes| bits << 2 | lanes.last(n, w))
}

pub unsafe extern "C" fn regular(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8) {
    // SAFETY: the caller's contract.
    unsafe { blocks::<DOMAINS>(regular_block, a, b, count, n, w, bits) }
}

impl Lanes {
    /// Gaps of the kind that b is not in are cut by those of its own, and one of these is cut by the rest. Lanes of `more` whose b is then
    /// less than `w` from a begin; they and those that have none leave `more`.
    #[inline]
    #[target_feature(enable = "neon")]
    fn turn(&mut self, more: &mut uint64x2_t, n: float64x2_t, w: float64x2_t) -> uint64x2_t {
        let in_p = vcltq_f64(self.d, self.p);
        let choose = |one, other| vbslq_f64(in_p, one, other);
        let (own, other) = (choose(self.p, self.q), choose(self.q, self.p));
        let (owned, others) = (choose(self.u, self.v), choose(self.v, self.u));
        self.d = vsubq_f64(self.d, choose(all(0.0), self.p));
        let hit = vandq_u64(*more, vcltq_f64(self.d, w));
        let (inverse, middle) = divisor(own);
        let k = quotient(vsubq_f64(other, middle), inverse);
        let other = vfmsq_f64(other, k, own);
        let owned = vfmaq_f64(owned, k, others);
        let others = vaddq_f64(others, owned);
        let own = vsubq_f64(own, other);
        let some = vandq_u64(vcgtzq_f64(other), vcltq_f64(others, n));
        *more = vandq_u64(vbicq_u64(*more, hit), some);
        (self.p, self.q) = (choose(own, other), choose(other, own));
        (self.u, self.v) = (choose(owned, others), choose(others, owned));
        hit
    }
}

/// # Safety
/// `DOMAINS` domains.
#[target_feature(enable = "neon")]
unsafe extern "C" fn lefevre_block(a: *const u64, b: *const u64, n: f64, w: f64) -> u32 {
    let (n, w) = (all(n), all(w));
    // SAFETY: the caller's contract.
    let mut block: [Lanes; DOMAINS / 2] = core::array::from_fn(|i| unsafe { Lanes::new(a.add(2 * i), b.add(2 * i)) });
    let mut hits = block.map(|lanes| vcltq_f64(lanes.d, w));
    let mut more = block.map(|lanes| vcgtzq_f64(lanes.p));
    for (more, &hits) in more.iter_mut().zip(&hits) {
        *more = vbicq_u64(*more, hits);
    }
    for _ in 0..TURNS {
        let mut any = vdupq_n_u64(0);
        for ((lanes, hits), more) in block.iter_mut().zip(&mut hits).zip(&mut more) {
            *hits = vorrq_u64(*hits, lanes.turn(more, n, w));
            any = vorrq_u64(any, *more);
        }
        if vmaxvq_u32(vreinterpretq_u32_u64(any)) == 0 {
            break;
        }
    }
    let mut bits = 0;
    for (i, (&hits, &more)) in hits.iter().zip(&more).enumerate() {
        bits |= bits_of(vorrq_u64(hits, more)) << (2 * i);
    }
    bits
}

pub unsafe extern "C" fn lefevre(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8) {
    // SAFETY: the caller's contract.
    unsafe { blocks::<DOMAINS>(lefevre_block, a, b, count, n, w, bits) }
}
