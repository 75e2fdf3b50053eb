//! Sweeps before the end of a long step, which a signal interrupts.

use std::time::{Duration, Instant};

use hotloops_gpu::Error;
use rayon::prelude::*;

use super::{Model, Sampler};
use crate::interrupt;

/// Time of the sweeps between two looks for a signal, unless one takes longer.
const PIECE: Duration = Duration::from_millis(20);

impl Sampler<'_> {
    /// Does the sweeps of the next step, which ends after the sweep `end`, in pieces. Returns `false` if a signal came
    /// before their end: each model keeps the number of its sweeps, which a checkpoint records. Ranks of MPI do nothing
    /// here, as they see signals at different times.
    pub(super) fn sweep_ahead(&mut self, end: u64) -> Result<bool, Error> {
        if self.cluster.ranks() > 1 {
            return Ok(true);
        }
        let (plan, step, start) = (self.plan, self.step, self.own.start);
        let sweeps = end - self.sweeps_after(step);
        let models = &mut self.models[..self.own.len()];
        let advance = |(index, model): (usize, &mut Model)| {
            let point = plan.point(start + index, step);
            let mut piece = 1;
            while model.ahead < sweeps && !interrupt::is_requested() {
                let (count, begin) = (piece.min(sweeps - model.ahead), Instant::now());
                model.state.sweep(&mut model.random, plan, point, count)?;
                model.ahead += count;
                if begin.elapsed() < PIECE / 2 {
                    piece *= 2;
                }
            }
            Ok(model.ahead == sweeps)
        };
        let done = models.par_iter_mut().enumerate().map(advance).collect::<Result<Vec<_>, Error>>()?;
        Ok(done.into_iter().all(|is_done| is_done))
    }
}
