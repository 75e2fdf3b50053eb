//! The search for hard-to-round cases.

use core::arch::x86_64::*;

use super::domains::blocks;
use super::runs::exhaust;
use super::{Cell, MOST_DOMAINS, UNIT};
use crate::libm::ROUND;

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
            if !domains.is_multiple_of(8) {
                bytes.add(domains / 8).write((next() & !(!0 << (domains % 8))) as u8);
            }
        }
    }
}

exhaust! {
    #[target_feature(enable = "sse2")]
    __m128i, 2, 32, _mm_loadu_si128, _mm_set1_epi64x, _mm_add_epi64, _mm_sub_epi64;
    __m128i, _mm_set1_epi32, _mm_add_epi32, _mm_min_epi16, |a, b| {
        _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(_mm_castsi128_ps(a), _mm_castsi128_ps(b)))
    };
    // Comparisons are signed.
    0 1 2 3 4 5 6 7; 1 << 63, _mm_set1_epi16(i16::MAX);
    // Minima of 16 bits, of which those of the upper halves count.
    |[even, odd], limit| {
        let greater = _mm_cmpgt_epi16(_mm_min_epi16(even, odd), limit);
        _mm_movemask_ps(_mm_castsi128_ps(greater)) != 15
    };
    |sums, limit| {
        let greater = sums.map(|sum| _mm_cmpgt_epi32(sum, limit));
        let all = greater.into_iter().fold(_mm_set1_epi32(-1), |all, one| _mm_and_si128(all, one));
        _mm_movemask_ps(_mm_castsi128_ps(all)) != 15
    }
}

/// Domains at a time.
const DOMAINS: usize = 16;

/// Two domains, in integers below 2^53. Gaps and their numbers are those of the reference; `d` is the distance of b from the begin of a
/// gap p, or p and the distance from that of a gap q.
#[derive(Clone, Copy)]
struct Lanes {
    p: __m128d,
    q: __m128d,
    d: __m128d,
    u: __m128d,
    v: __m128d,
    more: __m128d,
}

/// 52-bit integers from the upper bits of fractions.
///
/// # Safety
/// Two readable integers.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn integers(from: *const u64) -> __m128d {
    // SAFETY: the caller's contract.
    let cut = _mm_srli_epi64::<12>(unsafe { _mm_loadu_si128(from.cast()) });
    let unit = _mm_set1_pd(UNIT);
    _mm_sub_pd(_mm_or_pd(_mm_castsi128_pd(cut), unit), unit)
}

/// (y - 1) / 2.
#[inline]
#[target_feature(enable = "sse2")]
fn middle(y: __m128d) -> __m128d {
    let half = _mm_set1_pd(0.5);
    _mm_sub_pd(_mm_mul_pd(y, half), half)
}

/// (x - (y - 1) / 2) / y to the nearest integer is x / y rounded down, as it is 1 / (2 y) at least from the middle between integers, which
/// the rounding of a quotient does not reach. What is added to 1.5 2^52 is rounded to integers.
#[inline]
#[target_feature(enable = "sse2")]
fn divide(x: __m128d, y: __m128d) -> __m128d {
    let round = _mm_set1_pd(ROUND);
    _mm_sub_pd(_mm_add_pd(_mm_div_pd(x, y), round), round)
}

#[inline]
#[target_feature(enable = "sse2")]
fn choose(mask: __m128d, one: __m128d, other: __m128d) -> __m128d {
    _mm_or_pd(_mm_and_pd(mask, one), _mm_andnot_pd(mask, other))
}

impl Lanes {
    /// # Safety
    /// Two domains.
    #[inline]
    #[target_feature(enable = "sse2")]
    unsafe fn new(a: *const u64, b: *const u64) -> Self {
        // SAFETY: the caller's contract.
        let (p, d) = unsafe { (integers(a), integers(b)) };
        let one = _mm_set1_pd(1.0);
        Lanes { p, q: _mm_sub_pd(_mm_set1_pd(UNIT), p), d, u: one, v: one, more: one }
    }

