//! Worldlines of the transverse-field Ising model: [`Worldlines`].
//!
//! The model is `H = - sum J_ij sz_i sz_j - sum h_i sz_i - gamma sum sx_i` at the inverse temperature `beta`, in the
//! Suzuki-Trotter form with `L` slices: a ring of `L` layers of Ising spins, as of
//! [`LayeredIsing`](super::LayeredIsing), with weight
//!
//! ```text
//! exp(beta / L sum over slices (sum J_ij s_i s_j + sum h_i s_i)) * tanh(beta gamma / L)^(kinks)
//! ```
//!
//! up to a constant, where a *kink* is a pair of adjacent slices in which the spin of a site differs. A *line* is one
//! site in all slices: the spin of slice 0 and a sorted list of kinks. So time and memory of a sweep grow with the
//! number of kinks, which is about `beta` times the transverse energy, and not with `L`: `L = 2^20` is as fast as 64,
//! and is continuous imaginary time for most purposes. The error of `L` slices is of order `(beta gamma / L)^2`.
//!
//! # Method
//! A sweep redraws line by line, colour by colour of the graph. Between any two slices without a kink there is a
//! *break* with probability `p = tanh(beta gamma / L)`. Kinks and breaks divide a line into segments; each becomes +1
//! with probability `1 / (1 + exp(-2 beta / L S))`, where `S` is the sum of its local fields over its slices, from
//! prefix sums of the neighbours' lines. This is the Swendsen-Wang algorithm along imaginary time, with a heat bath for
//! each cluster. Its autocorrelation time does not depend on `L`.
//!
//! # Source
//! Rieger and Kawashima, "Application of a continuous time cluster algorithm to the two-dimensional random quantum
//! Ising ferromagnet" (Eur. Phys. J. B 9, 1999). The layered form: Dickson, Karimi, Hamze, "Importance of explicit
//! vectorization for CPU and GPU software performance" (J. Comput. Phys. 230, 2011; arXiv:1004.0024).
//!
//! # Example
//! ```
//! use hotloops::ising::{LayeredIsing, Transverse};
//! use hotloops::random::Mt19937;
//!
//! // A ring of 16 spins; the ground state energy is -20.4 at gamma = 1.
//! let ring = (0..16).map(|i| (i, (i + 1) % 16, 1.0));
//! let mut lines = LayeredIsing::builder(1 << 20, 16).couplings(ring).build_worldlines()?;
//! let mut rng = Mt19937::seeded(16, 5489)?;
//! let at = Transverse { beta: 8.0, gamma: 1.0 };
//! lines.sweep(&mut rng, at, 500)?;
//! let mut sum = 0.0;
//! for _ in 0..2000 {
//!     lines.sweep(&mut rng, at, 1)?;
//!     sum += lines.energy(at)?;
//! }
//! assert!((sum / 2000.0 + 20.37).abs() < 0.5);
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! # Ranges
//! Slices: 2 to 2^30. `beta` and `gamma`: not negative and finite as f32, in units of `1 / J` and `J`; `gamma = 0` has
//! no breaks, and each line without kinks is one segment. Couplings and fields: any finite f32. If they are multiples
//! of one quantum whose magnitudes at each site add up to at most 32,766 and to less than `2^31 / L`, sums are exact
//! integers; else they are sums in f64 in the order of the links, and the error of a segment's exponent is about
//! `2^-52 beta` times the sum of the magnitudes.
//!
//! # Exactness
//! A sweep depends on the lines, `beta`, `gamma` and the state of the generator alone, and gives the same lines on
//! every CPU. The generator is a 16-lane [`Mt19937`](crate::random::Mt19937). A sweep draws
//!
//! - 16 numbers, of which the first two are the lower and the upper half of the seed of ties;
//! - for each window of `floor((2^31 - 2) / L)` lines its breaks, in blocks: with `s` the number of slices from the
//!   last break to the end of the window, `min(256, s p + 8)`, rounded down, then up to a multiple of 16, when no break
//!   is left behind the next line. The rest is discarded at the end of the window;
//! - a number for each segment, in blocks of 256 when fewer than the segments of the next line are left. The rest is
//!   discarded at the end of the sweep.
//!
//! [`sweep_clusters`](Worldlines::sweep_clusters) draws 16 numbers, of which the first two are the seed of the
//! decisions, one for each cluster in the order of first pieces. Then, for each line, its breaks, and for each
//! coupling, at the first of its lines, its bonds: the slices in which it joins equal spins, or opposite ones if it
//! is negative, each with probability `1 - exp(-2 beta |J| / L)`. Both are in blocks, `s` slices from the last one to
//! the end of the line, where the `p` of bonds is `min(1, 2 beta |J| / L)`; the rest of a block is discarded. Of the
//! bonds in the slices that two pieces share the first one counts, and a block begins behind these slices.
//!
//! [`worldline_breaks()`] and [`worldline_sweep_i32()`] define how they are used. A probability is a multiple of 2^-48:
//! 32 random bits decide, and 16 more in a tie. Variants compare in f32 first, and leave decisions within 3e-5 to the
//! exact rule.

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

mod clusters;
mod contract;
mod correlation;
#[cfg(any(sse2, neon))]
mod fields;
mod kernels;
#[cfg(any(sse2, neon))]
mod lanes;
mod measure;
mod model;
#[cfg(any(sse2, neon))]
mod prefix;
mod rates;
mod sampler;
mod state;
#[cfg(any(sse2, neon))]
mod update;

pub use contract::{Worldline, WorldlineRun};
pub use correlation::correlation_gap;
pub use kernels::*;
pub use model::Worldlines;

/// The inverse temperature and the transverse field of a sweep of [`Worldlines`].
///
/// `hl_ising_transverse` in C.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transverse {
    /// In units of the inverse of couplings; at least 0 and finite as f32.
    pub beta: f64,
    /// In units of couplings; at least 0 and finite as f32.
    pub gamma: f64,
}
