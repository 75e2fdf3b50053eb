//! Intrinsics of the family for sse2.

use core::arch::x86_64::*;

use super::runs::Runs;

/// The upper halves of values whose difference is `first`, and of that `second`, and of that `third`; goes on after them.
#[inline]
#[target_feature(enable = "sse2")]
fn anchors(y: &mut __m128i, first: &mut __m128i, second: &mut __m128i, third: __m128i) -> [__m128i; 8] {
    let mut step = || {
        let value = *y;
        *y = _mm_add_epi64(*y, *first);
        *first = _mm_add_epi64(*first, *second);
        *second = _mm_add_epi64(*second, third);
        _mm_castsi128_ps(value)
    };
    // Not a loop: the array is in registers.
    let mut next = || _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(step(), step()));
    [next(), next(), next(), next(), next(), next(), next(), next()]
}

#[target_feature(enable = "sse2")]
pub unsafe extern "C" fn exhaust(d: *const u64, n: u64, w: u64) -> u64 {
    // SAFETY: the caller's contract.
    let mut runs = match unsafe { Runs::<2, 32>::new(d, n, w) } {
        Ok(runs) => runs,
        Err(first) => return first,
    };
    // Comparisons are signed: sums and the limit are 2^31 more.
    let (third, limit) = (_mm_set1_epi64x(runs.third() as i64), _mm_set1_epi32(runs.limit as i32 ^ i32::MIN));
    let (lanes, ahead_more, slope_more) = runs.ahead();
    // SAFETY: arrays of the size of a vector.
    let load = |lanes: [u64; 2]| unsafe { _mm_loadu_si128(lanes.as_ptr().cast()) };
    let [mut y, next, after] = runs.values().map(load);
    let mut first = _mm_sub_epi64(next, y);
    let mut second = _mm_sub_epi64(_mm_sub_epi64(after, next), first);
    let mut ahead = load(lanes);
    y = _mm_xor_si128(y, _mm_set1_epi64x(i64::MIN));
    let turns = if runs.turning {
        let (lanes, more) = runs.turns();
        anchors(&mut load(lanes), &mut _mm_set1_epi64x(more as i64), &mut _mm_setzero_si128(), _mm_setzero_si128())
    } else {
        [_mm_setzero_si128(); 8]
    };
    loop {
        let anchors = anchors(&mut y, &mut first, &mut second, third);
        y = _mm_add_epi64(y, ahead);
        ahead = _mm_add_epi64(ahead, _mm_set1_epi64x(ahead_more as i64));
        first = _mm_add_epi64(first, _mm_set1_epi64x(slope_more as i64));
        // Minima of 16 bits, of which those of the upper halves count.
        let lower = |anchors: &[__m128i; 8], mut least: [__m128i; 2], offset| {
            for (i, anchor) in anchors.iter().enumerate() {
                least[i % 2] = _mm_min_epi16(least[i % 2], _mm_add_epi32(*anchor, _mm_set1_epi32(offset)));
            }
            least
        };
        let may_have = |[even, odd]: [__m128i; 2]| {
            let greater = _mm_cmpgt_epi16(_mm_min_epi16(even, odd), limit);
            _mm_movemask_ps(_mm_castsi128_ps(greater)) != 15
        };
        let step_may_have = |offset| {
            let greater = anchors.map(|anchor| _mm_cmpgt_epi32(_mm_add_epi32(anchor, _mm_set1_epi32(offset)), limit));
            let all = greater.into_iter().fold(_mm_set1_epi32(-1), |all, one| _mm_and_si128(all, one));
            _mm_movemask_ps(_mm_castsi128_ps(all)) != 15
        };
        let most = [_mm_set1_epi16(i16::MAX); 2];
        let least = if runs.turning {
            let mut turned = anchors;
            runs.offsets().fold(most, |least, offset| {
                let least = lower(&turned, least, offset);
                turned.iter_mut().zip(turns).for_each(|(anchor, turn)| *anchor = _mm_add_epi32(*anchor, turn));
                least
            })
        } else {
            runs.offsets().fold(most, |least, offset| lower(&anchors, least, offset))
        };
        if may_have(least)
            && let Some(x) = runs.find(step_may_have)
        {
            return x;
        }
        if !runs.go_on() {
            return n;
        }
    }
}
