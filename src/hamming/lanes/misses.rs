//! Misses of 512 rows at once, for vectors of any length: a bit of a vector is a row.

use crate::math::vector::Words;

/// Vectors of bits.
///
/// # Safety
/// Same as for [`Words`].
pub(in super::super) trait Rows: Words {
    /// The carry and the sum of a full adder.
    unsafe fn adder(self, a: Self, b: Self) -> [Self; 2];
    /// `self & b` and `self ^ b`.
    unsafe fn half_adder(self, b: Self) -> [Self; 2];
    unsafe fn exclusive(self, b: Self) -> Self;
    unsafe fn either(self, b: Self) -> Self;
    /// Whether each bit is 1.
    unsafe fn is_full(self) -> bool;
}

/// Words of a line.
const LINE: usize = 8;

/// The contract of the kernel, with `LEVELS` in registers; or with any number of levels, in memory,
/// if `LEVELS` is [`MANY`].
///
/// # Safety
/// The contract of the kernel; the CPU has the instruction set; `levels` is `LEVELS`, or that is
/// [`MANY`].
#[allow(clippy::too_many_arguments)]
#[inline(always)]
unsafe fn count<V: Rows, const LEVELS: usize>(
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
    let size = LINE * (4 + levels);
    let mut live = 0;
    // SAFETY: the caller's contract. Slot `live` is at most slot i, and a vector of it is written
    // after that vector of slot i is read.
    unsafe {
        let inverted = V::splat(invert);
        for i in 0..n {
            let group = groups.add(i).read_unaligned();
            let mut full = true;
            for part in (0..LINE).step_by(V::LANES) {
                let planes = planes.add(64 * usize::from(group)).cast::<u64>().add(part);
                let (from, to) = (states.add(size * i + part), states.add(size * live + part));
                let load = |line: usize| match fresh.is_null() {
                    true => V::load(from.add(LINE * line)),
                    false => V::splat(fresh.add(line).read_unaligned()),
                };
                let (mut ones, mut twos, mut fours, mut dead) = (load(0), load(1), load(2), load(3));
                let mut level = [inverted; LEVELS];
                if LEVELS < MANY {
                    for (at, level) in level.iter_mut().enumerate() {
                        *level = load(4 + at);
                    }
                } else {
                    (4..4 + levels).for_each(|line| load(line).store(to.add(LINE * line)));
                }
                for chunk in 0..chunks {
                    let offsets = offsets.add(8 * chunk);
                    let plane = |k: usize| V::load(planes.byte_add(offsets.add(k).read_unaligned() as usize));
                    let [a, b, c, d];
                    [a, ones] = ones.adder(plane(0), plane(1));
                    [b, ones] = ones.adder(plane(2), plane(3));
                    let [first, sum] = twos.adder(a, b);
                    [c, ones] = ones.adder(plane(4), plane(5));
                    [d, ones] = ones.adder(plane(6), plane(7));
                    let [second, sum] = sum.adder(c, d);
                    twos = sum;
                    let [carry, sum] = fours.adder(first, second);
                    fours = sum;
                    let mut carry = carry.exclusive(inverted);
                    if LEVELS < MANY {
                        for level in &mut level {
                            [carry, *level] = level.half_adder(carry);
                        }
                    } else {
                        for line in 4..4 + levels {
                            let (sum, at) = (carry, to.add(LINE * line));
                            let both = V::load(at).half_adder(sum);
                            carry = both[0];
                            both[1].store(at);
                        }
                    }
                    dead = dead.either(carry);
                }
                for (line, value) in [ones, twos, fours, dead].into_iter().enumerate() {
                    value.store(to.add(LINE * line));
                }
                if LEVELS < MANY {
                    for (at, level) in level.into_iter().enumerate() {
                        level.store(to.add(LINE * (4 + at)));
                    }
                }
                full &= dead.is_full();
            }
            groups.add(live).write_unaligned(group);
            live += usize::from(!full);
        }
    }
    live
}

/// More levels than are kept in registers.
const MANY: usize = 5;

/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[allow(clippy::too_many_arguments)]
#[inline(always)]
pub(in super::super) unsafe fn misses<V: Rows>(
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
    // SAFETY: the caller's contract.
    unsafe {
        match levels {
            0 => count::<V, 0>(planes, offsets, chunks, invert, groups, n, fresh, states, levels),
            1 => count::<V, 1>(planes, offsets, chunks, invert, groups, n, fresh, states, levels),
            2 => count::<V, 2>(planes, offsets, chunks, invert, groups, n, fresh, states, levels),
            3 => count::<V, 3>(planes, offsets, chunks, invert, groups, n, fresh, states, levels),
            4 => count::<V, 4>(planes, offsets, chunks, invert, groups, n, fresh, states, levels),
            _ => count::<V, MANY>(planes, offsets, chunks, invert, groups, n, fresh, states, levels),
        }
    }
}

/// Exports the kernel of an instruction set. Argument: its vector of words.
macro_rules! export_misses {
    ($isa:ident $vector:ty) => {
        $isa! {
            pub(super) unsafe extern "C" fn misses(
                planes: *const u8, offsets: *const u32, chunks: usize, invert: u64, groups: *mut u16, n: usize,
                fresh: *const u64, states: *mut u64, levels: usize,
            ) -> usize {
                // SAFETY: the contract of the kernel.
                unsafe {
                    super::lanes::misses::misses::<$vector>(
                        planes, offsets, chunks, invert, groups, n, fresh, states, levels,
                    )
                }
            }
        }
    };
}
pub(in super::super) use export_misses;
