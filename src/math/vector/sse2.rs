//! SSE2: 4 floats, 2 doubles, 4 integers.

use core::arch::x86_64::*;

use crate::math::float::Float;
use crate::math::vector::{
    Exact, Fractional, IntProduct, Integral, Mask, Vector, Wide, Words, int, lanes, single, vector,
};

vector! { __m128 f32 4 _mm_set1_ps _mm_loadu_ps _mm_storeu_ps _mm_add_ps _mm_sub_ps _mm_mul_ps
|x| _mm_andnot_ps(_mm_set1_ps(-0.0), x),
|x, half| if half == 2 { _mm_movehl_ps(x, x) } else { _mm_shuffle_ps::<1>(x, x) } }
vector! { __m128d f64 2 _mm_set1_pd _mm_loadu_pd _mm_storeu_pd _mm_add_pd _mm_sub_pd _mm_mul_pd
|x| _mm_andnot_pd(_mm_set1_pd(-0.0), x),
|x, _half| _mm_unpackhi_pd(x, x) }
int! { U32(__m128i) u32 4 __m128i;
splat(x) { _mm_set1_epi32(x as i32) }
load(from) { _mm_loadu_si128(from.cast()) }
store(value, to) { _mm_storeu_si128(to.cast(), value) }
add _mm_add_epi32 sub _mm_sub_epi32 and _mm_and_si128 or _mm_or_si128 xor _mm_xor_si128
shl::<N>(x) { _mm_slli_epi32::<N>(x) }
shr::<N>(x) { _mm_srli_epi32::<N>(x) }
equals _mm_cmpeq_epi32 exceeds(a, b) { _mm_cmpgt_epi32(a, b) }
select(mask, a, b) { _mm_or_si128(_mm_and_si128(mask, a), _mm_andnot_si128(mask, b)) } }
single! { __m128 __m128i U32
bits |x| _mm_castps_si128(x), _mm_castsi128_ps(x); integers |x| _mm_cvtps_epi32(x), _mm_cvtepi32_ps(x);
_mm_sqrt_ps |a, b, c| _mm_add_ps(_mm_mul_ps(a, b), c); _mm_min_ps _mm_max_ps
masks |a, b| _mm_min_ps(b, a), _mm_castps_si128(_mm_cmplt_ps(a, b)), _mm_castps_si128(_mm_cmpnlt_ps(a, b));
|x| _mm_castps_si128(_mm_cmpunord_ps(x, x));
|n, x| _mm_and_si128(x, _mm_cmpeq_epi32(_mm_and_si128(n, _mm_set1_epi32(1)), _mm_set1_epi32(1)));
|n, mask| _mm_sub_epi32(n, mask); }
lanes! { impl Mask for __m128i {}
unsafe fn none() -> Self { _mm_setzero_si128() }
unsafe fn and(self, b: Self) -> Self { _mm_and_si128(self, b) }
unsafe fn or(self, b: Self) -> Self { _mm_or_si128(self, b) }
unsafe fn and_not(self, b: Self) -> Self { _mm_andnot_si128(b, self) }
// For 32-bit lanes.
unsafe fn bits(self) -> u32 { _mm_movemask_ps(_mm_castsi128_ps(self)) as u32 } }
lanes! { impl Mask for __m128d {}
unsafe fn none() -> Self { _mm_setzero_pd() }
unsafe fn and(self, b: Self) -> Self { _mm_and_pd(self, b) }
unsafe fn or(self, b: Self) -> Self { _mm_or_pd(self, b) }
unsafe fn and_not(self, b: Self) -> Self { _mm_andnot_pd(b, self) }
unsafe fn bits(self) -> u32 { _mm_movemask_pd(self) as u32 } }
lanes! { impl Fractional for __m128 {}
unsafe fn div(self, b: Self) -> Self { _mm_div_ps(self, b) }
unsafe fn fraction(self) -> Self { _mm_sub_ps(self, _mm_cvtepi32_ps(_mm_cvttps_epi32(self))) } }
lanes! { impl IntProduct for U32 {}
unsafe fn mul(self, b: Self) -> Self {
    let even = _mm_mul_epu32(self.0, b.0);
    let odd = _mm_mul_epu32(_mm_srli_epi64::<32>(self.0), _mm_srli_epi64::<32>(b.0));
    U32(_mm_unpacklo_epi32(_mm_shuffle_epi32::<0x08>(even), _mm_shuffle_epi32::<0x08>(odd)))
} }
lanes! { impl Integral for __m128d { type Mask = Self; }
unsafe fn less(self, b: Self) -> Self { _mm_cmplt_pd(self, b) }
unsafe fn at_most(self, b: Self) -> Self { _mm_cmple_pd(self, b) }
unsafe fn select(mask: Self, a: Self, b: Self) -> Self { _mm_or_pd(_mm_and_pd(mask, a), _mm_andnot_pd(mask, b)) }
unsafe fn keep(self, mask: Self) -> Self { _mm_and_pd(mask, self) }
unsafe fn clear(self, mask: Self) -> Self { _mm_andnot_pd(mask, self) }
unsafe fn min(self, b: Self) -> Self { _mm_min_pd(self, b) }
unsafe fn max(self, b: Self) -> Self { _mm_max_pd(self, b) }
unsafe fn div(self, b: Self) -> Self { _mm_div_pd(self, b) }
unsafe fn upper_52(from: *const u64) -> Self {
    // A double with these as its last bits is 2^52 plus their value.
    let unit = _mm_set1_pd((1_u64 << 52) as f64);
    let bits = _mm_srli_epi64::<12>(_mm_loadu_si128(from.cast()));
    _mm_sub_pd(_mm_or_pd(_mm_castsi128_pd(bits), unit), unit)
}
unsafe fn plus_product(self, a: Self, b: Self) -> Self { _mm_add_pd(self, _mm_mul_pd(a, b)) }
unsafe fn less_product(self, a: Self, b: Self) -> Self { _mm_sub_pd(self, _mm_mul_pd(a, b)) } }

