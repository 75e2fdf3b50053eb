//! Intrinsics of the family for avx2.

use core::arch::x86_64::*;

use super::runs::Runs;

/// The upper halves of values whose difference is `first`, and of that `second`, and of that `third`; goes on after them.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn anchors(y: &mut __m256i, first: &mut __m256i, second: &mut __m256i, third: __m256i) -> [__m256i; 8] {
    let mut step = || {
        let value = *y;
        *y = _mm256_add_epi64(*y, *first);
        *first = _mm256_add_epi64(*first, *second);
        *second = _mm256_add_epi64(*second, third);
        _mm256_castsi256_ps(value)
    };
    // Not a loop: the array is in registers.
    let mut next = || _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(step(), step()));
    [next(), next(), next(), next(), next(), next(), next(), next()]
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
pub unsafe extern "C" fn exhaust(d: *const u64, n: u64, w: u64) -> u64 {
    // SAFETY: the caller's contract.
    let mut runs = match unsafe { Runs::<4, 64>::new(d, n, w) } {
        Ok(runs) => runs,
        Err(first) => return first,
    };
    let (third, limit) = (_mm256_set1_epi64x(runs.third() as i64), _mm256_set1_epi32(runs.limit as i32));
    let (lanes, ahead_more, slope_more) = runs.ahead();
    // SAFETY: arrays of the size of a vector.
    let load = |lanes: [u64; 4]| unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) };
    let [mut y, next, after] = runs.values().map(load);
    let mut first = _mm256_sub_epi64(next, y);
    let mut second = _mm256_sub_epi64(_mm256_sub_epi64(after, next), first);
    let mut ahead = load(lanes);
    let turns = if runs.turning {
        let (lanes, more) = runs.turns();
        anchors(
            &mut load(lanes),
            &mut _mm256_set1_epi64x(more as i64),
            &mut _mm256_setzero_si256(),
            _mm256_setzero_si256(),
        )
    } else {
        [_mm256_setzero_si256(); 8]
    };
    loop {
        let anchors = anchors(&mut y, &mut first, &mut second, third);
        y = _mm256_add_epi64(y, ahead);
        ahead = _mm256_add_epi64(ahead, _mm256_set1_epi64x(ahead_more as i64));
        first = _mm256_add_epi64(first, _mm256_set1_epi64x(slope_more as i64));
        let lower = |anchors: &[__m256i; 8], mut least: [__m256i; 2], offset| {
            for (i, anchor) in anchors.iter().enumerate() {
                least[i % 2] = _mm256_min_epu32(least[i % 2], _mm256_add_epi32(*anchor, _mm256_set1_epi32(offset)));
            }
            least
        };
        let may_have = |[even, odd]: [__m256i; 2]| {
            let least = _mm256_min_epu32(even, odd);
            let low = _mm256_cmpeq_epi32(_mm256_min_epu32(least, limit), least);
            _mm256_testz_si256(low, low) == 0
        };
        let most = [_mm256_set1_epi32(-1); 2];
        let least = if runs.turning {
            let mut turned = anchors;
            runs.offsets().fold(most, |least, offset| {
                let least = lower(&turned, least, offset);
                turned.iter_mut().zip(turns).for_each(|(anchor, turn)| *anchor = _mm256_add_epi32(*anchor, turn));
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
