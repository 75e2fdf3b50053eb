//! Pairs of points.

use core::arch::aarch64::*;

use super::ONE_PAIR;
use super::lanes::PairVector;
use super::ntt::{Residues, export_transforms};
use super::tiles::export_pair_kernels;
use crate::frame::isa::neon;
use crate::math::vector::lanes;

neon! {
    /// Reads `N` (at most 8) values of 4 bytes; the other lanes are 0.
    ///
    /// # Safety
    /// The values are readable.
    #[inline]
    unsafe fn load<const N: usize>(values: *const u32) -> [uint32x4_t; 2] {
        // SAFETY: the caller's contract.
        let values = unsafe { values.cast::<[u32; N]>().read_unaligned() };
        let values: [u32; 8] = core::array::from_fn(|j| values.get(j).copied().unwrap_or(0));
        // SAFETY: the array has 8 values.
        unsafe { [vld1q_u32(values.as_ptr()), vld1q_u32(values.as_ptr().add(4))] }
    }

    /// The real and the imaginary parts of `N` (at most 8) orientations; the other lanes are 0.
    ///
    /// # Safety
    /// The orientations are readable.
    #[inline]
    unsafe fn orientations<const N: usize>(psi: *const i16) -> [int16x8_t; 2] {
        // SAFETY: the caller's contract.
        let [low, high] = unsafe { load::<N>(psi.cast()) }.map(|psi| vreinterpretq_s16_u32(psi));
        [vuzp1q_s16(low, high), vuzp2q_s16(low, high)]
    }

    /// The products of 8 orientations with the one at `psi`.
    ///
    /// # Safety
    /// `psi` is readable.
    #[inline]
    unsafe fn products([re, im]: [int16x8_t; 2], psi: *const i16) -> [int32x4_t; 2] {
        // SAFETY: the caller's contract.
        let [a, b] = unsafe { psi.cast::<[i16; 2]>().read_unaligned() };
        [
            vmlal_n_s16(vmull_n_s16(vget_low_s16(re), a), vget_low_s16(im), b),
            vmlal_high_n_s16(vmull_high_n_s16(re, a), im, b),
        ]
    }

    /// Moves lanes to integer registers, two at a time.
    #[inline]
    fn halves(values: [int32x4_t; 2]) -> [i64; 4] {
        let [low, high] = values.map(|values| vreinterpretq_s64_s32(values));
        [vgetq_lane_s64::<0>(low), vgetq_lane_s64::<1>(low), vgetq_lane_s64::<0>(high), vgetq_lane_s64::<1>(high)]
    }
}

/// Lane `j` of the result of [`halves`].
#[inline]
fn lane(halves: [i64; 4], j: usize) -> i64 {
    let both = halves[j / 2 % 4];
    if j.is_multiple_of(2) { i64::from(both as i32) } else { both >> 32 }
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

    /// [`offsets`] for `N` (at most 8) points of the other row; returns `N`.
    ///
    /// # Safety
    /// Same as for [`offsets`].
    #[inline]
    unsafe fn offsets_of<const N: usize>(
        (x, psi, n): (*const i32, *const i16, usize),
        other_x: *const i32,
        other_psi: *const i16,
        words: *mut i64,
    ) -> usize {
        // SAFETY: the caller's contract.
        unsafe {
            let offsets = other_x.cast::<[i32; N]>().read_unaligned().map(|x| x as isize);
            let other_psi = orientations::<N>(other_psi);
            for i in 0..n {
                let base = words.wrapping_offset(-(x.add(i).read_unaligned() as isize));
                let products = halves(products(other_psi, psi.add(2 * i)));
                for (j, &offset) in offsets.iter().enumerate() {
                    add(base.wrapping_offset(offset), ONE_PAIR + lane(products, j));
                }
            }
        }
        N
    }
}

