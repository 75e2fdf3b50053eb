//! Pairs of points.

use core::arch::x86_64::*;

use super::rows::{self, Block};
use super::sse2::{ONE, Rest, Ring};

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

/// Pairs that a lane of a sum holds: their number in its upper 5 bits, and the sum of their products, of at most 2^21.
const MOST: usize = 31;
const COUNT_SHIFT: u32 = 27;

/// Points of one set.
#[derive(Clone, Copy)]
struct Points {
    x: *const f32,
    y: *const f32,
    psi: *const i16,
    n: usize,
}

const LANES: usize = 8;

/// Lanes as words, two of them each. Products may be negative: a lane begins with half a pair.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn widen(lanes: __m256i) -> __m256i {
    let products = _mm256_and_si256(lanes, _mm256_set1_epi32((1 << COUNT_SHIFT) - 1));
    let counts = _mm256_and_si256(
        _mm256_srli_epi32::<{ COUNT_SHIFT as i32 - 15 }>(lanes),
        _mm256_set1_epi32((MOST as i32) << 15),
    );
    let (low, high) = (_mm256_unpacklo_epi32(products, counts), _mm256_unpackhi_epi32(products, counts));
    _mm256_sub_epi64(_mm256_add_epi64(low, high), _mm256_set1_epi64x(2 << (COUNT_SHIFT - 1)))
}

/// The pairs from each of `E` distances on.
///
/// # Safety
/// As for `edges`.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
unsafe fn pairs_beyond<const E: usize>(
    first: Points,
    other: Points,
    shift: *const f32,
    edges: *const f32,
    words: *mut i64,
) {
    // SAFETY: two floats.
    let [shift_x, shift_y] = [0, 1].map(|axis| unsafe { shift.add(axis).read_unaligned() });
    let (shift_x, shift_y) = (_mm256_set1_ps(shift_x), _mm256_set1_ps(shift_y));
    // The bits of floats that are not negative are ordered as they are: so are those of r2 and an edge.
    let mut near = [_mm256_setzero_si256(); E];
    for (e, near) in near.iter_mut().enumerate() {
        // SAFETY: E edges.
        let edge = unsafe { edges.add(e).read_unaligned() };
        *near = _mm256_set1_epi32((edge.to_bits() as i32).max(0) - 1);
    }
    let (mut sums, mut begin) = ([_mm256_setzero_si256(); E], 0);
    while begin < first.n {
        let end = first.n.min(begin + MOST);
        for j in (0..other.n).step_by(LANES) {
            let left = (other.n - j).min(LANES) as i32;
            let present = _mm256_cmpgt_epi32(_mm256_set1_epi32(left), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
            // SAFETY: points j < n of the others.
            let (xj, yj, psi_j) = unsafe {
                let psi = _mm256_maskload_epi32(other.psi.add(2 * j).cast(), present);
                (_mm256_maskload_ps(other.x.add(j), present), _mm256_maskload_ps(other.y.add(j), present), psi)
            };
            let one = _mm256_and_si256(present, _mm256_set1_epi32(1 << COUNT_SHIFT));
            let mut lanes = [_mm256_set1_epi32(1 << (COUNT_SHIFT - 1)); E];
            // Lanes without a point add zero: their orientations are zeros, and their pairs none.
            for i in begin..end {
                // SAFETY: point i < n of the first.
                let (xi, yi, psi_i) = unsafe {
                    let psi = first.psi.add(2 * i).cast::<i32>().read_unaligned();
                    (first.x.add(i).read_unaligned(), first.y.add(i).read_unaligned(), psi)
                };
                let dx = _mm256_add_ps(_mm256_sub_ps(xj, _mm256_set1_ps(xi)), shift_x);
                let dy = _mm256_add_ps(_mm256_sub_ps(yj, _mm256_set1_ps(yi)), shift_y);
                let r2 = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
                let product = _mm256_madd_epi16(psi_j, _mm256_set1_epi32(psi_i));
                let rounded = _mm256_srai_epi32::<8>(_mm256_add_epi32(product, _mm256_set1_epi32(128)));
                let pair = _mm256_add_epi32(rounded, one);
                for (lanes, near) in lanes.iter_mut().zip(near) {
                    let beyond = _mm256_cmpgt_epi32(_mm256_castps_si256(r2), near);
                    *lanes = _mm256_add_epi32(*lanes, _mm256_and_si256(beyond, pair));
                }
            }
            for (sum, lanes) in sums.iter_mut().zip(lanes) {
                *sum = _mm256_add_epi64(*sum, widen(lanes));
            }
        }
        begin = end;
    }
    for (e, &sum) in sums.iter().enumerate() {
        let mut parts = [0i64; 4];
        // SAFETY: E words.
        unsafe {
            _mm256_storeu_si256(parts.as_mut_ptr().cast(), sum);
            let word = words.add(e);
            word.write_unaligned(parts.iter().fold(word.read_unaligned(), |sum, &part| sum.wrapping_add(part)));
        }
    }
}

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
    for e in (0..k).step_by(8) {
        let pairs: unsafe fn(Points, Points, *const f32, *const f32, *mut i64) = match k - e {
            1 => pairs_beyond::<1>,
            2 => pairs_beyond::<2>,
            3 => pairs_beyond::<3>,
            4 => pairs_beyond::<4>,
            5 => pairs_beyond::<5>,
            6 => pairs_beyond::<6>,
            7 => pairs_beyond::<7>,
            _ => pairs_beyond::<8>,
        };
        // SAFETY: e < k, and the caller's contract.
        unsafe { pairs(first, other, shift, edges.add(e), words.add(e)) }
    }
}
