//! Pairs of points.

use core::arch::aarch64::*;

use super::{ONE_PAIR, TABLES};
use crate::isa::neon;

neon! {
    /// The first `N` of some values of 4 bytes, at most 8; the others are 0.
    ///
    /// # Safety
    /// They are readable.
    #[inline]
    unsafe fn load<const N: usize>(values: *const u32) -> [uint32x4_t; 2] {
        // SAFETY: the caller's contract.
        let values = unsafe { values.cast::<[u32; N]>().read_unaligned() };
        let values: [u32; 8] = core::array::from_fn(|j| values.get(j).copied().unwrap_or(0));
        // SAFETY: an array of 8.
        unsafe { [vld1q_u32(values.as_ptr()), vld1q_u32(values.as_ptr().add(4))] }
    }

    /// The first and the second numbers of `N` orientations, at most 8; the others are 0.
    ///
    /// # Safety
    /// They are readable.
    #[inline]
    unsafe fn orientations<const N: usize>(psi: *const i16) -> [int16x8_t; 2] {
        // SAFETY: the caller's contract.
        let [low, high] = unsafe { load::<N>(psi.cast()) }.map(|psi| vreinterpretq_s16_u32(psi));
        [vuzp1q_s16(low, high), vuzp2q_s16(low, high)]
    }

    /// The products of 8 orientations with the one at `psi`.
    ///
    /// # Safety
    /// It is readable.
    #[inline]
    unsafe fn products([re, im]: [int16x8_t; 2], psi: *const i16) -> [int32x4_t; 2] {
        // SAFETY: the caller's contract.
        let [a, b] = unsafe { psi.cast::<[i16; 2]>().read_unaligned() };
        [
            vmlal_n_s16(vmull_n_s16(vget_low_s16(re), a), vget_low_s16(im), b),
            vmlal_high_n_s16(vmull_high_n_s16(re, a), im, b),
        ]
    }

    /// Two lanes at once, which is how they cross to the integer registers.
    #[inline]
    fn halves(values: [int32x4_t; 2]) -> [i64; 4] {
        let [low, high] = values.map(|values| vreinterpretq_s64_s32(values));
        [vgetq_lane_s64::<0>(low), vgetq_lane_s64::<1>(low), vgetq_lane_s64::<0>(high), vgetq_lane_s64::<1>(high)]
    }
}

/// Lane `j` of what [`halves`] gave.
#[inline]
fn lane(halves: [i64; 4], j: usize) -> i64 {
    let both = halves[j / 2 % 4];
    if j % 2 == 0 { i64::from(both as i32) } else { both >> 32 }
}

/// # Safety
/// `word` can be read and written.
#[inline]
unsafe fn add(word: *mut i64, pairs: i64) {
    // SAFETY: the caller's contract.
    unsafe { word.write_unaligned(word.read_unaligned().wrapping_add(pairs)) }
}

neon! {
    pub unsafe extern "C" fn offsets(
        x: *const i32,
        psi: *const i16,
        n: usize,
        other_x: *const i32,
        other_psi: *const i16,
        m: usize,
        words: *mut i64,
    ) {
        let row = (x, psi, n);
        let mut j = 0;
        while j < m {
            let (other_x, other_psi) = (other_x.wrapping_add(j), other_psi.wrapping_add(2 * j));
            // SAFETY: the caller's contract.
            j += unsafe {
                match m - j {
                    8.. => offsets_of::<8>(row, other_x, other_psi, words),
                    4.. => offsets_of::<4>(row, other_x, other_psi, words),
                    2.. => offsets_of::<2>(row, other_x, other_psi, words),
                    _ => offsets_of::<1>(row, other_x, other_psi, words),
                }
            };
        }
    }

    /// [`offsets`] of a row with `N` points, 8 at most; returns `N`.
    ///
    /// # Safety
    /// As for [`offsets`].
    #[inline]
    unsafe fn offsets_of<const N: usize>(
        (x, psi, n): (*const i32, *const i16, usize),
        other_x: *const i32,
        other_psi: *const i16,
        words: *mut i64,
    ) -> usize {
        // SAFETY: the caller's contract, here and below.
        let offsets = unsafe { other_x.cast::<[i32; N]>().read_unaligned() }.map(|x| x as isize);
        let other_psi = unsafe { orientations::<N>(other_psi) };
        for i in 0..n {
            let base = words.wrapping_offset(-(unsafe { x.add(i).read_unaligned() } as isize));
            let products = halves(unsafe { products(other_psi, psi.add(2 * i)) });
            for (j, &offset) in offsets.iter().enumerate() {
                unsafe { add(base.wrapping_offset(offset), ONE_PAIR + lane(products, j)) }
            }
        }
        N
    }
}