/// For each mask, the bytes of its lanes in ascending order.
static COMPRESSED: [[[u8; 4]; 4]; 16] = {
    let mut table = [[[0; 4]; 4]; 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut lane, mut count) = (0, 0);
        while lane < 4 {
            if mask >> lane & 1 == 1 {
                let first = 4 * lane as u8;
                table[mask][count] = [first, first + 1, first + 2, first + 3];
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

lanes! { impl PairVector for float32x4_t { type Integers = int32x4_t; }
unsafe fn bits(self) -> int32x4_t { vreinterpretq_s32_f32(self) }
unsafe fn integers(x: i32) -> int32x4_t { vdupq_n_s32(x) }
unsafe fn product(psi: int32x4_t, other_psi: int32x4_t) -> int32x4_t {
    let (a, b) = (vreinterpretq_s16_s32(psi), vreinterpretq_s16_s32(other_psi));
    vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b))
}
unsafe fn root(self) -> Self { vsqrtq_f32(self) }
unsafe fn whole(self, start: Self, max: Self) -> int32x4_t {
    // The conversion to unsigned integers makes negative numbers 0.
    vreinterpretq_s32_u32(vcvtq_u32_f32(vminq_f32(vsubq_f32(self, start), max)))
}
unsafe fn halves(product: int32x4_t, one: int32x4_t) -> [int32x4_t; 2] {
    let upper = vsraq_n_s32::<31>(one, product);
    [vzip1q_s32(product, upper), vzip2q_s32(product, upper)]
}
unsafe fn add_beyond<const N: usize>(
    mut sums: [int32x4_t; N], r2: Self, near: int32x4_t, numbers: [int32x4_t; N],
) -> [int32x4_t; N] {
    let beyond = vreinterpretq_s32_u32(vcgtq_s32(r2.bits(), near));
    for k in 0..N {
        sums[k] = vaddq_s32(sums[k], vandq_s32(beyond, numbers[k]));
    }
    sums
}
unsafe fn and(a: int32x4_t, b: int32x4_t) -> int32x4_t { vandq_s32(a, b) }
unsafe fn xor(a: int32x4_t, b: int32x4_t) -> int32x4_t { veorq_s32(a, b) }
unsafe fn compress(r2: Self, products: int32x4_t, limit: Self, to_r2: *mut f32, to_products: *mut i32) -> usize {
    let below = vandq_u32(vcltq_f32(r2, limit), vld1q_u32([1, 2, 4, 8].as_ptr()));
    let mask = vaddvq_u32(below) as usize;
    let bytes = vld1q_u8(COMPRESSED[mask].as_ptr().cast());
    let [r2, products] = [vreinterpretq_u8_f32(r2), vreinterpretq_u8_s32(products)].map(|x| vqtbl1q_u8(x, bytes));
    vst1q_f32(to_r2, vreinterpretq_f32_u8(r2));
    vst1q_s32(to_products, vreinterpretq_s32_u8(products));
    mask.count_ones() as usize
} }

export_pair_kernels! { float32x4_t 4, neon }

lanes! { impl Residues for uint32x4_t { const LANES: usize = 4;
// The products of lanes 0 and 1, and of lanes 2 and 3.
type Wide = [uint64x2_t; 2]; }
unsafe fn splat(x: u32) -> Self { vdupq_n_u32(x) }
unsafe fn load(from: *const u32) -> Self { vld1q_u32(from) }
unsafe fn store(self, to: *mut u32) { vst1q_u32(to, self) }
unsafe fn add(self, b: Self) -> Self { vaddq_u32(self, b) }
unsafe fn sub(self, b: Self) -> Self { vsubq_u32(self, b) }
unsafe fn less(self, b: Self) -> Self { vminq_u32(self, vsubq_u32(self, b)) }
unsafe fn times(self, root: [Self; 2], p: Self) -> Self {
    let [low, high] = Self::plus_product(Self::zero(), self, root[1]).map(|products| vreinterpretq_u32_u64(products));
    vmlsq_u32(vmulq_u32(self, root[0]), vuzp2q_u32(low, high), p)
}
unsafe fn zero() -> [uint64x2_t; 2] { [vdupq_n_u64(0); 2] }
unsafe fn plus_product(sum: [uint64x2_t; 2], a: Self, b: Self) -> [uint64x2_t; 2] {
    [vmlal_u32(sum[0], vget_low_u32(a), vget_low_u32(b)), vmlal_high_u32(sum[1], a, b)]
}
unsafe fn plus_multiple(sum: [uint64x2_t; 2], a: Self, b: Self) -> [uint64x2_t; 2] { Self::plus_product(sum, a, b) }
unsafe fn reduced(wide: [uint64x2_t; 2], p: Self, inverse: Self) -> Self {
    let [low, high] = wide.map(|wide| vreinterpretq_u32_u64(wide));
    let sums = Self::plus_product(wide, vmulq_u32(vuzp1q_u32(low, high), inverse), p);
    vuzp2q_u32(vreinterpretq_u32_u64(sums[0]), vreinterpretq_u32_u64(sums[1]))
} }

export_transforms! { uint32x4_t, neon }
