//! Intrinsics of the family for avx2.

use core::arch::x86_64::*;

use super::{Cell, MOST_DOMAINS};

const LANES: usize = 8;

/// The vectors of a cell's quantity from the first on.
#[derive(Clone, Copy)]
struct Quantity {
    value: __m256i,
    step: __m256i,
    change: __m256i,
}

impl Quantity {
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
    fn new([q, d, dd]: [u32; 3]) -> Self {
        let [q, d, dd] = [q, d, dd].map(|word| _mm256_set1_epi32(word as i32));
        // In domain i, i d + i (i - 1) / 2 dd; from i to i + 8, 8 d + (8 i + 28) dd.
        let i = _mm256_mullo_epi32(d, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        let pairs = _mm256_mullo_epi32(dd, _mm256_setr_epi32(0, 0, 1, 3, 6, 10, 15, 21));
        let gained = _mm256_mullo_epi32(dd, _mm256_setr_epi32(28, 36, 44, 52, 60, 68, 76, 84));
        Quantity {
            value: _mm256_add_epi32(_mm256_add_epi32(q, i), pairs),
            step: _mm256_add_epi32(_mm256_slli_epi32::<3>(d), gained),
            change: _mm256_slli_epi32::<6>(dd),
        }
    }

    /// 1 and the fractions of this vector; then it is the next.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
    fn next(&mut self) -> __m256 {
        let bits = _mm256_or_si256(_mm256_srli_epi32::<9>(self.value), _mm256_castps_si256(_mm256_set1_ps(1.0)));
        self.value = _mm256_add_epi32(self.value, self.step);
        self.step = _mm256_add_epi32(self.step, self.change);
        _mm256_castsi256_ps(bits)
    }
}

/// Where a > b, of floats that are not negative, or if a is, b is not: compared as integers, which more pipes do.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn exceeds(a: __m256, b: __m256) -> __m256i {
    _mm256_cmpgt_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b))
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn fraction(s: __m256) -> __m256 {
    _mm256_sub_ps(s, _mm256_round_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(s))
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
pub(super) unsafe extern "C" fn rows(cells: *const Cell, count: usize, hits: *mut u64) {
    for c in 0..count {
        // SAFETY: `count` cells.
        let cell = unsafe { cells.add(c).read_unaligned() };
        let [per, ratio, least, reach, most, width, slack] =
            [cell.per, cell.ratio, cell.least, cell.reach, cell.most, cell.width, cell.slack].map(|x| _mm256_set1_ps(x));
        let (mut z, mut h) = (Quantity::new(cell.z), Quantity::new(cell.h));
        let [y0, dy] = cell.y.map(|word| _mm256_set1_epi32(word));
        let mut y = _mm256_add_epi32(y0, _mm256_mullo_epi32(dy, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
        let dy = _mm256_slli_epi32::<3>(dy);
        let mut byte = |i: usize, mask: u32| {
            let here = _mm256_cvtepi32_ps(y);
            let here = _mm256_castsi256_ps(_mm256_max_epi32(_mm256_castps_si256(here), _mm256_castps_si256(least)));
            y = _mm256_add_epi32(y, dy);
            let (z, h) = (z.next(), h.next());
            let t = _mm256_div_ps(per, here);
            let slope = _mm256_sub_ps(t, ratio);
            let most = _mm256_add_ps(_mm256_mul_ps(reach, here), most);
            let width = _mm256_add_ps(_mm256_mul_ps(width, t), slack);
            let below = _mm256_sub_ps(z, _mm256_set1_ps(1.0));
            let first = _mm256_add_ps(_mm256_mul_ps(below, slope), h);
            let second = _mm256_add_ps(first, slope);
            let second = _mm256_or_ps(fraction(second), _mm256_castsi256_ps(exceeds(z, most)));
            // Of a NaN and a number, the number.
            let nearest = _mm256_min_ps(second, fraction(first));
            let missed = _mm256_or_si256(exceeds(nearest, width), exceeds(below, most));
            let missed = _mm256_movemask_ps(_mm256_castsi256_ps(missed)) as u32;
            unsafe { hits.add(2 * c).cast::<u8>().add(i / LANES).write((!missed & mask) as u8) }
        };
        unsafe { hits.add(2 * c).cast::<__m128i>().write_unaligned(_mm_setzero_si128()) };
        let domains = cell.count.min(MOST_DOMAINS) as usize;
        let mut i = 0;
        while i + LANES < domains {
            byte(i, !0);
            i += LANES;
        }
        byte(i, !(!0 << (domains - i)));
    }
}