/// Points of the first set: x, y, orientations, and how many.
type Points = ([*const f32; 2], *const i16, usize);

/// Up to 8 points of the other set, in registers, and the shift.
#[derive(Clone, Copy)]
struct Block {
    x: [float32x4_t; 2],
    y: [float32x4_t; 2],
    psi: [int16x8_t; 2],
    shift: [float32x4_t; 2],
}

impl Block {
    neon! {
        /// The first `N` points.
        ///
        /// # Safety
        /// They are readable, and two shifts.
        #[inline]
        unsafe fn load<const N: usize>([x, y]: [*const f32; 2], psi: *const i16, shift: *const f32) -> Self {
            // SAFETY: the caller's contract.
            unsafe {
                Self {
                    x: load::<N>(x.cast()).map(|x| vreinterpretq_f32_u32(x)),
                    y: load::<N>(y.cast()).map(|y| vreinterpretq_f32_u32(y)),
                    psi: orientations::<N>(psi),
                    shift: [0, 1].map(|axis| vdupq_n_f32(shift.add(axis).read_unaligned())),
                }
            }
        }

        /// The squared distances to point `i`, and the products rounded.
        ///
        /// # Safety
        /// It is readable.
        #[inline]
        unsafe fn pairs(self, ([x, y], psi, _): Points, i: usize) -> ([float32x4_t; 2], [int32x4_t; 2]) {
            // SAFETY: the caller's contract.
            let (x, y, products) = unsafe {
                let (x, y) = (x.add(i).read_unaligned(), y.add(i).read_unaligned());
                (vdupq_n_f32(x), vdupq_n_f32(y), products(self.psi, psi.add(2 * i)))
            };
            let squared = core::array::from_fn(|v| {
                let dx = vaddq_f32(vsubq_f32(self.x[v], x), self.shift[0]);
                let dy = vaddq_f32(vsubq_f32(self.y[v], y), self.shift[1]);
                vaddq_f32(vmulq_f32(dx, dx), vmulq_f32(dy, dy))
            });
            (squared, products.map(|products| vrshrq_n_s32::<8>(products)))
        }
    }
}

neon! {
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
        let points = ([x, y], psi, n);
        let tables = core::array::from_fn(|table| words.wrapping_add(table * (bins + 1)));
        let bins_of = (inverse_width, bins as f32);
        let mut j = 0;
        while j < m {
            let others = [other_x.wrapping_add(j), other_y.wrapping_add(j)];
            let other_psi = other_psi.wrapping_add(2 * j);
            // SAFETY: the caller's contract; j is a multiple of the tables.
            j += unsafe {
                match m - j {
                    8.. => scatter_of::<8>(points, Block::load::<8>(others, other_psi, shift), bins_of, tables),
                    4.. => scatter_of::<4>(points, Block::load::<4>(others, other_psi, shift), bins_of, tables),
                    3 => scatter_of::<3>(points, Block::load::<3>(others, other_psi, shift), bins_of, tables),
                    2 => scatter_of::<2>(points, Block::load::<2>(others, other_psi, shift), bins_of, tables),
                    _ => scatter_of::<1>(points, Block::load::<1>(others, other_psi, shift), bins_of, tables),
                }
            };
        }
    }

    /// [`scatter`] of some points with the first `N` of a block; returns `N`.
    ///
    /// # Safety
    /// As for [`scatter`].
    #[inline]
    unsafe fn scatter_of<const N: usize>(
        points: Points,
        block: Block,
        (inverse_width, most): (f32, f32),
        tables: [*mut i64; TABLES],
    ) -> usize {
        for i in 0..points.2 {
            // SAFETY: i < n, and the caller's contract.
            let (squared, products) = unsafe { block.pairs(points, i) };
            let bins = squared.map(|squared| {
                let bins = vmulq_n_f32(vsqrtq_f32(squared), inverse_width);
                vcvtq_s32_f32(vminq_f32(bins, vdupq_n_f32(most)))
            });
            let (bins, products) = (halves(bins), halves(products));
            for j in 0..N {
                // SAFETY: a bin of table j mod 4.
                unsafe { add(tables[j % TABLES].add(lane(bins, j) as usize), ONE_PAIR + lane(products, j)) }
            }
        }
        N
    }
}

