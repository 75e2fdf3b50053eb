//! The search for hard-to-round cases.

use core::arch::x86_64::*;

use super::TURNS;
use super::domains::blocks;
use super::runs::exhaust;
use super::{Cell, MOST_DOMAINS, UNIT};

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
            if !domains.is_multiple_of(16) {
                quarters.add(domains / 16).write_unaligned(next() & !(!0 << (domains % 16)));
            }
        }
    }
}

exhaust! {
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    __m512i, 8, 64, _mm512_loadu_si512, _mm512_set1_epi64, _mm512_add_epi64, _mm512_sub_epi64;
    __m512i, _mm512_set1_epi32, _mm512_add_epi32, _mm512_min_epu32, |a, b| {
        _mm512_castps_si512(_mm512_shuffle_ps::<0b11_01_11_01>(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)))
    };
    0 1 2 3; 0, _mm512_set1_epi32(-1);
    |[even, odd], limit| _mm512_cmple_epu32_mask(_mm512_min_epu32(even, odd), limit) != 0
}

/// Domains at a time.
const DOMAINS: usize = 32;

/// Eight domains, in integers below 2^53. Gaps and their numbers are those of the reference; `d` is the distance of b from the begin of a
/// gap p, or p and the distance from that of a gap q.
#[derive(Clone, Copy)]
struct Lanes {
    p: __m512d,
    q: __m512d,
    d: __m512d,
    u: __m512d,
    v: __m512d,
}

/// 52-bit integers from the upper bits of fractions.
///
/// # Safety
/// Eight readable integers.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
unsafe fn integers(from: *const u64) -> __m512d {
    // SAFETY: the caller's contract.
    _mm512_cvtepu64_pd(_mm512_srli_epi64::<12>(unsafe { _mm512_loadu_si512(from.cast()) }))
}

/// Rounded upwards.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn inverse(y: __m512d) -> __m512d {
    _mm512_div_round_pd::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(_mm512_set1_pd(1.0), y)
}

/// x / y rounded down, for an `inverse` of y: it exceeds 1 / y by less than 2^-52 of it, and so the quotient by less than the 1 / y that separate it from
/// the next integer.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn quotient(x: __m512d, inverse: __m512d) -> __m512d {
    let unit = _mm512_set1_pd(UNIT);
    _mm512_sub_pd(_mm512_fmadd_round_pd::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(x, inverse, unit), unit)
}

impl Lanes {
    /// # Safety
    /// Eight domains.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    unsafe fn new(a: *const u64, b: *const u64) -> Self {
        // SAFETY: the caller's contract.
        let (p, d) = unsafe { (integers(a), integers(b)) };
        let one = _mm512_set1_pd(1.0);
        Lanes { p, q: _mm512_sub_pd(_mm512_set1_pd(UNIT), p), d, u: one, v: one }
    }

    /// Gaps q are cut by gaps p, but for the last time. A lane where it would be is not in the result and stays as it is, here and, as
    /// its q is the larger gap and the quotient there 0, in `second`.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    fn first(&mut self, n: __m512d) -> __mmask8 {
        let inverse = inverse(self.p);
        let k = quotient(self.q, inverse);
        let more = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(_mm512_fmadd_pd(k, self.v, _mm512_add_pd(self.u, self.v)), n);
        let cut = _mm512_maskz_min_pd(more, quotient(self.d, inverse), k);
        self.q = _mm512_mask3_fnmadd_pd(k, self.p, self.q, more);
        self.u = _mm512_mask3_fmadd_pd(k, self.v, self.u, more);
        self.d = _mm512_fnmadd_pd(cut, self.p, self.d);
        more
    }

    /// Gaps p are cut by gaps q, from their ends; likewise.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    fn second(&mut self, n: __m512d) -> __mmask8 {
        let inverse = inverse(self.q);
        let k = quotient(self.p, inverse);
        let more = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(_mm512_fmadd_pd(k, self.u, _mm512_add_pd(self.u, self.v)), n);
        self.p = _mm512_mask3_fnmadd_pd(k, self.q, self.p, more);
        self.v = _mm512_mask3_fmadd_pd(k, self.u, self.v, more);
        let cut = quotient(_mm512_sub_pd(self.d, self.p), inverse);
        self.d = _mm512_fnmadd_pd(_mm512_maskz_max_pd(more, cut, _mm512_setzero_pd()), self.q, self.d);
        more
    }

    /// The last cut, as far as `n` needs it, of the larger gaps: whether b is then less than `w` from a begin.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    fn last(self, n: __m512d, w: __m512d) -> __mmask8 {
        let Lanes { p, q, d, u, v } = self;
        let first = _mm512_cmp_pd_mask::<_CMP_LE_OQ>(p, q);
        let (divisor, rest) = (_mm512_mask_blend_pd(first, q, p), _mm512_mask_blend_pd(first, p, q));
        let inverse = inverse(divisor);
        let needed = _mm512_div_pd(_mm512_sub_pd(_mm512_sub_pd(n, u), v), _mm512_mask_blend_pd(first, u, v));
        let needed = _mm512_roundscale_pd::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(needed);
        // By 0 as many as needed; 0 / 0, of `above`, is no number, and the larger of it and 0 is 0.
        let k = _mm512_min_pd(quotient(rest, inverse), needed);
        let rest = _mm512_fnmadd_pd(k, divisor, rest);
        let above = _mm512_mask_sub_pd(d, !first, d, rest);
        let cut = _mm512_min_pd(_mm512_max_pd(quotient(above, inverse), _mm512_setzero_pd()), k);
        let d = _mm512_fnmadd_pd(cut, divisor, d);
        let p = _mm512_mask_blend_pd(first, rest, divisor);
        let d = _mm512_mask_sub_pd(d, _mm512_cmp_pd_mask::<_CMP_LE_OQ>(p, d), d, p);
        _mm512_cmp_pd_mask::<_CMP_LT_OQ>(d, w)
    }
}

