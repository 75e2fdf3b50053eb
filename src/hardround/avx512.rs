//! The search for hard-to-round cases.

use core::arch::x86_64::*;

use super::runs::Runs;
use super::{Cell, MOST_DOMAINS};

/// The domains of a vector, and their pairs, i (i - 1) / 2.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn indices() -> [__m512i; 2] {
    let i = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    [i, _mm512_setr_epi32(0, 0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105)]
}

/// A quantity with two differences in 16 domains, and what it grows by to the next 16.
struct Quantity {
    value: __m512i,
    step: __m512i,
    change: __m512i,
}

impl Quantity {
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    fn new(words: [u32; 3]) -> Self {
        let [q, d, dd] = words.map(|word| _mm512_set1_epi32(word as i32));
        let [i, pairs] = indices();
        // In domain i it has grown by i d + i (i - 1) / 2 dd; to domain i + 16 it grows by 16 d + (16 i + 120) dd.
        let gained = _mm512_add_epi32(_mm512_slli_epi32::<4>(i), _mm512_set1_epi32(120));
        let value = _mm512_add_epi32(_mm512_add_epi32(q, _mm512_mullo_epi32(i, d)), _mm512_mullo_epi32(pairs, dd));
        let step = _mm512_add_epi32(_mm512_slli_epi32::<4>(d), _mm512_mullo_epi32(gained, dd));
        Quantity { value, step, change: _mm512_slli_epi32::<8>(dd) }
    }

    /// 1 and these fractions; then the next are.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    fn next(&mut self) -> __m512 {
        let bits = _mm512_or_si512(_mm512_srli_epi32::<9>(self.value), _mm512_castps_si512(_mm512_set1_ps(1.0)));
        self.value = _mm512_add_epi32(self.value, self.step);
        self.step = _mm512_add_epi32(self.step, self.change);
        _mm512_castsi512_ps(bits)
    }
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn fraction(s: __m512) -> __m512 {
    _mm512_reduce_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(s)
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
pub(super) unsafe extern "C" fn rows(cells: *const Cell, count: usize, hits: *mut u64) {
    for c in 0..count {
        // SAFETY: `count` cells.
        let cell = unsafe { cells.add(c).read_unaligned() };
        let [per, ratio, least, reach, most, width, slack] =
            [cell.per, cell.ratio, cell.least, cell.reach, cell.most, cell.width, cell.slack]
                .map(|x| _mm512_set1_ps(x));
        let (mut z, mut h) = (Quantity::new(cell.z), Quantity::new(cell.h));
        let [y0, dy] = cell.y.map(|word| _mm512_set1_epi32(word));
        let mut y = _mm512_add_epi32(y0, _mm512_mullo_epi32(dy, indices()[0]));
        let mut next = || {
            let gap = _mm512_max_ps(_mm512_cvtepi32_ps(y), least);
            y = _mm512_add_epi32(y, _mm512_slli_epi32::<4>(dy));
            let (z, h) = (z.next(), h.next());
            let t = _mm512_div_ps(per, gap);
            let slope = _mm512_sub_ps(t, ratio);
            let most = _mm512_add_ps(_mm512_mul_ps(reach, gap), most);
            let width = _mm512_add_ps(_mm512_mul_ps(width, t), slack);
            let below = _mm512_sub_ps(z, _mm512_set1_ps(1.0));
            let first = _mm512_add_ps(_mm512_mul_ps(below, slope), h);
            let second = _mm512_add_ps(first, slope);
            let within = _mm512_cmple_ps_mask(below, most);
            let found = _mm512_mask_cmple_ps_mask(within, fraction(first), width);
            let within = _mm512_cmple_ps_mask(z, most);
            found | _mm512_mask_cmple_ps_mask(within, fraction(second), width)
        };
        // SAFETY: two words for each cell, and a quarter of one for 16 of at most 128 domains.
        unsafe {
            let quarters = hits.add(2 * c).cast::<u16>();
            quarters.cast::<[u64; 2]>().write_unaligned([0; 2]);
            let domains = cell.count.min(MOST_DOMAINS) as usize;
            for quarter in 0..domains / 16 {
                quarters.add(quarter).write_unaligned(next());
            }
            if domains % 16 != 0 {
                quarters.add(domains / 16).write_unaligned(next() & !(!0 << (domains % 16)));
            }
        }
    }
}

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
