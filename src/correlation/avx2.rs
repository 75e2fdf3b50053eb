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
