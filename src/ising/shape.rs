//! Kind, temperatures and memory layout of a model.

use super::ends::Ends;
use crate::frame::error::Error;

/// Number of lanes of an f32 row, and of the generator that drives a model.
pub const LANES: usize = 16;

/// Lanes of a row of `Kind::I16Exact`.
pub(super) const WIDE_LANES: usize = 2 * LANES;

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
    /// As `I8Exact`, for couplings of more digits: the magnitudes may add up to 32,766 quanta at
    /// each site. Faster than `F32Poly`.
    I16Exact,
    /// A bit for each spin; acceptance exact to 2^-48. Layers are independent copies, 512 of which
    /// are updated at once: the fastest kind for many copies of a sparse model. As for `I8Exact`,
    /// but the magnitudes of a site must add up to at most 8 quanta, and sweeps require that
    /// `beta_tau * J_tau` is 0. A single layer is allowed.
    /// [`Builder::reversed`](super::Builder::reversed) gives the copies different couplings. Few layers of
    /// a torus or grid fill all lanes, too.
    Bits,
    /// For models in which nearly every pair of sites is coupled, such as spin glasses of
    /// Sherrington and Kirkpatrick: sums in integers, kept up to date. A layer is an independent copy:
    /// `tau * J_tau` must be 0, and one layer suffices. Acceptance is exact to 2^-48 if couplings and
    /// fields are integer multiples of one quantum (within the rounding of f64), each coupling at most
    /// 127 quanta and all magnitudes at a site at most 32767 quanta in sum. Any others are rounded to
    /// 30 bits of the sum of magnitudes at the site, with acceptance accurate to some 10^-6;
    /// [`quantum`](super::LayeredIsing::quantum) is then 0.
    Dense,
    /// As `Single`, with sums in 64-bit fixed point, exact for couplings and fields of up to 53 bits that differ in
    /// magnitude by less than 2^9, and with an error of 2^-61 of the sum of magnitudes at a site for any others: for
    /// couplings of very different magnitudes, such as penalties. Acceptance is that of `F32Poly`;
    /// [`quantum`](super::LayeredIsing::quantum) is 0.
    Fixed,
    /// With coupling between layers, the first of `I8Exact`, `I16Exact` and `F32Poly` that accepts the
    /// model. If `J_tau` is 0, the kind that is estimated to be the fastest
    /// ([`Builder::cost`](super::Builder::cost)); in f32 only if that saves a sixth. Where sums in f32
    /// would lose terms, because magnitudes at a site differ by more than 2^20 or nearly cancel, as do the multiples
    /// of a penalty, it is `Dense` or `Fixed` if one of them keeps them, else
    /// [`Error::Unequal`](crate::Error::Unequal). Terms that
    /// sums of the others in f64 leave by rounding do not count. In dense models with real couplings of one scale
    /// some are small, and some nearly cancel, by chance: these are rounded. The choice is the same on every CPU;
    /// [`LayeredIsing::kind`](super::LayeredIsing::kind) returns it.
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

/// The type of the couplings of single systems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Line {
    /// Multiples of a quantum.
    Bytes(f64),
    Floats,
    /// Of 64 bits.
    Fixed,
}

impl Line {
    /// The unit in which couplings are counted.
    pub fn quantum(self) -> Option<f64> {
        match self {
            Line::Bytes(quantum) => Some(quantum),
            Line::Floats | Line::Fixed => None,
        }
    }
}

/// The arithmetic chosen for a graph.
#[derive(Clone, Copy, Debug)]
pub(super) enum Method {
    Fast,
    Poly,
    Bytes { quantum: f64 },
    Single(Line),
    Wide { quantum: f64 },
    Bits { quantum: f64 },
    Dense { quantum: Option<f64> },
}

impl Method {
    /// The unit in which couplings are counted.
    pub fn quantum(self) -> Option<f64> {
        match self {
            Method::Fast | Method::Poly => None,
            Method::Single(line) => line.quantum(),
            Method::Dense { quantum } => quantum,
            Method::Bytes { quantum } | Method::Wide { quantum } | Method::Bits { quantum } => Some(quantum),
        }
    }
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

    /// The sum of both.
    pub fn plus(mut self, other: Self) -> Self {
        self.add(other.sum);
        self.compensation += other.compensation;
        self
    }

    pub fn value(self) -> f64 {
        self.sum + self.compensation
    }
}

/// How the layers are distributed to the lanes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Each lane has consecutive layers, one in each group. The first `long` lanes have one in the last group, too;
    /// the others are idle there.
    Interlaced { long: usize },
    /// Eight groups of 64 lanes have `copies` layers, one after the other, each in `strips` lanes.
    /// Other lanes are idle.
    Consecutive { copies: usize, strips: usize },
}

/// Memory layout of layers and sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub layers: usize,
    /// Rows of a group.
    pub sites: usize,
    /// Lanes of a row that have layers.
    pub lanes: usize,
    pub groups: usize,
    layout: Layout,
}

impl Shape {
    /// Interlaced layers, at least 1, in as few groups of at most `widest` lanes as leave two layers to each lane.
    pub fn new(layers: usize, sites: usize, widest: usize) -> Self {
        let groups = layers.div_ceil(widest.min(layers / 2).max(1));
        let lanes = layers.div_ceil(groups);
        let long = layers - (groups - 1) * lanes;
        Shape { layers, sites, lanes, groups, layout: Layout::Interlaced { long } }
    }

