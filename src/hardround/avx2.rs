//! The search for hard-to-round cases.

use core::arch::x86_64::*;

use super::TURNS;
use super::domains::blocks;
use super::runs::exhaust;
use super::{Cell, MOST_DOMAINS, UNIT};
use crate::libm::ROUND;

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
            if !domains.is_multiple_of(8) {
                bytes.add(domains / 8).write((next() & !(!0 << (domains % 8))) as u8);
            }
        }
    }
}

exhaust! {
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
    __m256i, 4, 64, _mm256_loadu_si256, _mm256_set1_epi64x, _mm256_add_epi64, _mm256_sub_epi64;
    __m256i, _mm256_set1_epi32, _mm256_add_epi32, _mm256_min_epu32, |a, b| {
        _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)))
    };
    0 1 2 3 4 5 6 7; 0, _mm256_set1_epi32(-1);
    |[even, odd], limit| {
        let least = _mm256_min_epu32(even, odd);
        let low = _mm256_cmpeq_epi32(_mm256_min_epu32(least, limit), least);
        _mm256_testz_si256(low, low) == 0
    }
}

/// Domains at a time.
const DOMAINS: usize = 32;

/// Four domains, in integers below 2^53. Gaps and their numbers are those of the reference; `d` is the distance of b from the begin of a
/// gap p, or p and the distance from that of a gap q.
#[derive(Clone, Copy)]
struct Lanes {
    p: __m256d,
    q: __m256d,
    d: __m256d,
    u: __m256d,
    v: __m256d,
    more: __m256d,
}

/// 52-bit integers from the upper bits of fractions.
///
/// # Safety
/// Four readable integers.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
unsafe fn integers(from: *const u64) -> __m256d {
    // SAFETY: the caller's contract.
    let cut = _mm256_srli_epi64::<12>(unsafe { _mm256_loadu_si256(from.cast()) });
    let unit = _mm256_set1_pd(UNIT);
    _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(cut), unit), unit)
}

impl Lanes {
    /// # Safety
    /// Four domains.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
    unsafe fn new(a: *const u64, b: *const u64) -> Self {
        // SAFETY: the caller's contract.
        let (p, d) = unsafe { (integers(a), integers(b)) };
        let one = _mm256_set1_pd(1.0);
        Lanes { p, q: _mm256_sub_pd(_mm256_set1_pd(UNIT), p), d, u: one, v: one, more: one }
    }

    /// (x - (y - 1) / 2) / y to the nearest integer is x / y rounded down: as 1 / y is rounded, it is off by less than the 1 / (2 y) that
    /// separate it from the middle between integers.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
    fn quotient(x: __m256d, inverse: __m256d) -> __m256d {
        let round = _mm256_set1_pd(ROUND);
        _mm256_sub_pd(_mm256_fmadd_pd(x, inverse, round), round)
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
    fn inverse(y: __m256d) -> (__m256d, __m256d) {
        let half = _mm256_set1_pd(0.5);
        (_mm256_div_pd(_mm256_set1_pd(1.0), y), _mm256_fmsub_pd(half, y, half))
    }

    /// Gaps q are cut by gaps p, but for the last time. A lane where it would be stays as it is, here and, as its q is the larger gap
    /// and the quotient there 0, in `second`.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
    fn first(&mut self, n: __m256d) {
        let (inverse, middle) = Self::inverse(self.p);
        let k = Self::quotient(_mm256_sub_pd(self.q, middle), inverse);
        self.more = _mm256_cmp_pd::<_CMP_LT_OQ>(_mm256_fmadd_pd(k, self.v, _mm256_add_pd(self.u, self.v)), n);
        let k = _mm256_and_pd(k, self.more);
        self.q = _mm256_fnmadd_pd(k, self.p, self.q);
        self.u = _mm256_fmadd_pd(k, self.v, self.u);
        let cut = _mm256_min_pd(Self::quotient(_mm256_sub_pd(self.d, middle), inverse), k);
        self.d = _mm256_fnmadd_pd(cut, self.p, self.d);
    }

    /// Gaps p are cut by gaps q, from their ends; lanes of the result whose time came neither here nor in `first`.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
    fn second(&mut self, n: __m256d) -> __m256d {
        let (inverse, middle) = Self::inverse(self.q);
        let k = Self::quotient(_mm256_sub_pd(self.p, middle), inverse);
        let more = _mm256_cmp_pd::<_CMP_LT_OQ>(_mm256_fmadd_pd(k, self.u, _mm256_add_pd(self.u, self.v)), n);
        let k = _mm256_and_pd(k, more);
        self.p = _mm256_fnmadd_pd(k, self.q, self.p);
        self.v = _mm256_fmadd_pd(k, self.u, self.v);
        let cut = Self::quotient(_mm256_sub_pd(_mm256_sub_pd(self.d, middle), self.p), inverse);
        self.d = _mm256_fnmadd_pd(_mm256_max_pd(cut, _mm256_setzero_pd()), self.q, self.d);
        _mm256_and_pd(more, self.more)
    }

    /// The last cut, as far as `n` needs it, of the larger gaps: whether b is then less than `w` from a begin.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
    fn last(self, n: __m256d, w: __m256d) -> u32 {
        let Lanes { p, q, d, u, v, .. } = self;
        let first = _mm256_cmp_pd::<_CMP_LE_OQ>(p, q);
        let (divisor, rest) = (_mm256_blendv_pd(q, p, first), _mm256_blendv_pd(p, q, first));
        let needed = _mm256_div_pd(_mm256_sub_pd(_mm256_sub_pd(n, u), v), _mm256_blendv_pd(u, v, first));
        let k = _mm256_min_pd(_mm256_floor_pd(_mm256_div_pd(rest, divisor)), _mm256_ceil_pd(needed));
        let rest = _mm256_fnmadd_pd(k, divisor, rest);
        // With a half, as 0 / 0 would not be a number.
        let above = _mm256_sub_pd(_mm256_add_pd(d, _mm256_set1_pd(0.5)), _mm256_andnot_pd(first, rest));
        let cut = _mm256_max_pd(_mm256_floor_pd(_mm256_div_pd(above, divisor)), _mm256_setzero_pd());
        let d = _mm256_fnmadd_pd(_mm256_min_pd(cut, k), divisor, d);
        let p = _mm256_blendv_pd(rest, divisor, first);
        let d = _mm256_sub_pd(d, _mm256_and_pd(p, _mm256_cmp_pd::<_CMP_LE_OQ>(p, d)));
        _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(d, w)) as u32
    }
}

