//! The search for hard-to-round cases.

use core::arch::x86_64::*;

use super::runs::Runs;
use super::{Cell, MOST_DOMAINS};

/// i d in domain i of 4.
#[inline]
#[target_feature(enable = "sse2")]
fn indices(d: __m128i) -> __m128i {
    let odd = _mm_and_si128(d, _mm_setr_epi32(0, -1, 0, -1));
    let upper = _mm_and_si128(_mm_add_epi32(d, d), _mm_setr_epi32(0, 0, -1, -1));
    _mm_add_epi32(odd, upper)
}

/// A quantity with two differences in 4 domains, and what it grows by to the next 4.
struct Quantity {
    value: __m128i,
    step: __m128i,
    change: __m128i,
}

impl Quantity {
    #[inline]
    #[target_feature(enable = "sse2")]
    fn new(words: [u32; 3]) -> Self {
        let [q, d, dd] = words.map(|word| _mm_set1_epi32(word as i32));
        // In domain i it has grown by i d + i (i - 1) / 2 dd; to domain i + 4 it grows by 4 d + (4 i + 6) dd.
        let upper = _mm_and_si128(dd, _mm_setr_epi32(0, 0, -1, -1));
        let last = _mm_and_si128(_mm_slli_epi32::<1>(dd), _mm_setr_epi32(0, 0, 0, -1));
        let value = _mm_add_epi32(_mm_add_epi32(q, indices(d)), _mm_add_epi32(upper, last));
        let odd = _mm_add_epi32(_mm_slli_epi32::<1>(_mm_add_epi32(indices(dd), dd)), dd);
        let step = _mm_add_epi32(_mm_slli_epi32::<1>(odd), _mm_slli_epi32::<2>(d));
        Quantity { value, step, change: _mm_slli_epi32::<4>(dd) }
    }

    /// 1 and these fractions; then the next are.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn next(&mut self) -> __m128 {
        let bits = _mm_or_si128(_mm_srli_epi32::<9>(self.value), _mm_castps_si128(_mm_set1_ps(1.0)));
        self.value = _mm_add_epi32(self.value, self.step);
        self.step = _mm_add_epi32(self.step, self.change);
        _mm_castsi128_ps(bits)
    }
}

/// Where a > b, of floats one of which at most is negative: they compare as integers, which more pipes do.
#[inline]
#[target_feature(enable = "sse2")]
fn exceeds(a: __m128, b: __m128) -> __m128i {
    _mm_cmpgt_epi32(_mm_castps_si128(a), _mm_castps_si128(b))
}

#[inline]
#[target_feature(enable = "sse2")]
fn fraction(s: __m128) -> __m128 {
    _mm_sub_ps(s, _mm_cvtepi32_ps(_mm_cvttps_epi32(s)))
}

#[target_feature(enable = "sse2")]
pub(super) unsafe extern "C" fn rows(cells: *const Cell, count: usize, hits: *mut u64) {
    for c in 0..count {
        // SAFETY: `count` cells.
        let cell = unsafe { cells.add(c).read_unaligned() };
        let [per, ratio, least, reach, most, width, slack] =
            [cell.per, cell.ratio, cell.least, cell.reach, cell.most, cell.width, cell.slack].map(|x| _mm_set1_ps(x));
        let (mut z, mut h) = (Quantity::new(cell.z), Quantity::new(cell.h));
        let [y0, dy] = cell.y.map(|word| _mm_set1_epi32(word));
        let mut y = _mm_add_epi32(y0, indices(dy));
        let mut next = || {
            let gap = _mm_max_ps(_mm_cvtepi32_ps(y), least);
            y = _mm_add_epi32(y, _mm_slli_epi32::<2>(dy));
            let (z, h) = (z.next(), h.next());
            let t = _mm_div_ps(per, gap);
            let slope = _mm_sub_ps(t, ratio);
            let most = _mm_add_ps(_mm_mul_ps(reach, gap), most);
            let width = _mm_add_ps(_mm_mul_ps(width, t), slack);
            let below = _mm_sub_ps(z, _mm_set1_ps(1.0));
            let first = _mm_add_ps(_mm_mul_ps(below, slope), h);
            let second = _mm_add_ps(first, slope);
            let first = _mm_or_si128(exceeds(below, most), exceeds(fraction(first), width));
            let second = _mm_or_si128(exceeds(z, most), exceeds(fraction(second), width));
            !_mm_movemask_ps(_mm_castsi128_ps(_mm_and_si128(first, second))) as u32 & 15
        };
        let mut next = || next() | next() << 4;
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
