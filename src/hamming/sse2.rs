//! SSE2.

use core::arch::x86_64::*;

/// Adds the bits of 2 N + 1 vectors: the N carries, and what is left.
#[inline]
#[target_feature(enable = "sse2")]
fn add<const N: usize>(vector: impl Fn(usize) -> __m128i) -> ([__m128i; N], __m128i) {
    let (mut carries, mut x) = ([_mm_setzero_si128(); N], vector(0));
    for (k, slot) in carries.iter_mut().enumerate() {
        let u = _mm_xor_si128(x, vector(2 * k + 1));
        let s = _mm_xor_si128(u, vector(2 * k + 2));
        *slot = carry(x, u, s);
        x = s;
    }
    (carries, x)
}

/// The carries of x + y + z, from x, x ^ y and x ^ y ^ z.
#[inline]
#[target_feature(enable = "sse2")]
fn carry(x: __m128i, u: __m128i, s: __m128i) -> __m128i {
    _mm_xor_si128(_mm_or_si128(x, u), _mm_and_si128(u, s))
}

/// The ones of each nibble.
#[inline]
#[target_feature(enable = "sse2")]
fn nibbles(v: __m128i) -> __m128i {
    let pairs = _mm_sub_epi8(v, _mm_and_si128(_mm_srli_epi16::<1>(v), _mm_set1_epi8(0x55)));
    let mask = _mm_set1_epi8(0x33);
    _mm_add_epi8(_mm_and_si128(pairs, mask), _mm_and_si128(_mm_srli_epi16::<2>(pairs), mask))
}

/// The sums of the two nibbles of each byte.
#[inline]
#[target_feature(enable = "sse2")]
fn bytes(v: __m128i) -> __m128i {
    let mask = _mm_set1_epi8(0x0f);
    _mm_add_epi8(_mm_and_si128(v, mask), _mm_and_si128(_mm_srli_epi16::<4>(v), mask))
}

/// The ones in each half of the sum of `ones` and what the falls, or pairs, `two` to `sixteen` count.
#[inline]
#[target_feature(enable = "sse2")]
fn total(ones: [__m128i; 2], pairs: [__m128i; 15]) -> __m128i {
    let twice = |v| _mm_add_epi8(v, v);
    let (fours, two) = add::<7>(|k| pairs[k]);
    let (eights, four) = add::<3>(|k| fours[k]);
    let ([sixteen], eight) = add::<1>(|k| eights[k]);
    // Nibbles of up to 12 hold two units; bytes of up to 128 each, and two of them too many for one.
    let [one, other] = ones;
    let units = bytes(_mm_add_epi8(nibbles(one), twice(nibbles(two))));
    let fours = bytes(_mm_add_epi8(nibbles(four), twice(nibbles(eight))));
    let lower = _mm_add_epi8(_mm_add_epi8(units, bytes(nibbles(other))), twice(twice(fours)));
    let sixteens = nibbles(sixteen);
    let upper = _mm_and_si128(_mm_add_epi8(sixteens, _mm_slli_epi16::<4>(sixteens)), _mm_set1_epi8(-16));
    let zero = _mm_setzero_si128();
    _mm_add_epi64(_mm_sad_epu8(upper, zero), _mm_sad_epu8(lower, zero))
}

/// Prefix sums of the words of each plane, and the last words; then two planes of zeros.
type Sums = [[u64; 34]; 32];

/// Distances of planes `i` and `i + 1` from planes `j` and `j + 1`. The number of ones among bits is twice that of the falls in
/// their prefix sums, and the last sum; as sums of differences are differences of sums, the falls cost three operations a
/// pair.
#[inline]
#[target_feature(enable = "sse2")]
fn pair_distances(sums: &Sums, i: usize, j: usize) -> [u32; 2] {
    let sum = |k: usize| {
        // SAFETY: i + 1 and j + 1 < 34.
        let planes = [i, j].map(|plane| unsafe { _mm_loadu_si128(sums[k].as_ptr().add(plane).cast()) });
        _mm_xor_si128(planes[0], planes[1])
    };
    let mut falls = [_mm_setzero_si128(); 15];
    for (k, fall) in falls.iter_mut().enumerate() {
        *fall = carry(sum(2 * k), sum(2 * k + 1), sum(2 * k + 2));
    }
    let ones = total([sum(30), sum(31)], falls);
    [_mm_cvtsi128_si32(ones) as u32, _mm_cvtsi128_si32(_mm_unpackhi_epi64(ones, ones)) as u32]
}

#[target_feature(enable = "sse2")]
pub unsafe extern "C" fn slices(tiles: *const u8, out: *mut u32) {
    let mut sums: Sums = [[0; 34]; 32];
    for j in (0..32).step_by(2) {
        let mut sum = _mm_setzero_si128();
        for (k, sums) in sums.iter_mut().enumerate() {
            // SAFETY: words j and j + 1 of tile k, and of 34.
            unsafe {
                let words = _mm_loadu_si128(tiles.add(256 * k + 8 * j).cast());
                sum = if k < 31 { _mm_xor_si128(sum, words) } else { words };
                _mm_storeu_si128(sums.as_mut_ptr().add(j).cast(), sum);
            }
        }
    }
    for i in (0..32).step_by(2) {
        for j in i + 1..33 {
            // After the last plane come zeros: the distance from them goes to the diagonal.
            let [first, second] = pair_distances(&sums, i, j);
            let (column, next) = (if j < 32 { j } else { i }, if j < 31 { j + 1 } else { i + 1 });
            // SAFETY: i + 1, column and next < 32.
            unsafe {
                out.add(32 * i + column).write_unaligned(first);
                out.add(32 * (i + 1) + next).write_unaligned(second);
            }
        }
    }
}