/// # Safety
/// `DOMAINS` domains.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
unsafe extern "C" fn regular_block(a: *const u64, b: *const u64, n: f64, w: f64) -> u32 {
    let (n, w) = (_mm256_set1_pd(n), _mm256_set1_pd(w));
    // SAFETY: the caller's contract.
    let mut block: [Lanes; DOMAINS / 4] = core::array::from_fn(|i| unsafe { Lanes::new(a.add(4 * i), b.add(4 * i)) });
    loop {
        for lanes in &mut block {
            lanes.first(n);
        }
        let mut more = _mm256_setzero_pd();
        for lanes in &mut block {
            more = _mm256_or_pd(more, lanes.second(n));
        }
        if _mm256_movemask_pd(more) == 0 {
            break;
        }
    }
    block.iter().rev().fold(0, |bits, lanes| bits << 4 | lanes.last(n, w))
}

pub unsafe extern "C" fn regular(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8) {
    // SAFETY: the caller's contract, and its CPU.
    unsafe { blocks::<DOMAINS>(regular_block, a, b, count, n, w, bits) }
}

impl Lanes {
    /// Gaps of the kind that b is not in are cut by those of its own, and one of these is cut by the rest. Lanes of `more` whose b is then
    /// less than `w` from a begin; they and those that have none leave `more`.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
    fn turn(&mut self, n: __m256d, w: __m256d) -> __m256d {
        let in_p = _mm256_cmp_pd::<_CMP_LT_OQ>(self.d, self.p);
        let choose = |one, other| _mm256_blendv_pd(other, one, in_p);
        let (own, other) = (choose(self.p, self.q), choose(self.q, self.p));
        let (owned, others) = (choose(self.u, self.v), choose(self.v, self.u));
        self.d = _mm256_sub_pd(self.d, _mm256_andnot_pd(in_p, self.p));
        let hit = _mm256_and_pd(self.more, _mm256_cmp_pd::<_CMP_LT_OQ>(self.d, w));
        let (inverse, middle) = Self::inverse(own);
        let k = Self::quotient(_mm256_sub_pd(other, middle), inverse);
        let other = _mm256_fnmadd_pd(k, own, other);
        let owned = _mm256_fmadd_pd(k, others, owned);
        let others = _mm256_add_pd(others, owned);
        let own = _mm256_sub_pd(own, other);
        let some = _mm256_cmp_pd::<_CMP_GT_OQ>(other, _mm256_setzero_pd());
        let few = _mm256_cmp_pd::<_CMP_LT_OQ>(others, n);
        self.more = _mm256_and_pd(_mm256_andnot_pd(hit, self.more), _mm256_and_pd(some, few));
        (self.p, self.q) = (choose(own, other), choose(other, own));
        (self.u, self.v) = (choose(owned, others), choose(others, owned));
        hit
    }
}

/// # Safety
/// `DOMAINS` domains.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
unsafe extern "C" fn lefevre_block(a: *const u64, b: *const u64, n: f64, w: f64) -> u32 {
    let (n, w) = (_mm256_set1_pd(n), _mm256_set1_pd(w));
    // SAFETY: the caller's contract.
    let mut block: [Lanes; DOMAINS / 4] = core::array::from_fn(|i| unsafe { Lanes::new(a.add(4 * i), b.add(4 * i)) });
    let mut hits = block.map(|lanes| _mm256_cmp_pd::<_CMP_LT_OQ>(lanes.d, w));
    for (lanes, hits) in block.iter_mut().zip(hits) {
        lanes.more = _mm256_andnot_pd(hits, _mm256_cmp_pd::<_CMP_GT_OQ>(lanes.p, _mm256_setzero_pd()));
    }
    for _ in 0..TURNS {
        let mut more = _mm256_setzero_pd();
        for (lanes, hits) in block.iter_mut().zip(&mut hits) {
            *hits = _mm256_or_pd(*hits, lanes.turn(n, w));
            more = _mm256_or_pd(more, lanes.more);
        }
        if _mm256_movemask_pd(more) == 0 {
            break;
        }
    }
    let mut bits = 0;
    for (i, (lanes, hits)) in block.iter().zip(&hits).enumerate() {
        bits |= (_mm256_movemask_pd(_mm256_or_pd(*hits, lanes.more)) as u32) << (4 * i);
    }
    bits
}

pub unsafe extern "C" fn lefevre(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8) {
    // SAFETY: the caller's contract, and its CPU.
    unsafe { blocks::<DOMAINS>(lefevre_block, a, b, count, n, w, bits) }
}
