//! The declarations of the kernels.

use super::{Worldline, WorldlineRun};
use crate::frame::kernel::kernel;

kernel! {
    /// Draws the positions of `n` breaks after position `start`, by geometric gaps.
    ///
    /// With the upper 52 bits `w` of random numbers `2 k` (lower half) and `2 k + 1`, the gap is
    /// `1 + floor(ln((w + 1/2) / 2^52) scale)`, or `2^31 - 1` if that is less. `breaks[k]` is
    /// `min(start + gap 0 + .. + gap k, 2^31 - 1) - 1`. The logarithm consists of an exponent and of seven terms of a
    /// series; each operation is rounded, none fused.
    ///
    /// # Safety
    /// `random` points to `2 n` words, `breaks` to `n`; they do not overlap. `scale` is not positive and no NaN, and
    /// `start` is less than 2^31.
    "hl_ising_worldline_breaks" unsafe fn worldline_breaks(
        random: *const u32, n: usize, scale: f64, start: u32, breaks: *mut u32,
    );
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Redraws the segments of `run.count` lines from `run.first` on, in order, with integer couplings. Returns 0, or
    /// what it lacks for the line `run.first`: 1 for a break behind the line, 2 for room, 3 for random numbers.
    ///
    /// ```text
    /// b = the kinks of the line and the breaks from base to base + slices - 1, less base, ascending; m of them
    ///     (none: b = [slices - 1])
    /// P_j(t) = sum of the spins of slices 0 .. t of line j
    /// F[k] = field (b[k] + 1) + sum over the links J P_j(b[k]),   T = F at t = slices - 1
    /// D[k] = F[k + 1] - F[k];   D[m - 1] = F[0] + T - F[m - 1]
    /// up[m - 1] first, then up[0] .. up[m - 2], each with its own random number r[k]:
    ///     up[k] with probability 1 / (1 + exp(D[k] scale))
    ///     b[k] = b[k + 1]: up[k] = up[k - 1], for k = 0 that of m - 1
    /// kinks = the b[k] where up[k] differs from up[k - 1];   spin of slice 0: that of up[m - 1]
    /// ```
    ///
    /// The probability `p` is an integer in units of 2^-48: `up[k]` is `r[k] < p / 2^16`. If both are equal, the upper
    /// 16 bits of output `decided + k` of SplitMix64 with the seed `ties`, the first one 0, are compared with the rest
    /// of `p`. Sums wrap; `slices` times the sum of the magnitudes of a line's field and couplings is below 2^31.
    /// The words after the kinks of a row up to 16 become 0x7f7fffff.
    ///
    /// # Safety
    /// The pointers of `run` are as described at [`WorldlineRun`]; all lines that are visited or linked to exist and
    /// have valid kinks, and their fields and couplings are readable. No line is linked to itself. The window has at
    /// most `2^31 - 2` slices.
    "hl_ising_worldline_sweep_i32" unsafe fn worldline_sweep_i32(
        run: *mut WorldlineRun, fields: *const i32, couplings: *const i32,
    ) -> u32;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`worldline_sweep_i32()`] with real couplings: sums are those of f64 in the order of the links, the field
    /// first, each operation rounded, none fused. `even` of each visited line is set.
    ///
    /// # Safety
    /// As for [`worldline_sweep_i32()`]; `even` of each line is right.
    "hl_ising_worldline_sweep_f64" unsafe fn worldline_sweep_f64(
        run: *mut WorldlineRun, fields: *const f64, couplings: *const f64,
    ) -> u32;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Writes the overlaps of line `row` with `n` others: the sums over the slices of the products of their spins.
    ///
    /// # Safety
    /// `lines` and `kinks` hold line `row` and the others, as described at [`WorldlineRun`]. `others` and `overlaps`
    /// point to `n` values.
    "hl_ising_worldline_overlaps" unsafe fn worldline_overlaps(
        lines: *const Worldline, kinks: *const i32, stride: usize, row: usize, others: *const u32, n: usize,
        overlaps: *mut i32,
    );
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}
