//! Interlaced layers: `sweep_i8`.

use hotloops::ising::{Beta, LayeredIsing};

use super::SOURCE;
use super::state::Generators;
use crate::error::Error;
use crate::queue::{Argument, Buffer, Kernel, Queue, arguments};

/// Items of a group: the lanes of a model.
const LANES: usize = 64;
/// Local memory of the kernel's own arrays, at most.
const OWN_LOCAL: u64 = 6144;

/// Spins of models, a bit for each lane, and how to sweep them.
pub(super) struct Exact {
    kernel: Kernel,
    pub spins: Buffer<u64>,
    sites: u32,
    groups: u32,
    lanes: u32,
    long_lanes: u32,
    /// Bytes of the spins of a model by lane, in local memory.
    local: usize,
    /// The same for all models, in global memory, where a group has not enough of its own.
    packed: Option<Buffer<u32>>,
}

/// Links and probabilities of a temperature for each model.
pub(super) struct Prepared {
    links: Buffer<u32>,
    first_link: Buffer<u32>,
    probabilities: Buffer<u64>,
    is_coupled: bool,
}

impl Exact {
    pub fn new(queue: &Queue, models: &[&LayeredIsing]) -> Result<Self, Error> {
        let first = models[0];
        let (sites, layers, lanes) = (first.sites(), first.layers(), first.lanes());
        let groups = layers.div_ceil(lanes);
        let local = 4 * LANES * sites.div_ceil(32) * groups;
        let is_local = local as u64 + OWN_LOCAL <= queue.device().local_memory;
        let program = queue.program(SOURCE, if is_local { "" } else { "-DGLOBAL_SPINS" })?;
        let packed = if is_local { None } else { Some(queue.buffer(models.len() * local / 4)?) };
        Ok(Exact {
            kernel: queue.kernel(&program, "sweep_i8")?,
            spins: queue.upload(&words_of(models)?)?,
            sites: sites as u32,
            groups: groups as u32,
            lanes: lanes as u32,
            long_lanes: (layers - (groups - 1) * lanes) as u32,
            local,
            packed,
        })
    }

    pub fn load(&mut self, queue: &Queue, models: &[&LayeredIsing]) -> Result<(), Error> {
        queue.write(&mut self.spins, 0, &words_of(models)?)
    }

    pub fn prepare(&self, queue: &Queue, models: &[&LayeredIsing], betas: &[Beta]) -> Result<Prepared, Error> {
        let (mut links, mut first_link, mut probabilities): (Vec<u32>, _, _) = (Vec::new(), Vec::new(), Vec::new());
        let (mut last, mut is_coupled) = (Vec::new(), false);
        for (i, (model, &beta)) in models.iter().zip(betas).enumerate() {
            let outline = model
                .exact_outline(beta)
                .ok_or_else(|| Error::argument("models", format!("model {i} is not of the batch's kind")))?;
            // Models of one graph share its links.
            if outline.links != last {
                links.extend(&outline.links);
                last = outline.links;
            }
            first_link.push((links.len() - last.len()) as u32);
            probabilities.extend(outline.probabilities.iter().chain(&outline.free));
            // Where layers are not coupled, probabilities do not depend on the layers beside.
            is_coupled |= outline.is_coupled;
        }
        Ok(Prepared {
            links: queue.upload(&links)?,
            first_link: queue.upload(&first_link)?,
            probabilities: queue.upload(&probabilities)?,
            is_coupled,
        })
    }

    pub fn launch(
        &self,
        queue: &Queue,
        prepared: &Prepared,
        generators: &Generators,
        flips: &Buffer<u64>,
        sweeps: u32,
    ) -> Result<(), Error> {
        let Prepared { links, first_link, probabilities, is_coupled } = prepared;
        let packed = self.packed.as_ref().map_or(Argument::Local(self.local), Argument::from);
        let given = [
            &arguments![
                &generators.states,
                &generators.positions,
                &self.spins,
                links,
                first_link,
                probabilities,
                flips
            ][..],
            &arguments![self.sites, self.groups, self.lanes, self.long_lanes, u32::from(*is_coupled), sweeps],
            &[packed],
        ];
        // SAFETY: every model has its spins, generator, links, probabilities and flips; links refer to rows of a group.
        unsafe { queue.launch(&self.kernel, &[generators.len()], &[LANES], &given.concat()) }
    }
}

/// The spins of all models, one after the other.
fn words_of(models: &[&LayeredIsing]) -> Result<Vec<u64>, Error> {
    let each = models[0].words();
    let mut words = vec![0; models.len() * each];
    for (model, words) in models.iter().zip(words.chunks_mut(each)) {
        model.copy_words(words)?;
    }
    Ok(words)
}
