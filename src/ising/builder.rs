//! The builder: collects the description of a model and keeps its first error.

use alloc::vec::Vec;

use super::bits::{BitEngine, COPIES, CopySigns};
use super::bytes::IntegerEngine;
use super::cost::Description;
use super::dense::DenseEngine;
use super::float::{Exponential, FloatEngine, Update};
use super::graph::{self, Graph, Half, Lists, Order};
use super::model::{Engine, LayeredIsing};
use super::schedule;
use super::shape::{Acceptance, Kind, LANES, Method, Shape, WIDE_LANES, finite};
use super::single::{Layout, SingleEngine};
use super::wide::WideEngine;
use crate::error::{Error, at_least, exactly};
use crate::memory;

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
    /// [`Kind::Bits`] cuts tori and grids of up to four dimensions into the lanes of a row.
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
    layers: usize,
    fields: Vec<f64>,
    halves: Vec<Half>,
    tau_coupling: f64,
    order: Order,
    update: Update,
    acceptance: Acceptance,
    signs: CopySigns,
    result: Result<(), Error>,
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
    /// given; sweeps round them to f32 or to quanta ([`Kind`]).
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
    /// [`Kind::Bits`] allows it.
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
        let this = self.with(|this| exactly("fields", this.fields.len(), fields.len()));
        (0..).zip(fields).fold(this, |this, (site, &value)| this.field(site, value))
    }

    /// Sets `J_tau`, the coupling between a spin and its copies in the layers below and above. It
    /// is 1 by default.
    pub fn tau_coupling(self, value: f64) -> Self {
        self.with(|this| {
            this.tau_coupling = single(value, Error::TauCoupling { value })?;
            Ok(())
        })
    }

    /// Sets the visiting order. [`Kind::Single`] always visits colour by colour, [`Kind::Dense`] by
    /// index.
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

    /// Builds the model with all spins +1. It allocates all memory that the model will ever use.
    ///
    /// # Errors
    /// The first error of the description:
    ///
    /// - [`NoSites`](Error::NoSites); [`Layers`](Error::Layers) for fewer than two layers, or
    ///   for none with [`Kind::Single`], [`Kind::Bits`] and [`Kind::Dense`]
    /// - [`SiteRange`](Error::SiteRange); [`SelfLoop`](Error::SelfLoop);
    ///   [`DuplicateEdge`](Error::DuplicateEdge), also if an edge is given as `(i, j)` and as
    ///   `(j, i)`, or is reversed twice
    /// - [`Coupling`](Error::Coupling), [`Field`](Error::Field) or
    ///   [`TauCoupling`](Error::TauCoupling) if a value is not finite, or not finite as f32
    /// - [`Extent`](Error::Extent) of a [`torus`](LayeredIsing::torus) or [`grid`](LayeredIsing::grid)
    /// - [`Length`](Error::Length) of the fields, or of the neighbours or couplings of
    ///   [`LayeredIsing::from_csr`]
    /// - [`RowPointer`](Error::RowPointer) and [`Asymmetric`](Error::Asymmetric) for
    ///   [`LayeredIsing::from_csr`]
    /// - [`TooLarge`](Error::TooLarge) for more than 2^26 sites (2^24 for [`Kind::I8Exact`] and
    ///   [`Kind::Single`], 2^16 for [`Kind::Dense`]), or if the size overflows
    /// - [`Quantum`](Error::Quantum) if couplings and fields do not meet the conditions of
    ///   [`Kind::I8Exact`], [`Kind::I16Exact`] or [`Kind::Bits`]
    /// - [`Unequal`](Error::Unequal) if [`Kind::Auto`] finds no kind whose sums keep all terms
    /// - [`Option`](Error::Option) if couplings are [`reversed`](Builder::reversed) and the kind is
    ///   not [`Kind::Bits`]
    /// - [`NoMemory`](Error::NoMemory)
    pub fn build(mut self, kind: Kind) -> Result<LayeredIsing, Error> {
        self.check()?;
        let sites = self.fields.len();
        let lists = Lists::new(sites, &mut self.halves)?;
        let description = Description {
            fields: &self.fields,
            lists: &lists,
            layers: self.layers,
            tau_coupling: self.tau_coupling,
            signs: &self.signs,
            order: self.order,
        };
        let method = description.method(kind)?;
        let graph = |order, quantum| Graph::new(&self.fields, &lists, order, quantum);
        let interlaced = |quantum| graph(lists.order(self.order, &self.fields, quantum)?, quantum);
        let floats = |exponential| {
            let (graph, shape) = (interlaced(None)?, Shape::new(self.layers, sites, LANES));
            Ok((shape, Engine::Floats(FloatEngine::new(graph, shape, self.update, exponential)?)))
        };
        let (shape, engine) = match method {
            Method::Fast => floats(Exponential::Fast)?,
            Method::Poly => floats(Exponential::Poly)?,
            Method::Bytes { quantum } => {
                let (graph, shape) = (interlaced(Some(quantum))?, Shape::new(self.layers, sites, 64));
                (shape, Engine::Integers(IntegerEngine::new(graph, shape, quantum)?))
            }
            Method::Words { quantum } => {
                let (graph, shape) = (interlaced(Some(quantum))?, Shape::new(self.layers, sites, WIDE_LANES));
                (shape, Engine::Wide(WideEngine::new(graph, shape, quantum)?))
            }
            Method::Single { quantum } => {
                let layout = Layout::new(&self.fields, &lists)?;
                let order = memory::collected(layout.order.iter().copied())?;
                let (graph, shape) = (graph(order, quantum)?, Shape::new(self.layers, sites, 1));
                (shape, Engine::Single(SingleEngine::new(graph, layout, shape, quantum)?))
            }
            Method::Bits { quantum } => match description.strips() {
                Some(strips) => {
                    let shape = Shape::of_copies(self.layers, strips.rows(), strips.copies, strips.lanes);
                    let mean_square = lists.mean_square(&self.fields);
                    (shape, Engine::Bits(BitEngine::of_strips(&lists, strips, shape, quantum, mean_square)?))
                }
                None => {
                    let shape = Shape::of_copies(self.layers, sites, COPIES, 1);
                    let graph = interlaced(Some(quantum))?;
                    (shape, Engine::Bits(BitEngine::new(graph, shape, quantum, &self.signs)?))
                }
            },
            Method::Dense { quantum } => {
                let shape = Shape::new(self.layers, sites, 1);
                (shape, Engine::Dense(DenseEngine::new(&self.fields, &lists, shape, quantum)?))
            }
        };
        let rounding = lists.rounding(&self.fields, method);
        // With the others no flip at a local field of 0 is certain.
        let has_certain_flips = !matches!(method, Method::Fast | Method::Poly | Method::Bits { .. });
        let may_trap = has_certain_flips && lists.may_trap(&self.fields)?;
        Ok(LayeredIsing::new(shape, self.tau_coupling, self.acceptance, engine).measured(rounding, may_trap))
    }

    /// The estimated time of a visit of a spin, in nanoseconds: that of AVX2 on a Xeon (Granite Rapids),
    /// whatever the CPU, with random numbers. [`Kind::Auto`] compares these times if `J_tau` is 0. They
    /// are infinite for [`Kind::Single`] if the mean degree exceeds 64.
    ///
    /// ```
    /// use hotloops::ising::{Kind, LayeredIsing};
    /// let ring = (0..4096).map(|i| (i, (i + 1) % 4096, 1.0));
    /// let mut builder = LayeredIsing::builder(512, 4096).couplings(ring).tau_coupling(0.0);
    /// assert!(builder.cost(Kind::Bits)? < builder.cost(Kind::I8Exact)?);
    /// assert_eq!(builder.build(Kind::Auto)?.kind(), Kind::Bits);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`build`](Self::build).
    pub fn cost(&mut self, kind: Kind) -> Result<f64, Error> {
        self.check()?;
        let lists = Lists::new(self.fields.len(), &mut self.halves)?;
        let description = Description {
            fields: &self.fields,
            lists: &lists,
            layers: self.layers,
            tau_coupling: self.tau_coupling,
            signs: &self.signs,
            order: self.order,
        };
        description.cost(description.method(kind)?)
    }

    /// The default inverse temperatures of an anneal, hot and cold, of a single layer with this graph:
    /// those of dwave-samplers. Hot, the spin with the largest sum of magnitudes flips against all of them in
    /// half of the proposals. Cold, about one excitation is left in the whole system in a hundred reads: with
    /// `n` sites whose smallest magnitude is the smallest of all, `a`, it is `ln(100 n) / (2 a)`. A model
    /// without couplings and fields has 0.1 and 1. Both are clamped to 1e-30 to 1e30, for f32.
    ///
    /// ```
    /// use hotloops::ising::LayeredIsing;
    /// let [hot, cold] = LayeredIsing::builder(2, 100).fields(&[0.5; 100]).beta_range()?;
    /// assert!((hot - 2f64.ln()).abs() < 1e-12 && (cold - 10_000f64.ln()).abs() < 1e-12);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`build`](Self::build), except those of a graph whose edges are listed twice or in one
    /// direction.
    pub fn beta_range(&self) -> Result<[f64; 2], Error> {
        self.result?;
        schedule::beta_range(&self.fields, &self.halves)
    }

    /// Returns the first error, except those of the couplings.
    fn check(&mut self) -> Result<(), Error> {
        self.result?;
        let sites = self.fields.len();
        self.layers.checked_mul(sites).ok_or(Error::TooLarge { argument: "layers" })?;
        if !self.signs.edges.is_empty() {
            Lists::new(sites, &mut self.halves)?;
            self.absolute_where_reversed()?;
        }
        Ok(())
    }

    /// Sorts the reversed couplings, and moves the signs of their values into their bits.
    fn absolute_where_reversed(&mut self) -> Result<(), Error> {
        let words = self.layers.div_ceil(64);
        let CopySigns { edges, words: bits } = &mut self.signs;
        let mut order = memory::collected(0..edges.len())?;
        order.sort_unstable_by_key(|&edge| edges[edge]);
        let mut sorted =
            CopySigns { edges: memory::with_capacity(edges.len())?, words: memory::with_capacity(bits.len())? };
        for &edge in &order {
            let (i, j) = edges[edge];
            if sorted.edges.last() == Some(&(i, j)) {
                return Err(Error::DuplicateEdge { i: i as usize, j: j as usize });
            }
            sorted.edges.push((i, j));
            sorted.words.extend_from_slice(&bits[edge * words..(edge + 1) * words]);
        }
        for half in &mut self.halves {
            let Some(edge) = sorted.find(half.site, half.neighbour) else { continue };
            if half.coupling < 0.0 && half.site < half.neighbour {
                sorted.words[edge * words..(edge + 1) * words].iter_mut().for_each(|word| *word = !*word);
            }
            half.coupling = half.coupling.abs();
        }
        self.signs = sorted;
        Ok(())
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
