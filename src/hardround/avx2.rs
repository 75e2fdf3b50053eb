//! Intrinsics of the family for avx2.

use core::arch::x86_64::*;

/// Vectors of four domains in flight.
const V: usize = 8;
const LANES: usize = 4 * V;

/// 1.5 2^52: what is added to it is rounded to integers.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// 52-bit integers from the upper bits of fractions.
///
/// # Safety
/// Four readable integers.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
unsafe fn integers(from: *const u64) -> __m256d {
    const UNIT: f64 = 4_503_599_627_370_496.0;
    // SAFETY: the caller's contract.
    let cut = _mm256_srli_epi64::<12>(unsafe { _mm256_loadu_si256(from.cast()) });
    let unit = _mm256_set1_pd(UNIT);
    _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(cut), unit), unit)
}

/// # Safety
/// `LANES` domains.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
unsafe fn regular_lanes(a: *const u64, b: *const u64, n: f64, w: f64) -> u32 {
    let [zero, half, one] = [0.0, 0.5, 1.0].map(|x| _mm256_set1_pd(x));
    let (n, w, to_round) = (_mm256_set1_pd(n), _mm256_set1_pd(w), _mm256_set1_pd(ROUND));
    // SAFETY: the caller's contract.
    let mut p: [__m256d; V] = core::array::from_fn(|i| unsafe { integers(a.add(4 * i)) });
    let mut d: [__m256d; V] = core::array::from_fn(|i| unsafe { integers(b.add(4 * i)) });
    let mut q = p.map(|p| _mm256_sub_pd(_mm256_set1_pd(4_503_599_627_370_496.0), p));
    let (mut u, mut v) = ([one; V], [one; V]);
    let quotient = |x, r| _mm256_sub_pd(_mm256_fmadd_pd(x, r, to_round), to_round);
    loop {
        let mut more = [zero; V];
        for i in 0..V {
            let (r, middle) = (_mm256_div_pd(one, p[i]), _mm256_fmsub_pd(half, p[i], half));
            let k = quotient(_mm256_sub_pd(q[i], middle), r);
            more[i] = _mm256_cmp_pd::<_CMP_LT_OQ>(_mm256_fmadd_pd(k, v[i], _mm256_add_pd(u[i], v[i])), n);
            let k = _mm256_and_pd(k, more[i]);
            let cut = _mm256_min_pd(quotient(_mm256_sub_pd(d[i], middle), r), k);
            q[i] = _mm256_fnmadd_pd(k, p[i], q[i]);
            u[i] = _mm256_fmadd_pd(k, v[i], u[i]);
            d[i] = _mm256_fnmadd_pd(cut, p[i], d[i]);
        }
        for i in 0..V {
            let (r, middle) = (_mm256_div_pd(one, q[i]), _mm256_fmsub_pd(half, q[i], half));
            let k = quotient(_mm256_sub_pd(p[i], middle), r);
            let m = _mm256_cmp_pd::<_CMP_LT_OQ>(_mm256_fmadd_pd(k, u[i], _mm256_add_pd(u[i], v[i])), n);
            more[i] = _mm256_and_pd(more[i], m);
            let k = _mm256_and_pd(k, m);
            p[i] = _mm256_fnmadd_pd(k, q[i], p[i]);
            v[i] = _mm256_fmadd_pd(k, u[i], v[i]);
            let cut = quotient(_mm256_sub_pd(_mm256_sub_pd(d[i], middle), p[i]), r);
            d[i] = _mm256_fnmadd_pd(_mm256_max_pd(cut, zero), q[i], d[i]);
        }
        let more = more.into_iter().fold(zero, |all, more| _mm256_or_pd(all, more));
        if _mm256_movemask_pd(more) == 0 {
            break;
        }
    }
    let mut bits = 0;
    for i in 0..V {
        let first = _mm256_cmp_pd::<_CMP_LE_OQ>(p[i], q[i]);
        let divisor = _mm256_blendv_pd(q[i], p[i], first);
        let dividend = _mm256_blendv_pd(p[i], q[i], first);
        let per = _mm256_blendv_pd(u[i], v[i], first);
        let left = _mm256_div_pd(_mm256_sub_pd(_mm256_sub_pd(n, u[i]), v[i]), per);
        let k = _mm256_min_pd(_mm256_floor_pd(_mm256_div_pd(dividend, divisor)), _mm256_ceil_pd(left));
        let rest = _mm256_fnmadd_pd(k, divisor, dividend);
        let from = _mm256_sub_pd(_mm256_add_pd(d[i], half), _mm256_andnot_pd(first, rest));
        let cut = _mm256_min_pd(_mm256_max_pd(_mm256_floor_pd(_mm256_div_pd(from, divisor)), zero), k);
        let d = _mm256_fnmadd_pd(cut, divisor, d[i]);
        let p = _mm256_blendv_pd(rest, divisor, first);
        let d = _mm256_sub_pd(d, _mm256_and_pd(p, _mm256_cmp_pd::<_CMP_GE_OQ>(d, p)));
        bits |= (_mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(d, w)) as u32) << (4 * i);
    }
    bits
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
pub unsafe extern "C" fn regular(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8) {
    let n = n.max(3);
    let (n, w) = (n as f64, (w.div_ceil(1 << 12) + n - 1) as f64);
    for at in (0..count).step_by(LANES) {
        let here = LANES.min(count - at);
        // SAFETY: `here` domains from `at` on, and a bit for each.
        unsafe {
            if here == LANES {
                let found = regular_lanes(a.add(at), b.add(at), n, w);
                bits.add(at / 8).cast::<u32>().write_unaligned(found);
            } else {
                let mut rest = [[0; LANES]; 2];
                a.add(at).cast::<u8>().copy_to_nonoverlapping(rest[0].as_mut_ptr().cast(), 8 * here);
                b.add(at).cast::<u8>().copy_to_nonoverlapping(rest[1].as_mut_ptr().cast(), 8 * here);
                let found = regular_lanes(rest[0].as_ptr(), rest[1].as_ptr(), n, w) & ((1 << here) - 1);
                bits.add(at / 8).copy_from_nonoverlapping(found.to_le_bytes().as_ptr(), here.div_ceil(8));
            }
        }
    }
}