    /// Independent layers, each in `strips` lanes of `sites` rows; `copies` of them in 512 lanes.
    pub fn of_copies(layers: usize, sites: usize, copies: usize, strips: usize) -> Self {
        let groups = layers / copies * 8 + (layers % copies * strips).div_ceil(64);
        Shape { layers, sites, lanes: 64, groups, layout: Layout::Consecutive { copies, strips } }
    }

    /// Lanes of a layer.
    pub fn strips(self) -> usize {
        match self.layout {
            Layout::Interlaced { .. } => 1,
            Layout::Consecutive { strips, .. } => strips,
        }
    }

    /// The ends of the lanes of interlaced layers.
    pub fn ends(self) -> Ends {
        let Shape { sites, lanes, groups, .. } = self;
        let long = match self.layout {
            Layout::Interlaced { long } => long,
            Layout::Consecutive { .. } => lanes,
        };
        Ends { sites, lanes, long, last: groups - 1 }
    }

    /// Number of rows of all groups.
    pub fn rows(self) -> usize {
        self.groups * self.sites
    }

    /// Number of live lanes of a group.
    pub fn live_lanes(self, group: usize) -> usize {
        match self.layout {
            Layout::Interlaced { long } => {
                if group + 1 == self.groups {
                    long
                } else {
                    self.lanes
                }
            }
            Layout::Consecutive { copies, strips } => {
                let lanes = copies.min(self.layers - group / 8 * copies) * strips;
                lanes.saturating_sub(64 * (group % 8)).min(64)
            }
        }
    }

    /// The mask of the live lanes of a group: bit `k` for lane `k`.
    pub fn live(self, group: usize) -> u64 {
        u64::MAX.checked_shr(64 - self.live_lanes(group) as u32).unwrap_or(0)
    }

    /// The sum of the products of the spins of two words of a group, over the live lanes.
    pub fn aligned(self, group: usize, a: u64, b: u64) -> i64 {
        self.live_lanes(group) as i64 - 2 * i64::from(((a ^ b) & self.live(group)).count_ones())
    }

    /// The layer in a live lane of a group, and the lane's index in the layer.
    pub fn layer(self, group: usize, lane: usize) -> (usize, usize) {
        match self.layout {
            Layout::Interlaced { long } => (lane * (self.groups - 1) + lane.min(long) + group, 0),
            Layout::Consecutive { copies, strips } => {
                let lane = 64 * (group % 8) + lane;
                (group / 8 * copies + lane / strips, lane % strips)
            }
        }
    }

    /// Group and lane of each strip of a layer.
    pub fn lanes_of(self, layer: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..self.strips()).map(move |strip| match self.layout {
            Layout::Interlaced { long } => match layer.checked_sub(long * self.groups) {
                None => (layer % self.groups, layer / self.groups),
                Some(rest) => (rest % (self.groups - 1), long + rest / (self.groups - 1)),
            },
            Layout::Consecutive { copies, strips } => {
                let lane = layer % copies * strips + strip;
                (layer / copies * 8 + lane / 64, lane % 64)
            }
        })
    }

    /// The words of the layers above those of a group, by the words of one site in all groups.
    pub fn above(self, group: usize, word: impl Fn(usize) -> u64) -> u64 {
        match self.layout {
            Layout::Interlaced { .. } => self.ends().above(group, word),
            Layout::Consecutive { copies, strips } => (0..self.live_lanes(group)).fold(0, |above, lane| {
                let (layer, strip) = self.layer(group, lane);
                let next = (layer + 1) % self.layers;
                let place = next % copies * strips + strip;
                above | (word(next / copies * 8 + place / 64) >> (place % 64) & 1) << lane
            }),
        }
    }
}

impl Kind {
    /// Every kind, in the order of their numbers in C (`hl_ising_kind`).
    pub const ALL: [Kind; 9] = [
        Kind::F32Fast,
        Kind::F32Poly,
        Kind::I8Exact,
        Kind::Auto,
        Kind::Single,
        Kind::I16Exact,
        Kind::Bits,
        Kind::Dense,
        Kind::Fixed,
    ];
}

pub(super) fn finite(value: f32, error: Error) -> Result<f32, Error> {
    if value.is_finite() { Ok(value) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn lanes_of_a_layer() {
        let interlaced = (1..300).flat_map(|layers| [1, 16, 32, 64].map(|widest| Shape::new(layers, 3, widest)));
        let consecutive = [1, 9, 25].map(|layers| Shape::of_copies(layers, 3, 10, 50));
        for shape in interlaced.chain(consecutive) {
            let lanes = (0..shape.groups).flat_map(|group| (0..shape.live_lanes(group)).map(move |lane| (group, lane)));
            for layer in 0..shape.layers {
                let mut found: Vec<_> = shape.lanes_of(layer).collect();
                found.sort_unstable();
                let expected: Vec<_> =
                    lanes.clone().filter(|&(group, lane)| shape.layer(group, lane).0 == layer).collect();
                assert_eq!(found, expected, "{shape:?}, {layer}");
            }
        }
    }
}
