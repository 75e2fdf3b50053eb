//! Intrinsics of the family for neon.

use core::arch::aarch64::*;

use super::runs::Runs;

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
