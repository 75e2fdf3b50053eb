//! The declarations of the kernels.

use super::Link;
#[cfg(doc)]
use super::{heat_thresholds, thresholds};
use crate::frame::kernel::kernel;

kernel! {
    /// Visits `count` sites of one group in order, acceptance by the fast exponential; neighbours
    /// are read.
    ///
    /// For site `i` and lane `k`, in f32 and with no operation fused: `field = h_i + sum J_ij s_j`,
    /// added in the order of the links; `v = (space * field + tau * (below + above)) * s` with
    /// `space = beta_space * C`, `tau = beta_tau * C`, the latter clamped to a magnitude of 2^126,
    /// and `C = -2 * 12102203`; `n` is the integer nearest to `min(v, 0)`, where a NaN counts as 0.
    /// If `random >> 8` is less than 8622124 times the float with the bits `n + 0x3FE98000`, the
    /// spin changes sign and `flips[k]` increases by 1. All 16 lanes are treated alike.
    ///
    /// # Safety
    /// `spins` points to the rows of a group (16 floats each, +1 or -1): at least `first + count`
    /// rows and every row that a link refers to. `below`, `above` and `random` point to `count`
    /// readable rows that do not overlap `spins`; their row 0 belongs to site `first`. `links`
    /// points to the header of site `first` and holds `count` sites. `flips` points to 16 counters.
    "hl_ising_sweep_fast_f32" unsafe fn sweep_fast_f32(
        spins: *mut f32, first: usize, count: usize, below: *const f32, above: *const f32, links: *const Link,
        beta_space: f32, beta_tau: f32, random: *const u32, flips: *mut u32,
    );
    rows: all;
    header: kernels;
}

kernel! {
    /// [`sweep_fast_f32()`] with acceptance by the polynomial exponential.
    ///
    /// `C = -2 log2 e`, and a flip is accepted if `random >> 8` is less than `15/16 * 2^24 * 2^v`,
    /// with `v` clamped to -126 to 0; a NaN counts as 0. The product is the polynomial of
    /// [`exp::poly`](crate::exp::poly) with its factor `s` replaced by `15/16 * 2^24 * s`, rounded
    /// to the float with the bits 0x40B7558D.
    ///
    /// # Safety
    /// As for [`sweep_fast_f32()`].
    "hl_ising_sweep_poly_f32" unsafe fn sweep_poly_f32(
        spins: *mut f32, first: usize, count: usize, below: *const f32, above: *const f32, links: *const Link,
        beta_space: f32, beta_tau: f32, random: *const u32, flips: *mut u32,
    );
    rows: all;
    header: kernels;
}

kernel! {
    /// [`sweep_fast_f32()`] with acceptance by the heat bath of the fast exponential.
    ///
    /// `C = -12102203`, and `n` is the integer nearest to `v`, clamped to -2^27 to 2^27; a NaN
    /// counts as 2^27. With `x = random >> 8 | 1` and `e(n)` the float with the bits
    /// `n + 0x3F800000`, a flip is accepted if `x e(-n)` is less than `(2^24 - x) e(n)`.
    ///
    /// # Safety
    /// As for [`sweep_fast_f32()`].
    "hl_ising_sweep_heat_fast_f32" unsafe fn sweep_heat_fast_f32(
        spins: *mut f32, first: usize, count: usize, below: *const f32, above: *const f32, links: *const Link,
        beta_space: f32, beta_tau: f32, random: *const u32, flips: *mut u32,
    );
    rows: all;
    header: kernels;
}

kernel! {
    /// [`sweep_fast_f32()`] with acceptance by the heat bath of the polynomial exponential.
    ///
    /// `C = -2 log2 e`, and with `x = random >> 8 | 1` a flip is accepted if `x` is less than
    /// `(2^24 - x) 2^v`. Here `v` is clamped to -32 to 32, a NaN counts as 32, and `2^v` is the
    /// polynomial of [`exp::poly`](crate::exp::poly).
    ///
    /// # Safety
    /// As for [`sweep_fast_f32()`].
    "hl_ising_sweep_heat_poly_f32" unsafe fn sweep_heat_poly_f32(
        spins: *mut f32, first: usize, count: usize, below: *const f32, above: *const f32, links: *const Link,
        beta_space: f32, beta_tau: f32, random: *const u32, flips: *mut u32,
    );
    rows: all;
    header: kernels;
}

