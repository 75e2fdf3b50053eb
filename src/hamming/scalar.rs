//! The reference, on words of 64 bits.

use crate::math::libm::sqrt_f64;

/// # Safety
/// `words` points to more than `i` readable words.
unsafe fn word(words: *const u8, i: usize) -> u64 {
    // SAFETY: the caller's contract.
    unsafe { words.cast::<u64>().add(i).read_unaligned() }
}

pub unsafe extern "C" fn slices(tiles: *const u8, distances: *mut u32) {
    for i in 0..32 {
        for j in i..32 {
            let ones = |tile: usize| {
                // SAFETY: 32 tiles of 32 words.
                let [a, b] = [i, j].map(|plane| unsafe { word(tiles, 32 * tile + plane) });
                if i == j { a.count_ones() } else { (a ^ b).count_ones() }
            };
            // SAFETY: 32 rows of 32 integers.
            unsafe { distances.add(32 * i + j).write_unaligned((0..32).map(ones).sum()) }
        }
    }
}

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
    for i in 0..n {
        for j in 0..groups * super::GROUP {
            let (group, lane) = (j / super::GROUP, j % super::GROUP);
            // SAFETY: the caller's contract.
            let common = |chunk: usize| unsafe {
                let of_row = match chunk < chunks {
                    true => word(rows.add(i * stride), chunk),
                    false => tails.add(i).read_unaligned(),
                };
                of_row & word(packed, (group * all + chunk) * super::GROUP + lane)
            };
            let count = (0..all).map(|chunk| common(chunk).count_ones()).sum();
            // SAFETY: the caller's contract.
            unsafe { out.add(i * out_stride + j).write_unaligned(count) }
        }
    }
}

pub unsafe extern "C" fn counts(rows: *const u8, n: usize, bits: usize, stride: usize, counts: *mut u32) {
    for i in 0..n {
        // SAFETY: the caller's contract.
        unsafe {
            let row = rows.add(i * stride);
            counts.add(i).write_unaligned(ones(row, row, bits, |row, _| row));
        }
    }
}

/// A kernel that counts the ones of `$value`, for a word of a row and one of the query.
macro_rules! counting {
    ($name:ident, |$row:ident, $query:ident| $value:expr) => {
        pub unsafe extern "C" fn $name(
            query: *const u8,
            rows: *const u8,
            n: usize,
            bits: usize,
            stride: usize,
            out: *mut u32,
        ) {
            for i in 0..n {
                // SAFETY: the caller's contract.
                unsafe {
                    let count = ones(rows.add(i * stride), query, bits, |$row, $query| $value);
                    out.add(i).write_unaligned(count);
                }
            }
        }
    };
}

counting!(shared, |row, query| row & query);
counting!(differing, |row, query| row ^ query);

/// Counts the ones among the first `bits` bits of a row combined with the query, word by word.
///
/// # Safety
/// The bytes of these bits are readable in both.
#[inline(always)]
pub(super) unsafe fn ones(row: *const u8, query: *const u8, bits: usize, combine: impl Fn(u64, u64) -> u64) -> u32 {
    let words = bits / 64;
    // SAFETY: word i is below `words`, the whole words.
    let count = |i| combine(unsafe { word(row, i) }, unsafe { word(query, i) }).count_ones();
    // Four sums, so that no addition waits for the one before it.
    let mut counts = [0; 4];
    for i in (0..words & !3).step_by(4) {
        for (lane, sum) in counts.iter_mut().enumerate() {
            *sum += count(i + lane);
        }
    }
    for i in words & !3..words {
        counts[0] += count(i);
    }
    let last = |of: *const u8| {
        // SAFETY: `at` is at most the index of the byte that holds the last bit.
        let byte = |last, at| last << 8 | u64::from(unsafe { of.add(at).read() });
        (8 * words..bits.div_ceil(8)).rev().fold(0, byte)
    };
    let last = combine(last(row), last(query)) & ((1 << (bits % 64)) - 1);
    counts.iter().sum::<u32>() + last.count_ones()
}

pub unsafe extern "C" fn distances(common: *const u32, others: *const u32, n: usize, ones: u32, out: *mut u32) {
    // SAFETY: the caller's contract.
    unsafe { map(common, others, n, out, |c, b| ones.wrapping_add(b).wrapping_sub(c.wrapping_mul(2))) }
}

