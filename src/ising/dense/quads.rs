//! The kernels of 32-bit couplings, generic over vectors.

use core::array::from_fn;

use crate::math::vector::Int;

/// A vector of four 32-bit integers. Arithmetic wraps.
///
/// # Safety
/// As for [`Vector`](crate::math::vector::Vector).
pub(super) trait Quads: Copy {
    unsafe fn splat(x: i32) -> Self;
    unsafe fn load(from: *const i32) -> Self;
    unsafe fn store(self, to: *mut i32);
    unsafe fn add(self, b: Self) -> Self;
    unsafe fn sub(self, b: Self) -> Self;
    unsafe fn and(self, b: Self) -> Self;
    unsafe fn xor(self, b: Self) -> Self;
    /// -1 where `self` is greater than `b`, else 0.
    unsafe fn exceeds(self, b: Self) -> Self;
    /// Element `I` in all lanes.
    unsafe fn repeat<const I: i32>(self) -> Self;
    /// A bit for each negative element.
    unsafe fn signs(self) -> u64;
}

/// Element `i` of row `site`: -1 if `i` is after `site`, else 0.
static LATER: [[i32; 4]; 3] = [[0, -1, -1, -1], [0, 0, -1, -1], [0, 0, 0, -1]];

/// Decides four sites at a time. `T` is the level, or its complement for a spin of -1; the new spin is
/// +1 if the field exceeds `T`. So the rows of spins of +1 are subtracted from the fields of the four;
/// then the row of each new spin of +1 is added to the later ones, without a branch. The flips are
/// then applied to the fields of later groups.
///
/// # Safety
/// As for `dense_flips_i32`.
#[inline(always)]
pub(super) unsafe fn flips<V: Quads>(spins: u64, fields: *const i32, levels: *const i32, couplings: *const i32) -> u64 {
    // SAFETY: the caller's 64 fields, levels and rows of 64 couplings.
    unsafe {
        let mut sums = fields.cast::<[i32; 64]>().read_unaligned();
        let mut flips = 0;
        for first in (0..64).step_by(4) {
            let down = spins >> first & 15;
            let signs: [i32; 4] = from_fn(|i| -((down >> i & 1) as i32));
            let limit = V::load(levels.add(first)).xor(V::load(signs.as_ptr()));
            let mut own = V::load(sums.as_ptr().add(first));
            if own.exceeds(limit).signs() ^ down == 15 {
                continue;
            }
            let diagonal = couplings.add(65 * first);
            let (row0, row1, row2) = (later::<V, 0>(diagonal), later::<V, 1>(diagonal), later::<V, 2>(diagonal));
            let up = |row: V, i: usize| row.and(V::splat(!signs[i]));
            own = own.sub(up(row0, 0)).sub(up(row1, 1)).sub(up(row2, 2));
            own = own.add(own.exceeds(limit).repeat::<0>().and(row0));
            own = own.add(own.exceeds(limit).repeat::<1>().and(row1));
            own = own.add(own.exceeds(limit).repeat::<2>().and(row2));
            let accepted = own.exceeds(limit).signs() ^ down ^ 15;
            flips |= accepted << first;
            let mut rest = accepted;
            while rest != 0 {
                let i = first + rest.trailing_zeros() as usize;
                let sign = V::splat((spins >> i & 1) as i32 - 1);
                for column in (first + 4..64).step_by(4) {
                    let sum = sums.as_mut_ptr().add(column);
                    let row = V::load(couplings.add(64 * i + column)).xor(sign).sub(sign);
                    V::load(sum).add(row).store(sum);
                }
                rest &= rest - 1;
            }
        }
        flips
    }
}

/// The couplings of site `I` of four to the sites after it.
///
/// # Safety
/// 4 rows of 64.
#[inline(always)]
unsafe fn later<V: Quads, const I: usize>(diagonal: *const i32) -> V {
    // SAFETY: the caller's rows.
    unsafe { V::load(diagonal.add(64 * I)).and(V::load(LATER[I].as_ptr())) }
}

/// `N` vectors at a time stay in registers.
///
/// # Safety
/// As for `dense_update_i32`; `N` vectors divide 64 columns.
#[inline(always)]
pub(super) unsafe fn update<V: Int<Element = u32>, const N: usize>(
    fields: *mut i32,
    couplings: *const i32,
    up: *const u32,
    ups: usize,
    down: *const u32,
    downs: usize,
) {
    // SAFETY: the caller's fields, numbers and rows.
    unsafe {
        for column in (0..64).step_by(N * V::LANES) {
            let (couplings, fields) = (couplings.add(column).cast::<u32>(), fields.add(column).cast::<u32>());
            let mut sums = [V::splat(0); N];
            for (n, sum) in sums.iter_mut().enumerate() {
                *sum = V::load(fields.add(n * V::LANES));
            }
            for i in 0..ups {
                let row = couplings.add(64 * up.add(i).read_unaligned() as usize);
                for (n, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.add(V::load(row.add(n * V::LANES)));
                }
            }
            for i in 0..downs {
                let row = couplings.add(64 * down.add(i).read_unaligned() as usize);
                for (n, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.sub(V::load(row.add(n * V::LANES)));
                }
            }
            for (n, sum) in sums.into_iter().enumerate() {
                sum.store(fields.add(n * V::LANES));
            }
        }
    }
}
