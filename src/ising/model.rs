//! The model: its kind, spins and measurements. `float.rs` and `bytes.rs` hold the sweeps.

use alloc::vec::Vec;
use core::array;

use super::bits::{BitEngine, Blocks, COPIES};
use super::bytes::IntegerEngine;
use super::dense::DenseEngine;
use super::float::FloatEngine;
use super::graph::Weights;
use super::measure::LayerSums;
use super::shape::{Acceptance, Beta, CompensatedSum, Energy, Kind, LANES, Rule, Shape, finite};
use super::single::SingleEngine;
use super::wide::WideEngine;
use crate::error::{Error, exactly};
use crate::memory;
use crate::pieces::whole;
use crate::random::Mt19937;

/// A layered Ising model and its spins, see the [module](crate::ising). Callers index layers and
/// sites in natural order; interlacing and visiting order are internal.
#[derive(Debug)]
#[must_use]
pub struct LayeredIsing {
    pub(super) shape: Shape,
    tau_coupling: f64,
    acceptance: Acceptance,
    /// See [`rounding`](LayeredIsing::rounding); ignored where sums are exact.
    rounding: f64,
    /// Whether certain flips at a local field of 0 would not be ergodic.
    may_trap: bool,
    pub(super) engine: Engine,
}

#[derive(Debug)]
pub(super) enum Engine {
    Floats(FloatEngine),
    Integers(IntegerEngine),
    Single(SingleEngine),
    Wide(WideEngine),
    Bits(BitEngine),
    Dense(DenseEngine),
}

impl Engine {
    fn mean_square(&self) -> f64 {
        match self {
            Engine::Floats(floats) => floats.graph.weights.mean_square,
            Engine::Integers(integers) => integers.weights.mean_square,
            Engine::Single(single) => single.weights.mean_square,
            Engine::Wide(wide) => wide.weights.mean_square,
            Engine::Bits(bits) => bits.weights.mean_square,
            Engine::Dense(dense) => dense.mean_square,
        }
    }
}

impl LayeredIsing {
    pub(super) fn new(shape: Shape, tau_coupling: f64, acceptance: Acceptance, engine: Engine) -> Self {
        LayeredIsing { shape, tau_coupling, acceptance, rounding: 0.0, may_trap: false, engine }
    }

    /// Sets what follows from the couplings and fields and is not known to the engine.
    pub(super) fn measured(self, rounding: f64, may_trap: bool) -> Self {
        LayeredIsing { rounding, may_trap, ..self }
    }

    /// The number of layers.
    #[must_use]
    pub fn layers(&self) -> usize {
        self.shape.layers
    }

    /// The number of spins in a layer.
    #[must_use]
    pub fn sites(&self) -> usize {
        self.shape.sites * self.shape.strips()
    }

    /// The arithmetic of the model, never [`Kind::Auto`].
    #[must_use]
    pub fn kind(&self) -> Kind {
        match &self.engine {
            Engine::Floats(floats) => floats.kind(),
            Engine::Integers(_) => Kind::I8Exact,
            Engine::Single(_) => Kind::Single,
            Engine::Wide(_) => Kind::I16Exact,
            Engine::Bits(_) => Kind::Bits,
            Engine::Dense(_) => Kind::Dense,
        }
    }

    /// The number of layers that are updated together: the largest power of two, up to 16 (64 for
    /// [`Kind::I8Exact`], 32 for [`Kind::I16Exact`]), that divides `layers` with a quotient of at least
    /// 2; 1 for [`Kind::Single`] and [`Kind::Dense`], 512 for [`Kind::Bits`].
    #[must_use]
    pub fn lanes(&self) -> usize {
        match &self.engine {
            Engine::Bits(_) => COPIES,
            _ => self.shape.lanes,
        }
    }

    /// How the lattice of a layer is cut into lanes; `None` if a layer has one lane.
    #[must_use]
    pub fn blocks(&self) -> Option<Blocks> {
        if let Engine::Bits(bits) = &self.engine { bits.blocks() } else { None }
    }

