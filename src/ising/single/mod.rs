//! One system at a time: sparse graphs of any shape, a byte for each spin, 64 sites of one colour
//! together.
//!
//! # Layout
//! Sites are coloured greedily such that neighbours differ in colour, and sorted by colour; a
//! *block* is 64 consecutive sites of one colour, one in each lane. A colour begins with a new
//! block, so the last block of a colour may have idle lanes. The position of a site is 64 times its
//! block plus its lane. Free sites (no coupling, no field) are a colour of their own, the last one.
//!
//! For each neighbour, a lane has a *base*: the position of the neighbour minus the lane. Neighbours
//! of one block that share their base are a *diagonal*, if they are not too few: their spins are 64
//! consecutive ones, of which some are multiplied by 0. The remaining neighbours are copied one by one
//! into *slots* of 64 spins, at most one for each lane in a slot.
//!
//! Colours are assigned, and sites of a colour sorted, by index or in breadth-first order. Of the
//! four combinations the one with the smallest cost is used, where a diagonal costs as much as the
//! fewest copies that are worth one.
//!
//! # Accepted models, and their cost
//! Any graph with up to 2^27 sites; `tau * J_tau` must be 0. Couplings are
//! in bytes if [`Kind::I8Exact`](super::Kind::I8Exact) accepts them, else in f32. *Hubs* are sites whose magnitudes
//! add up to more than 127 quanta. If they and their neighbours are few (at most a quarter of all sites and links),
//! couplings are still in bytes; hubs are visited last, one after the other, with sums in 32 bits.
//! [`Kind::Fixed`](super::Kind::Fixed) has couplings in 64 bits.
//!
//! Nanoseconds for a visit of a spin at beta 1, with random numbers, one core of a Xeon Granite
//! Rapids (other load on the shared host, best of 7):
//!
//! | graph | diagonals and copies a block | bytes: AVX-512 | AVX2 | SSE2 | f32: AVX-512 | AVX2 | SSE2 |
//! |---|---|---|---|---|---|---|---|
//! | torus of 100 x 100 | 6.3, none | 0.19 | 0.27 | 1.0 | 0.53 | 0.77 | 1.6 |
//! | the same, sites shuffled | 17, 4.9 | 0.36 | 0.45 | 1.3 | 1.0 | 1.3 | 2.5 |
//! | torus of 1000 x 1000 | | 0.31 | 0.35 | 1.0 | 1.2 | 1.3 | |
//! | torus of 32 x 32 x 32 | 9.3, none | 0.21 | 0.31 | 1.0 | 0.65 | 1.0 | 2.0 |
//! | Chimera C16 | | 0.21 | 0.31 | 1.0 | 0.65 | 0.95 | 1.9 |
//! | random, degree 6, 10,000 sites | nearly all copies | 1.7 | 1.8 | 2.8 | 5.0 | 5.2 | 8.1 |
//!
//! On a Xeon Emerald Rapids, couplings in f32 and in 64-bit fixed point (`benches/kinds.rs`, one copy):
//!
//! | graph | f32: AVX-512 | AVX2 | 64 bits: AVX-512 | AVX2 |
//! |---|---|---|---|---|
//! | torus of 32 x 32 | 0.66 | 1.07 | 1.45 | 2.4 |
//! | torus of 16 x 16 x 16 | 0.88 | 1.26 | 1.73 | 2.8 |
//! | Chimera C8 | 0.75 | 1.20 | 1.83 | 2.9 |
//! | random, degree 6, 10,000 sites | 5.1 | 3.8 | 7.6 | 5.9 |
//! | random, degree 30, 1000 sites | 17 | 18 | 20 | 22 |
//! | random, degree 40, 2000 sites | 20 | 21 | 24 | 26 |
//!
//! With AVX-512 a block of bytes takes about `9 + 0.5 diagonals + 0.25 copies` ns. Couplings in f32 are
//! four times as long: reading them from L2, 256 bytes a diagonal, takes most of the time of a block.

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

mod bytes;
mod energies;
mod engine;
mod fixed;
mod floats;
mod hubs;
mod kernels;
#[cfg(any(sse2, neon))]
mod lanes;
mod layout;
mod program;

pub use kernels::*;

pub(super) use engine::SingleEngine;
pub(super) use hubs::MAX_HUB_QUANTA;
pub(super) use layout::{Counts, Layout};
