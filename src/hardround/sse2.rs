//! Intrinsics of the family for sse2.

use core::arch::x86_64::*;

use super::domains::blocks;

/// Domains at a time.
const DOMAINS: usize = 16;

/// 2^52, the whole circle.
const UNIT: f64 = 4_503_599_627_370_496.0;

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
    let round = _mm_set1_pd(1.5 * UNIT);
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
