//! Advanced SIMD.

use core::arch::aarch64::*;

/// Byte sums that can still grow by 8 hold this many.
const FULL: usize = 31;

/// The distances of planes `ROW` and `ROW` + 1 to the `COUNT` planes, at most 8, from `FIRST` behind each of them; for
/// the one that is 0 behind, the ones.
///
/// # Safety
/// As for [`slices`].
#[target_feature(enable = "neon")]
unsafe fn pass<const ROW: usize, const FIRST: usize, const COUNT: usize>(tiles: *const u8, distances: *mut u32) {
    let ones = |tile: usize, k: usize| {
        let word = |word: usize| tiles.wrapping_add(256 * tile + 8 * word);
        // SAFETY: words 0 .. 32 of a tile.
        let (row, other) = unsafe {
            let other = match ROW + FIRST + k {
                31 => vcombine_u8(vld1_u8(word(31)), vdup_n_u8(0)),
                other => vld1q_u8(word(other)),
            };
            (vld1q_u8(word(ROW)), other)
        };
        vcntq_u8(if FIRST + k == 0 { row } else { veorq_u8(row, other) })
    };
    let mut sums = [vdupq_n_u8(0); COUNT];
    for tile in 0..FULL {
        sums = core::array::from_fn(|k| vaddq_u8(sums[k], ones(tile, k)));
    }
    // The last tile would be too much for a byte.
    let mut wide = [vdupq_n_u16(0); 8];
    for (k, sum) in sums.into_iter().enumerate() {
        wide[k] = vpadalq_u8(vpaddlq_u8(sum), ones(FULL, k));
    }
    for k in (0..COUNT).step_by(4) {
        let halves = [vpaddq_u16(wide[k], wide[k + 1]), vpaddq_u16(wide[k + 2], wide[k + 3])];
        let both = vreinterpretq_u32_u16(vpaddq_u16(halves[0], halves[1]));
        let values = [vandq_u32(both, vdupq_n_u32(0xffff)), vshrq_n_u32::<16>(both)];
        for (plane, values) in (ROW..).zip(values) {
            let other = plane + FIRST + k;
            // SAFETY: a row of distances ends with plane 31.
            unsafe { store(distances.add(32 * plane + other), values, 32 - other) }
        }
    }
}

/// Writes the first `n`, 1 or more, of `values`, or all.
///
/// # Safety
/// They are writable.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn store(to: *mut u32, values: uint32x4_t, n: usize) {
    let low = vget_low_u32(values);
    // SAFETY: the caller's contract.
    unsafe {
        match n {
            1 => vst1_lane_u32::<0>(to, low),
            2 => vst1_u32(to, low),
            3 => {
                vst1_u32(to, low);
                vst1q_lane_u32::<2>(to.add(2), values);
            }
            _ => vst1q_u32(to, values),
        }
    }
}

#[target_feature(enable = "neon")]
pub unsafe extern "C" fn slices(tiles: *const u8, distances: *mut u32) {
    macro_rules! passes {
        ($($row:literal: $($first:literal)+;)+) => {
            // SAFETY: the caller's contract.
            unsafe { $($(pass::<$row, $first, { behind($row, $first) }>(tiles, distances);)+)+ }
        };
    }
    passes! {
        0: 0 8 16 24;
        2: 0 8 16 24;
        4: 0 8 16 24;
        6: 0 8 16 24;
        8: 0 8 16;
        10: 0 8 16;
        12: 0 8 16;
        14: 0 8 16;
        16: 0 8;
        18: 0 8;
        20: 0 8;
        22: 0 8;
        24: 0;
        26: 0;
        28: 0;
        30: 0;
    }
}

/// The planes of a pass: up to 8.
const fn behind(row: usize, first: usize) -> usize {
    let left = 32 - row - first;
    if left < 8 { left } else { 8 }
}

/// The ones that `ROWS` rows have in common with the rows of the packed group at `packed`.
///
/// # Safety
/// As for [`intersections`].
#[inline]
#[target_feature(enable = "neon")]
unsafe fn group<const ROWS: usize>(
    packed: *const u8,
    chunks: usize,
    rows: [*const u8; ROWS],
    tails: Option<[u64; ROWS]>,
) -> [[uint32x4_t; 2]; ROWS] {
    // Adds the ones of a word: in each vector those of two packed rows.
    let add = |sums: [[uint8x16_t; 4]; ROWS], chunk: usize, words: [u64; ROWS]| -> [[uint8x16_t; 4]; ROWS] {
        // SAFETY: the word `chunk` of the group.
        let packed = [0, 16, 32, 48].map(|at| unsafe { vld1q_u8(packed.add(64 * chunk + at)) });
        core::array::from_fn(|i| {
            let word = vreinterpretq_u8_u64(vdupq_n_u64(words[i]));
            core::array::from_fn(|k| vaddq_u8(sums[i][k], vcntq_u8(vandq_u8(packed[k], word))))
        })
    };
    let mut totals = [[vdupq_n_u32(0); 2]; ROWS];
    let mut sums = [[vdupq_n_u8(0); 4]; ROWS];
    let mut end = FULL;
    if let Some(words) = tails {
        sums = add(sums, chunks, words);
        end -= 1;
    }
    let mut chunk = 0;
    loop {
        while chunk < end.min(chunks) {
            // SAFETY: word `chunk` of each row.
            sums = add(sums, chunk, rows.map(|row| unsafe { row.cast::<u64>().add(chunk).read_unaligned() }));
            chunk += 1;
        }
        for (sums, totals) in sums.iter_mut().zip(&mut totals) {
            let [a, b, c, d] = sums.map(|sum| vpaddlq_u8(sum));
            let all = vpaddq_u16(vpaddq_u16(a, b), vpaddq_u16(c, d));
            *totals = [vaddw_u16(totals[0], vget_low_u16(all)), vaddw_high_u16(totals[1], all)];
            *sums = [vdupq_n_u8(0); 4];
        }
        if chunk == chunks {
            return totals;
        }
        end = chunk + FULL;
    }
}

