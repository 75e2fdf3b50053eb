//! The builder: collects the description of a model and keeps its first error.

use alloc::vec::Vec;

use super::bits::CopySigns;
use super::float::Update;
use super::graph::{self, Half, Order};
use super::model::LayeredIsing;
use super::shape::{Acceptance, finite};
use crate::frame::error::{Error, at_least, exactly};
use crate::frame::memory;

impl LayeredIsing {
    /// Begins the description of a model of `layers` layers with `sites` spins each, without
    /// couplings and fields, and with `J_tau` = 1.
    pub fn builder(layers: usize, sites: usize) -> Builder {
        Builder::new(layers, sites)
    }

    /// Begins the description of a model from the graph of one layer in compressed sparse rows. The
    /// neighbours of site `i` and their couplings are at indices
    /// `row_pointers[i]..row_pointers[i + 1]`, in any order; `row_pointers` has one entry more than
    /// there are sites. Each edge is listed twice, once at each of its sites, with equal couplings.
    pub fn from_csr(layers: usize, row_pointers: &[u32], neighbours: &[u32], couplings: &[f64]) -> Builder {
        Builder::from_csr(layers, row_pointers, neighbours, couplings)
    }

    /// Begins the description of a model whose layers are tori: boxes of the given extents with
    /// periodic boundaries. `coupling(site, k)` is the coupling of a site to the next one in dimension
    /// `k`; 0 leaves it out. Site `x + X (y + Y z)` has the coordinates `x, y, z`, for extents `X, Y, Z`.
    ///
    /// [`Kind::Bits`](super::Kind::Bits) cuts tori and grids of up to four dimensions into the lanes of a row.
    ///
    /// ```
    /// use hotloops::ising::{Beta, Kind, LayeredIsing};
    /// use hotloops::random::Mt19937;
    /// let mut model = LayeredIsing::torus(1, &[100, 100], |_site, _dimension| 1.0).build(Kind::Bits)?;
    /// let mut rng = Mt19937::seeded(16, 5489)?;
    /// model.sweep(&mut rng, Beta { space: 1.0, tau: 0.0 }, 10)?;
    /// // Ten sweeps at a low temperature: nearly all of the 20,000 bonds are satisfied.
    /// assert!(model.energy().space > 19_000.0);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// [`build`](Builder::build) returns [`Error::Extent`] for an extent below 3, [`Error::Length`] if
    /// there are no extents.
    pub fn torus(layers: usize, extents: &[usize], coupling: impl FnMut(usize, usize) -> f64) -> Builder {
        Builder::lattice(layers, extents.iter().copied(), true, coupling)
    }

    /// Like [`torus`](Self::torus), with open boundaries; extents are at least 1. The couplings of the
    /// last sites of a dimension to a next one are not asked for. For a grid that is periodic in some
    /// dimensions, use `torus` with couplings of 0 in the others.
    pub fn grid(layers: usize, extents: &[usize], coupling: impl FnMut(usize, usize) -> f64) -> Builder {
        Builder::lattice(layers, extents.iter().copied(), false, coupling)
    }
}

/// The description of a model; [`LayeredIsing::builder`] begins one. [`build`](Builder::build)
/// returns its first error.
#[derive(Debug)]
#[must_use]
pub struct Builder {
    pub(super) layers: usize,
    pub(super) fields: Vec<f64>,
    pub(super) halves: Vec<Half>,
    pub(super) tau_coupling: f64,
    pub(super) order: Order,
    pub(super) update: Update,
    pub(super) acceptance: Acceptance,
    pub(super) signs: CopySigns,
    pub(super) result: Result<(), Error>,
}

impl Builder {
    /// Begins a description, see [`LayeredIsing::builder`].
    pub(super) fn new(layers: usize, sites: usize) -> Self {
        let fields = match (layers, sites) {
            (_, 0) => Err(Error::NoSites),
            (0, _) => Err(Error::Layers { layers }),
            _ if sites > graph::MAX_SITES => Err(Error::TooLarge { argument: "sites" }),
            _ => memory::filled(sites, 0.0),
        };
        Builder {
            layers,
            result: fields.as_ref().map(|_| ()).map_err(|&error| error),
            fields: fields.unwrap_or_default(),
            halves: Vec::new(),
            tau_coupling: 1.0,
            order: Order::default(),
            update: Update::default(),
            acceptance: Acceptance::default(),
            signs: CopySigns::default(),
        }
    }

    /// Begins a description in compressed sparse rows, see [`LayeredIsing::from_csr`].
    pub(super) fn from_csr(layers: usize, row_pointers: &[u32], neighbours: &[u32], couplings: &[f64]) -> Self {
        Builder::new(layers, row_pointers.len().saturating_sub(1)).with(|this| {
            let expected = graph::check_row_pointers(row_pointers)?;
            exactly("neighbours", expected, neighbours.len())?;
            exactly("couplings", expected, couplings.len())?;
            let mut entries = neighbours.iter().zip(couplings);
            row_pointers.windows(2).enumerate().try_for_each(|(i, ends)| {
                let degree = (ends[1] - ends[0]) as usize;
                entries.by_ref().take(degree).try_for_each(|(&j, &value)| this.half(i, j as usize, value))
            })
        })
    }

