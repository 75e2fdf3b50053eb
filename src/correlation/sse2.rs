//! Pairs of points.

use core::arch::x86_64::*;

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

const LANES: usize = 4;

/// Lanes as words, two of them each. Products may be negative: a lane begins with half a pair.
#[inline]
#[target_feature(enable = "sse2")]
fn widen(lanes: __m128i) -> __m128i {
    let products = _mm_and_si128(lanes, _mm_set1_epi32((1 << COUNT_SHIFT) - 1));
    let counts =
        _mm_and_si128(_mm_srli_epi32::<{ COUNT_SHIFT as i32 - 15 }>(lanes), _mm_set1_epi32((MOST as i32) << 15));
    let (low, high) = (_mm_unpacklo_epi32(products, counts), _mm_unpackhi_epi32(products, counts));
    _mm_sub_epi64(_mm_add_epi64(low, high), _mm_set1_epi64x(2 << (COUNT_SHIFT - 1)))
}

/// The pairs from each of `E` distances on.
///
/// # Safety
/// As for `edges`.
#[target_feature(enable = "sse2")]
unsafe fn pairs_beyond<const E: usize>(
    first: Points,
    other: Points,
    shift: *const f32,
    edges: *const f32,
    words: *mut i64,
) {
    // SAFETY: two floats.
    let [shift_x, shift_y] = [0, 1].map(|axis| unsafe { shift.add(axis).read_unaligned() });
    let (shift_x, shift_y) = (_mm_set1_ps(shift_x), _mm_set1_ps(shift_y));
    // The bits of floats that are not negative are ordered as they are: so are those of r2 and an edge.
    let mut near = [_mm_setzero_si128(); E];
    for (e, near) in near.iter_mut().enumerate() {
        // SAFETY: E edges.
        let edge = unsafe { edges.add(e).read_unaligned() };
        *near = _mm_set1_epi32((edge.to_bits() as i32).max(0) - 1);
    }
    let (mut sums, mut begin) = ([_mm_setzero_si128(); E], 0);
    while begin < first.n {
        let end = first.n.min(begin + MOST);
        for j in (0..other.n).step_by(LANES) {
            let mut last = [[0; 4]; 3];
            let mut from: [*const __m128i; 3] =
                [other.x.wrapping_add(j).cast(), other.y.wrapping_add(j).cast(), other.psi.wrapping_add(2 * j).cast()];
            if other.n - j < 4 {
                for (last, from) in last.iter_mut().zip(&mut from) {
                    for (lane, last) in last.iter_mut().take(other.n - j).enumerate() {
                        // SAFETY: point j + lane < n.
                        *last = unsafe { from.cast::<i32>().add(lane).read_unaligned() };
                    }
                    *from = last.as_ptr().cast();
                }
            }
            // SAFETY: points j to j + 3, or a copy of those there are.
            let [xj, yj, psi_j] = from.map(|from| unsafe { _mm_loadu_si128(from) });
            let (xj, yj) = (_mm_castsi128_ps(xj), _mm_castsi128_ps(yj));
            let left = (other.n - j).min(LANES) as i32;
            let present = _mm_cmpgt_epi32(_mm_set1_epi32(left), _mm_setr_epi32(0, 1, 2, 3));
            let one = _mm_and_si128(present, _mm_set1_epi32(1 << COUNT_SHIFT));
            let mut lanes = [_mm_set1_epi32(1 << (COUNT_SHIFT - 1)); E];
            // Lanes without a point add zero: their orientations are zeros, and their pairs none.
            for i in begin..end {
                // SAFETY: point i < n of the first.
                let (xi, yi, psi_i) = unsafe {
                    let psi = first.psi.add(2 * i).cast::<i32>().read_unaligned();
                    (first.x.add(i).read_unaligned(), first.y.add(i).read_unaligned(), psi)
                };
                let dx = _mm_add_ps(_mm_sub_ps(xj, _mm_set1_ps(xi)), shift_x);
                let dy = _mm_add_ps(_mm_sub_ps(yj, _mm_set1_ps(yi)), shift_y);
                let r2 = _mm_add_ps(_mm_mul_ps(dx, dx), _mm_mul_ps(dy, dy));
                let product = _mm_madd_epi16(psi_j, _mm_set1_epi32(psi_i));
                let rounded = _mm_srai_epi32::<8>(_mm_add_epi32(product, _mm_set1_epi32(128)));
                let pair = _mm_add_epi32(rounded, one);
                for (lanes, near) in lanes.iter_mut().zip(near) {
                    let beyond = _mm_cmpgt_epi32(_mm_castps_si128(r2), near);
                    *lanes = _mm_add_epi32(*lanes, _mm_and_si128(beyond, pair));
                }
            }
            for (sum, lanes) in sums.iter_mut().zip(lanes) {
                *sum = _mm_add_epi64(*sum, widen(lanes));
            }
        }
        begin = end;
    }
    for (e, &sum) in sums.iter().enumerate() {
        let mut parts = [0i64; 2];
        // SAFETY: E words.
        unsafe {
            _mm_storeu_si128(parts.as_mut_ptr().cast(), sum);
            let word = words.add(e);
            word.write_unaligned(parts.iter().fold(word.read_unaligned(), |sum, &part| sum.wrapping_add(part)));
        }
    }
}

#[target_feature(enable = "sse2")]
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
