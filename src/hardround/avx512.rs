//! Intrinsics of the family for avx512.

use core::arch::x86_64::*;

use super::runs::Runs;

/// The upper halves of values whose difference is `first`, and of that `second`, and of that `third`; goes on after them.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn anchors(y: &mut __m512i, first: &mut __m512i, second: &mut __m512i, third: __m512i) -> [__m512i; 4] {
    let mut step = || {
        let value = *y;
        *y = _mm512_add_epi64(*y, *first);
        *first = _mm512_add_epi64(*first, *second);
        *second = _mm512_add_epi64(*second, third);
        _mm512_castsi512_ps(value)
    };
    // Not a loop: the array is in registers.
    let mut next = || _mm512_castps_si512(_mm512_shuffle_ps::<0b11_01_11_01>(step(), step()));
    [next(), next(), next(), next()]
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
pub unsafe extern "C" fn exhaust(d: *const u64, n: u64, w: u64) -> u64 {
    // SAFETY: the caller's contract.
    let mut runs = match unsafe { Runs::<8, 64>::new(d, n, w) } {
        Ok(runs) => runs,
        Err(first) => return first,
    };
    let (third, limit) = (_mm512_set1_epi64(runs.third() as i64), _mm512_set1_epi32(runs.limit as i32));
    let (lanes, ahead_more, slope_more) = runs.ahead();
    // SAFETY: arrays of the size of a vector.
    let load = |lanes: [u64; 8]| unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) };
    let [mut y, next, after] = runs.values().map(load);
    let mut first = _mm512_sub_epi64(next, y);
    let mut second = _mm512_sub_epi64(_mm512_sub_epi64(after, next), first);
    let mut ahead = load(lanes);
    let turns = if runs.turning {
        let (lanes, more) = runs.turns();
        anchors(
            &mut load(lanes),
            &mut _mm512_set1_epi64(more as i64),
            &mut _mm512_setzero_si512(),
            _mm512_setzero_si512(),
        )
    } else {
        [_mm512_setzero_si512(); 4]
    };
    loop {
        let anchors = anchors(&mut y, &mut first, &mut second, third);
        y = _mm512_add_epi64(y, ahead);
        ahead = _mm512_add_epi64(ahead, _mm512_set1_epi64(ahead_more as i64));
        first = _mm512_add_epi64(first, _mm512_set1_epi64(slope_more as i64));
        let lower = |anchors: &[__m512i; 4], mut least: [__m512i; 2], offset| {
            for (i, anchor) in anchors.iter().enumerate() {
                least[i % 2] = _mm512_min_epu32(least[i % 2], _mm512_add_epi32(*anchor, _mm512_set1_epi32(offset)));
            }
            least
        };
        let may_have = |[even, odd]: [__m512i; 2]| _mm512_cmple_epu32_mask(_mm512_min_epu32(even, odd), limit) != 0;
        let most = [_mm512_set1_epi32(-1); 2];
        let least = if runs.turning {
            let mut turned = anchors;
            runs.offsets().fold(most, |least, offset| {
                let least = lower(&turned, least, offset);
                turned.iter_mut().zip(turns).for_each(|(anchor, turn)| *anchor = _mm512_add_epi32(*anchor, turn));
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
