//! Pairs of points.

use core::arch::x86_64::*;

use super::rows;
use super::sse2::{ONE, Rest, Ring};

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
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

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
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
    const LANES: usize = 16;
    let mut ring = Ring::new();
    // SAFETY: m points, and two shifts.
    let (rest, shift) = unsafe {
        let rest = Rest::<LANES>::new(other_x, other_y, other_psi, m);
        (rest, [0, 1].map(|axis| _mm512_set1_ps(shift.add(axis).read_unaligned())))
    };
    let (inverse_width, last) = (_mm512_set1_ps(inverse_width), _mm512_set1_ps(bins as f32));
    for i in 0..n {
        // SAFETY: i < n.
        let (x, y, psi) = unsafe {
            let psi = psi.cast::<i32>().add(i).read_unaligned();
            (
                _mm512_set1_ps(x.add(i).read_unaligned()),
                _mm512_set1_ps(y.add(i).read_unaligned()),
                _mm512_set1_epi32(psi),
            )
        };
        let mut pairs = |other_x: *const f32, other_y: *const f32, other_psi: *const i16, one: __m512i| {
            // SAFETY: of this function's callers, a vector of other points.
            let (other_x, other_y, other_psi) =
                unsafe { (_mm512_loadu_ps(other_x), _mm512_loadu_ps(other_y), _mm512_loadu_si512(other_psi.cast())) };
            let dx = _mm512_add_ps(_mm512_sub_ps(other_x, x), shift[0]);
            let dy = _mm512_add_ps(_mm512_sub_ps(other_y, y), shift[1]);
            let r2 = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
            let bin = _mm512_cvttps_epi32(_mm512_min_ps(_mm512_mul_ps(_mm512_sqrt_ps(r2), inverse_width), last));
            let product = _mm512_madd_epi16(other_psi, psi);
            let product = _mm512_srai_epi32::<8>(_mm512_add_epi32(product, _mm512_set1_epi32(128)));
            let upper = _mm512_add_epi32(_mm512_srai_epi32::<31>(product), one);
            // SAFETY: bins are `bins` at most, and there is room for a vector of pairs.
            unsafe {
                let (bin_to, sums_to) = ring.turn::<LANES>(words, bins);
                _mm512_store_si512(bin_to.cast(), bin);
                _mm512_store_si512(sums_to[0].cast(), _mm512_unpacklo_epi32(product, upper));
                _mm512_store_si512(sums_to[1].cast(), _mm512_unpackhi_epi32(product, upper));
            }
        };
        for j in (0..m - m % LANES).step_by(LANES) {
            // SAFETY: a whole vector.
            unsafe { pairs(other_x.add(j), other_y.add(j), other_psi.add(2 * j), _mm512_set1_epi32(ONE as i32)) }
        }
        if !m.is_multiple_of(LANES) {
            // SAFETY: the copy is a vector.
            let one = unsafe { _mm512_loadu_si512(rest.one.as_ptr().cast()) };
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

const LANES: usize = 16;

/// Lanes as words, two of them each. Products may be negative: a lane begins with half a pair.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn widen(lanes: __m512i) -> __m512i {
    let products = _mm512_and_si512(lanes, _mm512_set1_epi32((1 << COUNT_SHIFT) - 1));
    let counts =
        _mm512_and_si512(_mm512_srli_epi32::<{ COUNT_SHIFT - 15 }>(lanes), _mm512_set1_epi32((MOST as i32) << 15));
    let (low, high) = (_mm512_unpacklo_epi32(products, counts), _mm512_unpackhi_epi32(products, counts));
    _mm512_sub_epi64(_mm512_add_epi64(low, high), _mm512_set1_epi64(2 << (COUNT_SHIFT - 1)))
}

/// The pairs from each of `E` distances on.
///
/// # Safety
/// As for `edges`.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
unsafe fn pairs_beyond<const E: usize>(
    first: Points,
    other: Points,
    shift: *const f32,
    edges: *const f32,
    words: *mut i64,
) {
    // SAFETY: two floats.
    let [shift_x, shift_y] = [0, 1].map(|axis| unsafe { shift.add(axis).read_unaligned() });
    let (shift_x, shift_y) = (_mm512_set1_ps(shift_x), _mm512_set1_ps(shift_y));
    let mut near = [_mm512_setzero_ps(); E];
    for (e, near) in near.iter_mut().enumerate() {
        // SAFETY: E edges.
        *near = _mm512_set1_ps(unsafe { edges.add(e).read_unaligned() });
    }
    let (mut sums, mut begin) = ([_mm512_setzero_si512(); E], 0);
    while begin < first.n {
        let end = first.n.min(begin + MOST);
        for j in (0..other.n).step_by(LANES) {
            let present = !0 >> (LANES - (other.n - j).min(LANES));
            // SAFETY: points j < n of the others.
            let (xj, yj, psi_j) = unsafe {
                let psi = _mm512_maskz_loadu_epi32(present, other.psi.add(2 * j).cast());
                (_mm512_maskz_loadu_ps(present, other.x.add(j)), _mm512_maskz_loadu_ps(present, other.y.add(j)), psi)
            };
            let one = _mm512_maskz_set1_epi32(present, 1 << COUNT_SHIFT);
            let mut lanes = [_mm512_set1_epi32(1 << (COUNT_SHIFT - 1)); E];
            // Lanes without a point add zero: their orientations are zeros, and their pairs none.
            for i in begin..end {
                // SAFETY: point i < n of the first.
                let (xi, yi, psi_i) = unsafe {
                    let psi = first.psi.add(2 * i).cast::<i32>().read_unaligned();
                    (first.x.add(i).read_unaligned(), first.y.add(i).read_unaligned(), psi)
                };
                let dx = _mm512_add_ps(_mm512_sub_ps(xj, _mm512_set1_ps(xi)), shift_x);
                let dy = _mm512_add_ps(_mm512_sub_ps(yj, _mm512_set1_ps(yi)), shift_y);
                let r2 = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
                let product = _mm512_madd_epi16(psi_j, _mm512_set1_epi32(psi_i));
                let rounded = _mm512_srai_epi32::<8>(_mm512_add_epi32(product, _mm512_set1_epi32(128)));
                let pair = _mm512_add_epi32(rounded, one);
                for (lanes, near) in lanes.iter_mut().zip(near) {
                    let beyond = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(r2, near);
                    *lanes = _mm512_mask_add_epi32(*lanes, beyond, *lanes, pair);
                }
            }
            for (sum, lanes) in sums.iter_mut().zip(lanes) {
                *sum = _mm512_add_epi64(*sum, widen(lanes));
            }
        }
        begin = end;
    }
    for (e, &sum) in sums.iter().enumerate() {
        // SAFETY: E words.
        unsafe {
            let word = words.add(e);
            word.write_unaligned(word.read_unaligned().wrapping_add(_mm512_reduce_add_epi64(sum)));
        }
    }
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
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
