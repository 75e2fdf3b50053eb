//! What a model is made of: its kind, its temperatures, its layout.

use crate::error::Error;

/// Lanes of a row, and of the generator that drives a model.
pub const LANES: usize = 16;

/// How a model computes. Each kind walks a trajectory of its own, the same on every CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Sums in f32, acceptance by a piecewise linear exponential, wrong by up to 3.1 %: energies
    /// come out wrong by about 1 %.
    F32Fast,
    /// Sums in f32, acceptance by [`exp::poly`](crate::exp::poly), wrong by some 10^-6: for any couplings.
    F32Poly,
    /// Sums in integers, acceptance exact to 2^-48: the fastest, and for physics. Couplings and
    /// fields are integers times one quantum (to the rounding of f64), and at each site their
    /// magnitudes add up to 127 quanta at most; `J_tau` is any.
    I8Exact,
    /// The fastest of those that are right: `I8Exact` where the couplings allow it, else `F32Poly`.
    /// [`LayeredIsing::kind`](super::LayeredIsing::kind) says which.
    #[default]
    Auto,
}

/// The probability with which a spin flips whose flip multiplies the weight by `exp(v)`. Every
/// choice samples the same distribution; see the [module](crate::ising#acceptance).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acceptance {
    /// `HeatBath` where `Metropolis` would flip nearly every spin in every sweep, else
    /// `Metropolis`. The model and the temperature decide; [`LayeredIsing::acceptance`](super::LayeredIsing::acceptance) says how.
    #[default]
    Auto,
    /// `min(1, exp(v))`: flips most often, and so is the fastest, except at high temperatures.
    Metropolis,
    /// `1 / (1 + exp(-v))`: the new spin does not depend on the old one (Glauber 1963, Creutz 1980).
    HeatBath,
}

/// A kind as it was settled for a graph.
#[derive(Clone, Copy, Debug)]
pub(super) enum Method {
    Fast,
    Poly,
    Bytes { quantum: f64 },
}

/// An acceptance as it was settled for a temperature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    Metropolis,
    HeatBath,
}

/// The two inverse temperatures; no unit. A configuration has the weight `exp(space * Es + tau *
/// Et)`, see [`Energy`].
///
/// `hl_ising_beta` in C.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beta {
    /// Multiplies couplings and fields inside the layers.
    pub space: f32,
    /// Multiplies the coupling between layers.
    pub tau: f32,
}

/// The two sums of a whole configuration, all layers together. A larger sum is more probable:
/// physical energies have the opposite sign.
///
/// `hl_ising_energies` in C.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    /// `Es`: the sum of `J_ij s_i s_j` over the edges and of `h_i s_i` over the sites of every layer.
    pub space: f64,
    /// `Et`: `J_tau` times the sum of `s s'` over the `layers * sites` bonds to the next layer;
    /// with two layers each pair has two bonds.
    pub tau: f64,
}

/// How layers and sites lie in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub layers: usize,
    pub sites: usize,
    /// Live lanes of a row; `layers = lanes * groups`.
    pub lanes: usize,
    pub groups: usize,
}

impl Shape {
    /// `layers` is 2 at least, and `widest`, the lanes of a row, a power of two.
    pub fn new(layers: usize, sites: usize, widest: usize) -> Self {
        let fits = |&lanes: &usize| layers.is_multiple_of(lanes) && layers > lanes;
        let lanes = (0..=widest.ilog2()).rev().map(|power| 1 << power).find(fits).unwrap_or(1);
        Shape { layers, sites, lanes, groups: layers / lanes }
    }

    /// Rows of all groups.
    pub fn rows(self) -> usize {
        self.groups * self.sites
    }

    /// Bit `k` is set for each live lane.
    pub fn live(self) -> u64 {
        u64::MAX >> (64 - self.lanes)
    }
}

pub(super) fn finite(value: f32, error: Error) -> Result<f32, Error> {
    if value.is_finite() { Ok(value) } else { Err(error) }
}

/// Lane `k` takes lane `k + step` among the first `lanes`, a power of two; the idle ones stay.
pub(super) fn rotate_lanes(word: u64, lanes: usize, step: usize) -> u64 {
    let live = u64::MAX >> (64 - lanes);
    let bits = word & live;
    (bits >> step | bits << (lanes - step)) & live | word & !live
}
