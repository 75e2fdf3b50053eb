//! The model: its kind, spins and measurements. `float.rs` and `bytes.rs` hold the sweeps.

use super::bytes::IntegerEngine;
use super::dense::DenseEngine;
use super::float::FloatEngine;
use super::graph::Weights;
use super::links::Link;
use super::shape::{Acceptance, Beta, CompensatedSum, Energy, Kind, LANES, Rule, Shape, finite, rotate_lanes};
use super::single::SingleEngine;
use crate::error::{Error, exactly};
use crate::random::Mt19937;

/// A layered Ising model and its spins, see the [module](crate::ising). Callers index layers and
/// sites in natural order; interlacing and visiting order are internal.
#[derive(Debug)]
#[must_use]
pub struct LayeredIsing {
    shape: Shape,
    tau_coupling: f64,
    acceptance: Acceptance,
    engine: Engine,
}

#[derive(Debug)]
pub(super) enum Engine {
    Floats(FloatEngine),
    Integers(IntegerEngine),
    Single(SingleEngine),
    Dense(DenseEngine),
}

impl Engine {
    fn mean_square(&self) -> f64 {
        match self {
            Engine::Floats(floats) => floats.graph.weights.mean_square,
            Engine::Integers(integers) => integers.weights.mean_square,
            Engine::Single(single) => single.weights.mean_square,
            Engine::Dense(dense) => dense.mean_square,
        }
    }
}

impl LayeredIsing {
    pub(super) fn new(shape: Shape, tau_coupling: f64, acceptance: Acceptance, engine: Engine) -> Self {
        LayeredIsing { shape, tau_coupling, acceptance, engine }
    }

    /// The number of layers.
    #[must_use]
    pub fn layers(&self) -> usize {
        self.shape.layers
    }

    /// The number of spins in a layer.
    #[must_use]
    pub fn sites(&self) -> usize {
        self.shape.sites
    }

    /// The arithmetic of the model, never [`Kind::Auto`].
    #[must_use]
    pub fn kind(&self) -> Kind {
        match &self.engine {
            Engine::Floats(floats) => floats.kind(),
            Engine::Integers(_) => Kind::I8Exact,
            Engine::Single(_) => Kind::Single,
            Engine::Dense(_) => Kind::Dense,
        }
    }

