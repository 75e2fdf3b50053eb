//! What a run has so far: the results, the spins and the states of its models.

use hotloops::Error;

use super::Sampler;
use crate::ising::choices::Method;
use crate::ising::model::Model;
use crate::ising::results::{Best, Results, margin, unpacked};
use crate::ising::saved::SavedModel;
use crate::ising::state::Spins;

impl Sampler<'_> {
    pub(super) fn own_models(&self) -> impl Iterator<Item = &Model> {
        self.models[..self.own.len()].iter()
    }

    pub(super) fn own_results(&self) -> impl Iterator<Item = &Results> {
        self.own_models().map(|model| &model.results)
    }

    /// The results of the models of this rank, and of all others on rank 0 after [`Sampler::collect`].
    pub fn results(&self) -> impl Iterator<Item = &Results> {
        self.own_results().chain(self.others.iter().map(|model| &model.results))
    }

    /// The state of all models, on rank 0 after [`Sampler::collect`].
    pub fn saved_models(&self) -> Vec<SavedModel> {
        self.own_models().map(SavedModel::of).chain(self.others.iter().cloned()).collect()
    }

    /// Brings the model of this index to a saved state, if it is this rank's. `None` if it does not fit.
    pub fn load(&mut self, index: usize, saved: SavedModel) -> Option<()> {
        match index.checked_sub(self.own.start).and_then(|index| self.models.get_mut(index)) {
            Some(model) => saved.load(model),
            None => {
                self.others_lowest = self.others_lowest.min(saved.results.best.energy);
                Some(())
            }
        }
    }

    /// Whether the lowest energy is at most `energy`.
    pub fn reaches(&self, energy: f64) -> bool {
        // The target is rounded, too.
        let slack = margin(self.problem).max(8.0 * f64::EPSILON * energy.abs());
        self.best().energy.min(self.others_lowest) <= energy + slack
    }

    /// The current spins of this rank's models.
    pub fn own_spins(&self) -> Vec<Spins> {
        self.own_models().map(|model| model.state.spins()).collect()
    }

    /// Sets the spins of this rank's models; none are given to keep the random ones.
    pub fn set_spins(&mut self, spins: &[Spins]) -> Result<(), Error> {
        let set = |(model, spins): (&mut Model, &Spins)| model.state.restore(spins).ok_or(Error::NoMemory);
        self.models.iter_mut().zip(spins).try_for_each(set)
    }

    /// The current spins of a model, layer by layer or those of the slices to read out, on rank 0 after
    /// [`Sampler::collect`].
    pub fn final_spins(&self, model: usize) -> Vec<i8> {
        let sites = self.problem.fields.len();
        match model.checked_sub(self.own.len()) {
            None => self.models[model].state.spins().configurations(self.plan, sites),
            Some(other) => self.others[other].spins.configurations(self.plan, sites),
        }
    }

    /// The configuration of lowest energy; the first one if several are equal.
    pub fn best(&self) -> &Best {
        let margin = margin(self.problem);
        let held = self.models.iter().map(|model| &model.results);
        let all = held.chain(self.others.iter().map(|model| &model.results)).map(|results| &results.best);
        all.reduce(|best, other| {
            let is_before =
                other.energy <= best.energy + margin && (other.anneal, other.sweep) < (best.anneal, best.sweep);
            if other.energy < best.energy - margin || is_before { other } else { best }
        })
        .expect("there are models")
    }

    /// The spins of the configuration of lowest energy.
    pub fn best_spins(&self) -> Vec<i8> {
        unpacked(&self.best().spins, self.problem.fields.len())
    }

    /// The number of independent systems, and the number of those that reached the lowest energy.
    pub fn found(&self) -> (usize, usize) {
        let bar = self.best().energy + margin(self.problem);
        let systems = self.plan.systems();
        let meets = |results: &Results, system: usize| results.lowest[system] <= bar;
        match self.plan.method {
            Method::Anneal => {
                let found = self.results().map(|model| (0..systems).filter(|&system| meets(model, system)).count());
                let earlier = if self.earlier.energy <= bar { self.earlier.found } else { 0 };
                (self.earlier.systems + systems * self.plan.models, earlier + found.sum::<usize>())
            }
            Method::Exchange if self.plan.copies > 1 => {
                (self.plan.copies, self.results().filter(|model| meets(model, 0)).count())
            }
            Method::Exchange => {
                (systems, (0..systems).filter(|&system| self.results().any(|model| meets(model, system))).count())
            }
        }
    }
}
