//! The references of the block sweeps, and what their variants share.

use crate::ising::scalar::Rule;

/// Number of sites of a block.
pub(in crate::ising) const BLOCK: usize = 64;

/// The arguments of a block sweep.
pub(super) struct Blocks {
    pub spins: *mut u8,
    pub first: usize,
    pub count: usize,
    pub links: *const u32,
    pub couplings: *const u8,
    pub thresholds: *const i8,
    pub levels: usize,
    pub random: *const u32,
    pub flips: *mut u64,
}

/// Exports the block sweeps of an instruction set, given its function of [`Blocks`] and whether the
/// acceptance is the heat bath.
macro_rules! block_kernels {
    ($isa:ident [$($sweep:tt)*]) => {
        $crate::ising::single::scalar::block_kernels! { $isa sweep_blocks_i8 [$($sweep)*] false }
        $crate::ising::single::scalar::block_kernels! { $isa sweep_heat_blocks_i8 [$($sweep)*] true }
    };
    ($isa:ident $name:ident [$sweep:ident $($vector:tt)*] $is_heat:literal) => {
        $crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn $name(
                spins: *mut u8,
                first: usize,
                count: usize,
                links: *const u32,
                couplings: *const u8,
                thresholds: *const i8,
                levels: usize,
                random: *const u32,
                flips: *mut u64,
            ) -> usize {
                let arguments = $crate::ising::single::scalar::Blocks {
                    spins, first, count, links, couplings, thresholds, levels, random, flips,
                };
                // SAFETY: the caller's contract.
                unsafe { $sweep::<$($vector)* $is_heat>(arguments) }
            }
        }
    };
}
pub(super) use block_kernels;

/// The arguments of a block sweep in f32; `space` in units of the exponent.
pub(super) struct FloatBlocks {
    pub spins: *mut f32,
    pub first: usize,
    pub count: usize,
    pub links: *const u32,
    pub couplings: *const f32,
    pub space: f32,
    pub random: *const u32,
    pub flips: *mut u64,
}

/// Exports the block sweeps in f32 of an instruction set, given its function of [`FloatBlocks`] and
/// that function's type arguments before the rule.
macro_rules! float_block_kernels {
    ($isa:ident [$($sweep:tt)*]) => {
        $crate::ising::single::scalar::float_block_kernels! { $isa sweep_blocks_f32 [$($sweep)*] MetropolisPoly }
        $crate::ising::single::scalar::float_block_kernels! { $isa sweep_heat_blocks_f32 [$($sweep)*] HeatPoly }
    };
    ($isa:ident $name:ident [$sweep:ident $($vector:tt)*] $rule:ident) => {
        $crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn $name(
                spins: *mut f32,
                first: usize,
                count: usize,
                links: *const u32,
                couplings: *const f32,
                beta_space: f32,
                random: *const u32,
                flips: *mut u64,
            ) {
                use $crate::ising::scalar::{$rule, Rule};
                let space = beta_space * $rule::FACTOR;
                let arguments = $crate::ising::single::scalar::FloatBlocks {
                    spins, first, count, links, couplings, space, random, flips,
                };
                // SAFETY: the caller's contract.
                unsafe { $sweep::<$($vector)* $rule>(arguments) }
            }
        }
    };
}
pub(super) use float_block_kernels;

/// The arguments of a block sweep in fixed point; `space` in units of the exponent.
pub(super) struct FixedBlocks {
    pub spins: *mut i64,
    pub first: usize,
    pub count: usize,
    pub links: *const u32,
    pub couplings: *const i64,
    pub units: *const f64,
    pub space: f64,
    pub random: *const u32,
    pub flips: *mut u64,
}

/// Exports the block sweeps in fixed point of an instruction set, like [`float_block_kernels`].
macro_rules! fixed_block_kernels {
    ($isa:ident [$($sweep:tt)*]) => {
        $crate::ising::single::scalar::fixed_block_kernels! { $isa sweep_blocks_i64 [$($sweep)*] MetropolisPoly }
        $crate::ising::single::scalar::fixed_block_kernels! { $isa sweep_heat_blocks_i64 [$($sweep)*] HeatPoly }
    };
    ($isa:ident $name:ident [$sweep:ident $($vector:tt)*] $rule:ident) => {
        $crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn $name(
                spins: *mut i64,
                first: usize,
                count: usize,
                links: *const u32,
                couplings: *const i64,
                units: *const f64,
                beta_space: f64,
                random: *const u32,
                flips: *mut u64,
            ) {
                use $crate::ising::scalar::{$rule, Rule};
                let space = beta_space * f64::from($rule::FACTOR);
                let arguments = $crate::ising::single::scalar::FixedBlocks {
                    spins, first, count, links, couplings, units, space, random, flips,
                };
                // SAFETY: the caller's contract.
                unsafe { $sweep::<$($vector)* $rule>(arguments) }
            }
        }
    };
}
pub(super) use fixed_block_kernels;

