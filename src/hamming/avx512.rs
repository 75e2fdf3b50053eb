//! AVX-512 BW: lanes are rows, 8 at a time; full adders turn 16 words into one before their ones are counted.

use core::arch::x86_64::*;
use core::array::from_fn;

/// The ones of each byte.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn ones(bits: __m512i) -> __m512i {
    const NIBBLES: u128 = 0x0403_0302_0302_0201_0302_0201_0201_0100;
    // SAFETY: vectors are 16 bytes, whatever their bits.
    let table = _mm512_broadcast_i32x4(unsafe { core::mem::transmute::<u128, __m128i>(NIBBLES) });
    let low = _mm512_set1_epi8(15);
    let lower = _mm512_shuffle_epi8(table, _mm512_and_si512(bits, low));
    let upper = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16::<4>(bits), low));
    _mm512_add_epi8(lower, upper)
}

/// The sum of the bytes of each lane.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn across(bytes: __m512i) -> __m512i {
    _mm512_sad_epu8(bytes, _mm512_setzero_si512())
}

/// A full adder: adds two words to `sum` and returns the carry.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn full(sum: &mut __m512i, a: __m512i, b: __m512i) -> __m512i {
    let carry = _mm512_ternarylogic_epi64::<0b1110_1000>(*sum, a, b);
    *sum = _mm512_ternarylogic_epi64::<0b1001_0110>(*sum, a, b);
    carry
}

/// A count of ones in 8 lanes: 1, 2, 4 and 8 for those of `sums`, and 16 for each of `sixteens`.
struct Counter {
    sums: [__m512i; 4],
    sixteens: __m512i,
}

impl Counter {
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    fn new() -> Self {
        Counter { sums: [_mm512_setzero_si512(); 4], sixteens: _mm512_setzero_si512() }
    }

    /// Adds 4 words and returns the carry, as the ones below for 8 and 16: `two` does so for the two words of a number.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    fn four(&mut self, k: usize, two: &impl Fn(usize, &mut __m512i) -> __m512i) -> __m512i {
        let carries = [k, k + 1].map(|k| two(k, &mut self.sums[0]));
        full(&mut self.sums[1], carries[0], carries[1])
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    fn eight(&mut self, k: usize, two: &impl Fn(usize, &mut __m512i) -> __m512i) -> __m512i {
        let carries = [k, k + 2].map(|k| self.four(k, two));
        full(&mut self.sums[2], carries[0], carries[1])
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    fn sixteen(&mut self, two: impl Fn(usize, &mut __m512i) -> __m512i) {
        let carries = [0, 4].map(|k| self.eight(k, &two));
        let carry = full(&mut self.sums[3], carries[0], carries[1]);
        self.sixteens = _mm512_add_epi64(self.sixteens, across(ones(carry)));
    }

    /// The count. A byte holds 15 times 8 at most.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    fn sum(&self) -> __m512i {
        let bytes = self
            .sums
            .iter()
            .rev()
            .fold(_mm512_setzero_si512(), |bytes, &sum| _mm512_add_epi8(_mm512_add_epi8(bytes, bytes), ones(sum)));
        _mm512_add_epi64(_mm512_slli_epi64::<4>(self.sixteens), across(bytes))
    }
}

/// Words of the tiles, and the parities of each plane's words in all tiles up to each odd one: difference is linear, so the first
/// sum of a difference is the difference of parities.
pub(super) struct Planes {
    tiles: *const u8,
    parities: [[__m512i; 4]; 16],
}

impl Planes {
    /// # Safety
    /// `tiles` points to 32 tiles.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    pub(super) unsafe fn new(tiles: *const u8) -> Self {
        let mut parity = [_mm512_setzero_si512(); 4];
        let parities = from_fn(|two| {
            parity = from_fn(|j| {
                // SAFETY: the words of a group in an even and in an odd tile.
                let word =
                    |tile: usize| unsafe { _mm512_loadu_si512(tiles.add(512 * two + 256 * tile + 64 * j).cast()) };
                _mm512_ternarylogic_epi64::<0b1001_0110>(parity[j], word(0), word(1))
            });
            parity
        });
        Planes { tiles, parities }
    }

    /// The first word of two, and the parity after them, for the 8 planes of group `j`.
    ///
    /// # Safety
    /// There are the tiles.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    pub(super) unsafe fn vectors(&self, two: usize, j: usize) -> [__m512i; 2] {
        // SAFETY: the words of a group in an even tile.
        let first = unsafe { _mm512_loadu_si512(self.tiles.add(512 * two + 64 * j).cast()) };
        [first, self.parities[two][j]]
    }

    /// The same words of one plane, in all lanes.
    ///
    /// # Safety
    /// There are the tiles.
    #[inline]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
    pub(super) unsafe fn broadcasts(&self, two: usize, plane: usize) -> [__m512i; 2] {
        let parities: *const i64 = self.parities[two].as_ptr().cast();
        // SAFETY: a word of an even tile, and one of 32 parities.
        unsafe {
            let first = self.tiles.add(512 * two + 8 * plane).cast::<i64>().read_unaligned();
            [first, parities.add(plane).read()].map(|word| _mm512_set1_epi64(word))
        }
    }
}