#[derive(Clone, Copy)]
pub(crate) struct U64(pub(crate) __m128i);
lanes! { impl Words for U64 { const LANES: usize = 2; }
unsafe fn splat(x: u64) -> Self { U64(_mm_set1_epi64x(x as i64)) }
unsafe fn load(from: *const u64) -> Self { U64(_mm_loadu_si128(from.cast())) }
unsafe fn store(self, to: *mut u64) { _mm_storeu_si128(to.cast(), self.0) }
unsafe fn add(self, b: Self) -> Self { U64(_mm_add_epi64(self.0, b.0)) }
unsafe fn sub(self, b: Self) -> Self { U64(_mm_sub_epi64(self.0, b.0)) } }

impl Exact for __m128 {
    /// Exact in doubles: the product has 48 bits, and its excess has no more.
    #[inline(always)]
    unsafe fn two_product(self, b: Self) -> (Self, Self) {
        // SAFETY: the contract of the trait.
        unsafe {
            let product = self.mul(b);
            let excess = |a, b, product| {
                _mm_cvtpd_ps(_mm_sub_pd(_mm_cvtps_pd(product), _mm_mul_pd(_mm_cvtps_pd(a), _mm_cvtps_pd(b))))
            };
            let high = excess(_mm_movehl_ps(self, self), _mm_movehl_ps(b, b), _mm_movehl_ps(product, product));
            (product, _mm_movelh_ps(excess(self, b, product), high))
        }
    }
}

impl Exact for __m128d {
    /// Dekker's product of Veltkamp's halves, if the operands are in the range where all parts are
    /// exact. Otherwise one element at a time.
    #[inline(always)]
    unsafe fn two_product(self, b: Self) -> (Self, Self) {
        // SAFETY: the contract of the trait.
        unsafe {
            let product = self.mul(b);
            let largest = _mm_max_pd(self.magnitude(), b.magnitude());
            let inside = _mm_and_pd(
                _mm_cmplt_pd(largest, _mm_set1_pd(FAR)),
                _mm_cmpgt_pd(product.magnitude(), _mm_set1_pd(1.0 / FAR)),
            );
            if _mm_movemask_pd(inside) != 3 {
                return (product, outside(self, b, product));
            }
            let [(a_high, a_low), (b_high, b_low)] = [self, b].map(|x| {
                let scaled = _mm_mul_pd(x, _mm_set1_pd(134_217_729.0));
                let high = _mm_sub_pd(scaled, _mm_sub_pd(scaled, x));
                (high, _mm_sub_pd(x, high))
            });
            let excess =
                product.sub(a_high.mul(b_high)).sub(a_high.mul(b_low)).sub(a_low.mul(b_high)).sub(a_low.mul(b_low));
            (product, excess)
        }
    }
}

/// 2^500. Halves and products of magnitudes below it do not overflow. A product above its inverse
/// has no denormal part.
const FAR: f64 = f64::from_bits((1023 + 500) << 52);

/// # Safety
/// None: every CPU has SSE2.
#[cold]
#[inline(never)]
unsafe fn outside(a: __m128d, b: __m128d, product: __m128d) -> __m128d {
    let mut numbers = [[0.0; 2]; 3];
    // SAFETY: two doubles each.
    unsafe {
        for (lanes, vector) in numbers.iter_mut().zip([a, b, product]) {
            vector.store(lanes.as_mut_ptr());
        }
        let [a, b, product] = numbers;
        let [low, high] = [0, 1].map(|l| -a[l].fma(b[l], -product[l]));
        _mm_set_pd(high, low)
    }
}

impl Wide for __m128d {
    type Bits = U64;

    /// At this limit no tie is denormal.
    const MIN_LAST_PLACE: i32 = -1021;

    #[inline(always)]
    unsafe fn widen(from: *const f32) -> Self {
        // SAFETY: the contract of the trait.
        unsafe { _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(from.cast()))) }
    }

    /// Adds the neighbour of `self` toward 0 with its last bit set. This is the neighbour if `self`
    /// is even, else `self`. It is odd and therefore no tie.
    #[inline(always)]
    unsafe fn nearest(self, sum: Self, below: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { sum.add(_mm_or_pd(self.mul(below), _mm_set1_pd(f64::from_bits(1)))) }
    }

    #[inline(always)]
    unsafe fn highest(self, b: Self, so_far: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let high = _mm_shuffle_ps::<0xdd>(_mm_castpd_ps(self), _mm_castpd_ps(b)).magnitude();
            _mm_castsi128_pd(_mm_max_epi16(_mm_castps_si128(high), _mm_castpd_si128(so_far)))
        }
    }

    #[inline(always)]
    unsafe fn bits(self) -> U64 {
        // SAFETY: SSE2 is part of x86-64.
        U64(unsafe { _mm_castpd_si128(self) })
    }
}
