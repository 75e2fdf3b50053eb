//! Sweeps of many Ising models at once, with the trajectories of [`hotloops::ising`].
//!
//! A [`Batch`] is models of one kind and size, each with a generator and a temperature of its own: the chains of a
//! replica exchange, or restarts. Spins, flips and generators are those of [`LayeredIsing::sweep`], bit for bit.
//!
//! | kind | |
//! |---|---|
//! | [`Kind::I8Exact`] | 64 lanes of layers are 64 items of a work-group |
//! | [`Kind::Bits`] | 512 copies are 16 items; models whose layers are [cut](LayeredIsing::blocks) stay on the CPU |
//!
//! A [`Lattice`] is one large square lattice, all of whose blocks are visited at once.
//!
//! # Source
//! Dickson, Karimi, Hamze, "Importance of explicit vectorization for CPU and GPU software performance" (J. Comput.
//! Phys. 230, 2011): programs B.1 and B.2, where a model is a group of threads with an interlaced generator. State in
//! global memory is interlaced, so that accesses are coalesced, as in B.2. The programs themselves are in [`paper`].

mod bits;
mod exact;
pub(crate) mod lattice;
pub mod paper;
mod state;

use hotloops::ising::{Beta, Kind, LayeredIsing};
use hotloops::random::Mt19937;

use crate::error::Error;
use crate::pace::Pace;
use crate::queue::Queue;
use bits::Bits;
use exact::Exact;
pub use lattice::Lattice;
use state::Generators;

pub(crate) const SOURCE: &str = include_str!("../kernels/ising.cl");

/// Models on a device.
pub struct Batch {
    queue: Queue,
    engine: Engine,
    generators: Generators,
    pace: Pace,
    /// Kind, layers and sites of each model.
    shape: (Kind, usize, usize),
}

enum Engine {
    Exact(Exact),
    Bits(Bits),
}

impl Batch {
    /// The queue of its device.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Copies models and their generators to the device, and compiles the kernel.
    ///
    /// # Errors
    /// Fails unless there is a model, and a generator of 16 lanes for each; if the models differ in kind, layers or
    /// sites, or are of a kind that devices do not sweep; if the device lacks the memory, and if the driver fails.
    pub fn new(queue: Queue, models: &[&LayeredIsing], rngs: &[&Mt19937]) -> Result<Self, Error> {
        let Some(&first) = models.first() else {
            return Err(Error::argument("models", "none; at least one is needed"));
        };
        let shape = |model: &LayeredIsing| (model.kind(), model.layers(), model.sites(), model.order().len());
        if let Some(i) = models.iter().position(|&model| shape(model) != shape(first)) {
            return Err(Error::argument("models", format!("model {i} differs from model 0 in kind, layers or sites")));
        }
        let generators = Generators::new(&queue, models.len(), rngs)?;
        let engine = match first.kind() {
            Kind::I8Exact => Engine::Exact(Exact::new(&queue, models)?),
            Kind::Bits if first.blocks().is_none() => Engine::Bits(Bits::new(&queue, models)?),
            Kind::Bits => {
                return Err(Error::argument("models", "their layers are cut into lanes; sweep them on the CPU"));
            }
            kind => {
                return Err(Error::argument("models", format!("devices do not sweep {kind:?}; use I8Exact or Bits")));
            }
        };
        let shape = (first.kind(), first.layers(), first.sites());
        Ok(Batch { queue, engine, generators, pace: Pace::new(1, 1 << 20), shape })
    }

    /// Replaces the spins and generators by those of these models, as [`new`](Self::new) has them.
    ///
    /// # Errors
    /// Fails unless the models have the batch's kind, layers and sites and are as many, each with a generator; and if
    /// the device fails.
    pub fn load(&mut self, models: &[&LayeredIsing], rngs: &[&Mt19937]) -> Result<(), Error> {
        self.check(models)?;
        match &mut self.engine {
            Engine::Exact(engine) => engine.load(&self.queue, models)?,
            Engine::Bits(engine) => engine.load(&self.queue, models)?,
        }
        self.generators.load(&self.queue, rngs)
    }

    /// Refuses models other than those of the batch.
    fn check(&self, models: &[&LayeredIsing]) -> Result<(), Error> {
        let found = models.iter().map(|model| (model.kind(), model.layers(), model.sites()));
        if models.len() == self.generators.len() && found.clone().all(|shape| shape == self.shape) {
            return Ok(());
        }
        Err(Error::argument("models", format!("the batch has {} of {:?}", self.generators.len(), self.shape)))
    }