/// A similarity kernel. `$value` is its formula for two rows that are not both empty.
macro_rules! similarity {
    ($name:ident, |$a:ident, $b:ident, $c:ident| $value:expr) => {
        pub unsafe extern "C" fn $name(
            common: *const u32,
            others: *const u32,
            n: usize,
            ones: u32,
            empty: f32,
            out: *mut f32,
        ) {
            let $a = ones as i32;
            let value = |$c: i32, $b: i32| if $a | $b == 0 { empty } else { $value };
            // SAFETY: the caller's contract.
            unsafe { map(common, others, n, out, |c, b| value(c as i32, b as i32)) }
        }
    };
}

similarity!(tanimoto, |a, b, c| c as f32 / a.wrapping_add(b).wrapping_sub(c) as f32);
similarity!(dice, |a, b, c| c.wrapping_mul(2) as f32 / a.wrapping_add(b) as f32);
similarity!(cosine, |a, b, c| match a == 0 || b == 0 {
    true => 0.0,
    false => (f64::from(c) / sqrt_f64(f64::from(a) * f64::from(b))) as f32,
});

/// `out[i]` = `f(common[i], others[i])`; `out` may be `common`.
///
/// # Safety
/// Every pointer points to `n` values, at any alignment.
unsafe fn map<T>(common: *const u32, others: *const u32, n: usize, out: *mut T, f: impl Fn(u32, u32) -> T) {
    for i in 0..n {
        // SAFETY: i < n.
        unsafe {
            let (common, other) = (common.add(i).read_unaligned(), others.add(i).read_unaligned());
            out.add(i).write_unaligned(f(common, other))
        }
    }
}

pub unsafe extern "C" fn misses(
    planes: *const u8,
    offsets: *const u32,
    chunks: usize,
    invert: u64,
    groups: *mut u16,
    n: usize,
    fresh: *const u64,
    states: *mut u64,
    levels: usize,
) -> usize {
    let size = 8 * (4 + levels);
    let mut live = 0;
    for i in 0..n {
        // SAFETY: the caller's contract; slot `live` is at most slot i, and its words are independent.
        unsafe {
            let group = groups.add(i).read_unaligned();
            let mut all_dead = !0;
            for w in 0..8 {
                let (from, to) = (states.add(size * i + w), states.add(size * live + w));
                for line in 0..4 + levels {
                    let value = if fresh.is_null() { from.add(8 * line) } else { fresh.add(line).cast_mut() };
                    to.add(8 * line).write_unaligned(value.read_unaligned());
                }
                let [mut ones, mut twos, mut fours, mut dead] =
                    [0, 8, 16, 24].map(|line| to.add(line).read_unaligned());
                for chunk in 0..chunks {
                    let plane = |k: usize| {
                        let offset = offsets.add(8 * chunk + k).read_unaligned() as usize;
                        word(planes.add(offset + 64 * usize::from(group)), w)
                    };
                    let mut pairs = [0; 4];
                    for (k, pair) in pairs.iter_mut().enumerate() {
                        (ones, *pair) = full_adder(ones, plane(2 * k), plane(2 * k + 1));
                    }
                    let (first, second);
                    (twos, first) = full_adder(twos, pairs[0], pairs[1]);
                    (twos, second) = full_adder(twos, pairs[2], pairs[3]);
                    let (sum, mut carry) = full_adder(fours, first, second);
                    fours = sum;
                    carry ^= invert;
                    for level in (0..levels).map(|level| to.add(8 * (4 + level))) {
                        let before = level.read_unaligned();
                        level.write_unaligned(before ^ carry);
                        carry &= before;
                    }
                    dead |= carry;
                }
                for (line, value) in [ones, twos, fours, dead].into_iter().enumerate() {
                    to.add(8 * line).write_unaligned(value);
                }
                all_dead &= dead;
            }
            groups.add(live).write_unaligned(group);
            live += usize::from(all_dead != !0);
        }
    }
    live
}

/// The sum and the carry of each bit.
fn full_adder(a: u64, b: u64, c: u64) -> (u64, u64) {
    (a ^ b ^ c, a & b | c & (a ^ b))
}
