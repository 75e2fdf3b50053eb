//! AVX2.

use core::arch::x86_64::*;

/// The carries of x + y + z, from x, x ^ y and x ^ y ^ z.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn carry(x: __m256i, u: __m256i, s: __m256i) -> __m256i {
    _mm256_xor_si256(_mm256_or_si256(x, u), _mm256_and_si256(u, s))
}

/// Adds the bits of 2 N + 1 vectors: the N carries, and what is left.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn add<const N: usize>(vector: impl Fn(usize) -> __m256i) -> ([__m256i; N], __m256i) {
    let (mut carries, mut x) = ([_mm256_setzero_si256(); N], vector(0));
    for (k, slot) in carries.iter_mut().enumerate() {
        let u = _mm256_xor_si256(x, vector(2 * k + 1));
        let s = _mm256_xor_si256(u, vector(2 * k + 2));
        *slot = carry(x, u, s);
        x = s;
    }
    (carries, x)
}

/// The ones of each byte, `weight` times.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn ones(vector: __m256i, weight: i8) -> __m256i {
    let [a, b, c, d] = [weight, 2 * weight, 3 * weight, 4 * weight];
    let table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, a, a, b, a, b, b, c, a, b, b, c, b, c, c, d));
    let nibble = _mm256_set1_epi8(15);
    let low = _mm256_shuffle_epi8(table, _mm256_and_si256(vector, nibble));
    let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(vector), nibble));
    _mm256_add_epi8(low, high)
}

/// Four 64-bit lanes as 32-bit lanes.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn narrow(counts: __m256i) -> __m128i {
    let [low, high] = [_mm256_castsi256_si128(counts), _mm256_extracti128_si256::<1>(counts)];
    _mm_castps_si128(_mm_shuffle_ps::<0x88>(_mm_castsi128_ps(low), _mm_castsi128_ps(high)))
}

/// Prefix sums of the words of each plane, and the last words; then a plane of zeros.
type Sums = [[u64; 36]; 32];

/// Distances of plane `i` from planes `j` to `j + 3`. The number of ones among bits is twice that of the falls in their
/// prefix sums, and the last sum; as sums of differences are differences of sums, the falls cost three operations a pair.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn pair_distances(sums: &Sums, i: usize, j: usize) -> __m128i {
    let sum = |k: usize| {
        let sums = sums[k].as_ptr();
        // SAFETY: i < 36, j + 3 < 36.
        let (plane, planes) = unsafe { (sums.add(i).read(), _mm256_loadu_si256(sums.add(j).cast())) };
        _mm256_xor_si256(planes, _mm256_set1_epi64x(plane as i64))
    };
    let falls = |k: usize| carry(sum(2 * k), sum(2 * k + 1), sum(2 * k + 2));
    let (fours, two) = add::<7>(falls);
    let (eights, four) = add::<3>(|k| fours[k]);
    let ([sixteen], eight) = add::<1>(|k| eights[k]);

    // Bytes of up to 128 each.
    let upper = ones(sixteen, 16);
    let lower = _mm256_add_epi8(
        _mm256_add_epi8(_mm256_add_epi8(ones(sum(30), 1), ones(sum(31), 1)), ones(two, 2)),
        _mm256_add_epi8(ones(four, 4), ones(eight, 8)),
    );
    let zero = _mm256_setzero_si256();
    narrow(_mm256_add_epi64(_mm256_sad_epu8(upper, zero), _mm256_sad_epu8(lower, zero)))
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
pub unsafe extern "C" fn slices(tiles: *const u8, out: *mut u32) {
    let mut sums: Sums = [[0; 36]; 32];
    for j in (0..32).step_by(4) {
        let mut sum = _mm256_setzero_si256();
        for (k, sums) in sums.iter_mut().enumerate() {
            // SAFETY: words j to j + 3 of tile k, and of 36.
            unsafe {
                let words = _mm256_loadu_si256(tiles.add(256 * k + 8 * j).cast());
                sum = if k < 31 { _mm256_xor_si256(sum, words) } else { words };
                _mm256_storeu_si256(sums.as_mut_ptr().add(j).cast(), sum);
            }
        }
    }
    for j in (0..32).step_by(4) {
        for i in 0..j {
            // SAFETY: planes j to j + 3 of row i.
            unsafe { _mm_storeu_si128(out.add(32 * i + j).cast(), pair_distances(&sums, i, j)) }
        }
        // What of these planes among themselves is above the diagonal; then the ones, as distances from zeros.
        let mut few = [0u32; 4];
        for i in [j, j + 1, j + 2, 32] {
            // SAFETY: four integers.
            unsafe { _mm_storeu_si128(few.as_mut_ptr().cast(), pair_distances(&sums, i, j)) };
            for (column, &distance) in (j..).zip(&few) {
                let row = if i == 32 { column } else { i };
                if i == 32 || column > i {
                    // SAFETY: row and column < 32.
                    unsafe { out.add(32 * row + column).write_unaligned(distance) }
                }
            }
        }
    }
}

