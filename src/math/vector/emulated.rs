//! Fused multiply-adds of SSE2, which has no instruction for them.
//!
//! A sum rounded to odd is the exact sum if that is representable, else the one of its two neighbours whose last
//! bit is 1. Rounding it again to at least two bits fewer gives the exact sum, rounded once: Boldo & Melquiond,
//! "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", IEEE Transactions on
//! Computers 57 (2008).

use core::arch::x86_64::*;

use super::{Fused, Vector, lanes};
use crate::math::float::Float;

/// Knuth's exact sum: `a + b` rounded, and its excess, the rounded sum minus the exact one. The excess of an exact
/// sum is +0.
///
/// # Safety
/// None: every CPU has SSE2. That holds for all functions here.
#[inline(always)]
pub(crate) unsafe fn two_sum(a: __m128d, b: __m128d) -> (__m128d, __m128d) {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let sum = a.add(b);
        let back = sum.sub(a);
        (sum, sum.sub(back).sub(a).add(back.sub(b)))
    }
}

/// The exact value `sum - excess`, rounded to odd. A sum that is infinite or NaN is returned as it is.
///
/// # Safety
/// See [`two_sum`].
#[inline(always)]
pub(crate) unsafe fn to_odd(sum: __m128d, excess: __m128d) -> __m128d {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        // False for NaN, which is the excess of an infinite sum.
        let inexact = _mm_castpd_si128(_mm_cmpgt_pd(excess.magnitude(), _mm_setzero_pd()));
        // Where excess and sum have the same sign, the exact value is nearer to 0: the last bit is borrowed.
        let same = _mm_andnot_si128(_mm_castpd_si128(_mm_xor_pd(excess, sum)), inexact);
        let toward_0 = _mm_sub_epi64(_mm_castpd_si128(sum), _mm_srli_epi64::<63>(same));
        _mm_castsi128_pd(_mm_or_si128(toward_0, _mm_srli_epi64::<63>(inexact)))
    }
}

/// A number and its two halves of 26 bits, Veltkamp's.
pub(crate) type Split = [__m128d; 3];

/// # Safety
/// See [`two_sum`].
#[inline(always)]
pub(crate) unsafe fn split(x: __m128d) -> Split {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let scaled = x.mul(_mm_set1_pd(134_217_729.0));
        let high = scaled.sub(scaled.sub(x));
        [x, high, x.sub(high)]
    }
}

/// Dekker's exact product: `a * b` rounded, and its excess, if no half and no part of the product overflows or has
/// bits below 2^-1074. The excess of an exact product is +0.
///
/// # Safety
/// See [`two_sum`].
#[inline(always)]
pub(crate) unsafe fn two_product(a: Split, b: Split) -> (__m128d, __m128d) {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let product = a[0].mul(b[0]);
        let excess = product.sub(a[1].mul(b[1])).sub(a[1].mul(b[2])).sub(a[2].mul(b[1])).sub(a[2].mul(b[2]));
        (product, excess)
    }
}

/// `a * b + c` rounded once, where [`two_product`] is exact and no sum overflows.
///
/// If the sum of the product and `c` is inexact, the excess of the product is at most about its last place, so
/// the sum of both excesses, rounded to odd, has many bits below the half of the result's last place. If the
/// sum is exact, so is the sum of the excesses.
///
/// # Safety
/// See [`two_sum`].
#[inline(always)]
pub(crate) unsafe fn fma_of_split(a: Split, b: Split, c: __m128d) -> __m128d {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let (product, below) = two_product(a, b);
        let (sum, excess) = two_sum(product, c);
        let (both, rest) = two_sum(excess, below);
        sum.sub(to_odd(both, rest))
    }
}

lanes! { impl Fused for __m128 {}
// Products of floats are exact in doubles.
unsafe fn fma(self, b: Self, c: Self) -> Self {
    let half = |a, b, c| {
        let (sum, excess) = two_sum(_mm_cvtps_pd(a).mul(_mm_cvtps_pd(b)), _mm_cvtps_pd(c));
        _mm_cvtpd_ps(to_odd(sum, excess))
    };
    let high = half(_mm_movehl_ps(self, self), _mm_movehl_ps(b, b), _mm_movehl_ps(c, c));
    _mm_movelh_ps(half(self, b, c), high)
} }

/// 2^500 and 2^-960. Halves and products of magnitudes below the first do not overflow. Products above the second
/// have no part below 2^-1074.
const FAR: f64 = f64::from_bits((1023 + 500) << 52);
const NEAR: f64 = f64::from_bits((1023 - 960) << 52);

lanes! { impl Fused for __m128d {}
unsafe fn fma(self, b: Self, c: Self) -> Self {
    let far = _mm_set1_pd(FAR);
    let below = |x: Self| _mm_cmplt_pd(x.magnitude(), far);
    let is_zero = |x: Self| _mm_cmpeq_pd(x, _mm_setzero_pd());
    let large = _mm_cmpgt_pd(self.mul(b).magnitude(), _mm_set1_pd(NEAR));
    let inside = _mm_and_pd(
        _mm_and_pd(below(self), _mm_and_pd(below(b), below(c))),
        _mm_or_pd(large, _mm_or_pd(is_zero(self), is_zero(b))),
    );
    if _mm_movemask_pd(inside) != 3 {
        return one_at_a_time(self, b, c);
    }
    fma_of_split(split(self), split(b), c)
} }

#[cold]
#[inline(never)]
unsafe fn one_at_a_time(a: __m128d, b: __m128d, c: __m128d) -> __m128d {
    let mut numbers = [[0.0; 2]; 3];
    // SAFETY: two doubles each.
    unsafe {
        for (lanes, vector) in numbers.iter_mut().zip([a, b, c]) {
            vector.store(lanes.as_mut_ptr());
        }
        let [a, b, c] = numbers;
        let [low, high] = [0, 1].map(|l| a[l].fma(b[l], c[l]));
        _mm_set_pd(high, low)
    }
}
