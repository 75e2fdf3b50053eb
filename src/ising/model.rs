//! The model: its kind, spins and measurements. Its engine holds the spins and sweeps them.

use alloc::vec::Vec;

use super::bits::{Blocks, COPIES};
use super::engine::{Engine, Temperature};
use super::engines::AnyEngine;
use super::measure::LayerSums;
use super::shape::{Acceptance, Beta, Energy, Kind, LANES, Rule, Shape, finite};
use crate::frame::error::{Error, exactly};
use crate::frame::memory;
use crate::frame::pieces::whole;
use crate::random::Mt19937;

/// A layered Ising model and its spins, see the [module](crate::ising). Callers index layers and
/// sites in natural order; interlacing and visiting order are internal.
#[derive(Debug)]
#[must_use]
pub struct LayeredIsing {
    pub(super) shape: Shape,
    pub(super) tau_coupling: f64,
    acceptance: Acceptance,
    /// See [`rounding`](LayeredIsing::rounding); ignored where sums are exact.
    rounding: f64,
    /// Whether certain flips at a local field of 0 would not be ergodic.
    may_trap: bool,
    pub(super) engine: AnyEngine,
}

impl LayeredIsing {
    pub(super) fn new(shape: Shape, tau_coupling: f64, acceptance: Acceptance, engine: AnyEngine) -> Self {
        LayeredIsing { shape, tau_coupling, acceptance, rounding: 0.0, may_trap: false, engine }
    }

    /// Sets properties of the couplings and fields that the engine does not hold.
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
        self.engine.arithmetic().kind
    }

    /// The number of layers that are updated together, see [layout](crate::ising#layout): at most half of `layers`, 16
    /// (64 for [`Kind::I8Exact`], 32 for [`Kind::I16Exact`]); 1 for [`Kind::Single`], [`Kind::Fixed`] and
    /// [`Kind::Dense`], 512 for [`Kind::Bits`].
    #[must_use]
    pub fn lanes(&self) -> usize {
        match &self.engine {
            AnyEngine::Bits(_) => COPIES,
            _ => self.shape.lanes,
        }
    }

    /// How the lattice of a layer is cut into lanes; `None` if a layer has one lane.
    #[must_use]
    pub fn blocks(&self) -> Option<Blocks> {
        if let AnyEngine::Bits(bits) = &self.engine { bits.blocks() } else { None }
    }

    /// The sites in visiting order.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        self.engine.order()
    }

    /// Whether all sums over neighbours are exact. Always true in integers of one quantum; in f32, and
    /// with [`Kind::Dense`] for real couplings, true if couplings and fields are integer multiples of
    /// one power of two and small enough. Both
    /// [`Update`](super::Update)s then give the same spins.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.engine.arithmetic().is_exact
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
        self.engine.arithmetic().quantum
    }

    /// Bytes on the heap; constant for the lifetime of a model.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.engine.heap_bytes()
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

    pub(super) fn rule(&self, beta: Beta) -> Rule {
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
    /// Draws `sweeps * sites * layers.div_ceil(lanes) * 16` numbers from `rng`. For [`Kind::I8Exact`] and
    /// [`Kind::I16Exact`] each sweep draws 16 more numbers, and for the former the last factor is
    /// 32. [`Kind::Single`] draws 32 numbers for each block and 16 more for each sweep, or 64 for
    /// each block in f32, as does [`Kind::Fixed`]. [`Kind::Bits`] draws a multiple of 1024 numbers in each sweep, on
    /// average about 110 for each site and 512 layers. [`Kind::Dense`] draws for each layer as many as there
    /// are sites, rounded up to a multiple of 64, and 16 for each sweep if there is a quantum.
    ///
    /// # Errors
    /// [`Error::Lanes`] unless `rng` has 16 lanes; [`Error::Beta`] if `space`, `tau` or
    /// `tau * J_tau` is not finite, or not 0 with [`Kind::Single`], [`Kind::Fixed`],
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
        if matches!(self.kind(), Kind::Single | Kind::Fixed | Kind::Bits | Kind::Dense) && exact_tau != 0.0 {
            return Err(Error::Beta { argument: "tau", value: tau });
        }
        let (beta, rule) = (Temperature { space, tau: exact_tau }, self.rule(beta));
        Ok(self.engine.sweep(rng, beta, rule, sweeps))
    }

    /// The two energies of the current spins, in f64 from the couplings and fields as given. Each
    /// product of a coupling or field with an integer is rounded; the compensated sum of the
    /// products (Knuth's two-sum) is rounded once more. For [`Kind::Single`] and [`Kind::Dense`] with a
    /// quantum, `space` is the quantum times an integer, which is exact; [`Kind::Dense`] stores the local
    /// fields and makes no pass over the couplings.
    #[must_use]
    pub fn energy(&self) -> Energy {
        Energy { space: self.engine.space_energy(), tau: self.tau_energy() }
    }

    /// `Et` of [`energy`](Self::energy).
    #[must_use]
    pub fn tau_energy(&self) -> f64 {
        if self.tau_coupling == 0.0 {
            return 0.0;
        }
        self.tau_coupling * self.engine.aligned_layers(self.shape) as f64
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
        self.engine.measure(self.shape.groups, &mut |first: usize, sums: &[LayerSums]| {
            for (group, sums) in (first..).zip(sums) {
                for lane in 0..self.shape.live_lanes(group) {
                    let (layer, _) = self.shape.layer(group, lane);
                    energies[layer] += sums.energies[lane];
                    magnetisations[layer] += sums.magnetisations[lane];
                }
            }
        });
        Ok(())
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
        (0..self.shape.rows()).map(|index| self.shape.aligned(index / self.shape.sites, self.word(index), 0)).sum()
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
        let order = self.order();
        for index in 0..self.shape.rows() {
            let word = self.word(index);
            for lane in 0..self.live_lanes(index) {
                let place = natural(self.shape, order, index, lane);
                let spin = i64::from(spins[place]);
                overlaps[place / self.sites()] += if word >> lane & 1 == 0 { spin } else { -spin };
            }
        }
        Ok(())
    }

    /// Bit `k` is set where lane `k` of row `index` is -1.
    pub(super) fn word(&self, index: usize) -> u64 {
        self.engine.word(index)
    }

    /// Sets the live lanes of row `index`. Call [`refresh`](Self::refresh) afterwards.
    pub(super) fn set_word(&mut self, index: usize, word: u64) {
        self.engine.set_word(index, word);
    }

    /// Recomputes what the engine keeps beside the spins.
    pub(super) fn refresh(&mut self) {
        self.engine.refresh();
    }

    pub(super) fn live_lanes(&self, index: usize) -> usize {
        self.shape.live_lanes(index / self.shape.sites)
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