/// Words of a row that are counted together, and rows.
const BLOCK: usize = 32;
const ROWS: usize = 8;

/// Words of a row, each twice; then zeros.
type Words = [__m128i; BLOCK];

/// The ones in common of `BLOCK` words and two packed rows.
///
/// # Safety
/// `packed` points to as many words of a group, at the first of the two rows.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn intersection(packed: *const u64, words: &Words) -> __m128i {
    let common = |k: usize| {
        // SAFETY: k < BLOCK.
        _mm_and_si128(words[k], unsafe { _mm_loadu_si128(packed.add(8 * k).cast()) })
    };
    let (pairs, one) = add::<15>(common);
    total([one, common(31)], pairs)
}

#[target_feature(enable = "sse2")]
pub unsafe extern "C" fn intersections(
    packed: *const u8,
    groups: usize,
    chunks: usize,
    rows: *const u8,
    stride: usize,
    tails: *const u64,
    n: usize,
    out: *mut u32,
    out_stride: usize,
) {
    let all = chunks + usize::from(!tails.is_null());
    let mut words = [[_mm_setzero_si128(); BLOCK]; ROWS];
    let mut padded = [[0u64; 8]; BLOCK];
    for first in (0..n).step_by(ROWS) {
        let last = n.min(first + ROWS);
        // Once even if a row has no words: the counts are 0.
        for chunk in (0..all.max(1)).step_by(BLOCK) {
            let length = (all - chunk).min(BLOCK);
            for (i, words) in (first..last).zip(&mut words) {
                for (k, slot) in words.iter_mut().enumerate() {
                    // SAFETY: the words of row i, and its tail.
                    let word = unsafe {
                        match chunk + k {
                            at if at < chunks => rows.add(i * stride).cast::<u64>().add(at).read_unaligned(),
                            at if at < all => tails.add(i).read_unaligned(),
                            _ => 0,
                        }
                    };
                    *slot = _mm_set1_epi64x(word as i64);
                }
            }
            for group in 0..groups {
                // SAFETY: group < groups.
                let mut packed = unsafe { packed.cast::<u64>().add(8 * (group * all + chunk)) };
                if length < BLOCK {
                    for (k, slot) in padded.iter_mut().enumerate().take(length) {
                        // SAFETY: k < length.
                        *slot = unsafe { packed.add(8 * k).cast::<[u64; 8]>().read_unaligned() };
                    }
                    packed = padded.as_ptr().cast();
                }
                for (i, words) in (first..last).zip(&words) {
                    for l in (0..8).step_by(2) {
                        // SAFETY: a block of words, and integers 8 group + l and the next of row i.
                        unsafe {
                            let counts = _mm_shuffle_epi32::<0x08>(intersection(packed.add(l), words));
                            let to = out.add(i * out_stride + 8 * group + l).cast();
                            let before = if chunk == 0 { _mm_setzero_si128() } else { _mm_loadl_epi64(to) };
                            _mm_storel_epi64(to, _mm_add_epi32(before, counts));
                        }
                    }
                }
            }
        }
    }
}

super::scalar::finish! {
    #[target_feature(enable = "sse2")] __m128i, 4,
    _mm_set1_epi32, _mm_add_epi32, _mm_sub_epi32, _mm_or_si128, quotient, ratio, choose
}

/// `x / y`.
#[inline]
#[target_feature(enable = "sse2")]
fn quotient(x: __m128i, y: __m128i) -> __m128i {
    _mm_castps_si128(_mm_div_ps(_mm_cvtepi32_ps(x), _mm_cvtepi32_ps(y)))
}

/// `c / sqrt(a b)`.
#[inline]
#[target_feature(enable = "sse2")]
fn ratio(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    let half = |a, b, c| {
        let product = _mm_mul_pd(_mm_cvtepi32_pd(a), _mm_cvtepi32_pd(b));
        _mm_cvtpd_ps(_mm_div_pd(_mm_cvtepi32_pd(c), _mm_sqrt_pd(product)))
    };
    let low = half(a, b, c);
    let [a, b, c] = [a, b, c].map(|x| _mm_unpackhi_epi64(x, x));
    _mm_castps_si128(_mm_movelh_ps(low, half(a, b, c)))
}

/// `x` where the test is not 0, else `y`.
#[inline]
#[target_feature(enable = "sse2")]
fn choose(test: __m128i, x: __m128i, y: __m128i) -> __m128i {
    let zero = _mm_cmpeq_epi32(test, _mm_setzero_si128());
    _mm_or_si128(_mm_and_si128(zero, y), _mm_andnot_si128(zero, x))
}