    /// The sites in visiting order.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        match &self.engine {
            Engine::Floats(floats) => &floats.graph.order,
            Engine::Integers(integers) => &integers.order,
            Engine::Single(single) => &single.order,
            Engine::Wide(wide) => &wide.order,
            Engine::Bits(bits) => &bits.order,
            Engine::Dense(dense) => &dense.order,
        }
    }

    /// Whether all sums over neighbours are exact. Always true in integers of one quantum; in f32, and
    /// with [`Kind::Dense`] for real couplings, true if couplings and fields are integer multiples of
    /// one power of two and small enough. Both
    /// [`Update`](super::Update)s then give the same spins.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        match &self.engine {
            Engine::Floats(floats) => floats.graph.exact,
            Engine::Integers(_) | Engine::Wide(_) | Engine::Bits(_) => true,
            Engine::Single(single) => single.is_exact(),
            Engine::Dense(dense) => dense.is_exact(),
        }
    }

    /// An estimate of the rounding error of a local field, the largest of all sites whose terms may cancel; 0 where
    /// sums are [exact](Self::is_exact). Means are reliable while `2 beta_space` times this is far below 1.
    #[must_use]
    pub fn rounding(&self) -> f64 {
        if self.is_exact() { 0.0 } else { self.rounding }
    }

    /// Whether [`Acceptance::Metropolis`] without coupling between layers may not be ergodic, see the
    /// [module](crate::ising#acceptance).
    #[must_use]
    pub fn may_trap(&self) -> bool {
        self.may_trap
    }

    /// The unit of couplings and fields in integers; 0 for the f32 kinds, and if there is none.
    #[must_use]
    pub fn quantum(&self) -> f64 {
        match &self.engine {
            Engine::Floats(_) => 0.0,
            Engine::Integers(integers) => integers.quantum,
            Engine::Single(single) => single.quantum(),
            Engine::Wide(wide) => wide.quantum,
            Engine::Bits(bits) => bits.quantum,
            Engine::Dense(dense) => dense.quantum(),
        }
    }

    /// Bytes on the heap; constant for the lifetime of a model.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        match &self.engine {
            Engine::Floats(floats) => floats.heap_bytes(),
            Engine::Integers(integers) => integers.heap_bytes(),
            Engine::Single(single) => single.heap_bytes(),
            Engine::Wide(wide) => wide.heap_bytes(),
            Engine::Bits(bits) => bits.heap_bytes(),
            Engine::Dense(dense) => dense.heap_bytes(),
        }
    }

    /// The acceptance of a sweep at `beta`, never [`Acceptance::Auto`]. `Auto` is `HeatBath` if
    ///
    /// ```text
    /// M = mean over the sites of h_i^2 + sum over j of J_ij^2
    /// sqrt(beta_space^2 M + 2 beta_tau^2 J_tau^2) < atanh(0.1)     (with two layers 4 instead of 2)
    /// or  |beta_space| sqrt(M) < 0.01
    /// or  beta_tau J_tau = 0 and certain flips may go round in circles
    /// ```
    ///
    /// In equilibrium `min(1, exp(v))` flips a spin with probability `1 - tanh(|v| / 2)` on
    /// average. If spins are independent of each other, the mean square of `v / 2` is the square of
    /// the root above. The first condition then means a flip rate of at least 0.9 (Jensen's
    /// inequality; `tanh(sqrt(x))` is concave). For arbitrary spins the rate is at least
    /// `1 - tanh(S)`, where `S` is the mean over the sites of
    /// `|beta_space| (|h_i| + sum |J_ij|) + 2 |beta_tau J_tau|`. The second condition covers spins
    /// that are coupled weakly within their layer: if the bonds to the adjacent layers cancel,
    /// Metropolis would flip such a spin nearly always. The third one is that of rings, and of components of at most 16
    /// sites, in which couplings and field can cancel at every site ([module](crate::ising#acceptance)).
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
            space + bonds * tau * tau < HOT || space < WEAK || self.may_trap && tau == 0.0
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
    /// Draws `sweeps * sites * layers / lanes * 16` numbers from `rng`. For [`Kind::I8Exact`] and
    /// [`Kind::I16Exact`] each sweep draws 16 more numbers, and for the former the last factor is
    /// 32. [`Kind::Single`] draws 32 numbers for each block and 16 more for each sweep, or 64 for
    /// each block in f32. [`Kind::Bits`] draws a multiple of 1024 numbers in each sweep, on average
    /// about 110 for each site and 512 layers. [`Kind::Dense`] draws for each layer as many as there
    /// are sites, rounded up to a multiple of 64, and 16 for each sweep if there is a quantum.
    ///
    /// # Errors
    /// [`Error::Lanes`] unless `rng` has 16 lanes; [`Error::Beta`] if `space`, `tau` or
    /// `tau * J_tau` is not finite, or not 0 with [`Kind::Single`],
    /// [`Kind::Bits`] and [`Kind::Dense`].
    pub fn sweep(&mut self, rng: &mut Mt19937, beta: Beta, sweeps: u64) -> Result<u64, Error> {
        if rng.lanes() != LANES {
            return Err(Error::Lanes { lanes: rng.lanes() });
        }
        let exact_tau = f64::from(beta.tau) * self.tau_coupling;
        let (space, tau) = (beta.space, exact_tau as f32);
        for (argument, value) in [("space", space), ("tau", beta.tau), ("tau", tau)] {
            finite(value, Error::Beta { argument, value })?;
        }
        if matches!(self.engine, Engine::Single(_) | Engine::Bits(_) | Engine::Dense(_)) && exact_tau != 0.0 {
            return Err(Error::Beta { argument: "tau", value: tau });
        }
        let rule = self.rule(beta);
        Ok(match &mut self.engine {
            Engine::Floats(floats) => floats.sweep(rng, space, tau, rule, sweeps),
            Engine::Integers(integers) => integers.sweep(rng, f64::from(space), exact_tau, rule, sweeps),
            Engine::Single(single) => single.sweep(rng, space, rule, sweeps),
            Engine::Wide(wide) => wide.sweep(rng, f64::from(space), exact_tau, rule, sweeps),
            Engine::Bits(bits) => bits.sweep(rng, f64::from(space), rule, sweeps),
            Engine::Dense(dense) => dense.sweep(rng, f64::from(space), rule, sweeps),
        })
    }

    /// The two energies of the current spins, in f64 from the couplings and fields as given. Each
    /// product of a coupling or field with an integer is rounded; the compensated sum of the
    /// products (Knuth's two-sum) is rounded once more. For [`Kind::Single`] and [`Kind::Dense`] with a
    /// quantum, `space` is the quantum times an integer, which is exact; [`Kind::Dense`] stores the local
    /// fields and makes no pass over the couplings.
    #[must_use]
    pub fn energy(&self) -> Energy {
        let space = match &self.engine {
            Engine::Floats(floats) => {
                let rows = floats.graph.rows().map(|(_, links)| links.iter().map(|link| (link.row(), 0)));
                self.space_energy(&floats.graph.weights, rows)
            }
            Engine::Integers(integers) => {
                self.space_energy(&integers.weights, integers.neighbours().map(|rows| rows.map(|row| (row, 0))))
            }
            Engine::Single(single) => single.space_energy(),
            Engine::Wide(wide) => {
                self.space_energy(&wide.weights, wide.neighbours().map(|rows| rows.map(|row| (row, 0))))
            }
            Engine::Bits(bits) => match bits.strips_energy() {
                Some(energy) => energy,
                None => self.space_energy(&bits.weights, bits.neighbours()),
            },
            Engine::Dense(dense) => dense.energy(),
        };
        Energy { space, tau: self.tau_energy() }
    }

    /// `rows` yields the neighbours of each row in link order, each with its row of signs;
    /// `weights` holds the couplings to the later ones.
    fn space_energy<L: Iterator<Item = (usize, usize)>>(
        &self,
        weights: &Weights,
        rows: impl Iterator<Item = L> + Clone,
    ) -> f64 {
        let mut sum = CompensatedSum::default();
        for group in 0..self.shape.groups {
            let word = |row: usize| self.word(group * self.shape.sites + row);
            let mut weights = weights.values.iter();
            let mut add = |aligned: i64| sum.add(weights.next().copied().unwrap_or(0.0) * aligned as f64);
            for (row, neighbours) in rows.clone().enumerate() {
                let spin = word(row);
                add(self.aligned(group, spin, 0));
                // Count every edge once, at the site that is visited first.
                for (other, sign) in neighbours.filter(|&(other, _)| other > row) {
                    let reversed = match &self.engine {
                        Engine::Bits(bits) => bits.reversed(group, sign),
                        _ => 0,
                    };
                    add(self.aligned(group, spin ^ reversed, word(other)));
                }
            }
        }
        sum.value()
    }

    /// `Et` of [`energy`](Self::energy).
    #[must_use]
    pub fn tau_energy(&self) -> f64 {
        if self.tau_coupling == 0.0 {
            return 0.0;
        }
        let Shape { sites, groups, .. } = self.shape;
        let aligned = |group, row| {
            let word = |group: usize| match &self.engine {
                Engine::Integers(integers) => integers.spins[group * sites + row],
                _ => self.word(group * sites + row),
            };
            self.aligned(group, word(group), self.shape.above(group, word))
        };
        let sum = (0..groups).map(|group| (0..sites).map(|row| aligned(group, row)).sum::<i64>()).sum::<i64>();
        self.tau_coupling * sum as f64
    }

    /// Writes `Es` and the magnetisation, the sum of the spins, of each layer. It takes about as long as one
    /// or two sweeps, for [`Kind::Single`] without a quantum four or five; [`Kind::Dense`] without a quantum
    /// reads all couplings.
    ///
    /// With a quantum, an energy is an exact number of quanta times [`quantum`](Self::quantum), rounded
    /// once. Otherwise the couplings and fields as given are added in f64, in visiting order (those of
    /// [`Kind::Single`] in eight chains, which are added last; the rows of [`Kind::Dense`] by
    /// [`reduce::dot`](crate::reduce::dot)). Both may differ by rounding from
    /// [`energy`](Self::energy), which uses compensated sums.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are `layers` energies and `layers` magnetisations.
    pub fn layer_energies(&self, energies: &mut [f64], magnetisations: &mut [i64]) -> Result<(), Error> {
        exactly("energies", self.layers(), energies.len())?;
        exactly("magnetisations", self.layers(), magnetisations.len())?;
        energies.fill(0.0);
        magnetisations.fill(0);
        let mut write = |first: usize, sums: &[LayerSums]| {
            for (group, sums) in (first..).zip(sums) {
                for lane in 0..self.shape.live_lanes(group) {
                    let (layer, _) = self.shape.layer(group, lane);
                    energies[layer] += sums.energies[lane];
                    magnetisations[layer] += sums.magnetisations[lane];
                }
            }
        };
        let mut first = 0;
        while first < self.shape.groups {
            first += match (self.shape.groups - first, &self.engine) {
                (8.., Engine::Integers(_) | Engine::Bits(_)) => self.measure::<8>(first, &mut write),
                (4.., Engine::Integers(_) | Engine::Bits(_)) => self.measure::<4>(first, &mut write),
                (2.., Engine::Integers(_) | Engine::Bits(_)) => self.measure::<2>(first, &mut write),
                _ => self.measure::<1>(first, &mut write),
            };
        }
        Ok(())
    }

    /// Measures the layers of `G` groups, from group `first` on; returns `G`.
    fn measure<const G: usize>(&self, first: usize, write: &mut impl FnMut(usize, &[LayerSums])) -> usize {
        let sums: [LayerSums; G] = match &self.engine {
            Engine::Integers(integers) => integers.measure(first),
            Engine::Bits(bits) => bits.measure(first),
            Engine::Floats(floats) => array::from_fn(|nth| floats.measure(first + nth)),
            Engine::Wide(wide) => array::from_fn(|nth| wide.measure(first + nth)),
            Engine::Single(single) => array::from_fn(|nth| single.measure(first + nth)),
            Engine::Dense(dense) => array::from_fn(|nth| dense.measure(first + nth)),
        };
        write(first, &sums);
        G
    }

    /// Swaps the spins of some layers with those of another model, for replica exchange. It is
    /// fastest if both models have the same graph and kind.
    ///
    /// # Errors
    /// [`Error::Length`] unless both models have as many layers and sites, [`Error::Index`] if a
    /// layer does not exist, [`Error::NoMemory`].
    pub fn swap_layers(
        &mut self,
        other: &mut Self,
        layers: impl IntoIterator<Item = usize, IntoIter: Clone>,
    ) -> Result<(), Error> {
        exactly("layers", self.layers(), other.layers())?;
        exactly("sites", self.sites(), other.sites())?;
        let layers = layers.into_iter();
        let masks = self.masks(layers.clone())?;
        if self.shape != other.shape || self.order() != other.order() {
            let (mut ours, mut theirs) = (memory::filled(self.sites(), 1)?, memory::filled(self.sites(), 1)?);
            return layers.into_iter().try_for_each(|layer| {
                self.copy_layer(layer, &mut ours)?;
                other.copy_layer(layer, &mut theirs)?;
                self.set_layer(layer, &theirs)?;
                other.set_layer(layer, &ours)
            });
        }
        for (index, mask) in rows_of(&masks, self.shape.sites) {
            let (a, b) = (self.word(index), other.word(index));
            let changed = (a ^ b) & mask;
            if changed != 0 {
                self.set_word(index, a ^ changed);
                other.set_word(index, b ^ changed);
            }
        }
        self.refresh();
        other.refresh();
        Ok(())
    }

    /// The length of the slice of [`copy_words`](Self::copy_words).
    pub fn words(&self) -> usize {
        self.shape.rows()
    }

    /// Writes all spins as words, for [`set_words`](Self::set_words) of another model with the same graph,
    /// kind and number of layers. This is faster than [`spins`](Self::spins).
    ///
    /// # Errors
    /// [`Error::Length`] unless there are [`words`](Self::words) words.
    pub fn copy_words(&self, words: &mut [u64]) -> Result<(), Error> {
        exactly("words", self.words(), words.len())?;
        words.iter_mut().enumerate().for_each(|(index, word)| *word = self.word(index));
        Ok(())
    }

    /// Sets the spins of some layers to those of the words of another model.
    ///
    /// # Errors
    /// As for [`copy_words`](Self::copy_words); [`Error::Index`] if a layer does not exist,
    /// [`Error::NoMemory`].
    pub fn set_words(&mut self, layers: impl IntoIterator<Item = usize>, words: &[u64]) -> Result<(), Error> {
        exactly("words", self.words(), words.len())?;
        for (index, mask) in rows_of(&self.masks(layers)?, self.shape.sites) {
            let word = self.word(index);
            self.set_word(index, word & !mask | words[index] & mask);
        }
        self.refresh();
        Ok(())
    }

    /// The lanes of some layers in each group.
    fn masks(&self, layers: impl IntoIterator<Item = usize>) -> Result<Vec<u64>, Error> {
        let mut masks = memory::filled(self.shape.groups, 0)?;
        for layer in layers {
            if layer >= self.layers() {
                return Err(Error::Index { argument: "layers", index: layer, count: self.layers() });
            }
            self.shape.lanes_of(layer).for_each(|(group, lane)| masks[group] |= 1 << lane);
        }
        Ok(masks)
    }

    /// The sum of all spins.
    #[must_use]
    pub fn magnetisation(&self) -> i64 {
        (0..self.shape.rows()).map(|index| self.aligned(index / self.shape.sites, self.word(index), 0)).sum()
    }

    /// Writes the overlap of each layer with another configuration, `spins[layer * sites + site]`,
    /// +1 or -1: the sum over its sites of the products of the two spins.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are `layers * sites` spins and `layers` overlaps,
    /// [`Error::Spin`] for the first spin that is neither +1 nor -1.
    pub fn overlaps(&self, spins: &[i8], overlaps: &mut [i64]) -> Result<(), Error> {
        whole(|pieces| self.check_spins(spins, pieces))?;
        exactly("overlaps", self.layers(), overlaps.len())?;
        overlaps.fill(0);
        for index in 0..self.shape.rows() {
            let word = self.word(index);
            for lane in 0..self.live_lanes(index) {
                let place = natural(self.shape, self.order(), index, lane);
                let spin = i64::from(spins[place]);
                overlaps[place / self.sites()] += if word >> lane & 1 == 0 { spin } else { -spin };
            }
        }
        Ok(())
    }

    /// Bit `k` is set where lane `k` of row `index` is -1.
    pub(super) fn word(&self, index: usize) -> u64 {
        match &self.engine {
            Engine::Floats(floats) => floats.word(index),
            Engine::Integers(integers) => integers.spins[index],
            Engine::Single(single) => single.word(index),
            Engine::Wide(wide) => wide.word(index),
            Engine::Bits(bits) => bits.word(index),
            Engine::Dense(dense) => dense.word(index),
        }
    }

    /// Sets the live lanes of row `index`. Call [`refresh`](Self::refresh) afterwards.
    pub(super) fn set_word(&mut self, index: usize, word: u64) {
        match &mut self.engine {
            Engine::Floats(floats) => floats.set_word(index, word),
            Engine::Integers(integers) => integers.spins[index] = word,
            Engine::Single(single) => single.set_word(index, word),
            Engine::Wide(wide) => wide.set_word(index, word),
            Engine::Bits(bits) => bits.set_word(index, word),
            Engine::Dense(dense) => dense.set_word(index, word),
        }
    }

    /// Recomputes what the engine keeps beside the spins.
    pub(super) fn refresh(&mut self) {
        match &mut self.engine {
            Engine::Floats(floats) => floats.refresh(),
            Engine::Bits(bits) => bits.refresh(),
            Engine::Dense(dense) => dense.refresh(),
            Engine::Integers(_) | Engine::Single(_) | Engine::Wide(_) => {}
        }
    }

    pub(super) fn live_lanes(&self, index: usize) -> usize {
        self.shape.live_lanes(index / self.shape.sites)
    }

    /// The sum of the products of the spins of two words of a group, over the live lanes.
    fn aligned(&self, group: usize, a: u64, b: u64) -> i64 {
        self.shape.live_lanes(group) as i64 - 2 * i64::from(((a ^ b) & self.shape.live(group)).count_ones())
    }
}

/// The rows of the groups that have lanes, with these lanes.
fn rows_of(masks: &[u64], sites: usize) -> impl Iterator<Item = (usize, u64)> {
    let groups = masks.iter().copied().enumerate().filter(|&(_, mask)| mask != 0);
    groups.flat_map(move |(group, mask)| (group * sites..(group + 1) * sites).map(move |index| (index, mask)))
}

/// The natural index of the spin in a lane of a row.
pub(super) fn natural(shape: Shape, order: &[u32], index: usize, lane: usize) -> usize {
    let (group, row) = (index / shape.sites, index % shape.sites);
    let (layer, strip) = shape.layer(group, lane);
    let strips = shape.strips();
    layer * shape.sites * strips + order[row * strips + strip] as usize
}
