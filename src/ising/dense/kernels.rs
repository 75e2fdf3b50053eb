//! The declarations of the kernels.

use crate::frame::kernel::kernel;

kernel! {
    /// Computes the bounds of 64 random numbers for Metropolis flips, and returns which of them are
    /// in doubt, a bit for each.
    ///
    /// In f32, with no operation fused: `x = random >> 1 | 1`, and `q` is the bits of `x` plus
    /// 0xe0cafb0d. `1 + t` is the float with the bits `(q & 0x7fffff) + 0x3f3504f3`, and
    /// `r = (c0 + t (c1 + .. + t c6)) t` approximates its logarithm. The coefficients have the bits
    /// 0x3f80001b, 0xbf00014a, 0x3eaa834c, 0xbe7ec8f0, 0x3e52fdf3, 0xbe418e68, 0x3df239cb. Then
    /// `L = ((95 - (q >> 23)) ln 2 - r) scale`, at most 32767.25 and at least 0.25, approximates
    /// `-scale ln(random / 2^32)`. The bound is `L` rounded down. It is in doubt if `x < 2^19`, or
    /// if the distance of `L` to the nearest integer is at most `|L| 4e-7 + margin`.
    ///
    /// # Safety
    /// `random` points to 64 readable numbers, `bounds` to 64 writable values. `scale` is positive
    /// and finite, `margin` is not NaN.
    "hl_ising_dense_bounds" unsafe fn dense_bounds(
        random: *const u32, scale: f32, margin: f32, bounds: *mut i16,
    ) -> u64;
    rows: all;
    header: kernels;
}

kernel! {
    /// [`dense_bounds()`] for the heat bath.
    ///
    /// With `y = 2^31 - x`, the logarithm is that of `y / x`: `q` is computed from the bits of this
    /// quotient, and `L = (((q >> 23) - 64) ln 2 + r) scale` is at least -32767.75. A bound is also
    /// in doubt if `y < 2^19`.
    ///
    /// # Safety
    /// As for [`dense_bounds()`].
    "hl_ising_dense_heat_bounds" unsafe fn dense_heat_bounds(
        random: *const u32, scale: f32, margin: f32, bounds: *mut i16,
    ) -> u64;
    rows: all;
    header: kernels;
}

kernel! {
    /// Decides 64 sites one after the other, and returns which of them flip, a bit for each.
    ///
    /// Bit `i` of `spins` is 1 for a spin of -1. Site `i` flips if its spin times its field is at
    /// most `bounds[i]`. Then the field of every later site `j` changes by -2 times the old spin
    /// times `couplings[i * stride + j]`. All arithmetic is modulo 2^16.
    ///
    /// # Safety
    /// `fields` and `bounds` point to 64 readable values, `couplings` to 64 rows of 64, each
    /// `stride` after the one before.
    "hl_ising_dense_flips" unsafe fn dense_flips(
        spins: u64, fields: *const i16, bounds: *const i16, couplings: *const i8, stride: usize,
    ) -> u64;
    rows: avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Adds the rows of up to 64 flipped spins to the local fields.
    ///
    /// For each bit `i` of `flips`, adds -2 times the old spin (-1 where bit `i` of `spins` is 1,
    /// else +1) times row `i` of `couplings` to `fields`, modulo 2^16.
    ///
    /// # Safety
    /// `columns` is a multiple of 64. `fields` points to `columns` values, `couplings` to 64 rows
    /// of as many, each `stride` after the one before. No magnitude of a coupling times `depth`
    /// exceeds 127; `depth` is at least 1.
    "hl_ising_dense_update" unsafe fn dense_update(
        fields: *mut i16, columns: usize, couplings: *const i8, stride: usize, spins: u64, flips: u64, depth: usize,
    );
    rows: all;
    header: kernels;
}

kernel! {
    /// Computes the levels of 64 random numbers for Metropolis flips, in 32 bits.
    ///
    /// `L` is that of [`dense_bounds()`] with the scale `scales[i]`, but at most 2147483520. The
    /// level is `L` rounded down.
    ///
    /// # Safety
    /// `random` points to 64 readable numbers, `scales` to 64 readable floats, positive and finite,
    /// `levels` to 64 writable values.
    "hl_ising_dense_levels" unsafe fn dense_levels(random: *const u32, scales: *const f32, levels: *mut i32);
    rows: all;
    header: kernels;
}

kernel! {
    /// [`dense_levels()`] for the heat bath.
    ///
    /// `L` is that of [`dense_heat_bounds()`], at least -2^31.
    ///
    /// # Safety
    /// As for [`dense_levels()`].
    "hl_ising_dense_heat_levels" unsafe fn dense_heat_levels(random: *const u32, scales: *const f32, levels: *mut i32);
    rows: all;
    header: kernels;
}

kernel! {
    /// Decides 64 sites one after the other in 32 bits, and returns which of them flip, a bit for each.
    ///
    /// Bit `i` of `spins` is 1 for a spin of -1. Site `i` flips if its field is at most `levels[i]`
    /// or, with a spin of -1, at least `-levels[i]` (never, if the level is -2^31). Then the field of
    /// every later site `j` changes by minus the old spin times `couplings[64 i + j]`, modulo 2^32.
    ///
    /// # Safety
    /// `fields` and `levels` point to 64 readable values, `couplings` to 64 rows of 64.
    "hl_ising_dense_flips_i32" unsafe fn dense_flips_i32(
        spins: u64, fields: *const i32, levels: *const i32, couplings: *const i32,
    ) -> u64;
    rows: sse2, neon;
    header: kernels;
}

kernel! {
    /// Adds rows of 64 couplings to the local fields of a block, and subtracts others.
    ///
    /// Adds row `r` of `couplings` to `fields` for each `r` of `up[0..ups]`, and subtracts it for
    /// each one of `down[0..downs]`, modulo 2^32.
    ///
    /// # Safety
    /// `fields` points to 64 values. `up` and `down` hold `ups` and `downs` readable numbers.
    /// `couplings` points to a row of 64 for each of them.
    "hl_ising_dense_update_i32" unsafe fn dense_update_i32(
        fields: *mut i32, couplings: *const i32, up: *const u32, ups: usize, down: *const u32, downs: usize,
    );
    assembly: neon;
    intrinsics: avx2, neon;
    header: kernels;
}
