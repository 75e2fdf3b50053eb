//! Pairs of points.

use core::arch::x86_64::*;

use super::rows::{self, Block};
use super::sse2::{ONE, Rest, Ring};
use super::tiles::{self, Points, lanes};

impl Block for __m256i {
    #[inline(always)]
    unsafe fn load(psi: &[i32; 8]) -> Self {
        // SAFETY: the contract of the trait, here and below.
        unsafe { _mm256_loadu_si256(psi.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn values(self, psi: i32) -> [__m128i; 4] {
        unsafe {
            let products = _mm256_madd_epi16(self, _mm256_set1_epi32(psi));
            // The upper halves of 2^47 and the products.
            let upper = _mm256_add_epi32(_mm256_srai_epi32::<31>(products), _mm256_set1_epi32(ONE as i32));
            let (even, odd) = (_mm256_unpacklo_epi32(products, upper), _mm256_unpackhi_epi32(products, upper));
            let [first, second] = [even, odd].map(|half| _mm256_castsi256_si128(half));
            let [third, fourth] = [even, odd].map(|half| _mm256_extracti128_si256::<1>(half));
            [first, second, third, fourth]
        }
    }
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
pub(super) unsafe extern "C" fn offsets(
    x: *const i32,
    psi: *const i16,
    n: usize,
    other_x: *const i32,
    other_psi: *const i16,
    m: usize,
    words: *mut i64,
) {
    // SAFETY: the caller's contract.
    unsafe { rows::offsets::<__m256i>(x, psi, n, other_x, other_psi, m, words) }
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn scatter(
    x: *const f32,
    y: *const f32,
    psi: *const i16,
    n: usize,
    other_x: *const f32,
    other_y: *const f32,
    other_psi: *const i16,
    m: usize,
    shift: *const f32,
    inverse_width: f32,
    bins: usize,
    words: *mut i64,
) {
    const LANES: usize = 8;
    let mut ring = Ring::new();
    // SAFETY: m points, and two shifts.
    let (rest, shift) = unsafe {
        let rest = Rest::<LANES>::new(other_x, other_y, other_psi, m);
        (rest, [0, 1].map(|axis| _mm256_set1_ps(shift.add(axis).read_unaligned())))
    };
    let (inverse_width, last) = (_mm256_set1_ps(inverse_width), _mm256_set1_ps(bins as f32));
    for i in 0..n {
        // SAFETY: i < n.
        let (x, y, psi) = unsafe {
            let psi = psi.cast::<i32>().add(i).read_unaligned();
            (
                _mm256_set1_ps(x.add(i).read_unaligned()),
                _mm256_set1_ps(y.add(i).read_unaligned()),
                _mm256_set1_epi32(psi),
            )
        };
        let mut pairs = |other_x: *const f32, other_y: *const f32, other_psi: *const i16, one: __m256i| {
            // SAFETY: of this function's callers, a vector of other points.
            let (other_x, other_y, other_psi) =
                unsafe { (_mm256_loadu_ps(other_x), _mm256_loadu_ps(other_y), _mm256_loadu_si256(other_psi.cast())) };
            let dx = _mm256_add_ps(_mm256_sub_ps(other_x, x), shift[0]);
            let dy = _mm256_add_ps(_mm256_sub_ps(other_y, y), shift[1]);
            let r2 = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
            let bin = _mm256_cvttps_epi32(_mm256_min_ps(_mm256_mul_ps(_mm256_sqrt_ps(r2), inverse_width), last));
            let product = _mm256_madd_epi16(other_psi, psi);
            let product = _mm256_srai_epi32::<8>(_mm256_add_epi32(product, _mm256_set1_epi32(128)));
            let upper = _mm256_add_epi32(_mm256_srai_epi32::<31>(product), one);
            // SAFETY: bins are `bins` at most, and there is room for a vector of pairs.
            unsafe {
                let (bin_to, sums_to) = ring.turn::<LANES>(words, bins);
                _mm256_store_si256(bin_to.cast(), bin);
                _mm256_store_si256(sums_to[0].cast(), _mm256_unpacklo_epi32(product, upper));
                _mm256_store_si256(sums_to[1].cast(), _mm256_unpackhi_epi32(product, upper));
            }
        };
        for j in (0..m - m % LANES).step_by(LANES) {
            // SAFETY: a whole vector.
            unsafe { pairs(other_x.add(j), other_y.add(j), other_psi.add(2 * j), _mm256_set1_epi32(ONE as i32)) }
        }
        if !m.is_multiple_of(LANES) {
            // SAFETY: the copy is a vector.
            let one = unsafe { _mm256_loadu_si256(rest.one.as_ptr().cast()) };
            pairs(rest.x.as_ptr(), rest.y.as_ptr(), rest.psi.as_ptr().cast(), one);
        }
    }
    // SAFETY: bins are `bins` at most.
    unsafe { ring.finish(words, bins) }
}

lanes! { __m256 __m256i _mm256_castps_si256 _mm256_set1_epi32 _mm256_madd_epi16 _mm256_add_epi32 _mm256_srai_epi32 _mm256_srli_epi32 _mm256_and_si256 _mm256_unpacklo_epi32 _mm256_unpackhi_epi32
_mm256_add_epi64 _mm256_sub_epi64 _mm256_set1_epi64x
|lanes, r2, near, pair| _mm256_add_epi32(lanes, _mm256_and_si256(_mm256_cmpgt_epi32(r2, near), pair)); }

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn edges(
    x: *const f32,
    y: *const f32,
    psi: *const i16,
    n: usize,
    other_x: *const f32,
    other_y: *const f32,
    other_psi: *const i16,
    m: usize,
    shift: *const f32,
    edges: *const f32,
    k: usize,
    words: *mut i64,
) {
    let first = Points { x, y, psi, n };
    let other = Points { x: other_x, y: other_y, psi: other_psi, n: m };
    // SAFETY: the caller's contract.
    unsafe { tiles::edges::<__m256>(first, other, shift, edges, k, words) }
}