/// Words of a row that are counted together.
const BLOCK: usize = 16;

/// The ones in common of a word and four packed rows.
///
/// # Safety
/// `word` and `packed` point to 8 and 32 readable bytes.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
unsafe fn common(word: *const u64, packed: *const u64) -> __m256i {
    // SAFETY: the caller's contract.
    let (word, packed) = unsafe { (word.read_unaligned(), _mm256_loadu_si256(packed.cast())) };
    _mm256_and_si256(_mm256_set1_epi64x(word as i64), packed)
}

/// The ones in common of a row and four packed rows.
///
/// # Safety
/// `row` and `tail`, if not null, point to `chunks` words and one, `packed` to a group, at its first or its fifth row.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
unsafe fn intersection(packed: *const u64, chunks: usize, row: *const u64, tail: *const u64) -> __m128i {
    let (zero, mut counts) = (_mm256_setzero_si256(), _mm256_setzero_si256());
    let mut chunk = 0;
    while chunk + BLOCK <= chunks {
        // SAFETY: chunk + k < chunks.
        let word = |k: usize| unsafe { common(row.add(chunk + k), packed.add(8 * (chunk + k))) };
        let (twos, one) = add::<7>(word);
        let (fours, two) = add::<3>(|k| twos[k]);
        let ([eight], four) = add::<1>(|k| fours[k]);
        let most = _mm256_add_epi8(ones(four, 4), ones(eight, 8));
        let rest = _mm256_add_epi8(_mm256_add_epi8(ones(one, 1), ones(word(15), 1)), ones(two, 2));
        counts = _mm256_add_epi64(counts, _mm256_sad_epu8(_mm256_add_epi8(most, rest), zero));
        chunk += BLOCK;
    }
    // At most 16 words: their ones fit in bytes.
    let mut few = zero;
    while chunk < chunks {
        // SAFETY: chunk < chunks.
        few = _mm256_add_epi8(few, ones(unsafe { common(row.add(chunk), packed.add(8 * chunk)) }, 1));
        chunk += 1;
    }
    if !tail.is_null() {
        // SAFETY: with tails, a packed row has one word more.
        few = _mm256_add_epi8(few, ones(unsafe { common(tail, packed.add(8 * chunk)) }, 1));
    }
    narrow(_mm256_add_epi64(counts, _mm256_sad_epu8(few, zero)))
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
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
    for group in 0..groups {
        for i in 0..n {
            for half in [0, 4] {
                // SAFETY: i < n, group < groups.
                unsafe {
                    let packed = packed.cast::<u64>().add(8 * all * group + half);
                    let tail = if tails.is_null() { tails } else { tails.add(i) };
                    let counts = intersection(packed, chunks, rows.add(i * stride).cast(), tail);
                    _mm_storeu_si128(out.add(i * out_stride + 8 * group + half).cast(), counts);
                }
            }
        }
    }
}

super::scalar::finish! {
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")] __m256i, 8,
    _mm256_set1_epi32, _mm256_add_epi32, _mm256_sub_epi32, _mm256_or_si256, quotient, ratio, choose
}

/// `x / y`.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn quotient(x: __m256i, y: __m256i) -> __m256i {
    _mm256_castps_si256(_mm256_div_ps(_mm256_cvtepi32_ps(x), _mm256_cvtepi32_ps(y)))
}

/// `c / sqrt(a b)`.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn ratio(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    let half = |a, b, c| {
        let product = _mm256_mul_pd(_mm256_cvtepi32_pd(a), _mm256_cvtepi32_pd(b));
        _mm256_cvtpd_ps(_mm256_div_pd(_mm256_cvtepi32_pd(c), _mm256_sqrt_pd(product)))
    };
    let low = half(_mm256_castsi256_si128(a), _mm256_castsi256_si128(b), _mm256_castsi256_si128(c));
    let [a, b, c] = [a, b, c].map(|x| _mm256_extracti128_si256::<1>(x));
    _mm256_castps_si256(_mm256_set_m128(half(a, b, c), low))
}

/// `x` where the test is not 0, else `y`.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
fn choose(test: __m256i, x: __m256i, y: __m256i) -> __m256i {
    _mm256_blendv_epi8(x, y, _mm256_cmpeq_epi32(test, _mm256_setzero_si256()))
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
pub unsafe extern "C" fn counts(rows: *const u8, n: usize, bits: usize, stride: usize, counts: *mut u32) {
    for i in 0..n {
        // SAFETY: the caller's contract.
        unsafe { counts.add(i).write_unaligned(super::scalar::ones(rows.add(i * stride), bits)) }
    }
}
