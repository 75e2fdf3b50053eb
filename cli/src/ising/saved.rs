//! The state of a model between two steps, which ranks send and checkpoints hold.

use serde::{Deserialize, Serialize};

use super::model::Model;
use super::results::Results;
use super::state::Spins;

#[derive(Clone, Serialize, Deserialize)]
pub struct SavedModel {
    pub spins: Spins,
    random: Vec<u8>,
    /// Sweeps of the next step that are done.
    pub ahead: u64,
    pub results: Results,
}

impl SavedModel {
    pub fn of(model: &Model) -> Self {
        let mut random = vec![0; model.random.state_len()];
        model.random.state_bytes(&mut random).expect("as long as it said");
        SavedModel { spins: model.state.spins(), random, ahead: model.ahead, results: model.results.clone() }
    }

    /// Brings a model to this state. `None` if it does not fit.
    pub fn load(self, model: &mut Model) -> Option<()> {
        model.state.restore(&self.spins)?;
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
