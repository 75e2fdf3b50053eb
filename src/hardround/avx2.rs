//! The search for hard-to-round cases.

use core::arch::x86_64::*;

use super::runs::Runs;
use super::{Cell, MOST_DOMAINS};

/// A quantity with two differences in 8 domains, and what it grows by to the next 8.
struct Quantity {
    value: __m256i,
    step: __m256i,
    change: __m256i,
}

impl Quantity {
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
    fn new(words: [u32; 3]) -> Self {
        let [q, d, dd] = words.map(|word| _mm256_set1_epi32(word as i32));
        // In domain i it has grown by i d + i (i - 1) / 2 dd; to domain i + 8 it grows by 8 d + (8 i + 28) dd.
        let value = _mm256_add_epi32(q, _mm256_mullo_epi32(d, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
        let pairs = _mm256_mullo_epi32(dd, _mm256_setr_epi32(0, 0, 1, 3, 6, 10, 15, 21));
        let gained = _mm256_mullo_epi32(dd, _mm256_setr_epi32(28, 36, 44, 52, 60, 68, 76, 84));
        Quantity {
            value: _mm256_add_epi32(value, pairs),
            step: _mm256_add_epi32(_mm256_slli_epi32::<3>(d), gained),
            change: _mm256_slli_epi32::<6>(dd),
        }
    }

    /// 1 and these fractions; then the next are.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
    fn next(&mut self) -> __m256 {
        let bits = _mm256_or_si256(_mm256_srli_epi32::<9>(self.value), _mm256_castps_si256(_mm256_set1_ps(1.0)));
        self.value = _mm256_add_epi32(self.value, self.step);
        self.step = _mm256_add_epi32(self.step, self.change);
        _mm256_castsi256_ps(bits)
    }
}

/// A bit where a > b, of floats one of which at most is negative: they compare as integers, which more pipes do.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn exceeds(a: __m256, b: __m256) -> u32 {
    let exceeds = _mm256_cmpgt_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b));
    _mm256_movemask_ps(_mm256_castsi256_ps(exceeds)) as u32
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn fraction(s: __m256) -> __m256 {
    _mm256_sub_ps(s, _mm256_round_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(s))
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
pub(super) unsafe extern "C" fn rows(cells: *const Cell, count: usize, hits: *mut u64) {
    for c in 0..count {
        // SAFETY: `count` cells.
        let cell = unsafe { cells.add(c).read_unaligned() };
        let [per, ratio, least, reach, most, width, slack] =
            [cell.per, cell.ratio, cell.least, cell.reach, cell.most, cell.width, cell.slack]
                .map(|x| _mm256_set1_ps(x));
        let (mut z, mut h) = (Quantity::new(cell.z), Quantity::new(cell.h));
        let [y0, dy] = cell.y.map(|word| _mm256_set1_epi32(word));
        let mut y = _mm256_add_epi32(y0, _mm256_mullo_epi32(dy, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
        let mut next = || {
            let gap = _mm256_max_ps(_mm256_cvtepi32_ps(y), least);
            y = _mm256_add_epi32(y, _mm256_slli_epi32::<3>(dy));
            let (z, h) = (z.next(), h.next());
            let t = _mm256_div_ps(per, gap);
            let slope = _mm256_sub_ps(t, ratio);
            let most = _mm256_add_ps(_mm256_mul_ps(reach, gap), most);
            let width = _mm256_add_ps(_mm256_mul_ps(width, t), slack);
            let below = _mm256_sub_ps(z, _mm256_set1_ps(1.0));
            let first = _mm256_add_ps(_mm256_mul_ps(below, slope), h);
            let second = _mm256_add_ps(first, slope);
            !((exceeds(below, most) | exceeds(fraction(first), width))
                & (exceeds(z, most) | exceeds(fraction(second), width)))
        };
        // SAFETY: two words for each cell, and a byte of them for 8 of at most 128 domains.
        unsafe {
            let bytes = hits.add(2 * c).cast::<u8>();
            bytes.cast::<[u64; 2]>().write_unaligned([0; 2]);
            let domains = cell.count.min(MOST_DOMAINS) as usize;
            for byte in 0..domains / 8 {
                bytes.add(byte).write(next() as u8);
            }
            if domains % 8 != 0 {
                bytes.add(domains / 8).write((next() & !(!0 << (domains % 8))) as u8);
            }
        }
    }
}

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