/// # Safety
/// `DOMAINS` domains.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
unsafe extern "C" fn regular_block(a: *const u64, b: *const u64, n: f64, w: f64) -> u32 {
    let (n, w) = (_mm512_set1_pd(n), _mm512_set1_pd(w));
    // SAFETY: the caller's contract.
    let mut block: [Lanes; DOMAINS / 8] = core::array::from_fn(|i| unsafe { Lanes::new(a.add(8 * i), b.add(8 * i)) });
    loop {
        let mut more = [0; DOMAINS / 8];
        for (lanes, more) in block.iter_mut().zip(&mut more) {
            *more = lanes.first(n);
        }
        for (lanes, more) in block.iter_mut().zip(&mut more) {
            *more &= lanes.second(n);
        }
        if more == [0; DOMAINS / 8] {
            break;
        }
    }
    block.iter().rev().fold(0, |bits, lanes| bits << 8 | u32::from(lanes.last(n, w)))
}

pub unsafe extern "C" fn regular(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8) {
    // SAFETY: the caller's contract, and its CPU.
    unsafe { blocks::<DOMAINS>(regular_block, a, b, count, n, w, bits) }
}

impl Lanes {
    /// Gaps of the kind that b is not in are cut by those of its own, and one of these is cut by the rest. Lanes of `more` whose b is then
    /// less than `w` from a begin; they and those that have none leave `more`.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    fn turn(&mut self, more: &mut __mmask8, n: __m512d, w: __m512d) -> __mmask8 {
        let in_p = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.d, self.p);
        let choose = |one, other| _mm512_mask_blend_pd(in_p, other, one);
        let (own, other) = (choose(self.p, self.q), choose(self.q, self.p));
        let (owned, others) = (choose(self.u, self.v), choose(self.v, self.u));
        self.d = _mm512_mask_sub_pd(self.d, !in_p, self.d, self.p);
        let hit = _mm512_mask_cmp_pd_mask::<_CMP_LT_OQ>(*more, self.d, w);
        let k = quotient(other, inverse(own));
        let other = _mm512_fnmadd_pd(k, own, other);
        let owned = _mm512_fmadd_pd(k, others, owned);
        let others = _mm512_add_pd(others, owned);
        let own = _mm512_sub_pd(own, other);
        let some = _mm512_mask_cmp_pd_mask::<_CMP_GT_OQ>(*more & !hit, other, _mm512_setzero_pd());
        *more = _mm512_mask_cmp_pd_mask::<_CMP_LT_OQ>(some, others, n);
        (self.p, self.q) = (choose(own, other), choose(other, own));
        (self.u, self.v) = (choose(owned, others), choose(others, owned));
        hit
    }
}

/// # Safety
/// `DOMAINS` domains.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
unsafe extern "C" fn lefevre_block(a: *const u64, b: *const u64, n: f64, w: f64) -> u32 {
    let (n, w) = (_mm512_set1_pd(n), _mm512_set1_pd(w));
    // SAFETY: the caller's contract.
    let mut block: [Lanes; DOMAINS / 8] = core::array::from_fn(|i| unsafe { Lanes::new(a.add(8 * i), b.add(8 * i)) });
    let mut hits = block.map(|lanes| _mm512_cmp_pd_mask::<_CMP_LT_OQ>(lanes.d, w));
    let mut more = hits;
    for (lanes, more) in block.iter().zip(&mut more) {
        *more = _mm512_mask_cmp_pd_mask::<_CMP_GT_OQ>(!*more, lanes.p, _mm512_setzero_pd());
    }
    for _ in 0..TURNS {
        for ((lanes, hits), more) in block.iter_mut().zip(&mut hits).zip(&mut more) {
            *hits |= lanes.turn(more, n, w);
        }
        if more == [0; DOMAINS / 8] {
            break;
        }
    }
    let mut bits = 0;
    for (i, (hits, more)) in hits.iter().zip(&more).enumerate() {
        bits |= u32::from(hits | more) << (8 * i);
    }
    bits
}

pub unsafe extern "C" fn lefevre(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8) {
    // SAFETY: the caller's contract, and its CPU.
    unsafe { blocks::<DOMAINS>(lefevre_block, a, b, count, n, w, bits) }
}
