//! The state of a model between two steps, which ranks send and checkpoints hold.

use serde::{Deserialize, Serialize};

use super::model::Model;
use super::results::{Results, packed, unpacked};

#[derive(Clone, Serialize, Deserialize)]
pub struct SavedModel {
    /// One bit per spin, 1 for -1.
    pub spins: Vec<u8>,
    random: Vec<u8>,
    /// Sweeps of the next step that are done.
    pub ahead: u64,
    pub results: Results,
}

impl SavedModel {
    pub fn of(model: &Model) -> Self {
        let mut random = vec![0; model.random.state_len()];
        model.random.state_bytes(&mut random).expect("as long as it said");
        SavedModel { spins: packed(&model.spins()), random, ahead: model.ahead, results: model.results.clone() }
    }

    /// Brings a model to this state. `None` if it does not fit.
    pub fn load(self, model: &mut Model) -> Option<()> {
        let spins = model.ising.layers() * model.ising.sites();
        (self.spins.len() == spins.div_ceil(8)).then_some(())?;
        model.ising.set_spins(&unpacked(&self.spins, spins)).ok()?;
        model.random.set_state(&self.random).ok()?;
        let (found, expected) = (&self.results, &model.results);
        let fits = found.lowest.len() == expected.lowest.len()
            && found.best.spins.len() == expected.best.spins.len()
            && found.tallies.len() == expected.tallies.len()
            && found.observer.is_some() == expected.observer.is_some();
        fits.then_some(())?;
        (model.results, model.ahead) = (self.results, self.ahead);
        Some(())
    }
}
