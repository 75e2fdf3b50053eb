//! Sweeps on devices.

use std::thread;

use hotloops::ising::Kind;
use hotloops_gpu::ising::Batch;
use hotloops_gpu::{Error, Queue};

use super::{Model, Sampler};
use crate::ising::choices::kind_name;

/// Devices, each with the sweeps of some of a rank's models, one after the other.
pub struct Devices {
    batches: Vec<(Batch, usize)>,
}

impl Sampler<'_> {
    /// Why devices do not sweep these models. None if they do.
    pub fn unfit(&self) -> Option<String> {
        let Some(ising) = self.state().layered() else {
            return Some(
                "devices sweep the kinds i8-exact and bits, and this run has worldline; choose i8-exact by --kind"
                    .to_owned(),
            );
        };
        match ising.kind() {
            Kind::Bits if ising.blocks().is_some() => Some(
                "devices do not sweep copies of a lattice that are cut into lanes, as kind bits has them here; use \
                 --kind i8-exact"
                    .to_owned(),
            ),
            Kind::I8Exact | Kind::Bits => None,
            kind => Some(format!(
                "devices sweep the kinds i8-exact and bits, and this run has {}; choose one of them by --kind",
                kind_name(kind)
            )),
        }
    }

    /// Sweeps this rank's models on devices from now on, with the same results. None stay on the CPU without devices.
    pub fn on(&mut self, queues: Vec<Queue>) -> Result<(), Error> {
        let models = &self.models[..self.own.len()];
        let count = queues.len().min(models.len());
        let mut batches = Vec::new();
        for (i, queue) in queues.into_iter().take(count).enumerate() {
            let [first, end] = [i, i + 1].map(|i| models.len() * i / count);
            let part = &models[first..end];
            let spins: Vec<_> = part.iter().filter_map(|model| model.state.layered()).collect();
            let generators: Vec<_> = part.iter().map(|model| &model.random).collect();
            batches.push((Batch::new(queue, &spins, &generators)?, part.len()));
        }
        self.devices = Some(Devices { batches }).filter(|devices| !devices.batches.is_empty());
        Ok(())
    }

    /// Does the sweeps of the next step, which ends after the sweep `end`. Without devices, and after an interruption,
    /// whose sweeps differ from model to model, does nothing: the CPU does the step.
    pub(super) fn sweep_on_devices(&mut self, end: u64) -> Result<(), Error> {
        let sweeps = end - self.sweeps_after(self.step);
        let (plan, step, start, count) = (self.plan, self.step, self.own.start, self.own.len());
        let Some(devices) = &mut self.devices else { return Ok(()) };
        let mut models = &mut self.models[..count];
        if models.iter().any(|model| model.ahead != 0) {
            return Ok(());
        }
        let mut index = start;
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for (batch, length) in &mut devices.batches {
                let (part, rest) = std::mem::take(&mut models).split_at_mut(*length);
                models = rest;
                let betas: Vec<_> = (index..).take(*length).map(|i| plan.weights(plan.point(i, step))).collect();
                index += *length;
                threads.push(scope.spawn(move || {
                    let spins: Vec<_> = part.iter().filter_map(|model| model.state.layered()).collect();
                    let generators: Vec<_> = part.iter().map(|model| &model.random).collect();
                    batch.load(&spins, &generators)?;
                    batch.sweep(&spins, &betas, sweeps as usize)?;
                    let (mut spins, mut generators) = (Vec::new(), Vec::new());
                    for Model { state, random, ahead, .. } in part {
                        *ahead = sweeps;
                        spins.extend(state.layered_mut());
                        generators.push(random);
                    }
                    batch.spins(&mut spins)?;
                    batch.generators(&mut generators)
                }));
            }
            threads.into_iter().try_for_each(|thread| thread.join().expect("no panic in a sweep"))
        })
    }
}
