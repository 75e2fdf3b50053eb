//! Kind, temperatures and memory layout of a model.

use crate::error::Error;

/// Number of lanes of an f32 row, and of the generator that drives a model.
pub const LANES: usize = 16;

/// The arithmetic of a model. Each kind follows its own trajectory, the same on every CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Sums in f32; acceptance by a piecewise linear exponential with an error of up to 3.1 %.
    /// Energies have an error of about 1 %.
    F32Fast,
    /// Sums in f32; acceptance by [`exp::poly`](crate::exp::poly) with an error of some 10^-6. For
    /// any couplings.
    F32Poly,
    /// Sums in integers; acceptance exact to 2^-48. The fastest kind, and accurate enough for
    /// physics. Couplings and fields must be integer multiples of one quantum (within the rounding
    /// of f64), and at each site their magnitudes must add up to at most 127 quanta; `J_tau` is
    /// arbitrary.
    I8Exact,
    /// One system at a time, 64 of its sites together: for a few copies of a large sparse system.
    /// Layers are independent copies: a sweep with `tau * J_tau` other than 0 is an error, and one
    /// layer is enough. Sums and acceptance are those of `I8Exact` if the couplings and fields
    /// allow it, else those of `F32Poly`; [`quantum`](super::LayeredIsing::quantum) is then 0.
    Single,
    /// For models in which nearly every pair of sites is coupled, such as spin glasses of
    /// Sherrington and Kirkpatrick: sums in integers, kept up to date; acceptance exact to 2^-48. A
    /// layer is an independent copy: `tau * J_tau` must be 0, and one layer suffices. Couplings and
    /// fields must be integer multiples of one quantum (within the rounding of f64), each coupling
    /// at most 127 quanta and all magnitudes at a site at most 32767 quanta in sum.
    Dense,
    /// The fastest accurate kind: `I8Exact` if the couplings allow it, else `F32Poly`.
    /// [`LayeredIsing::kind`](super::LayeredIsing::kind) returns the choice.
    #[default]
    Auto,
}

/// The acceptance probability of a spin flip that multiplies the weight by `exp(v)`. Every choice
/// samples the same distribution; see the [module](crate::ising#acceptance).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acceptance {
    /// `HeatBath` if `Metropolis` would flip nearly every spin in every sweep, else `Metropolis`.
    /// The choice depends on the model and the temperature, see
    /// [`LayeredIsing::acceptance`](super::LayeredIsing::acceptance).
    #[default]
    Auto,
    /// `min(1, exp(v))`: flips most often, so it is the fastest except at high temperatures.
    Metropolis,
    /// `1 / (1 + exp(-v))`: the new spin does not depend on the old one (Glauber 1963, Creutz
    /// 1980).
    HeatBath,
}

/// The arithmetic chosen for a graph.
#[derive(Clone, Copy, Debug)]
pub(super) enum Method {
    Fast,
    Poly,
    Bytes { quantum: f64 },
    Single { quantum: Option<f64> },
    Dense { quantum: f64 },
}

/// The acceptance rule chosen for a temperature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    Metropolis,
    HeatBath,
}

/// The two inverse temperatures, dimensionless. A configuration has the weight
/// `exp(space * Es + tau * Et)`, see [`Energy`].
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
    /// `Es`: the sum of `J_ij s_i s_j` over the edges and of `h_i s_i` over the sites of every
    /// layer.
    pub space: f64,
    /// `Et`: `J_tau` times the sum of `s s'` over the `layers * sites` bonds to the next layer;
    /// with two layers each pair has two bonds.
    pub tau: f64,
}

/// A sum in f64 with its compensation term (Knuth's two-sum).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CompensatedSum {
    sum: f64,
    compensation: f64,
}

impl CompensatedSum {
    pub fn add(&mut self, term: f64) {
        let next = self.sum + term;
        let added = next - self.sum;
        self.compensation += (self.sum - (next - added)) + (term - added);
        self.sum = next;
    }

    pub fn value(self) -> f64 {
        self.sum + self.compensation
    }
}

/// Memory layout of layers and sites.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub layers: usize,
    pub sites: usize,
    /// Live lanes of a row; `layers = lanes * groups`.
    pub lanes: usize,
    pub groups: usize,
}

impl Shape {
    /// `layers` is at least 1; `widest`, the number of lanes of a row, is a power of two.
    pub fn new(layers: usize, sites: usize, widest: usize) -> Self {
        let fits = |&lanes: &usize| layers.is_multiple_of(lanes) && layers > lanes;
        let lanes = (0..=widest.ilog2()).rev().map(|power| 1 << power).find(fits).unwrap_or(1);
        Shape { layers, sites, lanes, groups: layers / lanes }
    }

    /// Number of rows of all groups.
    pub fn rows(self) -> usize {
        self.groups * self.sites
    }

    /// The mask of the live lanes: bit `k` for lane `k`.
    pub fn live(self) -> u64 {
        u64::MAX >> (64 - self.lanes)
    }
}

pub(super) fn finite(value: f32, error: Error) -> Result<f32, Error> {
    if value.is_finite() { Ok(value) } else { Err(error) }
}

/// Rotates the first `lanes` bits, a power of two: lane `k` gets lane `k + step`. Idle lanes keep
/// their bits.
pub(super) fn rotate_lanes(word: u64, lanes: usize, step: usize) -> u64 {
    let live = u64::MAX >> (64 - lanes);
    let bits = word & live;
    (bits >> step | bits << (lanes - step)) & live | word & !live
}