/// A pair in 32 bits is this and its product, at most 2^21: [`FULL`] pairs leave count and sum apart.
const PACKED_BITS: i32 = 27;
const FULL: usize = 31;

/// Squared distances and packed pairs.
type Pairs = (float32x4_t, uint32x4_t);

neon! {
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
        let points = ([x, y], psi, n);
        let mut buffer = [[(vdupq_n_f32(0.0), vdupq_n_u32(0)); 2]; FULL];
        for j in (0..m).step_by(8) {
            let others = [other_x.wrapping_add(j), other_y.wrapping_add(j)];
            let (other_psi, lanes) = (other_psi.wrapping_add(2 * j), (m - j).min(8));
            // SAFETY: the caller's contract, here and below.
            let block = unsafe {
                match lanes {
                    8 => Block::load::<8>(others, other_psi, shift),
                    7 => Block::load::<7>(others, other_psi, shift),
                    6 => Block::load::<6>(others, other_psi, shift),
                    5 => Block::load::<5>(others, other_psi, shift),
                    4 => Block::load::<4>(others, other_psi, shift),
                    3 => Block::load::<3>(others, other_psi, shift),
                    2 => Block::load::<2>(others, other_psi, shift),
                    _ => Block::load::<1>(others, other_psi, shift),
                }
            };
            // A lane without a point counts 0, its orientation being 0.
            let ones: [u32; 8] = core::array::from_fn(|lane| u32::from(lane < lanes) << PACKED_BITS);
            let ones = unsafe { [vld1q_u32(ones.as_ptr()), vld1q_u32(ones.as_ptr().add(4))] };
            for first in (0..n).step_by(FULL) {
                let rows = (n - first).min(FULL);
                for (i, row) in (first..first + rows).zip(&mut buffer) {
                    let (squared, products) = unsafe { block.pairs(points, i) };
                    *row = [0, 1].map(|v| (squared[v], vaddq_u32(vreinterpretq_u32_s32(products[v]), ones[v])));
                }
                let mut e = 0;
                while e < k {
                    let (edges, words) = (edges.wrapping_add(e), words.wrapping_add(e));
                    e += unsafe {
                        match k - e {
                            4.. => compare::<4>(&buffer, rows, edges, words),
                            3 => compare::<3>(&buffer, rows, edges, words),
                            2 => compare::<2>(&buffer, rows, edges, words),
                            _ => compare::<1>(&buffer, rows, edges, words),
                        }
                    };
                }
            }
        }
    }

    /// Adds the pairs of the first rows to the words of `E` edges; returns `E`.
    ///
    /// # Safety
    /// As for [`edges`].
    #[inline]
    unsafe fn compare<const E: usize>(
        buffer: &[[Pairs; 2]; FULL],
        rows: usize,
        edges: *const f32,
        words: *mut i64,
    ) -> usize {
        // SAFETY: the caller's contract.
        let edges = unsafe { edges.cast::<[f32; E]>().read_unaligned() };
        let mut sums = [[vdupq_n_u32(0); 2]; E];
        for row in buffer.iter().take(rows) {
            for (sums, &edge) in sums.iter_mut().zip(&edges) {
                // A mask is -1.
                *sums = [0, 1].map(|v| vmlsq_u32(sums[v], vcgeq_f32(row[v].0, vdupq_n_f32(edge)), row[v].1));
            }
        }
        for (e, [low, high]) in sums.into_iter().enumerate() {
            let counts = vrsraq_n_u32::<PACKED_BITS>(vrshrq_n_u32::<PACKED_BITS>(low), high);
            let counts = i64::from(vaddvq_u32(counts));
            let packed = vaddvq_u64(vpadalq_u32(vpaddlq_u32(low), high)) as i64;
            // SAFETY: e < k, and the caller's contract.
            unsafe { add(words.wrapping_add(e), packed - (counts << PACKED_BITS) + counts * ONE_PAIR) }
        }
        E
    }
}
