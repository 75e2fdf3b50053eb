//! Independent copies, a bit for each spin: 512 copies at once, accepted bit by bit.
//!
//! | | |
//! |---|---|
//! | couplings and fields | multiples of one quantum, at most 8 quanta at each site |
//! | per copy | the signs of any couplings |
//! | layers | copies without coupling to each other; full speed at multiples of 512 |
//! | memory | 1 bit a spin, 8 bytes for each quantum of each site |
//!
//! Cost of a visit in ns, random numbers included (Xeon Granite Rapids; copies at beta 0.8, lattices
//! from beta 0.3 to 3 with one sweep at each temperature):
//!
//! | model | AVX-512 | AVX2 | SSE2 |
//! |---|---|---|---|
//! | degree 4, multiples of 512 copies | 0.056 | 0.096 | 0.160 |
//! | degree 6, multiples of 512 copies | 0.060 | 0.105 | 0.175 |
//! | one torus 1024 x 1024 | 0.066 | 0.101 | 0.172 |
//! | one torus 32 x 32 x 32 | 0.101 | 0.141 | 0.218 |
//! | one torus 100 x 100 | 0.127 | 0.169 | 0.277 |
//! | one open grid 1024 x 1024 | 0.067 | 0.103 | 0.177 |
//! | one open grid 100 x 100 | 0.172 | 0.222 | 0.341 |
//! | one open grid 32 x 32 x 32 | 0.41 | 0.58 | 0.98 |
//!
//! Figures are minima of several runs; those of lattices were measured under other load. Twelve processes
//! with SSE2 took 0.278 to 0.307 ns on the torus 100 x 100.
//!
//! A group of 512 lanes takes the same time whether its lanes are live or idle.
//!
//! # Strips
//! Few layers of a lattice are cut into blocks, one for each lane (`strips.rs`), if all couplings have
//! the same magnitude, there are no fields and no signs per copy, and the order is `Coloured`. The
//! lattice is recognised from the graph (`lattice.rs`), however it was made. Couplings of 0 are absent.
//!
//! | lattice of up to 4 dimensions | |
//! |---|---|
//! | periodic or open in each dimension | cut |
//! | some couplings absent | cut in 1 and 2 dimensions |
//! | an extent | is cut into any number of equal blocks of at least 2 sites |
//! | a prime extent | is not cut |
//!
//! A ghost row holds the neighbours in other blocks, so rows are coloured as the sites of a torus of the
//! extents of a block. If one of these is odd, two colours do not suffice, and there are three. The cut
//! is that of the shortest estimated time.
//!
//! Where some lanes lack a bond, at an open boundary or an absent coupling, a row of up to 4 bonds is
//! visited in half quanta: each bond is two bonds, which have opposite signs in lanes that lack it, so
//! that one of them is unsatisfied. It takes as long as a row of 8 bonds. A row of more bonds is visited
//! once for each set of bonds that its lanes have, with the other lanes idle.
//!
//! # Method
//! A row holds one site in 512 copies. The number `u` of unsatisfied bonds of the `d` bonds of a
//! site is counted for all of them at once, by carry-save adders. It defines a class of lanes with
//! one acceptance probability, `P / 2^48`:
//!
//! ```text
//!              class           P / 2^48                         flips if the random number is
//! Metropolis   u < d / 2       exp(-2 beta (d - 2u))            less than P; always if u > d / 2
//! heat bath    min(u, d - u)   1 / (1 + exp(2 beta |d - 2u|))   less than P; not less if u > d / 2
//! ```
//!
//! If `u = d / 2`, a spin flips with probability 1/2, decided by one bit; certain flips without a
//! change of energy are not ergodic in some small models.
//!
//! Random numbers are compared with `P` from the most significant bit on. One *plane* of 512 random
//! bits decides half of the lanes:
//!
//! ```text
//! T          = union of the classes for which this bit of P is 1
//! accepted  |= undecided & T & ~R
//! undecided &= ~(R ^ T)
//! ```
//!
//! Up to 8 consecutive sites that are not coupled to each other and have the same number of bonds
//! form a block. Each site of a block takes 5 planes. The lanes that are left undecided, one in 32,
//! share planes: in each round, every lane takes its first undecided site, and planes are drawn
//! until all of these are decided. Each random bit serves one site of its lane, and a lane stops
//! after bits that it has consumed, so acceptance is exact to 2^-48.
//!
//! A field is a bond to a row of +1; a coupling of `k` quanta is `k` bonds.
//!
//! # Random numbers
//! A plane is 16 words of the generator: bit `k % 32` of word `k / 32` for copy `k`. A sweep draws
//! its planes in units of 64 and drops those of the last unit that it does not use. So the
//! trajectory depends on the state of the generator alone, and several calls give the same spins as
//! one.

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(any(sse2, neon))]
mod lanes;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

mod cut;
mod engine;
mod kernels;
mod lattice;
mod row;
mod signs;
mod strips;

pub(super) use engine::BitEngine;
pub use engine::BitsOutline;
pub use kernels::*;
pub(super) use row::COPIES;
pub(super) use scalar::MAX_DEGREE;
pub(super) use signs::CopySigns;
pub use strips::Blocks;
pub(super) use strips::Strips;
