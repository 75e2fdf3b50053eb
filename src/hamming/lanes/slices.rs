//! The kernel `slices`.

use core::mem::MaybeUninit;

use super::{Counter, Pairs, Popcount};
use crate::math::vector::Words;

/// Maximum lanes of a vector.
const MAX_LANES: usize = 8;

/// For each tile, a word of each plane. Counters of parities get the parity of the plane's words up
/// to this one in place of the word.
#[repr(align(64))]
struct Planes([[u64; 32]; 32]);

/// For each tile, the words of a group of planes twice, so that a vector from any of the first on
/// holds the whole group, rotated.
#[repr(align(64))]
struct Twice([[u64; 2 * MAX_LANES]; 32]);

/// The words in which a group of planes differs from the vector at `others` or, if `broadcast`,
/// from the word there in all lanes. Words of the next tile are 32 and `stride` words further.
#[derive(Clone, Copy)]
struct Differences {
    group: *const u64,
    others: *const u64,
    stride: usize,
    broadcast: bool,
    parities: bool,
}

impl Differences {
    /// # Safety
    /// Same as for [`Words`]; the words of the tile exist.
    #[inline(always)]
    unsafe fn word<W: Popcount>(self, tile: usize) -> W {
        // SAFETY: the caller's contract.
        unsafe {
            let others = self.others.add(self.stride * tile);
            W::load(self.group.add(32 * tile)).xor(if self.broadcast { W::splat(*others) } else { W::load(others) })
        }
    }
}

impl<W: Popcount> Pairs<W> for Differences {
    #[inline(always)]
    unsafe fn two(self, k: usize, x: W) -> [W; 2] {
        // SAFETY: the contract of the trait.
        unsafe {
            let [a, b] = [self.word::<W>(2 * k), self.word(2 * k + 1)];
            if self.parities { [a, b] } else { [x.xor(a), x.xor(a).xor(b)] }
        }
    }
}

/// The number of [`Differences`] in 32 tiles.
///
/// # Safety
/// Same as for [`Words`]; the words exist.
#[inline(always)]
unsafe fn distance<C: Counter>(group: *const u64, others: *const u64, stride: usize, broadcast: bool) -> C::Words {
    // SAFETY: the caller's contract.
    unsafe {
        let mut counter = C::new();
        for tile in (0..32).step_by(2 * C::PAIRS) {
            let (group, others) = (group.add(32 * tile), others.add(stride * tile));
            counter.take(Differences { group, others, stride, broadcast, parities: C::PARITIES });
        }
        counter.sum()
    }
}

/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(in super::super) unsafe fn slices<C: Counter>(tiles: *const u8, distances: *mut u32) {
    let lanes = C::Words::LANES;
    let (mut planes, mut twice) = (MaybeUninit::<Planes>::uninit(), MaybeUninit::<Twice>::uninit());
    // SAFETY: fields of them.
    let [planes, twice] =
        unsafe { [(&raw mut (*planes.as_mut_ptr()).0).cast::<u64>(), (&raw mut (*twice.as_mut_ptr()).0).cast()] };
    for plane in (0..32).step_by(lanes) {
        // SAFETY: 32 tiles of 32 words.
        unsafe {
            let mut parity = C::Words::splat(0);
            for tile in 0..32 {
                let mut word = C::Words::load(tiles.cast::<u64>().add(32 * tile + plane));
                if C::PARITIES {
                    // Differences are linear: the parity of a difference is the difference of parities.
                    parity = parity.xor(word);
                    word = parity;
                }
                word.store(planes.add(32 * tile + plane));
            }
        }
    }
    for plane in (0..32).step_by(lanes) {
        // SAFETY: all planes are written, and `distances` has 32 rows of 32.
        unsafe {
            let group = planes.add(plane);
            for other in 0..plane {
                distance::<C>(group, planes.add(other), 32, true).store_narrow(distances.add(32 * other + plane));
            }
            for tile in 0..32 {
                let word = C::Words::load(group.add(32 * tile));
                word.store(twice.add(2 * MAX_LANES * tile));
                word.store(twice.add(2 * MAX_LANES * tile + lanes));
            }
            // Inside the group, half of the rotations meet all pairs. The distances from zeros count
            // the ones.
            let mut turns = [[0; MAX_LANES]; 1 + MAX_LANES / 2];
            distance::<C>(group, [0; MAX_LANES].as_ptr(), 0, false).store_narrow(turns[0].as_mut_ptr());
            for (turn, few) in turns.iter_mut().enumerate().take(lanes / 2 + 1).skip(1) {
                distance::<C>(group, twice.add(turn), 2 * MAX_LANES, false).store_narrow(few.as_mut_ptr());
            }
            for (turn, few) in turns.iter().enumerate().take(lanes / 2 + 1) {
                for (lane, distance) in few.iter().enumerate().take(lanes) {
                    let other = (lane + turn) % lanes;
                    let (row, column) = (plane + lane.min(other), plane + lane.max(other));
                    distances.add(32 * row + column).write_unaligned(*distance);
                }
            }
        }
    }
}
