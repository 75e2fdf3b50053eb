//! Pairs of points.

use core::arch::x86_64::*;

use super::rows::{self, Block};
use super::{ONE_PAIR, TABLES};

impl Block for [__m128i; 2] {
    #[inline(always)]
    unsafe fn load(psi: &[i32; 8]) -> Self {
        // SAFETY: the contract of the trait, here and below.
        unsafe { [_mm_loadu_si128(psi.as_ptr().cast()), _mm_loadu_si128(psi.as_ptr().add(4).cast())] }
    }

    #[inline(always)]
    unsafe fn values(self, psi: i32) -> [__m128i; 4] {
        unsafe {
            let [[a, b], [c, d]] = self.map(|own| {
                let products = _mm_madd_epi16(own, _mm_set1_epi32(psi));
                // The upper halves of 2^47 and the products.
                let upper = _mm_add_epi32(_mm_srai_epi32::<31>(products), _mm_set1_epi32(ONE as i32));
                [_mm_unpacklo_epi32(products, upper), _mm_unpackhi_epi32(products, upper)]
            });
            [a, b, c, d]
        }
    }
}

#[target_feature(enable = "sse2")]
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
    unsafe { rows::offsets::<[__m128i; 2]>(x, psi, n, other_x, other_psi, m, words) }
}

/// Pairs of [`scatter`](super::scatter()), of vectors of any length, that wait until they are added to their words: additions that
/// came right after the square root that they need would keep what follows from being begun.
#[repr(C, align(64))]
pub(super) struct Ring {
    bins: [u32; 64],
    /// Pairs 0 and 1, and 2 and 3, of each four.
    sums: [[i64; 32]; 2],
    at: usize,
}

impl Ring {
    pub(super) const fn new() -> Ring {
        Ring { bins: [0; 64], sums: [[0; 32]; 2], at: 0 }
    }

    /// Adds the `LANES` pairs that have waited longest, at first pairs of nothing, and says where others can be put.
    ///
    /// # Safety
    /// `words` as in [`scatter`](super::scatter()), and what was put into the ring its bins.
    #[inline(always)]
    pub(super) unsafe fn turn<const LANES: usize>(
        &mut self,
        words: *mut i64,
        bins: usize,
    ) -> (*mut u32, [*mut i64; 2]) {
        let at = self.at;
        self.at = (at + LANES) % 64;
        // SAFETY: LANES divides 64, and so all is inside of the ring; the caller's contract.
        unsafe {
            let (from, sums) =
                (self.bins.as_mut_ptr().add(at), self.sums.each_mut().map(|sums| sums.as_mut_ptr().add(at / 2)));
            for k in (0..LANES).step_by(2) {
                // Two bins at once, as loads bound the loop.
                let two = from.add(k).cast::<u64>().read();
                for (lane, bin) in [(k, two as u32), (k + 1, (two >> 32) as u32)] {
                    let word = words.add(lane % TABLES * (bins + 1) + bin as usize);
                    let sum = sums[lane / 2 % 2].add(lane / 4 * 2 + lane % 2).read();
                    word.write_unaligned(word.read_unaligned().wrapping_add(sum));
                }
            }
            (from, sums)
        }
    }

    /// Adds all that waits.
    ///
    /// # Safety
    /// As for [`turn`](Ring::turn).
    pub(super) unsafe fn finish(&mut self, words: *mut i64, bins: usize) {
        for _ in 0..16 {
            // SAFETY: the caller's contract.
            let _ = unsafe { self.turn::<4>(words, bins) };
        }
    }
}

/// Points past the last whole vector, padded, and what a pair with each counts in the upper half of a word: nothing with padding.
pub(super) struct Rest<const LANES: usize> {
    pub(super) x: [f32; LANES],
    pub(super) y: [f32; LANES],
    pub(super) psi: [[i16; 2]; LANES],
    pub(super) one: [u32; LANES],
}

impl<const LANES: usize> Rest<LANES> {
    /// # Safety
    /// `x`, `y` and `psi` point to `m` points.
    pub(super) unsafe fn new(x: *const f32, y: *const f32, psi: *const i16, m: usize) -> Self {
        let mut rest = Rest { x: [0.0; LANES], y: [0.0; LANES], psi: [[0; 2]; LANES], one: [0; LANES] };
        let first = m - m % LANES;
        for (k, j) in (first..m).enumerate().take(LANES) {
            // SAFETY: j < m.
            unsafe {
                rest.x[k] = x.add(j).read_unaligned();
                rest.y[k] = y.add(j).read_unaligned();
                rest.psi[k] = psi.cast::<[i16; 2]>().add(j).read_unaligned();
            }
            rest.one[k] = ONE;
        }
        rest
    }
}

/// What a pair counts in the upper half of a word.
pub(super) const ONE: u32 = (ONE_PAIR >> 32) as u32;

#[target_feature(enable = "sse2")]
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
    const LANES: usize = 4;
    let mut ring = Ring::new();
    // SAFETY: m points, and two shifts.
    let (rest, shift) = unsafe {
        let rest = Rest::<LANES>::new(other_x, other_y, other_psi, m);
        (rest, [0, 1].map(|axis| _mm_set1_ps(shift.add(axis).read_unaligned())))
    };
    let (inverse_width, last) = (_mm_set1_ps(inverse_width), _mm_set1_ps(bins as f32));
    for i in 0..n {
        // SAFETY: i < n.
        let (x, y, psi) = unsafe {
            let psi = psi.cast::<i32>().add(i).read_unaligned();
            (_mm_set1_ps(x.add(i).read_unaligned()), _mm_set1_ps(y.add(i).read_unaligned()), _mm_set1_epi32(psi))
        };
        let mut pairs = |other_x: *const f32, other_y: *const f32, other_psi: *const i16, one: __m128i| {
            // SAFETY: of this function's callers, a vector of other points.
            let (other_x, other_y, other_psi) =
                unsafe { (_mm_loadu_ps(other_x), _mm_loadu_ps(other_y), _mm_loadu_si128(other_psi.cast())) };
            let dx = _mm_add_ps(_mm_sub_ps(other_x, x), shift[0]);
            let dy = _mm_add_ps(_mm_sub_ps(other_y, y), shift[1]);
            let r2 = _mm_add_ps(_mm_mul_ps(dx, dx), _mm_mul_ps(dy, dy));
            let bin = _mm_cvttps_epi32(_mm_min_ps(_mm_mul_ps(_mm_sqrt_ps(r2), inverse_width), last));
            let product = _mm_madd_epi16(other_psi, psi);
            let product = _mm_srai_epi32::<8>(_mm_add_epi32(product, _mm_set1_epi32(128)));
            let upper = _mm_add_epi32(_mm_srai_epi32::<31>(product), one);
            // SAFETY: bins are `bins` at most, and there is room for a vector of pairs.
            unsafe {
                let (bin_to, sums_to) = ring.turn::<LANES>(words, bins);
                _mm_store_si128(bin_to.cast(), bin);
                _mm_store_si128(sums_to[0].cast(), _mm_unpacklo_epi32(product, upper));
                _mm_store_si128(sums_to[1].cast(), _mm_unpackhi_epi32(product, upper));
            }
        };
        for j in (0..m - m % LANES).step_by(LANES) {
            // SAFETY: a whole vector.
            unsafe { pairs(other_x.add(j), other_y.add(j), other_psi.add(2 * j), _mm_set1_epi32(ONE as i32)) }
        }
        if !m.is_multiple_of(LANES) {
            // SAFETY: the copy is a vector.
            let one = unsafe { _mm_loadu_si128(rest.one.as_ptr().cast()) };
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
