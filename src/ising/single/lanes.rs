//! The block sweeps, generic over the vectors of bytes of all instruction sets.

use super::scalar::{BLOCK, Blocks, FixedBlocks, FloatBlocks, HEADER, Streams, entry};
use crate::ising::lanes::LaneRule;
use crate::math::vector::{Fractional, Int, Mask};

/// A vector of bytes; a block is `BLOCK / LANES` of these.
///
/// # Safety
/// Methods may only be called on a CPU with the instruction set. Pointers are to `LANES` bytes.
pub(super) trait Bytes: Copy {
    /// A set of lanes.
    type Mask: Copy;
    const LANES: usize;

    unsafe fn load(from: *const u8) -> Self;
    unsafe fn store(self, to: *mut u8);
    unsafe fn sub(self, b: Self) -> Self;
    unsafe fn and(self, b: Self) -> Self;
    unsafe fn xor(self, b: Self) -> Self;
    /// `max(self, 0)` of signed bytes.
    unsafe fn positive(self) -> Self;
    /// The magnitude of signed bytes above -128.
    unsafe fn abs(self) -> Self;
    /// The lanes below 0.
    unsafe fn negative(self) -> Self::Mask;
    /// The complement in the lanes of the mask.
    unsafe fn complement(self, mask: Self::Mask) -> Self;
    /// Upper and lower bytes of the thresholds at these indices, which are below `16 levels`.
    unsafe fn look_up(self, thresholds: *const i8, levels: usize) -> [Self; 2];
    /// The lanes where the first is less than the second, and where they are equal; both are upper
    /// and lower bytes, all signed.
    unsafe fn compare(a: [Self; 2], b: [Self; 2]) -> (Self::Mask, Self::Mask);
    unsafe fn differ(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    unsafe fn bits(mask: Self::Mask) -> u64;
}

/// # Safety
/// 64 bytes can be read.
#[inline(always)]
unsafe fn load<B: Bytes, const N: usize>(from: *const u8) -> [B; N] {
    // SAFETY: the caller's bytes.
    unsafe {
        let mut values = [B::load(from); N];
        for (n, value) in values.iter_mut().enumerate().skip(1) {
            *value = B::load(from.add(n * B::LANES));
        }
        values
    }
}

/// Copies the spins of a slot at `links`, and returns the links after it. Other spins keep the value
/// that they have: their couplings are 0.
///
/// # Safety
/// The entries of the slot refer to readable `spins`.
#[inline(always)]
unsafe fn gather<T: Copy>(spins: *const T, links: *const u32, gathered: &mut [T; BLOCK]) -> *const u32 {
    // SAFETY: the caller's contract.
    unsafe {
        let count = links.read_unaligned() as usize;
        let links = links.add(1);
        if count == BLOCK {
            for (lane, spin) in gathered.iter_mut().enumerate() {
                *spin = spins.add(links.add(lane).read_unaligned() as usize).read_unaligned();
            }
        } else {
            for nth in 0..count {
                let (lane, position) = entry(links.add(nth).read_unaligned(), nth, count);
                gathered[lane] = spins.add(position).read_unaligned();
            }
        }
        links.add(count)
    }
}

/// Subtracts a line of couplings where the bytes at `spins` are set.
///
/// # Safety
/// 64 bytes of both can be read.
#[inline(always)]
unsafe fn subtract<B: Bytes, const N: usize>(sum: &mut [B; N], couplings: *const u8, spins: *const u8) {
    // SAFETY: the caller's bytes.
    unsafe {
        let (couplings, spins) = (load::<B, N>(couplings), load::<B, N>(spins));
        for n in 0..N {
            sum[n] = sum[n].sub(couplings[n].and(spins[n]));
        }
    }
}

/// # Safety
/// As for [`super::sweep_blocks_i8()`].
#[inline(always)]
pub(super) unsafe fn sweep<B: Bytes, const N: usize, const HEAT: bool>(arguments: Blocks) -> usize {
    const { assert!(N * B::LANES == BLOCK) };
    let Blocks { spins, first, count, mut links, mut couplings, thresholds, levels, random, flips } = arguments;
    let mut gathered = [0; BLOCK];
    let mut flipped = 0;
    let mut visited = 0;
    while visited < count {
        // SAFETY: a block of the caller's arrays.
        unsafe {
            let live = Streams { links, couplings }.live();
            let (diagonals, slots) = (links.read_unaligned(), links.add(1).read_unaligned());
            links = links.add(HEADER);
            let mut sum = load::<B, N>(couplings);
            couplings = couplings.add(BLOCK);
            for _ in 0..diagonals {
                subtract(&mut sum, couplings, spins.offset(links.read_unaligned() as i32 as isize));
                links = links.add(1);
                couplings = couplings.add(BLOCK);
            }
            for _ in 0..slots {
                links = gather(spins, links, &mut gathered);
                subtract(&mut sum, couplings, gathered.as_ptr());
                couplings = couplings.add(BLOCK);
            }

            let line = spins.add(BLOCK * (first + visited));
            let mut own = load::<B, N>(line);
            let random = random.add(32 * visited).cast::<u8>();
            let (mut accepted, mut tied) = (0, 0);
            for n in 0..N {
                let m = sum[n].xor(own[n]).sub(own[n]);
                let random = random.add(n * B::LANES);
                let mut random = [B::load(random), B::load(random.add(BLOCK))];
                let (mut less, equal);
                if HEAT {
                    let negative = m.negative();
                    random = [random[0].complement(negative), random[1].complement(negative)];
                    (less, equal) = B::compare(random, m.abs().look_up(thresholds, levels));
                    less = B::differ(less, negative);
                } else {
                    (less, equal) = B::compare(random, m.positive().look_up(thresholds, levels));
                }
                own[n] = own[n].complement(less);
                accepted |= B::bits(less) << (n * B::LANES);
                tied |= B::bits(equal) << (n * B::LANES);
            }
            if tied & live != 0 {
                break;
            }
            for (n, own) in own.into_iter().enumerate() {
                own.store(line.add(n * B::LANES));
            }
            flipped += u64::from((accepted & live).count_ones());
        }
        visited += 1;
    }
    // SAFETY: the caller's counter.
    unsafe { flips.write_unaligned(flips.read_unaligned().wrapping_add(flipped)) };
    visited
}

/// # Safety
/// 64 floats can be read.
#[inline(always)]
unsafe fn load_floats<V: Fractional, const N: usize>(from: *const f32) -> [V; N] {
    // SAFETY: the caller's floats.
    unsafe {
        let mut values = [V::splat(0.0); N];
        for (n, value) in values.iter_mut().enumerate() {
            *value = V::load(from.add(n * V::LANES));
        }
        values
    }
}

/// Adds a line of couplings times spins.
///
/// # Safety
/// 64 floats of both can be read.
#[inline(always)]
unsafe fn add<V: Fractional, const N: usize>(sum: &mut [V; N], couplings: *const f32, spins: *const f32) {
    for (n, sum) in sum.iter_mut().enumerate() {
        // SAFETY: the caller's floats; the products are exact.
        unsafe {
            let (coupling, spin) = (V::load(couplings.add(n * V::LANES)), V::load(spins.add(n * V::LANES)));
            *sum = coupling.mul_add(spin, *sum);
        }
    }
}

/// # Safety
/// As for [`super::sweep_blocks_f32()`].
#[inline(always)]
pub(super) unsafe fn sweep_floats<V: Fractional, const N: usize, R: LaneRule>(arguments: FloatBlocks) {
    let FloatBlocks { spins, first, count, mut links, mut couplings, space, random, flips } = arguments;
    let mut gathered = [1.0; BLOCK];
    let mut flipped = 0;
    for block in 0..count {
        // SAFETY: a block of the caller's arrays.
        unsafe {
            let live = Streams { links, couplings: couplings.cast() }.live();
            let (diagonals, slots) = (links.read_unaligned(), links.add(1).read_unaligned());
            links = links.add(HEADER);
            let mut sum = load_floats::<V, N>(couplings);
            couplings = couplings.add(BLOCK);
            for _ in 0..diagonals {
                add(&mut sum, couplings, spins.offset(links.read_unaligned() as i32 as isize));
                links = links.add(1);
                couplings = couplings.add(BLOCK);
            }
            for _ in 0..slots {
                links = gather(spins, links, &mut gathered);
                add(&mut sum, couplings, gathered.as_ptr());
                couplings = couplings.add(BLOCK);
            }

            let own = spins.add(BLOCK * (first + block));
            let mut accepted = 0;
            for (n, sum) in sum.into_iter().enumerate() {
                let at = n * V::LANES;
                let s = V::load(own.add(at));
                let flips = R::accepted::<V>(random.add(BLOCK * block + at), V::splat(space).mul(sum).mul(s));
                let sign = V::select(flips, V::splat(-0.0), V::splat(0.0)).bits();
                V::from_bits(s.bits().xor(sign)).store(own.add(at));
                accepted |= u64::from(flips.bits()) << at;
            }
            flipped += u64::from((accepted & live).count_ones());
        }
    }
    // SAFETY: the caller's counter.
    unsafe { flips.write_unaligned(flips.read_unaligned().wrapping_add(flipped)) };
}

/// A vector of f32 whose lanes are computed from sums in 64 bits.
///
/// # Safety
/// The CPU has the instruction set; pointers are valid for the lanes.
pub(super) trait FromFixed: Fractional {
    type Sum: Copy;

