//! Exact models in 16-bit integers: [`Kind::I16Exact`](super::Kind::I16Exact).
//!
//! | | |
//! |---|---|
//! | couplings and fields | multiples of one quantum, at most [`MAX_QUANTA`] of it in sum at each site |
//! | layers | any graph of up to 2^26 sites; at least two layers |
//! | a row | 32 layers, 64 bytes; 16 random 32-bit integers |
//! | memory | 2 bytes a spin, 8 bytes a link, 16 bytes an edge for energies |
//!
//! A flip is exact to 2^-48, as in [`Kind::I8Exact`](super::Kind::I8Exact). No table of thresholds
//! could be kept in a cache. So a kernel multiplies five factors that [`factors()`] computes: one
//! for each hexadecimal digit of the local field, and one for the bonds to the adjacent layers. The
//! product is a lower bound of the threshold, too low by at most [`SLACK`]. One of 200 rows has a
//! random number within this distance; there the kernel ends, and the engine decides the lanes in
//! doubt on 48 bits.

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

mod engine;
mod factors;
#[cfg(any(sse2, neon))]
mod lanes;

pub(super) use engine::WideEngine;
pub use factors::{FACTORS, factors, heat_factors};

use super::links::ROW;
use crate::frame::kernel::kernel;

/// Maximum sum of the magnitudes of a site's field and couplings, in quanta: the smallest field
/// whose flip is not certain may exceed it by 1, and is a 16-bit integer.
pub(super) const MAX_QUANTA: u32 = 32_766;

/// In doubt are random numbers from the product of the factors up to this much above it. Each of
/// the five factors is rounded down, and so is each of the four products.
const SLACK: u16 = 8;
/// The same for the heat bath, with one more product, of the random number's complement.
const HEAT_SLACK: u16 = 10;

/// One element of the 16-bit link stream, `hl_ising_wide_link` in C.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WideLink {
    /// In a header: the degree of the site. In a link: the byte offset of the neighbour's row in
    /// its group, 64 bytes for each row.
    pub word: u32,
    /// In a header: the sum of the field and the couplings, in quanta. In a link: twice the
    /// coupling. Both halves hold the value modulo 2^16.
    pub pair: u32,
}

impl WideLink {
    fn new(word: u32, value: i32) -> Self {
        let half = value as u32 & 0xffff;
        WideLink { word, pair: half << 16 | half }
    }

    fn value(self) -> i16 {
        self.pair as i16
    }

    /// The row that a link refers to.
    fn row(self) -> usize {
        (self.word / ROW) as usize
    }
}

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
