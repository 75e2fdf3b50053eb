//! Anneals on devices.

use hotloops::ising::{Beta, Kind, LayeredIsing};
use hotloops::random::Mt19937;
use hotloops_gpu::ising::Batch;
use hotloops_gpu::{Device, Queue};

use super::{Anneal, UPDATES};
use crate::threads::{Stop, Watch};

/// Models that a device sweeps at once: as many as fill one.
pub(super) const MODELS: usize = 64;

/// Why devices do not sweep a model. None if they do.
pub(super) fn unfit(model: &LayeredIsing) -> Option<String> {
    match model.kind() {
        Kind::Bits if model.blocks().is_some() => {
            Some("devices do not sweep copies of this lattice, which are cut into lanes; use \"cpu\"".to_owned())
        }
        Kind::I8Exact | Kind::Bits => None,
        kind => Some(format!(
            "devices sweep models of the kinds I8Exact and Bits, and these reads have {kind:?}; use \"cpu\", or biases \
             that are small multiples of a number, and more reads"
        )),
    }
}

impl Anneal<'_> {
    /// [`Anneal::parts`] on devices, each with a range of the parts.
    pub(super) fn parts_on(
        &self,
        devices: &[Device],
        first: usize,
        spins: &mut [i8],
        watch: &Watch,
    ) -> Result<(), Stop> {
        let len = self.layers * self.fields.len();
        let parts_of_device = spins.len().div_ceil(len).div_ceil(devices.len());
        watch.each(spins.chunks_mut(parts_of_device * len).zip(devices), |number, (spins, device)| {
            let first = first + number * parts_of_device;
            for (group, spins) in spins.chunks_mut(MODELS * len).enumerate() {
                let parts = spins.chunks_mut(len).collect();
                self.group(Queue::open(device)?, first + group * MODELS, parts, watch)?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Anneals some parts, from number `first` on, a model for each.
    fn group(&self, queue: Queue, first: usize, mut parts: Vec<&mut [i8]>, watch: &Watch) -> Result<(), Stop> {
        let (mut models, mut rngs) = (Vec::new(), Vec::new());
        for (part, spins) in (first..).zip(&parts) {
            let mut model = self.any_model(watch)?;
            rngs.push(self.begin(&mut model, part, spins.len(), watch)?);
            models.push(model);
        }
        let (shared, generators): (Vec<&LayeredIsing>, Vec<&Mt19937>) =
            (models.iter().collect(), rngs.iter().collect());
        let mut batch = Batch::new(queue, &shared, &generators)?;
        let together = (UPDATES / (models[0].layers() * self.fields.len())).max(1) as u64;
        for (beta, sweeps) in self.schedule.steps(together) {
            watch.check()?;
            batch.sweep(&shared, &vec![Beta { space: beta, tau: 0.0 }; shared.len()], sweeps as usize)?;
        }
        batch.spins(&mut models.iter_mut().collect::<Vec<_>>())?;
        models.iter().zip(&mut parts).try_for_each(|(model, spins)| self.finish(model, spins, watch))
    }
}
