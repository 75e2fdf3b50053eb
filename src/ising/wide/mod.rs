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

mod contract;
mod engine;
mod factors;
mod kernels;
#[cfg(any(sse2, neon))]
mod lanes;

pub(super) use contract::MAX_QUANTA;
pub use contract::WideLink;
use contract::{HEAT_SLACK, SLACK};
pub(super) use engine::WideEngine;
pub use factors::{FACTORS, factors, heat_factors};
pub use kernels::*;
