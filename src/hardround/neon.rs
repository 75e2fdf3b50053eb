//! Intrinsics of the family for neon.

use core::arch::aarch64::*;

use super::runs::Runs;

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
    loop {
        let mut step = || {
            let value = y;
            y = vaddq_u64(y, first);
            first = vaddq_u64(first, second);
            second = vaddq_u64(second, third);
            vreinterpretq_u32_u64(value)
        };
        let anchors = [(); 8].map(|()| vuzp2q_u32(step(), step()));
        y = vaddq_u64(y, ahead);
        ahead = vaddq_u64(ahead, vdupq_n_u64(ahead_more));
        first = vaddq_u64(first, vdupq_n_u64(slope_more));
        let lower = |mut least: [uint32x4_t; 2], offset| {
            for (i, anchor) in anchors.into_iter().enumerate() {
                least[i % 2] = vminq_u32(least[i % 2], vaddq_u32(anchor, vreinterpretq_u32_s32(vdupq_n_s32(offset))));
            }
            least
        };
        let may_have = |[even, odd]: [uint32x4_t; 2]| vmaxvq_u32(vcleq_u32(vminq_u32(even, odd), limit)) != 0;
        let most = [vdupq_n_u32(u32::MAX); 2];
        if may_have(runs.offsets().fold(most, lower))
            && let Some(x) = runs.find(|offset| may_have(lower(most, offset)))
        {
            return x;
        }
        if !runs.go_on() {
            return n;
        }
    }
}