    /// The number of layers that are updated together: the largest power of two, up to 16 (64 for
    /// [`Kind::I8Exact`]), that divides `layers` with a quotient of at least 2; 1 for
    /// [`Kind::Single`] and [`Kind::Dense`].
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.shape.lanes
    }

    /// The sites in visiting order.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        match &self.engine {
            Engine::Floats(floats) => &floats.graph.order,
            Engine::Integers(integers) => &integers.order,
            Engine::Single(single) => &single.order,
            Engine::Dense(dense) => &dense.order,
        }
    }

    /// Whether all sums over neighbours are exact. Always true in integers; in f32, true
    /// if couplings and fields are integer multiples of one power of two and small enough. Both
    /// [`Update`]s then give the same spins.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        match &self.engine {
            Engine::Floats(floats) => floats.graph.exact,
            Engine::Integers(_) | Engine::Dense(_) => true,
            Engine::Single(single) => single.is_exact(),
        }
    }

    /// The unit of couplings and fields in integers; 0 for the f32 kinds.
    #[must_use]
    pub fn quantum(&self) -> f64 {
        match &self.engine {
            Engine::Floats(_) => 0.0,
            Engine::Integers(integers) => integers.quantum,
            Engine::Single(single) => single.quantum(),
            Engine::Dense(dense) => dense.quantum,
        }
    }

    /// Bytes on the heap; constant for the lifetime of a model.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        match &self.engine {
            Engine::Floats(floats) => floats.heap_bytes(),
            Engine::Integers(integers) => integers.heap_bytes(),
            Engine::Single(single) => single.heap_bytes(),
            Engine::Dense(dense) => dense.heap_bytes(),
        }
    }

    /// Sets all spins: `spins[layer * sites + site]` is +1 or -1.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are `layers * sites` spins, [`Error::Spin`] for the first one
    /// that is neither +1 nor -1.
    pub fn set_spins(&mut self, spins: &[i8]) -> Result<(), Error> {
        self.check_spins(spins)?;
        for index in 0..self.shape.rows() {
            let place = |lane| natural(self.shape, self.order(), index, lane);
            let word = (0..self.shape.lanes).fold(0, |word, lane| word | u64::from(spins[place(lane)] < 0) << lane);
            match &mut self.engine {
                Engine::Floats(floats) => floats.set_word(index, word),
                Engine::Integers(integers) => integers.spins[index] = word,
                Engine::Single(single) => single.set_word(index, word),
                Engine::Dense(dense) => dense.set_word(index, word),
            }
        }
        match &mut self.engine {
            Engine::Floats(floats) => floats.refresh(),
            Engine::Integers(_) | Engine::Single(_) => {}
            Engine::Dense(dense) => dense.refresh(),
        }
        Ok(())
    }

    /// Writes all spins: `spins[layer * sites + site]` becomes +1 or -1.
    ///
    /// # Errors
    /// [`Error::Length`] unless `spins` has exactly `layers * sites` elements.
    pub fn spins(&self, spins: &mut [i8]) -> Result<(), Error> {
        exactly("spins", self.layers() * self.sites(), spins.len())?;
        for index in 0..self.shape.rows() {
            let word = self.word(index);
            for lane in 0..self.shape.lanes {
                spins[natural(self.shape, self.order(), index, lane)] = 1 - 2 * (word >> lane & 1) as i8;
            }
        }
        Ok(())
    }

    /// The acceptance of a sweep at `beta`, never [`Acceptance::Auto`]. `Auto` is `HeatBath` if
    ///
    /// ```text
    /// M = mean over the sites of h_i^2 + sum over j of J_ij^2
    /// sqrt(beta_space^2 M + 2 beta_tau^2 J_tau^2) < atanh(0.1)     (with two layers 4 instead of 2)
    /// or  |beta_space| sqrt(M) < 0.01
    /// ```
    ///
    /// In equilibrium `min(1, exp(v))` flips a spin with probability `1 - tanh(|v| / 2)` on
    /// average. If spins are independent of each other, the mean square of `v / 2` is the square of
    /// the root above. The first condition then means a flip rate of at least 0.9 (Jensen's
    /// inequality; `tanh(sqrt(x))` is concave). For arbitrary spins the rate is at least
    /// `1 - tanh(S)`, where `S` is the mean over the sites of
    /// `|beta_space| (|h_i| + sum |J_ij|) + 2 |beta_tau J_tau|`. The second condition covers spins
    /// that are coupled weakly within their layer: if the bonds to the adjacent layers cancel,
    /// Metropolis would flip such a spin nearly always.
    #[must_use]
    pub fn acceptance(&self, beta: Beta) -> Acceptance {
        match self.rule(beta) {
            Rule::Metropolis => Acceptance::Metropolis,
            Rule::HeatBath => Acceptance::HeatBath,
        }
    }

    fn rule(&self, beta: Beta) -> Rule {
        /// `atanh(0.1)` squared.
        const HOT: f64 = 0.010_067_182_004_315_854;
        const WEAK: f64 = 1e-4;
        let is_hot = || {
            let mean_square = self.engine.mean_square();
            let (space, tau) = (f64::from(beta.space), f64::from(beta.tau) * self.tau_coupling);
            let space = space * space * mean_square;
            let bonds = if self.shape.layers == 2 { 4.0 } else { 2.0 };
            space + bonds * tau * tau < HOT || space < WEAK
        };
        match self.acceptance {
            Acceptance::Metropolis => Rule::Metropolis,
            Acceptance::HeatBath => Rule::HeatBath,
            Acceptance::Auto if is_hot() => Rule::HeatBath,
            Acceptance::Auto => Rule::Metropolis,
        }
    }

    /// Visits every spin `sweeps` times and returns the number of flips. Several calls with the
    /// same total give the same spins as one call.
    ///
    /// Draws `sweeps * sites * layers / lanes * 16` numbers from `rng`. For [`Kind::I8Exact`] the
    /// last factor is 32, and each sweep draws 16 more numbers. [`Kind::Single`] draws 32 numbers
    /// for each block and 16 more for each sweep, or 64 for each block in f32. [`Kind::Dense`] draws
    /// 16 numbers for each sweep and, for each layer of it, as many as there are sites, rounded up
    /// to a multiple of 64.
    ///
    /// # Errors
    /// [`Error::Lanes`] unless `rng` has 16 lanes; [`Error::Beta`] if `space`, `tau` or
    /// `tau * J_tau` is not finite, or not 0 with [`Kind::Single`] and [`Kind::Dense`].
    pub fn sweep(&mut self, rng: &mut Mt19937, beta: Beta, sweeps: u64) -> Result<u64, Error> {
        if rng.lanes() != LANES {
            return Err(Error::Lanes { lanes: rng.lanes() });
        }
        let exact_tau = f64::from(beta.tau) * self.tau_coupling;
        let (space, tau) = (beta.space, exact_tau as f32);
        for (argument, value) in [("space", space), ("tau", beta.tau), ("tau", tau)] {
            finite(value, Error::Beta { argument, value })?;
        }
        if matches!(self.engine, Engine::Single(_) | Engine::Dense(_)) && exact_tau != 0.0 {
            return Err(Error::Beta { argument: "tau", value: tau });
        }
        let rule = self.rule(beta);
        Ok(match &mut self.engine {
            Engine::Floats(floats) => floats.sweep(rng, space, tau, rule, sweeps),
            Engine::Integers(integers) => integers.sweep(rng, f64::from(space), exact_tau, rule, sweeps),
            Engine::Single(single) => single.sweep(rng, space, rule, sweeps),
            Engine::Dense(dense) => dense.sweep(rng, f64::from(space), rule, sweeps),
        })
    }

    /// The two energies of the current spins, in f64 from the couplings and fields as given. Each
    /// product of a coupling or field with an integer is rounded; the compensated sum of the
    /// products (Knuth's two-sum) is rounded once more. For [`Kind::Dense`], `space` is the quantum
    /// times an integer, which the stored local fields give without a pass over the couplings.
    #[must_use]
    pub fn energy(&self) -> Energy {
        let space = match &self.engine {
            Engine::Floats(floats) => self
                .space_energy(&floats.graph.weights, floats.graph.rows().map(|(_, links)| links.iter().map(Link::row))),
            Engine::Integers(integers) => self.space_energy(&integers.weights, integers.neighbours()),
            Engine::Single(single) => single.space_energy(),
            Engine::Dense(dense) => dense.energy(),
        };
        let bonds = (0..self.shape.rows()).map(|index| self.aligned(self.word(index), self.above(index))).sum::<i64>();
        Energy { space, tau: self.tau_coupling * bonds as f64 }
    }

    /// `rows` yields the neighbours of each row in link order; `weights` holds the couplings to the
    /// later ones.
    fn space_energy<L: Iterator<Item = usize>>(&self, weights: &Weights, rows: impl Iterator<Item = L> + Clone) -> f64 {
        let mut sum = CompensatedSum::default();
        for group in 0..self.shape.groups {
            let word = |row: usize| self.word(group * self.shape.sites + row);
            let mut weights = weights.values.iter();
            let mut add = |aligned: i64| sum.add(weights.next().copied().unwrap_or(0.0) * aligned as f64);
            for (row, neighbours) in rows.clone().enumerate() {
                let spin = word(row);
                add(self.aligned(spin, 0));
                // Count every edge once, at the site that is visited first.
                neighbours.filter(|&other| other > row).for_each(|other| add(self.aligned(spin, word(other))));
            }
        }
        sum.value()
    }

    /// The sum of all spins.
    #[must_use]
    pub fn magnetisation(&self) -> i64 {
        (0..self.shape.rows()).map(|index| self.aligned(self.word(index), 0)).sum()
    }

    /// Writes the overlap of each layer with another configuration, `spins[layer * sites + site]`,
    /// +1 or -1: the sum over its sites of the products of the two spins.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are `layers * sites` spins and `layers` overlaps,
    /// [`Error::Spin`] for the first spin that is neither +1 nor -1.
    pub fn overlaps(&self, spins: &[i8], overlaps: &mut [i64]) -> Result<(), Error> {
        self.check_spins(spins)?;
        exactly("overlaps", self.layers(), overlaps.len())?;
        overlaps.fill(0);
        for index in 0..self.shape.rows() {
            let word = self.word(index);
            for lane in 0..self.shape.lanes {
                let place = natural(self.shape, self.order(), index, lane);
                let spin = i64::from(spins[place]);
                overlaps[place / self.sites()] += if word >> lane & 1 == 0 { spin } else { -spin };
            }
        }
        Ok(())
    }

    /// Checks that there are `layers * sites` spins, each +1 or -1.
    fn check_spins(&self, spins: &[i8]) -> Result<(), Error> {
        exactly("spins", self.layers() * self.sites(), spins.len())?;
        match spins.iter().position(|spin| !matches!(spin, 1 | -1)) {
            None => Ok(()),
            Some(index) => {
                let (layer, site) = (index / self.sites(), index % self.sites());
                Err(Error::Spin { layer, site, value: spins[index] })
            }
        }
    }

    /// Bit `k` is set where lane `k` of row `index` is -1.
    fn word(&self, index: usize) -> u64 {
        match &self.engine {
            Engine::Floats(floats) => floats.word(index),
            Engine::Integers(integers) => integers.spins[index],
            Engine::Single(single) => single.word(index),
            Engine::Dense(dense) => dense.word(index),
        }
    }

    /// The word of the layers above row `index`.
    fn above(&self, index: usize) -> u64 {
        let Shape { sites, lanes, .. } = self.shape;
        match index + sites < self.shape.rows() {
            true => self.word(index + sites),
            false => rotate_lanes(self.word(index + sites - self.shape.rows()), lanes, 1),
        }
    }

    /// The sum of the products of the spins of two words, over the live lanes.
    fn aligned(&self, a: u64, b: u64) -> i64 {
        self.shape.lanes as i64 - 2 * i64::from(((a ^ b) & self.shape.live()).count_ones())
    }
}

/// The natural index of the spin in a lane of a row.
fn natural(shape: Shape, order: &[u32], index: usize, lane: usize) -> usize {
    let (group, row) = (index / shape.sites, index % shape.sites);
    (lane * shape.groups + group) * shape.sites + order[row] as usize
}