    /// Visits every spin of every model `sweeps` times. Returns the flips of each model. `models` are those of
    /// [`new`](Self::new); their spins are not read.
    ///
    /// # Errors
    /// Fails unless there is a temperature for each model, if one is not finite or couples the copies of
    /// [`Kind::Bits`], and if the device fails.
    pub fn sweep(&mut self, models: &[&LayeredIsing], betas: &[Beta], sweeps: usize) -> Result<Vec<u64>, Error> {
        self.check(models)?;
        let Batch { queue, engine, generators, pace, .. } = self;
        if betas.len() != generators.len() {
            let why = format!("{} temperatures for {} models", betas.len(), generators.len());
            return Err(Error::argument("betas", why));
        }
        if let Some(i) = betas.iter().position(|beta| !(beta.space.is_finite() && beta.tau.is_finite())) {
            return Err(Error::argument("betas", format!("{:?} of model {i} is not finite", betas[i])));
        }
        let flips = queue.zeros::<u64>(generators.len())?;
        let mut run = |launch: &dyn Fn(u32) -> Result<(), Error>| {
            pace.run(sweeps, |_, count| launch(count as u32).and_then(|()| queue.finish()))
        };
        match engine {
            Engine::Exact(engine) => {
                let prepared = engine.prepare(queue, models, betas)?;
                run(&|count| engine.launch(queue, &prepared, generators, &flips, count))?;
            }
            Engine::Bits(engine) => {
                let prepared = engine.prepare(queue, models, betas)?;
                run(&|count| engine.launch(queue, &prepared, generators, &flips, count))?;
            }
        }
        queue.download(&flips)
    }

    /// Copies the spins back to models such as those of [`new`](Self::new).
    ///
    /// # Errors
    /// Fails unless the models have the batch's kind, layers and sites and are as many, and if the device fails.
    pub fn spins(&self, models: &mut [&mut LayeredIsing]) -> Result<(), Error> {
        self.check(&models.iter().map(|model| &**model).collect::<Vec<_>>())?;
        let words = match &self.engine {
            Engine::Exact(engine) => self.queue.download(&engine.spins)?,
            Engine::Bits(engine) => engine.words(&self.queue)?,
        };
        let each = words.len() / self.generators.len();
        for (model, words) in models.iter_mut().zip(words.chunks(each)) {
            model.set_words(0..model.layers(), words)?;
        }
        Ok(())
    }

    /// Copies the generators back.
    ///
    /// # Errors
    /// Fails unless there are as many as models, and if the device fails.
    pub fn generators(&self, rngs: &mut [&mut Mt19937]) -> Result<(), Error> {
        self.generators.store(&self.queue, rngs)
    }
}

/// Compares short sweeps of both kinds with the library's.
pub(crate) fn self_test(queue: &Queue) -> Result<bool, Error> {
    for (kind, tau) in [(Kind::I8Exact, 0.2), (Kind::Bits, 0.0)] {
        let bonds = (0..7).map(|i| (i, (i + 1) % 7, if i == 3 { -1.0 } else { 1.0 }));
        let model = || LayeredIsing::builder(70, 7).couplings(bonds.clone()).build(kind);
        let (mut device, mut host) = ([model()?, model()?], [model()?, model()?]);
        let generators = || Ok::<_, Error>([Mt19937::seeded(16, 1)?, Mt19937::seeded(16, 2)?]);
        let (mut theirs, mut ours) = (generators()?, generators()?);
        let betas = [0.2, 0.7].map(|space| Beta { space, tau });
        let mut batch = Batch::new(Queue::open(queue.device())?, &device.each_ref(), &theirs.each_ref())?;
        let flips = batch.sweep(&device.each_ref(), &betas, 20)?;
        batch.spins(&mut device.each_mut())?;
        batch.generators(&mut theirs.each_mut())?;
        for (i, (model, rng)) in host.iter_mut().zip(&mut ours).enumerate() {
            let [mut a, mut b] = [[0; 70 * 7]; 2];
            if model.sweep(rng, betas[i], 20)? != flips[i] {
                return Ok(false);
            }
            model.spins(&mut a)?;
            device[i].spins(&mut b)?;
            let [mut x, mut y] = [[0; 64]; 2];
            rng.fill_u32(&mut x);
            theirs[i].fill_u32(&mut y);
            if a != b || x != y {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