block_kernels! { scalar [sweep] }
fixed_block_kernels! { scalar [sweep_fixed] }
float_block_kernels! { scalar [sweep_floats] }

/// The words of a block before its diagonals: their number, that of its slots, and its sites.
pub(super) const HEADER: usize = 4;

/// Lane and position of an entry, the `nth` of `count` of a slot.
pub(super) fn entry(word: u32, nth: usize, count: usize) -> (usize, usize) {
    let word = word as usize;
    if count == BLOCK { (nth % BLOCK, word) } else { (word % BLOCK, word / BLOCK) }
}

/// The streams at the beginning of a block.
#[derive(Clone, Copy)]
pub(super) struct Streams {
    pub links: *const u32,
    pub couplings: *const u8,
}

impl Streams {
    /// The local fields of the sites of a block at `spins`, and the streams of the next block.
    ///
    /// # Safety
    /// As for [`super::sweep_blocks_i8()`].
    pub unsafe fn fields(self, spins: *const u8) -> ([i8; BLOCK], Self) {
        let Streams { links, mut couplings } = self;
        // SAFETY: the streams of a block, and the spins that they refer to.
        unsafe {
            let word = |nth: usize| links.add(nth).read_unaligned();
            let mut line = || {
                let values = couplings.cast::<[u8; BLOCK]>().read_unaligned();
                couplings = couplings.add(BLOCK);
                values
            };
            let mut sum = line();
            let mut subtract = |values: [u8; BLOCK], masks: [u8; BLOCK]| {
                for lane in 0..BLOCK {
                    sum[lane] = sum[lane].wrapping_sub(values[lane] & masks[lane]);
                }
            };
            let (diagonals, slots) = (word(0) as usize, word(1) as usize);
            for nth in 0..diagonals {
                let base = spins.offset(word(HEADER + nth) as i32 as isize);
                subtract(line(), base.cast::<[u8; BLOCK]>().read_unaligned());
            }
            let mut next = HEADER + diagonals;
            for _ in 0..slots {
                let (count, mut masks) = (word(next) as usize, [0; BLOCK]);
                for nth in 0..count {
                    let (lane, position) = entry(word(next + 1 + nth), nth, count);
                    masks[lane] = spins.add(position).read();
                }
                subtract(line(), masks);
                next += 1 + count;
            }
            (sum.map(|sum| sum as i8), Streams { links: links.add(next), couplings })
        }
    }

    /// The sites of the block: bit `k` is set if there is one in lane `k`.
    ///
    /// # Safety
    /// The streams of a block.
    pub unsafe fn live(self) -> u64 {
        // SAFETY: the header.
        unsafe { self.links.add(2).cast::<u64>().read_unaligned() }
    }
}

/// How a spin is decided: the index of its threshold, and whether the random number and the verdict
/// are complemented.
pub(super) fn index(field: i8, spin: u8, is_heat: bool) -> (usize, bool) {
    let m = if spin == 0 { field } else { field.wrapping_neg() };
    if is_heat { (m.unsigned_abs() as usize, m < 0) } else { (m.max(0) as usize, false) }
}

/// The 16 random bits of `lane` of a block.
pub(super) fn random_bits(random: &[u32; 32], lane: usize) -> u16 {
    crate::ising::scalar::random_bits(random, lane) ^ 0x8080
}

/// # Safety
/// As for [`super::sweep_blocks_i8()`].
unsafe fn sweep<const HEAT: bool>(arguments: Blocks) -> usize {
    let Blocks { spins, first, count, links, couplings, thresholds, random, flips, .. } = arguments;
    let mut streams = Streams { links, couplings };
    for block in 0..count {
        // SAFETY: a block of the caller's arrays; indices of thresholds are below 128.
        unsafe {
            let own = spins.add(BLOCK * (first + block)).cast::<[u8; BLOCK]>();
            let (fields, next) = streams.fields(spins);
            let random = random.cast::<[u32; 32]>().add(block).read_unaligned();
            let (mut masks, mut accepted, mut tied) = (own.read_unaligned(), 0u64, 0u64);
            for lane in 0..BLOCK {
                let (m, complement) = index(fields[lane], masks[lane], HEAT);
                let byte = |at: usize| thresholds.add(at).read_unaligned() as u8 ^ 0x80;
                let threshold = u16::from_be_bytes([byte(m), byte(128 + m)]);
                let bits = random_bits(&random, lane) ^ if complement { u16::MAX } else { 0 };
                let accepts = (bits < threshold) != complement;
                masks[lane] ^= if accepts { 255 } else { 0 };
                accepted |= u64::from(accepts) << lane;
                tied |= u64::from(bits == threshold) << lane;
            }
            let live = streams.live();
            if tied & live != 0 {
                return block;
            }
            own.write_unaligned(masks);
            let count = u64::from((accepted & live).count_ones());
            flips.write_unaligned(flips.read_unaligned().wrapping_add(count));
            streams = next;
        }
    }
    count
}

