//! The search for hard-to-round cases.

use core::arch::aarch64::*;

use super::runs::Runs;
use super::{Cell, MOST_DOMAINS};

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

/// The upper halves of values whose difference is `first`, and of that `second`, and of that `third`; goes on after them.
#[inline]
#[target_feature(enable = "neon")]
fn anchors(y: &mut uint64x2_t, first: &mut uint64x2_t, second: &mut uint64x2_t, third: uint64x2_t) -> [uint32x4_t; 8] {
    let mut step = || {
        let value = *y;
        *y = vaddq_u64(*y, *first);
        *first = vaddq_u64(*first, *second);
        *second = vaddq_u64(*second, third);
        vreinterpretq_u32_u64(value)
    };
    // Not a loop: the array is in registers.
    let mut next = || vuzp2q_u32(step(), step());
    [next(), next(), next(), next(), next(), next(), next(), next()]
}

#[target_feature(enable = "neon")]
pub unsafe extern "C" fn exhaust(d: *const u64, n: u64, w: u64) -> u64 {
    // SAFETY: the caller's contract.
    let mut runs = match unsafe { Runs::<2, 32>::new(d, n, w) } {
        Ok(runs) => runs,
        Err(first) => return first,
    };
    let (third, limit) = (vdupq_n_u64(runs.third()), vdupq_n_u32(runs.limit));
    let (lanes, ahead_more, slope_more) = runs.ahead();
    // SAFETY: arrays of the size of a vector.
    let load = |lanes: [u64; 2]| unsafe { vld1q_u64(lanes.as_ptr()) };
    let [mut y, next, after] = runs.values().map(load);
    let mut first = vsubq_u64(next, y);
    let mut second = vsubq_u64(vsubq_u64(after, next), first);
    let mut ahead = load(lanes);
    let turns = if runs.turning {
        let (lanes, more) = runs.turns();
        anchors(&mut load(lanes), &mut vdupq_n_u64(more), &mut vdupq_n_u64(0), vdupq_n_u64(0))
    } else {
        [vdupq_n_u32(0); 8]
    };
    loop {
        let anchors = anchors(&mut y, &mut first, &mut second, third);
        y = vaddq_u64(y, ahead);
        ahead = vaddq_u64(ahead, vdupq_n_u64(ahead_more));
        first = vaddq_u64(first, vdupq_n_u64(slope_more));
        let lower = |anchors: &[uint32x4_t; 8], mut least: [uint32x4_t; 4], offset| {
            for (i, anchor) in anchors.iter().enumerate() {
                least[i % 4] = vminq_u32(least[i % 4], vaddq_u32(*anchor, vreinterpretq_u32_s32(vdupq_n_s32(offset))));
            }
            least
        };
        let may_have = |[a, b, c, d]: [uint32x4_t; 4]| {
            let least = vminq_u32(vminq_u32(a, b), vminq_u32(c, d));
            vmaxvq_u32(vcleq_u32(least, limit)) != 0
        };
        let most = [vdupq_n_u32(u32::MAX); 4];
        let least = if runs.turning {
            let mut turned = anchors;
            runs.offsets().fold(most, |least, offset| {
                let least = lower(&turned, least, offset);
                turned.iter_mut().zip(turns).for_each(|(anchor, turn)| *anchor = vaddq_u32(*anchor, turn));
                least
            })
        } else {
            runs.offsets().fold(most, |least, offset| lower(&anchors, least, offset))
        };
        if may_have(least)
            && let Some(x) = runs.find(|offset| may_have(lower(&anchors, most, offset)))
        {
            return x;
        }
        if !runs.go_on() {
            return n;
        }
    }
}
