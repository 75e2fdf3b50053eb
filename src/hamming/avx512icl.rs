//! AVX-512 with VPOPCNTDQ: lanes are rows, 8 at a time, so that what is added up is the result.

use core::arch::x86_64::*;
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

/// Words of the tiles, and the parities of each plane's words in all tiles up to each odd one: difference is linear, so the parity of
/// a difference is the difference of parities.
struct Planes {
    tiles: *const u8,
    parities: [[__m512i; 4]; 16],
}

impl Planes {
    /// The first word of two, and the parity after them, for the 8 planes of a group.
    ///
    /// # Safety
    /// There are the tiles.
    #[inline]
    #[target_feature(
        enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512bitalg,avx512vnni,gfni"
    )]
    unsafe fn vectors(&self, two: usize, group: usize) -> [__m512i; 2] {
        // SAFETY: the words of a group in an even tile.
        let first = unsafe { _mm512_loadu_si512(self.tiles.add(512 * two + 64 * group).cast()) };
        [first, self.parities[two][group]]
    }

    /// The same words of one plane, in all lanes.
    ///
    /// # Safety
    /// There are the tiles.
    #[inline]
    #[target_feature(
        enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512bitalg,avx512vnni,gfni"
    )]
    unsafe fn broadcasts(&self, two: usize, plane: usize) -> [__m512i; 2] {
        let parities: *const i64 = self.parities[two].as_ptr().cast();
        // SAFETY: a word of an even tile, and one of 32 parities.
        unsafe {
            let first = self.tiles.add(512 * two + 8 * plane).cast::<i64>().read_unaligned();
            [first, parities.add(plane).read()].map(|word| _mm512_set1_epi64(word))
        }
    }
}

/// # Safety
/// As [`super::slices()`].
#[target_feature(
    enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512bitalg,avx512vnni,gfni"
)]
pub unsafe extern "C" fn slices(tiles: *const u8, distances: *mut u32) {
    let mut planes = Planes { tiles, parities: [[_mm512_setzero_si512(); 4]; 16] };
    // SAFETY: all tiles, and what is on or above the diagonal; j < 3 + 1 groups.
    unsafe {
        for j in 0..4 {
            triangle(&mut planes, j, distances.add(264 * j));
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
        let [first, parity] = unsafe { planes.vectors(two, j) };
        for (row, counter) in counters.iter_mut().enumerate() {
            let [a, b] = unsafe { planes.broadcasts(two, 8 * i + row) };
            counter.add(_mm512_xor_si512(first, a), _mm512_xor_si512(parity, b));
        }
    }
    for (row, counter) in counters.iter().enumerate() {
        // SAFETY: row < 8.
        unsafe { _mm256_storeu_si256(distances.add(32 * row).cast(), counter.sum()) }
    }
}

/// Distances of the planes of group `j` from each other, their ones, and their parities.
///
/// # Safety
/// There are the tiles; `distances` points to 8 rows of 8, which stand 32 apart.
#[target_feature(
    enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512bitalg,avx512vnni,gfni"
)]
unsafe fn triangle(planes: &mut Planes, j: usize, distances: *mut u32) {
    let mut ones = Counter::new();
    let mut counters = [Counter::new(); 4];
    for two in 0..16 {
        // SAFETY: the words of a group in an odd tile.
        let second = unsafe { _mm512_loadu_si512(planes.tiles.add(512 * two + 256 + 64 * j).cast()) };
        // SAFETY: the caller's contract.
        let [first, _] = unsafe { planes.vectors(two, j) };
        let parity = _mm512_ternarylogic_epi64::<0b1001_0110>(ones.parity, first, second);
        planes.parities[two][j] = parity;
        ones.add(first, parity);
        macro_rules! rotate {
            ($($by:literal)+) => { $(counters[$by - 1].add(
                _mm512_xor_si512(first, _mm512_alignr_epi64::<$by>(first, first)),
                _mm512_xor_si512(parity, _mm512_alignr_epi64::<$by>(parity, parity)),
            );)+ };
        }
        rotate!(1 2 3 4);
    }
    // Lane i is plane i and, in turn, planes i, i + 1, .. i + 4 modulo 8.
    let sums: [[u32; 8]; 5] = from_fn(|by| {
        let sum = if by == 0 { ones.sum() } else { counters[by - 1].sum() };
        // SAFETY: vectors are 8 integers, whatever their bits.
        unsafe { core::mem::transmute::<__m256i, [u32; 8]>(sum) }
    });
    for (by, sums) in sums.iter().enumerate() {
        for (plane, &sum) in sums.iter().enumerate() {
            let other = (plane + by) % 8;
            // SAFETY: both are less than 8.
            unsafe { distances.add(32 * plane.min(other) + plane.max(other)).write_unaligned(sum) }
        }
    }
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
    if chunks % 2 != 0 {
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
