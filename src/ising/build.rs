//! Building a model from its description.

use core::cell::RefCell;

use super::bits::{BitEngine, COPIES, CopySigns};
use super::builder::Builder;
use super::bytes::IntegerEngine;
use super::cost::Description;
use super::dense::DenseEngine;
use super::engines::AnyEngine;
use super::float::{Exponential, FloatEngine};
use super::graph::{Graph, Lists};
use super::model::LayeredIsing;
use super::schedule;
use super::shape::{Kind, LANES, Method, Shape, WIDE_LANES};
use super::single::SingleEngine;
use super::wide::WideEngine;
use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces, unless_ended, whole};

impl Builder {
    /// Builds the model with all spins +1. It allocates all memory that the model will ever use.
    ///
    /// # Errors
    /// The first error of the description:
    ///
    /// - [`NoSites`](Error::NoSites); [`Layers`](Error::Layers) for fewer than two layers, or
    ///   for none with [`Kind::Single`], [`Kind::Fixed`], [`Kind::Bits`] and [`Kind::Dense`]
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
    /// - [`TooLarge`](Error::TooLarge) for more than 2^27 sites (2^26 for [`Kind::F32Fast`], [`Kind::F32Poly`],
    ///   [`Kind::I16Exact`] and, unless layers are cut, [`Kind::Bits`]; 2^24 for [`Kind::I8Exact`], 2^16 for
    ///   [`Kind::Dense`]), or if the size overflows
    /// - [`Quantum`](Error::Quantum) if couplings and fields do not meet the conditions of
    ///   [`Kind::I8Exact`], [`Kind::I16Exact`] or [`Kind::Bits`]
    /// - [`Unequal`](Error::Unequal) if [`Kind::Auto`] finds no kind whose sums keep all terms
    /// - [`Option`](Error::Option) if couplings are [`reversed`](Builder::reversed) and the kind is
    ///   not [`Kind::Bits`]
    /// - [`NoMemory`](Error::NoMemory)
    pub fn build(mut self, kind: Kind) -> Result<LayeredIsing, Error> {
        whole(|pieces| self.built(kind, pieces))
    }

