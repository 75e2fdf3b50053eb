//! Pairs of points.

use core::arch::x86_64::*;

use super::rows::{self, Block};
use super::tiles::{self, Points, lanes};
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

lanes! { __m128 __m128i _mm_castps_si128 _mm_set1_epi32 _mm_madd_epi16 _mm_add_epi32 _mm_srai_epi32 _mm_srli_epi32 _mm_and_si128 _mm_unpacklo_epi32 _mm_unpackhi_epi32
_mm_add_epi64 _mm_sub_epi64 _mm_set1_epi64x
|lanes, r2, near, pair| _mm_add_epi32(lanes, _mm_and_si128(_mm_cmpgt_epi32(r2, near), pair));
#[inline(always)]
unsafe fn load_part(from: *const f32, n: usize) -> Self {
    if n == 1 {
        return _mm_set_ss(from.read_unaligned());
    }
    let two = _mm_castsi128_ps(_mm_loadl_epi64(from.cast()));
    if n == 2 { two } else { _mm_movelh_ps(two, _mm_set_ss(from.add(2).read_unaligned())) }
} }

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
    // SAFETY: the caller's contract.
    unsafe { tiles::edges::<__m128>(first, other, shift, edges, k, words) }
}
