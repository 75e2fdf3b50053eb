//! Tiles of doubles.

// Loops over indices with constant bounds are unrolled early enough for sums to stay in registers.
#![allow(clippy::needless_range_loop)]

use core::arch::x86_64::*;

use super::blocks::{DEPTH, Emulated, Range};
use crate::math::vector::Vector;
use crate::math::vector::emulated::{Split, fma_of_split, split, to_odd, two_product, two_sum};
use crate::matmul::tiles::opaque;

/// The bits of a double below the last place of a float.
const BELOW: i64 = (1 << 29) - 1;

/// The exact product of two floats is added to a third in doubles, and the sum rounded to 24 bits. The quick tile adds
/// half a last place to the bits of the sum, and clears the bits below. The result is that of a fused multiply-add
/// unless these bits are 0, which is a tie, or the result is not normal.
///
/// Where the largest magnitudes of A and B have the exponent fields a and b, the products of [`DEPTH`] steps are less
/// than 2^(a + b - 246) together. Where a and b are those of the smallest magnitudes, all products and sums are
/// multiples of 2^(a + b - 300). From 2^-149 on, sums below the normal floats are exact.
impl Emulated for f32 {
    type Vector = __m128;
    type A = __m128d;
    type B = [__m128d; 4];
    type C = [__m128d; 4];

    const TILE: usize = 2;
    const ROWS: usize = 32;
    const CLOSE_FITS_ALL: bool = true;

    #[inline(always)]
    unsafe fn extend(range: &mut Range, x: __m128) {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let all = _mm_set1_epi32(i32::MAX);
            let magnitudes = _mm_and_si128(_mm_castps_si128(x), all);
            range.extend(magnitudes, _mm_and_si128(_mm_add_epi32(magnitudes, _mm_set1_epi32(-1)), all));
        }
    }
    #[inline(always)]
    unsafe fn fit(a: Range, b: Range) -> bool {
        // SAFETY: SSE2 is part of x86-64.
        let [[a, least_a], [b, least_b]] = unsafe { [a, b].map(|range| range.exponents(2, 7)) };
        a.max(b) < 255 && a + b <= 371 && least_a + least_b >= 151
    }
    #[inline(always)]
    unsafe fn convert_a(x: __m128, to: *mut __m128d) {
        // SAFETY: room for 4 elements.
        unsafe {
            let (low, high) = (_mm_cvtps_pd(x), _mm_cvtps_pd(_mm_movehl_ps(x, x)));
            to.write(_mm_unpacklo_pd(low, low));
            to.add(1).write(_mm_unpackhi_pd(low, low));
            to.add(2).write(_mm_unpacklo_pd(high, high));
            to.add(3).write(_mm_unpackhi_pd(high, high));
        }
    }
    #[inline(always)]
    unsafe fn convert_b([x, y]: [__m128; 2]) -> Self::B {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { [x, _mm_movehl_ps(x, x), y, _mm_movehl_ps(y, y)].map(|x| _mm_cvtps_pd(x)) }
    }
    #[inline(always)]
    unsafe fn convert_c(x: [__m128; 2]) -> (Self::C, bool) {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let limit = _mm_set1_ps(f32::from_bits((127 + 126) << 23));
            let [x_below, y_below] = x.map(|x| _mm_cmplt_ps(x.magnitude(), limit));
            (Self::convert_b(x), _mm_movemask_ps(_mm_and_ps(x_below, y_below)) == 15)
        }
    }
    #[inline(always)]
    unsafe fn result([w, x, y, z]: Self::C) -> [__m128; 2] {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { [(w, x), (y, z)].map(|(low, high)| _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high))) }
    }
    #[inline(always)]
    unsafe fn quick<const R: usize>(k: usize, a: *const __m128d, b: *const Self::B, c: &mut [Self::C; R]) -> bool {
        // SAFETY: the caller's contract.
        unsafe { floats::<R>(k, a, b, c) }
    }
    #[inline(always)]
    unsafe fn close(x: __m128d, row: Self::B, sums: Self::C) -> Self::C {
        let one = |v: usize| {
            // SAFETY: SSE2 is part of x86-64.
            unsafe {
                let (sum, excess) = two_sum(x.mul(row[v]), sums[v]);
                _mm_cvtps_pd(_mm_cvtpd_ps(to_odd(sum, excess)))
            }
        };
        [one(0), one(1), one(2), one(3)]
    }
}