    /// Gaps q are cut by gaps p, but for the last time. A lane where it would be stays as it is, here and, as its q is the larger gap
    /// and the quotient there 0, in `second`.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn first(&mut self, n: __m128d) {
        let middle = middle(self.p);
        let k = divide(_mm_sub_pd(self.q, middle), self.p);
        self.more = _mm_cmplt_pd(_mm_add_pd(_mm_mul_pd(k, self.v), _mm_add_pd(self.u, self.v)), n);
        let k = _mm_and_pd(k, self.more);
        self.q = _mm_sub_pd(self.q, _mm_mul_pd(k, self.p));
        self.u = _mm_add_pd(self.u, _mm_mul_pd(k, self.v));
        let cut = _mm_min_pd(divide(_mm_sub_pd(self.d, middle), self.p), k);
        self.d = _mm_sub_pd(self.d, _mm_mul_pd(cut, self.p));
    }

    /// Gaps p are cut by gaps q, from their ends; lanes of the result whose time came neither here nor in `first`.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn second(&mut self, n: __m128d) -> __m128d {
        let middle = middle(self.q);
        let k = divide(_mm_sub_pd(self.p, middle), self.q);
        let more = _mm_cmplt_pd(_mm_add_pd(_mm_mul_pd(k, self.u), _mm_add_pd(self.u, self.v)), n);
        let k = _mm_and_pd(k, more);
        self.p = _mm_sub_pd(self.p, _mm_mul_pd(k, self.q));
        self.v = _mm_add_pd(self.v, _mm_mul_pd(k, self.u));
        let cut = divide(_mm_sub_pd(_mm_sub_pd(self.d, middle), self.p), self.q);
        self.d = _mm_sub_pd(self.d, _mm_mul_pd(_mm_max_pd(cut, _mm_setzero_pd()), self.q));
        _mm_and_pd(more, self.more)
    }

    /// The last cut, as far as `n` needs it, of the larger gaps: whether b is then less than `w` from a begin.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn last(self, n: __m128d, w: __m128d) -> u32 {
        let Lanes { p, q, d, u, v, .. } = self;
        let first = _mm_cmple_pd(p, q);
        let (divisor, rest, per) = (choose(first, p, q), choose(first, q, p), choose(first, v, u));
        let left = _mm_sub_pd(_mm_sub_pd(n, u), v);
        // Rounded up.
        let needed = divide(_mm_add_pd(left, middle(per)), per);
        let middle = middle(divisor);
        let k = _mm_min_pd(divide(_mm_sub_pd(rest, middle), divisor), needed);
        let rest = _mm_sub_pd(rest, _mm_mul_pd(k, divisor));
        let above = _mm_sub_pd(_mm_sub_pd(d, middle), _mm_andnot_pd(first, rest));
        let cut = _mm_min_pd(_mm_max_pd(divide(above, divisor), _mm_setzero_pd()), k);
        let d = _mm_sub_pd(d, _mm_mul_pd(cut, divisor));
        let p = choose(first, divisor, rest);
        let d = _mm_sub_pd(d, _mm_and_pd(p, _mm_cmple_pd(p, d)));
        _mm_movemask_pd(_mm_cmplt_pd(d, w)) as u32
    }
}

/// # Safety
/// `DOMAINS` domains.
#[target_feature(enable = "sse2")]
unsafe extern "C" fn regular_block(a: *const u64, b: *const u64, n: f64, w: f64) -> u32 {
    let (n, w) = (_mm_set1_pd(n), _mm_set1_pd(w));
    // SAFETY: the caller's contract.
    let mut block: [Lanes; DOMAINS / 2] = core::array::from_fn(|i| unsafe { Lanes::new(a.add(2 * i), b.add(2 * i)) });
    loop {
        for lanes in &mut block {
            lanes.first(n);
        }
        let mut more = _mm_setzero_pd();
        for lanes in &mut block {
            more = _mm_or_pd(more, lanes.second(n));
        }
        if _mm_movemask_pd(more) == 0 {
            break;
        }
    }
    block.iter().rev().fold(0, |bits, lanes| bits << 2 | lanes.last(n, w))
}

pub unsafe extern "C" fn regular(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8) {
    // SAFETY: the caller's contract.
    unsafe { blocks::<DOMAINS>(regular_block, a, b, count, n, w, bits) }
}