    /// Like [`build`](Self::build). Returns `None` as soon as `go_on`, called some times in a millisecond, returns
    /// false.
    ///
    /// ```
    /// use hotloops::ising::{Kind, LayeredIsing};
    /// let ring = || LayeredIsing::builder(2, 3).couplings([(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0)]);
    /// assert!(ring().build_while(Kind::Auto, || false)?.is_none());
    /// assert_eq!(ring().build_while(Kind::Auto, || true)?.map(|model| model.sites()), Some(3));
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`build`](Self::build).
    pub fn build_while(mut self, kind: Kind, mut go_on: impl FnMut() -> bool) -> Result<Option<LayeredIsing>, Error> {
        unless_ended(self.built(kind, &Pieces::new(&mut go_on)))
    }

    fn built(&mut self, kind: Kind, pieces: &Pieces) -> Result<LayeredIsing, Ended> {
        self.check()?;
        let sites = self.fields.len();
        let lists = Lists::new(sites, &mut self.halves, pieces)?;
        let description = Description {
            fields: &self.fields,
            lists: &lists,
            layers: self.layers,
            tau_coupling: self.tau_coupling,
            signs: &self.signs,
            order: self.order,
            layout: RefCell::default(),
        };
        let method = description.method(kind)?;
        let graph = |order, quantum| Graph::new(&self.fields, &lists, order, quantum);
        let interlaced = |quantum| graph(lists.order(self.order, &self.fields, quantum)?, quantum);
        let floats = |exponential| -> Result<_, Ended> {
            let (graph, shape) = (interlaced(None)?, Shape::new(self.layers, sites, LANES));
            Ok((shape, AnyEngine::Floats(FloatEngine::new(graph, shape, self.update, exponential, pieces)?)))
        };
        let (shape, engine) = match method {
            Method::Fast => floats(Exponential::Fast)?,
            Method::Poly => floats(Exponential::Poly)?,
            Method::Bytes { quantum } => {
                let (graph, shape) = (interlaced(Some(quantum))?, Shape::new(self.layers, sites, 64));
                (shape, AnyEngine::Integers(IntegerEngine::new(graph, shape, quantum, pieces)?))
            }
            Method::Wide { quantum } => {
                let (graph, shape) = (interlaced(Some(quantum))?, Shape::new(self.layers, sites, WIDE_LANES));
                (shape, AnyEngine::Wide(WideEngine::new(graph, shape, quantum, pieces)?))
            }
            Method::Single(line) => {
                let layout = description.layout(line)?;
                let order = memory::collected(layout.order.iter().copied())?;
                let (graph, shape) = (graph(order, line.quantum())?, Shape::new(self.layers, sites, 1));
                let given = (&*self.fields, &lists);
                (shape, AnyEngine::Single(SingleEngine::new(graph, layout, shape, given, pieces)?))
            }
            Method::Bits { quantum } => match description.strips()? {
                Some(strips) => {
                    let shape = Shape::of_copies(self.layers, strips.rows(), strips.copies, strips.lanes);
                    let mean_square = lists.mean_square(&self.fields);
                    (shape, AnyEngine::Bits(BitEngine::of_strips(&lists, strips, shape, quantum, mean_square)?))
                }
                None => {
                    let shape = Shape::of_copies(self.layers, sites, COPIES, 1);
                    let graph = interlaced(Some(quantum))?;
                    (shape, AnyEngine::Bits(BitEngine::new(graph, shape, quantum, &self.signs, pieces)?))
                }
            },
            Method::Dense { quantum } => {
                let shape = Shape::new(self.layers, sites, 1);
                (shape, AnyEngine::Dense(DenseEngine::new(&self.fields, &lists, shape, quantum)?))
            }
        };
        lists.next()?;
        let rounding = lists.rounding(&self.fields, method);
        // In f32 the largest probability is 15/16, and with `Bits` a flip at a local field of 0 has 1/2.
        let has_certain_flips = method.quantum().is_some() && !matches!(method, Method::Bits { .. })
            || matches!(method, Method::Dense { .. });
        let may_trap = has_certain_flips && lists.may_trap(&self.fields)?;
        Ok(LayeredIsing::new(shape, self.tau_coupling, self.acceptance, engine).measured(rounding, may_trap))
    }

    /// The estimated time of a visit of a spin, in nanoseconds: that of AVX2 on a Xeon (Granite Rapids),
    /// whatever the CPU, with random numbers. [`Kind::Auto`] compares these times if `J_tau` is 0. They
    /// are infinite for [`Kind::Single`] and [`Kind::Fixed`] if the mean degree exceeds 64.
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
        whole(|pieces| {
            let lists = Lists::new(self.fields.len(), &mut self.halves, pieces)?;
            let description = Description {
                fields: &self.fields,
                lists: &lists,
                layers: self.layers,
                tau_coupling: self.tau_coupling,
                signs: &self.signs,
                order: self.order,
                layout: RefCell::default(),
            };
            description.cost(description.method(kind)?)
        })
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
            whole(|pieces| Lists::new(sites, &mut self.halves, pieces).map(|_| ()))?;
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
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// A torus whose couplings and fields are multiples of a quantum, or real, or whose bits are cut into strips.
    fn torus(side: usize, layers: usize, is_real: bool, is_plain: bool) -> Builder {
        let coupling = move |site: usize, dimension: usize| match (is_real, is_plain) {
            (true, _) => ((site * 2 + dimension) as f64).sin(),
            (false, true) => [-1.0, 1.0][(site * 7 + dimension) % 3 % 2],
            (false, false) => [-1.0, 1.0, 2.0][(site * 7 + dimension) % 3],
        };
        LayeredIsing::torus(layers, &[side, side], coupling).tau_coupling(0.0)
    }

    /// The number of questions of a call, which must end with each of a sample of them.
    fn questions<T>(mut call: impl FnMut(&mut dyn FnMut() -> bool) -> Option<T>) -> usize {
        let ended_after = |call: &mut dyn FnMut(&mut dyn FnMut() -> bool) -> Option<T>, last: usize| {
            let mut asked = 0;
            let mut go_on = || {
                asked += 1;
                asked <= last
            };
            (call(&mut go_on).is_some(), asked)
        };
        let (is_done, asked) = ended_after(&mut call, usize::MAX);
        assert!(is_done);
        for last in (0..asked).step_by(asked.div_ceil(20)) {
            assert_eq!(ended_after(&mut call, last), (false, last + 1));
        }
        asked
    }

    #[test]
    fn building_can_be_ended_between_small_pieces() {
        let (side, layers) = (200, 64);
        for (kind, is_real, is_plain) in [
            (Kind::F32Fast, true, false),
            (Kind::F32Poly, true, false),
            (Kind::I8Exact, false, false),
            (Kind::I16Exact, false, false),
            (Kind::Single, true, false),
            (Kind::Single, false, false),
            (Kind::Fixed, true, false),
            (Kind::Bits, false, true),
            (Kind::Auto, false, true),
            (Kind::Auto, true, false),
        ] {
            let build = |go_on: &mut dyn FnMut() -> bool| {
                torus(side, layers, is_real, is_plain).build_while(kind, go_on).unwrap()
            };
            // Each of five passes over 40,000 sites with four neighbours has some pieces.
            let asked = questions(build);
            assert!(asked >= 25, "{kind:?} {is_real}: {asked}");
            let mut model = torus(side, layers, is_real, is_plain).build(kind).unwrap();
            let spins: Vec<i8> = (0..model.layers() * model.sites()).map(|i| if i % 3 == 0 { -1 } else { 1 }).collect();
            let asked = questions(|go_on| model.set_spins_while(&spins, go_on).unwrap().then_some(()));
            assert!(asked >= spins.len() >> 16, "{kind:?} {is_real}: {asked}");
            let mut found = alloc::vec![0; spins.len()];
            model.spins(&mut found).unwrap();
            assert_eq!(found, spins);
        }
    }

    #[test]
    fn building_of_complete_graphs_can_be_ended() {
        let sites = 400;
        for is_real in [false, true] {
            let complete = || {
                let pairs = (0..sites).flat_map(|i| (0..i).map(move |j| (i, j)));
                let value = |i: usize, j: usize| if is_real { ((i * j) as f64).cos() } else { 1.0 };
                let couplings = pairs.map(move |(i, j)| (i, j, value(i, j)));
                LayeredIsing::builder(4, sites).couplings(couplings).tau_coupling(0.0)
            };
            let asked = questions(|go_on| complete().build_while(Kind::Dense, go_on).unwrap());
            assert!(asked >= 20, "{is_real}: {asked}");
            let mut model = complete().build(Kind::Dense).unwrap();
            let spins = alloc::vec![-1; 4 * sites];
            let asked = questions(|go_on| model.set_spins_while(&spins, go_on).unwrap().then_some(()));
            assert!(asked >= 3, "{is_real}: {asked}");
        }
    }
}