/// The quick tile of floats.
///
/// # Safety
/// `R` rows of A and `k` rows of B are readable.
#[inline(never)]
unsafe fn floats<const R: usize>(
    k: usize,
    a: *const __m128d,
    b: *const [__m128d; 4],
    c: &mut [[__m128d; 4]; R],
) -> bool {
    // SAFETY: the caller's contract.
    unsafe {
        let half = _mm_set1_epi64x((BELOW + 1) / 2);
        let above = _mm_set1_epi64x(!BELOW);
        let below = _mm_castsi128_ps(_mm_set1_epi32(BELOW as i32));
        let mut sums = *c;
        // Minima of the bits below the last place, read as floats; in two chains, which do not wait for each other.
        let mut least = [below; 2];
        for p in 0..k {
            for r in 0..R {
                // Read again for each row: sums, masks and minima take nearly all registers.
                let row = &*opaque(b).add(p);
                let x = *a.add(r * DEPTH + p);
                for pair in 0..2 {
                    let sum = |v: usize| row[2 * pair + v].mul(x).add(sums[r][2 * pair + v]);
                    let [y, z] = [0, 1].map(|v| _mm_add_epi64(_mm_castpd_si128(sum(v)), half));
                    let words = _mm_shuffle_ps::<0x88>(_mm_castsi128_ps(y), _mm_castsi128_ps(z));
                    least[pair] = _mm_min_ps(_mm_and_ps(words, below), least[pair]);
                    sums[r][2 * pair] = _mm_castsi128_pd(_mm_and_si128(y, above));
                    sums[r][2 * pair + 1] = _mm_castsi128_pd(_mm_and_si128(z, above));
                }
            }
        }
        *c = sums;
        _mm_movemask_ps(_mm_cmpeq_ps(_mm_min_ps(least[0], least[1]), _mm_setzero_ps())) == 0
    }
}

/// The range is that of [`two_product`]: where the largest magnitudes of A and B have the exponent fields a and b,
/// the products of [`DEPTH`] steps are less than 2^(a + b - 2038) together. Where a and b are those of the smallest
/// magnitudes, all parts of products are multiples of 2^(a + b - 2150).
impl Emulated for f64 {
    type Vector = __m128d;
    type A = Split;
    type B = [Split; 2];
    type C = [__m128d; 2];

    const TILE: usize = 3;
    const ROWS: usize = 9;
    const CLOSE_FITS_ALL: bool = false;

    #[inline(always)]
    unsafe fn extend(range: &mut Range, x: __m128d) {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let all = _mm_set1_epi64x(i64::MAX);
            let magnitudes = _mm_and_si128(_mm_castpd_si128(x), all);
            range.extend(magnitudes, _mm_and_si128(_mm_add_epi64(magnitudes, _mm_set1_epi64x(-1)), all));
        }
    }
    #[inline(always)]
    unsafe fn fit(a: Range, b: Range) -> bool {
        // SAFETY: SSE2 is part of x86-64.
        let [[a, least_a], [b, least_b]] = unsafe { [a, b].map(|range| range.exponents(4, 4)) };
        a.max(b) <= 2000 && a + b <= 3038 && least_a + least_b >= 1076
    }
    #[inline(always)]
    unsafe fn convert_a(x: __m128d, to: *mut Split) {
        // SAFETY: room for 2 elements.
        unsafe {
            let parts = split(x);
            to.write(parts.map(|x| _mm_unpacklo_pd(x, x)));
            to.add(1).write(parts.map(|x| _mm_unpackhi_pd(x, x)));
        }
    }
    #[inline(always)]
    unsafe fn convert_b(x: [__m128d; 2]) -> Self::B {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { x.map(|x| split(x)) }
    }
    #[inline(always)]
    unsafe fn convert_c(c: [__m128d; 2]) -> (Self::C, bool) {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let limit = _mm_set1_pd(f64::from_bits((1023 + 1000) << 52));
            let [x, y] = c.map(|x| _mm_cmplt_pd(x.magnitude(), limit));
            (c, _mm_movemask_pd(_mm_and_pd(x, y)) == 3)
        }
    }
    #[inline(always)]
    unsafe fn result(c: Self::C) -> [__m128d; 2] {
        c
    }
    #[inline(always)]
    unsafe fn quick<const R: usize>(k: usize, a: *const Split, b: *const Self::B, c: &mut [Self::C; R]) -> bool {
        // SAFETY: the caller's contract.
        unsafe { doubles::<R>(k, a, b, c) }
    }
    #[inline(always)]
    unsafe fn close(x: Split, row: Self::B, sums: Self::C) -> Self::C {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { [fma_of_split(x, row[0], sums[0]), fma_of_split(x, row[1], sums[1])] }
    }
}

/// The quick tile of doubles. The sum of both excesses is rounded to nearest; the tile is refused if the results of
/// this sum's neighbours differ. The exact sum is between these.
///
/// # Safety
/// `R` rows of A and `k` rows of B are readable.
#[inline(never)]
unsafe fn doubles<const R: usize>(k: usize, a: *const Split, b: *const [Split; 2], c: &mut [[__m128d; 2]; R]) -> bool {
    // SAFETY: the caller's contract.
    unsafe {
        let (up, down) = (_mm_set1_pd(1.0 + f64::EPSILON), _mm_set1_pd(1.0 - f64::EPSILON));
        let mut sums = *c;
        let mut different = _mm_setzero_pd();
        for p in 0..k {
            let row = &*b.add(p);
            for r in 0..R {
                let x = *a.add(r * DEPTH + p);
                for v in 0..2 {
                    let (product, below) = two_product(x, row[v]);
                    let (sum, excess) = two_sum(product, sums[r][v]);
                    let both = excess.add(below);
                    let result = sum.sub(both.mul(up));
                    different = _mm_or_pd(different, _mm_xor_pd(result, sum.sub(both.mul(down))));
                    sums[r][v] = result;
                }
            }
        }
        *c = sums;
        _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_castpd_si128(different), _mm_setzero_si128())) == 0xffff
    }
}
