//! Ranks meet: rank 0 takes the results of the steps of all ranks, or the state of all models.

use std::mem;
use std::vec;

use hotloops::ising::Energy;
use serde::{Deserialize, Serialize};

use super::Sampler;
use super::exchange::has_bit;
use crate::cluster::wire::{decoded, encoded};
use crate::ising::results::Record;
use crate::ising::saved::SavedModel;

/// Records of all models after which ranks meet: 32 MiB.
const MAX_RECORDS: u64 = 1 << 20;

/// The results of a rank's steps.
#[derive(Default, Serialize, Deserialize)]
pub struct Met {
    /// The lowest energy so far.
    pub lowest: f64,
    /// The records of its models, step by step.
    pub records: Vec<Record>,
    /// The swaps of each step, of each pair that is due and whose first rung is the rank's: one bit for each
    /// system.
    pub swaps: Vec<u64>,
    /// Es and Et of each system of an exchange whose steps are visited.
    pub sums: Vec<(f64, f64)>,
}

/// The results of a rank's steps that rank 0 has not taken yet.
pub struct Part {
    pub records: vec::IntoIter<Record>,
    pub swaps: vec::IntoIter<u64>,
    pub sums: vec::IntoIter<(f64, f64)>,
}

impl Part {
    pub fn new(met: Met) -> Self {
        Part { records: met.records.into_iter(), swaps: met.swaps.into_iter(), sums: met.sums.into_iter() }
    }
}

impl Sampler<'_> {
    pub(super) fn meet_if_due(&mut self) {
        if self.cluster.ranks() == 1 || self.ahead.saturating_mul(self.plan.models as u64) >= MAX_RECORDS {
            self.meet();
        }
    }

    /// Brings the results of all ranks to rank 0. All ranks call it.
    pub fn meet(&mut self) {
        self.meet_with(self.step, &mut |_| ());
    }

    /// The same, and visits the steps from `visited` on.
    pub(super) fn meet_with(&mut self, visited: u64, visit: &mut dyn FnMut(Vec<f64>)) {
        let first = self.step - mem::take(&mut self.ahead);
        let mut parts: Vec<_> = self.gathered().into_iter().map(Part::new).collect();
        let width = self.words_of_systems();
        for step in first..self.step {
            // Other ranks only count the round.
            let mut swaps = Vec::new();
            for (rank, part) in parts.iter_mut().enumerate() {
                let own = self.cluster.part_of(rank, self.plan.models);
                swaps.extend(part.swaps.by_ref().take(self.due(&own, step).count() * width));
                for index in own {
                    self.series.extend(part.records.next());
                    if step >= visited {
                        let sums = part.sums.by_ref().take(self.plan.systems());
                        self.sums[index] = sums.map(|(space, tau)| Energy { space, tau }).collect();
                    }
                }
            }
            for (system, chain) in self.chains.iter_mut().enumerate() {
                chain.apply(|pair| !swaps.is_empty() && has_bit(&swaps[pair / 2 * width..], system));
            }
            if step >= visited && self.cluster.leads() {
                visit(self.swap_probabilities().collect());
            }
        }
    }

    /// The news of all ranks, on rank 0; nothing on others.
    fn gathered(&mut self) -> Vec<Met> {
        let own = mem::take(&mut self.news);
        if self.cluster.ranks() == 1 {
            return vec![own];
        }
        let lowest = self.own_results().map(|results| results.best.energy).fold(f64::INFINITY, f64::min);
        let messages = self.cluster.gather(encoded(&Met { lowest, ..own }));
        let met: Vec<Met> = messages.iter().map(|message| decoded(message)).collect();
        self.others_lowest = met.iter().map(|met| met.lowest).fold(self.others_lowest, f64::min);
        met
    }

    /// Brings the results and the state of all models to rank 0. All ranks call it.
    pub fn collect(&mut self) {
        if self.cluster.ranks() == 1 {
            return;
        }
        self.meet();
        // Rank 0 has its own already.
        let saved: Vec<SavedModel> = match self.cluster.leads() {
            true => Vec::new(),
            false => self.own_models().map(SavedModel::of).collect(),
        };
        let messages = self.cluster.gather(encoded(&saved));
        self.others = messages.iter().flat_map(|message| decoded::<Vec<SavedModel>>(message)).collect();
    }
}