#[target_feature(enable = "neon")]
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
    let mut i = 0;
    while i < n {
        let place = |k: usize| (rows.wrapping_add((i + k) * stride), out.wrapping_add((i + k) * out_stride));
        let tails = if tails.is_null() { tails } else { tails.wrapping_add(i) };
        // SAFETY: the caller's contract.
        i += unsafe {
            match n - i {
                4.. => block::<4>(packed, groups, chunks, tails, place),
                _ => block::<1>(packed, groups, chunks, tails, place),
            }
        };
    }
}

/// All groups for `ROWS` rows, of which `place` knows where they and their counts are; returns how many rows these were.
///
/// # Safety
/// As for [`intersections`].
#[inline]
#[target_feature(enable = "neon")]
unsafe fn block<const ROWS: usize>(
    packed: *const u8,
    groups: usize,
    chunks: usize,
    tails: *const u64,
    place: impl Fn(usize) -> (*const u8, *mut u32),
) -> usize {
    let rows: [_; ROWS] = core::array::from_fn(|i| place(i).0);
    // SAFETY: the caller's contract, here and below.
    let tails = (!tails.is_null()).then(|| core::array::from_fn(|i| unsafe { tails.add(i).read_unaligned() }));
    let bytes = 64 * (chunks + usize::from(tails.is_some()));
    for g in 0..groups {
        // SAFETY: g is one of the groups, of `bytes` bytes each.
        let totals = unsafe { group(packed.add(g * bytes), chunks, rows, tails) };
        for (i, [low, high]) in totals.into_iter().enumerate() {
            let to = place(i).1.wrapping_add(8 * g);
            // SAFETY: `place` gives the results of row i, 8 for each group.
            unsafe {
                vst1q_u32(to, low);
                vst1q_u32(to.add(4), high);
            }
        }
    }
    ROWS
}

super::scalar::finish! {
    #[target_feature(enable = "neon")] uint32x4_t, 4,
    vdupq_n_u32, vaddq_u32, vsubq_u32, vorrq_u32, quotient, ratio, choose
}

/// `x / y`.
#[inline]
#[target_feature(enable = "neon")]
fn quotient(x: uint32x4_t, y: uint32x4_t) -> uint32x4_t {
    vreinterpretq_u32_f32(vdivq_f32(vcvtq_f32_u32(x), vcvtq_f32_u32(y)))
}

/// `c / sqrt(a b)`.
#[inline]
#[target_feature(enable = "neon")]
fn ratio(a: uint32x4_t, b: uint32x4_t, c: uint32x4_t) -> uint32x4_t {
    let half = |a, b, c| {
        let [a, b, c] = [a, b, c].map(|x| vcvtq_f64_u64(vmovl_u32(x)));
        vdivq_f64(c, vsqrtq_f64(vmulq_f64(a, b)))
    };
    let low = half(vget_low_u32(a), vget_low_u32(b), vget_low_u32(c));
    let high = half(vget_high_u32(a), vget_high_u32(b), vget_high_u32(c));
    vreinterpretq_u32_f32(vcvt_high_f32_f64(vcvt_f32_f64(low), high))
}

/// `x` where the test is not 0, else `y`.
#[inline]
#[target_feature(enable = "neon")]
fn choose(test: uint32x4_t, x: uint32x4_t, y: uint32x4_t) -> uint32x4_t {
    vbslq_u32(vceqzq_u32(test), y, x)
}

#[target_feature(enable = "neon")]
pub unsafe extern "C" fn counts(rows: *const u8, n: usize, bits: usize, stride: usize, counts: *mut u32) {
    let vectors = bits / 128;
    for i in 0..n {
        // SAFETY: the vectors of a row, and what is left of it.
        unsafe {
            let row = rows.add(i * stride);
            let mut sum = vdupq_n_u32(0);
            for vector in 0..vectors {
                sum = vpadalq_u16(sum, vpaddlq_u8(vcntq_u8(vld1q_u8(row.add(16 * vector)))));
            }
            let rest = super::scalar::ones(row.add(16 * vectors), bits % 128);
            counts.add(i).write_unaligned(vaddvq_u32(sum) + rest);
        }
    }
}