/// # Safety
/// As for [`super::sweep_blocks_f32()`].
unsafe fn sweep_floats<R: Rule>(arguments: FloatBlocks) {
    let FloatBlocks { spins, first, count, mut links, mut couplings, space, random, flips } = arguments;
    for block in 0..count {
        // SAFETY: a block of the caller's arrays.
        unsafe {
            let live = Streams { links, couplings: couplings.cast() }.live();
            let mut line = || {
                let values = couplings.cast::<[f32; BLOCK]>().read_unaligned();
                couplings = couplings.add(BLOCK);
                values
            };
            let mut word = || {
                let word = links.read_unaligned();
                links = links.add(1);
                word as usize
            };
            let mut sum = line();
            let mut add = |values: [f32; BLOCK], spins: [f32; BLOCK]| {
                for lane in 0..BLOCK {
                    sum[lane] += values[lane] * spins[lane];
                }
            };
            let [diagonals, slots, _, _] = [word(), word(), word(), word()];
            for _ in 0..diagonals {
                add(line(), spins.offset(word() as i32 as isize).cast::<[f32; BLOCK]>().read_unaligned());
            }
            for _ in 0..slots {
                let mut gathered = [1.0; BLOCK];
                let count = word();
                for nth in 0..count {
                    let (lane, position) = entry(word() as u32, nth, count);
                    gathered[lane] = spins.add(position).read_unaligned();
                }
                add(line(), gathered);
            }
            let own = spins.add(BLOCK * (first + block));
            for (lane, sum) in sum.into_iter().enumerate() {
                let s = own.add(lane).read_unaligned();
                if R::accepts(random.add(BLOCK * block + lane).read_unaligned(), space * sum * s) {
                    own.add(lane).write_unaligned(-s);
                    flips.write_unaligned(flips.read_unaligned().wrapping_add(live >> lane & 1));
                }
            }
        }
    }
}

/// # Safety
/// As for [`super::sweep_blocks_i64()`].
unsafe fn sweep_fixed<R: Rule>(arguments: FixedBlocks) {
    let FixedBlocks { spins, first, count, mut links, mut couplings, units, space, random, flips } = arguments;
    for block in 0..count {
        // SAFETY: a block of the caller's arrays.
        unsafe {
            let live = Streams { links, couplings: couplings.cast() }.live();
            let mut line = || {
                let values = couplings.cast::<[i64; BLOCK]>().read_unaligned();
                couplings = couplings.add(BLOCK);
                values
            };
            let mut word = || {
                let word = links.read_unaligned();
                links = links.add(1);
                word as usize
            };
            let mut sum = line();
            let mut subtract = |values: [i64; BLOCK], masks: [i64; BLOCK]| {
                for lane in 0..BLOCK {
                    sum[lane] = sum[lane].wrapping_sub(values[lane] & masks[lane]);
                }
            };
            let [diagonals, slots, _, _] = [word(), word(), word(), word()];
            for _ in 0..diagonals {
                subtract(line(), spins.offset(word() as i32 as isize).cast::<[i64; BLOCK]>().read_unaligned());
            }
            for _ in 0..slots {
                let mut gathered = [0; BLOCK];
                let count = word();
                for nth in 0..count {
                    let (lane, position) = entry(word() as u32, nth, count);
                    gathered[lane] = spins.add(position).read_unaligned();
                }
                subtract(line(), gathered);
            }
            for (lane, sum) in sum.into_iter().enumerate() {
                let own = spins.add(BLOCK * (first + block) + lane);
                let v = sum as f64 * units.add(BLOCK * block + lane).read_unaligned() * space;
                let spin = own.read_unaligned();
                let v = if spin == 0 { v } else { -v } as f32;
                if R::accepts(random.add(BLOCK * block + lane).read_unaligned(), v) {
                    own.write_unaligned(!spin);
                    flips.write_unaligned(flips.read_unaligned().wrapping_add(live >> lane & 1));
                }
            }
        }
    }
}