    unsafe fn load_sums(from: *const i64) -> Self::Sum;
    unsafe fn store_sums(sum: Self::Sum, to: *mut i64);
    /// Subtracts values where the masks at `spins` are set.
    unsafe fn subtract(sum: Self::Sum, values: *const i64, spins: *const i64) -> Self::Sum;
    /// `(sum * unit) * space`, each rounded to f64, with the opposite sign where a mask at `spins` is set, then to f32.
    unsafe fn exponents(sum: Self::Sum, units: *const f64, space: f64, spins: *const i64) -> Self;
    /// Complements the masks at `spins` where the sign bit is set.
    unsafe fn flip(self, spins: *mut i64);
}

/// The bits of the float 2^52.
#[cfg(any(sse2, avx2))]
pub(super) const TWO_52: i64 = 0x4330_0000_0000_0000;
/// Those of 2^84 + 2^63.
#[cfg(any(sse2, avx2))]
pub(super) const TWO_84_63: i64 = 0x4530_0000_8000_0000;
/// Those of 2^84 + 2^63 + 2^52.
#[cfg(any(sse2, avx2))]
pub(super) const TWO_84_63_52: u64 = 0x4530_0000_8010_0000;

/// Number of lines that are subtracted before sums are written again.
const LINES: usize = 8;

/// Pairs of vectors of sums that are held in registers.
const HELD: usize = 2;

/// Subtracts lines where masks are set; returns where the lines end.
///
/// # Safety
/// The lines and the masks can be read.
#[inline(always)]
unsafe fn subtract_lines<V: FromFixed>(
    sums: &mut [i64; BLOCK],
    mut couplings: *const i64,
    masks: &[*const i64],
) -> *const i64 {
    // SAFETY: the caller's lines.
    unsafe {
        for at in (0..BLOCK).step_by(HELD * V::LANES) {
            let sums = sums.as_mut_ptr().add(at);
            let mut sum = [V::load_sums(sums); HELD];
            for (n, sum) in sum.iter_mut().enumerate().skip(1) {
                *sum = V::load_sums(sums.add(n * V::LANES));
            }
            let mut line = couplings.add(at);
            for masks in masks {
                for (n, sum) in sum.iter_mut().enumerate() {
                    *sum = V::subtract(*sum, line.add(n * V::LANES), masks.add(at + n * V::LANES));
                }
                line = line.add(BLOCK);
            }
            for (n, sum) in sum.into_iter().enumerate() {
                V::store_sums(sum, sums.add(n * V::LANES));
            }
        }
        couplings = couplings.add(BLOCK * masks.len());
    }
    couplings
}

/// # Safety
/// As for [`super::sweep_blocks_i64()`].
#[inline(always)]
pub(super) unsafe fn sweep_fixed<V: FromFixed, R: LaneRule>(arguments: FixedBlocks) {
    const { assert!(BLOCK.is_multiple_of(HELD * V::LANES)) };
    let FixedBlocks { spins, first, count, mut links, mut couplings, units, space, random, flips } = arguments;
    let mut gathered = [[0; BLOCK]; LINES];
    let mut flipped = 0;
    for block in 0..count {
        // SAFETY: a block of the caller's arrays.
        unsafe {
            let live = Streams { links, couplings: couplings.cast() }.live();
            let (diagonals, slots) = (links.read_unaligned(), links.add(1).read_unaligned());
            links = links.add(HEADER);
            let mut sums = couplings.cast::<[i64; BLOCK]>().read_unaligned();
            couplings = couplings.add(BLOCK);
            let (mut masks, mut lines) = ([spins.cast_const(); LINES], 0);
            for nth in 0..u64::from(diagonals) + u64::from(slots) {
                if nth < u64::from(diagonals) {
                    masks[lines] = spins.offset(links.read_unaligned() as i32 as isize);
                    links = links.add(1);
                } else {
                    links = gather(spins, links, &mut gathered[lines]);
                    masks[lines] = gathered[lines].as_ptr();
                }
                lines += 1;
                if lines == LINES {
                    couplings = subtract_lines::<V>(&mut sums, couplings, &masks);
                    lines = 0;
                }
            }
            couplings = subtract_lines::<V>(&mut sums, couplings, &masks[..lines]);

            let own = spins.add(BLOCK * (first + block));
            let mut accepted = 0;
            for at in (0..BLOCK).step_by(V::LANES) {
                let sum = V::load_sums(sums.as_ptr().add(at));
                let v = V::exponents(sum, units.add(BLOCK * block + at), space, own.add(at));
                let flips = R::accepted::<V>(random.add(BLOCK * block + at), v);
                V::select(flips, V::splat(-0.0), V::splat(0.0)).flip(own.add(at));
                accepted |= u64::from(flips.bits()) << at;
            }
            flipped += u64::from((accepted & live).count_ones());
        }
    }
    // SAFETY: the caller's counter.
    unsafe { flips.write_unaligned(flips.read_unaligned().wrapping_add(flipped)) };
}