#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
pub(super) fn differ(a: [__m512i; 2], b: [__m512i; 2]) -> [__m512i; 2] {
    from_fn(|i| _mm512_xor_si512(a[i], b[i]))
}

/// Writes the distances of 8 planes from each other and their ones: lane i is plane i and, in turn, the planes 0 to 4 places further
/// round.
///
/// # Safety
/// `distances` points to 8 rows of 8, which stand 32 apart.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
pub(super) unsafe fn write_triangle(sums: [__m256i; 5], distances: *mut u32) {
    for (places, sum) in sums.into_iter().enumerate() {
        // SAFETY: vectors are 8 integers, whatever their bits.
        let sum = unsafe { core::mem::transmute::<__m256i, [u32; 8]>(sum) };
        for (plane, sum) in sum.into_iter().enumerate() {
            let other = (plane + places) % 8;
            // SAFETY: both are less than 8.
            unsafe { distances.add(32 * plane.min(other) + plane.max(other)).write_unaligned(sum) }
        }
    }
}

/// Ones of all words, of which `words` gives the first of two and the parity after them.
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
fn count(words: impl Fn(usize) -> [__m512i; 2]) -> __m256i {
    let mut counter = Counter::new();
    for half in [0, 8] {
        counter.sixteen(|two, sum| {
            let [first, parity] = words(half + two);
            let carry = _mm512_ternarylogic_epi64::<0b1101_0100>(*sum, first, parity);
            *sum = parity;
            carry
        });
    }
    _mm512_cvtepi64_epi32(counter.sum())
}

/// # Safety
/// As [`super::slices()`].
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
pub unsafe extern "C" fn slices(tiles: *const u8, distances: *mut u32) {
    // SAFETY: the caller's contract.
    let planes = unsafe { Planes::new(tiles) };
    for j in 0..4 {
        // SAFETY: there are the tiles; what is on or above the diagonal is written.
        unsafe {
            let words = |two| planes.vectors(two, j);
            macro_rules! rotated {
                ($places:literal) => {
                    count(|two| differ(words(two), words(two).map(|word| _mm512_alignr_epi64::<$places>(word, word))))
                };
            }
            write_triangle([count(words), rotated!(1), rotated!(2), rotated!(3), rotated!(4)], distances.add(264 * j));
            for plane in 0..8 * j {
                let sum = count(|two| differ(words(two), planes.broadcasts(two, plane)));
                _mm256_storeu_si256(distances.add(32 * plane + 8 * j).cast(), sum)
            }
        }
    }
}

/// # Safety
/// As [`super::intersections()`].
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
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
        // SAFETY: rows i and i + 1, or row i alone, and group g.
        unsafe {
            let row = rows.add(i * stride);
            let tail = if tails.is_null() { tails } else { tails.add(i) };
            for g in 0..groups {
                let (packed, out) = (packed.add(g * length), out.add(i * out_stride + 8 * g));
                match n - i {
                    1 => block::<1>(packed, chunks, row, stride, tail, out, out_stride),
                    _ => block::<2>(packed, chunks, row, stride, tail, out, out_stride),
                }
            }
        }
        i += 2;
    }
}

/// One group and `ROWS` rows.
///
/// # Safety
/// As [`super::intersections()`].
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl")]
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
    let whole = chunks & !15;
    let mut counters: [_; ROWS] = from_fn(|_| Counter::new());
    for c in (0..whole).step_by(16) {
        for (row, counter) in counters.iter_mut().enumerate() {
            // The sum takes in `a & b` by one operation; before, between and after two words it says what is carried.
            counter.sixteen(|two, sum| {
                let c = c + 2 * two;
                let between = _mm512_ternarylogic_epi64::<0b0111_1000>(*sum, word(c), of_row(row, c));
                let after = _mm512_ternarylogic_epi64::<0b0111_1000>(between, word(c + 1), of_row(row, c + 1));
                let carry = _mm512_ternarylogic_epi64::<0b0111_0100>(*sum, between, after);
                *sum = after;
                carry
            });
        }
    }
    for (row, counter) in counters.iter().enumerate() {
        let mut sum = counter.sum();
        for c in whole..chunks {
            sum = _mm512_add_epi64(sum, across(ones(_mm512_and_si512(word(c), of_row(row, c)))));
        }
        if !tails.is_null() {
            // SAFETY: a tail for each row.
            let tail = unsafe { _mm512_set1_epi64(tails.add(row).cast::<i64>().read_unaligned()) };
            sum = _mm512_add_epi64(sum, across(ones(_mm512_and_si512(word(chunks), tail))));
        }
        // SAFETY: 8 integers for each row.
        unsafe { _mm256_storeu_si256(out.add(row * out_stride).cast(), _mm512_cvtepi64_epi32(sum)) }
    }
}
