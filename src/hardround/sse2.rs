//! Intrinsics of the family for sse2.

use core::arch::x86_64::*;

use super::{Cell, MOST_DOMAINS};

/// i d in domain i of 4.
#[inline]
#[target_feature(enable = "sse2")]
fn indices(d: __m128i) -> __m128i {
    let odd = _mm_and_si128(d, _mm_setr_epi32(0, -1, 0, -1));
    let upper = _mm_and_si128(_mm_add_epi32(d, d), _mm_setr_epi32(0, 0, -1, -1));
    _mm_add_epi32(odd, upper)
}

/// A quantity with two differences in 4 domains, and what it grows by to the next 4.
struct Quantity {
    value: __m128i,
    step: __m128i,
    change: __m128i,
}

impl Quantity {
    #[inline]
    #[target_feature(enable = "sse2")]
    fn new(words: [u32; 3]) -> Self {
        let [q, d, dd] = words.map(|word| _mm_set1_epi32(word as i32));
        // In domain i it has grown by i d + i (i - 1) / 2 dd; to domain i + 4 it grows by 4 d + (4 i + 6) dd.
        let upper = _mm_and_si128(dd, _mm_setr_epi32(0, 0, -1, -1));
        let last = _mm_and_si128(_mm_slli_epi32::<1>(dd), _mm_setr_epi32(0, 0, 0, -1));
        let value = _mm_add_epi32(_mm_add_epi32(q, indices(d)), _mm_add_epi32(upper, last));
        let odd = _mm_add_epi32(_mm_slli_epi32::<1>(_mm_add_epi32(indices(dd), dd)), dd);
        let step = _mm_add_epi32(_mm_slli_epi32::<1>(odd), _mm_slli_epi32::<2>(d));
        Quantity { value, step, change: _mm_slli_epi32::<4>(dd) }
    }

    /// 1 and these fractions; then the next are.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn next(&mut self) -> __m128 {
        let bits = _mm_or_si128(_mm_srli_epi32::<9>(self.value), _mm_castps_si128(_mm_set1_ps(1.0)));
        self.value = _mm_add_epi32(self.value, self.step);
        self.step = _mm_add_epi32(self.step, self.change);
        _mm_castsi128_ps(bits)
    }
}

/// Where a > b, of floats one of which at most is negative: they compare as integers, which more pipes do.
#[inline]
#[target_feature(enable = "sse2")]
fn exceeds(a: __m128, b: __m128) -> __m128i {
    _mm_cmpgt_epi32(_mm_castps_si128(a), _mm_castps_si128(b))
}

#[inline]
#[target_feature(enable = "sse2")]
fn fraction(s: __m128) -> __m128 {
    _mm_sub_ps(s, _mm_cvtepi32_ps(_mm_cvttps_epi32(s)))
}

#[target_feature(enable = "sse2")]
pub(super) unsafe extern "C" fn rows(cells: *const Cell, count: usize, hits: *mut u64) {
    for c in 0..count {
        // SAFETY: `count` cells.
        let cell = unsafe { cells.add(c).read_unaligned() };
        let [per, ratio, least, reach, most, width, slack] =
            [cell.per, cell.ratio, cell.least, cell.reach, cell.most, cell.width, cell.slack].map(|x| _mm_set1_ps(x));
        let (mut z, mut h) = (Quantity::new(cell.z), Quantity::new(cell.h));
        let [y0, dy] = cell.y.map(|word| _mm_set1_epi32(word));
        let mut y = _mm_add_epi32(y0, indices(dy));
        let mut next = || {
            let gap = _mm_max_ps(_mm_cvtepi32_ps(y), least);
            y = _mm_add_epi32(y, _mm_slli_epi32::<2>(dy));
            let (z, h) = (z.next(), h.next());
            let t = _mm_div_ps(per, gap);
            let slope = _mm_sub_ps(t, ratio);
            let most = _mm_add_ps(_mm_mul_ps(reach, gap), most);
            let width = _mm_add_ps(_mm_mul_ps(width, t), slack);
            let below = _mm_sub_ps(z, _mm_set1_ps(1.0));
            let first = _mm_add_ps(_mm_mul_ps(below, slope), h);
            let second = _mm_add_ps(first, slope);
            let first = _mm_or_si128(exceeds(below, most), exceeds(fraction(first), width));
            let second = _mm_or_si128(exceeds(z, most), exceeds(fraction(second), width));
            !_mm_movemask_ps(_mm_castsi128_ps(_mm_and_si128(first, second))) as u32 & 15
        };
        let mut next = || next() | next() << 4;
        // SAFETY: two words for each cell, and a byte of them for 8 of at most 128 domains.
        unsafe {
            let bytes = hits.add(2 * c).cast::<u8>();
            bytes.cast::<[u64; 2]>().write_unaligned([0; 2]);
            let domains = cell.count.min(MOST_DOMAINS) as usize;
            for byte in 0..domains / 8 {
                bytes.add(byte).write(next() as u8);
            }
            if domains % 8 != 0 {
                bytes.add(domains / 8).write((next() & !(!0 << (domains % 8))) as u8);
            }
        }
    }
}
