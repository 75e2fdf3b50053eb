//! Intrinsics of the family for avx2.

use core::arch::x86_64::*;

use super::TURNS;
use super::domains::blocks;

/// Domains at a time.
const DOMAINS: usize = 32;

/// 2^52, the whole circle.
const UNIT: f64 = 4_503_599_627_370_496.0;

/// 1.5 2^52: what is added to it is rounded to integers.
const ROUND: f64 = 1.5 * UNIT;

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
