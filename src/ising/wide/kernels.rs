//! The declarations of the kernels.

use super::WideLink;
#[cfg(doc)]
use super::heat_factors;
use crate::frame::kernel::kernel;

kernel! {
    /// Visits up to `count` sites of one group of 32 layers in order, with acceptance by 16-bit
    /// factors, and returns how many: it stops after a site where a lane is in doubt.
    ///
    /// A row has 32 lanes of 16 bits: 0 for spin +1, -1 for spin -1. For site `i` and a lane, all
    /// modulo 2^16:
    ///
    /// ```text
    /// F = value of the header - sum of the values of the links to neighbours with spin -1
    /// m = s_i F
    /// c = number of spins in `below` and `above` that differ from s_i
    /// d = m - factors[64 + c]
    /// p = factors[d % 16] x factors[16 + d / 16 % 16]
    ///     x (factors[32 + d / 256 % 16] x factors[48 + d / 4096]) x factors[68 + c]
    /// ```
    ///
    /// where `a x b` is `a b / 2^16`, rounded down. If `m < factors[64 + c]`, as signed integers,
    /// `p` is 65535. The random number `r` of lane `k` is half `k` of the 16 words of the site,
    /// lower halves first. The spin changes sign if `r < p`; the lane is in doubt if
    /// `p <= r <= p + 8`. If lanes of `live` are in doubt, the call ends after this site, with
    /// these lanes unchanged and their bits set in `doubt`. Otherwise `doubt` is 0. `flips` is
    /// increased by the number of changes in the lanes of `live`.
    ///
    /// # Safety
    /// `spins` points to the rows of a group: at least `first + count` rows and every row that a
    /// link refers to. `below` and `above` point to `count` readable rows, `random` to `16 * count`
    /// words; they do not overlap `spins` and begin with site `first`. `links` points to the header
    /// of site `first` and holds `count` sites. `factors` points to 72 values. `flips` points to a
    /// counter, `doubt` to a word.
    "hl_ising_sweep_i16" unsafe fn sweep_i16(
        spins: *mut i16, first: usize, count: usize, below: *const i16, above: *const i16, links: *const WideLink,
        factors: *const u16, random: *const u32, live: u32, flips: *mut u64, doubt: *mut u32,
    ) -> usize;
    rows: all;
    header: kernels;
}

kernel! {
    /// [`sweep_i16()`] with acceptance by the heat bath; [`heat_factors()`] computes the factors.
    ///
    /// Where `m < factors[64 + c]`, `-m` replaces `m`, `2 - c` replaces `c`, and the complement of
    /// `r` replaces `r`. With the product `p` of the factors, let `q = (65535 - r) x p`. The lane is
    /// in doubt if `q <= r <= q + 10`. Otherwise the spin changes sign if `r < q`, or, where the
    /// field was replaced, if `r > q`.
    ///
    /// # Safety
    /// As for [`sweep_i16()`].
    "hl_ising_sweep_heat_i16" unsafe fn sweep_heat_i16(
        spins: *mut i16, first: usize, count: usize, below: *const i16, above: *const i16, links: *const WideLink,
        factors: *const u16, random: *const u32, live: u32, flips: *mut u64, doubt: *mut u32,
    ) -> usize;
    rows: all;
    header: kernels;
}
