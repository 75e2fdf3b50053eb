//! Anneals that are repeated: the results of the complete ones, and the sweeps of all.

use std::mem;

use hotloops::Error;
use rayon::prelude::*;

use super::Sampler;
use crate::ising::results::Record;
use crate::ising::state::Spins;

/// Number of systems, and of those that reached the lowest energy.
pub struct Earlier {
    pub energy: f64,
    pub systems: usize,
    pub found: usize,
}

/// The results of an anneal.
pub struct Complete {
    series: Vec<Record>,
    positions: Vec<u64>,
    /// For each model.
    spins: Vec<Spins>,
}

impl Sampler<'_> {
    /// Keeps the results of a complete anneal, and starts it again from other random spins.
    pub fn restart(&mut self) -> Result<(), Error> {
        let (systems, found) = self.found();
        self.earlier = Earlier { energy: self.best().energy, systems, found };
        let spins = self.own_spins();
        self.earlier_sweeps += self.sweeps_after(self.step);
        let (series, positions) = (mem::take(&mut self.series), mem::take(&mut self.positions));
        self.complete = Some(Complete { series, positions, spins });
        self.anneals += 1;
        self.step = 0;
        self.models.par_iter_mut().try_for_each(|model| {
            model.results.lowest.fill(f64::INFINITY);
            model.randomise()
        })
    }

    /// Goes back to the end of the last complete anneal, if there is one.
    pub fn drop_incomplete(&mut self) -> Result<(), Error> {
        if !self.is_done()
            && let Some(Complete { series, positions, spins }) = self.complete.take()
        {
            (self.series, self.positions) = (series, positions);
            self.step = self.plan.steps();
            self.anneals -= 1;
            self.set_spins(&spins)?;
        }
        Ok(())
    }

    /// All sweeps of all anneals.
    pub fn sweeps(&self) -> u64 {
        self.earlier_sweeps + self.sweeps_after(self.step)
    }

    /// Sweeps of this anneal after `steps` steps.
    pub fn sweeps_after(&self, steps: u64) -> u64 {
        let position = |step: u64| self.positions.get(step as usize).copied();
        steps.checked_sub(1).and_then(position).unwrap_or_else(|| self.plan.sweeps_after(steps))
    }
}
