//! The declarations of the kernels.

use crate::frame::kernel::kernel;

kernel! {
    /// Visits up to `count` blocks of one system in order, with exact acceptance, and returns how
    /// many: it stops before a block where 16 random bits do not suffice.
    ///
    /// A block is 64 sites, one in each lane, that are not neighbours of each other. A spin is a
    /// byte: 0 for +1, 255 for -1. Block `b` is bytes `64 b..64 b + 64` of `spins`. Couplings and
    /// fields are in units of one quantum. `links` holds, for each block:
    ///
    /// ```text
    /// number of diagonals, number of slots, the sites: bit k is set if lane k has one (2 words, the lower first)
    /// for each diagonal:  base
    /// for each slot:      number of its entries, then the entries, 64 position + lane;
    ///                     or 64, then the position for each lane
    /// ```
    ///
    /// and `couplings` holds a line of 64 bytes, one for each lane, for the block, for each of its
    /// diagonals and for each of its slots. The first line is the sum of field and couplings, the
    /// others are twice the coupling, all modulo 2^8. The spin that belongs to lane `k` of a
    /// diagonal is byte `base + k` of `spins`. In a slot it is the byte at the position of the
    /// lane's entry; the coupling of a lane without an entry is 0.
    ///
    /// ```text
    /// field = first line - sum over diagonals and slots of (line where the spin is -1)
    /// m = field times the spin: its magnitude is at most 127 and below 16 levels
    /// ```
    ///
    /// `thresholds` holds the upper bytes of the thresholds for `m` from 0 to 127, then the lower
    /// bytes, each minus 128. The random number of lane `k` is byte `k` and byte `64 + k` of the
    /// block's 32 words (little-endian), each taken as a signed number. If the pair is less than
    /// the pair of bytes at `max(m, 0)`, the spin changes sign. If the pairs are equal in a lane
    /// that has a site, the block is left unchanged and the call ends. `flips` is increased by the
    /// number of flips in the lanes that have a site. Other lanes are treated alike, but neither end
    /// a call nor count.
    ///
    /// # Safety
    /// `links` and `couplings` begin with block `first` and hold `count` blocks. `spins` points to
    /// the bytes of all blocks; it can be read at each entry, at the 64 bytes from each base on
    /// (a signed number), and blocks `first..first + count` can be written. `thresholds` points to
    /// 256 bytes, `random` to `32 * count` words that do not overlap `spins`, `flips` to a counter.
    /// `levels` is at most 8.
    "hl_ising_sweep_blocks_i8" unsafe fn sweep_blocks_i8(
        spins: *mut u8, first: usize, count: usize, links: *const u32, couplings: *const u8, thresholds: *const i8,
        levels: usize, random: *const u32, flips: *mut u64,
    ) -> usize;
    rows: all;
    header: kernels;
}

kernel! {
    /// [`sweep_blocks_i8()`] with acceptance by the heat bath.
    ///
    /// The threshold is that of the magnitude of `m`. Where `m` is negative, the random number is
    /// complemented, and the spin changes sign if it is *not* less than the threshold.
    ///
    /// # Safety
    /// As for [`sweep_blocks_i8()`].
    "hl_ising_sweep_heat_blocks_i8" unsafe fn sweep_heat_blocks_i8(
        spins: *mut u8, first: usize, count: usize, links: *const u32, couplings: *const u8, thresholds: *const i8,
        levels: usize, random: *const u32, flips: *mut u64,
    ) -> usize;
    rows: all;
    header: kernels;
}

kernel! {
    /// Visits `count` blocks of one system in order, with sums in 64-bit fixed point.
    ///
    /// Blocks, positions and `links` are as for [`sweep_blocks_i8()`], but a spin is an integer of 64 bits, 0 for +1
    /// and -1 for -1, and the lines of `couplings` hold 64 such integers: the sum of field and couplings, then twice
    /// the couplings of each diagonal and of each slot. `units` holds a number for each lane of each block. `field`
    /// is the first line minus the others where the spin is -1, modulo 2^64 and as a signed integer. In f64 and with
    /// no operation fused, `v = (field * unit) * (-2 log2 e beta_space)`, where the constant is that of
    /// [`sweep_poly_f32()`](crate::ising::sweep_poly_f32()) in f32 times `beta_space`. The flip is accepted as
    /// there with `v s`, rounded to f32, given the lane's number of the block's 64. `flips` is increased by the
    /// number of flips in the lanes that have a site. Other lanes are treated alike, but do not count.
    ///
    /// # Safety
    /// As for [`sweep_blocks_i8()`], with integers of 64 bits in place of bytes of `spins` and `couplings`. `units`
    /// points to `64 * count` numbers, `random` to `64 * count` words.
    "hl_ising_sweep_blocks_i64" unsafe fn sweep_blocks_i64(
        spins: *mut i64, first: usize, count: usize, links: *const u32, couplings: *const i64, units: *const f64,
        beta_space: f64, random: *const u32, flips: *mut u64,
    );
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`sweep_blocks_i64()`] with acceptance by the heat bath.
    ///
    /// A flip is accepted as in [`sweep_heat_poly_f32()`](crate::ising::sweep_heat_poly_f32()).
    ///
    /// # Safety
    /// As for [`sweep_blocks_i64()`].
    "hl_ising_sweep_heat_blocks_i64" unsafe fn sweep_heat_blocks_i64(
        spins: *mut i64, first: usize, count: usize, links: *const u32, couplings: *const i64, units: *const f64,
        beta_space: f64, random: *const u32, flips: *mut u64,
    );
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Visits `count` blocks of one system in order, with sums in f32.
    ///
    /// Blocks, positions and `links` are as for [`sweep_blocks_i8()`], but a spin is a float, +1 or
    /// -1, and the lines of `couplings` hold 64 floats: the fields, then the couplings of each
    /// diagonal and of each slot. In f32 and with no operation fused: `field` is the field plus the
    /// products of coupling and spin, added in the order of the lines, and
    /// `v = (-2 log2 e beta_space) * field * s`. The flip is accepted as in
    /// [`sweep_poly_f32()`](crate::ising::sweep_poly_f32()), given the lane's number of the block's
    /// 64. `flips` is increased by the number of flips in the lanes that have a site. Other lanes
    /// are treated alike, but do not count.
    ///
    /// # Safety
    /// As for [`sweep_blocks_i8()`], with floats in place of bytes of `spins` and `couplings`;
    /// `random` points to `64 * count` words.
    "hl_ising_sweep_blocks_f32" unsafe fn sweep_blocks_f32(
        spins: *mut f32, first: usize, count: usize, links: *const u32, couplings: *const f32, beta_space: f32,
        random: *const u32, flips: *mut u64,
    );
    assembly: avx2, sse2, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`sweep_blocks_f32()`] with acceptance by the heat bath.
    ///
    /// A flip is accepted as in [`sweep_heat_poly_f32()`](crate::ising::sweep_heat_poly_f32()).
    ///
    /// # Safety
    /// As for [`sweep_blocks_f32()`].
    "hl_ising_sweep_heat_blocks_f32" unsafe fn sweep_heat_blocks_f32(
        spins: *mut f32, first: usize, count: usize, links: *const u32, couplings: *const f32, beta_space: f32,
        random: *const u32, flips: *mut u64,
    );
    assembly: avx2, sse2, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}
