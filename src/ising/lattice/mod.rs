//! One large square lattice, a bit for each spin, driven by a counter-based generator. The page of
//! [`SquareLattice`] defines its sweeps.
//!
//! Cost of a visit in ns, random numbers included, for 2048 columns at inverse temperatures from 0.3 to 0.6 (Xeon
//! Emerald Rapids, two CPUs under other load, minima):
//!
//! | AVX-512 | AVX2 | SSE2 | reference |
//! |---|---|---|---|
//! | 0.12 to 0.14 | 0.20 to 0.22 | 0.38 to 0.42 | 4 |
//!
//! A vector holds words of one row or, if that has at most half as many words, of several rows. Visits of rows of 128
//! columns take up to 1.8 times as long as those of 4096 (`cargo bench --bench lattice -- widths`). A word has spins of
//! one row, so rows of 64 columns take as long as those of 128.

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(any(sse2, neon))]
mod blocks;
#[cfg(any(sse2, neon))]
mod lanes;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

mod contract;
mod kernels;
mod rule;
mod sites;
mod split;
mod square;

pub use kernels::*;
pub use rule::LatticeRule;
pub use split::{Part, Split};
pub use square::{LatticeSums, SquareLattice};
