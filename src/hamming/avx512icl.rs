//! AVX-512 with VPOPCNTDQ: lanes are rows, 8 at a time, so that what is added up is the result.

use core::arch::x86_64::*;

use super::avx512::{Planes, differ, write_triangle};
use core::array::from_fn;

/// A count of ones, in 8 lanes: one for each one of `parity` and 2 for each of `carries`.
#[derive(Clone, Copy)]
struct Counter {
    /// The exclusive or of all words: the sum outputs of a chain of full adders.
    parity: __m512i,
    carries: __m512i,
}

impl Counter {
    #[inline]
    #[target_feature(
        enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512bitalg,avx512vnni,gfni"
    )]
    fn new() -> Self {
        Counter { parity: _mm512_setzero_si512(), carries: _mm512_setzero_si512() }
    }

    /// Takes two words: the first one and the parity after both say what the second is, and what is carried.
    #[inline]
    #[target_feature(
        enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512bitalg,avx512vnni,gfni"
    )]
    fn add(&mut self, first: __m512i, parity: __m512i) {
        let carry = _mm512_ternarylogic_epi64::<0b1101_0100>(self.parity, first, parity);
        self.carries = _mm512_add_epi64(self.carries, _mm512_popcnt_epi64(carry));
        self.parity = parity;
    }

    /// Takes two words that are `a & b`, `c & d`. The parity between them takes the place of the first, which would be one more
    /// operation.
    #[inline]
    #[target_feature(
        enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512bitalg,avx512vnni,gfni"
    )]
    fn add_common(&mut self, [a, c]: [__m512i; 2], [b, d]: [__m512i; 2]) {
        let between = _mm512_ternarylogic_epi64::<0b0111_1000>(self.parity, a, b);
        let parity = _mm512_ternarylogic_epi64::<0b0111_1000>(between, c, d);
        let carry = _mm512_ternarylogic_epi64::<0b0111_0100>(self.parity, between, parity);
        self.carries = _mm512_add_epi64(self.carries, _mm512_popcnt_epi64(carry));
        self.parity = parity;
    }

    /// The count, narrowed to 32 bits.
    #[inline]
    #[target_feature(
        enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512bitalg,avx512vnni,gfni"
    )]
    fn sum(&self) -> __m256i {
        let twice = _mm512_add_epi64(self.carries, self.carries);
        _mm512_cvtepi64_epi32(_mm512_add_epi64(twice, _mm512_popcnt_epi64(self.parity)))
    }
}

/// # Safety
/// As [`super::slices()`].
#[target_feature(
    enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512bitalg,avx512vnni,gfni"
)]
pub unsafe extern "C" fn slices(tiles: *const u8, distances: *mut u32) {
    // SAFETY: the caller's contract.
    let planes = unsafe { Planes::new(tiles) };
    for j in 0..4 {
        // SAFETY: there are the tiles; what is on or above the diagonal is written.
        unsafe {
            triangle(&planes, j, distances.add(264 * j));
            for i in 0..j {
                square(&planes, i, j, distances.add(256 * i + 8 * j));
            }
        }
    }
}

/// Distances of the 8 planes of group `i` from those of group `j`.
///
/// # Safety
/// There are the tiles; `distances` points to 8 rows of 8, which stand 32 apart.
#[target_feature(
    enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512bitalg,avx512vnni,gfni"
)]
unsafe fn square(planes: &Planes, i: usize, j: usize, distances: *mut u32) {
    let mut counters = [Counter::new(); 8];
    for two in 0..16 {
        // SAFETY: the caller's contract, here and below.
        let words = unsafe { planes.vectors(two, j) };
        for (row, counter) in counters.iter_mut().enumerate() {
            // SAFETY: row 8 i + row is one of the 32 planes.
            let [first, parity] = differ(words, unsafe { planes.broadcasts(two, 8 * i + row) });
            counter.add(first, parity);
        }
    }
    for (row, counter) in counters.iter().enumerate() {
        // SAFETY: row < 8.
        unsafe { _mm256_storeu_si256(distances.add(32 * row).cast(), counter.sum()) }
    }
}

/// Distances of the planes of group `j` from each other, and their ones.
///
/// # Safety
/// There are the tiles; `distances` points to 8 rows of 8, which stand 32 apart.
#[target_feature(
    enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512bitalg,avx512vnni,gfni"
)]
unsafe fn triangle(planes: &Planes, j: usize, distances: *mut u32) {
    let mut counters = [Counter::new(); 5];
    for two in 0..16 {
        // SAFETY: the caller's contract.
        let words = unsafe { planes.vectors(two, j) };
        counters[0].add(words[0], words[1]);
        macro_rules! rotate {
            ($($places:literal)+) => { $(
                let [first, parity] = differ(words, words.map(|word| _mm512_alignr_epi64::<$places>(word, word)));
                counters[$places].add(first, parity);
            )+ };
        }
        rotate!(1 2 3 4);
    }
    // SAFETY: the caller's contract.
    unsafe { write_triangle(counters.map(|counter| counter.sum()), distances) }
}