kernel! {
    /// Visits `count` sites of one group in order, acceptance by the fast exponential; the sums
    /// over neighbours are kept up to date.
    ///
    /// `state` holds `4 s + t` with `t = s_below + s_above`, so that its sign is the spin; `fields`
    /// holds the sums `h_i + sum J_ij s_j`. With `v = (space * field + tau * t) * s` a flip is
    /// accepted as in [`sweep_fast_f32()`]. Then, with `d = -2 s`, or 0 if the spin stays:
    /// `fields[j] += J_ij d` for every link, `state += 4 d`, `below += d`, `above += d`.
    ///
    /// # Safety
    /// As for [`sweep_fast_f32()`], with `state` and `fields` in place of `spins`. `below` and
    /// `above` are also written: they point to rows of `state` in the adjacent groups, or to zeros,
    /// to which the increments of those rows are added.
    "hl_ising_scatter_fast_f32" unsafe fn scatter_fast_f32(
        state: *mut f32, fields: *mut f32, first: usize, count: usize, below: *mut f32, above: *mut f32,
        links: *const Link, beta_space: f32, beta_tau: f32, random: *const u32, flips: *mut u32,
    );
    intrinsics: avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`scatter_fast_f32()`] with acceptance by the polynomial exponential, as in
    /// [`sweep_poly_f32()`].
    ///
    /// # Safety
    /// As for [`scatter_fast_f32()`].
    "hl_ising_scatter_poly_f32" unsafe fn scatter_poly_f32(
        state: *mut f32, fields: *mut f32, first: usize, count: usize, below: *mut f32, above: *mut f32,
        links: *const Link, beta_space: f32, beta_tau: f32, random: *const u32, flips: *mut u32,
    );
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`scatter_fast_f32()`] with acceptance as in [`sweep_heat_fast_f32()`].
    ///
    /// # Safety
    /// As for [`scatter_fast_f32()`].
    "hl_ising_scatter_heat_fast_f32" unsafe fn scatter_heat_fast_f32(
        state: *mut f32, fields: *mut f32, first: usize, count: usize, below: *mut f32, above: *mut f32,
        links: *const Link, beta_space: f32, beta_tau: f32, random: *const u32, flips: *mut u32,
    );
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`scatter_fast_f32()`] with acceptance as in [`sweep_heat_poly_f32()`].
    ///
    /// # Safety
    /// As for [`scatter_fast_f32()`].
    "hl_ising_scatter_heat_poly_f32" unsafe fn scatter_heat_poly_f32(
        state: *mut f32, fields: *mut f32, first: usize, count: usize, below: *mut f32, above: *mut f32,
        links: *const Link, beta_space: f32, beta_tau: f32, random: *const u32, flips: *mut u32,
    );
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Visits up to `count` sites of one group of 64 layers in order, with exact acceptance, and
    /// returns how many: it stops before a site where 16 random bits do not suffice.
    ///
    /// A spin is a bit, 1 for -1; word `i` of `spins` is site `i`, bit `k` the layer in lane `k`.
    /// `links` is a stream of words: for each site a header, then a word for each neighbour.
    /// Couplings and fields are in units of one quantum. `F = 2 b + parity` is the field of a site
    /// plus its couplings.
    ///
    /// ```text
    /// header   b modulo 2^8 | degree << 8 | parity << 16
    /// link     coupling modulo 2^8 | row << 8
    ///
    /// v = b - sum of the couplings to neighbours with bit 1
    /// k = v if the spin's own bit is 0, else -v - parity
    /// c = number of bits in `below` and `above` that differ from the spin's own bit
    /// ```
    ///
    /// The magnitudes of a site's field and couplings add up to at most 127. The threshold is entry
    /// `432 parity + 128 c + (k & 127)` of `thresholds`, which [`thresholds()`] computes. If entry 428
    /// is not 0, these magnitudes add up to at most this number at every site. The random number of
    /// lane `k` is byte `k` (times 256) and byte `64 + k` of the site's 32 words, each little-endian. If
    /// it is less than the threshold, the bit flips. If it is equal to the threshold in a lane of `live`,
    /// the site is left unchanged and the call ends. `flips` is increased by the number of flips in the
    /// lanes of `live`.
    ///
    /// # Safety
    /// `spins` points to the `sites` words of a group, and links refer only to these. `below` and
    /// `above` point to `count` readable words, `random` to `32 * count`; they do not overlap
    /// `spins` and begin with site `first`. `links` points to the header of site `first` and holds
    /// `count` sites. `thresholds` points to 864 values. `flips` points to a counter.
    ///
    /// `bytes` points to 64 bytes for each of `sites` sites, which a variant may use as scratch
    /// memory. A call with `first` 0 begins a group, and the next calls of the same variant
    /// continue with later sites of it. If a word of `spins` was changed in between, its 64 bytes
    /// must be set to 255 where the bit is 1 and to 0 elsewhere.
    "hl_ising_sweep_i8" unsafe fn sweep_i8(
        spins: *mut u64, bytes: *mut u8, sites: usize, first: usize, count: usize, below: *const u64,
        above: *const u64, links: *const u32, thresholds: *const u16, random: *const u32, live: u64, flips: *mut u64,
    ) -> usize;
    rows: avx512icl, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`sweep_i8()`] with acceptance by the heat bath: the values of `thresholds` are those of
    /// [`heat_thresholds()`].
    ///
    /// # Safety
    /// As for [`sweep_i8()`].
    "hl_ising_sweep_heat_i8" unsafe fn sweep_heat_i8(
        spins: *mut u64, bytes: *mut u8, sites: usize, first: usize, count: usize, below: *const u64,
        above: *const u64, links: *const u32, thresholds: *const u16, random: *const u32, live: u64, flips: *mut u64,
    ) -> usize;
    rows: avx512icl, avx2, sse2, neon;
    header: kernels;
}