    /// Begins a description of a torus or grid, see [`LayeredIsing::torus`].
    pub(super) fn lattice(
        layers: usize,
        extents: impl ExactSizeIterator<Item = usize> + Clone,
        is_torus: bool,
        mut coupling: impl FnMut(usize, usize) -> f64,
    ) -> Self {
        let min = if is_torus { 3 } else { 1 };
        let small = (0..).zip(extents.clone()).find(|&(_, extent)| extent < min);
        let small = small.map(|(index, extent)| Error::Extent { argument: "extents", index, extent });
        let checked = at_least("extents", 1, extents.len()).and(small.map_or(Ok(()), Err));
        let sites = extents.clone().try_fold(1, usize::checked_mul).unwrap_or(usize::MAX);
        let mut builder = Builder::new(layers, sites);
        builder.result = checked.and(builder.result);
        builder.with(|this| {
            for site in 0..sites {
                let mut stride = 1;
                for (dimension, extent) in extents.clone().enumerate() {
                    let x = site / stride % extent;
                    if is_torus || x + 1 < extent {
                        let next = site - x * stride + (x + 1) % extent * stride;
                        let value = coupling(site, dimension);
                        if value != 0.0 {
                            this.half(site, next, value)?;
                            this.half(next, site, value)?;
                        }
                    }
                    stride *= extent;
                }
            }
            Ok(())
        })
    }

    /// Couples sites `i` and `j` of every layer with strength `value`; a positive value favours
    /// parallel spins. The order of `i` and `j` does not matter. Energies are sums of the values as
    /// given; sweeps round them to f32 or to quanta ([`Kind`](super::Kind)).
    pub fn coupling(self, i: usize, j: usize, value: f64) -> Self {
        self.couplings([(i, j, value)])
    }

    /// [`coupling`](Builder::coupling) for each `(i, j, value)`.
    pub fn couplings(self, couplings: impl IntoIterator<Item = (usize, usize, f64)>) -> Self {
        self.with(|this| {
            couplings.into_iter().try_for_each(|(i, j, value)| {
                this.half(i, j, value)?;
                this.half(j, i, value)
            })
        })
    }

    /// Reverses the sign of the coupling of sites `i` and `j` in each layer for which `reversed` is
    /// true, for samples of disorder. It has no effect where the sites are not coupled. Only
    /// [`Kind::Bits`](super::Kind::Bits) allows it.
    pub fn reversed(self, i: usize, j: usize, reversed: &[bool]) -> Self {
        self.reversed_by(i, j, reversed.iter().copied())
    }

    pub(super) fn reversed_by(self, i: usize, j: usize, reversed: impl ExactSizeIterator<Item = bool>) -> Self {
        self.with(|this| {
            let sites = this.fields.len();
            if let Some(site) = [i, j].into_iter().find(|&site| site >= sites) {
                return Err(Error::SiteRange { site, sites });
            }
            exactly("reversed", this.layers, reversed.len())?;
            memory::push(&mut this.signs.edges, (i.min(j) as u32, i.max(j) as u32))?;
            let first = this.signs.words.len();
            for (lane, bit) in reversed.enumerate() {
                if lane % 64 == 0 {
                    memory::push(&mut this.signs.words, 0)?;
                }
                this.signs.words[first + lane / 64] |= u64::from(bit) << (lane % 64);
            }
            Ok(())
        })
    }

    /// Sets the field of site `site` in every layer; a positive value favours spin +1. Fields are 0
    /// by default.
    pub fn field(self, site: usize, value: f64) -> Self {
        self.with(|this| {
            let sites = this.fields.len();
            let field = this.fields.get_mut(site).ok_or(Error::SiteRange { site, sites })?;
            *field = single(value, Error::Field { site, value })?;
            Ok(())
        })
    }

    /// Sets all fields, one for each site.
    pub fn fields(self, fields: &[f64]) -> Self {
        self.with(|this| {
            exactly("fields", this.fields.len(), fields.len())?;
            for (site, (field, &value)) in this.fields.iter_mut().zip(fields).enumerate() {
                *field = single(value, Error::Field { site, value })?;
            }
            Ok(())
        })
    }

    /// Sets `J_tau`, the coupling between a spin and its copies in the layers below and above. It
    /// is 1 by default.
    pub fn tau_coupling(self, value: f64) -> Self {
        self.with(|this| {
            this.tau_coupling = single(value, Error::TauCoupling { value })?;
            Ok(())
        })
    }

    /// Sets the visiting order. [`Kind::Single`](super::Kind::Single) always visits colour by colour,
    /// [`Kind::Dense`](super::Kind::Dense) by index.
    pub fn order(self, order: Order) -> Self {
        Builder { order, ..self }
    }

    /// Selects how local fields are computed. Used by the f32 kinds.
    pub fn update(self, update: Update) -> Self {
        Builder { update, ..self }
    }

    /// Selects the acceptance probability of a flip.
    pub fn acceptance(self, acceptance: Acceptance) -> Self {
        Builder { acceptance, ..self }
    }

    /// Runs `step` unless an error occurred before.
    fn with(mut self, step: impl FnOnce(&mut Self) -> Result<(), Error>) -> Self {
        if self.result.is_ok() {
            self.result = step(&mut self);
        }
        self
    }

    /// Adds the half of an edge that belongs to site `i`.
    fn half(&mut self, i: usize, j: usize, value: f64) -> Result<(), Error> {
        let sites = self.fields.len();
        for site in [i, j] {
            if site >= sites {
                return Err(Error::SiteRange { site, sites });
            }
        }
        if i == j {
            return Err(Error::SelfLoop { site: i });
        }
        let coupling = single(value, Error::Coupling { i, j, value })?;
        memory::push(&mut self.halves, Half { site: i as u32, neighbour: j as u32, coupling })
    }
}

/// `value`, or `error` if it is not finite after rounding to f32.
fn single(value: f64, error: Error) -> Result<f64, Error> {
    finite(value as f32, error).map(|_| value)
}