/// # Safety
/// As [`super::intersections()`].
#[target_feature(
    enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512bitalg,avx512vnni,gfni"
)]
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
    let length = 64 * (chunks + usize::from(!tails.is_null()));
    let mut i = 0;
    while i < n {
        // SAFETY: rows i to i + 7, or row i alone, and group g.
        unsafe {
            let row = rows.add(i * stride);
            let tail = if tails.is_null() { tails } else { tails.add(i) };
            for g in 0..groups {
                let (packed, out) = (packed.add(g * length), out.add(i * out_stride + 8 * g));
                match n - i < 8 {
                    true => block::<1>(packed, chunks, row, stride, tail, out, out_stride),
                    false => block::<8>(packed, chunks, row, stride, tail, out, out_stride),
                }
            }
        }
        i += if n - i < 8 { 1 } else { 8 };
    }
}

/// One group and `ROWS` rows.
///
/// # Safety
/// As [`super::intersections()`].
#[inline]
#[target_feature(
    enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512bitalg,avx512vnni,gfni"
)]
unsafe fn block<const ROWS: usize>(
    packed: *const u8,
    chunks: usize,
    rows: *const u8,
    stride: usize,
    tails: *const u64,
    out: *mut u32,
    out_stride: usize,
) {
    // SAFETY: words of the group and of the rows.
    let word = |c: usize| unsafe { _mm512_loadu_si512(packed.add(64 * c).cast()) };
    // SAFETY: rows below ROWS and words below `chunks` are the caller's.
    let of_row = |row: usize, c: usize| unsafe {
        _mm512_set1_epi64(rows.add(row * stride).cast::<i64>().add(c).read_unaligned())
    };
    let zero = _mm512_setzero_si512();
    let mut counters = [Counter::new(); ROWS];
    for c in (1..chunks).step_by(2) {
        let words = [c - 1, c].map(word);
        for (row, counter) in counters.iter_mut().enumerate() {
            counter.add_common(words, [c - 1, c].map(|c| of_row(row, c)));
        }
    }
    if chunks & 1 == 1 {
        let words = [word(chunks - 1), zero];
        for (row, counter) in counters.iter_mut().enumerate() {
            counter.add_common(words, [of_row(row, chunks - 1), zero]);
        }
    }
    if !tails.is_null() {
        let words = [word(chunks), zero];
        for (row, counter) in counters.iter_mut().enumerate() {
            // SAFETY: a tail for each row.
            let tail = unsafe { tails.add(row).cast::<i64>().read_unaligned() };
            counter.add_common(words, [_mm512_set1_epi64(tail), zero]);
        }
    }
    for (row, counter) in counters.iter().enumerate() {
        // SAFETY: 8 integers for each row.
        unsafe { _mm256_storeu_si256(out.add(row * out_stride).cast(), counter.sum()) }
    }
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512vpopcntdq")]
pub unsafe extern "C" fn counts(rows: *const u8, n: usize, bits: usize, stride: usize, counts: *mut u32) {
    // The bytes of a row's last vector, which may have none, and the bits that count.
    let (vectors, rest) = (bits / 512, bits % 512);
    let last_bytes = _bzhi_u64(!0, rest.div_ceil(8) as u32);
    let whole = _mm512_movm_epi8(_bzhi_u64(!0, rest as u32 / 8));
    let last_bits = _mm512_mask_set1_epi8(whole, 1 << (rest / 8), (1i16 << (rest % 8)).wrapping_sub(1) as i8);
    for i in (0..n & !7).step_by(8) {
        // SAFETY: 8 of the rows.
        let rows: [_; 8] = from_fn(|j| unsafe { rows.add((i + j) * stride) });
        let mut sums = [_mm512_setzero_si512(); 8];
        for vector in 0..vectors {
            for (sum, row) in sums.iter_mut().zip(rows) {
                // SAFETY: a whole vector of a row.
                let bits = unsafe { _mm512_loadu_si512(row.add(64 * vector).cast()) };
                *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(bits));
            }
        }
        if rest != 0 {
            for (sum, row) in sums.iter_mut().zip(rows) {
                // SAFETY: the mask selects what is left of a row.
                let bytes = unsafe { _mm512_maskz_loadu_epi8(last_bytes, row.add(64 * vectors).cast()) };
                *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(_mm512_and_si512(bytes, last_bits)));
            }
        }
        // The 8 words of each sum are added: first those of a pair, then of the quarters, then of the halves.
        let [a, b, c, d] = from_fn(|j| {
            let (x, y) = (sums[2 * j], sums[2 * j + 1]);
            _mm512_add_epi64(_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y))
        });
        let fold = |x, y| _mm512_add_epi64(_mm512_shuffle_i64x2::<0x88>(x, y), _mm512_shuffle_i64x2::<0xdd>(x, y));
        let sums = _mm512_cvtepi64_epi32(fold(fold(a, b), fold(c, d)));
        // SAFETY: 8 of the counts.
        unsafe { _mm256_storeu_si256(counts.add(i).cast(), sums) }
    }
    for i in n & !7..n {
        // SAFETY: one of the rows.
        unsafe { counts.add(i).write_unaligned(super::scalar::ones(rows.add(i * stride), bits)) }
    }
}
